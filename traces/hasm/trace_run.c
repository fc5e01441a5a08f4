/* trace_run.c - reads a trace with the module that reads it for simulations
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_run.h"

#include "base/exit.h"
#include "base/output.h"

#define EDGES 4096 /* at once */

/* %s: the other module. */
#define NETLIST \
	"{ \"heddle\": 1, \"clocks\": { \"block\": { \"mhz\": 1 } }, \"instances\": {" \
	"\"trace\": { \"module\": \"trace_source\", \"params\": { \"xz_memory\": 1024 } }," \
	"\"reader\": { \"module\": \"%s\" } }," \
	"\"links\": [{ \"from\": \"reader.trace\", \"to\": \"trace.trace\" }] }"

/* ---- the module that takes the trace ---- */

const struct hd_port hd__trace_taker_ports[] = {
	{ .name = "trace", .doc = "what is read", .kind = HD_USES, .type = &hd_type_trace_if,
	  .offset = offsetof(struct trace_taker, trace) },
	{ .name = NULL },
};

int hd__trace_taker_init(void *state, struct hd_ctx *ctx)
{
	((struct trace_taker *)state)->ctx = ctx;
	return 0;
}

int hd__trace_taker_start(void *state)
{
	struct trace_taker *t = state;

	t->trace->claim(t->trace->self, 1);
	hd_expect_finish(t->ctx);
	return 0;
}

/* ---- the run ---- */

static void *find_state(struct hd_sim *s, const struct hd_module *module)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].module == module)
			return s->instances[i].state;
	return NULL;
}

bool hd__trace_run_all(struct hd_sim *s, struct hd_diags *d)
{
	enum hd_run_status status;

	do
		status = hd__sim_run(s, EDGES);
	while (status == HD_RUN_MORE);
	return status == HD_RUN_FINISHED && d->errors == 0;
}

int hd__trace_run_output(struct hd_sim *s, struct hd_diags *d, const char *name, const char *option, FILE **to)
{
	struct hd_output o;
	int status = hd__output_open(&o, name, option);

	if (status != HD_EXIT_OK)
		return status;
	*to = o.f;
	if (!hd__trace_run_all(s, d)) {
		hd__output_close(&o, false);
		return HD_EXIT_USAGE;
	}
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__trace_run(const struct trace_run *r)
{
	struct hd_registry registry = { .n = 0 };
	struct hd_options options = { .input = r->trace, .first = 1, .last = UINT64_MAX,
	                               .strict = r->strict };
	struct hd_diags diags = { .n = 0 };
	char *text = hd__format(NETLIST, r->module->name);
	struct hd_netlist *n;
	struct hd_sim *s = NULL;
	int status = HD_EXIT_USAGE;

	hd__registry_init(&registry, &diags);
	hd__registry_add(&registry, r->module, "built in", NULL, &diags);
	n = hd__netlist_parse(r->command, text, strlen(text), &diags);
	if (n)
		s = hd__sim_new(n, &registry, &options, false, &diags);
	for (size_t i = 0; i < diags.n; i++) { /* the user has no file of this netlist */
		free(diags.v[i].file);
		diags.v[i].file = NULL;
		diags.v[i].line = 0;
	}
	if (s && diags.errors == 0)
		status = r->use(r->arg, s, find_state(s, r->module), &diags);
	hd__sim_free(s);
	hd__diags_print(&diags, stderr);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	free(text);
	return status;
}

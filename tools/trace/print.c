/* print.c - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The module that reads traces for simulations reads this one, too: the print is the run of a netlist
 * of two instances, that module and the printer.
 */
#include "print.h"

#include "kernel/base/exit.h"
#include "kernel/base/output.h"
#include "kernel/sim.h"
#include "printer.h"

#define EDGES 4096 /* at once */

static const char netlist[] =
	"{ \"heddle\": 1, \"clocks\": { \"block\": { \"mhz\": 1 } }, \"instances\": {"
	"\"trace\": { \"module\": \"trace_source\", \"params\": { \"xz_memory\": 1024 } },"
	"\"printer\": { \"module\": \"hasm_printer\" } },"
	"\"links\": [{ \"from\": \"printer.trace\", \"to\": \"trace.trace\" }] }";

static struct printer *find_printer(struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].module == &hd_module_hasm_printer)
			return s->instances[i].state;
	return NULL;
}

/* Prints all blocks.  Returns whether that succeeded. */
static bool run(struct hd_sim *s, FILE *out, struct hd_diags *d)
{
	struct printer *p = find_printer(s);
	enum hd_run_status status;

	p->out = out;
	p->d = d;
	do
		status = hd__sim_run(s, EDGES);
	while (status == HD_RUN_MORE);
	return status == HD_RUN_FINISHED && d->errors == 0;
}

static int print_sim(struct hd_sim *s, const char *output, struct hd_diags *d)
{
	struct hd_output o;
	int status = hd__output_open(&o, output, NULL);

	if (status != HD_EXIT_OK)
		return status;
	if (!run(s, o.f, d)) {
		hd__output_close(&o, false);
		return HD_EXIT_USAGE;
	}
	return hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
}

int hd__hasm_print(const char *trace, const char *output, bool strict)
{
	struct hd_registry registry = { .n = 0 };
	struct hd_options options = { .input = trace, .first = 1, .last = UINT64_MAX,
	                               .strict = strict };
	struct hd_diags diags = { .n = 0 };
	struct hd_netlist *n;
	struct hd_sim *s = NULL;
	int status = HD_EXIT_USAGE;

	hd__registry_init(&registry, &diags);
	hd__registry_add(&registry, &hd_module_hasm_printer, "built in", NULL, &diags);
	n = hd__netlist_parse("heddle trace print", netlist, sizeof netlist - 1, &diags);
	if (n)
		s = hd__sim_new(n, &registry, &options, false, &diags);
	for (size_t i = 0; i < diags.n; i++) { /* the user has no file of this netlist */
		free(diags.v[i].file);
		diags.v[i].file = NULL;
	}
	if (s && diags.errors == 0)
		status = print_sim(s, output, &diags);
	hd__sim_free(s);
	hd__diags_print(&diags, stderr);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

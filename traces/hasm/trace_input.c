/* trace_input.c - a trace that a command reads, kernel by kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_input.h"

#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <unistd.h>

struct trace_input *hd__trace_input_open(const struct trace_command *c)
{
	struct trace_input *t = hd__xcalloc(1, sizeof *t);

	hd__trace_host_init(&t->host, &t->d);
	t->r.host = &t->host.host;
	t->r.opt = hd__trace_options(c->tables);
	t->r.opt.strict = c->strict;
	t->asynchronous = hd__format("%s/hopper", c->tables);
	if (access(t->asynchronous, F_OK) == 0)
		t->r.opt.own_opcodes = t->asynchronous;
	if (hd__trace_open(&t->r) == 0 && hd__trace_open_list(&t->r, c->trace, 1, UINT64_MAX) == 0)
		return t;
	hd__trace_input_close(t, HD_EXIT_USAGE);
	return NULL;
}

size_t hd__trace_input_copies(const struct trace_input *t, size_t i, const struct hd_trace_copy **first)
{
	const struct trace_list *l = &t->r.list;
	size_t before = i ? l->v[i - 1].copies : 0;

	*first = l->copy + before;
	return l->v[i].copies - before;
}

bool hd__trace_input_kernel(struct trace_input *t, size_t i, bool (*block)(void *arg, uint64_t number), void *arg)
{
	struct trace_kernel *k = &t->k;

	if (!k->open && hd__trace_kernel_open(&t->r, k, i))
		return false;
	for (uint64_t b = 0; b < k->header.launch.ctas; b++)
		if (hd__trace_kernel_block(k, 0) || !block(arg, b))
			return false;
	return hd__trace_kernel_finish(&t->r, k) == 0;
}

int hd__trace_input_close(struct trace_input *t, int status)
{
	hd__trace_kernel_free(&t->r, &t->k);
	hd__trace_close(&t->r);
	hd__trace_host_free(&t->host);
	if (status == HD_EXIT_OK && t->d.errors)
		status = HD_EXIT_USAGE;
	hd__diags_print(&t->d, stderr);
	hd__diags_free(&t->d);
	free(t->asynchronous);
	free(t);
	return status;
}

int hd__trace_input_write(const struct trace_command *c, const char *option,
                          bool (*write)(struct trace_input *t, FILE *to))
{
	struct trace_input *t = hd__trace_input_open(c);
	struct hd_output o;
	int status;
	bool good;

	if (!t)
		return HD_EXIT_USAGE;
	status = hd__output_open(&o, c->output, option);
	if (status == HD_EXIT_OK) {
		good = write(t, o.f) && t->d.errors == 0;
		if (!hd__output_close(&o, good))
			status = good ? HD_EXIT_FAILED : HD_EXIT_USAGE;
	}
	return hd__trace_input_close(t, status);
}

/* ---- static instructions ---- */

static bool add_block(void *arg, uint64_t number)
{
	struct statics *s = arg;
	struct trace_kernel *k = &s->in->k;
	struct hd_inst i;

	(void)number;
	for (uint32_t w = 0; w < k->header.launch.warps; w++)
		while (trace_kernel_next(k, w, &i)) {
			struct static_inst *x;
			size_t at = k->blocks.slot[w].index;

			s->v = hd__xgrow_zero(s->v, &s->n, at, sizeof *s->v);
			x = &s->v[at];
			if (x->executed++ == 0)
				*x = (struct static_inst){ .inst = i, .opcode = s->in->r.names.v[i.opcode],
				                           .executed = 1, .met = at };
		}
	return true;
}

/* Instructions that were not executed come last. */
static int by_pc(const void *a, const void *b)
{
	const struct static_inst *x = a, *y = b;

	if (!x->executed != !y->executed)
		return x->executed ? -1 : 1;
	if (x->inst.pc != y->inst.pc)
		return x->inst.pc < y->inst.pc ? -1 : 1;
	return x->met < y->met ? -1 : x->met > y->met;
}

bool hd__statics_read(struct statics *s, struct trace_input *t, size_t i)
{
	bool good;

	*s = (struct statics){ .in = t, .number = i + 1, .file = t->r.list.v[i].path, .launch = &t->k.header.launch };
	good = hd__trace_input_kernel(t, i, add_block, s);
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_pc);
	while (s->n > 0 && s->v[s->n - 1].executed == 0)
		s->n--;
	return good;
}

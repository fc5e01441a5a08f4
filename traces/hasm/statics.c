/* statics.c - the static instructions of a kernel of a trace, and how often they are executed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "trace_input.h"

#include "base/xalloc.h"

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

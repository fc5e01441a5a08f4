/* statics.c - the module that collects the static instructions of each kernel of a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "statics.h"

#include "base/xalloc.h"

static void add(struct statics *s, const struct hd_inst *i)
{
	size_t at;

	at = i->code - s->first_code;
	if (s->next_code <= i->code)
		s->next_code = i->code + 1;
	s->at = hd__xgrow_zero(s->at, &s->nat, at, sizeof *s->at);
	if (!s->at[at]) {
		s->v = hd__xgrow(s->v, s->n, &s->cap, sizeof *s->v);
		s->v[s->n++] = (struct static_inst){
			.inst = *i, .opcode = s->in.trace->opcode_text(s->in.trace->self, i->opcode),
		};
		s->at[at] = (uint32_t)s->n;
	}
	s->v[s->at[at] - 1].executed++;
}

static int next_block(struct statics *s)
{
	int got = s->in.trace->next_cta(s->in.trace->self, 0);
	struct hd_inst i;

	for (uint32_t w = 0; got > 0 && w < s->launch.warps; w++)
		while (s->in.trace->next(s->in.trace->self, w, &i))
			add(s, &i);
	s->block++;
	return got;
}

static int by_pc(const void *a, const void *b)
{
	const struct static_inst *x = a, *y = b;

	if (x->inst.pc != y->inst.pc)
		return x->inst.pc < y->inst.pc ? -1 : 1;
	return x->inst.code < y->inst.code ? -1 : x->inst.code > y->inst.code;
}

static bool end_kernel(struct statics *s)
{
	bool good;

	if (s->kernels == 0)
		return true;
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_pc);
	good = s->done(s->arg, s);
	s->n = 0;
	free(s->at);
	s->at = NULL;
	s->nat = 0;
	s->block = 0;
	s->first_code = s->next_code;
	return good;
}

/* Returns as next_kernel(). */
static int next_kernel(struct statics *s)
{
	int got;

	if (!end_kernel(s))
		return -1;
	got = s->in.trace->next_kernel(s->in.trace->self, &s->launch);
	s->kernels += got > 0;
	return got;
}

/* ---- callbacks ---- */

static uint64_t eval(void *state)
{
	struct statics *s = state;
	bool more = s->kernels > 0 && s->block < s->launch.ctas;
	int got = more ? next_block(s) : 0;

	if (got == 0) /* the file may have fewer blocks than the grid */
		got = next_kernel(s);
	if (got > 0)
		return 1;
	if (got == 0)
		hd_finish(s->in.ctx);
	return HD_SLEEP;
}

static void fini(void *state)
{
	struct statics *s = state;

	free(s->v);
	free(s->at);
}

const struct hd_module hd_module_hasm_statics = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "hasm_statics",
	.doc = "collects the static instructions of a trace",
	.ports = hd__trace_taker_ports,
	.state_size = sizeof(struct statics),
	.init = hd__trace_taker_init,
	.start = hd__trace_taker_start,
	.eval = eval,
	.fini = fini,
};

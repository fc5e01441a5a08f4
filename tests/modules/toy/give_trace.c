/* give_trace.c - toy: a trace whose lines are given one by one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   line #N wN...     the warp's next instruction (actor.h)
 */
#include "actor.h"

#include <heddle/gpu/trace.h>

#define MOST 32u

struct state {
	struct actor actor;
	struct hd_trace_if trace;
	struct hd_inst inst[MOST];
	uint32_t n;
	uint32_t taken; /* set of them */
};

static void line(void *state, struct args *a)
{
	struct state *st = state;

	if (st->n < MOST)
		arg_inst(a, &st->inst[st->n++]);
	else
		wrong(st->actor.ctx, "more than %u lines", MOST);
}

static const struct verb verbs[] = {
	{ "line", line }, { NULL, NULL },
};

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;

	for (uint32_t i = 0; i < st->n; i++) {
		if (st->inst[i].warp != warp || (st->taken >> i & 1))
			continue;
		st->taken |= UINT32_C(1) << i;
		*inst = st->inst[i];
		return true;
	}
	return false;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->trace = (struct hd_trace_if){ .self = st, .next = next };
	return 0;
}

static const struct hd_port ports[] = {
	GIVES("trace", hd_type_trace_if, trace),
	{ .name = NULL },
};

TOY(give_trace, "a trace whose lines are given one by one", verbs, ports,
    .init = init, .eval = actor_eval);

/* give_access.c - toy: a coalescer and shared-memory banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The coalescer makes an access of each address of an active lane but 0, in the order of the lanes,
 * lanes side by side with the same address together: tests list them in ascending order.
 *   banks n=N           from now on an access to shared memory takes so many cycles; 1 at first
 */
#include "actor.h"

#include <heddle/gpu/access.h>

struct state {
	struct actor actor;
	struct hd_coalescer_if coalescer;
	struct hd_banks_if banks;
	uint32_t cycles;
};

static void take_cycles(void *state, struct args *a)
{
	((struct state *)state)->cycles = (uint32_t)arg_number(a, "n", 1);
}

static uint32_t coalesce(void *self, const struct hd_inst *inst, struct hd_access *v)
{
	uint32_t n = 0;

	(void)self;
	for (uint32_t i = 0; i < HD_LANES; i++) {
		if (!(inst->mask >> i & 1) || hd_inst_addr(inst, i) == 0)
			continue;
		if (n == 0 || v[n - 1].addr != hd_inst_addr(inst, i))
			v[n++] = (struct hd_access){ hd_inst_addr(inst, i), 0, 0 };
		v[n - 1].bytes |= 0xf;
		v[n - 1].lanes |= UINT32_C(1) << i;
	}
	return n;
}

static uint32_t conflicts(void *self, const struct hd_inst *inst)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "banks #%u", inst->code);
	return st->cycles;
}

static const struct verb verbs[] = { { "banks", take_cycles }, { NULL, NULL } };

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->cycles = 1;
	st->coalescer = (struct hd_coalescer_if){ .self = st, .coalesce = coalesce };
	st->banks = (struct hd_banks_if){ .self = st, .conflicts = conflicts };
	return 0;
}

static const struct hd_port ports[] = {
	GIVES("coalescer", hd_type_coalescer_if, coalescer),
	GIVES("banks", hd_type_banks_if, banks),
	{ .name = NULL },
};

TOY(give_access, "a simple coalescer, banks as the script has them", verbs, ports,
    .init = init, .eval = actor_eval);

/* give_groups.c - toy: a divergence policy whose instructions are given one by one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   group op=NAME #N wN...     the warp's next instruction (actor.h), of that opcode
 */
#include "actor.h"

#include <heddle/interface/divergence.h>
#include <heddle/interface/trace.h>

#define MOST 32u
#define LONGEST 24u

struct state {
	struct actor actor;
	struct hd_divergence_if groups;
	struct hd_trace_if trace;
	struct hd_inst inst[MOST];
	char opcode[MOST][LONGEST];
	uint32_t n;
	uint32_t taken; /* set of them */
};

static void group(void *state, struct args *a)
{
	struct state *st = state;
	const char *op = arg_text(a, "op");

	if (st->n == MOST) {
		wrong(st->actor.ctx, "more than %u instructions", MOST);
		return;
	}
	snprintf(st->opcode[st->n], LONGEST, "%s", op ? op : "FADD");
	arg_inst(a, &st->inst[st->n]);
	st->inst[st->n].opcode = st->n;
	st->n++;
}

static const struct verb verbs[] = {
	{ "group", group }, { NULL, NULL },
};

/* The warp's first instruction that was not taken, or MOST. */
static uint32_t first(const struct state *st, uint32_t warp)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (st->inst[i].warp == warp && !(st->taken >> i & 1))
			return i;
	return MOST;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t i = first(st, warp);

	if (i == MOST)
		return false;
	st->taken |= UINT32_C(1) << i;
	*inst = st->inst[i];
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	const struct state *st = self;
	uint32_t i = first(st, warp);

	return i == MOST ? 0 : st->inst[i].pc;
}

static const char *opcode_text(void *self, uint32_t opcode)
{
	return ((const struct state *)self)->opcode[opcode];
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx, verbs);
	st->groups = (struct hd_divergence_if){ .self = st, .next = next, .pc = pc };
	st->trace = (struct hd_trace_if){ .self = st, .opcode_text = opcode_text };
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "groups", .doc = "is called", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST,
	  .type = &hd_type_divergence_if, .offset = offsetof(struct state, groups) },
	{ .name = "trace", .doc = "is asked for names", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST, .type = &hd_type_trace_if, .offset = offsetof(struct state, trace) },
	{ .name = NULL },
};

const struct hd_module hd_module_give_groups = {
	TOY_HEAD, .name = "give_groups", .doc = "a policy whose instructions are given one by one",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

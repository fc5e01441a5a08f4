/* call_ibuffer.c - toy: fills and empties instruction buffers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   push #N wN...     appends an instruction
 *   pop wN            takes the head: "= #N"
 *   filled            "= " warps with an instruction
 *   entries           "= " how many a warp may have
 */
#include "actor.h"

#include <heddle/gpu/ibuffer.h>

struct state {
	struct actor actor;
	struct hd_ibuffer *b;
	struct hd_pool *pool;
};

static void push(void *state, struct args *a)
{
	struct state *st = state;
	hd_inst_ref ref = hd_alloc(st->actor.ctx, st->pool);
	struct hd_inst *inst = hd_inst(st->pool, ref);

	arg_inst(a, inst);
	hd_ibuffer_push(st->b, inst->warp, ref);
}

static void pop(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);
	hd_inst_ref ref;

	if (!hd_warp_in(st->b->filled, warp)) {
		toy_log(st->actor.ctx, "pop w%u = none", warp);
		return;
	}
	ref = hd_ibuffer_head(st->b, warp);
	toy_log(st->actor.ctx, "pop w%u = #%u", warp, hd_inst(st->pool, ref)->code);
	hd_ibuffer_pop(st->b, warp);
	hd_release(st->pool, ref);
}

static void filled(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "filled = %s", warps_text(st->b->filled, text));
}

static void entries(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "entries = %u", st->b->entries);
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = {
		{ "push", push }, { "pop", pop }, { "filled", filled }, { "entries", entries },
		{ NULL, NULL },
	};

	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "ibuffer", .doc = "called", .kind = HD_USES, .type = &hd_type_ibuffer,
	  .offset = offsetof(struct state, b) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_ibuffer = {
	TOY_HEAD, .name = "call_ibuffer", .doc = "fills and empties instruction buffers",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

/* call_sync.c - toy: calls what makes warps wait
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   join wN, leave wN            the barrier
 *   fence wN                     a fence is issued
 *   look wN                      polls the end of a fence: "= held" or "= free"
 *   add wN..., commit wN, wait wN stay=N   asynchronous copies; add takes an instruction
 *   accepted n=N #N wN...        the load/store unit has it: "= id"
 *   answered wN id=N             "= last" if it was the last request
 */
#include "actor.h"

#include <heddle/gpu/sync.h>

struct state {
	struct actor actor;
	const void *after;
	const struct hd_barrier_if *barrier;
	const struct hd_fence_if *fence;
	const struct hd_copy_if *copy;
};

static void join(void *state, struct args *a)
{
	struct state *st = state;

	st->barrier->join(st->barrier->self, arg_warp(a));
}

static void leave(void *state, struct args *a)
{
	struct state *st = state;

	st->barrier->leave(st->barrier->self, arg_warp(a));
}

static void fence(void *state, struct args *a)
{
	struct state *st = state;

	st->fence->set(st->fence->self, arg_warp(a));
}

static void look(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);
	bool held = st->fence->holds(st->fence->self, warp);

	toy_log(st->actor.ctx, "look w%u = %s", warp, held ? "held" : "free");
}

static void add(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	st->copy->add(st->copy->self, &inst);
}

static void commit(void *state, struct args *a)
{
	struct state *st = state;

	st->copy->commit(st->copy->self, arg_warp(a));
}

static void wait_copies(void *state, struct args *a)
{
	struct state *st = state;
	int32_t stay = (int32_t)arg_number(a, "stay", 0);

	st->copy->wait(st->copy->self, arg_warp(a), stay);
}

static void accepted(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t n = (uint32_t)arg_number(a, "n", 1), id;
	struct hd_inst inst;

	arg_inst(a, &inst);
	id = st->copy->accepted(st->copy->self, &inst, n);
	toy_log(st->actor.ctx, "accepted #%u = %u", inst.code, id);
}

static void answered(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t id = (uint32_t)arg_number(a, "id", 0), warp = arg_warp(a);
	bool last = st->copy->answered(st->copy->self, warp, id);

	toy_log(st->actor.ctx, "answered w%u %u = %s", warp, id, last ? "last" : "more");
}

static const struct verb verbs[] = {
	{ "join", join }, { "leave", leave }, { "fence", fence }, { "look", look }, { "add", add },
	{ "commit", commit }, { "wait", wait_copies }, { "accepted", accepted },
	{ "answered", answered }, { NULL, NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	{ .name = "barrier", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_barrier_if, .offset = offsetof(struct state, barrier) },
	{ .name = "fence", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_fence_if, .offset = offsetof(struct state, fence) },
	{ .name = "copy", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_copy_if, .offset = offsetof(struct state, copy) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_sync = {
	TOY_HEAD, .name = "call_sync", .doc = "calls barrier, fence and copy", .ports = ports,
	.state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

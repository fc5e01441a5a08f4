/* give_sync.c - toy: barrier, fence and copies, which log their calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   hold              from now on the barrier and waits for copies hold their warps
 *   over wN...        fences of these warps end at the next poll; the warps are touched
 * A fence holds its warp until then.  Without port `warps` nothing is held.
 */
#include "actor.h"

#include <heddle/gpu/sync.h>

struct state {
	struct actor actor;
	struct hd_warps *warps;
	struct hd_barrier_if barrier;
	struct hd_fence_if fence;
	struct hd_copy_if copy;
	bool holding;
	uint64_t over;
};

static void hold(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->holding = true;
}

static void over(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->over |= set;
	for (; set && st->warps; set &= set - 1)
		hd_warp_touch(st->warps, (uint32_t)__builtin_ctzll(set));
}

static const struct verb verbs[] = {
	{ "hold", hold }, { "over", over }, { NULL, NULL },
};

static void join(void *self, uint32_t warp)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "join w%u", warp);
	if (st->holding)
		hd_warp_block(st->warps, warp, HD_BLOCK_BARRIER);
}

static void leave(void *self, uint32_t warp)
{
	toy_log(((struct state *)self)->actor.ctx, "leave w%u", warp);
}

static void set_fence(void *self, uint32_t warp)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "fence w%u", warp);
	if (st->warps)
		hd_warp_block(st->warps, warp, HD_BLOCK_FENCE);
}

static bool holds(void *self, uint32_t warp)
{
	struct state *st = self;

	if (!(st->over >> warp & 1))
		return true;
	toy_log(st->actor.ctx, "over w%u", warp);
	st->over &= ~(UINT64_C(1) << warp);
	hd_warp_unblock(st->warps, warp, HD_BLOCK_FENCE);
	return false;
}

static void add(void *self, const struct hd_inst *inst)
{
	toy_log(((struct state *)self)->actor.ctx, "add #%u w%u", inst->code, inst->warp);
}

static void commit(void *self, uint32_t warp)
{
	toy_log(((struct state *)self)->actor.ctx, "commit w%u", warp);
}

static void wait_copies(void *self, uint32_t warp, int32_t may_stay)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "wait w%u stay=%d", warp, may_stay);
	if (st->holding)
		hd_warp_block(st->warps, warp, HD_BLOCK_COPY);
}

static uint32_t accepted(void *self, const struct hd_inst *inst, uint32_t n)
{
	toy_log(((struct state *)self)->actor.ctx, "accepted #%u n=%u", inst->code, n);
	return inst->code;
}

static bool answered(void *self, uint32_t warp, uint32_t id)
{
	toy_log(((struct state *)self)->actor.ctx, "answered w%u %u", warp, id);
	return false;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->barrier = (struct hd_barrier_if){ .self = st, .join = join, .leave = leave };
	st->fence = (struct hd_fence_if){ .self = st, .set = set_fence, .holds = holds };
	st->copy = (struct hd_copy_if){ .self = st, .add = add, .commit = commit,
		                        .wait = wait_copies, .accepted = accepted,
		                        .answered = answered };
	return 0;
}

static const struct hd_port ports[] = {
	USES("warps", hd_type_warps, warps),
	GIVES("barrier", hd_type_barrier_if, barrier),
	GIVES("fence", hd_type_fence_if, fence),
	GIVES("copy", hd_type_copy_if, copy),
	{ .name = NULL },
};

TOY(give_sync, "barrier, fence and copies that log their calls", verbs, ports,
    .init = init, .eval = actor_eval);

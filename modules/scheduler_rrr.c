/* scheduler_rrr.c - scheduling policy: strict round robin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P6: one warp at a time has the turn, whether it can issue or not: after the warp
 * that issued last, the first one of the ring that is neither ended nor held.  Where the
 * reference starts from uninitialised memory, here the scheduler's first slot has the turn until
 * an instruction was issued, or no warp of the slot could issue.
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
	const struct hd_fence_if *fence;
	hd_warp_set mine, behind; /* behind: slots above the warp that issued last */
	hd_warp_set turn;      /* set of the warp that has it */
	bool started;          /* an instruction was issued */
};

static void bind(void *self, hd_warp_set mine)
{
	struct state *st = self;

	st->mine = mine;
	st->turn = hd_warp_lowest(mine);
}

static hd_warp_set begin(void *self, hd_warp_set live)
{
	struct state *st = self;
	hd_warp_set part[2] = { st->mine & st->behind, st->mine & ~st->behind };

	(void)live; /* fences may end while the ring is searched */
	if (!st->started && !hd_warp_held(st->warps, st->fence, hd_warp_first(st->turn)))
		return st->turn;
	for (int i = 0; i < 2; i++) {
		while (part[i]) {
			uint32_t warp = hd_warp_pop(&part[i]);

			if (!hd_warp_held(st->warps, st->fence, warp)) {
				st->turn = hd_warp_bit(warp);
				return st->turn;
			}
		}
	}
	return 0;
}

static uint32_t first(void *self, hd_warp_set set)
{
	(void)self;
	return hd_warp_first(set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;

	(void)nth;
	st->started = true;
	st->behind = hd_warp_above(warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind, .begin = begin,
		                              .first = first, .issued = issued };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, mine, started);
}

#define P(f) offsetof(struct state, f)

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	{ .name = "warps", .doc = "blocked warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(warps), .like = "policy" },
	{ .name = "fence", .doc = "polled for the end of fences", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_fence_if, .offset = P(fence), .like = "policy" },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_rrr = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_rrr",
	.doc = "scheduling policy: strict round robin, one warp has the turn",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};

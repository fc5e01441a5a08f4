/* scheduler_lrr.c - scheduling policy: loose round robin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P1: the ring of warps, starting after the one that issued last.
 */
#include <heddle/gpu/sched_policy.h>

struct state {
	struct hd_sched_policy_if policy;
	hd_warp_set behind; /* slots above the warp that issued last */
};

static uint32_t first(void *self, hd_warp_set set)
{
	return hd_ring_first(((struct state *)self)->behind, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)nth;
	((struct state *)self)->behind = hd_warp_above(warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .first = first, .issued = issued,
		                              .behind = &st->behind };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->behind);
}

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	  .type = &hd_type_sched_policy_if, .offset = offsetof(struct state, policy) },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_lrr = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_lrr",
	.doc = "scheduling policy: loose round robin, starting after the last warp that issued",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};

/* scheduler_oldest.c - scheduling policy: oldest first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P3: by age.
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
};

static uint32_t first(void *self, hd_warp_set set)
{
	return hd_warps_oldest(((const struct state *)self)->warps, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)self;
	(void)warp;
	(void)nth;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st,
		                              .first = first, .issued = issued,
		                              .polls_fences = true };
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	  .type = &hd_type_sched_policy_if, .offset = offsetof(struct state, policy) },
	{ .name = "warps", .doc = "age of warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = offsetof(struct state, warps), .like = "policy" },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_oldest = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_oldest",
	.doc = "scheduling policy: the oldest warp first",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
};

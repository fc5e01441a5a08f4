/* scheduler_gto.c - scheduling policy: greedy, then oldest
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P2: the warp that issued last, then the others by age.
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
	hd_warp_set greedy; /* set of the one warp that issued last */
};

enum { PORT_POLICY, PORT_WARPS };

static void bind(void *self, hd_warp_set mine)
{
	((struct state *)self)->greedy = hd_warp_lowest(mine);
}

static uint32_t first(void *self, hd_warp_set set)
{
	const struct state *st = self;

	return set & st->greedy ? hd_warp_first(st->greedy) : hd_warps_oldest(st->warps, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)nth;
	((struct state *)self)->greedy = hd_warp_bit(warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind,
		                              .first = first, .issued = issued,
		                              .polls_fences = true };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->greedy);
}

static const struct hd_port ports[] = {
	[PORT_POLICY] = { .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
	                  .type = &hd_type_sched_policy_if,
	                  .offset = offsetof(struct state, policy) },
	[PORT_WARPS] = { .name = "warps", .doc = "age of warps", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = offsetof(struct state, warps),
	                 .like = "policy" },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_gto = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_gto",
	.doc = "scheduling policy: the warp that issued last, then the oldest",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};

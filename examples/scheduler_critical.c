/* scheduler_critical.c - scheduling policy: the warp that has needed the most cycles for each of its instructions first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A thread block is over when its slowest warp is.  How slow a warp is follows from when it was launched, the present
 * cycle, and how many instructions it has issued; a slot that another warp has taken begins again.
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

struct state {
	const struct hd_warps *warps;
	struct hd_sched_policy_if policy;
	uint64_t age[HD_MAX_WARPS], issued[HD_MAX_WARPS]; /* by slot: 1 + age of its warp, what that has issued */
};

/* Instructions of the warp and one more. */
static uint64_t done(const struct state *st, uint32_t warp)
{
	return 1 + (st->age[warp] == 1 + st->warps->age[warp] ? st->issued[warp] : 0);
}

static uint32_t first(void *self, hd_warp_set set)
{
	const struct state *st = self;
	uint64_t now = *st->warps->cycle;
	const uint64_t *since = st->warps->launched_at;
	uint32_t best = hd_warp_pop(&set);

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if ((now - since[warp]) * done(st, best) > (now - since[best]) * done(st, warp))
			best = warp;
	}
	return best;
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	struct state *st = self;

	(void)nth;
	st->issued[warp] = done(st, warp);
	st->age[warp] = 1 + st->warps->age[warp];
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .first = first, .issued = issued };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, age, issued);
}

const struct hd_module hd_module_scheduler_critical = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "scheduler_critical", .doc = "scheduling policy: the slowest warp first", .init = init,
	.checkpoint = checkpoint, .confined = true,
	.ports = (const struct hd_port[]){
		{ .name = "warps", .doc = "whose launches it compares", .kind = HD_USES, .type = &hd_type_warps,
		  .offset = offsetof(struct state, warps), .like = "policy" },
		{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES, .type = &hd_type_sched_policy_if,
		  .users = 1, .offset = offsetof(struct state, policy) },
		{ .name = NULL } },
};

/* scheduler_youngest.c - scheduling policy: the warp that was launched last comes first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o scheduler_youngest.so scheduler_youngest.c
 */
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
};

static void bind(void *self, hd_warp_set mine)
{
	(void)self, (void)mine; /* there is no state by warp */
}

/* Every warp may issue. */
static hd_warp_set begin(void *self, hd_warp_set live)
{
	(void)self, (void)live;
	return HD_ALL_WARPS;
}

static uint32_t first(void *self, hd_warp_set set)
{
	const uint64_t *age = ((const struct state *)self)->warps->age;
	uint32_t best = hd_warp_pop(&set);

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (age[warp] > age[best])
			best = warp;
	}
	return best;
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)self, (void)warp, (void)nth;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind, .begin = begin,
		                              .first = first, .issued = issued,
		                              .polls_fences = true };
	return 0;
}

const struct hd_module hd_module_scheduler_youngest = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "scheduler_youngest",
	.doc = "scheduling policy: the youngest warp first",
	.ports = (const struct hd_port[]){
		{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES,
		  .type = &hd_type_sched_policy_if, .offset = offsetof(struct state, policy) },
		{ .name = "warps", .doc = "age of warps", .kind = HD_USES,
		  .type = &hd_type_warps, .offset = offsetof(struct state, warps) },
		{ 0 } },
	.state_size = sizeof(struct state), .init = init,
	.checkpoint = hd_nothing_saved, .confined = true,
};

/* scheduler_cggty.c - scheduling policy: the warp that issued last, then the youngest
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, CG1: compiler-guided greedy, then youngest.  It is the compiler that ends the
 * greed, by a stall or a yield in the control word.
 */
#include "scheduler/greedy.h"

static uint32_t first(void *self, hd_warp_set set)
{
	const struct greedy *g = self;

	return set & g->last ? hd_warp_first(g->last) : hd_warps_youngest(g->warps, set);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct greedy *g = state;

	(void)ctx;
	hd__greedy_init(g);
	g->policy.first = first;
	g->policy.polls_fences = false;
	return 0;
}

const struct hd_module hd_module_scheduler_cggty = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_cggty",
	.doc = "scheduling policy: the warp that issued last, then the youngest",
	.ports = hd__greedy_ports,
	.state_size = sizeof(struct greedy),
	.init = init,
	.checkpoint = hd__greedy_saved,
};

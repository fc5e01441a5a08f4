/* greedy.c - the warp that issued last comes first
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "greedy.h"

static void bind(void *self, hd_warp_set mine)
{
	((struct greedy *)self)->last = hd_warp_lowest(mine);
}

static uint32_t first(void *self, hd_warp_set set)
{
	const struct greedy *g = self;

	return set & g->last ? hd_warp_first(g->last) : hd_warps_oldest(g->warps, set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	(void)nth;
	((struct greedy *)self)->last = hd_warp_bit(warp);
}

void hd__greedy_init(struct greedy *g)
{
	g->policy = (struct hd_sched_policy_if){ .self = g, .bind = bind, .first = first, .issued = issued,
		                             .greedy = &g->last, .polls_fences = true };
}

void hd__greedy_saved(void *state, struct hd_checkpoint *k)
{
	struct greedy *g = state;

	HD_SAVED(k, g->last);
	HD_SAVED(k, g->policy.needs_every_edge);
}

const struct hd_port hd__greedy_ports[] = {
	{ .name = "policy", .doc = "for one issue stage", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	  .type = &hd_type_sched_policy_if, .offset = offsetof(struct greedy, policy) },
	{ .name = "warps", .doc = "age of warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = offsetof(struct greedy, warps), .like = "policy" },
	{ .name = NULL },
};

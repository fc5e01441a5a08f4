/* min_pc.c - divergence policy: the lanes at the smallest pc run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV17): lanes in more calls are in front of those in fewer.  Behind is where
 * lanes meet, so lanes that are there wait for the others; no place to meet is stored.
 */
#include "divergence/groups.h"

static void add(struct groups *st, uint32_t warp, struct group_warp *w, const struct group *g)
{
	if (!g->lanes)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].at == g->at && w->v[i].held == g->held) {
			w->v[i].lanes |= g->lanes;
			hd_policy_reconverge(&st->policy, warp, w->node[g->at].pc, w->v[i].lanes);
			return;
		}
	w->v[w->n++] = *g;
}

/* All that wait at the barrier have been released. */
static void release(struct groups *st, uint32_t warp, struct group_warp *w)
{
	uint32_t n = w->n;

	w->n = 0;
	w->holds = false;
	for (uint32_t i = 0; i < n; i++) {
		struct group g = w->v[i];

		g.held = false;
		add(st, warp, w, &g);
	}
}

static bool before(const struct hd_path_node *node, uint32_t a, uint32_t b)
{
	if (node[a].depth != node[b].depth)
		return node[a].depth > node[b].depth;
	return node[a].pc != node[b].pc ? node[a].pc < node[b].pc : a < b;
}

static void choose(struct group_warp *w)
{
	uint32_t best = MOST_GROUPS;

	for (uint32_t i = 0; i < w->n; i++)
		if (!w->v[i].held && (best == MOST_GROUPS || before(w->node, w->v[i].at, w->v[best].at)))
			best = i;
	w->top = best;
}

static bool advance(struct groups *st, uint32_t warp, struct group_warp *w, const struct hd_path_step *step)
{
	struct group_parts parts = hd__groups_part(st, warp, w, step);

	w->v[w->top] = w->v[--w->n];
	add(st, warp, w, &parts.held);
	add(st, warp, w, &parts.fallen);
	add(st, warp, w, &parts.taken);
	w->holds |= parts.held.lanes != 0;
	if (w->holds && !step->waiting)
		release(st, warp, w);
	choose(w);
	return true;
}

static int init(void *state, struct hd_ctx *ctx)
{
	return hd__groups_init(state, ctx, advance);
}

const struct hd_module hd_module_min_pc = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "min_pc",
	.doc = "divergence policy: the lanes at the smallest pc run, and meet others there",
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct groups),
	.init = init,
	.start = hd_policy_start,
	.checkpoint = hd__groups_saved,
};

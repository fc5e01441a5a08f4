/* lanes_apart.c - divergence policy: groups of lanes that part never meet again
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV18): what it costs beside another policy is what meeting is worth.
 * The last group that is not held runs.
 */
#include "divergence/groups.h"

/* Puts the parts that have lanes in the place of the running group, the last one on top. */
static void replace(struct group_warp *w, const struct group *part, uint32_t parts)
{
	struct group *g = &w->v[w->top];
	const struct group *end = &w->v[w->n];
	uint32_t n = 0;

	for (uint32_t i = 0; i < parts; i++)
		n += part[i].lanes != 0;
	if (n != 1)
		memmove(g + n, g + 1, (size_t)(end - (g + 1)) * sizeof *g);
	w->n += n - 1;
	for (uint32_t i = 0; i < parts; i++)
		if (part[i].lanes)
			*g++ = part[i];
}

/* Above the part that branches are the lanes that fall through, and above them those that a barrier holds. */
static bool advance(struct groups *st, uint32_t warp, struct group_warp *w, const struct hd_path_step *step)
{
	struct group_parts parts = hd__groups_part(st, warp, w, step);

	replace(w, (const struct group[]){ parts.taken, parts.fallen, parts.held }, 3);
	for (uint32_t i = 0; !step->waiting && i < w->n; i++)
		w->v[i].held = false;
	w->top = w->n ? w->n - 1 : 0;
	while (w->top > 0 && w->v[w->top].held)
		w->top--;
	return true;
}

static int init(void *state, struct hd_ctx *ctx)
{
	return hd__groups_init(state, ctx, advance);
}

const struct hd_module hd_module_lanes_apart = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "lanes_apart",
	.doc = "divergence policy: groups of lanes that part never meet again",
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct groups),
	.init = init,
	.start = hd_policy_start,
	.checkpoint = hd__groups_saved,
};

/* lanes_apart.c - divergence policy: groups of lanes that part never meet again
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV18): what it costs beside another policy is what meeting is worth.
 */
#include <heddle/gpu/policy.h>

/* `held`: they wait at a CTA barrier. */
struct group {
	uint32_t at, lanes;
	bool held;
};

/* The last group that is not held runs. */
struct warp {
	const struct hd_path_node *node;
	struct group v[HD_LANES];
	uint32_t n;
};

struct state {
	struct hd_policy policy;
	struct warp warp[HD_MAX_WARPS];
};

static struct group *running(struct warp *w)
{
	uint32_t i = w->n - 1;

	while (i > 0 && w->v[i].held)
		i--;
	return &w->v[i];
}

/* Puts the parts that have lanes in the place of the group, the last one on top. */
static void replace(struct warp *w, struct group *g, const struct group *part, uint32_t parts)
{
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

static void release(struct warp *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		w->v[i].held = false;
}

static void show(struct state *st, uint32_t warp)
{
	const struct warp *w = &st->warp[warp % HD_TRACE_SM];

	for (uint32_t i = 0; hd_policy_shows(&st->policy) && i < w->n; i++)
		hd_policy_group(&st->policy, warp, i + 1, w->n, w->node, w->v[i].at, HD_PATH_NONE,
		                w->v[i].lanes);
}

static bool ready(struct state *st, uint32_t warp)
{
	struct warp *w = &st->warp[warp % HD_TRACE_SM];
	struct hd_path_warp begin;

	if (HD_LIKELY(w->n))
		return true;
	if (!st->policy.paths->begin(st->policy.paths->self, warp, &begin))
		return false;
	w->node = begin.node;
	w->v[w->n++] = (struct group){ .at = begin.at, .lanes = begin.lanes };
	hd_policy_depth(&st->policy, 1);
	show(st, warp);
	return true;
}

/* The group has executed the instruction where it is; its lanes go on.  Above the part that branches
 * are those that fall through, and above them those that a barrier holds. */
static void advance(struct state *st, uint32_t warp, struct group *g,
                    const struct hd_path_step *step)
{
	struct warp *w = &st->warp[warp % HD_TRACE_SM];
	const struct hd_path_node *at = &w->node[g->at];
	uint32_t fallen = g->lanes & ~step->ended, taken, held = fallen & step->waiting;
	uint32_t next = fallen ? at->next : HD_PATH_NONE, target = fallen ? at->target : HD_PATH_NONE;

	taken = step->taken & ~held;
	fallen &= ~(held | taken);
	if (taken && fallen)
		hd_policy_diverge(&st->policy, warp, w->node, g->at, taken, fallen);
	replace(w, g, (const struct group[]){ { .at = target, .lanes = taken },
	                                      { .at = next, .lanes = fallen },
	                                      { .at = next, .lanes = held, .held = true } }, 3);
	if (!step->waiting)
		release(w);
	hd_policy_depth(&st->policy, w->n);
	show(st, warp);
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	const struct hd_path_node *at;
	struct hd_path_step step;
	struct group *g;
	struct warp *w = &st->warp[warp % HD_TRACE_SM];

	if (!ready(st, warp))
		return false;
	g = running(w);
	at = &w->node[g->at];
	step = hd_policy_execute(&st->policy, warp, g->at, g->lanes, inst);
	if (HD_LIKELY(w->n == 1 && !step.ended && !step.waiting && at->target == HD_PATH_NONE))
		g->at = at->next;
	else
		advance(st, warp, g, &step);
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct state *st = self;
	struct warp *w = &st->warp[warp % HD_TRACE_SM];

	return ready(st, warp) ? w->node[running(w)->at].pc : 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	return hd_policy_init(state, ctx, next, pc);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++) {
		struct warp *w = &st->warp[i];

		HD_SAVED_FROM(k, w, v, n);
		w->node = hd_policy_node_saved(k, &st->policy, i, w->n > 0 ? w->node : NULL);
	}
}

const struct hd_module hd_module_lanes_apart = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "lanes_apart",
	.doc = "divergence policy: groups of lanes that part never meet again",
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = hd_policy_start,
	.checkpoint = checkpoint,
};

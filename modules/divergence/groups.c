/* groups.c - the groups of lanes of each warp, one of which runs
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "groups.h"

static void show(struct groups *g, uint32_t warp, const struct group_warp *w)
{
	for (uint32_t i = 0; hd_policy_shows(&g->policy) && i < w->n; i++)
		hd_policy_group(&g->policy, warp, i + 1, w->n, w->node, w->v[i].at, w->v[i].meet, w->v[i].lanes);
}

/* Has the warp a next instruction?  A new one begins. */
static bool ready(struct groups *g, uint32_t warp, struct group_warp *w)
{
	struct hd_path_warp begin;

	if (HD_UNLIKELY(g->failed))
		return false;
	if (HD_LIKELY(w->n))
		return true;
	if (!g->policy.paths->begin(g->policy.paths->self, warp, &begin))
		return false;
	w->node = begin.node;
	w->v[0] = (struct group){ .at = begin.at, .lanes = begin.lanes, .meet = HD_PATH_NONE };
	w->n = 1;
	w->top = 0;
	hd_policy_depth(&g->policy, 1);
	show(g, warp, w);
	return true;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct groups *g = self;
	struct group_warp *w = &g->warp[warp % HD_TRACE_SM];
	const struct hd_path_node *at;
	struct hd_path_step step;
	struct group *top;

	if (!ready(g, warp, w))
		return false;
	top = &w->v[w->top];
	at = &w->node[top->at];
	step = hd_policy_execute(&g->policy, warp, top->at, top->lanes, inst);
	if (HD_LIKELY(w->n == 1 && !step.ended && !step.waiting && at->target == HD_PATH_NONE)) {
		top->at = at->next;
	} else if (g->advance(g, warp, w, &step)) {
		hd_policy_depth(&g->policy, w->n);
		show(g, warp, w);
	}
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct groups *g = self;
	struct group_warp *w = &g->warp[warp % HD_TRACE_SM];

	return ready(g, warp, w) ? w->node[w->v[w->top].at].pc : 0;
}

int hd__groups_init(struct groups *g, struct hd_ctx *ctx,
                    bool (*advance)(struct groups *g, uint32_t warp, struct group_warp *w,
                                    const struct hd_path_step *step))
{
	g->advance = advance;
	return hd_policy_init(g, ctx, next, pc);
}

void hd__groups_saved(void *state, struct hd_checkpoint *k)
{
	struct groups *g = state;

	HD_SAVED(k, g->failed);
	for (uint32_t i = 0; i < HD_MAX_WARPS; i++) {
		struct group_warp *w = &g->warp[i];

		w->n = (uint32_t)hd_saved_number(k, w->n, MOST_GROUPS);
		hd_saved(k, w->v, w->n * sizeof *w->v);
		HD_SAVED_FROM(k, w, top, holds);
		w->node = hd_policy_node_saved(k, &g->policy, i, w->n > 0 ? w->node : NULL);
	}
}

struct group_parts hd__groups_part(struct groups *g, uint32_t warp, const struct group_warp *w,
                                   const struct hd_path_step *step)
{
	const struct group *top = &w->v[w->top];
	const struct hd_path_node *at = &w->node[top->at];
	uint32_t fallen = top->lanes & ~step->ended, held = fallen & step->waiting, taken = step->taken & ~held;

	fallen &= ~(held | taken);
	if (taken && fallen)
		hd_policy_diverge(&g->policy, warp, w->node, top->at, taken, fallen);
	return (struct group_parts){
		.taken = { .at = at->target, .lanes = taken, .meet = HD_PATH_NONE },
		.fallen = { .at = at->next, .lanes = fallen, .meet = HD_PATH_NONE },
		.held = { .at = at->next, .lanes = held, .meet = HD_PATH_NONE, .held = true },
	};
}

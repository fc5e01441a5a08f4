/* min_pc.c - divergence policy: the lanes at the smallest pc run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV17): lanes in more calls are in front of those in fewer.  Behind is where
 * lanes meet, so lanes that are there wait for the others; no place to meet is stored.
 */
#include <heddle/gpu/policy.h>

/* Lanes at one place.  `held`: they wait at a CTA barrier. */
struct group {
	uint32_t at, lanes;
	bool held;
};

struct warp {
	const struct hd_path_node *node;
	struct group v[HD_LANES];
	uint32_t n, top; /* .v[top] runs */
	bool holds;      /* some group is held */
};

struct state {
	struct hd_policy policy;
	struct warp warp[HD_MAX_WARPS];
};

static void add(struct state *st, uint32_t warp, struct warp *w, struct group g)
{
	if (!g.lanes)
		return;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].at == g.at && w->v[i].held == g.held) {
			w->v[i].lanes |= g.lanes;
			hd_policy_reconverge(&st->policy, warp, w->node[g.at].pc, w->v[i].lanes);
			return;
		}
	w->v[w->n++] = g;
}

/* All that wait at the barrier have been released. */
static void release(struct state *st, uint32_t warp, struct warp *w)
{
	uint32_t n = w->n;

	w->n = 0;
	w->holds = false;
	for (uint32_t i = 0; i < n; i++) {
		struct group g = w->v[i];

		g.held = false;
		add(st, warp, w, g);
	}
}

static bool before(const struct hd_path_node *node, uint32_t a, uint32_t b)
{
	if (node[a].depth != node[b].depth)
		return node[a].depth > node[b].depth;
	return node[a].pc != node[b].pc ? node[a].pc < node[b].pc : a < b;
}

static void choose(struct warp *w)
{
	uint32_t best = HD_LANES;

	for (uint32_t i = 0; i < w->n; i++)
		if (!w->v[i].held && (best == HD_LANES || before(w->node, w->v[i].at, w->v[best].at)))
			best = i;
	w->top = best;
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
	w->v[0] = (struct group){ .at = begin.at, .lanes = begin.lanes };
	w->n = 1;
	w->top = 0;
	hd_policy_depth(&st->policy, 1);
	show(st, warp);
	return true;
}

/* The running group has executed the instruction where it is; its lanes go on. */
static void advance(struct state *st, uint32_t warp, struct warp *w, const struct hd_path_step *step)
{
	struct group g = w->v[w->top];
	const struct hd_path_node *at = &w->node[g.at];
	uint32_t fallen = g.lanes & ~step->ended, taken, held = fallen & step->waiting;
	uint32_t next = fallen ? at->next : HD_PATH_NONE;

	taken = step->taken & ~held;
	fallen &= ~(held | taken);
	if (taken && fallen)
		hd_policy_diverge(&st->policy, warp, w->node, g.at, taken, fallen);
	w->v[w->top] = w->v[--w->n];
	add(st, warp, w, (struct group){ .at = next, .lanes = held, .held = true });
	add(st, warp, w, (struct group){ .at = next, .lanes = fallen });
	if (taken)
		add(st, warp, w, (struct group){ .at = at->target, .lanes = taken });
	w->holds |= held != 0;
	if (w->holds && !step->waiting)
		release(st, warp, w);
	choose(w);
	hd_policy_depth(&st->policy, w->n);
	show(st, warp);
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	struct warp *w = &st->warp[warp % HD_TRACE_SM];
	const struct hd_path_node *at;
	struct hd_path_step step;
	struct group *g;

	if (!ready(st, warp))
		return false;
	g = &w->v[w->top];
	at = &w->node[g->at];
	step = hd_policy_execute(&st->policy, warp, g->at, g->lanes, inst);
	if (HD_LIKELY(w->n == 1 && !step.ended && !step.waiting && at->target == HD_PATH_NONE))
		g->at = at->next;
	else
		advance(st, warp, w, &step);
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct state *st = self;
	const struct warp *w = &st->warp[warp % HD_TRACE_SM];

	return ready(st, warp) ? w->node[w->v[w->top].at].pc : 0;
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

		HD_SAVED_FROM(k, w, v, holds);
		w->node = hd_policy_node_saved(k, &st->policy, i, w->n > 0 ? w->node : NULL);
	}
}

const struct hd_module hd_module_min_pc = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "min_pc",
	.doc = "divergence policy: the lanes at the smallest pc run, and meet others there",
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = hd_policy_start,
	.checkpoint = checkpoint,
};

/* largest_group.c - divergence policy: the group with the most lanes runs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o largest_group.so largest_group.c
 *	heddle run --set divergence.module=largest_group ...
 *
 * Groups at one place become one, but no group waits for another: a large one may run past the place
 * where a small one would have met it.  Of groups of one size the one further back runs.
 */
#include <heddle/gpu/policy.h>

/* Lanes at one place.  held: they wait at a CTA barrier. */
struct group {
	uint32_t at, lanes;
	bool held;
};

struct warp {
	const struct hd_path_node *node;
	struct group v[HD_LANES];
	uint32_t n;
};

struct state {
	struct hd_policy policy; /* comes first */
	struct warp warp[HD_MAX_WARPS];
};

static void add(struct state *st, uint32_t warp, struct group g)
{
	struct warp *w = &st->warp[warp % HD_TRACE_SM];

	for (uint32_t i = 0; i < w->n; i++)
		if (w->v[i].at == g.at && w->v[i].held == g.held && g.lanes) {
			w->v[i].lanes |= g.lanes;
			hd_policy_reconverge(&st->policy, warp, w->node[g.at].pc, w->v[i].lanes);
			return;
		}
	if (g.lanes)
		w->v[w->n++] = g;
}

/* The group that runs; NULL at the end of the warp. */
static struct group *largest(struct state *st, uint32_t warp)
{
	struct warp *w = &st->warp[warp % HD_TRACE_SM];
	struct group *best = NULL;
	struct hd_path_warp begin;

	if (w->n == 0 && st->policy.paths->begin(st->policy.paths->self, warp, &begin)) {
		w->node = begin.node;
		add(st, warp, (struct group){ .at = begin.at, .lanes = begin.lanes });
	}
	for (uint32_t i = 0; i < w->n; i++) {
		struct group *g = &w->v[i];
		int more = best ? (int)hd_bits_count(g->lanes) - (int)hd_bits_count(best->lanes) : 1;

		if (!g->held && (more > 0 || (more == 0 && g->at < best->at)))
			best = g;
	}
	return best;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	struct warp *w = &st->warp[warp % HD_TRACE_SM];
	struct group *best = largest(st, warp), g;
	const struct hd_path_node *at;
	struct hd_path_step step;
	uint32_t stay;

	if (!best)
		return false;
	g = *best;
	*best = w->v[--w->n];
	at = &w->node[g.at];
	step = hd_policy_execute(&st->policy, warp, g.at, g.lanes, inst);
	stay = g.lanes & ~step.ended & ~step.taken;
	if (step.taken && stay)
		hd_policy_diverge(&st->policy, warp, w->node, g.at, step.taken, stay);
	for (uint32_t i = 0; !step.waiting && i < w->n; i++)
		w->v[i].held = false;
	add(st, warp, (struct group){ .at = at->target, .lanes = step.taken });
	add(st, warp, (struct group){ .at = at->next, .lanes = stay & step.waiting, .held = true });
	add(st, warp, (struct group){ .at = at->next, .lanes = stay & ~step.waiting });
	hd_policy_depth(&st->policy, w->n);
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct state *st = self;
	const struct group *g = largest(st, warp);

	return g ? st->warp[warp % HD_TRACE_SM].node[g->at].pc : 0;
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

const struct hd_module hd_module_largest_group = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "largest_group",
	.doc = "divergence policy: the group with the most lanes runs",
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = hd_policy_start,
	.checkpoint = checkpoint,
};

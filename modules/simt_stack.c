/* simt_stack.c - divergence policy: a stack of groups, which meet at immediate post-dominators
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV12 to DV16).  The group on top of the stack runs.  When it parts, its entry
 * waits where the parts meet, and they are pushed above it.
 */
#include <heddle/gpu/policy.h>

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_FALL_THROUGH, FIRST_TARGET, FIRST_MOST_LANES, FIRST_FEWEST_LANES };

/* A group: where it is, the node at which it ends by joining the entry below, and its lanes. */
struct entry {
	uint32_t at, meet, lanes;
};

struct stack {
	const struct hd_path_node *node;
	struct entry *v;
	uint32_t n, cap;
};

struct state {
	struct hd_policy policy;
	uint32_t depth, first;
	bool failed; /* the run ends after this edge */
	struct stack warp[HD_MAX_WARPS];
};

static void overflow(struct state *st, uint32_t warp, uint32_t pc)
{
	st->failed = true;
	hd_fail(st->policy.ctx, "warp %u needs more than the %u entries of its stack at pc %04x; "
	        "expected a 'depth' that is enough, or 0 for any", warp % HD_TRACE_SM, st->depth, pc);
}

static void push(struct state *st, uint32_t warp, struct entry e, uint32_t pc)
{
	struct stack *s = &st->warp[warp % HD_TRACE_SM];

	if (st->depth && s->n == st->depth)
		overflow(st, warp, pc);
	if (s->n == s->cap) {
		uint32_t cap = s->cap ? 2 * s->cap : 8;
		struct entry *v = realloc(s->v, cap * sizeof *v);

		if (!v) {
			hd_error(st->policy.ctx, "out of memory for the stack of warp %u",
			         warp % HD_TRACE_SM);
			return;
		}
		s->v = v;
		s->cap = cap;
	}
	s->v[s->n++] = e;
	hd_policy_depth(&st->policy, s->n);
}

/* Does the part that falls through run before the one that branches? */
static bool falls_first(const struct state *st, uint32_t taken, uint32_t fallen)
{
	unsigned t = hd_bits_count(taken), f = hd_bits_count(fallen);

	switch (st->first) {
	case FIRST_TARGET:
		return false;
	case FIRST_MOST_LANES:
		return f >= t;
	case FIRST_FEWEST_LANES:
		return f <= t;
	}
	return true;
}

/* The top becomes an entry where the parts meet, unless the one below is that already. */
static void part(struct state *st, uint32_t warp, uint32_t taken, uint32_t fallen)
{
	struct stack *s = &st->warp[warp % HD_TRACE_SM];
	struct entry *top = &s->v[s->n - 1];
	const struct hd_path_node *at = &s->node[top->at];
	struct entry v[2] = { { at->target, at->meet, taken }, { at->next, at->meet, fallen } };
	bool falls = falls_first(st, taken, fallen);

	hd_policy_diverge(&st->policy, warp, s->node, top->at, taken, fallen);
	if (at->meet == top->meet)
		s->n--;
	else
		top->at = at->meet;
	for (int i = 0; i < 2; i++) {
		const struct entry *e = &v[falls ? i : 1 - i];

		if (e->at != e->meet)
			push(st, warp, *e, at->pc);
	}
}

/* Lanes that have ended leave all entries. */
static void end(struct stack *s, uint32_t ended)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->v[i].lanes &= ~ended;
	while (s->n && !s->v[s->n - 1].lanes)
		s->n--;
}

/* A group that has reached its meeting place ends.  Its lanes are also in the entry that waits there:
 * below, or below the other part. */
static void meet(struct state *st, uint32_t warp, struct stack *s)
{
	const struct entry *top = &s->v[s->n - 1];

	for (; s->n && top->at == top->meet && top->at != HD_PATH_NONE; top--) {
		s->n--;
		if (s->n && top[-1].at == top->at)
			hd_policy_reconverge(&st->policy, warp, s->node[top->at].pc, top[-1].lanes);
	}
}

/* The stack as text, top first. */
static void blocked(struct state *st, uint32_t warp, const struct stack *s, uint32_t pc)
{
	char text[512];
	size_t n = 0;

	for (uint32_t i = s->n; i-- > 0 && n < sizeof text - 64;) {
		const struct entry *e = &s->v[i];
		char until[16] = "the end";

		if (e->meet != HD_PATH_NONE)
			snprintf(until, sizeof until, "%04x", s->node[e->meet].pc);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%08x at %04x until %s",
		                      n ? "; " : "", e->lanes, s->node[e->at].pc, until);
	}
	st->failed = true;
	hd_fail(st->policy.ctx, "warp %u waits at a barrier at pc %04x in divergent code, for lanes below "
	        "it on its stack: deadlock.  Its stack, top first: %s", warp % HD_TRACE_SM, pc, text);
}

static void show(struct state *st, uint32_t warp)
{
	const struct stack *s = &st->warp[warp % HD_TRACE_SM];

	for (uint32_t i = 0; hd_policy_shows(&st->policy) && i < s->n; i++)
		hd_policy_group(&st->policy, warp, i + 1, s->n, s->node, s->v[i].at, s->v[i].meet,
		                s->v[i].lanes);
}

static bool ready(struct state *st, uint32_t warp)
{
	struct stack *s = &st->warp[warp % HD_TRACE_SM];
	struct hd_path_warp w;

	if (HD_UNLIKELY(st->failed))
		return false;
	if (HD_LIKELY(s->n))
		return true;
	if (!st->policy.paths->begin(st->policy.paths->self, warp, &w))
		return false;
	s->node = w.node;
	push(st, warp, (struct entry){ w.at, HD_PATH_NONE, w.lanes }, s->node[w.at].pc);
	show(st, warp);
	return s->n;
}

static bool next(void *self, uint32_t warp, struct hd_inst *inst)
{
	struct state *st = self;
	struct stack *s = &st->warp[warp % HD_TRACE_SM];
	const struct hd_path_node *at;
	struct hd_path_step step;
	uint32_t taken, fallen, n;
	struct entry *top;

	if (!ready(st, warp))
		return false;
	n = s->n;
	top = &s->v[n - 1];
	at = &s->node[top->at];
	step = hd_policy_execute(&st->policy, warp, top->at, top->lanes, inst);
	if (HD_UNLIKELY(step.waiting))
		blocked(st, warp, s, at->pc);
	fallen = top->lanes & ~step.ended;
	taken = step.taken;
	fallen &= ~taken;
	if (taken && fallen)
		part(st, warp, taken, fallen);
	else if (taken || fallen)
		top->at = taken ? at->target : at->next;
	if (step.ended)
		end(s, step.ended);
	meet(st, warp, s);
	if (HD_UNLIKELY(n != s->n || step.ended || (taken && fallen)))
		show(st, warp);
	return true;
}

static uint32_t pc(void *self, uint32_t warp)
{
	struct state *st = self;
	const struct stack *s = &st->warp[warp % HD_TRACE_SM];

	return ready(st, warp) ? s->node[s->v[s->n - 1].at].pc : 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	return hd_policy_init(state, ctx, next, pc);
}

static void fini(void *state)
{
	struct state *st = state;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
		free(st->warp[i].v);
}

static void stack_saved(struct hd_checkpoint *k, struct state *st, uint32_t warp)
{
	struct stack *s = &st->warp[warp];
	uint32_t n = (uint32_t)hd_saved_number(k, s->n, UINT16_MAX + 1u);
	struct entry *v = n > s->cap ? realloc(s->v, n * sizeof *v) : s->v;

	if (n > 0 && !v) {
		hd_refuse(k, "out of memory for the stack of warp %u", warp);
		return;
	}
	s->v = v;
	s->cap = n > s->cap ? n : s->cap;
	s->n = n;
	hd_saved(k, v, n * sizeof *v);
	s->node = hd_policy_node_saved(k, &st->policy, warp, n > 0 ? s->node : NULL);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->failed);
	for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
		stack_saved(k, st, i);
}

static const char *const orders[] = { "fall_through", "target", "most_lanes", "fewest_lanes", NULL };

static const struct hd_param params[] = {
	{ .name = "depth", .unit = "entries", .doc = "entries of the stack of a warp; 0: any number",
	  .type = HD_U32, .offset = offsetof(struct state, depth), .def = "0", .min = 0, .max = 65535 },
	{ .name = "first", .unit = "", .doc = "which part of a group runs first; of two with as many "
	  "lanes the one that falls through", .type = HD_CHOICE, .choices = orders,
	  .offset = offsetof(struct state, first), .def = "\"fall_through\"" },
	{ .name = NULL },
};

const struct hd_module hd_module_simt_stack = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "simt_stack",
	.doc = "divergence policy: a stack of groups of lanes, which meet at immediate post-dominators",
	.params = params,
	.ports = hd_policy_ports,
	.stats = hd_policy_stats,
	.events = hd_policy_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = hd_policy_start,
	.fini = fini,
	.checkpoint = checkpoint,
};

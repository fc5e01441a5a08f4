/* simt_stack.c - divergence policy: a stack of groups, which meet at immediate post-dominators
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence (DV12 to DV16).  The group on top of the stack runs.  When it parts, its entry
 * waits where the parts meet, and they are pushed above it.
 */
#include "divergence/groups.h"

#include <stdio.h>

enum { FIRST_FALL_THROUGH, FIRST_TARGET, FIRST_MOST_LANES, FIRST_FEWEST_LANES };

struct state {
	struct groups groups;
	uint32_t depth, first;
};

static void overflow(struct state *st, uint32_t warp, uint32_t pc)
{
	st->groups.failed = true;
	hd_fail(st->groups.policy.ctx, "warp %u needs more than the %u entries of its stack at pc %04x; "
	        "expected a 'depth' that is enough, or 0 for any", warp % HD_TRACE_SM, st->depth, pc);
}

static void push(struct state *st, uint32_t warp, struct group_warp *s, const struct group *e, uint32_t pc)
{
	if (st->depth && s->n == st->depth)
		overflow(st, warp, pc);
	s->v[s->n++] = *e;
	hd_policy_depth(&st->groups.policy, s->n);
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
static void part(struct state *st, uint32_t warp, struct group_warp *s, struct group_parts *parts)
{
	struct group *top = &s->v[s->n - 1];
	const struct hd_path_node *at = &s->node[top->at];
	bool falls = falls_first(st, parts->taken.lanes, parts->fallen.lanes);
	const struct group *first = falls ? &parts->taken : &parts->fallen;
	const struct group *then = falls ? &parts->fallen : &parts->taken;

	parts->taken.meet = parts->fallen.meet = at->meet;
	if (at->meet == top->meet)
		s->n--;
	else
		top->at = at->meet;
	if (first->at != at->meet)
		push(st, warp, s, first, at->pc);
	if (then->at != at->meet)
		push(st, warp, s, then, at->pc);
}

/* Lanes that have ended leave all entries. */
static void end(struct group_warp *s, uint32_t ended)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->v[i].lanes &= ~ended;
	while (s->n && !s->v[s->n - 1].lanes)
		s->n--;
}

/* A group that has reached its meeting place ends.  Its lanes are also in the entry that waits there:
 * below, or below the other part. */
static void meet(struct state *st, uint32_t warp, struct group_warp *s)
{
	while (s->n) {
		const struct group *top = &s->v[s->n - 1];

		if (top->at != top->meet || top->at == HD_PATH_NONE)
			break;
		s->n--;
		if (s->n && top[-1].at == top->at)
			hd_policy_reconverge(&st->groups.policy, warp, s->node[top->at].pc, top[-1].lanes);
	}
}

/* The stack as text, top first. */
static void blocked(struct state *st, uint32_t warp, const struct group_warp *s, uint32_t pc)
{
	char text[512];
	size_t n = 0;

	for (uint32_t i = s->n; i-- > 0 && n < sizeof text - 64;) {
		const struct group *e = &s->v[i];
		char until[16] = "the end";

		if (e->meet != HD_PATH_NONE)
			snprintf(until, sizeof until, "%04x", s->node[e->meet].pc);
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%08x at %04x until %s",
		                      n ? "; " : "", e->lanes, s->node[e->at].pc, until);
	}
	st->groups.failed = true;
	hd_fail(st->groups.policy.ctx, "warp %u waits at a barrier at pc %04x in divergent code, for lanes below "
	        "it on its stack: deadlock.  Its stack, top first: %s", warp % HD_TRACE_SM, pc, text);
}

static bool advance(struct groups *g, uint32_t warp, struct group_warp *s, const struct hd_path_step *step)
{
	struct state *st = (struct state *)g;
	struct group_parts parts;
	struct group *top = &s->v[s->n - 1];
	uint32_t n = s->n;
	bool parted;

	if (HD_UNLIKELY(step->waiting))
		blocked(st, warp, s, s->node[top->at].pc);
	parts = hd__groups_part(g, warp, s, step);
	parts.fallen.lanes |= parts.held.lanes;
	parted = parts.taken.lanes && parts.fallen.lanes;
	if (parted)
		part(st, warp, s, &parts);
	else if (parts.taken.lanes || parts.fallen.lanes)
		top->at = parts.taken.lanes ? parts.taken.at : parts.fallen.at;
	if (step->ended)
		end(s, step->ended);
	meet(st, warp, s);
	s->top = s->n ? s->n - 1 : 0;
	return n != s->n || step->ended || parted;
}

static int init(void *state, struct hd_ctx *ctx)
{
	return hd__groups_init(state, ctx, advance);
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
	.checkpoint = hd__groups_saved,
};

/* give_policy.c - toy: a scheduling policy that follows a script
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   order wN...      these come first, in this order; then the others by number
 *   allow wN...      begin() selects these; without a warp: all
 *   mine             logs which warps are this scheduler's
 *   live             and which of them were free at the last begin()
 * Calls are logged: "changed", "issued".  Its statistic `edges` counts the cycles begun or skipped.
 */
#include "actor.h"

#include <heddle/gpu/sched_policy.h>

struct state {
	struct actor actor;
	struct hd_sched_policy_if policy;
	bool begins, polls_fences, needs_every_edge, loud;
	uint8_t order[HD_MAX_WARPS];
	uint32_t n;
	uint64_t allowed, mine, live, edges;
};

static void order(void *state, struct args *a)
{
	struct state *st = state;

	for (st->n = 0; arg_more(a, 'w') && st->n < HD_MAX_WARPS; st->n++)
		st->order[st->n] = (uint8_t)arg_warp(a);
}

static void allow(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->allowed = set ? set : UINT64_MAX;
}

static void mine(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "mine = %s", warps_text(st->mine, text));
}

static void live(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "live = %s", warps_text(st->live, text));
}

static const struct verb verbs[] = {
	{ "order", order }, { "allow", allow }, { "mine", mine }, { "live", live }, { .name = NULL },
};

static void bind(void *self, uint64_t set)
{
	((struct state *)self)->mine = set;
}

static void changed(void *self, uint64_t set)
{
	struct state *st = self;
	char text[SET_TEXT];

	toy_log(st->actor.ctx, "changed %s", warps_text(set, text));
}

static uint64_t begin(void *self, uint64_t set)
{
	struct state *st = self;

	st->live = set;
	st->edges++;
	return st->allowed;
}

static uint32_t first(void *self, uint64_t set)
{
	const struct state *st = self;

	for (uint32_t i = 0; i < st->n; i++)
		if (set >> st->order[i] & 1)
			return st->order[i];
	return (uint32_t)__builtin_ctzll(set);
}

static void issued(void *self, uint32_t warp, uint32_t nth)
{
	const struct state *st = self;

	if (st->loud)
		toy_log(st->actor.ctx, "issued w%u n=%u", warp, nth);
}

static void skipped(void *self, uint64_t n)
{
	((struct state *)self)->edges += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->allowed = UINT64_MAX;
	st->policy = (struct hd_sched_policy_if){ .self = st, .bind = bind,
		.changed = st->begins ? changed : NULL, .begin = st->begins ? begin : NULL,
		.first = first, .issued = issued, .polls_fences = st->polls_fences,
		.needs_every_edge = st->needs_every_edge, .skipped = st->begins ? skipped : NULL };
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "begins", .unit = "", .doc = "has begin() and changed()", .type = HD_BOOL,
	  .offset = P(begins), .def = "false" },
	{ .name = "polls_fences", .unit = "", .doc = "as in its interface", .type = HD_BOOL,
	  .offset = P(polls_fences), .def = "false" },
	{ .name = "needs_every_edge", .unit = "", .doc = "as in its interface", .type = HD_BOOL,
	  .offset = P(needs_every_edge), .def = "false" },
	{ .name = "loud", .unit = "", .doc = "logs what was issued", .type = HD_BOOL,
	  .offset = P(loud), .def = "true" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("policy", hd_type_sched_policy_if, policy),
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "edges", .unit = "cycles", .doc = "begun or slept through", .offset = P(edges) },
	{ .name = NULL },
};

TOY(give_policy, "a scheduling policy that follows a script", verbs, ports,
    .params = params, .stats = stats, .init = init, .eval = actor_eval);

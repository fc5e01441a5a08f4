/* issue.c - issue stage of one scheduler: checks its warps in the policy's order and issues
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Issue and Issue slots.  Which unit takes which class of
 * instruction is set at the links of port `out`; the policy decides the order of warps.
 */
#include "issue/stage.h"

/* May the warp issue a second instruction, for all that its unit has to say? */
static bool may_follow(struct state *st, uint32_t warp)
{
	if (HD_UNLIKELY(hd_warp_in(st->ibuffer->wrong, warp)) && off_path(st, warp)) {
		flush(st, warp);
		return false;
	}
	return hd_warp_in(st->scoreboard_ready, warp);
}

/* Up to `width` instructions of one warp.  Returns how many. */
static uint32_t issue_warp(struct state *st, uint32_t warp)
{
	uint32_t n = 0, unit = 0;

	while (n < st->width && (n == 0 || may_follow(st, warp)) && issue_one(st, warp, n, &unit)) {
		n++;
		/* the walk polls again even when no more may issue, which can end a fence at
		 * once */
		if (hd_warp_held(st->warps, st->fence, warp) || !hd_warp_in(st->ibuffer->filled, warp))
			break;
	}
	return n;
}

/* The walk warp by warp, while fences are pending or instructions of wrong paths are buffered: which
 * ends and hazards are found depends on how far it comes. */
static __attribute__((noinline, cold)) enum outcome walk_slowly(struct state *st, hd_warp_set set,
                                                                uint32_t *n)
{
	enum outcome o = IDLE;
	bool hazard = false;

	while (set) {
		uint32_t warp = hd_policy_first(st->policy, set);
		hd_warp_set bit = hd_warp_bit(warp);

		set &= ~bit;
		if (hd_warp_held(st->warps, st->fence, warp) || !(st->ibuffer->filled & bit))
			continue;
		if (off_path(st, warp)) {
			flush(st, warp);
			hazard = true;
			continue;
		}
		if (o == IDLE)
			o = SCOREBOARD;
		if (!(st->scoreboard_ready & bit))
			continue;
		o = STALL;
		*n = issue_warp(st, warp);
		if (*n)
			return ISSUED;
	}
	st->control_hazard += hazard && o == IDLE;
	return o;
}

/* The first warp of the set, whose scoreboards let them pass, that finds room issues. */
static __attribute__((noinline)) enum outcome walk_ready(struct state *st, hd_warp_set set, uint32_t *n)
{
	while (set) {
		uint32_t warp = hd_policy_first(st->policy, set);
		uint8_t route = st->route_of_warp[warp];

		if (route == HD_NO_ROUTE || hd_slots_free(&st->out.v[route])) {
			*n = issue_warp(st, warp);
			return *n ? ISSUED : STALL; /* no issue: a class without a unit, reported */
		}
		set &= ~st->warps_by_route[route]; /* those find none either */
	}
	return STALL;
}

static enum outcome walk(struct state *st, hd_warp_set set, uint32_t *n)
{
	if (!set)
		return IDLE;
	set &= st->scoreboard_ready;
	return set ? walk_ready(st, set, n) : SCOREBOARD;
}

/* walk_ready() for a width of 1, of a stage that is not observed. */
static inline enum outcome walk_one(struct state *st, hd_warp_set set)
{
	while (set) {
		uint32_t warp = hd_policy_first(st->policy, set);
		uint8_t route = st->route_of_warp[warp];
		const struct hd_end *end = &st->out.v[route];
		uint64_t room;

		if (HD_UNLIKELY(route == HD_NO_ROUTE)) {
			lacks_unit(st, warp);
			return STALL;
		}
		room = hd_slots_free(end);
		if (HD_LIKELY(room)) {
			issue_to(st, warp, 0, end, room, true);
			if (HD_UNLIKELY(hd_warp_in(st->warps->blocked_by[HD_BLOCK_FENCE], warp)))
				hd_warp_held(st->warps, st->fence, warp); /* as in issue_warp() */
			return ISSUED;
		}
		set &= ~st->warps_by_route[route];
	}
	return STALL;
}

/* Does the next instruction of any warp of the set find room? */
static inline bool any_room(const struct state *st, hd_warp_set set)
{
	while (set) {
		uint8_t route = st->route_of_warp[hd_warp_first(set)];

		if (route == HD_NO_ROUTE || hd_slots_free(&st->out.v[route]))
			return true;
		set &= ~st->warps_by_route[route];
	}
	return false;
}

/* Those that have an instruction and are not held. */
static inline hd_warp_set free_to_issue(const struct state *st)
{
	return st->mine & st->ibuffer->filled & ~(st->warps->exited | st->warps->blocked);
}

/* Of the warps of the set, which are free to, none issues: why? */
static inline enum outcome why_none(const struct state *st, hd_warp_set set)
{
	return set & st->scoreboard_ready ? STALL : set ? SCOREBOARD : IDLE;
}

/* Nothing is observed of the stage but what it issues, its policy does nothing of itself, no fence is pending and no
 * wrong path is buffered. */
static inline uint64_t eval_quiet(struct state *st)
{
	hd_warp_set set = hd_warps_take_changed(st->warps, st->mine) & ~st->scoreboard_ready, ready;
	enum outcome o;
	uint32_t n = 1;

	while (set)
		refresh(st, hd_warp_pop(&set));
	set = free_to_issue(st);
	ready = set & st->scoreboard_ready;
	o = HD_LIKELY(st->width == 1) ? walk_one(st, ready) : walk_ready(st, ready, &n);
	if (o != ISSUED) {
		st->last = why_none(st, set);
		count(st, st->last, 1);
		return HD_SLEEP;
	}
	if (HD_LIKELY(n == 1))
		st->single++;
	else
		st->dual++;
	/* unless something changes, what comes next is known */
	set = free_to_issue(st);
	if (any_room(st, set & st->scoreboard_ready) || (st->mine & st->warps->blocked_by[HD_BLOCK_FENCE])) {
		st->last = ISSUED;
		return HD_NEXT;
	}
	st->last = why_none(st, set);
	return HD_SLEEP;
}

static __attribute__((noinline)) uint64_t eval_any(struct state *st)
{
	struct edge e;
	hd_warp_set set = begin_edge(st, &e);
	uint64_t then = HD_SLEEP;
	uint32_t n = 0;

	if (HD_UNLIKELY(e.fences | (st->ibuffer->wrong & set)))
		st->last = walk_slowly(st, set | (e.fences & e.allowed), &n);
	else
		st->last = walk(st, set, &n);
	if (HD_UNLIKELY(st->ctx->observed))
		then = account(st, &e, n);
	if (st->last != ISSUED) {
		count(st, st->last, 1);
		return st->policy->needs_every_edge ? HD_NEXT : then;
	}
	if (n == 1)
		st->single++;
	else
		st->dual++;
	return HD_NEXT;
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	if (HD_LIKELY(st->quiet) && HD_LIKELY(!(st->mine & (st->warps->blocked_by[HD_BLOCK_FENCE] | st->ibuffer->wrong))))
		return eval_quiet(st);
	return eval_any(st);
}

static void skipped(void *state, uint64_t n)
{
	count_skipped(state, n);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	stage_saved(st, k);
}

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions of one warp issued per cycle",
	  .type = HD_U32, .offset = P(width), .def = "1", .min = 1, .max = 2 },
	{ .name = "different_units", .unit = "", .doc = "instructions issued together must go to "
	  "different kinds of unit", .type = HD_BOOL, .offset = P(different_units), .def = "true" },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

const struct hd_module hd_module_issue = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue",
	.doc = "issue stage of one scheduler: checks its warps in the policy's order and issues",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.fini = fini,
	.marks = hd__issue_marks,
	.reasons = hd__issue_reasons,
	.end_observation = end_observation,
	.checkpoint = checkpoint,
};

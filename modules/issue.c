/* issue.c - issue stage of one scheduler: checks its warps in the policy's order and issues
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Issue and Issue slots.  Which unit takes which class of
 * instruction is set at the links of port `out`; the policy decides the order of warps.
 */
#include "issue/declared.h"

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

/* A warp of a stage that is plain has issued into a slot of `end`, and perhaps issues more.  Returns how many in all. */
static __attribute__((noinline)) uint32_t issue_more(struct state *st, uint32_t warp, const struct hd_end *end)
{
	uint32_t n = 1;

	while (n < st->width && (st->ibuffer->filled & st->scoreboard_ready & hd_warp_bit(warp))) {
		uint8_t route = st->route_of_warp[warp];
		uint32_t unit = route_attr(end)->unit;
		uint64_t room;

		if (HD_UNLIKELY(route == HD_NO_ROUTE)) {
			lacks_unit(st, warp);
			break;
		}
		end = &st->out.v[route];
		room = hd_slots_free(end);
		if (!room || !may_pair(st, unit, end))
			break;
		n++;
		if (HD_UNLIKELY(issue_to(st, warp, n - 1, end, room, true, !st->quiet)) && hd_warp_held(st->warps, st->fence, warp))
			break;
	}
	return n;
}

/* walk_ready() of a stage that is plain. */
static inline __attribute__((always_inline)) enum outcome walk_plain(struct state *st, hd_warp_set set, uint32_t *n,
                                                                     bool quiet)
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
			bool held = HD_UNLIKELY(issue_to(st, warp, 0, end, room, true, !quiet))
			            && hd_warp_held(st->warps, st->fence, warp); /* as in issue_warp() */

			*n = st->width > 1 && !held ? issue_more(st, warp, end) : 1;
			return ISSUED;
		}
		set &= ~st->warps_by_route[route];
	}
	return STALL;
}

/* Accounts for the cycle of a stage that is plain, for dumps.  set, ready: see hd__account_usual(). */
static inline __attribute__((always_inline)) uint64_t
account_plain(struct state *st, uint32_t n, hd_warp_set changed, hd_warp_set set,
              hd_warp_set ready)
{
	if (HD_UNLIKELY(st->view.rare))
		return account(st, &(struct edge){ changed, HD_ALL_WARPS, 0 }, n);
	hd__account_usual(&st->account, &st->view, group_of(st, n), changed, set, ready);
	if (n)
		st->view.issued = 0;
	return st->account.wakes ? HD_SLEEP : HD_NEXT;
}

/* The policy of the stage does nothing of itself, no fence is pending and no wrong path is buffered.  It is evaluated
 * after each issue, since finding that no other warp may issue takes longer.  Quiet: it is not observed. */
static inline __attribute__((always_inline)) uint64_t eval_plain(struct state *st, bool quiet)
{
	hd_warp_set changed = hd_warps_take_changed(st->warps, st->mine), set, ready;
	uint32_t n = 1;

	refresh_all(st, changed, true);
	set = st->mine & st->ibuffer->filled & ~st->warps->exited;
	if (!quiet && HD_UNLIKELY(!hd__account_is_usual(&st->account, set & st->warps->blocked, changed)))
		st->view.rare = true;
	set &= ~st->warps->blocked;
	ready = set & st->scoreboard_ready;
	st->last = walk_plain(st, ready, &n, quiet);
	if (st->last == ISSUED) {
		if (HD_LIKELY(n == 1))
			st->single++;
		else
			st->dual++;
		if (!quiet && HD_LIKELY(st->ctx->observed))
			account_plain(st, n, changed, set, ready);
		return HD_NEXT;
	}
	st->last = ready ? STALL : set ? SCOREBOARD : IDLE;
	count(st, st->last, 1);
	return !quiet && HD_LIKELY(st->ctx->observed) ? account_plain(st, 0, changed, set, ready) : HD_SLEEP;
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

/* No fence is pending, and no wrong path is buffered. */
static inline bool is_usual(const struct state *st)
{
	return HD_LIKELY(!(st->mine & (st->warps->blocked_by[HD_BLOCK_FENCE] | st->ibuffer->wrong)));
}

/* Of a stage that may be observed, or is not plain. */
static __attribute__((noinline)) uint64_t eval_loud(struct state *st)
{
	return st->plain && !st->scoreboard->entries && is_usual(st) ? eval_plain(st, false) : eval_any(st);
}

/* Of one that never is. */
static __attribute__((noinline)) uint64_t eval_quiet(struct state *st)
{
	return is_usual(st) ? eval_plain(st, true) : eval_any(st);
}

static uint64_t eval(void *state)
{
	struct state *st = state;

	return HD_LIKELY(st->quiet) ? eval_quiet(st) : eval_loud(st);
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
	.marks = hd__issue_marks,
	.reasons = hd__issue_reasons,
	.end_observation = end_observation,
	.checkpoint = checkpoint,
};

/* issue.c - issue stage of one scheduler: checks its warps in the policy's order and issues
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Issue and Issue slots.  Which unit takes which class of
 * instruction is set at the links of port `out`; the policy decides the order of warps.
 */
#include "issue/scoreboarded.h"

/* May one instruction go to that kind of unit, and the next one to `end`? */
static inline bool may_pair(const struct state *st, uint32_t unit, const struct hd_end *end)
{
	return !st->different_units
	       || (unit != route_attr(end)->unit && !(route_attr(end)->same_unit_as >> unit & 1));
}

/* Is the next instruction of a warp that has issued one on its path, and not held up by a register? */
static inline bool may_follow(struct state *st, uint32_t warp)
{
	if (HD_UNLIKELY(hd_warp_in(st->s.ibuffer->wrong, warp)) && hd__issue_off_path(st, warp)) {
		hd__issue_flush(st, warp);
		return false;
	}
	return hd_warp_in(st->s.ibuffer->filled & st->scoreboard_ready, warp);
}

/* A warp has issued into a slot of `end`, and perhaps issues more.  Returns how many in all. */
static __attribute__((noinline)) uint32_t issue_more(struct state *st, uint32_t warp, const struct hd_end *end)
{
	uint32_t n = 1;

	while (n < st->width && may_follow(st, warp)) {
		uint8_t route = st->route_of_warp[warp];
		uint32_t unit = route_attr(end)->unit;
		uint64_t room;

		if (HD_UNLIKELY(route == HD_NO_ROUTE)) {
			hd__stage_lacks_unit(&st->s, warp);
			break;
		}
		end = &st->s.out.v[route];
		room = hd_slots_free(end);
		if (!room || !may_pair(st, unit, end))
			break;
		n++;
		if (HD_UNLIKELY(issue_to(st, warp, n - 1, end, room, st->quick, !st->quiet))
		    && hd_warp_held(st->s.warps, st->s.fence, warp))
			break;
	}
	return n;
}

/* Up to `width` instructions of the warp, the first into a slot of `end`, of which some are free.  A fence is polled
 * once more even when no more may issue, which can end it at once. */
static inline __attribute__((always_inline)) uint32_t
issue_warp(struct state *st, uint32_t warp, const struct hd_end *end, uint64_t room, bool plain, bool quiet)
{
	bool held = HD_UNLIKELY(issue_to(st, warp, 0, end, room, plain, !quiet))
	            && hd_warp_held(st->s.warps, st->s.fence, warp);

	return st->width > 1 && !held ? issue_more(st, warp, end) : 1;
}

/* The warp in a walk in which fences are pending or instructions of wrong paths are buffered: which ends and hazards
 * are found depends on how far it comes. */
static __attribute__((noinline, cold)) uint32_t issue_slowly(struct state *st, uint32_t warp, uint64_t *taken)
{
	uint8_t route = st->route_of_warp[warp];
	uint64_t room;

	(void)taken;
	if (route == HD_NO_ROUTE) {
		hd__stage_lacks_unit(&st->s, warp);
		return 0;
	}
	room = hd_slots_free(&st->s.out.v[route]);
	return room ? issue_warp(st, warp, &st->s.out.v[route], room, false, false) : 0;
}

/* The first warp of the set, whose scoreboards let them pass, that finds room issues.  plain, quiet: as in the
 * state. */
static inline __attribute__((always_inline)) enum outcome walk_ready(struct state *st, hd_warp_set set, uint32_t *n,
                                                                     bool plain, bool quiet)
{
	while (set) {
		uint32_t warp = hd_policy_first(st->s.ctx, st->s.policy, set);
		uint8_t route = st->route_of_warp[warp];
		const struct hd_end *end = &st->s.out.v[route];
		uint64_t room;

		if (HD_UNLIKELY(route == HD_NO_ROUTE)) {
			hd__stage_lacks_unit(&st->s, warp);
			return STALL;
		}
		room = hd_slots_free(end);
		if (HD_LIKELY(room)) {
			*n = issue_warp(st, warp, end, room, plain, quiet);
			return ISSUED;
		}
		set &= ~st->warps_by_route[route]; /* those find none either */
	}
	return STALL;
}

static __attribute__((noinline)) enum outcome walk(struct state *st, hd_warp_set set, uint32_t *n)
{
	hd_warp_set ready = set & st->scoreboard_ready;

	return ready ? walk_ready(st, ready, n, false, false) : set ? SCOREBOARD : IDLE;
}

/* Accounts for the cycle of a stage that is plain, for dumps.  set, ready: see hd__account_usual(). */
static inline __attribute__((always_inline)) uint64_t
account_plain(struct state *st, uint32_t n, hd_warp_set changed, hd_warp_set set,
              hd_warp_set ready)
{
	if (HD_UNLIKELY(st->account.rare))
		return hd__issue_account(st, &(struct edge){ changed, HD_ALL_WARPS, 0 }, n);
	hd__account_usual(&st->account, &st->s, group_of(st, n), changed, set, ready);
	if (n)
		st->account.issued = 0;
	return st->account.wakes ? HD_SLEEP : HD_NEXT;
}

/* The policy of the stage does nothing of itself, no fence is pending and no wrong path is buffered.  It is evaluated
 * after each issue, since finding that no other warp may issue takes longer.  Quiet: it is not observed. */
static inline __attribute__((always_inline)) uint64_t eval_plain(struct state *st, bool quiet)
{
	hd_warp_set changed = hd_warps_take_changed(st->s.warps, st->s.mine), set, ready;
	uint32_t n = 1;

	refresh_all(st, changed, true);
	set = st->s.mine & st->s.ibuffer->filled & ~st->s.warps->exited;
	if (!quiet && HD_UNLIKELY(!hd__account_is_usual(&st->account, set & st->s.warps->blocked, changed)))
		st->account.rare = true;
	set &= ~st->s.warps->blocked;
	ready = set & st->scoreboard_ready;
	st->last = walk_ready(st, ready, &n, true, quiet);
	if (st->last == ISSUED) {
		if (HD_LIKELY(n == 1))
			st->single++;
		else
			st->dual++;
		if (!quiet && HD_LIKELY(st->s.ctx->observed))
			account_plain(st, n, changed, set, ready);
		return HD_NEXT;
	}
	st->last = ready ? STALL : set ? SCOREBOARD : IDLE;
	if (!quiet && stage_counts_by_kernel(&st->s))
		hd__stage_lost(&st->s, ready ? ready : set);
	count(st, st->last, 1);
	return !quiet && HD_LIKELY(st->s.ctx->observed) ? account_plain(st, 0, changed, set, ready) : HD_SLEEP;
}

static __attribute__((noinline)) uint64_t eval_any(struct state *st)
{
	struct edge e;
	hd_warp_set set = begin_edge(st, &e);
	uint32_t n = 0;

	if (HD_UNLIKELY(e.fences | (st->s.ibuffer->wrong & set)))
		st->last = walk_each(st, set | (e.fences & e.allowed), 1, &n, issue_slowly);
	else
		st->last = walk(st, set, &n);
	return end_edge(st, &e, n);
}

/* No fence is pending, and no wrong path is buffered. */
static inline bool is_usual(const struct state *st)
{
	return HD_LIKELY(!(st->s.mine & (st->s.warps->blocked_by[HD_BLOCK_FENCE] | st->s.ibuffer->wrong)));
}

/* Evaluates a stage that may be observed, or is not plain. */
static __attribute__((noinline)) uint64_t eval_loud(struct state *st)
{
	return st->quick && is_usual(st) ? eval_plain(st, false) : eval_any(st);
}

/* Quiet: the stage is plain, too. */
static uint64_t eval(void *state)
{
	struct state *st = state;

	if (HD_UNLIKELY(!st->quiet))
		return eval_loud(st);
	return is_usual(st) ? eval_plain(st, true) : eval_any(st);
}

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions of one warp issued per cycle",
	  .type = HD_U32, .offset = P(width), .def = "1", .min = 1, .max = 2 },
	{ .name = "different_units", .unit = "", .doc = "instructions issued together must go to "
	  "different kinds of unit", .type = HD_BOOL, .offset = P(different_units), .def = "true" },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(s.instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

const struct hd_module hd_module_issue = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue",
	.doc = "issue stage of one scheduler: checks its warps in the policy's order and issues",
	.params = params,
	.ports = hd__issue_ports,
	.stats = hd__issue_stats,
	.events = hd__issue_events,
	.state_size = sizeof(struct state),
	.init = hd__issue_init,
	.start = hd__issue_start,
	.eval = eval,
	.skipped = hd__issue_skipped,
	.marks = hd__issue_marks,
	.reasons = hd__issue_reasons,
	.end_observation = hd__issue_end_observation,
	.checkpoint = hd__issue_saved,
};

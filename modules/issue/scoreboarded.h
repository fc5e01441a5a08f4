/* scoreboarded.h - private to the issue stages that check a scoreboard: state, effects of an issue, ports
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between edges a stage keeps, per warp, the class of the next instruction and whether the
 * scoreboard lets it pass; both change only when a stage touches the warp (gpu/warps.h).
 */
#ifndef MODULES_ISSUE_SCOREBOARDED_H
#define MODULES_ISSUE_SCOREBOARDED_H

#include "account.h"

struct route {
	uint64_t classes, same_unit_as;
	uint32_t unit;
};

enum outcome { IDLE, SCOREBOARD, STALL, ISSUED };

struct state {
	struct stage s;
	hd_warp_set scoreboard_ready; /* warps: the scoreboard lets the next instruction pass, as it will
	                               * until that issues */
	bool plain;                   /* its policy does nothing of itself: only changes by which a warp may issue,
	                               * or by which it waits for another register, matter */
	bool quiet;                   /* the stage is plain, and not observed */
	enum outcome last;
	uint32_t width;
	bool different_units;
	uint64_t single, dual, stall, scoreboard_stall, idle, issued, control_hazard;
	hd_warp_set warps_by_route[HD_NO_ROUTE + 1]; /* by route: warps whose next instruction goes there */
	uint8_t route_of_warp[HD_MAX_WARPS]; /* by warp: that route, or HD_NO_ROUTE */
	struct account account;       /* for dumps */
};

enum { EVENT_ISSUE, EVENT_SLOT };

static const struct route *route_attr(const struct hd_end *e)
{
	return e->attr;
}

/* The scoreboard may not let this pass, which is the warp's next instruction. */
static __attribute__((noinline)) void refresh_waiting(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	uint32_t awaits = hd_scoreboard_awaits(st->s.scoreboard, inst);

	if (awaits == HD_AWAITS_NONE)
		st->scoreboard_ready |= hd_warp_bit(warp);
	else
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	/* a fence waits for all registers */
	if (st->plain && awaits != HD_AWAITS_ENTRY && !hd_warp_in(st->s.warps->blocked_by[HD_BLOCK_FENCE], warp))
		hd_scoreboard_await(st->s.scoreboard, warp, awaits);
	else
		hd_scoreboard_await(st->s.scoreboard, warp, HD_AWAITS_ANY);
}

/* Does what refresh_waiting() does, of a stage that is plain and a warp that is not behind a fence. */
static __attribute__((noinline)) void find_awaited(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	uint32_t awaits = hd_scoreboard_register(st->s.scoreboard, inst);

	if (awaits == HD_AWAITS_NONE)
		st->scoreboard_ready |= hd_warp_bit(warp);
	else
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	hd_scoreboard_await(st->s.scoreboard, warp, awaits);
}

/* The warp's next instruction, or what is known about it, has changed.  It has one.  `quick`: the stage is plain, and
 * the warp is not behind a fence. */
static inline __attribute__((always_inline)) void refresh(struct state *st, uint32_t warp, bool quick)
{
	const struct hd_inst *inst = stage_next(&st->s, warp);
	hd_warp_set bit = hd_warp_bit(warp);
	uint8_t route = st->s.route[inst->cls], was = st->route_of_warp[warp];

	st->warps_by_route[was] &= ~bit;
	st->route_of_warp[warp] = route;
	st->warps_by_route[route] |= bit;
	if (!quick || HD_UNLIKELY(st->s.scoreboard->entries != 0)) {
		refresh_waiting(st, warp, inst);
	} else if (st->s.scoreboard->any[warp] & inst->regs) {
		find_awaited(st, warp, inst);
	} else if (!(st->scoreboard_ready & bit)) { /* of those that are ready no release wakes the stage already */
		st->scoreboard_ready |= bit;
		hd_scoreboard_await(st->s.scoreboard, warp, HD_AWAITS_NONE);
	}
}

/* Looks at warps of which something has changed.  Those that are ready stay so until they issue, and those without an
 * instruction are not. */
static inline __attribute__((always_inline)) void refresh_all(struct state *st, hd_warp_set changed, bool quick)
{
	changed &= ~st->scoreboard_ready & st->s.ibuffer->filled;
	while (changed)
		refresh(st, hd_warp_pop(&changed), quick);
}

/* The warp's next instruction is of a path that the warp does not take. */
static __attribute__((noinline, cold)) bool off_path(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->s.ibuffer->wrong, warp)
	       && (stage_next(&st->s, warp)->flags & HD_INST_WRONG_PATH);
}

/* A control hazard: fetch has to go on where the warp is. */
static __attribute__((noinline, cold)) void flush(struct state *st, uint32_t warp)
{
	hd__stage_empty(&st->s, warp);
	st->scoreboard_ready &= ~hd_warp_bit(warp);
	hd_warp_flush(st->s.warps, warp);
	if (st->s.ctx->observed)
		st->account.hazards |= hd_warp_bit(warp);
}

static inline bool behind_fence(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->s.warps->blocked_by[HD_BLOCK_FENCE], warp);
}

/* Lanes end, or the warp has to wait for something. */
static __attribute__((noinline)) void take_rare_effect(struct state *st, const struct hd_inst *inst)
{
	uint32_t warp = inst->warp;

	if (inst->exits && hd__stage_exit(&st->s, inst))
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	if (!(inst->flags & SYNC_FLAGS))
		return;
	if ((inst->flags & HD_INST_ATOMIC) && inst->nlanes)
		hd_warp_atomics_sent(st->s.warps, warp, inst->nlanes);
	hd__stage_synchronise(&st->s, inst);
	st->scoreboard_ready &= ~hd_warp_bit(warp); /* what releases matter is found again */
	hd_scoreboard_await(st->s.scoreboard, warp, HD_AWAITS_ANY);
}

/* Effects of an issue that other stages see, in the order of docs/sm.md, I4.  Returns whether the warp may have ended
 * or be held now. */
static inline bool take_effect(struct state *st, const struct hd_inst *inst)
{
	bool rare = inst->exits | (inst->flags & SYNC_FLAGS);

	if (HD_UNLIKELY(rare))
		take_rare_effect(st, inst);
	stage_reserve(&st->s, inst);
	return rare;
}

static __attribute__((noinline, cold)) void offer_room(struct state *st, uint32_t warp)
{
	if (hd_ibuffer_has_room(st->s.ibuffer, warp))
		hd_warp_fetchable(st->s.warps);
}

/* Issues the warp's next instruction, as the nth of this edge, into one of the slots of `end` that are free.
 * `quick`: as for refresh(), of the next one.  Returns as take_effect(). */
static inline __attribute__((always_inline)) bool issue_to(struct state *st, uint32_t warp, uint32_t nth,
                                                           const struct hd_end *end, uint64_t room,
                                                           bool quick, bool observed)
{
	hd_inst_ref ref = hd_ibuffer_head(st->s.ibuffer, warp);
	struct hd_inst *inst = hd_inst(st->s.pool, ref);
	bool rare;

	inst->uid = hd_warps_next_uid(st->s.warps);
	inst->sched = (uint8_t)st->s.ctx->index;
	hd_slot_put(end, hd_bits_first(room), &ref, sizeof ref);
	hd_ibuffer_pop(st->s.ibuffer, warp);
	hd_warp_set_npc(st->s.warps, warp, inst->pc + st->s.instruction_bytes);
	if (HD_UNLIKELY(observed) && st->s.ctx->observed) {
		hd_emit(st->s.ctx, EVENT_ISSUE, st->s.ctx->index, warp, nth + 1);
		st->account.issued |= hd_warp_bit(warp);
		hd__account_issue(&st->account, inst, route_attr(end)->unit);
	}
	rare = take_effect(st, inst);
	if (HD_UNLIKELY(observed) && rare)
		st->account.rare = true;
	st->issued++;
	st->stall += inst->nlanes == 0; /* in addition: docs/sm.md, Z2 */
	if (hd_warp_in(st->s.ibuffer->filled, warp)) {
		refresh(st, warp, quick && !(HD_UNLIKELY(rare) && behind_fence(st, warp)));
	} else {
		st->scoreboard_ready &= ~hd_warp_bit(warp);
		if (!st->s.ibuffer->refill_room)
			hd_warp_fetchable(st->s.warps);
	}
	if (HD_UNLIKELY(st->s.ibuffer->refill_room))
		offer_room(st, warp);
	hd_policy_issued(st->s.policy, warp, nth);
	return rare;
}

static void count(struct state *st, enum outcome o, uint64_t edges)
{
	if (o == IDLE)
		st->idle += edges;
	else if (o == SCOREBOARD)
		st->scoreboard_stall += edges;
	else if (o == STALL)
		st->stall += edges;
}

/* Asleep means that no relevant state has changed, so every edge counts like the last. */
static void count_skipped(struct state *st, uint64_t n)
{
	count(st, st->last, n);
	if (st->s.slots.n)
		st->s.slots.n += (int64_t)n;
	if (st->s.policy->skipped)
		st->s.policy->skipped(st->s.policy->self, n);
}

/* Warps that an evaluation finds. */
struct edge {
	hd_warp_set changed, allowed; /* allowed: by the policy */
	hd_warp_set fences;           /* those behind a fence that has to be polled */
};

/* Looks at what has changed, polls fences, begins the policy's edge.  Returns the warps that have an
 * instruction and are not held. */
static inline hd_warp_set begin_edge(struct state *st, struct edge *e)
{
	struct hd_warps *w = st->s.warps;
	hd_warp_set fences;

	e->changed = hd_warps_take_changed(w, st->s.mine);
	e->allowed = HD_ALL_WARPS;
	refresh_all(st, e->changed, false);
	fences = st->s.mine & w->blocked_by[HD_BLOCK_FENCE] & ~w->exited
	         & ~w->blocked_by[HD_BLOCK_BARRIER];
	if (HD_UNLIKELY(fences) && st->s.policy->polls_fences) {
		while (fences)
			st->s.fence->holds(st->s.fence->self, hd_warp_pop(&fences));
	}
	if (st->s.policy->begin) {
		if (e->changed && st->s.policy->changed)
			st->s.policy->changed(st->s.policy->self, e->changed);
		e->allowed = st->s.policy->begin(st->s.policy->self,
		                               st->s.mine & ~w->exited & ~w->blocked);
	}
	e->fences = fences & w->blocked_by[HD_BLOCK_FENCE]; /* begin() may have ended some */
	return st->s.mine & st->s.ibuffer->filled & ~w->exited & ~w->blocked & e->allowed;
}

/* So many were issued. */
static inline enum account_group group_of(const struct state *st, uint32_t n)
{
	static const enum account_group group[] = { [IDLE] = GROUP_IDLE, [SCOREBOARD] = GROUP_SCOREBOARD,
		[STALL] = GROUP_STALL };

	return HD_LIKELY(n == 1) ? GROUP_ONE : n ? GROUP_TWO : group[st->last];
}

/* Accounts for the cycle, for dumps.  Returns when to do so again although nothing here changes: the reason
 * may be another one in the next cycle. */
static uint64_t account(struct state *st, const struct edge *e, uint32_t n)
{
	hd__account(&st->account, &st->s, group_of(st, n), e->changed, e->allowed, st->scoreboard_ready);
	return st->account.wakes ? HD_SLEEP : HD_NEXT;
}

/* The warps of the set one by one in the order of the policy, until `most` instructions are issued.  issue(): returns
 * how many of the warp were. */
static inline enum outcome walk_each(struct state *st, hd_warp_set set, uint32_t most, uint32_t *n,
                                     uint32_t (*issue)(struct state *st, uint32_t warp, uint64_t *taken))
{
	enum outcome o = IDLE;
	uint64_t taken = 0;
	bool hazard = false;

	while (set && *n < most) {
		uint32_t warp = hd_policy_first(st->s.policy, set);
		hd_warp_set bit = hd_warp_bit(warp);

		set &= ~bit;
		if (hd_warp_held(st->s.warps, st->s.fence, warp) || !(st->s.ibuffer->filled & bit))
			continue;
		if (HD_UNLIKELY(st->s.ibuffer->wrong & bit) && off_path(st, warp)) {
			flush(st, warp);
			hazard = true;
			continue;
		}
		if (o == IDLE)
			o = SCOREBOARD;
		if (!(st->scoreboard_ready & bit))
			continue;
		o = STALL;
		*n += issue(st, warp, &taken);
	}
	st->control_hazard += hazard && o == IDLE;
	return *n ? ISSUED : o;
}

/* The end of an evaluation that has issued n instructions.  Returns when to be evaluated again. */
static inline uint64_t end_edge(struct state *st, const struct edge *e, uint32_t n)
{
	uint64_t then = HD_UNLIKELY(st->s.ctx->observed) ? account(st, e, n) : HD_SLEEP;

	if (st->last != ISSUED) {
		count(st, st->last, 1);
		return st->s.policy->needs_every_edge ? HD_NEXT : then;
	}
	if (n == 1)
		st->single++;
	else
		st->dual++;
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	memset(st->route_of_warp, HD_NO_ROUTE, sizeof st->route_of_warp);
	if (hd__account_init(&st->account, ctx, st->route_of_warp)
	    || hd__stage_init(&st->s, ctx, EVENT_SLOT, MARK_FLUSHED))
		return -1;
	for (uint32_t i = 0; st->account.unit && i < st->s.out.n; i++)
		st->account.unit[i] = route_attr(&st->s.out.v[i])->unit;
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->plain = !st->s.policy->begin;
	st->quiet = st->plain && !st->s.ctx->observable;
	return hd__stage_start(&st->s);
}

static void end_observation(void *state)
{
	struct state *st = state;

	hd__account_flush(&st->account, &st->s);
}

static void stage_saved(struct state *st, struct hd_checkpoint *k)
{
	HD_SAVED(k, st->scoreboard_ready);
	HD_SAVED(k, st->last);
	HD_SAVED_FROM(k, st, warps_by_route, route_of_warp);
	hd__account_saved(k, &st->account, &st->s);
	if (hd_loads(k)) /* who would wake it was asked in the run that was saved: it asks again */
		hd_wake(st->s.ctx->self);
}

/* ---- parameters of links, ports, statistics, events ---- */

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that take this route",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct route, classes), .min = 1,
	  .max = 64 },
	{ .name = "unit", .unit = "", .doc = "kind of unit of this route; two instructions "
	  "issued together may have to go to different kinds", .type = HD_SYMBOL, .kind = "unit",
	  .offset = offsetof(struct route, unit) },
	{ .name = "same_unit_as", .unit = "", .doc = "other kinds of unit that count as the same",
	  .type = HD_SYMBOLS, .kind = "unit", .def = "[]", .offset = offsetof(struct route, same_unit_as) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "out", .doc = "register sets in front of the operand collector", .kind = HD_OUT,
	  .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(s.out),
	  .attrs = route_params, .attr_size = sizeof(struct route) },
	{ .name = "warps", .doc = "running and blocked warps; this stage serves the slots whose "
	  "number modulo the array's size is its index", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(s.warps) },
	{ .name = "ibuffer", .doc = "instructions to issue", .kind = HD_USES,
	  .type = &hd_type_ibuffer, .offset = P(s.ibuffer) },
	{ .name = "scoreboard", .doc = "checked and reserved", .kind = HD_USES,
	  .type = &hd_type_scoreboard, .offset = P(s.scoreboard) },
	{ .name = "barrier", .doc = "gets barriers and exits", .kind = HD_USES,
	  .type = &hd_type_barrier_if, .offset = P(s.barrier) },
	{ .name = "fence", .doc = "gets fences; open: they cost nothing", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_fence_if, .offset = P(s.fence) },
	{ .name = "copy", .doc = "gets asynchronous copies; open: no warp waits", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_copy_if, .offset = P(s.copy) },
	{ .name = "policy", .doc = "order of the warps", .kind = HD_USES,
	  .type = &hd_type_sched_policy_if, .offset = P(s.policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "single", .unit = "cycles", .doc = "cycles in which one instruction was issued",
	  .offset = P(single), .total = "issue.single" },
	{ .name = "dual", .unit = "cycles", .doc = "cycles in which two instructions were issued, "
	  "or more",
	  .offset = P(dual), .total = "issue.dual" },
	{ .name = "stall", .unit = "cycles", .doc = "cycles in which a warp passed the scoreboard "
	  "and no unit had room; an instruction without active lanes counts here as well",
	  .offset = P(stall), .total = "issue.stall" },
	{ .name = "scoreboard", .unit = "cycles", .doc = "cycles in which every warp with an "
	  "instruction waited for a register", .offset = P(scoreboard_stall),
	  .total = "issue.scoreboard" },
	{ .name = "idle", .unit = "cycles", .doc = "cycles in which no warp had an instruction that "
	  "it was free to issue", .offset = P(idle), .total = "issue.idle" },
	{ .name = "control_hazard", .unit = "cycles", .doc = "of the idle cycles: those in which nothing "
	  "but wrong paths was found", .offset = P(control_hazard) },
	{ .name = "issued", .unit = "warp instructions", .doc = "instructions issued",
	  .offset = P(issued), .total = "warp_instructions", .ratio = "IPC" },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ISSUE] = { .name = "issue", .doc = "an instruction was issued; n counts those of its "
	                  "warp in this cycle", .flags = HD_EVENT_DETAIL,
	                  .fields = { { "sched", "", "index of the scheduler" },
	                              { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "n", "", "1, or 2 for the second of its warp" } } },
	[EVENT_SLOT] = STAGE_SLOT_EVENT("stall: of the full register set; scoreboard: of the pending result",
	                                 "stall: why it is not emptied",
	                                 "scoreboard: SASS number of the pending register, else -1"),
	{ .name = NULL },
};

#endif

/* stage.h - private to the issue stages: state, effects of an issue, start, ports
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Between edges a stage keeps, per warp, the class of the next instruction and whether the
 * scoreboard lets it pass; both change only when a stage touches the warp (interface/warps.h).
 */
#ifndef MODULES_ISSUE_STAGE_H
#define MODULES_ISSUE_STAGE_H

#include "account.h"

#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/routes.h>
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>


struct route {
	uint64_t classes, same_unit_as;
	uint32_t unit;
};

enum outcome { IDLE, SCOREBOARD, STALL, ISSUED };

struct state {
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	struct hd_ibuffer *ibuffer;
	struct hd_scoreboard *scoreboard;
	const struct hd_barrier_if *barrier;
	const struct hd_fence_if *fence;
	const struct hd_copy_if *copy;
	const struct hd_sched_policy_if *policy;
	struct hd_pool *pool;
	hd_warp_set mine;        /* this scheduler's warps */
	hd_warp_set scoreboard_ready; /* of them: the scoreboard lets the next instruction pass, as it will
	                               * until that issues */
	bool plain;                   /* its policy does nothing of itself: only changes by which a warp may issue,
	                               * or by which it waits for another register, matter */
	bool quiet;                   /* the same, and it is not observed */
	enum outcome last;
	uint32_t width, instruction_bytes;
	bool different_units;
	uint8_t sched;                /* its number */
	struct hd_ends out;
	uint64_t single, dual, stall, scoreboard_stall, idle, issued, control_hazard;
	hd_warp_set warps_by_route[HD_NO_ROUTE + 1]; /* by route: warps whose next instruction goes there */
	uint8_t route_of_warp[HD_MAX_WARPS]; /* by warp: that route, or HD_NO_ROUTE */
	uint8_t route[64];            /* by class: index into out, or HD_NO_ROUTE */
	struct account account;       /* for dumps */
	struct account_view view;
};

enum { PORT_OUT, PORT_WARPS, PORT_IBUFFER, PORT_SCOREBOARD, PORT_BARRIER, PORT_FENCE, PORT_COPY,
	PORT_POLICY };
enum { EVENT_ISSUE, EVENT_SLOT };

static const struct route *route_attr(const struct hd_end *e)
{
	return e->attr;
}

/* The scoreboard may not let this pass, which is the warp's next instruction. */
static __attribute__((noinline)) void refresh_waiting(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	uint32_t awaits = hd_scoreboard_awaits(st->scoreboard, inst);

	if (awaits == HD_AWAITS_NONE)
		st->scoreboard_ready |= hd_warp_bit(warp);
	else
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	/* a fence waits for all registers */
	if (st->plain && awaits != HD_AWAITS_ENTRY && !hd_warp_in(st->warps->blocked_by[HD_BLOCK_FENCE], warp))
		hd_scoreboard_await(st->scoreboard, warp, awaits);
	else
		hd_scoreboard_await(st->scoreboard, warp, HD_AWAITS_ANY);
}

/* The same of a stage that is plain and a warp that is not behind a fence. */
static __attribute__((noinline)) void find_awaited(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	uint32_t awaits = hd_scoreboard_register(st->scoreboard, inst);

	if (awaits == HD_AWAITS_NONE)
		st->scoreboard_ready |= hd_warp_bit(warp);
	else
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	hd_scoreboard_await(st->scoreboard, warp, awaits);
}

/* The warp's next instruction, or what is known about it, has changed.  It has one.  `quick`: the stage is plain, and
 * the warp is not behind a fence. */
static inline __attribute__((always_inline)) void refresh(struct state *st, uint32_t warp, bool quick)
{
	const struct hd_inst *inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));
	hd_warp_set bit = hd_warp_bit(warp);
	uint8_t route = st->route[inst->cls], was = st->route_of_warp[warp];

	st->warps_by_route[was] &= ~bit;
	st->route_of_warp[warp] = route;
	st->warps_by_route[route] |= bit;
	if (!quick || HD_UNLIKELY(st->scoreboard->entries != 0)) {
		refresh_waiting(st, warp, inst);
	} else if (st->scoreboard->any[warp] & inst->regs) {
		find_awaited(st, warp, inst);
	} else if (!(st->scoreboard_ready & bit)) { /* of those that are ready no release wakes the stage already */
		st->scoreboard_ready |= bit;
		hd_scoreboard_await(st->scoreboard, warp, HD_AWAITS_NONE);
	}
}

/* Of these warps something has changed.  Those that are ready stay so until they issue, and those without an
 * instruction are not. */
static inline __attribute__((always_inline)) void refresh_all(struct state *st, hd_warp_set changed, bool quick)
{
	changed &= ~st->scoreboard_ready & st->ibuffer->filled;
	while (changed)
		refresh(st, hd_warp_pop(&changed), quick);
}

/* The warp's next instruction is of a path that the warp does not take. */
static __attribute__((noinline, cold)) bool off_path(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->ibuffer->wrong, warp)
	       && (hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp))->flags & HD_INST_WRONG_PATH);
}

static __attribute__((noinline, cold)) void empty_buffer(struct state *st, uint32_t warp)
{
	while (hd_warp_in(st->ibuffer->filled, warp)) {
		hd_inst_ref ref = hd_ibuffer_head(st->ibuffer, warp);

		hd_mark(st->ctx, st->pool, ref, MARK_FLUSHED, 0);
		hd_release(st->pool, ref);
		hd_ibuffer_pop(st->ibuffer, warp);
	}
	st->scoreboard_ready &= ~hd_warp_bit(warp);
	st->ibuffer->wrong &= ~hd_warp_bit(warp);
	st->ibuffer->full &= ~hd_warp_bit(warp);
	hd_warp_touch(st->warps, warp);
}

/* A control hazard: fetch has to go on where the warp is. */
static __attribute__((noinline, cold)) void flush(struct state *st, uint32_t warp)
{
	empty_buffer(st, warp);
	hd_warp_flush(st->warps, warp);
	if (st->ctx->observed)
		st->view.hazards |= hd_warp_bit(warp);
}

static inline bool behind_fence(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->warps->blocked_by[HD_BLOCK_FENCE], warp);
}

#define SYNC_FLAGS (HD_INST_ATOMIC | HD_INST_COPY | HD_INST_COPY_COMMIT | HD_INST_COPY_WAIT \
                    | HD_INST_BARRIER | HD_INST_FENCE)

/* Effects of instructions that make warps wait. */
static void synchronise(struct state *st, const struct hd_inst *inst)
{
	uint32_t warp = inst->warp, flags = inst->flags;

	if ((flags & HD_INST_ATOMIC) && inst->nlanes)
		hd_warp_atomics_sent(st->warps, warp, inst->nlanes);
	if (st->copy) {
		if (flags & HD_INST_COPY)
			st->copy->add(st->copy->self, inst);
		else if (flags & HD_INST_COPY_COMMIT)
			st->copy->commit(st->copy->self, warp);
		else if (flags & HD_INST_COPY_WAIT)
			st->copy->wait(st->copy->self, warp, inst->imm);
	}
	if (flags & HD_INST_BARRIER)
		st->barrier->join(st->barrier->self, warp);
	else if ((flags & HD_INST_FENCE) && st->fence)
		st->fence->set(st->fence->self, warp);
	st->scoreboard_ready &= ~hd_warp_bit(warp); /* what releases matter is found again */
	hd_scoreboard_await(st->scoreboard, warp, HD_AWAITS_ANY);
}

/* Lanes end, or the warp has to wait for something. */
static __attribute__((noinline)) void take_rare_effect(struct state *st, const struct hd_inst *inst)
{
	uint32_t warp = inst->warp;

	if (inst->exits && hd_warp_exit_lanes(st->warps, warp, inst->exits)) {
		if (inst->flags & HD_INST_LAST)
			st->barrier->leave(st->barrier->self, warp);
		if (hd_warp_in(st->ibuffer->wrong, warp))
			empty_buffer(st, warp);
	}
	if (inst->flags & SYNC_FLAGS)
		synchronise(st, inst);
}

/* Effects of an issue that other stages see, in the order of docs/sm.md, I4.  Returns whether the warp may have ended
 * or be held now. */
static inline bool take_effect(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	bool rare = inst->exits | (inst->flags & SYNC_FLAGS);

	if (HD_UNLIKELY(rare))
		take_rare_effect(st, inst);
	if (inst->dst)
		hd_scoreboard_reserve(st->scoreboard, warp, inst->dst,
		                      (inst->flags & HD_INST_LOAD) && (inst->space == HD_SPACE_GLOBAL
		                                                       || inst->space == HD_SPACE_LOCAL));
	return rare;
}

static __attribute__((noinline, cold)) void offer_room(struct state *st, uint32_t warp)
{
	if (hd_ibuffer_has_room(st->ibuffer, warp))
		hd_warp_fetchable(st->warps);
}

/* Issues the warp's next instruction, as the nth of this edge, into one of the slots of `end` that are free.  `quick`: as
 * for refresh(), of the next one.  Returns as take_effect(). */
static inline __attribute__((always_inline)) bool issue_to(struct state *st, uint32_t warp, uint32_t nth,
                                                           const struct hd_end *end, uint64_t room,
                                                           bool quick, bool observed)
{
	hd_inst_ref ref = hd_ibuffer_head(st->ibuffer, warp);
	struct hd_inst *inst = hd_inst(st->pool, ref);
	bool rare;

	inst->uid = hd_warps_next_uid(st->warps);
	inst->sched = st->sched;
	hd_slot_put(end, hd_bits_first(room), &ref, sizeof ref);
	hd_ibuffer_pop(st->ibuffer, warp);
	hd_warp_set_npc(st->warps, warp, inst->pc + st->instruction_bytes);
	if (HD_UNLIKELY(observed) && st->ctx->observed) {
		hd_emit(st->ctx, EVENT_ISSUE, st->ctx->index, warp, nth + 1);
		st->view.issued |= hd_warp_bit(warp);
		hd__account_issue(&st->account, inst, route_attr(end)->unit);
	}
	rare = take_effect(st, warp, inst);
	if (HD_UNLIKELY(observed) && rare)
		st->view.rare = true;
	st->issued++;
	st->stall += inst->nlanes == 0; /* in addition: docs/sm.md, Z2 */
	if (hd_warp_in(st->ibuffer->filled, warp)) {
		refresh(st, warp, quick && !(HD_UNLIKELY(rare) && behind_fence(st, warp)));
	} else {
		st->scoreboard_ready &= ~hd_warp_bit(warp);
		if (!st->ibuffer->refill_room)
			hd_warp_fetchable(st->warps);
	}
	if (HD_UNLIKELY(st->ibuffer->refill_room))
		offer_room(st, warp);
	hd_policy_issued(st->policy, warp, nth);
	return rare;
}

static __attribute__((noinline, cold)) void lacks_unit(const struct state *st, uint32_t warp)
{
	const struct hd_inst *inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));

	hd_error(st->ctx, "no unit accepts class '%s'; expected a link of port 'out' whose "
	         "\"classes\" name it", hd_symbol_name(st->ctx, "class", inst->cls));
}

/* May one instruction go to that kind of unit, and the next one to `end`? */
static inline bool may_pair(const struct state *st, uint32_t unit, const struct hd_end *end)
{
	return !st->different_units
	       || (unit != route_attr(end)->unit && !(route_attr(end)->same_unit_as >> unit & 1));
}

/* Issues the warp's next instruction as the nth of this edge, if its unit has room.  *unit is the
 * unit of the one before. */
static bool issue_one(struct state *st, uint32_t warp, uint32_t nth, uint32_t *unit)
{
	uint8_t r = st->route_of_warp[warp];
	const struct hd_end *end;
	uint64_t room;

	if (HD_UNLIKELY(r == HD_NO_ROUTE)) {
		lacks_unit(st, warp);
		return false;
	}
	end = &st->out.v[r];
	room = hd_slots_free(end);
	if (!room)
		return false;
	if (nth && !may_pair(st, *unit, end))
		return false;
	*unit = route_attr(end)->unit;
	issue_to(st, warp, nth, end, room, false, true);
	return true;
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
	if (st->account.n)
		st->account.n += (int64_t)n;
	if (st->policy->skipped)
		st->policy->skipped(st->policy->self, n);
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
	struct hd_warps *w = st->warps;
	hd_warp_set fences;

	e->changed = hd_warps_take_changed(w, st->mine);
	e->allowed = HD_ALL_WARPS;
	refresh_all(st, e->changed, false);
	fences = st->mine & w->blocked_by[HD_BLOCK_FENCE] & ~w->exited
	         & ~w->blocked_by[HD_BLOCK_BARRIER];
	if (HD_UNLIKELY(fences) && st->policy->polls_fences) {
		while (fences)
			st->fence->holds(st->fence->self, hd_warp_pop(&fences));
	}
	if (st->policy->begin) {
		if (e->changed && st->policy->changed)
			st->policy->changed(st->policy->self, e->changed);
		e->allowed = st->policy->begin(st->policy->self,
		                               st->mine & ~w->exited & ~w->blocked);
	}
	e->fences = fences & w->blocked_by[HD_BLOCK_FENCE]; /* begin() may have ended some */
	return st->mine & st->ibuffer->filled & ~w->exited & ~w->blocked & e->allowed;
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
	hd__account(&st->account, &st->view, group_of(st, n), e->changed, e->allowed, st->scoreboard_ready);
	st->view.issued = st->view.hazards = 0;
	st->view.rare = false;
	return st->account.wakes ? HD_SLEEP : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->sched = (uint8_t)ctx->index;
	st->pool = hd_pool(ctx, &hd_type_inst);
	memset(st->route_of_warp, HD_NO_ROUTE, sizeof st->route_of_warp);
	st->view = (struct account_view){ .ctx = ctx, .pool = st->pool, .route_of_warp = st->route_of_warp,
		                          .out = &st->out, .event = EVENT_SLOT };
	if (hd__account_init(&st->account, &st->view) || hd_routes(ctx, &st->out, st->route))
		return -1;
	for (uint32_t i = 0; st->view.unit && i < st->out.n; i++)
		st->view.unit[i] = route_attr(&st->out.v[i])->unit;
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	for (uint32_t w = st->ctx->index; w < st->warps->count; w += st->ctx->count) {
		st->mine |= hd_warp_bit(w);
		if (!hd_warps_claim(st->warps, &st->warps->scheduler[w], st->ctx->self))
			return hd_error(st->ctx, "another array of issue stages has warp %u; expected "
			                "one array, whose elements share the warps", w);
	}
	st->plain = !st->policy->begin;
	st->quiet = st->plain && !st->ctx->observable;
	if (st->policy->bind)
		st->policy->bind(st->policy->self, st->mine);
	st->view.warps = st->warps;
	st->view.ibuffer = st->ibuffer;
	st->view.scoreboard = st->scoreboard;
	st->view.mine = st->mine;
	return 0;
}

static void end_observation(void *state)
{
	struct state *st = state;

	hd__account_flush(&st->account, &st->view);
}

static void stage_saved(struct state *st, struct hd_checkpoint *k)
{
	HD_SAVED(k, st->scoreboard_ready);
	HD_SAVED(k, st->last);
	HD_SAVED_FROM(k, st, warps_by_route, route_of_warp);
	hd__account_saved(k, &st->account);
	if (hd_loads(k)) /* who would wake it was asked in the run that was saved: it asks again */
		hd_wake(st->ctx->self);
}

#endif

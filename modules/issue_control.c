/* issue_control.c - issue stage that follows the control words of the instructions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Issue.  Time here is in unfrozen cycles.
 *
 * Which warps may issue is kept in sets: those whose stall is not over leave theirs by a wheel of
 * times, and those whose next instruction is of one kind need the same room.
 */
#include "issue/stage.h"

#include <heddle/gpu/control.h>

#define WHEEL 64u           /* longest stall + 1; a power of two */
#define MAX_GROUPS 16u
#define MAX_CREDITS 8u

struct route {
	uint64_t classes;
	uint32_t unit;
};

/* Row of the parameter "groups". */
struct group {
	uint64_t classes;
	uint32_t interval, least, wide;
};

/* What an instruction needs: a link of port `out`, a group of units, a place in each of a set of queues; of some of
 * these, `takes`, it takes one.  Classes that need the same are one kind. */
struct needs {
	uint8_t route, group, credits, takes;
};

/* A DEPBAR of a warp. */
struct hold {
	uint64_t from; /* time */
	uint8_t counter, list;
	int32_t most;
};

enum outcome { IDLE, DEPENDENCE, STALL, FROZEN, ISSUED };

struct state {
	struct stage s;
	struct hd_counters *counters;
	struct hd_freeze *freeze;
	struct hd_ifs credits;
	const struct hd_constants_if *constants;
	const struct hd_hazards_if *hazards;
	struct hd_table groups;
	uint32_t yield_zero, collapse, collapse_from, depbar_hold, constant_wait, clock_rows;
	uint32_t launch_distance, launch_latency;
	bool stalls;
	bool rests;              /* it may sleep through what only makes warps wait longer */
	bool quiet;              /* it is not observed, kernels do not overlap, its policy does nothing of itself,
	                          * and it has counters */
	uint8_t group[64], kind[64]; /* by class */
	struct needs needs[64];  /* by kind */
	uint64_t kinds_of_group[MAX_GROUPS], kinds_of_queue[MAX_CREDITS], kinds_of_route[HD_MAX_ROUTES];

	uint64_t time;           /* of the last evaluation */
	hd_warp_set stalled;     /* their stall is not over */
	hd_warp_set wheel[WHEEL]; /* by time: those for which it is then */
	uint64_t wheel_set;      /* times that have some */
	hd_warp_set counting;    /* their next instruction waits for a counter: one of these is not 0 */
	uint8_t wait_of_warp[HD_MAX_WARPS];
	hd_warp_set ready;       /* the scoreboard lets their next instruction pass */
	hd_warp_set held;        /* behind a DEPBAR */
	struct hold hold[HD_MAX_WARPS];
	hd_warp_set constant;    /* their constant has been requested */
	uint64_t age[HD_MAX_WARPS]; /* 1 + that of the warp in the slot when it was last looked at */
	uint64_t start;          /* time at which the next new warp may start */
	uint64_t full;           /* queues without a free place */
	uint64_t port_free;      /* time from which an instruction may be issued */
	uint64_t group_free[MAX_GROUPS]; /* time from which the group takes another one */
	uint64_t groups_taken;   /* groups for which that was still to come */
	hd_warp_set warps_by_kind[64];
	uint8_t kind_of_warp[HD_MAX_WARPS];
	hd_inst_ref head[HD_MAX_WARPS]; /* their next instructions when they were last looked at */
	uint32_t greedy, patience; /* the warp that issued last; cycles that its constant is waited for */
	enum outcome last;
	hd_warp_set yielded;     /* for dumps: those whose stall is that of a yield; */
	uint32_t awaited[HD_MAX_WARPS]; /* the register or counter for which they wait */
	uint64_t single, dual, stall, dependence, idle, issued, synthetic, clock_reads;
};

enum { EVENT_ISSUE, EVENT_CLOCK, EVENT_SLOT };

static const struct route *route_of(const struct state *st, uint32_t i)
{
	return st->s.out.v[i].attr;
}

static const struct group *group_of(const struct state *st, uint32_t i)
{
	return (const struct group *)st->groups.rows + i;
}

static inline const struct needs *needs_of(const struct state *st, uint32_t warp)
{
	return &st->needs[st->kind_of_warp[warp]];
}

/* Whether its next instruction collides with a register of the scoreboard has to be found again. */
static __attribute__((noinline)) void collide(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	if (hd_scoreboard_collides(st->s.scoreboard, inst))
		st->ready &= ~hd_warp_bit(warp);
	else
		st->ready |= hd_warp_bit(warp);
}

static inline void set_head(struct state *st, uint32_t warp, hd_inst_ref ref, const struct hd_inst *inst)
{
	hd_warp_set bit = hd_warp_bit(warp);

	st->head[warp] = ref;
	st->warps_by_kind[st->kind_of_warp[warp]] &= ~bit;
	st->kind_of_warp[warp] = st->kind[inst->cls];
	st->warps_by_kind[st->kind_of_warp[warp]] |= bit;
	st->wait_of_warp[warp] = inst->control.wait;
}

/* The warp's next instruction, or what is known about it, has changed.  Here and below, quiet: st->quiet, and no warp
 * of the stage has a fence pending, is behind a DEPBAR or has a wrong path. */
static inline __attribute__((always_inline)) void refresh(struct state *st, uint32_t warp, bool quiet)
{
	hd_warp_set bit = hd_warp_bit(warp);
	const struct hd_inst *inst;
	hd_inst_ref ref;

	if (!(st->s.ibuffer->filled & bit)) {
		st->head[warp] = 0;
		return;
	}
	ref = hd_ibuffer_head(st->s.ibuffer, warp);
	inst = hd_inst(st->s.pool, ref);
	if (!quiet && HD_UNLIKELY(st->s.scoreboard != NULL))
		collide(st, warp, inst);
	if (st->head[warp] != ref)
		set_head(st, warp, ref, inst);
	if (quiet || HD_LIKELY(st->counters != NULL))
		st->counting = (st->counting & ~bit)
		               | (hd_warp_set)((st->wait_of_warp[warp] & st->counters->busy[warp]) != 0) << warp;
}

/* The warp may not issue before that time. */
static void stall_until(struct state *st, uint32_t warp, uint64_t time)
{
	if (time <= st->time + 1)
		return; /* the next cycle is the earliest anyway */
	st->stalled |= hd_warp_bit(warp);
	st->wheel[time % WHEEL] |= hd_warp_bit(warp);
	st->wheel_set |= hd_bit(time % WHEEL);
}

/* The warp has ended: nothing of it meets the next one of its slot. */
static __attribute__((noinline)) void forget(struct state *st, uint32_t warp)
{
	hd_warp_set others = ~hd_warp_bit(warp);

	for (uint64_t times = hd_warp_in(st->stalled, warp) ? st->wheel_set : 0; times;) {
		uint32_t i = hd_bits_pop(&times);

		st->wheel[i] &= others;
		if (!st->wheel[i])
			st->wheel_set &= ~hd_bit(i);
	}
	st->stalled &= others;
	st->held &= others;
	st->constant &= others;
	st->yielded &= others;
}

/* Warps that were launched together start one after the other, in the order of their launch. */
static __attribute__((noinline)) void start_new(struct state *st, hd_warp_set fresh)
{
	struct hd_warps *w = st->s.warps;

	while (fresh) {
		uint32_t warp = hd_warps_oldest(w, fresh);
		uint64_t soon = st->time + st->launch_latency;
		uint64_t at = st->start > soon ? st->start : soon;

		fresh &= ~hd_warp_bit(warp);
		st->age[warp] = w->age[warp] + 1;
		if (st->counters) {
			st->counters->renew(st->counters->self, warp);
			refresh(st, warp, false);
		}
		st->start = at + st->launch_distance;
		stall_until(st, warp, at < st->time + WHEEL ? at : st->time + WHEEL - 1);
	}
}

/* Several cycles have passed. */
static __attribute__((noinline)) void end_stalls(struct state *st, uint64_t passed)
{
	uint32_t from = (uint32_t)((st->time - passed + 1) % WHEEL);
	uint64_t due = st->wheel_set;

	if (passed < WHEEL) {
		uint64_t span = hd_bits_below((uint32_t)passed);

		due &= span << from | (from ? span >> (WHEEL - from) : 0);
	}
	st->wheel_set &= ~due;
	while (due) {
		uint32_t i = hd_bits_pop(&due);

		st->stalled &= ~st->wheel[i];
		st->wheel[i] = 0;
	}
}

static inline void advance(struct state *st, uint64_t time)
{
	uint64_t passed = time - st->time, bit = hd_bit(time % WHEEL);

	st->time = time;
	if (HD_UNLIKELY(passed != 1)) {
		if (passed && st->wheel_set)
			end_stalls(st, passed);
	} else if (st->wheel_set & bit) {
		st->wheel_set ^= bit;
		st->stalled &= ~st->wheel[time % WHEEL];
		st->wheel[time % WHEEL] = 0;
	}
}

/* Cycles until the next stall is over; there is one. */
static uint64_t next_stall(const struct state *st)
{
	uint32_t from = (uint32_t)((st->time + 1) % WHEEL);
	uint64_t rest = from ? st->wheel_set >> from | st->wheel_set << (WHEEL - from) : st->wheel_set;

	return hd_bits_first(rest) + 1;
}

/* The warps of the set that a DEPBAR holds now; its others are free again. */
static hd_warp_set held_now(struct state *st, hd_warp_set set)
{
	hd_warp_set now = 0;

	while (st->counters && set) {
		uint32_t warp = hd_warp_pop(&set);
		const struct hold *h = &st->hold[warp];
		const uint8_t *value = st->counters->value[warp];
		bool holds = (int32_t)value[h->counter] > h->most;

		if (st->time < h->from)
			continue;
		for (uint32_t i = 0; i < HD_COUNTERS; i++)
			holds |= (h->list >> i & 1) && value[i];
		if (holds)
			now |= hd_warp_bit(warp);
		else
			st->held &= ~hd_warp_bit(warp);
	}
	return now;
}

/* The warps whose next instruction is of one of these kinds. */
static inline hd_warp_set warps_of(const struct state *st, uint64_t kinds)
{
	hd_warp_set set = 0;

	while (kinds)
		set |= st->warps_by_kind[hd_bits_pop(&kinds)];
	return set;
}

/* The warps of the set whose next instruction finds room.  Those behind a queue are woken by it; *again: the first time
 * at which a group takes others. */
static inline __attribute__((always_inline)) hd_warp_set with_room(struct state *st, hd_warp_set set, uint64_t *again)
{
	for (uint64_t taken = st->groups_taken; taken;) {
		uint32_t g = hd_bits_pop(&taken);
		hd_warp_set closed;

		if (st->group_free[g] <= st->time) {
			st->groups_taken &= ~hd_bit(g);
			continue;
		}
		closed = set & warps_of(st, st->kinds_of_group[g]);
		if (closed && st->group_free[g] < *again)
			*again = st->group_free[g];
		set ^= closed;
	}
	for (uint64_t full = st->full; HD_UNLIKELY(full != 0);) {
		unsigned q = hd_bits_pop(&full);

		set &= ~warps_of(st, st->kinds_of_queue[q]) | ((const struct hd_credits *)st->credits.v[q])->spared;
	}
	for (uint32_t i = 0; set && i < st->s.out.n; i++)
		if (HD_UNLIKELY(!hd_slots_free(&st->s.out.v[i])))
			set &= ~warps_of(st, st->kinds_of_route[i]);
	return set;
}

/* ---- reasons of lost issue slots, and what each warp waits for (docs/modern.md, IS10) ---- */

enum reason {
	REASON_SINGLE,
	REASON_EMPTY, REASON_EXIT, REASON_FETCH, REASON_ICACHE, REASON_BARRIER, REASON_FENCE, REASON_ATOMIC,
	REASON_COPY, REASON_OTHER, REASON_MBARRIER, REASON_MMA, REASON_POLICY,
	REASON_COUNT, REASON_YIELD, REASON_DEPBAR, REASON_REGISTER,
	REASON_COUNTER, /* and one for each further counter */
	REASON_FROZEN = REASON_COUNTER + HD_COUNTERS,
	REASON_INTERVAL, REASON_WIDE, REASON_QUEUE, REASON_RESULTS, REASON_CONSTANT, REASON_FULL,
	REASON_PRODUCTS, REASONS,
};

static const struct hd_reason reasons[] = {
	[REASON_SINGLE] = { "single", "an instruction was issued" },
	[REASON_EMPTY] = { "idle.empty", "no CTA has a warp of this sub-core" },
	STAGE_IDLE_REASONS,
	[REASON_COUNT] = { "dependence.stall", "the stall count of the instruction before it is not over" },
	[REASON_YIELD] = { "dependence.yield", "nor is that of one with a yield" },
	[REASON_DEPBAR] = { "dependence.depbar", "a DEPBAR holds the oldest warp" },
	[REASON_REGISTER] = { "dependence.register", "a register of the scoreboard" },
	[REASON_COUNTER] = { "dependence.sb0", "its wait mask has SB0, which is not 0" },
	[REASON_COUNTER + 1] = { "dependence.sb1", "its wait mask has SB1, which is not 0" },
	[REASON_COUNTER + 2] = { "dependence.sb2", "its wait mask has SB2, which is not 0" },
	[REASON_COUNTER + 3] = { "dependence.sb3", "its wait mask has SB3, which is not 0" },
	[REASON_COUNTER + 4] = { "dependence.sb4", "its wait mask has SB4, which is not 0" },
	[REASON_COUNTER + 5] = { "dependence.sb5", "its wait mask has SB5, which is not 0" },
	[REASON_FROZEN] = { "stall.frozen", "the sub-core is frozen: a register port is taken" },
	[REASON_INTERVAL] = { "stall.interval", "the initiation interval of its units is not over" },
	[REASON_WIDE] = { "stall.wide", "the instruction before had a result of several registers" },
	[REASON_QUEUE] = { "stall.memory_queue", "no place in the memory queue" },
	[REASON_RESULTS] = { "stall.result_queue", "the result queue is full" },
	[REASON_CONSTANT] = { "stall.constant", "its constant operand is not in the cache" },
	[REASON_FULL] = { "stall.full", "what is behind has no room, see unit and cause" },
	[REASON_PRODUCTS] = { "stall.warpgroup_mma",
			      "products of its warpgroup are issued and have not begun, as many as there may be" },
	[REASONS] = STAGE_NAMED_REASONS,
};

/* What the next instruction of a warp waits for. */
enum wait { WAIT_STALL, WAIT_COUNTER, WAIT_READY, WAIT_HELD, WAITS, MARK_FLUSHED = WAITS, MARKS };

static const struct hd_mark marks[] = {
	[WAIT_STALL] = { "stall", "the stall count before it is not over", NULL, NULL },
	[WAIT_COUNTER] = { "counter", "it waits for a dependence counter, or a register", "reg", NULL },
	[WAIT_READY] = { "ready", "its units or queues have no room, or another warp was chosen", NULL, NULL },
	[WAIT_HELD] = { "held", "a barrier, a fence, a copy or a DEPBAR holds its warp", NULL, NULL },
	[MARK_FLUSHED] = { "flushed", "dropped: its warp went elsewhere, or had ended", NULL, NULL },
	[MARKS] = { 0 },
};

/* The warps of the set whose next instruction waits for a counter, also in a frozen edge. */
static hd_warp_set waiting(const struct state *st, hd_warp_set set)
{
	hd_warp_set now = 0;

	while (st->counters && set) {
		uint32_t warp = hd_warp_pop(&set);

		if (st->wait_of_warp[warp] & st->counters->busy[warp])
			now |= hd_warp_bit(warp);
	}
	return now;
}

/* The register, or HD_REG_COUNTER + the counter, for which the next instruction of the warp waits; -1: none. */
static int64_t awaited(const struct state *st, uint32_t warp)
{
	uint32_t set = st->counters ? st->wait_of_warp[warp] & st->counters->busy[warp] : 0, reg;

	if (!hd_warp_in(st->ready, warp)) {
		reg = hd_scoreboard_register(st->s.scoreboard, stage_next(&st->s, warp));
		return reg != HD_AWAITS_NONE ? (int64_t)reg - 1 : -1;
	}
	return set ? (int64_t)(HD_REG_COUNTER + hd_bits_first(set)) : -1;
}

static int32_t why_dependent(const struct state *st, uint32_t warp, struct slot_row *row)
{
	if (hd_warp_in(st->stalled, warp))
		return hd_warp_in(st->yielded, warp) ? REASON_YIELD : REASON_COUNT;
	row->reg = awaited(st, warp);
	if (!hd_warp_in(st->ready, warp))
		return REASON_REGISTER;
	return row->reg >= 0 ? REASON_COUNTER + (int32_t)(row->reg - HD_REG_COUNTER) : REASON_DEPBAR;
}

static int32_t why_stalled(const struct state *st, uint32_t warp, struct slot_row *row)
{
	const struct needs *n = needs_of(st, warp);

	if (st->port_free > st->time)
		return REASON_WIDE;
	if (n->group < MAX_GROUPS && st->group_free[n->group] > st->time)
		return REASON_INTERVAL;
	for (uint64_t m = n->credits; m;) {
		const struct hd_credits *c = st->credits.v[hd_bits_pop(&m)];

		if (c->free == 0 && !hd_warp_in(c->spared, warp))
			return c->products ? REASON_PRODUCTS : c->taken ? REASON_QUEUE : REASON_RESULTS;
	}
	if (n->route == HD_NO_ROUTE || hd_slots_free(&st->s.out.v[n->route]))
		return REASON_CONSTANT;
	row->unit = (int32_t)route_of(st, n->route)->unit;
	row->cause = (int32_t)hd_stall_cause(st->s.ctx, &st->s.out.v[n->route],
	                                     hd_bits_first(st->s.out.v[n->route].slots));
	return REASON_FULL;
}

/* Marks the next instructions of the warps; that of the warp that issued is another one. */
static void log_all(struct state *st, hd_warp_set issued)
{
	const struct hd_warps *w = st->s.warps;
	hd_warp_set set = st->s.mine & st->s.ibuffer->filled & ~w->exited & ~issued;
	hd_warp_set held = set & (w->blocked | (st->held & ~st->stalled)), rest = set & ~held;
	hd_warp_set stalled = rest & st->stalled, counter;

	rest &= ~stalled;
	counter = rest & (~st->ready | waiting(st, rest));
	hd__slots_wait(&st->s, WAIT_HELD, held, NULL);
	hd__slots_wait(&st->s, WAIT_STALL, stalled, NULL);
	for (hd_warp_set each = counter; each;) {
		uint32_t warp = hd_warp_pop(&each), reg = (uint32_t)awaited(st, warp);

		if (reg != st->awaited[warp])
			st->s.slots.waits_for[WAIT_COUNTER] &= ~hd_warp_bit(warp);
		st->awaited[warp] = reg;
	}
	hd__slots_wait(&st->s, WAIT_COUNTER, counter, st->awaited);
	hd__slots_wait(&st->s, WAIT_READY, rest & ~counter, NULL);
}

/* Of warps that have an instruction and are not held those that only lack a unit. */
static hd_warp_set without_unit(const struct state *st, hd_warp_set set)
{
	hd_warp_set free = set & ~st->stalled & st->ready;

	if (st->counters)
		free &= ~waiting(st, free) & ~(st->held & ~st->stalled);
	return free ? free : set;
}

/* An edge in which nothing is issued, if it matters to which kernel it belongs. */
static __attribute__((noinline)) void lose(struct state *st, enum outcome o, hd_warp_set set)
{
	if (o != ISSUED && stage_counts_by_kernel(&st->s))
		hd__stage_lost(&st->s, o == STALL ? without_unit(st, set) : o == DEPENDENCE ? set : 0);
}

/* Accounts for the edge.  `set`: the warps that had an instruction and were not held; `issued`: those
 * that issued.  Returns true if the reason may be another one at the next edge although nothing here
 * changes. */
static __attribute__((noinline)) bool account(struct state *st, enum outcome o, hd_warp_set set,
                                              hd_warp_set issued)
{
	struct slot_row now = { .unit = -1, .cause = -1, .reg = -1, .warp = -1 };

	switch (o) {
	case ISSUED: now.reason = REASON_SINGLE; break;
	case FROZEN: now.reason = REASON_FROZEN; break;
	case IDLE: now.reason = slots_reason(hd__slots_idle(&st->s, &now), REASON_EMPTY, REASONS); break;
	case DEPENDENCE:
		now.warp = hd__slots_oldest(&st->s, set);
		now.reason = why_dependent(st, (uint32_t)now.warp, &now);
		break;
	case STALL:
		now.warp = hd__slots_oldest(&st->s, without_unit(st, set));
		now.reason = why_stalled(st, (uint32_t)now.warp, &now);
		break;
	}
	if (now.warp >= 0)
		hd__slots_name(&st->s, (uint32_t)now.warp, &now);
	hd__slots_count(&st->s, &now);
	log_all(st, issued);
	return o == STALL || o == FROZEN;
}

/* ---- what the issue of an instruction changes ---- */

/* Cycles until the warp may issue again. */
static uint32_t stall_of(const struct state *st, const struct hd_control *c)
{
	bool yield = c->flags & HD_CONTROL_YIELD;

	if (c->stall == 0)
		return yield ? st->yield_zero : 1;
	if (yield)
		return c->stall > 2 ? c->stall : 2;
	return c->stall >= st->collapse_from ? st->collapse : c->stall;
}

static __attribute__((noinline)) void synchronise(struct state *st, hd_inst_ref ref, const struct hd_inst *inst)
{
	if ((inst->flags & HD_INST_ATOMIC) && inst->nlanes) {
		if (st->s.scoreboard)
			hd_warp_atomics_sent(st->s.warps, inst->warp, inst->nlanes);
		else
			hd_warp_atomics_owed(st->s.warps, inst->warp, inst->nlanes);
	}
	hd__stage_synchronise(&st->s, ref, inst);
}

static inline __attribute__((always_inline)) void take_effect(struct state *st, hd_inst_ref ref,
                                                             const struct hd_inst *inst, bool quiet)
{
	if (inst->exits) {
		hd__stage_exit(&st->s, inst);
		if (hd_warp_in(st->s.warps->exited, inst->warp))
			forget(st, inst->warp);
	}
	if (HD_UNLIKELY(inst->flags & SYNC_FLAGS))
		synchronise(st, ref, inst);
	if (!quiet && st->s.scoreboard)
		stage_reserve(&st->s, inst);
}

/* What its control word does to its warp, and its group to all. */
static inline __attribute__((always_inline)) void take_time(struct state *st, const struct hd_inst *inst, uint32_t g,
                                                           bool quiet)
{
	const struct hd_control *c = &inst->control;
	uint32_t cycles = 1;

	if (st->stalls && (c->flags & HD_CONTROL_GIVEN))
		cycles = stall_of(st, c);
	if (g < MAX_GROUPS) {
		const struct group *group = group_of(st, g);

		st->group_free[g] = st->time + group->interval;
		st->groups_taken |= hd_bit(g);
		if (cycles < group->least)
			cycles = group->least;
		if (c->ndst > 1)
			st->port_free = st->time + 1 + group->wide;
	}
	stall_until(st, inst->warp, st->time + cycles);
	if (!quiet && HD_UNLIKELY(st->s.ctx->observed)) {
		st->yielded &= ~hd_warp_bit(inst->warp);
		if (c->flags & HD_CONTROL_YIELD)
			st->yielded |= hd_warp_bit(inst->warp);
	}
	if (HD_UNLIKELY(c->flags & HD_CONTROL_DEPBAR) && (quiet || st->counters)) {
		st->held |= hd_warp_bit(inst->warp);
		st->hold[inst->warp] = (struct hold){ .from = st->time + st->depbar_hold,
			.counter = c->depbar, .list = c->list, .most = inst->imm };
	}
}

/* An instruction that reads the clock has been issued. */
static void note_clock(struct state *st, const struct hd_inst *inst)
{
	const struct hd_warps *w = st->s.warps;
	const struct hd_cell row[] = {
		{ "kernel", NULL, inst->kernel },
		{ "block", NULL, w->block[w->cta[inst->warp]] },
		{ "warp", NULL, hd_warp_in_cta(w, inst->warp) },
		{ "pc", NULL, inst->pc },
		{ "cycle", NULL, hd_now(st->s.ctx) },
	};

	hd_emit(st->s.ctx, EVENT_CLOCK, inst->warp, inst->pc, (int64_t)hd_now(st->s.ctx));
	if (st->clock_reads++ < st->clock_rows)
		hd_row(st->s.ctx, "clock_reads", row, sizeof row / sizeof *row);
}

static int no_control(struct state *st, const struct hd_inst *inst)
{
	return hd_error(st->s.ctx, "the instruction of warp %u at pc 0x%x has no control word; expected 'control' "
	                "of the trace source to be \"traced\" or \"synthesised\"", inst->warp, inst->pc);
}

static inline __attribute__((always_inline)) bool issue(struct state *st, uint32_t warp, bool quiet)
{
	const struct needs *needs = needs_of(st, warp);
	hd_inst_ref ref = hd_ibuffer_head(st->s.ibuffer, warp);
	struct hd_inst *inst = hd_inst(st->s.pool, ref);
	const struct hd_end *end;

	if (HD_UNLIKELY(needs->route == HD_NO_ROUTE)) {
		hd__stage_lacks_unit(&st->s, warp);
		return false;
	}
	if (HD_UNLIKELY((quiet || st->counters) && !(inst->control.flags & HD_CONTROL_GIVEN))) {
		no_control(st, inst);
		return false;
	}
	end = &st->s.out.v[needs->route];
	for (uint64_t m = needs->takes; m;) {
		struct hd_credits *c = (struct hd_credits *)st->credits.v[hd_bits_pop(&m)];

		if (c->free)
			hd_credits_set(c, c->free - 1);
		c->spared &= ~hd_warp_bit(warp);
	}
	if (!quiet)
		hd_for_part(st->s.ctx, inst->kernel);
	inst->uid = hd_warps_next_uid(st->s.warps, warp, !quiet && st->s.ctx->parts);
	inst->sched = (uint8_t)st->s.ctx->index;
	take_time(st, inst, needs->group, quiet);
	hd_slot_put(end, hd_bits_first(hd_slots_free(end)), &ref, sizeof ref);
	hd_ibuffer_pop(st->s.ibuffer, warp);
	hd_warp_set_npc(st->s.warps, warp, inst->pc + st->s.instruction_bytes);
	hd_warp_issued(st->s.warps, st->s.mine, warp);
	if (!quiet)
		hd_emit(st->s.ctx, EVENT_ISSUE, st->s.ctx->index, warp, inst->pc);
	if (HD_UNLIKELY(inst->control.flags & HD_CONTROL_CLOCK))
		note_clock(st, inst);
	if (st->hazards)
		st->hazards->issued(st->hazards->self, inst, st->time);
	take_effect(st, ref, inst, quiet);
	st->issued++;
	st->synthetic += (inst->control.flags & HD_CONTROL_SYNTHETIC) != 0;
	st->constant &= ~hd_warp_bit(warp);
	refresh(st, warp, quiet);
	if (HD_UNLIKELY(st->s.ibuffer->refill_room)) {
		if (hd_ibuffer_has_room(st->s.ibuffer, warp))
			hd_warp_fetchable(st->s.warps);
	} else if (!hd_warp_in(st->s.ibuffer->filled, warp)) {
		hd_warp_fetchable(st->s.warps);
	}
	hd_policy_issued(st->s.policy, warp, 0);
	st->greedy = warp;
	st->patience = st->constant_wait;
	return true;
}

/* ---- kinds of instructions, which need the same room ---- */

static int class_groups(struct state *st)
{
	memset(st->group, MAX_GROUPS, sizeof st->group);
	for (uint32_t i = 0; i < st->groups.n; i++)
		if (hd_class_note(st->s.ctx, st->group, MAX_GROUPS, group_of(st, i)->classes, i,
		                  "rows of \"groups\" name") != 0)
			return -1;
	return 0;
}

static bool same_needs(const struct needs *a, const struct needs *b)
{
	return a->route == b->route && a->group == b->group && a->credits == b->credits && a->takes == b->takes;
}

/* The kind of instructions that need this; a new one, if there is none yet. */
static uint8_t kind_of(struct state *st, const struct needs *needs, uint32_t *kinds)
{
	uint32_t k = 0;

	while (k < *kinds && !same_needs(&st->needs[k], needs))
		k++;
	if (k < *kinds)
		return (uint8_t)k;
	st->needs[(*kinds)++] = *needs;
	if (needs->route != HD_NO_ROUTE)
		st->kinds_of_route[needs->route] |= hd_bit(k);
	if (needs->group != MAX_GROUPS)
		st->kinds_of_group[needs->group] |= hd_bit(k);
	for (uint64_t m = needs->credits; m;)
		st->kinds_of_queue[hd_bits_pop(&m)] |= hd_bit(k);
	return (uint8_t)k;
}

/* In start: the queues have set their classes.  Those that nothing names are kind 0, if there are such. */
static void find_kinds(struct state *st)
{
	struct needs none = { .route = HD_NO_ROUTE, .group = MAX_GROUPS };
	uint32_t kinds = 0;
	uint64_t named = 0;

	for (uint32_t i = 0; i < st->s.out.n; i++)
		named |= route_of(st, i)->classes;
	for (uint32_t i = 0; i < st->groups.n; i++)
		named |= group_of(st, i)->classes;
	for (uint32_t i = 0; i < st->credits.n; i++)
		named |= ((const struct hd_credits *)st->credits.v[i])->classes;
	if (named != UINT64_MAX)
		kind_of(st, &none, &kinds);
	while (named) {
		unsigned c = hd_bits_pop(&named);
		struct needs needs = { .route = st->s.route[c], .group = st->group[c] };

		for (uint32_t i = 0; i < st->credits.n; i++) {
			const struct hd_credits *q = st->credits.v[i];

			if (!hd_bits_has(q->classes, c))
				continue;
			needs.credits |= (uint8_t)(1u << i);
			needs.takes |= (uint8_t)(q->taken << i);
		}
		st->kind[c] = kind_of(st, &needs, &kinds);
	}
}

/* ---- an edge ---- */

/* Is the constant operand of the warp's next instruction there? */
static inline bool constant_there(struct state *st, uint32_t warp)
{
	const struct hd_inst *inst = stage_next(&st->s, warp);

	if (!(inst->control.flags & HD_CONTROL_CONSTANT) || !st->constants || inst->space == HD_SPACE_CONST)
		return true;
	return st->constants->look_up(st->constants->self, warp, inst->control.bank, inst->control.constant);
}

/* The first of the set in the order of the policy whose constant is there. */
static inline __attribute__((always_inline)) bool issue_first(struct state *st, hd_warp_set set, bool quiet)
{
	set &= ~st->constant;
	while (set) {
		uint32_t warp = set & (set - 1) ? hd_policy_first(st->s.ctx, st->s.policy, set) : hd_warp_first(set);

		if (constant_there(st, warp))
			return issue(st, warp, quiet);
		if (warp == st->greedy && st->patience) {
			st->patience--;
			return false;
		}
		st->constant |= hd_warp_bit(warp);
		set &= ~hd_warp_bit(warp);
	}
	return false;
}

/* Drops what the warps of the set have of paths that they do not take. */
static hd_warp_set flush_wrong(struct state *st, hd_warp_set set)
{
	hd_warp_set flushed = 0;

	while (set) {
		uint32_t warp = hd_warp_pop(&set);
		const struct hd_inst *inst = stage_next(&st->s, warp);

		if (!(inst->flags & HD_INST_WRONG_PATH))
			continue;
		hd__stage_empty(&st->s, warp);
		hd_warp_flush(st->s.warps, warp);
		flushed |= hd_warp_bit(warp);
	}
	return flushed;
}

/* What the warps of a set do in a cycle. */
struct cycle {
	hd_warp_set set;  /* those that may issue */
	hd_warp_set pass; /* those that do not wait for a stall, a counter or a register */
	uint64_t again;   /* when to look again, if nothing else changes */
};

/* ISSUED: some of them may issue. */
static inline __attribute__((always_inline)) enum outcome consider(struct state *st, hd_warp_set set,
                                                                  struct cycle *c, bool quiet)
{
	*c = (struct cycle){ .again = UINT64_MAX };
	if (!set)
		return IDLE;
	set &= ~(st->stalled | st->counting);
	if (!quiet)
		set &= st->ready;
	if (!quiet && HD_UNLIKELY(st->held & set))
		set &= ~held_now(st, st->held & set);
	if (!set)
		return DEPENDENCE;
	c->pass = set;
	if (st->port_free > st->time) {
		c->again = st->port_free;
		return STALL;
	}
	c->set = with_room(st, set, &c->again);
	return c->set ? ISSUED : STALL;
}

static void count(struct state *st, enum outcome o, uint64_t n)
{
	if (o == IDLE)
		st->idle += n;
	else if (o == DEPENDENCE)
		st->dependence += n;
	else if (o == STALL || o == FROZEN)
		st->stall += n;
}

/* A frozen edge.  If nothing could have been issued anyway, and nothing has changed, it counts like the
 * last one, as it does for a stage that sleeps. */
static __attribute__((noinline)) void stand_still(struct state *st)
{
	uint64_t now = hd_now(st->s.ctx);
	bool same = st->last != ISSUED && !hd_warps_waking(st->s.warps, st->s.mine, now);

	if (!same) {
		st->last = FROZEN;
		lose(st, FROZEN, 0);
	}
	count(st, st->last, 1);
	if (same && st->s.slots.n)
		st->s.slots.n++;
	else if (HD_UNLIKELY(st->s.ctx->observed))
		account(st, FROZEN, 0, 0);
}

/* The stage is not woken by what does not change that `last` is the outcome of a cycle.  If it looks again in the next
 * cycle anyway, as after an issue, instructions that come behind others need not wake it. */
static inline void rest(struct state *st, bool awake, hd_warp_set pass, bool quiet)
{
	hd_warp_set mine = (quiet || !awake) && st->rests && !st->constant ? st->s.mine : 0;

	hd_warps_rest(st->s.warps, st->s.mine, mine, awake ? 0 : mine & ~pass);
}

/* Unfrozen cycles until the stage has to look again; c->again as in struct cycle. */
static uint64_t sleep_for(const struct state *st, const struct cycle *c)
{
	uint64_t again = c->again;

	if (st->wheel_set && st->time + next_stall(st) < again)
		again = st->time + next_stall(st);
	return again == UINT64_MAX ? HD_SLEEP : again - st->time;
}

/* Takes what has changed of the warps. */
static inline __attribute__((always_inline)) hd_warp_set take_changes(struct state *st, bool quiet)
{
	struct hd_warps *w = st->s.warps;
	hd_warp_set changed = hd_warps_take_all(w, st->s.mine), fresh = 0;

	st->constant &= ~changed;
	for (hd_warp_set set = changed; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (HD_UNLIKELY(st->age[warp] != w->age[warp] + 1) && !hd_warp_in(w->exited, warp))
			fresh |= hd_warp_bit(warp);
		refresh(st, warp, quiet);
	}
	if (HD_UNLIKELY(fresh))
		start_new(st, fresh);
	return changed;
}

/* The warps that have an instruction and do not wait for others. */
static inline hd_warp_set free_to_issue(struct state *st, hd_warp_set changed)
{
	struct hd_warps *w = st->s.warps;
	hd_warp_set fences = st->s.mine & w->blocked_by[HD_BLOCK_FENCE] & ~w->exited, allowed = HD_ALL_WARPS, set;

	while (HD_UNLIKELY(fences))
		st->s.fence->holds(st->s.fence->self, hd_warp_pop(&fences));
	if (st->s.policy->begin) {
		if (changed && st->s.policy->changed)
			st->s.policy->changed(st->s.policy->self, changed);
		allowed = st->s.policy->begin(st->s.policy->self, st->s.mine & ~w->exited & ~w->blocked);
	}
	set = st->s.mine & st->s.ibuffer->filled & ~w->exited & ~w->blocked & allowed;
	if (HD_UNLIKELY(st->s.ibuffer->wrong & set))
		set &= ~flush_wrong(st, st->s.ibuffer->wrong & set);
	return set;
}

static inline __attribute__((always_inline)) uint64_t evaluate(struct state *st, uint64_t now, bool quiet)
{
	const struct hd_warps *w = st->s.warps;
	hd_warp_set changed, set;
	enum outcome last;
	struct cycle c;

	advance(st, st->freeze ? now - st->freeze->cycles : now);
	changed = take_changes(st, quiet);
	set = quiet ? st->s.mine & st->s.ibuffer->filled & ~(w->exited | w->blocked) : free_to_issue(st, changed);
	last = consider(st, set, &c, quiet);
	if (last == ISSUED && !issue_first(st, c.set, quiet)) {
		last = STALL;
		if (c.set & ~st->constant) /* the others are touched when their constants are there */
			c.again = st->time + 1;
	}
	st->last = last;
	if (!quiet)
		lose(st, last, set);
	if (!quiet && ((HD_UNLIKELY(st->s.ctx->observed)
	                && account(st, last, set, last == ISSUED ? hd_warp_bit(st->greedy) : 0))
	               || (st->s.ctx->parts && last == STALL))) /* who only lacks a unit changes without a wake-up */
		c.again = st->time + 1;
	if (last == ISSUED) {
		st->single++;
		rest(st, true, 0, quiet);
		return HD_NEXT;
	}
	count(st, last, 1);
	if (!quiet && (st->s.policy->needs_every_edge || (st->held & set)
	               || (st->s.mine & w->blocked_by[HD_BLOCK_FENCE])))
		c.again = st->time + 1;
	rest(st, c.again == st->time + 1, c.pass, quiet);
	return sleep_for(st, &c);
}

static __attribute__((noinline)) uint64_t eval_any(struct state *st, uint64_t now)
{
	return evaluate(st, now, false);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->s.ctx);

	if (HD_UNLIKELY(hd_frozen(st->freeze, now))) {
		stand_still(st);
		return HD_NEXT;
	}
	if (HD_LIKELY(st->quiet)
	    && HD_LIKELY(!(st->s.mine & (st->held | st->s.warps->blocked_by[HD_BLOCK_FENCE] | st->s.ibuffer->wrong))))
		return evaluate(st, now, true);
	return eval_any(st, now);
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	count(st, st->last, n);
	if (st->s.slots.n)
		st->s.slots.n += (int64_t)n;
	if (st->s.policy->skipped)
		st->s.policy->skipped(st->s.policy->self, n);
}

/* ---- callbacks -------------------------------------------------------------------------------------- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	hd_warps_on_clock(st->s.warps, ctx);
	if (st->s.scoreboard && st->counters)
		return hd_error(ctx, "ports 'counters' and 'scoreboard' are both linked; expected a link at one "
		                "of them");
	return hd__stage_init(&st->s, ctx, EVENT_SLOT, MARK_FLUSHED) || class_groups(st) ? -1 : 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (hd__stage_start(&st->s))
		return -1;
	st->ready = st->s.mine;
	if (st->credits.n > MAX_CREDITS)
		return hd_error(st->s.ctx, "%u links at port 'credits'; expected at most %u", st->credits.n,
		                MAX_CREDITS);
	for (uint32_t i = 0; i < st->credits.n; i++) {
		struct hd_credits *c = (struct hd_credits *)st->credits.v[i];

		if (c->issue.word)
			return hd_error(st->s.ctx, "another issue stage takes places of the same queue; expected "
			                "one for each");
		c->issue = st->s.ctx->self;
		c->full = (struct hd_waker){ &st->full, hd_bit(i) };
		st->full |= c->free ? 0 : hd_bit(i);
	}
	find_kinds(st);
	st->quiet = st->counters && !st->s.policy->begin && !st->s.policy->needs_every_edge
	            && !st->s.ctx->observable && !st->s.ctx->parts;
	st->rests = !st->s.policy->begin && !st->s.policy->skipped && !st->s.warps->several_clocks;
	if (st->freeze && st->freeze->issue.word)
		st->rests = false; /* several stages are frozen together: another one is woken */
	else if (st->freeze)
		st->freeze->issue = st->s.ctx->self;
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, time, head);
	HD_SAVED_FROM(k, st, greedy, awaited);
	HD_SAVED(k, st->s.slots);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that take this route",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct route, classes), .min = 1,
	  .max = 64 },
	{ .name = "unit", .unit = "", .doc = "kind of unit of this route", .type = HD_SYMBOL, .kind = "unit",
	  .offset = offsetof(struct route, unit) },
	{ .name = NULL },
};

static const struct hd_param group_columns[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions of one group of units",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct group, classes), .min = 1,
	  .max = 64 },
	{ .name = "interval", .unit = "cycles", .doc = "initiation interval: between two of them, of any "
	  "warps", .type = HD_U32, .def = "1", .offset = offsetof(struct group, interval), .min = 1,
	  .max = 64 },
	{ .name = "least", .unit = "cycles", .doc = "least stall of their warp, whatever the control word "
	  "says", .type = HD_U32, .def = "1", .offset = offsetof(struct group, least), .min = 1, .max = 63 },
	{ .name = "wide", .unit = "cycles", .doc = "in which nothing is issued behind one with a result of "
	  "several registers", .type = HD_U32, .def = "0", .offset = offsetof(struct group, wide), .max = 64 },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "groups", .unit = "", .doc = "classes of instructions that share units", .type = HD_TABLE,
	  .offset = P(groups), .def = "[]", .max = MAX_GROUPS, .columns = group_columns,
	  .row_size = sizeof(struct group) },
	{ .name = "stalls", .unit = "", .doc = "stall and yield of control words count", .type = HD_BOOL,
	  .offset = P(stalls), .def = "true" },
	{ .name = "yield_zero", .unit = "cycles", .doc = "stall 0 with a yield", .type = HD_U32,
	  .offset = P(yield_zero), .def = "54", .min = 1, .max = WHEEL - 1 },
	{ .name = "collapse_from", .unit = "cycles", .doc = "a stall of so many and more, without a yield, "
	  "collapses", .type = HD_U32, .offset = P(collapse_from), .def = "12", .min = 1, .max = 16 },
	{ .name = "collapse", .unit = "cycles", .doc = "to this", .type = HD_U32, .offset = P(collapse),
	  .def = "1", .min = 1, .max = HD_MAX_STALL },
	{ .name = "depbar_hold", .unit = "cycles", .doc = "from a DEPBAR until it holds its warp",
	  .type = HD_U32, .offset = P(depbar_hold), .def = "4", .min = 1, .max = WHEEL - 1 },
	{ .name = "launch_latency", .unit = "cycles", .doc = "from the launch of a CTA until the first of its "
	  "warps may issue", .type = HD_U32, .offset = P(launch_latency), .def = "8", .max = 32 },
	{ .name = "launch_distance", .unit = "cycles", .doc = "from warp to warp that were launched together",
	  .type = HD_U32, .offset = P(launch_distance), .def = "2", .max = 32 },
	{ .name = "constant_wait", .unit = "cycles", .doc = "for which the warp that issued last is waited for "
	  "when its constant is missing, before another is considered", .type = HD_U32,
	  .offset = P(constant_wait), .def = "4", .max = 1024 },
	{ .name = "clock_rows", .unit = "", .doc = "clock reads of this stage that the statistics list, the first "
	  "ones", .type = HD_U32, .offset = P(clock_rows), .def = "1000", .max = 1000000 },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(s.instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "out", .doc = "the control stage, or register sets of collectors", .kind = HD_OUT,
	  .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(s.out),
	  .attrs = route_params, .attr_size = sizeof(struct route) },
	{ .name = "warps", .doc = "running and blocked warps; this stage serves the slots whose "
	  "number modulo the array's size is its index", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(s.warps) },
	{ .name = "ibuffer", .doc = "instructions to issue", .kind = HD_USES,
	  .type = &hd_type_ibuffer, .offset = P(s.ibuffer) },
	{ .name = "scoreboard", .doc = "checked and reserved, in place of counters; open: "
	  "instructions wait for no register", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_scoreboard, .offset = P(s.scoreboard) },
	{ .name = "counters", .doc = "dependence counters, for which instructions wait; open: they "
	  "wait for none", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_counters,
	  .offset = P(counters) },
	{ .name = "freeze", .doc = "cycles in which the sub-core stands still; open: it never does",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_freeze, .offset = P(freeze) },
	{ .name = "credits", .doc = "queues that must have a place for the instruction",
	  .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL, .type = &hd_type_credits,
	  .offset = P(credits) },
	{ .name = "constants", .doc = "cache of constant operands; open: all are there",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_constants_if,
	  .offset = P(constants) },
	{ .name = "barrier", .doc = "gets barriers and exits", .kind = HD_USES,
	  .type = &hd_type_barrier_if, .offset = P(s.barrier) },
	{ .name = "fence", .doc = "gets fences; open: they cost nothing", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_fence_if, .offset = P(s.fence) },
	{ .name = "async", .doc = "units that hear of the issue of their instructions", .kind = HD_USES,
	  .flags = HD_ARRAY | HD_OPTIONAL, .type = &hd_type_async_if, .offset = P(s.async) },
	{ .name = "copy", .doc = "gets asynchronous copies; open: no warp waits", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_copy_if, .offset = P(s.copy) },
	{ .name = "hazards", .doc = "gets each instruction; open: they are not checked",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_hazards_if,
	  .offset = P(hazards) },
	{ .name = "policy", .doc = "order of the warps", .kind = HD_USES,
	  .type = &hd_type_sched_policy_if, .offset = P(s.policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "single", .unit = "cycles", .doc = "cycles in which an instruction was issued",
	  .offset = P(single), .total = "issue.single", .part = true },
	{ .name = "dual", .unit = "cycles", .doc = "cycles in which two were; there are none",
	  .offset = P(dual), .total = "issue.dual", .part = true },
	{ .name = "stall", .unit = "cycles", .doc = "cycles in which a warp's dependences let it pass, and its "
	  "unit, a queue or a frozen sub-core did not", .offset = P(stall), .total = "issue.stall", .part = true },
	{ .name = "dependence", .unit = "cycles", .doc = "cycles in which every warp with an instruction waited "
	  "for its stall, a counter or a register", .offset = P(dependence),
	  .total = "issue.scoreboard", .part = true },
	{ .name = "idle", .unit = "cycles", .doc = "cycles in which no warp had an instruction that "
	  "it was free to issue", .offset = P(idle), .total = "issue.idle", .part = true },
	{ .name = "issued", .unit = "warp instructions", .doc = "instructions issued",
	  .offset = P(issued), .total = "warp_instructions", .ratio = "IPC", .part = true },
	{ .name = "synthetic", .unit = "warp instructions", .doc = "of these, with a control word that was made "
	  "for this run", .offset = P(synthetic), .total = "synthetic_control" },
	{ .name = "clock_reads", .unit = "warp instructions", .doc = "of these, that read the clock; the first are "
	  "listed", .offset = P(clock_reads) },
	{ .name = NULL },
};

static void end_observation(void *state)
{
	hd__slots_flush(&((struct state *)state)->s);
}

static const struct hd_by_slot by_slot[] = {
	{ .name = "stalled", .offset = P(stalled), .size = sizeof(hd_warp_set) },
	{ .name = "held", .offset = P(held), .size = sizeof(hd_warp_set) },
	{ .name = "constant", .offset = P(constant), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ISSUE] = { .name = "issue", .doc = "an instruction was issued", .flags = HD_EVENT_DETAIL,
	                  .fields = { { "sched", "", "index of the issue stage" },
	                              { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "pc", "bytes", "its address" } } },
	[EVENT_CLOCK] = { .name = "clock", .doc = "an instruction that reads the clock was issued",
	                  .fields = { { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "pc", "bytes", "its address" },
	                              { "clock", "cycles", "what it reads" } } },
	[EVENT_SLOT] = STAGE_SLOT_EVENT("stall.full: of what has no room", "and why it is not emptied",
	                               "dependence: its number, of a counter 1024 more; -1: does not apply"),
	{ .name = NULL },
};

const struct hd_module hd_module_issue_control = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue_control",
	.doc = "issue stage that follows the control words of the instructions",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.marks = marks,
	.reasons = reasons,
	.end_observation = end_observation,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

/* control_sets.h - private to issue_control: its state, and the sets of warps that may issue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Which warps may issue is kept in sets: those whose stall is not over leave theirs by a wheel of
 * times, and those whose next instruction is of one kind need the same room.
 */
#ifndef MODULES_ISSUE_CONTROL_CONTROL_SETS_H
#define MODULES_ISSUE_CONTROL_CONTROL_SETS_H

#include <heddle/gpu/control.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/routes.h>
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

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

/* How the present edges are used, for dumps: members of the event `slot`. */
struct slot_row {
	int32_t reason, unit, cause, warp;
	uint32_t code, pc, kernel;
};

enum outcome { IDLE, DEPENDENCE, STALL, FROZEN, ISSUED };

struct state {
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	struct hd_ibuffer *ibuffer;
	struct hd_scoreboard *scoreboard;
	struct hd_counters *counters;
	struct hd_freeze *freeze;
	struct hd_ifs credits;
	const struct hd_constants_if *constants;
	const struct hd_hazards_if *hazards;
	const struct hd_barrier_if *barrier;
	const struct hd_fence_if *fence;
	const struct hd_copy_if *copy;
	const struct hd_sched_policy_if *policy;
	struct hd_pool *pool;
	struct hd_ends out;
	struct hd_table groups;
	uint32_t instruction_bytes, yield_zero, collapse, collapse_from, depbar_hold, constant_wait, clock_rows;
	uint32_t launch_distance, launch_latency;
	bool stalls;
	bool rests;              /* it may sleep through what only makes warps wait longer */
	bool quiet;              /* it is not observed, its policy does nothing of itself, and it has counters */
	uint8_t route[64], group[64], kind[64]; /* by class */
	struct needs needs[64];  /* by kind */
	uint64_t kinds_of_group[MAX_GROUPS], kinds_of_queue[MAX_CREDITS], kinds_of_route[HD_MAX_ROUTES];

	hd_warp_set mine;
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
	/* for dumps */
	hd_warp_set yielded;     /* those whose stall is that of a yield */
	hd_warp_set logged[4];   /* by enum wait: those whose next instruction has that mark */
	struct slot_row row;
	uint64_t row_edges;      /* edges like that; 0: none yet */
	uint64_t single, dual, stall, dependence, idle, issued, synthetic, clock_reads;
};

enum { PORT_OUT, PORT_WARPS, PORT_IBUFFER, PORT_SCOREBOARD, PORT_COUNTERS, PORT_FREEZE, PORT_CREDITS,
	PORT_CONSTANTS, PORT_BARRIER, PORT_FENCE, PORT_COPY, PORT_HAZARDS, PORT_POLICY };
enum { EVENT_ISSUE, EVENT_CLOCK, EVENT_SLOT };

static const struct route *route_of(const struct state *st, uint32_t i)
{
	return st->out.v[i].attr;
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
	if (hd_scoreboard_collides(st->scoreboard, inst))
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

/* The warp's next instruction, or what is known about it, has changed.  Here and below, quiet: st->quiet, and no warp of
 * the stage has a fence pending, is behind a DEPBAR or has a wrong path. */
static inline __attribute__((always_inline)) void refresh(struct state *st, uint32_t warp, bool quiet)
{
	hd_warp_set bit = hd_warp_bit(warp);
	const struct hd_inst *inst;
	hd_inst_ref ref;

	if (!(st->ibuffer->filled & bit)) {
		st->head[warp] = 0;
		return;
	}
	ref = hd_ibuffer_head(st->ibuffer, warp);
	inst = hd_inst(st->pool, ref);
	if (!quiet && HD_UNLIKELY(st->scoreboard != NULL))
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

/* Warps that were launched together start one after the other, in the order of their launch. */
static __attribute__((noinline)) void start_new(struct state *st, hd_warp_set fresh)
{
	struct hd_warps *w = st->warps;

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

/* Those of the set that a DEPBAR holds now; the others of them are free again. */
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
	for (uint64_t full = st->full; HD_UNLIKELY(full != 0);)
		set &= ~warps_of(st, st->kinds_of_queue[hd_bits_pop(&full)]);
	for (uint32_t i = 0; set && i < st->out.n; i++)
		if (HD_UNLIKELY(!hd_slots_free(&st->out.v[i])))
			set &= ~warps_of(st, st->kinds_of_route[i]);
	return set;
}

#endif

/* control_account.h - private to issue_control: reasons of lost issue slots, and what each warp waits for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For dumps only (docs/modern.md, IS10).  Every edge of the stage has one reason; the reasons of a
 * group add up to the statistic of that name.  If several warps wait, it is that of the oldest.
 */
#ifndef MODULES_ISSUE_CONTROL_CONTROL_ACCOUNT_H
#define MODULES_ISSUE_CONTROL_CONTROL_ACCOUNT_H

#include "control_sets.h"

enum reason {
	REASON_SINGLE,
	REASON_EMPTY, REASON_EXIT, REASON_FETCH, REASON_ICACHE, REASON_BARRIER, REASON_FENCE, REASON_ATOMIC,
	REASON_COPY, REASON_OTHER, REASON_POLICY,
	REASON_COUNT, REASON_YIELD, REASON_DEPBAR, REASON_REGISTER,
	REASON_COUNTER, /* and one for each further counter */
	REASON_FROZEN = REASON_COUNTER + HD_COUNTERS,
	REASON_INTERVAL, REASON_WIDE, REASON_QUEUE, REASON_RESULTS, REASON_CONSTANT, REASON_FULL, REASONS,
};

static const struct hd_reason reasons[] = {
	[REASON_SINGLE] = { "single", "an instruction was issued" },
	[REASON_EMPTY] = { "idle.empty", "no CTA has a warp of this sub-core" },
	[REASON_EXIT] = { "idle.exit", "its warps have ended and drain the pipeline" },
	[REASON_FETCH] = { "idle.fetch", "the oldest warp waits for fetch and decode" },
	[REASON_ICACHE] = { "idle.icache", "the oldest warp waits for the instruction cache" },
	[REASON_BARRIER] = { "idle.barrier", "the oldest warp waits at a barrier" },
	[REASON_FENCE] = { "idle.fence", "the oldest warp waits at a memory fence" },
	[REASON_ATOMIC] = { "idle.atomic", "the oldest warp waits for the response to an atomic" },
	[REASON_COPY] = { "idle.copy", "the oldest warp waits for asynchronous copies" },
	[REASON_OTHER] = { "idle.other", "a unit holds the oldest warp" },
	[REASON_POLICY] = { "idle.policy", "the policy considers no warp that could issue" },
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
	[REASONS] = { 0 },
};

/* What the next instruction of a warp waits for. */
enum wait { WAIT_STALL, WAIT_COUNTER, WAIT_READY, WAIT_HELD, WAITS, MARK_FLUSHED = WAITS, MARKS };

static const struct hd_mark marks[] = {
	[WAIT_STALL] = { "stall", "the stall count before it is not over", NULL, NULL },
	[WAIT_COUNTER] = { "counter", "it waits for a dependence counter, or a register", NULL, NULL },
	[WAIT_READY] = { "ready", "its units or queues have no room, or another warp was chosen", NULL, NULL },
	[WAIT_HELD] = { "held", "a barrier, a fence, a copy or a DEPBAR holds its warp", NULL, NULL },
	[MARK_FLUSHED] = { "flushed", "dropped: its warp went elsewhere, or had ended", NULL, NULL },
	[MARKS] = { 0 },
};

static int32_t why_idle(const struct state *st, uint32_t *warp)
{
	static const uint8_t held[HD_BLOCKS] = { REASON_BARRIER, REASON_FENCE, REASON_ATOMIC, REASON_COPY,
		REASON_OTHER };
	const struct hd_warps *w = st->warps;
	hd_warp_set live = st->mine & ~w->exited, ended = st->mine & ~w->retired;

	if (!(live | ended))
		return REASON_EMPTY;
	*warp = hd_warps_oldest(w, live ? live : ended);
	if (!live)
		return REASON_EXIT;
	for (int b = 0; b < HD_BLOCKS; b++)
		if (hd_warp_in(w->blocked_by[b], *warp))
			return held[b];
	if (hd_warp_in(st->ibuffer->filled, *warp))
		return REASON_POLICY;
	return hd_warp_in(w->missing, *warp) ? REASON_ICACHE : REASON_FETCH;
}

/* Those of the set whose next instruction waits for a counter, also in a frozen edge. */
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

static int32_t why_dependent(const struct state *st, uint32_t warp)
{
	if (hd_warp_in(st->stalled, warp))
		return hd_warp_in(st->yielded, warp) ? REASON_YIELD : REASON_COUNT;
	if (!hd_warp_in(st->ready, warp))
		return REASON_REGISTER;
	for (uint32_t i = 0; st->counters && i < HD_COUNTERS; i++)
		if (st->wait_of_warp[warp] & st->counters->busy[warp] & 1u << i)
			return (int32_t)(REASON_COUNTER + i);
	return REASON_DEPBAR;
}

static int32_t why_stalled(const struct state *st, uint32_t warp, int32_t *unit, int32_t *cause)
{
	const struct needs *n = needs_of(st, warp);

	if (st->port_free > st->time)
		return REASON_WIDE;
	if (n->group < MAX_GROUPS && st->group_free[n->group] > st->time)
		return REASON_INTERVAL;
	for (uint64_t m = n->credits; m;) {
		const struct hd_credits *c = st->credits.v[hd_bits_pop(&m)];

		if (c->free == 0)
			return c->taken ? REASON_QUEUE : REASON_RESULTS;
	}
	if (n->route == HD_NO_ROUTE || hd_slots_free(&st->out.v[n->route]))
		return REASON_CONSTANT;
	*unit = (int32_t)route_of(st, n->route)->unit;
	*cause = (int32_t)hd_stall_cause(st->ctx, &st->out.v[n->route],
	                                 hd_bits_first(st->out.v[n->route].slots));
	return REASON_FULL;
}

static void report_slots(struct state *st)
{
	const struct slot_row *r = &st->row;

	if (st->row_edges)
		hd_emit(st->ctx, EVENT_SLOT, (int64_t)st->row_edges, r->reason, r->unit, r->cause, -1,
		        r->warp, r->code, r->pc, r->kernel);
	st->row_edges = 0;
}

static void log_waits(struct state *st, unsigned wait, hd_warp_set now)
{
	hd_warp_set fresh = now & ~st->logged[wait];

	st->logged[wait] = now;
	while (fresh)
		hd_mark(st->ctx, st->pool, hd_ibuffer_head(st->ibuffer, hd_warp_pop(&fresh)), wait, 0);
}

/* Marks the next instructions of the warps; that of the warp that issued is another one. */
static void log_all(struct state *st, hd_warp_set issued)
{
	const struct hd_warps *w = st->warps;
	hd_warp_set set = st->mine & st->ibuffer->filled & ~w->exited & ~issued;
	hd_warp_set held = set & (w->blocked | (st->held & ~st->stalled)), rest = set & ~held;
	hd_warp_set stalled = rest & st->stalled, counter;

	rest &= ~stalled;
	counter = rest & (~st->ready | waiting(st, rest));
	log_waits(st, WAIT_HELD, held);
	log_waits(st, WAIT_STALL, stalled);
	log_waits(st, WAIT_COUNTER, counter);
	log_waits(st, WAIT_READY, rest & ~counter);
}

/* Accounts for the edge.  `set`: the warps that had an instruction and were not held; `issued`: those
 * that issued.  Returns true if the reason may be another one at the next edge although nothing here
 * changes. */
static __attribute__((noinline)) bool account(struct state *st, enum outcome o, hd_warp_set set,
                                              hd_warp_set issued)
{
	struct slot_row now = { .unit = -1, .cause = -1, .warp = -1 };
	hd_warp_set free = set & ~st->stalled & st->ready;
	uint32_t warp = HD_MAX_WARPS;

	if (st->counters)
		free &= ~waiting(st, free) & ~(st->held & ~st->stalled);
	switch (o) {
	case ISSUED: now.reason = REASON_SINGLE; break;
	case FROZEN: now.reason = REASON_FROZEN; break;
	case IDLE: now.reason = why_idle(st, &warp); break;
	case DEPENDENCE:
		warp = hd_warps_oldest(st->warps, set);
		now.reason = why_dependent(st, warp);
		break;
	case STALL:
		warp = hd_warps_oldest(st->warps, free ? free : set);
		now.reason = why_stalled(st, warp, &now.unit, &now.cause);
		break;
	}
	if (warp < HD_MAX_WARPS) {
		now.warp = (int32_t)warp;
		if (hd_warp_in(st->ibuffer->filled, warp)) {
			const struct hd_inst *inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));

			now.code = inst->code;
			now.pc = inst->pc;
			now.kernel = inst->kernel;
		}
	}
	if (memcmp(&now, &st->row, sizeof now) != 0) {
		report_slots(st);
		st->row = now;
	}
	st->row_edges++;
	log_all(st, issued);
	return o == STALL || o == FROZEN;
}

#endif

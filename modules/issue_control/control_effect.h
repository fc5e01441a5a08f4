/* control_effect.h - private to issue_control: what the issue of an instruction changes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_ISSUE_CONTROL_CONTROL_EFFECT_H
#define MODULES_ISSUE_CONTROL_CONTROL_EFFECT_H

#include "control_account.h"

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

static void synchronise(struct state *st, const struct hd_inst *inst)
{
	uint32_t warp = inst->warp, flags = inst->flags;

	if ((flags & HD_INST_ATOMIC) && inst->nlanes) {
		if (st->scoreboard)
			hd_warp_atomics_sent(st->warps, warp, inst->nlanes);
		else
			hd_warp_atomics_counted(st->warps, warp, inst->nlanes);
	}
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
}

#define SYNC_FLAGS (HD_INST_ATOMIC | HD_INST_COPY | HD_INST_COPY_COMMIT | HD_INST_COPY_WAIT \
                    | HD_INST_BARRIER | HD_INST_FENCE)

static void empty_buffer(struct state *st, uint32_t warp)
{
	while (hd_warp_in(st->ibuffer->filled, warp)) {
		hd_inst_ref ref = hd_ibuffer_head(st->ibuffer, warp);

		hd_mark(st->ctx, st->pool, ref, MARK_FLUSHED, 0);
		hd_release(st->pool, ref);
		hd_ibuffer_pop(st->ibuffer, warp);
	}
	st->ibuffer->wrong &= ~hd_warp_bit(warp);
	st->ibuffer->full &= ~hd_warp_bit(warp);
	hd_warp_touch(st->warps, warp);
}

static inline __attribute__((always_inline)) void take_effect(struct state *st, const struct hd_inst *inst, bool quiet)
{
	uint32_t warp = inst->warp, flags = inst->flags;

	if (inst->exits && hd_warp_exit_lanes(st->warps, warp, inst->exits)) {
		if (flags & HD_INST_LAST)
			st->barrier->leave(st->barrier->self, warp);
		if (hd_warp_in(st->ibuffer->wrong, warp))
			empty_buffer(st, warp);
	}
	if (HD_UNLIKELY(flags & SYNC_FLAGS))
		synchronise(st, inst);
	if (!quiet && st->scoreboard && inst->dst)
		hd_scoreboard_reserve(st->scoreboard, warp, inst->dst,
		                      (flags & HD_INST_LOAD) && (inst->space == HD_SPACE_GLOBAL
		                                                 || inst->space == HD_SPACE_LOCAL));
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
	if (!quiet && HD_UNLIKELY(st->ctx->observed)) {
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
	const struct hd_warps *w = st->warps;
	const struct hd_cell row[] = {
		{ "kernel", NULL, inst->kernel },
		{ "block", NULL, w->block[w->cta[inst->warp]] },
		{ "warp", NULL, hd_warp_in_cta(w, inst->warp) },
		{ "pc", NULL, inst->pc },
		{ "cycle", NULL, hd_now(st->ctx) },
	};

	hd_emit(st->ctx, EVENT_CLOCK, inst->warp, inst->pc, (int64_t)hd_now(st->ctx));
	if (st->clock_reads++ < st->clock_rows)
		hd_row(st->ctx, "clock_reads", row, sizeof row / sizeof *row);
}

static int no_control(struct state *st, const struct hd_inst *inst)
{
	return hd_error(st->ctx, "the instruction of warp %u at pc 0x%x has no control word; expected 'control' "
	                "of the trace source to be \"traced\" or \"synthesised\"", inst->warp, inst->pc);
}

static inline __attribute__((always_inline)) bool issue(struct state *st, uint32_t warp, bool quiet)
{
	const struct needs *needs = needs_of(st, warp);
	hd_inst_ref ref = hd_ibuffer_head(st->ibuffer, warp);
	struct hd_inst *inst = hd_inst(st->pool, ref);
	const struct hd_end *end;

	if (HD_UNLIKELY(needs->route == HD_NO_ROUTE)) {
		hd_error(st->ctx, "no unit accepts class '%s'; expected a link of port 'out' whose "
		         "\"classes\" name it", hd_symbol_name(st->ctx, "class", inst->cls));
		return false;
	}
	if (HD_UNLIKELY((quiet || st->counters) && !(inst->control.flags & HD_CONTROL_GIVEN))) {
		no_control(st, inst);
		return false;
	}
	end = &st->out.v[needs->route];
	for (uint64_t m = needs->takes; m;) {
		struct hd_credits *c = (struct hd_credits *)st->credits.v[hd_bits_pop(&m)];

		hd_credits_set(c, c->free - 1);
	}
	inst->uid = hd_warps_next_uid(st->warps);
	inst->sched = (uint8_t)st->ctx->index;
	take_time(st, inst, needs->group, quiet);
	hd_slot_put(end, hd_bits_first(hd_slots_free(end)), &ref, sizeof ref);
	hd_ibuffer_pop(st->ibuffer, warp);
	hd_warp_set_npc(st->warps, warp, inst->pc + st->instruction_bytes);
	hd_warp_issued(st->warps, st->mine, warp);
	if (!quiet)
		hd_emit(st->ctx, EVENT_ISSUE, st->ctx->index, warp, inst->pc);
	if (HD_UNLIKELY(inst->control.flags & HD_CONTROL_CLOCK))
		note_clock(st, inst);
	if (st->hazards)
		st->hazards->issued(st->hazards->self, inst, st->time);
	take_effect(st, inst, quiet);
	st->issued++;
	st->synthetic += (inst->control.flags & HD_CONTROL_SYNTHETIC) != 0;
	st->constant &= ~hd_warp_bit(warp);
	refresh(st, warp, quiet);
	if (HD_UNLIKELY(st->ibuffer->refill_room)) {
		if (hd_ibuffer_has_room(st->ibuffer, warp))
			hd_warp_fetchable(st->warps);
	} else if (!hd_warp_in(st->ibuffer->filled, warp)) {
		hd_warp_fetchable(st->warps);
	}
	hd_policy_issued(st->policy, warp, 0);
	st->greedy = warp;
	st->patience = st->constant_wait;
	return true;
}

#endif

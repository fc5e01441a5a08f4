/* scoreboarded.c - what the issue stages that check a scoreboard share and seldom run; their ports and figures
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "scoreboarded.h"

void hd__issue_refresh_waiting(struct state *st, uint32_t warp, const struct hd_inst *inst)
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

void hd__issue_find_awaited(struct state *st, uint32_t warp, const struct hd_inst *inst)
{
	uint32_t awaits = hd_scoreboard_register(st->s.scoreboard, inst);

	if (awaits == HD_AWAITS_NONE)
		st->scoreboard_ready |= hd_warp_bit(warp);
	else
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	hd_scoreboard_await(st->s.scoreboard, warp, awaits);
}

bool hd__issue_off_path(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->s.ibuffer->wrong, warp)
	       && (stage_next(&st->s, warp)->flags & HD_INST_WRONG_PATH);
}

void hd__issue_flush(struct state *st, uint32_t warp)
{
	hd__stage_empty(&st->s, warp);
	st->scoreboard_ready &= ~hd_warp_bit(warp);
	hd_warp_flush(st->s.warps, warp);
	if (st->s.ctx->observed)
		st->account.hazards |= hd_warp_bit(warp);
}

void hd__issue_rare_effect(struct state *st, hd_inst_ref ref, const struct hd_inst *inst)
{
	uint32_t warp = inst->warp;

	if (inst->dst && st->s.scoreboard->loud)
		hd__scoreboard_reserved(st->s.scoreboard, warp, inst->dst, inst->uid);
	if (inst->exits && hd__stage_exit(&st->s, inst))
		st->scoreboard_ready &= ~hd_warp_bit(warp);
	if (!(inst->flags & SYNC_FLAGS))
		return;
	if ((inst->flags & HD_INST_ATOMIC) && inst->nlanes)
		hd_warp_atomics_sent(st->s.warps, warp, inst->nlanes);
	hd__stage_synchronise(&st->s, ref, inst);
	st->scoreboard_ready &= ~hd_warp_bit(warp); /* what releases matter is found again */
	hd_scoreboard_await(st->s.scoreboard, warp, HD_AWAITS_ANY);
}

void hd__issue_offer_room(struct state *st, uint32_t warp)
{
	if (hd_ibuffer_has_room(st->s.ibuffer, warp))
		hd_warp_fetchable(st->s.warps);
}

void hd__issue_skipped(void *state, uint64_t n)
{
	struct state *st = state;

	count(st, st->last, n);
	if (st->s.slots.n)
		st->s.slots.n += (int64_t)n;
	if (st->s.policy->skipped)
		st->s.policy->skipped(st->s.policy->self, n);
}

uint64_t hd__issue_account(struct state *st, const struct edge *e, uint32_t n)
{
	hd__account(&st->account, &st->s, group_of(st, n), e->changed, e->allowed, st->scoreboard_ready);
	return st->account.wakes ? HD_SLEEP : HD_NEXT;
}

void hd__issue_lost(struct state *st, const struct edge *e)
{
	const struct hd_warps *w = st->s.warps;
	hd_warp_set set = st->s.mine & st->s.ibuffer->filled & ~w->exited & ~w->blocked & e->allowed;

	hd__stage_lost(&st->s, st->last == STALL ? set & st->scoreboard_ready
	                       : st->last == SCOREBOARD ? set & ~st->scoreboard_ready : 0);
}

int hd__issue_init(void *state, struct hd_ctx *ctx)
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

int hd__issue_start(void *state)
{
	struct state *st = state;

	st->plain = !st->s.policy->begin;
	st->quick = st->plain && !st->s.scoreboard->entries;
	st->quiet = st->quick && !st->s.ctx->observable && !st->s.ctx->parts && !st->s.scoreboard->loud;
	return hd__stage_start(&st->s);
}

void hd__issue_end_observation(void *state)
{
	struct state *st = state;

	hd__account_flush(&st->account, &st->s);
}

void hd__issue_saved(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->scoreboard_ready);
	HD_SAVED(k, st->last);
	HD_SAVED_FROM(k, st, warps_by_route, route_of_warp);
	hd__account_saved(k, &st->account, &st->s);
	if (hd_loads(k)) /* who would wake it was asked in the run that was saved: it asks again */
		hd_wake(st->s.ctx->self);
}

/* ---- parameters of links, ports, statistics, events ---- */

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

const struct hd_port hd__issue_ports[] = {
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

const struct hd_stat hd__issue_stats[] = {
	{ .name = "single", .unit = "cycles", .doc = "cycles in which one instruction was issued",
	  .offset = P(single), .total = "issue.single", .part = true },
	{ .name = "dual", .unit = "cycles", .doc = "cycles in which two instructions were issued, "
	  "or more",
	  .offset = P(dual), .total = "issue.dual", .part = true },
	{ .name = "stall", .unit = "cycles", .doc = "cycles in which a warp passed the scoreboard "
	  "and no unit had room; an instruction without active lanes counts here as well",
	  .offset = P(stall), .total = "issue.stall", .part = true },
	{ .name = "scoreboard", .unit = "cycles", .doc = "cycles in which every warp with an "
	  "instruction waited for a register", .offset = P(scoreboard_stall),
	  .total = "issue.scoreboard", .part = true },
	{ .name = "idle", .unit = "cycles", .doc = "cycles in which no warp had an instruction that "
	  "it was free to issue", .offset = P(idle), .total = "issue.idle", .part = true },
	{ .name = "control_hazard", .unit = "cycles", .doc = "of the idle cycles: those in which nothing "
	  "but wrong paths was found", .offset = P(control_hazard) },
	{ .name = "issued", .unit = "warp instructions", .doc = "instructions issued",
	  .offset = P(issued), .total = "warp_instructions", .ratio = "IPC", .part = true },
	{ .name = NULL },
};

const struct hd_event hd__issue_events[] = {
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

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
	bool quick;                   /* the stage is plain, and warps may have any number of pending registers */
	bool quiet;                   /* the stage is quick, not observed, kernels do not overlap, and no
	                               * instance listens to what happens to registers */
	enum outcome last;
	uint32_t width;
	bool different_units;
	uint64_t single, dual, stall, scoreboard_stall, idle, issued, control_hazard;
	hd_warp_set warps_by_route[HD_NO_ROUTE + 1]; /* by route: warps whose next instruction goes there */
	uint8_t route_of_warp[HD_MAX_WARPS]; /* by warp: that route, or HD_NO_ROUTE */
	struct account account;       /* for dumps */
};

enum { EVENT_ISSUE, EVENT_SLOT };

static inline const struct route *route_attr(const struct hd_end *e)
{
	return e->attr;
}

/* Warps that an evaluation finds. */
struct edge {
	hd_warp_set changed, allowed; /* allowed: by the policy */
	hd_warp_set fences;           /* those behind a fence that has to be polled */
};

static inline void count(struct state *st, enum outcome o, uint64_t edges)
{
	if (o == IDLE)
		st->idle += edges;
	else if (o == SCOREBOARD)
		st->scoreboard_stall += edges;
	else if (o == STALL)
		st->stall += edges;
}

/* The scoreboard may not let this pass, which is the warp's next instruction. */
void hd__issue_refresh_waiting(struct state *st, uint32_t warp, const struct hd_inst *inst);

/* Does what hd__issue_refresh_waiting() does, of a stage that is plain and a warp that is not behind a fence. */
void hd__issue_find_awaited(struct state *st, uint32_t warp, const struct hd_inst *inst);

/* The warp's next instruction is of a path that the warp does not take. */
__attribute__((cold)) bool hd__issue_off_path(const struct state *st, uint32_t warp);

/* A control hazard: fetch has to go on where the warp is. */
__attribute__((cold)) void hd__issue_flush(struct state *st, uint32_t warp);

/* Lanes end, or the warp has to wait for something. */
void hd__issue_rare_effect(struct state *st, hd_inst_ref ref, const struct hd_inst *inst);

/* The warp has issued from a buffer that is filled again only when there is so much room. */
__attribute__((cold)) void hd__issue_offer_room(struct state *st, uint32_t warp);

/* Accounts for the cycle, for dumps.  Returns when to do so again although nothing here changes: the reason
 * may be another one in the next cycle. */
uint64_t hd__issue_account(struct state *st, const struct edge *e, uint32_t n);

/* The warp's next instruction, or what is known about it, has changed.  It has one.  `quick`: the stage is plain, the
 * warp is not behind a fence, and it may have any number of pending registers. */
static inline __attribute__((always_inline)) void refresh(struct state *st, uint32_t warp, bool quick)
{
	const struct hd_inst *inst = stage_next(&st->s, warp);
	hd_warp_set bit = hd_warp_bit(warp);
	uint8_t route = st->s.route[inst->cls], was = st->route_of_warp[warp];

	st->warps_by_route[was] &= ~bit;
	st->route_of_warp[warp] = route;
	st->warps_by_route[route] |= bit;
	if (!quick) {
		hd__issue_refresh_waiting(st, warp, inst);
	} else if (st->s.scoreboard->any[warp] & inst->regs) {
		hd__issue_find_awaited(st, warp, inst);
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

static inline bool behind_fence(const struct state *st, uint32_t warp)
{
	return hd_warp_in(st->s.warps->blocked_by[HD_BLOCK_FENCE], warp);
}

/* Effects of an issue that other stages see, in the order of docs/sm.md, I4.  loud: they may hear of its register.
 * Returns whether the warp may have ended or be held now. */
static inline bool take_effect(struct state *st, hd_inst_ref ref, const struct hd_inst *inst, bool loud)
{
	bool rare = inst->exits | (inst->flags & SYNC_FLAGS);

	if (HD_UNLIKELY(rare | (loud && st->s.scoreboard->loud)))
		hd__issue_rare_effect(st, ref, inst);
	stage_reserve_quietly(&st->s, inst);
	return rare;
}

/* Issues the warp's next instruction, as the nth of this edge, into one of the slots of `end` that are free.
 * `quick`: as for refresh(), of the next one; observed: the stage is not quiet.  Returns as take_effect(). */
static inline __attribute__((always_inline)) bool issue_to(struct state *st, uint32_t warp, uint32_t nth,
                                                           const struct hd_end *end, uint64_t room,
                                                           bool quick, bool observed)
{
	hd_inst_ref ref = hd_ibuffer_head(st->s.ibuffer, warp);
	struct hd_inst *inst = hd_inst(st->s.pool, ref);
	bool rare;

	if (HD_UNLIKELY(observed))
		hd_for_part(st->s.ctx, inst->kernel);
	inst->uid = hd_warps_next_uid(st->s.warps, warp, observed && st->s.ctx->parts);
	inst->sched = (uint8_t)st->s.ctx->index;
	hd_slot_put(end, hd_bits_first(room), &ref, sizeof ref);
	hd_ibuffer_pop(st->s.ibuffer, warp);
	hd_warp_set_npc(st->s.warps, warp, inst->pc + st->s.instruction_bytes);
	if (HD_UNLIKELY(observed) && st->s.ctx->observed) {
		hd_emit(st->s.ctx, EVENT_ISSUE, st->s.ctx->index, warp, nth + 1);
		st->account.issued |= hd_warp_bit(warp);
		hd__account_issue(&st->account, inst, route_attr(end)->unit);
	}
	rare = take_effect(st, ref, inst, observed);
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
		hd__issue_offer_room(st, warp);
	hd_policy_issued(st->s.policy, warp, nth);
	return rare;
}

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
		/* a fence ends when its warp is considered, so the policy gets it with those that are free */
		e->allowed = st->s.policy->begin(st->s.policy->self,
		                               (st->s.mine & ~w->exited & ~w->blocked) | fences);
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

/* The warps of the set one by one in the order of the policy, until `most` instructions are issued.  issue(): returns
 * how many of the warp were. */
static inline enum outcome walk_each(struct state *st, hd_warp_set set, uint32_t most, uint32_t *n,
                                     uint32_t (*issue)(struct state *st, uint32_t warp, uint64_t *taken))
{
	enum outcome o = IDLE;
	uint64_t taken = 0;
	bool hazard = false;

	while (set && *n < most) {
		uint32_t warp = hd_policy_first(st->s.ctx, st->s.policy, set);
		hd_warp_set bit = hd_warp_bit(warp);

		set &= ~bit;
		if (hd_warp_held(st->s.warps, st->s.fence, warp) || !(st->s.ibuffer->filled & bit))
			continue;
		if (HD_UNLIKELY(st->s.ibuffer->wrong & bit) && hd__issue_off_path(st, warp)) {
			hd__issue_flush(st, warp);
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

/* The edge, in which nothing is issued, belongs to the kernel of the oldest warp that waits for what was lacking. */
void hd__issue_lost(struct state *st, const struct edge *e);

/* The end of an evaluation that has issued n instructions.  Returns when to be evaluated again. */
static inline uint64_t end_edge(struct state *st, const struct edge *e, uint32_t n)
{
	uint64_t then;

	if (st->last != ISSUED && stage_counts_by_kernel(&st->s))
		hd__issue_lost(st, e);
	then = HD_UNLIKELY(st->s.ctx->observed) ? hd__issue_account(st, e, n) : HD_SLEEP;
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

/* ---- hooks and tables of the modules ---- */

#define P(f) offsetof(struct state, f)

int hd__issue_init(void *state, struct hd_ctx *ctx);
int hd__issue_start(void *state);
void hd__issue_end_observation(void *state);
void hd__issue_saved(void *state, struct hd_checkpoint *k);

/* Asleep means that no relevant state has changed, so every edge counts like the last. */
void hd__issue_skipped(void *state, uint64_t n);

extern const struct hd_port hd__issue_ports[];
extern const struct hd_stat hd__issue_stats[];
extern const struct hd_event hd__issue_events[];

#endif

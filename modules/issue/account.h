/* account.h - private to the issue stages that check a scoreboard: why slots are lost, what warps wait for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For dumps only.  Every edge of the stage belongs to exactly one reason; the reasons of one group
 * add up to the statistic of that name (docs/sm.md, Z1).
 */
#ifndef MODULES_ISSUE_ACCOUNT_H
#define MODULES_ISSUE_ACCOUNT_H

#include "stage.h"

#include <heddle/gpu/mem.h>

/* In the order of hd__issue_reasons. */
enum reason {
	REASON_ONE, REASON_TWO,
	REASON_EMPTY, REASON_EXIT, REASON_FETCH, REASON_ICACHE, REASON_BARRIER, REASON_FENCE,
	REASON_ATOMIC, REASON_COPY, REASON_OTHER, REASON_MBARRIER, REASON_MMA, REASON_POLICY, REASON_HAZARD,
		REASON_REFILL,
	REASON_UNIT, REASON_LOAD_SHARED, REASON_LOAD_CONST, REASON_LOAD_TEXTURE, REASON_ENTRIES,
	REASON_FULL,
	/* each followed by one for every place of a request, enum hd_mem_place */
	REASON_LOAD_GLOBAL,
	REASON_LOAD_LOCAL = REASON_LOAD_GLOBAL + 1 + HD_MEM_PLACES,
	REASON_LOAD_ATOMIC = REASON_LOAD_LOCAL + 1 + HD_MEM_PLACES,
	REASONS = REASON_LOAD_ATOMIC + 1 + HD_MEM_PLACES,
};

/* What the next instruction of a warp waits for; in the order of hd__issue_marks. */
enum wait { WAIT_REGISTER, WAIT_READY, WAIT_BARRIER, WAIT_FENCE, WAIT_ATOMIC, WAIT_COPY,
	WAIT_OTHER, WAIT_MBARRIER, WAIT_MMA, WAIT_POLICY, WAIT_ENTRY, WAITS, MARK_FLUSHED = WAITS, MARKS };

extern const struct hd_mark hd__issue_marks[];
extern const struct hd_reason hd__issue_reasons[];

#define HD_ACCOUNT_REGS (HD_REG_WORDS * 64u)

struct producer {
	uint8_t reason, unit;
};

/* A static instruction, as the fields of the event name it. */
struct account_code {
	uint32_t code, pc;
};

struct account {
	hd_warp_set odd;      /* not 0: some warps wait for something else than a register or room */
	hd_warp_set stalled;  /* candidates for the oldest warp, if the present reason is FULL */
	bool wakes;           /* the stage is woken when the present reason becomes another one */
	struct producer *producer; /* by warp and register; NULL: never observed */
	hd_warp_set refilled; /* warps that were flushed and have not got an instruction since */
	struct account_code code[HD_MAX_WARPS]; /* the last ones that the warps issued */
	bool holds;           /* the cause below is the present one, until the recorder resets this */
	uint8_t route;        /* of what is not emptied, */
	uint32_t cause;       /* because of this */
	const uint8_t *route_of_warp; /* by warp: link of the port `out` that its next instruction takes */
	uint32_t *unit;       /* by link; 0 for HD_NO_ROUTE */
	/* In the present evaluation: */
	hd_warp_set issued;   /* warps that issued */
	hd_warp_set hazards;  /* warps that were flushed */
	bool rare;            /* an issue may have held or ended warps */
};

int hd__account_init(struct account *a, struct hd_ctx *ctx, const uint8_t *route_of_warp);
/* Saves or loads it; a run that is not observed has none. */
void hd__account_saved(struct hd_checkpoint *k, struct account *a, struct stage *s);
extern const uint8_t hd__account_loads[HD_SPACES]; /* by space: enum reason */

/* An instruction was issued to `unit`. */
static inline void hd__account_issue(struct account *a, const struct hd_inst *inst, uint32_t unit)
{
	uint32_t warp = inst->warp;

	a->code[warp] = (struct account_code){ inst->code, inst->pc };
	if (inst->dst) {
		uint8_t reason = inst->space < HD_SPACES ? hd__account_loads[inst->space] : REASON_UNIT;

		if (HD_UNLIKELY(inst->flags & HD_INST_ATOMIC))
			reason = REASON_LOAD_ATOMIC;
		a->producer[warp * HD_ACCOUNT_REGS + inst->dst] = (struct producer){ reason, (uint8_t)unit };
	}
}

/* The names of the possible reasons of an edge begin with this. */
enum account_group { GROUP_ONE, GROUP_TWO, GROUP_IDLE, GROUP_SCOREBOARD, GROUP_STALL };
/* Called at the end of an evaluation.  Sets of warps: those that changed, those that the policy considers, those that
 * the scoreboard lets pass. */
void hd__account(struct account *a, struct stage *s, enum account_group group, hd_warp_set changed,
                 hd_warp_set allowed, hd_warp_set ready);

/* Counts an edge whose reason may differ from that of the preceding edges.  Of these warps, which are not held, some
 * are ready. */
void hd__account_edge(struct account *a, struct stage *s, enum account_group group, hd_warp_set set,
                      hd_warp_set ready);
/* Is the stage stalled for the reason of the preceding edges, but perhaps another cause? */
bool hd__account_still_full(struct account *a, struct stage *s, hd_warp_set ready);
/* Logs that the next instructions of these warps wait for a register, or for room. */
void hd__account_marks(const struct account *a, struct stage *s, hd_warp_set wait, hd_warp_set ready);

/* Counts an edge.  Returns false if it is like the one before in all but the cause. */
static inline bool hd__account_count(struct account *a, struct stage *s, enum account_group group,
                                     hd_warp_set changed, hd_warp_set set, hd_warp_set ready)
{
	if (HD_LIKELY(group == GROUP_ONE) && s->slots.n && HD_LIKELY(s->slots.row.reason == REASON_ONE)
	    && HD_LIKELY(s->slots.row.kernel == s->ctx->part)) {
		s->slots.n++; /* many edges are like the previous one */
	} else if (group == GROUP_STALL && !changed && hd__account_still_full(a, s, ready)) {
		s->slots.n++;
		return false;
	} else {
		hd__account_edge(a, s, group, set, ready);
	}
	return true;
}

/* Logs what has changed for the next instructions of these warps. */
static inline void hd__account_log(struct account *a, struct stage *s, hd_warp_set set,
                                   hd_warp_set changed, hd_warp_set ready)
{
	hd_warp_set wait = set & ~ready, wait_fresh, ready_fresh;

	ready &= set;
	wait_fresh = wait & (changed | ~s->slots.waits_for[WAIT_REGISTER]); /* changed: another register, perhaps */
	ready_fresh = ready & ~s->slots.waits_for[WAIT_READY];
	s->slots.waits_for[WAIT_REGISTER] = wait;
	s->slots.waits_for[WAIT_READY] = ready;
	if (wait_fresh | ready_fresh)
		hd__account_marks(a, s, wait_fresh, ready_fresh);
}

/* May hd__account_usual() account for the cycle?  held: of the warps that have an instruction those that
 * something holds back, as it did before: of others, and of those that changed, it is logged what they wait for. */
static inline bool hd__account_is_usual(const struct account *a, hd_warp_set held, hd_warp_set changed)
{
	return HD_LIKELY(!((held ^ a->odd) | (held & changed) | a->refilled));
}

/* hd__account() where the policy considers all warps, the scoreboard lets a warp wait for registers only, and an
 * instruction that was issued changed only its own warp.  set: the warps that had an instruction and were not held back
 * before the issue; ready: those of them whose registers were there. */
static inline void hd__account_usual(struct account *a, struct stage *s, enum account_group group,
                                     hd_warp_set changed, hd_warp_set set, hd_warp_set ready)
{
	if (hd__account_count(a, s, group, changed, set, ready))
		hd__account_log(a, s, group > GROUP_TWO ? set : set & ~a->issued, changed, ready);
}
/* Reports the edges so far. */
void hd__account_flush(struct account *a, struct stage *s);

#endif

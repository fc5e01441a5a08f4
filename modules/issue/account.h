/* account.h - reasons of lost issue slots, and what each warp waits for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For dumps only.  Every edge of the stage belongs to exactly one reason; the reasons of one group
 * add up to the statistic of that name (docs/sm.md, Z1).
 */
#ifndef MODULES_ISSUE_ACCOUNT_H
#define MODULES_ISSUE_ACCOUNT_H

#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/routes.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/mem.h>

/* In the order of hd__issue_reasons. */
enum reason {
	REASON_ONE, REASON_TWO,
	REASON_EMPTY, REASON_EXIT, REASON_FETCH, REASON_ICACHE, REASON_BARRIER, REASON_FENCE,
	REASON_ATOMIC, REASON_COPY, REASON_OTHER, REASON_POLICY, REASON_HAZARD, REASON_REFILL,
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
	WAIT_OTHER, WAIT_POLICY, WAIT_ENTRY, WAITS, MARK_FLUSHED = WAITS, MARKS };

extern const struct hd_mark hd__issue_marks[];
extern const struct hd_reason hd__issue_reasons[];

/* Fields of the event but the first, in their order. */
struct account_row {
	int64_t reason, unit, cause, reg, warp, code, pc, kernel;
};

#define HD_ACCOUNT_REGS (HD_REG_WORDS * 64u)

struct producer {
	uint8_t reason, unit;
};

/* A static instruction, as the fields of the event name it. */
struct account_code {
	uint32_t code, pc, kernel;
};

struct account {
	hd_warp_set waits_for[WAITS]; /* warps whose next instruction has that mark */
	hd_warp_set odd;      /* not 0: some wait for something else than a register or room */
	hd_warp_set stalled;  /* candidates for the oldest warp, if the present reason is FULL */
	hd_warp_set among;    /* the warps that were last compared, */
	uint64_t age;         /* the age of the oldest of them, */
	uint32_t oldest;      /* which is this one */
	bool wakes;           /* the stage is woken when the present reason becomes another one */
	int64_t n;            /* edges like the present one; 0: none yet.  With the row it is the event, */
	struct account_row row;
	int64_t fill[HD_EVENT_FIELDS - 1 - sizeof(struct account_row) / sizeof(int64_t)]; /* as it is reported */
	struct producer *producer; /* by warp and register; NULL: never observed */
	hd_warp_set refilled; /* warps that were flushed and have not got an instruction since */
	struct account_code issued[HD_MAX_WARPS]; /* the last ones of the warps */
	bool holds;           /* the cause below is the present one, until the recorder resets this */
	uint8_t route;        /* of what is not emptied, */
	uint32_t cause;       /* because of this */
};

/* State of the issue stage after its evaluation; sets of warps. */
struct account_view {
	const struct hd_ctx *ctx;
	const struct hd_pool *pool;
	const struct hd_warps *warps;
	const struct hd_ibuffer *ibuffer;
	const struct hd_scoreboard *scoreboard;
	const uint8_t *route_of_warp; /* by warp: link of the port `out` that its next instruction takes */
	const struct hd_ends *out;
	uint32_t *unit;        /* by link; 0 for HD_NO_ROUTE */
	unsigned event;        /* its number */
	hd_warp_set mine;
	/* set in each evaluation */
	hd_warp_set issued;    /* those that issued */
	hd_warp_set hazards;   /* those that were flushed */
	bool rare;             /* an issue may have held or ended warps */
};

int hd__account_init(struct account *a, struct account_view *v);
/* Saves or loads it; a run that is not observed has none. */
void hd__account_saved(struct hd_checkpoint *k, struct account *a);
extern const uint8_t hd__account_loads[HD_SPACES]; /* by space: enum reason */

/* An instruction was issued to `unit`. */
static inline void hd__account_issue(struct account *a, const struct hd_inst *inst, uint32_t unit)
{
	uint32_t warp = inst->warp;

	a->issued[warp] = (struct account_code){ inst->code, inst->pc, inst->kernel };
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
void hd__account(struct account *a, const struct account_view *v, enum account_group group, hd_warp_set changed,
                 hd_warp_set allowed, hd_warp_set ready);

/* Counts an edge whose reason may differ from that of the preceding edges.  Of these warps, which are not held, some
 * are ready. */
void hd__account_edge(struct account *a, const struct account_view *v, enum account_group group, hd_warp_set set,
                      hd_warp_set ready);
/* Is the stage stalled for the reason of the preceding edges, but perhaps another cause? */
bool hd__account_still_full(struct account *a, const struct account_view *v, hd_warp_set ready);
/* Logs that the next instructions of these warps wait for a register, or for room. */
void hd__account_marks(const struct account_view *v, hd_warp_set wait, hd_warp_set ready);

/* Counts an edge.  Returns false if it is like the one before in all but the cause. */
static inline bool hd__account_count(struct account *a, const struct account_view *v, enum account_group group,
                                     hd_warp_set changed, hd_warp_set set, hd_warp_set ready)
{
	if (HD_LIKELY(group == GROUP_ONE) && a->n && HD_LIKELY(a->row.reason == REASON_ONE)) {
		a->n++; /* many edges are like the previous one */
	} else if (group == GROUP_STALL && !changed && hd__account_still_full(a, v, ready)) {
		a->n++;
		return false;
	} else {
		hd__account_edge(a, v, group, set, ready);
	}
	return true;
}

/* Logs what has changed for the next instructions of these warps. */
static inline void hd__account_log(struct account *a, const struct account_view *v, hd_warp_set set,
                                   hd_warp_set changed, hd_warp_set ready)
{
	hd_warp_set wait = set & ~ready, wait_fresh, ready_fresh;

	ready &= set;
	wait_fresh = wait & (changed | ~a->waits_for[WAIT_REGISTER]); /* changed: another register, perhaps */
	ready_fresh = ready & ~a->waits_for[WAIT_READY];
	a->waits_for[WAIT_REGISTER] = wait;
	a->waits_for[WAIT_READY] = ready;
	if (wait_fresh | ready_fresh)
		hd__account_marks(v, wait_fresh, ready_fresh);
}

/* May hd__account_usual() account for the cycle?  held: of the warps that have an instruction those that something holds
 * back, as it did before: of others, and of those that changed, it is logged what they wait for. */
static inline bool hd__account_is_usual(const struct account *a, hd_warp_set held, hd_warp_set changed)
{
	return HD_LIKELY(!((held ^ a->odd) | (held & changed) | a->refilled));
}

/* hd__account() where the policy considers all warps, the scoreboard lets a warp wait for registers only, and an
 * instruction that was issued changed only its own warp.  set: the warps that had an instruction and were not held back
 * before the issue; ready: those of them whose registers were there. */
static inline void hd__account_usual(struct account *a, const struct account_view *v, enum account_group group,
                                     hd_warp_set changed, hd_warp_set set, hd_warp_set ready)
{
	if (hd__account_count(a, v, group, changed, set, ready))
		hd__account_log(a, v, group > GROUP_TWO ? set : set & ~v->issued, changed, ready);
}
/* Reports the edges so far. */
void hd__account_flush(struct account *a, const struct account_view *v);

#endif

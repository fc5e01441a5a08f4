/* account.h - reasons of lost issue slots, and what each warp waits for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For dumps only.  Every edge of the stage belongs to exactly one reason; the reasons of one group
 * add up to the statistic of that name (docs/sm.md, Z1).
 */
#ifndef MODULES_ISSUE_ACCOUNT_H
#define MODULES_ISSUE_ACCOUNT_H

#include <heddle/interface/ibuffer.h>
#include <heddle/interface/scoreboard.h>
#include <heddle/payload/mem.h>

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
	bool asked;           /* or it was asked for in this evaluation */
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
	uint32_t *unit;        /* by link */
	unsigned event;        /* its number */
	hd_warp_set mine;
	/* set in each evaluation */
	hd_warp_set issued;    /* those that issued */
	hd_warp_set hazards;   /* those that were flushed */
};

int hd__account_init(struct account *a, struct account_view *v);
void hd__account_fini(struct account *a, struct account_view *v);
/* Saves or loads it; a run that is not observed has none. */
void hd__account_saved(struct hd_checkpoint *k, struct account *a);
/* An instruction was issued to `unit`. */
void hd__account_issue(struct account *a, const struct hd_inst *inst, uint32_t unit);
/* Called at the end of an evaluation; the names of its possible reasons begin with `group`.  Sets of warps: those that
 * changed, those that the policy considers, those that the scoreboard lets pass. */
enum account_group { GROUP_ONE, GROUP_TWO, GROUP_IDLE, GROUP_SCOREBOARD, GROUP_STALL };
void hd__account(struct account *a, const struct account_view *v, enum account_group group, hd_warp_set changed,
                 hd_warp_set allowed, hd_warp_set ready);
/* Reports the edges so far. */
void hd__account_flush(struct account *a, const struct account_view *v);

#endif

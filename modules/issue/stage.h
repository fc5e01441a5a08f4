/* stage.h - private to the issue stages: what all of them have in common
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_ISSUE_STAGE_H
#define MODULES_ISSUE_STAGE_H

#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/routes.h>
#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

/* Members of the event `slot` but the first, in their order; -1: does not apply. */
struct slot_row {
	int64_t reason, unit, cause, reg, warp, code, pc, kernel;
};

#define MOST_WAITS 11u /* kinds of marks of a stage that say what an instruction waits for */

/* How the stage uses its issue slots, for dumps.  Every edge has one reason; if several warps wait it is
 * that of the oldest. */
struct slots {
	hd_warp_set waits_for[MOST_WAITS]; /* by mark: warps whose next instruction has it */
	hd_warp_set among;    /* the warps that were last compared, */
	uint64_t age;         /* the age of the oldest of them, */
	uint32_t oldest;      /* which is this one */
	int64_t n;            /* edges like the present one; 0: none yet.  With the row it is the event, */
	struct slot_row row;
	int64_t fill[HD_EVENT_FIELDS - 1 - sizeof(struct slot_row) / sizeof(int64_t)]; /* as it is reported */
};

/* The state of each issue stage begins with this. */
struct stage {
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	struct hd_ibuffer *ibuffer;
	struct hd_scoreboard *scoreboard;
	const struct hd_barrier_if *barrier;
	const struct hd_fence_if *fence; /* or NULL */
	const struct hd_copy_if *copy;   /* or NULL */
	struct hd_ifs async;             /* units that hear of what is issued */
	const struct hd_sched_policy_if *policy;
	struct hd_pool *pool;
	hd_warp_set mine;                /* this stage's warps */
	struct hd_ends out;
	uint32_t instruction_bytes;
	uint8_t route[64];               /* by class: index into out, or HD_NO_ROUTE */
	unsigned slot_event, flushed;    /* numbers of the event `slot` and of the mark of dropped instructions */
	struct slots slots;
};

/* The reasons of an idle edge, in the order in which each stage has them. */
enum idle { IDLE_EMPTY, IDLE_EXIT, IDLE_FETCH, IDLE_ICACHE, IDLE_BLOCKED, IDLE_POLICY = IDLE_BLOCKED + HD_BLOCKS,
	IDLE_NAMED = 256 }; /* and the symbol of kind "hold": a reason behind all of the stage */

/* Reasons of idle edges that all stages have. */
#define STAGE_IDLE_REASONS \
	[REASON_EXIT] = { "idle.exit", "its warps have ended and drain the pipeline" }, \
	[REASON_FETCH] = { "idle.fetch", "the oldest warp waits for fetch and decode" }, \
	[REASON_ICACHE] = { "idle.icache", "the oldest warp waits for the instruction cache" }, \
	[REASON_BARRIER] = { "idle.barrier", "the oldest warp waits at a barrier" }, \
	[REASON_FENCE] = { "idle.fence", "the oldest warp waits at a memory fence" }, \
	[REASON_ATOMIC] = { "idle.atomic", "the oldest warp waits for the response to an atomic" }, \
	[REASON_COPY] = { "idle.copy", "the oldest warp waits for asynchronous copies" }, \
	[REASON_OTHER] = { "idle.other", "a unit holds the oldest warp" }, \
	[REASON_MBARRIER] = { "idle.mbarrier", "the oldest warp waits for an mbarrier" }, \
	[REASON_MMA] = { "idle.mma", "the oldest warp waits for products of matrices of its warpgroup" }, \
	[REASON_POLICY] = { "idle.policy", "the policy considers no warp that could issue" }

/* The event `slot`, with what these members tell. */
#define STAGE_SLOT_EVENT(unit, cause, reg) \
	{ .name = "slot", .doc = "how the preceding cycles were used, each in the same way", .fields = { \
		{ "n", "cycles", "how many", NULL, HD_FIELD_SPAN }, \
		{ "reason", "", "why; sums over the names of a group are the statistics of the stage", "reason" }, \
		{ "unit", "", unit "; -1: does not apply", "unit" }, \
		{ "cause", "", cause, "cause" }, \
		{ "reg", "", reg }, \
		{ "warp", "", "the oldest waiting warp, which gets the cycles; -1: none", NULL, HD_FIELD_KEY }, \
		{ "code", "", "its next instruction, 0: none", "code" }, \
		{ "pc", "bytes", "its address", NULL, HD_FIELD_HIDDEN }, \
		{ "kernel", "", "that gets the cycles, of the warp or of what was issued: its position in the list" }, \
	} }

/* Flags of instructions that make warps wait. */
#define SYNC_FLAGS (HD_INST_ATOMIC | HD_INST_COPY | HD_INST_COPY_COMMIT | HD_INST_COPY_WAIT \
                    | HD_INST_BARRIER | HD_INST_FENCE | HD_INST_ASYNC)

int hd__stage_init(struct stage *s, struct hd_ctx *ctx, unsigned slot_event, unsigned flushed);
/* Claims the warps of the stage for it. */
int hd__stage_start(struct stage *s);
/* The instruction of those flags takes effect, but for that of an atomic. */
void hd__stage_synchronise(struct stage *s, hd_inst_ref ref, const struct hd_inst *inst);
/* Lanes end with the instruction.  Returns true if the warp's buffer was emptied. */
bool hd__stage_exit(struct stage *s, const struct hd_inst *inst);
/* Drops what the warp's buffer has. */
void hd__stage_empty(struct stage *s, uint32_t warp);
/* No link takes the class of the warp's next instruction: an error. */
void hd__stage_lacks_unit(const struct stage *s, uint32_t warp);

static inline struct hd_inst *stage_next(const struct stage *s, uint32_t warp)
{
	return hd_inst(s->pool, hd_ibuffer_head(s->ibuffer, warp));
}

/* The register that the instruction will write, without notice to those who listen. */
static inline void stage_reserve_quietly(struct stage *s, const struct hd_inst *inst)
{
	if (inst->dst)
		hd__scoreboard_set(s->scoreboard, inst->warp, inst->dst,
		                   (inst->flags & HD_INST_LOAD) && (inst->space == HD_SPACE_GLOBAL
		                                                    || inst->space == HD_SPACE_LOCAL));
}

static inline void stage_reserve(struct stage *s, const struct hd_inst *inst)
{
	if (inst->dst && s->scoreboard->loud)
		hd__scoreboard_reserved(s->scoreboard, inst->warp, inst->dst, inst->uid);
	stage_reserve_quietly(s, inst);
}

/* The oldest warp of a set that is not empty. */
uint32_t hd__slots_oldest(struct stage *s, hd_warp_set set);
/* An edge in which nothing is issued belongs to the kernel of the oldest of these warps, which wait; without one to
 * that of the oldest warp of the stage, or of the SM. */
void hd__stage_lost(struct stage *s, hd_warp_set waiting);
/* Does it matter to which kernel an edge belongs? */
static inline bool stage_counts_by_kernel(const struct stage *s)
{
	return s->ctx->parts | s->ctx->observed;
}

/* The row is about the warp, and its next instruction. */
void hd__slots_name(const struct stage *s, uint32_t warp, struct slot_row *row);
/* Why none of the stage's warps has an instruction that it is free to issue.  Sets row->warp. */
int64_t hd__slots_idle(struct stage *s, struct slot_row *row);
/* The reason of such an edge of a stage, whose reasons begin with `empty` and end in front of `all`. */
static inline int64_t slots_reason(int64_t idle, int64_t empty, int64_t all)
{
	return idle < IDLE_NAMED ? empty + idle : all + idle - IDLE_NAMED;
}
/* The end of each list of reasons: those that others name. */
#define STAGE_NAMED_REASONS { NULL, "something of this name holds the oldest warp", "idle.hold" }
/* Counts an edge, which is like those before, or not. */
void hd__slots_count(struct stage *s, const struct slot_row *row);
/* Reports the edges so far. */
void hd__slots_report(struct stage *s);
/* The end of an observation: what was logged is logged again in the next. */
void hd__slots_flush(struct stage *s);
/* The next instructions of these warps, and of no others, wait for that.  arg: by warp; NULL: 0. */
void hd__slots_wait(struct stage *s, unsigned wait, hd_warp_set now, const uint32_t *arg);

#endif

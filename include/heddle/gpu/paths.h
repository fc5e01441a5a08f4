/* paths.h - interface of the programs and lane paths in a trace, for policies that group lanes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence; docs/modules.md shows a policy.  Warps have the numbers that they have in
 * the trace source (trace.h).
 */
#ifndef HEDDLE_GPU_PATHS_H
#define HEDDLE_GPU_PATHS_H

#include <heddle/gpu/inst.h>

#define HD_PATH_NONE UINT32_MAX

/* A static instruction of a kernel as it is met in one stack of calls.  Its number is its place in
 * the array of all: in a function that is the order of the program. */
struct hd_path_node {
	uint32_t pc;
	uint32_t depth;  /* calls that lead to it */
	uint32_t next;   /* lanes that fall through it go there; NONE: no lane ever does */
	uint32_t target; /* where lanes go that branch here; NONE: it is not a branch */
	uint32_t meet;   /* lanes that part behind it all pass there later; NONE: nowhere */
};

/* A warp at its begin. */
struct hd_path_warp {
	const struct hd_path_node *node; /* of its kernel, until all its lanes have ended */
	uint32_t at;                     /* where its lanes stand */
	uint32_t lanes;                  /* those that execute anything */
};

/* What an executed instruction has done to its warp. */
struct hd_path_step {
	uint32_t ended;   /* lanes of the group whose path ended with it */
	uint32_t taken;   /* those that go to the target of the node; the others go to its next */
	uint32_t live;    /* lanes of the warp whose path goes on */
	uint32_t waiting; /* those of them that executed a CTA barrier, at which others have not
	                   * arrived: they may not execute anything before it is 0 again */
};

/* For an SM: instructions of the thread blocks loaded, and lanes of those that next() has returned. */
struct hd_path_counts {
	uint64_t instructions, lanes;
};

struct hd_paths_if {
	void *self;
	/* All three are called in `start`.  claim(): from now on a kernel's text is read twice, first
	 * as a whole for its program.  claim_lanes(): also, instructions are taken by begin() and
	 * execute() instead of the trace's next().  count(): counts in *counts for the warps from *base on,
	 * HD_TRACE_SM of them; of several users for the same warps only the first gets lanes. */
	void (*claim)(void *self);
	void (*claim_lanes)(void *self);
	void (*count)(void *self, const uint32_t *base, struct hd_path_counts *counts);

	/* Fills *inst with the instruction that the warp's kernel has at this pc: no lanes, no
	 * addresses, not the last one.  Returns false if the kernel never executes one there; then
	 * only .code and .kernel are set, for dumps, or nothing.  Of functions that share a pc it is
	 * that of the previous call for the warp. */
	bool (*code)(void *self, uint32_t warp, uint32_t pc, struct hd_inst *inst);
	/* pc of the instruction behind that at `pc` in the memory of the warp's machine. */
	uint32_t (*next_pc)(void *self, uint32_t warp, uint32_t pc);

	/* Returns false if no thread block has been loaded for this warp since the last call. */
	bool (*begin)(void *self, uint32_t warp, struct hd_path_warp *w);
	/* The lanes, a part of those that have not ended, are at the node.  Fills all of *inst but
	 * uid and sched: those of the lanes that do not pass it switched off execute it, perhaps
	 * none.  A barrier at which lanes of the warp are missing has not HD_INST_BARRIER; the
	 * instruction with which the last of them arrives, or ends, has it. */
	struct hd_path_step (*execute)(void *self, uint32_t warp, uint32_t node, uint32_t lanes,
	                               struct hd_inst *inst);
	/* hd_path_warp.node of a warp that has begun, for a policy that is loaded from a checkpoint;
	 * NULL: it has no thread block. */
	const struct hd_path_node *(*nodes)(void *self, uint32_t warp);
};

#endif

/* paths.h - interface of the programs and lane paths in a trace, for policies that group lanes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence.  Warps have the numbers that they have in the trace source
 * (interface/trace.h).
 */
#ifndef HEDDLE_INTERFACE_PATHS_H
#define HEDDLE_INTERFACE_PATHS_H

#include <heddle/payload/inst.h>

#define HD_PATH_NONE UINT32_MAX

/* A static instruction of a kernel as it is met in one stack of calls.  Its number is its place in
 * the array of all: in a function that is the order of the program. */
struct hd_path_node {
	uint32_t pc;
	uint32_t depth;  /* calls that lead to it */
	uint32_t next;   /* lanes that fall through it go there; NONE: no lane ever does */
	uint32_t target; /* lanes that execute it go there; NONE: the same way as others */
	uint32_t meet;   /* lanes that part behind it all pass there later; NONE: nowhere */
};

struct hd_paths_if {
	void *self;
	/* Called in `start`: from now on a kernel's text is read twice, first as a whole for its
	 * program. */
	void (*claim)(void *self);
	/* Fills *inst with the instruction that the warp's kernel has at this pc: no lanes, no
	 * addresses, not the last one.  Returns false if the kernel never executes one there.  Of
	 * functions that share a pc it is that of the previous call for the warp. */
	bool (*code)(void *self, uint32_t warp, uint32_t pc, struct hd_inst *inst);
	/* pc of the instruction behind that at `pc` in the memory of the warp's machine. */
	uint32_t (*next_pc)(void *self, uint32_t warp, uint32_t pc);
};

#endif

/* access.h - interfaces that convert lane addresses to accesses: coalescer, shared-memory banks
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Coalescing and Shared-memory banks.
 */
#ifndef HEDDLE_GPU_ACCESS_H
#define HEDDLE_GPU_ACCESS_H

#include <heddle/gpu/inst.h>

/* 32 lanes, each split into eight 4-byte words in local memory, each touching two segments. */
#define HD_MAX_ACCESSES 512u

struct hd_access {
	uint64_t addr;  /* of the segment */
	uint32_t bytes; /* bytes of the segment that are touched, bit i = byte i */
	uint32_t lanes; /* lanes it serves */
	uint64_t beyond; /* so many bytes of the next segment count, too: some lane is not aligned.  It is wide so that
	                  * the record has no padding, which states that are saved would show */
};

struct hd_coalescer_if {
	void *self;
	/* Writes the accesses of a global or local instruction to out[HD_MAX_ACCESSES] in ascending
	 * order of address; returns how many, at most that.  `ref` is its handle. */
	uint32_t (*coalesce)(void *self, hd_inst_ref ref, const struct hd_inst *inst, struct hd_access *out);
};

static const struct hd_type hd_type_coalescer_if = {
	.name = "coalescer", .size = sizeof(struct hd_coalescer_if), .version = 3,
	.work = HD_WORK_IN,
};

struct hd_banks_if {
	void *self;
	/* Cycles that the accesses of a shared-memory instruction take, at least 1. */
	uint32_t (*conflicts)(void *self, hd_inst_ref ref, const struct hd_inst *inst);
};

static const struct hd_type hd_type_banks_if = {
	.name = "banks", .size = sizeof(struct hd_banks_if), .version = 2,
	.work = HD_WORK_IN,
};

#endif

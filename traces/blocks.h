/* blocks.h - thread blocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_BLOCKS_H
#define TRACES_BLOCKS_H

#include "warp_pack.h"

#include "base/int_map.h"

#define TRACE_SLOTS 256u /* hardware warp slots of an SM; hd_inst.warp is one byte */

/* Where the next block of a packed trace is. */
struct trace_packed_at {
	uint64_t offset, ordinal;
	uint32_t part; /* of a kernel that comes in parts, from 0 */
};

struct trace_blocks {
	struct trace_code *code;
	const struct trace_header *header;
	struct trace_cta *idle;
	struct trace_cursor *slot;      /* made by the first block, each in a cache line of */
	void *memory;
	uint32_t slots;                 /* of all SMs; 0: TRACE_SLOTS */
	uint32_t used;                  /* slots from here on are empty */
	uint64_t ctas;
	uint64_t number;                /* of the last block in its grid */
	uint64_t met;                   /* blocks of the grid in front of this one have been read, */
	struct hd_int_map beyond;       /* and these */
	bool trims;                     /* lines at the end of warps that no lane executes are not kept */
	size_t most;                    /* bytes of a packed block; 0: any number */
	bool more;                      /* the file goes on behind the last block */
	bool strict;                    /* lanes that go on after their exit are an error */
	struct trace_packed_at at;      /* of a packed trace */
	uint64_t *lines;                /* not NULL: gets, by warp, the line in front of its first
	                                 * instruction, and blocks have the addresses of all instructions */
	struct trace_exits exits;       /* of the warp that is being read */
	uint64_t instructions;          /* loaded so far */
	struct hd_path_counts *counts;  /* of the slots for which the next block is loaded */
};

/* Returns 1: loaded onto the slots from `first` on; 0: the file has no more. */
int hd__trace_blocks_load(struct trace_blocks *b, uint32_t first);
/* After the last block of the grid: warns if the file has more.  Reading to its end also makes the
 * xz decoder compare its check sums. */
int hd__trace_blocks_finish(struct trace_blocks *b);
/* Empties all slots; the memory is kept for later blocks until _free. */
void hd__trace_blocks_drop(struct trace_blocks *b);
void hd__trace_blocks_free(struct trace_blocks *b);

/* Reads the next block that was not read before, for which `slot` has elements of its warps.  Returns 1; 0: there is
 * none. */
int hd__trace_blocks_read(struct trace_blocks *b, struct trace_cursor *slot);
/* The block has no users any more. */
void hd__trace_blocks_leave(struct trace_blocks *b, struct trace_cta *cta);
/* After a survey: forgets what was counted. */
void hd__trace_blocks_reset(struct trace_blocks *b);

#endif

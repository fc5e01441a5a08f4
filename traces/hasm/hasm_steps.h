/* hasm_steps.h - what the warps of a thread block execute, to be printed as lines of a text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_STEPS_H
#define TRACES_HASM_HASM_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STEPS_LANES 32u
#define STEPS_WARPS 64u

/* Addresses of one step: base + stride * lane, or a list, one for each active lane. */
struct steps_address {
	uint64_t base, stride;
	size_t list;     /* of the first in hd_steps.list, SIZE_MAX: base and stride */
	uint64_t by_block; /* how much base grows from block to block, in a run of blocks */
};

/* One instruction that a warp executes. */
struct step {
	uint32_t code;   /* which; prints it */
	uint32_t mask;
	bool all;        /* the lanes are those that the text means without a mask */
	bool memory;
	struct steps_address to;
};

struct steps {
	struct step *v;
	size_t n, cap;
	uint64_t *list;
	size_t nlist, caplist;
};

/* The warps of a block, or of a run of blocks that differ in addresses only. */
struct steps_block {
	struct steps warp[STEPS_WARPS];
	uint32_t warps;
	uint64_t first, n; /* number of the first block, how many there are */
};

/* Appends a step; addr: of all lanes, if it accesses memory. */
void hd__steps_add(struct steps *s, struct step step, const uint64_t addr[STEPS_LANES]);
/* Takes the next block into the run.  Returns false, changing nothing, if it differs too much. */
bool hd__steps_join(struct steps_block *run, const struct steps_block *next);
/* Prints the lines of a run of blocks of a kernel that has `blocks`. */
void hd__steps_print(const struct steps_block *run, uint64_t blocks,
                     const char *(*text)(void *arg, uint32_t code), void *arg, FILE *out);
void hd__steps_clear(struct steps_block *b); /* keeps the memory */
void hd__steps_free(struct steps_block *b);

#endif

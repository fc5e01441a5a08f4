/* random.h - private to address_map: the map that draws the slice of each block at random
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_MODULES_ADDRESS_MAP_RANDOM_H
#define HEDDLE_MODULES_ADDRESS_MAP_RANDOM_H

#include <heddle/gpu/map.h>

#define RANDOM_WORDS 31u

/* An additive generator: each number is the sum of the third and the 31st before it. */
struct random_source {
	uint32_t word[RANDOM_WORDS];
	uint32_t at;
};

struct random_block {
	uint64_t block; /* NO_BLOCK: this place is free */
	uint32_t slice;
};

struct random_use {
	uint64_t block;
	uint32_t user, call;
};

/* Uses of blocks that have no slice yet, all in one cycle of the users of one port. */
struct random_uses {
	struct random_map *map;
	struct random_use *v;
	uint32_t n, size;
	uint64_t cycle;
};

struct random_map {
	const struct hd_ctx *ctx;
	struct random_source source;
	uint32_t slices, shift;     /* in all; of an address, to its block */
	struct random_block *table; /* hashed, open addressing */
	uint64_t mask, count;
	struct random_uses core, slice;
};

/* Returns 0, or -1 when memory runs out. */
int hd__random_init(struct random_map *m, const struct hd_ctx *ctx, uint32_t seed, uint32_t slices,
                    uint32_t shift);
void hd__random_fini(struct random_map *m);
void hd__random_saved(struct random_map *m, struct hd_checkpoint *k);
/* The slice of an address; one that was never used is drawn now. */
uint32_t hd__random_slice(struct random_map *m, uint64_t addr);
/* struct hd_touch_if.touch; self is a struct random_uses. */
void hd__random_touch(void *self, uint64_t addr, uint32_t user, uint64_t cycle);

#endif

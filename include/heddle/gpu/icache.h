/* icache.h - interface of the instruction cache that fetch calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Instruction cache.
 */
#ifndef HEDDLE_GPU_ICACHE_H
#define HEDDLE_GPU_ICACHE_H

#include <heddle/module.h>

enum hd_icache_status { HD_ICACHE_HIT, HD_ICACHE_MISS, HD_ICACHE_FAIL };

struct hd_icache_if {
	void *self;
	enum hd_icache_status (*access)(void *self, uint32_t warp, uint32_t pc);
	/* A warp whose line has arrived, removed from the list, and the address that it fetched;
	 * -1: none. */
	int (*ready)(void *self, uint32_t *pc);
	/* Once per fetch, at its end: sends a miss on. */
	void (*cycle)(void *self);
	/* NULL if it never misses; else the fetch stage's waker for when a line arrives. */
	void (*watch)(void *self, struct hd_waker fetch);
	/* Bytes from pc to the end of its line.  NULL: code is one line. */
	uint32_t (*rest)(void *self, uint32_t pc);
};

static const struct hd_type hd_type_icache_if = {
	.name = "icache", .size = sizeof(struct hd_icache_if), .version = 2,
	.work = HD_WORK_OUT,
};

#endif

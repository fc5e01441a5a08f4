/* replacement.h - interface of a policy that chooses which line of a cache is replaced
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One policy for each cache.  The cache uses invalid lines first without a call; it leaves out
 * lines that may not be replaced, as their data are in flight.  A request may be refused after
 * the policy was asked, and ask again: so victim() changes nothing.  Each call has the request that
 * is the reason: its address, and, as far as they are known, kernel, pc and warp.
 */
#ifndef HEDDLE_GPU_REPLACEMENT_H
#define HEDDLE_GPU_REPLACEMENT_H

#include <heddle/gpu/mem.h>

struct hd_replacement_if {
	void *self;
	/* Before the first access, and when the number of ways changes.  0, or -1 after hd_error(). */
	int (*resize)(void *self, uint32_t sets, uint32_t ways);
	/* A line was given to another address. */
	void (*allocated)(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req);
	/* A line was accessed again. */
	void (*used)(void *self, uint32_t set, uint32_t way, const struct hd_mem_req *req);
	/* Which of these n ways, ascending, is to be replaced: its index, less than n. */
	uint32_t (*victim)(void *self, uint32_t set, const uint32_t *ways, uint32_t n,
	                   const struct hd_mem_req *req);
};

static const struct hd_type hd_type_replacement_if = {
	.name = "replacement", .size = sizeof(struct hd_replacement_if), .version = 2,
};

#endif

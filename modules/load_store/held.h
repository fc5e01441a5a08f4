/* held.h - private to load_store, for dumps: where the loads are for which warps wait
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run that may be observed has a struct held, which the unit tells what happens to accesses.  A load
 * is where the oldest of its accesses is that is not back; the cache has the place of one that missed.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_HELD_H
#define HEDDLE_MODULES_LOAD_STORE_HELD_H

#include <heddle/gpu/cache.h>
#include <heddle/gpu/scoreboard.h>

struct held;

/* In start.  l1d: the cache, or NULL.  Returns NULL after an error. */
struct held *hd__held_start(struct hd_ctx *ctx, const struct hd_cache_if *l1d, struct hd_scoreboard *s);
void hd__held_free(struct held *h);
void hd__held_saved(struct hd_checkpoint *k, struct held *h);

/* The instruction goes on as a transaction without its record, at the mark. */
void hd__held_keep(struct held *h, struct hd_pool *insts, hd_inst_ref ref, unsigned mark);
/* The load of this register is done, and so is its transaction. */
void hd__held_done(struct held *h, struct hd_pool *insts, uint32_t warp, uint32_t reg);

/* The cache has taken the access. */
void hd__held_accessed(struct held *h, const struct hd_mem_req *r, enum hd_cache_status status);
/* The head of the miss queue is sent in the record that is allocated next; `mark` is the miss queue. */
void hd__held_sends(struct held *h, unsigned mark);
/* The unit has sent it. */
void hd__held_sent(struct held *h, hd_mem_ref ref);
/* The sector of this address is here. */
void hd__held_filled(struct held *h, uint64_t addr);

/* A request that bypasses the cache was sent. */
void hd__held_bypass(struct held *h, hd_mem_ref ref);
/* The response to it is here, and its record will be released. */
void hd__held_back(struct held *h, hd_mem_ref ref);

#endif

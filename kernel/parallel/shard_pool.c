/* shard_pool.c - records of a pool that several shards take from and return to
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each shard has a view of the pool: a free list, and a block of records that were never used.  A record that one
 * shard has taken is often returned by another, so free records are given back between two windows.
 */
#include "run_ahead.h"

#define BLOCK 64u /* records that a shard gets at a time */

/* In lock step: one that another shard has. */
static uint32_t take_from_others(const struct hd_sim *s, struct hd_pool *view)
{
	const struct hd_poolent *e = s->pools;

	while (e->pool != view->whole)
		e++;
	for (uint32_t i = 0; i < s->nshards; i++) {
		struct hd_pool *other = &e->views[i].pool;
		uint32_t h = other->free;

		if (h != 0) {
			other->free = 0;
			memcpy(&view->free, hd_rec(view, h), sizeof view->free);
			return h;
		}
		if (other->fresh < other->end)
			return other->fresh++;
	}
	return 0;
}

uint32_t hd__shard_record(const struct hd_ctx *c, struct hd_pool *view)
{
	struct hd_pool *whole = view->whole;
	uint32_t first;

	if (view->fresh < view->end)
		return view->fresh++;
	first = __atomic_load_n(&whole->fresh, __ATOMIC_RELAXED);
	while (first <= HD_POOL_MAX - 1 - BLOCK
	       && !__atomic_compare_exchange_n(&whole->fresh, &first, first + BLOCK, false, __ATOMIC_RELAXED,
	                                       __ATOMIC_RELAXED))
		;
	if (first <= HD_POOL_MAX - 1 - BLOCK) {
		view->fresh = first + 1;
		view->end = first + BLOCK;
		view->blocks++;
		return first;
	}
	if (c->sim->in_window) {
		hd__roll_back(c->sim, c->instance, "found no record that is free");
		return HD_POOL_MAX - 1;
	}
	return take_from_others(c->sim, view);
}

/* Moves up to so many free records from one view to another.  Returns how many. */
static uint32_t give(struct hd_pool *from, struct hd_pool *to, uint32_t most)
{
	uint32_t n = 0;

	while (n < most && from->free != 0) {
		uint32_t h = from->free;

		memcpy(&from->free, hd_rec(from, h), sizeof from->free);
		memcpy(hd_rec(to, h), &to->free, sizeof to->free);
		to->free = h;
		n++;
	}
	return n;
}

/* What shards have taken fresh in a window they get the next time from those that have not. */
static void spread(const struct hd_sim *s, const struct hd_poolent *e)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < s->nshards; i++) {
		uint32_t needs = e->views[i].pool.blocks * BLOCK;

		while (needs > 0 && from < s->nshards) {
			if (e->views[from].pool.blocks == 0)
				needs -= give(&e->views[from].pool, &e->views[i].pool, needs);
			if (needs > 0)
				from++;
		}
	}
	for (uint32_t i = 0; i < s->nshards; i++)
		e->views[i].pool.blocks = 0;
}

void hd__shard_pools(struct hd_sim *s)
{
	for (size_t i = 0; i < s->npools; i++) {
		bool any = false;

		for (uint32_t k = 0; k < s->nshards && s->pools[i].views; k++)
			any = any || s->pools[i].views[k].pool.blocks > 0;
		if (any)
			spread(s, &s->pools[i]);
	}
}

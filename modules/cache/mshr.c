/* mshr.c - miss entries of the cache: requests that wait for a sector, and answered requests
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "mshr.h"

#define FEWEST 32u /* buckets */

static void use_buckets(struct mshr *m, uint32_t n)
{
	m->buckets = cache_spread(&m->spread, n, m->unit);
	memset(m->bucket, 0xff, m->buckets * sizeof *m->bucket); /* CACHE_NONE */
}

_Static_assert(sizeof(struct mshr_entry) == 64, "a miss entry is a cache line");

int hd__mshr_init(const struct hd_ctx *ctx, struct mshr *m, uint32_t atom, uint32_t line_bytes)
{
	size_t nodes = (size_t)m->entries * m->merge, more = nodes - m->entries;

	m->unit = hd_bits_first(atom);
	m->mask[KEY_ATOM] = ~(uint64_t)(atom - 1);
	m->mask[KEY_LINE] = ~(uint64_t)(line_bytes - 1);
	m->mask[KEY_HALF] = ~(uint64_t)(2 * CACHE_SECTOR - 1);
	m->bucket = hd_memory(ctx, 4 * (size_t)m->entries + FEWEST + CACHE_SECTORS, sizeof *m->bucket);
	m->entry = hd_memory(ctx, m->entries, sizeof *m->entry);
	m->more = hd_memory(ctx, more + 1, sizeof *m->more);
	m->line_bytes = hd_memory(ctx, nodes, sizeof *m->line_bytes);
	if (!m->bucket || !m->entry || !m->more || !m->line_bytes)
		return -1;
	use_buckets(m, FEWEST);
	m->free_entry = m->free_node = CACHE_NONE;
	return 0;
}

/* Twice as many as there are. */
void hd__mshr_more_buckets(struct mshr *m)
{
	uint32_t all = CACHE_NONE;

	for (uint32_t i = 0; i < m->buckets; i++)
		for (uint32_t e = m->bucket[i], next; e != CACHE_NONE; e = next) {
			next = m->entry[e].chain;
			m->entry[e].chain = all;
			all = e;
		}
	use_buckets(m, 2 * m->buckets);
	for (uint32_t e = all, next; e != CACHE_NONE; e = next) {
		uint32_t *bucket = mshr_bucket(m, mshr_entry_key(m, &m->entry[e]));

		next = m->entry[e].chain;
		m->entry[e].chain = *bucket;
		*bucket = e;
	}
}

/* ---- several users --------------------------------------------------------------------------- */

/* The oldest request of this user among the answered ones: its node, or CACHE_NONE.  Its entry, the node before it in
 * that, and the entry before among the filled ones are stored, too. */
static uint32_t find_of(const struct mshr *m, uint32_t user, uint32_t *before, uint32_t *at, uint32_t *up)
{
	*up = *before = CACHE_NONE;
	*at = m->ready;
	for (uint32_t k = 0; k < m->filled; k++, *up = *at, *at = m->entry[*at].after) {
		const struct mshr_entry *e = &m->entry[*at];
		uint32_t n = mshr_head(m, *at);

		*before = CACHE_NONE;
		for (uint32_t i = 0; i < e->count; i++, *before = n, n = mshr_node(m, n)->next)
			if (mshr_user(mshr_node(m, n)) == user)
				return n;
	}
	return CACHE_NONE;
}

const struct mshr_node *hd__mshr_front_of(const struct mshr *m, uint32_t user)
{
	uint32_t before, at, up, n = find_of(m, user, &before, &at, &up);

	return n == CACHE_NONE ? NULL : mshr_node(m, n);
}

/* Removes what hd__mshr_front_of() returned. */
const struct mshr_node *hd__mshr_pop_of(struct mshr *m, uint32_t user)
{
	uint32_t before, e, up, n = find_of(m, user, &before, &e, &up);
	struct mshr_entry *entry = &m->entry[e];
	const struct mshr_node *node = mshr_node(m, n);

	if (before == CACHE_NONE)
		mshr_behead(m, e);
	else
		mshr_node(m, before)->next = node->next;
	if (entry->last == n)
		entry->last = before;
	mshr_free_node(m, n);
	if (--entry->count > 0)
		return node;
	if (up == CACHE_NONE)
		m->ready = entry->after;
	else
		m->entry[up].after = entry->after;
	if (m->newest == e)
		m->newest = up;
	m->filled--;
	mshr_close(m, e);
	return node;
}

/* Of the places of entries and nodes those that were ever used. */
void hd__mshr_saved(struct hd_checkpoint *k, struct mshr *m)
{
	uint64_t nodes = (uint64_t)m->entries * m->merge;

	HD_SAVED_FROM(k, m, used, waiting);
	m->buckets = UINT32_C(1) << hd_saved_number(k, hd_bits_last(m->buckets),
	                                            hd_bits_last(4 * (uint64_t)m->entries + FEWEST));
	cache_spread(&m->spread, m->buckets, m->unit);
	hd_saved(k, m->bucket, m->buckets * sizeof *m->bucket);
	HD_SAVED_FROM(k, m, free_entry, free_node);
	m->fresh_entry = (uint32_t)hd_saved_number(k, m->fresh_entry, m->entries);
	m->fresh_node = (uint32_t)hd_saved_number(k, m->fresh_node, nodes - m->entries);
	hd_saved(k, m->entry, m->fresh_entry * sizeof *m->entry);
	hd_saved(k, m->more, m->fresh_node * sizeof *m->more);
	hd_saved(k, m->line_bytes, m->fresh_entry * sizeof *m->line_bytes);
	hd_saved(k, m->line_bytes + m->entries, m->fresh_node * sizeof *m->line_bytes);
	HD_SAVED_FROM(k, m, ready, filled);
}

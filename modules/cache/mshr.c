/* mshr.c - miss entries of the cache: requests that wait for a sector, and answered requests
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "mshr.h"

int hd__mshr_init(const struct hd_ctx *ctx, struct mshr *m, uint32_t atom)
{
	uint32_t buckets = cache_spread(&m->spread, m->entries, hd_bits_first(atom)), ring = 1;
	size_t nodes = (size_t)m->entries * m->merge;

	while (ring < m->entries)
		ring *= 2;
	m->bucket = hd_memory(ctx, buckets, sizeof *m->bucket);
	m->entry = hd_memory(ctx, m->entries, sizeof *m->entry);
	m->node = hd_memory(ctx, nodes, sizeof *m->node);
	m->line_bytes = hd_memory(ctx, nodes, sizeof *m->line_bytes);
	m->ready = hd_memory(ctx, ring, sizeof *m->ready);
	if (!m->bucket || !m->entry || !m->node || !m->line_bytes || !m->ready)
		return -1;
	memset(m->bucket, 0xff, buckets * sizeof *m->bucket); /* CACHE_NONE */
	m->ready_mask = ring - 1;
	m->free_entry = m->free_node = CACHE_NONE;
	return 0;
}

/* ---- several users --------------------------------------------------------------------------- */

/* The oldest request of this user among the answered ones: its node, or CACHE_NONE.  The node before it
 * in its entry and the place of the entry among the filled ones are stored, too. */
static uint32_t find_of(const struct mshr *m, uint32_t user, uint32_t *before, uint32_t *place)
{
	*before = CACHE_NONE;
	for (*place = 0; *place < m->ready_count; ++*place) {
		const struct mshr_entry *e = &m->entry[m->ready[(m->ready_head + *place) & m->ready_mask]];
		uint32_t n = e->first;

		*before = CACHE_NONE;
		for (uint32_t i = 0; i < e->count; i++, *before = n, n = m->node[n].next)
			if (m->node[n].user == user)
				return n;
	}
	return CACHE_NONE;
}

const struct mshr_node *hd__mshr_front_of(const struct mshr *m, uint32_t user)
{
	uint32_t before, place, n = find_of(m, user, &before, &place);

	return n == CACHE_NONE ? NULL : &m->node[n];
}

/* Removes what hd__mshr_front_of() returned. */
const struct mshr_node *hd__mshr_pop_of(struct mshr *m, uint32_t user)
{
	uint32_t before, place, n = find_of(m, user, &before, &place), e;
	struct mshr_entry *entry;

	e = m->ready[(m->ready_head + place) & m->ready_mask];
	entry = &m->entry[e];
	if (before == CACHE_NONE)
		entry->first = m->node[n].next;
	else
		m->node[before].next = m->node[n].next;
	if (entry->last == n)
		entry->last = before;
	mshr_free_node(m, n);
	if (--entry->count > 0)
		return &m->node[n];
	for (; place > 0; place--) /* the others keep their order */
		m->ready[(m->ready_head + place) & m->ready_mask] =
			m->ready[(m->ready_head + place - 1) & m->ready_mask];
	m->ready_head = (m->ready_head + 1) & m->ready_mask;
	m->ready_count--;
	mshr_close(m, e);
	return &m->node[n];
}

/* Of the places of entries and nodes those that were ever used. */
void hd__mshr_saved(struct hd_checkpoint *k, struct mshr *m)
{
	uint64_t nodes = (uint64_t)m->entries * m->merge;

	HD_SAVED_FROM(k, m, used, waiting);
	hd_saved(k, m->bucket, sizeof *m->bucket << (64 - m->spread.shift));
	HD_SAVED_FROM(k, m, free_entry, free_node);
	m->fresh_entry = (uint32_t)hd_saved_number(k, m->fresh_entry, m->entries);
	m->fresh_node = (uint32_t)hd_saved_number(k, m->fresh_node, nodes);
	hd_saved(k, m->entry, m->fresh_entry * sizeof *m->entry);
	hd_saved(k, m->node, m->fresh_node * sizeof *m->node);
	hd_saved(k, m->line_bytes, m->fresh_node * sizeof *m->line_bytes);
	hd_saved(k, m->ready, (m->ready_mask + (size_t)1) * sizeof *m->ready);
	HD_SAVED_FROM(k, m, ready_head, ready_count);
}

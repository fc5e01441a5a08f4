/* mshr.h - private to cache: miss entries as every miss and fill uses them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each entry has one packet outstanding: it is sent when the entry is opened, and the entry stays
 * until the last of its requests was taken.  So an entry is filled once (docs/memory.md, CA11 and
 * CA19).
 */
#ifndef HEDDLE_MODULES_CACHE_MSHR_H
#define HEDDLE_MODULES_CACHE_MSHR_H

#include "cache.h"

/* mshr.c */
int hd__mshr_init(const struct hd_ctx *ctx, struct mshr *m, uint32_t atom);
const struct mshr_node *hd__mshr_front_of(const struct mshr *m, uint32_t user);
const struct mshr_node *hd__mshr_pop_of(struct mshr *m, uint32_t user);
void hd__mshr_more_buckets(struct mshr *m);
void hd__mshr_saved(struct hd_checkpoint *k, struct mshr *m);

static inline uint64_t mshr_key(const struct cache *c, const struct hd_mem_req *req)
{
	return req->addr & c->atom_mask;
}

static inline uint32_t *mshr_bucket(const struct mshr *m, uint64_t key)
{
	return &m->bucket[cache_hash(key, m->spread)];
}

/* The entry of the key in its bucket, or CACHE_NONE. */
static inline uint32_t mshr_find(const struct mshr *m, const uint32_t *bucket, uint64_t key)
{
	uint32_t e = *bucket;

	while (e != CACHE_NONE && m->entry[e].key != key)
		e = m->entry[e].chain;
	return e;
}

static inline uint32_t mshr_new_node(struct mshr *m)
{
	uint32_t n = m->free_node;

	m->waiting++;
	if (HD_UNLIKELY(n == CACHE_NONE))
		return m->fresh_node++;
	m->free_node = m->node[n].next;
	return n;
}

/* Opens an entry with its first request, for this line, whose place is for the caller to write.  There is room. */
static inline struct mshr_node *mshr_open(struct mshr *m, uint32_t *bucket, uint64_t key, uint32_t line, uint16_t flags)
{
	uint32_t e = m->free_entry, n = mshr_new_node(m);
	struct mshr_entry *entry;

	if (HD_UNLIKELY(e == CACHE_NONE)) {
		e = m->fresh_entry++;
		entry = &m->entry[e];
	} else {
		entry = &m->entry[e];
		m->free_entry = entry->chain;
	}
	entry->key = key;
	entry->chain = *bucket;
	entry->first = entry->last = n;
	entry->count = 1;
	entry->line = line;
	entry->whole = flags & HD_MEM_LINE;
	entry->atomic = flags & HD_MEM_ATOMIC;
	entry->ready = false;
	*bucket = e;
	if (HD_UNLIKELY(++m->used > m->buckets))
		hd__mshr_more_buckets(m);
	return &m->node[n];
}

/* Appends a request to an entry that is open and has room. */
static inline struct mshr_node *mshr_join(struct mshr *m, uint32_t e, bool atomic)
{
	struct mshr_entry *entry = &m->entry[e];
	uint32_t n = mshr_new_node(m);

	m->node[entry->last].next = n;
	entry->last = n;
	entry->count++;
	entry->atomic |= atomic;
	return &m->node[n];
}

static inline void mshr_fill(struct mshr *m, uint32_t e)
{
	m->entry[e].ready = true;
	if (m->filled++ == 0)
		m->ready = e;
	else
		m->entry[m->newest].after = e;
	m->newest = e;
}

static inline void mshr_free_node(struct mshr *m, uint32_t n)
{
	m->node[n].next = m->free_node;
	m->free_node = n;
	m->waiting--;
}

static inline void mshr_close(struct mshr *m, uint32_t e)
{
	struct mshr_entry *entry = &m->entry[e];
	uint32_t *at = mshr_bucket(m, entry->key);

	while (*at != e)
		at = &m->entry[*at].chain;
	*at = entry->chain;
	entry->chain = m->free_entry;
	m->free_entry = e;
	m->used--;
}

/* The oldest request of the entry that was filled first; there is one. */
static inline const struct hd_mem_req *mshr_front(const struct mshr *m)
{
	return &m->node[m->entry[m->ready].first].req;
}

/* Removes it; its content stays until its place is used again. */
static inline const struct mshr_node *mshr_pop(struct mshr *m)
{
	uint32_t e = m->ready;
	struct mshr_entry *entry = &m->entry[e];
	uint32_t n = entry->first;

	entry->first = m->node[n].next;
	mshr_free_node(m, n);
	if (--entry->count == 0) {
		m->ready = entry->after;
		m->filled--;
		mshr_close(m, e);
	}
	return &m->node[n];
}

#endif

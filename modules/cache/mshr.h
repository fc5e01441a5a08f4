/* mshr.h - private to cache: miss entries as every miss and fill uses them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each entry has one packet outstanding: it is sent when the entry is opened, and the entry stays
 * until the last of its requests was taken.  So an entry is filled once (docs/memory.md, CA11 and
 * CA19).
 */
#ifndef HEDDLE_MODULES_CACHE_MSHR_H
#define HEDDLE_MODULES_CACHE_MSHR_H

#include "cache_parts.h"

/* mshr.c */
int hd__mshr_init(const struct hd_ctx *ctx, struct mshr *m, uint32_t atom, uint32_t line_bytes);
const struct mshr_node *hd__mshr_front_of(const struct mshr *m, uint32_t user);
const struct mshr_node *hd__mshr_pop_of(struct mshr *m, uint32_t user);
void hd__mshr_more_buckets(struct mshr *m);
void hd__mshr_saved(struct hd_checkpoint *k, struct mshr *m);

/* What the key of a read is. */
static inline enum cache_key mshr_key_of(const struct hd_mem_req *req)
{
	return HD_UNLIKELY(req->flags & HD_MEM_HALF) ? KEY_HALF : KEY_ATOM;
}

static inline uint64_t mshr_key(const struct cache *c, const struct hd_mem_req *req)
{
	if (HD_UNLIKELY(req->flags & HD_MEM_HALF))
		return req->addr & c->mshr.mask[KEY_HALF];
	return req->addr & c->mshr.mask[KEY_ATOM];
}

static inline uint32_t *mshr_bucket(const struct mshr *m, uint64_t key)
{
	return &m->bucket[cache_hash(key, m->spread)];
}

static inline struct mshr_node *mshr_node(const struct mshr *m, uint32_t n)
{
	return HD_LIKELY(n < m->entries) ? &m->entry[n].node : &m->more[n - m->entries];
}

static inline uint64_t mshr_entry_key(const struct mshr *m, const struct mshr_entry *e)
{
	return e->node.req.addr & m->mask[e->key];
}

static inline uint32_t mshr_line(const struct mshr_node *n)
{
	return n->place & ((1u << NODE_USER) - 1);
}

static inline uint32_t mshr_user(const struct mshr_node *n)
{
	return n->place >> NODE_USER;
}

/* The entry of the key in its bucket, or CACHE_NONE. */
static inline uint32_t mshr_find(const struct mshr *m, const uint32_t *bucket, uint64_t key)
{
	uint32_t e = *bucket;

	while (e != CACHE_NONE && mshr_entry_key(m, &m->entry[e]) != key)
		e = m->entry[e].chain;
	return e;
}

/* The entry begins to be read.  CACHE_NONE is an address without memory, which does no harm. */
static inline HD__MEM_KEPT void mshr_fetch(const struct mshr *m, uint32_t e)
{
#if defined(__GNUC__)
	__builtin_prefetch((const void *)((uintptr_t)m->entry + (uintptr_t)e * sizeof *m->entry), 1);
#endif
}

/* Fetches the buckets that are filled soon: neighbours of a sector in a stream have neighbouring buckets, of the next
 * sector, and of the next line.  Behind the last bucket there is memory for that. */
static inline HD__MEM_KEPT void mshr_fetch_neighbours(const struct mshr *m, const uint32_t *bucket)
{
	mshr_fetch(m, bucket[1]);
	mshr_fetch(m, bucket[CACHE_SECTORS]);
}

/* Opens an entry for its first request, which the caller writes, and then calls mshr_opened().  There is room. */
static inline struct mshr_node *mshr_open(struct mshr *m, uint32_t *bucket, enum cache_key key, uint16_t flags)
{
	uint32_t e = m->free_entry;
	struct mshr_entry *entry;

	m->waiting++;
	if (HD_UNLIKELY(e == CACHE_NONE)) {
		e = m->fresh_entry++;
		entry = &m->entry[e];
	} else {
		entry = &m->entry[e];
		m->free_entry = entry->chain;
		mshr_fetch(m, entry->chain); /* the one that is opened next */
	}
	entry->chain = *bucket;
	entry->after = 0;
	entry->last = e;
	entry->taken = false;
	entry->count = 1;
	entry->key = key & 3;
	entry->whole = (flags & HD_MEM_LINE) != 0;
	entry->atomic = (flags & HD_MEM_ATOMIC) != 0;
	entry->ready = false;
	*bucket = e;
	m->used++;
	return &entry->node;
}

/* After that: an entry's bucket, which may become another one here, follows from the request. */
static inline void mshr_opened(struct mshr *m)
{
	if (HD_UNLIKELY(2 * m->used > m->buckets))
		hd__mshr_more_buckets(m);
}

/* Appends a request to an entry that is open and has room. */
static inline struct mshr_node *mshr_join(struct mshr *m, uint32_t e, bool atomic)
{
	struct mshr_entry *entry = &m->entry[e];
	uint32_t n = m->free_node;

	m->waiting++;
	if (HD_UNLIKELY(n == CACHE_NONE))
		n = m->entries + m->fresh_node++;
	else
		m->free_node = mshr_node(m, n)->next;
	mshr_node(m, entry->last)->next = n;
	entry->last = n;
	entry->count++;
	entry->atomic |= atomic;
	return mshr_node(m, n);
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
	m->waiting--;
	if (HD_LIKELY(n < m->entries)) /* it goes with its entry */
		return;
	mshr_node(m, n)->next = m->free_node;
	m->free_node = n;
}

static inline void mshr_close(struct mshr *m, uint32_t e)
{
	struct mshr_entry *entry = &m->entry[e];
	uint32_t *at = mshr_bucket(m, mshr_entry_key(m, entry));

	while (*at != e)
		at = &m->entry[*at].chain;
	*at = entry->chain;
	entry->chain = m->free_entry;
	m->free_entry = e;
	m->used--;
}

/* The oldest request that waits in an entry, a node. */
static inline uint32_t mshr_head(const struct mshr *m, uint32_t e)
{
	return HD_LIKELY(!m->entry[e].taken) ? e : m->entry[e].node.next;
}

/* That of the entry that was filled first; there is one. */
static inline const struct hd_mem_req *mshr_front(const struct mshr *m)
{
	return &mshr_node(m, mshr_head(m, m->ready))->req;
}

/* Takes the oldest request out of its entry. */
static inline void mshr_behead(struct mshr *m, uint32_t e)
{
	struct mshr_entry *entry = &m->entry[e];

	if (HD_LIKELY(!entry->taken))
		entry->taken = true;
	else
		entry->node.next = mshr_node(m, entry->node.next)->next;
}

/* Removes it; its content stays until its place is used again. */
static inline const struct mshr_node *mshr_pop(struct mshr *m)
{
	uint32_t e = m->ready;
	struct mshr_entry *entry = &m->entry[e];
	uint32_t n = mshr_head(m, e);
	const struct mshr_node *node = mshr_node(m, n);

	mshr_behead(m, e);
	mshr_free_node(m, n);
	if (--entry->count == 0) {
		m->ready = entry->after;
		m->filled--;
		mshr_close(m, e);
	}
	return node;
}

#endif

/* fill.c - effects of a reply on the cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Fill.
 */
#include "mshr.h"
#include "tags.h"

/* Counts the answered requests for their users, and wakes those that did not bring the reply. */
static void answer_users(struct cache *c, uint32_t e, const struct user *by)
{
	uint32_t n = mshr_head(&c->mshr, e);

	for (uint32_t i = 0; i < c->mshr.entry[e].count; i++, n = mshr_node(&c->mshr, n)->next) {
		struct user *u = &c->user[mshr_user(mshr_node(&c->mshr, n))];

		u->filled++;
		if (u != by)
			hd_wake(c->users.waker[u->index]);
	}
}

/* The reply in any case.  e: its entry, or CACHE_NONE. */
static __attribute__((noinline)) void fill_any(struct user *u, const struct hd_mem_req *reply, uint32_t e)
{
	struct cache *c = u->cache;
	struct mshr *m = &c->mshr;
	const struct mshr_node *waits;
	const uint32_t *line = NULL;
	struct place at;

	if (e == CACHE_NONE || m->entry[e].ready) {
		hd_fail(c->ctx, "reply for address 0x%llx, for which no read is outstanding",
		        (unsigned long long)reply->addr);
		return;
	}
	waits = &m->entry[e].node; /* no request leaves an entry before it is filled */
	if (waits->req.flags & HD_MEM_LINE)
		line = m->line_bytes[e];
	at = (struct place){ mshr_line(waits), cache_sector(c, waits->req.addr), cache_word(c, waits->req.addr) };
	if (c->allocate == ALLOCATE_ON_FILL)
		at.line = hd__cache_forced_fill(c, &waits->req, line, false);
	else
		hd__cache_fill_line(c, &at, &waits->req, line);
	mshr_fill(m, e);
	if (!c->several)
		c->at->filled += m->entry[e].count;
	else
		answer_users(c, e, u);
	if (m->entry[e].atomic && at.line != CACHE_NONE) {
		hd__cache_modify(c, at.line, at.sector);
		cache_add_bytes(c, &at, &waits->req, line);
	}
	c->fills++;
	hd_emit(c->ctx, EMIT_FILL, (int64_t)reply->addr, at.line);
}

/* The reply of a read that this cache sent.  The first request of the entry is the one that
 * travelled: it holds the address, bytes and line as they were when it left.  Usually the sector is
 * reserved and nothing was noted about it meanwhile (CA17). */
void hd__cache_fill(void *self, const struct hd_mem_req *reply)
{
	struct user *u = self;
	struct cache *c = u->cache;
	struct mshr *m = &c->mshr;
	uint64_t key = mshr_key(c, reply);
	const uint32_t *bucket = mshr_bucket(m, key);
	struct mshr_entry *entry;
	struct line *l;
	unsigned twice;
	uint32_t e;

	mshr_fetch_neighbours(m, bucket);
	e = mshr_find(m, bucket, key);
	if (HD_UNLIKELY(e == CACHE_NONE)) {
		fill_any(u, reply, e);
		return;
	}
	entry = &m->entry[e];
	if (HD_UNLIKELY(entry->ready || entry->atomic || entry->whole || (c->several | (c->allocate ^ ALLOCATE_ON_MISS))
	                || cache_emits(c, EMIT_FILL))) {
		fill_any(u, reply, e);
		return;
	}
	l = &c->line[mshr_line(&entry->node)];
	twice = cache_sector_twice(c, entry->node.req.addr);
	if (HD_UNLIKELY(!line_awaits_plainly(l, twice))) {
		fill_any(u, reply, e);
		return;
	}
	l->state = (uint8_t)(l->state ^ (SECTOR_RESERVED ^ SECTOR_VALID) << twice);
	c->changes++;
	mshr_fill(m, e);
	c->at->filled += entry->count;
	c->fills++;
}

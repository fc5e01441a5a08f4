/* access.c - effects of a load, a store and a reply on the cache, policy by policy
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Reads, Writes and Fill.  Every function that may refuse does so before it
 * changes anything.
 *
 * A store miss with write allocation sends a read (HD_MEM_ALLOC), whose reply comes back through
 * fill() and then out of ready() like a load's.  The requester distinguishes the results of
 * ready() by two flags:
 *   HD_MEM_ALLOC | HD_MEM_WRITE  the store of fetch_on_write: it is answered now;
 *   HD_MEM_ALLOC                 the read of write_allocate, for no instruction: drop it; the
 *                                store itself went to memory (HD_CACHE_WRITE_SENT).
 * A store for which access() reported no event at all is complete at once (docs/memory.md, CA16).
 */
#include "cache.h"

static bool refuse(struct cache *c, const struct hd_mem_req *req, enum cache_fail why)
{
	c->fails[why][HD_MEM_KIND(req->flags)]++;
	return false;
}

/* Appends to the miss queue; returns the copy.  HD_MEM_LINE is only for what is written back. */
static struct hd_mem_req *enqueue(struct cache *c, const struct hd_mem_req *req)
{
	struct user *u = c->at;
	struct hd_mem_req *place = &u->queue[(u->queue_head + u->queue_count++) & c->queue_mask];

	*place = *req;
	place->flags &= (uint16_t)~HD_MEM_LINE;
	return place;
}

/* Write-through data are already in the level below, so only the other policies write back.  One
 * packet for the line: `addr` is the line, `bytes` the set of modified sectors. */
static void write_back(struct cache *c, const struct hd_mem_req *req, const struct evicted *e)
{
	struct user *u = c->at;
	uint32_t place = (u->queue_head + u->queue_count) & c->queue_mask;

	if (c->write_policy == POLICY_THROUGH)
		return;
	c->write_backs++;
	c->written_back = e->addr;
	u->gone[place] = *e;
	u->gone[place].via = req->addr;
	enqueue(c, &(struct hd_mem_req){
		.addr = e->addr, .bytes = e->sectors, .size = (uint16_t)e->size, .core = req->core,
		.flags = HD_MEM_WRITE | HD_MEM_SILENT,
	})->flags |= HD_MEM_LINE;
}

/* A write-back from above holds bytes of all sectors, including the requested one. */
static void add_bytes(struct line *l, const struct probe *p, const struct hd_mem_req *req)
{
	bool one = !(req->flags & HD_MEM_LINE);

	line_add(l, p->word, req->bytes, one ? NULL : ((const struct hd_mem_line *)req)->bytes);
}

/* Readable: all 32 bytes are known because all of them were written. */
static void note_bytes(struct line *l, const struct probe *p, const struct hd_mem_req *req)
{
	add_bytes(l, p, req);
	if (l->dirty[p->word] == UINT32_MAX)
		l->flags |= (uint16_t)(LINE_READABLE << p->sector);
}

/* ---- reads, also of store misses ----------------------------------------------------------- */

/* Can the miss entries take one more request for this key?  *entry is the present entry. */
static inline __attribute__((always_inline)) bool mshr_room(struct cache *c,
	const struct hd_mem_req *req, uint64_t key, uint32_t *entry)
{
	const struct mshr *m = &c->mshr;

	*entry = mshr_find(m, key);
	if (*entry == CACHE_NONE)
		return m->used < m->entries || refuse(c, req, FAIL_ENTRIES);
	return m->entry[*entry].count < m->merge || refuse(c, req, FAIL_MERGE);
}

/* Common to all misses that wait for data: tags, miss entry, packet, write-back.  Merging depends
 * on the miss entry alone, not on the tags (docs/memory.md, CA11).  `flags` are those of the
 * waiting request.  Returns the evicted modified sectors. */
static uint32_t await(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                  uint64_t key, uint32_t entry, uint16_t flags)
{
	struct evicted e;
	bool gone = hd__cache_tag_access(c, p, &e);
	struct mshr_node *waits = hd__mshr_add(&c->mshr, entry, key, flags);

	waits->req = *req;
	waits->req.flags = flags;
	waits->line = p->line;
	waits->user = c->at->index;
	if (entry != CACHE_NONE && c->mshr.entry[entry].ready)
		c->at->filled++;
	if (HD_UNLIKELY(flags & HD_MEM_LINE))
		memcpy(c->mshr.line_bytes[waits - c->mshr.node],
		       ((const struct hd_mem_line *)req)->bytes, sizeof *c->mshr.line_bytes);
	if (entry == CACHE_NONE) {
		struct hd_mem_req *packet = enqueue(c, &waits->req);

		packet->flags &= (uint16_t)~(HD_MEM_WRITE | HD_MEM_SILENT); /* it is a read */
		packet->addr = key;
		packet->size = (uint16_t)c->atom;
	} else {
		c->merged[HD_MEM_KIND(req->flags)]++;
	}
	if (gone)
		write_back(c, req, &e);
	return gone ? e.size / CACHE_SECTOR : 0;
}

static uint64_t mshr_key(const struct cache *c, const struct hd_mem_req *req)
{
	return req->addr & ~(uint64_t)(c->atom - 1);
}

static bool read_miss(struct cache *c, const struct hd_mem_req *req, const struct probe *p)
{
	uint64_t key = mshr_key(c, req);
	uint32_t entry;

	if (p->outcome == CACHE_NO_WAY)
		return refuse(c, req, FAIL_WAYS);
	/* A read-only cache never writes back, so one place is enough. */
	if (cache_full(c, c->write_policy == POLICY_READ_ONLY ? 0 : 1))
		return refuse(c, req, FAIL_QUEUE);
	if (!mshr_room(c, req, key, &entry))
		return false;
	await(c, req, p, key, entry, req->flags);
	return true;
}

static void atomic_hit(struct cache *c, const struct hd_mem_req *req, const struct probe *p)
{
	cache_touch(c, p->line);
	hd__cache_modify(c, p->line, p->sector);
	c->line[p->line].dirty[p->word] |= req->bytes; /* readable stays as it is */
}

/* ---- writes -------------------------------------------------------------------------------- */

static void send_store(struct cache *c, const struct hd_mem_req *req, unsigned *events)
{
	enqueue(c, req);
	*events |= HD_CACHE_WRITE_SENT;
}

static bool write_hit(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                      unsigned *events)
{
	bool evict = c->write_policy == POLICY_EVICT ||
	             (c->write_policy == POLICY_LOCAL_BACK && !(req->flags & HD_MEM_LOCAL));

	if (evict || c->write_policy == POLICY_THROUGH) {
		if (cache_full(c, 0))
			return refuse(c, req, FAIL_QUEUE);
		send_store(c, req, events);
	}
	if (evict) { /* no tag access, and the count of modified lines stays */
		hd__cache_state(c, p->line, p->sector, SECTOR_INVALID);
		return true;
	}
	cache_touch(c, p->line);
	hd__cache_modify(c, p->line, p->sector);
	note_bytes(&c->line[p->line], p, req);
	return true;
}

/* Does the store write all bytes that a read would fetch? */
static bool whole(const struct cache *c, const struct hd_mem_req *req)
{
	const uint32_t *bytes = ((const struct hd_mem_line *)req)->bytes;
	unsigned n = 0;

	if (HD_LIKELY(!(req->flags & HD_MEM_LINE)))
		return c->atom == CACHE_SECTOR && req->bytes == UINT32_MAX;
	for (unsigned i = 0; i < CACHE_SECTORS; i++)
		n += hd_bits_count32(bytes[i]);
	return n == c->atom;
}

/* The sector becomes MODIFIED without a fetch of the other bytes. */
static void write_without_fetch(struct cache *c, const struct hd_mem_req *req,
                                const struct probe *p, unsigned *events)
{
	struct evicted e;

	if (hd__cache_tag_access(c, p, &e)) {
		write_back(c, req, &e);
		*events |= e.size / CACHE_SECTOR * HD_CACHE_PUSHED_OUT;
	}
	hd__cache_modify(c, p->line, p->sector);
}

static bool write_miss_lazy(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                            unsigned *events)
{
	struct line *l = &c->line[p->line];
	unsigned flags;

	if (cache_full(c, 0))
		return refuse(c, req, FAIL_QUEUE);
	if (c->write_policy == POLICY_THROUGH)
		send_store(c, req, events);
	write_without_fetch(c, req, p, events);
	flags = l->flags | LINE_READABLE << p->sector;
	if (p->outcome == CACHE_HIT_RESERVED)
		flags |= LINE_MODIFIED_ON_FILL << p->sector | LINE_BYTES_ON_FILL;
	if (!whole(c, req)) {
		flags &= ~((unsigned)LINE_READABLE << p->sector);
		if (p->outcome == CACHE_HIT_RESERVED)
			flags |= LINE_READABLE_ON_FILL << p->sector;
	}
	l->flags = (uint16_t)flags;
	note_bytes(l, p, req);
	return true;
}

/* A write-back from above of a single sector bears the address of its line, also where it asks for
 * the miss entry of its sector; one of several was split. */
static uint64_t store_key(const struct cache *c, const struct hd_mem_req *req)
{
	if (HD_UNLIKELY(req->flags & HD_MEM_LINE) && (req->bytes & (req->bytes - 1)) == 0)
		return req->addr & c->line_mask;
	return mshr_key(c, req);
}

static bool write_miss_fetch(struct cache *c, const struct hd_mem_req *req,
                             const struct probe *p, unsigned *events)
{
	uint64_t key = store_key(c, req);
	uint32_t entry, pushed;

	if (whole(c, req)) {
		if (cache_full(c, 0))
			return refuse(c, req, FAIL_QUEUE);
		write_without_fetch(c, req, p, events);
		add_bytes(&c->line[p->line], p, req); /* readable stays as it is */
		return true;
	}
	if (cache_full(c, 1))
		return refuse(c, req, FAIL_QUEUE);
	if (!mshr_room(c, req, key, &entry))
		return false;
	pushed = await(c, req, p, key, entry, req->flags | HD_MEM_ALLOC);
	c->line[p->line].flags |=
		(uint16_t)(LINE_MODIFIED_ON_FILL << p->sector | LINE_BYTES_ON_FILL);
	*events |= HD_CACHE_ALLOC_SENT | pushed * HD_CACHE_PUSHED_OUT;
	return true;
}

static bool write_miss_allocate(struct cache *c, const struct hd_mem_req *req,
                                const struct probe *p, unsigned *events)
{
	uint64_t key = store_key(c, req);
	uint32_t entry, pushed;

	if (cache_full(c, 2)) /* store, read, write-back */
		return refuse(c, req, FAIL_QUEUE);
	if (!mshr_room(c, req, key, &entry))
		return false;
	send_store(c, req, events);
	pushed = await(c, req, p, key, entry,
	               (uint16_t)(req->flags & ~HD_MEM_WRITE) | HD_MEM_ALLOC);
	*events |= HD_CACHE_ALLOC_SENT | pushed * HD_CACHE_PUSHED_OUT;
	return true;
}

static bool write_miss(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                       unsigned *events)
{
	if (c->write_allocate == WRITE_MISS_NONE) {
		if (cache_full(c, 0))
			return refuse(c, req, FAIL_QUEUE);
		send_store(c, req, events);
		return true;
	}
	if (p->outcome == CACHE_NO_WAY)
		return refuse(c, req, FAIL_WAYS);
	switch (c->write_allocate) {
	case WRITE_MISS_LAZY:
		return write_miss_lazy(c, req, p, events);
	case WRITE_MISS_FETCH:
		return write_miss_fetch(c, req, p, events);
	default:
		return write_miss_allocate(c, req, p, events);
	}
}

/* ---- the interface ------------------------------------------------------------------------- */

static inline enum hd_cache_status count(struct cache *c, const struct hd_mem_req *req,
                                         bool write, enum cache_outcome outcome)
{
	hd_emit(c->ctx, EMIT_ACCESS, (int64_t)req->addr, req->warp, write, outcome,
	        req->uid, req->core);
	if (outcome == CACHE_NO_WAY)
		return HD_CACHE_FAIL; /* counted by refuse() */
	c->outcome[outcome][HD_MEM_KIND(req->flags)]++;
	return outcome == CACHE_HIT ? HD_CACHE_HIT : HD_CACHE_MISS;
}

static __attribute__((noinline)) enum hd_cache_status store(struct cache *c, const struct hd_mem_req *req,
                                  unsigned *events)
{
	struct probe p;
	bool done;

	*events = 0;
	if (HD_UNLIKELY(c->write_policy == POLICY_READ_ONLY)) {
		hd_fail(c->ctx, "store to address 0x%llx of a read-only cache",
		        (unsigned long long)req->addr);
		return HD_CACHE_FAIL;
	}
	cache_probe(c, req->addr, true, c->write_allocate != WRITE_MISS_NONE, &p);
	if (p.outcome == CACHE_HIT)
		done = write_hit(c, req, &p, events);
	else
		done = write_miss(c, req, &p, events);
	return count(c, req, true, done ? p.outcome : CACHE_NO_WAY);
}

/* The sector to be read is absent; the probe did not choose a victim. */
static enum hd_cache_status load_miss(struct cache *c, const struct hd_mem_req *req, struct probe *p)
{
	if (p->outcome == CACHE_MISS && (p->line = hd__cache_victim(c, p->tag)) == CACHE_NONE)
		p->outcome = CACHE_NO_WAY;
	if (!read_miss(c, req, p))
		p->outcome = CACHE_NO_WAY;
	return count(c, req, false, p->outcome);
}

enum hd_cache_status hd__cache_access(void *self, const struct hd_mem_req *req, unsigned *events)
{
	struct user *u = self;
	struct cache *c = u->cache;
	struct probe p;

	if (HD_UNLIKELY(c->at != u)) {
		c->several = c->several || c->at != NULL;
		c->at = u;
	}

	if (req->flags & HD_MEM_WRITE)
		return store(c, req, events);
	*events = 0;
	cache_probe(c, req->addr, false, false, &p);
	if (p.outcome != CACHE_HIT)
		return load_miss(c, req, &p);
	if (HD_UNLIKELY(req->flags & HD_MEM_ATOMIC))
		atomic_hit(c, req, &p);
	else
		cache_touch(c, p.line);
	return count(c, req, false, CACHE_HIT);
}

/* Counts the answered requests for their users, and wakes those that did not bring the reply. */
static void answer_users(struct cache *c, const struct mshr_entry *e, const struct user *by)
{
	uint32_t n = e->first;

	for (uint32_t i = 0; i < e->count; i++, n = c->mshr.node[n].next) {
		struct user *u = &c->user[c->mshr.node[n].user];

		u->filled++;
		if (u != by)
			hd_wake(c->users.waker[u->index]);
	}
}

/* The reply of a read that this cache sent.  The first request of the entry is the one that
 * travelled: it holds the address, bytes and line as they were when it left. */
void hd__cache_fill(void *self, const struct hd_mem_req *reply)
{
	struct user *u = self;
	struct cache *c = u->cache;
	uint32_t entry = mshr_find(&c->mshr, mshr_key(c, reply));
	const struct mshr_node *waits;
	const struct hd_mem_req *first;
	const uint32_t *line;
	struct probe p;

	if (entry == CACHE_NONE || c->mshr.entry[entry].ready) {
		hd_fail(c->ctx, "reply for address 0x%llx, for which no read is outstanding",
		        (unsigned long long)reply->addr);
		return;
	}
	waits = &c->mshr.node[c->mshr.entry[entry].first];
	first = &waits->req;
	line = first->flags & HD_MEM_LINE ? c->mshr.line_bytes[waits - c->mshr.node] : NULL;
	p.word = cache_word(c, first->addr);
	p.sector = cache_sector(c, first->addr);
	p.line = waits->line;
	if (c->allocate == ALLOCATE_ON_FILL)
		p.line = hd__cache_forced_fill(c, first->addr, first->bytes, line, false);
	else
		hd__cache_fill_line(c, &p, first->bytes, line);
	hd__mshr_fill(&c->mshr, entry);
	if (HD_LIKELY(!c->several))
		c->at->filled += c->mshr.entry[entry].count;
	else
		answer_users(c, &c->mshr.entry[entry], u);
	if (HD_UNLIKELY(c->mshr.entry[entry].atomic && p.line != CACHE_NONE)) {
		hd__cache_modify(c, p.line, p.sector);
		line_add(&c->line[p.line], p.word, first->bytes, line);
	}
	c->fills++;
	hd_emit(c->ctx, EMIT_FILL, (int64_t)reply->addr, p.line);
}

/* cache_access.c - effects of a load and a store on the cache, policy by policy
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Reads and Writes.  Every function that may refuse does so before it
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
#include "mshr.h"
#include "tags.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* What the tags say about an address.  For a miss the line is its victim, when that has been chosen. */
struct probe {
	uint64_t tag;
	struct place at;
	enum cache_outcome outcome;
};

/* The miss entry of a key, in the bucket where it is or would be; CACHE_NONE: there is none. */
struct wait {
	enum cache_key kind;
	uint64_t key;
	uint32_t *bucket, entry;
};

static ALWAYS_INLINE struct probe probe(const struct cache *c, uint64_t addr, bool write)
{
	struct probe p = { .tag = addr & c->line_mask };

	p.at.word = cache_word(c, addr);
	p.at.sector = c->sectored ? p.at.word : 0;
	p.at.line = cache_find(c, p.tag);
	p.outcome = p.at.line == CACHE_NONE ? CACHE_MISS
	            : line_outcome(&c->line[p.at.line], p.at.sector, write);
	return p;
}

/* Chooses the line of a miss; returns false if there is none. */
static ALWAYS_INLINE bool has_line(const struct cache *c, const struct hd_mem_req *req, struct probe *p)
{
	if (p->at.line == CACHE_NONE)
		p->at.line = hd__cache_victim(c, req);
	return p->at.line != CACHE_NONE;
}

static bool refuse(struct cache *c, const struct hd_mem_req *req, enum cache_fail why)
{
	c->fails[why][HD_MEM_KIND(req->flags)]++;
	return false;
}

/* CA8.  Nothing has changed since the probe.  The sector of a miss becomes RESERVED or, of a store that
 * fetches nothing, MODIFIED.  Returns true if *e was evicted. */
static ALWAYS_INLINE bool tag_access(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                                     enum sector_state s, struct evicted *e)
{
	uint32_t i = p->at.line;

	c->used = true;
	if (p->outcome == CACHE_HIT_RESERVED) {
		cache_reuse(c, i, req);
		if (s == SECTOR_MODIFIED)
			cache_modify(c, i, p->at.sector);
		return false;
	}
	if (HD_UNLIKELY(c->allocate == ALLOCATE_ON_FILL))
		return false;
	if (p->outcome == CACHE_MISS)
		return hd__cache_allocate(c, req, i, with_sector(0, p->at.sector, s), e);
	cache_reserve(c, req, i, p->at.sector, s);
	return false;
}

/* Appends to the miss queue; returns the copy.  HD_MEM_LINE is only for what is written back. */
static ALWAYS_INLINE struct hd_mem_req *enqueue(struct cache *c, const struct hd_mem_req *req)
{
	struct user *u = c->at;
	struct hd_mem_req *place = &u->queue[(u->queue_head + u->queue_count++) & c->queue_mask];

	*place = *req;
	place->flags &= (uint16_t)~HD_MEM_LINE;
	return place;
}

/* Write-through data are already in the level below, so only the other policies write back.  One
 * packet for the line: `addr` is the line, `bytes` the set of modified sectors.  Returns how many they are. */
static __attribute__((noinline)) uint32_t write_back(struct cache *c, const struct hd_mem_req *req,
                                                 const struct evicted *e)
{
	struct user *u = c->at;
	uint32_t place = (u->queue_head + u->queue_count) & c->queue_mask;

	if (c->write_policy == POLICY_THROUGH)
		return 0;
	c->write_backs++;
	c->written_back = e->addr;
	u->gone[place] = *e;
	u->gone[place].via = req->addr;
	enqueue(c, &(struct hd_mem_req){
		.addr = e->addr, .bytes = e->sectors, .size = (uint16_t)e->size, .core = req->core,
		.flags = HD_MEM_WRITE | HD_MEM_SILENT,
	})->flags |= HD_MEM_LINE;
	return e->size / CACHE_SECTOR;
}

/* A write-back from above holds bytes of all sectors, including the requested one. */
static ALWAYS_INLINE void add_bytes(struct cache *c, const struct place *at, const struct hd_mem_req *req)
{
	bool one = !(req->flags & HD_MEM_LINE);

	cache_add_bytes(c, at, req, one ? NULL : ((const struct hd_mem_line *)req)->bytes);
}

/* Readable: all 32 bytes are known because all of them were written. */
static ALWAYS_INLINE void note_bytes(struct cache *c, const struct place *at, const struct hd_mem_req *req)
{
	add_bytes(c, at, req);
	if (c->written[at->line].bytes[at->word] == UINT32_MAX)
		c->line[at->line].flags |= (uint16_t)(LINE_READABLE << at->sector);
}

/* ---- reads, also of store misses ----------------------------------------------------------- */

/* Can the miss entries take one more request for this key? */
static ALWAYS_INLINE bool mshr_room(struct cache *c, const struct hd_mem_req *req, enum cache_key kind,
                                    struct wait *w)
{
	const struct mshr *m = &c->mshr;

	w->kind = kind;
	w->key = req->addr & m->mask[kind];
	w->bucket = mshr_bucket(m, w->key);
	w->entry = mshr_find(m, w->bucket, w->key);
	if (w->entry == CACHE_NONE)
		return m->used < m->entries || refuse(c, req, FAIL_ENTRIES);
	return m->entry[w->entry].count < m->merge || refuse(c, req, FAIL_MERGE);
}

/* The request that opened an entry, with these flags, goes to memory, as a read. */
static ALWAYS_INLINE void send_packet(struct cache *c, const struct hd_mem_req *req, uint64_t key, uint16_t flags)
{
	struct hd_mem_req *packet = enqueue(c, req);

	packet->flags = flags & (uint16_t)~(HD_MEM_WRITE | HD_MEM_SILENT | HD_MEM_LINE);
	packet->addr = key;
	packet->size = (uint16_t)c->atom;
}

static __attribute__((noinline, cold)) void tell_miss(const struct cache *c, const struct hd_mem_req *req)
{
	for (uint32_t k = 0; k < c->users.n; k++) {
		const struct hd_cache_notices *to = c->user[k].notices;

		if (to && to->missed && &c->user[k] != c->at)
			to->missed(to->self, req);
	}
}

/* Common to all misses that wait for data: tags, miss entry, packet, write-back.  Merging depends
 * on the miss entry alone, not on the tags (docs/memory.md, CA11).  `flags` are those of the
 * waiting request.  Returns the evicted modified sectors. */
static ALWAYS_INLINE uint32_t await(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                                    const struct wait *w, uint16_t flags)
{
	struct evicted e;
	bool gone = tag_access(c, req, p, SECTOR_RESERVED, &e);
	struct mshr_node *node;

	if (w->entry == CACHE_NONE) {
		node = mshr_open(&c->mshr, w->bucket, w->kind, flags);
	} else {
		node = mshr_join(&c->mshr, w->entry, flags & HD_MEM_ATOMIC);
		c->at->filled += c->mshr.entry[w->entry].ready;
		c->merged[HD_MEM_KIND(req->flags)]++;
	}
	node->req = *req;
	node->req.flags = flags;
	node->place = p->at.line | c->at->mark;
	if (HD_UNLIKELY(flags & HD_MEM_LINE))
		memcpy(c->mshr.line_bytes[c->mshr.entry[w->entry == CACHE_NONE ? *w->bucket : w->entry].last],
		       ((const struct hd_mem_line *)req)->bytes, sizeof *c->mshr.line_bytes);
	if (w->entry == CACHE_NONE) {
		mshr_opened(&c->mshr);
		/* not from the node: a processor waits for what it has just stored in parts */
		send_packet(c, req, w->key, flags);
		if (HD_UNLIKELY(c->heard))
			tell_miss(c, req);
	}
	return HD_UNLIKELY(gone) ? write_back(c, req, &e) : 0;
}

static void atomic_hit(struct cache *c, const struct hd_mem_req *req, const struct place *at)
{
	cache_touch(c, at->line, req);
	hd__cache_modify(c, at->line, at->sector);
	cache_add_bytes(c, at, req, NULL); /* readable stays as it is */
}

/* ---- writes -------------------------------------------------------------------------------- */

static ALWAYS_INLINE void send_store(struct cache *c, const struct hd_mem_req *req, unsigned *events)
{
	enqueue(c, req);
	*events |= HD_CACHE_WRITE_SENT;
}

static bool write_hit(struct cache *c, const struct hd_mem_req *req, const struct place *at,
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
		hd__cache_state(c, at->line, at->sector, SECTOR_INVALID);
		return true;
	}
	cache_touch(c, at->line, req);
	cache_modify(c, at->line, at->sector);
	note_bytes(c, at, req);
	return true;
}

/* Does the store write all bytes that a read would fetch?  Those beyond the sector count, wherever they are. */
static inline bool whole(const struct cache *c, const struct hd_mem_req *req)
{
	const uint32_t *bytes = ((const struct hd_mem_line *)req)->bytes;
	unsigned n = 0;

	if (HD_LIKELY(!(req->flags & HD_MEM_LINE))) {
		uint32_t beyond = hd_mem_beyond(req);

		return c->atom == CACHE_SECTOR && (HD_LIKELY(beyond == 0) ? req->bytes == UINT32_MAX
		       : hd_bits_count32(req->bytes) + beyond == CACHE_SECTOR);
	}
	for (unsigned i = 0; i < CACHE_SECTORS; i++)
		n += hd_bits_count32(bytes[i]);
	return n == c->atom;
}

/* The sector becomes MODIFIED without a fetch of the other bytes. */
static ALWAYS_INLINE void write_without_fetch(struct cache *c, const struct hd_mem_req *req,
                                              const struct probe *p, unsigned *events)
{
	struct evicted e;

	if (HD_UNLIKELY(tag_access(c, req, p, SECTOR_MODIFIED, &e)))
		*events |= write_back(c, req, &e) * HD_CACHE_PUSHED_OUT;
}

static ALWAYS_INLINE bool write_miss_lazy(struct cache *c, const struct hd_mem_req *req, const struct probe *p,
                                          unsigned *events)
{
	struct line *l = &c->line[p->at.line];
	unsigned readable = (unsigned)LINE_READABLE << p->at.sector, flags;

	if (cache_full(c, 0))
		return refuse(c, req, FAIL_QUEUE);
	if (c->write_policy == POLICY_THROUGH)
		send_store(c, req, events);
	write_without_fetch(c, req, p, events);
	flags = l->flags | readable;
	if (HD_UNLIKELY(p->outcome == CACHE_HIT_RESERVED))
		flags |= LINE_MODIFIED_ON_FILL << p->at.sector | LINE_BYTES_ON_FILL;
	if (!whole(c, req)) {
		flags &= ~readable;
		if (p->outcome == CACHE_HIT_RESERVED)
			flags |= LINE_READABLE_ON_FILL << p->at.sector;
	}
	l->flags = (uint16_t)flags;
	note_bytes(c, &p->at, req);
	return true;
}

/* A write-back from above of a single sector bears the address of its line, also where it asks for
 * the miss entry of its sector; one of several was split. */
static enum cache_key store_key(const struct hd_mem_req *req)
{
	if (HD_UNLIKELY(req->flags & HD_MEM_LINE) && (req->bytes & (req->bytes - 1)) == 0)
		return KEY_LINE;
	return mshr_key_of(req);
}

static bool write_miss_fetch(struct cache *c, const struct hd_mem_req *req,
                             const struct probe *p, unsigned *events)
{
	struct wait w;
	uint32_t pushed;

	if (whole(c, req)) {
		if (cache_full(c, 0))
			return refuse(c, req, FAIL_QUEUE);
		write_without_fetch(c, req, p, events);
		add_bytes(c, &p->at, req); /* readable stays as it is */
		return true;
	}
	if (cache_full(c, 1))
		return refuse(c, req, FAIL_QUEUE);
	if (!mshr_room(c, req, store_key(req), &w))
		return false;
	pushed = await(c, req, p, &w, req->flags | HD_MEM_ALLOC);
	c->line[p->at.line].flags |=
		(uint16_t)(LINE_MODIFIED_ON_FILL << p->at.sector | LINE_BYTES_ON_FILL);
	*events |= HD_CACHE_ALLOC_SENT | pushed * HD_CACHE_PUSHED_OUT;
	return true;
}

static bool write_miss_allocate(struct cache *c, const struct hd_mem_req *req,
                                const struct probe *p, unsigned *events)
{
	struct wait w;
	uint32_t pushed;

	if (cache_full(c, 2)) /* store, read, write-back */
		return refuse(c, req, FAIL_QUEUE);
	if (!mshr_room(c, req, store_key(req), &w))
		return false;
	send_store(c, req, events);
	pushed = await(c, req, p, &w, (uint16_t)(req->flags & ~HD_MEM_WRITE) | HD_MEM_ALLOC);
	*events |= HD_CACHE_ALLOC_SENT | pushed * HD_CACHE_PUSHED_OUT;
	return true;
}

static ALWAYS_INLINE bool write_miss(struct cache *c, const struct hd_mem_req *req, struct probe *p,
                                     unsigned *events)
{
	if (c->write_allocate == WRITE_MISS_NONE) {
		if (cache_full(c, 0))
			return refuse(c, req, FAIL_QUEUE);
		send_store(c, req, events);
		return true;
	}
	if (!has_line(c, req, p))
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

/* Its own function, so that others have no place for the fields. */
static __attribute__((noinline, cold)) void emit_access(const struct cache *c, const struct hd_mem_req *req,
                                                        enum cache_outcome outcome)
{
	hd_emit(c->ctx, EMIT_ACCESS, (int64_t)req->addr, req->warp, (req->flags & HD_MEM_WRITE) != 0, outcome,
	        req->uid, req->core);
}

/* CACHE_NO_WAY: it was refused, for whatever reason. */
static ALWAYS_INLINE enum hd_cache_status count(struct cache *c, const struct hd_mem_req *req,
                                                enum cache_outcome outcome)
{
	if (HD_UNLIKELY(cache_emits(c, EMIT_ACCESS)))
		emit_access(c, req, outcome);
	if (outcome == CACHE_NO_WAY)
		return HD_CACHE_FAIL; /* counted by refuse() */
	c->outcome[outcome][HD_MEM_KIND(req->flags)]++;
	return outcome == CACHE_HIT ? HD_CACHE_HIT : HD_CACHE_MISS;
}

static __attribute__((noinline)) enum hd_cache_status store(struct cache *c, const struct hd_mem_req *req,
                                                            unsigned *events)
{
	struct probe p = probe(c, req->addr, true);
	bool done;

	if (HD_UNLIKELY(c->write_policy == POLICY_READ_ONLY)) {
		hd_fail(c->ctx, "store to address 0x%llx of a read-only cache",
		        (unsigned long long)req->addr);
		return HD_CACHE_FAIL;
	}
	if (p.outcome == CACHE_HIT)
		done = write_hit(c, req, &p.at, events);
	else
		done = write_miss(c, req, &p, events);
	return count(c, req, done ? p.outcome : CACHE_NO_WAY);
}

/* A store while the queue is full: it is refused if it does not hit, whatever would be done with it.  Without a line
 * the lack of a victim may be the reason (CA13). */
static __attribute__((noinline)) enum hd_cache_status try_store(struct cache *c, const struct hd_mem_req *req,
                                                                unsigned *events)
{
	uint32_t i = cache_find(c, req->addr & c->line_mask);

	if (i == CACHE_NONE || line_outcome(&c->line[i], cache_sector(c, req->addr), true) == CACHE_HIT
	    || cache_emits(c, EMIT_ACCESS))
		return store(c, req, events);
	c->fails[FAIL_QUEUE][HD_MEM_KIND(req->flags)]++;
	return HD_CACHE_FAIL;
}

/* The sector to be read is absent.  The miss queue is looked at before the miss entries. */
static ALWAYS_INLINE enum hd_cache_status load_miss(struct cache *c, const struct hd_mem_req *req,
                                                    uint32_t line, enum cache_outcome outcome)
{
	struct probe p = { req->addr & c->line_mask, { line, cache_sector(c, req->addr), 0 }, outcome };
	struct wait w;

	if (outcome == CACHE_MISS && !has_line(c, req, &p))
		refuse(c, req, FAIL_WAYS);
	else if (c->at->queue_count >= c->read_limit)
		refuse(c, req, FAIL_QUEUE);
	else if (mshr_room(c, req, mshr_key_of(req), &w)) {
		await(c, req, &p, &w, req->flags);
		return count(c, req, outcome);
	}
	return count(c, req, CACHE_NO_WAY);
}

/* One function for each outcome: what it does not do is not there. */
static __attribute__((noinline)) enum hd_cache_status load_line(struct cache *c, const struct hd_mem_req *req)
{
	return load_miss(c, req, CACHE_NONE, CACHE_MISS);
}

static __attribute__((noinline)) enum hd_cache_status load_sector(struct cache *c, const struct hd_mem_req *req,
                                                                  uint32_t line)
{
	return load_miss(c, req, line, CACHE_SECTOR_MISS);
}

static __attribute__((noinline)) enum hd_cache_status load_reserved(struct cache *c, const struct hd_mem_req *req,
                                                                    uint32_t line)
{
	return load_miss(c, req, line, CACHE_HIT_RESERVED);
}

/* A load that hits where that is more than a younger line, or is recorded. */
static __attribute__((noinline)) enum hd_cache_status load_hit_rare(struct cache *c, const struct hd_mem_req *req,
                                                                    uint32_t line)
{
	struct place at = { line, cache_sector(c, req->addr), cache_word(c, req->addr) };

	if (req->flags & HD_MEM_ATOMIC)
		atomic_hit(c, req, &at);
	else
		cache_touch(c, line, req);
	return count(c, req, CACHE_HIT);
}

static __attribute__((noinline)) enum hd_cache_status load_hit(struct cache *c, const struct hd_mem_req *req,
                                                               uint32_t line)
{
	if (HD_UNLIKELY(req->flags & HD_MEM_ATOMIC) || !cache_touches(c, line) || cache_emits(c, EMIT_ACCESS))
		return load_hit_rare(c, req, line);
	c->outcome[CACHE_HIT][HD_MEM_KIND(req->flags)]++;
	return HD_CACHE_HIT;
}

/* This function calls others only as its last step: what is tried again in every cycle is done here. */
enum hd_cache_status hd__cache_access(void *self, const struct hd_mem_req *req, unsigned *events)
{
	struct user *u = self;
	struct cache *c = u->cache;
	const struct line *l;
	unsigned twice;
	uint32_t i;

	if (HD_UNLIKELY(c->at != u)) {
		c->several = c->several || c->at != NULL;
		c->at = u;
	}
	*events = 0;
	if (req->flags & HD_MEM_WRITE)
		return u->queue_count < c->store_limit ? store(c, req, events) : try_store(c, req, events);
	i = cache_find(c, req->addr & c->line_mask);
	if (i == CACHE_NONE)
		return load_line(c, req);
	l = &c->line[i];
	twice = cache_sector_twice(c, req->addr);
	if (line_hit(l, twice))
		return load_hit(c, req, i);
	if (u->queue_count >= c->read_limit && !cache_emits(c, EMIT_ACCESS)) {
		c->fails[FAIL_QUEUE][HD_MEM_KIND(req->flags)]++;
		return HD_CACHE_FAIL;
	}
	if ((l->state >> twice & 3) == SECTOR_RESERVED)
		return load_reserved(c, req, i);
	return load_sector(c, req, i);
}

/* docs/memory.md, CA25.  The user that reads at present remains the one that answers belong to. */
void hd__cache_copy(void *self, const struct hd_mem_req *req)
{
	struct user *u = self, *at = u->cache->at;
	struct cache *c = u->cache;
	struct probe p = probe(c, req->addr, false);
	struct evicted e;

	if (p.outcome == CACHE_HIT) {
		cache_touch(c, p.at.line, req);
		count(c, req, CACHE_HIT);
		return;
	}
	c->at = u;
	if (p.outcome != CACHE_HIT_RESERVED && !cache_full(c, 0) && has_line(c, req, &p)) {
		if (tag_access(c, req, &p, SECTOR_RESERVED, &e))
			write_back(c, req, &e);
		hd__cache_fill_line(c, &p.at, req, NULL);
	}
	c->at = at;
}

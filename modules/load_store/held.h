/* held.h - private to load_store, for dumps: where the loads are for which warps wait
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In a run that may be observed the unit calls its cache through this, which notes what is sent and
 * what has come back; in others none of it is there.  A load is where the oldest of its accesses is
 * that is not back; one that waits for the sector of an earlier request is where that is.
 */
#ifndef HEDDLE_MODULES_LOAD_STORE_HELD_H
#define HEDDLE_MODULES_LOAD_STORE_HELD_H

#include "unit.h"

#include <stdlib.h>

#define HELD_BUCKETS 256u
#define HELD_NONE 0u /* index: there is none, also in memory that was never written */
#define HELD_BACK UINT32_MAX /* record: it has been released */
#define HELD_WAITS 8u /* most stages that are asleep */

/* A sector, or line, for which a request is outstanding. */
struct held_sector {
	uint64_t addr;
	hd_mem_ref ref; /* 0: in the miss queue */
	uint32_t chain; /* next in the bucket, or of the free ones */
};

/* An access of a load that missed, or bypassed the cache. */
struct held_access {
	uint64_t addr;
	hd_mem_ref ref; /* of one that bypassed, HELD_BACK: and is back; 0: it missed */
	uint32_t next;
};

struct held_load {
	uint32_t first, last; /* accesses, oldest first */
};

/* A stage that is asleep until a load may be elsewhere. */
struct held_wait {
	struct hd_waker waiter;
	uint32_t load; /* index */
	uint64_t keys; /* set of held_key_bit() of the sectors on which the answer depended */
};

struct held {
	struct unit *unit;
	const struct hd_cache_if *cache; /* NULL: there is none */
	struct hd_cache_if face;         /* in its place */
	hd_mem_ref next;                 /* record in which the head of the miss queue is sent */
	uint32_t nwaits;
	struct held_wait wait[HELD_WAITS];
	struct held_sector *sector;
	struct held_access *access;
	uint32_t nsectors, free_sector, naccesses, free_access;
	uint32_t bucket[HELD_BUCKETS];
	uint64_t *missed;                /* ring: when the requests in the miss queue came into it */
	uint32_t missed_mask, missed_head, missed_count;
	struct held_load load[HD_MAX_WARPS * REGS];
};

/* Room for the next element, from number 1 on, of an array that only grows; HELD_NONE when memory runs out. */
static inline uint32_t held_more(struct held *h, void **v, uint32_t *n, size_t size)
{
	uint32_t next = *n ? *n : 1;
	void *more = next & (next - 1) ? *v : realloc(*v, 2 * (size_t)next * size);

	if (!more) {
		hd_fail(h->unit->ctx, "out of memory");
		return HELD_NONE;
	}
	if (*n == 0)
		memset(more, 0, size); /* number 0: what is saved is defined */
	*v = more;
	*n = next + 1;
	return next;
}

/* ---- who waits for a load to be elsewhere ---- */

static inline void held_wake(struct held *h, uint32_t i)
{
	hd_wake(h->wait[i].waiter);
	h->wait[i] = h->wait[--h->nwaits];
}

/* The load has another access, or one of them is back. */
static inline void held_load_changed(struct held *h, uint32_t load)
{
	for (uint32_t i = h->nwaits; i-- > 0;)
		if (h->wait[i].load == load)
			held_wake(h, i);
}

static inline uint64_t held_hash(uint64_t key)
{
	return key * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t held_key_bit(uint64_t key)
{
	return hd_bit(held_hash(key) >> 58);
}

/* A request for the sector is queued, sent or answered. */
static inline void held_sector_changed(struct held *h, uint64_t key)
{
	for (uint32_t i = h->nwaits; i-- > 0;)
		if (h->wait[i].keys & held_key_bit(key))
			held_wake(h, i);
}

/* A stage waits for one load at a time.  Returns false if too many wait. */
static inline bool held_waits(struct held *h, const struct held_wait *w)
{
	uint32_t i = 0;

	while (i < h->nwaits && (h->wait[i].waiter.word != w->waiter.word || h->wait[i].waiter.bit != w->waiter.bit))
		i++;
	if (i == HELD_WAITS)
		return false;
	h->wait[i] = *w;
	h->nwaits += i == h->nwaits;
	return true;
}

/* ---- sectors ---- */

static inline uint64_t held_key(const struct held *h, uint64_t addr)
{
	return addr & ~(uint64_t)(h->cache->atom - 1);
}

static inline uint32_t *held_bucket(struct held *h, uint64_t key)
{
	return &h->bucket[held_hash(key) >> 56];
}

static inline struct held_sector *held_find(struct held *h, uint64_t key)
{
	uint32_t i = *held_bucket(h, key);

	while (i != HELD_NONE && h->sector[i].addr != key)
		i = h->sector[i].chain;
	return i == HELD_NONE ? NULL : &h->sector[i];
}

static inline void held_add(struct held *h, uint64_t key)
{
	uint32_t i = h->free_sector, *bucket = held_bucket(h, key);

	if (i != HELD_NONE)
		h->free_sector = h->sector[i].chain;
	else if ((i = held_more(h, (void **)&h->sector, &h->nsectors, sizeof *h->sector)) == HELD_NONE)
		return;
	h->sector[i] = (struct held_sector){ .addr = key, .chain = *bucket };
	*bucket = i;
	held_sector_changed(h, key);
}

static inline void held_remove(struct held *h, uint64_t key)
{
	uint32_t *at = held_bucket(h, key), i;

	while (*at != HELD_NONE && h->sector[*at].addr != key)
		at = &h->sector[*at].chain;
	if ((i = *at) == HELD_NONE)
		return;
	*at = h->sector[i].chain;
	h->sector[i].chain = h->free_sector;
	h->free_sector = i;
	held_sector_changed(h, key);
}

/* ---- accesses ---- */

static inline __attribute__((always_inline)) void held_append(struct held *h, const struct hd_mem_req *r, hd_mem_ref ref)
{
	struct held_load *l = &h->load[r->warp * REGS + r->dst];
	uint32_t i = h->free_access;

	if (!r->dst || (r->flags & HD_MEM_WRITE))
		return;
	if (i != HELD_NONE)
		h->free_access = h->access[i].next;
	else if ((i = held_more(h, (void **)&h->access, &h->naccesses, sizeof *h->access)) == HELD_NONE)
		return;
	h->access[i] = (struct held_access){ .addr = r->addr, .ref = ref, .next = HELD_NONE };
	if (l->first == HELD_NONE)
		l->first = i;
	else
		h->access[l->last].next = i;
	l->last = i;
	held_load_changed(h, r->warp * REGS + r->dst);
}

/* A request that bypasses the cache was sent. */
static __attribute__((noinline)) void held_bypass(struct held *h, const struct hd_mem_req *r, hd_mem_ref ref)
{
	hd_mem(h->unit->requests, ref)->place = HD_MEM_AT_NETWORK;
	held_append(h, r, ref);
}

/* The response to a request that bypassed the cache is here, and its record will be released. */
static inline void held_back(struct held *h, const struct hd_mem_req *r, hd_mem_ref ref)
{
	if (!r->dst)
		return;
	for (uint32_t i = h->load[r->warp * REGS + r->dst].first; i != HELD_NONE; i = h->access[i].next)
		if (h->access[i].ref == ref)
			h->access[i].ref = HELD_BACK;
	held_load_changed(h, r->warp * REGS + r->dst);
}

/* The load of this register is done. */
static inline void held_done(struct held *h, uint32_t warp, uint32_t reg)
{
	struct held_load *l = &h->load[warp * REGS + reg];

	if (l->first == HELD_NONE)
		return;
	h->access[l->last].next = h->free_access;
	h->free_access = l->first;
	l->first = HELD_NONE;
	held_load_changed(h, warp * REGS + reg);
}

/* Whether the memory works before the issue stage in an edge depends on the links, so a move shows in the next. */
static inline enum hd_mem_place held_record(const struct held *h, hd_mem_ref ref)
{
	const struct hd_mem *m = hd_mem(h->unit->requests, ref);

	return hd_mem_seen(m, *h->unit->ctx->cycle);
}

static inline enum hd_mem_place held_access_place(struct held *h, const struct held_access *a)
{
	const struct held_sector *s;

	if (a->ref == HELD_BACK)
		return HD_MEM_AT_REPLY;
	if (a->ref)
		return held_record(h, a->ref);
	s = held_find(h, held_key(h, a->addr));
	if (!s)
		return HD_MEM_AT_REPLY;
	return s->ref ? held_record(h, s->ref) : HD_MEM_AT_L1_QUEUE;
}

/* The record of the request that the access waits for; 0: there is none. */
static inline hd_mem_ref held_request(struct held *h, const struct held_access *a)
{
	return a->ref ? a->ref : held_find(h, held_key(h, a->addr))->ref;
}

/* Where the load is that writes the register; for the issue stage. */
static inline uint8_t held_where(const void *self, uint32_t warp, uint32_t reg, struct hd_waker waiter, bool *wakes)
{
	struct held *h = ((const struct unit *)self)->held;
	enum hd_mem_place place = HD_MEM_AT_L1;
	struct held_wait w = { .waiter = waiter, .load = warp * REGS + reg };
	uint32_t i;

	for (i = h->load[w.load].first; i != HELD_NONE; i = h->access[i].next) {
		const struct held_access *a = &h->access[i];

		place = held_access_place(h, a);
		if (a->ref == 0)
			w.keys |= held_key_bit(held_key(h, a->addr));
		if (place != HD_MEM_AT_REPLY)
			break;
	}
	*wakes = held_waits(h, &w);
	if (*wakes && i != HELD_NONE && place != HD_MEM_AT_L1_QUEUE)
		*wakes = hd_mem_wait(h->unit->ctx, hd_mem(h->unit->requests, held_request(h, &h->access[i])),
		                     *h->unit->ctx->cycle, waiter);
	return (uint8_t)place;
}

/* ---- in the place of the cache ---- */

static __attribute__((noinline)) void held_missed(struct held *h, const struct hd_mem_req *r, unsigned events)
{
	if ((!(r->flags & HD_MEM_WRITE) || (events & HD_CACHE_ALLOC_SENT)) && !held_find(h, held_key(h, r->addr)))
		held_add(h, held_key(h, r->addr));
	held_append(h, r, 0);
}

static inline enum hd_cache_status held_access_cache(void *self, const struct hd_mem_req *r,
                                                     unsigned *events)
{
	struct held *h = self;
	enum hd_cache_status status = h->cache->access(h->cache->self, r, events);

	while (h->missed_count < *h->cache->queued) /* as large as the queue ever becomes */
		h->missed[(h->missed_head + h->missed_count++) & h->missed_mask] = *h->unit->ctx->cycle;
	if (status == HD_CACHE_MISS)
		held_missed(h, r, *events);
	return status;
}

/* The unit allocates a record for it at once, and puts that. */
static inline const struct hd_mem_req *held_send(void *self)
{
	struct held *h = self;

	h->next = hd_pool_next(h->unit->requests);
	hd_mark_before(h->unit->ctx, h->unit->requests, h->next, MARK_MISS,
	               (uint32_t)(*h->unit->ctx->cycle - h->missed[h->missed_head++ & h->missed_mask]));
	h->missed_count--;
	return h->cache->sent(h->cache->self);
}

/* It has sent it. */
static __attribute__((noinline)) void held_sent(struct held *h)
{
	struct hd_mem *m = hd_mem(h->unit->requests, h->next);
	struct held_sector *s = held_find(h, held_key(h, m->line.req.addr));

	m->place = HD_MEM_AT_NETWORK;
	if (s && !(m->line.req.flags & HD_MEM_WRITE)) {
		s->ref = h->next;
		held_sector_changed(h, s->addr);
	}
}

static inline void held_fill(void *self, const struct hd_mem_req *reply)
{
	struct held *h = self;

	held_remove(h, held_key(h, reply->addr));
	h->cache->fill(h->cache->self, reply);
}

static inline const struct hd_mem_req *held_taken(void *self)
{
	const struct hd_cache_if *c = ((struct held *)self)->cache;

	return c->taken(c->self);
}

static inline uint32_t held_pending(const void *self)
{
	const struct hd_cache_if *c = ((const struct held *)self)->cache;

	return c->pending(c->self);
}

/* ---- checkpoints ---- */

/* Elements of an array that grows as held_more() does; h NULL: the run has none. */
static inline uint32_t held_array_saved(struct hd_checkpoint *k, const struct held *h, void **v,
                                        uint32_t n, size_t size)
{
	uint32_t room = 1, many = (uint32_t)hd_saved_number(k, n, 1u << 24);
	void *more;

	while (room < many)
		room *= 2;
	if (h && hd_loads(k) && many > 0) {
		more = realloc(*v, room * size);
		if (!more) {
			hd_refuse(k, "out of memory for %u loads", many);
			return 0;
		}
		*v = more;
	}
	hd_saved_maybe(k, h ? *v : NULL, many * size);
	return many;
}

/* From a run without it: it is not known where the loads are that are under way. */
static inline void held_saved(struct hd_checkpoint *k, struct held *h)
{
	uint32_t waiting = h && h->cache ? *h->cache->queued : 0;
	void *sector = h ? h->sector : NULL, *access = h ? h->access : NULL;

	held_array_saved(k, h, &sector, h ? h->nsectors : 0, sizeof *h->sector);
	held_array_saved(k, h, &access, h ? h->naccesses : 0, sizeof *h->access);
	if (h) {
		h->sector = (struct held_sector *)sector;
		h->access = (struct held_access *)access;
	}
	hd_saved_maybe(k, h ? &h->nsectors : NULL,
	               offsetof(struct held, missed) - offsetof(struct held, nsectors));
	hd_saved_maybe(k, h ? h->missed : NULL, h ? (h->missed_mask + (size_t)1) * sizeof *h->missed : 0);
	hd_saved_maybe(k, h ? &h->missed_head : NULL,
	               sizeof *h - offsetof(struct held, missed_head));
	for (uint32_t i = 0; h && h->missed_count != waiting && i < waiting; i++)
		h->missed[(h->missed_head + i) & h->missed_mask] = *h->unit->ctx->cycle;
	if (h)
		h->missed_count = waiting;
}

/* ---- */

static inline void held_free(struct held *h)
{
	if (!h)
		return;
	free(h->sector);
	free(h->access);
	free(h->missed);
	free(h);
}

/* Puts it between the unit and its cache. */
static inline int held_start(struct unit *u)
{
	struct held *h = calloc(1, sizeof *h);
	uint32_t room = 1;

	u->held = h;
	if (!h)
		return hd_error(u->ctx, "out of memory");
	h->unit = u;
	h->cache = u->l1d;
	u->scoreboard->where = held_where;
	u->scoreboard->where_self = u;
	if (!u->l1d)
		return 0;
	while (room < u->l1d->queue_room)
		room *= 2;
	h->missed = calloc(room, sizeof *h->missed);
	h->missed_mask = room - 1;
	h->face = *u->l1d;
	h->face.self = h;
	h->face.access = held_access_cache;
	h->face.outgoing = h->face.ready = NULL; /* the unit does not look at what it does not take */
	h->face.sent = held_send;
	h->face.fill = held_fill;
	h->face.taken = held_taken;
	h->face.pending = held_pending;
	u->l1d = &h->face;
	return h->missed ? 0 : hd_error(u->ctx, "out of memory");
}

#endif

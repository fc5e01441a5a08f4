/* held.c - where the loads are for which warps wait
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "held.h"

#include <stdlib.h>

#define REGS (HD_REG_WORDS * 64u)
#define NONE 0u         /* index: there is none */
#define BACK HD_CACHE_UNSENT /* record: it has been released; */
#define OTHER (BACK - 1) /* a read that this unit has not sent, or that is answered already */
#define WAITS 8u        /* most stages that are asleep */

/* An access of a load that missed, or bypassed the cache. */
struct access {
	uint64_t addr;
	hd_mem_ref ref; /* 0: it missed, OTHER: and waits for such a read; else it bypassed the cache, BACK: is back */
	uint32_t next;
};

struct load {
	uint32_t first, last; /* accesses, oldest first */
};

/* A stage that is asleep until a load may be elsewhere. */
struct wait {
	struct hd_waker waiter;
	uint32_t load; /* index */
	uint64_t keys; /* set of key_bit() of the addresses on which the answer depended */
};

struct held {
	const struct hd_ctx *ctx;
	struct hd_pool *requests;
	const struct hd_cache_if *cache; /* or NULL */
	uint32_t nwaits;
	struct wait wait[WAITS];
	uint32_t transaction[HD_MAX_WARPS * REGS]; /* of a load, by warp and register */
	uint64_t *missed; /* ring: when the requests in the miss queue came into it */
	uint32_t missed_mask, missed_head, missed_count;
	struct access *access; /* from number 1 on */
	uint32_t naccesses, free_access;
	struct load load[HD_MAX_WARPS * REGS];
};

/* ---- who waits for a load to be elsewhere ---- */

static void wake(struct held *h, uint32_t i)
{
	hd_wake(h->wait[i].waiter);
	h->wait[i] = h->wait[--h->nwaits];
}

/* The load has another access, or one of them is back. */
static void load_changed(struct held *h, uint32_t load)
{
	for (uint32_t i = h->nwaits; i-- > 0;)
		if (h->wait[i].load == load)
			wake(h, i);
}

static uint64_t key_bit(const struct held *h, uint64_t addr)
{
	return hd_bit((addr & ~(uint64_t)(h->cache->atom - 1)) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* A request for the sector of the address is queued, sent or answered. */
static void sector_changed(struct held *h, uint64_t addr)
{
	for (uint32_t i = h->nwaits; i-- > 0;)
		if (h->wait[i].keys & key_bit(h, addr))
			wake(h, i);
}

/* A stage waits for one load at a time.  Returns false if too many wait. */
static bool waits(struct held *h, const struct wait *w)
{
	uint32_t i = 0;

	while (i < h->nwaits && (h->wait[i].waiter.word != w->waiter.word || h->wait[i].waiter.bit != w->waiter.bit))
		i++;
	if (i == WAITS)
		return false;
	h->wait[i] = *w;
	h->nwaits += i == h->nwaits;
	return true;
}

/* ---- loads and their accesses ---- */

void hd__held_keep(struct held *h, struct hd_pool *insts, hd_inst_ref ref, unsigned mark)
{
	const struct hd_inst *inst = hd_inst(insts, ref);
	uint32_t *transaction = &h->transaction[inst->warp * REGS + inst->dst];

	if (!inst->dst)
		return;
	if (*transaction) /* an earlier load to the register, which both release */
		hd_transaction_end(insts, *transaction);
	*transaction = hd_transaction_keep(insts, ref);
	hd_transaction_mark(h->ctx, insts, *transaction, mark, 0);
}

void hd__held_done(struct held *h, struct hd_pool *insts, uint32_t warp, uint32_t reg)
{
	uint32_t load = warp * REGS + reg;
	struct load *l = &h->load[load];

	hd_transaction_end(insts, h->transaction[load]);
	h->transaction[load] = 0;
	if (l->first == NONE)
		return;
	h->access[l->last].next = h->free_access;
	h->free_access = l->first;
	l->first = NONE;
	load_changed(h, load);
}

/* Makes room for the access whose number is the next power of two. */
static bool longer(struct held *h)
{
	struct access *more = realloc(h->access, 2 * (size_t)h->naccesses * sizeof *more);

	if (!more) {
		hd_fail(h->ctx, "out of memory");
		return false;
	}
	h->access = more;
	return true;
}

static void append(struct held *h, const struct hd_mem_req *r, hd_mem_ref ref)
{
	struct load *l = &h->load[r->warp * REGS + r->dst];
	uint32_t i = h->free_access;

	if (!r->dst || (r->flags & HD_MEM_WRITE))
		return;
	if (i != NONE)
		h->free_access = h->access[i].next;
	else if ((h->naccesses & (h->naccesses - 1)) == 0 && !longer(h))
		return;
	else
		i = h->naccesses++;
	h->access[i] = (struct access){ .addr = r->addr, .ref = ref, .next = NONE };
	if (l->first == NONE)
		l->first = i;
	else
		h->access[l->last].next = i;
	l->last = i;
	load_changed(h, r->warp * REGS + r->dst);
}

void hd__held_accessed(struct held *h, const struct hd_mem_req *r, enum hd_cache_status status)
{
	uint32_t record;

	while (h->missed_count < *h->cache->queued)
		h->missed[(h->missed_head + h->missed_count++) & h->missed_mask] = *h->ctx->cycle;
	if (status != HD_CACHE_MISS)
		return;
	sector_changed(h, r->addr);
	h->cache->probe(h->cache->self, r->addr, &record);
	append(h, r, record == HD_CACHE_UNSENT ? OTHER : 0);
}

void hd__held_sends(struct held *h, unsigned mark)
{
	uint64_t since = h->missed[h->missed_head++ & h->missed_mask];

	h->missed_count--;
	hd_mark_before(h->ctx, h->requests, hd_pool_next(h->requests), mark, (uint32_t)(*h->ctx->cycle - since));
}

void hd__held_sent(struct held *h, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(h->requests, ref);

	m->place = HD_MEM_AT_NETWORK;
	if (m->line.req.flags & HD_MEM_WRITE)
		return;
	h->cache->sent_as(h->cache->self, m->line.req.addr, ref);
	sector_changed(h, m->line.req.addr);
}

void hd__held_filled(struct held *h, uint64_t addr)
{
	sector_changed(h, addr);
}

void hd__held_bypass(struct held *h, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(h->requests, ref);

	m->place = HD_MEM_AT_NETWORK;
	append(h, &m->line.req, ref);
}

void hd__held_back(struct held *h, hd_mem_ref ref)
{
	const struct hd_mem_req *r = &hd_mem(h->requests, ref)->line.req;
	uint32_t load = r->warp * REGS + r->dst;

	if (!r->dst)
		return;
	for (uint32_t i = h->load[load].first; i != NONE; i = h->access[i].next)
		if (h->access[i].ref == ref)
			h->access[i].ref = BACK;
	load_changed(h, load);
}

/* ---- where a load is ---- */

/* The record in which the access is; BACK, OTHER; or 0: it waits for one in the miss queue. */
static hd_mem_ref record_of(const struct held *h, const struct access *a)
{
	uint32_t ref = a->ref;

	if (ref == 0)
		h->cache->probe(h->cache->self, a->addr, &ref); /* BACK is HD_CACHE_UNSENT */
	return ref;
}

/* Whether the memory works before the issue stage in an edge depends on the links, so a move shows in the next. */
static enum hd_mem_place place_of(const struct held *h, hd_mem_ref ref)
{
	if (ref == BACK)
		return HD_MEM_AT_REPLY;
	return ref && ref != OTHER ? hd_mem_seen(hd_mem(h->requests, ref), *h->ctx->cycle) : HD_MEM_AT_L1_QUEUE;
}

/* The function hd_scoreboard.where of the issue stage. */
static uint8_t where(const void *self, uint32_t warp, uint32_t reg, struct hd_waker waiter, bool *wakes)
{
	struct held *h = (struct held *)self;
	enum hd_mem_place place = HD_MEM_AT_L1;
	struct wait w = { .waiter = waiter, .load = warp * REGS + reg };
	hd_mem_ref ref = 0;

	for (uint32_t i = h->load[w.load].first; i != NONE; i = h->access[i].next) {
		const struct access *a = &h->access[i];

		ref = record_of(h, a);
		place = place_of(h, ref);
		if (a->ref == 0)
			w.keys |= key_bit(h, a->addr);
		if (place != HD_MEM_AT_REPLY)
			break;
	}
	*wakes = waits(h, &w);
	if (*wakes && place > HD_MEM_AT_L1_QUEUE && place != HD_MEM_AT_REPLY)
		*wakes = hd_mem_wait(h->ctx, hd_mem(h->requests, ref), *h->ctx->cycle, waiter);
	return (uint8_t)place;
}

/* ---- start and end ---- */

struct held *hd__held_start(struct hd_ctx *ctx, const struct hd_cache_if *l1d, struct hd_scoreboard *s)
{
	struct held *h = hd_memory(ctx, 1, sizeof *h);
	uint32_t room = 1;

	while (l1d && room < l1d->queue_room)
		room *= 2;
	if (h)
		h->missed = hd_memory(ctx, room, sizeof *h->missed);
	if (!h || !h->missed || !(h->access = calloc(1, sizeof *h->access))) {
		hd_error(ctx, "out of memory");
		return NULL;
	}
	h->ctx = ctx;
	h->requests = hd_pool(ctx, &hd_type_mem);
	h->cache = l1d;
	h->missed_mask = room - 1;
	h->naccesses = 1;
	s->where = where;
	s->where_self = h;
	return h;
}

void hd__held_free(struct held *h)
{
	if (h)
		free(h->access);
}

/* In a run that loads from one without it, it is not known where the loads are that are under way. */
void hd__held_saved(struct hd_checkpoint *k, struct held *h)
{
	uint32_t queued = h && h->cache ? *h->cache->queued : 0, room = 1;
	uint32_t n = (uint32_t)hd_saved_number(k, h ? h->naccesses : 0, 1u << 24);
	void *more;

	while (room < n)
		room *= 2;
	if (h && hd_loads(k) && n > 0) {
		more = realloc(h->access, room * sizeof *h->access);
		if (!more) {
			hd_refuse(k, "out of memory for %u accesses", n);
			return;
		}
		h->access = more;
	}
	hd_saved_maybe(k, h ? h->access : NULL, n * sizeof *h->access);
	hd_saved_maybe(k, h ? h->missed : NULL, h ? (h->missed_mask + (size_t)1) * sizeof *h->missed : 0);
	hd_saved_maybe(k, h ? &h->missed_head : NULL, sizeof h->missed_head + sizeof h->missed_count);
	hd_saved_maybe(k, h ? &h->naccesses : NULL, sizeof *h - offsetof(struct held, naccesses));
	for (uint32_t i = 0; h && h->missed_count != queued && i < queued; i++)
		h->missed[(h->missed_head + i) & h->missed_mask] = *h->ctx->cycle;
	if (h)
		h->missed_count = queued;
}

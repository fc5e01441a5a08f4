/* rules_memory.c - rules of data caches, instruction caches, address maps and clusters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/cache.h>
#include <heddle/gpu/cluster.h>
#include <heddle/gpu/icache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/time.h>

/* ---- data cache ---- */

struct cache {
	struct hd_judged by;
	struct hd_cache_if of;
	struct hd_mem_req head; /* of the miss queue as outgoing() has returned it last */
	uint64_t waiting;       /* requests that missed, and have not been taken */
	struct hd_cache_notices notices, told; /* functions of the user, if it listens; the checks in their places */
};

static enum hd_cache_presence cache_probe(const void *self, uint64_t addr, uint32_t *record)
{
	struct cache *k = (struct cache *)self;
	enum hd_cache_presence there;

	HD_RULES_PURE(k, "probe", there, k->of.probe(k->of.self, addr, record));
	return there;
}

static enum hd_cache_status cache_access(void *self, const struct hd_mem_req *req, unsigned *events)
{
	struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	uint32_t queued = *p->queued, filled = *p->filled;
	struct hd_mem_req was = *req;
	enum hd_cache_presence there;
	enum hd_cache_status status;
	uint32_t record;

	there = k->of.probe ? cache_probe(self, req->addr, &record) : HD_CACHE_ABSENT;
	*events = 0;
	status = k->of.access(k->of.self, req, events);
	if ((unsigned)status > HD_CACHE_FAIL)
		hd_rules_wrong(&k->by, "returned %d from access(); expected a hit, a miss or a failure", (int)status);
	if (status == HD_CACHE_FAIL && (*p->queued != queued || *p->filled != filled))
		hd_rules_wrong(&k->by, "has changed its queues in an access() that failed; expected that nothing "
		               "changed, as the same request comes again");
	if (*p->queued > p->queue_room)
		hd_rules_wrong(&k->by, "has %u requests in its miss queue; expected at most %u, its 'queue_room'",
		               *p->queued, p->queue_room);
	if (memcmp(&was, req, sizeof was) != 0)
		hd_rules_wrong(&k->by, "has changed the request in access(); expected that it only reads it");
	if (!(req->flags & (HD_MEM_WRITE | HD_MEM_HALF)) && status != HD_CACHE_FAIL
	    && k->of.probe && (status == HD_CACHE_HIT) != (there == HD_CACHE_HAS))
		hd_rules_wrong(&k->by, "returned %d from probe(), and %d from access() of the same sector; expected 2, "
		               "HD_CACHE_HAS, if that is 0, a hit", (int)there, (int)status);
	k->waiting += status == HD_CACHE_MISS;
	return status;
}

static const struct hd_mem_req *cache_outgoing(void *self)
{
	struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	const struct hd_mem_req *r = k->of.outgoing(k->of.self);

	if ((r != NULL) != (*p->queued != 0))
		hd_rules_wrong(&k->by, "returned %s from outgoing(), and its 'queued' is %u; expected a request if "
		               "that is not 0", r ? "a request" : "none", *p->queued);
	return r;
}

static const struct hd_mem_req *cache_sent(void *self)
{
	struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	const struct hd_mem_req *r;
	uint32_t queued = *p->queued;

	if (queued == 0)
		hd_rules_misused(&k->by, "called sent() of '%s', whose miss queue is empty",
		                 hd_rules_name(k->by.provider));
	r = k->of.outgoing(k->of.self);
	if (r)
		k->head = *r;
	r = k->of.sent(k->of.self);
	if (!r || memcmp(&k->head, r, sizeof k->head) != 0 || *p->queued + 1 != queued)
		hd_rules_wrong(&k->by, "did not take the head of its miss queue out in sent(); expected what "
		               "outgoing() returns");
	return r;
}

static void cache_fill(void *self, const struct hd_mem_req *reply)
{
	struct cache *k = self;

	k->of.fill(k->of.self, reply);
}

static const struct hd_mem_req *cache_ready(void *self)
{
	struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	const struct hd_mem_req *r = k->of.ready(k->of.self);

	if ((r != NULL) != (*p->filled != 0))
		hd_rules_wrong(&k->by, "returned %s from ready(), and its 'filled' is %u; expected a request if that "
		               "is not 0", r ? "a request" : "none", *p->filled);
	return r;
}

static const struct hd_mem_req *cache_taken(void *self)
{
	struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	uint32_t filled = *p->filled;
	const struct hd_mem_req *r = k->of.taken(k->of.self);

	if ((r != NULL) != (filled != 0) || (r && *p->filled + 1 != filled))
		hd_rules_wrong(&k->by, "returned %s from taken(), and its 'filled' goes from %u to %u; expected one "
		               "request less", r ? "a request" : "none", filled, *p->filled);
	if (r && k->waiting-- == 0)
		hd_rules_wrong(&k->by, "answered more requests by taken() than have missed; expected each of them "
		               "once");
	return r;
}

static void cache_invalidate(void *self)
{
	struct cache *k = self;

	k->of.invalidate(k->of.self);
}

static void cache_set_ways(void *self, uint32_t ways, bool shared)
{
	struct cache *k = self;

	k->of.set_ways(k->of.self, ways, shared);
}

static uint32_t cache_pending(const void *self)
{
	const struct cache *k = self;
	const struct hd_cache_if *p = k->by.provided;
	uint32_t n = k->of.pending(k->of.self);

	if (n < *p->queued || n < *p->filled)
		hd_rules_wrong(&k->by, "returned %u from pending(), with %u requests in its miss queue and %u "
		               "answered; expected at least as many", n, *p->queued, *p->filled);
	return n;
}

static void cache_preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later)
{
	struct cache *k = self;

	k->of.preset(k->of.self, addr, ahead, later);
}

static void cache_copy(void *self, const struct hd_mem_req *req)
{
	struct cache *k = self;

	k->of.copy(k->of.self, req);
}

static void cache_flush(void *self)
{
	struct cache *k = self;

	k->of.flush(k->of.self);
}

static void cache_sent_as(void *self, uint64_t addr, uint32_t record)
{
	struct cache *k = self;

	k->of.sent_as(k->of.self, addr, record);
}

static void cache_missed(void *self, const struct hd_mem_req *req)
{
	struct cache *k = self;
	struct hd_mem_req was = *req;

	k->notices.missed(k->notices.self, req);
	if (memcmp(&was, req, sizeof was) != 0)
		hd_rules_misused(&k->by, "has changed the request in missed(); expected that it only reads it");
}

static void cache_evicted(void *self, uint64_t addr, uint32_t has, uint32_t modified, const struct hd_mem_req *by)
{
	struct cache *k = self;

	if (!by || addr == by->addr || ((has | modified) & ~UINT32_C(0xf)))
		hd_rules_wrong(&k->by, "gave notice of the line at address 0x%llx with sectors 0x%x, evicted for %s; "
		               "expected another line, and sets of 4 sectors", (unsigned long long)addr, has | modified,
		               by ? "a request to it" : "no request");
	k->notices.evicted(k->notices.self, addr, has, modified, by);
}

static void cache_emptied(void *self, bool all)
{
	struct cache *k = self;

	k->notices.emptied(k->notices.self, all);
}

static void cache_listen(void *self, const struct hd_cache_notices *to)
{
	struct cache *k = self;

	if (k->told.self)
		hd_rules_misused(&k->by, "called listen() of '%s' a second time; expected once",
		                 hd_rules_name(k->by.provider));
	k->told = *to;
	HD_STAND(&k->notices, &k->told, missed, cache_missed);
	HD_STAND(&k->notices, &k->told, evicted, cache_evicted);
	HD_STAND(&k->notices, &k->told, emptied, cache_emptied);
	HD_STAND(&k->notices, &k->told, self, self);
	k->of.listen(k->of.self, &k->told);
}

static void stand_cache(void *checks, void *provided)
{
	struct cache *k = checks;
	struct hd_cache_if *p = provided;

	HD_STAND(&k->of, p, access, cache_access);
	HD_STAND(&k->of, p, outgoing, cache_outgoing);
	HD_STAND(&k->of, p, sent, cache_sent);
	HD_STAND(&k->of, p, fill, cache_fill);
	HD_STAND(&k->of, p, ready, cache_ready);
	HD_STAND(&k->of, p, taken, cache_taken);
	HD_STAND(&k->of, p, invalidate, cache_invalidate);
	HD_STAND(&k->of, p, set_ways, cache_set_ways);
	HD_STAND(&k->of, p, pending, cache_pending);
	HD_STAND(&k->of, p, preset, cache_preset);
	HD_STAND(&k->of, p, copy, cache_copy);
	HD_STAND(&k->of, p, flush, cache_flush);
	HD_STAND(&k->of, p, probe, cache_probe);
	HD_STAND(&k->of, p, sent_as, cache_sent_as);
	HD_STAND(&k->of, p, listen, cache_listen);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_cache = { &hd_type_cache_if, sizeof(struct cache), stand_cache, NULL };

/* ---- instruction cache ---- */

struct icache {
	struct hd_judged by;
	struct hd_icache_if of;
	uint8_t waits[UINT8_MAX + 1]; /* by warp: a line is fetched for it */
};

static enum hd_icache_status icache_access(void *self, uint32_t warp, uint32_t pc)
{
	struct icache *k = self;
	enum hd_icache_status status = k->of.access(k->of.self, warp, pc);

	if ((unsigned)status > HD_ICACHE_FAIL)
		hd_rules_wrong(&k->by, "returned %d from access(); expected a hit, a miss or a failure", (int)status);
	if (status == HD_ICACHE_MISS)
		k->waits[warp % 256] = 1;
	return status;
}

static int icache_ready(void *self, uint32_t *pc)
{
	struct icache *k = self;
	int warp = k->of.ready(k->of.self, pc);

	if (warp < -1 || warp > UINT8_MAX || (warp >= 0 && !k->waits[warp]))
		hd_rules_wrong(&k->by, "returned warp %d from ready(), which waits for no line; expected one whose "
		               "access() was a miss, once, or -1", warp);
	else if (warp >= 0)
		k->waits[warp] = 0;
	return warp;
}

static void icache_cycle(void *self)
{
	struct icache *k = self;

	k->of.cycle(k->of.self);
}

static void icache_watch(void *self, struct hd_waker fetch)
{
	struct icache *k = self;

	k->of.watch(k->of.self, fetch);
}

static uint32_t icache_rest(void *self, uint32_t pc)
{
	struct icache *k = self;
	uint32_t n;

	HD_RULES_PURE(k, "rest", n, k->of.rest(k->of.self, pc));
	if (n == 0)
		hd_rules_wrong(&k->by, "returned 0 bytes from rest(); expected at least 1, to the end of the line");
	return n;
}

static void stand_icache(void *checks, void *provided)
{
	struct icache *k = checks;
	struct hd_icache_if *p = provided;

	HD_STAND(&k->of, p, access, icache_access);
	HD_STAND(&k->of, p, ready, icache_ready);
	HD_STAND(&k->of, p, cycle, icache_cycle);
	HD_STAND(&k->of, p, watch, icache_watch);
	HD_STAND(&k->of, p, rest, icache_rest);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_icache = { &hd_type_icache_if, sizeof(struct icache), stand_icache, NULL };

/* ---- address map ---- */

struct map {
	struct hd_judged by;
	struct hd_map_if of;
};

static uint32_t map_slice(void *self, uint64_t addr)
{
	struct map *k = self;
	const struct hd_map_if *p = k->by.provided;
	uint32_t n = k->of.slice(k->of.self, addr);

	if (n >= p->channels * p->slices)
		hd_rules_wrong(&k->by, "returned slice %u from slice(); expected less than %u", n,
		               p->channels * p->slices);
	return n;
}

static uint64_t map_local(void *self, uint64_t addr)
{
	struct map *k = self;
	uint64_t local;

	HD_RULES_PURE(k, "local", local, k->of.local(k->of.self, addr));
	return local;
}

static void map_place(void *self, uint64_t addr, uint32_t *bank, uint32_t *row)
{
	struct map *k = self;
	const struct hd_map_if *p = k->by.provided;

	k->of.place(k->of.self, addr, bank, row);
	if (*bank >= p->banks)
		hd_rules_wrong(&k->by, "returned bank %u from place(); expected less than %u", *bank, p->banks);
}

static void stand_map(void *checks, void *provided)
{
	struct map *k = checks;
	struct hd_map_if *p = provided;

	HD_STAND(&k->of, p, slice, map_slice);
	HD_STAND(&k->of, p, local, map_local);
	HD_STAND(&k->of, p, place, map_place);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_map = { &hd_type_map_if, sizeof(struct map), stand_map, NULL };

struct touch {
	struct hd_judged by;
	struct hd_touch_if of;
	uint64_t cycle; /* of the last call */
};

static void touch_touch(void *self, uint64_t addr, uint32_t user, uint64_t cycle)
{
	struct touch *k = self;

	if (cycle < k->cycle)
		hd_rules_misused(&k->by, "called touch() of '%s' for cycle %llu after %llu; expected the present "
		                 "cycle", hd_rules_name(k->by.provider), (unsigned long long)cycle,
		                 (unsigned long long)k->cycle);
	k->cycle = cycle;
	k->of.touch(k->of.self, addr, user, cycle);
}

static void stand_touch(void *checks, void *provided)
{
	struct touch *k = checks;
	struct hd_touch_if *p = provided;

	HD_STAND(&k->of, p, touch, touch_touch);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_touch = { &hd_type_touch, sizeof(struct touch), stand_touch, NULL };

/* ---- cluster, time ---- */

struct cluster {
	struct hd_judged by;
	struct hd_cluster_if of;
	uint32_t placed; /* times */
};

static void cluster_place(void *self, uint32_t first)
{
	struct cluster *k = self;

	if (k->placed++)
		hd_rules_misused(&k->by, "called place() of '%s' a second time; expected once",
		                 hd_rules_name(k->by.provider));
	else
		k->of.place(k->of.self, first);
}

static void cluster_work(void *self, bool works)
{
	struct cluster *k = self;

	k->of.work(k->of.self, works);
}

static void stand_cluster(void *checks, void *provided)
{
	struct cluster *k = checks;
	struct hd_cluster_if *p = provided;

	HD_STAND(&k->of, p, place, cluster_place);
	HD_STAND(&k->of, p, work, cluster_work);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_cluster = { &hd_type_cluster_if, sizeof(struct cluster), stand_cluster, NULL };

struct time {
	struct hd_judged by;
	uint64_t now;
};

static void look_time(void *checks, const void *provided)
{
	struct time *k = checks;
	const struct hd_time *t = provided;

	if (t->now != NULL && t->rate == 0)
		hd_rules_wrong(&k->by, "has a time base with rate 0; expected that of its clock");
	if (t->now && *t->now < k->now)
		hd_rules_wrong(&k->by, "has a time base that goes back from %llu to %llu", (unsigned long long)k->now,
		               (unsigned long long)*t->now);
	k->now = t->now ? *t->now : 0;
}

const struct hd_rules hd__rules_time = { &hd_type_time, sizeof(struct time), NULL, look_time };

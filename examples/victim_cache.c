/* victim_cache.c - a small buffer behind an L1D that keeps the lines which the L1D has replaced
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It stands between the load/store unit and the memory.  As a user of the cache it listens to what that loses, and
 * sends nothing there.  A read that the L1D sends for such a line is answered here, and does not go to memory; the line
 * is in the L1D again then, sector by sector.  Stores pass, and what they write is dropped.
 */
#include <heddle/gpu/cache.h>

#define MOST 256u /* lines */
#define SECTOR 32u
#define LINE 128u

struct state {
	struct hd_ctx *ctx;
	struct hd_pool *pool;
	struct hd_end request, out, reply, response;
	const struct hd_cache_if *cache;
	struct hd_cache_notices notices;
	uint32_t lines, latency;
	struct kept {
		uint64_t addr;
		uint32_t has; /* set of sectors; 0: the place is free */
		uint32_t age; /* the smallest is the oldest */
	} v[MOST];
	uint32_t age;
	hd_mem_ref head, tail; /* requests that are answered here, by hd_mem.next */
	uint64_t kept, hits, misses;
};

static struct kept *find(struct state *st, uint64_t addr)
{
	for (struct kept *k = st->v; k < st->v + st->lines; k++)
		if (k->has && k->addr == (addr & ~(uint64_t)(LINE - 1)))
			return k;
	return NULL;
}

/* Of the line, if it comes back a second time, the sectors of both times; else in the place of the oldest one. */
static void evicted(void *self, uint64_t addr, uint32_t has, uint32_t modified, const struct hd_mem_req *by)
{
	struct state *st = self;
	struct kept *k = find(st, addr);

	(void)modified;
	(void)by;
	if (!has)
		return;
	if (!k) {
		k = st->v;
		for (struct kept *other = st->v; other < st->v + st->lines; other++)
			if ((other->has ? other->age : 0) < (k->has ? k->age : 0))
				k = other;
		*k = (struct kept){ .addr = addr };
	}
	k->has |= has;
	k->age = ++st->age;
	st->kept++;
}

static void emptied(void *self, bool all)
{
	struct state *st = self;

	if (all)
		memset(st->v, 0, sizeof st->v);
}

/* The sectors of the request in its line. */
static uint32_t sectors_of(const struct hd_mem_req *r)
{
	uint32_t n = (r->size + SECTOR - 1) / SECTOR;

	if (r->flags & HD_MEM_LINE)
		return r->bytes;
	return (uint32_t)hd_bits_below(n) << (r->addr % LINE / SECTOR);
}

/* Takes the next request.  Returns false if there is none, or no room behind. */
static bool take(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->request);
	struct hd_mem *m;
	struct kept *k;
	uint32_t sectors;

	if (!ref)
		return false;
	m = hd_mem(st->pool, ref);
	k = find(st, m->line.req.addr);
	sectors = sectors_of(&m->line.req);
	if (k && !(m->line.req.flags & (HD_MEM_WRITE | HD_MEM_BYPASS | HD_MEM_ATOMIC)) && !(sectors & ~k->has)) {
		m->due = hd_now(st->ctx) + st->latency;
		m->next = 0;
		hd_mem_move(st->ctx, m, *st->ctx->cycle, HD_MEM_AT_REPLY);
		if (st->head)
			hd_mem(st->pool, st->tail)->next = ref;
		else
			st->head = ref;
		st->tail = ref;
		st->hits++;
	} else if (hd_room(&st->out)) {
		hd_put(&st->out, &ref, sizeof ref);
		st->misses++;
	} else {
		return false;
	}
	if (k)
		k->has &= ~sectors;
	hd_take(&st->request);
	return true;
}

/* Replies of the memory first, then those that are due here. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);
	hd_mem_ref ref = hd_mem_front(&st->reply);
	bool moved = take(st);

	if ((ref || (st->head && hd_mem(st->pool, st->head)->due <= now)) && hd_room(&st->response)) {
		if (ref) {
			hd_take(&st->reply);
		} else {
			ref = st->head;
			st->head = hd_mem(st->pool, ref)->next;
		}
		hd_put(&st->response, &ref, sizeof ref);
		moved = true;
	}
	if (moved || !st->head)
		return moved ? HD_NEXT : HD_SLEEP;
	return hd_mem(st->pool, st->head)->due > now ? hd_mem(st->pool, st->head)->due - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->notices = (struct hd_cache_notices){ .self = st, .evicted = evicted, .emptied = emptied };
	st->cache->listen(st->cache->self, &st->notices);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, v, tail);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_victim_cache = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "victim_cache", .doc = "keeps lines that an L1D has replaced", .init = init, .start = start,
	.eval = eval, .checkpoint = checkpoint,
	.params = (const struct hd_param[]){
		{ .name = "lines", .unit = "lines", .doc = "of 128 bytes that it keeps, the last ones", .type = HD_U32,
		  AT(lines), .def = "16", .min = 1, .max = MOST },
		{ .name = "latency", .unit = "cycles", .doc = "from a request to its answer, if that is here",
		  .type = HD_U32, AT(latency), .def = "4", .min = 1, .max = 1000 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "cache", .doc = "to whose losses it listens", .kind = HD_USES, .type = &hd_type_cache_if,
		  AT(cache) },
		{ .name = "request", .doc = "of the L1D", .kind = HD_IN, .type = &hd_type_mem, AT(request) },
		{ .name = "out", .doc = "those that are not answered here", .kind = HD_OUT, .type = &hd_type_mem,
		  AT(out), .most = 1 },
		{ .name = "reply", .doc = "to them", .kind = HD_IN, .type = &hd_type_mem, AT(reply) },
		{ .name = "response", .doc = "to the L1D", .kind = HD_OUT, .type = &hd_type_mem, AT(response),
		  .most = 1 },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "kept", .unit = "lines", .doc = "that the L1D has replaced", AT(kept) },
		{ .name = "hits", .unit = "requests", .doc = "that were answered here", AT(hits) },
		{ .name = "misses", .unit = "requests", .doc = "that went on, stores among them", AT(misses) },
		{ .name = NULL } },
};

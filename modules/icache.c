/* icache.c - instruction cache: converts fetches to accesses of a cache, misses to requests
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Instruction cache.  The lines and miss entries are those of the instance of
 * module `cache` at port `cache`.  Replies are taken by this instance's own process, which is
 * evaluated before fetch; a fetch that missed is handed out when its line is there, one per fetch.
 * A second-level cache answers the read of a line sector by sector: the line is there when the
 * replies add up to it.
 */
#include <heddle/gpu/cache.h>
#include <heddle/gpu/icache.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_icache_if icache;
	struct hd_ctx *ctx;
	const struct hd_warps *warps;
	struct hd_pool *pool;
	struct hd_end request, response;
	const struct hd_cache_if *cache;
	struct hd_waker fetch;
	hd_mem_ref parts; /* first reply for each line that is there in part, linked by hd_mem.next */
	uint32_t base;
	uint32_t answered; /* fetches whose lines are there, and that fetch was woken for */
	uint64_t hits, misses, fails, sent;
};

static enum hd_icache_status look_up(void *self, uint32_t warp, uint32_t pc)
{
	struct state *st = self;
	struct hd_mem_req r = { .addr = (uint64_t)pc + st->base, .flags = HD_MEM_INST,
		                .warp = (uint8_t)warp, .pc = pc,
		                .kernel = st->warps ? st->warps->kernel[warp] : 0,
		                .core = st->warps ? (uint16_t)st->warps->sm : 0 };
	unsigned events;

	switch (st->cache->access(st->cache->self, &r, &events)) {
	case HD_CACHE_HIT:
		st->hits++;
		return HD_ICACHE_HIT;
	case HD_CACHE_MISS:
		st->misses++;
		return HD_ICACHE_MISS;
	default:
		st->fails++;
		return HD_ICACHE_FAIL;
	}
}

static int ready(void *self, uint32_t *pc)
{
	struct state *st = self;
	const struct hd_mem_req *r = st->cache->ready(st->cache->self);
	int warp;

	if (!r)
		return -1;
	warp = r->warp;
	*pc = (uint32_t)(r->addr - st->base);
	st->cache->taken(st->cache->self);
	st->answered = *st->cache->filled;
	return warp;
}

static void send(void *self)
{
	struct state *st = self;
	const struct hd_mem_req *r = st->cache->outgoing(st->cache->self);

	if (!r || hd_room(&st->request) == 0)
		return;
	hd_mem_send_on(st->ctx, st->pool, &st->request, r);
	st->sent++;
	st->cache->sent(st->cache->self);
}

static uint32_t rest(void *self, uint32_t pc)
{
	const struct state *st = self;

	return st->cache->atom - (uint32_t)(((uint64_t)pc + st->base) % st->cache->atom);
}

static void watch(void *self, struct hd_waker fetch)
{
	((struct state *)self)->fetch = fetch;
}

/* Adds a part of a line to those that are there.  Returns the reply for the whole line when it is
 * complete, else 0.  The first reply for a line is kept, and counts its bytes in `moved`. */
static hd_mem_ref join(struct state *st, hd_mem_ref part)
{
	uint64_t line_mask = ~(uint64_t)(st->cache->atom - 1);
	struct hd_mem *m = hd_mem(st->pool, part), *first;
	uint64_t line = m->line.req.addr & line_mask;
	hd_mem_ref *at = &st->parts, ref;

	while (*at && hd_mem(st->pool, *at)->line.req.addr != line)
		at = &hd_mem(st->pool, *at)->next;
	ref = *at;
	if (ref == 0) {
		m->line.req.addr = line;
		m->moved = m->line.req.size;
		m->next = 0;
		*at = part;
		return 0;
	}
	first = hd_mem(st->pool, ref);
	first->moved += m->line.req.size;
	hd_release(st->pool, part);
	if (first->moved < st->cache->atom)
		return 0;
	*at = first->next;
	return ref;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref r;

	while ((r = hd_mem_front(&st->response)) != 0) {
		hd_take(&st->response);
		if (hd_mem(st->pool, r)->line.req.size < st->cache->atom && (r = join(st, r)) == 0)
			continue;
		st->cache->fill(st->cache->self, &hd_mem(st->pool, r)->line.req);
		hd_release(st->pool, r);
		hd_wake(st->fetch);
	}
	if (*st->cache->filled > st->answered) /* another user of the cache may have brought the reply */
		hd_wake(st->fetch);
	st->answered = *st->cache->filled;
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->fetch = ctx->self; /* until fetch sets its waker */
	st->icache = (struct hd_icache_if){ .self = st, .access = look_up, .ready = ready,
		                            .cycle = send, .watch = watch, .rest = rest };
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	uint32_t n = st->cache->pending(st->cache->self);

	if (n)
		hd_report_pending(h, "%u fetches wait for their lines", n);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->parts);
	HD_SAVED(k, st->answered);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "base", .unit = "bytes", .doc = "address of code: added to every pc",
	  .type = HD_U32, .offset = P(base), .def = "4026531840", .min = 0, .max = UINT32_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "icache", .doc = "for fetch", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST | HD_GOES_ON,
	  .type = &hd_type_icache_if, .offset = P(icache), .users = 1 },
	{ .name = "cache", .doc = "lines and miss entries", .kind = HD_USES,
	  .type = &hd_type_cache_if, .offset = P(cache) },
	{ .name = "request", .doc = "reads of lines", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = P(request) },
	{ .name = "response", .doc = "lines that were read", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = P(response) },
	{ .name = "warps", .doc = "numbers of the SM and of the kernel of a warp, which requests carry; open: 0",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hits", .unit = "fetches", .doc = "fetches whose line was present",
	  .offset = P(hits) },
	{ .name = "misses", .unit = "fetches", .doc = "fetches that waited for their line",
	  .offset = P(misses) },
	{ .name = "refusals", .unit = "fetches", .doc = "fetches for which the cache had no room",
	  .offset = P(fails) },
	{ .name = NULL },
};

static const struct hd_activity activity[] = {
	{ .name = "sent", .unit = "packets", .doc = "requests that were put into the network", .offset = P(sent) },
	{ .name = NULL },
};

const struct hd_module hd_module_icache = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "icache",
	.doc = "instruction cache: fetches from a cache that reads lines from memory",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.activity = activity,
};

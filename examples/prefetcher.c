/* prefetcher.c - a prefetcher beside an L1D: a load that misses a line reads the next ones as well
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It is another user of the cache, which tells it of misses.  As such it has a miss queue of its own, so that its reads
 * fill lines as those of the load/store unit do, and are answered to it.  Its requests and those of the unit go on
 * through a `request_share`.  In front of a slice of a second-level cache it reads the next lines of that slice.
 */
#include <heddle/gpu/cache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/matrix.h>

#define LINE 128u
#define SECTOR 32u
#define MOST 64u /* lines that wait to be read */
#define FAR 256u /* lines among which the next one of a slice is */

struct state {
	struct hd_ctx *ctx;
	const struct hd_cache_if *cache;
	struct hd_cache_notices notices;
	const struct hd_smem_port_if *port;    /* of the cache, or NULL: it is free */
	const struct hd_map_if *map;           /* of slices, or NULL: the cache has all lines */
	struct hd_end request, response;
	struct hd_pool *pool;
	uint32_t degree;
	struct hd_mem_req like;                /* the load that missed last */
	uint64_t last;                         /* its line, */
	uint64_t line[MOST];                   /* and lines to read, a ring */
	uint32_t head, n, sector;
	uint64_t triggers, prefetches, dropped;
};

static uint64_t next(const struct state *st, uint64_t line)
{
	const struct hd_map_if *map = st->map;
	uint64_t end = line + (map ? LINE * FAR : LINE), of = line;

	for (line += LINE; line < end; line += LINE)
		if (map->slice(map->self, line) == map->slice(map->self, of))
			break;
	return line;
}

static void add(struct state *st, uint64_t line)
{
	if (st->n == MOST)
		st->dropped++;
	else
		st->line[(st->head + st->n++) % MOST] = line;
	hd_wake(st->ctx->self);
}

/* Called by the cache when another user misses. */
static void missed(void *self, const struct hd_mem_req *req)
{
	struct state *st = self;
	uint64_t line = req->addr & ~(uint64_t)(LINE - 1);

	if ((req->flags & (HD_MEM_WRITE | HD_MEM_ATOMIC | HD_MEM_LOCAL)) || line == st->last)
		return;
	st->like = *req;
	st->last = line;
	st->triggers++;
	for (uint32_t i = 0; i < st->degree; i++)
		add(st, line = next(st, line));
}

/* One sector of the oldest line, unless it is there or under way.  A cache that has no room is asked again. */
static bool read_sector(struct state *st)
{
	struct hd_mem_req r = st->like;
	unsigned events;
	uint32_t record;

	if (st->n == 0)
		return false;
	r.addr = st->line[st->head] + st->sector * SECTOR;
	r.bytes = UINT32_MAX;
	r.size = SECTOR;
	r.flags = HD_MEM_LOAD;
	r.uid = r.dst = 0;
	if (st->cache->probe(st->cache->self, r.addr, &record) == HD_CACHE_ABSENT) {
		if (st->port && !st->port->take(st->port->self, HD_SMEM_BULK))
			return true;
		if (st->cache->access(st->cache->self, &r, &events) == HD_CACHE_FAIL)
			return true;
		st->prefetches++;
	}
	if (++st->sector == LINE / SECTOR) {
		st->sector = 0;
		st->head = (st->head + 1) % MOST;
		st->n--;
	}
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref reply = hd_mem_front(&st->response);

	if (reply) {
		st->cache->fill(st->cache->self, &hd_mem(st->pool, reply)->line.req);
		hd_take(&st->response);
		hd_release(st->pool, reply);
	}
	while (*st->cache->filled)
		st->cache->taken(st->cache->self); /* no instruction waits for it */
	if (*st->cache->queued && hd_room(&st->request))
		hd_mem_send_on(st->ctx, st->pool, &st->request, st->cache->sent(st->cache->self));
	return read_sector(st) || *st->cache->queued ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->last = UINT64_MAX;
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->notices = (struct hd_cache_notices){ .self = st, .missed = missed };
	st->cache->listen(st->cache->self, &st->notices);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, like, sector);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_prefetcher = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "prefetcher", .doc = "reads the lines behind one that a load misses", .init = init, .start = start,
	.eval = eval, .checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "degree", .unit = "lines", .doc = "read for each line that is missed", .type = HD_U32,
		  AT(degree), .def = "1", .min = 1, .max = 8 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "cache", .doc = "whose misses it follows", .kind = HD_USES, .type = &hd_type_cache_if,
		  AT(cache) },
		{ .name = "port", .doc = "port of the cache that others use as well; open: it is free", .kind = HD_USES,
		  .flags = HD_OPTIONAL, .type = &hd_type_smem_port_if, AT(port) },
		{ .name = "map", .doc = "of slices of the memory; open: the cache has all lines", .kind = HD_USES,
		  .flags = HD_OPTIONAL, .type = &hd_type_map_if, AT(map) },
		{ .name = "request", .doc = "its reads", .kind = HD_OUT, .type = &hd_type_mem, AT(request), .most = 1 },
		{ .name = "response", .doc = "replies to them", .kind = HD_IN, .type = &hd_type_mem, AT(response) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "triggers", .unit = "lines", .doc = "that loads missed", AT(triggers) },
		{ .name = "prefetches", .unit = "sectors", .doc = "asked of the cache for them", AT(prefetches) },
		{ .name = "dropped", .unit = "lines", .doc = "that were not read, as too many waited", AT(dropped) },
		{ .name = NULL } },
};

/* prefetcher.c - a prefetcher in front of an L1D: a load that misses a line reads the next ones as well
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It stands between the load/store unit and the cache, which it calls for the unit at port `front`.  At port `own` it
 * is another user of the cache: with a miss queue of its own, so that its reads fill lines as those of the unit do, and
 * are answered to it.  Its requests and those of the unit go on through a `request_share`.
 */
#include <heddle/gpu/cache.h>

#define LINE 128u
#define SECTOR 32u
#define MOST 64u /* lines that wait to be read */

struct state {
	struct hd_ctx *ctx;
	struct hd_users users;                 /* the load/store unit, with that of `front`, but for access() */
	const struct hd_cache_if *front, *own;
	struct hd_end request, response;
	struct hd_pool *pool;
	uint32_t degree;
	struct hd_mem_req like;                /* the load that missed last */
	uint64_t last;                         /* its line, */
	uint64_t line[MOST];                   /* and lines to read, a ring */
	uint32_t head, n, sector;
	uint64_t triggers, prefetches, dropped;
};

static void add(struct state *st, uint64_t line)
{
	if (st->n == MOST)
		st->dropped++;
	else
		st->line[(st->head + st->n++) % MOST] = line;
	hd_wake(st->ctx->self);
}

static enum hd_cache_status look(void *self, const struct hd_mem_req *req, unsigned *events)
{
	struct state *st = self;
	enum hd_cache_status status = st->front->access(st->front->self, req, events);
	uint64_t line = req->addr & ~(uint64_t)(LINE - 1);

	if (status != HD_CACHE_MISS || (req->flags & (HD_MEM_WRITE | HD_MEM_ATOMIC | HD_MEM_LOCAL)) || line == st->last)
		return status;
	st->like = *req;
	st->last = line;
	st->triggers++;
	for (uint32_t i = 1; i <= st->degree; i++)
		add(st, line + i * LINE);
	return status;
}

/* The other functions of the cache, for the unit. */
#define PASS(type, name, arg, call) \
	static type name arg { const struct state *st = self; return st->front->name call; }
#define PASS_VOID(name, arg, call) static void name arg { const struct state *st = self; st->front->name call; }
PASS(uint32_t, pending, (const void *self), (st->front->self))
PASS(bool, where, (const void *self, uint64_t addr, uint32_t *record), (st->front->self, addr, record))
PASS(const struct hd_mem_req *, outgoing, (void *self), (st->front->self))
PASS(const struct hd_mem_req *, sent, (void *self), (st->front->self))
PASS(const struct hd_mem_req *, ready, (void *self), (st->front->self))
PASS(const struct hd_mem_req *, taken, (void *self), (st->front->self))
PASS_VOID(fill, (void *self, const struct hd_mem_req *reply), (st->front->self, reply))
PASS_VOID(invalidate, (void *self), (st->front->self))
PASS_VOID(flush, (void *self), (st->front->self))
PASS_VOID(set_ways, (void *self, uint32_t ways, bool shared), (st->front->self, ways, shared))
PASS_VOID(sent_as, (void *self, uint64_t addr, uint32_t record), (st->front->self, addr, record))

/* One sector of the oldest line.  A cache that has no room is asked again. */
static bool read_sector(struct state *st)
{
	struct hd_mem_req r = st->like;
	unsigned events;

	if (st->n == 0)
		return false;
	r.addr = st->line[st->head] + st->sector * SECTOR;
	r.bytes = UINT32_MAX;
	r.size = SECTOR;
	r.flags = HD_MEM_LOAD;
	r.uid = r.dst = 0;
	if (st->own->access(st->own->self, &r, &events) == HD_CACHE_FAIL)
		return true;
	st->prefetches++;
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

	/* The unit may sleep until the cache is not as it was when it refused an access. */
	if (reply || *st->own->queued)
		hd_wake(st->users.waker[0]);
	if (reply) {
		st->own->fill(st->own->self, &hd_mem(st->pool, reply)->line.req);
		hd_take(&st->response);
		hd_release(st->pool, reply);
	}
	while (*st->own->filled)
		st->own->taken(st->own->self); /* no instruction waits for it */
	if (*st->own->queued && hd_room(&st->request))
		hd_mem_send_on(st->ctx, st->pool, &st->request, st->own->sent(st->own->self));
	return read_sector(st) || *st->own->queued ? HD_NEXT : HD_SLEEP;
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
	struct hd_cache_if *cache = st->users.v;

	if (st->users.n == 0)
		return hd_error(st->ctx, "port 'cache' has no link; expected one of a load/store unit");
	*cache = *st->front; /* with its counts */
	cache->self = st;
	cache->access = look;
	cache->outgoing = outgoing;
	cache->sent = sent;
	cache->fill = fill;
	cache->ready = ready;
	cache->taken = taken;
	cache->invalidate = invalidate;
	cache->flush = flush;
	cache->set_ways = set_ways;
	cache->pending = pending;
	cache->where = where;
	cache->sent_as = sent_as;
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
		{ .name = "degree", .unit = "lines", .doc = "read for each missed", AT(degree), .def = "1", .max = 8 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "cache", .doc = "for the load/store unit", .kind = HD_PROVIDES,
		  .flags = HD_ARRAY | HD_ORDERED | HD_GOES_ON | HD_PROVIDER_FIRST, .type = &hd_type_cache_if, AT(users),
		  .users = 1 },
		{ .name = "front", .doc = "the cache, for that unit", .kind = HD_USES, .type = &hd_type_cache_if,
		  AT(front) },
		{ .name = "own", .doc = "it, for its own reads", .kind = HD_USES, .type = &hd_type_cache_if, AT(own) },
		{ .name = "request", .doc = "its reads", .kind = HD_OUT, .type = &hd_type_mem, AT(request), .most = 1 },
		{ .name = "response", .doc = "replies to them", .kind = HD_IN, .type = &hd_type_mem, AT(response) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "triggers", .unit = "lines", .doc = "that loads missed", AT(triggers) },
		{ .name = "prefetches", .unit = "sectors", .doc = "asked of the cache for them", AT(prefetches) },
		{ .name = "dropped", .unit = "lines", .doc = "that were not read, as too many waited", AT(dropped) },
		{ .name = NULL } },
};

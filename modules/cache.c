/* cache.c - sectored or plain cache with miss entries and a miss queue: L1D, L2, read-only caches
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, Cache.  The instance has no process of its own: its users call it, and each call
 * takes effect at once.  They also send the head of the miss queue (sent).
 * cache/tags.c holds the lines, cache/mshr.c the miss entries, cache/cache_access.c the policies.
 */
#include "cache/mshr.h"
#include "cache/tags.h"

#include <heddle/ahead.h>

enum { PORT_CACHE, PORT_MAP, PORT_TIME, PORT_REPLACEMENT };

/* A line array or a pool of waiting requests beyond these limits is an error in the netlist. */
#define MAX_LINES (UINT32_C(1) << 20)
#define MAX_USERS (UINT32_C(1) << (32 - NODE_USER))
#define MAX_WAITING (UINT32_C(1) << 24)

/* The write-back at a place of the queue, with its content. */
static __attribute__((noinline)) const struct hd_mem_req *line_to_send(struct user *u, uint32_t place)
{
	const struct evicted *e = &u->gone[place];

	u->out.req = u->queue[place];
	u->out.via = e->via;
	memcpy(u->out.bytes, e->written.bytes, sizeof e->written.bytes);
	return &u->out.req;
}

static const struct hd_mem_req *cache_outgoing(void *self)
{
	struct user *u = self;

	if (u->queue_count == 0)
		return NULL;
	if (u->queue[u->queue_head].flags & HD_MEM_LINE)
		return line_to_send(u, u->queue_head);
	return &u->queue[u->queue_head];
}

static const struct hd_mem_req *cache_sent(void *self)
{
	struct user *u = self;
	uint32_t place = u->queue_head;
	const struct hd_mem_req *r = &u->queue[place];

	u->queue_head = (place + 1) & u->cache->queue_mask;
	u->queue_count--;
	if (HD_UNLIKELY(r->flags & HD_MEM_LINE))
		return line_to_send(u, place);
	return r;
}

static const struct hd_mem_req *cache_ready(void *self)
{
	struct user *u = self;
	struct cache *c = u->cache;

	if (u->filled == 0)
		return NULL;
	if (HD_UNLIKELY(c->several))
		return &hd__mshr_front_of(&c->mshr, u->index)->req;
	return mshr_front(&c->mshr);
}

static const struct hd_mem_req *cache_taken(void *self)
{
	struct user *u = self;
	struct cache *c = u->cache;

	u->filled--;
	if (HD_UNLIKELY(c->several))
		return &hd__mshr_pop_of(&c->mshr, u->index)->req;
	return &mshr_pop(&c->mshr)->req;
}

static void cache_set_ways(void *self, uint32_t ways, bool shared)
{
	struct cache *c = ((struct user *)self)->cache;

	if (c->allocation == ALLOCATE_STREAMING)
		c->allocate = shared ? ALLOCATE_ON_FILL : ALLOCATE_ON_MISS;

	if (ways == 0 || ways > c->max_ways)
		hd_fail(c->ctx, "%u ways requested; expected 1 to %u", ways, c->max_ways);
	else if (ways != c->ways)
		hd__cache_arrange(c, ways);
	if (c->policy)
		c->policy->resize(c->policy->self, c->sets, c->ways);
}

/* Requests in all miss queues. */
static uint32_t queued(const struct cache *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->users.n; i++)
		n += c->user[i].queue_count;
	return n;
}

static uint32_t cache_pending(const void *self)
{
	const struct cache *c = ((const struct user *)self)->cache;

	return queued(c) + c->mshr.waiting;
}

static void cache_invalidate(void *self)
{
	hd__cache_invalidate(((struct user *)self)->cache);
}

static void cache_preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later)
{
	hd__cache_preset(((struct user *)self)->cache, addr, ahead, later);
}

static void cache_flush(void *self)
{
	hd__cache_flush(((struct user *)self)->cache);
}

/* The entry of this address that the user has opened and that is not filled, or NULL. */
static struct mshr_entry *unfilled(const struct user *u, uint64_t addr)
{
	const struct mshr *m = &u->cache->mshr;
	uint64_t key = addr & u->cache->atom_mask;
	uint32_t e = mshr_find(m, mshr_bucket(m, key), key);

	return e == CACHE_NONE || m->entry[e].ready || mshr_user(&m->entry[e].node) != u->index ? NULL : &m->entry[e];
}

static enum hd_cache_presence cache_probe(const void *self, uint64_t addr, uint32_t *record)
{
	const struct cache *c = ((const struct user *)self)->cache;
	const struct mshr_entry *e = unfilled(self, addr);
	uint32_t i = cache_find(c, addr & c->line_mask);
	uint64_t key = addr & c->atom_mask;

	*record = e ? e->after : HD_CACHE_UNSENT;
	if (i != CACHE_NONE && line_hit(&c->line[i], cache_sector_twice(c, addr)))
		return HD_CACHE_HAS;
	return mshr_find(&c->mshr, mshr_bucket(&c->mshr, key), key) == CACHE_NONE ? HD_CACHE_ABSENT : HD_CACHE_COMING;
}

static void cache_sent_as(void *self, uint64_t addr, uint32_t record)
{
	struct mshr_entry *e = unfilled(self, addr);

	if (e)
		e->after = record;
}

static void cache_listen(void *self, const struct hd_cache_notices *to)
{
	struct user *u = self;

	u->notices = to;
	u->cache->heard = true;
}

static bool power_of_two(uint32_t x)
{
	return x != 0 && (x & (x - 1)) == 0;
}

static unsigned log2_of(uint32_t x)
{
	unsigned n = 0;

	while (x >>= 1)
		n++;
	return n;
}

static int check(const struct cache *c, const struct hd_ctx *ctx)
{
	/* The smallest queue that ever accepts a miss: docs/memory.md, CA10 and CA13. */
	uint32_t queue = c->write_allocate == WRITE_MISS_ALLOCATE ? 3 :
	                 c->write_policy == POLICY_READ_ONLY ? 1 : 2;
	uint64_t lines = (uint64_t)c->sets * c->max_ways;
	uint64_t waiting = (uint64_t)c->mshr.entries * c->mshr.merge;
	int bad = 0;

	if (!power_of_two(c->sets))
		bad = hd_error(ctx, "'sets' is %u; expected a power of two", c->sets);
	if (!power_of_two(c->line_bytes))
		bad = hd_error(ctx, "'line' is %u; expected a power of two", c->line_bytes);
	if (c->set_index == INDEX_IPOLY && c->sets != 16 && c->sets != 32 && c->sets != 64)
		bad = hd_error(ctx, "'sets' is %u; 'set_index' \"ipoly\" expects 16, 32 or 64",
		               c->sets);
	if (c->max_ways < c->ways_at_start)
		bad = hd_error(ctx, "'max_ways' is %u; expected at least 'ways', which is %u",
		               c->max_ways, c->ways_at_start);
	if (c->users.n > MAX_USERS)
		bad = hd_error(ctx, "%u instances use it; expected at most %u", c->users.n, MAX_USERS);
	if (lines > MAX_LINES)
		bad = hd_error(ctx, "'sets' times 'max_ways' is %llu; expected at most %u",
		               (unsigned long long)lines, MAX_LINES);
	if (waiting > MAX_WAITING)
		bad = hd_error(ctx, "'mshr_entries' times 'mshr_merge' is %llu; expected at most "
		               "%u", (unsigned long long)waiting, MAX_WAITING);
	if (c->miss_queue < queue)
		bad = hd_error(ctx, "'miss_queue' is %u; expected at least %u, as no miss would "
		               "ever be accepted", c->miss_queue, queue);
	if (c->allocation != ALLOCATE_ON_MISS && c->write_policy == POLICY_BACK)
		bad = hd_error(ctx, "'write_policy' \"write_back\" expects 'allocate' \"on_miss\"");
	if (c->allocation != ALLOCATE_ON_MISS && c->write_policy != POLICY_READ_ONLY &&
	    (c->write_allocate == WRITE_MISS_FETCH || c->write_allocate == WRITE_MISS_LAZY))
		bad = hd_error(ctx, "'write_allocate' \"fetch_on_write\" and "
		               "\"lazy_fetch_on_read\" expect 'allocate' \"on_miss\"");
	return bad;
}

/* An interface for each instance that is linked, with a miss queue. */
static int make_users(struct cache *c, uint32_t room)
{
	struct hd_cache_if *face = c->users.v;

	c->user = hd_memory(c->ctx, c->users.n + (size_t)1, sizeof *c->user);
	if (!c->user)
		return -1;
	for (uint32_t i = 0; i < c->users.n; i++) {
		struct user *u = &c->user[i];

		u->cache = c;
		u->index = i;
		u->mark = i << NODE_USER;
		u->queue = hd_memory(c->ctx, room, sizeof *u->queue);
		u->gone = hd_memory(c->ctx, room, sizeof *u->gone);
		if (!u->queue || !u->gone)
			return -1;
		face[i] = (struct hd_cache_if){
			.self = u, .ctx = c->ctx, .access = hd__cache_access,
			.queued = &u->queue_count, .filled = &u->filled,
			.write_backs = &c->write_backs, .written_back = &c->written_back,
			.outgoing = cache_outgoing, .sent = cache_sent,
			.fill = hd__cache_fill, .ready = cache_ready, .taken = cache_taken,
			.invalidate = cache_invalidate, .set_ways = cache_set_ways,
			.pending = cache_pending, .max_ways = c->max_ways, .atom = c->atom,
			.queue_room = room, .preset = cache_preset, .flush = cache_flush,
			.probe = cache_probe, .sent_as = cache_sent_as, .listen = cache_listen,
			.copy = c->sectored && c->allocation == ALLOCATE_ON_MISS ? hd__cache_copy : NULL,
		};
	}
	return 0;
}

static int cache_init(void *state, struct hd_ctx *ctx)
{
	struct cache *c = state;
	uint32_t room = 1;

	c->ctx = ctx;
	c->time = ctx->cycle;
	if (c->max_ways == 0)
		c->max_ways = c->ways_at_start;
	if (check(c, ctx) != 0)
		return -1;
	c->allocate = c->allocation == ALLOCATE_ON_MISS ? ALLOCATE_ON_MISS : ALLOCATE_ON_FILL;
	c->line_log2 = log2_of(c->line_bytes);
	c->sets_log2 = log2_of(c->sets);
	c->line_mask = ~(uint64_t)(c->line_bytes - 1);
	c->atom = c->sectored ? CACHE_SECTOR : c->line_bytes;
	c->atom_mask = ~(uint64_t)(c->atom - 1);
	c->twice_mask = c->sectored ? (c->line_bytes / CACHE_SECTOR - 1) * UINT64_C(2) : 0;
	/* A read-only cache never writes back, so one place is enough (docs/memory.md, CA10). */
	c->read_limit = c->miss_queue - (c->write_policy == POLICY_READ_ONLY ? 0 : 1);
	c->store_limit = c->write_policy == POLICY_READ_ONLY ? UINT32_MAX : c->miss_queue;
	c->lines = c->sets * c->max_ways;
	/* One access adds up to three; the last need not fit the queue (docs/memory.md, CA10). */
	while (room < c->miss_queue + 3)
		room *= 2;
	c->queue_mask = room - 1;
	if (make_users(c, room) != 0 || hd__cache_tags_init(c) != 0
	    || hd__mshr_init(ctx, &c->mshr, c->atom, c->line_bytes) != 0)
		return hd_error(ctx, "out of memory for %u lines", c->lines);
	return 0;
}

/* The sets depend on the map, and the order of replacement on the policy, which are there only now. */
static int cache_start(void *state)
{
	struct cache *c = state;

	if (c->base)
		c->time = hd_passed_of(c->ctx, PORT_TIME);
	hd__cache_arrange(c, c->ways);
	if (!c->policy)
		return 0;
	c->replacement = REPLACE_OTHER;
	c->heard = true;
	c->candidates = hd_memory(c->ctx, c->max_ways, sizeof *c->candidates);
	if (!c->candidates)
		return hd_error(c->ctx, "out of memory for %u ways", c->max_ways);
	return c->policy->resize(c->policy->self, c->sets, c->ways);
}

static void cache_report_pending(const void *state, struct hd_pending *h)
{
	const struct cache *c = state;

	for (uint32_t i = 0; i < c->users.n; i++) {
		const struct user *u = &c->user[i];

		if (u->queue_count > 0)
			hd_report_pending(h, "%u requests in the miss queue, first for address 0x%llx",
			         u->queue_count, (unsigned long long)u->queue[u->queue_head].addr);
	}
	if (c->mshr.waiting > 0)
		hd_report_pending(h, "%u requests in %u miss entries, %u of which are filled",
		         c->mshr.waiting, c->mshr.used, c->mshr.filled);
}

static void users_saved(struct hd_checkpoint *k, struct cache *c)
{
	uint64_t at = hd_saved_number(k, c->at ? (uint64_t)(c->at - c->user) + 1 : 0, c->users.n);

	c->at = at ? &c->user[at - 1] : NULL;
	HD_SAVED(k, c->several);
	for (uint32_t i = 0; i < c->users.n; i++) {
		struct user *u = &c->user[i];

		HD_SAVED(k, u->filled);
		hd_saved(k, u->queue, (c->queue_mask + (size_t)1) * sizeof *u->queue);
		hd_saved(k, u->gone, (c->queue_mask + (size_t)1) * sizeof *u->gone);
		HD_SAVED_FROM(k, u, out, queue_count);
	}
}

static void cache_checkpoint(void *state, struct hd_checkpoint *k)
{
	struct cache *c = state;

	HD_SAVED(k, c->allocate);
	hd__cache_tags_saved(k, c);
	hd__mshr_saved(k, &c->mshr);
	users_saved(k, c);
}

#define AT(member) offsetof(struct cache, member)

static const char *const replacements[] = { "lru", "fifo", NULL };
static const char *const policies[] = { "write_through", "write_back", "write_evict",
	"local_write_back_global_write_evict", "read_only", NULL };
static const char *const allocations[] = { "on_miss", "on_fill", "streaming", NULL };
static const char *const write_misses[] = { "none", "write_allocate", "fetch_on_write",
	"lazy_fetch_on_read", NULL };
static const char *const indices[] = { "linear", "xor", "ipoly", NULL };

static const struct hd_param params[] = {
	{ .name = "sectored", .unit = "", .type = HD_BOOL, .offset = AT(sectored), .def = "true",
	  .doc = "lines are fetched by 32-byte sectors, else as a whole" },
	{ .name = "sets", .unit = "sets", .type = HD_U32, .offset = AT(sets), .def = "4",
	  .min = 1, .max = 65536, .doc = "number of sets, a power of two" },
	{ .name = "line", .unit = "bytes", .type = HD_U32, .offset = AT(line_bytes), .def = "128",
	  .min = 32, .max = 128, .doc = "size of a line, a power of two" },
	{ .name = "ways", .unit = "lines", .type = HD_U32, .offset = AT(ways_at_start), .def = "64",
	  .min = 1, .max = 65536, .doc = "associativity: lines in each set" },
	{ .name = "max_ways", .unit = "lines", .type = HD_U32, .offset = AT(max_ways), .def = "0",
	  .min = 0, .max = 65536,
	  .doc = "most ways that a user may set at run time (adaptive split); 0: as 'ways'" },
	{ .name = "replacement", .unit = "", .type = HD_CHOICE, .offset = AT(replacement),
	  .def = "\"lru\"", .choices = replacements,
	  .doc = "line to replace: the least recently used, or the first allocated" },
	{ .name = "write_policy", .unit = "", .type = HD_CHOICE, .offset = AT(write_policy),
	  .def = "\"write_through\"", .choices = policies,
	  .doc = "what a store that hits does" },
	{ .name = "allocate", .unit = "", .type = HD_CHOICE, .offset = AT(allocation),
	  .def = "\"on_miss\"", .choices = allocations,
	  .doc = "when a line is allocated: at the miss, or when the data arrive; streaming: then, but at the miss "
	  "while a kernel has no shared memory, if the split is adaptive" },
	{ .name = "write_allocate", .unit = "", .type = HD_CHOICE, .offset = AT(write_allocate),
	  .def = "\"lazy_fetch_on_read\"", .choices = write_misses,
	  .doc = "what a store that misses does" },
	{ .name = "set_index", .unit = "", .type = HD_CHOICE, .offset = AT(set_index),
	  .def = "\"linear\"", .choices = indices,
	  .doc = "set index from the address; ipoly needs 16, 32 or 64 sets" },
	{ .name = "mshr_entries", .unit = "entries", .type = HD_U32, .offset = AT(mshr.entries),
	  .def = "512", .min = 1, .max = 1048576,
	  .doc = "miss entries: outstanding sectors" },
	{ .name = "mshr_merge", .unit = "requests", .type = HD_U32, .offset = AT(mshr.merge),
	  .def = "8", .min = 1, .max = 65536, .doc = "requests that one miss entry holds" },
	{ .name = "miss_queue", .unit = "requests", .type = HD_U32, .offset = AT(miss_queue),
	  .def = "16", .min = 1, .max = 65536, .doc = "size of the queue towards the memory" },
	{ .name = "write_ratio", .unit = "%", .type = HD_U32, .offset = AT(write_ratio), .def = "0",
	  .min = 0, .max = 100,
	  .doc = "share of modified lines from which on modified lines may be replaced" },
	{ .name = NULL },
};

/* The order of calls matters, so several users have the order of the netlist. */
static const struct hd_port ports[] = {
	[PORT_CACHE] = { .name = "cache", .doc = "accesses, misses, replies; each user has a miss queue of its own and "
	  "gets its own answers", .kind = HD_PROVIDES, .flags = HD_ORDERED | HD_ARRAY,
	  .type = &hd_type_cache_if, .offset = AT(users) },
	[PORT_MAP] = { .name = "map", .doc = "in a slice of the memory: removes the bits that chose the slice "
	  "from an address before the set is computed; open: addresses are used as they "
	  "are", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = AT(map) },
	[PORT_TIME] = { .name = "time", .doc = "cycles for the age of lines; open: those of its own clock",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_time, .offset = AT(base) },
	[PORT_REPLACEMENT] = { .name = "replacement", .doc = "a policy of its own that chooses the line to replace; "
	  "open: parameter 'replacement'", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_replacement_if, .offset = AT(policy) },
	{ .name = NULL },
};

/* Sums over kinds of accesses: all; those that write, which are the odd numbers; or one. */
#define ALL(outcomes) .n = (outcomes) * HD_MEM_KINDS, .stride = sizeof(uint64_t)
#define STORES(outcomes) .n = (outcomes) * HD_MEM_KINDS / 2, .stride = 2 * sizeof(uint64_t)

#define REFUSALS(word, what, cause, kind, why)                                                     \
	{ .name = word, .unit = "attempts", .offset = AT(fails[cause][kind]),                      \
	  .doc = "refusals of " what " " why }

/* All outcomes of accesses of one kind, and of those that were refused the causes. */
#define KIND(word, what, kind)                                                                     \
	{ .name = word "_hits", .unit = "requests", .offset = AT(outcome[CACHE_HIT][kind]),        \
	  .doc = "hits by " what },                                                                \
	{ .name = word "_reserved_hits", .unit = "requests",                                       \
	  .offset = AT(outcome[CACHE_HIT_RESERVED][kind]), .doc = "reserved hits by " what },      \
	{ .name = word "_misses", .unit = "requests", .offset = AT(outcome[CACHE_MISS][kind]),     \
	  .doc = "misses by " what },                                                              \
	{ .name = word "_sector_misses", .unit = "requests",                                       \
	  .offset = AT(outcome[CACHE_SECTOR_MISS][kind]), .doc = "sector misses by " what },       \
	{ .name = word "_merged", .unit = "requests", .offset = AT(merged[kind]),                  \
	  .doc = "misses by " what " that joined a miss entry and sent nothing" },                 \
	{ .name = word "_refusals", .unit = "attempts", .offset = AT(fails[0][kind]),              \
	  .n = FAIL_REASONS, .stride = HD_MEM_KINDS * sizeof(uint64_t),                            \
	  .doc = "refusals of " what },                                                            \
	REFUSALS(word "_fails_ways", what, FAIL_WAYS, kind,                                        \
	         "because no line of the set could be replaced"),                                  \
	REFUSALS(word "_fails_miss_queue", what, FAIL_QUEUE, kind,                                 \
	         "because the miss queue was full"),                                               \
	REFUSALS(word "_fails_mshr_entries", what, FAIL_ENTRIES, kind,                             \
	         "because all miss entries were taken"),                                           \
	REFUSALS(word "_fails_mshr_merge", what, FAIL_MERGE, kind,                                 \
	         "because the sector's miss entry was full")

static const struct hd_stat stats[] = {
	{ .name = "accesses", .part = true, .unit = "requests", .offset = AT(outcome), ALL(CACHE_NO_WAY),
	  .doc = "requests accepted: hits, reserved hits, misses and sector misses" },
	{ .name = "hits", .part = true, .unit = "requests", .offset = AT(outcome[CACHE_HIT]), ALL(1),
	  .doc = "sector present", .rate = "cache hits", .of = "accesses" },
	{ .name = "reserved_hits", .part = true, .unit = "requests", .offset = AT(outcome[CACHE_HIT_RESERVED]),
	  ALL(1), .doc = "sector in flight",
	  .rate = "cache pending hits", .of = "accesses" },
	{ .name = "misses", .part = true, .unit = "requests", .offset = AT(outcome[CACHE_MISS]), ALL(1),
	  .doc = "line absent",
	  .rate = "cache misses", .of = "accesses" },
	{ .name = "sector_misses", .part = true, .unit = "requests", .offset = AT(outcome[CACHE_SECTOR_MISS]),
	  ALL(1), .doc = "line present, sector absent or not readable",
	  .rate = "cache sector misses", .of = "accesses" },
	{ .name = "reservation_fails", .part = true, .unit = "attempts", .offset = AT(fails),
	  ALL(FAIL_REASONS), .doc = "refusals, each retry counted" },
	{ .name = "writes", .unit = "requests", .offset = AT(outcome[0][1]), STORES(CACHE_NO_WAY),
	  .doc = "stores taken" },
	{ .name = "write_hits", .unit = "requests", .offset = AT(outcome[CACHE_HIT][1]), STORES(1),
	  .doc = "hits by stores" },
	{ .name = "write_reserved_hits", .unit = "requests",
	  .offset = AT(outcome[CACHE_HIT_RESERVED][1]), STORES(1), .doc = "reserved hits by stores" },
	{ .name = "write_misses", .unit = "requests", .offset = AT(outcome[CACHE_MISS][1]),
	  STORES(1), .doc = "misses by stores" },
	{ .name = "write_sector_misses", .unit = "requests",
	  .offset = AT(outcome[CACHE_SECTOR_MISS][1]), STORES(1), .doc = "sector misses by stores" },
	{ .name = "write_reservation_fails", .unit = "attempts",
	  .offset = AT(fails[0][1]), STORES(FAIL_REASONS), .doc = "refusals of stores" },
	{ .name = "fails_ways", .unit = "attempts", .offset = AT(fails[FAIL_WAYS]), ALL(1),
	  .doc = "refusals because no line of the set could be replaced" },
	{ .name = "fails_miss_queue", .unit = "attempts", .offset = AT(fails[FAIL_QUEUE]), ALL(1),
	  .doc = "refusals because the miss queue was full" },
	{ .name = "fails_mshr_entries", .unit = "attempts", .offset = AT(fails[FAIL_ENTRIES]), ALL(1),
	  .doc = "refusals because all miss entries were taken" },
	{ .name = "fails_mshr_merge", .unit = "attempts", .offset = AT(fails[FAIL_MERGE]), ALL(1),
	  .doc = "refusals because the sector's miss entry was full" },
	{ .name = "merged", .unit = "requests", .offset = AT(merged), ALL(1),
	  .doc = "misses that joined a miss entry and sent nothing" },
	{ .name = "evictions", .unit = "lines", .offset = AT(evictions), .doc = "lines replaced" },
	{ .name = "write_backs", .unit = "requests", .offset = AT(write_backs),
	  .doc = "replaced modified lines sent to memory" },
	{ .name = "fills", .unit = "replies", .offset = AT(fills), .doc = "replies taken" },
	KIND("global_read", "reads of global memory, atomics among them", 0),
	KIND("local_read", "reads of local memory", HD_MEM_LOCAL),
	KIND("global_write", "stores to global memory", HD_MEM_WRITE),
	KIND("local_write", "stores to local memory", HD_MEM_WRITE | HD_MEM_LOCAL),
	KIND("line", "sectors of lines that a cache above wrote back", HD_MEM_WRITE | HD_MEM_LINE),
	KIND("inst", "fetches of instructions", HD_MEM_INST),
	{ .name = NULL },
};

/* In the order of enum cache_emit. */
static const struct hd_event events[] = {
	{ .name = "access", .flags = HD_EVENT_DETAIL,
	  .fields = { { "addr", "bytes", "of the sector", NULL, HD_FIELD_HEX },
	              { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	              { "write", "", "1: a store" },
	              { "outcome", "", "0 hit, 1 reserved hit, 2 sector miss, 3 miss, 4 refused" },
	              { "uid", "", "instruction that it belongs to; 0: none" },
	              { "core", "", "SM that it comes from" } },
	  .doc = "outcome: 0 hit, 1 reserved hit, 2 sector miss, 3 miss, 4 refused" },
	{ .name = "fill", .doc = "reply taken", .flags = HD_EVENT_DETAIL,
	  .fields = { { "addr", "bytes", "of the sector", NULL, HD_FIELD_HEX },
	              { "line", "", "index of the line" } } },
	{ .name = "evict", .flags = HD_EVENT_DETAIL,
	  .fields = { { "addr", "bytes", "of the line", NULL, HD_FIELD_HEX },
	              { "sectors", "", "set of modified ones", NULL, HD_FIELD_HEX } },
	  .doc = "modified line replaced; set of modified sectors" },
	{ .name = NULL },
};

const struct hd_module hd_module_cache = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "cache",
	.doc = "sectored or plain cache with miss entries and a miss queue",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct cache),
	.init = cache_init,
	.start = cache_start,
	.report_pending = cache_report_pending,
	.checkpoint = cache_checkpoint,
};

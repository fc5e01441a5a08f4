/* l2_slice.c - a slice of the second-level cache: delay, queues and the cache in front of a channel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request waits `rop_latency` cycles, in the link from the intake, then in a queue in front of the
 * cache; requests of the cache go to the channel, its replies to the network.  The queues to both
 * and from the channel are links, too.  One access, one fill and one answer a cycle.
 */
#include <heddle/gpu/cache.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/time.h>
#include <heddle/gpu/mem.h>

struct list {
	hd_mem_ref head, tail; /* linked by hd_mem.next; 0: empty */
	uint32_t count;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end rop, credit, to_dram, from_dram, reply;
	const struct hd_cache_if *cache;
	const struct hd_time *time;
	struct hd_time base; /* as it is seen */
	const struct hd_touch_if *touch;
	struct hd_pool *pool;
	uint32_t rop_latency, queue, port_width;

	struct list waiting;
	struct hd_meter waiting_meter;
	uint32_t busy; /* cycles for which the data port is taken */
	uint32_t fill_edges; /* for which a fill takes the fill port, */
	uint64_t fill_from; /* and the edge from which it is free */
	bool closed;   /* what the last credit for the intake says */
	uint64_t accesses, hits, port_busy, blocked;
};

enum { MARK_WAITING, MARK_MISS, MARK_FILLED };
enum { PORT_ROP, PORT_CREDIT, PORT_TO_DRAM, PORT_FROM_DRAM, PORT_REPLY, PORT_CACHE, PORT_TIME, PORT_TOUCH };

#define SECTOR 32u

static void append(struct state *st, struct list *l, hd_mem_ref ref)
{
	hd_mem(st->pool, ref)->next = 0;
	if (l->count++ == 0)
		l->head = ref;
	else
		hd_mem(st->pool, l->tail)->next = ref;
	l->tail = ref;
}

static hd_mem_ref remove_first(struct state *st, struct list *l)
{
	hd_mem_ref ref = l->head;

	l->head = hd_mem(st->pool, ref)->next;
	l->count--;
	hd_mem_fetch(st->pool, l->head);
	return ref;
}

static void send_reply(struct state *st, hd_mem_ref ref)
{
	hd_mem(st->pool, ref)->line.req.flags |= HD_MEM_REPLY;
	hd_mem_move(st->ctx, hd_mem(st->pool, ref), *st->base.now, HD_MEM_AT_REPLY);
	hd_put(&st->reply, &ref, sizeof ref);
}

/* ---- the cycle of the cache ---- */

/* One request that a fill has answered.  The cache returns the request as it was at the access,
 * with its record in inst_id. */
static void answer_ready(struct state *st)
{
	const struct hd_mem_req *r;

	if (*st->cache->filled == 0 || hd_room(&st->reply) == 0)
		return;
	r = st->cache->taken(st->cache->self);
	if ((r->flags & HD_MEM_LINE) && (r->flags & HD_MEM_WRITE))
		hd_release(st->pool, r->inst_id);
	else if (!(r->flags & HD_MEM_ALLOC) || (r->flags & HD_MEM_WRITE))
		send_reply(st, r->inst_id);
}

/* A reply of the channel: data for the cache, or the end of a store that went there. */
static void take_from_dram(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->from_dram);
	const struct hd_mem_req *r;

	if (!ref)
		return;
	r = &hd_mem(st->pool, ref)->line.req;
	if (!(r->flags & HD_MEM_WRITE)) {
		if (hd_now(st->ctx) < st->fill_from)
			return;
		st->fill_from = hd_now(st->ctx) + st->fill_edges;
		st->cache->fill(st->cache->self, r);
		hd_take(&st->from_dram);
		/* a read that the cache made itself ends here, others are answered later */
		if (r->flags & HD_MEM_ALLOC)
			hd_release(st->pool, ref);
		else
			hd_mem_at(st->ctx, st->pool, ref, MARK_FILLED, *st->base.now, HD_MEM_AT_REPLY);
	} else if (hd_room(&st->reply)) {
		hd_take(&st->from_dram);
		send_reply(st, ref);
	}
}

/* Requests that the cache makes itself, write-backs and reads for stores, get records of their
 * own; others keep theirs. */
static void send_miss(struct state *st)
{
	const struct hd_mem_req *r;
	hd_mem_ref ref;

	if (*st->cache->queued == 0 || hd_room(&st->to_dram) == 0)
		return;
	r = st->cache->sent(st->cache->self);
	if (r->flags & (HD_MEM_LINE | HD_MEM_ALLOC)) {
		struct hd_mem *m;

		ref = hd_alloc(st->ctx, st->pool);
		m = hd_mem(st->pool, ref);
		m->at = 0;
		if (r->flags & HD_MEM_LINE)
			m->line = *(const struct hd_mem_line *)r;
		else
			m->line.req = *r;
	} else {
		ref = r->inst_id;
	}
	hd_mem_move(st->ctx, hd_mem(st->pool, ref), *st->base.now, HD_MEM_AT_DRAM_QUEUE);
	hd_put(&st->to_dram, &ref, sizeof ref);
}

static void access_cache(struct state *st)
{
	hd_mem_ref ref = st->waiting.head;
	struct hd_mem_line line;
	unsigned events = 0;
	enum hd_cache_status status;
	uint64_t write_backs = 0;
	bool write;

	if (st->waiting.count == 0)
		return;
	if (st->busy || hd_room(&st->to_dram) == 0 || hd_room(&st->reply) == 0) {
		st->blocked++;
		return;
	}
	if (st->touch)
		write_backs = *st->cache->write_backs;
	line.req = hd_mem(st->pool, ref)->line.req;
	if (HD_UNLIKELY(line.req.flags & HD_MEM_LINE)) /* else its other half stays untouched */
		line = hd_mem(st->pool, ref)->line;
	line.req.inst_id = ref;
	write = line.req.flags & HD_MEM_WRITE;
	status = st->cache->access(st->cache->self, &line.req, &events);
	st->accesses++;
	st->busy += HD_CACHE_PUSHED(events) * SECTOR / st->port_width;
	if (status == HD_CACHE_FAIL)
		return;
	if (st->touch && *st->cache->write_backs != write_backs)
		hd_touch(st->touch, *st->cache->written_back, st->ctx->index, *st->ctx->cycle);
	remove_first(st, &st->waiting);
	if (status == HD_CACHE_HIT) {
		st->hits++;
		st->busy += (line.req.size + st->port_width - 1) / st->port_width;
	}
	if ((events & (HD_CACHE_WRITE_SENT | HD_CACHE_ALLOC_SENT)) /* answered when that comes back */
	    || (status == HD_CACHE_MISS && !write)) {
		hd_mark(st->ctx, st->pool, ref, MARK_MISS, 0);
		return;
	}
	if (line.req.flags & HD_MEM_LINE)
		hd_release(st->pool, ref);
	else
		send_reply(st, ref);
}

static bool is_full(const struct state *st)
{
	return st->waiting.count + 3 >= st->queue;
}

static void leave_rop(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->rop);

	if (!ref || hd_mem(st->pool, ref)->due + st->rop_latency > *st->base.now
	    || st->waiting.count >= st->queue)
		return;
	hd_take(&st->rop);
	hd_mem_fetch_behind(st->pool, &st->rop, 1); /* rest() looks at the first one at once */
	append(st, &st->waiting, ref);
	hd_mem_at(st->ctx, st->pool, ref, MARK_WAITING, *st->base.now, HD_MEM_AT_L2);
}

/* The intake takes a request while there was room for four when the last edge was over. */
static void tell_intake(struct state *st)
{
	bool closed = is_full(st);
	struct hd_credit c = { !closed };

	if (HD_LIKELY(closed == st->closed) || hd_room(&st->credit) == 0)
		return;
	st->closed = closed;
	hd_put(&st->credit, &c, sizeof c);
}

static uint64_t rest(const struct state *st)
{
	hd_mem_ref ref;

	if (is_full(st) != st->closed || st->waiting.count || st->busy || *st->cache->queued || *st->cache->filled
	    || hd_mem_front(&st->from_dram))
		return HD_NEXT;
	ref = hd_mem_front(&st->rop); /* one that is not visible wakes the slice when it is */
	if (ref)
		return hd_edges_until(st->ctx, &st->base, hd_mem(st->pool, ref)->due + st->rop_latency);
	return HD_SLEEP;
}

/* Without a delay a request leaves in the edge in which it enters.  The link shows it an edge later,
 * before anything else happens in that. */
static uint64_t eval(void *state)
{
	struct state *st = state;

	if (st->rop_latency == 0)
		leave_rop(st);
	tell_intake(st);
	answer_ready(st);
	take_from_dram(st);
	send_miss(st);
	if (st->busy) {
		st->busy--;
		st->port_busy++;
	}
	access_cache(st);
	if (st->rop_latency > 0)
		leave_rop(st);
	hd_meter(st->ctx, &st->waiting_meter, st->waiting.count);
	return rest(st);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	if (st->queue < 4)
		return hd_error(ctx, "'queue' is %u; expected at least 4, as requests are taken only "
		                "when there is room for four", st->queue);
	return hd_delay_input(ctx, &st->rop, st->rop_latency, PORT_TIME);
}

static int start(void *state)
{
	struct state *st = state;

	st->base = hd_time_seen(st->ctx, PORT_TIME, st->time);
	st->fill_edges = st->cache->atom / st->port_width;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->waiting.count)
		hd_report_pending(h, "%u requests in front of the cache", st->waiting.count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->waiting);
	HD_SAVED(k, st->busy);
	HD_SAVED(k, st->fill_from);
	HD_SAVED(k, st->closed);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "rop_latency", .unit = "cycles", .doc = "from the intake to the queue in front of the "
	  "cache: the delay of the link at port 'rop'",
	  .type = HD_U32, .offset = P(rop_latency), .def = "160", .min = 0, .max = 100000 },
	{ .name = "queue", .unit = "requests", .doc = "queue in front of the cache", .type = HD_U32,
	  .offset = P(queue), .def = "64", .min = 1, .max = 65536 },
	{ .name = "port_width", .unit = "bytes", .doc = "bytes that the data port moves in a cycle, "
	  "and the fill port",
	  .type = HD_U32, .offset = P(port_width), .def = "32", .min = 1, .max = 4096 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_ROP] = { .name = "rop", .doc = "requests of one sector each, 'rop_latency' cycles after the "
	               "intake put them", .kind = HD_IN, .flags = HD_METERED | HD_DELAYED,
	               .type = &hd_type_mem, .offset = P(rop), .users = 1 },
	[PORT_CREDIT] = { .name = "credit", .doc = "whether the intake may take requests",
	                  .kind = HD_OUT, .flags = HD_NO_WORK, .type = &hd_type_credit,
	                  .most = 1, .offset = P(credit) },
	[PORT_TO_DRAM] = { .name = "to_dram", .doc = "misses and write-backs", .kind = HD_OUT,
	                   .type = &hd_type_mem, .offset = P(to_dram) },
	[PORT_FROM_DRAM] = { .name = "from_dram", .doc = "data, and stores that have ended",
	                     .kind = HD_IN, .flags = HD_METERED, .type = &hd_type_mem,
	                     .offset = P(from_dram) },
	[PORT_REPLY] = { .name = "reply", .doc = "answers, to the network", .kind = HD_OUT,
	                 .type = &hd_type_mem, .offset = P(reply) },
	[PORT_CACHE] = { .name = "cache", .doc = "lines and miss entries", .kind = HD_USES,
	                 .type = &hd_type_cache_if, .offset = P(cache) },
	[PORT_TIME] = { .name = "time", .doc = "whose cycles 'rop_latency' counts",
	                .kind = HD_USES, .type = &hd_type_time, .offset = P(time) },
	[PORT_TOUCH] = { .name = "touch", .doc = "an address map that depends on what is used first; "
	                 "open: none does", .kind = HD_USES, .flags = HD_OPTIONAL,
	                 .type = &hd_type_touch, .offset = P(touch) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accesses", .unit = "accesses", .doc = "accesses to the cache, repeated ones included",
	  .offset = P(accesses) },
	{ .name = "hits", .unit = "accesses", .doc = "those that hit", .offset = P(hits) },
	{ .name = "port_busy", .unit = "cycles", .doc = "cycles in which the data port was taken",
	  .offset = P(port_busy), .rate = "unit utilisation" },
	{ .name = "blocked", .unit = "cycles", .doc = "cycles in which a request waited for the data "
	  "port or for room behind the cache", .offset = P(blocked) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_WAITING] = { "waiting", "in the queue in front of the cache", NULL, NULL },
	[MARK_MISS] = { "miss", "it missed: in the miss queue, or it waits with an earlier request for "
	                "its sector", NULL, NULL },
	[MARK_FILLED] = { "filled", "its sector is there", NULL, NULL },
	{ 0 },
};

static const struct hd_queue queues[] = {
	{ .name = "waiting", .unit = "requests", .doc = "requests in the queue in front of the cache",
	  .offset = P(waiting_meter), .capacity = P(queue) },
	{ .name = NULL },
};

const struct hd_module hd_module_l2_slice = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "l2_slice",
	.doc = "slice of the second-level cache: delay, queues and cache in front of a memory channel",
	.params = params,
	.ports = ports,
	.stats = stats,
	.queues = queues,
	.marks = marks,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

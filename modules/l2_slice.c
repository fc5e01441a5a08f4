/* l2_slice.c - a slice of the second-level cache: delay, queues and the cache in front of a channel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request waits `rop_latency` cycles, in the link from the intake, then in a queue in front of the
 * cache; requests of the cache go to the channel, its replies to the network.  The queues to both
 * and from the channel are links, too.  One access, one fill and one answer a cycle, or `rate` of each.
 *
 * A cache may have partitions, to which SMs and slices belong.  What the partition of an SM does not hold comes later,
 * by `far_latency` cycles on average: more if the slice is of another one, else less.
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
	const struct hd_map_if *map;
	struct hd_pool *pool;
	uint32_t rop_latency, queue, port_width, rate;
	uint32_t partitions, far_latency, far_spread, near_sets, near_ways;

	uint64_t *near; /* by partition, set and way, latest first: line + 1 that the partition holds, 0: none */
	struct list waiting, own, far;
	struct hd_meter waiting_meter;
	uint32_t sector; /* the next one of the oldest of these, of a bulk copy */
	uint32_t busy; /* cycles for which the data port is taken */
	uint64_t step;        /* of which an edge has `rate` */
	uint32_t fill_steps;  /* for which a fill takes the fill port, */
	uint64_t fill_from;   /* and the step from which it is free */
	bool closed;   /* what the last credit for the intake says */
	uint64_t accesses, hits, port_busy, blocked, far_requests;
};

enum { MARK_WAITING, MARK_MISS, MARK_FILLED };
enum { PORT_ROP, PORT_CREDIT, PORT_TO_DRAM, PORT_FROM_DRAM, PORT_REPLY, PORT_CACHE, PORT_TIME, PORT_TOUCH, PORT_MAP };

#define SECTOR 32u
#define LINE 128u

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

/* Answers a request: of a bulk copy a sector, and with the last one all of them. */
static void send_reply(struct state *st, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(st->pool, ref);

	if (HD_UNLIKELY(m->line.req.flags & HD_MEM_PARTS) && ++m->row < hd_mem_sectors(&m->line.req))
		return;
	m->line.req.flags |= HD_MEM_REPLY;
	hd_mem_move(st->ctx, m, *st->base.now, HD_MEM_AT_REPLY);
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
		if (st->step < st->fill_from)
			return;
		st->fill_from = st->step + st->fill_steps;
		st->cache->fill(st->cache->self, r);
		hd_take(&st->from_dram);
		/* a record that was made here ends here, others are answered later */
		if (r->flags & (HD_MEM_ALLOC | HD_MEM_PARTS))
			hd_release(st->pool, ref);
		else
			hd_mem_at(st->ctx, st->pool, ref, MARK_FILLED, *st->base.now, HD_MEM_AT_REPLY);
	} else if (hd_room(&st->reply)) {
		hd_take(&st->from_dram);
		send_reply(st, r->flags & HD_MEM_PARTS ? r->inst_id : ref);
		if (r->flags & HD_MEM_PARTS)
			hd_release(st->pool, ref);
	}
}

/* Requests that the cache makes itself, write-backs and reads for stores, get records of their
 * own, and so do sectors of bulk copies; others keep theirs. */
static void send_miss(struct state *st)
{
	const struct hd_mem_req *r;
	hd_mem_ref ref;

	if (*st->cache->queued == 0 || hd_room(&st->to_dram) == 0)
		return;
	r = st->cache->sent(st->cache->self);
	if (r->flags & (HD_MEM_LINE | HD_MEM_ALLOC | HD_MEM_PARTS)) {
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

/* A request for any bytes of a line becomes one for its next sector.  Returns true if that is the last one. */
static bool take_sector(struct state *st, struct hd_mem_req *r)
{
	uint64_t end = r->addr + r->size, sector = (r->addr / SECTOR + st->sector) * SECTOR;
	uint64_t at = st->sector ? sector : r->addr, stop = sector + SECTOR < end ? sector + SECTOR : end;

	r->addr = sector;
	r->size = SECTOR;
	r->bytes = (uint32_t)((UINT64_C(1) << (stop - sector)) - (UINT64_C(1) << (at - sector)));
	return stop == end;
}

static void access_cache(struct state *st)
{
	hd_mem_ref ref = st->waiting.head;
	struct hd_mem_line line;
	unsigned events = 0;
	enum hd_cache_status status;
	uint64_t write_backs = 0;
	bool write, last = true;

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
	else if (HD_UNLIKELY(line.req.flags & HD_MEM_PARTS))
		last = take_sector(st, &line.req);
	line.req.inst_id = ref;
	write = line.req.flags & HD_MEM_WRITE;
	status = st->cache->access(st->cache->self, &line.req, &events);
	st->accesses++;
	st->busy += HD_CACHE_PUSHED(events) * SECTOR / st->port_width;
	if (status == HD_CACHE_FAIL)
		return;
	if (st->touch && *st->cache->write_backs != write_backs)
		hd_touch(st->touch, *st->cache->written_back, st->ctx->index, *st->ctx->cycle);
	st->sector = last ? 0 : st->sector + 1;
	if (HD_LIKELY(last))
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

static void wait_for_cache(struct state *st, hd_mem_ref ref)
{
	append(st, &st->waiting, ref);
	hd_mem_at(st->ctx, st->pool, ref, MARK_WAITING, *st->base.now, HD_MEM_AT_L2);
}

/* SL11: whether the partition of the SM holds the line; it does from now on. */
static bool is_near(struct state *st, const struct hd_mem_req *r)
{
	uint64_t line = r->addr / LINE + 1, set = st->map->local(st->map->self, r->addr) / LINE % st->near_sets;
	uint64_t *way = st->near + ((r->core % st->partitions) * st->near_sets + set) * st->near_ways;
	uint32_t i = 0;
	bool found;

	while (i < st->near_ways - 1 && way[i] != line)
		i++;
	found = way[i] == line;
	memmove(way + 1, way, i * sizeof *way);
	way[0] = line;
	return found;
}

static bool is_due(const struct state *st, const struct list *l)
{
	return l->count && hd_mem(st->pool, l->head)->due <= *st->base.now;
}

/* Returns false if none did. */
static bool leave_far(struct state *st)
{
	struct list *l = is_due(st, &st->far) ? &st->far : &st->own;

	if (st->waiting.count >= st->queue || !is_due(st, l))
		return false;
	wait_for_cache(st, remove_first(st, l));
	return true;
}

/* SL11: it waits for what its partition does not hold. */
static void wait_far(struct state *st, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(st->pool, ref);
	bool own = m->line.req.core % st->partitions == st->ctx->index % st->partitions;

	m->due = *st->base.now + (own ? st->far_latency - st->far_spread : st->far_latency + st->far_spread);
	append(st, own ? &st->own : &st->far, ref);
	st->far_requests++;
}

static bool is_full(const struct state *st)
{
	return st->waiting.count + 3 >= st->queue;
}

/* Returns false if none did. */
static bool leave_rop(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->rop);

	if (!ref || hd_mem(st->pool, ref)->due + st->rop_latency > *st->base.now
	    || st->waiting.count >= st->queue)
		return false;
	hd_take(&st->rop);
	hd_mem_fetch_behind(st->pool, &st->rop, 1); /* rest() looks at the first one at once */
	if (st->near && !is_near(st, &hd_mem(st->pool, ref)->line.req)
	    && !(hd_mem(st->pool, ref)->line.req.flags & HD_MEM_WRITE))
		wait_far(st, ref);
	else
		wait_for_cache(st, ref);
	return true;
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

/* Has it anything to do in the next step, besides what arrives? */
static bool works(const struct state *st)
{
	return st->waiting.count || st->busy || *st->cache->queued || *st->cache->filled
	       || hd_mem_front(&st->from_dram);
}

static uint64_t rest(const struct state *st)
{
	uint64_t due = UINT64_MAX;
	hd_mem_ref ref;

	if (is_full(st) != st->closed || works(st))
		return HD_NEXT;
	ref = hd_mem_front(&st->rop); /* one that is not visible wakes the slice when it is */
	if (ref)
		due = hd_mem(st->pool, ref)->due + st->rop_latency;
	if (st->far.count && hd_mem(st->pool, st->far.head)->due < due)
		due = hd_mem(st->pool, st->far.head)->due;
	if (st->own.count && hd_mem(st->pool, st->own.head)->due < due)
		due = hd_mem(st->pool, st->own.head)->due;
	return due == UINT64_MAX ? HD_SLEEP : hd_edges_until(st->ctx, &st->base, due);
}

/* Without a delay a request leaves in the edge in which it enters.  The link shows it an edge later,
 * before anything else happens in that. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	bool moved = false, more = true;

	if (st->rop_latency == 0)
		leave_rop(st);
	tell_intake(st);
	st->step = hd_now(st->ctx) * st->rate;
	for (uint32_t i = 0; i < st->rate && more; i++, st->step++) {
		answer_ready(st);
		take_from_dram(st);
		send_miss(st);
		if (st->busy) {
			st->busy--;
			moved = true;
		}
		access_cache(st);
		more = leave_far(st);
		if (st->rop_latency > 0)
			more |= leave_rop(st);
		more = more || works(st); /* if not, nothing is due before the next edge */
	}
	st->port_busy += moved;
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
	if (st->far_spread > st->far_latency)
		return hd_error(ctx, "'far_spread' is %u; expected at most 'far_latency', which is %u", st->far_spread,
		                st->far_latency);
	if (st->partitions > 1) {
		size_t lines = (size_t)st->partitions * st->near_sets * st->near_ways;

		if (!st->map)
			return hd_error(ctx, "'partitions' is %u; expected an address map at port 'map'",
			                st->partitions);
		st->near = hd_memory(ctx, lines, sizeof *st->near);
		if (!st->near)
			return hd_error(ctx, "out of memory for %zu lines", lines);
	}
	return hd_delay_input(ctx, &st->rop, st->rop_latency, PORT_TIME);
}

static int start(void *state)
{
	struct state *st = state;

	st->base = hd_time_seen(st->ctx, PORT_TIME, st->time);
	st->fill_steps = st->cache->atom / st->port_width;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->waiting.count)
		hd_report_pending(h, "%u requests in front of the cache", st->waiting.count);
	if (st->own.count + st->far.count)
		hd_report_pending(h, "%u requests on their way between partitions", st->own.count + st->far.count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->waiting);
	HD_SAVED(k, st->own);
	HD_SAVED(k, st->far);
	if (st->near)
		hd_saved(k, st->near, (size_t)st->partitions * st->near_sets * st->near_ways * sizeof *st->near);
	HD_SAVED(k, st->sector);
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
	{ .name = "rate", .unit = "", .doc = "steps in a cycle: accesses, fills and answers, and "
	  "cycles of both data ports",
	  .type = HD_U32, .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = "partitions", .unit = "partitions", .doc = "of the whole cache; an SM and a slice belong to that "
	  "of their number modulo this", .type = HD_U32, .offset = P(partitions), .def = "1", .min = 1, .max = 16 },
	{ .name = "far_latency", .unit = "cycles", .doc = "that a request takes longer if the partition of "
	  "its SM does not hold the line",
	  .type = HD_U32, .offset = P(far_latency), .def = "0", .min = 0, .max = 100000 },
	{ .name = "far_spread", .unit = "cycles", .doc = "less of it if the slice is of this partition, and more if it "
	  "is of another",
	  .type = HD_U32, .offset = P(far_spread), .def = "0", .min = 0, .max = 100000 },
	{ .name = "near_sets", .unit = "sets", .doc = "of the lines of this slice that a partition holds",
	  .type = HD_U32, .offset = P(near_sets), .def = "512", .min = 1, .max = 65536 },
	{ .name = "near_ways", .unit = "lines", .doc = "in each of these sets", .type = HD_U32,
	  .offset = P(near_ways), .def = "4", .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_ROP] = { .name = "rop", .doc = "requests of one sector each, and of bulk copies, 'rop_latency' "
	               "cycles after the intake put them", .kind = HD_IN, .flags = HD_METERED | HD_DELAYED,
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
	[PORT_MAP] = { .name = "map", .doc = "gives the address in the slice; open: 'partitions' is 1", .kind = HD_USES,
	               .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
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
	{ .name = "far_requests", .unit = "requests", .doc = "requests whose line the partition of their SM "
	  "did not hold", .offset = P(far_requests) },
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

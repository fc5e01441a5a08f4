/* l2_slice.c - a slice of the second-level cache: delay, queues and the cache in front of a channel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A request waits `rop_latency` cycles, in the link from the intake, then in a queue in front of the
 * cache; requests of the cache go to the channel, its replies to the network.  The queues to both
 * and from the channel are links, too.  One access, one fill and one answer a cycle, or `rate` of each.
 *
 * The whole cache may be two partitions, of SMs and slices with even and with odd numbers.  What an SM reads from the
 * other one comes `far_latency` cycles later, and is copied: the cache at `copies`, that of a slice of the SM's
 * partition, holds copies of this slice's lines among its own.  What it has is answered here at once.
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
	const struct hd_cache_if *cache, *copies; /* copies: or NULL */
	const struct hd_time *time;
	struct hd_time base; /* as it is seen */
	const struct hd_touch_if *touch;
	struct hd_pool *pool;
	uint32_t rop_latency, queue, port_width, rate;
	uint32_t far_latency;

	struct list waiting, far;
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
enum { PORT_ROP, PORT_CREDIT, PORT_TO_DRAM, PORT_FROM_DRAM, PORT_REPLY, PORT_CACHE, PORT_TIME, PORT_TOUCH,
       PORT_COPIES };

#define SECTOR 32u
#define COPIED UINT64_MAX /* hd_mem.due of a request that a copy answers */

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

/* ---- copies of lines in the other partition ---- */

/* SL11: a read by an SM of the other partition.  Writes and atomics happen here, where the line is at home. */
static bool is_far(const struct state *st, const struct hd_mem_req *r)
{
	return st->copies && (r->core ^ st->ctx->index) & 1 && !(r->flags & (HD_MEM_WRITE | HD_MEM_ATOMIC));
}

/* Of the request's sector `i`. */
static bool has_copy(const struct state *st, const struct hd_mem_req *r, uint32_t i)
{
	uint32_t record;

	return st->copies->probe(st->copies->self, (r->addr / SECTOR + i) * SECTOR, &record) == HD_CACHE_HAS;
}

/* Makes the copies that are missing, or uses them all. */
static void copy(struct state *st, const struct hd_mem_req *r, bool missing)
{
	struct hd_mem_req sector = *r;

	sector.size = SECTOR;
	sector.bytes = UINT32_MAX;
	for (uint32_t i = 0; i < hd_mem_sectors(r); i++) {
		sector.addr = (r->addr / SECTOR + i) * SECTOR;
		if (!missing || !has_copy(st, r, i))
			st->copies->copy(st->copies->self, &sector);
	}
}

/* Do copies answer all of it? */
static bool is_copied(const struct state *st, const struct hd_mem_req *r)
{
	uint32_t i = 0;

	while (i < hd_mem_sectors(r) && has_copy(st, r, i))
		i++;
	return i == hd_mem_sectors(r);
}

/* Answers a request: of a bulk copy a sector, and with the last one all of them. */
static void send_reply(struct state *st, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(st->pool, ref);

	if (HD_UNLIKELY(m->line.req.flags & HD_MEM_PARTS) && ++m->row < hd_mem_sectors(&m->line.req))
		return;
	if (HD_UNLIKELY(is_far(st, &m->line.req)) && m->due != COPIED)
		copy(st, &m->line.req, true);
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
	const struct hd_cache_if *from = st->cache;
	const struct hd_mem_req *r;
	hd_mem_ref ref;

	if (HD_UNLIKELY(st->copies != NULL) && *from->queued == 0)
		from = st->copies; /* a line that a copy has pushed out */
	if (*from->queued == 0 || hd_room(&st->to_dram) == 0)
		return;
	r = from->sent(from->self);
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

/* A copy takes the data port as long as a line that is at home here. */
static void answer_copied(struct state *st, hd_mem_ref ref)
{
	struct hd_mem *m = hd_mem(st->pool, ref);

	st->accesses++;
	st->hits++;
	m->row = hd_mem_sectors(&m->line.req) - 1;
	st->busy += (m->row + 1) * ((SECTOR + st->port_width - 1) / st->port_width);
	remove_first(st, &st->waiting);
	send_reply(st, ref);
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
	if (HD_UNLIKELY(hd_mem(st->pool, ref)->due == COPIED)) {
		answer_copied(st, ref);
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

static bool is_due(const struct state *st, const struct list *l)
{
	return l->count && hd_mem(st->pool, l->head)->due <= *st->base.now;
}

/* Returns false if none did. */
static bool leave_far(struct state *st)
{
	if (st->waiting.count >= st->queue || !is_due(st, &st->far))
		return false;
	wait_for_cache(st, remove_first(st, &st->far));
	return true;
}

static bool is_full(const struct state *st)
{
	return st->waiting.count + 3 >= st->queue;
}

/* Returns false if none did. */
static bool leave_rop(struct state *st)
{
	hd_mem_ref ref = hd_mem_front(&st->rop);
	struct hd_mem *m;

	if (!ref || hd_mem(st->pool, ref)->due + st->rop_latency > *st->base.now
	    || st->waiting.count >= st->queue)
		return false;
	hd_take(&st->rop);
	hd_mem_fetch_behind(st->pool, &st->rop, 1); /* rest() looks at the first one at once */
	m = hd_mem(st->pool, ref);
	if (HD_LIKELY(!is_far(st, &m->line.req))) {
		wait_for_cache(st, ref);
	} else if (is_copied(st, &m->line.req)) {
		copy(st, &m->line.req, false);
		m->due = COPIED;
		wait_for_cache(st, ref);
	} else {
		m->due = *st->base.now + st->far_latency;
		append(st, &st->far, ref);
		st->far_requests++;
	}
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
	       || hd_mem_front(&st->from_dram) || (st->copies && *st->copies->queued);
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
	if (st->far_latency && !st->copies)
		return hd_error(ctx, "'far_latency' is %u; expected a cache at port 'copies', or 0", st->far_latency);
	return hd_delay_input(ctx, &st->rop, st->rop_latency, PORT_TIME);
}

static int start(void *state)
{
	struct state *st = state;

	if (st->copies && st->copies->ctx == st->cache->ctx)
		return hd_error(st->ctx, "port 'copies' is linked to the cache of the slice; expected that of "
		                "another one");
	if (st->copies && (!st->copies->copy || st->copies->atom != st->cache->atom))
		return hd_error(st->ctx, "port 'copies' is linked to a cache that cannot copy; expected one as "
		                "that of the slice, sectored, that allocates lines on a miss");
	st->base = hd_time_seen(st->ctx, PORT_TIME, st->time);
	st->fill_steps = st->cache->atom / st->port_width;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->waiting.count)
		hd_report_pending(h, "%u requests in front of the cache", st->waiting.count);
	if (st->far.count)
		hd_report_pending(h, "%u requests on their way between partitions", st->far.count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->waiting);
	HD_SAVED(k, st->far);
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
	{ .name = "far_latency", .unit = "cycles", .doc = "that a read takes longer if the SM is of the other "
	  "partition, and the cache at port 'copies' has no copy of it",
	  .type = HD_U32, .offset = P(far_latency), .def = "0", .min = 0, .max = 100000 },
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
	[PORT_COPIES] = { .name = "copies", .doc = "the cache of a slice of the other partition, which holds "
	                  "copies of lines of this slice; open: there is one partition",
	                  .kind = HD_USES, .flags = HD_OPTIONAL,
	                  .type = &hd_type_cache_if, .offset = P(copies) },
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
	{ .name = "far_requests", .unit = "requests", .doc = "reads by SMs of the other partition, which had no "
	  "copy of the line", .offset = P(far_requests) },
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

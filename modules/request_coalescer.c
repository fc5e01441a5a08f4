/* request_coalescer.c - reads of the same bytes that are in flight go to the memory once
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/gpu.md, Request coalescer.  It stands on the way of requesters to a network and back, or on that of a network
 * to a slice.  What goes on bears nothing that tells its entry: a reply is that of an entry if all of it is the same
 * but the flag of replies.  A read that went on without an entry, and is equal to the last bit, may answer for it.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/mem.h>
#include <heddle/gpu/time.h>

struct list {
	hd_mem_ref head, tail; /* linked by hd_mem.next; 0: empty */
};

struct entry {
	struct hd_mem_req req; /* the first one's, which went on */
	struct list others;    /* they wait for its answer; .row is the requester */
	uint32_t next;         /* entry + 1 in its bucket, or of those that are free */
	uint32_t count;        /* its requests */
	uint64_t closed;       /* 1: takes no more; wide, for entries are saved and must have no padding */
};

/* What is owed to a requester. */
struct answers {
	struct list list;
	uint64_t count;     /* wide as well */
	uint64_t free_from; /* step, of which a cycle has `rate`, from which it gets the next one */
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, reply, out, response;
	const struct hd_time *time;
	const uint64_t *now; /* its cycles that are over */
	struct hd_pool *pool;
	uint32_t entries, merges, lookups, rate;

	struct entry *entry;
	uint32_t *bucket; /* by line: entry + 1, 0: none */
	uint32_t mask;    /* of their number, a power of two */
	uint32_t free;    /* entry + 1 */
	struct answers *owed;
	struct hd_meter used_meter;
	uint32_t used;
	uint64_t requests, merged, full;
};

enum { PORT_OUT = 2, PORT_RESPONSE, PORT_TIME };
enum { MARK_MERGED };
enum { EVENT_MERGED };

#define LINE 128u

static void append(const struct state *st, struct list *l, hd_mem_ref ref)
{
	hd_mem(st->pool, ref)->next = 0;
	if (l->head)
		hd_mem(st->pool, l->tail)->next = ref;
	else
		l->head = ref;
	l->tail = ref;
}

static hd_mem_ref remove_first(const struct state *st, struct list *l)
{
	hd_mem_ref ref = l->head;

	l->head = hd_mem(st->pool, ref)->next;
	return ref;
}

/* Neighbouring lines have neighbouring buckets, but for what the bits above make of it. */
static uint32_t *bucket_of(const struct state *st, uint64_t addr)
{
	uint64_t line = addr / LINE;

	return &st->bucket[(line ^ line >> 10 ^ line >> 20) & st->mask];
}

/* LC1: one answer comes for it, with all it asked for. */
static bool is_merged(const struct hd_mem_req *r)
{
	return !(r->flags & (HD_MEM_WRITE | HD_MEM_LINE | HD_MEM_ATOMIC | HD_MEM_SILENT | HD_MEM_HALF))
	       && (r->size <= 32 || (r->flags & HD_MEM_PARTS));
}

/* Whether the answer to a is also that to b. */
static bool same_bytes(const struct hd_mem_req *a, const struct hd_mem_req *b)
{
	return a->addr == b->addr && a->size == b->size && !((a->flags ^ b->flags) & HD_MEM_PARTS);
}

static bool is_reply_to(const struct hd_mem_req *reply, const struct hd_mem_req *r)
{
	struct hd_mem_req was = *reply;

	was.flags &= (uint16_t)~HD_MEM_REPLY;
	return memcmp(&was, r, sizeof was) == 0;
}

/* LC4: what reads the line from now on sees the store. */
static void close_line(struct state *st, uint64_t addr)
{
	for (uint32_t e = *bucket_of(st, addr); e; e = st->entry[e - 1].next)
		if (st->entry[e - 1].req.addr / LINE == addr / LINE)
			st->entry[e - 1].closed = true;
}

static void open_entry(struct state *st, const struct hd_mem_req *r)
{
	uint32_t *bucket = bucket_of(st, r->addr), e = st->free;
	struct entry *n;

	if (st->merges == 1)
		return;
	if (!e) {
		st->full++;
		return;
	}
	n = &st->entry[e - 1];
	st->free = n->next;
	*n = (struct entry){ .req = *r, .next = *bucket, .count = 1 };
	*bucket = e;
	st->used++;
}

/* Returns false if no entry takes it. */
static bool merge(struct state *st, hd_mem_ref ref, uint32_t from)
{
	struct hd_mem *m = hd_mem(st->pool, ref);
	const struct hd_mem_req *r = &m->line.req;

	for (uint32_t e = *bucket_of(st, r->addr); e; e = st->entry[e - 1].next) {
		struct entry *n = &st->entry[e - 1];

		if (n->closed || !same_bytes(&n->req, r))
			continue;
		m->row = from;
		append(st, &n->others, ref);
		n->closed = ++n->count == st->merges;
		st->merged++;
		hd_mem_at(st->ctx, st->pool, ref, MARK_MERGED, *st->now, HD_MEM_AT_L2);
		hd_emit(st->ctx, EVENT_MERGED, from, r->addr, r->size, n->count);
		return true;
	}
	return false;
}

/* LC2 and LC3, for what requester i has sent, while there is room. */
static void take_requests(struct state *st, uint32_t i)
{
	hd_mem_ref ref;

	for (uint32_t n = 0; n < st->lookups && (ref = hd_mem_front(&st->in.v[i])) != 0; n++) {
		const struct hd_mem_req *r = &hd_mem(st->pool, ref)->line.req;
		bool reads = is_merged(r);

		if (!reads || !merge(st, ref, i)) {
			if (hd_room(&st->out.v[i]) == 0)
				return;
			if (reads)
				open_entry(st, r);
			else if (r->flags & (HD_MEM_WRITE | HD_MEM_LINE | HD_MEM_ATOMIC))
				close_line(st, r->addr);
			hd_put(&st->out.v[i], &ref, sizeof ref);
		}
		hd_take(&st->in.v[i]);
		st->requests++;
	}
}

static void owe(struct state *st, uint32_t i, hd_mem_ref ref)
{
	append(st, &st->owed[i].list, ref);
	st->owed[i].count++;
}

/* The entry that a reply is for is free again, and its other requests are answered. */
static void end_entry(struct state *st, const struct hd_mem_req *reply)
{
	uint32_t *link = bucket_of(st, reply->addr), e;

	while (*link && !is_reply_to(reply, &st->entry[*link - 1].req))
		link = &st->entry[*link - 1].next;
	e = *link;
	if (!e)
		return;
	while (st->entry[e - 1].others.head) {
		hd_mem_ref ref = remove_first(st, &st->entry[e - 1].others);
		struct hd_mem *m = hd_mem(st->pool, ref);

		m->line.req.flags |= HD_MEM_REPLY;
		hd_mem_move(st->ctx, m, *st->now, HD_MEM_AT_REPLY);
		owe(st, m->row, ref);
	}
	*link = st->entry[e - 1].next;
	st->entry[e - 1].next = st->free;
	st->free = e;
	st->used--;
}

static void take_replies(struct state *st, uint32_t i)
{
	hd_mem_ref ref;

	while (st->owed[i].count < st->rate && (ref = hd_mem_front(&st->reply.v[i])) != 0) {
		hd_take(&st->reply.v[i]);
		owe(st, i, ref);
		end_entry(st, &hd_mem(st->pool, ref)->line.req);
	}
}

/* LC5.  Returns false if nothing is owed any more. */
static bool answer(struct state *st, uint32_t i)
{
	struct answers *a = &st->owed[i];
	uint64_t step = hd_now(st->ctx) * st->rate, end = step + st->rate;

	for (step = step < a->free_from ? a->free_from : step;
	     a->count && step < end && hd_room(&st->response.v[i]); step = a->free_from) {
		hd_mem_ref ref = remove_first(st, &a->list);

		a->count--;
		a->free_from = step + hd_mem_packets(&hd_mem(st->pool, ref)->line.req);
		hd_put(&st->response.v[i], &ref, sizeof ref);
	}
	return a->count > 0;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool more = false;

	for (uint32_t i = 0; i < st->in.n; i++)
		take_replies(st, i);
	for (uint32_t i = 0; i < st->in.n; i++) {
		more |= answer(st, i);
		take_requests(st, i);
		more |= hd_front(&st->in.v[i]) || hd_front(&st->reply.v[i]);
	}
	hd_meter(st->ctx, &st->used_meter, st->used);
	return more ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t buckets = 1, n = st->in.n;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	if (st->out.n != n || st->reply.n != n || st->response.n != n)
		return hd_error(ctx, "%u links at port 'in', %u at 'out', %u at 'reply' and %u at 'response'; expected "
		                "one of each for every requester, in the same order", n, st->out.n, st->reply.n,
		                st->response.n);
	st->now = hd_passed_of(ctx, PORT_TIME);
	if (!st->now)
		return hd_error(ctx, "'time' has no clock; expected an instance with one");
	hd_puts_at_most(ctx, PORT_OUT, st->lookups);
	hd_puts_at_most(ctx, PORT_RESPONSE, st->rate);
	while (buckets < st->entries)
		buckets *= 2;
	st->mask = buckets - 1;
	st->bucket = hd_memory(ctx, buckets, sizeof *st->bucket);
	st->entry = hd_memory(ctx, st->entries, sizeof *st->entry);
	st->owed = hd_memory(ctx, n + (size_t)1, sizeof *st->owed);
	if (!st->bucket || !st->entry || !st->owed)
		return hd_error(ctx, "out of memory for %u entries", st->entries);
	for (uint32_t e = st->entries; e > 0; e--) {
		st->entry[e - 1].next = st->free;
		st->free = e;
	}
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->used)
		hd_report_pending(h, "%u reads in flight that others may wait for", st->used);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_saved(k, st->entry, st->entries * sizeof *st->entry);
	hd_saved(k, st->bucket, (st->mask + (size_t)1) * sizeof *st->bucket);
	hd_saved(k, st->owed, st->in.n * sizeof *st->owed);
	HD_SAVED(k, st->free);
	HD_SAVED(k, st->used);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "entries", .unit = "reads", .doc = "in flight that others may wait for; one that finds no entry "
	  "goes on by itself", .type = HD_U32, .offset = P(entries), .def = "1024", .min = 1, .max = 1 << 20 },
	{ .name = "merges", .unit = "requests", .doc = "of an entry, the first one included; the next one opens "
	  "another; 1: nothing is merged", .type = HD_U32,
	  .offset = P(merges), .def = "4", .min = 1, .max = 65536 },
	{ .name = "lookups", .unit = "requests", .doc = "of each requester that are taken in a cycle", .type = HD_U32,
	  .offset = P(lookups), .def = "1", .min = 1, .max = 16 },
	{ .name = "rate", .unit = "sectors", .doc = "of answers that each requester gets in a cycle", .type = HD_U32,
	  .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "by requester: its requests", .kind = HD_IN, .flags = HD_ARRAY | HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	{ .name = "reply", .doc = "by requester, in the same order: replies to what goes on", .kind = HD_IN,
	  .flags = HD_ARRAY | HD_METERED, .type = &hd_type_mem, .offset = P(reply) },
	[PORT_OUT] = { .name = "out", .doc = "by requester: what goes on", .kind = HD_OUT, .flags = HD_ARRAY,
	  .type = &hd_type_mem, .most = 1, .offset = P(out) },
	[PORT_RESPONSE] = { .name = "response", .doc = "by requester: answers, also to what was merged", .kind = HD_OUT,
	  .flags = HD_ARRAY, .type = &hd_type_mem, .most = 1, .offset = P(response) },
	[PORT_TIME] = { .name = "time", .doc = "in whose cycles requests move", .kind = HD_USES, .type = &hd_type_time,
	  .offset = P(time) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "requests", .unit = "requests", .doc = "of all kinds", .offset = P(requests) },
	{ .name = "merged", .unit = "requests", .doc = "reads that waited for the answer to another one",
	  .offset = P(merged) },
	{ .name = "full", .unit = "requests", .doc = "reads that found no entry and went on by themselves",
	  .offset = P(full) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_MERGED] = { "merged", "it waits for the answer to an earlier read of the same bytes", NULL, NULL },
	{ 0 },
};

static const struct hd_event events[] = {
	[EVENT_MERGED] = { .name = "merged", .doc = "a read waits for the answer to an earlier one",
		.flags = HD_EVENT_DETAIL, .fields = {
		{ "requester", "", "whose it is, by the order of links" },
		{ "address", "bytes", "", NULL, HD_FIELD_HEX },
		{ "size", "bytes", "" }, { "count", "requests", "of its entry, with this one" } } },
	{ 0 },
};

static const struct hd_queue queues[] = {
	{ .name = "used", .unit = "reads", .doc = "in flight that others may wait for", .offset = P(used_meter),
	  .capacity = P(entries) },
	{ .name = NULL },
};

const struct hd_module hd_module_request_coalescer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "request_coalescer",
	.doc = "merges reads of the same bytes that are in flight, and answers each requester",
	.params = params,
	.ports = ports,
	.stats = stats,
	.queues = queues,
	.events = events,
	.marks = marks,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

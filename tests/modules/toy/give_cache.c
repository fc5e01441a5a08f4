/* give_cache.c - toy: a cache that follows a script, and logs accesses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   hit, miss, fail        outcome of accesses from now on; at first they miss
 *   fail 0xADDRESS         of those to that address, until `go`; the others as before
 *   go
 *   stores [sent] [alloc]  events of stores from now on
 *   answers [flags=...]    from now on these are the flags of what a fill answers; without: as in
 *                          the reply
 * A load that misses, a store that is sent, and the read of one that allocates go to the miss
 * queue.
 */
#include "mem.h"

#include <heddle/gpu/cache.h>

#define MOST 64u

struct list {
	struct hd_mem_req v[MOST];
	uint32_t first, n;
};

struct state {
	struct actor actor;
	struct hd_cache_if cache;
	uint64_t write_backs, written_back; /* none */
	enum hd_cache_status status;
	uint64_t refused; /* address, or 0 */
	unsigned events;
	uint16_t flags;
	bool other_flags;
	struct list out, answered;
};

static void hit(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->status = HD_CACHE_HIT;
}

static void miss(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->status = HD_CACHE_MISS;
}

static void fail(void *state, struct args *a)
{
	struct state *st = state;

	if (arg_more(a, '0'))
		st->refused = arg_address(a);
	else
		st->status = HD_CACHE_FAIL;
}

static void go(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->refused = 0;
}

static void stores(void *state, struct args *a)
{
	((struct state *)state)->events = (arg_flag(a, "sent") ? HD_CACHE_WRITE_SENT : 0)
	                                | (arg_flag(a, "alloc") ? HD_CACHE_ALLOC_SENT : 0);
}

static void answers(void *state, struct args *a)
{
	struct state *st = state;

	st->flags = arg_mem_flags(a, UINT16_MAX);
	st->other_flags = st->flags != UINT16_MAX;
}

static void add(struct state *st, struct list *l, const struct hd_mem_req *r)
{
	if (l->first + l->n < MOST)
		l->v[l->first + l->n++] = *r;
	else
		wrong(st->actor.ctx, "more than %u requests", MOST);
}

static const struct hd_mem_req *head(const struct list *l)
{
	return l->n ? &l->v[l->first] : NULL;
}

static const struct hd_mem_req *drop(struct state *st, struct list *l)
{
	if (l->n == 0) {
		wrong(st->actor.ctx, "there is nothing to take");
		return &l->v[0];
	}
	l->n--;
	return &l->v[l->first++];
}

static enum hd_cache_status access_cache(void *self, const struct hd_mem_req *r, unsigned *events)
{
	static const char *const names[] = { "hit", "miss", "fail" };
	struct state *st = self;
	struct hd_mem_req read = *r;
	enum hd_cache_status status = st->refused && r->addr == st->refused ? HD_CACHE_FAIL
	                                                                    : st->status;
	char text[MEM_TEXT];

	toy_log(st->actor.ctx, "access %s = %s", mem_text(r, text), names[status]);
	*events = 0;
	if (status == HD_CACHE_FAIL)
		return HD_CACHE_FAIL;
	if (!(r->flags & HD_MEM_WRITE)) {
		if (status == HD_CACHE_MISS)
			add(st, &st->out, r);
		return status;
	}
	*events = st->events;
	if (st->events & HD_CACHE_WRITE_SENT)
		add(st, &st->out, r);
	read.flags = HD_MEM_ALLOC;
	if (st->events & HD_CACHE_ALLOC_SENT)
		add(st, &st->out, &read);
	return st->status;
}

static const struct hd_mem_req *outgoing(void *self)
{
	return head(&((struct state *)self)->out);
}

static const struct hd_mem_req *sent(void *self)
{
	return drop(self, &((struct state *)self)->out);
}

static void fill(void *self, const struct hd_mem_req *r)
{
	struct state *st = self;
	struct hd_mem_req answer = *r;
	char text[MEM_TEXT];

	toy_log(st->actor.ctx, "fill %s", mem_text(r, text));
	if (st->other_flags)
		answer.flags = st->flags;
	add(st, &st->answered, &answer);
}

static const struct hd_mem_req *ready(void *self)
{
	return head(&((struct state *)self)->answered);
}

static const struct hd_mem_req *taken(void *self)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "taken");
	return drop(st, &st->answered);
}

static void invalidate(void *self)
{
	toy_log(((struct state *)self)->actor.ctx, "invalidate");
}

static void set_ways(void *self, uint32_t ways, bool shared)
{
	toy_log(((struct state *)self)->actor.ctx, "ways %u%s", ways, shared ? "" : " without shared memory");
}

static void preset(void *self, uint64_t addr, uint32_t ahead, uint32_t later)
{
	toy_log(((struct state *)self)->actor.ctx, "preset %#llx ahead=%u later=%u",
	        (unsigned long long)addr, ahead, later);
}

static void flush(void *self)
{
	toy_log(((struct state *)self)->actor.ctx, "flush");
}

static uint32_t pending(const void *self)
{
	const struct state *st = self;

	return st->out.n + st->answered.n;
}

/* Where requests are is for dumps. */
static enum hd_cache_presence probe(const void *self, uint64_t addr, uint32_t *record)
{
	const struct state *st = self;

	*record = HD_CACHE_UNSENT;
	return st->status == HD_CACHE_HIT && addr != st->refused ? HD_CACHE_HAS : HD_CACHE_ABSENT;
}

static void sent_as(void *self, uint64_t addr, uint32_t record)
{
	(void)self;
	(void)addr;
	(void)record;
}

static const struct verb verbs[] = {
	{ "hit", hit }, { "miss", miss }, { "fail", fail }, { "go", go },
	{ "stores", stores },
	{ "answers", answers }, { .name = NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t ways = st->cache.max_ways, atom = st->cache.atom;

	actor_init(st, ctx);
	st->status = HD_CACHE_MISS;
	st->cache = (struct hd_cache_if){ .self = st, .ctx = ctx, .access = access_cache, .queued = &st->out.n,
		                         .write_backs = &st->write_backs,
		                         .written_back = &st->written_back,
		                          .filled = &st->answered.n, .outgoing = outgoing,
		                          .sent = sent, .fill = fill, .ready = ready,
		                          .taken = taken, .invalidate = invalidate,
		                          .set_ways = set_ways, .pending = pending,
		                          .max_ways = ways, .atom = atom, .queue_room = MOST,
		                          .preset = preset, .flush = flush, .probe = probe,
		                          .sent_as = sent_as };
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "max_ways", .unit = "", .doc = "ways that it can have", .type = HD_U32,
	  .offset = offsetof(struct state, cache.max_ways), .def = "256", .min = 1, .max = 65536 },
	{ .name = "atom", .unit = "bytes", .doc = "that a read fetches", .type = HD_U32,
	  .offset = offsetof(struct state, cache.atom), .def = "32", .min = 32, .max = 128 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("cache", hd_type_cache_if, cache),
	{ .name = NULL },
};

TOY(give_cache, "a cache that follows a script", verbs, ports,
    .params = params, .init = init, .eval = actor_eval);

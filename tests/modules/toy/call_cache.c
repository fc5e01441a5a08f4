/* call_cache.c - toy: accesses a cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   load 0xADDRESS [wN] [pc=N]  "= hit", "= miss" or "= fail"; `bytes` is 0; with a pc it is of kernel 1
 *   atomic 0xADDRESS [wN] [bytes=N]
 *   store 0xADDRESS [wN] [bytes=N] [local]     all 32 bytes without `bytes`; "sent", "alloc",
 *                            "pushed N" modified sectors out
 *   part 0xADDRESS [lines=N,N,N,N] [set=N]    a store of a part of a line that a cache above wrote
 *                            back, with the written bytes of its sectors, the set of modified ones
 *   send [n=N]               takes the first of the miss queue, all without n: "sent REQUEST"
 *   fill 0xADDRESS           a reply
 *   reply [n=N]              replies to the read that was sent first, all without n; as sent
 *   bring 0xADDRESS          loads, and if that misses sends, replies, takes the answer; unlogged
 *   answer [n=N]             takes what is answered, all without n: "answer REQUEST"
 *   pending                  requests inside
 *   invalidate, flush, ways n=N
 *   preset 0xADDRESS [ahead=N] [later=N]
 *   where, probe 0xADDRESS   the record of the read; "absent", "coming" or "there"
 * With the parameter `listens` it logs what the cache tells.
 */
#include "mem.h"

#include <heddle/gpu/cache.h>

#include <stdlib.h>

#define MOST 64u

struct state {
	struct actor actor;
	const struct hd_cache_if *f;
	struct hd_mem_req under_way[MOST];
	uint32_t n, records; /* under way; sent so far */
	bool listens;
	struct hd_cache_notices notices;
};

static enum hd_cache_status ask(struct state *st, const struct hd_mem_req *r, bool log)
{
	static const char *const names[] = { "hit", "miss", "fail" };
	unsigned events = 0;
	enum hd_cache_status got = st->f->access(st->f->self, r, &events);
	const char *what = r->flags & HD_MEM_WRITE ? "store" : r->flags & HD_MEM_ATOMIC ? "atomic"
	                                                                               : "load";

	char pushed[40] = "";

	if (HD_CACHE_PUSHED(events))
		snprintf(pushed, sizeof pushed, " pushed %u", HD_CACHE_PUSHED(events));
	if (log)
		toy_log(st->actor.ctx, "%s %#llx = %s%s%s%s", what, (unsigned long long)r->addr,
		        names[got], events & HD_CACHE_WRITE_SENT ? " sent" : "",
		        events & HD_CACHE_ALLOC_SENT ? " alloc" : "", pushed);
	return got;
}

static struct hd_mem_req request(struct args *a, unsigned flags)
{
	bool load = !(flags & (HD_MEM_WRITE | HD_MEM_ATOMIC));
	uint64_t pc = arg_number(a, "pc", UINT64_MAX);

	return (struct hd_mem_req){
		.addr = arg_address(a),
		.flags = (uint16_t)flags,
		.size = 32,
		.bytes = load ? 0 : (uint32_t)arg_number(a, "bytes", UINT32_MAX),
		.beyond = load ? 0 : (uint8_t)arg_number(a, "beyond", 0),
		.warp = arg_more(a, 'w') ? (uint8_t)arg_warp(a) : 0,
		.kernel = pc != UINT64_MAX, .pc = pc == UINT64_MAX ? 0 : (uint32_t)pc,
	};
}

static void load(void *state, struct args *a)
{
	struct hd_mem_req r = request(a, HD_MEM_LOAD);

	ask(state, &r, true);
}

static void atomic(void *state, struct args *a)
{
	struct hd_mem_req r = request(a, HD_MEM_LOAD | HD_MEM_ATOMIC);

	ask(state, &r, true);
}

static void store(void *state, struct args *a)
{
	bool local = arg_flag(a, "local");
	struct hd_mem_req r = request(a, HD_MEM_WRITE | (local ? HD_MEM_LOCAL : 0));

	ask(state, &r, true);
}

static void part(void *state, struct args *a)
{
	struct hd_mem_line line = { .req = request(a, HD_MEM_WRITE | HD_MEM_LINE | HD_MEM_SILENT) };
	const char *lines = arg_text(a, "lines");
	char *end = NULL;

	line.req.bytes = (uint32_t)arg_number(a, "set", line.req.bytes);
	for (uint32_t i = 0; lines && i < 4; i++, lines = *end == ',' ? end + 1 : end)
		line.bytes[i] = (uint32_t)strtoul(lines, &end, 0);
	ask(state, &line.req, true);
}

static void preset(void *state, struct args *a)
{
	struct state *st = state;

	st->f->preset(st->f->self, arg_address(a), (uint32_t)arg_number(a, "ahead", 0),
	              (uint32_t)arg_number(a, "later", 0));
}

static void flush(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->f->flush(st->f->self);
}

/* The first of the miss queue; false: there is none. */
static bool send_one(struct state *st, bool log)
{
	const struct hd_mem_req *r = st->f->outgoing(st->f->self);

	if (!r)
		return false;
	if (log)
		tell_mem(st->actor.ctx, "sent", (const struct hd_mem_line *)r);
	if (!(r->flags & HD_MEM_WRITE) && st->n < MOST)
		st->under_way[st->n++] = *r;
	st->f->sent(st->f->self);
	if (!(r->flags & HD_MEM_WRITE))
		st->f->sent_as(st->f->self, r->addr, ++st->records);
	return true;
}

static void send_some(void *state, struct args *a)
{
	for (uint64_t n = arg_number(a, "n", MOST); n && send_one(state, true); n--)
		;
}

static void where(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t addr = arg_address(a);
	uint32_t record;

	st->f->probe(st->f->self, addr, &record);
	if (record != HD_CACHE_UNSENT)
		toy_log(st->actor.ctx, "0x%llx in %u", (unsigned long long)addr, record);
	else
		toy_log(st->actor.ctx, "0x%llx nowhere", (unsigned long long)addr);
}

static void probe(void *state, struct args *a)
{
	static const char *const there[] = { "absent", "coming", "there" };
	struct state *st = state;
	uint64_t addr = arg_address(a);
	uint32_t record;

	toy_log(st->actor.ctx, "0x%llx %s", (unsigned long long)addr, there[st->f->probe(st->f->self, addr, &record)]);
}

static void fill(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_mem_req r = { .addr = arg_address(a), .size = 32 };

	st->f->fill(st->f->self, &r);
}

static void reply_one(struct state *st)
{
	struct hd_mem_req r = st->under_way[0];

	memmove(&st->under_way[0], &st->under_way[1], --st->n * sizeof st->under_way[0]);
	st->f->fill(st->f->self, &r);
}

static void reply(void *state, struct args *a)
{
	struct state *st = state;

	for (uint64_t n = arg_number(a, "n", MOST); n && st->n; n--)
		reply_one(st);
}

/* What is answered first; false: nothing is. */
static bool answer_one(struct state *st, bool log)
{
	const struct hd_mem_req *r = st->f->ready(st->f->self);
	char text[MEM_TEXT];

	if (!r)
		return false;
	if (r != st->f->ready(st->f->self))
		wrong(st->actor.ctx, "what is answered does not stay until it is taken");
	if (log)
		toy_log(st->actor.ctx, "answer %s", mem_text(r, text));
	st->f->taken(st->f->self);
	return true;
}

static void answer(void *state, struct args *a)
{
	for (uint64_t n = arg_number(a, "n", MOST); n && answer_one(state, true); n--)
		;
}

static void bring(void *state, struct args *a)
{
	struct hd_mem_req r = request(a, HD_MEM_LOAD);
	struct state *st = state;

	if (ask(st, &r, false) == HD_CACHE_FAIL)
		wrong(st->actor.ctx, "the cache refuses it");
	while (send_one(st, false))
		;
	while (st->n)
		reply_one(st);
	while (answer_one(st, false))
		;
}

static void pending(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "pending = %u", st->f->pending(st->f->self));
}

static void invalidate(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->f->invalidate(st->f->self);
}

static void set_ways(void *state, struct args *a)
{
	struct state *st = state;

	st->f->set_ways(st->f->self, (uint32_t)arg_number(a, "n", 0), arg_number(a, "shared", 1) != 0);
}

static const struct verb verbs[] = {
	{ "load", load }, { "atomic", atomic }, { "store", store }, { "send", send_some },
	{ "fill", fill }, { "reply", reply }, { "bring", bring }, { "answer", answer },
	{ "pending", pending }, { "part", part }, { "preset", preset }, { "flush", flush },
	{ "invalidate", invalidate }, { "ways", set_ways },
	{ "where", where }, { "probe", probe },
	{ .name = NULL },
};

static void missed(void *self, const struct hd_mem_req *req)
{
	toy_log(((struct state *)self)->actor.ctx, "misses %#llx", (unsigned long long)req->addr);
}

static void evicted(void *self, uint64_t addr, uint32_t has, uint32_t modified, const struct hd_mem_req *by)
{
	toy_log(((struct state *)self)->actor.ctx, "loses %#llx has=%x modified=%x for %#llx",
	        (unsigned long long)addr, has, modified, (unsigned long long)by->addr);
}

static void emptied(void *self, bool all)
{
	toy_log(((struct state *)self)->actor.ctx, "loses all that is %s", all ? "there" : "modified");
}

static int start(void *state)
{
	struct state *st = state;

	st->notices = (struct hd_cache_notices){ st, missed, evicted, emptied };
	if (st->listens)
		st->f->listen(st->f->self, &st->notices);
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "listens", .unit = "", .doc = "logs what the cache tells", .type = HD_BOOL,
	  .offset = offsetof(struct state, listens), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	USES("cache", hd_type_cache_if, f),
	{ .name = NULL },
};

TOY(call_cache, "accesses a cache", verbs, ports, .params = params, .init = actor_init, .start = start,
    .eval = actor_eval);

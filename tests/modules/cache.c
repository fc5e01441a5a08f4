/* cache.c - the cache module alone: its rules one by one, then against a plain model
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Links with modules/cache.c and modules/cache/ only.  CA1 to CA20 are rules of docs/memory.md.
 * The model in the second half scans arrays from end to end, as the text does; it shares no code
 * with the module.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../modules/cache/cache.h"

extern const struct hd_module hd_module_cache;

/* ---- the kernel, as far as the module asks for it ------------------------------------------- */

static char said[512]; /* last message */
static unsigned failures, holds;

static int say(const char *fmt, va_list ap)
{
	vsnprintf(said, sizeof said, fmt, ap);
	return -1;
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return -1;
}

int hd_fail(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	failures++;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	return -1;
}

void hd_report_pending(struct hd_pending *h, const char *fmt, ...)
{
	va_list ap;

	(void)h;
	holds++;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	(void)c;
	(void)event;
	(void)v;
}

/* ---- one cache ------------------------------------------------------------------------------ */

#define CHECK(x)                                                                                 \
	do {                                                                                     \
		if (!(x)) {                                                                      \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                  \
			exit(1);                                                                 \
		}                                                                                \
	} while (0)

struct unit {
	unsigned char *state;
	struct hd_ctx ctx;
	uint64_t cycle;
	const struct hd_cache_if *f;
};

static void set_param(struct unit *u, const char *name, size_t length, const char *text)
{
	const struct hd_param *p = hd_module_cache.params;
	uint32_t number;

	while (p->name && (strlen(p->name) != length || strncmp(p->name, name, length) != 0))
		p++;
	CHECK(p->name != NULL);
	switch (p->type) {
	case HD_BOOL:
		*(bool *)(u->state + p->offset) = strcmp(text, "true") == 0;
		return;
	case HD_CHOICE:
		for (number = 0; p->choices[number]; number++)
			if (strcmp(p->choices[number], text) == 0)
				break;
		CHECK(p->choices[number] != NULL);
		break;
	default:
		CHECK(p->type == HD_U32);
		number = (uint32_t)strtoul(text, NULL, 10);
		CHECK(number >= p->min && number <= p->max);
	}
	memcpy(u->state + p->offset, &number, sizeof number);
}

/* Parameters as "name=value name=value"; returns what init returned. */
static int start(struct unit *u, const char *params)
{
	char text[1024], *word;
	const struct hd_param *p;

	memset(u, 0, sizeof *u);
	u->state = calloc(1, hd_module_cache.state_size);
	u->ctx.cycle = u->ctx.now = &u->cycle;
	for (p = hd_module_cache.params; p->name; p++) {
		snprintf(text, sizeof text, "%s", p->def[0] == '"' ? p->def + 1 : p->def);
		text[strcspn(text, "\"")] = '\0';
		set_param(u, p->name, strlen(p->name), text);
	}
	snprintf(text, sizeof text, "%s", params);
	for (word = strtok(text, " "); word; word = strtok(NULL, " "))
		set_param(u, word, strcspn(word, "="), strchr(word, '=') + 1);
	if (hd_module_cache.init(u->state, &u->ctx) != 0)
		return -1;
	u->f = (const void *)(u->state + hd_module_cache.ports[0].offset);
	CHECK(hd_module_cache.start(u->state) == 0);
	return 0;
}

static void stop(struct unit *u)
{
	hd_module_cache.fini(u->state);
	free(u->state);
}

static uint64_t stat_of(const struct unit *u, const char *name)
{
	const struct hd_stat *s = hd_module_cache.stats;

	while (s->name && strcmp(s->name, name) != 0)
		s++;
	CHECK(s->name != NULL);
	return hd_stat_value(s, u->state);
}

static struct hd_mem_req request(uint64_t addr, unsigned flags, uint32_t bytes, unsigned warp)
{
	return (struct hd_mem_req){ .addr = addr, .size = 32, .bytes = bytes,
		.flags = (uint16_t)flags, .warp = (uint8_t)warp };
}

/* ---- the rules, one by one ------------------------------------------------------------------ */

enum { H = HD_CACHE_HIT, M = HD_CACHE_MISS, F = HD_CACHE_FAIL };
static unsigned last_events;

static unsigned load(struct unit *u, uint64_t addr, unsigned warp)
{
	struct hd_mem_req r = request(addr, HD_MEM_LOAD, 0xff, warp);

	return (unsigned)u->f->access(u->f->self, &r, &last_events);
}

static unsigned store(struct unit *u, uint64_t addr, uint32_t bytes, unsigned flags)
{
	struct hd_mem_req r = request(addr, HD_MEM_WRITE | flags, bytes, 0);

	return (unsigned)u->f->access(u->f->self, &r, &last_events);
}

static uint32_t sent_line; /* which the last packet taken will fill */

/* Takes the head of the miss queue, which must be for this address. */
static struct hd_mem_req sent(struct unit *u, uint64_t addr)
{
	const struct cache *cache = u->f->self;
	const struct hd_mem_req *head = u->f->outgoing(u->f->self);
	struct hd_mem_req copy;

	CHECK(head != NULL && head->addr == addr);
	copy = *head;
	sent_line = mshr_find(&cache->mshr, addr) == CACHE_NONE ? CACHE_NONE :
	            cache->mshr.node[cache->mshr.entry[mshr_find(&cache->mshr, addr)].first].line;
	u->f->sent(u->f->self);
	return copy;
}

static uint32_t line_sent(struct unit *u, uint64_t addr)
{
	sent(u, addr);
	return sent_line;
}

static unsigned empty_queue(struct unit *u)
{
	unsigned n = 0;

	for (; u->f->outgoing(u->f->self); n++)
		u->f->sent(u->f->self);
	return n;
}

static void fill(struct unit *u, uint64_t addr)
{
	struct hd_mem_req r = request(addr, 0, 0, 0);

	u->f->fill(u->f->self, &r);
}

/* A load that misses, its packet, its reply, its answer. */
static void bring(struct unit *u, uint64_t addr)
{
	struct hd_mem_req packet;

	u->cycle++;
	CHECK(load(u, addr, 0) == M);
	packet = sent(u, addr);
	u->f->fill(u->f->self, &packet);
	CHECK(u->f->ready(u->f->self)->addr == addr);
	u->f->taken(u->f->self);
}

static unsigned answers(struct unit *u)
{
	unsigned n = 0;

	for (; u->f->ready(u->f->self); n++)
		u->f->taken(u->f->self);
	return n;
}

static void test_loads(void)
{
	struct unit u;
	struct hd_mem_req packet;
	unsigned i;

	CHECK(start(&u, "sets=2 ways=2 mshr_entries=3 mshr_merge=2 miss_queue=4") == 0);
	CHECK(u.f->outgoing(u.f->self) == NULL && u.f->ready(u.f->self) == NULL);
	CHECK(load(&u, 0x1000, 1) == M && last_events == 0);
	CHECK(load(&u, 0x1000, 2) == M); /* merges */
	CHECK(load(&u, 0x1000, 3) == F); /* merge limit */
	CHECK(load(&u, 0x1020, 4) == M); /* other sector of the line */
	CHECK(u.f->pending(u.f->self) == 2 + 3);
	holds = 0;
	hd_module_cache.report_pending(u.state, NULL);
	CHECK(holds == 2);
	packet = sent(&u, 0x1000);
	CHECK(packet.warp == 1 && packet.size == 32 && packet.flags == HD_MEM_LOAD);
	CHECK(sent(&u, 0x1020).warp == 4);
	CHECK(load(&u, 0x1080, 0) == M && load(&u, 0x10a0, 0) == F); /* three entries */
	CHECK(stat_of(&u, "fails_mshr_merge") == 1 && stat_of(&u, "fails_mshr_entries") == 1);

	/* replies in another order; the answers come entry by entry, each in order of arrival */
	fill(&u, 0x1020);
	u.f->fill(u.f->self, &packet);
	for (i = 0; i < 3; i++) {
		static const uint8_t warps[] = { 4, 1, 2 };

		CHECK(u.f->ready(u.f->self)->warp == warps[i]);
		CHECK(u.f->ready(u.f->self)->warp == warps[i]); /* stays until taken */
		u.f->taken(u.f->self);
	}
	CHECK(u.f->ready(u.f->self) == NULL);
	CHECK(load(&u, 0x1000, 5) == H && load(&u, 0x1020, 5) == H && load(&u, 0x1040, 5) == M);
	CHECK(stat_of(&u, "hits") == 2 && stat_of(&u, "misses") == 2);
	CHECK(stat_of(&u, "sector_misses") == 2 && stat_of(&u, "reserved_hits") == 1);
	CHECK(stat_of(&u, "accesses") == 7 && stat_of(&u, "reservation_fails") == 2);
	CHECK(stat_of(&u, "merged") == 1 && stat_of(&u, "fills") == 2);
	failures = 0;
	fill(&u, 0x9000);
	CHECK(failures == 1);
	stop(&u);
}

static void test_queue_and_ways(void)
{
	struct unit u;

	/* full(1): a queue of four takes three loads, but four stores, full(0) */
	CHECK(start(&u, "sets=1 ways=8 miss_queue=4") == 0);
	CHECK(load(&u, 0x0, 0) == M && load(&u, 0x80, 0) == M && load(&u, 0x100, 0) == M);
	CHECK(load(&u, 0x180, 0) == F && stat_of(&u, "fails_miss_queue") == 1);
	CHECK(load(&u, 0x0, 0) == F); /* also what would merge */
	CHECK(store(&u, 0x180, 1, 0) == M && last_events == HD_CACHE_WRITE_SENT);
	CHECK(store(&u, 0x200, 1, 0) == F && last_events == 0);
	CHECK(empty_queue(&u) == 4);
	stop(&u);

	/* both ways reserved; a fill frees one */
	CHECK(start(&u, "sets=2 ways=2") == 0);
	CHECK(load(&u, 0x0, 0) == M && load(&u, 0x100, 0) == M && load(&u, 0x200, 0) == F);
	CHECK(load(&u, 0x200, 0) == F && load(&u, 0x80, 0) == M); /* the other set is free */
	CHECK(stat_of(&u, "fails_ways") == 2);
	sent(&u, 0x0);
	CHECK(sent_line == 1); /* last invalid way first */
	sent(&u, 0x100);
	CHECK(sent_line == 0);
	fill(&u, 0x100);
	u.cycle++;
	CHECK(load(&u, 0x200, 0) == M && line_sent(&u, 0x80) == 3 && line_sent(&u, 0x200) == 0);
	stop(&u);

	/* a read-only cache has nothing to write back: full(0) for loads */
	CHECK(start(&u, "write_policy=read_only write_allocate=none miss_queue=1") == 0);
	CHECK(load(&u, 0x0, 0) == M && load(&u, 0x80, 0) == F);
	failures = 0;
	CHECK(store(&u, 0x0, 1, 0) == F && failures == 1);
	stop(&u);
}

static void test_order(void)
{
	struct unit u;
	uint32_t i;

	/* lru: touched 0x100 again, so 0x0 goes, then 0x200 */
	CHECK(start(&u, "sets=2 ways=3") == 0);
	for (i = 0; i < 3; i++)
		bring(&u, 0x100 * i);
	u.cycle++;
	CHECK(load(&u, 0x100, 0) == H);
	bring(&u, 0x300);
	u.cycle++;
	CHECK(load(&u, 0x100, 0) == H && load(&u, 0x200, 0) == H && load(&u, 0x300, 0) == H);
	/* the three now tie: the first way is the oldest, that of 0x200 (allocated last way first:
	 * 0x0 and then 0x300 in way 2, 0x100 in 1, 0x200 in 0) */
	bring(&u, 0x400);
	CHECK(load(&u, 0x200, 0) == M);
	stop(&u);

	/* fifo: the hit does not matter */
	CHECK(start(&u, "sets=2 ways=3 replacement=fifo") == 0);
	for (i = 0; i < 3; i++)
		bring(&u, 0x100 * i);
	u.cycle++;
	CHECK(load(&u, 0x0, 0) == H);
	bring(&u, 0x300);
	CHECK(load(&u, 0x0, 0) == M);
	stop(&u);
}

static void test_write_through(void)
{
	struct unit u;
	struct hd_mem_req packet;

	CHECK(start(&u, "sets=1 ways=2 write_ratio=60 miss_queue=3") == 0);
	CHECK(store(&u, 0x40, 0xff, 0) == M && last_events == HD_CACHE_WRITE_SENT);
	packet = sent(&u, 0x40);
	CHECK(packet.flags == HD_MEM_WRITE && packet.bytes == 0xff);
	/* partly written: not readable until the rest was written or fetched */
	CHECK(load(&u, 0x40, 0) == M && stat_of(&u, "sector_misses") == 1);
	packet = sent(&u, 0x40);
	CHECK(store(&u, 0x40, 0xff00, 0) == M); /* into the reserved sector */
	CHECK(stat_of(&u, "write_reserved_hits") == 1);
	(void)sent(&u, 0x40);
	CHECK(load(&u, 0x40, 0) == M);
	u.f->fill(u.f->self, &packet);
	CHECK(answers(&u) == 2 && load(&u, 0x40, 0) == H);
	CHECK(store(&u, 0x60, 0x0000ffff, 0) == M && load(&u, 0x60, 0) == M);
	empty_queue(&u);
	fill(&u, 0x60);
	answers(&u);
	CHECK(store(&u, 0x20, 0x0000ffff, 0) == M && store(&u, 0x20, 0xffff0000, 0) == H);
	CHECK(last_events == HD_CACHE_WRITE_SENT && load(&u, 0x20, 0) == H); /* all written */
	CHECK(store(&u, 0x0, UINT32_MAX, 0) == M && load(&u, 0x0, 0) == H);
	CHECK(store(&u, 0x0, 1, 0) == F); /* a hit, but the queue is full */
	CHECK(empty_queue(&u) == 3);

	/* 1 of 2 lines is modified, less than 60 %: the clean one goes although it is younger */
	u.cycle++;
	bring(&u, 0x80);
	u.cycle++;
	bring(&u, 0x100);
	CHECK(load(&u, 0x0, 0) == H && load(&u, 0x80, 0) == M);
	empty_queue(&u);
	fill(&u, 0x80);
	answers(&u);
	/* both modified, which is enough: the oldest goes and nothing is written back */
	u.cycle++;
	CHECK(store(&u, 0x80, 1, 0) == H && empty_queue(&u) == 1);
	CHECK(load(&u, 0x80, 0) == H); /* its other bytes were there */
	bring(&u, 0x200);
	CHECK(load(&u, 0x80, 0) == H && load(&u, 0x0, 0) == M);
	CHECK(empty_queue(&u) == 1 && stat_of(&u, "write_backs") == 0);
	stop(&u);
}

static void test_write_back(void)
{
	struct unit u;
	struct hd_mem_req packet;

	CHECK(start(&u, "sets=1 ways=1 write_policy=write_back miss_queue=2") == 0);
	CHECK(store(&u, 0x20, UINT32_MAX, 0) == M && last_events == 0);
	CHECK(store(&u, 0x60, 1, 0) == M && store(&u, 0x60, 2, 0) == H && last_events == 0);
	CHECK(u.f->outgoing(u.f->self) == NULL);
	CHECK(load(&u, 0x80, 0) == M); /* the read, then the write-back, beyond full(1) */
	CHECK(u.f->pending(u.f->self) == 3);
	(void)sent(&u, 0x80);
	packet = sent(&u, 0x0);
	CHECK(packet.flags == (HD_MEM_WRITE | HD_MEM_SILENT | HD_MEM_LINE) && packet.size == 64);
	CHECK(packet.bytes == (1 << 1 | 1 << 3));
	CHECK(stat_of(&u, "write_backs") == 1 && stat_of(&u, "evictions") == 1);
	/* a store into the pending sector frees the line; the late fill goes where it stood */
	CHECK(store(&u, 0x80, 1, 0) == M && store(&u, 0x100, UINT32_MAX, 0) == M);
	CHECK(sent(&u, 0x80).size == 32);
	fill(&u, 0x80);
	CHECK(answers(&u) == 1 && load(&u, 0x100, 0) == H && load(&u, 0x80, 0) == M);
	stop(&u);

	/* atomic: a read that modifies */
	CHECK(start(&u, "sets=1 ways=1 write_policy=write_back") == 0);
	bring(&u, 0x0);
	packet = request(0x0, HD_MEM_ATOMIC | HD_MEM_LOAD, 0xf, 0);
	CHECK(u.f->access(u.f->self, &packet, &last_events) == HD_CACHE_HIT);
	CHECK(load(&u, 0x0, 0) == H);
	CHECK(load(&u, 0x80, 0) == M && sent(&u, 0x80).size == 32);
	CHECK(sent(&u, 0x0).flags & HD_MEM_SILENT);
	packet.addr = 0x80;
	CHECK(u.f->access(u.f->self, &packet, &last_events) == HD_CACHE_MISS);
	fill(&u, 0x80);
	CHECK(answers(&u) == 2 && load(&u, 0x100, 0) == M && empty_queue(&u) == 2);
	stop(&u);
}

static void test_other_stores(void)
{
	struct unit u;
	struct hd_mem_req packet;

	/* write evict: the sector goes, the store is sent */
	CHECK(start(&u, "sets=1 ways=2 write_policy=write_evict write_allocate=none") == 0);
	bring(&u, 0x0);
	bring(&u, 0x20);
	CHECK(store(&u, 0x0, 1, 0) == H && last_events == HD_CACHE_WRITE_SENT);
	CHECK(load(&u, 0x20, 0) == H && load(&u, 0x0, 0) == M && empty_queue(&u) == 2);
	CHECK(store(&u, 0x800, 1, 0) == M && last_events == HD_CACHE_WRITE_SENT);
	CHECK(stat_of(&u, "evictions") == 0);
	stop(&u);

	/* local memory is written back, global memory evicts */
	CHECK(start(&u, "write_policy=local_write_back_global_write_evict allocate=on_fill "
	                "write_allocate=none") == 0);
	bring(&u, 0x0);
	CHECK(store(&u, 0x0, 1, HD_MEM_LOCAL) == H && last_events == 0 && load(&u, 0x0, 0) == H);
	CHECK(store(&u, 0x0, 1, 0) == H && last_events == HD_CACHE_WRITE_SENT);
	CHECK(load(&u, 0x0, 0) == M);
	stop(&u);

	/* fetch on write: the store waits for the fetch, unless it writes all of the sector */
	CHECK(start(&u, "write_policy=write_back write_allocate=fetch_on_write") == 0);
	CHECK(store(&u, 0x0, UINT32_MAX, 0) == M && last_events == 0);
	CHECK(store(&u, 0x20, 1, 0) == M && last_events == HD_CACHE_ALLOC_SENT);
	packet = sent(&u, 0x20);
	CHECK(packet.flags == HD_MEM_ALLOC);
	CHECK(load(&u, 0x20, 0) == M);
	u.f->fill(u.f->self, &packet);
	CHECK(u.f->ready(u.f->self)->flags == (HD_MEM_ALLOC | HD_MEM_WRITE));
	u.f->taken(u.f->self);
	CHECK(u.f->ready(u.f->self)->flags == HD_MEM_LOAD && answers(&u) == 1);
	CHECK(load(&u, 0x20, 0) == H);
	stop(&u);

	/* write allocate: the store goes, and a read */
	CHECK(start(&u, "write_allocate=write_allocate miss_queue=3") == 0);
	CHECK(store(&u, 0x20, 1, 0) == M);
	CHECK(last_events == (HD_CACHE_ALLOC_SENT | HD_CACHE_WRITE_SENT));
	CHECK(store(&u, 0x40, 1, 0) == F && sent(&u, 0x20).flags == HD_MEM_WRITE);
	packet = sent(&u, 0x20);
	CHECK(packet.flags == HD_MEM_ALLOC);
	u.f->fill(u.f->self, &packet);
	CHECK(u.f->ready(u.f->self)->flags == HD_MEM_ALLOC && answers(&u) == 1);
	stop(&u);
}

static void test_on_fill(void)
{
	struct unit u;
	uint32_t i;

	CHECK(start(&u, "sets=1 ways=2 allocate=on_fill write_policy=read_only "
	                "write_allocate=none miss_queue=8") == 0);
	for (i = 0; i < 6; i++) /* more than there are ways: no refusal */
		CHECK(load(&u, 0x80 * i, i) == M);
	CHECK(load(&u, 0x0, 9) == M && stat_of(&u, "misses") == 7 && empty_queue(&u) == 6);
	for (i = 0; i < 6; i++) {
		u.cycle++;
		fill(&u, 0x80 * i);
	}
	CHECK(answers(&u) == 7);
	CHECK(load(&u, 0x200, 0) == H && load(&u, 0x280, 0) == H && load(&u, 0x180, 0) == M);
	stop(&u);

	/* a fill is no tag access: an invalidation after it alone does nothing (CA20) */
	CHECK(start(&u, "allocate=on_fill write_policy=read_only write_allocate=none") == 0);
	CHECK(load(&u, 0x0, 0) == M && load(&u, 0x20, 0) == M && empty_queue(&u) == 2);
	u.f->invalidate(u.f->self);
	fill(&u, 0x0);
	fill(&u, 0x20);
	u.f->invalidate(u.f->self);
	CHECK(answers(&u) == 2 && load(&u, 0x0, 0) == H && load(&u, 0x20, 0) == H);
	u.f->invalidate(u.f->self);
	CHECK(load(&u, 0x0, 0) == M);
	stop(&u);

	/* not sectored: the line is the unit, merging too */
	CHECK(start(&u, "sectored=false") == 0);
	CHECK(load(&u, 0x20, 1) == M && load(&u, 0x60, 2) == M);
	CHECK(u.f->outgoing(u.f->self)->size == 128);
	(void)sent(&u, 0x0);
	CHECK(u.f->outgoing(u.f->self) == NULL);
	fill(&u, 0x0);
	CHECK(u.f->ready(u.f->self)->addr == 0x20 && u.f->ready(u.f->self)->size == 32);
	CHECK(answers(&u) == 2 && load(&u, 0x40, 0) == H);
	stop(&u);
}

static void test_invalidate_and_ways(void)
{
	struct unit u;

	CHECK(start(&u, "sets=2 ways=2 max_ways=4") == 0 && u.f->max_ways == 4);
	bring(&u, 0x0);   /* line 1 */
	bring(&u, 0x100); /* line 0 */
	CHECK(load(&u, 0x80, 0) == M && line_sent(&u, 0x80) == 3);
	u.f->invalidate(u.f->self);
	fill(&u, 0x80); /* still comes in */
	CHECK(answers(&u) == 1 && load(&u, 0x80, 0) == H);
	CHECK(load(&u, 0x0, 0) == M && line_sent(&u, 0x0) == 1);
	fill(&u, 0x0);
	answers(&u);
	/* set 0 is lines 0-3 now, set 1 lines 4-7: 0x0 stays where it is, 0x80 is out of reach */
	u.f->set_ways(u.f->self, 4);
	CHECK(load(&u, 0x0, 0) == H && load(&u, 0x80, 0) == M && line_sent(&u, 0x80) == 7);
	fill(&u, 0x80);
	answers(&u);
	/* only present lines are invalidated: line 7 is not, and comes back */
	u.f->set_ways(u.f->self, 2);
	CHECK(load(&u, 0x0, 0) == H && load(&u, 0x80, 0) == H);
	u.f->invalidate(u.f->self);
	CHECK(load(&u, 0x0, 0) == M);
	u.f->set_ways(u.f->self, 4);
	CHECK(load(&u, 0x80, 0) == H);
	failures = 0;
	u.f->set_ways(u.f->self, 5);
	CHECK(failures == 1 && strcmp(said, "5 ways asked for; expected 1 to 4") == 0);
	stop(&u);
}

static void refused(const char *params, const char *message)
{
	struct unit u;

	said[0] = '\0';
	CHECK(start(&u, params) == -1);
	if (strcmp(said, message) != 0) {
		fprintf(stderr, "said: %s\nexpected: %s\n", said, message);
		exit(1);
	}
	stop(&u);
}

static void test_refusals(void)
{
	refused("sets=3", "'sets' is 3; expected a power of two");
	refused("line=96", "'line' is 96; expected a power of two");
	refused("sets=8 set_index=ipoly",
	        "'sets' is 8; 'set_index' \"ipoly\" expects 16, 32 or 64");
	refused("ways=8 max_ways=4", "'max_ways' is 4; expected at least 'ways', which is 8");
	refused("sets=65536 ways=64",
	        "'sets' times 'max_ways' is 4194304; expected at most 1048576");
	refused("mshr_entries=1048576 mshr_merge=64",
	        "'mshr_entries' times 'mshr_merge' is 67108864; expected at most 16777216");
	refused("miss_queue=1",
	        "'miss_queue' is 1; expected at least 2, as no miss would ever be taken");
	refused("miss_queue=2 write_allocate=write_allocate",
	        "'miss_queue' is 2; expected at least 3, as no miss would ever be taken");
	refused("write_policy=write_back write_allocate=none allocate=on_fill",
	        "'write_policy' \"write_back\" expects 'allocate' \"on_miss\"");
	refused("allocate=on_fill", "'write_allocate' \"fetch_on_write\" and "
	        "\"lazy_fetch_on_read\" expect 'allocate' \"on_miss\"");
}

/* ---- the plain model ------------------------------------------------------------------------ */

#define MAXL 256
#define MAXE 64
#define MAXM 16
#define MAXQ 64

enum st { I, R, V, D };
enum oc { HIT, RESERVED, SECTOR, MISS, FAIL };

struct mline {
	uint64_t tag;
	enum st st[4];
	bool readable[4], mod_on_fill[4], read_on_fill[4], bytes_on_fill;
	bool dirty[128];
	uint32_t last, born;
};

struct mentry {
	uint64_t key;
	struct hd_mem_req req[MAXM];
	unsigned n;
	uint32_t line; /* of the first */
	bool atomic;
};

struct model {
	/* as configured; policies by letter, as in MEM */
	bool sectored, fifo, on_fill;
	unsigned sets, linesize, ways, merge, entries, qsize, ratio, nsec;
	char wp, wa, si;
	struct mline line[MAXL];
	struct mentry e[MAXE];
	unsigned ne, nready, nq;
	uint64_t readykey[MAXE];
	struct hd_mem_req q[MAXQ];
	uint32_t dirty;
	bool used;
	uint32_t now;
	uint64_t outcomes[2][5];
};

static unsigned m_set(const struct model *m, uint64_t addr)
{
	static const int taps[3][6][11] = {
		{ { 11, 10, 9, 8, 6, 4, 3, 0, -1 }, { 12, 8, 7, 6, 5, 3, 1, 0, -1 },
		  { 9, 8, 7, 6, 4, 2, 1, -1 }, { 10, 9, 8, 7, 5, 3, 2, -1 } },
		{ { 13, 12, 11, 10, 9, 6, 5, 3, 0, -1 }, { 14, 13, 12, 11, 10, 7, 6, 4, 1, -1 },
		  { 14, 10, 9, 8, 7, 6, 3, 2, 0, -1 }, { 11, 10, 9, 8, 7, 4, 3, 1, -1 },
		  { 12, 11, 10, 9, 8, 5, 4, 2, -1 } },
		{ { 18, 17, 16, 15, 12, 10, 6, 5, 0, -1 }, { 15, 13, 12, 11, 10, 7, 5, 1, 0, -1 },
		  { 16, 14, 13, 12, 11, 8, 6, 2, 1, -1 }, { 17, 15, 14, 13, 12, 9, 7, 3, 2, -1 },
		  { 18, 16, 15, 14, 13, 10, 8, 4, 3, -1 }, { 17, 16, 15, 14, 11, 9, 5, 4, -1 } },
	};
	uint64_t block = addr / m->linesize, h = block / m->sets;
	unsigned ix = (unsigned)(block % m->sets), i, k, which;

	if (m->si == 'L')
		return ix;
	if (m->si == 'X')
		return ix ^ (unsigned)(h % m->sets);
	which = m->sets == 16 ? 0 : m->sets == 32 ? 1 : 2;
	for (i = 0; i < which + 4; i++)
		for (k = 0; taps[which][i][k] >= 0; k++)
			ix ^= (unsigned)(h >> taps[which][i][k] & 1) << i;
	return ix;
}

static bool m_any(const struct model *m, const struct mline *l, enum st s)
{
	for (unsigned i = 0; i < m->nsec; i++)
		if (l->st[i] == s)
			return true;
	return false;
}

static bool m_invalid(const struct model *m, const struct mline *l)
{
	return !m_any(m, l, R) && !m_any(m, l, V) && !m_any(m, l, D);
}

static enum oc m_probe(const struct model *m, uint64_t addr, unsigned sec, bool write, int *idx)
{
	uint64_t tag = addr - addr % m->linesize;
	unsigned first = m_set(m, addr) * m->ways;
	int inv = -1, old = -1;
	uint32_t best = UINT32_MAX;

	for (unsigned i = first; i < first + m->ways; i++) {
		const struct mline *l = &m->line[i];

		*idx = (int)i;
		if (l->tag == tag) {
			if (l->st[sec] == R)
				return RESERVED;
			if (l->st[sec] == V)
				return HIT;
			if (l->st[sec] == D)
				return write || l->readable[sec] ? HIT : SECTOR;
			if (!m_invalid(m, l))
				return SECTOR;
		}
		if (m_any(m, l, R))
			continue;
		if (m_any(m, l, D) &&
		    !((float)m->dirty / (m->sets * m->ways) * 100 >= m->ratio))
			continue;
		if (m_invalid(m, l)) {
			inv = (int)i;
		} else if ((m->fifo ? l->born : l->last) < best) {
			best = m->fifo ? l->born : l->last;
			old = (int)i;
		}
	}
	*idx = inv >= 0 ? inv : old;
	return *idx < 0 ? FAIL : MISS;
}

static void m_init_line(struct model *m, struct mline *l, uint64_t addr, unsigned sec)
{
	memset(l, 0, sizeof *l);
	l->tag = addr - addr % m->linesize;
	for (unsigned i = 0; i < 4; i++)
		l->readable[i] = true;
	l->st[sec] = R;
	l->last = l->born = m->now;
}

static void m_init_sector(struct model *m, struct mline *l, unsigned sec)
{
	l->mod_on_fill[sec] = l->st[sec] == D;
	l->read_on_fill[sec] = false;
	l->st[sec] = R;
	l->readable[sec] = true;
	l->last = m->now;
}

struct mgone {
	bool any;
	uint64_t addr;
	uint32_t size, sectors;
};

static enum oc m_tag(struct model *m, uint64_t addr, unsigned sec, bool write, int *idx,
                     struct mgone *gone)
{
	enum oc o = m_probe(m, addr, sec, write, idx);
	struct mline *l = &m->line[*idx];

	gone->any = false;
	m->used = true;
	if (o == HIT || o == RESERVED) {
		l->last = m->now;
	} else if (!m->on_fill && o == MISS) {
		if (m_any(m, l, D)) {
			*gone = (struct mgone){ .any = true, .addr = l->tag };
			for (unsigned i = 0; i < m->nsec; i++)
				if (l->st[i] == D) {
					gone->sectors |= 1u << i;
					gone->size += m->sectored ? 32 : m->linesize;
				}
			m->dirty--;
		}
		m_init_line(m, l, addr, sec);
	} else if (!m->on_fill && o == SECTOR) {
		bool was = m_any(m, l, D);

		m_init_sector(m, l, sec);
		if (was && !m_any(m, l, D))
			m->dirty--;
	}
	return o;
}

static void m_modify(struct model *m, struct mline *l, unsigned sec)
{
	if (!m_any(m, l, D))
		m->dirty++;
	l->st[sec] = D;
}

static void m_bytes(struct mline *l, uint64_t addr, uint32_t bytes, unsigned linesize)
{
	for (unsigned i = 0; i < 32; i++)
		if (bytes >> i & 1)
			l->dirty[addr % linesize / 32 * 32 + i] = true;
}

static void m_readable(struct model *m, struct mline *l, uint64_t addr, unsigned sec)
{
	for (unsigned i = 0; i < 32; i++)
		if (!l->dirty[addr % m->linesize / 32 * 32 + i])
			return;
	l->readable[sec] = true;
}

static struct mentry *m_entry(struct model *m, uint64_t key)
{
	for (unsigned i = 0; i < m->ne; i++)
		if (m->e[i].key == key)
			return &m->e[i];
	return NULL;
}

static bool m_mshr_ok(struct model *m, uint64_t key)
{
	struct mentry *e = m_entry(m, key);

	return e ? e->n < m->merge : m->ne < m->entries;
}

static bool m_full(const struct model *m, unsigned n)
{
	return m->nq + n >= m->qsize;
}

static void m_write_back(struct model *m, const struct mgone *gone)
{
	if (gone->any && m->wp != 'T')
		m->q[m->nq++] = (struct hd_mem_req){ .addr = gone->addr, .size = gone->size,
			.bytes = gone->sectors, .flags = HD_MEM_WRITE | HD_MEM_SILENT | HD_MEM_LINE };
}

/* A read that misses, or the read that a store makes; `waits` is what ready() gives later. */
static void m_read(struct model *m, const struct hd_mem_req *waits, unsigned sec, int *idx)
{
	uint64_t key = waits->addr - waits->addr % (m->sectored ? 32 : m->linesize);
	struct mentry *e = m_entry(m, key);
	struct mgone gone;

	m_tag(m, waits->addr, sec, false, idx, &gone);
	if (!e) {
		struct hd_mem_req packet = *waits;

		e = &m->e[m->ne++];
		memset(e, 0, sizeof *e);
		e->key = key;
		packet.addr = key;
		packet.size = m->sectored ? 32 : m->linesize;
		packet.flags &= (uint16_t)~HD_MEM_WRITE;
		m->q[m->nq++] = packet;
	}
	if (e->n == 0)
		e->line = (uint32_t)*idx;
	e->req[e->n++] = *waits;
	e->atomic |= (waits->flags & HD_MEM_ATOMIC) != 0;
	m_write_back(m, &gone);
}

static bool m_store_hit(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx,
                        unsigned *ev)
{
	struct mline *l = &m->line[idx];
	char how = m->wp;
	struct mgone gone;

	if (how == 'L')
		how = r->flags & HD_MEM_LOCAL ? 'B' : 'E';
	if (how != 'B') {
		if (m_full(m, 0))
			return false;
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
	}
	if (how == 'E') {
		l->st[sec] = I;
		return true;
	}
	m_tag(m, r->addr, sec, true, &idx, &gone);
	m_modify(m, l, sec);
	m_bytes(l, r->addr, r->bytes, m->linesize);
	m_readable(m, l, r->addr, sec);
	return true;
}

static bool m_store_miss(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx,
                         enum oc o, unsigned *ev)
{
	unsigned unit = m->sectored ? 32 : m->linesize;
	uint64_t key = r->addr - r->addr % unit;
	bool all = unit == 32 && r->bytes == UINT32_MAX;
	struct hd_mem_req waits = *r;
	struct mgone gone;
	struct mline *l;

	if (m->wa == 'N') {
		if (m_full(m, 0))
			return false;
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
		return true;
	}
	if (o == FAIL)
		return false;
	if (m->wa == 'L' || (m->wa == 'F' && all)) {
		if (m_full(m, 0))
			return false;
		if (m->wa == 'L' && m->wp == 'T') {
			m->q[m->nq++] = *r;
			*ev |= HD_CACHE_WRITE_SENT;
		}
		o = m_tag(m, r->addr, sec, true, &idx, &gone);
		l = &m->line[idx];
		m_modify(m, l, sec);
		m_bytes(l, r->addr, r->bytes, m->linesize);
		if (m->wa == 'L') {
			l->readable[sec] = all;
			if (o == RESERVED) {
				l->mod_on_fill[sec] = l->bytes_on_fill = true;
				if (!all)
					l->read_on_fill[sec] = true;
			}
			m_readable(m, l, r->addr, sec);
		}
		m_write_back(m, &gone);
		return true;
	}
	if (m_full(m, m->wa == 'F' ? 1 : 2) || !m_mshr_ok(m, key))
		return false;
	waits.flags |= HD_MEM_ALLOC;
	if (m->wa == 'W') {
		m->q[m->nq++] = *r;
		*ev |= HD_CACHE_WRITE_SENT;
		waits.flags &= (uint16_t)~HD_MEM_WRITE;
	}
	m_read(m, &waits, sec, &idx);
	if (m->wa == 'F')
		m->line[idx].mod_on_fill[sec] = m->line[idx].bytes_on_fill = true;
	*ev |= HD_CACHE_ALLOC_SENT;
	return true;
}

static bool m_load(struct model *m, const struct hd_mem_req *r, unsigned sec, int idx, enum oc o)
{
	uint64_t key = r->addr - r->addr % (m->sectored ? 32 : m->linesize);
	struct mgone gone;

	if (o == HIT) {
		m_tag(m, r->addr, sec, false, &idx, &gone);
		if (r->flags & HD_MEM_ATOMIC) {
			m_modify(m, &m->line[idx], sec);
			m_bytes(&m->line[idx], r->addr, r->bytes, m->linesize);
		}
		return true;
	}
	if (o == FAIL || m_full(m, m->wp == 'R' ? 0 : 1) || !m_mshr_ok(m, key))
		return false;
	m_read(m, r, sec, &idx);
	return true;
}

static unsigned m_sector(const struct model *m, uint64_t addr)
{
	return m->sectored ? (unsigned)(addr % m->linesize / 32) : 0;
}

static enum hd_cache_status m_access(struct model *m, const struct hd_mem_req *r, unsigned *ev)
{
	bool write = (r->flags & HD_MEM_WRITE) != 0, ok;
	unsigned sec = m_sector(m, r->addr);
	int idx;
	enum oc o = m_probe(m, r->addr, sec, write, &idx);

	*ev = 0;
	ok = !write ? m_load(m, r, sec, idx, o) :
	     o == HIT ? m_store_hit(m, r, sec, idx, ev) : m_store_miss(m, r, sec, idx, o, ev);
	if (ok && o == FAIL) /* a store without allocation */
		o = MISS;
	m->outcomes[write][ok ? o : FAIL]++;
	return !ok ? HD_CACHE_FAIL : o == HIT ? HD_CACHE_HIT : HD_CACHE_MISS;
}

static void m_fill(struct model *m, uint64_t key)
{
	struct mentry *e = m_entry(m, key);
	const struct hd_mem_req *r = &e->req[0];
	unsigned sec = m_sector(m, r->addr);
	int idx = (int)e->line;
	struct mline *l;
	bool was;

	if (m->on_fill) {
		enum oc o = m_probe(m, r->addr, sec, false, &idx);

		if (o != FAIL) {
			was = m_any(m, &m->line[idx], D);
			if (o == MISS)
				m_init_line(m, &m->line[idx], r->addr, sec);
			else if (o == SECTOR)
				m_init_sector(m, &m->line[idx], sec);
			if (was && !m_any(m, &m->line[idx], D))
				m->dirty--;
		}
	}
	if (idx >= 0) {
		l = &m->line[idx];
		was = m_any(m, l, D);
		l->st[sec] = l->mod_on_fill[sec] ? D : V;
		if (l->read_on_fill[sec]) {
			l->readable[sec] = true;
			l->read_on_fill[sec] = false;
		}
		if (l->bytes_on_fill)
			m_bytes(l, r->addr, r->bytes, m->linesize);
		if (!was && m_any(m, l, D))
			m->dirty++;
		if (e->atomic) {
			m_modify(m, l, sec);
			m_bytes(l, r->addr, r->bytes, m->linesize);
		}
	}
	m->readykey[m->nready++] = key;
}

static const struct hd_mem_req *m_ready(struct model *m)
{
	return m->nready ? &m_entry(m, m->readykey[0])->req[0] : NULL;
}

static void m_taken(struct model *m)
{
	struct mentry *e = m_entry(m, m->readykey[0]);

	e->n--;
	memmove(&e->req[0], &e->req[1], e->n * sizeof e->req[0]);
	if (e->n == 0) {
		*e = m->e[--m->ne];
		m->nready--;
		memmove(&m->readykey[0], &m->readykey[1], m->nready * sizeof m->readykey[0]);
	}
}

static void m_invalidate(struct model *m)
{
	if (!m->used)
		return;
	for (unsigned i = 0; i < m->sets * m->ways; i++)
		for (unsigned k = 0; k < 4; k++)
			m->line[i].st[k] = I;
	m->dirty = 0;
	m->used = false;
}

/* ---- both side by side ---------------------------------------------------------------------- */

static uint64_t seed;

static uint32_t rnd(uint32_t n) /* splitmix64 */
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

static bool same(const struct hd_mem_req *a, const struct hd_mem_req *b)
{
	if (!a || !b)
		return a == b;
	return a->addr == b->addr && a->bytes == b->bytes && a->size == b->size &&
	       a->flags == b->flags && a->warp == b->warp && a->inst_id == b->inst_id;
}

/* Draws a configuration that the module takes, for both. */
static void draw(struct model *m, char *text, size_t size, unsigned *max_ways)
{
	static const char *const wps[] = { "write_through", "write_back", "write_evict",
		"local_write_back_global_write_evict", "read_only" };
	static const char *const was[] = { "none", "write_allocate", "fetch_on_write",
		"lazy_fetch_on_read" };
	static const char *const sis[] = { "linear", "xor", "ipoly" };
	static const unsigned ratios[] = { 0, 0, 1, 10, 25, 33, 50, 100 };
	unsigned wp = rnd(5), wa = rnd(4), si = rnd(3), lg = 5 + rnd(3);

	memset(m, 0, sizeof *m);
	m->sectored = rnd(4) != 0;
	m->on_fill = (wp != 1 && wa < 2) && rnd(2);
	m->fifo = rnd(3) == 0;
	m->linesize = rnd(2) ? 128 : 1u << lg;
	m->nsec = m->sectored ? m->linesize / 32 : 1;
	m->sets = si == 2 ? 16u << rnd(3) : 1u << rnd(5);
	*max_ways = 1 + rnd(MAXL / m->sets < 24 ? MAXL / m->sets : 24);
	m->ways = 1 + rnd(*max_ways);
	m->entries = 1 + rnd(rnd(2) ? 4 : MAXE);
	m->merge = 1 + rnd(rnd(2) ? 3 : MAXM);
	m->qsize = 3 + rnd(rnd(2) ? 4 : 40);
	m->ratio = ratios[rnd(8)];
	m->wp = "TBELR"[wp];
	m->wa = "NWFL"[wa];
	m->si = "LXP"[si];
	for (unsigned i = 0; i < MAXL; i++)
		for (unsigned k = 0; k < 4; k++)
			m->line[i].readable[k] = true;
	snprintf(text, size, "sectored=%s sets=%u line=%u ways=%u max_ways=%u replacement=%s "
	         "write_policy=%s allocate=%s write_allocate=%s set_index=%s mshr_entries=%u "
	         "mshr_merge=%u miss_queue=%u write_ratio=%u", m->sectored ? "true" : "false",
	         m->sets, m->linesize, m->ways, *max_ways, m->fifo ? "fifo" : "lru", wps[wp],
	         m->on_fill ? "on_fill" : "on_miss", was[wa], sis[si], m->entries, m->merge,
	         m->qsize, m->ratio);
}

static struct hd_mem_req draw_request(const struct model *m, unsigned spread)
{
	uint64_t block = rnd(spread);
	struct hd_mem_req r = request(0, 0, 0, rnd(64));

	if (rnd(8) == 0)
		block += (uint64_t)rnd(4) << 20;
	r.addr = (block * m->linesize + rnd(m->linesize / 32) * 32) + 0x80000;
	r.inst_id = rnd(1u << 30);
	r.bytes = rnd(2) ? UINT32_MAX : rnd(2) ? 0xffffu << 16 * rnd(2) : 1u << rnd(32);
	if (m->wp != 'R' && rnd(5) < 2)
		r.flags = HD_MEM_WRITE | (rnd(2) ? HD_MEM_LOCAL : 0);
	else
		r.flags = rnd(10) ? HD_MEM_LOAD : HD_MEM_LOAD | HD_MEM_ATOMIC;
	return r;
}

struct flight {
	struct hd_mem_req v[MAXE];
	unsigned n;
};

/* One thing happens to both: an access, a packet leaves, a reply, an answer is taken; now and then
 * (one in 100 * rare each) an invalidation or another number of ways. */
static bool step(struct unit *u, struct model *m, struct flight *out, unsigned spread,
                 unsigned max_ways, unsigned rare)
{
	const struct hd_cache_if *f = u->f;
	uint32_t what = rnd(100);
	unsigned ev = 0, mev = 0, i;

	if (what < 62) {
		struct hd_mem_req r = draw_request(m, spread);
		enum hd_cache_status got = f->access(f->self, &r, &ev);

		return got == m_access(m, &r, &mev) &&
		       ev % HD_CACHE_PUSHED_OUT == mev;
	}
	if (what < 78 && m->nq) {
		struct hd_mem_req *r = &m->q[0];

		if (!(r->flags & HD_MEM_WRITE))
			out->v[out->n++] = *f->outgoing(f->self);
		f->sent(f->self);
		memmove(&m->q[0], &m->q[1], --m->nq * sizeof m->q[0]);
	} else if (what < 88 && out->n) {
		i = rnd(2) ? 0 : rnd(out->n);
		f->fill(f->self, &out->v[i]);
		m_fill(m, out->v[i].addr);
		memmove(&out->v[i], &out->v[i + 1], (--out->n - i) * sizeof out->v[0]);
	} else if (what < 98 && m->nready) {
		f->taken(f->self);
		m_taken(m);
	} else if (what == 98 && rnd(rare) == 0) {
		f->invalidate(f->self);
		m_invalidate(m);
	} else if (what == 99 && rnd(rare) == 0) {
		m->ways = 1 + rnd(max_ways);
		f->set_ways(f->self, m->ways);
	}
	return true;
}

static void compare(unsigned configurations, unsigned steps)
{
	static const char *const names[] = { "hits", "reserved_hits", "sector_misses", "misses",
		"reservation_fails" };
	static const unsigned rare[] = { 1, 5, 20, 100 };
	static struct model m;
	struct flight out;
	struct unit u;
	char text[1024], name[64];

	for (unsigned k = 0; k < configurations; k++) {
		unsigned max_ways, spread, pending;

		seed = k + 1;
		draw(&m, text, sizeof text, &max_ways);
		CHECK(start(&u, text) == 0);
		spread = 1 + m.sets * m.ways * (1 + rnd(3));
		u.cycle = k % 5 == 0 ? UINT32_MAX - steps / 2 : rnd(2);
		out.n = 0;
		for (unsigned i = 0; i < steps; i++) {
			bool good;

			u.cycle += rnd(3) == 0 ? rnd(4) : 0;
			m.now = (uint32_t)u.cycle;
			good = step(&u, &m, &out, spread, max_ways, rare[k % 4]) &&
			       same(u.f->outgoing(u.f->self), m.nq ? &m.q[0] : NULL) &&
			       same(u.f->ready(u.f->self), m_ready(&m));
			for (unsigned e = pending = 0; e < m.ne; e++)
				pending += m.e[e].n;
			if (!good || u.f->pending(u.f->self) != pending + m.nq) {
				fprintf(stderr, "seed %u, step %u differs: %s\n", k + 1, i, text);
				exit(1);
			}
		}
		for (unsigned i = 0; i < 5; i++) {
			snprintf(name, sizeof name, "write_%s", names[i]);
			CHECK(stat_of(&u, names[i]) == m.outcomes[0][i] + m.outcomes[1][i]);
			CHECK(stat_of(&u, name) == m.outcomes[1][i]);
		}
		stop(&u);
	}
}

int main(void)
{
	test_loads();
	test_queue_and_ways();
	test_order();
	test_write_through();
	test_write_back();
	test_other_stores();
	test_on_fill();
	test_invalidate_and_ways();
	test_refusals();
	compare(1000, 2000);
	compare(12, 50000);
	return 0;
}

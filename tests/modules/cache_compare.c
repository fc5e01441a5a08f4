/* cache_compare.c - the cache module and a plain model of it, side by side
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Random accesses, replies and invalidations of random configurations: both must do the same.
 * Links with modules/cache.c and modules/cache/ only.
 */
#include "cache_model.h"
#include "tests/no_checkpoint.h"

#include <heddle/ahead.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct hd_module hd_module_cache;

/* ---- the kernel, as far as the module uses it ------------------------------------------- */

static int failed(const char *fmt, va_list ap)
{
	fputs("the module reports: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	exit(1);
}

const uint64_t *hd_passed_of(const struct hd_ctx *c, unsigned port)
{
	(void)port;
	return c->passed;
}

int hd_error(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	return failed(fmt, ap);
}

int hd_wrong(const struct hd_ctx *c, const void *interface, const char *fmt, ...)
{
	(void)c, (void)interface, (void)fmt;
	return -1;
}

int hd_fail(const struct hd_ctx *c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	return failed(fmt, ap);
}

void hd_report_pending(struct hd_pending *h, const char *fmt, ...)
{
	(void)h;
	(void)fmt;
}

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	(void)c;
	(void)event;
	(void)v;
}

/* Memory of the one cache that there is at a time. */
static void *owned[16];
static unsigned nowned;

void *hd_memory(const struct hd_ctx *c, size_t n, size_t size)
{
	(void)c;
	if (nowned == sizeof owned / sizeof *owned)
		return NULL;
	return owned[nowned++] = calloc(n, size);
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
	struct hd_cache_if face; /* of its one user */
	struct hd_waker waker;
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
	*(struct hd_users *)(u->state + hd_module_cache.ports[0].offset) =
		(struct hd_users){ .n = 1, .v = &u->face, .waker = &u->waker };
	if (hd_module_cache.init(u->state, &u->ctx) != 0)
		return -1;
	u->f = &u->face;
	CHECK(hd_module_cache.start(u->state) == 0);
	return 0;
}

static void stop(struct unit *u)
{
	while (nowned > 0)
		free(owned[--nowned]);
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

/* Draws a configuration that the module accepts, for both. */
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

/* One step of both: an access, a packet leaves, a reply, an answer is taken; rarely (one in 100
 * * rare each) an invalidation or another number of ways. */
static bool step(struct unit *u, struct model *m, struct flight *out, unsigned spread,
                 unsigned max_ways, unsigned rare)
{
	const struct hd_cache_if *f = u->f;
	uint32_t what = rnd(100);
	unsigned ev = 0, mev = 0, i;

	if (what < 62) {
		struct hd_mem_req r = draw_request(m, spread);
		enum hd_cache_status got = f->access(f->self, &r, &ev);

		return got == model_access(m, &r, &mev) && ev % HD_CACHE_PUSHED_OUT == mev;
	}
	if (what < 78 && m->nq) {
		struct hd_mem_req *r = &m->q[0];

		if (!(r->flags & HD_MEM_WRITE))
			out->v[out->n++] = *f->outgoing(f->self);
		if (!same(f->sent(f->self), r))
			return false;
		memmove(&m->q[0], &m->q[1], --m->nq * sizeof m->q[0]);
	} else if (what < 88 && out->n) {
		i = rnd(2) ? 0 : rnd(out->n);
		f->fill(f->self, &out->v[i]);
		model_fill(m, out->v[i].addr);
		memmove(&out->v[i], &out->v[i + 1], (--out->n - i) * sizeof out->v[0]);
	} else if (what < 98 && m->nready) {
		if (!same(f->taken(f->self), model_ready(m)))
			return false;
		model_taken(m);
	} else if (what == 98 && rnd(rare) == 0) {
		f->invalidate(f->self);
		model_invalidate(m);
	} else if (what == 99 && rnd(rare) == 0) {
		m->ways = 1 + rnd(max_ways);
		f->set_ways(f->self, m->ways, true);
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
			       same(u.f->ready(u.f->self), model_ready(&m));
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
	compare(1000, 2000);
	compare(12, 50000);
	return 0;
}

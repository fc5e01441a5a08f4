/* front_icache.c - instruction cache of a sub-core, with a stream buffer that reads lines ahead
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Front end.  A line that is not here is requested at port `request`; lines that follow
 * it are requested one per cycle and wait in the stream buffer, of which only the head is looked at.
 */
#include "front/lines.h"

#include <heddle/gpu/icache.h>
#include <heddle/gpu/warps.h>
#include <heddle/gpu/mem.h>

#define MAX_STREAM 64u
#define MAX_PENDING 16u /* lines that were missed and have not come */

/* A line that was missed. */
struct pending {
	uint64_t line;
	bool sent;
	hd_warp_set warps; /* that wait for it */
};

struct ahead {
	uint64_t line;
	bool here;
};

struct state {
	struct hd_icache_if icache;
	struct hd_ctx *ctx;
	struct hd_end request, response;
	struct hd_warps *warps;
	struct hd_pool *pool;
	uint32_t stream, base;
	struct front_lines lines;
	struct pending pending[MAX_PENDING];
	uint32_t npending;
	struct ahead ahead[MAX_STREAM]; /* the stream buffer, in order */
	uint32_t nahead;
	uint64_t next;                 /* line that is read ahead next; */
	bool streaming;
	uint64_t latest;               /* 1 + the line of the last hit; 0: another came since */
	hd_warp_set arrived;           /* warps whose line has come */
	uint32_t pc[HD_MAX_WARPS];
	struct hd_waker fetch;
	uint64_t hits, stream_hits, misses, refusals, requests, read_ahead;
};

static uint64_t line_of(const struct state *st, uint32_t pc)
{
	return ((uint64_t)pc + st->base) / st->lines.line;
}

/* The stream goes on behind the line. */
static void start_stream(struct state *st, uint64_t line)
{
	st->nahead = 0;
	st->next = line + 1;
	st->streaming = st->stream > 0;
	hd_wake(st->ctx->self);
}

static bool take_head(struct state *st, uint64_t line)
{
	if (!st->nahead || st->ahead[0].line != line || !st->ahead[0].here)
		return false;
	st->nahead--;
	memmove(st->ahead, st->ahead + 1, st->nahead * sizeof *st->ahead);
	front_lines_put(&st->lines, line);
	st->stream_hits++;
	hd_wake(st->ctx->self);
	return true;
}

static enum hd_icache_status wait_for(struct state *st, uint32_t warp, uint32_t pc, uint64_t line)
{
	bool coming = st->nahead && st->ahead[0].line == line;
	uint32_t i = 0;

	while (i < st->npending && st->pending[i].line != line)
		i++;
	if (i == MAX_PENDING) {
		st->refusals++;
		return HD_ICACHE_FAIL;
	}
	if (i == st->npending) {
		st->pending[st->npending++] = (struct pending){ .line = line, .sent = coming };
		if (!coming)
			start_stream(st, line);
		hd_wake(st->ctx->self);
	}
	st->pending[i].warps |= hd_warp_bit(warp);
	st->pc[warp] = pc;
	st->misses++;
	return HD_ICACHE_MISS;
}

/* A line that is not the one that was used last. */
static __attribute__((noinline)) enum hd_icache_status look_further(struct state *st, uint32_t warp, uint32_t pc,
                                                                   uint64_t line)
{
	if (front_lines_find(&st->lines, line) || front_lines_first(&st->lines, line)
	    || take_head(st, line)) {
		st->hits++;
		st->latest = line + 1;
		return HD_ICACHE_HIT;
	}
	return wait_for(st, warp, pc, line);
}

static enum hd_icache_status look_up(void *self, uint32_t warp, uint32_t pc)
{
	struct state *st = self;
	uint64_t line = line_of(st, pc);

	if (HD_LIKELY(line + 1 == st->latest)) {
		st->hits++;
		return HD_ICACHE_HIT;
	}
	return look_further(st, warp, pc, line);
}

static int ready(void *self, uint32_t *pc)
{
	struct state *st = self;
	uint32_t warp;

	if (!st->arrived)
		return -1;
	warp = hd_warp_pop(&st->arrived);
	*pc = st->pc[warp];
	return (int)warp;
}

static uint32_t rest(void *self, uint32_t pc)
{
	const struct state *st = self;

	return st->lines.line - (uint32_t)(((uint64_t)pc + st->base) % st->lines.line);
}

static void watch(void *self, struct hd_waker fetch)
{
	((struct state *)self)->fetch = fetch;
}

static void come(struct state *st, uint64_t line)
{
	uint32_t i = 0;

	st->latest = 0;
	for (uint32_t k = 0; k < st->nahead; k++)
		st->ahead[k].here |= st->ahead[k].line == line;
	while (i < st->npending && st->pending[i].line != line)
		i++;
	if (i == st->npending)
		return; /* read ahead; or for nothing */
	if (!take_head(st, line))
		front_lines_put(&st->lines, line);
	st->arrived |= st->pending[i].warps;
	hd_wake(st->fetch);
	st->npending--;
	memmove(st->pending + i, st->pending + i + 1, (st->npending - i) * sizeof *st->pending);
}

static void send(struct state *st, uint64_t line)
{
	struct hd_mem_req r = { .addr = line * st->lines.line, .flags = HD_MEM_INST, .size = (uint16_t)st->lines.line,
		                .core = (uint16_t)st->warps->sm, .port = (uint8_t)st->ctx->index };

	hd_mem_send(st->ctx, st->pool, &st->request, &r);
	st->requests++;
}

/* One request per cycle: what was missed, else the next line of the stream. */
static void request_next(struct state *st)
{
	if (!hd_room(&st->request))
		return;
	for (uint32_t i = 0; i < st->npending; i++) {
		if (!st->pending[i].sent) {
			st->pending[i].sent = true;
			send(st, st->pending[i].line);
			return;
		}
	}
	if (!st->streaming || st->nahead == st->stream)
		return;
	for (uint32_t i = 0; i < st->npending; i++)
		st->streaming &= st->pending[i].line != st->next;
	st->streaming &= !front_lines_has(&st->lines, st->next);
	if (!st->streaming)
		return;
	st->ahead[st->nahead++] = (struct ahead){ .line = st->next };
	st->read_ahead++;
	send(st, st->next++);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref r;
	bool more;

	while ((r = hd_mem_front(&st->response)) != 0) {
		uint64_t line = hd_mem(st->pool, r)->line.req.addr / st->lines.line;

		hd_take(&st->response);
		hd_release(st->pool, r);
		come(st, line);
	}
	request_next(st);
	more = st->streaming && st->nahead < st->stream;
	for (uint32_t i = 0; i < st->npending; i++)
		more |= !st->pending[i].sent;
	return more && hd_room(&st->request) ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->fetch = ctx->self; /* until fetch sets its waker */
	st->icache = (struct hd_icache_if){ .self = st, .access = look_up, .ready = ready, .watch = watch,
		                            .rest = rest };
	return front_lines_init(&st->lines, ctx);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->npending)
		hd_report_pending(h, "%u lines that fetches wait for have not come", st->npending);
}

static void fini(void *state)
{
	struct state *st = state;

	front_lines_free(&st->lines);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	front_lines_saved(k, &st->lines);
	HD_SAVED_FROM(k, st, pending, pc);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	FRONT_LINES_PARAMS(struct state, "8", "32", "128"),
	{ .name = "stream", .unit = "lines", .doc = "entries of the stream buffer; 0: nothing is read ahead",
	  .type = HD_U32, .offset = P(stream), .def = "8", .min = 0, .max = MAX_STREAM },
	FRONT_WARM_PARAM(struct state),
	{ .name = "base", .unit = "bytes", .doc = "address of code: added to every pc",
	  .type = HD_U32, .offset = P(base), .def = "4026531840", .min = 0, .max = UINT32_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "icache", .doc = "for fetch", .kind = HD_PROVIDES, .flags = HD_PROVIDER_FIRST,
	  .type = &hd_type_icache_if, .offset = P(icache), .users = 1 },
	{ .name = "request", .doc = "reads of lines", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = P(request) },
	{ .name = "response", .doc = "lines that were read", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = P(response) },
	{ .name = "warps", .doc = "number of the SM, which requests carry", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hits", .unit = "fetches", .doc = "fetches whose line was there", .offset = P(hits) },
	{ .name = "stream_hits", .unit = "lines", .doc = "lines taken from the stream buffer",
	  .offset = P(stream_hits) },
	{ .name = "misses", .unit = "fetches", .doc = "fetches that waited for their line",
	  .offset = P(misses) },
	{ .name = "refusals", .unit = "fetches", .doc = "fetches that found too many lines missing",
	  .offset = P(refusals) },
	{ .name = "requests", .unit = "requests", .doc = "lines requested", .offset = P(requests) },
	{ .name = "read_ahead", .unit = "requests", .doc = "of these, for the stream buffer",
	  .offset = P(read_ahead) },
	{ .name = NULL },
};

const struct hd_module hd_module_front_icache = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "front_icache",
	.doc = "instruction cache of a sub-core, with a stream buffer that reads lines ahead",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.fini = fini,
	.checkpoint = checkpoint,
};

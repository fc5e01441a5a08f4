/* front_cache.c - cache of instructions and constants that the sub-cores of an SM share, or the SMs of a GPC
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Front end.  One request per cycle is taken from all requesters, in turn, and one
 * answered.  Behind it are reads of lines; without a memory every line is here.
 */
#include "front/lines.h"

#include <heddle/gpu/mem.h>

#define MAX_PENDING 64u
#define MAX_ANSWERS 256u

struct pending {
	uint64_t line;
	uint32_t bytes; /* of it that have come */
	bool sent;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out, response;
	struct hd_end request;
	struct hd_pool *pool;
	struct front_lines lines;
	struct pending pending[MAX_PENDING];
	uint32_t npending;
	hd_mem_ref waiting, waiting_last; /* requests for pending lines, linked by .next, in order */
	struct { hd_mem_ref ref; uint32_t to; } answer[MAX_ANSWERS]; /* ring */
	uint32_t head, nanswers;
	uint32_t turn;
	uint64_t hits, misses, reads;
};

static uint64_t line_of(const struct state *st, hd_mem_ref r)
{
	return hd_mem(st->pool, r)->line.req.addr / st->lines.line;
}

static void push_answer(struct state *st, hd_mem_ref ref, uint32_t to)
{
	uint32_t at = (st->head + st->nanswers++) % MAX_ANSWERS;

	st->answer[at].ref = ref;
	st->answer[at].to = to;
}

/* The line has come: its requests are answered. */
static void wake_line(struct state *st, uint64_t line)
{
	hd_mem_ref ref = st->waiting;

	st->waiting = st->waiting_last = 0;
	while (ref) {
		hd_mem_ref next = hd_mem(st->pool, ref)->next;

		if (line_of(st, ref) == line) {
			push_answer(st, ref, hd_mem(st->pool, ref)->row);
		} else {
			hd_mem(st->pool, ref)->next = 0;
			if (st->waiting_last)
				hd_mem(st->pool, st->waiting_last)->next = ref;
			else
				st->waiting = ref;
			st->waiting_last = ref;
		}
		ref = next;
	}
}

static void take_responses(struct state *st, const struct hd_end *from)
{
	hd_mem_ref r;

	while ((r = hd_mem_front(from)) != 0) {
		const struct hd_mem_req *q = &hd_mem(st->pool, r)->line.req;
		uint64_t line = q->addr / st->lines.line;
		uint32_t i = 0;

		while (i < st->npending && st->pending[i].line != line)
			i++;
		if (i < st->npending) {
			st->pending[i].bytes += q->size;
			if (st->pending[i].bytes >= st->lines.line) {
				front_lines_put(&st->lines, line);
				st->npending--;
				memmove(st->pending + i, st->pending + i + 1,
				        (st->npending - i) * sizeof *st->pending);
				wake_line(st, line);
			}
		}
		hd_take(from);
		hd_release(st->pool, r);
	}
}

/* A request for a line that is not here.  Returns false if there are too many. */
static bool miss(struct state *st, hd_mem_ref ref, uint32_t from)
{
	uint64_t line = line_of(st, ref);
	struct hd_mem *m = hd_mem(st->pool, ref);
	uint32_t i = 0;

	while (i < st->npending && st->pending[i].line != line)
		i++;
	if (i == MAX_PENDING)
		return false;
	if (i == st->npending)
		st->pending[st->npending++] = (struct pending){ .line = line };
	m->next = 0;
	m->row = from;
	if (st->waiting_last)
		hd_mem(st->pool, st->waiting_last)->next = ref;
	else
		st->waiting = ref;
	st->waiting_last = ref;
	st->misses++;
	return true;
}

static void take_request(struct state *st)
{
	uint32_t first = st->in.n ? st->turn % st->in.n : 0;

	for (uint32_t k = 0; k < st->in.n && st->nanswers < MAX_ANSWERS / 2; k++) {
		uint32_t i = first + k < st->in.n ? first + k : first + k - st->in.n;
		hd_mem_ref ref = hd_mem_front(&st->in.v[i]);

		if (!ref)
			continue;
		if (!hd_connected(&st->request) || front_lines_find(&st->lines, line_of(st, ref))
		    || front_lines_first(&st->lines, line_of(st, ref))) {
			st->hits++;
			push_answer(st, ref, i);
		} else if (!miss(st, ref, i)) {
			return;
		}
		hd_take(&st->in.v[i]);
		st->turn = (i + 1) % st->in.n;
		return;
	}
}

static void answer(struct state *st)
{
	hd_mem_ref ref = st->answer[st->head].ref;
	const struct hd_end *to;

	if (!st->nanswers)
		return;
	to = &st->out.v[st->answer[st->head].to];
	if (!hd_room(to))
		return;
	hd_mem(st->pool, ref)->line.req.flags |= HD_MEM_REPLY;
	hd_put(to, &ref, sizeof ref);
	st->head = (st->head + 1) % MAX_ANSWERS;
	st->nanswers--;
}

/* Reads the next pending line. */
static bool read_line(struct state *st)
{
	for (uint32_t i = 0; i < st->npending; i++) {
		struct pending *p = &st->pending[i];
		struct hd_mem_req r = { .addr = p->line * st->lines.line, .flags = HD_MEM_INST,
			                .size = (uint16_t)st->lines.line };

		if (p->sent)
			continue;
		if (!hd_room(&st->request))
			return true;
		for (hd_mem_ref w = st->waiting; w; w = hd_mem(st->pool, w)->next)
			if (line_of(st, w) == p->line)
				r.core = hd_mem(st->pool, w)->line.req.core;
		p->sent = true;
		hd_mem_send(st->ctx, st->pool, &st->request, &r);
		st->reads++;
		return true;
	}
	return false;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	bool more = false;

	for (uint32_t i = 0; i < st->response.n; i++)
		take_responses(st, &st->response.v[i]);
	answer(st);
	take_request(st);
	if (hd_connected(&st->request))
		more = read_line(st);
	more = more || st->nanswers;
	for (uint32_t i = 0; i < st->in.n && !more; i++)
		more = hd_front(&st->in.v[i]) != NULL;
	return more ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	if (st->in.n != st->out.n)
		return hd_error(ctx, "%u links at port 'in' and %u at 'out'; expected one of each for every "
		                "requester", st->in.n, st->out.n);
	if (hd_connected(&st->request) != (st->response.n > 0))
		return hd_error(ctx, "port '%s' is open; expected links at 'request' and 'response', or at "
		                "neither", hd_connected(&st->request) ? "response" : "request");
	return front_lines_init(&st->lines, ctx);
}

static void fini(void *state)
{
	struct state *st = state;

	front_lines_free(&st->lines);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->npending)
		hd_report_pending(h, "%u lines have not come from memory", st->npending);
	if (st->nanswers)
		hd_report_pending(h, "%u requests wait to be answered", st->nanswers);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	front_lines_saved(k, &st->lines);
	HD_SAVED_FROM(k, st, pending, turn);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	FRONT_LINES_PARAMS(struct state, "64", "16", "128"),
	FRONT_WARM_PARAM(struct state),
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "requests of the caches of sub-cores, or of SMs", .kind = HD_IN,
	  .flags = HD_ARRAY, .type = &hd_type_mem, .offset = P(in) },
	{ .name = "out", .doc = "answers, to the requester at the same place of 'in'",
	  .kind = HD_OUT, .flags = HD_ARRAY, .type = &hd_type_mem, .most = 1, .offset = P(out) },
	{ .name = "request", .doc = "reads of lines, to memory; open: every line is here",
	  .kind = HD_OUT, .flags = HD_OPTIONAL, .type = &hd_type_mem, .most = 1, .offset = P(request) },
	{ .name = "response", .doc = "lines, or parts of them, from memory", .kind = HD_IN,
	  .flags = HD_ARRAY | HD_OPTIONAL, .type = &hd_type_mem, .offset = P(response) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hits", .unit = "requests", .doc = "requests whose line was here", .offset = P(hits) },
	{ .name = "misses", .unit = "requests", .doc = "requests that waited for their line",
	  .offset = P(misses) },
	{ .name = "reads", .unit = "requests", .doc = "lines read from memory", .offset = P(reads) },
	{ .name = NULL },
};

const struct hd_module hd_module_front_cache = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "front_cache",
	.doc = "cache of instructions and constants that the sub-cores of an SM share, or the SMs of a GPC",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.fini = fini,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

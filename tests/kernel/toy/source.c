/* source.c - toy: puts numbered tokens
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

#include <heddle/ahead.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end out;
	uint32_t count, every, batch, id, most;
	uint64_t due;
	bool blind, waiting;
	uint64_t sent, waits;
};

enum { EVENT_PUT };

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	if (st->most)
		hd_puts_at_most(ctx, 0, st->most);
	return toy_init(state, ctx);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);

	st->waiting = false;
	if (st->sent == st->count)
		return HD_SLEEP;
	if (now < st->due)
		return st->due - now;
	for (uint32_t i = 0; i < st->batch && st->sent < st->count; i++) {
		struct token t = { (uint32_t)st->sent, st->id };

		if (!st->blind && hd_room(&st->out) == 0) {
			st->waiting = i == 0;
			st->waits += st->waiting;
			if (st->waiting)
				return HD_SLEEP;
			break;
		}
		hd_emit(st->ctx, EVENT_PUT, t.value);
		hd_put(&st->out, &t, sizeof t);
		st->sent++;
	}
	st->due = now + st->every;
	return st->sent < st->count ? st->every : HD_SLEEP;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (st->waiting)
		st->waits += n;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->sent < st->count)
		hd_report_pending(h, "%u tokens not put", st->count - (uint32_t)st->sent);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "count", .unit = "tokens", .doc = "tokens to put", .type = HD_U32, .def = "4",
	  .offset = P(count) },
	{ .name = "every", .unit = "edges", .doc = "edges from one batch to the next",
	  .type = HD_U32, .def = "1", .min = 1, .max = 1000, .offset = P(every) },
	{ .name = "batch", .unit = "tokens", .doc = "tokens per edge", .type = HD_U32, .def = "1",
	  .min = 1, .max = 64, .offset = P(batch) },
	{ .name = "blind", .unit = "", .doc = "puts without a look at the room", .type = HD_BOOL,
	  .def = "false", .offset = P(blind) },
	{ .name = "id", .unit = "", .doc = "written into each token", .type = HD_U32, .def = "0",
	  .offset = P(id) },
	{ .name = "most", .unit = "tokens", .doc = "that it says it puts in an edge; 0: 64", .type = HD_U32,
	  .def = "0", .offset = P(most) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "out", .doc = "tokens", .kind = HD_OUT, .type = &toy_token, .offset = P(out),
	  .most = 64 },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "sent", .unit = "tokens", .doc = "tokens put", .offset = P(sent), .total = "sent" },
	{ .name = "waits", .unit = "edges", .doc = "edges without room", .offset = P(waits) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_PUT] = { .name = "put", .doc = "a token was put", .fields = { { .name = "value" } } },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->due);
	st->waiting = hd_saved_number(k, st->waiting, 1);
	HD_SAVED_FROM(k, st, sent, waits);
}

const struct hd_module hd_module_source = {
	TOY_HEAD, .name = "source", .doc = "puts numbered tokens", .params = params, .ports = ports,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = init,
	.eval = eval, .skipped = skipped, .report_pending = report_pending,
	.checkpoint = checkpoint,
};

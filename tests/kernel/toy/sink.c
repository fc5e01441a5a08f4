/* sink.c - toy: takes tokens, at every edge or at some only
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	uint32_t every, batch, finish;
	uint64_t got, idle;
};

enum { EVENT_GOT };

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t off = hd_now(st->ctx) % st->every;
	const struct token *t;
	uint32_t n = 0;

	if (off != 0) {
		st->idle++;
		return hd_front(&st->in) ? st->every - off : HD_SLEEP;
	}
	for (; n < st->batch && (t = hd_front(&st->in)) != NULL; n++) {
		hd_emit(st->ctx, EVENT_GOT, t->value, t->from);
		hd_take(&st->in);
		st->got++;
	}
	st->idle += n == 0;
	if (st->finish && st->got >= st->finish)
		hd_finish(st->ctx);
	return hd_front(&st->in) ? st->every : HD_SLEEP;
}

static void skipped(void *state, uint64_t n)
{
	((struct state *)state)->idle += n;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	(void)state, (void)h; /* payloads at its input are counted by the kernel */
}

/* The sink ends the run at the earliest after so many edges with a token at every place of a batch. */
static uint64_t apart(const void *state)
{
	const struct state *st = state;

	if (st->finish == 0)
		return UINT64_MAX;
	return st->got < st->finish ? (st->finish - st->got - 1) / st->batch : 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "every", .unit = "edges", .doc = "takes at edges that this divides",
	  .type = HD_U32, .def = "1", .min = 1, .max = 1000, .offset = P(every) },
	{ .name = "batch", .unit = "tokens", .doc = "tokens taken at an edge", .type = HD_U32,
	  .def = "1", .min = 1, .max = 64, .offset = P(batch) },
	{ .name = "finish", .unit = "tokens", .doc = "tokens after which it ends the run; 0: never",
	  .type = HD_U32, .def = "0", .offset = P(finish) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .flags = HD_METERED,
	  .type = &toy_token, .offset = P(in) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "got", .unit = "tokens", .doc = "tokens taken", .offset = P(got), .total = "sum.got" },
	{ .name = "idle", .unit = "edges", .doc = "edges without a token", .offset = P(idle),
	  .total = "sum.idle" },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_GOT] = { .name = "got", .doc = "a token was taken", .fields = { { .name = "value" },
	                                                                      { .name = "from" } } },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, got, idle);
}

const struct hd_module hd_module_sink = {
	TOY_HEAD, .name = "sink", .doc = "takes tokens", .params = params, .ports = ports,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = toy_init,
	.eval = eval, .skipped = skipped, .report_pending = report_pending,
	.checkpoint = checkpoint, .apart = apart,
};

/* worker.c - toy: ends a part of its work at some edges, the last of which is the end of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct worker {
	struct hd_ctx *ctx;
	struct hd_list parts; /* edges, rising */
	bool expected, apart;
	uint64_t next, busy;
};

static uint64_t eval(void *state)
{
	struct worker *w = state;
	uint64_t now = hd_now(w->ctx);

	for (; w->next < w->parts.n && w->parts.v[w->next] <= now; w->next++) {
		const struct hd_cell row[] = { { "part", NULL, w->next }, { "edge", NULL, now } };

		if (w->apart)
			hd_row_part(w->ctx, "parts", w->next + 1, row, 2);
		else
			hd_row(w->ctx, "parts", row, 2);
		w->busy = now + 1;
	}
	hd_progress(w->ctx, (double)w->next, (double)w->parts.n);
	if (w->next < w->parts.n)
		return w->parts.v[w->next] - now;
	hd_finish(w->ctx);
	return HD_SLEEP;
}

static int start(void *state)
{
	struct worker *w = state;

	if (w->expected)
		hd_expect_finish(w->ctx);
	return 0;
}

#define P(f) offsetof(struct worker, f)

static const struct hd_param params[] = {
	{ .name = "parts", .unit = "edges", .doc = "when they end", .type = HD_U32S, .min = 0,
	  .max = 1000, .offset = P(parts) },
	{ .name = "expected", .unit = "", .doc = "calls hd_expect_finish()", .type = HD_BOOL,
	  .def = "true", .offset = P(expected) },
	{ .name = "apart", .unit = "", .doc = "its parts divide the run", .type = HD_BOOL,
	  .def = "false", .offset = P(apart) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "busy", .unit = "edges", .doc = "up to its last part", .offset = P(busy),
	  .total = "busy", .rate = "work" },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct worker *w = state;

	HD_SAVED_FROM(k, w, next, busy);
}

const struct hd_module hd_module_worker = {
	TOY_HEAD, .name = "worker", .doc = "works for a while", .params = params, .stats = stats,
	.state_size = sizeof(struct worker), .init = toy_init, .start = start, .eval = eval,
	.checkpoint = checkpoint,
};

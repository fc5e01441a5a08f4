/* front_constants.c - constant cache of a sub-core, which the issue stage asks for operands
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Front end.
 */
#include "front/lines.h"

#include <heddle/gpu/control.h>
#include <heddle/gpu/warps.h>
#include <heddle/gpu/mem.h>

#define MAX_PENDING HD_MAX_WARPS /* each warp waits for one at most */
#define SPACE (UINT64_C(1) << 48) /* addresses of constants, apart from those of code */
#define BANK 32u                  /* bits of an offset */

struct pending {
	uint64_t line;
	bool sent;
	hd_warp_set warps; /* that wait for it */
};

struct state {
	struct hd_constants_if constants;
	struct hd_ctx *ctx;
	struct hd_end request, response;
	struct hd_warps *warps;
	struct hd_pool *pool;
	struct front_lines lines;
	struct pending pending[MAX_PENDING];
	uint32_t npending;
	uint64_t hits, misses;
};

static bool look_up(void *self, uint32_t warp, uint32_t bank, uint32_t offset)
{
	struct state *st = self;
	uint64_t line = (SPACE | (uint64_t)bank << BANK | offset) / st->lines.line;
	uint32_t i = 0;

	if (front_lines_find(&st->lines, line) || front_lines_first(&st->lines, line)) {
		st->hits++;
		return true;
	}
	while (i < st->npending && st->pending[i].line != line)
		i++;
	if (i == st->npending) {
		st->pending[st->npending++] = (struct pending){ .line = line };
		st->misses++;
		hd_wake(st->ctx->self);
	}
	st->pending[i].warps |= hd_warp_bit(warp);
	return false;
}

static void come(struct state *st, uint64_t line)
{
	uint32_t i = 0;

	front_lines_put(&st->lines, line);
	while (i < st->npending && st->pending[i].line != line)
		i++;
	if (i == st->npending)
		return;
	while (st->pending[i].warps)
		hd_warp_touch(st->warps, hd_warp_pop(&st->pending[i].warps));
	st->npending--;
	memmove(st->pending + i, st->pending + i + 1, (st->npending - i) * sizeof *st->pending);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref r;

	while ((r = hd_mem_front(&st->response)) != 0) {
		uint64_t line = hd_mem(st->pool, r)->line.req.addr / st->lines.line;

		hd_take(&st->response);
		hd_release(st->pool, r);
		come(st, line);
	}
	for (uint32_t i = 0; i < st->npending; i++) {
		struct hd_mem_req q = { .addr = st->pending[i].line * st->lines.line, .flags = HD_MEM_INST,
			                .size = (uint16_t)st->lines.line, .core = (uint16_t)st->warps->sm,
			                .port = (uint8_t)st->ctx->index };

		if (st->pending[i].sent)
			continue;
		if (!hd_room(&st->request))
			return HD_SLEEP; /* woken when there is some */
		st->pending[i].sent = true;
		hd_mem_send(st->ctx, st->pool, &st->request, &q);
	}
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	st->constants = (struct hd_constants_if){ .self = st, .look_up = look_up };
	return front_lines_init(&st->lines, ctx);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->npending)
		hd_report_pending(h, "%u lines of constants have not come", st->npending);
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
	HD_SAVED_FROM(k, st, pending, npending);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	FRONT_LINES_PARAMS(struct state, "4", "2", "64"),
	FRONT_WARM_PARAM(struct state),
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "constants", .doc = "for the issue stage", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_constants_if, .offset = P(constants) },
	{ .name = "request", .doc = "reads of lines", .kind = HD_OUT, .type = &hd_type_mem,
	  .offset = P(request) },
	{ .name = "response", .doc = "lines that were read", .kind = HD_IN, .type = &hd_type_mem,
	  .offset = P(response) },
	{ .name = "warps", .doc = "warps that wait are touched", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "hits", .unit = "operands", .doc = "operands that were there", .offset = P(hits) },
	{ .name = "misses", .unit = "lines", .doc = "lines requested", .offset = P(misses) },
	{ .name = NULL },
};

const struct hd_module hd_module_front_constants = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "front_constants",
	.doc = "constant cache of a sub-core, which the issue stage asks for operands",
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

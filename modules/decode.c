/* decode.c - takes a fetched warp's next instructions into its buffer
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode: always the next ones of the divergence policy, whatever their addresses.
 */
#include <heddle/interface/divergence.h>
#include <heddle/interface/ibuffer.h>
#include <heddle/interface/trace.h>
#include <heddle/interface/warps.h>
#include <heddle/payload/fetched.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_warps *warps;
	struct hd_ibuffer *ibuffer;
	const struct hd_divergence_if *divergence;
	const struct hd_trace_if *trace;
	struct hd_divergence_if own; /* without a policy: the trace itself */
	struct hd_pool *pool;
	uint32_t width;
	uint64_t decoded;
};

enum { MARK_BUFFERED };
enum { PORT_FETCHED, PORT_WARPS, PORT_IBUFFER, PORT_DIVERGENCE, PORT_TRACE };

static uint64_t eval(void *state)
{
	struct state *st = state;
	const struct hd_fetched *f;

	while ((f = hd_front(&st->in)) != NULL) {
		uint32_t warp = f->warp, number = st->warps->traced + warp;

		hd_take(&st->in);
		for (uint32_t i = 0; i < st->width; i++) {
			hd_inst_ref ref = hd_alloc(st->ctx, st->pool);

			if (!st->divergence->next(st->divergence->self, number,
			                          hd_inst(st->pool, ref))) {
				hd_release(st->pool, ref);
				break;
			}
			hd_mark(st->ctx, st->pool, ref, MARK_BUFFERED, 0);
			hd_ibuffer_push(st->ibuffer, warp, ref);
			hd_warp_enter_pipeline(st->warps, warp);
			st->decoded++;
		}
		hd_warp_touch(st->warps, warp);
	}
	return HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!st->divergence == !st->trace)
		return hd_error(st->ctx, "ports 'divergence' and 'trace' are both %s; expected a link at "
		                "one of them", st->trace ? "linked" : "open");
	if (st->trace) {
		st->own = (struct hd_divergence_if){ .self = st->trace->self,
			.next = st->trace->next, .pc = st->trace->pc,
			.paths = st->trace->paths };
		st->divergence = &st->own;
	}
	if (st->width > st->ibuffer->entries)
		return hd_error(st->ctx, "'width' is %u and the instruction buffer has %u entries per "
		                "warp; expected at most as many", st->width, st->ibuffer->entries);
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions decoded per fetch",
	  .type = HD_U32, .offset = P(width), .def = "2", .min = 1, .max = HD_IBUFFER_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_FETCHED] = { .name = "fetched", .doc = "warps whose instructions arrived",
	                   .kind = HD_IN, .type = &hd_type_fetched, .offset = P(in) },
	[PORT_WARPS] = { .name = "warps", .doc = "counts instructions in flight", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_IBUFFER] = { .name = "ibuffer", .doc = "receives the instructions", .kind = HD_USES,
	                   .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	[PORT_DIVERGENCE] = { .name = "divergence", .doc = "source of instructions: the policy that "
	                      "groups lanes", .kind = HD_USES, .flags = HD_OPTIONAL,
	                      .type = &hd_type_divergence_if, .offset = P(divergence) },
	[PORT_TRACE] = { .name = "trace", .doc = "or, without a policy, the trace as it is",
	                 .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_trace_if,
	                 .offset = P(trace) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "decoded", .unit = "warp instructions", .doc = "instructions decoded",
	  .offset = P(decoded) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_BUFFERED] = { "buffered", "in the instruction buffer", NULL, NULL },
	{ 0 },
};

const struct hd_module hd_module_decode = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "decode",
	.doc = "decodes a fetched warp's next instructions into its instruction buffer",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.marks = marks,
};

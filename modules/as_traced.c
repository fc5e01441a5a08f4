/* as_traced.c - divergence policy: the groups of lanes that the trace has, in its order
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence.
 */
#include <heddle/interface/divergence.h>
#include <heddle/interface/trace.h>
#include <heddle/interface/warps.h>

struct state {
	struct hd_divergence_if divergence;
	const struct hd_trace_if *trace;
	const struct hd_warps *warps;
	uint64_t control_hazards;
};

enum { PORT_DIVERGENCE, PORT_TRACE, PORT_WARPS };

/* Users call the trace source itself, so that this policy has no cost. */
static int start(void *state)
{
	struct state *st = state;

	st->divergence = (struct hd_divergence_if){ .self = st->trace->self, .next = st->trace->next,
		                                    .pc = st->trace->pc,
		                                    .paths = st->trace->paths,
		                                    .control_hazards = &st->control_hazards };
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	(void)state;
	(void)ctx;
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_port ports[] = {
	[PORT_DIVERGENCE] = { .name = "divergence", .doc = "for decode: the next instruction of a warp",
	                      .kind = HD_PROVIDES, .type = &hd_type_divergence_if,
	                      .offset = P(divergence) },
	[PORT_TRACE] = { .name = "trace", .doc = "source of instructions", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "not used by this policy, which any other can replace",
	                 .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_warps,
	                 .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "control_hazards", .unit = "hazards",
	  .doc = "times that a warp's buffer had another instruction than it executes next",
	  .offset = P(control_hazards) },
	{ .name = NULL },
};

const struct hd_module hd_module_as_traced = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "as_traced",
	.doc = "divergence policy that replays the groups of lanes in the trace",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
};

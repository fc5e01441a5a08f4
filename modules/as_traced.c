/* as_traced.c - divergence policy: the groups of lanes that the trace has, in its order
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Divergence.
 */
#include <heddle/gpu/policy.h>

/* Users call the trace source itself, so that this policy has no cost: what it executes is what was
 * loaded. */
static int start(void *state)
{
	struct hd_policy *p = state;
	const struct hd_paths_if *paths = p->trace->paths;

	p->divergence = (struct hd_divergence_if){ .self = p->trace->self, .next = p->trace->next,
		                                   .pc = p->trace->pc, .paths = paths,
		                                   .control_hazards = &p->control_hazards };
	if (paths && p->warps) {
		paths->count(paths->self, &p->warps->traced, &p->executed);
		paths->count(paths->self, &p->warps->traced, &p->traced);
	}
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct hd_policy *)state)->ctx = ctx;
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "divergence", .doc = "for decode: the next instruction of a warp",
	  .kind = HD_PROVIDES, .type = &hd_type_divergence_if, .offset = HD_POLICY(divergence) },
	{ .name = "trace", .doc = "source of instructions", .kind = HD_USES,
	  .type = &hd_type_trace_if, .offset = HD_POLICY(trace) },
	{ .name = "warps", .doc = "for statistics", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_warps, .offset = HD_POLICY(warps) },
	{ .name = NULL },
};

const struct hd_module hd_module_as_traced = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "as_traced",
	.doc = "divergence policy that replays the groups of lanes in the trace",
	.ports = ports,
	.stats = hd_policy_stats,
	.state_size = sizeof(struct hd_policy),
	.init = init,
	.start = start,
	.checkpoint = hd_nothing_saved,
};

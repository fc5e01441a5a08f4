/* policy.h - what divergence policies that group lanes themselves have in common
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A policy's state begins with a struct hd_policy; its descriptor names the lists below, its `init`
 * calls hd_policy_init(), and its `start` is hd_policy_start().
 * docs/modules.md has an example.
 */
#ifndef HEDDLE_GPU_POLICY_H
#define HEDDLE_GPU_POLICY_H

#include <heddle/gpu/divergence.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

struct hd_policy {
	struct hd_divergence_if divergence;
	const struct hd_trace_if *trace;
	const struct hd_warps *warps;
	struct hd_ctx *ctx;
	const struct hd_paths_if *paths;
	/* statistics */
	struct hd_path_counts executed, traced;
	uint64_t deepest, divergences, reconvergences, control_hazards;
};

enum { HD_POLICY_DIVERGE, HD_POLICY_RECONVERGE, HD_POLICY_GROUP };

/* For `init`: stores the functions of the interface. */
static inline int hd_policy_init(void *state, struct hd_ctx *ctx,
                                 bool (*next)(void *self, uint32_t warp, struct hd_inst *inst),
                                 uint32_t (*pc)(void *self, uint32_t warp))
{
	struct hd_policy *p = (struct hd_policy *)state;

	p->ctx = ctx;
	p->divergence.self = state;
	p->divergence.next = next;
	p->divergence.pc = pc;
	return 0;
}

/* The `start` of a policy, or called by it.  Returns 0, or -1 after a message. */
static inline int hd_policy_start(void *state)
{
	struct hd_policy *p = (struct hd_policy *)state;

	p->paths = p->trace->paths;
	if (!p->paths)
		return hd_error(p->ctx, "the instance at port 'trace' has no lane paths; expected one of "
		                "module 'trace_source', or policy 'as_traced'");
	p->paths->claim_lanes(p->paths->self);
	p->paths->count(p->paths->self, &p->warps->traced, &p->traced);
	p->divergence.paths = p->paths;
	p->divergence.control_hazards = &p->control_hazards;
	return 0;
}

/* For a policy's checkpoint: the nodes of warp slot `warp`, or NULL if it has no groups; after the rest
 * of the slot's state. */
static inline const struct hd_path_node *hd_policy_node_saved(struct hd_checkpoint *k,
                                                              const struct hd_policy *p, uint32_t warp,
                                                              const struct hd_path_node *node)
{
	bool has = hd_saved_number(k, node != NULL, 1);

	if (!has || !hd_loads(k))
		return node;
	node = p->paths->nodes(p->paths->self, p->warps->traced + warp);
	if (!node)
		hd_refuse(k, "warp slot %u has no thread block in the trace", warp);
	return node;
}

/* execute() of the paths, counted. */
static inline struct hd_path_step hd_policy_execute(struct hd_policy *p, uint32_t warp,
                                                    uint32_t node, uint32_t lanes,
                                                    struct hd_inst *inst)
{
	struct hd_path_step step = p->paths->execute(p->paths->self, warp, node, lanes, inst);

	p->executed.instructions++;
	p->executed.lanes += inst->nlanes;
	return step;
}

/* Lanes at the node part: those of `taken` go to its target, those of `fallen` to its next. */
static inline void hd_policy_diverge(struct hd_policy *p, uint32_t warp,
                                     const struct hd_path_node *node, uint32_t at, uint32_t taken,
                                     uint32_t fallen)
{
	p->divergences++;
	hd_emit(p->ctx, HD_POLICY_DIVERGE, warp % HD_TRACE_SM, node[at].pc,
	        node[node[at].target].pc, taken, node[node[at].next].pc, fallen);
}

/* Groups meet at the node; `lanes` are those of all that have met. */
static inline void hd_policy_reconverge(struct hd_policy *p, uint32_t warp, uint32_t pc,
                                        uint32_t lanes)
{
	p->reconvergences++;
	hd_emit(p->ctx, HD_POLICY_RECONVERGE, warp % HD_TRACE_SM, pc, lanes);
}

/* Are groups shown, by hd_policy_group()?  To be done for each group of a warp when they have changed. */
static inline bool hd_policy_shows(const struct hd_policy *p)
{
	return HD_UNLIKELY(p->ctx->events >> HD_POLICY_GROUP & 1);
}

/* Group `number` of `of`, from 1, is at a node; meet: the node where it ends, or NONE. */
static inline void hd_policy_group(struct hd_policy *p, uint32_t warp, uint32_t number, uint32_t of,
                                   const struct hd_path_node *node, uint32_t at, uint32_t meet,
                                   uint32_t lanes)
{
	hd_emit(p->ctx, HD_POLICY_GROUP, warp % HD_TRACE_SM, number, of,
	        at == HD_PATH_NONE ? at : node[at].pc, meet == HD_PATH_NONE ? meet : node[meet].pc,
	        lanes);
}

static inline void hd_policy_depth(struct hd_policy *p, uint32_t depth)
{
	if (depth > p->deepest)
		p->deepest = depth;
}

#define HD_POLICY(f) offsetof(struct hd_policy, f)

static const struct hd_port hd_policy_ports[] = {
	{ .name = "divergence", .doc = "for decode: the next instruction of a warp",
	  .kind = HD_PROVIDES, .type = &hd_type_divergence_if, .offset = HD_POLICY(divergence) },
	{ .name = "trace", .doc = "source of the lanes' paths", .kind = HD_USES,
	  .type = &hd_type_trace_if, .offset = HD_POLICY(trace) },
	{ .name = "warps", .doc = "number of the SM's warps in the trace source", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = HD_POLICY(warps) },
	{ .name = NULL },
};

static const struct hd_stat hd_policy_stats[] = {
	{ .name = "warp_instructions", .unit = "warp instructions", .doc = "instructions of groups",
	  .offset = HD_POLICY(executed.instructions),
	  .total = "divergence.warp_instructions" },
	{ .name = "traced_warp_instructions", .unit = "warp instructions",
	  .doc = "lines that the trace has for the same warps",
	  .offset = HD_POLICY(traced.instructions),
	  .total = "divergence.traced_warp_instructions" },
	{ .name = "lanes", .unit = "lane instructions", .doc = "lanes that executed them",
	  .offset = HD_POLICY(executed.lanes) },
	{ .name = "lane_slots", .unit = "lane instructions", .doc = "32 for each of them",
	  .offset = HD_POLICY(executed.instructions), .n = HD_LANES },
	{ .name = "simd_efficiency", .unit = "", .doc = "lanes that executed, as a share of 32 for "
	  "each instruction", .offset = HD_POLICY(executed.lanes),
	  .total = "divergence.simd_efficiency", .of = "lane_slots" },
	{ .name = "deepest", .unit = "groups", .doc = "most groups of a warp at a time; of a stack, "
	  "entries", .offset = HD_POLICY(deepest),
	  .total = "divergence.deepest", .most = true },
	{ .name = "divergences", .unit = "times", .doc = "times that a group parted",
	  .offset = HD_POLICY(divergences),
	  .total = "divergence.divergences" },
	{ .name = "reconvergences", .unit = "times", .doc = "times that groups met and became one",
	  .offset = HD_POLICY(reconvergences),
	  .total = "divergence.reconvergences" },
	{ .name = "control_hazards", .unit = "hazards",
	  .doc = "times that a warp's buffer had another instruction than it executes next",
	  .offset = HD_POLICY(control_hazards),
	  .total = "divergence.control_hazards" },
	{ .name = NULL },
};

static const struct hd_event hd_policy_events[] = { /* in the order of the enumeration above */
	{ .name = "diverge", .doc = "a group of lanes parts", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "pc", "bytes", "behind the instruction there", NULL, HD_FIELD_HEX },
		{ "target", "bytes", "pc where the lanes go that executed it", NULL, HD_FIELD_HEX },
		{ "taken", "", "these lanes", NULL, HD_FIELD_HEX },
		{ "next", "bytes", "pc where the others go", NULL, HD_FIELD_HEX },
		{ "fallen", "", "these lanes", NULL, HD_FIELD_HEX },
	} },
	{ .name = "reconverge", .doc = "groups of lanes meet", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "pc", "bytes", "in front of the instruction there", NULL, HD_FIELD_HEX },
		{ "mask", "", "lanes that go on together", NULL, HD_FIELD_HEX },
	} },
	{ .name = "group", .doc = "a group of a warp whose groups have changed: one row for each", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "number", "", "of the group, from 1; on a stack from its bottom" },
		{ "of", "groups", "how many the warp has" },
		{ "pc", "bytes", "where it is; ffffffff: nowhere", NULL, HD_FIELD_HEX },
		{ "until", "bytes", "where it ends by joining another; ffffffff: nowhere", NULL,
		  HD_FIELD_HEX },
		{ "mask", "", "its lanes", NULL, HD_FIELD_HEX },
	}, .flags = HD_EVENT_DETAIL },
	{ .name = NULL },
};

#endif

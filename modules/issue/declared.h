/* declared.h - private to the issue stages: parameters of links, ports, statistics, events
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_ISSUE_DECLARED_H
#define MODULES_ISSUE_DECLARED_H

#include "stage.h"

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that take this route",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct route, classes), .min = 1,
	  .max = 64 },
	{ .name = "unit", .unit = "", .doc = "kind of unit of this route; two instructions "
	  "issued together may have to go to different kinds", .type = HD_SYMBOL, .kind = "unit",
	  .offset = offsetof(struct route, unit) },
	{ .name = "same_unit_as", .unit = "", .doc = "other kinds of unit that count as the same",
	  .type = HD_SYMBOLS, .kind = "unit", .def = "[]", .offset = offsetof(struct route, same_unit_as) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_OUT] = { .name = "out", .doc = "register sets in front of the operand collector",
	               .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst,
	               .offset = P(out), .attrs = route_params, .attr_size = sizeof(struct route) },
	[PORT_WARPS] = { .name = "warps", .doc = "running and blocked warps; this stage serves the "
	                 "slots whose number modulo the array's size is its index", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_IBUFFER] = { .name = "ibuffer", .doc = "instructions to issue", .kind = HD_USES,
	                   .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	[PORT_SCOREBOARD] = { .name = "scoreboard", .doc = "checked and reserved", .kind = HD_USES,
	                      .type = &hd_type_scoreboard, .offset = P(scoreboard) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "gets barriers and exits", .kind = HD_USES,
	                   .type = &hd_type_barrier_if, .offset = P(barrier) },
	[PORT_FENCE] = { .name = "fence", .doc = "gets fences; open: they cost nothing",
	                 .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_fence_if,
	                 .offset = P(fence) },
	[PORT_COPY] = { .name = "copy", .doc = "gets asynchronous copies; open: no warp waits",
	                .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_copy_if,
	                .offset = P(copy) },
	[PORT_POLICY] = { .name = "policy", .doc = "order of the warps", .kind = HD_USES,
	                  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "single", .unit = "cycles", .doc = "cycles in which one instruction was issued",
	  .offset = P(single), .total = "issue.single" },
	{ .name = "dual", .unit = "cycles", .doc = "cycles in which two instructions were issued, "
	  "or more",
	  .offset = P(dual), .total = "issue.dual" },
	{ .name = "stall", .unit = "cycles", .doc = "cycles in which a warp passed the scoreboard "
	  "and no unit had room; an instruction without active lanes counts here as well",
	  .offset = P(stall), .total = "issue.stall" },
	{ .name = "scoreboard", .unit = "cycles", .doc = "cycles in which every warp with an "
	  "instruction waited for a register", .offset = P(scoreboard_stall),
	  .total = "issue.scoreboard" },
	{ .name = "idle", .unit = "cycles", .doc = "cycles in which no warp had an instruction that "
	  "it was free to issue", .offset = P(idle), .total = "issue.idle" },
	{ .name = "control_hazard", .unit = "cycles", .doc = "of the idle cycles: those in which nothing "
	  "but wrong paths was found", .offset = P(control_hazard) },
	{ .name = "issued", .unit = "warp instructions", .doc = "instructions issued",
	  .offset = P(issued), .total = "warp_instructions", .ratio = "IPC" },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ISSUE] = { .name = "issue", .doc = "an instruction was issued; n counts those of its "
	                  "warp in this cycle", .flags = HD_EVENT_DETAIL,
	                  .fields = { { "sched", "", "index of the scheduler" },
	                              { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "n", "", "1, or 2 for the second of its warp" } } },
	[EVENT_SLOT] = { .name = "slot", .doc = "how the preceding cycles were used, each in the "
		"same way",
	                 .fields = {
		{ "n", "cycles", "how many", NULL, HD_FIELD_SPAN },
		{ "reason", "", "why; sums over the names of a group are the statistics of the stage",
		  "reason" },
		{ "unit", "", "stall: of the full register set; scoreboard: of the pending result; "
		  "-1: does not apply", "unit" },
		{ "cause", "", "stall: why it is not emptied", "cause" },
		{ "reg", "", "scoreboard: SASS number of the pending register, else -1" },
		{ "warp", "", "the oldest waiting warp, which gets the cycles; -1: none", NULL,
		  HD_FIELD_KEY },
		{ "code", "", "its next instruction, 0: none", "code" },
		{ "pc", "bytes", "its address", NULL, HD_FIELD_HIDDEN },
		{ "kernel", "", "position of its launch in the list", NULL, HD_FIELD_HIDDEN },
	} },
	{ .name = NULL },
};

#endif

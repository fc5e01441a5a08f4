/* call_hazards.c - toy: tells what issues, and when results and sources are there
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   issue INSTRUCTION [time=N] [stall=N] [yield] [wait=N] [write=N] [read=N] [ndst=N] [slots=RN*N,RN*N]
 *       [depbar=N] [list=N] [reads_p=N] [writes_p=N] [guard=N]
 *                       the instruction is issued, at the edge or at another time; wait, list, reads_p and
 *                       writes_p are sets; slots: the operands are those of a listing
 *   written wN RN       the register has been written
 *   read wN uid=N       the sources have been read
 *   completed wN uid=N  the instruction has completed
 */
#include "actor.h"

#include <heddle/gpu/control.h>

#include <stdlib.h>

struct state {
	struct actor actor;
	const void *after;
	const struct hd_hazards_if *hazards;
};

/* Operands as "R2*2,R4". */
static void give_slots(struct hd_control *c, const char *text)
{
	c->flags |= HD_CONTROL_OPERANDS;
	for (uint32_t i = 0; i < HD_OPERAND_SLOTS && *text; i++) {
		char *end;

		c->slot[i] = (uint16_t)(strtoul(text + 1, &end, 10) + 1);
		c->nslot[i] = 1;
		if (*end == '*')
			c->nslot[i] = (uint8_t)strtoul(end + 1, &end, 10);
		text = end + (*end == ',');
	}
}

static void issue(void *state, struct args *a)
{
	struct state *st = state;
	const char *slots = arg_text(a, "slots");
	uint64_t time = arg_number(a, "time", hd_now(st->actor.ctx));
	struct hd_control c = {
		.flags = HD_CONTROL_GIVEN,
		.stall = (uint8_t)arg_number(a, "stall", 1),
		.wait = (uint8_t)arg_number(a, "wait", 0),
		.write = (uint8_t)arg_number(a, "write", HD_NO_COUNTER),
		.read = (uint8_t)arg_number(a, "read", HD_NO_COUNTER),
		.depbar = (uint8_t)arg_number(a, "depbar", HD_NO_COUNTER),
		.list = (uint8_t)arg_number(a, "list", 0),
		.ndst = (uint8_t)arg_number(a, "ndst", 0),
		.reads_p = (uint16_t)arg_number(a, "reads_p", 0),
		.writes_p = (uint16_t)arg_number(a, "writes_p", 0),
		.guard = (uint8_t)arg_number(a, "guard", 0),
	};
	struct hd_inst inst;

	if (arg_flag(a, "yield"))
		c.flags |= HD_CONTROL_YIELD;
	if (c.depbar != HD_NO_COUNTER)
		c.flags |= HD_CONTROL_DEPBAR;
	if (slots)
		give_slots(&c, slots);
	arg_inst(a, &inst);
	inst.control = c;
	st->hazards->issued(st->hazards->self, &inst, time);
}

static void written(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->written(st->hazards->self, warp, arg_reg(a));
}

static void have_read(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->read(st->hazards->self, warp, arg_number(a, "uid", 0));
}

static void completed(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->hazards->completed(st->hazards->self, warp, arg_number(a, "uid", 0));
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = {
		{ "issue", issue }, { "written", written }, { "read", have_read },
		{ "completed", completed }, { NULL, NULL },
	};

	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	{ .name = "hazards", .doc = "called", .kind = HD_USES, .type = &hd_type_hazards_if,
	  .offset = offsetof(struct state, hazards) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_hazards = {
	TOY_HEAD, .name = "call_hazards", .doc = "tells what issues, and when results and sources are there",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

/* give_regs.c - toy: a register file and result buses that log their calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   refuse [writes] [buses]    from now on they refuse
 *   allow                      and now accept again
 *   stall, flow                operands are read in no step, or all of them in the next one
 *   serve unit=N [n=N]         so many operands of that unit, all without n, in the next step
 *   steps                      logs the steps from now on, while operands are to be read
 */
#include "actor.h"

#include <heddle/gpu/regfile.h>

struct state {
	struct actor actor;
	struct hd_regfile_if regfile;
	struct hd_result_bus_if bus;
	bool no_writes, no_buses, stalled, steps;
	uint32_t horizon;
	uint8_t left[64], served[64]; /* by unit: operands to be read, and that may be */
};

static void refuse(void *state, struct args *a)
{
	struct state *st = state;

	st->no_writes = arg_flag(a, "writes");
	st->no_buses = arg_flag(a, "buses");
}

static void allow(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->no_writes = st->no_buses = false;
}

static void stall(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->stalled = true;
}

static void flow(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->stalled = false;
}

static void serve(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t unit = arg_number(a, "unit", 0);

	st->served[unit % 64] = (uint8_t)arg_number(a, "n", HD_MAX_SRC);
}

static void note_steps(void *state, struct args *a)
{
	(void)a;
	((struct state *)state)->steps = true;
}

static const struct verb verbs[] = {
	{ "refuse", refuse }, { "allow", allow }, { "stall", stall }, { "flow", flow },
	{ "serve", serve }, { "steps", note_steps }, { NULL, NULL },
};

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "write w%u R%u%s", warp, reg - 1, st->no_writes ? " = no" : "");
	return !st->no_writes;
}

static void read_port(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;
	char text[200] = "";
	size_t length = 0;

	for (uint32_t i = 0; i < n; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, " R%u",
		                           reg[i] - 1u);
	toy_log(st->actor.ctx, "read unit=%u w%u%s", unit, warp, text);
	st->left[unit] = (uint8_t)(st->left[unit] + n);
}

static uint64_t step(void *self, bool first)
{
	struct state *st = self;
	uint64_t done = 0;

	if (st->steps)
		toy_log(st->actor.ctx, "step%s", first ? " first" : "");
	for (uint32_t u = 0; u < 64; u++) {
		bool all = !st->stalled || st->served[u] > st->left[u];
		uint8_t n = all ? st->left[u] : st->served[u];

		if (!n)
			continue;
		st->left[u] = (uint8_t)(st->left[u] - n);
		st->served[u] = 0;
		if (st->left[u] == 0)
			done |= UINT64_C(1) << u;
	}
	return done;
}

static bool reserve(void *self, uint32_t ahead)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "bus %u%s", ahead, st->no_buses ? " = no" : "");
	return !st->no_buses;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	actor_init(st, ctx);
	st->regfile = (struct hd_regfile_if){ .self = st, .write = write_port, .read = read_port,
		                              .step = step };
	st->bus = (struct hd_result_bus_if){ .self = st, .reserve = reserve,
		                             .max_ahead = st->horizon };
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "horizon", .unit = "cycles", .doc = "of the buses", .type = HD_U32, .def = "100",
	  .min = 1, .max = 65535, .offset = offsetof(struct state, horizon) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("write", hd_type_regfile_if, regfile),
	GIVES("read", hd_type_regfile_if, regfile),
	GIVES("bus", hd_type_result_bus_if, bus),
	{ .name = NULL },
};

TOY(give_regs, "a register file and result buses that log their calls", verbs, ports,
    .params = params, .init = init, .eval = actor_eval);

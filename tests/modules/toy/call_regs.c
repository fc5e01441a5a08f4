/* call_regs.c - toy: calls the register file, the result bus
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   write wN RN             takes the write port: "= yes" or "= no"
 *   read unit=N wN RN...    queues reads for a collector unit
 *   step [first]            serves the banks: "= units that wait for nothing now"
 *   many                    queues all operands that all units can have, of w0 R0
 *   drain                   steps until nothing waits: "= steps"
 *   bus ahead=N             reserves a result bus
 *   horizon                 largest number of cycles ahead for a bus
 */
#include "actor.h"

#include <heddle/gpu/regfile.h>

struct state {
	struct actor actor;
	const void *after;
	const struct hd_regfile_if *regfile;
	const struct hd_result_bus_if *bus;
};

static void write_port(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a), reg = arg_reg(a);
	bool ok = st->regfile->write(st->regfile->self, warp, reg);

	toy_log(st->actor.ctx, "write w%u R%u = %s", warp, reg - 1, ok ? "yes" : "no");
}

static void read_port(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t unit = (uint32_t)arg_number(a, "unit", 0), warp = arg_warp(a), n;
	uint16_t reg[HD_MAX_SRC];

	n = arg_regs(a, reg, HD_MAX_SRC);
	st->regfile->read(st->regfile->self, unit, warp, reg, n);
}

static void step(void *state, struct args *a)
{
	struct state *st = state;
	bool first = arg_flag(a, "first");
	uint64_t done = st->regfile->step(st->regfile->self, first);
	char text[SET_TEXT] = "";
	size_t n = 0;

	for (; done; done &= done - 1)
		n += (size_t)snprintf(text + n, sizeof text - n, " %d", __builtin_ctzll(done));
	toy_log(st->actor.ctx, "step%s =%s", first ? " first" : "", n ? text : " none");
}

static void many(void *state, struct args *a)
{
	static const uint16_t reg[HD_MAX_SRC] = { 1, 1, 1, 1, 1, 1, 1, 1 };
	struct state *st = state;

	(void)a;
	for (uint32_t unit = 0; unit < 64; unit++)
		st->regfile->read(st->regfile->self, unit, 0, reg, HD_MAX_SRC);
}

/* In the order of the units, as they were queued. */
static void drain(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t done = 0;
	uint32_t n = 0;

	(void)a;
	for (; done != UINT64_MAX && n < 1000; n++) {
		done |= st->regfile->step(st->regfile->self, false);
		if (done & (done + 1))
			wrong(st->actor.ctx, "units are not served in order");
	}
	toy_log(st->actor.ctx, "drain = %u", n);
}

static void bus(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t ahead = (uint32_t)arg_number(a, "ahead", 0);
	bool ok = st->bus->reserve(st->bus->self, ahead);

	toy_log(st->actor.ctx, "bus %u = %s", ahead, ok ? "yes" : "no");
}

static void horizon(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "horizon = %u", st->bus->max_ahead);
}

static const struct verb verbs[] = {
	{ "write", write_port }, { "read", read_port }, { "step", step }, { "many", many },
	{ "drain", drain }, { "bus", bus }, { "horizon", horizon }, { NULL, NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	{ .name = "regfile", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_regfile_if, .offset = offsetof(struct state, regfile) },
	{ .name = "bus", .doc = "called", .kind = HD_USES, .flags = HD_OPTIONAL,
	  .type = &hd_type_result_bus_if, .offset = offsetof(struct state, bus) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_regs = {
	TOY_HEAD, .name = "call_regs", .doc = "calls the register file and the result bus",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

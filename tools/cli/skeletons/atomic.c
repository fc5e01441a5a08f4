/* @NAME@.c - a unit that executes atomics itself: lanes that use one address do so in turn
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A warp that has issued an atomic waits until all of its lanes are answered, and the unit that
 * executes it owes it these answers: hd_warp_atomics_done().  Here they come in several groups, and
 * the instruction ends in the unit, which settles what writeback would: "What a unit owes the SM" in
 * docs/modules.md.  The netlist gives the atomics a class of their own, which it sends here.
 */
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/inst.h>

/* State of an instance.  The kernel zeroes it, stores the parameters, the ends of the channels and
 * the interfaces at their offsets, and calls init. */
struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	const struct hd_regfile_if *regfile;
	struct hd_pool *pool; /* holds the instructions; channels carry their handles */
	uint32_t cycles;      /* parameter */
	hd_inst_ref inst;     /* in the unit; 0: none */
	uint32_t lanes;       /* of it, not yet executed */
	uint64_t done;        /* edge at which the present pass is over */
	uint64_t accepted, passes; /* statistics */
};

/* The lanes of the next pass: of each address the first that is left. */
static uint32_t next_pass(const struct state *st, const struct hd_inst *inst)
{
	uint32_t pass = 0;

	for (uint32_t i = 0; i < HD_LANES; i++) {
		bool first = st->lanes >> i & 1;

		for (uint32_t j = 0; first && j < i; j++)
			first = !(pass >> j & 1) || hd_inst_addr(inst, j) != hd_inst_addr(inst, i);
		pass |= (uint32_t)first << i;
	}
	return pass;
}

/* All lanes are answered.  Returns false if the register cannot be written at this edge. */
static bool finish(struct state *st, const struct hd_inst *inst)
{
	if (inst->dst) {
		if (!st->regfile->write(st->regfile->self, inst->warp, inst->dst))
			return false; /* the bank's port is taken: again at the next edge */
		hd_scoreboard_complete(st->scoreboard, inst);
	}
	hd_warps_complete(st->warps, inst->warp, inst->nlanes);
	hd_warp_left_pipeline(st->warps, inst->warp);
	hd_release(st->pool, st->inst); /* *inst is gone */
	st->inst = 0;
	return true;
}

/* Called at an edge of the clock.  Returns the number of edges until the next call. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), slots;

	if (st->inst && st->done <= now) {
		const struct hd_inst *inst = hd_inst(st->pool, st->inst);
		uint32_t pass = next_pass(st, inst);

		if (pass) {
			st->lanes &= ~pass;
			st->passes++;
			hd_warp_atomics_done(st->warps, inst->warp, hd_bits_count(pass));
			st->done = now + st->cycles;
		}
		if (st->lanes == 0 && !finish(st, inst))
			return HD_NEXT;
	}
	slots = hd_slots_full(&st->in);
	if (!st->inst && slots) {
		unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);

		st->inst = hd_inst_in(&st->in, slot);
		hd_slot_take(&st->in, slot);
		st->lanes = hd_inst(st->pool, st->inst)->mask;
		st->done = now + st->cycles;
		st->accepted++;
	}
	if (!st->inst)
		return HD_SLEEP; /* woken by a put into `in` */
	return st->done > now ? st->done - now : HD_NEXT;
}

/* Checks parameters against each other (errors by hd_error()) and allocates. */
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}

/* Called when a run is deadlocked: reports what waits in this instance. */
static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->inst)
		hd_report_pending(h, "an atomic of warp %u, %u lanes left",
		                  hd_inst(st->pool, st->inst)->warp, hd_bits_count(st->lanes));
}

/* Saves or loads what changes in a run, for `heddle run --save-at` and --load; counters are saved by
 * the kernel. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->inst);
	HD_SAVED(k, st->lanes);
	HD_SAVED(k, st->done);
}

#define AT(member) .offset = offsetof(struct state, member)

static const struct hd_param params[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "for the lanes that use different addresses",
	  .type = HD_U32, AT(cycles), .def = "4", .min = 1, .max = 10000 },
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "register set in front of the unit", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, AT(in) },
	{ .name = "warps", .doc = "gets the answers; counts instructions in flight", .kind = HD_USES,
	  .type = &hd_type_warps, AT(warps) },
	{ .name = "scoreboard", .doc = "registers are released here", .kind = HD_USES,
	  .type = &hd_type_scoreboard, AT(scoreboard) },
	{ .name = "regfile", .doc = "results are written here", .kind = HD_USES,
	  .type = &hd_type_regfile_if, AT(regfile) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted", AT(accepted) },
	{ .name = "passes", .unit = "passes", .doc = "passes over lanes of different addresses", AT(passes) },
	{ 0 },
};

/* The descriptor; `heddle modules @NAME@` prints it. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "unit that executes atomics",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

/* @NAME@.c - a function unit that works on one instruction at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The links of the issue stage in the netlist determine which classes of instructions arrive here.
 */
#include <heddle/gpu/inst.h>

/* State of an instance.  The kernel zeroes it, stores the parameters and the ends of the
 * channels at their offsets, and calls init. */
struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_pool *pool; /* holds the instructions; channels carry their handles */
	uint32_t latency;     /* parameter */
	hd_inst_ref inst;     /* in the unit; 0: none */
	uint64_t done;        /* edge from which it may leave */
	uint64_t busy, accepted; /* statistics */
};

/* Cycles that this instruction takes: change this to model your unit. */
static uint64_t cycles(const struct state *st, const struct hd_inst *inst)
{
	(void)inst; /* ->nlanes, ->width, ->cls, ->mask ... */
	return st->latency;
}

/* Called at an edge of the clock.  Returns the number of edges until the next call. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), slots;

	/* The instruction inside leaves first; then there may be room for the next. */
	if (st->inst && now >= st->done && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	slots = hd_slots_full(&st->in); /* this unit's slots of the register set, as bits */
	if (!st->inst && slots) {
		unsigned slot = hd_bits_first(slots);

		st->inst = *(const hd_inst_ref *)hd_slot(&st->in, slot);
		hd_slot_take(&st->in, slot);
		st->done = now + cycles(st, hd_inst(st->pool, st->inst));
		st->busy += st->done - now;
		st->accepted++;
	}
	if (st->inst && now < st->done)
		return st->done - now;
	return HD_SLEEP; /* woken by a put into `in` or a take from `out` */
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
	if (((const struct state *)state)->inst)
		hd_report_pending(h, "an instruction in the unit");
}

/* Saves or loads what changes in a run, for `heddle run --save-at` and --load; counters are saved by
 * the kernel. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->inst);
	HD_SAVED(k, st->done);
}

#define AT(member) .offset = offsetof(struct state, member)

static const struct hd_param params[] = {
	{ .name = "latency", .unit = "cycles", .doc = "from acceptance to the result", .type = HD_U32,
	  AT(latency), .def = "16", .min = 1, .max = 10000 },
	{ 0 },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "register set in front of the unit", .kind = HD_IN, .flags = HD_SLOTS,
	  .type = &hd_type_inst, AT(in) },
	{ .name = "out", .doc = "results, to writeback", .kind = HD_OUT, .type = &hd_type_inst, AT(out) },
	{ 0 },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted", AT(accepted) },
	{ .name = "busy", .unit = "cycles", .doc = "time in use", AT(busy), .rate = "unit utilisation" },
	{ 0 },
};

/* The descriptor; `heddle modules @NAME@` prints it. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "function unit that works on one instruction at a time",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

/* @NAME@.c - a pipelined function unit: takes an instruction every few cycles, finishes each later
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The links of the issue stage in the netlist determine which classes of instructions arrive here.
 * Results go to writeback, which settles all that the SM counts of an instruction.
 */
#include <heddle/gpu/inst.h>

#include <stdlib.h>

/* An instruction in the unit. */
struct stage {
	uint64_t done; /* edge from which it may leave */
	hd_inst_ref inst;
};

/* State of an instance.  The kernel zeroes it, stores the parameters and the ends of the
 * channels at their offsets, and calls init. */
struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_pool *pool; /* holds the instructions; channels carry their handles */
	uint32_t latency, initiation; /* parameters */
	struct stage *stages; /* ring, oldest at head; memory of its own, for its size follows from parameters */
	uint32_t size, head, count;
	uint64_t free;        /* edge from which it takes the next one */
	uint64_t busy, accepted; /* statistics */
};

/* Cycles from acceptance to the result.  If yours differ by instruction, an instruction may be done
 * before one that came earlier: then sort the ring by `done`. */
static uint64_t cycles(const struct state *st, const struct hd_inst *inst)
{
	(void)inst; /* ->cls, ->nlanes, ->width ... */
	return st->latency;
}

static struct stage *oldest(struct state *st)
{
	return &st->stages[st->head];
}

static void accept(struct state *st, uint64_t slots, uint64_t now)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, slots);
	hd_inst_ref inst = hd_inst_in(&st->in, slot);

	hd_slot_take(&st->in, slot);
	st->stages[(st->head + st->count++) % st->size] =
		(struct stage){ now + cycles(st, hd_inst(st->pool, inst)), inst };
	st->free = now + st->initiation;
	st->busy += st->initiation;
	st->accepted++;
}

/* Called at an edge of the clock.  Returns the number of edges until the next call. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;

	/* What is done leaves first; then there may be room for the next. */
	while (st->count && oldest(st)->done <= now && hd_room(&st->out)) {
		hd_put(&st->out, &oldest(st)->inst, sizeof(hd_inst_ref));
		st->head = (st->head + 1) % st->size;
		st->count--;
	}
	if (hd_slots_full(&st->in) && st->free <= now && st->count < st->size)
		accept(st, hd_slots_full(&st->in), now);

	/* The next edge at which there is something to do although nothing comes from outside.  A
	 * result that found no room is not among them: the take that makes room wakes the unit. */
	if (st->count && oldest(st)->done > now)
		next = oldest(st)->done;
	if (hd_slots_full(&st->in) && st->count < st->size && st->free > now && st->free < next)
		next = st->free;
	return next == UINT64_MAX ? HD_SLEEP : next - now;
}

/* Checks parameters against each other (errors by hd_error()) and allocates. */
static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	if (st->initiation > st->latency)
		return hd_error(ctx, "'initiation' is %u; expected at most 'latency', which is %u",
		                st->initiation, st->latency);
	st->size = st->latency / st->initiation + 1; /* no more can be on their way */
	st->stages = calloc(st->size, sizeof *st->stages);
	return st->stages ? 0 : hd_error(ctx, "out of memory");
}

static void fini(void *state)
{
	free(((struct state *)state)->stages);
}

/* Called when a run is deadlocked: reports what waits in this instance. */
static void report_pending(const void *state, struct hd_pending *h)
{
	if (((const struct state *)state)->count)
		hd_report_pending(h, "%u instructions in the unit", ((const struct state *)state)->count);
}

/* For dumps: why an instruction in front of the unit is not taken. */
enum { REASON_INITIATION };

static const struct hd_reason reasons[] = {
	[REASON_INITIATION] = { "initiation", "the previous initiation interval is not over" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;

	(void)port; /* there is one */
	(void)link;
	if (st->count == st->size) /* it waits as long as the results do: ask who should take them */
		return (struct hd_answer){ .behind = &st->out };
	return (struct hd_answer){ .reason = REASON_INITIATION };
}

/* Saves or loads what changes in a run, for `heddle run --save-at` and --load; counters are saved by
 * the kernel. */
static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	for (uint32_t i = 0; i < st->size; i++) {
		HD_SAVED(k, st->stages[i].done); /* by member: the bytes between them are undefined */
		HD_SAVED(k, st->stages[i].inst);
	}
	HD_SAVED_FROM(k, st, head, free);
}

#define AT(member) .offset = offsetof(struct state, member)

static const struct hd_param params[] = {
	{ .name = "latency", .unit = "cycles", .doc = "from acceptance to the result", .type = HD_U32,
	  AT(latency), .def = "16", .min = 1, .max = 10000 },
	{ .name = "initiation", .unit = "cycles", .doc = "between two acceptances", .type = HD_U32,
	  AT(initiation), .def = "2", .min = 1, .max = 10000 },
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
	{ .name = "busy", .unit = "cycles", .doc = "cycles in which it could take no other instruction",
	  AT(busy), .rate = "unit utilisation" },
	{ 0 },
};

/* The descriptor; `heddle modules @NAME@` prints it. */
const struct hd_module hd_module_@NAME@ = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "@NAME@",
	.doc = "pipelined function unit",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.fini = fini,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};

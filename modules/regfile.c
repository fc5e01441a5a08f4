/* regfile.c - banked register file: one read queue and one write port per bank
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Register file.  The arbiter of the reference always serves the heads of all banks
 * that are not written, so there is one queue per bank and nothing to arbitrate.
 */
#include <heddle/interface/regfile.h>
#include <heddle/payload/inst.h>

#include <stdlib.h>

/* At worst all operands of all collector units are in one bank. */
#define QUEUE (64u * HD_MAX_SRC)

struct bank {
	uint64_t written; /* edge + 1 of the last write */
	uint32_t head, count;
	uint8_t *queue;   /* collector units that wait for a read */
};

struct state {
	struct hd_regfile_if regfile;
	struct hd_ctx *ctx;
	uint32_t banks, sub_cores;
	uint32_t per_sub_core; /* banks of one sub-core; all of them if shared */
	uint64_t waiting;      /* banks with reads in their queue */
	struct bank *bank;
	uint64_t reads, writes, write_conflicts, read_waits;
};

enum { EVENT_WAIT };

static struct bank *bank_of(struct state *st, uint32_t warp, uint32_t reg, uint32_t *index)
{
	uint32_t b = (reg + warp) % st->per_sub_core;

	if (st->sub_cores)
		b += warp % st->sub_cores * st->per_sub_core;
	*index = b;
	return &st->bank[b];
}

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;
	uint64_t now = hd_now(st->ctx) + 1;
	uint32_t index;
	struct bank *b = bank_of(st, warp, reg, &index);

	if (b->written == now) {
		st->write_conflicts++;
		return false;
	}
	b->written = now;
	st->writes++;
	return true;
}

static void read_port(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t index;
		struct bank *b = bank_of(st, warp, reg[i], &index);

		b->queue[(b->head + b->count++) & (QUEUE - 1)] = (uint8_t)unit;
		st->waiting |= hd_bit(index);
	}
	st->reads += n;
}

/* Reports the reads that this step will not serve. */
static void report_waits(const struct state *st, bool first, uint64_t now)
{
	for (uint64_t m = st->waiting; m;) {
		unsigned i = hd_bits_pop(&m);
		const struct bank *b = &st->bank[i];
		bool write = first && b->written == now;

		if (write || b->count > 1)
			hd_emit(st->ctx, EVENT_WAIT, i, b->count - !write, write,
			        b->queue[(b->head + !write) & (QUEUE - 1)]);
	}
}

static uint64_t step(void *self, bool first, uint8_t *waiting)
{
	struct state *st = self;
	uint64_t now = hd_now(st->ctx) + 1, done = 0;

	if (HD_UNLIKELY(st->ctx->events != 0))
		report_waits(st, first, now);
	for (uint64_t m = st->waiting; m;) {
		unsigned i = hd_bits_pop(&m);
		struct bank *b = &st->bank[i];
		uint8_t unit;

		if (first && b->written == now) {
			st->read_waits++;
			continue;
		}
		unit = b->queue[b->head];
		b->head = (b->head + 1) & (QUEUE - 1);
		if (--b->count == 0)
			st->waiting &= ~hd_bit(i);
		else
			st->read_waits++;
		if (--waiting[unit] == 0)
			done |= UINT64_C(1) << unit;
	}
	return done;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->regfile = (struct hd_regfile_if){ .self = st, .write = write_port, .read = read_port,
		                              .step = step };
	if (st->sub_cores && st->banks % st->sub_cores)
		return hd_error(ctx, "%u banks cannot be divided among %u sub-cores; expected a "
		                "multiple of %u", st->banks, st->sub_cores, st->sub_cores);
	st->per_sub_core = st->sub_cores ? st->banks / st->sub_cores : st->banks;
	st->bank = calloc(st->banks, sizeof *st->bank);
	if (!st->bank)
		return hd_error(ctx, "out of memory");
	for (uint32_t i = 0; i < st->banks; i++) {
		st->bank[i].queue = calloc(QUEUE, 1);
		if (!st->bank[i].queue)
			return hd_error(ctx, "out of memory");
	}
	return 0;
}

static void fini(void *state)
{
	struct state *st = state;

	for (uint32_t i = 0; st->bank && i < st->banks; i++)
		free(st->bank[i].queue);
	free(st->bank);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->waiting);
	for (uint32_t i = 0; i < st->banks; i++) {
		HD_SAVED_FROM(k, &st->bank[i], written, count);
		hd_saved(k, st->bank[i].queue, QUEUE);
	}
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "banks", .unit = "banks", .doc = "register banks of the SM", .type = HD_U32,
	  .offset = P(banks), .def = "16", .min = 1, .max = 64 },
	{ .name = "sub_cores", .unit = "", .doc = "sub-cores among which the banks are divided; 0: "
	  "all warps share all banks", .type = HD_U32, .offset = P(sub_cores), .def = "0", .min = 0,
	  .max = 64 },
	{ .name = NULL },
};

enum { PORT_WRITE, PORT_READ };

static const struct hd_port ports[] = {
	[PORT_WRITE] = { .name = "write", .doc = "write ports, before the reads; first come, first "
	                 "served", .kind = HD_PROVIDES, .flags = HD_ORDERED,
	                 .type = &hd_type_regfile_if, .offset = P(regfile), .phase = 0 },
	[PORT_READ] = { .name = "read", .doc = "read queues, for one operand collector",
	                .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &hd_type_regfile_if,
	                .offset = P(regfile),
	                .phase = 1 },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reads", .unit = "operands", .doc = "operands read", .offset = P(reads) },
	{ .name = "writes", .unit = "registers", .doc = "writes that got the bank's port",
	  .offset = P(writes) },
	{ .name = "write_conflicts", .unit = "registers", .doc = "writes that found the bank's port "
	  "taken in this cycle", .offset = P(write_conflicts) },
	{ .name = "bank_conflicts", .unit = "steps", .doc = "steps in which a bank had reads that "
	  "had to wait, for another read or for a write", .offset = P(read_waits) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_WAIT] = { .name = "wait", .doc = "reads of a bank wait for the next step",
	                 .flags = HD_EVENT_DETAIL, .fields = {
		{ "bank", "", "number of the bank" },
		{ "reads", "operands", "that wait" },
		{ "write", "", "1: for a write, 0: for another read" },
		{ "unit", "", "collector unit of the first of them" },
	} },
	{ .name = NULL },
};

const struct hd_module hd_module_regfile = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "regfile",
	.doc = "banked register file: per bank one read per step and one write per cycle",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.fini = fini,
	.checkpoint = checkpoint,
};

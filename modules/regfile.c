/* regfile.c - banked register file: one read queue and one write port per bank
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Register file.  The arbiter of the reference always serves the heads of all banks
 * that are not written, so there is one queue per bank and nothing to arbitrate.  Several collectors
 * share these queues: a bank serves one read in each step of an edge, whichever of them makes the
 * step, and each collector gets its own operands.
 */
#include <heddle/interface/regfile.h>
#include <heddle/payload/inst.h>

/* At worst all operands of all collector units are in one bank. */
#define QUEUE (64u * HD_MAX_SRC)

#define SLOTS 256u /* of warps: hd_inst.warp */
#define NEVER UINT64_MAX

struct bank {
	uint64_t written; /* edge + 1 of the last write */
	uint32_t head, count;
	uint8_t *queue;   /* collector units that wait for a read, */
	uint8_t *reader;  /* and their collectors */
	uint64_t served;  /* with several collectors: steps of this edge in which it served one */
};

struct state;

/* A collector. */
struct reader {
	struct state *regfile;
	uint32_t index, step; /* the step that it makes, in this edge */
	uint64_t fresh;       /* units with reads that another collector's step served, */
	uint8_t done[64];     /* how many */
};

struct state {
	struct hd_regfile_if regfile;
	struct hd_ctx *ctx;
	struct hd_users readers;
	struct reader *reader;
	uint64_t edge;         /* + 1: the one that `served` of the banks is about */
	uint32_t queue;        /* size of a bank's */
	uint32_t banks, sub_cores;
	uint32_t per_sub_core; /* banks of one sub-core; all of them if shared */
	uint32_t mask;         /* that less one, if it is a power of two above 1; else 0 */
	uint8_t first[SLOTS];  /* by warp: the first bank of its sub-core */
	uint64_t waiting;      /* banks with reads in their queue */
	struct bank *bank;
	uint64_t reads, writes, write_conflicts, read_waits;
};

enum { EVENT_WAIT };

/* `first` is that of the warp in st->first. */
static inline uint32_t bank_of(const struct state *st, uint32_t first, uint32_t warp, uint32_t reg)
{
	uint32_t b = reg + warp;

	return first + (HD_LIKELY(st->mask) ? b & st->mask : b % st->per_sub_core);
}

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;
	uint64_t now = hd_now(st->ctx) + 1;
	struct bank *b = &st->bank[bank_of(st, st->first[warp % SLOTS], warp, reg)];

	if (b->written == now) {
		st->write_conflicts++;
		return false;
	}
	b->written = now;
	st->writes++;
	return true;
}

/* Returns where in the bank's queue the read is put. */
static inline uint32_t append(struct state *st, uint32_t i)
{
	struct bank *b = &st->bank[i];

	st->waiting |= hd_bit(i);
	return (b->head + b->count++) & (st->queue - 1);
}

static inline void read_done(struct state *st, unsigned i)
{
	struct bank *b = &st->bank[i];

	b->head = (b->head + 1) & (st->queue - 1);
	if (--b->count == 0)
		st->waiting &= ~hd_bit(i);
	else
		st->read_waits++;
}

static void read_port(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;
	uint32_t first = st->first[warp % SLOTS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = bank_of(st, first, warp, reg[i]);

		st->bank[b].queue[append(st, b)] = (uint8_t)unit;
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
			        b->queue[(b->head + !write) & (st->queue - 1)]);
	}
}

static uint64_t step(void *self, bool first, uint8_t *waiting)
{
	struct state *st = self;
	struct bank *bank = st->bank;
	uint64_t now = hd_now(st->ctx) + 1, done = 0, left = st->waiting, waits = 0;
	uint32_t mask = st->queue - 1;

	if (HD_UNLIKELY(st->ctx->events != 0))
		report_waits(st, first, now);
	if (!first)
		now = NEVER; /* only the first step sees writes */
	for (uint64_t m = left; m;) {
		unsigned i = hd_bits_pop(&m);
		struct bank *b = &bank[i];
		uint32_t head = b->head;
		uint8_t unit;

		if (HD_UNLIKELY(b->written == now)) {
			waits++;
			continue;
		}
		b->head = (head + 1) & mask;
		if (--b->count == 0)
			left ^= hd_bit(i);
		else
			waits++;
		unit = b->queue[head];
		if (--waiting[unit] == 0)
			done |= hd_bit(unit);
	}
	st->waiting = left;
	st->read_waits += waits;
	return done;
}

/* ---- several collectors ---------------------------------------------------------------------- */

static void read_shared(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct reader *r = self;
	uint32_t first = r->regfile->first[warp % SLOTS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = bank_of(r->regfile, first, warp, reg[i]), at = append(r->regfile, k);
		struct bank *b = &r->regfile->bank[k];

		b->queue[at] = (uint8_t)unit;
		b->reader[at] = (uint8_t)r->index;
	}
	r->regfile->reads += n;
}

/* The units that have all their operands by reads which steps of others have served. */
static uint64_t collect(struct reader *r, uint8_t *waiting)
{
	uint64_t done = 0;

	for (uint64_t m = r->fresh; m;) {
		unsigned unit = hd_bits_pop(&m);

		waiting[unit] = (uint8_t)(waiting[unit] - r->done[unit]);
		r->done[unit] = 0;
		if (waiting[unit] == 0)
			done |= hd_bit(unit);
	}
	r->fresh = 0;
	return done;
}

/* Has the bank served a read in this step of the edge?  From now on it has. */
static bool served(struct state *st, struct bank *b, uint32_t step, uint64_t now)
{
	bool before;

	if (st->edge != now) {
		st->edge = now;
		for (uint32_t i = 0; i < st->banks; i++)
			st->bank[i].served = 0;
	}
	before = b->served >> step & 1;
	b->served |= hd_bit(step);
	return before;
}

static uint64_t step_shared(void *self, bool first, uint8_t *waiting)
{
	struct reader *r = self;
	struct state *st = r->regfile;
	uint64_t now = hd_now(st->ctx) + 1;

	if (HD_UNLIKELY(st->ctx->events != 0))
		report_waits(st, first, now);
	r->step = first ? 0 : r->step + 1; /* a collector makes at most 64 in an edge */
	for (uint64_t m = st->waiting; m;) {
		unsigned i = hd_bits_pop(&m);
		struct bank *b = &st->bank[i];
		struct reader *whose;

		if (first && b->written == now) {
			st->read_waits++;
			continue;
		}
		if (served(st, b, r->step % 64, now))
			continue;
		whose = &st->reader[b->reader[b->head]];
		whose->done[b->queue[b->head]]++;
		whose->fresh |= hd_bit(b->queue[b->head]);
		read_done(st, i);
	}
	return collect(r, waiting);
}

/* An interface for each collector. */
static int make_readers(struct state *st)
{
	struct hd_regfile_if *face = st->readers.v;

	st->reader = hd_memory(st->ctx, st->readers.n + (size_t)1, sizeof *st->reader);
	if (!st->reader)
		return -1;
	for (uint32_t i = 0; i < st->readers.n; i++) {
		st->reader[i].regfile = st;
		st->reader[i].index = i;
		face[i] = (struct hd_regfile_if){ .self = &st->reader[i], .read = read_shared,
			                          .step = step_shared };
	}
	if (st->readers.n == 1)
		face[0] = (struct hd_regfile_if){ .self = st, .read = read_port, .step = step };
	st->queue = QUEUE;
	while (st->queue < QUEUE * st->readers.n)
		st->queue *= 2;
	return 0;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->regfile = (struct hd_regfile_if){ .self = st, .write = write_port };
	if (st->sub_cores && st->banks % st->sub_cores)
		return hd_error(ctx, "%u banks cannot be divided among %u sub-cores; expected a "
		                "multiple of %u", st->banks, st->sub_cores, st->sub_cores);
	st->per_sub_core = st->sub_cores ? st->banks / st->sub_cores : st->banks;
	st->mask = hd_is_power_of_two(st->per_sub_core) ? st->per_sub_core - 1 : 0;
	for (uint32_t i = 0; st->sub_cores && i < SLOTS; i++)
		st->first[i] = (uint8_t)(i % st->sub_cores * st->per_sub_core);
	st->bank = hd_memory(ctx, st->banks, sizeof *st->bank);
	if (!st->bank || make_readers(st) != 0)
		return hd_error(ctx, "out of memory");
	for (uint32_t i = 0; i < st->banks; i++) {
		st->bank[i].queue = hd_memory(ctx, st->queue, 1);
		st->bank[i].reader = hd_memory(ctx, st->queue, 1);
		if (!st->bank[i].queue || !st->bank[i].reader)
			return hd_error(ctx, "out of memory");
	}
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->waiting);
	for (uint32_t i = 0; i < st->banks; i++) {
		HD_SAVED_FROM(k, &st->bank[i], written, count);
		hd_saved(k, st->bank[i].queue, st->queue);
		hd_saved(k, st->bank[i].reader, st->queue);
	}
	for (uint32_t i = 0; i < st->readers.n; i++)
		HD_SAVED_FROM(k, &st->reader[i], fresh, done);
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
	[PORT_READ] = { .name = "read", .doc = "read queues, for the operand collectors",
	                .kind = HD_PROVIDES, .flags = HD_ORDERED | HD_ARRAY | HD_WORK_OUT,
	                .type = &hd_type_regfile_if, .offset = P(readers), .phase = 1 },
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
	.checkpoint = checkpoint,
};

/* regfile.c - banked register file: one read queue and one write port per bank
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Register file.  The arbiter of the reference always serves the heads of all banks
 * that are not written, so there is one queue per bank and nothing to arbitrate.  All reads of a unit
 * are queued at once: for one collector, sets of banks for its units in the order in which they
 * came are as good as the queues.  Several collectors share real queues: a bank serves one read in each
 * step of an edge, whichever of them makes the step, and each collector gets its own operands.
 */
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/inst.h>

/* At worst all operands of all collector units are in one bank. */
#define QUEUE (64u * HD_MAX_SRC)

#define SLOTS 256u /* of warps: hd_inst.warp */
#define UNITS 64u

enum { EVENT_WAIT };

/* With several. */
struct bank {
	uint32_t head, count;
	uint8_t *queue;   /* collector units that wait for a read, */
	uint8_t *reader;  /* and their collectors */
	uint64_t served;  /* steps of this edge in which it served one */
};

struct state;

/* A collector. */
struct reader {
	struct state *regfile;
	uint32_t index, step; /* the step that it makes, in this edge */
	uint64_t fresh;       /* units with reads that another collector's step served, */
	uint8_t done[UNITS];  /* how many */
	uint8_t waiting[UNITS]; /* by unit: operands not yet read */
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
	struct hd_banks all;
	uint64_t more[UNITS][HD_MAX_SRC]; /* by unit in all.several: banks with at least two reads for it, three ... */
	uint64_t waiting;      /* with several: banks with reads in their queue */
	struct bank *bank;
};

/* `first` is that of the warp. */
static inline uint32_t bank_of(const struct state *st, uint32_t first, uint32_t warp, uint32_t reg)
{
	uint32_t b = reg + warp;

	return first + (HD_LIKELY(st->mask) ? b & st->mask : b % st->per_sub_core);
}

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	return hd_bank_write(&st->all, bank_of(st, st->all.first[warp % SLOTS], warp, reg));
}

/* The banks that serve no read in this step: only the first one of an edge sees the writes. */
static inline uint64_t written(const struct state *st, bool first)
{
	return first && st->all.written_at == hd_now(st->ctx) + 1 ? st->all.written : 0;
}

/* ---- one collector ---------------------------------------------------------------------------- */

/* Some of the registers are in one bank. */
static void read_several(struct state *st, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	uint32_t first = st->all.first[warp % SLOTS];
	uint64_t *more = st->more[unit], set = 0;

	memset(more, 0, sizeof st->more[unit]);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t bit = hd_bit(bank_of(st, first, warp, reg[i])), have = set & bit;

		set |= bit;
		for (uint32_t k = 0; have; k++) {
			uint64_t old = more[k];

			more[k] |= have;
			have &= old;
		}
	}
	st->all.several |= hd_bit(unit);
}

static void read_port(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;
	uint64_t set = 0, twice = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t bit = hd_bit(bank_of(st, st->all.first[warp % SLOTS], warp, reg[i]));

		twice |= set & bit;
		set |= bit;
	}
	if (twice)
		read_several(st, unit, warp, reg, n);
	st->all.reads[unit] = set;
	st->all.taken |= set;
	st->all.unit[st->all.n++] = (uint8_t)unit;
	st->all.queued += n;
}

/* A unit for which some banks have two reads or more: those that have another one once these are served. */
static uint64_t serve_several(struct state *st, uint32_t unit, uint64_t banks)
{
	uint64_t *more = st->more[unit], again = more[0] & banks;

	for (uint32_t k = 0; k + 1 < HD_MAX_SRC && more[k]; k++)
		more[k] = (more[k] & ~banks) | (more[k + 1] & banks);
	if (!more[0])
		st->all.several &= ~hd_bit(unit);
	return again;
}

/* Reads of a unit in a bank. */
static uint32_t reads_in(const struct state *st, uint32_t unit, uint64_t bank)
{
	uint32_t n = (st->all.reads[unit] & bank) != 0;

	for (uint32_t k = 0; (st->all.several & hd_bit(unit)) && k < HD_MAX_SRC; k++)
		n += (st->more[unit][k] & bank) != 0;
	return n;
}

/* Reports the reads that this step will not serve. */
static void report_reads(const struct state *st, uint64_t busy)
{
	const struct hd_banks *r = &st->all;
	uint8_t unit[UNITS];
	uint32_t all = 0;

	for (uint64_t m = r->apart; m;)
		unit[all++] = (uint8_t)hd_bits_pop(&m);
	memcpy(unit + all, r->unit, r->n);
	all += r->n;
	for (uint32_t b = 0; b < st->banks; b++) {
		uint32_t n = 0, next = 0, now = !hd_bits_has(busy, b); /* is served now */

		for (uint32_t i = 0; i < all; i++) {
			uint32_t here = reads_in(st, unit[i], hd_bit(b));

			if (n <= now && n + here > now)
				next = unit[i];
			n += here;
		}
		if (n > now)
			hd_emit(st->ctx, EVENT_WAIT, b, n - now, !now, next);
	}
}

/* Serves the units that are apart, of which only writes hold up some: these stay apart.  Returns all their
 * banks, and those with reads that wait in *waits. */
static inline uint64_t serve_apart(struct hd_banks *r, uint64_t written, uint64_t *waits)
{
	uint64_t held_up = 0, all = 0;

	for (uint64_t m = r->apart; m;)
		all |= r->reads[hd_bits_pop(&m)];
	for (uint64_t m = all & written ? r->apart : 0; m;) {
		uint32_t unit = hd_bits_pop(&m);

		r->reads[unit] &= written;
		if (r->reads[unit])
			held_up |= hd_bit(unit);
	}
	r->apart = held_up;
	*waits = all & written;
	return all;
}

static uint64_t step(void *self, bool first)
{
	struct state *st = self;
	struct hd_banks *r = &st->all;
	uint64_t busy = written(st, first), done = r->apart, waits;
	uint32_t n = 0;

	if (HD_UNLIKELY(st->ctx->events != 0))
		report_reads(st, busy);
	busy |= serve_apart(r, busy, &waits);
	done ^= r->apart;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t unit = r->unit[i];
		uint64_t left = r->reads[unit], served = left & ~busy;

		busy |= left;
		left ^= served;
		if (HD_UNLIKELY(r->several & hd_bit(unit)))
			left |= serve_several(st, unit, served);
		if (left) {
			r->reads[unit] = left;
			r->unit[n++] = (uint8_t)unit;
			waits |= left;
		} else {
			done |= hd_bit(unit);
		}
	}
	r->n = n;
	r->taken = waits;
	if (waits)
		st->all.waits += hd_bits_count(waits);
	return done;
}

/* ---- several collectors ---------------------------------------------------------------------- */

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
		st->all.waits++;
}

/* Reports the reads that this step will not serve. */
static void report_waits(const struct state *st, uint64_t busy)
{
	for (uint64_t m = st->waiting; m;) {
		unsigned i = hd_bits_pop(&m);
		const struct bank *b = &st->bank[i];
		bool write = hd_bits_has(busy, i);

		if (write || b->count > 1)
			hd_emit(st->ctx, EVENT_WAIT, i, b->count - !write, write,
			        b->queue[(b->head + !write) & (st->queue - 1)]);
	}
}

static void read_shared(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct reader *r = self;
	uint32_t first = r->regfile->all.first[warp % SLOTS];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = bank_of(r->regfile, first, warp, reg[i]), at = append(r->regfile, k);
		struct bank *b = &r->regfile->bank[k];

		b->queue[at] = (uint8_t)unit;
		b->reader[at] = (uint8_t)r->index;
	}
	r->waiting[unit] = (uint8_t)n;
	r->regfile->all.queued += n;
}

/* The units that have all their operands by reads which steps of others have served. */
static uint64_t collect(struct reader *r)
{
	uint64_t done = 0;

	for (uint64_t m = r->fresh; m;) {
		unsigned unit = hd_bits_pop(&m);

		r->waiting[unit] = (uint8_t)(r->waiting[unit] - r->done[unit]);
		r->done[unit] = 0;
		if (r->waiting[unit] == 0)
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

static uint64_t step_shared(void *self, bool first)
{
	struct reader *r = self;
	struct state *st = r->regfile;
	uint64_t now = hd_now(st->ctx) + 1, busy = written(st, first);

	if (HD_UNLIKELY(st->ctx->events != 0))
		report_waits(st, busy);
	r->step = first ? 0 : r->step + 1; /* a collector makes at most 64 in an edge */
	for (uint64_t m = st->waiting; m;) {
		unsigned i = hd_bits_pop(&m);
		struct bank *b = &st->bank[i];
		struct reader *whose;

		if (hd_bits_has(busy, i)) {
			st->all.waits++;
			continue;
		}
		if (served(st, b, r->step % 64, now))
			continue;
		whose = &st->reader[b->reader[b->head]];
		whose->done[b->queue[b->head]]++;
		whose->fresh |= hd_bit(b->queue[b->head]);
		read_done(st, i);
	}
	return collect(r);
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
		face[0] = (struct hd_regfile_if){ .self = st, .read = read_port, .step = step,
			                          .banks = st->regfile.banks };
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
	st->all.ctx = ctx;
	st->all.mask = st->mask;
	st->regfile.banks = st->mask ? &st->all : NULL;
	for (uint32_t i = 0; st->sub_cores && i < SLOTS; i++)
		st->all.first[i] = (uint8_t)(i % st->sub_cores * st->per_sub_core);
	st->bank = hd_memory(ctx, st->banks, sizeof *st->bank);
	if (!st->bank || make_readers(st) != 0)
		return hd_error(ctx, "out of memory");
	for (uint32_t i = 0; st->readers.n > 1 && i < st->banks; i++) {
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

	HD_SAVED_FROM(k, &st->all, reads, unit);
	HD_SAVED_FROM(k, &st->all, written, written_at);
	HD_SAVED_FROM(k, st, more, waiting);
	for (uint32_t i = 0; st->readers.n > 1 && i < st->banks; i++) {
		HD_SAVED_FROM(k, &st->bank[i], head, count);
		hd_saved(k, st->bank[i].queue, st->queue);
		hd_saved(k, st->bank[i].reader, st->queue);
	}
	for (uint32_t i = 0; i < st->readers.n; i++)
		HD_SAVED_FROM(k, &st->reader[i], fresh, waiting);
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

static const struct hd_port ports[] = {
	{ .name = "write", .doc = "write ports, before the reads; first come, first served",
	  .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &hd_type_regfile_if,
	  .offset = P(regfile), .phase = 0 },
	{ .name = "read", .doc = "read queues, for the operand collectors", .kind = HD_PROVIDES,
	  .flags = HD_ORDERED | HD_ARRAY | HD_WORK_OUT, .type = &hd_type_regfile_if,
	  .offset = P(readers), .phase = 1 },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reads", .unit = "operands", .doc = "operands read", .offset = P(all.queued) },
	{ .name = "writes", .unit = "registers", .doc = "writes that got the bank's port",
	  .offset = P(all.writes) },
	{ .name = "write_conflicts", .unit = "registers", .doc = "writes that found the bank's port "
	  "taken in this cycle", .offset = P(all.write_conflicts) },
	{ .name = "bank_conflicts", .unit = "steps", .doc = "steps in which a bank had reads that "
	  "had to wait, for another read or for a write", .offset = P(all.waits) },
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

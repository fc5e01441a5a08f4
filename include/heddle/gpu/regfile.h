/* regfile.h - interfaces of the banked register file and of the result bus
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Register file; docs/sm.md, Function units.
 */
#ifndef HEDDLE_GPU_REGFILE_H
#define HEDDLE_GPU_REGFILE_H

#include <heddle/gpu/inst.h>

#define HD_READ_UNITS 64u

/* What the functions below need of a register file whose banks are a power of two for each warp.  All reads
 * of a unit are queued at once, so that sets of banks for units, in the order in which they came, are as
 * good as queues. */
struct hd_banks {
	const struct hd_ctx *ctx;
	uint32_t mask;                /* how many banks a warp has, less one, */
	uint8_t first[256];           /* and by warp: the first of them */
	uint64_t written, written_at; /* banks written in an edge, and that + 1 */

	/* With one collector. */
	uint64_t reads[HD_READ_UNITS]; /* by unit: banks with a read for it, */
	uint64_t taken;                /* and those of all units */
	uint64_t apart;                /* units whose banks were all free when they came: before those in the list */
	uint64_t several;              /* units for which a bank has two or more; the register file keeps them */
	uint32_t n;
	uint8_t unit[HD_READ_UNITS];   /* n others that wait for reads; the first one came first */

	uint64_t queued, waits, writes, write_conflicts; /* statistics of the register file */
};

struct hd_regfile_if {
	void *self;
	/* Takes the bank's write port for this edge.  Returns false if it is already taken. */
	bool (*write)(void *self, uint32_t warp, uint32_t reg);
	/* Queues reads of n operands, at least one, for collector unit `unit`, which has no others outstanding. */
	void (*read)(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n);
	/* One step: every bank without a write in this step serves the head of its queue.  `first` is
	 * true in the first step of an edge: only that one sees the writes.  Returns the units whose last
	 * outstanding read was served. */
	uint64_t (*step)(void *self, bool first);
	struct hd_banks *banks; /* for the functions below; NULL: they call these */
};

static const struct hd_type hd_type_regfile_if = {
	.name = "regfile", .size = sizeof(struct hd_regfile_if), .version = 3,
	.work = HD_WORK_IN,
};

/* Where the registers of a warp are: in the one register file, or in that of its sub-core. */
static inline const struct hd_regfile_if *hd_regfile_of(const struct hd_ifs *files, uint32_t warp)
{
	return (const struct hd_regfile_if *)files->v[files->n == 1 ? 0 : warp % files->n];
}

/* Takes the write port of the bank for this edge.  Returns false if it is already taken. */
static inline bool hd_bank_write(struct hd_banks *b, uint32_t bank)
{
	uint64_t now = hd_now(b->ctx) + 1, bit = hd_bit(bank);

	if (b->written_at != now) {
		b->written_at = now;
		b->written = 0;
	}
	if (b->written & bit) {
		b->write_conflicts++;
		return false;
	}
	b->written |= bit;
	b->writes++;
	return true;
}

static inline bool hd_banks_write(struct hd_banks *b, uint32_t warp, uint32_t reg)
{
	return hd_bank_write(b, b->first[warp % 256] + ((reg + warp) & b->mask));
}

/* Has the effect of write(). */
static inline bool hd_regfile_write(const struct hd_ifs *files, uint32_t warp, uint32_t reg)
{
	const struct hd_regfile_if *f = hd_regfile_of(files, warp);

	return HD_LIKELY(f->banks != NULL) ? hd_banks_write(f->banks, warp, reg) : f->write(f->self, warp, reg);
}

/* Has the effect of read(). */
static inline void hd_regfile_read(const struct hd_regfile_if *f, uint32_t unit, uint32_t warp, const uint16_t *reg,
                                   uint32_t n)
{
	struct hd_banks *b = f->banks;
	uint64_t set = 0, sum = 0;

	for (uint32_t i = 0; HD_LIKELY(b != NULL) && i < n; i++) {
		uint64_t bit = hd_bit((reg[i] + warp) & b->mask);

		set |= bit;
		sum += bit;
	}
	if (HD_LIKELY(b != NULL && sum == set)) { /* each in another bank */
		set <<= b->first[warp % 256];
		if (HD_LIKELY(!(set & b->taken))) {
			b->reads[unit] = set;
			b->taken |= set;
			b->apart |= hd_bit(unit);
			b->queued += n;
			return;
		}
	}
	f->read(f->self, unit, warp, reg, n);
}

#if defined(__GNUC__)
__attribute__((noinline, cold, unused)) static
#else
static inline
#endif
uint64_t hd__regfile_wrong(const struct hd_ctx *c, const struct hd_regfile_if *f, uint64_t done, uint64_t asked)
{
	hd_wrong(c, f, "returned unit %u from step(), for which no register was asked",
	         hd_bits_first(done & ~asked));
	return done & asked;
}

/* Has the effect of step(), for the instance that has asked for registers of these units. */
static inline uint64_t hd_regfile_step(const struct hd_ctx *c, const struct hd_regfile_if *f, bool first,
                                       uint64_t asked)
{
	struct hd_banks *b = f->banks;
	uint64_t done;

	if (HD_UNLIKELY(b == NULL || b->n || b->ctx->events != 0)
	    || (first && b->written_at == hd_now(b->ctx) + 1 && (b->written & b->taken))) {
		done = f->step(f->self, first);
		return HD_LIKELY(!(done & ~asked)) ? done : hd__regfile_wrong(c, f, done, asked);
	}
	done = b->apart;
	b->apart = 0;
	b->taken = 0;
	return done;
}

/* Uses of something in one edge. */
struct hd_uses {
	uint64_t edge;
	uint32_t n;
};

/* One more in this edge, of at most so many.  Returns false if there were so many. */
static inline bool hd_use(struct hd_uses *u, uint64_t edge, uint32_t most)
{
	if (u->edge != edge)
		*u = (struct hd_uses){ edge, 0 };
	if (u->n == most)
		return false;
	u->n++;
	return true;
}

struct hd_result_buses {
	const struct hd_ctx *ctx;
	uint32_t width, mask;          /* mask + 1 places: more than the longest time ahead so far */
	struct hd_uses *place;         /* ring by edge */
	uint64_t reserved, refused;    /* statistics */
};

struct hd_result_bus_if {
	void *self;
	/* Reserves a bus `ahead` edges from now, at which the instruction has its result.  Returns false if all are
	 * taken then: it is asked again. */
	bool (*reserve)(void *self, hd_inst_ref inst, uint32_t ahead);
	uint32_t max_ahead;
	struct hd_result_buses *buses; /* for hd_result_bus_reserve(); NULL: it calls reserve() */
};

static const struct hd_type hd_type_result_bus_if = {
	.name = "result_bus", .size = sizeof(struct hd_result_bus_if), .version = 4,
};

/* A bus at most mask edges from now. */
static inline bool hd_result_buses_reserve(struct hd_result_buses *b, uint32_t ahead)
{
	uint64_t edge = hd_now(b->ctx) + ahead;

	if (!hd_use(&b->place[edge & b->mask], edge, b->width)) {
		b->refused++;
		return false;
	}
	b->reserved++;
	return true;
}

/* Has the effect of reserve(). */
static inline bool hd_result_bus_reserve(const struct hd_result_bus_if *f, hd_inst_ref inst, uint32_t ahead)
{
	if (HD_LIKELY(f->buses != NULL && ahead <= f->buses->mask))
		return hd_result_buses_reserve(f->buses, ahead);
	return f->reserve(f->self, inst, ahead);
}

#endif

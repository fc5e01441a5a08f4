/* inst.h - one warp instruction in flight
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Channels carry the handle (hd_inst_ref); the record is in the pool of hd_type_inst.  decode
 * allocates it, the stage that completes the instruction (writeback, load/store unit) releases it.
 */
#ifndef HEDDLE_GPU_INST_H
#define HEDDLE_GPU_INST_H

#include <heddle/module.h>

/* Control words: what a compiler has written into an instruction for a core without interlocks (docs/modern.md).
 * Registers have numbers as in hd_inst: the SASS number + 1, 0 is none. */
#define HD_COUNTERS 6u        /* dependence counters of a warp, SB0 to SB5 */
#define HD_NO_COUNTER 7u
#define HD_OPERAND_SLOTS 3u
#define HD_MAX_STALL 15u

enum hd_control_flag {
	HD_CONTROL_GIVEN = 1 << 0,     /* without it all else is 0: nothing is known */
	HD_CONTROL_SYNTHETIC = 1 << 1, /* made for this run, not by a compiler */
	HD_CONTROL_YIELD = 1 << 2,
	HD_CONTROL_CLOCK = 1 << 3,     /* reads the clock: CS2R or S2R of SR_CLOCKLO */
	HD_CONTROL_DEPBAR = 1 << 4,    /* waits until .depbar <= hd_inst.imm and all of .list are 0 */
	HD_CONTROL_CONSTANT = 1 << 5,  /* has an operand at .constant */
	HD_CONTROL_UNIFORM = 1 << 6,   /* its address has a uniform register and no other */
	HD_CONTROL_OPERANDS = 1 << 7,  /* the slots are those of the text; else they are in the order of
	                                * hd_inst.src */
};

struct hd_control {
	uint8_t flags;       /* enum hd_control_flag */
	uint8_t stall;       /* cycles, up to HD_MAX_STALL */
	uint8_t write, read; /* counters that fall when the result is written, and when the sources
	                      * are read; or HD_NO_COUNTER */
	uint8_t wait;        /* set of counters that must be 0 */
	uint8_t reuse;       /* set of operand slots that the register-file cache keeps */
	uint8_t depbar, list; /* a counter, and a set of counters */
	uint8_t ndst;        /* registers written, from hd_inst.dst on */
	uint8_t nslot[HD_OPERAND_SLOTS]; /* registers of each operand, from .slot on */
	uint16_t slot[HD_OPERAND_SLOTS]; /* 0: no register, or RZ */
	uint8_t guard;       /* 1 + the predicate that switches lanes off, as a bit of reads_p; 0: none */
	uint16_t reads_p, writes_p;      /* sets of predicates, P0 to P6; bit 8 + i: UPi */
	uint16_t bank;       /* of the constant operand, */
	uint32_t constant;   /* and its offset in bytes */
};

#define HD_LANES 32u
#define HD_MAX_SRC 8u

enum hd_inst_flag {
	HD_INST_LOAD = 1 << 0,   /* completes when its data is back (also every atomic) */
	HD_INST_STORE = 1 << 1,
	HD_INST_ATOMIC = 1 << 2, /* its warp waits until all lanes are answered */
	HD_INST_BARRIER = 1 << 3,
	HD_INST_FENCE = 1 << 4,
	HD_INST_EXIT = 1 << 5,
	HD_INST_COPY = 1 << 6,        /* asynchronous global-to-shared copy (LDGSTS) */
	HD_INST_COPY_COMMIT = 1 << 7, /* closes a group of copies (LDGDEPBAR) */
	HD_INST_COPY_WAIT = 1 << 8,   /* waits for groups of copies (DEPBAR), imm of them may stay */
	HD_INST_BYPASS = 1 << 9,      /* bypasses the L1D */
	HD_INST_LAST = 1 << 10,       /* no instruction of its warp follows in the trace */
	HD_INST_WRONG_PATH = 1 << 11, /* fetched and decoded, but its warp is elsewhere: never issued */
	HD_INST_VARIABLE = 1 << 12,   /* its latency is not fixed: a dependence counter protects its
	                               * result; set by the control stage */
	HD_INST_ROW = 1 << 13,        /* active lanes are neighbours, and their addresses `step` bytes apart */
	HD_INST_FAR = 1 << 14,        /* addresses of active lanes are too far apart for 32 bits */
	HD_INST_ASYNC = 1 << 15,      /* an asynchronous unit reads it at its issue: see .async */
};

enum hd_space { HD_SPACE_NONE, HD_SPACE_GLOBAL, HD_SPACE_LOCAL, HD_SPACE_SHARED, HD_SPACE_CONST,
	HD_SPACE_TEXTURE, HD_SPACES };

/* What an instruction asks of a unit that works besides its warp; the tables of opcodes name it (docs/traces.md). */
enum hd_async_op {
	HD_ASYNC_NONE,
	HD_ASYNC_BARRIER_INIT, HD_ASYNC_BARRIER_ARRIVE, HD_ASYNC_BARRIER_TEST, HD_ASYNC_BARRIER_END,
	HD_ASYNC_BARRIER_COPIES, /* an arrival when earlier asynchronous copies are done */
	HD_ASYNC_REMOTE_STORE,   /* to another CTA, whose bytes arrive at the barrier that its value names */
	HD_ASYNC_MMA, HD_ASYNC_MMA_FENCE, HD_ASYNC_MMA_WAIT,
	HD_ASYNC_BULK_LOAD, HD_ASYNC_BULK_STORE, HD_ASYNC_BULK_REDUCE, HD_ASYNC_BULK_PREFETCH, HD_ASYNC_BULK_MOVE,
	HD_ASYNC_BULK_COMMIT,
	HD_ASYNC_CLUSTER_ARRIVE, HD_ASYNC_CLUSTER_WAIT,
	HD_ASYNC_REGISTERS_GIVE, HD_ASYNC_REGISTERS_TAKE,
	HD_ASYNC_OPS,
};

/* Forms of them. */
enum hd_async_how {
	/* BARRIER_ARRIVE: arrivals and bytes, none, one or as many as the register says */
	HD_ARRIVE_ONE = 1 << 0, HD_ARRIVE_REGISTER = 1 << 1,
	HD_ARRIVE_EXPECT_ONE = 1 << 2, HD_ARRIVE_EXPECT = 1 << 3, HD_ARRIVE_COMPLETE = 1 << 4,
	HD_ARRIVE_DROP = 1 << 5, /* fewer arrivals are expected from the next phase on */
	/* BARRIER_TEST */
	HD_TEST_WAIT = 1 << 0, /* its warp is held for a time if the phase is not over */
	/* MMA */
	HD_MMA_SHARED = 1 << 0, /* A is in shared memory, else in registers */
	HD_MMA_SPARSE = 1 << 1,
	HD_MMA_LAST = 1 << 2,   /* closes its group */
	HD_MMA_TALL = 1 << 3,   /* 128 rows instead of 64 */
	/* BULK */
	HD_BULK_TENSOR = 1 << 0, /* it has a descriptor */
	/* A barrier of a CTA (HD_INST_BARRIER) */
	HD_NAMED_ARRIVE = 1 << 0, /* does not wait */
	/* any that has values */
	HD_ASYNC_BARE = 1 << 6,    /* the trace has none */
	HD_ASYNC_BY_LANE = 1 << 7, /* each active lane has its own, in .far */
};

/* That instruction, as far as it is the same in each execution. */
struct hd_async {
	uint8_t op;    /* enum hd_async_op */
	uint8_t how;   /* set of enum hd_async_how */
	uint16_t n;    /* MMA: columns of the product; a barrier of a CTA: its id; MMA_WAIT: groups that may be open;
	                * REGISTERS: of a thread, from then on */
	uint32_t more; /* MMA: k; BULK: number of its form, hd_trace_if.bulk(); a barrier of a CTA: threads, 0: all */
};

/* What a bulk copy moves.  A value of its instruction is the address of its barrier, with the set of CTAs that get the
 * data in bits 32 to 47, 0: its own. */
struct hd_bulk {
	uint32_t bytes, beyond; /* in all; and those of them outside of the tensor */
	uint32_t piece;         /* bytes from each address on */
	uint32_t pieces;
	const int64_t *step;    /* from each address to the next: pieces - 1; the first is that of the instruction */
};

/* Register numbers are the SASS number + 1, 0 is none; RZ is register 256 (docs/sm.md, T3).  A record is six cache
 * lines, and what most modules need is in the first two. */
struct hd_inst {
	uint64_t uid;   /* issue order over the whole run, from 1; set at issue */
	uint32_t pc;    /* bytes, as in the trace */
	uint32_t mask;  /* active lanes */
	uint32_t exits; /* lanes that end with this instruction */
	int32_t imm;
	uint32_t opcode; /* hd_trace_if.opcode_text() */
	uint32_t code;   /* number of this static instruction over the whole run, from 1 */
	uint32_t kernel; /* position of its launch in the list of kernels, from 1 */
	uint16_t flags;  /* enum hd_inst_flag */
	uint16_t dst;    /* 0: none */
	uint16_t src[HD_MAX_SRC]; /* distinct, in order of first mention */
	uint8_t nsrc;
	uint8_t cls;    /* symbol of kind "class": which units take it */
	uint8_t space;  /* enum hd_space */
	uint8_t width;  /* bytes each lane accesses */
	uint8_t rate;   /* initiation interval is divided by it, at least 1 */
	uint8_t warp;   /* hardware warp slot */
	uint8_t sched;  /* scheduler that issued it; set at issue */
	uint8_t nlanes; /* number of active lanes */
	struct hd_control control;
	struct hd_async async;
	uint64_t regs;  /* hd_inst_regs() */
	uint8_t power;  /* 1 + symbol of kind "power", 0: none; where activity is counted (docs/energy.md) */
	bool leads;     /* the same: it leads a pair of one fetch */
	bool forwarded; /* its register is released, as its result came by a bypass: it is not released again when the
	                 * instruction completes */
	uint32_t operands; /* hd_inst_operand() */
	/* Addresses, in bytes, of memory instructions: hd_inst_addr().  With HD_INST_ROW base is that of lane 0,
	 * and the others are multiples of the step behind it.  Else it is that of the first active lane, and
	 * `near` tells how far behind it each active lane's is, in order of lane, so that most need few cache
	 * lines: a signed number, or with HD_INST_FAR the lower half of one, with the upper half in `far`. */
	uint64_t base;
	union {
		uint64_t step;
		uint32_t near[HD_LANES];
	};
	union {
		uint32_t far[HD_LANES];
		uint64_t value; /* with .async.op, whose addresses are never far: of a register (docs/traces.md), or of
		                 * all lanes */
	};
};

typedef uint32_t hd_inst_ref;

#define HD_INST_FIELD(f) .offset = offsetof(struct hd_inst, f), .size = sizeof(((struct hd_inst *)0)->f)

/* Fields of an instruction in dumps. */
static const struct hd_field hd_inst_fields[] = {
	{ .name = "uid", .unit = "", .doc = "order of issue over the whole run, from 1; 0: not issued",
	  HD_INST_FIELD(uid) },
	{ .name = "warp", .unit = "", .doc = "hardware warp slot", .flags = HD_FIELD_KEY,
	  HD_INST_FIELD(warp) },
	{ .name = "code", .unit = "", .doc = "static instruction", .names = "code",
	  HD_INST_FIELD(code) },
	{ .name = "mask", .unit = "", .doc = "active lanes", .flags = HD_FIELD_HEX,
	  HD_INST_FIELD(mask) },
	{ .name = "pc", .unit = "bytes", .doc = "its address", .flags = HD_FIELD_HIDDEN,
	  HD_INST_FIELD(pc) },
	{ .name = "kernel", .unit = "", .doc = "position of the launch in the list of kernels",
	  .flags = HD_FIELD_HIDDEN, HD_INST_FIELD(kernel) },
	{ 0 },
};

static const struct hd_type hd_type_inst = {
	.name = "inst", .size = sizeof(hd_inst_ref), .version = 10, .record = sizeof(struct hd_inst),
	.fields = hd_inst_fields,
};

/* Registers as a set that is small enough to be compared at once: bit = number modulo 64. */
static inline uint64_t hd_inst_reg(uint32_t reg)
{
	return hd_bit(reg % 64);
}

/* The registers that an instruction reads or writes as such a set; for .regs. */
static inline uint64_t hd_inst_regs(const struct hd_inst *i)
{
	uint64_t set = i->dst ? hd_inst_reg(i->dst) : 0;

	for (unsigned k = 0; k < i->nsrc; k++)
		set |= hd_inst_reg(i->src[k]);
	return set;
}

/* The register that is the source at this place of the text, among sources that are registers, from 0 to 7: FFMA R1,
 * R2, 2, R2 has R2 at both.  0: there is none.  With control words, where HD_CONTROL_OPERANDS is set, `control.slot`
 * has the slots of the hardware. */
static inline uint32_t hd_inst_operand(const struct hd_inst *i, uint32_t place)
{
	uint32_t k = place < HD_MAX_SRC ? i->operands >> 4 * place & 15 : 0;

	return k ? i->src[k - 1] : 0;
}

static inline struct hd_inst *hd_inst(const struct hd_pool *p, hd_inst_ref r)
{
	return (struct hd_inst *)p->base + r; /* hd_rec() with a constant size */
}

/* Two addresses: a compiler may have an instruction for both. */
typedef uint64_t hd_inst_pair __attribute__((vector_size(16)));

/* Addresses of all lanes, `step` bytes apart.  In pairs by hand: of fours GCC 12 makes wrong code at -O3. */
static inline void hd_inst_row(uint64_t *addr, uint64_t first, uint64_t step)
{
	hd_inst_pair pair = { first, first + step }, by = { 2 * step, 2 * step };

#pragma GCC unroll 16
	for (unsigned i = 0; i < HD_LANES; i += 2, pair += by)
		memcpy(addr + i, &pair, sizeof pair);
}

/* Address of the nth active lane of an instruction whose lanes are not a row. */
static inline uint64_t hd__inst_nth(const struct hd_inst *inst, unsigned n)
{
	if (HD_UNLIKELY(inst->flags & HD_INST_FAR))
		return inst->base + inst->near[n] + ((uint64_t)inst->far[n] << 32);
	return inst->base + (uint64_t)(int32_t)inst->near[n];
}

/* Address of a lane of a memory instruction; 0: it is inactive. */
static inline uint64_t hd_inst_addr(const struct hd_inst *inst, unsigned lane)
{
	if (!(inst->mask >> lane & 1))
		return 0;
	if (HD_LIKELY(inst->flags & HD_INST_ROW))
		return inst->base + lane * inst->step;
	return hd__inst_nth(inst, hd_bits_count32(inst->mask & (uint32_t)hd_bits_below(lane)));
}

/* Addresses of active lanes, in order of lane, which are somewhere in `v`. */
static inline const uint64_t *hd_inst_packed(const struct hd_inst *inst, uint64_t v[HD_LANES])
{
	unsigned n = 0;

	if (inst->flags & HD_INST_ROW) {
		hd_inst_row(v, inst->base, inst->step);
		return v + hd_bits_first(inst->mask);
	}
	for (uint32_t m = inst->mask; m; m &= m - 1, n++)
		v[n] = hd__inst_nth(inst, n);
	return v;
}

/* Addresses of active lanes, by lane, in `v`. */
static inline const uint64_t *hd_inst_addrs(const struct hd_inst *inst, uint64_t v[HD_LANES])
{
	unsigned n = 0;

	if (inst->flags & HD_INST_ROW)
		hd_inst_row(v, inst->base, inst->step);
	else
		for (uint64_t m = inst->mask; m; n++)
			v[hd_bits_pop(&m)] = hd__inst_nth(inst, n);
	return v;
}

/* Stores the addresses of active lanes, which are given in order of lane. */
static inline void hd_inst_set_packed(struct hd_inst *inst, const uint64_t *v)
{
	unsigned n = 0;

	inst->flags &= (uint16_t)~(HD_INST_ROW | HD_INST_FAR);
	inst->base = v[0];
	for (uint32_t m = inst->mask; m; m &= m - 1, n++) {
		uint64_t behind = v[n] - v[0];

		inst->near[n] = (uint32_t)behind;
		inst->far[n] = (uint32_t)(behind >> 32);
		if (behind != (uint64_t)(int32_t)behind)
			inst->flags |= HD_INST_FAR;
	}
}

/* Sets the addresses, which are given by lane. */
static inline void hd_inst_set_addrs(struct hd_inst *inst, const uint64_t v[HD_LANES])
{
	uint64_t packed[HD_LANES] = { 0 };
	unsigned n = 0;

	for (uint64_t m = inst->mask; m;)
		packed[n++] = v[hd_bits_pop(&m)];
	hd_inst_set_packed(inst, packed);
}

/* The instruction in a slot of a register set. */
static inline hd_inst_ref hd_inst_in(const struct hd_end *e, unsigned slot)
{
	return *(const hd_inst_ref *)hd_slot_sized(e, slot, sizeof(hd_inst_ref));
}

/* The slot, of at least one, that holds the instruction issued first. */
static inline unsigned hd_inst_oldest(const struct hd_pool *p, const struct hd_end *e,
                                      uint64_t slots)
{
	unsigned best = hd_bits_pop(&slots);
	uint64_t uid;

	if (!slots)
		return best;
	uid = hd_inst(p, hd_inst_in(e, best))->uid;
	while (slots) {
		unsigned i = hd_bits_pop(&slots);
		uint64_t other = hd_inst(p, hd_inst_in(e, i))->uid;

		if (other < uid) {
			uid = other;
			best = i;
		}
	}
	return best;
}

#endif

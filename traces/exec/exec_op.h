/* exec_op.h - a decoded instruction: what executes it, and where its operands are
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every operand is a row of 32 words, one for each lane: a register, a uniform register, which is kept once for
 * each lane, or a constant.  So an operation needs no forms.  Registers are rows of the warp, constants and
 * immediates rows of the launch.
 */
#ifndef TRACES_EXEC_EXEC_OP_H
#define TRACES_EXEC_EXEC_OP_H

#include "traces/sass/sass.h"

#define EXEC_LANES 32u
#define EXEC_ALL UINT32_MAX /* lanes */

/* Rows of a warp. */
#define EXEC_REGISTERS 256u
#define EXEC_UNIFORM EXEC_REGISTERS     /* first of the uniform ones */
#define EXEC_UNIFORMS 128u
#define EXEC_NOWHERE (EXEC_UNIFORM + EXEC_UNIFORMS) /* what RZ gets as a destination; a matrix has 8 of them */
#define EXEC_ROWS (EXEC_NOWHERE + 8)
#define EXEC_ZEROS 4u                   /* first rows of the constants: RZ as a source of up to four registers */
#define EXEC_CONSTANT UINT32_C(0x80000000) /* set in the place of a row of constants */

#define EXEC_RZ 255u
#define EXEC_PT 7u
#define EXEC_NOT 16u                    /* set in the number of a predicate that is negated */
#define EXEC_UP 8u                      /* first of the uniform predicates */
#define EXEC_PREDICATES 16u

/* Modifiers of a source. */
enum { EXEC_NEGATED = 1, EXEC_ABSOLUTE = 2 };
#define EXEC_HALF(modifiers) ((modifiers) >> 2 & 3) /* selector of halves */

/* No such source in the list of a texture's sources. */
#define EXEC_NO_ITEM 255

/* Flags of an operation. */
enum {
	EXEC_FTZ = 1 << 0,
	EXEC_SAT = 1 << 1,
	EXEC_X = 1 << 2,        /* takes carries */
	EXEC_SIGNED = 1 << 3,
	EXEC_WIDE_BASE = 1 << 4, /* the base of an address is a pair */
	EXEC_WIDE_ADDED = 1 << 5, /* the uniform register that is added to it is one */
	EXEC_PAIR = 1 << 6,     /* 64-bit values */
	EXEC_BF16 = 1 << 7,
	EXEC_STRONG = 1 << 8,   /* a load that other threads' stores must become visible to, or such a store */
	EXEC_RELU = 1 << 9,
	EXEC_HIGH = 1 << 10,
	EXEC_FIRST = 1 << 11,   /* is the first instruction of its turn: the other warps of the block come before it */
};

struct exec_warp;
struct exec_op;

typedef void exec_function(struct exec_warp *w, const struct exec_op *o, uint32_t lanes);

/* What the loop of a warp does itself; all else is an exec_function. */
enum exec_flow {
	EXEC_UNKNOWN,
	EXEC_PLAIN,
	EXEC_NOTHING,
	EXEC_BSSY,
	EXEC_BSYNC,
	EXEC_BREAK,
	EXEC_BRANCH,
	EXEC_INDIRECT,
	EXEC_CALL_ABS,
	EXEC_JUMP_ABS,
	EXEC_EXIT,
	EXEC_WARPSYNC,
	EXEC_YIELD,
	EXEC_BARRIER,
	EXEC_CLUSTER_ARRIVE,
	EXEC_CLUSTER_WAIT,
	EXEC_TRAP,
	EXEC_PHASE,
};

/* What else is recorded of an operation. */
enum exec_notes { EXEC_NO_NOTES, EXEC_VALUES, EXEC_BULK };

struct exec_op {
	exec_function *run;
	uint8_t flow;           /* enum exec_flow */
	uint8_t guard;          /* predicate; EXEC_PT: none */
	bool uniform;           /* of the uniform datapath: done once, for all lanes */
	bool access;            /* has addresses */
	bool may_fail;
	bool async;             /* of units beside the warps */
	uint8_t notes;          /* enum exec_notes */
	uint8_t size;           /* of an access, bytes */
	uint8_t pd, pd2;        /* predicates that are written, EXEC_PT: none */
	uint8_t ps, ps2, ps3;   /* that are read */
	uint8_t am, bm, cm;     /* modifiers of the sources */
	uint8_t x, y;           /* of the operation: comparison, function, rounding */
	uint8_t operation;      /* that .run executes: enum exec_operation */
	uint16_t flags;
	uint32_t a, b, c, d;    /* rows, in words */
	uint32_t code;          /* the function that it is in */
	int32_t imm;            /* offset, distance in instructions */
	uint32_t more;          /* of the operation */
};

/* A row of constants: a word of a bank, or an immediate. */
#define EXEC_IMMEDIATE 255u
struct exec_constant {
	uint32_t bank, value; /* value: the offset in the bank, or the immediate */
};

/* A section of code, decoded when a warp first enters it. */
struct exec_code {
	const char *name;      /* of its function */
	uint32_t section;
	uint32_t first, n;     /* instructions, in those of the image */
	const unsigned char *words;
	bool decoded;
	bool strong; /* it has a strong load: other threads may store meanwhile */
	struct exec_constant *constant;
	size_t constants, cap;
};

/* Decodes one instruction; a word that is not known gets EXEC_UNKNOWN.  `wide`: use functions for AVX2. */
void hd__exec_decode(struct exec_op *o, struct sass_word w, uint32_t sm, struct exec_code *code, bool wide);
/* Begins the constants of a function. */
void hd__exec_constants(struct exec_code *code);
/* Is an operation, bits 0 to 11 of a word, executed for this version? */
bool hd__exec_knows(uint32_t op, uint32_t sm);

#endif

/* sass_inst.h - one instruction as nvdisasm prints it, and the control field in front of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_INST_H
#define TRACES_SASS_SASS_INST_H

#include "sass_scan.h"

#define HASM_OPERANDS 16u
#define HASM_RZ 255u       /* number of RZ; URZ, PT and UPT have it too */
#define HASM_NO_COUNTER 7u /* in a control field, as it is encoded */

/* What the compiler writes into an instruction for the hardware. */
struct hasm_control {
	bool given;
	uint8_t wait;          /* bit k: waits for counter k */
	uint8_t read, write;   /* counter, or HASM_NO_COUNTER */
	bool yield;
	uint8_t stall;         /* cycles, 0 to 15 */
};

enum hasm_kind {
	HASM_REGISTER,  /* R */
	HASM_UNIFORM,   /* UR */
	HASM_PREDICATE, /* P */
	HASM_UNIFORM_PREDICATE,
	HASM_BARRIER,   /* B: convergence */
	HASM_COUNTER,   /* SB */
	HASM_SPECIAL,   /* SR_TID.X and other words */
	HASM_CONSTANT,  /* c[bank][offset] */
	HASM_ADDRESS,   /* [R4.64+0x10] */
	HASM_INTEGER,   /* hexadecimal, as nvdisasm prints integers */
	HASM_FLOAT,     /* decimal */
	HASM_TARGET,    /* of a branch: a label, a pc */
	HASM_LIST,      /* {3,2} */
};

struct hasm_operand {
	enum hasm_kind kind;
	char *text;        /* as nvdisasm prints it */
	uint32_t number;   /* of a register, HASM_RZ; of a counter; the bank of a constant */
	int32_t base;      /* register in an address or constant, -1: none */
	int32_t uniform;   /* uniform register in it, -1: none */
	int32_t descriptor; /* uniform register in front of an address, -1: none */
	bool wide;         /* the base is a pair */
	bool reuse;
	bool negated;      /* a predicate: ! */
	int64_t value;     /* integer, offset, target */
	int column;
};

/* One place of the program. */
struct hasm_inst {
	uint32_t pc;
	int line, column;
	struct hasm_control control;
	bool guarded, guard_not, guard_uniform;
	uint32_t guard; /* number of the predicate, HASM_RZ: PT */
	char *opcode;
	struct hasm_operand operand[HASM_OPERANDS];
	unsigned n;
	char *label;    /* of its target, until that is found; or NULL */
	const char *source; /* while the text is parsed: control field to operands, */
	size_t length;      /* NULL: it is not written there */
	char *where;        /* "FILE:LINE" of the program's source, or NULL */
	uint32_t before;    /* index + 1 of an earlier instruction at its pc */
};

/* ---- sass_inst.c ---- */

/* "[B------:R-:W-:-:S04]" if it is next.  Returns false after reporting a mistake. */
bool hd__hasm_control(struct hd_scan *s, struct hasm_control *c);
/* "@!P0" if it is next.  Returns false after reporting a mistake. */
bool hd__hasm_guard(struct hd_scan *s, struct hasm_inst *i);
/* Guard, opcode and operands, up to what follows them.  Returns false after reporting a mistake. */
bool hd__hasm_inst(struct hd_scan *s, struct hasm_inst *i);
void hd__hasm_inst_free(struct hasm_inst *i);

/* ---- roles.c: what an operand is for ---- */

struct hasm_role {
	bool writes;      /* else it reads what the operand names */
	unsigned count;   /* registers from its number, or the base of its address, on; 0: none */
};

/* The role of operand i. */
struct hasm_role hd__hasm_role(const struct hasm_inst *inst, unsigned i);

#endif

/* hasm_lines.h - instructions as lines of a trace, tracer versions 5 and 6
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_LINES_H
#define TRACES_HASM_HASM_LINES_H

#include "hasm.h"
#include "base/bytes.h"

/* Where block x,y,z is in its cluster: three lines (hasm_assemble.c). */
void hd__hasm_put_cluster(FILE *f, const uint32_t cluster[3], const uint64_t at[3]);

#define HASM_LINE_SOURCES 8u /* of a line, as the reader of traces accepts */
#define HASM_WIDEST 65536u   /* bytes from one address, and addresses of a bulk copy */

/* What is the same in every line of an instruction. */
struct hasm_line {
	char *middle; /* destination, opcode, sources, width of the access */
	bool memory;  /* addresses follow */
	int32_t imm;
	bool all;     /* version 6 */
	bool bulk;    /* what it copies follows, in place of addresses */
	unsigned dsts, values; /* registers; how many values stand in the line: those and the sources, or none */
	int32_t second; /* immediate of a barrier */
};

/* What an execution adds to an instruction of version 6. */
struct hasm_more {
	uint64_t value[HASM_LANES]; /* of the second source, by lane */
	bool valued;
	uint64_t bar, ctas, tx;
	const struct hasm_box *box;
};

/* Registers that a line has, numbered as in hd_inst, 0 is none.  As the tracer chooses: the first
 * operand is the destination if it is a register R; all others, and the bases of addresses, are sources,
 * whose number is returned.  Registers beyond R255 are left out. */
unsigned hd__hasm_registers(const struct hasm_inst *i, uint16_t *dst, uint16_t src[HASM_OPERANDS]);
/* Is one left out? */
bool hd__hasm_beyond(const struct hasm_inst *i);
/* The last integer among the operands, 0 if there is none. */
int32_t hd__hasm_immediate(const struct hasm_inst *i);
/* Is an address among the operands? */
bool hd__hasm_accesses(const struct hasm_inst *i);
/* Is it guarded by a predicate that is never true, @!PT? */
bool hd__hasm_never(const struct hasm_inst *i);
/* Does it copy in bulk, report that to an mbarrier, end with gsb0 or not, name a barrier of some threads? */
bool hd__hasm_bulk(const struct hasm_inst *i);
bool hd__hasm_reports(const struct hasm_inst *i);
bool hd__hasm_group(const struct hasm_inst *i);
bool hd__hasm_names_barrier(const struct hasm_inst *i);
/* The caller frees .middle.  all: a line of version 6. */
struct hasm_line hd__hasm_line(const struct hasm_inst *i, bool all);

/* Appends a line; addr: of the active lanes in their order; more: NULL before version 6. */
/* How many pieces a bulk copy has. */
uint64_t hd__hasm_box_pieces(const struct hasm_box *x);
void hd__hasm_put(struct hd_bytes *b, uint32_t pc, uint32_t mask, const struct hasm_line *l,
                  const uint64_t *addr, const struct hasm_more *more);

#endif

/* lines.h - instructions as lines of a trace, tracer version 5
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_TRACE_LINES_H
#define TOOLS_TRACE_LINES_H

#include "hasm.h"
#include "kernel/base/bytes.h"

#define HASM_LINE_SOURCES 8u /* of a line, as the reader of traces accepts */

/* What is the same in every line of an instruction. */
struct hasm_line {
	char *middle; /* destination, opcode, sources, width of the access */
	bool memory;  /* addresses follow */
	int32_t imm;
};

/* As the tracer chooses: the first operand is the destination if it is a register R; all others, and
 * the bases of addresses, are sources.  Registers beyond R255 are left out: *beyond is set. */
struct hasm_line hd__hasm_line(const struct hasm_inst *i, bool *beyond);
/* Sources that the line has. */
unsigned hd__hasm_sources(const struct hasm_inst *i);

/* Appends a line; addr: of the active lanes in their order. */
void hd__hasm_put(struct hd_bytes *b, uint32_t pc, uint32_t mask, const struct hasm_line *l,
                  const uint64_t *addr);

#endif

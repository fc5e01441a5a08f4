/* sass_inst.h - parses one instruction, as nvdisasm prints it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_INST_H
#define TRACES_SASS_SASS_INST_H

#include "traces/hasm/hasm_scan.h"

/* operand.c: one operand of an instruction with this opcode.  Returns false after reporting a
 * mistake.  *label is the name in `(name), or the word that may be one; else NULL. */
bool hd__hasm_operand(struct hasm_scan *s, const char *opcode, struct hasm_operand *o, char **label);
/* May a word among the operands of this opcode be the name of a label? */
bool hd__hasm_branches(const char *opcode);
void hd__hasm_operand_free(struct hasm_operand *o);

/* inst.c: "[B------:R-:W-:-:S04]" if it is next.  Returns false after reporting a mistake. */
bool hd__hasm_control(struct hasm_scan *s, struct hasm_control *c);
/* "@!P0".  The same. */
bool hd__hasm_guard(struct hasm_scan *s, struct hasm_inst *i);
/* Guard, opcode and operands, up to what follows them.  The same. */
bool hd__hasm_inst(struct hasm_scan *s, struct hasm_inst *i);
void hd__hasm_inst_free(struct hasm_inst *i);

#endif

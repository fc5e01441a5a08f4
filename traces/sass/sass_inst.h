/* sass_inst.h - parses one instruction, as nvdisasm prints it, and the control field in front of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_INST_H
#define TRACES_SASS_SASS_INST_H

#include "traces/hasm/hasm_scan.h"

/* "[B------:R-:W-:-:S04]" if it is next.  Returns false after reporting a mistake. */
bool hd__hasm_control(struct hasm_scan *s, struct hasm_control *c);
/* "@!P0" if it is next.  Returns false after reporting a mistake. */
bool hd__hasm_guard(struct hasm_scan *s, struct hasm_inst *i);
/* Guard, opcode and operands, up to what follows them.  Returns false after reporting a mistake. */
bool hd__hasm_inst(struct hasm_scan *s, struct hasm_inst *i);
void hd__hasm_inst_free(struct hasm_inst *i);

#endif

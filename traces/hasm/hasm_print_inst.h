/* hasm_print_inst.h - an instruction of a trace as it is written in a text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_PRINT_INST_H
#define TRACES_HASM_HASM_PRINT_INST_H

#include "listing.h"

#include <heddle/gpu/inst.h>

/* Control field, pc, instruction.  Its entry in the listing, or NULL: then it is written so that it
 * is the same in a trace again.  The caller frees it. */
char *hd__print_inst(const struct hd_inst *inst, const char *opcode, const struct trace_control *e);

#endif

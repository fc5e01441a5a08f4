/* hasm_print.h - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_PRINT_H
#define TRACES_HASM_HASM_PRINT_H

#include "listing.h"
#include "trace_input.h"

/* Returns an exit status after printing all messages. */
int hd__hasm_print(const struct trace_command *c);

/* Control field, pc, instruction.  Its entry in the listing, or NULL: then it is written so that it
 * is the same in a trace again.  The caller frees it. */
char *hd__print_inst(const struct hd_inst *inst, const char *opcode, const struct trace_control *e);

#endif

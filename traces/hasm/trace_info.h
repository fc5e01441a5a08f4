/* trace_info.h - prints what is in a trace; packs it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_INFO_H
#define TRACES_HASM_TRACE_INFO_H

#include "trace_input.h"

/* Prints the kernels and opcodes.  Returns an exit status after printing all messages. */
int hd__trace_info(const struct trace_command *c);
/* Writes the trace as a file that is read without parsing.  Returns an exit status after printing all messages. */
int hd__pack_trace(const struct trace_command *c);

#endif

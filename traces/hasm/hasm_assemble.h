/* hasm_assemble.h - makes a trace of a text of kernels written by hand
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_ASSEMBLE_H
#define TRACES_HASM_HASM_ASSEMBLE_H

#include "trace_input.h"

#define HASM_LIMIT (UINT64_C(1) << 22) /* lines of a trace, unless the user sets another limit */

/* Makes a trace, of at most so many lines, of the text c->trace, "-": standard input, in the folder c->output.
 * Returns an exit status after printing all mistakes. */
int hd__hasm_assemble(const struct trace_command *c, uint64_t limit);

#endif

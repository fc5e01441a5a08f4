/* hasm_assemble.h - makes a trace of a text of kernels written by hand
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_ASSEMBLE_H
#define TRACES_HASM_HASM_ASSEMBLE_H

#include "hasm.h"

#define HASM_LIMIT (UINT64_C(1) << 22) /* lines of a trace, unless the user sets another limit */

/* Reads the file, "-": standard input, and writes the trace into the folder.  Returns an exit status
 * after printing all mistakes. */
int hd__hasm_assemble(const char *file, const char *folder, uint64_t limit, bool strict);

#endif

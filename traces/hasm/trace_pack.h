/* trace_pack.h - writes a trace as a file that is read without parsing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_PACK_H
#define TRACES_HASM_TRACE_PACK_H

#include <stdbool.h>

/* Packs a trace, a list of kernels or the file of one.  Returns an exit status after printing all
 * messages. */
int hd__pack_trace(const char *trace, const char *output, bool strict);

#endif

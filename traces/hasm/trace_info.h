/* trace_info.h - prints what is in a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_INFO_H
#define TRACES_HASM_TRACE_INFO_H

/* Prints the kernels and opcodes of a trace to the file, NULL: standard output.  Returns an exit status
 * after printing all messages. */
int hd__trace_info(const char *trace, const char *output);

#endif

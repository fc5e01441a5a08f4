/* hasm_print.h - prints a trace as a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_PRINT_H
#define TRACES_HASM_HASM_PRINT_H

#include <stdbool.h>

/* A list of kernels or the file of one; output NULL: standard output; strict: see hd_strict().  Returns
 * an exit status after printing errors. */
int hd__hasm_print(const char *trace, const char *output, bool strict);

#endif

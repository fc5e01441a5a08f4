/* whole_file.h - reads a whole file
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_WHOLE_FILE_H
#define TRACES_HASM_WHOLE_FILE_H

#include <stddef.h>

/* The bytes of the file, "-": of standard input, with a '\0' behind them, for the caller to free.  NULL
 * after printing an error. */
char *hd__trace_input(const char *file, size_t *size);

#endif

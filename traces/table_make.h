/* table_make.h - private to the program of the build that makes C of tables
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_TABLE_MAKE_H
#define TRACES_TABLE_MAKE_H

#include "latency.h"
#include "opcodes.h"

enum { MAKE_SYMBOLS = 64 }; /* most classes of one table */

/* They print C, and return -1 after a message on stderr. */
int hd__make_latencies(const char *path);
/* The index of the folder, and the tables: paths, ending with NULL. */
int hd__make_opcodes(const char *folder, char *const *tables);
/* The bytes of a file as an array `name`; *n: how many. */
int hd__make_text(const char *path, const char *name, size_t *n);
/* Numbers symbols from 0 again. */
void hd__make_forget_symbols(void);

#endif

/* json_read.h - reads files of the user: text, JSON, syntax errors
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "diag.h"

#include <jansson.h>

/* Parses JSON text of a file of that name; any value, no member twice.  NULL after reporting a syntax
 * error with its place. */
json_t *hd__json_parse(const char *file, const char *text, size_t length, struct hd_diags *d);
/* The whole file, which is noted as an input; NULL with errno set, ETXTBSY: an output of this process
 * would replace it.  The text ends with a NUL, which does not count.  The caller frees it. */
char *hd__read_file(const char *file, size_t *length);
/* A whole input of a command, "-": standard input; NULL after printing an error. */
char *hd__read_input(const char *file, size_t *length);

#endif

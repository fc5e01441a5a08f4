/* json_rows.h - writes an object in JSON whose rows are made one at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_ROWS_H
#define BASE_JSON_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Makes the elements of the arrays that are members of an object. */
struct hd_json_rows {
	size_t (*count)(void *arg, const char *name);
	json_t *(*row)(void *arg, const char *name, size_t i); /* the caller owns it; NULL fails */
	void *arg;
};

/* Writes the bytes that json_dump_callback() would if the arrays had their rows.  layout: JSON_COMPACT or JSON_INDENT(1),
 * and perhaps JSON_REAL_PRECISION().  rows NULL: the arrays have them.  Returns false if put() does not return 0,
 * or if a row is NULL. */
bool hd__json_rows_dump(const json_t *object, const struct hd_json_rows *rows, size_t layout, json_dump_callback_t put,
                        void *arg);
/* The same into a file, with an end of line.  Returns false after a write error. */
bool hd__json_rows_write(const json_t *object, const struct hd_json_rows *rows, size_t layout, FILE *out);

#endif

/* json_write.h - writes JSON: an object whose rows are made one at a time, lines as long as they fit, named values
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <heddle/module.h>
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

/* Writes the bytes that json_dump_callback() would if the arrays had their rows.  layout: JSON_COMPACT or
 * JSON_INDENT(1), and perhaps JSON_REAL_PRECISION().  rows NULL: the arrays have them.  Returns false if put() does
 * not return 0, or if a row is NULL. */
bool hd__json_rows_dump(const json_t *object, const struct hd_json_rows *rows, size_t layout, json_dump_callback_t put,
                        void *arg);
/* Writes them into a file, with an end of line.  Returns false after a write error. */
bool hd__json_rows_write(const json_t *object, const struct hd_json_rows *rows, size_t layout, FILE *out);

/* Writes an object: its members and theirs each on a line of its own, inner values on the same
 * line as far as `columns` allows (SIZE_MAX: always).  Objects in it that have a member `like`
 * are written as it is; NULL: none.  Returns false after a write error. */
bool hd__json_pretty(const json_t *v, size_t columns, const char *like, FILE *out);

/* Adds a member for the cell to an object.  Text that is not UTF-8 becomes "?". */
void hd__cell_json(json_t *row, const struct hd_cell *cell);
/* An object with a member for each of the n cells.  The caller owns the result. */
json_t *hd__cells_json(const struct hd_cell *cells, unsigned n);

#endif

/* json_pretty.h - writes JSON with every value that fits on one line
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_PRETTY_H
#define BASE_JSON_PRETTY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes an object: its members and theirs each on a line of its own, inner values on the same
 * line as far as `columns` allows (SIZE_MAX: always).  Objects in it that have a member `like`
 * are written as it is; NULL: none.  Returns false after a write error. */
bool hd__json_pretty(const json_t *v, size_t columns, const char *like, FILE *out);

#endif

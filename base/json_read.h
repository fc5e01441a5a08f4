/* json_read.h - reads JSON: syntax errors, members at their places, value by value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "diag.h"
#include "read_file.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Parses JSON text of a file of that name; any value, no member twice.  NULL after reporting a syntax
 * error with its place. */
json_t *hd__json_parse(const char *file, const char *text, size_t length, struct hd_diags *d);

/* ---- objects of a file, with messages at their places ---- */

struct hd_json_from {
	const char *file, *text;
	struct hd_diags *d;
};

/* A message about a pointer in the file; about the key if `key`. */
void hd__from_diag(const struct hd_json_from *f, enum hd_severity s, const char *at, bool key, const char *fmt, ...)
	HD_PRINTF(5, 6);
void hd__from_diagv(const struct hd_json_from *f, enum hd_severity s, const char *at, bool key, const char *fmt,
                    va_list ap);
/* Reports members of the object at `at` that are not in the NULL-terminated list; `what`: of what. */
void hd__from_known(const struct hd_json_from *f, const json_t *o, const char *at, const char *what,
                    const char *const *known);
/* A member of that JSON type, JSON_TRUE: true or false; NULL if it is missing, or after reporting another type. */
json_t *hd__from_member(const struct hd_json_from *f, const json_t *o, const char *at, const char *name, json_type type,
                        const char *expected);

/* ---- JSON value by value, from text of which only a part need be in memory ---- */

struct hd_json_text {
	const char *p, *end; /* not read yet */
	/* Moves what is not read and adds text behind it.  Returns false if there is no more.  NULL: nothing
	 * follows. */
	bool (*more)(struct hd_json_text *t);
	void *source;        /* for more() */
};

/* The next character that is not a blank; '\0': there is none. */
char hd__json_next(struct hd_json_text *t);
/* Is it c?  Then it is read. */
bool hd__json_comes(struct hd_json_text *t, char c);
/* Reads the next value, which the caller owns; NULL: there is none.  Control characters in its texts become '?'. */
json_t *hd__json_value(struct hd_json_text *t);
/* Is there nothing left but blanks? */
bool hd__json_over(struct hd_json_text *t);

/* Reads an object: member() reads the value of each of its members.  Returns false if that does, or it is not an
 * object in JSON. */
bool hd__json_members(struct hd_json_text *t, bool (*member)(void *arg, const char *name, struct hd_json_text *t),
                      void *arg);
/* Reads an array behind its '[': its elements go one after another to row(), or nowhere if it is NULL.  Returns
 * false if it is not JSON. */
bool hd__json_rows(struct hd_json_text *t, void (*row)(void *arg, const char *name, json_t *row), void *arg,
                   const char *name);

/* The text in a file, from where it stands, at most `most` bytes of it.  Nothing is read yet. */
struct hd_json_file {
	FILE *f;
	size_t left;
	char *v;
	size_t room;
};
void hd__json_file_open(struct hd_json_file *file, struct hd_json_text *t, FILE *f, size_t most);
/* The stream remains open. */
void hd__json_file_close(struct hd_json_file *file);

#endif

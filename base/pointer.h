/* pointer.h - JSON pointers: made only when a message needs one, and found again in the text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_POINTER_H
#define BASE_POINTER_H

#include <stdbool.h>
#include <stddef.h>

/* Position of a value, as a chain on the stack of the functions that walk down to it. */
struct hd_place {
	const struct hd_place *up; /* NULL: `base` is the pointer, and there is no member */
	const char *base;
	const char *member;        /* of an object, or NULL: */
	size_t index;              /* of an array */
};

/* The pointer of a place.  The caller frees it. */
char *hd__place_pointer(const struct hd_place *p);
/* The pointer `at` with one more member, which is escaped.  The caller frees it. */
char *hd__pointer_add(const char *at, const char *member);
/* Removes and returns the next name of a pointer that begins with '/', unescaped.  The caller frees
 * it. */
char *hd__pointer_next(const char **pointer);

/* Line and column, from 1, of the value at a JSON pointer in text that jansson has accepted;
 * of its key if `key`.  Returns false if there is no such place. */
bool hd__locate(const char *text, const char *pointer, bool key, int *line, int *column);

enum { HD_FOUND_LEVELS = 8 };

/* What searches in one text have found last in the outermost object, in a member of it, and so on: the next one goes
 * on there.  Zero-initialise. */
struct hd_found {
	const char *value; /* where that of the whole text begins */
	struct {
		const char *container; /* its start */
		const char *item;      /* the key of a member, or an element, */
		unsigned long index;   /* of this number */
	} level[HD_FOUND_LEVELS];
	const char *place; /* whose line and column were counted last, */
	int line, column;  /* which are these */
};

/* The value at `pointer` (its key if `key`) in text that jansson has accepted; NULL if missing. */
const char *hd__find(const char *text, const char *pointer, bool key, struct hd_found *f);
/* Line, and column in characters, of a byte of the text. */
void hd__line_column(const char *text, const char *byte, struct hd_found *f, int *line, int *column);

#endif

/* json_make.h - JSON values as C, for a program of the build (json_made.h is what a run has of them)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Names and strings are offsets into one text for each file, so that loading the program need not relocate them.
 */
#ifndef BASE_JSON_MAKE_H
#define BASE_JSON_MAKE_H

#include "int_map.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* What is made of one file.  Zero-initialise but for the functions. */
struct hd_json_make {
	char *words;
	size_t nwords, cap;
	json_t *word_places;       /* word -> where it is */
	char *lines;               /* a line for each value */
	size_t size;
	FILE *out;                 /* of the lines, while they are written */
	uint32_t nvalues;
	struct hd_int_map known;   /* addresses of arrays and objects -> their position + 1 */
	unsigned (*source)(void *arg, const json_t *text); /* the number that belongs to a string; NULL: 0 */
	void *arg;
};

/* Where the word is. */
size_t hd__make_word(struct hd_json_make *m, const char *word);
/* The position of the value, which is added unless the same array or object was. */
uint32_t hd__make_value(struct hd_json_make *m, json_t *v);
/* Prints "values_N" and "words_N". */
void hd__make_print(struct hd_json_make *m, unsigned number);
void hd__make_bytes(const char *name, unsigned number, const char *v, size_t n);
void hd__make_free(struct hd_json_make *m);

#endif

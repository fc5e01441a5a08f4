/* words.h - values, expectations and lists of names as messages print them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Are they the same?  Most names that are compared differ in the first character. */
static inline bool hd__same(const char *a, const char *b)
{
	return *a == *b && strcmp(a, b) == 0;
}

/* Is it a name that a netlist may define: a letter or '_', then letters, digits and '_', at most
 * HD_NAME_MAX characters? */
#define HD_NAME_MAX 63u
bool hd__is_name(const char *s);
/* Is it a full name: names separated by dots, each but the last with an optional index? */
bool hd__is_path(const char *s);

/* Bytes of the control character (C0 or C1) at p; 0: it is none.  Names come from files of others, and what is
 * printed of them must not control the terminal. */
static inline size_t hd__control(const char *p)
{
	unsigned char c = (unsigned char)*p;

	if (c == 0xC2)
		return ((unsigned char)p[1] & 0xE0) == 0x80 ? 2 : 0;
	return (c < 0x20 && c != '\0') || c == 0x7F;
}

/* A value as messages quote it: integer 5, string "x", list of 3.  In buf. */
const char *hd__found(const json_t *v, char *buf, size_t size);
/* "a, b, c and 5 more", "none".  In buf. */
const char *hd__names(const char *const *names, size_t n, char *buf, size_t size);
/* The name among names[0..n) that is nearest to `word`, or NULL if none is near ("did you mean"): one edit away, else
 * with parts that the word lacks, else with few edits. */
const char *hd__nearest(const char *word, const char *const *names, size_t n);
/* "; did you mean 'x'?" or "; LEAD a, b, c".  In buf. */
const char *hd__suggest(const char *word, const char *const *names, size_t n, const char *lead,
                        char *buf, size_t size);
/* Does a NULL-terminated list hold the name? */
bool hd__listed(const char *const *names, const char *name);
/* Does a list of an option, "first,second", hold the name? */
bool hd__in_list(const char *list, const char *name);

/* ---- numbers ---- */

/* With separators, for reading: "1,234,567".  In buf. */
const char *hd__grouped(uint64_t n, char buf[32]);

#endif

/* diff.h - describes how two flat netlists differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_DIFF_H
#define TOOLS_CLI_DIFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Lines that differ only in the element of an array are printed once, unless .all. */
struct hd_diff_lines {
	struct hd_diff_line {
		char *text;
		unsigned more; /* others that differ only in elements */
	} *v;
	size_t n, cap;
	json_t *by_key;  /* text with such elements left open -> index of the line */
	bool all;
};

/* Adds "NAME: TEXT"; `name` may name an element, such as "sm[3].unit". */
void hd__diff_line(struct hd_diff_lines *d, const char *kind, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds how two values differ, with the path to each difference. */
void hd__diff_value(struct hd_diff_lines *d, const char *kind, const char *name, const char *path,
                    const json_t *a, const json_t *b);
/* A value as lines show it, cut if it is long.  The caller frees it. */
char *hd__diff_shown(const json_t *v);
/* The ends of a link as lines show them, "sm[0..79].x" for "sm[0].x, sm[1].x, ...".  The caller frees them. */
char *hd__diff_ends(const struct hd_diff_lines *d, const char *ends);
/* Compares the links (diff_link.c). */
void hd__diff_links(struct hd_diff_lines *d, const json_t *a, const json_t *b);

/* Prints how `b` differs from `a`, both from hd__flatten, each line with `all`.  Returns true if they differ. */
bool hd__diff(const json_t *a, const json_t *b, bool all, FILE *out);

#endif

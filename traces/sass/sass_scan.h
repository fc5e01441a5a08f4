/* sass_scan.h - reads words and numbers of a text, and says where they were
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_SCAN_H
#define TRACES_SASS_SASS_SCAN_H

#include "base/diag.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_scan {
	const char *file;
	const char *p, *end;   /* end[0] is '\0' */
	const char *start;     /* of the line */
	int line;
	struct hd_diags *d;
};

/* Column of a place in the present line, from 1. */
static inline int scan_column(const struct hd_scan *s, const char *at)
{
	return (int)(at - s->start) + 1;
}

/* Reports a mistake at `at` in the present line.  Returns false. */
bool hd__scan_bad(struct hd_scan *s, const char *at, const char *fmt, ...) HD_PRINTF(3, 4);
/* "expected WHAT, found 'word'" at the present place.  Returns false. */
bool hd__scan_expected(struct hd_scan *s, const char *what);

/* Takes a pc, written as a comment of 4 to 8 hexadecimal digits and nothing else; the other functions
 * do not skip it.  Returns whether there was one. */
bool hd__scan_pc(struct hd_scan *s, uint32_t *pc);
/* Skips blanks and comments, not the end of the line. */
void hd__scan_blanks(struct hd_scan *s);
/* True at the end of a line or of the text. */
bool hd__scan_at_end(struct hd_scan *s);
/* To the next line with something in it. */
void hd__scan_next_line(struct hd_scan *s);
/* To the end of the line, or the '}' of the block that the statement is in, which begins at `from`. */
void hd__scan_skip(struct hd_scan *s, const char *from);
/* Takes the character if it is next, after blanks. */
bool hd__scan_take(struct hd_scan *s, char c);
/* Takes the word if it is next and no letter, digit or '_' follows. */
bool hd__scan_word(struct hd_scan *s, const char *word);

/* Letters, digits, '_', '.', '$' from the present place on: how many. */
size_t hd__scan_name(const struct hd_scan *s);
/* An unsigned number, decimal or 0x.  Returns false, taking nothing, if there is none or it has more
 * than 64 bits. */
bool hd__scan_number(struct hd_scan *s, uint64_t *v);
/* A number that is a whole word, up to `most`; a message about another word shows it. */
bool hd__scan_number_to(struct hd_scan *s, uint64_t most, uint64_t *v);
/* `digits` or fewer hexadecimal digits, 0x in front or not: a whole word.  Returns false, taking nothing, if it is
 * another one. */
bool hd__scan_hex(struct hd_scan *s, unsigned digits, uint64_t *v);

#endif

/* hasm_scan.h - reads words and numbers of a text, and says where they were
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_SCAN_H
#define TRACES_HASM_HASM_SCAN_H

#include "hasm.h"

struct hasm_scan {
	const char *file;
	const char *p, *end;   /* end[0] is '\0' */
	const char *start;     /* of the line */
	int line;
	struct hd_diags *d;
};

/* Column of a place in the present line, from 1. */
static inline int hasm_column(const struct hasm_scan *s, const char *at)
{
	return (int)(at - s->start) + 1;
}

/* Reports a mistake at `at` in the present line.  Returns false. */
bool hd__hasm_bad(struct hasm_scan *s, const char *at, const char *fmt, ...) HD_PRINTF(3, 4);
/* "expected WHAT, found 'word'" at the present place.  Returns false. */
bool hd__hasm_expected(struct hasm_scan *s, const char *what);

/* Takes a pc, written as a comment of 4 to 8 hexadecimal digits and nothing else; the other functions
 * do not skip it.  Returns whether there was one. */
bool hd__hasm_pc(struct hasm_scan *s, uint32_t *pc);
/* Skips blanks and comments, not the end of the line. */
void hd__hasm_blanks(struct hasm_scan *s);
/* True at the end of a line or of the text. */
bool hd__hasm_at_end(struct hasm_scan *s);
/* To the next line with something in it. */
void hd__hasm_next_line(struct hasm_scan *s);
/* To the end of the line, or the '}' of the block that the statement is in, which begins at `from`. */
void hd__hasm_skip(struct hasm_scan *s, const char *from);
/* Takes the character if it is next, after blanks. */
bool hd__hasm_take(struct hasm_scan *s, char c);
/* Takes the word if it is next and no letter, digit or '_' follows. */
bool hd__hasm_word(struct hasm_scan *s, const char *word);

/* Letters, digits, '_', '.', '$' from the present place on: how many. */
size_t hd__hasm_name(const struct hasm_scan *s);
/* An unsigned number, decimal or 0x.  Returns false, taking nothing, if there is none or it has more
 * than 64 bits. */
bool hd__hasm_number(struct hasm_scan *s, uint64_t *v);
/* `digits` or fewer hexadecimal digits, 0x in front or not.  Returns false if there are none or more. */
bool hd__hasm_hex(struct hasm_scan *s, unsigned digits, uint64_t *v);

#endif

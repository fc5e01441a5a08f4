/* sass_decode.c - an instruction of 128 bits as a text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_operand.h"

#include <stdlib.h>

#define RZ 255u

static uint32_t bits(const struct sass_decoder *d, unsigned first, unsigned n)
{
	return (uint32_t)hd__sass_bits(d->w, first, n);
}

/* "+72 ^85": are the bits so? */
static bool holds(struct sass_word w, const char *when)
{
	for (; when && *when; when += strcspn(when, " "), when += *when == ' ')
		if (hd__sass_bits(w, (unsigned)atoi(when + 1), 1) != (*when == '+'))
			return false;
	return true;
}

static const struct sass_row *find_row(struct sass_word w)
{
	unsigned op = (unsigned)hd__sass_bits(w, 0, 9), form = (unsigned)hd__sass_bits(w, 9, 3);

	for (const struct sass_row *r = hd__sass_rows; r->forms; r++)
		if (r->op == op && strchr(r->forms, '0' + (int)form) && holds(w, r->when))
			return r;
	return NULL;
}

/* Calls `each` for the words of a list. */
static void for_words(struct sass_decoder *d, const char *list,
                      void (*each)(struct sass_decoder *, const char *, size_t))
{
	while (list && *list) {
		size_t n = strcspn(list, " ");

		each(d, list, n);
		list += n;
		list += *list == ' ';
	}
}

/* ---- the opcode ---- */

/* IMAD does what other instructions would, and is then printed with their names. */
static void put_alias(struct sass_decoder *d)
{
	bool third = d->form == 2 || d->form == 3 || d->form == 7; /* slot 64 has b, else c */
	bool zero64 = bits(d, 64, 8) == RZ, a_zero = bits(d, 24, 8) == RZ;
	bool b_zero = third ? zero64 : d->form == 1 && bits(d, 32, 8) == RZ;
	bool c_zero = !third && zero64;
	uint32_t v = d->form == 4 ? bits(d, 32, 32) : 0;

	if (bits(d, 74, 1)) /* .X */
		return;
	if (a_zero && b_zero && d->form != 7)
		fputs(".MOV", d->f);
	else if (v == 1)
		fputs(c_zero ? ".MOV" : ".IADD", d->f);
	else if (c_zero && v && !(v & (v - 1)))
		fputs(".SHL", d->f);
}

static void put_suffix(struct sass_decoder *d, const struct sass_suffix *s)
{
	uint32_t v = bits(d, s->first, s->bits);
	const char *p = s->texts;

	if (s->bits2)
		v |= bits(d, s->first2, s->bits2) << s->bits;
	for (; v && p; v--) {
		p = strchr(p, '|');
		if (p != NULL)
			p++;
	}
	if (!p || *p == '?')
		d->unknown = true;
	else if (*p && *p != '|')
		fprintf(d->f, ".%.*s", (int)strcspn(p, "|"), p);
}

static void suffix(struct sass_decoder *d, const char *word, size_t length)
{
	const struct sass_suffix *s = hd__sass_suffixes;

	if (*word == '.') {
		fprintf(d->f, "%.*s", (int)length, word);
	} else if (length == 4 && memcmp(word, "imad", 4) == 0) {
		put_alias(d);
	} else {
		while (s->name && (strlen(s->name) != length || memcmp(s->name, word, length) != 0
		                   || (s->to && (d->sm < s->from || d->sm > s->to))))
			s++;
		if (s->name)
			put_suffix(d, s);
		else
			d->unknown = true;
	}
}

/* ---- all of it ---- */

static bool lists(const struct sass_row *row, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = row->suffixes; p && *p; p += strcspn(p, " "), p += *p == ' ')
		if (strncmp(p, word, n) == 0 && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static void put_guard(struct sass_decoder *d)
{
	unsigned n = bits(d, 12, 3), not = bits(d, 15, 1);

	if (n == 7 && !not)
		return;
	fprintf(d->f, "@%s%sP", not ? "!" : "", d->uniform ? "U" : "");
	if (n == 7)
		fputs("T ", d->f);
	else
		fprintf(d->f, "%u ", n);
}

char *hd__sass_decode(struct sass_word w, uint32_t sm, uint32_t pc)
{
	const struct sass_row *row = find_row(w);
	struct sass_decoder d = { .w = w, .sm = sm, .pc = pc, .form = (unsigned)hd__sass_bits(w, 9, 3) };
	char *text;
	size_t size;

	if (!row || sm < SASS_VOLTA)
		return NULL;
	d.uniform = row->op >= 0x080 && row->op <= 0x0bf && row->op != 0x086; /* VOTEU has both */
	d.inverts = lists(row, "x") && bits(&d, 74, 1);
	d.bf16 = lists(row, "bf16") && bits(&d, 85, 1);
	d.f = hd__xcheck(open_memstream(&text, &size));
	put_guard(&d);
	fputs(row->name, d.f);
	for_words(&d, row->suffixes, suffix);
	for_words(&d, row->operands, hd__sass_operand);
	fclose(d.f);
	hd__xcheck(text);
	if (!d.unknown)
		return text;
	free(text);
	return NULL;
}

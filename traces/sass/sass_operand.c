/* sass_operand.c - prints one operand of an instruction from its bits
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass_operand.h"

#include <ctype.h>

#define RZ 255u
#define URZ 63u
#define PT 7u
#define UNIFORM_SLOT 91u /* slot 32 has a uniform register, an address one too */
#define SLOT_BITS 32u

/* A word of a row, see sass_table.h. */
struct pattern {
	char letter;
	char kind;             /* of value, '\0' unsigned */
	unsigned first, bits;
	bool optional;
	uint32_t left_out;     /* value of an optional one that is not printed */
	unsigned inverted;     /* bit, 0: none */
	unsigned bytes;        /* bit of its selector, 0: none */
	unsigned when;         /* bit, 0: always there */
	bool when_clear;
	char special;          /* 'R', 'H' */
	const char *suffix;    /* ".ROW" */
	size_t suffix_length;
};

static unsigned number(const char **p)
{
	unsigned v = 0;

	for (; isdigit((unsigned char)**p); (*p)++)
		v = v * 10 + (unsigned)(**p - '0');
	return v;
}

static void condition(struct pattern *x, const char **p)
{
	if (**p == 'R' || **p == 'H') {
		x->special = *(*p)++;
		return;
	}
	x->when_clear = **p == '^';
	*p += x->when_clear;
	x->when = number(p);
}

/* The words are constants of the program; a test decodes all rows. */
static struct pattern parse(const char *p, size_t length)
{
	const char *end = p + length;
	struct pattern x = { .letter = *p++ };

	if (strchr("abcsv", x.letter) && p < end && strchr("zifughnmyw", *p))
		x.kind = *p++;
	if (x.letter == 'I' || x.letter == 'S') {
		x.first = number(&p);
		p++;
		x.bits = number(&p);
	} else if (isdigit((unsigned char)*p)) {
		x.first = number(&p);
	}
	while (p < end) {
		switch (*p++) {
		case '?':
			x.optional = true;
			x.left_out = number(&p);
			break;
		case '@': condition(&x, &p); break;
		case '~': x.inverted = number(&p); break;
		case 'b': x.bytes = number(&p); break;
		default: /* '.' */
			x.suffix = p - 1;
			x.suffix_length = (size_t)(end - x.suffix);
			return x;
		}
	}
	return x;
}

static uint32_t bits(const struct sass_decoder *d, unsigned first, unsigned n)
{
	return (uint32_t)hd__sass_bits(d->w, first, n);
}

static int64_t sign_extend(uint64_t v, unsigned n)
{
	uint64_t top = UINT64_C(1) << (n - 1);

	return (int64_t)((v ^ top) - top);
}

static void comma(struct sass_decoder *d)
{
	fputs(d->n++ ? ", " : " ", d->f);
}

/* ---- registers ---- */

static void put_register(struct sass_decoder *d, unsigned first, bool uniform)
{
	unsigned n = bits(d, first, uniform ? 6 : 8);

	fputs(uniform ? "UR" : "R", d->f);
	if (n == (uniform ? URZ : RZ))
		fputc('Z', d->f);
	else
		fprintf(d->f, "%u", n);
}

static void put_predicate(struct sass_decoder *d, unsigned n, bool uniform)
{
	fputs(uniform ? "UP" : "P", d->f);
	if (n == PT)
		fputc('T', d->f);
	else
		fprintf(d->f, "%u", n);
}

static void predicate(struct sass_decoder *d, const struct pattern *x)
{
	unsigned n = bits(d, x->first, 3);
	bool not = x->letter == 'Q' ? bits(d, x->first + 3, 1)
	           : x->first == 81 || x->first == 84 ? false : bits(d, x->first + 3, 1);

	if (x->letter == 'Q')
		n = PT - n;
	if (x->optional && n == PT && !not)
		return;
	comma(d);
	if (not)
		fputc('!', d->f);
	put_predicate(d, n, x->letter == 'V');
}

static void plain_register(struct sass_decoder *d, const struct pattern *x)
{
	bool uniform = x->letter == 'U';

	if (x->optional && bits(d, x->first, uniform ? 6 : 8) == (uniform ? URZ : RZ))
		return;
	comma(d);
	if (x->inverted && bits(d, x->inverted, 1))
		fputc('~', d->f);
	put_register(d, x->first, uniform);
}

/* ---- sources ---- */

enum slot { IN_A, IN_32, IN_64 };
enum holds { A_REGISTER, AN_IMMEDIATE, A_CONSTANT, A_UNIFORM };

struct place {
	enum slot slot;
	enum holds holds;
	unsigned reuse; /* bit, 0: none */
};

/* Where a source lies in this form. */
static struct place find(const struct sass_decoder *d, char letter)
{
	static const enum holds slot32[8] = { A_REGISTER, A_REGISTER, AN_IMMEDIATE, A_CONSTANT, AN_IMMEDIATE,
	                                      A_CONSTANT, A_UNIFORM, A_UNIFORM };
	bool third = d->form == 2 || d->form == 3 || d->form == 7; /* slot 32 has c */
	struct place p = { .reuse = letter == 'a' ? 122 : letter == 'b' ? 123 : letter == 'v' ? 0 : 124 };

	if (letter == 'a')
		return p;
	p.slot = letter == 's' || letter == 'v' || (letter == 'c') == third ? IN_32 : IN_64;
	if (p.slot == IN_32)
		p.holds = slot32[d->form];
	return p;
}

static void immediate(struct sass_decoder *d, char kind)
{
	uint32_t v = bits(d, 32, 32);

	switch (kind) {
	case 'z': case 'i': case 'w': hd__sass_put_integer((int32_t)v, d->f); break;
	case 'f': case 'y': hd__sass_put_float(v, d->f); break;
	case 'g': hd__sass_put_double(v, d->f); break;
	case 'h': case 'm':
		hd__sass_put_half((uint16_t)(v >> 16), d->bf16, d->f);
		comma(d);
		hd__sass_put_half((uint16_t)v, d->bf16, d->f);
		break;
	default: hd__sass_put_integer(v, d->f); break;
	}
}

static void constant(struct sass_decoder *d)
{
	if (bits(d, UNIFORM_SLOT, 1)) {
		fputs("cx[", d->f);
		put_register(d, 32, true);
		fputs("][", d->f);
	} else {
		fprintf(d->f, "c[0x%x][", bits(d, 54, 5));
	}
	fprintf(d->f, "0x%x]", bits(d, 38, 16));
}

/* Which bits of the slots say how a source is changed. */
struct signs {
	unsigned negative, absolute, half;
};

static struct signs signs(enum slot slot, char kind)
{
	static const struct signs of[] = { [IN_A] = { 72, 73, 74 }, [IN_32] = { 63, 62, 60 },
	                                   [IN_64] = { 75, 74, 81 } };
	struct signs s = of[slot];

	if (slot == IN_64 && kind == 'h') {
		s.negative = 84;
		s.absolute = 83;
	}
	if (kind == '\0' || kind == 'z' || kind == 'w' || kind == 'n' || (kind == 'u' && slot != IN_32))
		s.negative = 0;
	if (!kind || !strchr("fghmy", kind))
		s.absolute = 0;
	if (kind != 'h' && kind != 'y' && kind != 'w')
		s.half = 0;
	return s;
}

/* ".H0_H0" behind a half; ".B1", ".H1" behind what a conversion reads. */
static void put_part(struct sass_decoder *d, unsigned first, char kind)
{
	static const char *const halves[] = { "", ".F32", ".H0_H0", ".H1_H1" };
	unsigned v = bits(d, first, 2);
	bool bytes = kind == 'w' && bits(d, 84, 2) == 0;

	if (kind == 'h')
		fputs(halves[v], d->f);
	else if (v)
		fprintf(d->f, ".%c%u", bytes ? 'B' : 'H', v);
}

/* A register, uniform register or constant with its signs. */
static void variable(struct sass_decoder *d, const struct pattern *x, struct place p)
{
	struct signs s = signs(p.slot, x->kind);
	bool absolute = s.absolute && bits(d, s.absolute, 1);
	unsigned first = p.slot == IN_A ? 24 : p.slot == IN_32 ? 32 : 64;

	if (s.negative && bits(d, s.negative, 1))
		fputc(d->inverts && (x->kind == 'i' || x->kind == 'u') ? '~' : '-', d->f);
	if (x->kind == 'n' && bits(d, 63, 1))
		fputc('~', d->f);
	if (absolute)
		fputc('|', d->f);
	if (p.holds == A_CONSTANT)
		constant(d);
	else
		put_register(d, first, p.holds == A_UNIFORM || d->uniform);
	if (x->bytes && bits(d, x->bytes, 2))
		fprintf(d->f, ".B%u", bits(d, x->bytes, 2));
	if (p.holds == A_REGISTER && !d->uniform && p.reuse && bits(d, p.reuse, 1))
		fputs(".reuse", d->f);
	if (absolute)
		fputc('|', d->f);
	if (s.half && !(p.holds == A_CONSTANT && x->kind != 'h'))
		put_part(d, s.half, x->kind);
}

static void source(struct sass_decoder *d, const struct pattern *x)
{
	struct place p = find(d, x->letter);

	if (x->special == 'H' && p.slot == IN_64 && !(bits(d, 80, 1) && !bits(d, 73, 1)))
		return;
	comma(d);
	if (p.holds == AN_IMMEDIATE)
		immediate(d, x->kind);
	else
		variable(d, x, p);
}

/* ---- memory ---- */

static const struct sass_address *address_kind(const char *word, size_t length)
{
	const struct sass_address *a = hd__sass_addresses;

	while (a->kind && (strlen(a->kind) != length || strncmp(a->kind, word, length) != 0))
		a++;
	return a->kind ? a : NULL;
}

static void put_offset(struct sass_decoder *d, int64_t v, bool alone)
{
	if (v == 0 && !alone)
		return;
	if (!alone)
		fputc('+', d->f);
	hd__sass_put_integer(v, d->f);
}

static void address(struct sass_decoder *d, const char *kind, size_t length)
{
	bool optional = kind[length - 1] == '?';
	const struct sass_address *a = address_kind(kind, length - optional);
	bool uniform, base, descriptor;
	int64_t offset;

	if (!a) {
		d->unknown = true;
		return;
	}
	descriptor = a->descriptor && bits(d, UNIFORM_SLOT, 1) && bits(d, a->descriptor, 1);
	uniform = a->uniform && !a->second && bits(d, UNIFORM_SLOT, 1) && !descriptor;
	base = bits(d, a->base, 8) != RZ || !uniform;
	offset = sign_extend(hd__sass_bits(d->w, a->offset, a->offset_bits), a->offset_bits);
	if (optional && bits(d, a->base, 8) == RZ && offset == 0)
		return;
	comma(d);
	if (descriptor)
		fprintf(d->f, "desc[UR%u]", bits(d, a->uniform, 6));
	else if (a->second && bits(d, a->second, 1))
		fprintf(d->f, "desc[UR%u]", bits(d, a->uniform, 6) + 1);
	fputc('[', d->f);
	if (base)
		put_register(d, a->base, false);
	if (base && a->wide && bits(d, a->wide, 1))
		fputs(".64", d->f);
	if (base && a->scale && bits(d, a->scale, 2))
		fprintf(d->f, ".X%u", (const unsigned[]){ 1, 4, 8, 16 }[bits(d, a->scale, 2)]);
	if (uniform) {
		fputs(base ? "+" : "", d->f);
		put_register(d, a->uniform, true);
	}
	put_offset(d, offset, false);
	fputc(']', d->f);
}

/* A constant whose address has a register. */
static void indexed(struct sass_decoder *d, bool uniform)
{
	int64_t offset = sign_extend(hd__sass_bits(d->w, 38, 16), 16);
	bool none = bits(d, 24, uniform ? 6 : 8) == (uniform ? URZ : RZ);

	comma(d);
	if (bits(d, UNIFORM_SLOT, 1)) {
		fputs("cx[", d->f);
		put_register(d, 32, true);
		fputs("][", d->f);
	} else {
		fprintf(d->f, "c[0x%x][", bits(d, 54, 5));
	}
	if (!none)
		put_register(d, 24, uniform);
	put_offset(d, offset, none);
	fputc(']', d->f);
}

/* ---- the others ---- */

static void number_operand(struct sass_decoder *d, const struct pattern *x)
{
	uint64_t v = hd__sass_bits(d->w, x->first, x->bits);

	if (x->optional && v == x->left_out)
		return;
	comma(d);
	hd__sass_put_integer(x->letter == 'S' ? sign_extend(v, x->bits) : (int64_t)v, d->f);
}

/* Behind a register that is added to it there is a blank only: RET.REL.NODEC R20 0x0. */
static void target(struct sass_decoder *d, char letter)
{
	int64_t v = sign_extend(hd__sass_bits(d->w, 34, 48), 48) * 4;

	if (letter == 'T')
		comma(d);
	else
		fputc(' ', d->f);
	if (letter != 'O')
		v += (int64_t)d->pc + (int64_t)SASS_BYTES;
	hd__sass_put_integer(v, d->f);
}

static void counters(struct sass_decoder *d, unsigned first)
{
	const char *between = "{";
	unsigned set = bits(d, first, 6);

	if (!set)
		return;
	comma(d);
	for (unsigned k = 6; k-- > 0;) {
		if (!(set >> k & 1))
			continue;
		fprintf(d->f, "%s%u", between, k);
		between = ",";
	}
	fputc('}', d->f);
}

static void logic_table(struct sass_decoder *d)
{
	comma(d);
	hd__sass_put_integer(bits(d, 64, 3) | bits(d, 72, 5) << 3, d->f);
}

static void barrier_special(struct sass_decoder *d, unsigned first)
{
	unsigned v = bits(d, first, 8);

	comma(d);
	if (v == 26)
		fputs("MACTIVE", d->f);
	else
		fprintf(d->f, "B%u", v & 15);
	d->unknown |= v != 26 && v > 15;
}

static bool present(const struct sass_decoder *d, const struct pattern *x)
{
	unsigned bar = bits(d, 74, 6);

	if (x->when && bits(d, x->when, 1) == x->when_clear)
		return false;
	return x->special != 'R' || (bar >= 16 && bar <= 18);
}

static void words(struct sass_decoder *d, const char *text)
{
	comma(d);
	fputs(text, d->f);
}

void hd__sass_operand(struct sass_decoder *d, const char *word, size_t length)
{
	struct pattern x;

	if (word[0] == 'A') {
		address(d, word + 1, length - 1);
		return;
	}
	if (length > 1 && (memcmp(word, "SR", 2) == 0 || memcmp(word, "PR", 2) == 0
	                   || memcmp(word, "UP", 2) == 0)) {
		if (word[0] == 'S') {
			comma(d);
			hd__sass_put_special(bits(d, 72, 8), d->f);
		} else {
			words(d, word[0] == 'U' ? "UPR" : "PR");
		}
		return;
	}
	x = parse(word, length);
	if (!present(d, &x))
		return;
	switch (x.letter) {
	case 'd':
		x.first = 16;
		x.letter = d->uniform ? 'U' : 'R';
		plain_register(d, &x);
		break;
	case 'R': case 'U': plain_register(d, &x); break;
	case 'P': case 'V': case 'Q': predicate(d, &x); break;
	case 'B':
		comma(d);
		fprintf(d->f, "B%u", bits(d, x.first, 4));
		break;
	case 'I': case 'S': number_operand(d, &x); break;
	case 'C':
		comma(d);
		constant(d);
		break;
	case 'X': case 'Y': indexed(d, x.letter == 'Y'); break;
	case 'T': case 'W': case 'O': target(d, x.letter); break;
	case 'L': logic_table(d); break;
	case 'M': barrier_special(d, x.first); break;
	case 'K':
		comma(d);
		fprintf(d->f, "SB%u", bits(d, x.first, 3));
		d->unknown |= bits(d, x.first, 3) > 5;
		break;
	case 'N': counters(d, x.first); break;
	default: source(d, &x); break;
	}
	if (x.suffix)
		fprintf(d->f, "%.*s", (int)x.suffix_length, x.suffix);
}

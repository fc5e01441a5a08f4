/* sass_decode.c - an instruction of 128 bits as a text
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sass.h"
#include "sass_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define RZ 255u
#define URZ 63u
#define PT 7u
#define MORE_URZ 255u
#define UNIFORM_SLOT 91u /* slot 32 has a uniform register, an address one too */
#define SLOT_BITS 32u

/* An instruction that is being decoded. */
struct sass_decoder {
	struct sass_word w;
	uint32_t sm, pc;
	unsigned form;
	bool uniform;  /* an operation of the uniform datapath */
	bool inverts;  /* .X: negated integers are inverted */
	bool bf16;     /* its halves are */
	FILE *f;
	unsigned n;    /* operands printed */
	bool unknown;  /* an operand that is none */
};

/* ---- values between commas ---- */

/* All digits that a float can have, as nvdisasm prints. */
static void put_number(double v, bool negative, bool quiet, FILE *f)
{
	if (isnan(v))
		fprintf(f, "%c%cNAN", negative ? '-' : '+', quiet ? 'Q' : 'S');
	else if (isinf(v))
		fprintf(f, "%cINF", negative ? '-' : '+');
	else
		fprintf(f, "%.20g", v);
}

static void put_float(uint32_t bits, FILE *f)
{
	float v;

	memcpy(&v, &bits, sizeof v);
	put_number((double)v, bits >> 31, bits >> 22 & 1, f);
}

static void put_double(uint32_t high, FILE *f)
{
	uint64_t bits = (uint64_t)high << 32;
	double v;

	memcpy(&v, &bits, sizeof v);
	put_number(v, high >> 31, high >> 19 & 1, f);
}

static void put_half(uint16_t bits, bool bf16, FILE *f)
{
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	double v;

	if (bf16) {
		put_float((uint32_t)bits << 16, f);
		return;
	}
	if (exponent == 31)
		v = fraction ? NAN : INFINITY;
	else
		v = exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
	put_number(bits >> 15 ? -v : v, bits >> 15, fraction >> 9, f);
}

static void put_integer(int64_t v, FILE *f)
{
	if (v < 0)
		fprintf(f, "-0x%" PRIx64, 0 - (uint64_t)v);
	else
		fprintf(f, "0x%" PRIx64, (uint64_t)v);
}

static const char *const specials[256] = {
	[0] = "LANEID", [2] = "VIRTCFG", [3] = "VIRTID",
	[32] = "TID", [33] = "TID.X", [34] = "TID.Y", [35] = "TID.Z",
	[37] = "CTAID.X", [38] = "CTAID.Y", [39] = "CTAID.Z",
	[56] = "EQMASK", [57] = "LTMASK", [58] = "LEMASK", [59] = "GTMASK", [60] = "GEMASK",
	[67] = "VIRTUALSMID",
	[80] = "CLOCKLO", [81] = "CLOCKHI", [82] = "GLOBALTIMERLO", [83] = "GLOBALTIMERHI",
	[100] = "PM0", [102] = "PM1", [104] = "PM2", [106] = "PM3",
};

/* Those without a name are SR and their number. */
static void put_special(unsigned number, FILE *f)
{
	if (number == 255)
		fputs("SRZ", f);
	else if (specials[number])
		fprintf(f, "SR_%s", specials[number]);
	else
		fprintf(f, "SR%u", number);
}

/* ---- words of a row ---- */

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

static unsigned register_number(const struct sass_decoder *d, unsigned first, bool uniform)
{
	return bits(d, first, uniform && d->sm < SASS_BLACKWELL ? 6 : 8);
}

static bool is_zero(const struct sass_decoder *d, unsigned n, bool uniform)
{
	return n == (!uniform ? RZ : d->sm < SASS_BLACKWELL ? URZ : MORE_URZ);
}

static void put_register(struct sass_decoder *d, unsigned first, bool uniform)
{
	unsigned n = register_number(d, first, uniform);

	fputs(uniform ? "UR" : "R", d->f);
	if (is_zero(d, n, uniform))
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
	bool not = x->letter == 'Q' || x->letter == 'E' ? bits(d, x->first + 3, 1)
	           : x->first == 81 || x->first == 84 ? false : bits(d, x->first + 3, 1);

	if (x->letter == 'Q' || x->letter == 'E')
		n = PT - n;
	if (x->optional && n == PT && !not)
		return;
	comma(d);
	if (not)
		fputc('!', d->f);
	put_predicate(d, n, x->letter == 'V' || x->letter == 'E');
}

static void plain_register(struct sass_decoder *d, const struct pattern *x)
{
	bool uniform = x->letter == 'U';

	if (x->optional && is_zero(d, register_number(d, x->first, uniform), uniform))
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
	case 'z': case 'i': case 'w': put_integer((int32_t)v, d->f); break;
	case 'f': case 'y': put_float(v, d->f); break;
	case 'g': put_double(v, d->f); break;
	case 'h': case 'm':
		put_half((uint16_t)(v >> 16), d->bf16, d->f);
		comma(d);
		put_half((uint16_t)v, d->bf16, d->f);
		break;
	default: put_integer(v, d->f); break;
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

static void put_offset(struct sass_decoder *d, int64_t v, bool alone)
{
	if (v == 0 && !alone)
		return;
	if (!alone)
		fputc('+', d->f);
	put_integer(v, d->f);
}

static void address(struct sass_decoder *d, const char *kind, size_t length)
{
	bool optional = kind[length - 1] == '?';
	const struct sass_address *a = hd__sass_address(kind, length - optional);
	bool uniform, base, descriptor;
	int64_t offset;

	if (!a) {
		d->unknown = true;
		return;
	}
	descriptor = a->descriptor && bits(d, UNIFORM_SLOT, 1) && bits(d, a->descriptor, 1);
	uniform = a->uniform && !a->second && bits(d, UNIFORM_SLOT, 1) && !descriptor;
	uniform |= a->base == RZ;
	base = a->base != RZ && (bits(d, a->base, 8) != RZ || !uniform);
	offset = a->offset_bits ? sign_extend(hd__sass_bits(d->w, a->offset, a->offset_bits), a->offset_bits) : 0;
	if (optional && bits(d, a->base, 8) == RZ && offset == 0)
		return;
	comma(d);
	if (descriptor)
		fprintf(d->f, "desc[UR%u]", register_number(d, a->uniform, true));
	else if (a->second && bits(d, a->second, 1))
		fprintf(d->f, "desc[UR%u]", register_number(d, a->uniform, true) + 1);
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
	bool none = is_zero(d, register_number(d, 24, uniform), uniform);

	comma(d);
	if (!uniform && bits(d, UNIFORM_SLOT, 1)) { /* of a uniform register the bit is always set: its index is one */
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

/* That of LDCU, with an offset of 17 bits. */
static void wide_constant(struct sass_decoder *d)
{
	bool none = is_zero(d, register_number(d, 24, true), true);

	comma(d);
	fprintf(d->f, "c[0x%x][", bits(d, 54, 5));
	if (!none)
		put_register(d, 24, true);
	put_offset(d, bits(d, 37, 17), none);
	fputc(']', d->f);
}

/* ---- the others ---- */

static void number_operand(struct sass_decoder *d, const struct pattern *x)
{
	uint64_t v = hd__sass_bits(d->w, x->first, x->bits);

	if (x->optional && v == x->left_out)
		return;
	comma(d);
	put_integer(x->letter == 'S' ? sign_extend(v, x->bits) : (int64_t)v, d->f);
}

/* Distances are in words of 32 bits.  Hopper keeps their low 8 bits apart, where a BSSY has its barrier.  Behind a
 * register that is added to it there is a blank only: RET.REL.NODEC R20 0x0. */
static void target(struct sass_decoder *d, char letter)
{
	unsigned n = d->sm >= SASS_BLACKWELL && letter == 'D' ? 30 : 48; /* a BSSY there has other bits behind it */
	int64_t v = sign_extend(hd__sass_bits(d->w, 34, n), n);

	if (d->sm >= SASS_HOPPER && letter != 'D')
		v = v * 256 + bits(d, 16, 8);
	v *= 4;
	if (letter == 'T' || letter == 'D')
		comma(d);
	else
		fputc(' ', d->f);
	if (letter != 'O')
		v += (int64_t)d->pc + (int64_t)SASS_BYTES;
	put_integer(v, d->f);
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
	put_integer(bits(d, 64, 3) | bits(d, 72, 5) << 3, d->f);
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

/* One of a set of texts, the one that the bits choose, with `front` in front of it unless it is empty. */
static void put_choice(struct sass_decoder *d, const char *front, const char *set, size_t length)
{
	const struct sass_suffix *s = hd__sass_suffixes;
	const char *p;
	uint32_t v;

	while (*s->name && (strlen(s->name) != length || memcmp(s->name, set, length) != 0
	                   || (s->to && (d->sm < s->from || d->sm > s->to))))
		s++;
	p = s->texts;
	v = p ? bits(d, s->first, s->bits) : 0;
	if (p && s->bits2)
		v |= bits(d, s->first2, s->bits2) << s->bits;
	for (; v && p; v--) {
		p = strchr(p, '|');
		if (p != NULL)
			p++;
	}
	if (!p || *p == '?')
		d->unknown = true;
	else if (*p && *p != '|')
		fprintf(d->f, "%s%.*s", front, (int)strcspn(p, "|"), p);
}

static void words(struct sass_decoder *d, const char *text)
{
	comma(d);
	fputs(text, d->f);
}

/* "gdesc[UR4]" of matrices, "desc[UR4]" of what is not an address. */
static void descriptor(struct sass_decoder *d, const struct pattern *x)
{
	comma(d);
	fputs(x->letter == 'G' ? "gdesc[" : "desc[", d->f);
	put_register(d, x->first, true);
	fputc(']', d->f);
}

static void operand(struct sass_decoder *d, const char *word, size_t length)
{
	struct pattern x;

	if (word[0] == 'A') {
		address(d, word + 1, length - 1);
		return;
	}
	if (word[0] == '=') {
		comma(d);
		put_choice(d, "", word + 1, length - 1);
		return;
	}
	if (length > 1 && (memcmp(word, "SR", 2) == 0 || memcmp(word, "PR", 2) == 0
	                   || memcmp(word, "UP", 2) == 0)) {
		if (word[0] == 'S') {
			comma(d);
			put_special(bits(d, 72, 8), d->f);
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
	case 'P': case 'V': case 'Q': case 'E': predicate(d, &x); break;
	case 'G': case 'H': descriptor(d, &x); break;
	case 'J':
		if (bits(d, x.first, 3) == 0)
			words(d, "gsb0");
		break;
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
	case 'Z': wide_constant(d); break;
	case 'T': case 'D': case 'W': case 'O': target(d, x.letter); break;
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

/* ---- rows ---- */

/* "+72 ^85": are the bits so? */
static bool holds(struct sass_word w, const char *when)
{
	for (; *when; when += strcspn(when, " "), when += *when == ' ')
		if (hd__sass_bits(w, (unsigned)atoi(when + 1), 1) != (*when == '+'))
			return false;
	return true;
}

static const struct sass_row *find_row(struct sass_word w, uint32_t sm)
{
	unsigned op = (unsigned)hd__sass_bits(w, 0, 9), form = (unsigned)hd__sass_bits(w, 9, 3);

	for (const struct sass_row *r = hd__sass_rows; *r->forms; r++)
		if (r->op == op && strchr(r->forms, '0' + (int)form) && sm >= r->from && (!r->to || sm <= r->to)
		    && holds(w, r->when))
			return r;
	return NULL;
}

/* Calls `each` for the words of a list. */
static void for_words(struct sass_decoder *d, const char *list,
                      void (*each)(struct sass_decoder *, const char *, size_t))
{
	while (*list) {
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


/* A field has the columns, and behind them the code of k; of products of integers it counts the shapes that there are:
 * 8, 16, 24, 32 columns and multiples of 16. */
struct sass_shape hd__sass_shape(struct sass_word w)
{
	static const uint16_t floats[] = { 16, 8, 32, 16 };
	unsigned op = (unsigned)hd__sass_bits(w, 0, 9), field = (unsigned)hd__sass_bits(w, 53, 7), at;

	if (op == 0x1f0 || op == 0x1f3)
		return (struct sass_shape){ (field % 32 + 1) * 8,
			op == 0x1f0 ? floats[field / 32] : field & 32 ? 64 : 32 };
	at = op == 0x1f1 ? field / 3 : field;
	return (struct sass_shape){ at < 4 ? (at + 1) * 8 : (at - 1) * 16, op == 0x1f2 ? 256 : field % 3 ? 64 : 32 };
}

static void suffix(struct sass_decoder *d, const char *word, size_t length)
{
	if (*word == '.') {
		fprintf(d->f, "%.*s", (int)length, word);
	} else if (length == 4 && memcmp(word, "imad", 4) == 0) {
		put_alias(d);
	} else if (length == 5 && memcmp(word, "shape", 5) == 0) {
		struct sass_shape shape = hd__sass_shape(d->w);

		fprintf(d->f, ".64x%ux%u", shape.n, shape.k);
	} else {
		put_choice(d, ".", word, length);
	}
}

/* ---- all of it ---- */

static bool lists(const struct sass_row *row, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = row->suffixes; *p; p += strcspn(p, " "), p += *p == ' ')
		if (strncmp(p, word, n) == 0 && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static void put_guard(struct sass_decoder *d)
{
	unsigned n = bits(d, 12, 3), not = bits(d, 15, 1);

	if (n == 7 && !not)
		return;
	fprintf(d->f, "@%s%sP", not ? "!" : "",
	        d->uniform || hd__sass_uniform_guard(bits(d, 0, 9), d->sm) ? "U" : "");
	if (n == 7)
		fputs("T ", d->f);
	else
		fprintf(d->f, "%u ", n);
}

char *hd__sass_decode(struct sass_word w, uint32_t sm, uint32_t pc)
{
	const struct sass_row *row = find_row(w, sm);
	struct sass_decoder d = { .w = w, .sm = sm, .pc = pc, .form = (unsigned)hd__sass_bits(w, 9, 3) };
	char *text;
	size_t size;

	if (!row || sm < SASS_VOLTA)
		return NULL;
	d.uniform = (row->op >= 0x080 && row->op <= 0x0bf && row->op != 0x086) /* VOTEU has both */
	            || (sm >= SASS_BLACKWELL
	                && (row->op == 0x04a || (row->op >= 0x050 && row->op <= 0x05f) || row->op == 0x1ac));
	d.inverts = lists(row, "x") && bits(&d, 74, 1);
	d.bf16 = lists(row, "bf16") && bits(&d, 85, 1);
	d.f = hd__xcheck(open_memstream(&text, &size));
	put_guard(&d);
	fputs(row->name, d.f);
	for_words(&d, row->suffixes, suffix);
	for_words(&d, row->operands, operand);
	fclose(d.f);
	hd__xcheck(text);
	if (!d.unknown)
		return text;
	free(text);
	return NULL;
}

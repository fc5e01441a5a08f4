/* exec_decode.c - instructions as operations and rows
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A row for each operation and its forms, as in traces/sass/sass_table.c, which prints them: tests/exec/decode.c
 * compares both.  Forms and slots are explained in traces/sass/sass_table.h.
 */
#include "exec_ops.h"
#include "traces/sass/sass_table.h"

#include <stdlib.h>

#define ALL "1234567"
#define SECOND "1456" /* a second source, b */
#define THIRD "1237"  /* a second source, c, in slot 32 */

struct decoder {
	struct sass_word w;
	uint32_t sm;
	struct exec_code *code;
	struct exec_op *o;
	unsigned form;
	enum exec_operation operation;
};

/* Returns false if it is not an instruction. */
typedef bool take(struct decoder *d);

static uint32_t bits(const struct decoder *d, unsigned first, unsigned n)
{
	return (uint32_t)hd__sass_bits(d->w, first, n);
}

static int64_t signed_bits(const struct decoder *d, unsigned first, unsigned n)
{
	uint64_t v = hd__sass_bits(d->w, first, n), top = UINT64_C(1) << (n - 1);

	return (int64_t)((v ^ top) - top);
}

/* ---- constants ---- */

void hd__exec_constants(struct exec_code *code)
{
	for (code->constants = 0; code->constants < EXEC_ZEROS; code->constants++) {
		code->constant = hd__xgrow(code->constant, code->constants, &code->cap, sizeof *code->constant);
		code->constant[code->constants] = (struct exec_constant){ EXEC_IMMEDIATE, 0 };
	}
}

/* Rows of constants side by side, those that are there already or new ones. */
static uint32_t constants(struct decoder *d, const struct exec_constant *v, size_t n)
{
	struct exec_code *c = d->code;
	size_t i = 0;

	while (i + n <= c->constants && memcmp(&c->constant[i], v, n * sizeof *v) != 0)
		i++;
	if (i + n > c->constants) {
		i = c->constants;
		c->constant = hd__xreserve(c->constant, i + n, &c->cap, sizeof *c->constant);
		memcpy(&c->constant[i], v, n * sizeof *v);
		c->constants += n;
	}
	return EXEC_CONSTANT | (uint32_t)(i * EXEC_LANES);
}

static uint32_t immediate(struct decoder *d, uint32_t v)
{
	return constants(d, &(struct exec_constant){ EXEC_IMMEDIATE, v }, 1);
}

static uint32_t immediate64(struct decoder *d, uint64_t v)
{
	return constants(d, (const struct exec_constant[]){ { EXEC_IMMEDIATE, (uint32_t)v },
	                 { EXEC_IMMEDIATE, (uint32_t)(v >> 32) } }, 2);
}

/* ---- rows of operands ---- */

static uint32_t vector_row(uint32_t n)
{
	return n == EXEC_RZ ? EXEC_CONSTANT : n * EXEC_LANES;
}

static uint32_t uniform_number(const struct decoder *d, unsigned first)
{
	return bits(d, first, d->sm >= 100 ? 8 : 6);
}

static bool is_urz(const struct decoder *d, uint32_t n)
{
	return n == (d->sm >= 100 ? 255u : 63u);
}

static uint32_t uniform_row(const struct decoder *d, unsigned first)
{
	uint32_t n = uniform_number(d, first);

	return is_urz(d, n) ? EXEC_CONSTANT : (EXEC_UNIFORM + n % EXEC_UNIFORMS) * EXEC_LANES;
}

/* A source register: of the datapath of the operation. */
static uint32_t source(const struct decoder *d, unsigned first)
{
	return d->o->uniform ? uniform_row(d, first) : vector_row(bits(d, first, 8));
}

static uint32_t vector_destination(const struct decoder *d)
{
	uint32_t n = bits(d, 16, 8);

	return (n == EXEC_RZ ? EXEC_NOWHERE : n) * EXEC_LANES;
}

static uint32_t uniform_destination(const struct decoder *d)
{
	uint32_t n = uniform_number(d, 16);

	return (is_urz(d, n) ? EXEC_NOWHERE : EXEC_UNIFORM + n % EXEC_UNIFORMS) * EXEC_LANES;
}

static void destination(struct decoder *d)
{
	d->o->d = d->o->uniform ? uniform_destination(d) : vector_destination(d);
}

enum width { WORD, PAIR, DOUBLE }; /* an immediate of a DOUBLE is its upper word */

static bool third_in_32(const struct decoder *d)
{
	return d->form == 2 || d->form == 3 || d->form == 7;
}

/* What is in slot 32.  Returns false of a constant in a bank that a register names. */
static bool slot32(struct decoder *d, enum width width, uint32_t *at)
{
	uint32_t v = bits(d, 32, 32), bank = bits(d, 54, 5), offset = bits(d, 38, 16);

	switch (d->form) {
	case 2: case 4:
		*at = width == WORD ? immediate(d, v)
		      : immediate64(d, width == DOUBLE ? (uint64_t)v << 32 : (uint64_t)(int64_t)(int32_t)v);
		return true;
	case 3: case 5:
		if (bits(d, 91, 1) || bank >= EXEC_BANKS)
			return false;
		*at = constants(d, (const struct exec_constant[]){ { bank, offset }, { bank, offset + 4 } },
		                width == WORD ? 1 : 2);
		return true;
	case 6: case 7: *at = uniform_row(d, 32); return true;
	default: *at = source(d, 32); return true;
	}
}

/* Modifiers: bits 0 and 1 sign, absolute; 2 and 3 the selector of halves. */
static uint8_t modifiers_a(const struct decoder *d)
{
	return (uint8_t)bits(d, 72, 4);
}

static uint8_t modifiers_32(const struct decoder *d)
{
	if (d->form == 2 || d->form == 4)
		return 0;
	return (uint8_t)(bits(d, 63, 1) | bits(d, 62, 1) << 1 | bits(d, 60, 2) << 2);
}

static uint8_t modifiers_64(const struct decoder *d, bool half)
{
	if (half)
		return (uint8_t)(bits(d, 84, 1) | bits(d, 83, 1) << 1 | bits(d, 81, 2) << 2);
	return (uint8_t)(bits(d, 75, 1) | bits(d, 74, 1) << 1);
}

/* Three sources, of which the second and the third share the slots. */
static bool three(struct decoder *d, enum width b, enum width c, bool half)
{
	struct exec_op *o = d->o;

	destination(d);
	o->a = source(d, 24);
	o->am = modifiers_a(d);
	if (third_in_32(d)) {
		o->b = source(d, 64);
		o->bm = modifiers_64(d, half);
		o->cm = modifiers_32(d);
		return slot32(d, c, &o->c);
	}
	o->c = source(d, 64);
	o->cm = modifiers_64(d, half);
	o->bm = modifiers_32(d);
	return slot32(d, b, &o->b);
}

/* Two sources, the second in slot 32. */
static bool two(struct decoder *d, enum width width)
{
	struct exec_op *o = d->o;

	destination(d);
	o->a = source(d, 24);
	o->am = modifiers_a(d);
	o->bm = modifiers_32(d);
	return slot32(d, width, &o->b);
}

/* One source, in slot 32. */
static bool one(struct decoder *d, enum width width)
{
	destination(d);
	d->o->bm = modifiers_32(d);
	return slot32(d, width, &d->o->b);
}

/* Keeps of the modifiers of all sources what the mask has. */
static void keep_modifiers(struct exec_op *o, uint8_t mask)
{
	o->am &= mask;
	o->bm &= mask;
	o->cm &= mask;
}

static bool written(uint8_t p)
{
	return (p & 7) != EXEC_PT;
}

static bool is_double(const struct decoder *d)
{
	return bits(d, 84, 2) == 3;
}

/* ---- fields ----
 *
 * What a row says of an instruction's fields are words, taken in their order:
 *
 *   1 2 3      sources in the slots of the form, and the destination.  Letters behind: p pairs, c the third is one,
 *              g doubles, h modifiers as halves have them, t a double if bits 84 and 85 are 3, w then a pair
 *   n s        of their modifiers only the sign; sign and absolute
 *   d          destination.  a24 b32 c64: a source there.  u in front: a uniform register in all operations
 *   p81 q84    predicates that are written, u in front: uniform.  r87 k77 l68: read ones
 *   x y e f m i z  .x, .y, .am, .bm, .more, .imm, .size: behind them and flags the lowest bit and, behind '.', how
 *              many, or '=' and a value; '<' and a number: the field has to be below it.  j: .imm, signed.  z alone:
 *              the size of an access, which is in .y, too
 *   F T X ...  flags, if the bit is set: see flag_letters
 *   [kind      an address, see traces/sass/sass_table.c.  g: it has some.  ~: it may be strong.  !: it may fail
 *   & v w      it is of a unit beside the warps; values are recorded, or what is copied
 *
 * '@N' behind a word: only if that bit is set. */

/* FTZ, SAT, X, SIGNED, WIDE_BASE, PAIR, BF16, RELU, HIGH: at the number of the bit. */
static const char flag_letters[] = "FTXSW-PB-RH";

static const uint8_t sizes[8] = { 1, 1, 2, 2, 4, 8, 16, 16 };

static bool sources(struct decoder *d, char n, char width)
{
	enum width last = width == 'g' || (width == 't' && is_double(d)) ? DOUBLE
			  : width == 'p' || width == 'c' || (width == 'w' && is_double(d)) ? PAIR : WORD;

	if (n == '1')
		return one(d, last);
	return n == '2' ? two(d, last) : three(d, width == 'c' ? WORD : last, last, width == 'h');
}

/* The base of an address is a pair if its bit says so, or bit 72 without a uniform register. */
static bool address(struct decoder *d, const char *kind)
{
	const struct sass_address *a = hd__sass_address(kind, strcspn(kind, " "));
	struct exec_op *o = d->o;
	bool uniform = bits(d, 91, 1);

	o->access = o->may_fail = true;
	o->imm = a->offset_bits ? (int32_t)signed_bits(d, a->offset, a->offset_bits) : 0;
	if (a->base == EXEC_RZ) {
		o->a = uniform_row(d, a->uniform);
		return true;
	}
	o->a = vector_row(bits(d, a->base, 8));
	if (a->wide && (bits(d, a->wide, 1) || (bits(d, 72, 1) && !uniform)))
		o->flags |= EXEC_WIDE_BASE;
	if (a->uniform && uniform && !(a->descriptor && bits(d, a->descriptor, 1))) {
		o->b = uniform_row(d, a->uniform);
		if (a->wide)
			o->flags |= EXEC_WIDE_ADDED;
	}
	return true;
}

static void size(struct decoder *d, unsigned first)
{
	d->o->y = (uint8_t)bits(d, first, 3);
	d->o->size = sizes[d->o->y];
}

static void strong(struct decoder *d)
{
	if (d->sm < 80 ? bits(d, 79, 2) == 2 : bits(d, 77, 4) >= 5)
		d->o->flags |= EXEC_STRONG;
}

static uint8_t predicate_read(const struct decoder *d, unsigned first)
{
	return (uint8_t)(bits(d, first, 3) | (d->o->uniform ? EXEC_UP : 0) | (bits(d, first + 3, 1) ? EXEC_NOT : 0));
}

static uint8_t predicate_written(const struct decoder *d, unsigned first, bool uniform)
{
	return (uint8_t)(bits(d, first, 3) | (d->o->uniform || uniform ? EXEC_UP : 0));
}

/* Returns false if there is no such instruction. */
static bool field(struct decoder *d, const char *word)
{
	struct exec_op *o = d->o;
	bool uniform = *word == 'u';
	char key = *(word += uniform), *end;
	unsigned first = (unsigned)strtoul(word + 1, &end, 10);
	unsigned n = *end == '.' ? (unsigned)strtoul(end + 1, &end, 10) : 1;
	uint32_t v = *end == '=' ? (uint32_t)strtoul(end + 1, &end, 10) : bits(d, first, n);
	const char *flag = strchr(flag_letters, key);

	if (*end == '<' && v >= strtoul(end + 1, &end, 10))
		return false;
	if (*end == '@' && !bits(d, (unsigned)strtoul(end + 1, NULL, 10), 1))
		return true;
	if (flag) {
		o->flags |= (uint16_t)((v & 1) << (flag - flag_letters));
		return true;
	}
	switch (key) {
	case '1': case '2': case '3': return sources(d, key, word[1]);
	case 'n': keep_modifiers(o, EXEC_NEGATED); break;
	case 's': keep_modifiers(o, EXEC_NEGATED | EXEC_ABSOLUTE); break;
	case 'd': o->d = o->uniform || uniform ? uniform_destination(d) : vector_destination(d); break;
	case 'a': o->a = uniform ? uniform_row(d, first) : source(d, first); break;
	case 'b': o->b = uniform ? uniform_row(d, first) : source(d, first); break;
	case 'c': o->c = uniform ? uniform_row(d, first) : source(d, first); break;
	case 'p': o->pd = predicate_written(d, first, uniform); break;
	case 'q': o->pd2 = predicate_written(d, first, uniform); break;
	case 'r': o->ps = predicate_read(d, first); break;
	case 'k': o->ps2 = predicate_read(d, first); break;
	case 'l': o->ps3 = predicate_read(d, first); break;
	case 'x': o->x = (uint8_t)v; break;
	case 'y': o->y = (uint8_t)v; break;
	case 'e': o->am = (uint8_t)v; break;
	case 'f': o->bm = (uint8_t)v; break;
	case 'm': o->more = v; break;
	case 'i': o->imm = (int32_t)v; break;
	case 'j': o->imm = (int32_t)signed_bits(d, first, n); break;
	case 'z':
		if (word[1] == ' ' || word[1] == '\0')
			size(d, 73);
		else
			o->size = (uint8_t)v;
		break;
	case '[': return address(d, word + 1);
	case '!': o->may_fail = true; break;
	case '&': o->async = true; break;
	case 'v': o->notes = EXEC_VALUES; break;
	case 'w': o->notes = EXEC_BULK; break;
	case 'g': o->access = true; break;
	default: strong(d); break;
	}
	return true;
}

static bool fields(struct decoder *d, const char *words)
{
	for (const char *w = words; *w; w += strcspn(w, " "), w += *w == ' ')
		if (!field(d, w))
			return false;
	return true;
}

/* ---- moves and integers ---- */

/* sm_100 has moves of pairs of registers. */
static bool take_mov(struct decoder *d)
{
	if (d->sm >= 100 && bits(d, 80, 1) && d->form != 4 && d->form != 5)
		d->operation = EXEC_OP_mov64;
	return true;
}

static bool take_mov64(struct decoder *d)
{
	d->o->b = immediate64(d, hd__sass_bits(d->w, 24, 64));
	return true;
}

static bool take_iadd3(struct decoder *d)
{
	if (d->o->flags & EXEC_X || written(d->o->pd) || written(d->o->pd2))
		d->operation = EXEC_OP_iadd3_carry;
	return true;
}

static bool take_lea(struct decoder *d)
{
	if (bits(d, 80, 1))
		d->operation = EXEC_OP_lea_high;
	if (!third_in_32(d))
		d->o->cm = 0; /* its bit is one of the shift */
	else
		d->o->bm = 0;
	return true;
}

static bool take_lop3(struct decoder *d)
{
	if (written(d->o->pd))
		d->operation = EXEC_OP_lop3_predicate;
	return true;
}

static bool take_imnmx(struct decoder *d)
{
	if (d->sm >= 100 && bits(d, 74, 1))
		d->operation = EXEC_OP_imnmx64;
	return two(d, d->operation == EXEC_OP_imnmx64 ? PAIR : WORD);
}

/* VIMNMX of halves: predicates tell which are of the first source. */
static bool take_vimnmx(struct decoder *d)
{
	if (!bits(d, 73, 1))
		return true;
	d->operation = EXEC_OP_vimnmx16;
	return fields(d, "p81 q84");
}

static bool take_vimnmx3(struct decoder *d)
{
	if (bits(d, 73, 1))
		d->operation = EXEC_OP_vimnmx3_16;
	return true;
}

static bool take_viaddmnmx(struct decoder *d)
{
	if (!bits(d, 73, 1))
		return true;
	d->operation = EXEC_OP_viaddmnmx16;
	return !d->o->bm && !d->o->cm;
}

static bool take_shf(struct decoder *d)
{
	bool right = bits(d, 76, 1), high = bits(d, 80, 1);
	unsigned type = bits(d, 73, 2); /* S64 U64 S32 U32 */

	if (type == 0 || type == 2)
		d->o->flags |= EXEC_SIGNED;
	if (type < 2)
		d->o->flags |= EXEC_PAIR;
	if (type >= 2 && right && high)
		d->operation = EXEC_OP_shr;
	else if (type >= 2 && !right && !high)
		d->operation = EXEC_OP_shl;
	return true;
}

static bool take_imad(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->am = 0;
	if (d->operation == EXEC_OP_imad && o->flags & EXEC_X)
		d->operation = EXEC_OP_imad_x;
	else if (d->operation == EXEC_OP_imad && o->a == EXEC_CONSTANT && !o->cm) { /* a move */
		o->b = o->c;
		d->operation = EXEC_OP_mov;
	} else if (d->operation == EXEC_OP_imad_wide && (o->flags & EXEC_X || written(o->pd) || o->bm || o->cm)) {
		d->operation = EXEC_OP_imad_wide_carry;
	}
	return true;
}

/* ---- predicates ---- */

static bool take_isetp(struct decoder *d)
{
	if (bits(d, 72, 1))
		d->operation = EXEC_OP_isetp_ex;
	else if (d->sm >= 100 && bits(d, 80, 1))
		d->operation = EXEC_OP_isetp64;
	return two(d, d->operation == EXEC_OP_isetp64 ? PAIR : WORD);
}

static bool take_plop3(struct decoder *d)
{
	d->o->x |= (uint8_t)(bits(d, 72, 5) << 3);
	if (!d->o->uniform && bits(d, 67, 1))
		d->o->ps3 |= EXEC_UP;
	return true;
}

/* ---- floating point ---- */

#define ROUNDING " x78.2 T77 F80"

/* The second source is where others have the third. */
static bool take_ufadd(struct decoder *d)
{
	d->o->b = d->o->c;
	d->o->bm = d->o->cm;
	return true;
}

static bool take_ffma(struct decoder *d)
{
	if (!(d->o->x | d->o->flags | d->o->am | d->o->bm | d->o->cm))
		d->operation = EXEC_OP_ffma_plain;
	return true;
}

/* DADD has its second source in slot 64 in form 1; DMUL in slot 32. */
static bool take_dadd(struct decoder *d)
{
	d->o->am = modifiers_a(d) & (EXEC_NEGATED | EXEC_ABSOLUTE);
	d->o->bm = modifiers_64(d, false);
	return true;
}

static bool take_hfma2(struct decoder *d)
{
	struct exec_op *o = d->o;

	if (d->form == 2 && o->a == EXEC_CONSTANT && o->b == EXEC_CONSTANT) { /* 0 * 0 + an immediate: a move */
		o->b = o->c;
		d->operation = EXEC_OP_mov;
	}
	return true;
}

static bool take_f2f(struct decoder *d)
{
	return d->o->x != 0;
}

/* .x: signed, size. */
static bool take_f2i(struct decoder *d)
{
	d->o->x |= (uint8_t)(bits(d, 75, 2) << 1);
	return true;
}

#define F2F "1t x75.3<7 m78.2 y84.2 F80"
#define F2I "1t x72 m78.2 y84.2 F80"
#define FRND "1t m78.2 y84.2 F80"
#define I2F "1w S74 x84.2 y75.2 m78.2 e60.2" /* .am: byte or half */

/* ---- registers of other kinds, lanes ---- */

static bool take_bmov_immediate(struct decoder *d)
{
	d->o->b = immediate(d, bits(d, 32, 32));
	return true;
}

static bool take_lepc(struct decoder *d)
{
	d->o->imm = (int32_t)((uint64_t)signed_bits(d, 34, 48) << 10 | bits(d, 24, 8));
	return true;
}

static bool take_shfl(struct decoder *d)
{
	d->o->b = d->form == 1 || d->form == 2 ? vector_row(bits(d, 32, 8)) : immediate(d, bits(d, 53, 5));
	d->o->c = d->form == 1 || d->form == 4 ? vector_row(bits(d, 64, 8)) : immediate(d, bits(d, 40, 13));
	return true;
}

/* ---- control flow ---- */

/* Distance in instructions, of words of 4 bytes; Hopper keeps the low 8 bits apart, and a BSSY of sm_100 has other
 * bits behind a shorter distance. */
static bool take_distance(struct decoder *d)
{
	int64_t v = signed_bits(d, 34, d->sm >= 100 && d->o->flow == EXEC_BSSY ? 30 : 48);

	if (d->sm >= SASS_HOPPER && d->o->flow != EXEC_BSSY)
		v = v * 256 + bits(d, 16, 8);
	if (v % 4 || v / 4 > INT32_MAX / 32 || v / 4 < INT32_MIN / 32)
		return false;
	d->o->imm = (int32_t)(v / 4);
	return true;
}

/* BRA.U: a uniform predicate. */
static bool take_bra_uniform(struct decoder *d)
{
	d->o->ps = (uint8_t)(bits(d, 24, 3) | EXEC_UP | (bits(d, 27, 1) ? EXEC_NOT : 0));
	return take_distance(d);
}

static bool take_ret(struct decoder *d)
{
	if (bits(d, 85, 1)) /* RET.ABS */
		d->o->flow = EXEC_JUMP_ABS;
	return take_distance(d);
}

static bool take_call_abs(struct decoder *d)
{
	uint64_t to = hd__sass_bits(d->w, 32, 50);

	d->o->imm = (int32_t)(uint32_t)to;
	d->o->more = (uint32_t)(to >> 32);
	return true;
}

static bool take_warpsync(struct decoder *d)
{
	/* Hopper has a distance in the slot of the register */
	d->o->b = d->form == 4 ? immediate(d, bits(d, 32, 32)) : vector_row(bits(d, d->sm >= SASS_HOPPER ? 24 : 32, 8));
	return true;
}

/* Number and threads: immediates, or registers in rows a and b as .y says. */
static bool take_bar(struct decoder *d)
{
	d->o->y = (uint8_t)d->form;
	return d->o->x == 0 || d->o->x == 8 || d->o->x >= 16;
}

/* ---- memory ---- */

/* LD: without a uniform register the address is of 64 bits if bit 72 says so. */
static bool take_load_generic(struct decoder *d)
{
	return fields(d, bits(d, 91, 1) ? "[load z" : "[plain32 W72 z");
}

/* Forms 6 add the uniform register to the address in shared memory. */
static bool take_ldgsts(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->d = EXEC_CONSTANT;
	o->more = (uint32_t)signed_bits(d, 44, 20);
	if (bits(d, 70, 1) || d->sm >= 100)
		o->flags |= EXEC_WIDE_BASE;
	if (d->form == 6) {
		o->d = uniform_row(d, 64);
	} else if (bits(d, 91, 1) && !bits(d, 76, 1)) {
		o->b = uniform_row(d, 64);
		o->flags |= EXEC_WIDE_ADDED;
	}
	size(d, d->sm >= 100 ? 74 : 73);
	return true;
}

static bool take_qspc(struct decoder *d)
{
	d->o->access = d->o->may_fail = false;
	if (d->form == 4 && bits(d, 91, 1))
		d->o->flags |= EXEC_WIDE_ADDED;
	return true;
}

/* A distance from a register; without one, where it is. */
static bool take_ldc(struct decoder *d)
{
	if (bits(d, 24, 8) == EXEC_RZ)
		d->o->imm = (int32_t)bits(d, 38, 16);
	return !bits(d, 91, 1) && !bits(d, 78, 2);
}

static bool take_uldc(struct decoder *d)
{
	return !bits(d, 91, 1);
}

/* LDCU of sm_100. */
static bool take_ldcu(struct decoder *d)
{
	d->o->uniform = true;
	if (d->o->guard != EXEC_PT)
		d->o->guard |= EXEC_UP;
	destination(d);
	return true;
}

/* ---- atomic operations: the function in .x, the type in .y as ATOM has them ---- */

enum { CAS = 16, POPC_INC = 17, ARRIVE = 18, CAS_SPIN = 19 };

static bool typed(struct decoder *d, unsigned type)
{
	d->o->y = (uint8_t)type;
	d->o->size = type == 2 || type == 5 || type == 6 ? 8 : 4;
	return type < 8;
}

static bool take_atom(struct decoder *d)
{
	fields(d, d->sm >= 100 ? "[atomic_wide" : d->form == 4 ? "[atomic" : "[plain W70 W72");
	if (bits(d, 72, 1) && bits(d, 70, 1))
		d->o->flags |= EXEC_WIDE_BASE;
	return typed(d, bits(d, 73, d->sm >= 100 ? 3 : 4));
}

#define CAS_ANY "d [plain W72 c64 x=16 p81"

static bool take_cas(struct decoder *d)
{
	d->o->more = vector_row(bits(d, 32, 8)); /* compared */
	return typed(d, bits(d, 73, 3));
}

static bool take_red(struct decoder *d)
{
	fields(d, d->sm >= 100 ? "[atomic_wide" : "[reduce");
	return typed(d, bits(d, 73, d->sm >= 100 ? 3 : 4));
}

/* Floats, one or several: since sm_90 they have operations and numbers of types of their own. */
static bool take_floats(struct decoder *d)
{
	static const struct {
		uint8_t type, size;
	} types[16] = {
		{ HD_EXEC_F16, 4 }, { HD_EXEC_F16, 8 }, { HD_EXEC_F16, 16 }, { HD_EXEC_BF16, 4 }, { HD_EXEC_BF16, 8 },
		{ HD_EXEC_BF16, 16 }, [9] = { HD_EXEC_F32, 4 }, { HD_EXEC_F32, 8 }, { HD_EXEC_F32, 16 },
		[15] = { HD_EXEC_F64, 8 },
	};
	unsigned type = bits(d, 73, 4);

	fields(d, d->sm >= 100 ? "[atomic_wide" : bits(d, 0, 9) == 0x1a6 ? "[reduce" : "[atomic");
	d->o->y = types[type].type;
	d->o->size = types[type].size;
	d->o->flags |= EXEC_HIGH;
	return d->o->size && hd__exec_reduces(d->o->x, d->o->y);
}

static bool take_atoms(struct decoder *d)
{
	struct exec_op *o = d->o;
	unsigned how = bits(d, 87, 4);

	o->x = (uint8_t)how;
	if (d->form != 7)
		return how < 9 && typed(d, bits(d, 73, 4));
	o->x = how == 10 || how == 11 ? POPC_INC : ARRIVE;
	return (how == 9 && bits(d, 74, 1)) ? typed(d, 2) : o->x == POPC_INC && typed(d, 0);
}

static bool take_atoms_cas(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->flags |= EXEC_FIRST;
	o->more = vector_row(bits(d, 32, 8));
	o->x = bits(d, 87, 2) == 3 ? CAS_SPIN : CAS;
	if (d->form == 2) {
		d->operation = EXEC_OP_cas_predicate;
		return fields(d, "p81") && typed(d, bits(d, 74, 1) ? 2 : 0);
	}
	return typed(d, bits(d, 73, 4));
}

/* ---- matrices ---- */

/* .x: length of rows of A; .y: type of A and B; EXEC_HIGH: C and D are floats. */
static bool take_hmma(struct decoder *d)
{
	unsigned type = d->o->y;

	if (bits(d, 73, 1))
		return false; /* sparse */
	d->o->x = bits(d, 75, 1) ? 16 : bits(d, 78, 1) ? 4 : 8;
	if (bits(d, 78, 1) && !bits(d, 83, 1) && !bits(d, 75, 1))
		return false;
	d->o->more = d->sm;
	return (type != 2 || d->o->x != 16) && (d->o->x != 4 || type == 2) && (type == 0 || bits(d, 76, 1));
}

/* .x: rows of A; .y: bits of an element; .more: length of rows of A. */
static bool take_imma(struct decoder *d)
{
	struct exec_op *o = d->o;
	bool four = bits(d, 83, 1), sixteen = bits(d, 86, 1) || bits(d, 85, 1);

	if (bits(d, 72, 1))
		return false; /* sparse */
	o->x = sixteen ? 16 : 8;
	o->y = four ? 4 : 8;
	if (four) {
		if (!bits(d, 86, 1) && bits(d, 85, 1) && !bits(d, 75, 1)) {
			o->x = 8;
			o->more = 32;
		} else if (bits(d, 86, 1) && !bits(d, 85, 1) && bits(d, 75, 1)) {
			o->more = 32;
		} else if (bits(d, 86, 1) && bits(d, 85, 1) && !bits(d, 75, 1)) {
			o->more = 64;
		} else {
			return false;
		}
	} else {
		if (bits(d, 85, 1) || (!sixteen && bits(d, 75, 1)))
			return false;
		o->more = !sixteen ? 16 : bits(d, 75, 1) ? 32 : 16;
	}
	return true;
}

/* .x: rows of A, .more: length of rows in bits; .y: AND, else XOR. */
static bool take_bmma(struct decoder *d)
{
	d->o->x = bits(d, 75, 1) || bits(d, 76, 1) ? 16 : 8;
	d->o->more = bits(d, 76, 1) ? 256 : 128;
	return !(bits(d, 75, 1) && bits(d, 76, 1));
}

/* ---- textures and surfaces ---- */

/* Form 7 of sm_100 has other bits beside the uniform register of the handle. */
static bool two_handles(const struct decoder *d)
{
	return d->form == 7 && bits(d, 48, 1);
}

/* In slot 64 unless a bank or a uniform register has it. */
static bool handle(struct decoder *d)
{
	if (d->form == 7)
		d->o->c = uniform_row(d, 40);
	else if (d->form == 5 || d->form == 2)
		d->o->c = constants(d, &(struct exec_constant){ bits(d, 54, 5), 4 * bits(d, 40, 14) }, 1);
	else
		d->o->c = vector_row(bits(d, 64, 8));
	return (d->form != 5 && d->form != 2) || bits(d, 54, 5) < EXEC_BANKS;
}

#define TEXTURE "d a24 b32 x61.3 y72.4 p81 !" /* .x: dimensions; .y: channels that are read */

static bool texture(struct decoder *d)
{
	struct exec_op *o = d->o;
	uint32_t second = bits(d, 64, 8);

	o->more = (second == EXEC_RZ ? EXEC_NOWHERE : second) * EXEC_LANES;
	o->imm = EXEC_NO_ITEM;
	o->bm = EXEC_NO_ITEM;
	return handle(d) && o->x != 6;
}
static const uint8_t coordinates[8] = { 1, 2, 3, 3, 1, 2, 0, 3 };

/* The level of detail; false: not one of these.  *given: it is a source. */
static bool level(const struct decoder *d, bool *given)
{
	unsigned v = two_handles(d) ? bits(d, 59, 1) | bits(d, 87, 2) << 1 : bits(d, 87, 3);
	bool fetch = d->operation == EXEC_OP_tld, gather = d->operation == EXEC_OP_tld4;

	*given = !gather && v >= 2;
	return gather || (fetch ? v == 3 || v == !two_handles(d) : v <= 3);
}

/* TEX, TLD, TLD4 have a list of sources: layer, coordinates, handle, level of detail, offsets of the coordinates.  What
 * comes up to the coordinates is in a, the others in b; or, .SCR, two of at most four in each, one if there are only
 * two. */
static bool take_tex(struct decoder *d)
{
	struct exec_op *o = d->o;
	bool gather = d->operation == EXEC_OP_tld4, has_level = false, known = texture(d) && level(d, &has_level);
	unsigned offsets = two_handles(d) && !gather ? bits(d, 56, 2) : bits(d, 76, gather ? 2 : 1), n;

	/* no comparison, one sample, one offset for all elements */
	if (!known || bits(d, 78, 1) || offsets > 1)
		return false;
	o->am = o->x >= 4;
	n = o->am + coordinates[o->x];
	if (o->am)
		o->bm = 0;
	o->size = (uint8_t)n;
	if (!two_handles(d) && bits(d, 60, 1)) {
		unsigned all = n + (d->form == 1) + has_level + offsets;

		o->size = all > 2 ? 2 : 1;
		if (all > 4)
			return false;
	}
	if (d->form == 1) { /* its row is fixed */
		o->c = n < o->size ? vector_row(bits(d, 24, 8)) + n * EXEC_LANES
		       : vector_row(bits(d, 32, 8)) + (n - o->size) * EXEC_LANES;
		n++;
	}
	n += has_level;
	if (offsets)
		o->imm = (int32_t)n;
	if (gather) {
		o->cm = (uint8_t)bits(d, 87, 2);
		o->flags |= EXEC_PAIR; /* offsets of 8 bits */
	}
	return true;
}

/* TXD: handle, coordinates, layer and offsets, which share a register, are in a; b has differences. */
static bool take_txd(struct decoder *d)
{
	struct exec_op *o = d->o;
	bool known = texture(d);
	unsigned offsets = two_handles(d) ? bits(d, 56, 2) : bits(d, 76, 1);

	o->size = 4;
	o->am = d->form == 1;
	if (d->form == 1)
		o->c = o->a;
	if (o->x >= 4)
		o->bm = (uint8_t)(o->am + coordinates[o->x]);
	if (offsets) {
		o->imm = o->am + coordinates[o->x];
		o->flags |= EXEC_HIGH;
	}
	return known && offsets < 2;
}

/* The dimensions only. */
static bool take_txq(struct decoder *d)
{
	struct exec_op *o = d->o;
	unsigned query = bits(d, 62, 2);

	if (!texture(d) && o->x != 6)
		return false;
	o->x = 6; /* no coordinates */
	o->am = 0;
	o->pd = EXEC_PT;
	if (d->form == 1)
		o->c = o->a;
	return query == 0;
}

#define SURFACE "[surface b32 f61.3<6 e59.2<3" /* .bm: dimensions; .am: what happens outside */

static bool surface(struct decoder *d)
{
	return handle(d) && bits(d, 72, 1);
}

static bool take_suld(struct decoder *d)
{
	if (d->o->y == 1 || d->o->y == 3)
		d->o->flags |= EXEC_SIGNED;
	return surface(d) && d->o->y != 7;
}

static bool take_sured(struct decoder *d)
{
	unsigned type = bits(d, 73, 3);

	return surface(d) && (type < 3 || type == 5) && typed(d, type);
}

/* ---- asynchronous units of Hopper ---- */

static bool take_exchange(struct decoder *d)
{
	return bits(d, 72, 1);
}

/* .ARVCNT arrives, .TRANSCNT is what was expected. */
static bool take_arrives(struct decoder *d)
{
	return bits(d, 70, 2) != 3;
}

/* Rows of uniform registers: what is at 24, 32, and 64. */
#define BULK "ua24 ub32 uc64 g w ! & "

/* .y: to several blocks. */
static bool take_ublkcp(struct decoder *d)
{
	return d->o->x && (!d->o->y || d->o->x == 1);
}

/* A reduction: .am, of elements of type .bm. */
static bool take_ublkred(struct decoder *d)
{
	static const uint8_t types[] = { HD_EXEC_U32, HD_EXEC_S32, HD_EXEC_U64, HD_EXEC_S64, HD_EXEC_F16, HD_EXEC_F32,
		HD_EXEC_NO_TYPE, HD_EXEC_NO_TYPE, HD_EXEC_BF16 };
	unsigned type = bits(d, 81, 4);

	d->o->bm = type < sizeof types ? types[type] : HD_EXEC_NO_TYPE;
	return d->o->x >= 2 && hd__exec_reduces(d->o->am, d->o->bm);
}

static bool take_stas(struct decoder *d)
{
	return d->o->size >= 4;
}

/* The size follows from the type. */
static bool take_redas(struct decoder *d)
{
	d->o->size = d->o->bm == HD_EXEC_U64 ? 8 : 4;
	return d->o->bm <= HD_EXEC_U64;
}

/* .x: enum exec_tensor; .y: dimensions; without im2col.  .size: for several blocks. */
static bool take_tensor(struct decoder *d)
{
	return ++d->o->y <= 5 && !bits(d, 82, 1) && d->o->b != EXEC_CONSTANT; /* where and what */
}

/* A product whose first matrix is in registers has another form. */
static bool take_gmma(struct decoder *d)
{
	struct exec_op *o = d->o;
	struct sass_shape shape = hd__sass_shape(d->w);
	unsigned op = bits(d, 0, 9), n = shape.n / 8, dst = bits(d, 16, 8), c = bits(d, 64, 8);
	bool whole = op == 0x1f0, integers = op == 0x1f1;
	unsigned registers = n * (integers || bits(d, 75, 1) ? 4 : 2);

	o->x = (uint8_t)n;
	o->y = (uint8_t)(whole ? bits(d, 76, 2) : integers ? 4 : 3);
	if (integers ? bits(d, 75, 1) : 0)
		o->flags |= EXEC_SAT;
	if (!integers)
		o->flags |= bits(d, 75, 1) ? EXEC_HIGH : 0;
	if (d->form == 6) {
		o->flags |= EXEC_PAIR;
		o->a = vector_row(bits(d, 24, 8));
		o->b = uniform_row(d, 32);
	} else {
		o->a = o->b = uniform_row(d, 24);
	}
	o->b += o->b == EXEC_CONSTANT ? 0 : 2 * EXEC_LANES; /* four registers name both matrices, in either form */
	o->d = vector_destination(d);
	o->c = vector_row(c);
	if (whole) {
		o->am = (uint8_t)(bits(d, 72, 1) | bits(d, 61, 1) << 1);
		o->bm = (uint8_t)(bits(d, 63, 1) | bits(d, 62, 1) << 1);
	} else {
		o->cm = (uint8_t)(integers ? bits(d, 76, 1) | bits(d, 82, 1) << 1 : bits(d, 76, 2));
	}
	o->ps = (uint8_t)((7 - bits(d, 87, 3)) | EXEC_UP | (bits(d, 90, 1) ? EXEC_NOT : 0));
	o->async = o->may_fail = true;
	if (bits(d, 73, 1) || (whole && (o->y > 2 || shape.k != (o->y == 2 ? 8 : 16))) || (!whole && shape.k != 32)
	    || (o->y && !integers && !bits(d, 75, 1) && whole))
		return false; /* sparse, or not a type */
	return (dst == EXEC_RZ ? registers <= 8 : dst + registers <= EXEC_RZ)
	       && (c == EXEC_RZ || c + registers <= EXEC_RZ) && (d->form != 6 || bits(d, 24, 8) + 4 <= EXEC_RZ);
}

/* ---- rows ---- */

#define OP(operation) EXEC_PLAIN, EXEC_OP_##operation
#define FLOW(flow) flow, EXEC_OP_COUNT

static const struct exec_row {
	uint16_t op;      /* bits 0 to 8 */
	const char *forms;
	uint16_t from;    /* SM version, 0: all */
	uint8_t flow, operation;
	const char *fields;
	take *takes;      /* what fields do not say, after them */
	uint16_t to;      /* SM version, 0: all */
} rows[] = {
	{ 0x002, SECOND, 0, OP(mov), "1", take_mov },
	{ 0x002, "2", 100, OP(mov64), "d", take_mov64 },
	{ 0x003, "4", 0, OP(p2r), "d a24 i32.32 x76.2" },
	{ 0x004, "4", 0, OP(r2p), "a24 i32.32 x76.2" },
	{ 0x005, "4", 0, OP(cs2r), "d x72.8 P80" },
	{ 0x006, "4", 0, OP(vote), "d x72.2<3 r87 p81" },
	{ 0x007, SECOND, 0, OP(sel), "2 r87" },
	{ 0x007, "27", 100, OP(sel64), "2p r87" },
	{ 0x007, "3", 100, OP(sel64), "d a24 b32 r87" },
	{ 0x008, SECOND, 0, OP(fsel), "2 s r87 x81 F80" },
	{ 0x009, SECOND, 0, OP(fmnmx), "2 s r87 x81 F80" },
	{ 0x00a, SECOND, 0, OP(fset), "2 s x76.4 y74.2<3 r87 F80" },
	{ 0x00b, SECOND, 0, OP(fsetp), "2 s x76.4 y74.2<3 r87 p81 q84 F80" },
	{ 0x00c, SECOND, 0, OP(isetp), "x76.3 y74.2<3 S73 r87 k68 p81 q84", take_isetp },
	{ 0x00f, "1456", 90, OP(vimnmx3), "3 r87 S72 R76", take_vimnmx3 },
	{ 0x010, ALL, 0, OP(iadd3), "3 n p81 q84 X74 r87@74 k77@74", take_iadd3 },
	{ 0x011, ALL, 0, OP(lea), "3 n x75.5 r87 p81 X74 S73", take_lea },
	{ 0x012, ALL, 0, OP(lop3), "3 x72.8 y80 r87 p81", take_lop3 },
	{ 0x013, "156", 0, OP(iabs), "1" },
	{ 0x014, ALL, 0, OP(vabsdiff), "3 S73 x75" },
	{ 0x015, "1", 0, OP(vabsdiff4), "3 S73 x75" },
	{ 0x016, ALL, 0, OP(prmt), "3 x72.3<7" },
	{ 0x017, SECOND, 0, OP(imnmx), "r87 S73", take_imnmx },
	{ 0x019, ALL, 0, OP(shf), "3 x75 y76 H80", take_shf },
	{ 0x01a, SECOND, 0, OP(sgxt), "2 x75 S73" },
	{ 0x01b, SECOND, 0, OP(bmsk), "2 x75 S73" },
	{ 0x01c, "4", 0, OP(plop3), "x64.3 y16.8 r87 k77 l68 p81 q84", take_plop3 },
	{ 0x020, SECOND, 0, OP(fmul), "2 s y84.3" ROUNDING },
	{ 0x021, THIRD, 0, OP(fadd), "2 s" ROUNDING },
	{ 0x022, "4", 0, OP(fswzadd), "d a24 c64 i32.16" },
	{ 0x023, ALL, 0, OP(ffma), "3 s" ROUNDING, take_ffma },
	{ 0x024, ALL, 0, OP(imad), "3 n S73 X74 r87@74", take_imad },
	{ 0x025, ALL, 0, OP(imad_wide), "3c n S73 X74 r87@74 p81", take_imad },
	{ 0x026, "15", 0, OP(idp), "3 x73.4 y76" },
	{ 0x027, ALL, 0, OP(imad_high), "3c n S73 X74 r87@74 p81", take_imad },
	{ 0x028, SECOND, 0, OP(dmul), "2g s x78.2" },
	{ 0x029, "1", 0, OP(dadd), "d a24 b64 x78.2", take_dadd },
	{ 0x029, "237", 0, OP(dadd), "2g s x78.2" },
	{ 0x02a, THIRD, 0, OP(dsetp), "2g s x76.4 y74.2<3 r87 p81 q84 F80" },
	{ 0x02b, ALL, 0, OP(dfma), "3g s x78.2" },
	{ 0x02d, "4", 90, FLOW(EXEC_NOTHING), "" }, /* PREEXIT */
	{ 0x02e, "4", 90, FLOW(EXEC_NOTHING), "" }, /* ACQBULK: kernels before have ended */
	{ 0x02f, "4", 90, OP(elect), "ud p81 r87" },
	{ 0x030, THIRD, 0, OP(hadd2), "2 B85 T77 F80 y78" },
	{ 0x031, ALL, 0, OP(hfma2), "3h B85 T77 R79 F80", take_hfma2 },
	{ 0x032, SECOND, 0, OP(hmul2), "2 B85 T77 F80" },
	{ 0x033, THIRD, 0, OP(hset2), "2 x76.4 y69.2<3 m71 r87 F80" },
	{ 0x034, THIRD, 0, OP(hsetp2), "2 x76.4 y69.2<3 m71 r87 p81 q84 F80" },
	{ 0x035, ALL, 0, OP(hfma2), "3h B85 T77 R79 F80", take_hfma2, 99 },
	{ 0x035, "123456", 100, OP(iadd64), "2p n" }, /* its number was another operation's */
	{ 0x036, "146", 90, OP(iadd3), "2 n" },
	{ 0x037, "1", 0, OP(imma), "d a24 b32 c64 e76 f78 T82", take_imma },
	{ 0x038, "1", 0, OP(i2i), "1 x76.2" },
	{ 0x039, "1", 0, OP(i2ip), "3 x76" },
	{ 0x03a, "1", 0, OP(movm), "d a24" },
	{ 0x03b, "4", 0, OP(ldsm), "d [local_load x72.2<3 y78 z=16" },
	{ 0x03c, "1", 0, OP(hmma), "d a24 b32 c64 y82.3<3 H76", take_hmma },
	{ 0x03d, "1", 0, OP(bmma), "d a24 b32 c64 y78", take_bmma },
	{ 0x03e, SECOND, 0, OP(f2fp), "2 s B76 x79.2" }, /* 0, 1: nearest, 2: RM, 3: RZ */
	{ 0x03f, "1", 0, OP(dmma), "d a24 b32 c64" },
	{ 0x040, SECOND, 0, OP(hmnmx2), "2 B85 F80 x81 r87" },
	{ 0x043, "1", 0, OP(f2ip), "3 s" },
	{ 0x044, "4", 90, OP(stsm), "[local_store c32 x72.2<3 y78 z=16 &" },
	{ 0x045, "156", 0, OP(i2f), "1 S74 x=2 y75.2<3 m78.2" },
	{ 0x046, ALL, 90, OP(viaddmnmx), "3 n r87 S72 R76", take_viaddmnmx },
	{ 0x048, SECOND, 90, OP(imnmx), "2 r87 S72 R76", take_vimnmx },
	{ 0x04a, "14", 100, OP(imnmx), "2 r87 S72 R76", take_vimnmx }, /* uniform, as is floating point of sm_100: */
	{ 0x051, "146", 100, OP(fsel), "2 s r87 x81 F80" },
	{ 0x053, "146", 100, OP(fsetp), "2 s x76.4 y74.2<3 r87 p81 q84 F80" },
	{ 0x054, "12", 100, OP(fadd), "3 s" ROUNDING, take_ufadd },
	{ 0x055, "124", 100, OP(ffma), "3 s" ROUNDING, take_ffma },
	{ 0x056, "146", 100, OP(fmul), "2 s y84.3" ROUNDING },
	{ 0x05a, "146", 100, OP(i2f), I2F },
	{ 0x05c, "14", 100, OP(f2i), F2I, take_f2i },
	{ 0x05d, "14", 100, OP(frnd), FRND },
	{ 0x05e, "14", 100, OP(i2f), "1 S74 x=2 y75.2<3 m78.2" },

	{ 0x100, "156", 0, OP(flo), "1 n S73 x74 p81" }, /* the source of this and the next may be inverted */
	{ 0x101, "156", 0, OP(brev), "1 n S73 x74" },
	{ 0x102, SECOND, 0, OP(fchk), "2 s p81" },
	{ 0x104, SECOND, 0, OP(f2f), F2F, take_f2f },
	{ 0x105, SECOND, 0, OP(f2i), F2I, take_f2i },
	{ 0x106, SECOND, 0, OP(i2f), I2F },
	{ 0x107, SECOND, 0, OP(frnd), FRND },
	{ 0x108, SECOND, 0, OP(mufu), "1 x74.4<10 y73" },
	{ 0x109, "156", 0, OP(popc), "1 n S73 x74" },
	{ 0x110, SECOND, 0, OP(f2f), F2F, take_f2f },
	{ 0x111, SECOND, 0, OP(f2i), F2I, take_f2i },
	{ 0x112, SECOND, 0, OP(i2f), I2F },
	{ 0x113, SECOND, 0, OP(frnd), FRND },

	/* the uniform datapath */
	{ 0x082, "46", 0, OP(mov), "1", take_mov },
	{ 0x082, "1", 100, OP(mov), "1", take_mov },
	{ 0x082, "2", 100, OP(mov64), "d", take_mov64 },
	{ 0x083, "4", 0, OP(p2r), "d a24 i32.32 x76.2" },
	{ 0x085, "14", 100, OP(imnmx), "r87 S73", take_imnmx },
	{ 0x086, "4", 0, OP(voteu), "ud x72.2<3 r87 up81" },
	{ 0x087, "14", 0, OP(sel), "2 r87" },
	{ 0x087, "2", 100, OP(sel64), "2p r87" },
	{ 0x087, "3", 100, OP(sel64), "d a24 b32 r87" },
	{ 0x08c, "146", 0, OP(isetp), "x76.3 y74.2<3 S73 r87 k68 p81 q84", take_isetp },
	{ 0x090, "1246", 0, OP(iadd3), "3 n p81 q84 X74 r87@74 k77@74", take_iadd3 },
	{ 0x091, "124", 0, OP(lea), "3 n x75.5 r87 p81 X74 S73", take_lea },
	{ 0x092, "124", 0, OP(lop3), "3 x72.8 y80 r87 p81", take_lop3 },
	{ 0x096, "124", 0, OP(prmt), "3" },
	{ 0x097, "124", 0, OP(iadd64), "3p n" }, /* pairs */
	{ 0x099, "124", 0, OP(shf), "3 x75 y76 H80", take_shf },
	{ 0x09a, "14", 0, OP(sgxt), "2 x75 S73" },
	{ 0x09b, "14", 0, OP(bmsk), "2 x75 S73" },
	{ 0x09c, "4", 0, OP(plop3), "x64.3 y16.8 r87 k77 l68 p81 q84", take_plop3 },
	{ 0x0a4, "124", 0, OP(imad), "3 n S73 X74 r87@74", take_imad },
	{ 0x0a5, "124", 0, OP(imad_wide), "3c n S73 X74 r87@74 p81", take_imad },
	{ 0x0a7, "124", 90, OP(imad_high), "3c n S73 X74 r87@74 p81", take_imad },
	{ 0x0b9, "5", 0, OP(uldc), "d z i38.16 x54.5 !", take_uldc },
	/* bit 91 says that there is an index, as in other slots */
	{ 0x0bb, "5", 0, OP(uldc), "d z j38.16 x54.5 ua24 !" },
	{ 0x0bd, "1", 0, OP(flo), "1 n S73 x74 p81" },
	{ 0x0be, "1", 0, OP(brev), "1 n S73 x74" },
	{ 0x0bf, "1", 0, OP(popc), "1 n S73 x74" },
	/* the predicate tells which lanes have another value: they get their turn in a loop.  .y: those that it has are
	 * added */
	{ 0x0ca, "1", 90, OP(r2ur), "ud a24 p81 x=1 y84" },
	{ 0x1ac, "35", 100, OP(uldc), "z i37.17 x54.5 ua24 !", take_ldcu },
	{ 0x1c2, "1", 0, OP(r2ur), "ud a24 p81 y84" },
	{ 0x1c3, "4", 0, OP(s2ur), "ud x72.8" },
	{ 0x1c4, "1", 0, OP(redux), "ud a24 x78.3<6 S73" },

	/* special registers, control flow, waits */
	{ 0x118, "4", 0, FLOW(EXEC_NOTHING), "" },
	{ 0x119, "4", 0, OP(s2r), "d x72.8" },
	{ 0x11a, "4", 0, FLOW(EXEC_NOTHING), "" },
	{ 0x11b, "4", 90, FLOW(EXEC_NOTHING), "" }, /* ENDCOLLECTIVE */
	{ 0x11c, "1", 0, OP(b2r), "d p81" },
	{ 0x11d, "1245", 0, FLOW(EXEC_BARRIER), "x74.6<19 r87 i54.4 m42.12 a32 b64", take_bar },
	{ 0x141, "4", 0, FLOW(EXEC_BSYNC), "x16.4 r87" },
	{ 0x142, "4", 0, FLOW(EXEC_BREAK), "x16.4 r87" },
	{ 0x143, "1", 0, FLOW(EXEC_CALL_ABS), "a24" },
	{ 0x143, "4", 0, FLOW(EXEC_CALL_ABS), "y=1", take_call_abs }, /* an address */
	{ 0x144, "1", 0, FLOW(EXEC_INDIRECT), "a24", take_distance },
	{ 0x144, "4", 0, FLOW(EXEC_BRANCH), "", take_distance },
	{ 0x145, "4", 0, FLOW(EXEC_BSSY), "x16.4", take_distance },
	{ 0x146, "4", 0, FLOW(EXEC_YIELD), "" },
	/* .x: .U, .DIV, .CONV; the lanes that they ask for in row a, inverted by .y */
	{ 0x147, "4", 0, FLOW(EXEC_BRANCH), "r87 x32.2 y30 ua24", take_distance },
	{ 0x147, "2", 90, FLOW(EXEC_BRANCH), "x=1 y30 ua24", take_bra_uniform },
	{ 0x148, "14", 0, FLOW(EXEC_WARPSYNC), "", take_warpsync },
	{ 0x149, "4", 0, FLOW(EXEC_INDIRECT), "a24", take_distance },
	{ 0x14d, "4", 0, FLOW(EXEC_EXIT), "r87" },
	{ 0x14e, "1", 0, OP(lepc), "d" },
	{ 0x14e, "4", 90, OP(lepc), "d y=1", take_lepc },
	{ 0x150, "4", 0, FLOW(EXEC_INDIRECT), "a24", take_ret },
	/* .y: .CLEAR; forms 7 have the mask of active lanes, or the state of a warp, in place of a register */
	{ 0x155, "1", 0, OP(bmov_get), "d x24.4 y84" },
	{ 0x155, "7", 0, FLOW(EXEC_NOTHING), "" },
	{ 0x156, "1", 0, OP(bmov_set), "b32 x24.4 y84" },
	{ 0x156, "4", 90, OP(bmov_set), "x24.4 y84", take_bmov_immediate },
	{ 0x156, "7", 0, FLOW(EXEC_NOTHING), "" },
	{ 0x158, "4", 0, FLOW(EXEC_INDIRECT), "ua24", take_distance },
	{ 0x15c, "4", 0, FLOW(EXEC_TRAP), "x84.2" },
	{ 0x15d, "14", 0, FLOW(EXEC_YIELD), "" },

	/* lanes exchange */
	{ 0x189, "1247", 0, OP(shfl), "d a24 x58.2 p81", take_shfl },
	{ 0x1a1, "1", 0, OP(match), "d a24 x79 p81 P73" },

	/* textures and surfaces */
	{ 0x160, "57", 0, OP(tex), TEXTURE, take_tex },
	{ 0x161, "1", 0, OP(tex), TEXTURE, take_tex },
	{ 0x163, "57", 0, OP(tld4), TEXTURE, take_tex },
	{ 0x164, "1", 0, OP(tld4), TEXTURE, take_tex },
	{ 0x166, "57", 0, OP(tld), TEXTURE, take_tex },
	{ 0x167, "1", 0, OP(tld), TEXTURE, take_tex },
	{ 0x16c, "57", 0, OP(tex), TEXTURE, take_txd },
	{ 0x16d, "1", 0, OP(tex), TEXTURE, take_txd },
	{ 0x16f, "57", 0, OP(txq), TEXTURE, take_txq },
	{ 0x170, "1", 0, OP(txq), TEXTURE, take_txq },
	{ 0x199, "57", 0, OP(suld), SURFACE " z d p81", take_suld },
	{ 0x19a, "4", 0, OP(suld), SURFACE " z d p81", take_suld },
	{ 0x19d, "57", 0, OP(sust), SURFACE " z", take_suld },
	{ 0x19e, "4", 0, OP(sust), SURFACE " z", take_suld },
	{ 0x19f, "27", 0, OP(sured), SURFACE " x87.3", take_sured },
	{ 0x1a0, "1", 0, OP(sured), SURFACE " x87.3", take_sured },

	/* memory; .x of shared memory: scale of the base */
	{ 0x180, "1", 0, OP(load), "d [plain W72 z ~" },
	{ 0x180, "4", 0, OP(load), "d ~", take_load_generic },
	{ 0x181, "1", 0, OP(load), "d [plain W72 z ~" },
	{ 0x181, "4", 0, OP(load), "d [load z ~" },
	{ 0x182, "5", 0, OP(ldc), "d z a24 j38.16 x54.5 !", take_ldc },
	{ 0x183, "4", 0, OP(load_local), "d [local_load z" },
	{ 0x184, "4", 0, OP(load_shared), "d [shared_load x78.2 z" },
	{ 0x185, "1", 0, OP(store), "[plain32 W72 c64 z ~" },
	{ 0x185, "4", 0, OP(store), "[store c32 z ~" },
	{ 0x186, "1", 0, OP(store), "[plain W72 c32 z ~" },
	{ 0x186, "4", 0, OP(store), "[store c32 z ~" },
	{ 0x187, "1", 0, OP(store_local), "[plain c32 z" },
	{ 0x187, "4", 0, OP(store_local), "[local_store c32 z" },
	{ 0x188, "1", 0, OP(store_shared), "[scaled x78.2 c32 z" },
	{ 0x188, "4", 0, OP(store_shared), "[shared_store x78.2 c32 z" },
	{ 0x18a, "14", 0, OP(atom), "d c32 x87.4<9 p81", take_atom },
	{ 0x18b, "1", 0, OP(atom), CAS_ANY, take_cas },
	{ 0x18c, "1", 0, OP(atom_shared), "d [scaled e78.2 c32", take_atoms },
	{ 0x18c, "47", 0, OP(atom_shared), "d [shared_store e78.2 c32", take_atoms },
	{ 0x18d, "1", 0, OP(atom_shared), "d [scaled e78.2 c64", take_atoms_cas },
	{ 0x18d, "2", 100, OP(atom_shared), "d [scaled e78.2 c64", take_atoms_cas },
	{ 0x18e, "4", 0, OP(atom), "c32 x87.3", take_red },
	{ 0x18f, "4", 0, FLOW(EXEC_NOTHING), "" }, /* CCTL */
	{ 0x192, "4", 0, FLOW(EXEC_NOTHING), "" }, /* MEMBAR */
	{ 0x1a2, "4", 90, OP(atom), "d c32 x88.2<3 p81", take_floats },
	{ 0x1a3, "4", 90, OP(atom), "d c32 x88.2<3 p81", take_floats },
	{ 0x1a6, "4", 90, OP(atom), "c32 x88.2<3", take_floats },
	/* .y: .RED, .OPTOUT */
	{ 0x1a7, "4", 90, OP(syncs_arrive), "d [local_store c32 x84.3<6 y74.2 & v" },
	{ 0x1a7, "2", 90, FLOW(EXEC_PHASE), "p81 [local_store c32 y72 & v" }, /* .y: .TRYWAIT */
	{ 0x1a8, "14", 0, OP(atom), "d c32 x87.4<9 p81", take_atom },
	{ 0x1a9, "1", 0, OP(atom), CAS_ANY, take_cas },
	{ 0x1aa, "1", 0, OP(qspc), "d [plain x73.2 p81 W72", take_qspc },
	{ 0x1aa, "4", 0, OP(qspc), "d [local_load x73.2 p81 W72", take_qspc },
	{ 0x1ab, "4", 0, FLOW(EXEC_NOTHING), "" },  /* ERRBAR */
	{ 0x1ab, "2", 90, FLOW(EXEC_NOTHING), "" }, /* CGAERRBAR */
	{ 0x1ae, "67", 0, OP(ldgsts), "a24 c16 j32.12 x82 r87 g !", take_ldgsts }, /* .x: .ZFILL */
	{ 0x1af, "4", 0, FLOW(EXEC_NOTHING), "" }, /* LDGDEPBAR: copies are done when they are executed */
	{ 0x1b0, "4", 90, OP(arrives), "[local_store x70 &", take_arrives },
	{ 0x1b1, "4", 90, OP(syncs_invalidate), "[local_store &" },
	{ 0x1b2, "2", 90, OP(syncs_exch), "ud [exchange uc32 & v", take_exchange },
	{ 0x1b4, "1", 90, OP(tensor_copy), BULK "x=0 y79.3 z75", take_tensor },
	{ 0x1b4, "2", 90, OP(tensor_copy), BULK "x=0 y79.3", take_tensor },
	{ 0x1b5, "12", 90, OP(tensor_copy), BULK "x=1 y79.3", take_tensor },
	{ 0x1b6, "12", 90, OP(tensor_copy), BULK "x=3 y79.3 e87.3", take_tensor },
	{ 0x1b7, "4", 90, FLOW(EXEC_NOTHING), "" }, /* UTMACMDFLUSH */
	{ 0x1b8, "2", 90, OP(tensor_copy), BULK "x=2 y79.3", take_tensor },
	{ 0x1b9, "4", 90, OP(tensor_map), "ua24 ub32 uc64 g ! &" },
	{ 0x1ba, "1", 90, OP(ublkcp), BULK "x73.2 y75", take_ublkcp },
	{ 0x1bb, "1", 90, OP(ublkred), BULK "x73.2 e87.3", take_ublkred },
	{ 0x1bc, "1", 90, OP(ublkpf), BULK },
	{ 0x1bd, "6", 90, OP(stas), "[local_store c32 z & v", take_stas },
	{ 0x1be, "6", 90, OP(stas), "[local_store c32 x=1 e87.3 f73.3 & v", take_redas },
	{ 0x1c5, "4", 90, FLOW(EXEC_NOTHING), "" }, /* WARPGROUP */
	{ 0x1c6, "1", 90, FLOW(EXEC_NOTHING), "" }, /* FENCE.VIEW.ASYNC */
	{ 0x1c7, "4", 90, FLOW(EXEC_CLUSTER_ARRIVE), "" },
	{ 0x1c7, "6", 90, FLOW(EXEC_CLUSTER_WAIT), "" },
	{ 0x1c8, "4", 90, OP(usetmaxreg), "up81" },
	{ 0x1f0, "46", 90, OP(gmma), "", take_gmma },
	{ 0x1f1, "46", 90, OP(gmma), "", take_gmma },
	{ 0x1f3, "46", 90, OP(gmma), "", take_gmma },
};

static const struct exec_row *find_row(unsigned op12, uint32_t sm)
{
	unsigned op = op12 & 511, form = op12 >> 9;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].op == op && strchr(rows[i].forms, '0' + (int)form) && form != 0
		    && sm >= rows[i].from && (rows[i].to == 0 || sm <= rows[i].to))
			return &rows[i];
	return NULL;
}

bool hd__exec_knows(uint32_t op, uint32_t sm)
{
	return find_row(op & 4095, sm) != NULL;
}

static bool is_uniform(unsigned op, uint32_t sm)
{
	return (op >= 0x080 && op <= 0x0bf && op != 0x086)
	       || (sm >= 100 && (op == 0x04a || (op >= 0x050 && op <= 0x05f)));
}

void hd__exec_decode(struct exec_op *o, struct sass_word w, uint32_t sm, struct exec_code *code, bool wide)
{
	unsigned op12 = (unsigned)hd__sass_bits(w, 0, 12);
	const struct exec_row *r = find_row(op12, sm);
	struct decoder d = { .w = w, .sm = sm, .code = code, .o = o, .form = op12 >> 9 };

	*o = (struct exec_op){ .flow = EXEC_UNKNOWN, .pd = EXEC_PT, .pd2 = EXEC_PT, .ps = EXEC_PT, .ps2 = EXEC_PT,
		.ps3 = EXEC_PT, .a = EXEC_CONSTANT, .b = EXEC_CONSTANT, .c = EXEC_CONSTANT,
		.d = EXEC_NOWHERE * EXEC_LANES };
	o->uniform = is_uniform(op12 & 511, sm);
	o->guard = (uint8_t)(bits(&d, 12, 3) | (bits(&d, 15, 1) ? EXEC_NOT : 0));
	if (o->guard != EXEC_PT && (o->uniform || hd__sass_uniform_guard(op12 & 511, sm)))
		o->guard |= EXEC_UP;
	if (!r)
		return;
	d.operation = r->operation;
	o->flow = r->flow;
	if (!fields(&d, r->fields) || (r->takes && !r->takes(&d))) {
		o->flow = EXEC_UNKNOWN;
		return;
	}
	o->operation = (uint8_t)d.operation;
	if (d.operation < EXEC_OP_COUNT)
#ifdef HD_EXEC_WIDE
		o->run = wide ? hd__exec_functions_avx2[d.operation] : hd__exec_functions[d.operation];
#else
		o->run = hd__exec_functions[d.operation];
	(void)wide;
#endif
}

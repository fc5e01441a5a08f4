/* exec_decode.c - instructions as operations and rows
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A row for each operation and its forms, as in traces/sass/sass_table.c, which prints them: tests/exec/decode.c
 * compares both.  Forms and slots are explained in traces/sass/sass_table.h.
 */
#include "exec_ops.h"

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

/* Modifiers that integers have: a sign only. */
static void signs_only(struct exec_op *o)
{
	o->am &= EXEC_NEGATED;
	o->bm &= EXEC_NEGATED;
	o->cm &= EXEC_NEGATED;
}

static void no_halves(struct exec_op *o)
{
	o->am &= EXEC_NEGATED | EXEC_ABSOLUTE;
	o->bm &= EXEC_NEGATED | EXEC_ABSOLUTE;
	o->cm &= EXEC_NEGATED | EXEC_ABSOLUTE;
}

static uint8_t predicate_read(const struct decoder *d, unsigned first)
{
	return (uint8_t)(bits(d, first, 3) | (d->o->uniform ? EXEC_UP : 0) | (bits(d, first + 3, 1) ? EXEC_NOT : 0));
}

static uint8_t predicate_written(const struct decoder *d, unsigned first)
{
	return (uint8_t)(bits(d, first, 3) | (d->o->uniform ? EXEC_UP : 0));
}

static void flag(struct decoder *d, unsigned bit, uint16_t which)
{
	if (bits(d, bit, 1))
		d->o->flags |= which;
}

static bool written(uint8_t p)
{
	return (p & 7) != EXEC_PT;
}

/* ---- integers ---- */

static bool take_mov(struct decoder *d)
{
	if (d->form == 2) { /* 64 bits, from bit 24 on */
		destination(d);
		d->o->b = immediate64(d, hd__sass_bits(d->w, 24, 64));
		d->operation = EXEC_OP_mov64;
		return true;
	}
	if (d->sm >= 100 && bits(d, 80, 1) && (d->form == 1 || d->form == 6)) {
		d->operation = EXEC_OP_mov64;
		return one(d, PAIR);
	}
	return one(d, WORD);
}

static bool take_sel(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	if (d->form == 2 || d->form == 3 || d->form == 7) { /* pairs */
		destination(d);
		d->operation = EXEC_OP_sel64;
		d->o->a = source(d, 24);
		d->o->b = d->form == 3   ? source(d, 32)
			  : d->form == 7 ? uniform_row(d, 32)
					 : immediate64(d, (uint64_t)signed_bits(d, 32, 32));
		return true;
	}
	return two(d, WORD);
}

static bool take_iadd3(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->pd = predicate_written(d, 81);
	o->pd2 = predicate_written(d, 84);
	flag(d, 74, EXEC_X);
	if (o->flags & EXEC_X) {
		o->ps = predicate_read(d, 87);
		o->ps2 = predicate_read(d, 77);
	}
	if (o->flags & EXEC_X || written(o->pd) || written(o->pd2))
		d->operation = EXEC_OP_iadd3_carry;
	if (!three(d, WORD, WORD, false))
		return false;
	signs_only(o);
	return true;
}

static bool take_lea(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 75, 5);
	o->ps = predicate_read(d, 87);
	o->pd = predicate_written(d, 81);
	flag(d, 74, EXEC_X);
	flag(d, 73, EXEC_SIGNED);
	if (bits(d, 80, 1))
		d->operation = EXEC_OP_lea_high;
	if (!three(d, WORD, WORD, false))
		return false;
	signs_only(o);
	if (!third_in_32(d))
		o->cm = 0; /* its bit is one of the shift */
	else
		o->bm = 0;
	return true;
}

static bool take_lop3(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 72, 8);
	d->o->y = (uint8_t)bits(d, 80, 1);
	d->o->ps = predicate_read(d, 87);
	d->o->pd = predicate_written(d, 81);
	if (written(d->o->pd))
		d->operation = EXEC_OP_lop3_predicate;
	return three(d, WORD, WORD, false);
}

static bool take_one(struct decoder *d)
{
	return one(d, WORD);
}

static bool take_signed_three(struct decoder *d)
{
	flag(d, 73, EXEC_SIGNED);
	d->o->x = (uint8_t)bits(d, 75, 1);
	return three(d, WORD, WORD, false);
}

static bool take_prmt(struct decoder *d)
{
	d->o->x = d->o->uniform ? 0 : (uint8_t)bits(d, 72, 3);
	return d->o->x != 7 && three(d, WORD, WORD, false);
}

static bool take_imnmx(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	flag(d, 73, EXEC_SIGNED);
	if (d->sm >= 100 && bits(d, 74, 1)) {
		d->operation = EXEC_OP_imnmx64;
		return two(d, PAIR);
	}
	return two(d, WORD);
}

/* VIMNMX: the bit of the sign is another one. */
static bool take_vimnmx(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	flag(d, 72, EXEC_SIGNED);
	flag(d, 76, EXEC_RELU);
	if (bits(d, 73, 1)) { /* which halves are of the first source */
		d->operation = EXEC_OP_vimnmx16;
		d->o->pd = predicate_written(d, 81);
		d->o->pd2 = predicate_written(d, 84);
	}
	return two(d, WORD);
}

static bool take_vimnmx3(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	flag(d, 72, EXEC_SIGNED);
	if (bits(d, 73, 1))
		d->operation = EXEC_OP_vimnmx3_16;
	flag(d, 76, EXEC_RELU);
	return three(d, WORD, WORD, false);
}

static bool take_viaddmnmx(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	flag(d, 72, EXEC_SIGNED);
	flag(d, 76, EXEC_RELU);
	if (!three(d, WORD, WORD, false))
		return false;
	signs_only(d->o);
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
	if (high)
		d->o->flags |= EXEC_HIGH;
	d->o->x = (uint8_t)bits(d, 75, 1); /* .W */
	d->o->y = right;
	if (type >= 2 && right && high)
		d->operation = EXEC_OP_shr;
	else if (type >= 2 && !right && !high)
		d->operation = EXEC_OP_shl;
	return three(d, WORD, WORD, false);
}

static bool take_sgxt(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 75, 1);
	flag(d, 73, EXEC_SIGNED);
	return two(d, WORD);
}

static bool take_imad(struct decoder *d)
{
	struct exec_op *o = d->o;
	bool wide = d->operation != EXEC_OP_imad;

	flag(d, 73, EXEC_SIGNED);
	flag(d, 74, EXEC_X);
	if (wide)
		o->pd = predicate_written(d, 81);
	if (o->flags & EXEC_X)
		o->ps = predicate_read(d, 87);
	if (!three(d, WORD, wide ? PAIR : WORD, false))
		return false;
	signs_only(o);
	o->am = 0;
	if (!wide && o->flags & EXEC_X)
		d->operation = EXEC_OP_imad_x;
	else if (!wide && o->a == EXEC_CONSTANT && !o->cm) { /* a move */
		o->b = o->c;
		d->operation = EXEC_OP_mov;
	} else if (d->operation == EXEC_OP_imad_wide && (o->flags & EXEC_X || written(o->pd) || o->bm || o->cm)) {
		d->operation = EXEC_OP_imad_wide_carry;
	}
	return true;
}

static bool take_idp(struct decoder *d)
{
	unsigned type = bits(d, 73, 4);

	d->o->x = (uint8_t)type;
	d->o->y = (uint8_t)bits(d, 76, 1); /* 2A */
	return three(d, WORD, WORD, false);
}

/* UIADD3.64: pairs. */
static bool take_uiadd64(struct decoder *d)
{
	if (!three(d, PAIR, PAIR, false))
		return false;
	signs_only(d->o);
	return true;
}

/* IADD.64 of sm_100 has the number of another operation before. */
static bool take_iadd64(struct decoder *d)
{
	if (!two(d, PAIR))
		return false;
	d->o->c = EXEC_CONSTANT;
	signs_only(d->o);
	return true;
}

static bool take_viadd(struct decoder *d)
{
	if (!two(d, WORD))
		return false;
	d->o->c = EXEC_CONSTANT;
	signs_only(d->o);
	return true;
}

static bool take_i2i(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 76, 2);
	return one(d, WORD);
}

static bool take_i2ip(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 76, 1);
	return three(d, WORD, WORD, false);
}

/* FLO, BREV, POPC: the source may be inverted. */
static bool take_scan(struct decoder *d)
{
	flag(d, 73, EXEC_SIGNED);
	d->o->x = (uint8_t)bits(d, 74, 1);
	if (d->operation == EXEC_OP_flo)
		d->o->pd = predicate_written(d, 81);
	if (!one(d, WORD))
		return false;
	d->o->bm &= EXEC_NEGATED;
	return true;
}

/* ---- predicates ---- */

static bool take_isetp(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 76, 3);
	o->y = (uint8_t)bits(d, 74, 2);
	flag(d, 73, EXEC_SIGNED);
	o->ps = predicate_read(d, 87);
	o->ps2 = predicate_read(d, 68);
	o->pd = predicate_written(d, 81);
	o->pd2 = predicate_written(d, 84);
	if (bits(d, 72, 1))
		d->operation = EXEC_OP_isetp_ex;
	else if (d->sm >= 100 && bits(d, 80, 1)) {
		d->operation = EXEC_OP_isetp64;
		return o->y != 3 && two(d, PAIR);
	}
	return o->y != 3 && two(d, WORD);
}

static bool take_fsetp(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 76, 4);
	o->y = (uint8_t)bits(d, 74, 2);
	o->ps = predicate_read(d, 87);
	if (d->operation != EXEC_OP_fset) {
		o->pd = predicate_written(d, 81);
		o->pd2 = predicate_written(d, 84);
	}
	flag(d, 80, EXEC_FTZ);
	if (o->y == 3 || !two(d, d->operation == EXEC_OP_dsetp ? DOUBLE : WORD))
		return false;
	no_halves(o);
	return true;
}

static bool take_p2r(struct decoder *d)
{
	d->o->a = source(d, 24);
	d->o->imm = (int32_t)bits(d, 32, 32);
	d->o->x = (uint8_t)bits(d, 76, 2);
	if (d->operation == EXEC_OP_p2r)
		destination(d);
	return true;
}

static bool take_plop3(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)(bits(d, 64, 3) | bits(d, 72, 5) << 3);
	o->y = (uint8_t)bits(d, 16, 8);
	o->ps = predicate_read(d, 87);
	o->ps2 = predicate_read(d, 77);
	o->ps3 = predicate_read(d, 68);
	if (!o->uniform && bits(d, 67, 1))
		o->ps3 |= EXEC_UP;
	o->pd = predicate_written(d, 81);
	o->pd2 = predicate_written(d, 84);
	return true;
}

static bool take_vote(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 72, 2);
	d->o->ps = predicate_read(d, 87);
	d->o->pd = predicate_written(d, 81);
	destination(d);
	if (d->operation == EXEC_OP_voteu) {
		d->o->pd |= EXEC_UP;
		d->o->d = uniform_destination(d);
	}
	return d->o->x != 3;
}

/* ---- floating point ---- */

/* Rounding, flushing, saturation of FADD, FMUL and the like. */
static void rounding(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 78, 2);
	flag(d, 77, EXEC_SAT);
	flag(d, 80, EXEC_FTZ);
}

static bool take_fadd(struct decoder *d)
{
	rounding(d);
	if (d->operation == EXEC_OP_fmul)
		d->o->y = (uint8_t)bits(d, 84, 3);
	if (!two(d, WORD))
		return false;
	no_halves(d->o);
	return true;
}

/* The second source is where others have the third. */
static bool take_ufadd(struct decoder *d)
{
	rounding(d);
	if (!three(d, WORD, WORD, false))
		return false;
	d->o->b = d->o->c;
	d->o->bm = d->o->cm;
	no_halves(d->o);
	return true;
}

static bool take_ffma(struct decoder *d)
{
	rounding(d);
	if (!three(d, WORD, WORD, false))
		return false;
	no_halves(d->o);
	if (!(d->o->x | d->o->flags | d->o->am | d->o->bm | d->o->cm))
		d->operation = EXEC_OP_ffma_plain;
	return true;
}

static bool take_fsel(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
	d->o->x = (uint8_t)bits(d, 81, 1); /* FMNMX.NAN */
	flag(d, 80, EXEC_FTZ);
	if (!two(d, WORD))
		return false;
	no_halves(d->o);
	return true;
}

static bool take_fswzadd(struct decoder *d)
{
	destination(d);
	d->o->a = source(d, 24);
	d->o->c = source(d, 64);
	d->o->imm = (int32_t)bits(d, 32, 16);
	return true;
}

static bool take_fchk(struct decoder *d)
{
	d->o->pd = predicate_written(d, 81);
	if (!two(d, WORD))
		return false;
	no_halves(d->o);
	return true;
}

static bool take_mufu(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 74, 4);
	d->o->y = (uint8_t)bits(d, 73, 1); /* .F16 */
	return d->o->x < 10 && one(d, WORD);
}

/* DADD has its second source in slot 64 in form 1; DMUL in slot 32. */
static bool take_dadd(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 78, 2);
	if (d->operation == EXEC_OP_dadd && d->form == 1) {
		destination(d);
		d->o->a = source(d, 24);
		d->o->am = modifiers_a(d);
		d->o->b = source(d, 64);
		d->o->bm = modifiers_64(d, false);
	} else if (!two(d, DOUBLE)) {
		return false;
	}
	no_halves(d->o);
	return true;
}

static bool take_dfma(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 78, 2);
	if (!three(d, DOUBLE, DOUBLE, false))
		return false;
	no_halves(d->o);
	return true;
}

/* ---- halves ---- */

static bool take_hadd2(struct decoder *d)
{
	flag(d, 85, EXEC_BF16);
	flag(d, 77, EXEC_SAT);
	flag(d, 80, EXEC_FTZ);
	d->o->y = d->operation == EXEC_OP_hadd2 && bits(d, 78, 1); /* .F32 */
	return two(d, WORD);
}

static bool take_hmnmx2(struct decoder *d)
{
	flag(d, 85, EXEC_BF16);
	flag(d, 80, EXEC_FTZ);
	d->o->x = (uint8_t)bits(d, 81, 1);
	d->o->ps = predicate_read(d, 87);
	return two(d, WORD);
}

static bool take_hfma2(struct decoder *d)
{
	struct exec_op *o = d->o;

	flag(d, 85, EXEC_BF16);
	flag(d, 77, EXEC_SAT);
	flag(d, 79, EXEC_RELU);
	flag(d, 80, EXEC_FTZ);
	if (!three(d, WORD, WORD, true))
		return false;
	if (d->form == 2 && o->a == EXEC_CONSTANT && o->b == EXEC_CONSTANT) { /* 0 * 0 + an immediate: a move */
		o->b = o->c;
		d->operation = EXEC_OP_mov;
	}
	return true;
}

static bool take_hset2(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 76, 4);
	o->y = (uint8_t)bits(d, 69, 2);
	o->more = bits(d, 71, 1); /* HSET2.BF, HSETP2.H_AND */
	o->ps = predicate_read(d, 87);
	flag(d, 80, EXEC_FTZ);
	if (d->operation == EXEC_OP_hsetp2) {
		o->pd = predicate_written(d, 81);
		o->pd2 = predicate_written(d, 84);
	}
	return o->y != 3 && two(d, WORD);
}

static bool take_f2fp(struct decoder *d)
{
	flag(d, 76, EXEC_BF16);
	d->o->x = (uint8_t)bits(d, 79, 2); /* 0, 1: nearest, 2: RM, 3: RZ */
	if (!two(d, WORD))
		return false;
	no_halves(d->o);
	return true;
}

/* ---- conversions ---- */

static bool take_f2f(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 75, 3);
	o->more = bits(d, 78, 2);
	o->y = (uint8_t)bits(d, 84, 2);
	flag(d, 80, EXEC_FTZ);
	if (o->x == 0 || o->x == 7)
		return false;
	return one(d, o->y == 3 ? DOUBLE : WORD);
}

static bool take_f2i(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->x = (uint8_t)(bits(d, 72, 1) | bits(d, 75, 2) << 1); /* signed, size */
	o->more = bits(d, 78, 2);
	o->y = (uint8_t)bits(d, 84, 2);
	flag(d, 80, EXEC_FTZ);
	return one(d, o->y == 3 ? DOUBLE : WORD);
}

static bool take_i2f(struct decoder *d)
{
	struct exec_op *o = d->o;

	flag(d, 74, EXEC_SIGNED);
	o->x = (uint8_t)bits(d, 84, 2); /* size */
	o->y = (uint8_t)bits(d, 75, 2); /* to: 1 half, 2 float, 3 double */
	o->more = bits(d, 78, 2);
	if (!one(d, o->x == 3 ? PAIR : WORD))
		return false;
	o->am = (uint8_t)bits(d, 60, 2); /* byte or half */
	return true;
}

static bool take_i2fp(struct decoder *d)
{
	struct exec_op *o = d->o;

	flag(d, 74, EXEC_SIGNED);
	o->x = 2;
	o->y = (uint8_t)bits(d, 75, 2);
	o->more = bits(d, 78, 2);
	return o->y != 3 && one(d, WORD);
}

static bool take_frnd(struct decoder *d)
{
	d->o->more = bits(d, 78, 2);
	d->o->y = (uint8_t)bits(d, 84, 2);
	flag(d, 80, EXEC_FTZ);
	return one(d, d->o->y == 3 ? DOUBLE : WORD);
}

static bool take_three(struct decoder *d)
{
	if (!three(d, WORD, WORD, false))
		return false;
	no_halves(d->o);
	return true;
}

/* ---- registers of other kinds ---- */

static bool take_s2r(struct decoder *d)
{
	destination(d);
	d->o->x = (uint8_t)bits(d, 72, 8);
	if (d->operation == EXEC_OP_cs2r)
		flag(d, 80, EXEC_PAIR);
	return true;
}

static bool take_s2ur(struct decoder *d)
{
	d->o->d = uniform_destination(d);
	d->o->x = (uint8_t)bits(d, 72, 8);
	return true;
}

/* The predicate of the one that sm_90 has tells which lanes have another value: they get their turn in a loop.  .y:
 * those that it has are added. */
static bool take_r2ur(struct decoder *d)
{
	d->o->d = uniform_destination(d);
	d->o->a = vector_row(bits(d, 24, 8));
	d->o->pd = predicate_written(d, 81) & 7;
	d->o->x = bits(d, 0, 9) != 0x1c2;
	d->o->y = (uint8_t)bits(d, 84, 1);
	return true;
}

static bool take_redux(struct decoder *d)
{
	d->o->d = uniform_destination(d);
	d->o->a = vector_row(bits(d, 24, 8));
	d->o->x = (uint8_t)bits(d, 78, 3);
	flag(d, 73, EXEC_SIGNED);
	return d->o->x < 6;
}

static bool take_b2r(struct decoder *d)
{
	destination(d);
	d->o->pd = predicate_written(d, 81);
	return true;
}

/* Forms 7 have the mask of active lanes, or the state of a warp, in place of a register. */
static bool take_bmov(struct decoder *d)
{
	bool set = d->operation == EXEC_OP_bmov_set;

	if (d->form == 7) {
		d->o->flow = EXEC_NOTHING;
		return true;
	}
	d->o->x = (uint8_t)bits(d, 24, 4);
	d->o->y = (uint8_t)bits(d, 84, 1); /* .CLEAR */
	if (set)
		d->o->b = d->form == 4 ? immediate(d, bits(d, 32, 32)) : vector_row(bits(d, 32, 8));
	else
		destination(d);
	return true;
}

static bool take_lepc(struct decoder *d)
{
	destination(d);
	if (d->form == 4) {
		d->o->y = 1;
		d->o->imm = (int32_t)((uint64_t)signed_bits(d, 34, 48) << 10 | bits(d, 24, 8));
	}
	return true;
}

static bool take_shfl(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	o->a = vector_row(bits(d, 24, 8));
	o->x = (uint8_t)bits(d, 58, 2);
	o->pd = predicate_written(d, 81);
	o->b = d->form == 1 || d->form == 2 ? vector_row(bits(d, 32, 8)) : immediate(d, bits(d, 53, 5));
	o->c = d->form == 1 || d->form == 4 ? vector_row(bits(d, 64, 8)) : immediate(d, bits(d, 40, 13));
	return true;
}

static bool take_match(struct decoder *d)
{
	destination(d);
	d->o->a = vector_row(bits(d, 24, 8));
	d->o->x = (uint8_t)bits(d, 79, 1);
	d->o->pd = predicate_written(d, 81);
	flag(d, 73, EXEC_PAIR);
	return true;
}

static bool take_movm(struct decoder *d)
{
	destination(d);
	d->o->a = vector_row(bits(d, 24, 8));
	return true;
}

/* ---- control flow ---- */

static bool take_nothing(struct decoder *d)
{
	(void)d;
	return true;
}

/* Distance in instructions, of words of 4 bytes; Hopper keeps the low 8 bits apart, and a BSSY of sm_100 has other
 * bits behind a shorter distance. */
static bool distance(struct decoder *d)
{
	int64_t v = signed_bits(d, 34, d->sm >= 100 && d->o->flow == EXEC_BSSY ? 30 : 48);

	if (d->sm >= SASS_HOPPER && d->o->flow != EXEC_BSSY)
		v = v * 256 + bits(d, 16, 8);
	if (v % 4 || v / 4 > INT32_MAX / 32 || v / 4 < INT32_MIN / 32)
		return false;
	d->o->imm = (int32_t)(v / 4);
	return true;
}

static bool take_bssy(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 16, 4);
	return distance(d);
}

static bool take_bsync(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 16, 4);
	d->o->ps = predicate_read(d, 87);
	return true;
}

/* .U, .DIV and .CONV in .x; the lanes that they ask for in row a, inverted by .y. */
static bool take_bra(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->ps = predicate_read(d, 87);
	o->x = (uint8_t)bits(d, 32, 2);
	o->y = (uint8_t)bits(d, 30, 1);
	o->a = uniform_row(d, 24);
	if (d->form == 2) { /* a uniform predicate */
		o->ps = (uint8_t)(bits(d, 24, 3) | EXEC_UP | (bits(d, 27, 1) ? EXEC_NOT : 0));
		o->x = 1;
	}
	return distance(d);
}

static bool take_call_rel(struct decoder *d)
{
	d->o->ps = EXEC_PT;
	d->o->x = 0;
	return distance(d);
}

/* Targets in registers: BRX, CALL.REL R, RET. */
static bool take_indirect(struct decoder *d)
{
	if (bits(d, 0, 9) == 0x150 && bits(d, 85, 1)) /* RET.ABS */
		d->o->flow = EXEC_JUMP_ABS;
	d->o->a = bits(d, 0, 9) == 0x158 ? uniform_row(d, 24) : vector_row(bits(d, 24, 8));
	return distance(d);
}

static bool take_call_abs(struct decoder *d)
{
	d->o->y = d->form == 4; /* an address, else a register */
	if (d->form == 4) {
		uint64_t to = hd__sass_bits(d->w, 32, 50);

		d->o->imm = (int32_t)(uint32_t)to;
		d->o->more = (uint32_t)(to >> 32);
	} else {
		d->o->a = vector_row(bits(d, 24, 8));
	}
	return true;
}

static bool take_exit(struct decoder *d)
{
	d->o->ps = predicate_read(d, 87);
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
	struct exec_op *o = d->o;

	o->x = (uint8_t)bits(d, 74, 6);
	o->y = (uint8_t)d->form;
	o->ps = predicate_read(d, 87);
	o->imm = (int32_t)bits(d, 54, 4);
	o->more = bits(d, 42, 12);
	o->a = vector_row(bits(d, 32, 8));
	o->b = vector_row(bits(d, 64, 8));
	return o->x == 0 || o->x == 8 || (o->x >= 16 && o->x <= 18);
}

static bool take_bpt(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 84, 2);
	return true;
}

/* ---- memory ---- */

static const uint8_t sizes[8] = { 1, 1, 2, 2, 4, 8, 16, 16 };

/* An address: base R24, a uniform register at `uniform`, offset.  `descriptor`: the bit that says that the uniform
 * register is one, and is not added; `wide`: the bit that says that the base is a pair. */
static void address(struct decoder *d, unsigned uniform, unsigned descriptor, unsigned wide, unsigned offset,
		    unsigned n)
{
	struct exec_op *o = d->o;

	o->access = o->may_fail = true;
	o->a = vector_row(bits(d, 24, 8));
	o->imm = (int32_t)signed_bits(d, offset, n);
	if (wide && (bits(d, wide, 1) || (bits(d, 72, 1) && !bits(d, 91, 1))))
		o->flags |= EXEC_WIDE_BASE;
	o->b = EXEC_CONSTANT;
	if (uniform && bits(d, 91, 1) && !(descriptor && bits(d, descriptor, 1))) {
		o->b = uniform_row(d, uniform);
		o->flags |= EXEC_WIDE_ADDED;
	}
}

static void size(struct decoder *d)
{
	d->o->y = (uint8_t)bits(d, 73, 3);
	d->o->size = sizes[d->o->y];
}

static void strong(struct decoder *d)
{
	if (d->sm < 80 ? bits(d, 79, 2) == 2 : bits(d, 77, 4) >= 5)
		d->o->flags |= EXEC_STRONG;
}

/* LD, LDG: without a uniform register the address is of 64 bits if bit 72 says so. */
static bool take_load(struct decoder *d)
{
	bool generic = bits(d, 0, 9) == 0x180, uniform = bits(d, 91, 1);

	destination(d);
	if (d->form == 4 && (uniform || !generic))
		address(d, 32, 76, 90, 40, 24);
	else
		address(d, 0, 0, 0, d->form == 4 ? 32 : 40, d->form == 4 ? 32 : 24);
	if ((d->form == 1 || (generic && !uniform)) && bits(d, 72, 1))
		d->o->flags |= EXEC_WIDE_BASE;
	strong(d);
	size(d);
	return true;
}

static bool take_store(struct decoder *d)
{
	bool generic = bits(d, 0, 9) == 0x185;

	if (d->form == 4)
		address(d, 64, 76, 90, 40, 24);
	else
		address(d, 0, 0, 0, 32, 32);
	if (d->form == 1 && bits(d, 72, 1))
		d->o->flags |= EXEC_WIDE_BASE;
	d->o->c = vector_row(bits(d, generic && d->form == 1 ? 64 : 32, 8));
	strong(d);
	size(d);
	return true;
}

/* STG of sm_75: offset of 24 bits at 40 as loads have. */
static bool take_store_global(struct decoder *d)
{
	if (!take_store(d))
		return false;
	if (d->form == 1)
		d->o->imm = (int32_t)signed_bits(d, 40, 24);
	return true;
}

/* Shared and local memory: the uniform register of stores is in slot 64. */
static bool take_window(struct decoder *d)
{
	bool loads = d->operation == EXEC_OP_load_shared || d->operation == EXEC_OP_load_local;

	address(d, loads ? 32 : d->form == 4 ? 64 : 0, 0, 0, 40, 24);
	d->o->flags &= (uint16_t)~EXEC_WIDE_ADDED;
	if (d->operation == EXEC_OP_load_shared || d->operation == EXEC_OP_store_shared)
		d->o->x = (uint8_t)bits(d, 78, 2); /* scale of the base */
	if (loads)
		destination(d);
	else
		d->o->c = vector_row(bits(d, 32, 8));
	size(d);
	return true;
}

static bool take_ldsm(struct decoder *d)
{
	destination(d);
	address(d, 32, 0, 0, 40, 24);
	d->o->flags &= (uint16_t)~EXEC_WIDE_ADDED;
	d->o->x = (uint8_t)bits(d, 72, 2);
	d->o->y = (uint8_t)bits(d, 78, 1);
	d->o->size = 16;
	return d->o->x != 3;
}

/* Forms 6 add the uniform register to the address in shared memory. */
static bool take_ldgsts(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->access = o->may_fail = true;
	o->c = vector_row(bits(d, 16, 8));
	o->a = vector_row(bits(d, 24, 8));
	o->imm = (int32_t)signed_bits(d, 32, 12);
	o->more = (uint32_t)signed_bits(d, 44, 20);
	o->b = o->d = EXEC_CONSTANT;
	if (bits(d, 70, 1) || d->sm >= 100)
		o->flags |= EXEC_WIDE_BASE;
	if (d->form == 6) {
		o->d = uniform_row(d, 64);
	} else if (bits(d, 91, 1) && !bits(d, 76, 1)) {
		o->b = uniform_row(d, 64);
		o->flags |= EXEC_WIDE_ADDED;
	}
	o->ps = predicate_read(d, 87);
	o->x = (uint8_t)bits(d, 82, 1); /* .ZFILL */
	o->y = (uint8_t)bits(d, d->sm >= 100 ? 74 : 73, 3);
	o->size = sizes[o->y];
	return true;
}

static bool take_qspc(struct decoder *d)
{
	destination(d);
	address(d, d->form == 4 ? 32 : 0, 0, 0, 40, 24);
	d->o->access = d->o->may_fail = false;
	flag(d, 72, EXEC_WIDE_BASE);
	d->o->x = (uint8_t)bits(d, 73, 2);
	d->o->pd = predicate_written(d, 81);
	return true;
}

static bool take_ldc(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	size(d);
	o->a = vector_row(bits(d, 24, 8));
	/* a distance from a register; without one, where it is */
	o->imm = bits(d, 24, 8) == 255 ? (int32_t)bits(d, 38, 16) : (int32_t)signed_bits(d, 38, 16);
	o->x = (uint8_t)bits(d, 54, 5);
	o->may_fail = true;
	return !bits(d, 91, 1) && !bits(d, 78, 2) && o->x < EXEC_BANKS;
}

/* With an index in a uniform register, or none. */
static bool uldc(struct decoder *d, uint32_t index, int32_t distance)
{
	struct exec_op *o = d->o;

	destination(d);
	size(d);
	o->imm = distance;
	o->x = (uint8_t)bits(d, 54, 5);
	o->a = index;
	o->may_fail = true;
	return o->x < EXEC_BANKS;
}

static bool take_uldc(struct decoder *d)
{
	return uldc(d, EXEC_CONSTANT, (int32_t)bits(d, 38, 16)) && !bits(d, 91, 1);
}

/* Bit 91 says that there is an index, as in other slots. */
static bool take_uldc_indexed(struct decoder *d)
{
	return uldc(d, uniform_row(d, 24), (int32_t)signed_bits(d, 38, 16));
}

/* LDCU of sm_100. */
static bool take_ldcu(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->uniform = true;
	if (o->guard != EXEC_PT)
		o->guard |= EXEC_UP;
	destination(d);
	size(d);
	o->imm = (int32_t)bits(d, 37, 17);
	o->x = (uint8_t)bits(d, 54, 5);
	o->a = uniform_row(d, 24);
	o->may_fail = true;
	return o->x < EXEC_BANKS;
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
	struct exec_op *o = d->o;

	destination(d);
	if (d->sm >= 100)
		address(d, 64, 91, 72, 40, 23);
	else
		address(d, d->form == 4 ? 64 : 0, 71, 70, 40, 24);
	if (bits(d, 72, 1) && (d->form == 1 || bits(d, 70, 1)))
		o->flags |= EXEC_WIDE_BASE;
	o->c = vector_row(bits(d, 32, 8));
	o->x = (uint8_t)bits(d, 87, 4);
	o->pd = predicate_written(d, 81);
	return o->x < 9 && typed(d, bits(d, 73, d->sm >= 100 ? 3 : 4));
}

static bool take_cas(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	address(d, 0, 0, 0, 40, 24);
	flag(d, 72, EXEC_WIDE_BASE);
	o->more = vector_row(bits(d, 32, 8)); /* compared */
	o->c = vector_row(bits(d, 64, 8));
	o->x = CAS;
	o->pd = predicate_written(d, 81);
	return typed(d, bits(d, 73, 3));
}

static void reduces(struct decoder *d)
{
	struct exec_op *o = d->o;

	if (d->sm >= 100)
		address(d, 64, 91, 72, 40, 23);
	else
		address(d, 64, 71, 90, 40, 24);
	o->c = vector_row(bits(d, 32, 8));
	o->d = EXEC_NOWHERE * EXEC_LANES;
	o->x = (uint8_t)bits(d, 87, 3);
}

static bool take_red(struct decoder *d)
{
	reduces(d);
	return typed(d, bits(d, 73, d->sm >= 100 ? 3 : 4));
}

/* REDG has other numbers of floating types. */
static bool take_redg(struct decoder *d)
{
	static const uint8_t types[8] = { 8, 3, 8, 4, 4, 8, 7, 6 };

	reduces(d);
	return typed(d, types[bits(d, 73, 3)]);
}

static bool take_atoms(struct decoder *d)
{
	struct exec_op *o = d->o;
	unsigned how = bits(d, 87, 4);

	destination(d);
	address(d, d->form == 1 ? 0 : 64, 0, 0, 40, 24);
	o->flags &= (uint16_t)~EXEC_WIDE_ADDED;
	o->am = (uint8_t)bits(d, 78, 2);
	o->c = vector_row(bits(d, 32, 8));
	o->x = (uint8_t)how;
	if (d->form != 7)
		return how < 9 && typed(d, bits(d, 73, 4));
	o->x = how == 10 || how == 11 ? POPC_INC : ARRIVE;
	return (how == 9 && bits(d, 74, 1)) ? typed(d, 2) : o->x == POPC_INC && typed(d, 0);
}

static bool take_atoms_cas(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	address(d, 0, 0, 0, 40, 24);
	o->flags = (uint16_t)((o->flags & ~EXEC_WIDE_ADDED) | EXEC_FIRST);
	o->am = (uint8_t)bits(d, 78, 2);
	o->more = vector_row(bits(d, 32, 8));
	o->c = vector_row(bits(d, 64, 8));
	o->x = bits(d, 87, 2) == 3 ? CAS_SPIN : CAS;
	if (d->form == 2) {
		o->pd = predicate_written(d, 81);
		d->operation = EXEC_OP_cas_predicate;
		return typed(d, bits(d, 74, 1) ? 2 : 0);
	}
	return typed(d, bits(d, 73, 4));
}

/* ---- matrices ---- */

static bool take_matrix(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	o->a = vector_row(bits(d, 24, 8));
	o->b = vector_row(bits(d, 32, 8));
	o->c = vector_row(bits(d, 64, 8));
	return true;
}

/* .x: length of rows of A; .y: type of A and B; EXEC_HIGH: C and D are floats. */
static bool take_hmma(struct decoder *d)
{
	unsigned type = bits(d, 82, 3);

	if (bits(d, 73, 1) || type > 2)
		return false; /* sparse */
	d->o->y = (uint8_t)type;
	d->o->x = bits(d, 75, 1) ? 16 : bits(d, 78, 1) ? 4 : 8;
	if (bits(d, 78, 1) && !bits(d, 83, 1) && !bits(d, 75, 1))
		return false;
	flag(d, 76, EXEC_HIGH);
	d->o->more = d->sm;
	return (type != 2 || d->o->x != 16) && (d->o->x != 4 || type == 2) && (type == 0 || bits(d, 76, 1))
	       && take_matrix(d);
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
	o->am = (uint8_t)bits(d, 76, 1);
	o->bm = (uint8_t)bits(d, 78, 1);
	flag(d, 82, EXEC_SAT);
	return take_matrix(d);
}

/* .x: rows of A, .more: length of rows in bits; .y: AND, else XOR. */
static bool take_bmma(struct decoder *d)
{
	d->o->x = bits(d, 75, 1) || bits(d, 76, 1) ? 16 : 8;
	d->o->more = bits(d, 76, 1) ? 256 : 128;
	d->o->y = (uint8_t)bits(d, 78, 1);
	return !(bits(d, 75, 1) && bits(d, 76, 1)) && take_matrix(d);
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

static uint32_t second_destination(const struct decoder *d)
{
	uint32_t n = bits(d, 64, 8);

	return (n == EXEC_RZ ? EXEC_NOWHERE : n) * EXEC_LANES;
}

/* .x: dimensions; .y: channels that are read. */
static bool texture(struct decoder *d)
{
	struct exec_op *o = d->o;

	destination(d);
	o->more = second_destination(d);
	o->a = vector_row(bits(d, 24, 8));
	o->b = vector_row(bits(d, 32, 8));
	o->x = (uint8_t)bits(d, 61, 3);
	o->y = (uint8_t)bits(d, 72, 4);
	o->pd = predicate_written(d, 81);
	o->imm = EXEC_NO_ITEM;
	o->bm = EXEC_NO_ITEM;
	o->may_fail = true;
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

/* .bm: dimensions; .am: what happens outside. */
static bool surface(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->access = o->may_fail = true;
	o->a = vector_row(bits(d, 24, 8));
	o->b = vector_row(bits(d, 32, 8));
	o->bm = (uint8_t)bits(d, 61, 3);
	o->am = (uint8_t)bits(d, 59, 2);
	return handle(d) && o->bm < 6 && o->am < 3 && bits(d, 72, 1);
}

static bool take_suld(struct decoder *d)
{
	bool known = surface(d);

	size(d);
	if (d->o->y == 1 || d->o->y == 3)
		d->o->flags |= EXEC_SIGNED;
	if (d->operation == EXEC_OP_suld) {
		destination(d);
		d->o->pd = predicate_written(d, 81);
	}
	return known && d->o->y != 7;
}

static bool take_sured(struct decoder *d)
{
	bool known = surface(d);
	unsigned type = bits(d, 73, 3);

	d->o->x = (uint8_t)bits(d, 87, 3);
	return known && (type < 3 || type == 5) && typed(d, type);
}

/* ---- asynchronous units of Hopper ---- */

static bool in_shared(struct decoder *d, unsigned base_is_uniform)
{
	struct exec_op *o = d->o;

	address(d, base_is_uniform ? 0 : 64, 0, 0, 40, 24);
	if (base_is_uniform)
		o->a = uniform_row(d, 24);
	o->flags &= (uint16_t)~(EXEC_WIDE_ADDED | EXEC_WIDE_BASE);
	o->async = true;
	o->notes = EXEC_VALUES;
	return true;
}

static bool take_exchange(struct decoder *d)
{
	d->o->d = uniform_destination(d);
	d->o->c = uniform_row(d, 32);
	return in_shared(d, 1) && bits(d, 72, 1);
}

static bool take_arrive(struct decoder *d)
{
	destination(d);
	d->o->c = vector_row(bits(d, 32, 8));
	d->o->x = (uint8_t)bits(d, 84, 3);
	d->o->y = (uint8_t)bits(d, 74, 2); /* .RED, .OPTOUT */
	return in_shared(d, 0) && d->o->x < 6;
}

static bool take_phase(struct decoder *d)
{
	d->o->pd = predicate_written(d, 81);
	d->o->c = vector_row(bits(d, 32, 8));
	d->o->y = (uint8_t)bits(d, 72, 1); /* .TRYWAIT */
	return in_shared(d, 0);
}

static bool take_invalidate(struct decoder *d)
{
	in_shared(d, 0);
	d->o->notes = EXEC_NO_NOTES;
	return true;
}

/* .ARVCNT arrives, .TRANSCNT is what was expected. */
static bool take_arrives(struct decoder *d)
{
	in_shared(d, 0);
	d->o->notes = EXEC_NO_NOTES;
	d->o->x = (uint8_t)bits(d, 70, 1);
	return bits(d, 70, 2) != 3;
}

static bool take_elect(struct decoder *d)
{
	d->o->d = uniform_destination(d);
	d->o->pd = predicate_written(d, 81);
	d->o->ps = predicate_read(d, 87);
	return true;
}

static bool take_maxreg(struct decoder *d)
{
	d->o->pd = (uint8_t)(bits(d, 81, 3) | EXEC_UP);
	return true;
}

static bool take_stsm(struct decoder *d)
{
	address(d, 64, 0, 0, 40, 24);
	d->o->flags &= (uint16_t)~(EXEC_WIDE_ADDED | EXEC_WIDE_BASE);
	d->o->c = vector_row(bits(d, 32, 8));
	d->o->x = (uint8_t)bits(d, 72, 2);
	d->o->y = (uint8_t)bits(d, 78, 1);
	d->o->size = 16;
	d->o->async = true;
	return d->o->x != 3;
}

/* Rows of uniform registers: what is at 24, 32, and 64. */
static bool bulk(struct decoder *d)
{
	struct exec_op *o = d->o;

	o->access = o->may_fail = o->async = true;
	o->notes = EXEC_BULK;
	o->a = uniform_row(d, 24);
	o->b = uniform_row(d, 32);
	o->c = uniform_row(d, 64);
	return true;
}

/* .y: to several blocks. */
static bool take_ublkcp(struct decoder *d)
{
	d->o->x = (uint8_t)bits(d, 73, 2);
	d->o->y = (uint8_t)bits(d, 75, 1);
	return bulk(d) && d->o->x && (!d->o->y || d->o->x == 1);
}

/* A reduction: .am, of elements of type .bm. */
static bool take_ublkred(struct decoder *d)
{
	static const uint8_t types[] = { HD_EXEC_U32, HD_EXEC_S32, HD_EXEC_U64, HD_EXEC_S64, HD_EXEC_F16, HD_EXEC_F32,
		HD_EXEC_NO_TYPE, HD_EXEC_NO_TYPE, HD_EXEC_BF16 };
	unsigned type = bits(d, 81, 4);

	d->o->x = (uint8_t)bits(d, 73, 2);
	d->o->am = (uint8_t)bits(d, 87, 3);
	d->o->bm = type < sizeof types ? types[type] : HD_EXEC_NO_TYPE;
	return bulk(d) && d->o->x >= 2 && hd__exec_reduces(d->o->am, d->o->bm);
}

/* STAS, and REDAS, whose size follows from its type. */
static bool take_stas(struct decoder *d)
{
	struct exec_op *o = d->o;

	in_shared(d, 0);
	o->c = vector_row(bits(d, 32, 8));
	o->x = bits(d, 0, 9) == 0x1be;
	if (!o->x) {
		size(d);
		return o->size >= 4;
	}
	o->am = (uint8_t)bits(d, 87, 3);
	o->bm = (uint8_t)bits(d, 73, 3);
	o->size = o->bm == HD_EXEC_U64 ? 8 : 4;
	return o->bm <= HD_EXEC_U64;
}

static bool take_ublkpf(struct decoder *d)
{
	return bulk(d);
}

/* Load, store, reduction, prefetch by the number of the operation; without im2col.  .size: for several blocks. */
static bool take_tensor(struct decoder *d)
{
	unsigned op = bits(d, 0, 9);

	d->o->x = op == 0x1b4   ? EXEC_TENSOR_LOAD
		  : op == 0x1b5 ? EXEC_TENSOR_STORE
		  : op == 0x1b6 ? EXEC_TENSOR_REDUCE
				: EXEC_TENSOR_PREFETCH;
	d->o->y = (uint8_t)(bits(d, 79, 3) + 1);
	d->o->size = op == 0x1b4 && d->form == 1 && bits(d, 75, 1);
	d->o->am = op == 0x1b6 ? (uint8_t)bits(d, 87, 3) : 0;
	return bulk(d) && d->o->y <= 5 && !bits(d, 82, 1) && d->o->b != EXEC_CONSTANT; /* where and what */
}

static bool take_tensor_map(struct decoder *d)
{
	bulk(d);
	d->o->notes = EXEC_NO_NOTES;
	return true;
}

/* A product whose first matrix is in registers has another form. */
static bool take_gmma(struct decoder *d)
{
	struct exec_op *o = d->o;
	unsigned op = bits(d, 0, 9), n = bits(d, 53, 5) + 1, k = bits(d, 58, 2), dst = bits(d, 16, 8),
		 c = bits(d, 64, 8);
	bool whole = op == 0x1f0, integers = op == 0x1f1;
	unsigned registers = n * (integers || bits(d, 75, 1) ? 4 : 2);

	o->x = (uint8_t)n;
	o->y = (uint8_t)(whole ? bits(d, 76, 2) : integers ? 4 : 3);
	if (integers ? bits(d, 75, 1) : 0)
		o->flags |= EXEC_SAT;
	if (!integers)
		flag(d, 75, EXEC_HIGH);
	else
		registers = n * 4;
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
	if (bits(d, 73, 1) || (whole && (o->y > 2 || k != (o->y == 2))) || (!whole && k)
	    || (o->y && !integers && !bits(d, 75, 1) && whole))
		return false; /* sparse, or not a type */
	return (dst == EXEC_RZ ? registers <= 8 : dst + registers <= EXEC_RZ)
	       && (c == EXEC_RZ || c + registers <= EXEC_RZ) && (d->form != 6 || bits(d, 24, 8) + 4 <= EXEC_RZ);
}

/* ---- rows ---- */

#define PLAIN(op, forms, from, to, operation, takes) { op, forms, from, to, EXEC_PLAIN, EXEC_OP_##operation, takes }
#define FLOW(op, forms, flow, takes) { op, forms, 0, 0, flow, EXEC_OP_COUNT, takes }
#define FLOW_90(op, forms, flow, takes) { op, forms, 90, 0, flow, EXEC_OP_COUNT, takes }

static const struct exec_row {
	uint16_t op;        /* bits 0 to 8 */
	const char *forms;
	uint16_t from, to;  /* SM versions, 0: all */
	uint8_t flow, operation;
	take *takes;
} rows[] = {
	PLAIN(0x002, SECOND, 0, 0, mov, take_mov),
	PLAIN(0x002, "2", 100, 0, mov, take_mov),
	PLAIN(0x003, "4", 0, 0, p2r, take_p2r),
	PLAIN(0x004, "4", 0, 0, r2p, take_p2r),
	PLAIN(0x005, "4", 0, 0, cs2r, take_s2r),
	PLAIN(0x006, "4", 0, 0, vote, take_vote),
	PLAIN(0x007, SECOND, 0, 0, sel, take_sel),
	PLAIN(0x007, "237", 100, 0, sel, take_sel),
	PLAIN(0x008, SECOND, 0, 0, fsel, take_fsel),
	PLAIN(0x00f, "1456", 90, 0, vimnmx3, take_vimnmx3),
	PLAIN(0x009, SECOND, 0, 0, fmnmx, take_fsel),
	PLAIN(0x00a, SECOND, 0, 0, fset, take_fsetp),
	PLAIN(0x00b, SECOND, 0, 0, fsetp, take_fsetp),
	PLAIN(0x00c, SECOND, 0, 0, isetp, take_isetp),
	PLAIN(0x010, ALL, 0, 0, iadd3, take_iadd3),
	PLAIN(0x011, ALL, 0, 0, lea, take_lea),
	PLAIN(0x012, ALL, 0, 0, lop3, take_lop3),
	PLAIN(0x013, "156", 0, 0, iabs, take_one),
	PLAIN(0x014, ALL, 0, 0, vabsdiff, take_signed_three),
	PLAIN(0x015, "1", 0, 0, vabsdiff4, take_signed_three),
	PLAIN(0x016, ALL, 0, 0, prmt, take_prmt),
	PLAIN(0x017, SECOND, 0, 0, imnmx, take_imnmx),
	PLAIN(0x019, ALL, 0, 0, shf, take_shf),
	PLAIN(0x01a, SECOND, 0, 0, sgxt, take_sgxt),
	PLAIN(0x01b, SECOND, 0, 0, bmsk, take_sgxt),
	PLAIN(0x01c, "4", 0, 0, plop3, take_plop3),
	PLAIN(0x020, SECOND, 0, 0, fmul, take_fadd),
	PLAIN(0x021, THIRD, 0, 0, fadd, take_fadd),
	PLAIN(0x022, "4", 0, 0, fswzadd, take_fswzadd),
	PLAIN(0x023, ALL, 0, 0, ffma, take_ffma),
	PLAIN(0x024, ALL, 0, 0, imad, take_imad),
	PLAIN(0x025, ALL, 0, 0, imad_wide, take_imad),
	PLAIN(0x026, "15", 0, 0, idp, take_idp),
	PLAIN(0x027, ALL, 0, 0, imad_high, take_imad),
	PLAIN(0x028, SECOND, 0, 0, dmul, take_dadd),
	PLAIN(0x029, THIRD, 0, 0, dadd, take_dadd),
	PLAIN(0x02a, THIRD, 0, 0, dsetp, take_fsetp),
	PLAIN(0x02b, ALL, 0, 0, dfma, take_dfma),
	{ 0x02d, "4", 90, 0, EXEC_NOTHING, EXEC_OP_COUNT, take_nothing }, /* PREEXIT */
	{ 0x02e, "4", 90, 0, EXEC_NOTHING, EXEC_OP_COUNT, take_nothing }, /* ACQBULK: kernels before have ended */
	PLAIN(0x02f, "4", 90, 0, elect, take_elect),
	PLAIN(0x030, THIRD, 0, 0, hadd2, take_hadd2),
	PLAIN(0x031, ALL, 0, 0, hfma2, take_hfma2),
	PLAIN(0x032, SECOND, 0, 0, hmul2, take_hadd2),
	PLAIN(0x033, THIRD, 0, 0, hset2, take_hset2),
	PLAIN(0x034, THIRD, 0, 0, hsetp2, take_hset2),
	PLAIN(0x035, ALL, 0, 99, hfma2, take_hfma2),
	PLAIN(0x035, "123456", 100, 0, iadd64, take_iadd64),
	PLAIN(0x036, "146", 90, 0, iadd3, take_viadd),
	PLAIN(0x037, "1", 0, 0, imma, take_imma),
	PLAIN(0x038, "1", 0, 0, i2i, take_i2i),
	PLAIN(0x039, "1", 0, 0, i2ip, take_i2ip),
	PLAIN(0x03a, "1", 0, 0, movm, take_movm),
	PLAIN(0x03b, "4", 0, 0, ldsm, take_ldsm),
	PLAIN(0x03c, "1", 0, 0, hmma, take_hmma),
	PLAIN(0x03d, "1", 0, 0, bmma, take_bmma),
	PLAIN(0x03e, SECOND, 0, 0, f2fp, take_f2fp),
	PLAIN(0x03f, "1", 0, 0, dmma, take_matrix),
	PLAIN(0x040, SECOND, 0, 0, hmnmx2, take_hmnmx2),
	PLAIN(0x043, "1", 0, 0, f2ip, take_three),
	PLAIN(0x044, "4", 90, 0, stsm, take_stsm),
	PLAIN(0x045, "156", 0, 0, i2f, take_i2fp),
	PLAIN(0x046, ALL, 90, 0, viaddmnmx, take_viaddmnmx),
	PLAIN(0x048, SECOND, 90, 0, imnmx, take_vimnmx),
	PLAIN(0x04a, "14", 100, 0, imnmx, take_vimnmx), /* uniform, as is floating point of sm_100: */
	PLAIN(0x051, "146", 100, 0, fsel, take_fsel),
	PLAIN(0x053, "146", 100, 0, fsetp, take_fsetp),
	PLAIN(0x054, "12", 100, 0, fadd, take_ufadd),
	PLAIN(0x055, "124", 100, 0, ffma, take_ffma),
	PLAIN(0x056, "146", 100, 0, fmul, take_fadd),
	PLAIN(0x05a, "146", 100, 0, i2f, take_i2f),
	PLAIN(0x05c, "14", 100, 0, f2i, take_f2i),
	PLAIN(0x05d, "14", 100, 0, frnd, take_frnd),
	PLAIN(0x05e, "14", 100, 0, i2f, take_i2fp),

	PLAIN(0x100, "156", 0, 0, flo, take_scan),
	PLAIN(0x101, "156", 0, 0, brev, take_scan),
	PLAIN(0x102, SECOND, 0, 0, fchk, take_fchk),
	PLAIN(0x104, SECOND, 0, 0, f2f, take_f2f),
	PLAIN(0x105, SECOND, 0, 0, f2i, take_f2i),
	PLAIN(0x106, SECOND, 0, 0, i2f, take_i2f),
	PLAIN(0x107, SECOND, 0, 0, frnd, take_frnd),
	PLAIN(0x108, SECOND, 0, 0, mufu, take_mufu),
	PLAIN(0x109, "156", 0, 0, popc, take_scan),
	PLAIN(0x110, SECOND, 0, 0, f2f, take_f2f),
	PLAIN(0x111, SECOND, 0, 0, f2i, take_f2i),
	PLAIN(0x112, SECOND, 0, 0, i2f, take_i2f),
	PLAIN(0x113, SECOND, 0, 0, frnd, take_frnd),

	/* the uniform datapath */
	PLAIN(0x082, "46", 0, 0, mov, take_mov),
	PLAIN(0x082, "12", 100, 0, mov, take_mov),
	PLAIN(0x083, "4", 0, 0, p2r, take_p2r),
	PLAIN(0x085, "14", 100, 0, imnmx, take_imnmx),
	PLAIN(0x086, "4", 0, 0, voteu, take_vote),
	PLAIN(0x087, "14", 0, 0, sel, take_sel),
	PLAIN(0x087, "23", 100, 0, sel, take_sel),
	PLAIN(0x08c, "146", 0, 0, isetp, take_isetp),
	PLAIN(0x090, "1246", 0, 0, iadd3, take_iadd3),
	PLAIN(0x091, "124", 0, 0, lea, take_lea),
	PLAIN(0x092, "124", 0, 0, lop3, take_lop3),
	PLAIN(0x096, "124", 0, 0, prmt, take_prmt),
	PLAIN(0x097, "124", 0, 0, iadd64, take_uiadd64),
	PLAIN(0x099, "124", 0, 0, shf, take_shf),
	PLAIN(0x09a, "14", 0, 0, sgxt, take_sgxt),
	PLAIN(0x09b, "14", 0, 0, bmsk, take_sgxt),
	PLAIN(0x09c, "4", 0, 0, plop3, take_plop3),
	PLAIN(0x0a4, "124", 0, 0, imad, take_imad),
	PLAIN(0x0a5, "124", 0, 0, imad_wide, take_imad),
	PLAIN(0x0a7, "124", 90, 0, imad_high, take_imad),
	PLAIN(0x0b9, "5", 0, 0, uldc, take_uldc),
	PLAIN(0x0bb, "5", 0, 0, uldc, take_uldc_indexed),
	PLAIN(0x0bd, "1", 0, 0, flo, take_scan),
	PLAIN(0x0be, "1", 0, 0, brev, take_scan),
	PLAIN(0x0bf, "1", 0, 0, popc, take_scan),
	PLAIN(0x0ca, "1", 90, 0, r2ur, take_r2ur),
	PLAIN(0x1ac, "35", 100, 0, uldc, take_ldcu),
	PLAIN(0x1c2, "1", 0, 0, r2ur, take_r2ur),
	PLAIN(0x1c3, "4", 0, 0, s2ur, take_s2ur),
	PLAIN(0x1c4, "1", 0, 0, redux, take_redux),

	/* special registers, control flow, waits */
	FLOW(0x118, "4", EXEC_NOTHING, take_nothing),
	PLAIN(0x119, "4", 0, 0, s2r, take_s2r),
	FLOW(0x11a, "4", EXEC_NOTHING, take_nothing),
	FLOW_90(0x11b, "4", EXEC_NOTHING, take_nothing), /* ENDCOLLECTIVE */
	PLAIN(0x11c, "1", 0, 0, b2r, take_b2r),
	FLOW(0x11d, "1245", EXEC_BARRIER, take_bar),
	FLOW(0x141, "4", EXEC_BSYNC, take_bsync),
	FLOW(0x142, "4", EXEC_BREAK, take_bsync),
	FLOW(0x143, "14", EXEC_CALL_ABS, take_call_abs),
	FLOW(0x144, "4", EXEC_BRANCH, take_call_rel),
	FLOW(0x144, "1", EXEC_INDIRECT, take_indirect),
	FLOW(0x145, "4", EXEC_BSSY, take_bssy),
	FLOW(0x146, "4", EXEC_YIELD, take_nothing),
	FLOW(0x147, "4", EXEC_BRANCH, take_bra),
	FLOW_90(0x147, "2", EXEC_BRANCH, take_bra),
	FLOW(0x148, "14", EXEC_WARPSYNC, take_warpsync),
	FLOW(0x149, "4", EXEC_INDIRECT, take_indirect),
	FLOW(0x14d, "4", EXEC_EXIT, take_exit),
	PLAIN(0x14e, "1", 0, 0, lepc, take_lepc),
	PLAIN(0x14e, "4", 90, 0, lepc, take_lepc),
	FLOW(0x150, "4", EXEC_INDIRECT, take_indirect),
	PLAIN(0x155, "17", 0, 0, bmov_get, take_bmov),
	PLAIN(0x156, "17", 0, 0, bmov_set, take_bmov),
	PLAIN(0x156, "4", 90, 0, bmov_set, take_bmov),
	FLOW(0x158, "4", EXEC_INDIRECT, take_indirect),
	FLOW(0x15c, "4", EXEC_TRAP, take_bpt),
	FLOW(0x15d, "14", EXEC_YIELD, take_nothing),

	/* lanes exchange */
	PLAIN(0x189, "1247", 0, 0, shfl, take_shfl),
	PLAIN(0x1a1, "1", 0, 0, match, take_match),

	/* textures and surfaces */
	PLAIN(0x160, "57", 0, 0, tex, take_tex),
	PLAIN(0x161, "1", 0, 0, tex, take_tex),
	PLAIN(0x163, "57", 0, 0, tld4, take_tex),
	PLAIN(0x164, "1", 0, 0, tld4, take_tex),
	PLAIN(0x166, "57", 0, 0, tld, take_tex),
	PLAIN(0x167, "1", 0, 0, tld, take_tex),
	PLAIN(0x16c, "57", 0, 0, tex, take_txd),
	PLAIN(0x16d, "1", 0, 0, tex, take_txd),
	PLAIN(0x16f, "57", 0, 0, txq, take_txq),
	PLAIN(0x170, "1", 0, 0, txq, take_txq),
	PLAIN(0x199, "57", 0, 0, suld, take_suld),
	PLAIN(0x19a, "4", 0, 0, suld, take_suld),
	PLAIN(0x19d, "57", 0, 0, sust, take_suld),
	PLAIN(0x19e, "4", 0, 0, sust, take_suld),
	PLAIN(0x19f, "27", 0, 0, sured, take_sured),
	PLAIN(0x1a0, "1", 0, 0, sured, take_sured),

	/* memory */
	PLAIN(0x180, "14", 0, 0, load, take_load),
	PLAIN(0x181, "14", 0, 0, load, take_load),
	PLAIN(0x182, "5", 0, 0, ldc, take_ldc),
	PLAIN(0x183, "4", 0, 0, load_local, take_window),
	PLAIN(0x184, "4", 0, 0, load_shared, take_window),
	PLAIN(0x185, "14", 0, 0, store, take_store),
	PLAIN(0x186, "14", 0, 0, store, take_store_global),
	PLAIN(0x187, "14", 0, 0, store_local, take_window),
	PLAIN(0x188, "14", 0, 0, store_shared, take_window),
	PLAIN(0x18a, "14", 0, 0, atom, take_atom),
	PLAIN(0x18b, "1", 0, 0, atom, take_cas),
	PLAIN(0x18c, "147", 0, 0, atom_shared, take_atoms),
	PLAIN(0x18d, "1", 0, 0, atom_shared, take_atoms_cas),
	PLAIN(0x18d, "2", 100, 0, atom_shared, take_atoms_cas),
	PLAIN(0x18e, "4", 0, 0, atom, take_red),
	FLOW(0x18f, "4", EXEC_NOTHING, take_nothing), /* CCTL */
	FLOW(0x192, "4", EXEC_NOTHING, take_nothing), /* MEMBAR */
	PLAIN(0x1a6, "4", 90, 0, atom, take_redg),
	PLAIN(0x1a7, "4", 90, 0, syncs_arrive, take_arrive),
	{ 0x1a7, "2", 90, 0, EXEC_PHASE, EXEC_OP_COUNT, take_phase },
	PLAIN(0x1a8, "14", 0, 0, atom, take_atom),
	PLAIN(0x1a9, "1", 0, 0, atom, take_cas),
	PLAIN(0x1aa, "14", 0, 0, qspc, take_qspc),
	FLOW(0x1ab, "4", EXEC_NOTHING, take_nothing),    /* ERRBAR */
	FLOW_90(0x1ab, "2", EXEC_NOTHING, take_nothing), /* CGAERRBAR */
	PLAIN(0x1ae, "67", 0, 0, ldgsts, take_ldgsts),
	FLOW(0x1af, "4", EXEC_NOTHING, take_nothing), /* LDGDEPBAR: copies are done when they are executed */
	PLAIN(0x1b0, "4", 90, 0, arrives, take_arrives),
	PLAIN(0x1b1, "4", 90, 0, syncs_invalidate, take_invalidate),
	PLAIN(0x1b2, "2", 90, 0, syncs_exch, take_exchange),
	PLAIN(0x1b4, "12", 90, 0, tensor_copy, take_tensor),
	PLAIN(0x1b5, "12", 90, 0, tensor_copy, take_tensor),
	PLAIN(0x1b6, "12", 90, 0, tensor_copy, take_tensor),
	FLOW_90(0x1b7, "4", EXEC_NOTHING, take_nothing), /* UTMACMDFLUSH */
	PLAIN(0x1b8, "2", 90, 0, tensor_copy, take_tensor),
	PLAIN(0x1b9, "4", 90, 0, tensor_map, take_tensor_map),
	PLAIN(0x1ba, "1", 90, 0, ublkcp, take_ublkcp),
	PLAIN(0x1bb, "1", 90, 0, ublkred, take_ublkred),
	PLAIN(0x1bc, "1", 90, 0, ublkpf, take_ublkpf),
	PLAIN(0x1bd, "6", 90, 0, stas, take_stas),
	PLAIN(0x1be, "6", 90, 0, stas, take_stas),
	FLOW_90(0x1c5, "4", EXEC_NOTHING, take_nothing), /* WARPGROUP */
	FLOW_90(0x1c6, "1", EXEC_NOTHING, take_nothing), /* FENCE.VIEW.ASYNC */
	FLOW_90(0x1c7, "4", EXEC_CLUSTER_ARRIVE, take_nothing),
	FLOW_90(0x1c7, "6", EXEC_CLUSTER_WAIT, take_nothing),
	PLAIN(0x1c8, "4", 90, 0, usetmaxreg, take_maxreg),
	PLAIN(0x1f0, "46", 90, 0, gmma, take_gmma),
	PLAIN(0x1f1, "46", 90, 0, gmma, take_gmma),
	PLAIN(0x1f3, "46", 90, 0, gmma, take_gmma),
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
	if (!r->takes(&d)) {
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

/* exec_int.c - operations: moves, integers, bits
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

/* Sources a, b, c and the destination of an operation. */
#define ROWS \
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c); \
	uint32_t *d = result(w, o, lanes); \
	(void)a, (void)b, (void)c

#define MINUS(modifiers) (0 - (uint32_t)((modifiers) & EXEC_NEGATED))

/* ---- moves ---- */

OPERATION(mov)
{
	ROWS;

	EACH_LANE
		d[i] = b[i];
	finish(w, o, lanes, 1);
}

OPERATION(mov64)
{
	ROWS;

	for (unsigned k = 0; k < 2; k++)
		EACH_LANE
			d[k * EXEC_LANES + i] = b[k * EXEC_LANES + i];
	finish(w, o, lanes, 2);
}

OPERATION(sel)
{
	uint32_t on[EXEC_LANES];
	ROWS;

	spread(predicate(w, o->ps), on);
	EACH_LANE
		d[i] = (a[i] & on[i]) | (b[i] & ~on[i]);
	finish(w, o, lanes, 1);
}

OPERATION(sel64)
{
	uint32_t on[EXEC_LANES];
	ROWS;

	spread(predicate(w, o->ps), on);
	for (unsigned k = 0; k < 2 * EXEC_LANES; k += EXEC_LANES)
		EACH_LANE
			d[k + i] = (a[k + i] & on[i]) | (b[k + i] & ~on[i]);
	finish(w, o, lanes, 2);
}

/* ---- sums ---- */

OPERATION(iadd3)
{
	uint32_t am = MINUS(o->am), bm = MINUS(o->bm), cm = MINUS(o->cm);
	ROWS;

	if (am | bm | cm)
		EACH_LANE
			d[i] = negated(a[i], am) + negated(b[i], bm) + negated(c[i], cm);
	else
		EACH_LANE
			d[i] = a[i] + b[i] + c[i];
	finish(w, o, lanes, 1);
}

/* The second carry is that of adding c to the sum of the others.  Minus 0 carries.  With .X negated sources are
 * inverted, and two predicates are added. */
OPERATION(iadd3_carry)
{
	uint64_t am = MINUS(o->am), bm = MINUS(o->bm), cm = MINUS(o->cm);
	bool x = o->flags & EXEC_X;
	uint32_t p = x ? predicate(w, o->ps) : 0, q = x ? predicate(w, o->ps2) : 0, first = 0, second = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t ab = (a[i] ^ am) + (am & !x) + (b[i] ^ bm) + (bm & !x) + (p >> i & 1);
		uint64_t all = (uint32_t)ab + (c[i] ^ cm) + (cm & !x) + (q >> i & 1);

		d[i] = (uint32_t)all;
		first |= (uint32_t)(ab >> 32 != 0) << i;
		second |= (uint32_t)(all >> 32 & 1) << i;
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, first, lanes);
	set_predicate(w, o->pd2, second, lanes);
}

OPERATION(iadd64)
{
	uint64_t am = 0 - (uint64_t)(o->am & 1), bm = 0 - (uint64_t)(o->bm & 1), cm = 0 - (uint64_t)(o->cm & 1);
	ROWS;

	EACH_LANE {
		uint64_t v = ((pair(a, i) ^ am) - am) + ((pair(b, i) ^ bm) - bm) + ((pair(c, i) ^ cm) - cm);

		put_pair(d, i, v);
	}
	finish(w, o, lanes, 2);
}

/* (a << s) + b.  The carry of -(0) is 1. */
OPERATION(lea)
{
	bool x = o->flags & EXEC_X;
	uint32_t am = MINUS(o->am), bm = MINUS(o->bm), p = x ? predicate(w, o->ps) : 0, carries = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t shifted = a[i] << o->x;
		uint64_t v = am ? (uint64_t)~shifted + !x : shifted;

		v += x ? b[i] ^ bm : negated(b[i], bm);
		v += p >> i & 1;
		d[i] = (uint32_t)v;
		carries |= (uint32_t)(v >> 32 & 1) << i;
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, carries, lanes);
}

/* The upper word of c:a << s, or of the sign of a in place of c, plus b. */
OPERATION(lea_high)
{
	bool x = o->flags & EXEC_X;
	uint32_t bm = MINUS(o->bm), p = x ? predicate(w, o->ps) : 0, carries = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t upper = o->flags & EXEC_SIGNED ? 0 - (a[i] >> 31) : c[i];
		uint64_t full = (uint64_t)upper << 32 | a[i], v;

		if (o->am)
			full = x ? ~full : 0 - full;
		v = (uint32_t)(o->x ? full >> (32 - o->x) : full >> 32);
		v += x ? b[i] ^ bm : negated(b[i], bm);
		v += p >> i & 1;
		d[i] = (uint32_t)v;
		carries |= (uint32_t)(v >> 32 & 1) << i;
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, carries, lanes);
}

/* ---- products ---- */

OPERATION(imad)
{
	uint32_t bm = MINUS(o->bm), cm = MINUS(o->cm);
	ROWS;

	if (bm | cm)
		EACH_LANE
			d[i] = a[i] * negated(b[i], bm) + negated(c[i], cm);
	else
		EACH_LANE
			d[i] = a[i] * b[i] + c[i];
	finish(w, o, lanes, 1);
}

OPERATION(imad_x)
{
	uint32_t bm = MINUS(o->bm), cm = MINUS(o->cm), p = predicate(w, o->ps);
	ROWS;

	EACH_LANE
		d[i] = a[i] * (b[i] ^ bm) + (c[i] ^ cm) + (p >> i & 1);
	finish(w, o, lanes, 1);
}

OPERATION(imad_wide)
{
	ROWS;

	if (o->flags & EXEC_SIGNED)
		EACH_LANE {
			int64_t product = (int64_t)(int32_t)a[i] * (int32_t)b[i];
			uint64_t v = (uint64_t)product + pair(c, i);

			put_pair(d, i, v);
		}
	else
		EACH_LANE {
			uint64_t v = (uint64_t)a[i] * b[i] + pair(c, i);

			put_pair(d, i, v);
		}
	finish(w, o, lanes, 2);
}

/* a * b + c:c+1 with the carry out of it, and in with .X, of a lane. */
static unsigned __int128 wide_sum(const struct exec_op *o, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                                  unsigned i, uint32_t p)
{
	uint64_t product = o->flags & EXEC_SIGNED ? (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i])
	                   : (uint64_t)a[i] * b[i];
	uint64_t added = pair(c, i);

	if (o->bm)
		product = 0 - product;
	if (o->cm)
		added = o->flags & EXEC_X ? ~added : 0 - added;
	return (unsigned __int128)product + added + (p >> i & 1);
}

OPERATION(imad_wide_carry)
{
	uint32_t p = o->flags & EXEC_X ? predicate(w, o->ps) : 0, carries = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		unsigned __int128 v = wide_sum(o, a, b, c, i, p);

		put_pair(d, i, (uint64_t)v);
		carries |= (uint32_t)(v >> 64 & 1) << i;
	}
	finish(w, o, lanes, 2);
	set_predicate(w, o->pd, carries, lanes);
}

OPERATION(imad_high)
{
	uint32_t p = o->flags & EXEC_X ? predicate(w, o->ps) : 0, carries = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		unsigned __int128 v = wide_sum(o, a, b, c, i, p);

		d[i] = (uint32_t)((uint64_t)v >> 32);
		carries |= (uint32_t)(v >> 64 & 1) << i;
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, carries, lanes);
}

/* Element k of bits of a word, signed or not. */
static int32_t element(uint32_t v, unsigned k, unsigned width, bool is_signed)
{
	v = v >> k * width << (32 - width);
	return is_signed ? (int32_t)v >> (32 - width) : (int32_t)(v >> (32 - width));
}

/* Four products of bytes, or two of halves of a and the lower or the upper bytes of b. */
OPERATION(idp)
{
	bool two = o->x & 8, upper = o->x & 4;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t sum = c[i];

		for (unsigned k = 0; k < (two ? 2 : 4); k++)
			sum += (uint32_t)element(a[i], k, two ? 16 : 8, o->x & 1)
			       * (uint32_t)element(b[i], k + (two && upper ? 2 : 0), 8, o->x & 2);
		d[i] = sum;
	}
	finish(w, o, lanes, 1);
}

/* ---- logic ---- */

/* Bit a * 4 + b * 2 + c of the table. */
static inline uint32_t logic(const uint32_t k[8], uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t a1 = (b & ((c & k[7]) | (~c & k[6]))) | (~b & ((c & k[5]) | (~c & k[4])));
	uint32_t a0 = (b & ((c & k[3]) | (~c & k[2]))) | (~b & ((c & k[1]) | (~c & k[0])));

	return (a & a1) | (~a & a0);
}

static void any_logic(uint8_t table, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
	uint32_t k[8];

	for (unsigned j = 0; j < 8; j++)
		k[j] = 0 - (uint32_t)(table >> j & 1);
	EACH_LANE
		d[i] = logic(k, a[i], b[i], c[i]);
}

#define LOGIC(table, expression) case table: EACH_LANE d[i] = (expression); break

OPERATION(lop3)
{
	ROWS;

	switch (o->x) { /* the usual ones */
	LOGIC(0xc0, a[i] & b[i]);
	LOGIC(0xfc, a[i] | b[i]);
	LOGIC(0x3c, a[i] ^ b[i]);
	LOGIC(0x33, ~b[i]);
	LOGIC(0x30, a[i] & ~b[i]);
	LOGIC(0xf8, a[i] | (b[i] & c[i]));
	LOGIC(0xea, (a[i] & b[i]) | c[i]);
	LOGIC(0x96, a[i] ^ b[i] ^ c[i]);
	LOGIC(0xfe, a[i] | b[i] | c[i]);
	default: any_logic(o->x, d, a, b, c); break;
	}
	finish(w, o, lanes, 1);
}

/* The predicate: is the result not 0? */
OPERATION(lop3_predicate)
{
	uint32_t p = predicate(w, o->ps), some[EXEC_LANES], is;
	ROWS;

	any_logic(o->x, d, a, b, c);
	EACH_LANE
		some[i] = d[i] != 0;
	is = gather_bits(some);
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, o->y ? is & p : is | p, lanes);
}

OPERATION(prmt)
{
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t from = a[i] | (uint64_t)c[i] << 32;
		uint32_t s = b[i], k = s & 3, v = 0;

		switch (o->x) { /* modes that make the selector of its lowest bits */
		case 1: s = 0x3210 + k * 0x1111; break;                                  /* F4E */
		case 2: s = (k & 7) | ((k - 1) & 7) << 4 | ((k - 2) & 7) << 8 | ((k - 3) & 7) << 12; break; /* B4E */
		case 3: s = k * 0x1111; break;                                           /* RC8 */
		case 4:
			s = 0x3210;
			for (uint32_t j = 0; j < k; j++)
				s = (s & ~(15u << 4 * j)) | k << 4 * j;
			break; /* ECL */
		case 5:
			s = 0x3210;
			for (uint32_t j = k; j < 4; j++)
				s = (s & ~(15u << 4 * j)) | k << 4 * j;
			break; /* ECR */
		case 6: s = s & 1 ? 0x3232 : 0x1010; break; /* RC16 */
		}
		for (unsigned j = 0; j < 4; j++, s >>= 4) {
			uint32_t byte = (uint32_t)(from >> 8 * (s & 7)) & 255;

			if (s & 8) /* its sign */
				byte = byte & 128 ? 255 : 0;
			v |= byte << 8 * j;
		}
		d[i] = v;
	}
	finish(w, o, lanes, 1);
}

OPERATION(sgxt)
{
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t n = o->x ? b[i] & 31 : b[i];

		if (n >= 32)
			d[i] = a[i];
		else if (n == 0)
			d[i] = 0;
		else if (o->flags & EXEC_SIGNED)
			d[i] = (uint32_t)((int32_t)(a[i] << (32 - n)) >> (32 - n));
		else
			d[i] = a[i] << (32 - n) >> (32 - n);
	}
	finish(w, o, lanes, 1);
}

/* So many bits from there on. */
OPERATION(bmsk)
{
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t first = o->x ? a[i] & 31 : a[i], n = o->x ? b[i] & 31 : b[i];
		uint32_t mask = n >= 32 ? EXEC_ALL : (UINT32_C(1) << n) - 1;

		d[i] = first >= 32 ? 0 : mask << first;
	}
	finish(w, o, lanes, 1);
}

/* ---- shifts ---- */

OPERATION(shl)
{
	ROWS;

	if (o->x)
		EACH_LANE
			d[i] = a[i] << (b[i] & 31);
	else
		EACH_LANE
			d[i] = (a[i] << (b[i] & 31)) & (0 - (uint32_t)(b[i] < 32));
	finish(w, o, lanes, 1);
}

/* Right, of the upper word alone. */
OPERATION(shr)
{
	bool wraps = o->x;
	ROWS;

	if (o->flags & EXEC_SIGNED)
		EACH_LANE {
			uint32_t s = wraps || b[i] < 32 ? b[i] & 31 : 31;

			d[i] = (uint32_t)((int32_t)c[i] >> s);
		}
	else
		EACH_LANE {
			uint32_t keep = 0 - (uint32_t)(wraps || b[i] < 32);

			d[i] = (c[i] >> (b[i] & 31)) & keep;
		}
	finish(w, o, lanes, 1);
}

/* c:a shifted.  Left: the lower word has a alone.  The count wraps, or stops at the width of the type. */
static uint32_t funnel(const struct exec_op *o, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t width = o->flags & EXEC_PAIR ? 64 : 32, s = o->x ? b & (width - 1) : b > width ? width : b;
	bool high = o->flags & EXEC_HIGH, is_signed = o->flags & EXEC_SIGNED;
	uint64_t full = (uint64_t)c << 32 | a;

	if (!o->y) {
		full = high ? full : a;
		full = s >= 64 ? 0 : full << s;
		return (uint32_t)(high ? full >> 32 : full);
	}
	if (high)
		return is_signed ? (uint32_t)((int32_t)c >> (s > 31 ? 31 : s)) : s > 31 ? 0 : c >> s;
	if (is_signed && width == 64)
		return (uint32_t)((int64_t)full >> (s > 63 ? 63 : s));
	return s >= 64 ? 0 : (uint32_t)(full >> s);
}

OPERATION(shf)
{
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = funnel(o, a[i], b[i], c[i]);
	finish(w, o, lanes, 1);
}

/* ---- smaller, larger, apart ---- */

OPERATION(iabs)
{
	ROWS;

	EACH_LANE
		d[i] = (int32_t)b[i] < 0 ? 0 - b[i] : b[i];
	finish(w, o, lanes, 1);
}

OPERATION(imnmx)
{
	uint32_t on[EXEC_LANES];
	ROWS;

	spread(predicate(w, o->ps), on); /* the smaller one; else the larger one */
	if (o->flags & EXEC_SIGNED)
		EACH_LANE {
			uint32_t less = 0 - (uint32_t)((int32_t)a[i] < (int32_t)b[i]);

			d[i] = less == on[i] ? a[i] : b[i];
		}
	else
		EACH_LANE {
			uint32_t less = 0 - (uint32_t)(a[i] < b[i]);

			d[i] = less == on[i] ? a[i] : b[i];
		}
	if (o->flags & EXEC_RELU)
		EACH_LANE
			d[i] = d[i] >> 31 ? 0 : d[i];
	finish(w, o, lanes, 1);
}

OPERATION(imnmx64)
{
	uint64_t flip = o->flags & EXEC_SIGNED ? UINT64_C(1) << 63 : 0;
	uint32_t p = predicate(w, o->ps);
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t x = pair(a, i), y = pair(b, i);

		put_pair(d, i, (p >> i & 1) == ((x ^ flip) < (y ^ flip)) ? x : y);
	}
	finish(w, o, lanes, 2);
}

/* Of both halves the smaller one, or the larger one. */
static uint32_t least16(uint32_t a, uint32_t b, bool least, bool is_signed)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 2; k++) {
		int32_t x = element(a, k, 16, is_signed), y = element(b, k, 16, is_signed);

		v |= ((uint32_t)(least == (x < y) ? x : y) & 0xffff) << 16 * k;
	}
	return v;
}

/* .RELU: what is negative becomes 0. */
static uint32_t relu(const struct exec_op *o, uint32_t v)
{
	return o->flags & EXEC_RELU && v >> 31 ? 0 : v;
}

static uint32_t relu16(const struct exec_op *o, uint32_t v)
{
	return !(o->flags & EXEC_RELU) ? v : (v & 0x8000 ? 0 : v & 0xffff) | (v >> 31 ? 0 : v & 0xffff0000);
}

OPERATION(vimnmx16)
{
	uint32_t p = predicate(w, o->ps), low = 0, high = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = least16(a[i], b[i], p >> i & 1, o->flags & EXEC_SIGNED);

		low |= (uint32_t)((v & 0xffff) == (a[i] & 0xffff)) << i;
		high |= (uint32_t)(v >> 16 == a[i] >> 16) << i;
		d[i] = relu16(o, v);
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, low, lanes);
	set_predicate(w, o->pd2, high, lanes);
}

OPERATION(vimnmx3_16)
{
	uint32_t p = predicate(w, o->ps);
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = least16(a[i], b[i], p >> i & 1, o->flags & EXEC_SIGNED);

		d[i] = relu16(o, least16(v, c[i], p >> i & 1, o->flags & EXEC_SIGNED));
	}
	finish(w, o, lanes, 1);
}

/* The smallest or largest one of three. */
OPERATION(vimnmx3)
{
	uint32_t p = predicate(w, o->ps), flip = o->flags & EXEC_SIGNED ? UINT32_C(1) << 31 : 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		bool least = p >> i & 1;
		uint32_t v = least == ((a[i] ^ flip) < (b[i] ^ flip)) ? a[i] : b[i];

		d[i] = relu(o, least == ((v ^ flip) < (c[i] ^ flip)) ? v : c[i]);
	}
	finish(w, o, lanes, 1);
}

/* The smaller or larger one of a + b and c. */
OPERATION(viaddmnmx)
{
	uint32_t p = predicate(w, o->ps), bm = MINUS(o->bm), cm = MINUS(o->cm);
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t x = a[i] + negated(b[i], bm), y = negated(c[i], cm);
		bool less = o->flags & EXEC_SIGNED ? (int32_t)x < (int32_t)y : x < y;

		d[i] = relu(o, (p >> i & 1) == less ? x : y);
	}
	finish(w, o, lanes, 1);
}

OPERATION(viaddmnmx16)
{
	uint32_t p = predicate(w, o->ps);
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t sum = ((a[i] + b[i]) & 0xffff) | ((a[i] & 0xffff0000) + (b[i] & 0xffff0000));

		d[i] = relu16(o, least16(sum, c[i], p >> i & 1, o->flags & EXEC_SIGNED));
	}
	finish(w, o, lanes, 1);
}

OPERATION(vabsdiff)
{
	ROWS;

	if (o->flags & EXEC_SIGNED)
		EACH_LANE
			d[i] = ((int32_t)a[i] > (int32_t)b[i] ? a[i] - b[i] : b[i] - a[i]) + c[i];
	else
		EACH_LANE
			d[i] = (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + c[i];
	finish(w, o, lanes, 1);
}

/* Of bytes: side by side, or their sum. */
OPERATION(vabsdiff4)
{
	bool is_signed = o->flags & EXEC_SIGNED;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = 0, sum = c[i];

		for (unsigned k = 0; k < 4; k++) {
			int32_t apart = element(a[i], k, 8, is_signed) - element(b[i], k, 8, is_signed);
			uint32_t distance = (uint32_t)(apart < 0 ? -apart : apart);

			v |= (distance & 255) << 8 * k;
			sum += distance;
		}
		d[i] = o->x ? sum : v;
	}
	finish(w, o, lanes, 1);
}

/* ---- conversions and counts of bits ---- */

static int32_t clamped(int32_t v, int32_t low, int32_t high)
{
	return v < low ? low : v > high ? high : v;
}

OPERATION(i2i)
{
	static const int32_t low[4] = { 0, -128, 0, -32768 }, high[4] = { 255, 127, 65535, 32767 };
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = (uint32_t)clamped((int32_t)b[i], low[o->x], high[o->x]);
	finish(w, o, lanes, 1);
}

OPERATION(i2ip)
{
	int32_t low = o->x ? -128 : 0, high = o->x ? 127 : 255;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = c[i] << 16 | ((uint32_t)clamped((int32_t)a[i], low, high) & 255) << 8
		       | ((uint32_t)clamped((int32_t)b[i], low, high) & 255);
	finish(w, o, lanes, 1);
}

/* The highest bit that is set, of a negative number the highest that is clear; or the shift that brings it to the
 * top. */
OPERATION(flo)
{
	uint32_t inverted = MINUS(o->bm), none = 0;
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = b[i] ^ inverted;

		if (o->flags & EXEC_SIGNED && v >> 31)
			v = ~v;
		none |= (uint32_t)(v == 0) << i;
		d[i] = v == 0 ? EXEC_ALL : o->x ? (uint32_t)__builtin_clz(v) : 31 - (uint32_t)__builtin_clz(v);
	}
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, none, lanes);
}

OPERATION(brev)
{
	uint32_t inverted = MINUS(o->bm);
	ROWS;

	EACH_LANE {
		uint32_t v = b[i] ^ inverted;

		v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
		v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
		v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
		v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
		d[i] = v >> 16 | v << 16;
	}
	finish(w, o, lanes, 1);
}

OPERATION(popc)
{
	uint32_t inverted = MINUS(o->bm);
	ROWS;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = (uint32_t)__builtin_popcount(b[i] ^ inverted);
	finish(w, o, lanes, 1);
}

/* exec_half.c - operations: pairs of halves and of bfloats
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values are computed with 53 bits so that one rounding to the half remains: a result that does not fit is rounded
 * to odd, which keeps on which side of each half it is.
 */
#include "exec_ops.h"

#include <math.h>

double EXEC_NAME(half)(uint16_t v)
{
	uint32_t sign = (uint32_t)(v >> 15) << 31, exponent = v >> 10 & 31, fraction = v & 1023;

	if (exponent == 0) /* a number of units in the last place */
		return (v >> 15 ? -0x1p-24 : 0x1p-24) * fraction;
	if (exponent == 31)
		return (double)to_float(sign | UINT32_C(0x7f800000) | fraction << 13);
	return (double)to_float(sign | (exponent + 112) << 23 | fraction << 13);
}

double EXEC_NAME(bf16)(uint16_t v)
{
	return (double)to_float((uint32_t)v << 16);
}

/* A number as the bits of a format whose lowest exponent is `lowest`, with so many bits of fraction; ties to even. */
static uint32_t rounded(double v, int lowest, unsigned fraction, uint32_t infinity)
{
	uint64_t u = from_double(v);
	int exponent = (int)(u >> 52 & 2047) - 1023;
	uint64_t digits = (u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52, rest, tie;
	unsigned drop = 52 - fraction;
	uint32_t bits;

	if (exponent == -1023)
		return 0;
	if (exponent < lowest) { /* subnormal */
		drop += (unsigned)(lowest - exponent);
		exponent = lowest;
		if (drop > 53)
			return 0;
	}
	rest = digits & ((UINT64_C(1) << drop) - 1);
	tie = UINT64_C(1) << (drop - 1);
	digits >>= drop;
	digits += rest > tie || (rest == tie && digits & 1);
	/* a carry goes into the exponent */
	bits = (uint32_t)digits + ((uint32_t)(exponent - lowest) << fraction);
	return bits >= infinity ? infinity : bits;
}

uint16_t EXEC_NAME(to_half)(double v)
{
	uint16_t sign = (uint16_t)(from_double(v) >> 48 & 0x8000);

	if (v != v)
		return 0x7fff;
	if (isinf(v))
		return sign | 0x7c00;
	return (uint16_t)(sign | rounded(v, -14, 10, 0x7c00));
}

uint16_t EXEC_NAME(to_bf16)(double v)
{
	uint16_t sign = (uint16_t)(from_double(v) >> 48 & 0x8000);

	if (v != v)
		return 0x7fff;
	if (isinf(v))
		return sign | 0x7f80;
	return (uint16_t)(sign | rounded(v, -126, 7, 0x7f80));
}

/* The rounding of conversions: nearest, down, up, towards 0. */
uint16_t EXEC_NAME(to_16)(double v, unsigned how, bool bf16)
{
	uint16_t h = bf16 ? EXEC_NAME(to_bf16)(v) : EXEC_NAME(to_half)(v);
	bool negative = h >> 15;
	double x;

	if (how == 0 || v != v)
		return h;
	x = bf16 ? EXEC_NAME(bf16)(h) : EXEC_NAME(half)(h);
	if (x == v)
		return h;
	if (how == 3)
		return fabs(x) > fabs(v) ? h - 1 : h;
	if (how == 1 && x > v)
		return negative ? h + 1 : h - 1;
	if (how == 2 && x < v)
		return negative ? h - 1 : h + 1;
	return h;
}

/* ---- pairs ---- */

struct two {
	double v[2];
};

/* The halves that a source selects: both, a float for both, the lower or the upper one for both. */
static struct two halves(uint32_t v, uint8_t modifiers, bool bf16, bool flushes)
{
	unsigned selector = EXEC_HALF(modifiers);
	struct two t;

	for (unsigned k = 0; k < 2; k++) {
		uint16_t half = (uint16_t)(selector == 2 || (selector == 0 && k == 0) ? v : v >> 16);
		double x = selector == 1 ? (double)to_float(v) : bf16 ? EXEC_NAME(bf16)(half) : EXEC_NAME(half)(half);

		if (flushes && fabs(x) < (bf16 ? 0x1p-126 : 0x1p-14))
			x = copysign(0, x);
		if (modifiers & EXEC_ABSOLUTE)
			x = fabs(x);
		t.v[k] = modifiers & EXEC_NEGATED ? -x : x;
	}
	return t;
}

static uint32_t packed(const struct exec_op *o, struct two t)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 2; k++) {
		double x = t.v[k];

		if (o->flags & EXEC_SAT)
			x = x > 0 ? x < 1 ? x : 1 : 0;
		if (o->flags & EXEC_RELU && x <= 0)
			x = 0;
		if (o->flags & EXEC_FTZ && fabs(x) < (o->flags & EXEC_BF16 ? 0x1p-126 : 0x1p-14))
			x = copysign(0, x);
		v |= (uint32_t)(o->flags & EXEC_BF16 ? EXEC_NAME(to_bf16)(x) : EXEC_NAME(to_half)(x)) << 16 * k;
	}
	return v;
}

/* x + y; if it is not exact, the neighbour whose last bit is set. */
static double odd_sum(double x, double y)
{
	double sum = x + y, part = sum - x, error = (x - (sum - part)) + (y - part);
	uint64_t u = from_double(sum);

	if (error != 0 && error == error && !isinf(sum) && !(u & 1))
		u += (error > 0) == (sum > 0) ? 1 : UINT64_MAX;
	return to_double(u);
}

OPERATION(hadd2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;
	bool bf16 = o->flags & EXEC_BF16, flushes = o->flags & EXEC_FTZ;

	FOR_LANES(lanes) {
		struct two x = halves(a[i], o->am, bf16, flushes), y = halves(b[i], o->bm, bf16, flushes);

		x.v[0] = odd_sum(x.v[0], y.v[0]);
		x.v[1] = odd_sum(x.v[1], y.v[1]);
		if (o->y) /* .F32: the lower one, as a float */
			d[i] = x.v[0] != x.v[0] ? NAN32 : from_float((float)x.v[0]);
		else
			d[i] = packed(o, x);
	}
}

OPERATION(hmul2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;
	bool bf16 = o->flags & EXEC_BF16, flushes = o->flags & EXEC_FTZ;

	FOR_LANES(lanes) {
		struct two x = halves(a[i], o->am, bf16, flushes), y = halves(b[i], o->bm, bf16, flushes);

		x.v[0] *= y.v[0];
		x.v[1] *= y.v[1];
		d[i] = packed(o, x);
	}
}

OPERATION(hfma2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	uint32_t *d = w->base[0] + o->d;
	bool bf16 = o->flags & EXEC_BF16, flushes = o->flags & EXEC_FTZ;

	FOR_LANES(lanes) {
		struct two x = halves(a[i], o->am, bf16, flushes), y = halves(b[i], o->bm, bf16, flushes);
		struct two z = halves(c[i], o->cm, bf16, flushes);

		x.v[0] = odd_sum(x.v[0] * y.v[0], z.v[0]); /* the product is exact */
		x.v[1] = odd_sum(x.v[1] * y.v[1], z.v[1]);
		d[i] = packed(o, x);
	}
}

static double smaller(double x, double y, bool minimum, bool keeps_nan)
{
	if (x != x || y != y)
		return keeps_nan || (x != x && y != y) ? NAN : x != x ? y : x;
	if (x == y)
		return minimum == (signbit(x) != 0) ? x : y;
	return minimum == (x < y) ? x : y;
}

OPERATION(hmnmx2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d, p = predicate(w, o->ps);
	bool bf16 = o->flags & EXEC_BF16, flushes = o->flags & EXEC_FTZ;

	FOR_LANES(lanes) {
		struct two x = halves(a[i], o->am, bf16, flushes), y = halves(b[i], o->bm, bf16, flushes);

		for (unsigned k = 0; k < 2; k++)
			x.v[k] = smaller(x.v[k], y.v[k], p >> i & 1, o->x);
		d[i] = packed(o, x);
	}
}

/* Bit k: the comparison of halves k. */
static unsigned compare_halves(const struct exec_op *o, uint32_t a, uint32_t b)
{
	struct two x = halves(a, o->am, false, o->flags & EXEC_FTZ), y = halves(b, o->bm, false, o->flags & EXEC_FTZ);

	return (unsigned)compare(o->x, x.v[0], y.v[0]) | (unsigned)compare(o->x, x.v[1], y.v[1]) << 1;
}

/* All bits, or with .BF 1.0. */
OPERATION(hset2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d, p = predicate(w, o->ps), yes = o->more ? 0x3c00 : 0xffff;

	FOR_LANES(lanes) {
		unsigned is = compare_halves(o, a[i], b[i]), with = 0 - (p >> i & 1);

		is = combine(o->y, is, with) & 3;
		d[i] = (is & 1 ? yes : 0) | (is & 2 ? yes << 16 : 0);
	}
}

/* With .H_AND both halves decide, and the second result is the opposite. */
OPERATION(hsetp2)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t p = predicate(w, o->ps), lower = 0, upper = 0;

	FOR_LANES(lanes) {
		unsigned is = compare_halves(o, a[i], b[i]);

		lower |= (o->more ? is == 3 : is & 1) << i;
		upper |= (o->more ? is != 3 : is >> 1) << i;
	}
	set_predicate(w, o->pd, combine(o->y, lower, p), lanes);
	set_predicate(w, o->pd2, combine(o->y, upper, p), lanes);
}

/* Floats as a pair: a the upper one, b the lower one. */
#ifdef EXEC_WIDE
#include <immintrin.h>

/* The nearest halves of eight floats. */
static __m128i nearest8(const uint32_t *v, uint8_t modifiers)
{
	const __m256 sign = _mm256_set1_ps(-0.0f), none = _mm256_castsi256_ps(_mm256_set1_epi32(NAN32));
	__m256 x = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)v));

	if (modifiers & EXEC_ABSOLUTE)
		x = _mm256_andnot_ps(sign, x);
	if (modifiers & EXEC_NEGATED)
		x = _mm256_xor_ps(sign, x);
	x = _mm256_blendv_ps(x, none, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
	return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
}

/* Pairs of them. */
static void nearest_halves(uint32_t *to, const uint32_t *low, uint8_t low_modifiers, const uint32_t *high,
                           uint8_t high_modifiers)
{
	for (unsigned i = 0; i < EXEC_LANES; i += 8) {
		__m128i x = nearest8(low + i, low_modifiers), y = nearest8(high + i, high_modifiers);

		_mm_storeu_si128((__m128i *)(to + i), _mm_unpacklo_epi16(x, y));
		_mm_storeu_si128((__m128i *)(to + i + 4), _mm_unpackhi_epi16(x, y));
	}
}
#endif

OPERATION(f2fp)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;
	unsigned how = o->x == 3 ? 3 : o->x == 2 ? 1 : 0;
	bool bf16 = o->flags & EXEC_BF16;

#ifdef EXEC_WIDE
	if (how == 0 && !bf16) {
		nearest_halves(w->scratch, b, o->bm, a, o->am);
		if (lanes == EXEC_ALL)
			memcpy(d, w->scratch, EXEC_LANES * sizeof *d);
		finish(w, o, lanes, 1);
		return;
	}
#endif
	FOR_LANES(lanes) {
		double lower = (double)to_float(modified(b[i], o->bm)), upper = (double)to_float(modified(a[i], o->am));

		d[i] = EXEC_NAME(to_16)(lower, how, bf16) | (uint32_t)EXEC_NAME(to_16)(upper, how, bf16) << 16;
	}
}

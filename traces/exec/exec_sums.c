/* exec_sums.c - products of matrices of halves, bfloats and TF32 with AVX2: the sums of exec_matrix.c, in fewer steps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A product of two such numbers is exact as a float.  It is cut by scaling it with a power of two, which makes the
 * last bit that is kept 1, and converting it to an integer towards 0; sums of these are exact.  So exponents only have
 * to be known for the largest of them, and fit into bytes.
 */
#include "exec_ops.h"

#ifdef EXEC_WIDE
#include <immintrin.h>

#define ROWS 16u
#define GROUP 8u               /* columns of A that are side by side here */
#define GROUPS 2u
#define FLOAT_BIAS 127
#define NONE INT8_MIN          /* the exponent of 0: with that of any number it is less than those of two numbers */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define INLINED static inline __attribute__((always_inline))

/* Exponents.  In the range products are floats, exactly, and the exponents of two numbers fit into a byte; sums have a
 * last bit that a float may have, and are not too large. */
struct range {
	int32_t least;         /* that of subnormal halves, too */
	int32_t low, high;
	int32_t products;      /* of which none has a lower one */
};

static const struct range ranges[] = {
	[EXEC_HALVES] = { -14, -127, 127, -28 }, /* any */
	[EXEC_BFLOATS] = { -127, -50, 22, -100 },
	[EXEC_TF32] = { -127, -50, 22, -100 },
};

struct factors {
	_Alignas(32) float a[GROUPS][ROWS][GROUP], b[GROUPS][GROUP][GROUP]; /* by row of A, of B */
	_Alignas(32) int8_t a_exponent[GROUPS][ROWS][GROUP], b_exponent[GROUPS][GROUP][GROUP];
};

/* Eight elements side by side: row `x` of a group of columns of A, or column x of a group of rows of B; upper: A has a
 * second register with rows 8 to 15. */
INLINED __m256 take8(const uint32_t *words, enum exec_factor type, unsigned group, unsigned x, unsigned upper,
                     bool more)
{
	unsigned at = x % 8 * 4, high = x / 8, registers = 1 + upper;
	const uint32_t *low = words + (group * registers + high) * EXEC_LANES + at, *next;
	__m128i v;
	__m256i wide;

	if (type == EXEC_TF32) {
		low = words + (2 * group * registers + high) * EXEC_LANES + at;
		next = low + registers * EXEC_LANES;
		wide = _mm256_set_m128i(more ? _mm_loadu_si128((const __m128i *)next) : _mm_setzero_si128(),
		                        _mm_loadu_si128((const __m128i *)low));
		return _mm256_castsi256_ps(_mm256_and_si256(wide, _mm256_set1_epi32(~0x1fff)));
	}
	v = _mm_loadu_si128((const __m128i *)low);
	if (type == EXEC_HALVES)
		return _mm256_cvtph_ps(v);
	return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16));
}

/* Exponents of four times eight numbers, as bytes.  *wrong: all bits where a number is out of range. */
INLINED void exponents(int8_t *to, float from[4][GROUP], struct range r, __m256i *wrong)
{
	const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7), bias = _mm256_set1_epi32(FLOAT_BIAS);
	__m256i e[4], bytes;

	UNROLLED
	for (unsigned i = 0; i < 4; i++) {
		__m256i v = _mm256_slli_epi32(_mm256_load_si256((const __m256i *)from[i]), 1); /* without its sign */
		__m256i zero = _mm256_cmpeq_epi32(v, _mm256_setzero_si256());
		__m256i exponent = _mm256_sub_epi32(_mm256_srli_epi32(v, 24), bias);
		__m256i below = _mm256_andnot_si256(zero, _mm256_cmpgt_epi32(_mm256_set1_epi32(r.low), exponent));

		*wrong = _mm256_or_si256(*wrong, below);
		*wrong = _mm256_or_si256(*wrong, _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(r.high)));
		exponent = _mm256_max_epi32(exponent, _mm256_set1_epi32(r.least));
		e[i] = _mm256_blendv_epi8(exponent, _mm256_set1_epi32(NONE), zero);
	}
	bytes = _mm256_packs_epi16(_mm256_packs_epi32(e[0], e[1]), _mm256_packs_epi32(e[2], e[3]));
	_mm256_store_si256((__m256i *)to, _mm256_permutevar8x32_epi32(bytes, order));
}

INLINED void transpose(float to[GROUP][GROUP], const __m256 *v)
{
	__m256 pairs[8], fours[8];

	UNROLLED
	for (unsigned i = 0; i < 8; i += 2) {
		pairs[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
		pairs[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
	}
	UNROLLED
	for (unsigned i = 0; i < 8; i += 4)
		for (unsigned h = 0; h < 2; h++) {
			fours[i + 2 * h] = _mm256_shuffle_ps(pairs[i + h], pairs[i + 2 + h], 0x44);
			fours[i + 2 * h + 1] = _mm256_shuffle_ps(pairs[i + h], pairs[i + 2 + h], 0xee);
		}
	UNROLLED
	for (unsigned i = 0; i < 4; i++) {
		_mm256_store_ps(to[i], _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20));
		_mm256_store_ps(to[i + 4], _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31));
	}
}

/* Returns false if a number is out of range. */
INLINED bool take_factors(struct factors *f, enum exec_factor type, unsigned k, const uint32_t *a, const uint32_t *b)
{
	__m256i wrong = _mm256_setzero_si256();

	for (unsigned g = 0; g * GROUP < k; g++) {
		bool more = k - g * GROUP > 4;
		__m256 columns[GROUP];

		for (unsigned x = 0; x < ROWS; x++)
			_mm256_store_ps(f->a[g][x], take8(a, type, g, x, 1, more));
		for (unsigned n = 0; n < GROUP; n++)
			columns[n] = take8(b, type, g, n, 0, more);
		transpose(f->b[g], columns);
		for (unsigned x = 0; x < ROWS; x += 4)
			exponents(f->a_exponent[g][x], &f->a[g][x], ranges[type], &wrong);
		for (unsigned i = 0; i < GROUP; i += 4)
			exponents(f->b_exponent[g][i], &f->b[g][i], ranges[type], &wrong);
	}
	return _mm256_testz_si256(wrong, wrong);
}

/* Of four rows: the largest exponents of `once` products from column `from` on. */
INLINED void largest4(int8_t to[4][GROUP], const struct factors *f, unsigned from, unsigned once, unsigned x)
{
	/* of a lane of 128 bits, which has two rows: column 0 */
	const __m256i rows = _mm256_setr_epi64x(0, 0x0808080808080808, 0, 0x0808080808080808);
	__m256i most = _mm256_set1_epi8(INT8_MIN);

	UNROLLED
	for (unsigned j = 0; j < once; j++) {
		unsigned g = (from + j) / GROUP, i = (from + j) % GROUP;
		int64_t b;
		__m256i a = _mm256_load_si256((const __m256i *)f->a_exponent[g][x]);

		memcpy(&b, f->b_exponent[g][i], sizeof b);
		a = _mm256_shuffle_epi8(a, _mm256_add_epi8(rows, _mm256_set1_epi8((char)i)));
		most = _mm256_max_epi8(most, _mm256_adds_epi8(a, _mm256_set1_epi64x(b)));
	}
	_mm256_store_si256((__m256i *)to, most);
}

/* The exponents of a row of C. */
INLINED __m256i exponent_of(__m256 c, bool halves)
{
	__m256i v = _mm256_slli_epi32(_mm256_castps_si256(c), 1);
	__m256i e = _mm256_sub_epi32(_mm256_srli_epi32(v, 24), _mm256_set1_epi32(FLOAT_BIAS));

	if (!halves)
		return e;
	return _mm256_blendv_epi8(_mm256_max_epi32(e, _mm256_set1_epi32(ranges[EXEC_HALVES].least)), e,
	                          _mm256_cmpeq_epi32(v, _mm256_setzero_si256()));
}

/* Adds products from column `from` on to the sums of a row.  *wrong: the sign where they were too large. */
INLINED __m256 add_products(__m256 c, const struct factors *f, const struct exec_product *p, unsigned from, unsigned x,
                            const int8_t *largest, __m256i *wrong)
{
	const __m256i one = _mm256_set1_epi32(2 * FLOAT_BIAS << 23), sign = _mm256_set1_epi32(INT32_MIN);
	__m256i e = _mm256_max_epi32(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)largest)),
	                             exponent_of(c, p->halves));
	__m256i scale = _mm256_slli_epi32(_mm256_sub_epi32(_mm256_set1_epi32(FLOAT_BIAS + p->fraction), e), 23);
	__m256i sum[2] = { _mm256_cvttps_epi32(_mm256_mul_ps(c, _mm256_castsi256_ps(scale))), _mm256_setzero_si256() };
	__m256i total, magnitude, bits, back;
	__m256 result;

	UNROLLED
	for (unsigned j = 0; j < p->once; j++) {
		unsigned g = (from + j) / GROUP, i = (from + j) % GROUP;
		__m256 product = _mm256_mul_ps(_mm256_set1_ps(f->a[g][x][i]), _mm256_load_ps(f->b[g][i]));

		product = _mm256_mul_ps(product, _mm256_castsi256_ps(scale));
		sum[j / 8] = _mm256_add_epi32(sum[j / 8], _mm256_cvttps_epi32(product));
	}
	total = _mm256_add_epi32(sum[0], sum[1]);
	magnitude = _mm256_abs_epi32(total);
	bits = _mm256_castps_si256(_mm256_cvtepi32_ps(magnitude));
	back = _mm256_cvttps_epi32(_mm256_castsi256_ps(bits));
	if (p->once > 8) {
		__m256i differ = _mm256_and_si256(_mm256_xor_si256(sum[0], total), _mm256_xor_si256(sum[1], total));

		*wrong = _mm256_or_si256(*wrong, _mm256_or_si256(differ, back));
	}
	bits = _mm256_add_epi32(bits, _mm256_cmpgt_epi32(back, magnitude)); /* cut */
	if (p->halves) /* odd if bits were lost, so that it is rounded to a half as they say */
		bits = _mm256_or_si256(bits, _mm256_andnot_si256(_mm256_cmpeq_epi32(back, magnitude),
		                                                 _mm256_set1_epi32(1)));
	result = _mm256_mul_ps(_mm256_castsi256_ps(bits), _mm256_castsi256_ps(_mm256_sub_epi32(one, scale)));
	result = _mm256_or_ps(result, _mm256_castsi256_ps(_mm256_and_si256(total, sign)));
	/* all products are 0: c, of which -0 becomes 0 */
	result = _mm256_blendv_ps(result, _mm256_add_ps(c, _mm256_setzero_ps()), _mm256_castsi256_ps(
		_mm256_cmpgt_epi32(_mm256_set1_epi32(ranges[p->type].products), e)));
	return p->halves ? _mm256_cvtph_ps(_mm256_cvtps_ph(result, _MM_FROUND_TO_NEAREST_INT)) : result;
}

/* Row x of C and D: floats in 4 registers, or pairs of halves in 2. */
INLINED __m256 take_row(const uint32_t *c, unsigned x, bool halves)
{
	const uint32_t *left = c + x / 8 * (halves ? 1 : 2) * EXEC_LANES + x % 8 * 4;
	__m128i even = _mm_loadu_si128((const __m128i *)left), odd;

	if (halves)
		return _mm256_cvtph_ps(even);
	odd = _mm_loadu_si128((const __m128i *)(left + EXEC_LANES));
	return _mm256_castsi256_ps(_mm256_set_m128i(_mm_unpackhi_epi32(even, odd), _mm_unpacklo_epi32(even, odd)));
}

INLINED void put_row(uint32_t *d, unsigned x, __m256 v, bool halves)
{
	uint32_t *left = d + x / 8 * (halves ? 1 : 2) * EXEC_LANES + x % 8 * 4;
	__m128 low = _mm256_castps256_ps128(v), high = _mm256_extractf128_ps(v, 1);

	if (halves) {
		_mm_storeu_si128((__m128i *)left, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
		return;
	}
	_mm_storeu_si128((__m128i *)left, _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88)));
	_mm_storeu_si128((__m128i *)(left + EXEC_LANES), _mm_castps_si128(_mm_shuffle_ps(low, high, 0xdd)));
}

/* All bits where a number is infinite or none. */
INLINED __m256i infinite(__m256 v)
{
	const __m256i top = _mm256_set1_epi32(0x7f800000);

	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_castps_si256(v), top), top);
}

INLINED bool multiply(const struct exec_product p, uint32_t *d)
{
	struct factors f;
	__m256 sums[ROWS];
	__m256i wrong = _mm256_setzero_si256();

	if (!take_factors(&f, p.type, p.k, p.a, p.b))
		return false;
	for (unsigned x = 0; x < ROWS; x++) {
		sums[x] = take_row(p.c, x, p.halves);
		wrong = _mm256_or_si256(wrong, infinite(sums[x]));
	}
	for (unsigned from = 0; from < p.k; from += p.once)
		for (unsigned x = 0; x < ROWS; x += 4) {
			_Alignas(32) int8_t largest[4][GROUP];

			largest4(largest, &f, from, p.once, x);
			UNROLLED
			for (unsigned i = 0; i < 4; i++) {
				sums[x + i] = add_products(sums[x + i], &f, &p, from, x + i, largest[i], &wrong);
				if (p.halves) /* too large */
					wrong = _mm256_or_si256(wrong, infinite(sums[x + i]));
			}
		}
	if (_mm256_movemask_ps(_mm256_castsi256_ps(wrong)))
		return false;
	for (unsigned x = 0; x < ROWS; x++)
		put_row(d, x, sums[x], p.halves);
	return true;
}

#define WITH(t, n, h) multiply((struct exec_product){ t, p->k, n, p->fraction, h, p->a, p->b, p->c }, d)

/* What a compiler should know is written as constants. */
bool hd__exec_sums_avx2(const struct exec_product *p, uint32_t *d)
{
	if (p->type == EXEC_HALVES && p->once == 8)
		return p->halves ? WITH(EXEC_HALVES, 8, true) : WITH(EXEC_HALVES, 8, false);
	if (p->type == EXEC_HALVES)
		return p->halves ? WITH(EXEC_HALVES, 16, true) : WITH(EXEC_HALVES, 16, false);
	if (p->type == EXEC_BFLOATS)
		return p->once == 8 ? WITH(EXEC_BFLOATS, 8, false) : WITH(EXEC_BFLOATS, 16, false);
	return p->once == 4 ? WITH(EXEC_TF32, 4, false) : WITH(EXEC_TF32, 8, false);
}
#endif

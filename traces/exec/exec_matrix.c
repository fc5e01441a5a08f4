/* exec_matrix.c - operations: products of matrices
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * D = A * B + C with 8 columns.  Lanes have the elements as the manual of PTX shows for mma.m16n8k16 and its like:
 * lane 4 g + t has rows g and g + 8 of A, C and D, and column g of B.
 *
 * Floating point sums are those of hardware, as MMA-Sim (arXiv 2511.10909) and Khattak and Mikaitis (arXiv
 * 2512.07004) found them: C and some products are aligned to the largest exponent, which is the sum of the factors'
 * exponents without a carry, and cut to so many bits of fraction; the sum of these is exact; it is cut to a float,
 * or rounded to a half. Then the next products are added to it.
 */
#include "exec_ops.h"

#include <math.h>

#define COLUMNS 8u
#define MOST_ROWS 16u
#define NO_EXPONENT (-1000)  /* of 0, which aligns nothing */
#define LEAST_EXPONENT (-126)

/* ---- eight numbers at once: a row of D ---- */

typedef struct {
	int32_t v[8];
} eight;

#define EIGHT(expression) eight r; for (int i = 0; i < 8; i++) r.v[i] = (expression); return r

static inline eight load8(const int32_t *p) { EIGHT(p[i]); }
static inline eight all8(int32_t v) { EIGHT(v); }
static inline eight add8(eight a, eight b) { EIGHT(a.v[i] + b.v[i]); }
static inline eight sub8(eight a, eight b) { EIGHT(a.v[i] - b.v[i]); }
static inline eight max8(eight a, eight b) { EIGHT(a.v[i] > b.v[i] ? a.v[i] : b.v[i]); }
static inline eight and8(eight a, eight b) { EIGHT(a.v[i] & b.v[i]); }
static inline eight xor8(eight a, eight b) { EIGHT(a.v[i] ^ b.v[i]); }
static inline eight left8(eight v, unsigned by) { EIGHT((int32_t)((uint32_t)v.v[i] << by)); }
static inline eight right8(eight v, unsigned by) { EIGHT((int32_t)((uint32_t)v.v[i] >> by)); }
static inline eight equal8(eight a, eight b) { EIGHT(a.v[i] == b.v[i] ? -1 : 0); }
static inline eight choose8(eight on, eight a, eight b) { EIGHT(on.v[i] ? a.v[i] : b.v[i]); }
static inline bool any8(eight v) { int32_t some = 0; for (int i = 0; i < 8; i++) some |= v.v[i]; return some != 0; }
static inline void store8(int32_t *p, eight v) { memcpy(p, v.v, sizeof v.v); }
static inline eight mul8(eight a, eight b) { EIGHT(a.v[i] * b.v[i]); }
static inline eight cut8(eight v, eight by) { EIGHT(by.v[i] > 31 ? 0 : v.v[i] / (INT64_C(1) << by.v[i])); }

static inline void scale8(double *to, eight a, eight b, eight exponent)
{
	for (int i = 0; i < 8; i++)
		to[i] = ((double)a.v[i] + (double)b.v[i]) * to_double((uint64_t)(exponent.v[i] + 1023) << 52);
}

/* ---- floating point ---- */

enum type { HALF = EXEC_HALVES, BF16 = EXEC_BFLOATS, TF32 = EXEC_TF32, FLOAT };

static const struct format {
	uint8_t exponent, fraction; /* bits */
	int16_t bias;
} formats[] = { { 5, 10, 15 }, { 8, 7, 127 }, { 8, 10, 127 }, { 8, 23, 127 } };

/* Takes 8 numbers out of words, shifted right by `shift`: digits * 2^exponent, the digits with the fraction of the
 * format and `more` bits.  Returns where one is infinite or none. */
static eight unpack8(int32_t *to_digits, int32_t *to_exponent, const uint32_t *words, unsigned shift, enum type type,
                      unsigned more)
{
	const struct format f = formats[type];
	unsigned sign = f.exponent + f.fraction;
	eight v = right8(load8((const int32_t *)words), shift + (type == TF32 ? 13 : 0));
	eight top = all8((1 << f.exponent) - 1), exponent = and8(right8(v, f.fraction), top);
	eight subnormal = equal8(exponent, all8(0)), implied = and8(xor8(subnormal, all8(-1)), all8(1 << f.fraction));
	eight magnitude = left8(add8(and8(v, all8((1 << f.fraction) - 1)), implied), more);
	eight minus = sub8(all8(0), and8(right8(v, sign), all8(1)));

	store8(to_digits, sub8(xor8(magnitude, minus), minus));
	store8(to_exponent, choose8(equal8(magnitude, all8(0)), all8(NO_EXPONENT),
	                            sub8(sub8(exponent, subnormal), all8(f.bias))));
	return equal8(exponent, top);
}

struct shape {
	enum type type;
	unsigned per_word;     /* elements of A and B in a register */
	unsigned at_once;      /* products that are added before the sum is rounded */
	bool to_half;
};

/* A product: `k` columns of A, rows of B. */
struct product {
	unsigned k;
	int32_t fraction;      /* bits that are kept */
	unsigned a_more, b_more; /* bits that digits get so that their product has so many */
	unsigned c_more;
	int32_t a_digits[8][EXEC_LANES], a_exponent[8][EXEC_LANES]; /* by register, and half of it */
	int32_t b_digits[16][COLUMNS], b_exponent[16][COLUMNS];
};

/* Where a column of A is: elements of a register are side by side, those of the others 4 * that many columns on. */
struct place {
	unsigned number, lane;
};

static struct place place_of(unsigned column, unsigned per_word)
{
	unsigned quad = 4 * per_word;

	return (struct place){ column / quad * per_word + column % per_word, column % quad / per_word };
}

/* Elements of row `x`: products from column `from` on, and c. */
static void add_products(const struct product *p, struct shape s, unsigned x, unsigned from, const int32_t *c_digits,
                          const int32_t *c_exponent, double *sums)
{
	eight digits[16] = { all8(0) }, exponent[16] = { all8(0) }, ce = load8(c_exponent),
	      largest = max8(ce, all8(LEAST_EXPONENT)), sum = all8(0);
	const unsigned quad = 4 * s.per_word; /* columns in a register of each row */

	for (unsigned j = 0; j < s.at_once; j++) {
		unsigned reg = (from / quad + j / quad) * s.per_word + j % s.per_word,
			 lane = x % 8 * 4 + j % quad / s.per_word;

		reg = reg * 2 + x / 8;
		digits[j] = mul8(all8(p->a_digits[reg][lane]), load8(p->b_digits[from + j]));
		exponent[j] = add8(all8(p->a_exponent[reg][lane]), load8(p->b_exponent[from + j]));
		largest = max8(largest, exponent[j]);
	}
	for (unsigned j = 0; j < s.at_once; j++)
		sum = add8(sum, cut8(digits[j], sub8(largest, exponent[j])));
	scale8(sums, sum, cut8(load8(c_digits), sub8(largest, ce)), sub8(largest, all8(p->fraction)));
}

/* Sums as floats, cut, or as halves, rounded. */
static void put_sums(const double *sums, bool to_half, uint32_t *to)
{
	for (unsigned n = 0; n < COLUMNS; n++)
		if (to_half) {
			to[n] = EXEC_NAME(to_half)(sums[n]);
		} else {
			float normal = (float)to_double(from_double(sums[n]) & ~((UINT64_C(1) << 29) - 1));
			float subnormal = (float)(trunc(sums[n] * 0x1p149) * 0x1p-149);

			to[n] = from_float(fabs(sums[n]) < 0x1p-126 ? subnormal : normal);
		}
}

/* Adds products from column `from` on to row x of D: floats, or halves. */
static void add_to_row(const struct product *p, struct shape s, unsigned x, unsigned from, uint32_t *d)
{
	int32_t digits[COLUMNS], exponent[COLUMNS];
	uint32_t new[COLUMNS], top = s.to_half ? 0x7c00 : UINT32_C(0x7f800000);
	double sums[COLUMNS];
	eight infinite = unpack8(digits, exponent, d, 0, s.to_half ? HALF : FLOAT, p->c_more);

	add_products(p, s, x, from, digits, exponent, sums);
	if (!any8(infinite)) {
		put_sums(sums, s.to_half, d);
		return;
	}
	put_sums(sums, s.to_half, new);
	for (unsigned n = 0; n < COLUMNS; n++) /* what was too large stays infinite */
		d[n] = (d[n] & top) == top ? d[n] : new[n];
}

static double value_of(uint32_t v, enum type type)
{
	return type == HALF ? EXEC_NAME(half)((uint16_t)v) : type == BF16 ? EXEC_NAME(bf16)((uint16_t)v)
	       : (double)to_float(type == TF32 ? v & ~UINT32_C(0x1fff) : v);
}

/* Elements with a factor or summand that is infinite or none. */
static void special_elements(const struct exec_product *p, uint32_t c[][COLUMNS], unsigned per_word,
			     uint32_t d[][COLUMNS])
{
	double u[MOST_ROWS][MOST_ROWS], v[COLUMNS][MOST_ROWS]; /* rows of A, columns of B */
	bool row_is[MOST_ROWS] = { false }, column_is[COLUMNS] = { false }, to_half = p->halves;
	enum type type = (enum type)p->type;

	for (unsigned k = 0; k < p->k; k++) {
		struct place at = place_of(k, per_word);
		unsigned reg = at.number / per_word, shift = at.number % per_word * 16;

		for (unsigned x = 0; x < MOST_ROWS; x++) {
			u[x][k] = value_of(p->a[(reg * 2 + x / 8) * EXEC_LANES + x % 8 * 4 + at.lane] >> shift, type);
			row_is[x] |= !isfinite(u[x][k]);
		}
		for (unsigned n = 0; n < COLUMNS; n++) {
			v[n][k] = value_of(p->b[reg * EXEC_LANES + n * 4 + at.lane] >> shift, type);
			column_is[n] |= !isfinite(v[n][k]);
		}
	}
	for (unsigned x = 0; x < MOST_ROWS; x++)
		for (unsigned n = 0; n < COLUMNS; n++) {
			double sum = value_of(c[x][n], to_half ? HALF : FLOAT);

			if (!row_is[x] && !column_is[n] && isfinite(sum))
				continue;
			for (unsigned k = 0; k < p->k; k++)
				sum += u[x][k] * v[n][k];
			d[x][n] = to_half      ? EXEC_NAME(to_half)(sum)
				  : sum != sum ? NAN32
					       : from_float((float)sum);
		}
}

/* C and D: floats in 4 registers, or pairs of halves in 2. */
static void take_c(uint32_t to[][COLUMNS], const uint32_t *c, bool halves)
{
	for (unsigned h = 0; h < 2; h++, to += 8)
		for (unsigned g = 0; g < 8; g++)
			for (unsigned t = 0; t < 4; t++) {
				const uint32_t *from = c + 4 * g + t;

				to[g][2 * t] = halves ? from[h * EXEC_LANES] & 0xffff : from[2 * h * EXEC_LANES];
				to[g][2 * t + 1] = halves ? from[h * EXEC_LANES] >> 16 : from[(2 * h + 1) * EXEC_LANES];
			}
}

static void put_d(uint32_t *d, uint32_t from[][COLUMNS], bool halves)
{
	for (unsigned h = 0; h < 2; h++, from += 8)
		for (unsigned g = 0; g < 8; g++)
			for (unsigned t = 0; t < 4; t++) {
				uint32_t *to = d + 4 * g + t, left = from[g][2 * t], right = from[g][2 * t + 1];

				to[(halves ? h : 2 * h) * EXEC_LANES] = halves ? left | right << 16 : left;
				if (!halves)
					to[(2 * h + 1) * EXEC_LANES] = right;
			}
}

/* Returns false if a number is infinite or none. */
static bool take_factors(struct product *p, struct shape s, const uint32_t *a, const uint32_t *b)
{
	unsigned words = p->k / (4 * s.per_word); /* columns of A in a register of each row */
	uint32_t columns[4][COLUMNS];             /* a register of B, by row */
	eight special = all8(0);

	for (unsigned reg = 0; reg < words; reg++) {
		for (unsigned n = 0; n < COLUMNS; n++)
			for (unsigned t = 0; t < 4; t++)
				columns[t][n] = b[reg * EXEC_LANES + 4 * n + t];
		for (unsigned h = 0; h < s.per_word; h++) {
			for (unsigned i = 0; i < 2 * EXEC_LANES; i += 8) { /* of both rows of A */
				unsigned q = (reg * s.per_word + h) * 2 + i / EXEC_LANES, lane = i % EXEC_LANES;

				special = add8(special,
					       unpack8(&p->a_digits[q][lane], &p->a_exponent[q][lane],
						       a + reg * 2 * EXEC_LANES + i, 16 * h, s.type, p->a_more));
			}
			for (unsigned t = 0; t < 4; t++) {
				unsigned k = (reg * 4 + t) * s.per_word + h;

				special = add8(special, unpack8(p->b_digits[k], p->b_exponent[k], columns[t], 16 * h,
								s.type, p->b_more));
			}
		}
	}
	return !any8(special);
}

static bool all_finite(uint32_t c[][COLUMNS], bool halves)
{
	uint32_t top = halves ? 0x7c00 : UINT32_C(0x7f800000), some = 0;

	for (unsigned x = 0; x < MOST_ROWS; x++)
		for (unsigned n = 0; n < COLUMNS; n++)
			some |= (c[x][n] & top) == top;
	return !some;
}

static int32_t fraction_of(const struct exec_op *o)
{
	return o->more >= 90 ? 25 : 24;
}

/* Products get the bits of fraction that are kept; a factor with them has at most 15 bits. */
static bool multiply(const struct exec_product *of, struct shape s, uint32_t c[][COLUMNS], uint32_t d[][COLUMNS])
{
	unsigned fraction = formats[s.type].fraction, more;
	struct product p; /* large: what is not used stays as it is */
	bool finite;

	p.k = of->k;
	p.fraction = of->fraction;
	more = (unsigned)p.fraction - 2 * fraction;
	p.a_more = more < 14 - fraction ? more : 14 - fraction;
	p.b_more = more - p.a_more;
	p.c_more = (unsigned)p.fraction - formats[s.to_half ? HALF : FLOAT].fraction;
	finite = take_factors(&p, s, of->a, of->b);
	memcpy(d, c, MOST_ROWS * sizeof *d);
	for (unsigned from = 0; from < p.k; from += s.at_once)
		for (unsigned x = 0; x < MOST_ROWS; x++) /* rows do not wait for each other */
			add_to_row(&p, s, x, from, d[x]);
	return finite;
}

void EXEC_NAME(float_product)(const struct exec_product *p, uint32_t *to)
{
	unsigned per_word = p->type == EXEC_TF32 ? 1 : 2;
	uint32_t c[MOST_ROWS][COLUMNS], d[MOST_ROWS][COLUMNS];
	bool finite;

#ifdef EXEC_WIDE
	if (hd__exec_sums_avx2(p, to))
		return;
#endif
	take_c(c, p->c, p->halves);
	finite = multiply(p, (struct shape){ (enum type)p->type, per_word, p->once, p->halves }, c, d);
	if (!finite || !all_finite(c, p->halves))
		special_elements(p, c, per_word, d);
	put_d(to, d, p->halves);
}

/* The products that are added at once fill 16 bytes, from Hopper on 32 bytes. */
OPERATION(hmma)
{
	bool to_half = !(o->flags & EXEC_HIGH);
	unsigned per_word = o->y == TF32 ? 1 : 2, most = (o->more >= 90 ? 8 : 4) * per_word;
	struct exec_product p = { .type = (enum exec_factor)o->y, .k = o->x, .once = o->x < most ? o->x : most,
		                  .fraction = fraction_of(o), .halves = to_half,
		                  .a = row(w, o->a), .b = row(w, o->b), .c = row(w, o->c) };

	EXEC_NAME(float_product)(&p, result(w, o, lanes));
	finish(w, o, lanes, to_half ? 2 : 4);
}

/* ---- doubles: a chain of fused operations ---- */

OPERATION(dmma)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	double m[8][4], k_by_n[4][8], sum[8][8];
	uint32_t *d = result(w, o, lanes);

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		m[i / 4][i % 4] = to_double(pair(a, i));
		k_by_n[i % 4][i / 4] = to_double(pair(b, i));
		sum[i / 4][i % 4 * 2] = to_double(pair(c, i));
		sum[i / 4][i % 4 * 2 + 1] = to_double(pair(c + 2 * EXEC_LANES, i));
	}
	for (unsigned x = 0; x < 8; x++)
		for (unsigned k = 0; k < 4; k++)
			for (unsigned n = 0; n < 8; n++)
				sum[x][n] = __builtin_fma(m[x][k], k_by_n[k][n], sum[x][n]);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		put_pair(d, i, from_double(sum[i / 4][i % 4 * 2]));
		put_pair(d + 2 * EXEC_LANES, i, from_double(sum[i / 4][i % 4 * 2 + 1]));
	}
	finish(w, o, lanes, 4);
}

/* ---- integers ---- */

static int32_t element(uint32_t v, unsigned k, unsigned bits, bool is_signed)
{
	v = v << (32 - bits - k * bits) >> (32 - bits);
	return is_signed && v >> (bits - 1) ? (int32_t)(v | EXEC_ALL << bits) : (int32_t)v;
}

static uint32_t added(int32_t c, int32_t sum, bool saturates)
{
	int64_t v = (int64_t)c + sum;

	if (saturates)
		v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
	return (uint32_t)v;
}

/* A's registers: the rows g and g + 8 of the first columns, then of the others. */
OPERATION(imma)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	unsigned rows = o->x, bits = o->y, per_word = 32 / bits, upper = rows / 8, words = o->more / (4 * per_word);
	int32_t m[MOST_ROWS][64], k_by_n[64][COLUMNS], sum[MOST_ROWS][COLUMNS] = { { 0 } };
	uint32_t *d = result(w, o, lanes);

	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned q = 0; q < words; q++)
			for (unsigned j = 0; j < per_word; j++) {
				unsigned k = (q * 4 + i % 4) * per_word + j;

				for (unsigned h = 0; h < upper; h++)
					m[i / 4 + 8 * h][k] =
						element(a[i + (q * upper + h) * EXEC_LANES], j, bits, o->am);
				k_by_n[k][i / 4] = element(b[i + q * EXEC_LANES], j, bits, o->bm);
			}
	for (unsigned x = 0; x < rows; x++)
		for (unsigned k = 0; k < o->more; k++)
			for (unsigned n = 0; n < COLUMNS; n++)
				sum[x][n] += m[x][k] * k_by_n[k][n];
	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned k = 0; k < 2 * upper; k++)
			d[i + k * EXEC_LANES] = added((int32_t)c[i + k * EXEC_LANES],
			                              sum[i / 4 + k / 2 * 8][i % 4 * 2 + k % 2], o->flags & EXEC_SAT);
	finish(w, o, lanes, 2 * upper);
}

/* Bits: their AND or XOR is counted. */
OPERATION(bmma)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	unsigned upper = o->x / 8u, words = o->more / 128;
	uint32_t v[4 * EXEC_LANES], *d = result(w, o, lanes);

	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned k = 0; k < 2 * upper; k++) {
			unsigned n = i % 4 * 2 + k % 2, sum = 0;

			for (unsigned q = 0; q < words; q++)
				for (unsigned t = 0; t < 4; t++) {
					uint32_t x = a[i / 4 * 4 + t + (q * upper + k / 2) * EXEC_LANES];
					uint32_t y = b[n * 4 + t + q * EXEC_LANES];

					sum += (unsigned)__builtin_popcount(o->y ? x & y : x ^ y);
				}
			v[i + k * EXEC_LANES] = c[i + k * EXEC_LANES] + sum;
		}
	memcpy(d, v, 2 * upper * EXEC_LANES * sizeof *d);
	finish(w, o, lanes, 2 * upper);
}

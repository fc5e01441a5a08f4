/* exec_matrix.c - operations: products of matrices
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * D = A * B + C with 8 columns.  Lanes have the elements as the manual of PTX shows for mma.m16n8k16 and its like: lane
 * 4 g + t has rows g and g + 8 of A, C and D, and column g of B.
 *
 * Floating point sums are those of hardware, as MMA-Sim (arXiv 2511.10909) and Khattak and Mikaitis (arXiv 2512.07004)
 * found them: C and some products are aligned to the largest exponent, which is the sum of the factors' exponents without
 * a carry, and cut to so many bits of fraction; the sum of these is exact; it is cut to a float, or rounded to a half.
 * Then the next products are added to it.
 */
#include "exec_ops.h"

#include <math.h>

#define COLUMNS 8u
#define MOST_ROWS 16u
#define NO_EXPONENT (-1000)  /* of 0, which aligns nothing */
#define LEAST_EXPONENT (-126)

/* ---- floating point ---- */

/* Numbers of lanes: digit * 2^exponent, the digit with so many bits of fraction. */
struct numbers {
	int32_t digits[EXEC_LANES], exponent[EXEC_LANES];
};

enum type { HALF, BF16, TF32, FLOAT };

static const struct format {
	uint8_t exponent, fraction; /* bits */
	int16_t bias;
} formats[] = { { 5, 10, 15 }, { 8, 7, 127 }, { 8, 10, 127 }, { 8, 23, 127 } };

/* Takes numbers out of words, shifted right by `shift`.  Returns false if one is infinite or none. */
static bool unpack(struct numbers *to, const uint32_t *words, unsigned shift, enum type type)
{
	const struct format f = formats[type];
	unsigned sign = f.exponent + f.fraction, cut = type == TF32 ? 13 : 0;
	uint32_t top = (UINT32_C(1) << f.exponent) - 1, special = 0;

	EACH_LANE {
		uint32_t v = words[i] >> shift >> cut, digits = v & ((UINT32_C(1) << f.fraction) - 1);
		uint32_t exponent = v >> f.fraction & top, normal = exponent != 0;
		int32_t magnitude = (int32_t)(digits | normal << f.fraction);

		special |= exponent == top;
		to->digits[i] = v >> sign & 1 ? -magnitude : magnitude;
		to->exponent[i] = magnitude ? (int32_t)(exponent + !normal) - f.bias : NO_EXPONENT;
	}
	return !special;
}

/* A product of so many columns of A and rows of B, for the 8 elements of a row of D. */
struct product {
	unsigned k;            /* columns of A */
	unsigned at_once;      /* products that are added before the sum is rounded */
	unsigned fraction;     /* bits that are kept */
	unsigned digits;       /* bits of fraction of a product */
	bool to_half;
	struct numbers a[8];   /* by register, and half of it */
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

/* A sum as a float, cut. */
static float cut(double v)
{
	uint64_t u = from_double(v) & ~((UINT64_C(1) << 29) - 1);

	if (fabs(v) < 0x1p-126)
		return (float)(trunc(v * 0x1p149) * 0x1p-149);
	return (float)to_double(u);
}

/* Elements of row `x`: adds products from column `from` on to the numbers in c. */
static void add_products(const struct product *p, unsigned x, unsigned per_word, unsigned from, const int32_t *c_digits,
                         const int32_t *c_exponent, double *sums)
{
	int32_t digits[16][COLUMNS], exponent[16][COLUMNS], largest[COLUMNS], sum[COLUMNS];
	unsigned left = p->fraction - p->digits;

	for (unsigned n = 0; n < COLUMNS; n++)
		largest[n] = c_exponent[n] > LEAST_EXPONENT ? c_exponent[n] : LEAST_EXPONENT;
	for (unsigned j = 0; j < p->at_once; j++) {
		struct place at = place_of(from + j, per_word);
		const struct numbers *a = &p->a[at.number * 2 + x / 8];
		int32_t a_digits = a->digits[x % 8 * 4 + at.lane], a_exponent = a->exponent[x % 8 * 4 + at.lane];

		for (unsigned n = 0; n < COLUMNS; n++) {
			digits[j][n] = a_digits * p->b_digits[from + j][n];
			exponent[j][n] = a_exponent + p->b_exponent[from + j][n];
			largest[n] = exponent[j][n] > largest[n] ? exponent[j][n] : largest[n];
		}
	}
	for (unsigned n = 0; n < COLUMNS; n++)
		sum[n] = 0;
	for (unsigned j = 0; j < p->at_once; j++)
		for (unsigned n = 0; n < COLUMNS; n++) {
			int32_t v = digits[j][n], down = largest[n] - exponent[j][n];
			uint32_t magnitude = (uint32_t)(v < 0 ? -v : v) << left;

			magnitude = down < 31 ? magnitude >> (down & 31) : 0;
			sum[n] += v < 0 ? -(int32_t)magnitude : (int32_t)magnitude;
		}
	for (unsigned n = 0; n < COLUMNS; n++) {
		int32_t v = c_digits[n], down = largest[n] - c_exponent[n];
		uint32_t magnitude = (uint32_t)(v < 0 ? -v : v);

		/* 23 bits of fraction become those that are kept */
		magnitude = p->fraction >= 23 ? magnitude << (p->fraction - 23) : magnitude;
		magnitude = down < 31 ? magnitude >> (down & 31) : 0;
		sums[n] = (double)sum[n] + (v < 0 ? -(double)magnitude : (double)magnitude);
		sums[n] *= to_double((uint64_t)(largest[n] - (int32_t)p->fraction + 1023) << 52);
	}
}

/* The digits and exponents of floats or halves, 23 bits of fraction. */
static void take_parts(const uint32_t *words, enum type type, int32_t *digits, int32_t *exponent)
{
	uint32_t row_of_words[EXEC_LANES] = { 0 };
	struct numbers v;

	memcpy(row_of_words, words, COLUMNS * sizeof *words);
	unpack(&v, row_of_words, 0, type);
	for (unsigned n = 0; n < COLUMNS; n++) {
		digits[n] = v.digits[n] * (INT32_C(1) << (23 - formats[type].fraction));
		exponent[n] = v.exponent[n];
	}
}

/* Row x of D, as words: floats, or halves. */
static void row_of(const struct product *p, unsigned x, unsigned per_word, const uint32_t *c, uint32_t *to)
{
	uint32_t words[COLUMNS], top = p->to_half ? 0x7c00 : UINT32_C(0x7f800000);

	memcpy(words, c, sizeof words);
	for (unsigned from = 0; from < p->k; from += p->at_once) {
		int32_t digits[COLUMNS], exponent[COLUMNS];
		double sums[COLUMNS];

		take_parts(words, p->to_half ? HALF : FLOAT, digits, exponent);
		add_products(p, x, per_word, from, digits, exponent, sums);
		for (unsigned n = 0; n < COLUMNS; n++)
			if ((words[n] & top) != top) /* else it was too large: it stays infinite */
				words[n] = p->to_half ? EXEC_NAME(to_half)(sums[n]) : from_float(cut(sums[n]));
	}
	memcpy(to, words, sizeof words);
}

static double value_of(uint32_t v, enum type type)
{
	return type == HALF ? EXEC_NAME(half)((uint16_t)v) : type == BF16 ? EXEC_NAME(bf16)((uint16_t)v)
	       : (double)to_float(type == TF32 ? v & ~UINT32_C(0x1fff) : v);
}

/* An element with a factor or summand that is infinite or none.  Returns false if all are numbers. */
static bool special(const struct exec_op *o, const uint32_t *a, const uint32_t *b, double c, unsigned x, unsigned n,
                    unsigned per_word, double *sum)
{
	bool is = !isfinite(c);

	*sum = c;
	for (unsigned k = 0; k < o->x; k++) {
		struct place at = place_of(k, per_word);
		unsigned reg = at.number / per_word, shift = at.number % per_word * 16;
		double u = value_of(a[(reg * 2 + x / 8) * EXEC_LANES + x % 8 * 4 + at.lane] >> shift, o->y);
		double v = value_of(b[reg * EXEC_LANES + n * 4 + at.lane] >> shift, o->y);

		is |= !isfinite(u) || !isfinite(v);
		*sum += u * v;
	}
	return is;
}

static void special_elements(const struct exec_op *o, const uint32_t *a, const uint32_t *b, uint32_t c[][COLUMNS],
                             unsigned per_word, bool to_half, uint32_t d[][COLUMNS])
{
	for (unsigned x = 0; x < MOST_ROWS; x++)
		for (unsigned n = 0; n < COLUMNS; n++) {
			double sum;

			if (special(o, a, b, value_of(c[x][n], to_half ? HALF : FLOAT), x, n, per_word, &sum))
				d[x][n] = to_half ? EXEC_NAME(to_half)(sum) : sum != sum ? NAN32 : from_float((float)sum);
		}
}

/* C and D: floats in 4 registers, or pairs of halves in 2. */
static void take_c(uint32_t to[][COLUMNS], const uint32_t *c, bool halves)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned k = 0; k < 4; k++)
			to[i / 4 + k / 2 * 8][i % 4 * 2 + k % 2] = halves ? c[i + k / 2 * EXEC_LANES] >> k % 2 * 16 & 0xffff
			                                           : c[i + k * EXEC_LANES];
}

static void put_d(uint32_t *d, uint32_t from[][COLUMNS], bool halves)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		for (unsigned k = 0; k < 4; k++) {
			uint32_t v = from[i / 4 + k / 2 * 8][i % 4 * 2 + k % 2];

			if (!halves)
				d[i + k * EXEC_LANES] = v;
			else
				d[i + k / 2 * EXEC_LANES] = k % 2 ? d[i + k / 2 * EXEC_LANES] | v << 16 : v;
		}
}

/* The products that are added at once fill 16 bytes, from Hopper on 32 bytes. */
static void set_product(struct product *p, const struct exec_op *o, unsigned per_word)
{
	bool hopper = o->more >= 90;
	unsigned most = (hopper ? 8 : 4) * per_word;

	p->k = o->x;
	p->at_once = p->k < most ? p->k : most;
	p->fraction = hopper ? 25 : 24;
	p->digits = 2u * formats[o->y].fraction;
	p->to_half = !(o->flags & EXEC_HIGH);
}

/* Returns false if a number is infinite or none. */
static bool take_factors(struct product *p, const struct exec_op *o, const uint32_t *a, const uint32_t *b,
                         unsigned per_word)
{
	unsigned words = o->x / (4 * per_word); /* columns of A in a register of each row */
	bool good = true;

	for (unsigned q = 0; q < words * per_word; q++) {
		unsigned reg = q / per_word, shift = q % per_word * 16;
		struct numbers v;

		good &= unpack(&p->a[q * 2], a + reg * 2 * EXEC_LANES, shift, o->y);
		good &= unpack(&p->a[q * 2 + 1], a + (reg * 2 + 1) * EXEC_LANES, shift, o->y);
		good &= unpack(&v, b + reg * EXEC_LANES, shift, o->y);
		for (unsigned i = 0; i < EXEC_LANES; i++) {
			unsigned k = reg * 4 * per_word + i % 4 * per_word + q % per_word;

			p->b_digits[k][i / 4] = v.digits[i];
			p->b_exponent[k][i / 4] = v.exponent[i];
		}
	}
	return good;
}

static bool all_finite(uint32_t c[][COLUMNS], bool halves)
{
	uint32_t top = halves ? 0x7c00 : UINT32_C(0x7f800000), some = 0;

	for (unsigned x = 0; x < MOST_ROWS; x++)
		for (unsigned n = 0; n < COLUMNS; n++)
			some |= (c[x][n] & top) == top;
	return !some;
}

OPERATION(hmma)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	unsigned per_word = o->y == TF32 ? 1 : 2;
	uint32_t c[MOST_ROWS][COLUMNS], d[MOST_ROWS][COLUMNS], *to = result(w, o, lanes);
	struct product p;
	bool finite;

	set_product(&p, o, per_word);
	take_c(c, row(w, o->c), p.to_half);
	finite = take_factors(&p, o, a, b, per_word);
	for (unsigned x = 0; x < MOST_ROWS; x++)
		row_of(&p, x, per_word, c[x], d[x]);
	if (!finite || !all_finite(c, p.to_half))
		special_elements(o, a, b, c, per_word, p.to_half, d);
	put_d(to, d, p.to_half);
	finish(w, o, lanes, p.to_half ? 2 : 4);
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
					m[i / 4 + 8 * h][k] = element(a[i + (q * upper + h) * EXEC_LANES], j, bits, o->am);
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

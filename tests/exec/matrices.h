/* matrices.h - products of matrices as hardware makes them, written plainly: one element after the other
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_EXEC_MATRICES_H
#define TESTS_EXEC_MATRICES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- halves ---- */

static inline long double half_of(uint32_t v)
{
	int e = (int)(v >> 10 & 31);
	long double x;

	v &= 0xffff;
	if (e == 31)
		x = v & 1023 ? (long double)NAN : (long double)INFINITY;
	else
		x = e ? ldexpl(1024 + (v & 1023), e - 25) : ldexpl(v & 1023, -24);
	return v >> 15 ? -x : x;
}

/* The nearest half, ties to even; how 3: towards 0. */
static inline uint32_t half_bits(long double x, int how)
{
	uint32_t sign = signbit(x) ? 0x8000 : 0;
	long double y = fabsl(x), unit;
	int e;

	if (x != x)
		return 0x7fff;
	if (isinf(x))
		return sign | 0x7c00;
	frexpl(y, &e);
	e = e - 1 < -14 ? -14 : e - 1;
	unit = ldexpl(1, e - 10);
	y = how == 3 ? truncl(y / unit) * unit : nearbyintl(y / unit) * unit;
	if (y > 65504)
		return sign | (how == 3 ? 0x7bff : 0x7c00);
	if (y < 0x1p-14L)
		return sign | (uint32_t)(y * 0x1p24L);
	frexpl(y, &e);
	return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)(y * ldexpl(1, 11 - e)) & 1023);
}

/* ---- sums ---- */

/* Digits and exponent, 1 <= digits < 2 but for subnormal numbers. */
static inline void split(double x, int lowest, double *digits, int *exponent)
{
	*digits = frexp(x, exponent) * 2;
	--*exponent;
	if (x == 0 || *exponent < lowest) {
		*digits = ldexp(x, -lowest);
		*exponent = lowest;
	}
}

/* c + a * b, n products at once: aligned to the largest exponent, cut to `fraction` bits. */
static inline double sum_once(const double *a, const double *b, int n, double c, int lowest, int c_lowest, int fraction)
{
	double s[33], sum = 0;
	int e[33], largest = -126;

	for (int k = 0; k < n; k++) {
		double x, y;
		int p, q;

		split(a[k], lowest, &x, &p);
		split(b[k], lowest, &y, &q);
		s[k] = x * y;
		e[k] = s[k] == 0 ? -126 : p + q;
	}
	split(c, c_lowest, &s[n], &e[n]);
	if (c == 0)
		e[n] = -126;
	for (int k = 0; k <= n; k++)
		largest = e[k] > largest ? e[k] : largest;
	for (int k = 0; k <= n; k++)
		sum += trunc(ldexp(s[k], e[k] - largest + fraction));
	return ldexp(sum, largest - fraction);
}

static inline float cut_float(double x)
{
	int e;
	double unit;

	frexp(x, &e);
	e = e - 1 < -126 ? -126 : e - 1;
	unit = ldexp(1, e - 23);
	return (float)(trunc(x / unit) * unit);
}

/* ---- an instruction ---- */

enum kind { F16, BF16, TF32 };

static inline double value(const uint32_t *words, enum kind kind, int element)
{
	uint32_t v;
	float x;

	if (kind == TF32) {
		v = words[element] & 0xffffe000;
	} else {
		v = words[element / 2] >> element % 2 * 16 & 0xffff;
		if (kind == F16)
			return (double)half_of(v);
		v <<= 16;
	}
	memcpy(&x, &v, 4);
	return (double)x;
}

/* Element (row, k) of A, 16 rows, and (k, column) of B, from the lanes' registers, 32 words each. */
static inline double a_element(const uint32_t *a, enum kind kind, int row, int k)
{
	int per = kind == TF32 ? 1 : 2, reg = k / (4 * per) * 2 + row / 8, lane = row % 8 * 4 + k % (4 * per) / per;

	return value(&a[reg * 32 + lane], kind, kind == TF32 ? 0 : k % 2);
}

static inline double b_element(const uint32_t *b, enum kind kind, int k, int column)
{
	int per = kind == TF32 ? 1 : 2, reg = k / (4 * per), lane = column * 4 + k % (4 * per) / per;

	return value(&b[reg * 32 + lane], kind, kind == TF32 ? 0 : k % 2);
}

static inline void floating(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, int k, enum kind kind,
                            bool halves, uint32_t sm)
{
	int most = (sm >= 90 ? 32 : 16) / (kind == TF32 ? 4 : 2), once = k < most ? k : most;
	int lowest = kind == F16 ? -14 : -126, fraction = sm >= 90 ? 25 : 24;

	for (int lane = 0; lane < 32; lane++)
		for (int j = 0; j < 4; j++) {
			int row = lane / 4 + j / 2 * 8, column = lane % 4 * 2 + j % 2;
			uint32_t word = halves ? c[j / 2 * 32 + lane] >> j % 2 * 16 & 0xffff : c[j * 32 + lane], *to;
			double x[64], y[64], sum;
			float f;
			bool finite = true;

			memcpy(&f, &word, 4);
			sum = halves ? (double)half_of(word) : (double)f;
			for (int q = 0; q < k; q++) {
				x[q] = a_element(a, kind, row, q);
				y[q] = b_element(b, kind, q, column);
				finite &= isfinite(x[q]) && isfinite(y[q]);
			}
			if (!finite || !isfinite(sum)) {
				for (int q = 0; q < k; q++)
					sum += x[q] * y[q];
				f = (float)sum;
			} else {
				for (int q = 0; q < k; q += once) {
					sum = sum_once(x + q, y + q, once, sum, lowest, halves ? -14 : -126, fraction);
					sum = halves ? (double)half_of(half_bits((long double)sum, 0))
						     : (double)cut_float(sum);
				}
				f = (float)sum;
			}
			to = &d[(halves ? j / 2 : j) * 32 + lane];
			if (halves) {
				*to = (j % 2 ? *to : 0) | half_bits((long double)f, 0) << j % 2 * 16;
			} else {
				memcpy(to, &f, 4);
				*to = f != f ? 0x7fffffff : *to;
			}
		}
}

static inline int32_t byte_of(uint32_t v, int k, bool is_signed)
{
	v = v >> 8 * k & 255;
	return is_signed ? (int8_t)v : (int32_t)v;
}

static inline void integer(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c, int rows, int k,
			   bool a_signed, bool b_signed)
{
	for (int lane = 0; lane < 32; lane++)
		for (int j = 0; j < rows / 4; j++) {
			int row = lane / 4 + j / 2 * 8, column = lane % 4 * 2 + j % 2;
			uint32_t sum = c[j * 32 + lane];

			for (int q = 0; q < k; q++)
				sum += (uint32_t)byte_of(
					       a[(q / 16 * (rows / 8) + row / 8) * 32 + row % 8 * 4 + q % 16 / 4],
					       q % 4, a_signed)
				       * (uint32_t)byte_of(b[q / 16 * 32 + column * 4 + q % 16 / 4], q % 4, b_signed);
			d[j * 32 + lane] = sum;
		}
}

/* What the kernel `matrices` computes. */
static inline void matrices(const uint32_t *in, uint32_t *out, uint32_t sm)
{
	const uint32_t *a = in, *b = in + 4 * 32, *c = in + 8 * 32;
	uint32_t c16[64], swapped[64];

	memcpy(c16, a + 32, 128);
	memcpy(c16 + 32, b + 32, 128);
	memcpy(swapped, c + 32, 256);
	floating(out, a, b, c, 8, F16, false, sm);
	integer(out + 4 * 32, a, b, c, 8, 16, true, false);
	if (sm < 80)
		return;
	floating(out + 6 * 32, a, b, c, 16, F16, false, sm);
	floating(out + 10 * 32, a, b, c16, 16, F16, true, sm);
	integer(out + 12 * 32, a, b, c, 16, 32, false, true);
	floating(out + 16 * 32, a, b, c, 16, BF16, false, sm);
	floating(out + 20 * 32, c, swapped, c, 8, TF32, false, sm);
}

#endif

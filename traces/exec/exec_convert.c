/* exec_convert.c - operations: conversions of numbers
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

#include <fenv.h>
#include <math.h>

static const int directions[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

/* Volatile, so that no operation moves over the change of the rounding, which takes longer than all else: nearly all
 * conversions round to the nearest, as the process does. */
static float __attribute__((noinline)) float_of(double v, unsigned how)
{
	volatile double x = v;
	volatile float f;

	if (how == 0)
		return (float)v;
	fesetround(directions[how]);
	f = (float)x;
	fesetround(FE_TONEAREST);
	return f;
}

static float __attribute__((noinline)) float_of_integer(uint64_t v, bool is_signed, unsigned how)
{
	volatile uint64_t x = v;
	volatile float f;

	if (how == 0)
		return is_signed ? (float)(int64_t)v : (float)v;
	fesetround(directions[how]);
	f = is_signed ? (float)(int64_t)x : (float)x;
	fesetround(FE_TONEAREST);
	return f;
}

static double __attribute__((noinline)) double_of_integer(uint64_t v, bool is_signed, unsigned how)
{
	volatile uint64_t x = v;
	volatile double f;

	if (how == 0)
		return is_signed ? (double)(int64_t)v : (double)v;
	fesetround(directions[how]);
	f = is_signed ? (double)(int64_t)x : (double)x;
	fesetround(FE_TONEAREST);
	return f;
}

static double whole(double v, unsigned how)
{
	return how == 0 ? nearbyint(v) : how == 1 ? floor(v) : how == 2 ? ceil(v) : trunc(v);
}

/* The source of a conversion from floating point: .y: 1 half, 3 double, else float. */
static double source(const struct exec_op *o, const uint32_t *b, unsigned i)
{
	uint32_t v = b[i];

	if (o->y == 3)
		return to_double(modified64(pair(b, i), o->bm));
	if (o->y == 1) {
		uint16_t half = (uint16_t)(o->bm & 12 ? v >> 16 : v);

		return (double)to_float(modified(from_float((float)EXEC_NAME(half)(half)), o->bm));
	}
	v = modified(v, o->bm);
	return (double)to_float(o->flags & EXEC_FTZ ? flushed(v) : v);
}

static uint32_t put_float(const struct exec_op *o, float f)
{
	uint32_t v = f != f ? NAN32 : from_float(f);

	return o->flags & EXEC_FTZ ? flushed(v) : v;
}

OPERATION(f2f)
{
	const uint32_t *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		double x = source(o, b, i);

		switch (o->x) {
		case 1: d[i] = EXEC_NAME(to_16)(x, o->more, false); break;
		case 2: d[i] = put_float(o, float_of(x, o->more)); break;
		case 3:
			put_pair(d, i, x != x ? UINT64_C(0x7ff8000000000000) | (from_double(x) & UINT64_C(1) << 63)
			                      : from_double(x));
			break;
		case 4: case 5: d[i] = EXEC_NAME(to_16)(x, o->more, true); break;
		default: /* TF32: 10 bits of fraction, ties away from 0 */
			d[i] = x != x ? NAN32 : (from_float((float)x) + 0x1000) & ~UINT32_C(0x1fff);
			break;
		}
	}
}

/* Out of range: the nearest one.  NaN: 0, of a double the lowest bit pattern with the sign set. */
static uint64_t integer(const struct exec_op *o, double x)
{
	unsigned bits = 8u << (o->x >> 1);
	double v = whole(x, o->more), top = ldexp(1, (int)bits - (o->x & 1));

	if (x != x)
		return o->y == 3 ? UINT64_C(1) << (bits - 1) : 0;
	if (o->x & 1) {
		if (v < -top)
			return UINT64_MAX << (bits - 1);
		return v >= top ? (UINT64_C(1) << (bits - 1)) - 1 : (uint64_t)(int64_t)v;
	}
	if (v <= 0)
		return 0;
	return v >= top      ? UINT64_MAX >> (64 - bits)
	       : v >= 0x1p63 ? (uint64_t)(v - 0x1p63) + (UINT64_C(1) << 63)
			     : (uint64_t)v;
}

OPERATION(f2i)
{
	const uint32_t *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		uint64_t v = integer(o, source(o, b, i));

		d[i] = (uint32_t)v;
		if (o->x >> 1 == 3)
			d[i + EXEC_LANES] = (uint32_t)(v >> 32);
	}
}

/* The integer that is converted; .am: which byte or half of the word. */
static uint64_t integer_source(const struct exec_op *o, const uint32_t *b, unsigned i)
{
	uint32_t v = b[i] >> 8 * o->am;

	switch (o->x) {
	case 0: return o->flags & EXEC_SIGNED ? (uint64_t)(int64_t)(int8_t)v : (uint8_t)v;
	case 1: return o->flags & EXEC_SIGNED ? (uint64_t)(int64_t)(int16_t)v : (uint16_t)v;
	case 2: return o->flags & EXEC_SIGNED ? (uint64_t)(int64_t)(int32_t)b[i] : b[i];
	default: return pair(b, i);
	}
}

OPERATION(i2f)
{
	const uint32_t *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;
	bool is_signed = o->flags & EXEC_SIGNED;

	FOR_LANES(lanes) {
		uint64_t v = integer_source(o, b, i);

		if (o->y == 3)
			put_pair(d, i, from_double(double_of_integer(v, is_signed, o->more)));
		else if (o->y == 1)
			d[i] = EXEC_NAME(to_half)(is_signed ? (double)(int64_t)v : (double)v);
		else
			d[i] = from_float(float_of_integer(v, is_signed, o->more));
	}
}

OPERATION(frnd)
{
	const uint32_t *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		double v = whole(source(o, b, i), o->more);

		if (o->y == 3)
			put_pair(d, i, from_double(v));
		else
			d[i] = o->y == 1 ? EXEC_NAME(to_half)(v) : put_float(o, (float)v);
	}
}

static uint32_t byte_of(uint32_t v, uint8_t modifiers)
{
	double x = nearbyint((double)to_float(modified(v, modifiers)));

	return x > 0 ? x < 255 ? (uint32_t)x : 255 : 0;
}

/* Two floats as bytes below the lower half of c. */
OPERATION(f2ip)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes)
		d[i] = c[i] << 16 | byte_of(a[i], o->am) << 8 | byte_of(b[i], o->bm);
}

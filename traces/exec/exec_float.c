/* exec_float.c - operations: numbers of 32 and 64 bits
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Results are those of IEEE 754, so the host's are taken.  A NaN is always the same word.  The
 * functions of MUFU are those of libm, rounded once: hardware differs from them in the last bit.
 */
#include "exec_ops.h"

#include <fenv.h>
#include <math.h>

#define NAN64 UINT64_C(0xfff8000000000000)

static const int directions[4] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

enum kind { ADD, MULTIPLY, FUSED };

/* Volatile, so that no operation moves over the change of the rounding. */
static void __attribute__((noinline)) directed(enum kind kind, unsigned how, uint32_t *to, const uint32_t *a,
                                               const uint32_t *b, const uint32_t *c)
{
	fesetround(directions[how]);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		volatile float x = to_float(a[i]), y = to_float(b[i]), z = to_float(c[i]), v;

		v = kind == ADD ? x + y : kind == MULTIPLY ? x * y : fmaf(x, y, z);
		to[i] = from_float(v);
	}
	fesetround(FE_TONEAREST);
}

static void __attribute__((noinline)) directed64(enum kind kind, unsigned how, uint64_t *to, const uint64_t *a,
                                                 const uint64_t *b, const uint64_t *c)
{
	fesetround(directions[how]);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		volatile double x = to_double(a[i]), y = to_double(b[i]), z = to_double(c[i]), v;

		v = kind == ADD ? x + y : kind == MULTIPLY ? x * y : fma(x, y, z);
		to[i] = from_double(v);
	}
	fesetround(FE_TONEAREST);
}

static inline uint32_t canonical(float v)
{
	return v != v ? NAN32 : from_float(v);
}

static void take_source(uint32_t *to, const uint32_t *from, uint8_t modifiers, bool flushes)
{
	if (flushes)
		EACH_LANE
			to[i] = flushed(modified(from[i], modifiers));
	else
		EACH_LANE
			to[i] = modified(from[i], modifiers);
}

static void nearest(enum kind kind, uint32_t *to, const uint32_t *a, const uint32_t *b, const uint32_t *c)
{
	switch (kind) {
	case ADD:
		EACH_LANE
			to[i] = from_float(to_float(a[i]) + to_float(b[i]));
		break;
	case MULTIPLY:
		EACH_LANE
			to[i] = from_float(to_float(a[i]) * to_float(b[i]));
		break;
	default:
		EACH_LANE
			to[i] = from_float(__builtin_fmaf(to_float(a[i]), to_float(b[i]), to_float(c[i])));
		break;
	}
}

/* FMUL.D2 and the like multiply the product by a power of two. */
static void scale(uint32_t *v, unsigned by)
{
	static const float factors[8] = { 1, 0.125f, 0.25f, 0.5f, 1, 2, 4, 8 };
	float factor = factors[by];

	EACH_LANE
		v[i] = from_float(to_float(v[i]) * factor);
}

/* With all that an operation may have. */
static void arithmetic(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, enum kind kind)
{
	uint32_t a[EXEC_LANES], b[EXEC_LANES], c[EXEC_LANES], v[EXEC_LANES], *d = result(w, o, lanes);
	bool flushes = o->flags & EXEC_FTZ;

	take_source(a, row(w, o->a), o->am, flushes);
	take_source(b, row(w, o->b), o->bm, flushes);
	take_source(c, row(w, o->c), o->cm, flushes);
	if (o->x)
		directed(kind, o->x, v, a, b, c);
	else
		nearest(kind, v, a, b, c);
	if (kind == MULTIPLY && o->y)
		scale(v, o->y);
	if (flushes)
		EACH_LANE
			v[i] = flushed(v[i]);
	if (o->flags & EXEC_SAT)
		EACH_LANE {
			float f = to_float(v[i]);

			v[i] = f > 0 ? from_float(f < 1 ? f : 1) : 0; /* NaN becomes 0 */
		}
	EACH_LANE
		d[i] = canonical(to_float(v[i]));
	finish(w, o, lanes, 1);
}

static bool is_simple(const struct exec_op *o)
{
	return !(o->x | (o->flags & (EXEC_FTZ | EXEC_SAT)));
}

OPERATION(fadd)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint8_t am = o->am, bm = o->bm;
	uint32_t *d;

	if (!is_simple(o)) {
		arithmetic(w, o, lanes, ADD);
		return;
	}
	d = result(w, o, lanes);
	EACH_LANE
		d[i] = canonical(to_float(modified(a[i], am)) + to_float(modified(b[i], bm)));
	finish(w, o, lanes, 1);
}

OPERATION(fmul)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint8_t am = o->am, bm = o->bm;
	uint32_t *d;

	if (!is_simple(o) || (o->y && o->y != 4)) {
		arithmetic(w, o, lanes, MULTIPLY);
		return;
	}
	d = result(w, o, lanes);
	EACH_LANE
		d[i] = canonical(to_float(modified(a[i], am)) * to_float(modified(b[i], bm)));
	finish(w, o, lanes, 1);
}

OPERATION(ffma)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	uint8_t am = o->am, bm = o->bm, cm = o->cm;
	uint32_t *d;

	if (!is_simple(o)) {
		arithmetic(w, o, lanes, FUSED);
		return;
	}
	d = result(w, o, lanes);
	EACH_LANE
		d[i] = canonical(__builtin_fmaf(to_float(modified(a[i], am)), to_float(modified(b[i], bm)),
		                                to_float(modified(c[i], cm))));
	finish(w, o, lanes, 1);
}

OPERATION(ffma_plain)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	uint32_t *d = result(w, o, lanes);

	EACH_LANE
		d[i] = canonical(__builtin_fmaf(to_float(a[i]), to_float(b[i]), to_float(c[i])));
	finish(w, o, lanes, 1);
}

OPERATION(fsel)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t on[EXEC_LANES], *d = result(w, o, lanes);

	spread(predicate(w, o->ps), on);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = on[i] ? modified(a[i], o->am) : modified(b[i], o->bm);

		d[i] = o->flags & EXEC_FTZ ? flushed(v) : v;
	}
	finish(w, o, lanes, 1);
}

/* Minus 0 is less than 0.  Of a number and what is none the number is taken, unless .NAN. */
static uint32_t smaller(const struct exec_op *o, uint32_t u, uint32_t v, bool minimum)
{
	float x = to_float(u), y = to_float(v);
	bool takes_u;

	if ((x != x && y != y) || (o->x && (x != x || y != y)))
		return NAN32;
	if (x != x || y != y)
		return x != x ? v : u;
	if (x == y)
		takes_u = minimum == u >> 31;
	else
		takes_u = minimum == (x < y);
	return takes_u ? u : v;
}

OPERATION(fmnmx)
{
	uint32_t a[EXEC_LANES], b[EXEC_LANES], p = predicate(w, o->ps), *d = result(w, o, lanes);

	take_source(a, row(w, o->a), o->am, o->flags & EXEC_FTZ);
	take_source(b, row(w, o->b), o->bm, o->flags & EXEC_FTZ);
	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = smaller(o, a[i], b[i], p >> i & 1);
	finish(w, o, lanes, 1);
}

/* Two bits for each lane of a quad: a + c, a - c, c - a, c. */
OPERATION(fswzadd)
{
	const uint32_t *a = row(w, o->a), *c = row(w, o->c);
	uint32_t *d = result(w, o, lanes);

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		float x = to_float(a[i]), y = to_float(c[i]);
		unsigned how = (unsigned)o->imm >> 2 * (i & 3) & 3;

		d[i] = canonical(how == 0 ? x + y : how == 1 ? x - y : how == 2 ? y - x : y);
	}
	finish(w, o, lanes, 1);
}

/* Is a / b one that the short sequence of instructions divides wrongly, as it would 0, which loses its sign?  The
 * range is not published; the code behind it is right for all numbers, so this decides what is executed and not
 * what comes of it. */
OPERATION(fchk)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t is = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		int ea = (int)(a[i] >> 23 & 255), eb = (int)(b[i] >> 23 & 255);
		bool slow = eb == 0 || eb > 252 || ea == 255 || ea < 24 || ea - eb > 126 || ea - eb < -124;

		is |= (uint32_t)slow << i;
	}
	set_predicate(w, o->pd, is, lanes);
}

/* ---- functions ---- */

enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };

static uint32_t function(unsigned which, uint32_t v)
{
	static const double turn = 6.283185307179586476925;
	double x = (double)to_float(flushed(v)), y = 0;

	switch (which) {
	case COS: y = cos(x * turn); break; /* RRO or FMUL has divided by the turn */
	case SIN: y = sin(x * turn); break;
	case EX2:
		y = exp2(x);
		if (y < 0x1p-126)
			y = 0;
		break;
	case LG2: y = log2(x); break;
	case RCP: y = 1 / x; break;
	case RSQ: y = 1 / sqrt(x); break;
	case SQRT: y = sqrt(x); break;
	default: y = tanh(x); break;
	}
	return canonical((float)y);
}

/* Of the upper word of a double, to the upper word. */
static uint32_t function64(unsigned which, uint32_t upper)
{
	double x = to_double((uint64_t)(upper & 0x7ff00000 ? upper : upper & 0x80000000) << 32);
	double y = which == RCP64H ? 1 / x : 1 / sqrt(x);

	return y != y ? NAN32 : (uint32_t)(from_double(y) >> 32);
}

OPERATION(mufu)
{
	const uint32_t *b = row(w, o->b);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		uint32_t v = b[i];

		if (o->y) {
			uint16_t half = (uint16_t)(o->bm & 12 ? v >> 16 : v);

			v = function(o->x, modified(from_float((float)EXEC_NAME(half)(half)), o->bm));
			d[i] = EXEC_NAME(to_half)((double)to_float(v));
		} else if (o->x == RCP64H || o->x == RSQ64H) {
			d[i] = function64(o->x, modified(v, o->bm));
		} else {
			d[i] = function(o->x, modified(v, o->bm));
		}
	}
}

/* ---- 64 bits ---- */

static void arithmetic64(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, enum kind kind)
{
	const uint32_t *ra = row(w, o->a), *rb = row(w, o->b), *rc = row(w, o->c);
	uint64_t a[EXEC_LANES], b[EXEC_LANES], c[EXEC_LANES], v[EXEC_LANES];
	uint32_t *d = result(w, o, lanes);

	EACH_LANE {
		a[i] = modified64(pair(ra, i), o->am);
		b[i] = modified64(pair(rb, i), o->bm);
		c[i] = modified64(pair(rc, i), o->cm);
	}
	if (o->x)
		directed64(kind, o->x, v, a, b, c);
	else if (kind == ADD)
		EACH_LANE
			v[i] = from_double(to_double(a[i]) + to_double(b[i]));
	else if (kind == MULTIPLY)
		EACH_LANE
			v[i] = from_double(to_double(a[i]) * to_double(b[i]));
	else
		EACH_LANE
			v[i] = from_double(__builtin_fma(to_double(a[i]), to_double(b[i]), to_double(c[i])));
	EACH_LANE {
		double f = to_double(v[i]);
		uint64_t x = f != f ? NAN64 : v[i];

		put_pair(d, i, x);
	}
	finish(w, o, lanes, 2);
}

OPERATION(dadd)
{
	arithmetic64(w, o, lanes, ADD);
}

OPERATION(dmul)
{
	arithmetic64(w, o, lanes, MULTIPLY);
}

OPERATION(dfma)
{
	arithmetic64(w, o, lanes, FUSED);
}

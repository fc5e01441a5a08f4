/* exec_predicate.c - operations: comparisons, predicates, votes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

/* Both results of a comparison: it and its opposite, each combined with the predicate. */
static void both(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, uint32_t is)
{
	uint32_t p = predicate(w, o->ps);

	set_predicate(w, o->pd, combine(o->y, is, p), lanes);
	set_predicate(w, o->pd2, combine(o->y, ~is, p), lanes);
}

/* ---- integers ---- */

#define COMPARE(number, operator) case number: EACH_LANE is[i] = a[i] operator b[i]; break

static void compare_unsigned(unsigned how, const uint32_t *a, const uint32_t *b, uint32_t *is)
{
	switch (how) {
	COMPARE(1, <);
	COMPARE(2, ==);
	COMPARE(3, <=);
	COMPARE(4, >);
	COMPARE(5, !=);
	COMPARE(6, >=);
	default: fill_row(is, how == 7); break;
	}
}

static void compare_signed(unsigned how, const int32_t *a, const int32_t *b, uint32_t *is)
{
	switch (how) {
	COMPARE(1, <);
	COMPARE(2, ==);
	COMPARE(3, <=);
	COMPARE(4, >);
	COMPARE(5, !=);
	COMPARE(6, >=);
	default: fill_row(is, how == 7); break;
	}
}

OPERATION(isetp)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t is[EXEC_LANES];

	if (o->flags & EXEC_SIGNED)
		compare_signed(o->x, (const int32_t *)a, (const int32_t *)b, is);
	else
		compare_unsigned(o->x, a, b, is);
	both(w, o, lanes, gather_bits(is));
}

/* Goes on with a comparison of the lower words, whose result is a predicate. */
OPERATION(isetp_ex)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t lower = predicate(w, o->ps2), result = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		bool less = o->flags & EXEC_SIGNED ? (int32_t)a[i] < (int32_t)b[i] : a[i] < b[i];
		bool equal = a[i] == b[i], low = lower >> i & 1, is;

		switch (o->x) {
		case 1: case 3: is = less || (equal && low); break;
		case 4: case 6: is = (!less && !equal) || (equal && low); break;
		case 2: is = equal && low; break;
		case 5: is = !equal || low; break;
		default: is = o->x == 7; break;
		}
		result |= (uint32_t)is << i;
	}
	both(w, o, lanes, result);
}

/* Pairs. */
OPERATION(isetp64)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	uint32_t result = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t flip = o->flags & EXEC_SIGNED ? UINT64_C(1) << 63 : 0, x = pair(a, i) ^ flip,
			 y = pair(b, i) ^ flip;

		result |= (uint32_t)((o->x & (x < y ? 1 : x == y ? 2 : 4)) != 0) << i;
	}
	both(w, o, lanes, result);
}

/* ---- floating point ---- */

static uint32_t compare_floats(struct exec_warp *w, const struct exec_op *o)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	float x[EXEC_LANES], y[EXEC_LANES];
	uint32_t is[EXEC_LANES];

	EACH_LANE {
		uint32_t u = modified(a[i], o->am), v = modified(b[i], o->bm);

		if (o->flags & EXEC_FTZ) {
			u = flushed(u);
			v = flushed(v);
		}
		x[i] = to_float(u);
		y[i] = to_float(v);
	}
	EACH_LANE {
		unsigned relation = (x[i] < y[i]) | (x[i] == y[i]) << 1 | (x[i] > y[i]) << 2
		                    | ((x[i] != x[i]) | (y[i] != y[i])) << 3;

		is[i] = (relation & o->x) != 0;
	}
	return gather_bits(is);
}

OPERATION(fsetp)
{
	both(w, o, lanes, compare_floats(w, o));
}

/* 1.0 or 0. */
OPERATION(fset)
{
	uint32_t is = combine(o->y, compare_floats(w, o), predicate(w, o->ps));
	uint32_t *d = result(w, o, lanes);

	EACH_LANE
		d[i] = is >> i & 1 ? UINT32_C(0x3f800000) : 0;
	finish(w, o, lanes, 1);
}

/* Comparisons 0 and 15 are those of minimum and maximum: is a the result; are both no numbers? */
static void smaller_larger(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, const double *x,
			   const double *y)
{
	uint32_t p = predicate(w, o->ps), takes_a = 0, none = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		bool a = o->x ? x[i] > y[i] : x[i] < y[i];

		a |= y[i] != y[i] && x[i] == x[i];
		takes_a |= (uint32_t)a << i;
		none |= (uint32_t)(x[i] != x[i] && y[i] != y[i]) << i;
	}
	set_predicate(w, o->pd, combine(o->y, takes_a, p), lanes);
	set_predicate(w, o->pd2, combine(o->y, none, p), lanes);
}

OPERATION(dsetp)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b);
	double x[EXEC_LANES], y[EXEC_LANES];
	uint32_t is = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		x[i] = to_double(modified64(pair(a, i), o->am));
		y[i] = to_double(modified64(pair(b, i), o->bm));
	}
	if (o->x == 0 || o->x == 15) {
		smaller_larger(w, o, lanes, x, y);
		return;
	}
	for (unsigned i = 0; i < EXEC_LANES; i++)
		is |= (uint32_t)compare(o->x, x[i], y[i]) << i;
	both(w, o, lanes, is);
}

/* ---- sets of predicates ---- */

/* Predicates into a byte of a register. */
OPERATION(p2r)
{
	const uint32_t *a = row(w, o->a), *p = w->p + (o->uniform ? EXEC_UP : 0);
	uint32_t *d = result(w, o, lanes), mask = (uint32_t)o->imm << 8 * o->x;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint32_t v = 0;

		for (unsigned k = 0; k < EXEC_PT; k++)
			v |= (p[k] >> i & 1) << k;
		d[i] = (a[i] & ~mask) | (v << 8 * o->x & mask);
	}
	finish(w, o, lanes, 1);
}

OPERATION(r2p)
{
	const uint32_t *a = row(w, o->a);

	for (unsigned k = 0; k < EXEC_PT; k++) {
		uint32_t v = 0;

		if (!(o->imm >> k & 1))
			continue;
		for (unsigned i = 0; i < EXEC_LANES; i++)
			v |= (a[i] >> (8 * o->x + k) & 1) << i;
		set_predicate(w, (uint8_t)k, v, lanes);
	}
}

OPERATION(plop3)
{
	uint32_t x = predicate(w, o->ps), y = predicate(w, o->ps2), z = predicate(w, o->ps3), first = 0, second = 0;

	for (unsigned k = 0; k < 8; k++) {
		uint32_t is = (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);

		first |= o->x >> k & 1 ? is : 0;
		second |= o->y >> k & 1 ? is : 0;
	}
	set_predicate(w, o->pd, first, lanes);
	set_predicate(w, o->pd2, second, lanes);
}

/* ---- votes ---- */

/* All, any, all alike. */
static bool agreed(unsigned how, uint32_t yes, uint32_t lanes)
{
	return how == 0 ? yes == lanes : how == 1 ? yes != 0 : yes == 0 || yes == lanes;
}

OPERATION(vote)
{
	uint32_t yes = predicate(w, o->ps) & lanes, *d = result(w, o, lanes);

	fill_row(d, yes);
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, agreed(o->x, yes, lanes) ? EXEC_ALL : 0, lanes);
}

OPERATION(voteu)
{
	uint32_t yes = predicate(w, o->ps) & lanes;

	fill_row(w->base[0] + o->d, yes);
	set_predicate(w, o->pd, agreed(o->x, yes, lanes) ? EXEC_ALL : 0, EXEC_ALL);
}

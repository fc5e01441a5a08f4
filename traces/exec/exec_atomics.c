/* exec_atomics.c - operations: atomic functions, lane by lane
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

enum { ADD, MINIMUM, MAXIMUM, INCREMENT, DECREMENT, AND, OR, XOR, EXCHANGE, CAS = 16, POPC_INC, ARRIVE, CAS_SPIN };
enum { U32, S32, U64, F32, F16X2, S64, F64, BF16X2 };

static uint32_t add_halves(uint32_t x, uint32_t y, bool bf16)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 32; k += 16) {
		uint16_t a = (uint16_t)(x >> k), b = (uint16_t)(y >> k);

		v |= (uint32_t)(bf16 ? EXEC_NAME(to_bf16)(EXEC_NAME(bf16)(a) + EXEC_NAME(bf16)(b))
		                : EXEC_NAME(to_half)(EXEC_NAME(half)(a) + EXEC_NAME(half)(b))) << k;
	}
	return v;
}

static uint64_t add(unsigned type, uint64_t old, uint64_t v)
{
	switch (type) {
	case F32: /* subnormal numbers are 0 to it */
		return flushed(from_float(to_float(flushed((uint32_t)old)) + to_float(flushed((uint32_t)v))));
	case F64: return from_double(to_double(old) + to_double(v));
	case F16X2: return add_halves((uint32_t)old, (uint32_t)v, false);
	case BF16X2: return add_halves((uint32_t)old, (uint32_t)v, true);
	default: return old + v;
	}
}

static bool less(unsigned type, uint64_t a, uint64_t b)
{
	return type == S64 ? (int64_t)a < (int64_t)b : type == S32 ? (int32_t)a < (int32_t)b : a < b;
}

/* The lesser or greater of each of two halves; a NaN gives way. */
static uint32_t choose_halves(uint32_t x, uint32_t y, bool bf16, bool greater)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < 32; k += 16) {
		uint16_t a = (uint16_t)(x >> k), b = (uint16_t)(y >> k);
		double p = bf16 ? EXEC_NAME(bf16)(a) : EXEC_NAME(half)(a);
		double q = bf16 ? EXEC_NAME(bf16)(b) : EXEC_NAME(half)(b);
		bool second = p != p || (greater ? q > p : q < p);

		v |= (uint32_t)(second ? b : a) << k;
	}
	return v;
}

static uint64_t choose(unsigned type, uint64_t old, uint64_t v, bool greater)
{
	if (type == F16X2 || type == BF16X2)
		return choose_halves((uint32_t)old, (uint32_t)v, type == BF16X2, greater);
	return (greater ? less(type, old, v) : less(type, v, old)) ? v : old;
}

static uint64_t function(unsigned how, unsigned type, uint64_t old, uint64_t v, uint64_t compared)
{
	switch (how) {
	case ADD: return add(type, old, v);
	case MINIMUM: return choose(type, old, v, false);
	case MAXIMUM: return choose(type, old, v, true);
	case INCREMENT: return old >= v ? 0 : old + 1;
	case DECREMENT: return old == 0 || old > v ? v : old - 1;
	case AND: return old & v;
	case OR: return old | v;
	case XOR: return old ^ v;
	case EXCHANGE: return v;
	case POPC_INC: return old + 1;
	default: return old == compared ? v : old; /* CAS */
	}
}

static uint64_t changed(const struct exec_op *o, uint64_t old, uint64_t v, uint64_t compared)
{
	return function(o->x, o->y, old, v, compared);
}

bool EXEC_NAME(reduces)(unsigned how, unsigned type)
{
	bool floats = type == F32 || type == F64, halves = type == F16X2 || type == BF16X2;

	return type <= BF16X2 && how <= XOR && (floats ? how == ADD : !halves || how <= MAXIMUM);
}

void EXEC_NAME(reduce)(unsigned how, unsigned type, unsigned char *to, const unsigned char *from, uint32_t bytes)
{
	uint32_t size = type == U64 || type == S64 || type == F64 ? 8 : type == F16X2 || type == BF16X2 ? 2 : 4;

	for (uint32_t i = 0; i < bytes; i += size) {
		uint64_t old = 0, v = 0;

		memcpy(&old, to + i, size);
		memcpy(&v, from + i, size);
		v = function(how, type, old, v, 0);
		memcpy(to + i, &v, size);
	}
}

static uint64_t value(const struct exec_op *o, const uint32_t *v, unsigned i)
{
	return o->size == 8 ? pair(v, i) : v[i];
}

static void put_value(const struct exec_op *o, uint32_t *d, unsigned i, uint64_t v)
{
	d[i] = (uint32_t)v;
	if (o->size == 8)
		d[i + EXEC_LANES] = (uint32_t)(v >> 32);
}

/* Where it has a predicate it is done in global memory only, which that tells: other lanes go on with a loop. */
OPERATION(atom)
{
	const uint32_t *c = row(w, o->c), *compared = row(w, o->x == CAS ? o->more : EXEC_CONSTANT);
	uint32_t *d = w->base[0] + o->d, pc = exec_pc(w, o), old_row[4 * EXEC_LANES], done = 0;
	unsigned words = o->size / 4;

	generic_addresses(w, o);
	FOR_LANES(lanes) {
		uint32_t v[4];
		unsigned char *p;

		if ((o->pd & 7) != EXEC_PT && !is_global(w, w->address[i]))
			continue;
		p = is_aligned(w, o, w->address[i], o->size, i) ? hd__exec_generic(w, pc, w->address[i], o->size, i)
		                                                : NULL;
		if (!p)
			return;
		done |= UINT32_C(1) << i;
		memcpy(v, p, o->size);
		for (unsigned k = 0; k < words; k++) {
			old_row[k * EXEC_LANES + i] = v[k];
			v[k] = c[k * EXEC_LANES + i];
		}
		if (o->flags & EXEC_HIGH) { /* several elements */
			EXEC_NAME(reduce)(o->x, o->y, p, (const unsigned char *)v, o->size);
		} else {
			uint64_t result = changed(o, value(o, old_row, i), value(o, c, i), value(o, compared, i));

			memcpy(p, &result, o->size);
		}
	}
	set_predicate(w, o->pd, done, lanes);
	if (o->d == EXEC_NOWHERE * EXEC_LANES)
		return;
	FOR_LANES(done)
		for (unsigned k = 0; k < words; k++) /* the destination may be a source */
			d[k * EXEC_LANES + i] = old_row[k * EXEC_LANES + i];
}

/* Of a barrier in memory: the lower word is 2^30 less the number expected, the upper one counts up to the bit of its
 * phase, and begins again. */
static uint64_t arrived(uint64_t old)
{
	uint32_t low = (uint32_t)old, high = (uint32_t)(old >> 32) + 1;

	if (!(high & 0x7fffffff))
		high |= (UINT32_C(0x80000000) - (UINT32_C(0x40000000) - low)) & 0x7fffffff;
	return (uint64_t)high << 32 | low;
}

OPERATION(atom_shared)
{
	const uint32_t *c = row(w, o->c), *compared = row(w, o->x == CAS || o->x == CAS_SPIN ? o->more : EXEC_CONSTANT);
	uint32_t *d = w->base[0] + o->d, result_row[2 * EXEC_LANES];

	window_addresses(w, o, o->am);
	FOR_LANES(lanes) {
		unsigned char *p = shared_at(w, o, w->address[i], o->size, i);
		uint64_t old = 0, new, with;

		if (!p)
			return;
		memcpy(&old, p, o->size);
		with = value(o, compared, i);
		new = o->x == ARRIVE ? arrived(old) : changed(o, old, value(o, c, i), with);
		memcpy(p, &new, o->size);
		/* .CAST.SPIN tells whether it has stored */
		put_value(o, result_row, i, o->x == CAS_SPIN ? old == with : old);
	}
	FOR_LANES(lanes)
		put_value(o, d, i, value(o, result_row, i));
}

/* ATOMS.CAS whose result is a predicate. */
OPERATION(cas_predicate)
{
	const uint32_t *c = row(w, o->c), *compared = row(w, o->more);
	uint32_t is = 0;

	window_addresses(w, o, o->am);
	FOR_LANES(lanes) {
		unsigned char *p = shared_at(w, o, w->address[i], o->size, i);
		uint64_t old = 0, v = value(o, c, i);

		if (!p)
			return;
		memcpy(&old, p, o->size);
		if (old != value(o, compared, i))
			continue;
		is |= UINT32_C(1) << i;
		memcpy(p, &v, o->size);
	}
	set_predicate(w, o->pd, is, lanes);
}

/* Reductions of elements of a surface. */
OPERATION(sured)
{
	const uint32_t *b = row(w, o->b), *handle = row(w, o->c);

	FOR_LANES(lanes) {
		unsigned char *p = hd__exec_surface(w, o, row(w, o->a) + i, handle[i], i);
		uint64_t old = 0, new;

		if (w->run->failed)
			return;
		if (!p)
			continue;
		memcpy(&old, p, o->size);
		new = changed(o, old, value(o, b, i), 0);
		memcpy(p, &new, o->size);
	}
}

/* exec_lanes.c - operations: special registers, exchange between lanes, convergence barriers as values
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_ops.h"

#define SMS 108u /* on which blocks are, as they see it, one after the other */

/* ---- special registers ---- */

enum {
	LANEID = 0,
	VIRTCFG = 2,
	VIRTID = 3,
	SHARED_WINDOW = 47,
	TID = 32,
	TID_X,
	TID_Y,
	TID_Z,
	CTAID_X = 37,
	CTAID_Y,
	CTAID_Z,
	EQMASK = 56,
	LTMASK,
	LEMASK,
	GTMASK,
	GEMASK,
	VIRTUALSMID = 67,
	CLOCKLO = 80,
	CLOCKHI,
	GLOBALTIMERLO,
	GLOBALTIMERHI,
	CLUSTER_RANK = 136
};

/* Clocks count what the warp has executed: time is not known here. */
static uint32_t special(struct exec_warp *w, unsigned number, unsigned lane)
{
	const uint32_t *block = w->run->launch->block;
	uint32_t t = w->number * EXEC_LANES + lane, x = t % block[0], y = t / block[0] % block[1];
	uint32_t z = t / block[0] / block[1], bit = UINT32_C(1) << lane;
	uint64_t clock = w->instructions * 4;

	switch (number) {
	case LANEID: return lane;
	case VIRTCFG: return UINT32_C(0x40000000);
	case VIRTID: return w->number << 8;
	case TID: return x | y << 16 | z << 26;
	case TID_X: return x;
	case TID_Y: return y;
	case TID_Z: return z;
	case CTAID_X: return w->block->at[0];
	case CTAID_Y: return w->block->at[1];
	case CTAID_Z: return w->block->at[2];
	case SHARED_WINDOW: return (uint32_t)(HD_EXEC_SHARED >> 32);
	case EQMASK: return bit;
	case LTMASK: return bit - 1;
	case LEMASK: return bit | (bit - 1);
	case GTMASK: return ~(bit | (bit - 1));
	case GEMASK: return ~(bit - 1);
	case VIRTUALSMID: return (uint32_t)(w->block->number % SMS);
	case CLOCKLO: case GLOBALTIMERLO: return (uint32_t)clock;
	case CLOCKHI: case GLOBALTIMERHI: return (uint32_t)(clock >> 32);
	case CLUSTER_RANK: return w->block->rank;
	default: return 0; /* performance counters */
	}
}

OPERATION(s2r)
{
	uint32_t *d = result(w, o, lanes);

	if (o->x >= CTAID_X && o->x <= CTAID_Z)
		fill_row(d, w->block->at[o->x - CTAID_X]);
	else if (o->x == TID_X && w->run->launch->block[1] == 1 && w->run->launch->block[2] == 1)
		for (unsigned i = 0; i < EXEC_LANES; i++)
			d[i] = w->number * EXEC_LANES + i;
	else
		for (unsigned i = 0; i < EXEC_LANES; i++)
			d[i] = special(w, o->x, i);
	finish(w, o, lanes, 1);
}

OPERATION(cs2r)
{
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		d[i] = special(w, o->x, i);
		if (o->flags & EXEC_PAIR)
			d[i + EXEC_LANES] = o->x == CLOCKLO || o->x == GLOBALTIMERLO ? special(w, o->x + 1u, i) : 0;
	}
}

OPERATION(s2ur)
{
	fill_row(w->base[0] + o->d, special(w, o->x, (unsigned)__builtin_ctz(lanes)));
}

/* What its predicate means is not published; false makes the code behind it look for itself. */
OPERATION(r2ur)
{
	const uint32_t *a = row(w, o->a);
	uint32_t v = a[__builtin_ctz(lanes)], others = 0;

	for (unsigned i = 0; i < EXEC_LANES; i++)
		others |= (uint32_t)(a[i] != v) << i;
	fill_row(w->base[0] + o->d, v);
	if (o->y)
		others |= predicate(w, o->pd);
	set_predicate(w, o->pd, o->x ? others : 0, lanes);
}

/* ---- exchange ---- */

/* c: the last lane that counts, and above it which bits of lanes are the segment. */
OPERATION(shfl)
{
	const uint32_t *a = row(w, o->a), *b = row(w, o->b), *c = row(w, o->c);
	uint32_t v[EXEC_LANES], inside = 0, *d = result(w, o, lanes);

	for (uint32_t i = 0; i < EXEC_LANES; i++) {
		uint32_t segment = c[i] >> 8 & 31, last = (i & segment) | (c[i] & ~segment & 31), by = b[i] & 31;
		int32_t from, limit = (int32_t)last;
		bool is;

		switch (o->x) {
		case 1: from = (int32_t)i - (int32_t)by; break;  /* UP */
		case 2: from = (int32_t)(i + by); break;         /* DOWN */
		case 3: from = (int32_t)(i ^ by); break;         /* BFLY */
		default: from = (int32_t)((i & segment) | (by & ~segment)); break;
		}
		is = o->x == 1 ? from >= limit : from <= limit;
		v[i] = a[is ? from & 31 : (int32_t)i];
		inside |= (uint32_t)is << i;
	}
	memcpy(d, v, sizeof v);
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, inside, lanes);
}

/* ALL: the lanes, if all have the same value; ANY: those that have the value of the lane. */
OPERATION(match)
{
	const uint32_t *a = row(w, o->a);
	uint32_t v[EXEC_LANES] = { 0 }, same = 0, *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		for (uint32_t j = 0; j < EXEC_LANES; j++)
			if (lanes >> j & 1 && a[i] == a[j]
			    && (!(o->flags & EXEC_PAIR) || a[i + EXEC_LANES] == a[j + EXEC_LANES]))
				v[i] |= UINT32_C(1) << j;
		same |= (uint32_t)(v[i] == lanes) << i;
	}
	FOR_LANES(lanes)
		d[i] = o->x || v[i] == lanes ? v[i] : 0;
	set_predicate(w, o->pd, same, lanes);
}

OPERATION(redux)
{
	const uint32_t *a = row(w, o->a);
	uint32_t v = a[__builtin_ctz(lanes)];
	bool is_signed = o->flags & EXEC_SIGNED;

	FOR_LANES(lanes & (lanes - 1)) {
		bool less = is_signed ? (int32_t)a[i] < (int32_t)v : a[i] < v;

		switch (o->x) {
		case 0: v &= a[i]; break;
		case 1: v |= a[i]; break;
		case 2: v ^= a[i]; break;
		case 3: v += a[i]; break;
		case 4: v = less ? a[i] : v; break;
		default: v = less ? v : a[i]; break;
		}
	}
	fill_row(w->base[0] + o->d, v);
}

/* Each lane has a row of an 8 by 8 matrix of halves in part: transposed. */
OPERATION(movm)
{
	const uint32_t *a = row(w, o->a);
	uint16_t m[8][8];
	uint32_t *d = result(w, o, lanes);

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		m[i / 4][i % 4 * 2] = (uint16_t)a[i];
		m[i / 4][i % 4 * 2 + 1] = (uint16_t)(a[i] >> 16);
	}
	for (unsigned i = 0; i < EXEC_LANES; i++)
		d[i] = m[i % 4 * 2][i / 4] | (uint32_t)m[i % 4 * 2 + 1][i / 4] << 16;
	finish(w, o, lanes, 1);
}

/* ---- barriers ---- */

OPERATION(b2r)
{
	uint32_t *d = result(w, o, lanes);

	fill_row(d, w->reduced);
	finish(w, o, lanes, 1);
	set_predicate(w, o->pd, w->reduced ? EXEC_ALL : 0, lanes);
}

OPERATION(bmov_get)
{
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		d[i] = w->b[o->x][i];
		if (o->y)
			w->b[o->x][i] = 0;
	}
}

OPERATION(bmov_set)
{
	const uint32_t *b = row(w, o->b);

	FOR_LANES(lanes)
		w->b[o->x][i] = b[i];
}

/* ---- places in the code ---- */

OPERATION(lepc)
{
	uint64_t v = EXEC_CODE + (uint64_t)exec_pc(w, o) * SASS_BYTES;
	uint32_t *d = result(w, o, lanes);

	if (o->y)
		v += SASS_BYTES + (uint64_t)(int64_t)o->imm;
	fill_row(d, (uint32_t)v);
	fill_row(d + EXEC_LANES, (uint32_t)(v >> 32));
	finish(w, o, lanes, 2);
}

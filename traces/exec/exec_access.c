/* exec_access.c - operations: constants, loads and stores, copies to shared memory
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes access memory in their order.  Full warps that access words side by side, which most do, are copied at once.
 */
#include "exec_ops.h"

/* ---- constants ---- */

static uint32_t narrow(const unsigned char *p, unsigned kind)
{
	uint16_t v16;
	uint32_t v32;

	switch (kind) { /* U8 S8 U16 S16, else words */
	case 0: return *p;
	case 1: return (uint32_t)(int32_t)(int8_t)*p;
	case 2: memcpy(&v16, p, sizeof v16); return v16;
	case 3: memcpy(&v16, p, sizeof v16); return (uint32_t)(int32_t)(int16_t)v16;
	default: memcpy(&v32, p, sizeof v32); return v32;
	}
}

/* NULL after a fault. */
static const unsigned char *constant_at(struct exec_warp *w, const struct exec_op *o, uint32_t offset, uint32_t lanes)
{
	const struct hd_exec_run *r = w->run;

	if (r->bank[o->x] && offset <= r->bank_bytes[o->x] && o->size <= r->bank_bytes[o->x] - offset)
		return r->bank[o->x] + offset;
	hd__exec_fail(w, exec_pc(w, o), lanes, HD_EXEC_ADDRESS, offset,
	              "%u bytes at 0x%x of constant bank %u, which has %u", o->size, offset, o->x,
	              r->bank[o->x] ? r->bank_bytes[o->x] : 0);
	return NULL;
}

OPERATION(ldc)
{
	const uint32_t *a = row(w, o->a);
	uint32_t *d = w->base[0] + o->d;

	FOR_LANES(lanes) {
		const unsigned char *p = constant_at(w, o, a[i] + (uint32_t)o->imm, UINT32_C(1) << i);

		if (!p)
			return;
		d[i] = narrow(p, o->y);
		for (unsigned k = 1; k < o->size / 4u; k++)
			d[i + k * EXEC_LANES] = narrow(p + 4 * k, 4);
	}
}

OPERATION(uldc)
{
	const unsigned char *p = constant_at(w, o, row(w, o->a)[0] + (uint32_t)o->imm, lanes);
	uint32_t *d = w->base[0] + o->d;

	if (!p)
		return;
	fill_row(d, narrow(p, o->y));
	for (unsigned k = 1; k < o->size / 4u; k++)
		fill_row(d + k * EXEC_LANES, narrow(p + 4 * k, 4));
}

/* ---- global and generic memory ---- */

/* Do all lanes access words side by side? */
static bool side_by_side(const uint64_t *at)
{
	uint64_t apart = at[0] & 3;

	EACH_LANE
		apart |= at[i] ^ (at[0] + 4 * i);
	return apart == 0;
}

/* Are the accesses of all these lanes in the arena, and aligned? */
static bool all_in_arena(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	uint64_t low = UINT64_MAX, high = 0, bits = 0;

	FOR_LANES(lanes) {
		uint64_t at = w->address[i];

		bits |= at;
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	return !(bits & (o->size - 1u) & 15) && in_arena(w, low, o->size) && in_arena(w, high, o->size);
}

/* A strong load that reads what it has read before may be waiting for another thread. */
static void poll(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	const uint32_t *d = w->base[0] + o->d;
	bool same = w->polled_pc == exec_pc(w, o);

	FOR_LANES(lanes) {
		same &= w->polled_value[i] == d[i];
		w->polled_value[i] = d[i];
	}
	w->polled_pc = exec_pc(w, o);
	w->polled = same;
}

/* The words of these lanes, from wherever they are, into the rows of `to`. */
static bool load_anywhere(struct exec_warp *w, const struct exec_op *o, uint32_t lanes, uint32_t *to)
{
	uint32_t pc = exec_pc(w, o);

	FOR_LANES(lanes) {
		if (!is_aligned(w, o, w->address[i], o->size, i))
			return false;
		for (unsigned k = 0; k == 0 || k < o->size / 4u; k++) {
			const unsigned char *p = hd__exec_generic(w, pc, w->address[i] + 4 * k,
			                                          o->size < 4 ? o->size : 4, i);

			if (!p)
				return false;
			to[i + k * EXEC_LANES] = narrow(p, o->y);
		}
	}
	return true;
}

OPERATION(load)
{
	unsigned words = o->size <= 4 ? 1 : o->size / 4u;
	uint32_t *d = w->base[0] + o->d, *to = w->scratch;

	generic_addresses(w, o);
	if (lanes == EXEC_ALL && o->size == 4 && side_by_side(w->address) && in_arena(w, w->address[0], 128)) {
		memcpy(d, (const void *)(uintptr_t)w->address[0], 128);
	} else {
		if (all_in_arena(w, o, lanes)) {
			if (words == 1)
				FOR_LANES(lanes)
					to[i] = narrow((const unsigned char *)(uintptr_t)w->address[i], o->y);
			else
				FOR_LANES(lanes) {
					uint32_t v[4];

					memcpy(v, (const void *)(uintptr_t)w->address[i], words * 4);
					for (unsigned k = 0; k < words; k++)
						to[i + k * EXEC_LANES] = v[k];
				}
		} else if (!load_anywhere(w, o, lanes, to)) {
			return;
		}
		if (lanes == EXEC_ALL)
			memcpy(d, to, words * EXEC_LANES * sizeof *d);
		finish(w, o, lanes, words);
	}
	if (o->flags & EXEC_STRONG)
		poll(w, o, lanes);
}

static void put_narrow(unsigned char *p, const uint32_t *v, unsigned i, unsigned bytes)
{
	if (bytes == 4)
		memcpy(p, &v[i], 4);
	else if (bytes == 2)
		memcpy(p, &(uint16_t){ (uint16_t)v[i] }, 2);
	else if (bytes == 1)
		*p = (unsigned char)v[i];
	else
		for (unsigned k = 0; k < bytes / 4; k++)
			memcpy(p + 4 * k, &v[i + k * EXEC_LANES], 4);
}

OPERATION(store)
{
	const uint32_t *c = row(w, o->c);
	uint32_t pc = exec_pc(w, o);

	generic_addresses(w, o);
	if (lanes == EXEC_ALL && o->size == 4 && side_by_side(w->address) && in_arena(w, w->address[0], 128)) {
		memcpy((void *)(uintptr_t)w->address[0], c, 128);
		return;
	}
	if (all_in_arena(w, o, lanes)) {
		FOR_LANES(lanes)
			put_narrow((unsigned char *)(uintptr_t)w->address[i], c, i, o->size);
		return;
	}
	FOR_LANES(lanes) {
		if (!is_aligned(w, o, w->address[i], o->size, i))
			return;
		for (unsigned k = 0; k == 0 || k < o->size / 4u; k++) {
			unsigned char *p = hd__exec_generic(w, pc, w->address[i] + 4 * k, o->size < 4 ? o->size : 4, i);

			if (!p)
				return;
			put_narrow(p, c + k * EXEC_LANES, i, o->size < 4 ? o->size : 4);
		}
	}
}

/* Which window an address is in: global, local, the block's own shared memory, or that of a block of the cluster. */
OPERATION(qspc)
{
	uint32_t is = 0;

	generic_addresses(w, o);
	for (unsigned i = 0; i < EXEC_LANES; i++) {
		uint64_t in = w->address[i] - HD_EXEC_SHARED;
		bool own = in / EXEC_WINDOW == w->block->rank, shared = in / EXEC_WINDOW < w->block->cluster->n;
		bool local = w->address[i] / EXEC_WINDOW == HD_EXEC_LOCAL / EXEC_WINDOW;

		is |= (uint32_t)(o->x == 3   ? shared
		                 : o->x == 2 ? own
		                 : o->x == 1 ? local
		                             : is_global(w, w->address[i])) << i;
	}
	set_predicate(w, o->pd, is, lanes);
}

/* ---- shared memory ---- */

/* Is it in the block's own shared memory? */
static bool is_own(const struct exec_warp *w, uint64_t address, uint32_t bytes)
{
	return address - w->block->window <= w->run->shared - bytes;
}

OPERATION(load_shared)
{
	unsigned words = o->size <= 4 ? 1 : o->size / 4u;
	uint32_t *d = w->base[0] + o->d, *to = result(w, o, lanes), v[4 * EXEC_LANES];

	window_addresses(w, o, o->x);
	if (lanes == EXEC_ALL && o->size == 4 && side_by_side(w->address) && is_own(w, w->address[0], 128)) {
		memcpy(d, w->block->shared + (w->address[0] - w->block->window), 128);
		return;
	}
	FOR_LANES(lanes) { /* the destination may be the base */
		const unsigned char *p = shared_at(w, o, w->address[i], o->size, i);

		if (!p)
			return;
		v[i] = narrow(p, o->y);
		for (unsigned k = 1; k < words; k++)
			memcpy(&v[i + k * EXEC_LANES], p + 4 * k, 4);
	}
	memcpy(to, v, words * EXEC_LANES * sizeof *to);
	finish(w, o, lanes, words);
}

OPERATION(store_shared)
{
	const uint32_t *c = row(w, o->c);

	window_addresses(w, o, o->x);
	if (lanes == EXEC_ALL && o->size == 4 && side_by_side(w->address) && is_own(w, w->address[0], 128)) {
		memcpy(w->block->shared + (w->address[0] - w->block->window), c, 128);
		return;
	}
	FOR_LANES(lanes) {
		unsigned char *p = shared_at(w, o, w->address[i], o->size, i);

		if (!p)
			return;
		put_narrow(p, c, i, o->size);
	}
}

/* Matrices of 8 rows of 16 bytes, whose addresses 8 lanes have; every lane gets two halves of a row, or of a column. */
OPERATION(ldsm)
{
	unsigned n = 1u << o->x;
	uint32_t v[4 * EXEC_LANES];

	window_addresses(w, o, 0);
	for (unsigned k = 0; k < n; k++) {
		uint16_t m[8][8];

		for (unsigned r = 0; r < 8; r++) {
			const unsigned char *p = shared_at(w, o, w->address[8 * k + r], 16, 8 * k + r);

			if (!p)
				return;
			memcpy(m[r], p, 16);
		}
		if (!o->y)
			memcpy(v + k * EXEC_LANES, m, sizeof m);
		else
			for (unsigned i = 0; i < EXEC_LANES; i++)
				v[i + k * EXEC_LANES] = m[i % 4 * 2][i / 4] | (uint32_t)m[i % 4 * 2 + 1][i / 4] << 16;
	}
	memcpy(result(w, o, lanes), v, n * EXEC_LANES * sizeof *v);
	finish(w, o, lanes, n);
}

/* From global to shared memory.  Lanes whose predicate is false copy nothing, or zeros. */
OPERATION(ldgsts)
{
	const uint32_t *c = row(w, o->c);
	uint32_t added = o->more + row(w, o->d)[0], p = predicate(w, o->ps), pc = exec_pc(w, o);
	bool global;

	generic_addresses(w, o);
	global = all_in_arena(w, o, lanes & p);
	FOR_LANES(lanes) {
		unsigned char *to = shared_at(w, o, (uint32_t)(c[i] + added), o->size, i);
		const unsigned char *from;

		if (!to)
			return;
		if (!(p >> i & 1)) {
			if (o->x)
				memset(to, 0, o->size);
			continue;
		}
		if (!is_aligned(w, o, w->address[i], o->size, i))
			return;
		from = global ? (const unsigned char *)(uintptr_t)w->address[i]
			      : hd__exec_generic(w, pc, w->address[i], o->size, i);
		if (!from)
			return;
		if (o->size == 16) /* what a compiler should know */
			memcpy(to, from, 16);
		else
			memcpy(to, from, o->size);
	}
}

/* ---- local memory ---- */

/* A word of a lane, where `bytes` bytes at an address begin; NULL after a fault. */
static unsigned char *local_at(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane)
{
	uint32_t bottom = EXEC_WINDOW - w->run->local;

	if (address >= bottom && address + bytes <= EXEC_WINDOW && address % 4 + bytes <= 4)
		return w->local + (address - bottom) / 4 * 4 * EXEC_LANES + 4 * lane + address % 4;
	hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
	              "%u bytes at 0x%llx of local memory, of which a thread has 0x%x to 0x%x", bytes,
	              (unsigned long long)address, bottom, EXEC_WINDOW);
	return NULL;
}

static void local_addresses(struct exec_warp *w, const struct exec_op *o)
{
	window_addresses(w, o, 0);
	EACH_LANE
		w->address[i] &= EXEC_WINDOW - 1;
}

/* Do all lanes access the same words, which then lie side by side? */
static unsigned char *same_words(struct exec_warp *w, const struct exec_op *o, uint32_t lanes)
{
	uint64_t apart = 0, first = w->address[0], bottom = EXEC_WINDOW - w->run->local;

	if (lanes != EXEC_ALL || o->size < 4)
		return NULL;
	EACH_LANE
		apart |= w->address[i] ^ first;
	if (apart || first % o->size || first < bottom || first + o->size > EXEC_WINDOW)
		return NULL;
	return w->local + (first - bottom) * EXEC_LANES;
}

OPERATION(load_local)
{
	uint32_t *d = w->base[0] + o->d, pc = exec_pc(w, o), v[4 * EXEC_LANES];
	unsigned words = o->size <= 4 ? 1 : o->size / 4u;
	const unsigned char *all;

	local_addresses(w, o);
	all = same_words(w, o, lanes);
	if (all) {
		memcpy(d, all, words * EXEC_LANES * sizeof *d);
		return;
	}
	FOR_LANES(lanes) {
		if (!is_aligned(w, o, w->address[i], o->size, i))
			return;
		for (unsigned k = 0; k < words; k++) {
			const unsigned char *p = local_at(w, pc, w->address[i] + 4 * k, o->size < 4 ? o->size : 4, i);

			if (!p)
				return;
			v[i + k * EXEC_LANES] = narrow(p, o->y);
		}
	}
	memcpy(result(w, o, lanes), v, words * EXEC_LANES * sizeof *v);
	finish(w, o, lanes, words);
}

OPERATION(store_local)
{
	const uint32_t *c = row(w, o->c);
	uint32_t pc = exec_pc(w, o), bytes = o->size < 4 ? o->size : 4;
	unsigned char *all;

	local_addresses(w, o);
	all = same_words(w, o, lanes);
	if (all) {
		memcpy(all, c, (size_t)o->size * EXEC_LANES);
		return;
	}
	FOR_LANES(lanes) {
		if (!is_aligned(w, o, w->address[i], o->size, i))
			return;
		for (unsigned k = 0; k == 0 || k < o->size / 4u; k++) {
			unsigned char *p = local_at(w, pc, w->address[i] + 4 * k, bytes, i);

			if (!p)
				return;
			put_narrow(p, c + k * EXEC_LANES, i, bytes);
		}
	}
}

/* ---- any of these, for other files ---- */

#ifndef EXEC_WIDE
void hd__exec_outside(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane)
{
	if (w->block->cluster->n > 1 && EXEC_RANK(address) != w->block->rank)
		hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
			      "%u bytes at 0x%llx of shared memory, which is of rank %u in the cluster; the block has "
			      "rank %u, and the instruction reaches its own only",
			      bytes, (unsigned long long)address, EXEC_RANK(address), w->block->rank);
	else
		hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
			      "%u bytes at 0x%llx of shared memory, of which the block has %u", bytes,
			      (unsigned long long)address, w->run->shared);
}

bool hd__exec_misaligned(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane)
{
	if (w->run->x->check)
		return true;
	hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
		      "%u bytes at 0x%llx, which %u does not divide", bytes, (unsigned long long)address,
		      bytes < 16 ? bytes : 16);
	return false;
}

unsigned char *hd__exec_remote(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane,
			       struct exec_block **of)
{
	struct exec_cluster *c = w->block->cluster;
	uint32_t rank = EXEC_RANK(address), at = (uint32_t)(address % EXEC_WINDOW);

	if (rank >= c->n || c->block[rank]->ended) {
		hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
			      "%u bytes at 0x%llx of shared memory, of rank %u in a cluster of %u%s", bytes,
			      (unsigned long long)address, rank, c->n, rank < c->n ? ", whose block has ended" : "");
		return NULL;
	}
	if (of)
		*of = c->block[rank];
	if (bytes <= w->run->shared && at <= w->run->shared - bytes)
		return c->block[rank]->shared + at;
	hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address,
		      "%u bytes at 0x%llx of shared memory, of which the block has %u", bytes,
		      (unsigned long long)address, w->run->shared);
	return NULL;
}

unsigned char *hd__exec_generic(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane)
{
	if (in_arena(w, address, bytes))
		return (unsigned char *)(uintptr_t)address;
	if (address - HD_EXEC_SHARED < HD_EXEC_LOCAL - HD_EXEC_SHARED)
		return hd__exec_remote(w, pc, address - HD_EXEC_SHARED, bytes, lane, NULL);
	if (address / EXEC_WINDOW == HD_EXEC_LOCAL / EXEC_WINDOW)
		return local_at(w, pc, address % EXEC_WINDOW, bytes, lane);
	if (address - EXEC_PARAMETERS < EXEC_BANK0 && bytes <= EXEC_BANK0 - (address - EXEC_PARAMETERS))
		return w->run->bank0 + (address - EXEC_PARAMETERS);
	if (hd__exec_mapped(w->run->x, address, bytes))
		return (unsigned char *)(uintptr_t)address;
	hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, address, "%u bytes at 0x%llx, where no memory is",
	              bytes, (unsigned long long)address);
	return NULL;
}

uint64_t hd__exec_read(struct exec_warp *w, uint32_t pc, uint64_t address, uint32_t bytes, unsigned lane, bool *ok)
{
	uint64_t v = 0;

	for (uint32_t k = 0; k < bytes && *ok; k++) {
		const unsigned char *p = hd__exec_generic(w, pc, address + k, 1, lane);

		*ok = p != NULL;
		v |= *ok ? (uint64_t)*p << 8 * k : 0;
	}
	return v;
}
#endif

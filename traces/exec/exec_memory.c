/* exec_memory.c - accesses of kernels to memory: is it there, was it written, is the address a multiple of its size
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "exec_check.h"
#include "exec_ops.h"

/* An access of a lane. */
struct access {
	struct exec_warp *w;
	uint32_t pc, bytes;
	unsigned lane;
	enum exec_space space;
	enum exec_how how;
	enum exec_order_of order;
	uint64_t address;   /* in its space */
	const uint32_t *value; /* of the lane, in a row, if it is written; NULL: not known */
	uint32_t row;       /* that has it, and the rows behind it; or that gets what is read */
};

static void found(const struct access *a, enum hd_exec_kind kind, const char *what)
{
	hd__check_find(a->w, a->pc, a->lane, kind, a->address, NULL, "%s %u byte%s of %s memory at 0x%llx, %s",
	               a->how == EXEC_READS ? "reads" : a->how == EXEC_WRITES ? "writes" : "changes", a->bytes,
	               a->bytes == 1 ? "" : "s", hd__check_space(a->space), (unsigned long long)a->address, what);
}

/* ---- bounds ---- */

static const struct exec_freed *freed_at(const struct exec_check *c, uint64_t address)
{
	for (uint64_t i = c->nfreed; i-- > 0 && c->nfreed - i <= EXEC_FREED;) {
		const struct exec_freed *f = &c->freed[i % EXEC_FREED];

		if (address - f->start < f->bytes)
			return f;
	}
	return NULL;
}

/* Of an address that is in no allocation: the nearest one. */
static void nowhere(const struct access *a, const struct exec_block_of_memory *before,
                    const struct exec_block_of_memory *behind)
{
	const struct exec_freed *f = freed_at(a->w->run->x->check, a->address);
	uint64_t past = before ? a->address - (before->start + before->asked) : UINT64_MAX;
	uint64_t short_of = behind ? behind->start - a->address : UINT64_MAX;
	const struct exec_block_of_memory *near = past <= short_of ? before : behind;
	char words[200];

	if (f)
		snprintf(words, sizeof words, "%llu bytes into an allocation of %llu bytes at 0x%llx that was freed",
			 (unsigned long long)(a->address - f->start), (unsigned long long)f->bytes,
			 (unsigned long long)f->start);
	else if (near && near == before && past == 0)
		snprintf(words, sizeof words, "right behind the nearest allocation, of %llu bytes at 0x%llx",
		         (unsigned long long)near->asked, (unsigned long long)near->start);
	else if (near)
		snprintf(words, sizeof words, "%llu bytes %s the nearest allocation, of %llu bytes at 0x%llx",
		         (unsigned long long)(near == before ? past : short_of), near == before ? "behind" : "before",
		         (unsigned long long)near->asked, (unsigned long long)near->start);
	else
		snprintf(words, sizeof words, "where no memory is");
	found(a, f ? HD_EXEC_FREED : HD_EXEC_BOUNDS, words);
}

static bool in_global(const struct access *a)
{
	const struct hd_exec *x = a->w->run->x;
	size_t low = 0, n = x->nused;
	const struct exec_block_of_memory *before, *behind;
	char words[200];

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (x->used[middle].start <= a->address)
			low = middle + 1;
		else
			n = middle;
	}
	before = low > 0 ? &x->used[low - 1] : NULL;
	behind = low < x->nused ? &x->used[low] : NULL;
	if (before && a->address - before->start < before->asked) {
		uint64_t left = before->asked - (a->address - before->start);

		if (a->bytes <= left)
			return true;
		snprintf(words, sizeof words, "%llu of them behind the allocation of %llu bytes at 0x%llx",
		         (unsigned long long)(a->bytes - left), (unsigned long long)before->asked,
		         (unsigned long long)before->start);
		found(a, HD_EXEC_BOUNDS, words);
		return false;
	}
	if (!hd__exec_mapped(x, a->address, a->bytes))
		nowhere(a, before, behind);
	return false;
}

static bool in_bounds(const struct access *a)
{
	const struct hd_exec_run *r = a->w->run;
	uint64_t shared = (uint64_t)r->kernel->shared + r->launch->shared, bottom = EXEC_WINDOW - r->local;
	char words[200];

	if (a->space == EXEC_GLOBAL)
		return in_global(a);
	if (a->space == EXEC_SHARED) {
		if (a->address + a->bytes <= shared)
			return true;
		snprintf(words, sizeof words, "of which the block has %llu bytes", (unsigned long long)shared);
	} else {
		if (a->address >= bottom && a->address + a->bytes <= EXEC_STACK)
			return true;
		snprintf(words, sizeof words, "of which the thread has 0x%llx to 0x%x", (unsigned long long)bottom,
			 EXEC_STACK);
	}
	found(a, HD_EXEC_BOUNDS, words);
	return a->space == EXEC_LOCAL && a->address >= bottom && a->address + a->bytes <= EXEC_WINDOW;
}

static bool is_divided(const struct access *a)
{
	char words[64];

	if (a->address % a->bytes == 0)
		return true;
	snprintf(words, sizeof words, "which %u does not divide", a->bytes);
	found(a, HD_EXEC_MISALIGNED, words);
	return false;
}

/* ---- what was written ---- */

/* The bits of `n` bytes that do not leave a word. */
static unsigned written(const struct access *a, uint64_t at, unsigned n, bool set, bool value)
{
	uint64_t local = (at - (EXEC_WINDOW - a->w->run->local)) / 4 * EXEC_LANES + a->lane;
	unsigned char *byte = a->space == EXEC_GLOBAL
				      ? &hd__check_page(a->w->run->x->check, at)->written[at % EXEC_PAGE / 8]
			      : a->space == EXEC_SHARED ? &a->w->block->check->written[at / 8]
							: &a->w->check->written[local];
	unsigned first = a->space == EXEC_LOCAL ? at % 4 : at % 8, mask = ((1u << n) - 1) << first;

	if (set)
		*byte = (unsigned char)(value ? *byte | mask : *byte & ~mask);
	return *byte & mask;
}

/* A load that gets what nothing wrote: its number, +1. */
static uint32_t origin_of(const struct access *a)
{
	struct exec_check *c = a->w->run->x->check;
	struct exec_other at = hd__check_other(a->w, a->pc, a->w->block->number, a->w->number, a->lane);
	struct exec_origin *o;

	for (size_t i = c->norigin; i-- > 0;)
		if (c->origin[i].image == a->w->run->image && c->origin[i].pc == a->pc)
			return (uint32_t)i + 1;
	c->origin = hd__xgrow(c->origin, c->norigin, &c->cap_origin, sizeof *c->origin);
	o = &c->origin[c->norigin++];
	*o = (struct exec_origin){ .image = a->w->run->image, .pc = a->pc, .space = a->space, .address = a->address };
	memcpy(o->block, at.block, sizeof o->block);
	memcpy(o->thread, at.thread, sizeof o->thread);
	return (uint32_t)c->norigin;
}

/* The registers that it loads get its bits; n words or less than one. */
static void loaded(const struct access *a)
{
	for (uint32_t k = 0; k < a->bytes; k += 4) {
		unsigned n = a->bytes < 4 ? a->bytes : 4;

		if (!written(a, a->address + k, n, false, false))
			hd__check_set(a->w, a->row + k / 4 * EXEC_LANES, 1u << a->lane, 1u << a->lane, origin_of(a));
	}
}

static uint32_t unset_of(const struct access *a, uint32_t row)
{
	return row & EXEC_CONSTANT ? 0 : a->w->check->unset[row / EXEC_LANES] >> a->lane & 1;
}

static void stored(const struct access *a)
{
	uint32_t unset = 0, words = a->bytes <= 4 ? 1 : a->bytes / 4;

	for (uint32_t k = 0; k < words; k++)
		unset += unset_of(a, a->row + k * EXEC_LANES);
	/* a part of a structure may well be left out */
	if (unset == words && a->space == EXEC_GLOBAL)
		hd__check_use(a->w, a->pc, a->row, words, 1u << a->lane, "stored to global memory");
	for (uint32_t k = 0; k < words; k++)
		written(a, a->address + 4 * k, a->bytes < 4 ? a->bytes : 4, true,
			!unset_of(a, a->row + k * EXEC_LANES));
}

/* ---- instructions ---- */

static void access_by(struct access *a)
{
	if (!is_divided(a) || !in_bounds(a))
		return;
	if (a->space != EXEC_LOCAL)
		hd__check_race(a->w, a->pc, a->lane, a->space, a->address, a->bytes, a->how, a->order, a->value);
	if (a->how == EXEC_READS)
		loaded(a);
	else
		stored(a);
}

/* Which memory a generic address is in. */
static void place(struct access *a, uint64_t address)
{
	uint64_t window = address / EXEC_WINDOW;

	a->space = window == HD_EXEC_SHARED / EXEC_WINDOW ? EXEC_SHARED
	           : window == HD_EXEC_LOCAL / EXEC_WINDOW ? EXEC_LOCAL : EXEC_GLOBAL;
	a->address = a->space == EXEC_GLOBAL ? address : address % EXEC_WINDOW;
}

/* Copies from global to shared memory: bits go with the bytes. */
static void copies(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	const uint32_t *c = row(w, o->c);
	uint32_t added = o->more + row(w, o->d)[0], p = predicate(w, o->ps);

	generic_addresses(w, o);
	FOR_LANES(lanes) {
		struct access to = { .w = w,
				     .pc = pc,
				     .bytes = o->size,
				     .lane = i,
				     .how = EXEC_WRITES,
				     .space = EXEC_SHARED,
				     .address = (uint32_t)(c[i] + added) };
		struct access from = to;
		bool reads = p >> i & 1;

		from.how = EXEC_READS;
		place(&from, w->address[i]);
		if (!reads && !o->x)
			continue;
		if (!is_divided(&to) || !in_bounds(&to))
			continue;
		hd__check_race(w, pc, i, EXEC_SHARED, to.address, to.bytes, EXEC_WRITES, EXEC_WEAK, NULL);
		reads = reads && is_divided(&from) && in_bounds(&from);
		if (reads)
			hd__check_race(w, pc, i, from.space, from.address, from.bytes, EXEC_READS, EXEC_WEAK, NULL);
		for (uint32_t k = 0; k < o->size; k += 4)
			written(&to, to.address + k, 4, true,
				!reads || written(&from, from.address + k, 4, false, false));
	}
}

/* Rows of matrices: what lanes get is not followed.  Rows that nothing wrote are of no lane, and count as written. */
static void matrices(struct exec_warp *w, uint32_t pc, const struct exec_op *o)
{
	window_addresses(w, o, 0);
	for (uint32_t i = 0; i < 8u << o->x; i++) {
		struct access a = { .w = w, .pc = pc, .bytes = 16, .lane = i, .how = EXEC_READS, .space = EXEC_SHARED,
			.address = w->address[i] };

		if (is_divided(&a) && in_bounds(&a))
			hd__check_race(w, pc, i, EXEC_SHARED, a.address, 16, EXEC_READS, EXEC_WEAK, NULL);
	}
}

static enum exec_order_of order_of(const struct exec_op *o)
{
	enum { CAS = 16, ARRIVE = 18, CAS_SPIN };

	if (o->operation == EXEC_OP_cas_predicate)
		return EXEC_CAS;
	if (o->operation == EXEC_OP_atom || o->operation == EXEC_OP_atom_shared)
		return o->x == CAS || o->x == CAS_SPIN ? EXEC_CAS : o->x == ARRIVE ? EXEC_ARRIVES : EXEC_STRONGLY;
	return o->flags & EXEC_STRONG ? EXEC_STRONGLY : EXEC_WEAK;
}

/* Addresses as the instruction will compute them, and which memory they are in. */
static enum exec_space addresses(struct exec_warp *w, const struct exec_op *o)
{
	switch (o->operation) {
	case EXEC_OP_load_shared: case EXEC_OP_store_shared: window_addresses(w, o, o->x); return EXEC_SHARED;
	case EXEC_OP_atom_shared: case EXEC_OP_cas_predicate: window_addresses(w, o, o->am); return EXEC_SHARED;
	case EXEC_OP_load_local: case EXEC_OP_store_local:
		window_addresses(w, o, 0);
		EACH_LANE
			w->address[i] &= EXEC_WINDOW - 1;
		return EXEC_LOCAL;
	default: generic_addresses(w, o); return EXEC_GLOBAL;
	}
}

void hd__check_memory(struct exec_warp *w, uint32_t pc, const struct exec_op *o, uint32_t lanes)
{
	bool loads = o->operation == EXEC_OP_load || o->operation == EXEC_OP_load_shared
		     || o->operation == EXEC_OP_load_local;
	bool stores = o->operation == EXEC_OP_store || o->operation == EXEC_OP_store_shared
	              || o->operation == EXEC_OP_store_local;
	enum exec_space space;

	if (o->operation == EXEC_OP_ldgsts) {
		copies(w, pc, o, lanes);
		return;
	}
	if (o->operation == EXEC_OP_ldsm) {
		matrices(w, pc, o);
		return;
	}
	space = addresses(w, o);
	FOR_LANES(lanes) {
		struct access a = { .w = w,
				    .pc = pc,
				    .bytes = o->size,
				    .lane = i,
				    .space = space,
				    .address = w->address[i],
				    .how = loads    ? EXEC_READS
					   : stores ? EXEC_WRITES
						    : EXEC_CHANGES,
				    .order = order_of(o),
				    .row = loads ? o->d : o->c,
				    .value = stores ? row(w, o->c) + i : NULL };

		if (space == EXEC_GLOBAL)
			place(&a, w->address[i]);
		access_by(&a);
	}
}

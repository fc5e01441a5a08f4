/* exec_arena.c - device memory: allocations in one range of addresses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Distances of allocations are those of the real allocator, as far as they are known: small ones begin at multiples
 * of 512 bytes, side by side in pieces of 2 MiB; those of more than 1 MiB have whole pieces.
 */
#include "exec_check.h"

#include <sys/mman.h>

#define ALIGNMENT UINT64_C(512)
#define PIECE EXEC_PIECE
#define VARIABLES                                                                                                    \
	(UINT64_C(256) << 20) /* in front of the allocations of programs, so that these do not depend on them */
#define LARGE (UINT64_C(1) << 20) /* more than this many bytes get pieces of their own */
#define CLEARED (UINT64_C(1) << 16) /* more bytes are given back to the system rather than cleared */

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

/* ---- ranges in order ---- */

/* How many begin at or below the address. */
static size_t below(const struct exec_block_of_memory *v, size_t n, uint64_t address)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (v[middle].start <= address)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static const struct exec_block_of_memory *around(const struct exec_block_of_memory *v, size_t n, uint64_t address)
{
	size_t i = below(v, n, address);

	return i > 0 && address - v[i - 1].start < v[i - 1].bytes ? &v[i - 1] : NULL;
}

static bool holds(const struct exec_block_of_memory *v, uint64_t address, uint64_t bytes)
{
	return v && bytes <= v->bytes - (address - v->start);
}

static void insert(struct exec_block_of_memory **v, size_t *n, size_t *cap, struct exec_block_of_memory new)
{
	size_t i = below(*v, *n, new.start);

	*v = hd__xgrow(*v, *n, cap, sizeof **v);
	memmove(*v + i + 1, *v + i, (*n - i) * sizeof **v);
	(*v)[i] = new;
	++*n;
}

static bool delete(struct exec_block_of_memory *v, size_t *n, uint64_t start, struct exec_block_of_memory *was)
{
	size_t i = below(v, *n, start);

	if (i == 0 || v[i - 1].start != start)
		return false;
	*was = v[i - 1];
	memmove(v + i - 1, v + i, (*n - i) * sizeof *v);
	--*n;
	return true;
}

/* ---- allocations ---- */

/* The lowest gap that has room, from `at` on. */
static uint64_t allocate(struct hd_exec *x, uint64_t bytes, uint64_t at)
{
	uint64_t alignment = bytes > LARGE ? PIECE : ALIGNMENT, asked = bytes;

	if (bytes > EXEC_ARENA_BYTES)
		return 0;
	bytes = round_up(bytes ? bytes : 1, alignment);
	for (size_t i = 0; i < x->nused; i++) {
		uint64_t end = x->used[i].start + x->used[i].bytes;

		if (end <= at)
			continue;
		if (x->used[i].start >= at && x->used[i].start - at >= bytes)
			break;
		at = round_up(end, alignment);
	}
	if (at - EXEC_ARENA > EXEC_ARENA_BYTES - bytes)
		return 0;
	insert(&x->used, &x->nused, &x->cap_used, (struct exec_block_of_memory){ at, bytes, asked });
	x->in_use += bytes;
	if (at + bytes > x->top)
		x->top = round_up(at + bytes, PIECE);
	return at;
}

uint64_t hd__exec_alloc(struct hd_exec *x, uint64_t bytes)
{
	return allocate(x, bytes, EXEC_ARENA + VARIABLES);
}

uint64_t hd__exec_alloc_variables(struct hd_exec *x, uint64_t bytes)
{
	return allocate(x, bytes, EXEC_ARENA + PIECE);
}

bool hd__exec_release(struct hd_exec *x, uint64_t address)
{
	struct exec_block_of_memory was;
	void *p = (void *)(uintptr_t)address;

	if (!delete(x->used, &x->nused, address, &was))
		return false;
	x->in_use -= was.bytes;
	if (x->check)
		hd__check_freed(x->check, was.start, was.asked);
	if (was.bytes >= CLEARED && was.start % 4096 == 0)
		madvise(p, was.bytes / 4096 * 4096, MADV_DONTNEED);
	if (was.bytes < CLEARED || was.start % 4096)
		memset(p, 0, was.bytes);
	else if (was.bytes % 4096)
		memset((char *)p + was.bytes / 4096 * 4096, 0, was.bytes % 4096);
	return true;
}

void *hd__exec_host(const struct hd_exec *x, uint64_t address, uint64_t bytes)
{
	if (holds(around(x->used, x->nused, address), address, bytes)
	    || holds(around(x->mapped, x->nmapped, address), address, bytes))
		return (void *)(uintptr_t)address;
	return NULL;
}

bool hd__exec_allocation(const struct hd_exec *x, uint64_t address, uint64_t *start, uint64_t *bytes)
{
	const struct exec_block_of_memory *v = around(x->used, x->nused, address);

	if (!v)
		v = around(x->mapped, x->nmapped, address);
	if (!v)
		return false;
	*start = v->start;
	*bytes = v->bytes;
	return true;
}

void hd__exec_memory(const struct hd_exec *x, uint64_t *used, uint64_t *total)
{
	*used = x->in_use;
	*total = EXEC_ARENA_BYTES;
}

/* ---- memory of the program ---- */

void hd__exec_map(struct hd_exec *x, void *p, uint64_t bytes)
{
	insert(&x->mapped, &x->nmapped, &x->cap_mapped, (struct exec_block_of_memory){ (uintptr_t)p, bytes, bytes });
}

bool hd__exec_unmap(struct hd_exec *x, void *p)
{
	struct exec_block_of_memory was;

	return delete(x->mapped, &x->nmapped, (uintptr_t)p, &was);
}

bool hd__exec_mapped(const struct hd_exec *x, uint64_t address, uint64_t bytes)
{
	return holds(around(x->mapped, x->nmapped, address), address, bytes);
}

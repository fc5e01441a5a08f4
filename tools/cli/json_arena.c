/* json_arena.c - an arena for the JSON values of a command that reads a few files and ends
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A netlist and its tables, and what a dump says of them, are small JSON values, some thousand or some million, and
 * allocating them by malloc() costs more than reading them.  They come from one range of addresses that stays until the
 * end, of which each thread takes pieces; what a thread frees serves for its next value of that size.  Large blocks
 * come from malloc(), and so does all memory of a run that may go on for long and pass values from one thread to
 * another.
 */
#include "cmd.h"
#include "base/xalloc.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define RANGE ((size_t)1 << 30) /* bytes; untouched pages cost nothing */
#define PIECE ((size_t)1 << 16) /* bytes that a thread takes of them at a time */
#define UNIT ((size_t)16)       /* sizes are multiples of it */
#define SIZES ((size_t)32)      /* larger blocks come from malloc() */

struct block {
	size_t units; /* with this member */
	union {
		struct block *next;             /* while it is free */
		_Alignas(8) unsigned char value; /* what jansson gets begins here */
	};
};

static struct {
	unsigned char *begin;
	_Atomic size_t taken;
	bool lasting;
	json_malloc_t plain; /* how the program allocates otherwise */
} range;

static _Thread_local struct {
	unsigned char *next;
	size_t left;
	struct block *free[SIZES];
} own;

static bool take_piece(void)
{
	size_t at;

	if (atomic_load(&range.taken) >= RANGE || (at = atomic_fetch_add(&range.taken, PIECE)) >= RANGE)
		return false;
	own.next = range.begin + at;
	own.left = PIECE;
	return true;
}

static void *take(size_t n)
{
	size_t units = (n + offsetof(struct block, value) + UNIT - 1) / UNIT;
	struct block *b;

	if (n >= SIZES * UNIT || units >= SIZES)
		return range.plain(n);
	b = own.free[units];
	if (b != NULL) {
		own.free[units] = b->next;
		return &b->value;
	}
	if (units * UNIT > own.left && !take_piece())
		return range.plain(n);
	b = (struct block *)own.next;
	b->units = units;
	own.next += units * UNIT;
	own.left -= units * UNIT;
	return &b->value;
}

static void give_back(void *p)
{
	struct block *b;

	if ((uintptr_t)p - (uintptr_t)range.begin >= RANGE) {
		free(p);
		return;
	}
	if (range.lasting)
		return;
	b = (struct block *)((unsigned char *)p - offsetof(struct block, value));
	b->next = own.free[b->units];
	own.free[b->units] = b;
}

void hd__short_memory(void)
{
	struct rlimit addresses;
	void *p;

	if (HD_SANITIZED)
		return;
	if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY)
		return; /* the rest of the program would lack them */
	p = mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return;
	range.begin = p;
	json_get_alloc_funcs(&range.plain, &(json_free_t){ NULL });
	json_set_alloc_funcs(take, give_back);
}

void hd__lasting_memory(void)
{
	range.lasting = true;
	if (range.begin != NULL)
		json_set_alloc_funcs(range.plain, give_back);
}

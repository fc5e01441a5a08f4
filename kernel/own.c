/* own.c - memory that is freed with the simulation
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Zeroed memory comes from the system in blocks, whose pages are zero before they are touched: to zero the
 * tables of some hundred instances, of which a run uses a part, would take longer than to make the simulation.
 *
 * Thousands of modules touch tens of megabytes again and again, in more small pages than a processor keeps
 * translations of.  A few dozen do not, and large pages would be several times as large as all that they
 * need.  The system may refuse; nothing depends on it.
 */
#include "sim.h"

#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BLOCK ((size_t)1 << 20) /* bytes; each of the next is twice as large, up to */
#define LARGEST ((size_t)1 << 26)
#define MANY ((size_t)1 << 22)        /* bytes of a block that comes in large pages */
/* bytes of a table that has a block of its own, in small pages: a run uses a part */
#define SPARSE ((size_t)1 << 18)

void hd__advise_large(const void *from, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)from + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)from + bytes) / page * page;

	if (end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void hd__large_pages(const struct hd_sim *s)
{
	if (s->arena_bytes < HD_MANY_STATES || s->opt.checker)
		return;
	for (size_t i = 0; i < s->npools; i++)
		hd__advise_large(s->pools[i].pool->base, (size_t)HD_POOL_MAX * s->pools[i].pool->record);
}

void *hd__own(struct hd_sim *s, void *p)
{
	s->owned = hd__xgrow(s->owned, s->nowned, &s->capowned, sizeof *s->owned);
	return s->owned[s->nowned++] = p;
}

/* Pages with so many bytes.  Returns false without memory. */
static bool add_pages(struct hd_sim *s, size_t size)
{
	struct hd_zero_block b = { .size = size };

	b.v = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b.v == MAP_FAILED)
		return false;
	s->blocks = hd__xgrow(s->blocks, s->nblocks, &s->capblocks, sizeof *s->blocks);
	s->blocks[s->nblocks++] = b;
	return true;
}

/* A block for tables smaller than SPARSE; the rest of the last one is given up.  Returns false without memory. */
static bool add_block(struct hd_sim *s)
{
	size_t size = s->nblocks > 0 ? 2 * s->blocks[s->nblocks - 1].size : FIRST_BLOCK;

	if (size > LARGEST)
		size = LARGEST;
	if (!add_pages(s, size))
		return false;
	if (size >= MANY)
		hd__advise_large(s->blocks[s->nblocks - 1].v, size);
	return true;
}

/* A block for a table alone, in front of the one that others come from.  NULL without memory. */
static void *sparse(struct hd_sim *s, size_t bytes)
{
	struct hd_zero_block last;

	if (!add_pages(s, (bytes + 4095) / 4096 * 4096))
		return NULL;
	last = s->blocks[s->nblocks - 1];
	if (s->nblocks > 1) {
		s->blocks[s->nblocks - 1] = s->blocks[s->nblocks - 2];
		s->blocks[s->nblocks - 2] = last;
	} else {
		s->blocks[0].used = last.size;
	}
	return last.v;
}

/* NULL without memory. */
static void *zeroed(struct hd_sim *s, size_t n, size_t size)
{
	struct hd_zero_block *b = s->nblocks > 0 ? &s->blocks[s->nblocks - 1] : NULL;
	size_t bytes, align;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 4)
		return NULL;
#if HD_SANITIZED
	void *p = calloc(1, bytes > 0 ? bytes : 1);

	return p != NULL ? hd__own(s, p) : NULL;
#endif
	if (bytes >= SPARSE)
		return sparse(s, bytes);
	align = bytes >= 64 ? 64 : 16; /* a cache line, if it fills one */
	bytes = (bytes + 15) / 16 * 16;
	if (b != NULL)
		b->used = (b->used + align - 1) / align * align;
	if (b == NULL || b->used + bytes > b->size) {
		if (!add_block(s))
			return NULL;
		b = &s->blocks[s->nblocks - 1];
	}
	b->used += bytes;
	return b->v + (b->used - bytes);
}

void *hd__maybe_zeroed(struct hd_sim *s, size_t n, size_t size)
{
	return zeroed(s, n, size);
}

void *hd__zeroed(struct hd_sim *s, size_t n, size_t size)
{
	return hd__xcheck(zeroed(s, n, size));
}

void *hd_memory(const struct hd_ctx *c, size_t n, size_t size)
{
	if (HD_UNLIKELY(c->sim->opt.checker != NULL))
		return c->sim->opt.checker->memory(c, n, size);
	return zeroed(c->sim, n, size);
}

void hd__zeroed_free(struct hd_sim *s)
{
	for (size_t i = 0; i < s->nblocks; i++)
		munmap(s->blocks[i].v, s->blocks[i].size);
	free(s->blocks);
}

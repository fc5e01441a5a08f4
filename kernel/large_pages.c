/* large_pages.c - large pages for a simulation whose data are many times as large as a cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thousands of modules touch tens of megabytes again and again, in more small pages than a processor keeps
 * translations of.  A few dozen do not, and large pages would be several times as large as all that they
 * need.  The system may refuse; nothing depends on it.
 */
#include "sim.h"

#include <unistd.h>

#define LARGE_PAGE (UINT32_C(2) << 20)
#define MANY_STATES LARGE_PAGE /* bytes */

#ifndef MADV_COLLAPSE /* Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

/* What is touched from now on comes in large pages. */
static void advise(const void *from, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)from + page - 1) / page * page;
	uintptr_t end = ((uintptr_t)from + bytes) / page * page;

	if (end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* And so does what was touched before. */
static void collapse(const void *from, size_t bytes)
{
	uintptr_t begin = ((uintptr_t)from + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	uintptr_t end = ((uintptr_t)from + bytes) / LARGE_PAGE * LARGE_PAGE;

	advise(from, bytes);
	if (end > begin)
		madvise((void *)begin, end - begin, MADV_COLLAPSE);
}

void *hd__heap_end(void)
{
	return sbrk(0);
}

void hd__large_pages(const struct hd_sim *s, const void *heap)
{
	if (s->arena_bytes < MANY_STATES || s->opt.checker)
		return;
	for (size_t i = 0; i < s->npools; i++)
		advise(s->pools[i].pool->base, (size_t)HD_POOL_MAX * s->pools[i].pool->record);
	collapse(s->arena, s->arena_bytes);
	for (size_t i = 0; i < s->nblocks; i++)
		collapse(s->blocks[i].v, s->blocks[i].used);
	collapse(heap, (size_t)((char *)sbrk(0) - (const char *)heap));
}

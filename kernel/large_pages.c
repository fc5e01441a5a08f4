/* large_pages.c - large pages for a simulation whose data are many times as large as a cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Thousands of modules touch tens of megabytes again and again, in more small pages than a processor keeps
 * translations of.  A few dozen do not, and large pages would be several times as large as all that they
 * need.  The system may refuse; nothing depends on it.
 */
#include "sim.h"

#include <sys/mman.h>
#include <unistd.h>

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

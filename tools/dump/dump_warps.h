/* dump_warps.h - an element for each warp of each core
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_WARPS_H
#define TOOLS_DUMP_DUMP_WARPS_H

#include <stddef.h>
#include <stdint.h>

#define DUMP_MOST_WARPS 65536 /* of a core; a damaged file must not fill memory */

struct dump_warps {
	struct dump_warps_core {
		void **v; /* by warp; NULL: not created */
		size_t n;
	} *cores;
	uint32_t ncores;
	size_t size;      /* of an element */
};

void dump_warps_init(struct dump_warps *w, uint32_t cores, size_t size);
/* Frees the elements, but not memory that they point to. */
void dump_warps_free(struct dump_warps *w);
/* NULL if it was not created. */
void *dump_warp_find(const struct dump_warps *w, uint32_t core, int64_t warp);
/* Creates a zeroed element if needed, which does not move.  NULL: bad number. */
void *dump_warp_make(struct dump_warps *w, uint32_t core, int64_t warp);
/* Calls f for all created elements, by core and number. */
void dump_warps_each(const struct dump_warps *w,
                     void (*f)(void *arg, uint32_t core, uint32_t warp, void *element), void *arg);

#endif

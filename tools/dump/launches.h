/* launches.h - when kernels ran, from the events of the instances that launch them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_LAUNCHES_H
#define TOOLS_DUMP_LAUNCHES_H

#include "dump/dump_filter.h"
#include "dump/dump_read.h"

/* A launch of a kernel by an instance, in the cycles [begin, end). */
struct dump_launch {
	uint32_t kernel, who;
	uint64_t begin, end;
};

struct dump_launches {
	struct dump_launch *v; /* the caller frees it */
	size_t n, cap;
};

/* Is it an event of that name, whatever the module? */
bool dump_is_event(const struct dump_table *t, const char *name);
/* All events "kernel" with the fields kernel and cycles, in the order of their ends. */
struct dump_launches dump_launches(struct dump *d);

/* The cycles of these kernels, rising, none twice; the caller frees v.  A kernel without an event,
 * if there is one only, runs from the last end on.  Returns false if the cycles are not known:
 * without events, or if several instances launch kernels at the same time. */
bool dump_kernel_cycles(struct dump *d, const struct hd_range_list *kernels, struct hd_range_list *l);

#endif

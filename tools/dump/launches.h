/* launches.h - when kernels ran, from the events of the instances that launch them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_LAUNCHES_H
#define TOOLS_DUMP_LAUNCHES_H

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

#endif

/* dump_cores.h - the cores of a netlist, and the instances of each
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warps and issue order are numbered in each core separately, so these numbers are meaningful only
 * together with the core.  Names do not identify a core: it is the innermost netlist that contains
 * both an instance that begins instructions and one that issues them, "sm[1]" or
 * "cluster[0].sm[3]".
 */
#ifndef TOOLS_DUMP_DUMP_CORES_H
#define TOOLS_DUMP_DUMP_CORES_H

#include "dump/dump_read.h"

struct dump_cores {
	char **paths;   /* by core; of core 0 "": all instances of no other core */
	uint32_t n;     /* at least 1 */
	uint32_t *of;   /* core by instance */
	uint32_t *at;  /* by place; a channel that leads out of a core belongs to it */
};

/* Reads the first block of instructions, if any. */
struct dump_cores *dump_cores_new(struct dump *d);
void dump_cores_free(struct dump_cores *c);

/* The core in which the record begins. */
uint32_t dump_core_of(const struct dump_cores *c, const struct dump_transaction *t);
/* The path of an instance of a core, common to all such cores, "sm[*].sp[0]"; the caller frees
 * it. */
char *dump_path_in_cores(const struct dump_cores *c, const struct dump *d, uint32_t instance);

#endif

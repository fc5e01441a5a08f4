/* cores.h - which instances of a netlist make up one core
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Warps and orders of issue are numbered in each core anew, so these numbers mean something only
 * together with the core.  No name gives a core away: it is the innermost netlist that holds both
 * what begins instructions and what issues them, "sm[1]" or "cluster[0].sm[3]".
 */
#ifndef TOOLS_DUMP_CORES_H
#define TOOLS_DUMP_CORES_H

#include "read.h"

struct dump_cores {
	char **paths;   /* by core; of core 0 "": whatever is in no other one */
	uint32_t n;     /* at least 1 */
	uint32_t *of;   /* core by instance */
};

/* Reads the first block of instructions, if there is one. */
struct dump_cores *dump_cores_new(struct dump *d);
void dump_cores_free(struct dump_cores *c);

/* The core in which the record begins. */
uint32_t dump_core_of(const struct dump_cores *c, const struct dump *d,
                      const struct dump_transaction *t);
/* The path of an instance of a core as it is alike for all such cores, "sm[*].sp[0]"; the caller
 * frees it. */
char *dump_path_in_cores(const struct dump_cores *c, const struct dump *d, uint32_t instance);

#endif

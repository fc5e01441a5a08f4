/* dump_stalls.h - lost issue slots by instruction, warp, unit, and cause
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DUMP_STALLS_H
#define TOOLS_DUMP_DUMP_STALLS_H

#include "dump_program.h"
#include "producers.h"

enum dump_by { DUMP_BY_REASON, DUMP_BY_PC, DUMP_BY_PRODUCER, DUMP_BY_WARP, DUMP_BY_UNIT,
	DUMP_BY_SCHEDULER };

/* Slots with the same key. */
struct dump_stall {
	int64_t by;       /* line, core << 32 | warp, unit or instance; -1: does not apply */
	int64_t reason, unit, cause; /* cause: the first of equal ones in several cores */
	int64_t other;    /* line at the other side of the wait, -1: none */
	int64_t reg;
	uint64_t n;
};

struct dump_stalls {
	const struct dump *d;
	struct dump_known known;
	struct dump_stall *v; /* by `by`, the largest first */
	size_t n;
	uint64_t all;         /* slots */
	bool named_only;      /* of kernels whose cycles are not known: slots of their instructions */
	struct dump_program *program;
	uint32_t *line_of;    /* by line of the program: its number in the order of kernel, pc and text */
	struct dump_line *lines; /* in that order */
	const char **kernels; /* names */
	uint32_t nkernels;
	uint32_t *like;       /* by cause: the first equal one, itself or of an earlier core */
	bool *shared;         /* by cause: other cores have an equal one */
};

/* Returns false after printing that the dump has no such events. */
bool dump_stalls(struct dump *d, const struct dump_query *q, enum dump_by by, struct dump_stalls *s);
void dump_stalls_free(struct dump_stalls *s);
/* The name of a reason; "?" for an unknown number. */
const char *dump_stall_reason(const struct dump_stalls *s, int64_t reason);
/* The instance of a cause, "sm[*].collector" if it stands for several cores; NULL: it has none.
 * The caller frees it. */
char *dump_stall_instance(const struct dump_stalls *s, int64_t cause);

#endif

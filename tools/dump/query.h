/* query.h - which rows of a dump are asked for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions are those of heddle run --dump-filter (kernel/filter.h).  As there, a condition on a
 * field says nothing about tables that have no such field; "pc" and "kernel" are also known of
 * tables with a field that is the number of a static instruction.
 */
#ifndef TOOLS_DUMP_QUERY_H
#define TOOLS_DUMP_QUERY_H

#include "kernel/base/filter.h"
#include "read.h"

struct dump_condition;

struct dump_query {
	struct hd_filter filter;
	uint64_t head;     /* lives or lines to print; 0: all */
	const char *by;    /* stalls: who lost them: pc, warp, unit, scheduler; NULL: reasons */
	uint64_t top;      /* stalls: lines to print */
	const char *table; /* formats that hold one table: which; NULL: all of them */
	bool steps;        /* formats that may leave out the steps of lives: write them */

	/* made by dump_query_bind() */
	struct dump_condition **conditions; /* by table; end with a NULL list of ranges */
	bool *table_wanted, *instance_wanted;
	bool *place_wanted;                 /* NULL: lives may have been anywhere */
};

/* Looks the names up in the dump; once for each query.  false: there is no such name, said on
 * stderr. */
bool dump_query_bind(struct dump_query *q, const struct dump *d);
void dump_query_free(struct dump_query *q, const struct dump *d);

/* May block i hold rows that are asked for?  Says so from its head alone. */
bool dump_query_block(const struct dump_query *q, const struct dump *d, size_t i);
/* Is row i of these events or samples asked for? */
bool dump_query_row(const struct dump_query *q, const struct dump_rows *r, uint32_t i);
bool dump_query_transaction(const struct dump_query *q, const struct dump_rows *r,
                     const struct dump_transaction *transaction);
/* The first cycle of row i, an event or a sample: spans lie before the cycle of their row. */
uint64_t dump_row_begin(const struct dump_rows *r, uint32_t i);

#endif

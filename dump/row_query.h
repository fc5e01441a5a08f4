/* row_query.h - the selection of rows of a dump
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Conditions are those of heddle run --dump-filter (dump/dump_filter.h).  As there, a condition
 * on a field does not affect tables without such a field; "pc" and "kernel" also work for tables
 * with a field that is the number of a static instruction.
 */
#ifndef DUMP_ROW_QUERY_H
#define DUMP_ROW_QUERY_H

#include "dump_filter.h"
#include "dump_read.h"

struct dump_condition;

struct dump_query {
	struct hd_filter filter;
	uint64_t head;     /* transactions or lines to print; 0: all, or as many as usual */
	const char *by;    /* stalls: add up by pc, warp, unit, scheduler; NULL: reasons */
	uint64_t top;      /* stalls: lines to print */
	const struct hd_range_list *kernels; /* stalls: of these, see dump_query_kernels(); NULL: all */
	unsigned columns;  /* pipeline: characters of a line */
	bool units;        /* pipeline: a letter for each unit */
	const char *table; /* formats with one table: its name; NULL: all tables */
	bool steps;        /* formats that may leave out the steps of transactions: write them */

	/* made by dump_query_bind() */
	struct dump_condition **conditions; /* by table; end with a NULL list of ranges */
	bool *table_wanted, *instance_wanted;
	bool *place_wanted;                 /* NULL: transactions of all places */
};

/* Selects the table, besides those selected before.  Call it before dump_query_bind(). */
void dump_query_event(struct dump_query *q, const struct dump *d, int table);
/* Takes the condition on "kernel" for query->kernels: slots in which no instruction waits belong to a
 * kernel, too.  Call it before dump_query_bind(). */
void dump_query_kernels(struct dump_query *q);
/* Looks the names up in the dump; once for each query.  Returns false after printing that a name is
 * unknown. */
bool dump_query_bind(struct dump_query *q, const struct dump *d);
void dump_query_free(struct dump_query *q, const struct dump *d);

/* For table_wanted, to be freed: the instructions alone, table `inst`; if there are none, or if tables are named, all
 * transactions of these. */
bool *dump_query_transactions(const struct dump_query *q, const struct dump *d, int inst);

/* May block i hold selected rows?  Decides by its head alone. */
bool dump_query_block(const struct dump_query *q, const struct dump *d, size_t i);
/* Is row i of these events or samples selected? */
bool dump_query_row(const struct dump_query *q, const struct dump_rows *r, uint32_t i);
bool dump_query_transaction(const struct dump_query *q, const struct dump_rows *r,
                     const struct dump_transaction *transaction);
/* The first cycle of row i, an event or a sample: spans precede the cycle of their row. */
uint64_t dump_row_begin(const struct dump_rows *r, uint32_t i);
/* How far apart the cycles are that its span counts: 1, or more of an instance that works in turn with others. */
uint64_t dump_row_every(const struct dump_rows *r, uint32_t i);

#endif

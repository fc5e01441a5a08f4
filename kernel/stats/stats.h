/* stats.h - what a simulation reports: statistics, fill of queues, rows of tables, items of the input
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_STATS_STATS_H
#define KERNEL_STATS_STATS_H

#include "base/int_map.h"
#include "kernel/sim.h"

/* gauges.c: makes them, in order of name and index; settles and frees them. */
void hd__gauges_make(struct hd_sim *s);
void hd__gauges_settle(struct hd_sim *s);
void hd__gauges_free(struct hd_sim *s);
/* { mean, most } of what was counted in so many edges. */
json_t *hd__gauge_json(uint64_t sum, uint64_t edges, uint32_t most);
/* name -> { unit, mean, most, capacity } */
json_t *hd__gauges_json(const struct hd_sim *s);
/* Queues that differ in indices only as one, whose mean is that of one queue. */
json_t *hd__gauges_summary(const struct hd_sim *s);
/* The summary as a table. */
void hd__gauges_table(const struct hd_sim *s, FILE *out);

/* per_item.c */
/* An item of the input has ended with row `row` of the table, in the present moment. */
void hd__item_ends(struct hd_sim *s, const char *table, size_t row, uint32_t part);
/* Drops all items, as those of several instances overlap. */
void hd__per_item_drop(struct hd_sim *s);
/* Drops them if some belong to this table, in which another instance has a row now. */
void hd__per_item_drop_of(struct hd_sim *s, const char *table);
void hd__item_keep(struct hd_sim *s); /* when that moment is over */
/* A row of a table with what was kept of its item.  The caller owns it. */
json_t *hd__per_item_row(const struct hd_sim *s, const char *table, size_t row);
/* Adds those items that are not kept one by one, together, as a member "TABLE_rest". */
void hd__per_item_rest(const struct hd_sim *s, json_t *root);
void hd__per_item_free(struct hd_sim *s);

/* parts.c */

void hd__parts_make(struct hd_sim *s);
void hd__parts_free(struct hd_sim *s);
void hd__part_begins(const struct hd_instance *in, uint32_t part);
/* Adds what all instances have counted for parts to the sums of hd_sim.per_item, if there is one. */
void hd__parts_collect(struct hd_sim *s);
void hd__parts_saved(struct hd_checkpoint *k); /* after that of per_item.c */

/* rows.c */
/* The name of table i, in the order in which they began; NULL: there are no more. */
const char *hd__row_table(const struct hd_sim *s, size_t i);
/* How many rows a table has; 0: there is no such table. */
size_t hd__rows(const struct hd_sim *s, const char *table);
/* One of them, as the module gave it, which the caller owns; NULL: there is none. */
json_t *hd__row(const struct hd_sim *s, const char *table, size_t i);
void hd__row_tables_free(struct hd_sim *s);
/* Adds a row.  several: instances have rows in its table; second: since this row. */
struct hd_row_added {
	const char *table;
	size_t row;
	bool several, second;
};
struct hd_row_added hd__row_add(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n);
/* Are the tables of two simulations alike? */
bool hd__rows_same(const struct hd_sim *s, const struct hd_sim *o);
/* A table's own name; NULL: there is no such table. */
const char *hd__row_table_name(const struct hd_sim *s, const char *name);
/* What is saved of them, and of what is kept of each item. */
void hd__rows_saved(struct hd_checkpoint *k);
void hd__per_item_saved(struct hd_checkpoint *k);
/* <, =, > 0 as a comes before, is, comes after b by name and index, whatever the netlist's
 * order. */
static inline int hd__instance_order(const struct hd_instance *a, const struct hd_instance *b)
{
	int c = strcmp(a->decl->name, b->decl->name);

	return c ? c : a->index < b->index ? -1 : a->index > b->index;
}

/* arrays.c: all instances in that order, so that the netlist's does not show.  To be freed. */
const struct hd_instance **hd__instances_sorted(const struct hd_sim *s);
/* Only those; *n: how many. */
const struct hd_instance **hd__instances_among(const struct hd_sim *s, const bool *some, size_t *n);

/* "sp[*]" -> { module, count, place }; sorted: hd__instances_sorted() */
json_t *hd__stats_arrays(const struct hd_sim *s, const struct hd_instance *const *sorted);

/* A figure of the run, of all statistics with its name as their total. */
struct hd_run_figure {
	const struct hd_stat *stat; /* the first of them */
	uint64_t v, whole;          /* whole: what a share is a share of */
};
struct hd_figures {
	struct hd_run_figure *v;        /* in the order in which they came; all zero: none yet */
	size_t n, cap;
	struct hd_int_map of;       /* address of a name -> place + 1 */
};

/* figures.c: adds v, or takes it if it is the largest; whole: of a share. */
void hd__figures_add(struct hd_figures *f, const struct hd_stat *st, uint64_t v, uint64_t whole);
/* Makes them members of the object, and frees them. */
void hd__figures_json(struct hd_figures *f, json_t *to);
static inline json_t *hd__share_json(uint64_t part, uint64_t whole)
{
	return json_real(whole ? (double)part / (double)whole : 0);
}

/* Statistics of a settled simulation as JSON (docs/statistics in the manual page), whose tables have no rows. */
json_t *hd__stats_plain(const struct hd_sim *s, const char *status);
/* Makes the rows of its tables one by one. */
struct hd_json_rows hd__stats_rows(const struct hd_sim *s);
/* Adds the member "streams": sums of the rows of each stream, if rows of "kernels" have one, as those that overlap. */
void hd__streams_write(json_t *statistics, const struct hd_json_rows *rows);
/* Statistics with all rows. */
json_t *hd__stats_json(const struct hd_sim *s, const char *status);
/* A counter of the instance, or the share that it is of another. */
json_t *hd__stats_figure(const struct hd_instance *in, const struct hd_stat *st);
/* hd__stats_plain() in short: instances and queues that differ only in indices are one, the sums or the
 * largest of them; no meanings.  stats_summary.c */
json_t *hd__stats_summary(const struct hd_sim *s, const char *status);
/* The figures of the run alone, for progress and the monitor. */
json_t *hd__stats_totals(const struct hd_sim *s);
/* Figure -> the name of it per cycle ("IPC"). */
json_t *hd__stats_ratios(const struct hd_sim *s);
/* Heading -> instances that differ in indices only -> { count, sum, edges }: the share is sum / edges. */
json_t *hd__stats_rates(const struct hd_sim *s);
/* Path -> { name: value } of the counters whose path, name or "path.name" is `pattern`, in which *
 * stands for anything and ? for one character, and a path without index for its array; NULL: all.
 * At most `most` counters are taken, and *n is how many there are. */
json_t *hd__stats_select(const struct hd_sim *s, const char *pattern, size_t most, size_t *n);
/* Writes it with an end of line; rows NULL: they are in it.  Returns false after a write error. */
bool hd__json_write(const json_t *j, const struct hd_json_rows *rows, FILE *out);
/* The same on one line, for programs to read. */
bool hd__json_write_line(const json_t *j, const struct hd_json_rows *rows, FILE *out);
/* The figures of the run as a table for reading. */
void hd__stats_table(const struct hd_sim *s, FILE *out);

#endif

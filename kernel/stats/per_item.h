/* per_item.h - what statistics have grown by in each item of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_STATS_PER_ITEM_H
#define KERNEL_STATS_PER_ITEM_H

#include "kernel/sim.h"

/* Items that are kept one by one.  Each takes up to some 20 kB when it is written; those after them
 * are added up, so that the memory of a run does not grow with its input. */
#define HD_MOST_ITEMS 4096

/* Instances that differ in indices only. */
struct hd_item_group {
	const char *name; /* key in hd_per_item.names */
	const struct hd_module *module;
	uint32_t first;   /* of its counters, in the order of the module's statistics */
	bool parts;       /* some instance has named the part that it counts for */
	bool timed;       /* some statistic is shown per edge, so edges are counted: */
	uint64_t now, before;
};

/* A statistic of all instances of a group. */
struct hd_item_counter {
	uint32_t group;
	const struct hd_stat *stat;
	uint64_t now, before;
};

/* Queues of a group. */
struct hd_item_level {
	const char *name;
	uint64_t sum, edges, sum_before, edges_before;
	uint32_t most;
};

struct hd_item_growth {
	uint32_t of;   /* a counter, or a group */
	uint32_t zero; /* a checkpoint has all bytes */
	uint64_t by;
};

struct hd_item_fill {
	uint32_t level, most;
	uint64_t sum, edges;
};

struct hd_item_kept {
	const char *table;            /* belongs to the table */
	size_t row;                   /* in it; of the rest: how many items it is of */
	uint32_t part;                /* its number, of the rest HD_REST_PARTS */
	struct hd_item_growth *growth, *edges;
	struct hd_item_fill *fills;
	size_t ngrowth, nedges, nfills;
};

#define HD_REST_PARTS UINT32_MAX

/* What has been counted for a part, by counter, where parts overlap. */
struct hd_part_sum {
	uint32_t part;
	bool rests;                   /* the part has ended, and belongs to the rest */
	uint64_t *v;
};

struct hd_per_item {
	json_t *names;                /* of groups -> their numbers */
	json_t *levels_of;            /* name -> its level */
	struct hd_item_counter *counters;
	struct hd_item_group *groups;
	struct hd_item_level *levels;
	size_t ncounters, capcounters, ngroups, capgroups, nlevels, caplevels;
	uint32_t *group_of;           /* by instance */
	uint32_t *level;              /* by gauge */
	struct hd_item_kept *items;
	struct hd_item_kept rest;          /* all after HD_MOST_ITEMS */
	size_t n, kept, cap;
	struct hd_part_sum *sums;     /* parts.c */
	size_t nsums, capsums;
	size_t last_row;              /* the largest of theirs */
	bool dropped;
};

/* What was counted for the part; NULL: parts do not overlap, or none of it has been. */
const uint64_t *hd__part_sum(const struct hd_per_item *p, uint32_t part);
/* The part ends, and is one of those that are kept together. */
void hd__part_rests(struct hd_per_item *p, uint32_t part);

/* The item that ended with this row, of those that are kept one by one; SIZE_MAX: there is none.  p may be NULL. */
size_t hd__item_of(const struct hd_per_item *p, const char *table, size_t row);

#endif

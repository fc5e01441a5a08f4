/* stats_room.c - what statistics are for the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "deadlock.h"
#include "stats.h"

static void add_row(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n,
                    const uint32_t *part)
{
	struct hd_row_added a = hd__row_add(c, table, cells, n);

	if (a.second)
		hd__per_item_drop_of(c->sim, a.table);
	if (part && a.several)
		hd__per_item_drop(c->sim);
	else if (part && (c->sim->opt.per_item || c->sim->opt.item_over))
		hd__item_ends(c->sim, a.table, a.row, *part);
}

static void free_all(struct hd_sim *s)
{
	hd__gauges_free(s);
	hd__per_item_free(s);
	hd__parts_free(s);
	hd__row_tables_free(s);
}

static void all_saved(struct hd_checkpoint *k)
{
	hd__rows_saved(k);
	hd__per_item_saved(k);
	hd__parts_saved(k);
}

static void settle(struct hd_sim *s)
{
	hd__gauges_settle(s);
	hd__parts_collect(s);
}

const struct hd_stats_hooks hd__stats_room = {
	.make = hd__gauges_make,
	.settle = settle,
	.free = free_all,
	.row = add_row,
	.parts = hd__parts_make,
	.part_begins = hd__part_begins,
	.keep_item = hd__item_keep,
	.deadlock = hd__explain_deadlock,
	.same_rows = hd__rows_same,
	.saved = all_saved,
	.plain = hd__stats_plain,
	.rows = hd__stats_rows,
};

/* stats_room.c - what statistics are for the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "deadlock.h"
#include "stats.h"

static void free_all(struct hd_sim *s)
{
	hd__gauges_free(s);
	hd__per_item_free(s);
	hd__row_tables_free(s);
}

static void all_saved(struct hd_checkpoint *k)
{
	hd__rows_saved(k);
	hd__per_item_saved(k);
}

const struct hd_stats_hooks hd__stats_room = {
	.make = hd__gauges_make,
	.settle = hd__gauges_settle,
	.free = free_all,
	.row = hd__row_add,
	.keep_item = hd__item_keep,
	.deadlock = hd__explain_deadlock,
	.same_rows = hd__rows_same,
	.saved = all_saved,
	.plain = hd__stats_plain,
	.rows = hd__stats_rows,
};

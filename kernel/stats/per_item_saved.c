/* per_item_saved.c - checkpoints of what statistics have grown by in each item
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All items that have ended are kept: the simulation has halted.
 */
#include "kernel/saved.h"
#include "stats.h"
#include "per_item.h"

static struct hd_item_growth *growth_saved(struct hd_checkpoint *k, struct hd_item_growth *v, size_t *n,
                                           size_t most)
{
	*n = hd_saved_number(k, *n, most);
	if (!k->loading) {
		hd_saved(k, v, *n * sizeof *v);
		return v;
	}
	v = hd__xcalloc(*n, sizeof *v);
	hd_saved(k, v, *n * sizeof *v);
	for (size_t i = 0; i < *n; i++)
		if (v[i].of >= most)
			hd_refuse(k, "the growth of a counter that does not exist");
	return v;
}

static void item_saved(struct hd_checkpoint *k, const struct hd_per_item *p, struct hd_item_kept *item)
{
	char *table = hd__saved_string(k, k->loading ? NULL : item->table);

	if (k->loading)
		item->table = table ? hd__row_table_name(k->sim, table) : NULL;
	if (table && !item->table)
		hd_refuse(k, "a part of table '%s', which is not there", table);
	free(table);
	item->row = hd_saved_number(k, item->row, SIZE_MAX);
	item->growth = growth_saved(k, item->growth, &item->ngrowth, p->ncounters);
	item->edges = growth_saved(k, item->edges, &item->nedges, p->ngroups);
	item->nfills = hd_saved_number(k, item->nfills, p->nlevels);
	if (k->loading)
		item->fills = hd__xcalloc(item->nfills, sizeof *item->fills);
	hd_saved(k, item->fills, item->nfills * sizeof *item->fills);
	for (size_t i = 0; k->loading && i < item->nfills; i++)
		if (item->fills[i].level >= p->nlevels
		    || item->fills[i].sum / UINT32_MAX > item->fills[i].edges)
			hd_refuse(k, "the fill of a queue that does not exist");
}

void hd__per_item_saved(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	struct hd_per_item *p;
	uint64_t n;

	if (!hd_saved_number(k, s->per_item != NULL, 1))
		return;
	p = s->per_item = s->per_item ? s->per_item : hd__per_item_new(s);
	p->dropped = hd_saved_number(k, p->dropped, 1);
	for (size_t i = 0; i < p->ncounters; i++)
		HD_SAVED(k, p->counters[i].before);
	for (size_t i = 0; i < p->ngroups; i++)
		HD_SAVED(k, p->groups[i].before);
	for (size_t i = 0; i < p->nlevels; i++)
		HD_SAVED_FROM(k, &p->levels[i], sum_before, edges_before);
	n = hd_saved_number(k, p->n, HD_MOST_ITEMS);
	for (uint64_t i = 0; i < n && !k->why; i++) {
		struct hd_item_kept loaded = { .table = NULL };

		item_saved(k, p, k->loading ? &loaded : &p->items[i]);
		if (!k->loading)
			continue;
		if (!loaded.table)
			hd_refuse(k, "a part of no table");
		*hd__item_add(p, loaded.table, loaded.row) = loaded;
	}
	item_saved(k, p, &p->rest);
	p->kept = p->n;
}

/* per_kernel_saved.c - checkpoints of what statistics have grown by in each part of the run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All parts that have ended are kept: the simulation has halted.
 */
#include "kernel/save/save.h"
#include "per_kernel.h"

static struct hd_part_growth *growth_saved(struct hd_checkpoint *k, struct hd_part_growth *v, size_t *n,
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

static void part_saved(struct hd_checkpoint *k, const struct hd_parts *p, struct hd_part_kept *part)
{
	char *table = hd__saved_string(k, k->loading ? NULL : part->table);

	if (k->loading)
		part->table = table ? hd__row_table_name(k->sim, table) : NULL;
	if (table && !part->table)
		hd_refuse(k, "a part of table '%s', which is not there", table);
	free(table);
	part->row = hd_saved_number(k, part->row, SIZE_MAX);
	part->growth = growth_saved(k, part->growth, &part->ngrowth, p->ncounters);
	part->edges = growth_saved(k, part->edges, &part->nedges, p->ngroups);
	part->nfills = hd_saved_number(k, part->nfills, p->nlevels);
	if (k->loading)
		part->fills = hd__xcalloc(part->nfills, sizeof *part->fills);
	hd_saved(k, part->fills, part->nfills * sizeof *part->fills);
	for (size_t i = 0; k->loading && i < part->nfills; i++)
		if (part->fills[i].level >= p->nlevels
		    || part->fills[i].sum / UINT32_MAX > part->fills[i].edges)
			hd_refuse(k, "the fill of a queue that does not exist");
}

void hd__parts_saved(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	struct hd_parts *p;
	uint64_t n;

	if (!hd_saved_number(k, s->parts != NULL, 1))
		return;
	p = s->parts = s->parts ? s->parts : hd__parts_new(s);
	p->dropped = hd_saved_number(k, p->dropped, 1);
	for (size_t i = 0; i < p->ncounters; i++)
		HD_SAVED(k, p->counters[i].before);
	for (size_t i = 0; i < p->ngroups; i++)
		HD_SAVED(k, p->groups[i].before);
	for (size_t i = 0; i < p->nlevels; i++)
		HD_SAVED_FROM(k, &p->levels[i], sum_before, edges_before);
	n = hd_saved_number(k, p->n, HD_PARTS);
	for (uint64_t i = 0; i < n && !k->why; i++) {
		struct hd_part_kept loaded = { .table = NULL };

		part_saved(k, p, k->loading ? &loaded : &p->parts[i]);
		if (!k->loading)
			continue;
		if (!loaded.table)
			hd_refuse(k, "a part of no table");
		*hd__part_add(p, loaded.table, loaded.row) = loaded;
	}
	part_saved(k, p, &p->rest);
	p->kept = p->n;
}

/* per_item_json.c - writes what statistics have grown by in each item of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/bytes.h"
#include "per_item.h"
#include "stats.h"

#include <stdlib.h>

/* An item while it is written: growth by counter, edges by group. */
struct view {
	const struct hd_per_item *p;
	const struct hd_item_kept *item;
	uint64_t *grown, *edges;
};

static json_t *group_of(json_t *all, const char *name)
{
	json_t *o = json_object_get(all, name);

	if (!o) {
		o = json_object();
		json_object_set_new_nocheck(all, name, o);
	}
	return o;
}

static void spread(uint64_t *v, const struct hd_item_growth *growth, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[growth[i].of] = growth[i].by;
}

/* What a share is a share of, in the group. */
static uint64_t whole_of(const struct view *v, const struct hd_item_group *g, const struct hd_stat *st)
{
	const struct hd_stat *all = g->module->stats;

	for (uint32_t i = 0; all[i].name; i++)
		if (strcmp(all[i].name, st->of) == 0)
			return v->grown[g->first + i];
	return 0;
}

static json_t *share(uint64_t part, uint64_t whole)
{
	return json_real(whole ? (double)part / (double)whole : 0);
}

/* Shares cannot be added up, so they are only among the figures. */
static json_t *statistics(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->item->ngrowth; i++) {
		const struct hd_item_counter *c = &v->p->counters[v->item->growth[i].of];

		if (!hd__stat_is_share(c->stat))
			json_object_set_new_nocheck(group_of(o, v->p->groups[c->group].name), c->stat->name,
			                            json_integer((json_int_t)v->item->growth[i].by));
	}
	return o;
}

static json_t *queues(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->item->nfills; i++) {
		const struct hd_item_fill *f = &v->item->fills[i];

		json_object_set_new_nocheck(o, v->p->levels[f->level].name,
		                            hd__gauge_json(f->sum, f->edges, f->most));
	}
	return o;
}

/* The share that all groups of the module have together. */
static void add_share(json_t *o, const struct view *v, const struct hd_item_counter *c)
{
	const struct hd_module *m = v->p->groups[c->group].module;
	uint64_t part = 0, whole = 0;

	if (hd__figure_get(o, c->stat->total))
		return;
	for (size_t i = 0; i < v->p->ngroups; i++) {
		const struct hd_item_group *g = &v->p->groups[i];

		if (g->module == m) {
			part += v->grown[g->first + (uint32_t)(c->stat - m->stats)];
			whole += whole_of(v, g, c->stat);
		}
	}
	hd__figure_set(o, c->stat->total, share(part, whole));
}

/* Figures of the run as far as they belong to the item.  The largest of something does not grow by
 * what was largest in the item. */
static json_t *figures(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->p->ncounters; i++) {
		const struct hd_item_counter *c = &v->p->counters[i];

		if (!c->stat->total || c->stat->most)
			continue;
		if (hd__stat_is_share(c->stat))
			add_share(o, v, c);
		else
			hd__figure_add(o, c->stat, v->grown[i]);
	}
	return o;
}

/* Heading -> group -> share. */
static json_t *rates(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->p->ncounters; i++) {
		const struct hd_item_counter *c = &v->p->counters[i];
		const struct hd_item_group *g = &v->p->groups[c->group];

		if (c->stat->rate)
			json_object_set_new_nocheck(group_of(o, c->stat->rate), g->name,
				share(v->grown[i], c->stat->of ? whole_of(v, g, c->stat)
				                               : v->edges[c->group]));
	}
	return o;
}

static void add_item(json_t *row, const struct hd_per_item *p, const struct hd_item_kept *item)
{
	struct view v = { p, item, hd__xcalloc(p->ncounters, sizeof *v.grown),
		hd__xcalloc(p->ngroups, sizeof *v.edges) };

	spread(v.grown, item->growth, item->ngrowth);
	spread(v.edges, item->edges, item->nedges);
	json_object_set_new(row, "statistics", statistics(&v));
	json_object_set_new(row, "queues", queues(&v));
	json_object_set_new(row, "figures", figures(&v));
	json_object_set_new(row, "rates", rates(&v));
	free(v.grown);
	free(v.edges);
}

json_t *hd__per_item_row(const struct hd_sim *s, const char *table, size_t row)
{
	size_t item = hd__item_of(s->per_item, table, row);
	json_t *o = hd__row(s, table, row);

	if (item != SIZE_MAX)
		add_item(o, s->per_item, &s->per_item->items[item]);
	return o;
}

void hd__per_item_rest(const struct hd_sim *s, json_t *root)
{
	const struct hd_per_item *p = s->per_item;
	json_t *o;
	char *name;

	if (!p || p->rest.row == 0)
		return;
	o = json_pack("{s:I}", "rows", (json_int_t)p->rest.row);
	name = hd__format("%s_rest", p->rest.table);
	add_item(o, p, &p->rest);
	json_object_set_new(root, name, o);
	free(name);
}

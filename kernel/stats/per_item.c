/* per_item.c - growth of the statistics in each item of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances that differ in indices only are added up, as a group.  What has not grown is left out.
 */
#include "base/path.h"
#include "per_item.h"
#include "stats.h"

#include <stdlib.h>

/* ---- groups ---- */

/* Position of the name in a table of names; a new one is `fresh`.  *key is its text. */
static uint32_t number_of(json_t *names, char *name, size_t fresh, const char **key)
{
	json_t *old = json_object_get(names, name);

	if (!old) {
		old = json_integer((json_int_t)fresh);
		json_object_set_new(names, name, old);
	}
	*key = json_object_iter_key(json_object_iter_at(names, name));
	free(name);
	return (uint32_t)json_integer_value(old);
}

static void add_counters(struct hd_per_item *p, const struct hd_instance *in)
{
	const char *key;
	uint32_t number = number_of(p->names, hd__path_any_index(in->path), p->ngroups, &key);
	struct hd_item_group *g;

	p->group_of[in->number] = number;
	if (number < p->ngroups)
		return;
	p->groups = hd__xgrow(p->groups, p->ngroups, &p->capgroups, sizeof *p->groups);
	g = &p->groups[p->ngroups++];
	*g = (struct hd_item_group){ .name = key, .module = in->module, .first = (uint32_t)p->ncounters };
	for (const struct hd_stat *st = in->module->stats; st && st->name; st++) {
		p->counters = hd__xgrow(p->counters, p->ncounters, &p->capcounters,
		                        sizeof *p->counters);
		p->counters[p->ncounters++] = (struct hd_item_counter){ .group = number, .stat = st };
		g->timed = g->timed || (st->rate && !st->of);
	}
}

static int compare(const void *a, const void *b)
{
	return hd__instance_order(*(const struct hd_instance *const *)a,
	                          *(const struct hd_instance *const *)b);
}

struct hd_per_item *hd__per_item_new(const struct hd_sim *s)
{
	struct hd_per_item *p = hd__xcalloc(1, sizeof *p);
	const struct hd_instance **v = hd__xcalloc(s->ninstances, sizeof *v);

	for (size_t i = 0; i < s->ninstances; i++)
		v[i] = &s->instances[i];
	qsort(v, s->ninstances, sizeof *v, compare);
	p->names = json_object();
	p->levels_of = json_object();
	p->group_of = hd__xcalloc(s->ninstances, sizeof *p->group_of);
	p->level = hd__xcalloc(s->ngauges, sizeof *p->level);
	for (size_t i = 0; i < s->ninstances; i++)
		if (v[i]->module->stats)
			add_counters(p, v[i]);
	free(v);
	for (size_t i = 0; i < s->ngauges; i++) {
		const char *key;

		p->level[i] = number_of(p->levels_of, hd__path_any_index(s->gauges[i].name),
		                        p->nlevels, &key);
		if (p->level[i] < p->nlevels)
			continue;
		p->levels = hd__xgrow(p->levels, p->nlevels, &p->caplevels, sizeof *p->levels);
		p->levels[p->nlevels++] = (struct hd_item_level){ .name = key };
	}
	return p;
}

/* ---- the end of an item ---- */

struct hd_item_kept *hd__item_add(struct hd_per_item *p, const char *table, size_t row)
{
	p->items = hd__xgrow(p->items, p->n, &p->cap, sizeof *p->items);
	p->items[p->n] = (struct hd_item_kept){ .table = table, .row = row };
	p->last_row = row > p->last_row ? row : p->last_row;
	return &p->items[p->n++];
}

void hd__item_ends(struct hd_sim *s, const char *table, size_t row)
{
	struct hd_per_item *p = s->per_item;

	if (!p)
		p = s->per_item = hd__per_item_new(s);
	if (p->dropped)
		return;
	if (p->n < HD_MOST_ITEMS) {
		hd__item_add(p, table, row);
	} else {
		p->rest.table = table;
		p->rest.row++;
	}
	if (s->observe_at != 0)
		p->observe_at = s->observe_at;
	s->observe_at = 0; /* so that hd__item_keep() is called before the next edge */
	s->item_over = true;
}

size_t hd__item_of(const struct hd_per_item *p, const char *table, size_t row)
{
	for (size_t i = 0; p && row <= p->last_row && i < p->n; i++) {
		size_t k = (row + i) % p->n; /* where it is if all items are of one table */

		if (p->items[k].row == row && strcmp(p->items[k].table, table) == 0)
			return k;
	}
	return SIZE_MAX;
}

/* The present values of all counters, and the edges of the groups of which some are a share. */
static void read_counters(const struct hd_sim *s, struct hd_per_item *p)
{
	for (size_t i = 0; i < p->ncounters; i++)
		p->counters[i].now = 0;
	for (size_t i = 0; i < p->ngroups; i++)
		p->groups[i].now = 0;
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		struct hd_item_counter *c;
		struct hd_item_group *g;

		if (!in->module->stats)
			continue;
		g = &p->groups[p->group_of[i]];
		g->now += g->timed && in->clock ? in->clock->now + 1 : 0;
		c = &p->counters[g->first];
		for (const struct hd_stat *st = in->module->stats; st->name; st++, c++)
			c->now += hd_stat_value(st, in->state);
	}
}

static void keep_counters(const struct hd_sim *s, struct hd_per_item *p, struct hd_item_kept *item)
{
	size_t cap = 0, capedges = 0;

	read_counters(s, p);
	for (size_t i = 0; i < p->ncounters; i++) {
		struct hd_item_counter *c = &p->counters[i];

		if (c->now == c->before)
			continue;
		item->growth = hd__xgrow(item->growth, item->ngrowth, &cap, sizeof *item->growth);
		item->growth[item->ngrowth++] = (struct hd_item_growth){ .of = (uint32_t)i, .by = c->now - c->before };
	}
	for (size_t i = 0; i < p->ngroups; i++) {
		struct hd_item_group *g = &p->groups[i];

		if (!g->timed)
			continue;
		item->edges = hd__xgrow(item->edges, item->nedges, &capedges, sizeof *item->edges);
		item->edges[item->nedges++] = (struct hd_item_growth){ .of = (uint32_t)i, .by = g->now - g->before };
	}
}

static void keep_levels(const struct hd_sim *s, struct hd_per_item *p, struct hd_item_kept *item)
{
	size_t cap = 0;

	for (size_t i = 0; i < p->nlevels; i++)
		p->levels[i].sum = p->levels[i].edges = p->levels[i].most = 0;
	for (size_t i = 0; i < s->ngauges; i++) {
		const struct hd_gauge *g = &s->gauges[i];
		struct hd_item_level *l = &p->levels[p->level[i]];

		l->sum += g->meter->sum;
		l->edges += hd__gauge_edges(g);
		l->most = g->meter->most > l->most ? g->meter->most : l->most;
	}
	for (size_t i = 0; i < p->nlevels; i++) {
		const struct hd_item_level *l = &p->levels[i];

		if (l->most == 0)
			continue;
		item->fills = hd__xgrow(item->fills, item->nfills, &cap, sizeof *item->fills);
		item->fills[item->nfills++] = (struct hd_item_fill){ (uint32_t)i, l->most,
			l->sum - l->sum_before, l->edges - l->edges_before };
	}
}

/* The next item grows from the present values on. */
static void begin_next(struct hd_sim *s, struct hd_per_item *p)
{
	for (size_t i = 0; i < p->ncounters; i++)
		p->counters[i].before = p->counters[i].now;
	for (size_t i = 0; i < p->ngroups; i++)
		p->groups[i].before = p->groups[i].now;
	for (size_t i = 0; i < s->ngauges; i++) {
		s->gauges[i].most = hd__gauge_most(&s->gauges[i]);
		s->gauges[i].meter->most = 0;
	}
	for (size_t i = 0; i < p->nlevels; i++) {
		p->levels[i].sum_before = p->levels[i].sum;
		p->levels[i].edges_before = p->levels[i].edges;
	}
}

static void free_item(struct hd_item_kept *item)
{
	free(item->growth);
	free(item->edges);
	free(item->fills);
	*item = (struct hd_item_kept){ .table = item->table, .row = item->row };
}

/* Of several items that end in one moment the others have had no time.  The rest grows from the
 * last item that is kept by itself. */
void hd__item_keep(struct hd_sim *s)
{
	struct hd_per_item *p = s->per_item;
	struct hd_item_kept *item = p->kept < p->n ? &p->items[p->kept] : &p->rest;

	s->item_over = false;
	if (s->observe_at == 0)
		s->observe_at = p->observe_at;
	if (p->dropped)
		return;
	hd__sim_settle(s);
	free_item(item);
	keep_counters(s, p, item);
	keep_levels(s, p, item);
	if (item != &p->rest)
		begin_next(s, p);
	p->kept = p->n;
	if (s->opt.item_over)
		s->opt.item_over(s->opt.item_arg);
}

static void free_items(struct hd_per_item *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_item(&p->items[i]);
	free_item(&p->rest);
	p->n = p->kept = p->rest.row = 0;
}

void hd__per_item_drop(struct hd_sim *s)
{
	if (!s->per_item)
		return;
	free_items(s->per_item);
	s->per_item->dropped = true;
}

void hd__per_item_drop_of(struct hd_sim *s, const char *table)
{
	for (size_t i = 0; s->per_item && i < s->per_item->n; i++) {
		if (strcmp(s->per_item->items[i].table, table) != 0)
			continue;
		hd__per_item_drop(s);
		break;
	}
}

void hd__per_item_free(struct hd_sim *s)
{
	struct hd_per_item *p = s->per_item;

	if (!p)
		return;
	free_items(p);
	free(p->items);
	free(p->counters);
	free(p->groups);
	free(p->levels);
	free(p->group_of);
	free(p->level);
	json_decref(p->names);
	json_decref(p->levels_of);
	free(p);
}

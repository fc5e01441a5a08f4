/* per_item.c - growth of the statistics in each item of the input that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances that differ in indices only are added up, as a group.  What has not grown is left out.
 */
#include "kernel/saved.h"
#include "per_item.h"
#include "stats.h"
#include "base/bytes.h"
#include "base/path.h"

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

static struct hd_per_item *make(const struct hd_sim *s)
{
	struct hd_per_item *p = hd__xcalloc(1, sizeof *p);
	const struct hd_instance **v = hd__instances_sorted(s);

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

static struct hd_item_kept *add(struct hd_per_item *p, const char *table, size_t row, uint32_t part)
{
	p->items = hd__xgrow(p->items, p->n, &p->cap, sizeof *p->items);
	p->items[p->n] = (struct hd_item_kept){ .table = table, .row = row, .part = part };
	p->last_row = row > p->last_row ? row : p->last_row;
	return &p->items[p->n++];
}

void hd__item_ends(struct hd_sim *s, const char *table, size_t row, uint32_t part)
{
	struct hd_per_item *p = s->per_item;

	if (!p && s->opt.per_item)
		p = s->per_item = make(s);
	if (p && p->dropped)
		return;
	s->item_over = true;
	hd__observe_next(s);
	if (!p)
		return;
	if (p->n < HD_MOST_ITEMS || p->n < s->opt.most_items) {
		add(p, table, row, part);
	} else {
		if (s->parts)
			hd__part_rests(p, part);
		p->rest.part = HD_REST_PARTS;
		p->rest.table = table;
		p->rest.row++;
	}
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
	*item = (struct hd_item_kept){ .table = item->table, .row = item->row, .part = item->part };
}

/* Of several items that end in one moment the others have had no time.  The rest grows from the
 * last item that is kept by itself. */
static void keep(struct hd_sim *s, struct hd_per_item *p)
{
	struct hd_item_kept *item = p->kept < p->n ? &p->items[p->kept] : &p->rest;

	free_item(item);
	keep_counters(s, p, item);
	keep_levels(s, p, item);
	if (item != &p->rest)
		begin_next(s, p);
	p->kept = p->n;
}

void hd__item_keep(struct hd_sim *s)
{
	s->item_over = false;
	hd__observe_next(s);
	if (s->per_item && s->per_item->dropped)
		return;
	hd__sim_settle(s);
	if (s->per_item)
		keep(s, s->per_item);
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
	for (size_t i = 0; i < p->nsums; i++)
		free(p->sums[i].v);
	free(p->sums);
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

/* ---- checkpoints -------------------------------------------------------------------------- */

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
	item->part = (uint32_t)hd_saved_number(k, item->part, UINT32_MAX);
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
	p = s->per_item = s->per_item ? s->per_item : make(s);
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
		*add(p, loaded.table, loaded.row, loaded.part) = loaded;
	}
	item_saved(k, p, &p->rest);
	p->kept = p->n;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* An item while it is written: growth by counter, edges by group.  Where parts overlap there are two: one of what was
 * counted for the part, and one of the interval since the last part ended, with what belongs to no part. */
struct view {
	const struct hd_per_item *p;
	const struct hd_item_kept *item;
	const uint64_t *grown, *edges;
	bool of_part, of_interval; /* what it has */
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

/* The statistic that a share is a share of, in the group. */
static size_t whole_of(const struct hd_item_group *g, const struct hd_stat *st)
{
	const struct hd_stat *all = g->module->stats;
	size_t i = 0;

	while (strcmp(all[i].name, st->of) != 0) /* it is there: module_check.c */
		i++;
	return i;
}

/* Is the counter in the view?  A share is if its whole is one of the same.  Instances that have never named the
 * part that they count for belong to the interval. */
static bool is_in(const struct view *v, const struct hd_item_counter *c, bool share)
{
	const struct hd_item_group *g = &v->p->groups[c->group];
	bool part = c->stat->part && g->parts;

	if (share)
		part = part && c->stat->of && g->module->stats[whole_of(g, c->stat)].part;
	return part ? v->of_part : v->of_interval;
}

static uint64_t whole(const struct view *v, const struct hd_item_counter *c)
{
	const struct hd_item_group *g = &v->p->groups[c->group];

	return c->stat->of ? v->grown[g->first + whole_of(g, c->stat)] : v->edges[c->group];
}

/* Shares cannot be added up, so they are only among the figures. */
static json_t *statistics(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->p->ncounters; i++) {
		const struct hd_item_counter *c = &v->p->counters[i];

		if (v->grown[i] && !hd__stat_is_share(c->stat) && is_in(v, c, false))
			json_object_set_new_nocheck(group_of(o, v->p->groups[c->group].name), c->stat->name,
			                            json_integer((json_int_t)v->grown[i]));
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

/* Figures of the run as far as they belong to the item.  The largest of something does not grow by
 * what was largest in the item. */
static json_t *figures(const struct view *v)
{
	struct hd_figures f = { .n = 0 };
	json_t *o = json_object();

	for (size_t i = 0; i < v->p->ncounters; i++) {
		const struct hd_item_counter *c = &v->p->counters[i];

		bool share = hd__stat_is_share(c->stat);

		if (c->stat->total && !c->stat->most && is_in(v, c, share))
			hd__figures_add(&f, c->stat, v->grown[i], share ? whole(v, c) : 0);
	}
	hd__figures_json(&f, o);
	return o;
}

/* Heading -> group -> share. */
static json_t *rates(const struct view *v)
{
	json_t *o = json_object();

	for (size_t i = 0; i < v->p->ncounters; i++) {
		const struct hd_item_counter *c = &v->p->counters[i];

		if (c->stat->rate && is_in(v, c, true))
			json_object_set_new_nocheck(group_of(o, c->stat->rate), v->p->groups[c->group].name,
			                            hd__share_json(v->grown[i], whole(v, c)));
	}
	return o;
}

static void add_view(json_t *o, const struct view *v)
{
	json_object_set_new(o, "statistics", statistics(v));
	if (v->of_interval)
		json_object_set_new(o, "queues", queues(v));
	json_object_set_new(o, "figures", figures(v));
	json_object_set_new(o, "rates", rates(v));
}

static void add_item(json_t *row, const struct hd_sim *s, const struct hd_item_kept *item)
{
	const struct hd_per_item *p = s->per_item;
	uint64_t *grown = hd__xcalloc(p->ncounters, sizeof *grown), *edges = hd__xcalloc(p->ngroups, sizeof *edges);
	uint64_t *none = hd__xcalloc(p->ncounters, sizeof *none);
	const uint64_t *sum = s->parts ? hd__part_sum(p, item->part) : NULL;
	struct view v = { p, item, grown, edges, .of_part = !s->parts, .of_interval = true };
	json_t *interval = s->parts ? json_object() : row;

	spread(grown, item->growth, item->ngrowth);
	spread(edges, item->edges, item->nedges);
	if (s->parts) {
		add_view(row, &(struct view){ p, item, sum ? sum : none, edges, .of_part = true });
		json_object_set(row, "interval", interval);
	}
	add_view(interval, &v);
	if (s->parts)
		json_decref(interval);
	free(grown);
	free(edges);
	free(none);
}

json_t *hd__per_item_row(const struct hd_sim *s, const char *table, size_t row)
{
	size_t item = hd__item_of(s->per_item, table, row);
	json_t *o = hd__row(s, table, row);

	if (item != SIZE_MAX)
		add_item(o, s, &s->per_item->items[item]);
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
	add_item(o, s, &p->rest);
	json_object_set_new(root, name, o);
	free(name);
}

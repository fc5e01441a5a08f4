/* parts.c - growth of the statistics in each part of the run that has ended
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances that differ in indices only are added up.  Statistics that have not grown are left out.
 */
#include "kernel/base/path.h"
#include "sim.h"

#include <stdlib.h>

/* A statistic of all instances of a group. */
struct counter {
	const char *group; /* key in hd_parts.groups */
	const struct hd_stat *stat;
	uint64_t now, before;
};

/* Queues of a group. */
struct level {
	const char *group;
	uint64_t sum, edges, sum_before, edges_before;
	uint32_t most;
};

struct growth {
	uint32_t counter;
	uint64_t by;
};

struct fill {
	uint32_t level, most;
	uint64_t sum, edges;
};

struct part {
	char *table;
	size_t row;
	struct growth *growth;
	struct fill *fills;
	size_t ngrowth, nfills;
};

struct hd_parts {
	json_t *groups;       /* name -> its first counter */
	json_t *levels_of;    /* name -> its level */
	struct counter *counters;
	struct level *levels;
	size_t ncounters, capcounters, nlevels, caplevels;
	uint32_t *first;      /* by instance: its first counter */
	uint32_t *level;      /* by gauge */
	struct part *parts;
	size_t n, kept, cap;
	uint64_t observe_at;  /* of the simulation, which has 0 until the part is kept */
	bool dropped;
};

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

static void add_counters(struct hd_parts *p, const struct hd_instance *in)
{
	const char *key;
	uint32_t first = number_of(p->groups, hd__path_any_index(in->path), p->ncounters, &key);

	p->first[in->number] = first;
	if (first < p->ncounters)
		return;
	for (const struct hd_stat *st = in->module->stats; st && st->name; st++) {
		p->counters = hd__xgrow(p->counters, p->ncounters, &p->capcounters,
		                        sizeof *p->counters);
		p->counters[p->ncounters++] = (struct counter){ .group = key, .stat = st };
	}
}

static int compare(const void *a, const void *b)
{
	return hd__instance_order(*(const struct hd_instance *const *)a,
	                          *(const struct hd_instance *const *)b);
}

/* Groups come in the order of their first instances by name, so that the netlist's does not show. */
static struct hd_parts *parts_new(const struct hd_sim *s)
{
	struct hd_parts *p = hd__xcalloc(1, sizeof *p);
	const struct hd_instance **v = hd__xcalloc(s->ninstances, sizeof *v);

	for (size_t i = 0; i < s->ninstances; i++)
		v[i] = &s->instances[i];
	qsort(v, s->ninstances, sizeof *v, compare);
	p->groups = json_object();
	p->levels_of = json_object();
	p->first = hd__xcalloc(s->ninstances, sizeof *p->first);
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
		p->levels[p->nlevels++] = (struct level){ .group = key };
	}
	return p;
}

/* ---- the end of a part ---- */

void hd__part_ends(struct hd_sim *s, const char *table, size_t row)
{
	struct hd_parts *p = s->parts;

	if (!p)
		p = s->parts = parts_new(s);
	if (p->dropped)
		return;
	p->parts = hd__xgrow(p->parts, p->n, &p->cap, sizeof *p->parts);
	p->parts[p->n++] = (struct part){ .table = hd__xstrdup(table), .row = row };
	if (s->observe_at != 0)
		p->observe_at = s->observe_at;
	s->observe_at = 0; /* so that hd__part_keep() is called before the next edge */
	s->part_over = true;
}

static void keep_counters(const struct hd_sim *s, struct hd_parts *p, struct part *part)
{
	size_t cap = 0;

	for (size_t i = 0; i < p->ncounters; i++)
		p->counters[i].now = 0;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct counter *c = &p->counters[p->first[i]];

		for (const struct hd_stat *st = s->instances[i].module->stats; st && st->name; st++, c++)
			c->now += hd_stat_value(st, s->instances[i].state);
	}
	for (size_t i = 0; i < p->ncounters; i++) {
		struct counter *c = &p->counters[i];

		if (c->now != c->before && !hd__stat_is_share(c->stat)) {
			part->growth = hd__xgrow(part->growth, part->ngrowth, &cap,
			                         sizeof *part->growth);
			part->growth[part->ngrowth++] = (struct growth){ (uint32_t)i,
				c->now - c->before };
		}
		c->before = c->now;
	}
}

/* Each gauge starts again from its present value. */
static void keep_levels(struct hd_sim *s, struct hd_parts *p, struct part *part)
{
	size_t cap = 0;

	for (size_t i = 0; i < p->nlevels; i++)
		p->levels[i].sum = p->levels[i].edges = p->levels[i].most = 0;
	for (size_t i = 0; i < s->ngauges; i++) {
		struct hd_gauge *g = &s->gauges[i];
		struct level *l = &p->levels[p->level[i]];

		l->sum += g->meter->sum;
		l->edges += hd__gauge_edges(g);
		l->most = g->meter->most > l->most ? g->meter->most : l->most;
		g->most = hd__gauge_most(g);
		g->meter->most = 0;
	}
	for (size_t i = 0; i < p->nlevels; i++) {
		struct level *l = &p->levels[i];

		if (l->most > 0) {
			part->fills = hd__xgrow(part->fills, part->nfills, &cap, sizeof *part->fills);
			part->fills[part->nfills++] = (struct fill){ (uint32_t)i, l->most,
				l->sum - l->sum_before, l->edges - l->edges_before };
		}
		l->sum_before = l->sum;
		l->edges_before = l->edges;
	}
}

void hd__part_keep(struct hd_sim *s)
{
	struct hd_parts *p = s->parts;

	s->part_over = false;
	if (s->observe_at == 0)
		s->observe_at = p->observe_at;
	if (p->dropped)
		return;
	hd__sim_settle(s);
	keep_counters(s, p, &p->parts[p->kept]); /* others of this moment have had no time */
	keep_levels(s, p, &p->parts[p->kept]);
	p->kept = p->n;
}

static void free_parts(struct hd_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->parts[i].table);
		free(p->parts[i].growth);
		free(p->parts[i].fills);
	}
	p->n = 0;
}

void hd__parts_drop(struct hd_sim *s)
{
	if (!s->parts)
		return;
	free_parts(s->parts);
	s->parts->dropped = true;
}

void hd__kept_parts_free(struct hd_sim *s)
{
	struct hd_parts *p = s->parts;

	if (!p)
		return;
	free_parts(p);
	free(p->parts);
	free(p->counters);
	free(p->levels);
	free(p->first);
	free(p->level);
	json_decref(p->groups);
	json_decref(p->levels_of);
	free(p);
}

/* ---- writing ---- */

static json_t *group_of(json_t *all, const char *name)
{
	json_t *o = json_object_get(all, name);

	if (!o) {
		o = json_object();
		json_object_set_new_nocheck(all, name, o);
	}
	return o;
}

static void add_to_row(json_t *row, const struct hd_parts *p, const struct part *part)
{
	json_t *statistics = json_object(), *queues = json_object();

	for (size_t i = 0; i < part->ngrowth; i++) {
		const struct counter *c = &p->counters[part->growth[i].counter];

		json_object_set_new_nocheck(group_of(statistics, c->group), c->stat->name,
		                            json_integer((json_int_t)part->growth[i].by));
	}
	for (size_t i = 0; i < part->nfills; i++) {
		const struct fill *f = &part->fills[i];

		json_object_set_new_nocheck(queues, p->levels[f->level].group,
		                            hd__gauge_json(f->sum, f->edges, f->most));
	}
	json_object_set_new(row, "statistics", statistics);
	json_object_set_new(row, "queues", queues);
}

json_t *hd__parts_rows(const struct hd_sim *s, const char *table, json_t *rows)
{
	const struct hd_parts *p = s->parts;
	json_t *all = json_array(), *row;
	size_t i;

	json_array_foreach(rows, i, row)
		json_array_append_new(all, json_copy(row));
	for (i = 0; p && i < p->n; i++)
		if (strcmp(p->parts[i].table, table) == 0)
			add_to_row(json_array_get(all, p->parts[i].row), p, &p->parts[i]);
	return all;
}

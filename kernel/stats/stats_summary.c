/* stats_summary.c - statistics of a run in short: instances that differ only in indices are added up
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A large netlist has thousands of instances, and a study hundreds of runs of it.
 */
#include "base/path.h"
#include "stats.h"

#include <stdlib.h>

/* The object of the name with any index; *fresh: it was not there before. */
static json_t *group_of(json_t *all, const char *path, bool *fresh)
{
	char *name = hd__path_any_index(path);
	json_t *o = json_object_get(all, name);

	*fresh = o == NULL;
	if (*fresh) {
		o = json_object();
		json_object_set_new_nocheck(all, name, o);
	}
	free(name);
	return o;
}

/* Adds up, or takes the larger one. */
static void add(json_t *o, const char *name, uint64_t v, bool most)
{
	uint64_t old = (uint64_t)json_integer_value(json_object_get(o, name));

	v = !most ? old + v : v > old ? v : old;
	json_object_set_new_nocheck(o, name, json_integer((json_int_t)v));
}

/* The shares of a group, of which the counters are there: of all its instances together. */
static void put_shares(json_t *o, const struct hd_module *m)
{
	for (const struct hd_stat *st = m->stats; st->name; st++) {
		double part, whole;

		if (!hd__stat_is_share(st))
			continue;
		part = (double)json_integer_value(json_object_get(o, st->name));
		whole = (double)json_integer_value(json_object_get(o, st->of));
		json_object_set_new_nocheck(o, st->name, json_real(whole > 0 ? part / whole : 0));
	}
}

static json_t *instances(const struct hd_sim *s)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	json_t *all = json_object();
	size_t first = 0;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_module *m = v[i]->module;
		bool fresh;
		json_t *o;

		if (!m->stats)
			continue;
		o = group_of(all, v[i]->path, &fresh);
		if (fresh) {
			json_object_set_new(o, "module", json_string(m->name));
			v[first++] = v[i];
		}
		for (const struct hd_stat *st = m->stats; st->name; st++)
			add(o, st->name, hd_stat_value(st, v[i]->state), st->most);
	}
	for (size_t i = 0; i < first; i++) {
		bool fresh;

		put_shares(group_of(all, v[i]->path, &fresh), v[i]->module);
	}
	free(v);
	return all;
}

/* Like the queues of a kernel: the mean is that of one queue. */
static json_t *queues(const struct hd_sim *s)
{
	json_t *all = json_object(), *o, *v;
	const char *name;

	for (size_t i = 0; i < s->ngauges; i++) {
		const struct hd_gauge *g = &s->gauges[i];
		bool fresh;

		o = group_of(all, g->name, &fresh);
		add(o, "sum", g->meter->sum, false);
		add(o, "edges", hd__gauge_edges(g), false);
		add(o, "most", hd__gauge_most(g), true);
		if (fresh)
			json_object_set_new(o, "unit", json_string(g->unit));
		if (fresh && g->capacity && *g->capacity)
			json_object_set_new(o, "capacity", json_integer(*g->capacity));
	}
	json_object_foreach(all, name, v) {
		o = hd__gauge_json((uint64_t)json_integer_value(json_object_get(v, "sum")),
		                   (uint64_t)json_integer_value(json_object_get(v, "edges")),
		                   (uint32_t)json_integer_value(json_object_get(v, "most")));
		json_object_del(v, "sum");
		json_object_del(v, "edges");
		json_object_update(v, o);
		json_decref(o);
	}
	return all;
}

json_t *hd__stats_summary(const struct hd_sim *s, const char *status)
{
	json_t *root = hd__stats_plain(s, status);

	json_object_set_new(root, "instances", instances(s));
	if (s->ngauges)
		json_object_set_new(root, "queues", queues(s));
	json_object_del(root, "modules");
	return root;
}

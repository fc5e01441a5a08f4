/* stats_summary.c - statistics of a run in short: instances that differ only in indices are added up
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A large netlist has thousands of instances, and a study hundreds of runs of it.
 */
#include "base/path.h"
#include "stats.h"

#include <stdlib.h>

struct entry {
	const struct hd_stat *stat;
	uint64_t v;
};

/* Instances that differ in indices only. */
struct group {
	char *name;
	const struct hd_module *module; /* of the first */
	struct entry *v;
	size_t n, cap;
};

struct groups {
	struct group *v;
	size_t n, cap;
};

static struct group *group_of(struct groups *g, const struct hd_instance *in)
{
	char *name = hd__path_any_index(in->path);

	for (size_t i = g->n; i-- > 0;) /* mostly it is the last */
		if (strcmp(g->v[i].name, name) == 0) {
			free(name);
			return &g->v[i];
		}
	g->v = hd__xgrow(g->v, g->n, &g->cap, sizeof *g->v);
	g->v[g->n] = (struct group){ .name = name, .module = in->module };
	return &g->v[g->n++];
}

/* The entry of a statistic, which mostly is number i; a new one is 0. */
static struct entry *entry_of(struct group *g, const struct hd_stat *st, size_t i)
{
	if (i < g->n && g->v[i].stat == st)
		return &g->v[i];
	for (size_t k = 0; k < g->n; k++)
		if (strcmp(g->v[k].stat->name, st->name) == 0)
			return &g->v[k];
	g->v = hd__xgrow(g->v, g->n, &g->cap, sizeof *g->v);
	g->v[g->n] = (struct entry){ .stat = st };
	return &g->v[g->n++];
}

static uint64_t value_of(const struct group *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (strcmp(g->v[i].stat->name, name) == 0)
			return g->v[i].v;
	return 0;
}

/* Shares are those of all instances of the group together. */
static json_t *group_json(const struct group *g)
{
	json_t *o = json_object();

	json_object_set_new(o, "module", json_string(g->module->name));
	for (size_t i = 0; i < g->n; i++) {
		const struct hd_stat *st = g->v[i].stat;

		json_object_set_new_nocheck(o, st->name, hd__stat_is_share(st)
			? hd__share_json(g->v[i].v, value_of(g, st->of)) : json_integer((json_int_t)g->v[i].v));
	}
	return o;
}

static json_t *instances(const struct hd_sim *s)
{
	const struct hd_instance **v = hd__instances_sorted(s);
	json_t *all = json_object();
	struct groups g = { .n = 0 };

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_stat *stats = v[i]->module->stats;
		struct group *of = stats ? group_of(&g, v[i]) : NULL;

		for (size_t k = 0; stats && stats[k].name; k++) {
			struct entry *e = entry_of(of, &stats[k], k);
			uint64_t value = hd_stat_value(&stats[k], v[i]->state);

			e->v = !stats[k].most ? e->v + value : value > e->v ? value : e->v;
		}
	}
	for (size_t i = 0; i < g.n; i++) {
		json_object_set_new_nocheck(all, g.v[i].name, group_json(&g.v[i]));
		free(g.v[i].name);
		free(g.v[i].v);
	}
	free(g.v);
	free(v);
	return all;
}

json_t *hd__stats_summary(const struct hd_sim *s, const char *status)
{
	json_t *root = hd__stats_plain(s, status);

	json_object_set_new(root, "instances", instances(s));
	if (s->ngauges)
		json_object_set_new(root, "queues", hd__gauges_summary(s));
	json_object_del(root, "modules");
	return root;
}

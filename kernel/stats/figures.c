/* figures.c - figures of the whole run, which statistics add to; as JSON "a.b" is member b of a
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/bytes.h"
#include "stats.h"

#include <stdlib.h>

/* All instances of a module have the same names, mostly at one address. */
static struct hd_run_figure *figure_of(struct hd_figures *f, const char *name)
{
	uint64_t *place = hd__int_map_at(&f->of, (uintptr_t)name);

	for (size_t i = 0; *place == 0 && i < f->n; i++)
		if (strcmp(f->v[i].stat->total, name) == 0)
			*place = i + 1;
	if (*place == 0) {
		f->v = hd__xgrow(f->v, f->n, &f->cap, sizeof *f->v);
		f->v[f->n++] = (struct hd_run_figure){ .v = 0 };
		*place = f->n;
	}
	return &f->v[*place - 1];
}

void hd__figures_add(struct hd_figures *f, const struct hd_stat *st, uint64_t v, uint64_t whole)
{
	struct hd_run_figure *x = figure_of(f, st->total);

	if (!x->stat)
		x->stat = st;
	if (st->most)
		x->v = v > x->v ? v : x->v;
	else
		x->v += v;
	x->whole += whole;
}

static void set(json_t *obj, const char *name, json_t *value)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(name, '.')) {
		char *group = hd__format("%.*s", (int)(dot - name), name);
		json_t *inner = json_object_get(obj, group);

		if (!json_is_object(inner)) {
			inner = json_object();
			json_object_set_new(obj, group, inner);
		}
		free(group);
		obj = inner;
		name = dot + 1;
	}
	json_object_set_new(obj, name, value);
}

void hd__figures_json(struct hd_figures *f, json_t *to)
{
	for (size_t i = 0; i < f->n; i++)
		set(to, f->v[i].stat->total, hd__stat_is_share(f->v[i].stat) ? hd__share_json(f->v[i].v, f->v[i].whole)
		                                                             : json_integer((json_int_t)f->v[i].v));
	free(f->v);
	hd__int_map_free(&f->of);
}

/* catalogue.c - unit and meaning of every statistic, from the descriptors of the modules
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "catalogue.h"

static json_t *about(const char *unit, const char *doc)
{
	return json_pack("{s:s, s:s}", "unit", unit, "doc", doc);
}

json_t *study_catalogue(const struct hd_registry *r)
{
	json_t *run = json_object(), *modules = json_object();
	char name[120];

	json_object_set_new(run, "cycles", about("cycles", "periods of the first clock"));
	for (size_t i = 0; i < r->n; i++) {
		const struct hd_module *m = r->v[i].module;
		json_t *all = json_object();

		for (const struct hd_stat *st = m->stats; st != NULL && st->name != NULL; st++) {
			json_object_set_new(all, st->name, about(st->unit, st->doc));
			if (st->total != NULL && json_object_get(run, st->total) == NULL)
				json_object_set_new(run, st->total, about(st->unit, st->doc));
		}
		for (const struct hd_reason *one = m->reasons; one != NULL && one->name != NULL; one++) {
			snprintf(name, sizeof name, "reasons.%s", one->name);
			json_object_set_new(run, name, about("scheduler cycles", one->doc));
		}
		json_object_set_new(modules, m->name, all);
	}
	return json_pack("{s:o, s:o}", "run", run, "modules", modules);
}

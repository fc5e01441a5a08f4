/* arrays.c - instances in the order of the statistics; arrays of them: their modules, and how many elements they have
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "base/xalloc.h"
#include "stats.h"

static int compare_instances(const void *a, const void *b)
{
	return hd__instance_order(*(const struct hd_instance *const *)a,
	                          *(const struct hd_instance *const *)b);
}

const struct hd_instance **hd__instances_sorted(const struct hd_sim *s)
{
	size_t n;

	return hd__instances_among(s, NULL, &n);
}

const struct hd_instance **hd__instances_among(const struct hd_sim *s, const bool *some, size_t *n)
{
	const struct hd_instance **v = hd__xcalloc(s->ninstances + 1, sizeof *v);

	*n = 0;
	for (size_t i = 0; i < s->ninstances; i++)
		if (!some || some[i])
			v[(*n)++] = &s->instances[i];
	qsort(v, *n, sizeof *v, compare_instances);
	return v;
}

/* v: all instances, sorted.  Those that differ only in indices are one array. */
json_t *hd__stats_arrays(const struct hd_sim *s, const struct hd_instance *const *v)
{
	json_t *all = json_object(), *last = NULL, *count = NULL;

	for (size_t i = 0; i < s->ninstances; i++) {
		if (i == 0 || v[i]->decl != v[i - 1]->decl) {
			char *name = hd__path_any_index(v[i]->path);

			last = json_object_get(all, name);
			if (last == NULL) {
				last = json_pack("{s:s, s:i, s:o*}", "module", v[i]->module->name, "count", 0, "turns",
				                 v[i]->turns > 0 ? json_integer(v[i]->turns) : NULL);
				json_object_set_new_nocheck(all, name, last);
			}
			count = json_object_get(last, "count");
			free(name);
		}
		json_integer_set(count, json_integer_value(count) + 1);
	}
	return all;
}

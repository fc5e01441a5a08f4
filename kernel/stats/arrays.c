/* arrays.c - the arrays of a netlist in the statistics: their modules, and how many elements they have
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/path.h"
#include "stats.h"

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

/* study_names.c - the statistics of runs to compare, by number
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "study_names.h"
#include "base/xalloc.h"

uint32_t study_name(const struct study_names *names, const char *kind_and_path)
{
	const json_t *known = json_object_get(names->numbers, kind_and_path);

	return known != NULL ? (uint32_t)json_integer_value(known) : UINT32_MAX;
}

uint32_t study_name_add(struct study_names *names, const char *name, const char *unit, bool share)
{
	const json_t *known = json_object_get(names->numbers, name);
	size_t cap = names->cap;

	if (known != NULL)
		return (uint32_t)json_integer_value(known);
	names->v = hd__xgrow(names->v, names->n, &names->cap, sizeof *names->v);
	if (cap != names->cap)
		names->share = hd__xrealloc(names->share, names->cap * sizeof *names->share);
	json_object_set_new_nocheck(names->numbers, name, json_integer((json_int_t)names->n));
	if (unit != NULL)
		json_object_set_new_nocheck(names->units, name, json_string(unit));
	names->v[names->n] = json_object_iter_key(json_object_iter_at(names->numbers, name));
	names->share[names->n] = share;
	return (uint32_t)names->n++;
}

/* figures.c - figures of the whole run in an object: "a.b" is member b of a
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/bytes.h"
#include "stats.h"

#include <stdlib.h>

/* Where obj["a"]["b"] is, for the name "a.b": the object, and in *name "b". */
static json_t *place_of(json_t *obj, const char **name)
{
	const char *dot = strchr(*name, '.');

	while (dot) {
		char *group = hd__format("%.*s", (int)(dot - *name), *name);
		json_t *inner = json_object_get(obj, group);

		if (!json_is_object(inner)) {
			inner = json_object();
			json_object_set_new(obj, group, inner);
		}
		free(group);
		obj = inner;
		*name = dot + 1;
		dot = strchr(*name, '.');
	}
	return obj;
}

json_t *hd__figure_get(json_t *obj, const char *name)
{
	json_t *at = place_of(obj, &name);

	return json_object_get(at, name);
}

void hd__figure_set(json_t *obj, const char *name, json_t *value)
{
	json_t *at = place_of(obj, &name);

	json_object_set_new(at, name, value);
}

void hd__figure_add(json_t *obj, const struct hd_stat *st, uint64_t v)
{
	const char *name = st->total;
	json_t *at = place_of(obj, &name);
	uint64_t old = (uint64_t)json_integer_value(json_object_get(at, name));

	if (st->most)
		v = v > old ? v : old;
	else
		v += old;
	json_object_set_new(at, name, json_integer((json_int_t)v));
}

/* flatten_value.c - the value of a parameter as it is simulated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "flatten.h"
#include "param_call.h"

#include <limits.h>
#include <stdlib.h>

/* The value with "$" escaped in strings, where it would begin a parameter. */
static json_t *escaped(const json_t *v)
{
	const char *s = json_string_value(v);
	json_t *list, *item;
	char *text;
	size_t i;

	if (s != NULL && s[0] == '$') {
		text = hd__format("$%s", s);
		list = json_string(text);
		free(text);
		return hd__xcheck(list);
	}
	if (!json_is_array(v))
		return json_incref((json_t *)v);
	list = hd__xcheck(json_array());
	json_array_foreach(v, i, item)
		json_array_append_new(list, escaped(item));
	return list;
}

/* A file as seen from a folder. */
static json_t *path_value(const struct hd_sim *s, const json_t *v, bool given, const char *folder)
{
	const struct hd_netlist *n = s->netlist;
	char *path = hd__data_path(given ? hd__netlist_file_of(n, v) : n->file,
	                           json_string_value(v));
	char *real = path[0] != '\0' ? realpath(path, NULL) : NULL;
	char *base = folder != NULL ? realpath(folder, NULL) : NULL;
	size_t length = base != NULL ? strlen(base) : 0;
	const char *seen = real != NULL ? real : path;
	json_t *value;

	if (real != NULL && length > 0 && strncmp(real, base, length) == 0 && real[length] == '/')
		seen += length + 1;
	value = json_string(seen);
	free(base);
	free(real);
	free(path);
	return hd__xcheck(value);
}

json_t *hd__flatten_row(const struct hd_sim *s, const struct hd_param *columns, const json_t *row,
                         const char *folder)
{
	json_t *o = hd__xcheck(json_object());

	for (const struct hd_param *p = columns; p && p->name; p++)
		json_object_set_new(o, p->name,
		                    hd__flatten_value(s, p, json_object_get(row, p->name), folder));
	return o;
}

json_t *hd__flatten_value(const struct hd_sim *s, const struct hd_param *p, const json_t *given,
                          const char *folder)
{
	json_t *def = given == NULL ? json_loads(p->def, JSON_DECODE_ANY, NULL) : NULL, *v, *row;
	const json_t *value = given != NULL ? given : def;
	size_t i;

	if (p->type == HD_PATH) {
		v = path_value(s, value, given != NULL, folder);
	} else if (p->type == HD_TABLE) {
		v = hd__xcheck(json_array());
		json_array_foreach(value, i, row)
			json_array_append_new(v, hd__flatten_row(s, p->columns, row, folder));
	} else {
		v = escaped(value);
	}
	json_decref(def);
	return v;
}

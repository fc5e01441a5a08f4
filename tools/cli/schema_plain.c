/* schema_plain.c - a schema whose errors name what is wrong
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * "A value, or a string with $" as `anyOf` is refused as "not valid under any of the given schemas";
 * as a condition on the string the error is that of the value.  And `additionalProperties` says only
 * that a name is unexpected, but `propertyNames` with the names lists what was expected instead.
 */
#include "schema.h"
#include "base/xalloc.h"

/* Is it a reference to what begins with "$"? */
static bool is_text_with_dollar(const json_t *schema)
{
	const char *ref = json_string_value(json_object_get(schema, "$ref"));

	return ref != NULL && (strcmp(ref, "#/definitions/expression") == 0
	                       || strcmp(ref, "#/definitions/parameter") == 0);
}

static void make_condition(json_t *schema)
{
	json_t *any = json_object_get(schema, "anyOf"), *only;

	if (json_array_size(any) == 1) {
		only = json_incref(json_array_get(any, 0));
		json_object_del(schema, "anyOf");
		json_object_update_missing(schema, only);
		json_decref(only);
		make_condition(schema);
		return;
	}
	if (json_array_size(any) != 2 || !is_text_with_dollar(json_array_get(any, 1)))
		return;
	json_object_set_new(schema, "if", json_pack("{s:s, s:s}", "type", "string", "pattern", "^\\$"));
	json_object_set(schema, "then", json_array_get(any, 1));
	json_object_set(schema, "else", json_array_get(any, 0));
	json_object_del(schema, "anyOf");
}

static void list_names(json_t *schema)
{
	json_t *members = json_object_get(schema, "properties"), *names, *v;
	const char *name;

	if (!json_is_false(json_object_get(schema, "additionalProperties")) || members == NULL)
		return;
	names = hd__xcheck(json_array());
	json_object_foreach(members, name, v)
		json_array_append_new(names, json_string(name));
	json_object_set_new(schema, "propertyNames", json_pack("{s:o}", "enum", names));
	json_object_del(schema, "additionalProperties");
}

void hd__schema_plain(json_t *schema)
{
	const char *name;
	json_t *v;
	size_t i;

	if (json_is_object(schema)) {
		make_condition(schema);
		list_names(schema);
		json_object_foreach(schema, name, v)
			hd__schema_plain(v);
	}
	json_array_foreach(schema, i, v)
		hd__schema_plain(v);
}

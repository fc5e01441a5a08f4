/* lsp_schema.c - follows a JSON Schema down a document, by as much of that language as heddle's schemas have
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/pointer.h"

#include <stdlib.h>

#define DEEPEST 40u /* references in references */

struct walk {
	const json_t *schema;
	void (*each)(void *arg, const json_t *schema);
	void *arg;
};

static bool is_type(const char *type, const json_t *v)
{
	static const struct {
		const char *name;
		json_type type;
	} types[] = { { "object", JSON_OBJECT }, { "array", JSON_ARRAY }, { "string", JSON_STRING },
		{ "integer", JSON_INTEGER } };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, type))
			return v && json_typeof(v) == types[i].type;
	return strcmp(type, "boolean") == 0 ? json_is_boolean(v) : json_is_number(v);
}

/* Does the value fulfil a condition?  Conditions of the schemas have these words. */
static bool holds(const json_t *condition, const json_t *v)
{
	const json_t *type = json_object_get(condition, "type"), *constant = json_object_get(condition, "const");
	const char *pattern = json_string_value(json_object_get(condition, "pattern"));
	json_t *any = json_object_get(condition, "anyOf"), *p;
	bool one = !any;
	const char *name;
	size_t i;

	if (json_is_string(type) && !is_type(json_string_value(type), v))
		return false;
	if (constant && !json_equal(constant, v))
		return false;
	if (pattern && !strcmp(pattern, "^\\$") && json_is_string(v) && json_string_value(v)[0] != '$')
		return false;
	json_array_foreach(json_object_get(condition, "required"), i, p)
		if (!json_object_get(v, json_string_value(p)))
			return false;
	json_object_foreach(json_object_get(condition, "properties"), name, p)
		if (json_object_get(v, name) && !holds(p, json_object_get(v, name)))
			return false;
	json_array_foreach(any, i, p)
		one = one || holds(p, v);
	return one;
}

static void visit(const struct walk *w, const json_t *s, const json_t *v, const char *rest, unsigned depth);

static void visit_all(const struct walk *w, const json_t *list, const json_t *v, const char *rest, unsigned depth)
{
	json_t *s;
	size_t i;

	json_array_foreach((json_t *)list, i, s)
		visit(w, s, v, rest, depth);
}

/* The definition that "#/definitions/NAME" names. */
static const json_t *referred(const struct walk *w, const char *ref)
{
	const json_t *s = w->schema;

	for (ref += *ref == '#'; s && *ref == '/';) {
		char *name = hd__pointer_next(&ref);

		s = json_object_get(s, name);
		free(name);
	}
	return s;
}

/* Goes down to the member or element that `rest` begins with. */
static void descend(const struct walk *w, const json_t *s, const json_t *v, const char *rest, unsigned depth)
{
	char *name = hd__pointer_next(&rest);
	const json_t *inner = json_object_get(json_object_get(s, "properties"), name);

	if (json_is_array(v)) {
		v = json_array_get(v, strtoul(name, NULL, 10));
		inner = json_object_get(s, "items");
	} else {
		v = json_object_get(v, name);
		if (!inner)
			inner = json_object_get(s, "additionalProperties");
	}
	if (json_is_object(inner))
		visit(w, inner, v, rest, depth);
	free(name);
}

/* s applies to v; what is asked for is at `rest` inside of v. */
static void visit(const struct walk *w, const json_t *s, const json_t *v, const char *rest, unsigned depth)
{
	const char *ref = json_string_value(json_object_get(s, "$ref"));
	const json_t *condition = json_object_get(s, "if");

	if (depth > DEEPEST)
		return;
	if (ref)
		visit(w, referred(w, ref), v, rest, depth + 1);
	visit_all(w, json_object_get(s, "allOf"), v, rest, depth + 1);
	visit_all(w, json_object_get(s, "anyOf"), v, rest, depth + 1);
	if (condition)
		visit(w, json_object_get(s, holds(condition, v) ? "then" : "else"), v, rest, depth + 1);
	if (*rest == '/')
		descend(w, s, v, rest, depth);
	else if (s)
		w->each(w->arg, s);
}

void lsp_schema_each(const json_t *schema, const json_t *document, const char *pointer,
                     void (*each)(void *arg, const json_t *schema), void *arg)
{
	struct walk w = { schema, each, arg };

	visit(&w, schema, document, pointer, 0);
}

/* lsp_schema.c - follows a JSON Schema down a document, by as much of that language as heddle's schemas have
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lsp.h"
#include "base/pointer.h"

#include <stdlib.h>

#define DEEPEST 40u /* references in references */

struct walk {
	const json_t *schema;
	json_t *found;
};

/* Could the value fulfil a condition?  Only what a member has to be counts: both branches of other conditions apply. */
static bool may_hold(const json_t *condition, const json_t *v)
{
	const char *name;
	json_t *p;

	json_object_foreach(json_object_get(condition, "properties"), name, p)
		if (json_object_get(p, "const") && !json_equal(json_object_get(p, "const"), json_object_get(v, name)))
			return false;
	return true;
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

	if (!inner)
		inner = json_object_get(s, json_object_get(s, "items") ? "items" : "additionalProperties");
	v = json_is_array(v) ? json_array_get(v, strtoul(name, NULL, 10)) : json_object_get(v, name);
	if (json_is_object(inner))
		visit(w, inner, v, rest, depth);
	free(name);
}

/* s applies to v; what is asked for is at `rest` inside of v. */
static void visit(const struct walk *w, const json_t *s, const json_t *v, const char *rest, unsigned depth)
{
	const char *ref = json_string_value(json_object_get(s, "$ref"));
	const json_t *condition = json_object_get(s, "if");

	if (!s || depth > DEEPEST)
		return;
	if (ref)
		visit(w, referred(w, ref), v, rest, depth + 1);
	visit_all(w, json_object_get(s, "allOf"), v, rest, depth + 1);
	visit_all(w, json_object_get(s, "anyOf"), v, rest, depth + 1);
	if (condition && may_hold(condition, v))
		visit(w, json_object_get(s, "then"), v, rest, depth + 1);
	visit(w, json_object_get(s, "else"), v, rest, depth + 1);
	if (*rest == '/')
		descend(w, s, v, rest, depth);
	else
		json_array_append(w->found, (json_t *)s);
}

json_t *lsp_schemas(const json_t *schema, const json_t *document, const char *pointer)
{
	struct walk w = { schema, json_array() };

	visit(&w, schema, document, pointer, 0);
	return w.found;
}

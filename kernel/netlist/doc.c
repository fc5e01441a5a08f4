/* doc.c - the value of a doc while it is changed, and the origin of each part of it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Values are shared with the sources; a change copies only the path down to the changed value.
 */
#include "composition.h"
#include "base/xalloc.h"

#define OBJECT_TAKES 8u /* times as long to copy as a list */

/* `root`, or a copy if it is shared, with `value` (NULL: nothing) at the pointer; missing objects
 * on the path are created. */
static json_t *put(struct hd_doc *doc, json_t *root, const char *pointer, json_t *value)
{
	json_t *copy, *old, *new;
	char *name;
	size_t i;

	if (*pointer != '/')
		return json_incref(value);
	if (root != NULL && root->refcount != 1)
		hd__netlist_grows(doc->n, (json_array_size(root) + OBJECT_TAKES * json_object_size(root)) / HD_COPIES);
	if (root != NULL && root->refcount == 1)
		copy = json_incref(root);
	else
		copy = hd__xcheck(root != NULL ? json_copy(root) : json_object());
	name = hd__pointer_next(&pointer);
	i = (size_t)strtoul(name, NULL, 10);
	old = json_is_array(copy) ? json_array_get(copy, i) : json_object_get(copy, name);
	new = *pointer == '\0' && value == NULL ? NULL : put(doc, old, pointer, value);
	if (json_is_array(copy))
		json_array_set_new(copy, i, new);
	else if (new != NULL)
		json_object_set_new(copy, name, new);
	else
		json_object_del(copy, name);
	free(name);
	return copy;
}

/* Forgets the origins of a place and of everything inside of it. */
static void forget(struct hd_doc *doc, const char *pointer)
{
	json_t *inside = json_incref(json_object_get(doc->around, pointer)), *v;
	size_t i;

	json_object_del(doc->origin, pointer);
	if (inside == NULL)
		return;
	json_object_del(doc->around, pointer);
	json_array_foreach(inside, i, v)
		forget(doc, json_string_value(v));
	json_decref(inside);
}

static void replace(struct hd_doc *doc, const char *pointer, json_t *value)
{
	json_t *root = put(doc, doc->root, pointer, value);

	json_decref(doc->root);
	doc->root = root;
	forget(doc, pointer);
}

/* Has it an origin, or something inside of it? */
static bool noted(const struct hd_doc *doc, const char *pointer)
{
	return json_object_get(doc->origin, pointer) != NULL || json_object_get(doc->around, pointer) != NULL;
}

void hd__doc_origin(struct hd_doc *doc, const char *pointer, json_t *at)
{
	char *inner = hd__xstrdup(pointer), *slash;
	bool listed = noted(doc, pointer);

	json_object_set_nocheck(doc->origin, pointer, at);
	while (!listed && (slash = strrchr(inner, '/')) != NULL) {
		json_t *place = hd__xcheck(json_string_nocheck(inner)), *inside;

		*slash = '\0';
		listed = noted(doc, inner);
		inside = json_object_get(doc->around, inner);
		if (inside == NULL) {
			inside = hd__xcheck(json_array());
			json_object_set_new_nocheck(doc->around, inner, inside);
		}
		json_array_append_new(inside, place);
	}
	free(inner);
}

void hd__doc_put(struct hd_doc *doc, const char *pointer, json_t *value, const char *at)
{
	json_t *origin;

	replace(doc, pointer, value);
	origin = hd__xcheck(json_string_nocheck(at));
	hd__doc_origin(doc, pointer, origin);
	json_decref(origin);
}

void hd__doc_drop(struct hd_doc *doc, const char *pointer)
{
	replace(doc, pointer, NULL);
}

char *hd__doc_at(const struct hd_doc *doc, const char *pointer)
{
	char *cut = hd__xstrdup(pointer), *slash, *at = NULL;
	size_t n = strlen(pointer);

	while (at == NULL && json_object_size(doc->origin) > 0) {
		const char *origin = json_string_value(json_object_get(doc->origin, cut));

		if (origin != NULL)
			at = hd__format("%s%s", origin, pointer + n);
		else if ((slash = strrchr(cut, '/')) == NULL)
			break;
		else
			*slash = '\0', n = (size_t)(slash - cut);
	}
	free(cut);
	return at != NULL ? at : hd__format("@%u:%s", doc->source, pointer);
}

void hd__doc_free(struct hd_doc *doc)
{
	for (size_t i = 0; i < doc->ninner; i++) {
		free(doc->inner[i].instance);
		free(doc->inner[i].path);
		free(doc->inner[i].at);
		json_decref(doc->inner[i].value);
	}
	free(doc->inner);
	json_decref(doc->root);
	json_decref(doc->origin);
	json_decref(doc->around);
	json_decref(doc->before);
	json_decref(doc->ranges);
	json_decref(doc->inner_of);
	free(doc);
}

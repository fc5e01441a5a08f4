/* set_element.c - what an element of an array has for a parameter before a part of that is changed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "base/xalloc.h"

/* How many members of "elements" a change of one element has to look at: up to the last that does not
 * name one element by its number.  Changes only add members that do, so this is counted once. */
static size_t count_ranges(struct hd_doc *doc, const char *name, json_t *elements)
{
	json_t *known = json_object_get(doc->ranges, name), *v;
	size_t n = 0, i = 0;
	char number[24];
	const char *key;

	if (known != NULL)
		return (size_t)json_integer_value(known);
	json_object_foreach(elements, key, v) {
		snprintf(number, sizeof number, "%lu", strtoul(key, NULL, 10));
		i++;
		if (strcmp(key, number) != 0)
			n = i;
	}
	if (doc->ranges == NULL)
		doc->ranges = hd__xcheck(json_object());
	json_object_set_new(doc->ranges, name, json_integer((json_int_t)n));
	return n;
}

json_t *hd__doc_element(struct hd_doc *doc, const char *name, const char *number, uint32_t element,
                        const char *param)
{
	json_t *inst = json_object_get(json_object_get(doc->root, "instances"), name);
	json_t *v = json_object_get(json_object_get(inst, "params"), param), *own, *p;
	json_t *elements = json_object_get(inst, "elements");
	size_t n = count_ranges(doc, name, elements);
	bool met = false;
	const char *key, *text;

	doc->looked += n;
	json_object_foreach(elements, key, own) {
		char *end;
		unsigned long first, last;

		if (n-- == 0)
			break;
		first = strtoul(key, &end, 10);
		last = strncmp(end, "..", 2) == 0 ? strtoul(end + 2, NULL, 10) : first;
		met = met || strcmp(key, number) == 0;
		if (element >= first && element <= last && json_object_get(own, param) != NULL)
			v = json_object_get(own, param);
	}
	own = met ? NULL : json_object_get(json_object_get(elements, number), param);
	if (own != NULL)
		v = own;
	text = json_string_value(v);
	p = text != NULL && text[0] == '$' ? json_object_get(json_object_get(doc->root, "params"), text + 1)
	                                   : NULL;
	if (p == NULL)
		return v;
	return json_is_object(p) ? json_object_get(p, "value") : p;
}

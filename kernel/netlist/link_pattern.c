/* link_pattern.c - patterns that pick links: {"from": "a.out"}, {"to": "sp.in", "index": "any"}
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "link_edit.h"
#include "base/xalloc.h"

/* ---- matching ------------------------------------------------------------------------------ */

struct hd_end_text hd__end_split(const char *s, size_t n)
{
	struct hd_end_text t = { s, n, n, n };
	size_t depth = 0, dot = n;

	for (size_t i = 0; i < n; i++) {
		depth += s[i] == '[';
		depth -= s[i] == ']' && depth > 0;
		if (s[i] == '.' && depth == 0)
			dot = i;
	}
	t.index = dot;
	t.instance = dot;
	if (dot > 0 && s[dot - 1] == ']')
		while (t.instance > 0 && s[t.instance] != '[')
			t.instance--;
	return t;
}

static bool is(const char *pattern, const char *s, size_t n)
{
	return strlen(pattern) == n && memcmp(pattern, s, n) == 0;
}

static bool matches_one(const char *pattern, const struct hd_end_text *t)
{
	const char *port = t->start + t->index;
	size_t nport = t->length - t->index;

	if (is(pattern, t->start, t->instance) || is(pattern, t->start, t->index)
	    || is(pattern, t->start, t->length))
		return true;
	return strlen(pattern) == t->instance + nport
	       && memcmp(pattern, t->start, t->instance) == 0
	       && memcmp(pattern + t->instance, port, nport) == 0;
}

/* Does one of the ends "a.x, b.y" match? */
static bool matches_end(const char *pattern, const char *text)
{
	while (text != NULL && *text != '\0') {
		size_t n, length;
		struct hd_end_text t;

		text += strspn(text, " ");
		n = length = strcspn(text, ",");
		while (length > 0 && text[length - 1] == ' ')
			length--;
		t = hd__end_split(text, length);
		if (matches_one(pattern, &t))
			return true;
		text += n + (text[n] == ',');
	}
	return false;
}

bool hd__link_side_matches(const char *pattern, const json_t *v)
{
	size_t i;
	json_t *end;

	if (pattern == NULL || (json_is_string(v) && matches_end(pattern, json_string_value(v))))
		return true;
	json_array_foreach(v, i, end)
		if (json_is_string(end) && matches_end(pattern, json_string_value(end)))
			return true;
	return false;
}

const char *hd__pattern_side(const json_t *pattern, const char *side)
{
	return json_string_value(json_object_get(pattern, side));
}

bool hd__link_matches(const json_t *pattern, const json_t *link)
{
	const char *key;
	json_t *v;

	if (!json_is_object(link)
	    || !hd__link_side_matches(hd__pattern_side(pattern, "from"), json_object_get(link, "from"))
	    || !hd__link_side_matches(hd__pattern_side(pattern, "to"), json_object_get(link, "to")))
		return false;
	json_object_foreach((json_t *)pattern, key, v)
		if (strcmp(key, "from") != 0 && strcmp(key, "to") != 0 && strcmp(key, "doc") != 0
		    && !json_equal(v, json_object_get(link, key)))
			return false;
	return true;
}

/* ---- messages ------------------------------------------------------------------------------ */

bool hd__pattern_check(const struct hd_edit *e, const json_t *p, const char *at)
{
	const char *const sides[] = { "from", "to" };
	struct hd_entry entry = { e->n, e->d, (json_t *)p, at, "a pattern for links" };
	char buf[80];
	bool any = false;

	if (!json_is_object(p)) {
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "expected a pattern for links such as {\"from\": \"a.out\"}, "
		                 "found %s",
		                 hd__found(p, buf, sizeof buf));
		return false;
	}
	for (size_t i = 0; i < 2; i++) {
		const json_t *v = json_object_get(p, sides[i]);

		any = any || v != NULL;
		if (v == NULL || json_is_string(v))
			continue;
		hd__entry_wrong(&entry, sides[i], "string", v);
		return false;
	}
	if (any)
		return true;
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
	                 "pattern for links without ends; expected 'from', 'to' or both");
	return false;
}

/* Adds the ends of one side in the form in which patterns name them. */
static void collect(json_t *names, const json_t *side)
{
	const char *text = json_string_value(side);
	struct hd_end_text t;
	char *name;
	json_t *v;
	size_t i;

	if (text != NULL) {
		t = hd__end_split(text, strlen(text));
		name = hd__format("%.*s%s", (int)t.instance, text, text + t.index);
		json_object_set_new(names, name, json_true());
		free(name);
		name = hd__xstrndup(text, t.instance);
		json_object_set_new(names, name, json_true());
		free(name);
	}
	json_array_foreach(side, i, v)
		collect(names, v);
}

void hd__pattern_unmatched(const struct hd_edit *e, const json_t *p, const char *at)
{
	const char *const sides[] = { "from", "to" };
	char hint[1000] = "", *text = json_dumps(p, JSON_COMPACT);
	json_free_t give_back;
	bool search = hd__may_suggest(e->d, 8 * e->takes); /* all ends are split for each */

	json_get_alloc_funcs(NULL, &give_back);
	for (size_t s = 0; search && s < 2 && hint[0] == '\0'; s++) {
		json_t *names = hd__xcheck(json_object()), *v;
		const char **list, *key, *near;
		size_t n = 0;

		for (size_t i = 0; i < e->nv; i++)
			collect(names, json_object_get(e->v[i].link, sides[s]));
		list = hd__xcalloc(json_object_size(names), sizeof *list);
		json_object_foreach(names, key, v)
			list[n++] = key;
		key = hd__pattern_side(p, sides[s]);
		near = key != NULL && json_object_get(names, key) == NULL
		               ? hd__nearest(key, list, n) : NULL;
		if (near != NULL)
			snprintf(hint, sizeof hint, "; did you mean \"%s\": \"%s\"?", sides[s],
			         near);
		free(list);
		json_decref(names);
	}
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL, "no link matches %s%s",
	                 text != NULL ? text : "this",
	                 hint[0] != '\0' ? hint : "; expected one of the netlist it extends");
	give_back(text);
}

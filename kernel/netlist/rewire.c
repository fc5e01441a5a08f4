/* rewire.c - removes, rewires and adds links for a netlist that extends another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pattern is an object with some members of a link.  "from" and "to" match an end by its
 * instance ("a"), instance and index ("a[*]"), instance and port ("a.out") or as a whole; other
 * members match the same value.  Of a list in "from" only the ends that match are meant.  Exports
 * follow what is rewired by one end.
 */
#include "link_edit.h"
#include "base/xalloc.h"

enum {
	LONGEST_END = 4 * HD_NAME_MAX, /* bytes, more than any that is accepted */
	SPLIT_TAKES = 2,               /* of a list, as long as comparing it so often */
};

/* ---- remove -------------------------------------------------------------------------------- */

/* Removes the ends of a list in "from" that match (all, if the pattern is NULL); origins of the
 * others are kept.  Returns true if none is left. */
static bool thin(const struct hd_edit *e, struct hd_edit_link *l, const char *pattern)
{
	json_t *old = json_object_get(l->link, "from"), *new = hd__xcheck(json_array()), *v;
	json_t *copy = hd__xcheck(json_copy(l->link)), *at = hd__xcheck(json_array());
	char key[40], *place;
	bool none;
	size_t i;

	json_array_foreach(old, i, v) {
		if (pattern == NULL || hd__link_side_matches(pattern, v))
			continue;
		snprintf(key, sizeof key, "/from/%zu", i);
		place = hd__edit_at(e, l, key);
		json_array_append_new(at, json_string(place));
		free(place);
		json_array_append(new, v);
	}
	json_array_foreach(at, i, v) {
		snprintf(key, sizeof key, "/from/%zu", i);
		hd__edit_origin(l, key, json_incref(v));
	}
	none = json_array_size(new) == 0;
	json_object_set_new(copy, "from", new);
	json_decref(l->link);
	json_decref(at);
	l->link = copy;
	return none;
}

/* Removes the matching ends of a link; returns whether it is gone. */
static bool remove_match(struct hd_edit *e, struct hd_edit_link *l, const char *from)
{
	if (json_is_array(json_object_get(l->link, "from")) && !thin(e, l, from)) {
		hd__edit_count(e, l);
		return false;
	}
	hd__edit_drop(e, l);
	return true;
}

void hd__edit_remove(struct hd_edit *e, const json_t *pattern, const char *at)
{
	size_t kept = 0;
	bool any = false;

	if (!hd__pattern_check(e, pattern, at))
		return;
	hd__edit_open(e);
	if (!hd__edit_compares(e, hd__edit_values(pattern), at))
		return;
	for (size_t i = 0; i < e->nv; i++) {
		bool match = hd__link_matches(pattern, e->v[i].link);

		any = any || match;
		if (!match || !remove_match(e, &e->v[i], hd__pattern_side(pattern, "from")))
			e->v[kept++] = e->v[i];
	}
	e->nv = kept;
	if (!any)
		hd__pattern_unmatched(e, pattern, at);
}

/* Removes the ends of a link that are the instance's; returns whether it is gone. */
static bool remove_ends(struct hd_edit *e, struct hd_edit_link *l, const char *name)
{
	if (hd__link_side_matches(name, json_object_get(l->link, "to"))) {
		hd__edit_drop(e, l);
		return true;
	}
	return hd__link_side_matches(name, json_object_get(l->link, "from")) && remove_match(e, l, name);
}

void hd__edit_remove_instance(struct hd_edit *e, const char *name, const char *at)
{
	size_t kept = 0;

	hd__edit_open(e);
	if (!hd__edit_compares(e, strlen(name) / HD_NAME_MAX, at))
		return;
	for (size_t i = 0; i < e->nv; i++)
		if (!remove_ends(e, &e->v[i], name))
			e->v[kept++] = e->v[i];
	e->nv = kept;
}

/* ---- rewire -------------------------------------------------------------------------------- */

/* The new end: "b" keeps index and port of the old one, "b[*]" its port. */
static json_t *new_end(const json_t *old, const json_t *new)
{
	const char *was = json_string_value(old), *text = json_string_value(new);
	struct hd_end_text a, b;
	json_t *v;
	char *s;

	if (text == NULL || was == NULL || json_string_length(new) > LONGEST_END || strchr(text, ',') != NULL)
		return json_incref((json_t *)new);
	a = hd__end_split(was, strlen(was));
	b = hd__end_split(text, strlen(text));
	if (b.index < b.length)
		return json_incref((json_t *)new);
	s = hd__format("%s%s", text, was + (b.instance < b.index ? a.index : a.instance));
	v = hd__xcheck(json_string(s));
	free(s);
	return v;
}

/* Replaces the matching ends of one side. */
static void replace_side(struct hd_edit_link *l, json_t *copy, const char *side,
                         const char *pattern, const json_t *value, const char *at)
{
	json_t *old = json_object_get(copy, side), *v, *list;
	char key[40], *place = hd__format("%s/%s", at, side);
	size_t i;

	snprintf(key, sizeof key, "/%s", side);
	if (!json_is_array(old) || pattern == NULL) {
		json_object_set_new(copy, side, new_end(old, value));
		hd__edit_origin(l, key, json_string(place));
		free(place);
		return;
	}
	list = hd__xcheck(json_copy(old));
	json_array_foreach(old, i, v) {
		if (!hd__link_side_matches(pattern, v))
			continue;
		json_array_set_new(list, i, new_end(v, value));
		snprintf(key, sizeof key, "/%s/%zu", side, i);
		hd__edit_origin(l, key, json_string(place));
	}
	json_object_set_new(copy, side, list);
	free(place);
}

static void rewire_one(struct hd_edit_link *l, const json_t *pattern, const json_t *change,
                       const char *at)
{
	json_t *copy = hd__xcheck(json_copy(l->link)), *v;
	const char *key;
	char *place, *below;

	json_object_foreach((json_t *)change, key, v) {
		if (strcmp(key, "link") == 0 || strcmp(key, "doc") == 0)
			continue;
		if (strcmp(key, "from") == 0 || strcmp(key, "to") == 0) {
			replace_side(l, copy, key, hd__pattern_side(pattern, key), v, at);
			continue;
		}
		json_object_set(copy, key, v);
		place = hd__pointer_add(at, key);
		below = hd__pointer_add("", key);
		hd__edit_origin(l, below, json_string(place));
		free(below);
		free(place);
	}
	json_decref(l->link);
	l->link = copy;
}

/* The matching ends of a list as a link of their own; removes them from `l`. */
static struct hd_edit_link split_off(struct hd_edit *e, struct hd_edit_link *l, const char *from)
{
	struct hd_edit_link new = { .link = hd__xcheck(json_copy(l->link)), .number = l->number, .at = json_incref(l->at) };
	json_t *matching = hd__xcheck(json_array()), *v;
	char key[40], *place;
	size_t k;

	json_array_foreach(json_object_get(l->link, "from"), k, v) {
		if (!hd__link_side_matches(from, v))
			continue;
		snprintf(key, sizeof key, "/from/%zu", k);
		place = hd__edit_at(e, l, key);
		snprintf(key, sizeof key, "/from/%zu", json_array_size(matching));
		hd__edit_origin(&new, key, hd__xcheck(json_string_nocheck(place)));
		free(place);
		json_array_append(matching, v);
	}
	json_object_set_new(new.link, "from", matching);
	hd__edit_count(e, &new);
	return new;
}

/* Splits the matching ends of lists off, each before the others of its list, as more than "from" changes.  `which`: the
 * numbers of the n links that match, before and after that. */
static void split_lists(struct hd_edit *e, size_t *which, size_t n, const char *from)
{
	struct hd_edit_link *v = hd__xcalloc(e->nv + n, sizeof *v);
	size_t nv = 0, k = 0;

	for (size_t i = 0; i < e->nv; i++) {
		bool match = k < n && which[k] == i;

		if (match)
			which[k++] = nv;
		if (match && json_is_array(json_object_get(e->v[i].link, "from"))) {
			v[nv++] = split_off(e, &e->v[i], from);
			if (remove_match(e, &e->v[i], from))
				continue;
		}
		v[nv++] = e->v[i];
	}
	e->cap = e->nv + n;
	free(e->v);
	e->v = v;
	e->nv = nv;
}

/* Does the change of this end of an export follow from that of links?  An instance alone may have
 * other ports than the links that are meant, so either the port is named, or the instance stays. */
static bool follows(const char *pattern, const char *end, const char *new)
{
	struct hd_end_text a = hd__end_split(end, strlen(end)), b = hd__end_split(new, strlen(new));
	struct hd_end_text p = hd__end_split(pattern, strlen(pattern));

	return p.index < p.length
	       || (a.instance == b.instance && memcmp(end, new, a.instance) == 0);
}

/* The ends of an export, with those replaced that match; NULL if none does. */
static char *new_ends(const char *text, const char *pattern, const json_t *new)
{
	struct { char *v; size_t n, cap; } all = { 0 };
	bool any = false;

	while (*text != '\0') {
		size_t n = strcspn(text += strspn(text, " "), ","), length = n;
		json_t *old, *v;
		const char *end;

		while (length > 0 && text[length - 1] == ' ')
			length--;
		old = hd__xcheck(json_stringn(text, length));
		end = json_string_value(old);
		v = json_incref(old);
		if (hd__link_side_matches(pattern, old) && follows(pattern, end, json_string_value(new))) {
			json_decref(v);
			v = new_end(old, new);
			any = true;
		}
		length = json_string_length(v);
		all.v = hd__xreserve(all.v, all.n + length + sizeof ", ", &all.cap, 1);
		all.n += (size_t)sprintf(all.v + all.n, "%s%s", all.n > 0 ? ", " : "", json_string_value(v));
		json_decref(v);
		json_decref(old);
		text += n + (text[n] == ',');
	}
	if (any)
		return all.v;
	free(all.v);
	return NULL;
}

/* An export is an end, too: it follows a change of the links at one side.  Returns whether one did. */
static bool rewire_exports(struct hd_edit *e, const json_t *pattern, const json_t *change,
                           const char *at)
{
	const char *side = json_object_get(pattern, "from") != NULL ? "from" : "to", *key;
	const json_t *new = json_object_get(change, side);
	json_t *all = json_object_get(e->doc->root, "exports"), *names, *v;
	char *place, *ends, *pointer;
	bool any = false;

	if (!json_is_string(new) || hd__pattern_side(pattern, side) == NULL || json_object_size(pattern) != 1)
		return false;
	names = hd__xcheck(json_object()); /* hd__doc_put() may replace the object */
	json_object_update(names, all);
	place = hd__format("%s/%s", at, side);
	json_object_foreach(names, key, v) {
		ends = json_is_string(v) && strcmp(key, "doc") != 0
		       ? new_ends(json_string_value(v), hd__pattern_side(pattern, side), new) : NULL;
		if (ends == NULL)
			continue;
		any = true;
		pointer = hd__pointer_add("/exports", key);
		v = hd__xcheck(json_string(ends));
		hd__doc_put(e->doc, pointer, v, place);
		json_decref(v);
		free(pointer);
		free(ends);
	}
	e->exports_take = any ? 0 : e->exports_take;
	json_decref(names);
	free(place);
	return any;
}

/* The numbers of the *n links that match; the caller frees them.  *lists: what those take that have lists in "from". */
static size_t *find_matching(const struct hd_edit *e, const json_t *pattern, size_t *n, size_t *lists)
{
	size_t *which = NULL, cap = 0;

	*n = 0;
	*lists = 0;
	for (size_t i = 0; i < e->nv; i++) {
		if (!hd__link_matches(pattern, e->v[i].link))
			continue;
		which = hd__xgrow(which, *n, &cap, sizeof *which);
		which[(*n)++] = i;
		if (json_is_array(json_object_get(e->v[i].link, "from")))
			*lists += e->v[i].takes;
	}
	return which;
}

/* Changes the links and exports that match; `below` is the place of the pattern. */
static void rewire_all(struct hd_edit *e, const json_t *pattern, const json_t *change, const char *at, const char *below)
{
	bool only_from = json_object_get(change, "from") != NULL && json_object_size(change) == 2;
	const char *from = hd__pattern_side(pattern, "from");
	size_t *which, n, lists;
	bool exports;

	hd__edit_open(e);
	if (!hd__edit_compares(e, hd__edit_values(pattern), at))
		return;
	which = find_matching(e, pattern, &n, &lists);
	if (lists > 0 && from != NULL && !only_from && hd__edit_may(e, SPLIT_TAKES * lists, at))
		split_lists(e, which, n, from);
	for (size_t k = 0; k < n; k++) {
		struct hd_edit_link *l = &e->v[which[k]];

		if (!hd__edit_may(e, hd__edit_takes(l, change), at))
			break;
		rewire_one(l, pattern, change, at);
		hd__edit_count(e, l);
	}
	free(which);
	exports = rewire_exports(e, pattern, change, at);
	if (n == 0 && !exports)
		hd__pattern_unmatched(e, pattern, below);
}

void hd__edit_rewire(struct hd_edit *e, const json_t *change, const char *at)
{
	const json_t *pattern = json_object_get(change, "link");
	char *below = hd__format("%s/link", at), buf[80];

	if (!json_is_object(change) || pattern == NULL)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "expected a change such as {\"link\": {\"from\": \"a.out\"}, "
		                 "\"to\": \"b.in\"}, found %s",
		                 json_is_object(change) ? "one without 'link'"
		                                        : hd__found(change, buf, sizeof buf));
	else if (hd__pattern_check(e, pattern, below))
		rewire_all(e, pattern, change, at, below);
	free(below);
}

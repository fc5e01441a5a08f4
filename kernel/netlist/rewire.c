/* rewire.c - removes, rewires and adds links for a netlist that extends another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pattern is an object with some members of a link.  "from" and "to" match an end by its
 * instance ("a"), instance and index ("a[*]"), instance and port ("a.out") or as a whole; other
 * members match the same value.  Of a list in "from" only the ends that match are meant.  Exports
 * follow what is rewired by one end.
 */
#include "composition.h"
#include "kernel/base/xalloc.h"

#define MOST_COMPARED (UINT64_C(1) << 23) /* links with patterns */

/* What takes as long as comparing so many links, each of one end on a side. */
enum {
	EXPORT_TAKES = 16,
	END_TAKES = 16, /* of a list */
	CHANGE_TAKES = 8, /* of a link, and of each member */
	FEW_MEMBERS = 16, /* more than links have: the places of many take longer */
	OPEN_TAKES = 8, /* of a link, in values that are copied */
	SHORT = 64, /* bytes: longer texts take longer */
	SHORT_PATTERN = 4, /* values in a pattern: larger ones take longer */
	LONGEST_END = 4 * HD_NAME_MAX, /* bytes, more than any that is accepted */
};

/* ---- the list of links --------------------------------------------------------------------- */

static size_t side_takes(const json_t *side)
{
	return END_TAKES * json_array_size(side) + json_string_length(side) / SHORT;
}

/* Counts link i again, after a change. */
static void count(struct hd_edit *e, size_t i)
{
	struct hd_edit_link *l = &e->v[i];

	e->takes -= l->takes;
	l->takes = 1 + side_takes(json_object_get(l->link, "from")) + side_takes(json_object_get(l->link, "to"));
	e->takes += l->takes;
}

/* Takes over the references of `l`. */
static void insert(struct hd_edit *e, size_t i, struct hd_edit_link l)
{
	e->v = hd__xgrow(e->v, e->nv, &e->cap, sizeof *e->v);
	memmove(&e->v[i + 1], &e->v[i], (e->nv - i) * sizeof *e->v);
	e->v[i] = l;
	e->nv++;
	count(e, i);
}

static struct hd_edit_link *append(struct hd_edit *e, json_t *link)
{
	insert(e, e->nv, (struct hd_edit_link){ json_incref(link), hd__xcheck(json_object()), 0 });
	return &e->v[e->nv - 1];
}

/* Most extensions only add links: the existing links are listed only when one of them changes. */
static void open_list(struct hd_edit *e)
{
	json_t *links = json_object_get(e->doc->root, "links"), *v;
	const char *key;
	char *end, *at;
	size_t i;

	if (e->open)
		return;
	e->open = true;
	e->doc->looked += OPEN_TAKES * json_array_size(links);
	json_array_foreach(links, i, v) {
		struct hd_edit_link *l = append(e, v);

		at = hd__format("@%u:/links/%zu", e->doc->source, i);
		json_object_set_new(l->origin, "", json_string(at));
		free(at);
	}
	json_object_foreach(e->doc->origin, key, v) {
		if (strncmp(key, "/links/", 7) != 0)
			continue;
		i = strtoul(key + 7, &end, 10);
		if (i < e->nv)
			json_object_set(e->v[i].origin, end, v);
	}
}

/* Adds a link after the others, which stay as they are. */
static void add_to_end(struct hd_edit *e, json_t *link, const char *at)
{
	json_t *old = json_object_get(e->doc->root, "links"), *place;
	char pointer[40];

	if (e->longer == NULL)
		e->longer = hd__xcheck(json_is_array(old) ? json_copy(old) : json_array());
	snprintf(pointer, sizeof pointer, "/links/%zu", json_array_size(e->longer));
	json_array_append(e->longer, link);
	place = hd__xcheck(json_string(at));
	hd__doc_origin(e->doc, pointer, place);
	json_decref(place);
}

void hd__edit_end(struct hd_edit *e)
{
	json_t *links, *root, *v;
	const char *key;
	char *at, *pointer;

	if (e->longer != NULL) {
		root = hd__xcheck(json_copy(e->doc->root));
		json_object_set_new(root, "links", e->longer);
		json_decref(e->doc->root);
		e->doc->root = root;
		e->longer = NULL;
	}
	if (!e->open)
		return;
	links = hd__xcheck(json_array());
	for (size_t i = 0; i < e->nv; i++)
		json_array_append(links, e->v[i].link);
	at = hd__format("@%u:/links", e->doc->source);
	hd__doc_put(e->doc, "/links", links, at);
	free(at);
	for (size_t i = 0; i < e->nv; i++) {
		json_object_foreach(e->v[i].origin, key, v) {
			pointer = hd__format("/links/%zu%s", i, key);
			hd__doc_origin(e->doc, pointer, v);
			free(pointer);
		}
		json_decref(e->v[i].link);
		json_decref(e->v[i].origin);
	}
	json_decref(links);
	free(e->v);
	e->v = NULL;
	e->nv = e->cap = e->takes = 0;
	e->open = false;
}

void hd__edit_add(struct hd_edit *e, json_t *link, const char *at)
{
	if (e->open)
		json_object_set_new(append(e, link)->origin, "", json_string(at));
	else
		add_to_end(e, link, at);
}

static void remove_at(struct hd_edit *e, size_t i)
{
	e->takes -= e->v[i].takes;
	json_decref(e->v[i].link);
	json_decref(e->v[i].origin);
	memmove(&e->v[i], &e->v[i + 1], (e->nv - i - 1) * sizeof *e->v);
	e->nv--;
}

/* The origin of the place `key` of a link.  The caller frees it. */
static char *origin_of(const struct hd_edit_link *l, const char *key)
{
	const char *own = json_string_value(json_object_get(l->origin, key));

	if (own != NULL)
		return hd__xstrdup(own);
	return hd__format("%s%s", json_string_value(json_object_get(l->origin, "")), key);
}

/* ---- remove -------------------------------------------------------------------------------- */

/* Removes the ends of a list in "from" that match (all, if the pattern is NULL); origins of the
 * others are kept.  Returns true if none is left. */
static bool thin(struct hd_edit_link *l, const char *pattern)
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
		place = origin_of(l, key);
		json_array_append_new(at, json_string(place));
		free(place);
		json_array_append(new, v);
	}
	json_array_foreach(at, i, v) {
		snprintf(key, sizeof key, "/from/%zu", i);
		json_object_set(l->origin, key, v);
	}
	none = json_array_size(new) == 0;
	json_object_set_new(copy, "from", new);
	json_decref(l->link);
	json_decref(at);
	l->link = copy;
	return none;
}

/* Removes the matching ends of link i; returns true if the link is gone. */
static bool remove_match(struct hd_edit *e, size_t i, const char *from)
{
	if (json_is_array(json_object_get(e->v[i].link, "from")) && !thin(&e->v[i], from)) {
		count(e, i);
		return false;
	}
	remove_at(e, i);
	return true;
}

/* ---- what changes take --------------------------------------------------------------------- */

/* Values, and long texts as several. */
static size_t values_in(const json_t *v)
{
	size_t n = 1 + json_string_length(v) / SHORT, i;
	const char *key;
	json_t *inner;

	json_array_foreach((json_t *)v, i, inner)
		n += values_in(inner);
	json_object_foreach((json_t *)v, key, inner)
		n += values_in(inner) + strlen(key) / SHORT;
	return n;
}

static size_t exports_take(struct hd_edit *e)
{
	const char *key;
	json_t *v;

	if (e->exports_take == 0)
		json_object_foreach(json_object_get(e->doc->root, "exports"), key, v)
			e->exports_take += EXPORT_TAKES * (1 + json_string_length(v) / SHORT);
	return e->exports_take;
}

/* Counts the comparisons of a pattern, or of a name, with links.  Returns false if there are too many, after reporting
 * it once. */
static bool compares(struct hd_edit *e, size_t values, const char *at)
{
	size_t each = e->takes + exports_take(e) + e->nv * (values / SHORT_PATTERN) + 1;
	bool before = e->doc->compared > MOST_COMPARED || e->doc->rewired > MOST_COMPARED;

	e->doc->compared += before ? 0 : each;
	if (!before && e->doc->compared > MOST_COMPARED)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "too many changes of %zu links%s; expected at most %u, each link "
		                 "compared with each of them", e->nv, exports_take(e) > 0 ? " and the exports" : "",
		                 (unsigned)(MOST_COMPARED / each));
	return !before && e->doc->compared <= MOST_COMPARED;
}

/* The same for a change of link i. */
static bool may_rewire(struct hd_edit *e, size_t i, const json_t *change, const char *at)
{
	bool before = e->doc->rewired > MOST_COMPARED;
	size_t members = json_object_size(change) + json_object_size(e->v[i].link);

	e->doc->rewired += e->v[i].takes + CHANGE_TAKES * (members <= FEW_MEMBERS ? members : FEW_MEMBERS * members);
	if (!before && e->doc->rewired > MOST_COMPARED)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "too many links are changed so far; expected fewer, or fewer ends and members in each");
	return e->doc->rewired <= MOST_COMPARED;
}

void hd__edit_remove(struct hd_edit *e, const json_t *pattern, const char *at)
{
	bool any = false;

	if (!hd__pattern_check(e, pattern, at))
		return;
	open_list(e);
	if (!compares(e, values_in(pattern), at))
		return;
	for (size_t i = 0; i < e->nv;) {
		if (!hd__link_matches(pattern, e->v[i].link)) {
			i++;
			continue;
		}
		any = true;
		i += !remove_match(e, i, hd__pattern_side(pattern, "from"));
	}
	if (!any)
		hd__pattern_unmatched(e, pattern, at);
}

void hd__edit_remove_instance(struct hd_edit *e, const char *name, const char *at)
{
	open_list(e);
	if (!compares(e, strlen(name) / SHORT, at))
		return;
	for (size_t i = 0; i < e->nv;) {
		json_t *link = e->v[i].link;
		bool gone = false;

		if (hd__link_side_matches(name, json_object_get(link, "to"))) {
			remove_at(e, i);
			continue;
		}
		if (hd__link_side_matches(name, json_object_get(link, "from")))
			gone = remove_match(e, i, name);
		i += !gone;
	}
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
		json_object_set_new(l->origin, key, json_string(place));
		free(place);
		return;
	}
	list = hd__xcheck(json_copy(old));
	json_array_foreach(old, i, v) {
		if (!hd__link_side_matches(pattern, v))
			continue;
		json_array_set_new(list, i, new_end(v, value));
		snprintf(key, sizeof key, "/%s/%zu", side, i);
		json_object_set_new(l->origin, key, json_string(place));
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
		json_object_set_new(l->origin, below, json_string(place));
		free(below);
		free(place);
	}
	json_decref(l->link);
	l->link = copy;
}

/* Splits the matching ends of a list off into a link of their own, before the others, when
 * more than "from" changes. */
static void split_off(struct hd_edit *e, size_t i, const char *from)
{
	json_t *matching = hd__xcheck(json_array()), *v, *at = hd__xcheck(json_object());
	json_t *copy = hd__xcheck(json_copy(e->v[i].link));
	char key[40], *place;
	size_t k;

	json_object_set(at, "", json_object_get(e->v[i].origin, ""));
	json_array_foreach(json_object_get(copy, "from"), k, v) {
		if (!hd__link_side_matches(from, v))
			continue;
		snprintf(key, sizeof key, "/from/%zu", k);
		place = origin_of(&e->v[i], key);
		snprintf(key, sizeof key, "/from/%zu", json_array_size(matching));
		json_object_set_new(at, key, json_string(place));
		free(place);
		json_array_append(matching, v);
	}
	json_object_set_new(copy, "from", matching);
	if (thin(&e->v[i], from))
		remove_at(e, i);
	else
		count(e, i);
	insert(e, i, (struct hd_edit_link){ copy, at, 0 });
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

void hd__edit_rewire(struct hd_edit *e, const json_t *change, const char *at)
{
	const json_t *pattern = json_object_get(change, "link");
	char *below = hd__format("%s/link", at), buf[80];
	const char *from;
	bool any = false, only_from, full;

	if (!json_is_object(change) || pattern == NULL) {
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "expected a change such as {\"link\": {\"from\": \"a.out\"}, "
		                 "\"to\": \"b.in\"}, found %s",
		                 json_is_object(change) ? "one without 'link'"
		                                        : hd__found(change, buf, sizeof buf));
	} else if (hd__pattern_check(e, pattern, below)) {
		open_list(e);
		from = hd__pattern_side(pattern, "from");
		only_from = json_object_get(change, "from") != NULL
		            && json_object_size(change) == 2;
		full = !compares(e, values_in(pattern), at);
		for (size_t i = 0; !full && i < e->nv; i++) {
			if (!hd__link_matches(pattern, e->v[i].link))
				continue;
			any = true;
			if (!may_rewire(e, i, change, at))
				break;
			if (from != NULL && !only_from
			    && json_is_array(json_object_get(e->v[i].link, "from")))
				split_off(e, i, from);
			rewire_one(&e->v[i], pattern, change, at);
			count(e, i);
		}
		if (!full)
			any = rewire_exports(e, pattern, change, at) || any;
		if (!any && !full)
			hd__pattern_unmatched(e, pattern, below);
	}
	free(below);
}

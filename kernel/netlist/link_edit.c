/* link_edit.c - the links of a netlist while one that extends it removes, rewires and adds some
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pattern is an object with some members of a link.  "from" and "to" match an end by its
 * instance ("a"), instance and index ("a[*]"), instance and port ("a.out") or as a whole; other
 * members match the same value.  Of a list in "from" only the ends that match are meant.  Exports
 * follow what is rewired by one end.
 */
#include "link_edit.h"
#include "base/xalloc.h"

/* A link of the list. */
struct hd_edit_link {
	json_t *link;
	size_t number;  /* in the netlist before, from 1; 0: `at` is its place */
	json_t *at;     /* "@SOURCE:POINTER", or NULL */
	json_t *origin; /* pointer below the link -> another place that this comes from; or NULL */
	size_t takes;   /* steps to compare it */
};

/* Steps of each; a link with one end on each side is compared in one. */
enum {
	EXPORT_TAKES = 16,
	END_TAKES = 16,    /* of a list */
	FEW_MEMBERS = 16,  /* more than links have: the places of many take longer */
	SHORT = 64,        /* bytes: longer texts take longer */
	SHORT_PATTERN = 4, /* values in a pattern: larger ones take longer */
	OPEN_TAKES = 64,   /* to list a link and write it back, in values that are copied */
	SPLIT_TAKES = 2,   /* of a list, as long as comparing it so often */
};

enum { LONGEST_END = 4 * HD_NAME_MAX }; /* bytes, more than any that is accepted */

/* ---- the list ---- */

static size_t side_takes(const json_t *side)
{
	return END_TAKES * json_array_size(side) + json_string_length(side) / SHORT;
}

/* Counts what it takes to compare the link, again after a change. */
static void count(struct hd_edit *e, struct hd_edit_link *l)
{
	e->takes -= l->takes;
	l->takes = 1 + side_takes(json_object_get(l->link, "from")) + side_takes(json_object_get(l->link, "to"));
	e->takes += l->takes;
}

static struct hd_edit_link *append(struct hd_edit *e, json_t *link)
{
	struct hd_edit_link *l;

	e->v = hd__xgrow(e->v, e->nv, &e->cap, sizeof *e->v);
	l = &e->v[e->nv++];
	*l = (struct hd_edit_link){ .link = json_incref(link) };
	count(e, l);
	return l;
}

/* What is at the pointer `key` below the link ("" is the link) comes from `at`, a new reference. */
static void set_origin(struct hd_edit_link *l, const char *key, json_t *at)
{
	if (*key == '\0') {
		json_decref(l->at);
		l->at = at;
		l->number = 0;
		return;
	}
	if (l->origin == NULL)
		l->origin = hd__xcheck(json_object());
	json_object_set_new(l->origin, key, at);
}

/* Most extensions only add links: the existing links are listed only when one of them changes. */
static void open_list(struct hd_edit *e)
{
	json_t *links = json_object_get(e->doc->root, "links"), *v;
	const char *key;
	char *end;
	size_t i;

	if (e->open)
		return;
	e->open = true;
	hd__netlist_grows(e->n, (OPEN_TAKES * json_array_size(links) + json_object_size(e->doc->origin)) / HD_COPIES);
	json_array_foreach(links, i, v)
		append(e, v)->number = i + 1;
	json_object_foreach(e->doc->origin, key, v) {
		if (strncmp(key, "/links/", 7) != 0)
			continue;
		i = strtoul(key + 7, &end, 10);
		if (i < e->nv)
			set_origin(&e->v[i], end, json_incref(v));
	}
}

static void free_link(struct hd_edit_link *l)
{
	json_decref(l->link);
	json_decref(l->at);
	json_decref(l->origin);
}

/* Gives up a link, which is not in the list any more. */
static void drop(struct hd_edit *e, struct hd_edit_link *l)
{
	e->takes -= l->takes;
	free_link(l);
}

/* The place of what is at the pointer `key` below a link.  The caller frees it. */
static char *place_of(const struct hd_edit *e, const struct hd_edit_link *l, const char *key)
{
	const char *own = json_string_value(json_object_get(l->origin, key));

	if (own != NULL)
		return hd__xstrdup(own);
	return l->at != NULL ? hd__format("%s%s", json_string_value(l->at), key)
	                     : hd__format("@%u:/links/%zu%s", e->doc->source, l->number - 1, key);
}

/* ---- what changes take ---- */

/* Values in a pattern, long texts as several. */
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

/* May a pattern with so many values, or a name, be compared with all links?  Reports it if not. */
static bool may_compare(struct hd_edit *e, size_t values, const char *at)
{
	size_t steps = e->takes + exports_take(e) + e->nv * (values / SHORT_PATTERN) + 1;

	return hd__netlist_takes(e->n, e->d, steps, at, NULL);
}

static size_t steps_to_change(const struct hd_edit_link *l, const json_t *change)
{
	size_t members = json_object_size(change) + json_object_size(l->link);

	return l->takes + HD_CHANGE_TAKES * (members <= FEW_MEMBERS ? members : FEW_MEMBERS * members);
}

/* ---- patterns ---- */

/* The parts of one end "instance[index].port". */
struct end_text {
	const char *start;
	size_t instance, index, length; /* up to the index, up to the port, all of it */
};

static struct end_text split_end(const char *s, size_t n)
{
	struct end_text t = { s, n, n, n };
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

static bool matches_one(const char *pattern, const struct end_text *t)
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
		struct end_text t;

		text += strspn(text, " ");
		n = length = strcspn(text, ",");
		while (length > 0 && text[length - 1] == ' ')
			length--;
		t = split_end(text, length);
		if (matches_one(pattern, &t))
			return true;
		text += n + (text[n] == ',');
	}
	return false;
}

/* Does any end of the value of "from" or "to" match?  A NULL pattern matches. */
static bool side_matches(const char *pattern, const json_t *v)
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

/* The pattern's "from" or "to", or NULL. */
static const char *pattern_side(const json_t *pattern, const char *side)
{
	return json_string_value(json_object_get(pattern, side));
}

/* Does the link have all members of the pattern? */
static bool link_matches(const json_t *pattern, const json_t *link)
{
	const char *key;
	json_t *v;

	if (!json_is_object(link)
	    || !side_matches(pattern_side(pattern, "from"), json_object_get(link, "from"))
	    || !side_matches(pattern_side(pattern, "to"), json_object_get(link, "to")))
		return false;
	json_object_foreach((json_t *)pattern, key, v)
		if (strcmp(key, "from") != 0 && strcmp(key, "to") != 0 && strcmp(key, "doc") != 0
		    && !json_equal(v, json_object_get(link, key)))
			return false;
	return true;
}

/* ---- messages ---- */

/* Returns false after reporting what is wrong with the pattern. */
static bool check_pattern(const struct hd_edit *e, const json_t *p, const char *at)
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
	struct end_text t;
	char *name;
	json_t *v;
	size_t i;

	if (text != NULL) {
		t = split_end(text, strlen(text));
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

/* Reports that no link matches, with a near name. */
static void report_unmatched(const struct hd_edit *e, const json_t *p, const char *at)
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
		key = pattern_side(p, sides[s]);
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

/* ---- remove ---- */

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
		if (pattern == NULL || side_matches(pattern, v))
			continue;
		snprintf(key, sizeof key, "/from/%zu", i);
		place = place_of(e, l, key);
		json_array_append_new(at, json_string(place));
		free(place);
		json_array_append(new, v);
	}
	json_array_foreach(at, i, v) {
		snprintf(key, sizeof key, "/from/%zu", i);
		set_origin(l, key, json_incref(v));
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
		count(e, l);
		return false;
	}
	drop(e, l);
	return true;
}

void hd__edit_remove(struct hd_edit *e, const json_t *pattern, const char *at)
{
	size_t kept = 0;
	bool any = false;

	if (!check_pattern(e, pattern, at))
		return;
	open_list(e);
	if (!may_compare(e, values_in(pattern), at))
		return;
	for (size_t i = 0; i < e->nv; i++) {
		bool match = link_matches(pattern, e->v[i].link);

		any = any || match;
		if (!match || !remove_match(e, &e->v[i], pattern_side(pattern, "from")))
			e->v[kept++] = e->v[i];
	}
	e->nv = kept;
	if (!any)
		report_unmatched(e, pattern, at);
}

/* Removes the ends of a link that are the instance's; returns whether it is gone. */
static bool remove_ends(struct hd_edit *e, struct hd_edit_link *l, const char *name)
{
	if (side_matches(name, json_object_get(l->link, "to"))) {
		drop(e, l);
		return true;
	}
	return side_matches(name, json_object_get(l->link, "from")) && remove_match(e, l, name);
}

void hd__edit_remove_instance(struct hd_edit *e, const char *name, const char *at)
{
	size_t kept = 0;

	open_list(e);
	if (!may_compare(e, strlen(name) / HD_NAME_MAX, at))
		return;
	for (size_t i = 0; i < e->nv; i++)
		if (!remove_ends(e, &e->v[i], name))
			e->v[kept++] = e->v[i];
	e->nv = kept;
}

/* ---- rewire ---- */

/* The new end: "b" keeps index and port of the old one, "b[*]" its port. */
static json_t *new_end(const json_t *old, const json_t *new)
{
	const char *was = json_string_value(old), *text = json_string_value(new);
	struct end_text a, b;
	json_t *v;
	char *s;

	if (text == NULL || was == NULL || json_string_length(new) > LONGEST_END || strchr(text, ',') != NULL)
		return json_incref((json_t *)new);
	a = split_end(was, strlen(was));
	b = split_end(text, strlen(text));
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
		set_origin(l, key, json_string(place));
		free(place);
		return;
	}
	list = hd__xcheck(json_copy(old));
	json_array_foreach(old, i, v) {
		if (!side_matches(pattern, v))
			continue;
		json_array_set_new(list, i, new_end(v, value));
		snprintf(key, sizeof key, "/%s/%zu", side, i);
		set_origin(l, key, json_string(place));
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
			replace_side(l, copy, key, pattern_side(pattern, key), v, at);
			continue;
		}
		json_object_set(copy, key, v);
		place = hd__pointer_add(at, key);
		below = hd__pointer_add("", key);
		set_origin(l, below, json_string(place));
		free(below);
		free(place);
	}
	json_decref(l->link);
	l->link = copy;
}

/* The matching ends of a list as a link of their own; removes them from `l`. */
static struct hd_edit_link split_off(struct hd_edit *e, struct hd_edit_link *l, const char *from)
{
	struct hd_edit_link new = { .link = hd__xcheck(json_copy(l->link)), .number = l->number,
		                    .at = json_incref(l->at) };
	json_t *matching = hd__xcheck(json_array()), *v;
	char key[40], *place;
	size_t k;

	json_array_foreach(json_object_get(l->link, "from"), k, v) {
		if (!side_matches(from, v))
			continue;
		snprintf(key, sizeof key, "/from/%zu", k);
		place = place_of(e, l, key);
		snprintf(key, sizeof key, "/from/%zu", json_array_size(matching));
		set_origin(&new, key, hd__xcheck(json_string_nocheck(place)));
		free(place);
		json_array_append(matching, v);
	}
	json_object_set_new(new.link, "from", matching);
	count(e, &new);
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
	struct end_text a = split_end(end, strlen(end)), b = split_end(new, strlen(new));
	struct end_text p = split_end(pattern, strlen(pattern));

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
		if (side_matches(pattern, old) && follows(pattern, end, json_string_value(new))) {
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

	if (!json_is_string(new) || pattern_side(pattern, side) == NULL || json_object_size(pattern) != 1)
		return false;
	names = hd__xcheck(json_object()); /* hd__doc_put() may replace the object */
	json_object_update(names, all);
	place = hd__format("%s/%s", at, side);
	json_object_foreach(names, key, v) {
		ends = json_is_string(v) && strcmp(key, "doc") != 0
		       ? new_ends(json_string_value(v), pattern_side(pattern, side), new) : NULL;
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
		if (!link_matches(pattern, e->v[i].link))
			continue;
		which = hd__xgrow(which, *n, &cap, sizeof *which);
		which[(*n)++] = i;
		if (json_is_array(json_object_get(e->v[i].link, "from")))
			*lists += e->v[i].takes;
	}
	return which;
}

/* Changes the links and exports that match; `below` is the place of the pattern. */
static void rewire_all(struct hd_edit *e, const json_t *pattern, const json_t *change, const char *at,
                       const char *below)
{
	bool only_from = json_object_get(change, "from") != NULL && json_object_size(change) == 2;
	const char *from = pattern_side(pattern, "from");
	size_t *which, n, lists;
	bool exports;

	open_list(e);
	if (!may_compare(e, values_in(pattern), at))
		return;
	which = find_matching(e, pattern, &n, &lists);
	if (lists > 0 && from != NULL && !only_from && hd__netlist_takes(e->n, e->d, SPLIT_TAKES * lists, at, NULL))
		split_lists(e, which, n, from);
	for (size_t k = 0; k < n; k++) {
		struct hd_edit_link *l = &e->v[which[k]];

		if (!hd__netlist_takes(e->n, e->d, steps_to_change(l, change), at, NULL))
			break;
		rewire_one(l, pattern, change, at);
		count(e, l);
	}
	free(which);
	exports = rewire_exports(e, pattern, change, at);
	if (n == 0 && !exports)
		report_unmatched(e, pattern, below);
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
	else if (check_pattern(e, pattern, below))
		rewire_all(e, pattern, change, at, below);
	free(below);
}

/* ---- add, and the end ---- */

/* Adds a link after the others, which stay as they are. */
static void add_to_end(struct hd_edit *e, json_t *link, const char *at)
{
	json_t *old = json_object_get(e->doc->root, "links"), *place;
	char pointer[40];

	if (e->longer == NULL) {
		hd__netlist_grows(e->n, json_array_size(old) / HD_COPIES);
		e->longer = hd__xcheck(json_is_array(old) ? json_copy(old) : json_array());
	}
	snprintf(pointer, sizeof pointer, "/links/%zu", json_array_size(e->longer));
	json_array_append(e->longer, link);
	place = hd__xcheck(json_string_nocheck(at));
	hd__doc_origin(e->doc, pointer, place);
	json_decref(place);
}

void hd__edit_add(struct hd_edit *e, json_t *link, const char *at)
{
	if (e->open)
		set_origin(append(e, link), "", hd__xcheck(json_string_nocheck(at)));
	else
		add_to_end(e, link, at);
}

/* Writes down where link i comes from, unless it is still in its place. */
static void keep_origins(struct hd_edit *e, size_t i)
{
	const struct hd_edit_link *l = &e->v[i];
	char *place, *pointer = hd__format("/links/%zu", i), *inner;
	const char *key;
	json_t *v;

	if (l->number != i + 1) {
		place = place_of(e, l, "");
		v = hd__xcheck(json_string_nocheck(place));
		hd__doc_origin(e->doc, pointer, v);
		json_decref(v);
		free(place);
	}
	json_object_foreach(l->origin, key, v) {
		inner = hd__format("%s%s", pointer, key);
		hd__doc_origin(e->doc, inner, v);
		free(inner);
	}
	free(pointer);
}

void hd__edit_end(struct hd_edit *e)
{
	json_t *links, *root;
	char *at;

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
	json_decref(links);
	for (size_t i = 0; i < e->nv; i++) {
		keep_origins(e, i);
		free_link(&e->v[i]);
	}
	free(e->v);
	e->v = NULL;
	e->nv = e->cap = e->takes = 0;
	e->open = false;
}

/* rewire.c - removes, rewires and adds links for a netlist that extends another
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A pattern is an object with some members of a link.  "from" and "to" match an end by its
 * instance ("a"), instance and index ("a[*]"), instance and port ("a.out") or as a whole; other
 * members match the same value.  Of a list in "from" only the ends that match are meant.
 */
#include "composition.h"
#include "kernel/base/xalloc.h"

/* ---- the list of links --------------------------------------------------------------------- */

/* Takes over the references of `l`. */
static void insert(struct hd_edit *e, size_t i, struct hd_edit_link l)
{
	e->v = hd__xgrow(e->v, e->nv, &e->cap, sizeof *e->v);
	memmove(&e->v[i + 1], &e->v[i], (e->nv - i) * sizeof *e->v);
	e->v[i] = l;
	e->nv++;
}

static struct hd_edit_link *append(struct hd_edit *e, json_t *link)
{
	insert(e, e->nv, (struct hd_edit_link){ json_incref(link), hd__xcheck(json_object()) });
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

/* Adds a link behind the others, which stay as they are. */
static void add_to_end(struct hd_edit *e, json_t *link, const char *at)
{
	json_t *old = json_object_get(e->doc->root, "links");
	char pointer[40];

	if (e->longer == NULL)
		e->longer = hd__xcheck(json_is_array(old) ? json_copy(old) : json_array());
	snprintf(pointer, sizeof pointer, "/links/%zu", json_array_size(e->longer));
	json_array_append(e->longer, link);
	json_object_set_new(e->doc->origin, pointer, json_string(at));
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
			json_object_set(e->doc->origin, pointer, v);
			free(pointer);
		}
		json_decref(e->v[i].link);
		json_decref(e->v[i].origin);
	}
	json_decref(links);
	free(e->v);
	e->v = NULL;
	e->nv = e->cap = 0;
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

/* ---- matching ------------------------------------------------------------------------------ */

/* The parts of one end "instance[index].port". */
struct end_text {
	const char *start;
	size_t instance, index, length; /* up to the index, up to the port, all of it */
};

static struct end_text split(const char *s, size_t n)
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
		size_t n;
		struct end_text t;

		text += strspn(text, " ");
		n = strcspn(text, ",");
		t = split(text, n);
		while (t.length > 0 && text[t.length - 1] == ' ')
			t = split(text, t.length - 1);
		if (matches_one(pattern, &t))
			return true;
		text += n + (text[n] == ',');
	}
	return false;
}

/* Does any end of "from" or "to" match?  A NULL pattern matches. */
static bool matches_side(const char *pattern, const json_t *v)
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

static const char *side_of(const json_t *pattern, const char *side)
{
	return json_string_value(json_object_get(pattern, side));
}

static bool matches(const json_t *pattern, const json_t *link)
{
	const char *key;
	json_t *v;

	if (!json_is_object(link)
	    || !matches_side(side_of(pattern, "from"), json_object_get(link, "from"))
	    || !matches_side(side_of(pattern, "to"), json_object_get(link, "to")))
		return false;
	json_object_foreach((json_t *)pattern, key, v)
		if (strcmp(key, "from") != 0 && strcmp(key, "to") != 0 && strcmp(key, "doc") != 0
		    && !json_equal(v, json_object_get(link, key)))
			return false;
	return true;
}

/* ---- messages ------------------------------------------------------------------------------ */

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
		t = split(text, strlen(text));
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

static void no_match(const struct hd_edit *e, const json_t *p, const char *at)
{
	const char *const sides[] = { "from", "to" };
	char hint[1000] = "", *text = json_dumps(p, JSON_COMPACT);
	json_free_t give_back;

	json_get_alloc_funcs(NULL, &give_back);
	for (size_t s = 0; s < 2 && hint[0] == '\0'; s++) {
		json_t *names = hd__xcheck(json_object()), *v;
		const char **list, *key, *near;
		size_t n = 0;

		for (size_t i = 0; i < e->nv; i++)
			collect(names, json_object_get(e->v[i].link, sides[s]));
		list = hd__xcalloc(json_object_size(names), sizeof *list);
		json_object_foreach(names, key, v)
			list[n++] = key;
		key = side_of(p, sides[s]);
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
		if (pattern == NULL || matches_side(pattern, v))
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
	if (json_is_array(json_object_get(e->v[i].link, "from")) && !thin(&e->v[i], from))
		return false;
	remove_at(e, i);
	return true;
}

void hd__edit_remove(struct hd_edit *e, const json_t *pattern, const char *at)
{
	bool any = false;

	if (!check_pattern(e, pattern, at))
		return;
	open_list(e);
	for (size_t i = 0; i < e->nv;) {
		if (!matches(pattern, e->v[i].link)) {
			i++;
			continue;
		}
		any = true;
		i += !remove_match(e, i, side_of(pattern, "from"));
	}
	if (!any)
		no_match(e, pattern, at);
}

void hd__edit_remove_instance(struct hd_edit *e, const char *name)
{
	open_list(e);
	for (size_t i = 0; i < e->nv;) {
		json_t *link = e->v[i].link;
		bool gone = false;

		if (matches_side(name, json_object_get(link, "to"))) {
			remove_at(e, i);
			continue;
		}
		if (matches_side(name, json_object_get(link, "from")))
			gone = remove_match(e, i, name);
		i += !gone;
	}
}

/* ---- rewire -------------------------------------------------------------------------------- */

/* The new end: "b" keeps index and port of the old one, "b[*]" its port. */
static json_t *new_end(const json_t *old, const json_t *new)
{
	const char *was = json_string_value(old), *text = json_string_value(new);
	struct end_text a, b;
	json_t *v;
	char *s;

	if (text == NULL || was == NULL || strchr(text, ',') != NULL)
		return json_incref((json_t *)new);
	a = split(was, strlen(was));
	b = split(text, strlen(text));
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
		if (!matches_side(pattern, v))
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
			replace_side(l, copy, key, side_of(pattern, key), v, at);
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

/* Splits the matching ends of a list off into a link of their own, in front of the others, when
 * more than "from" changes. */
static void split_off(struct hd_edit *e, size_t i, const char *from)
{
	json_t *matching = hd__xcheck(json_array()), *v, *at = hd__xcheck(json_object());
	json_t *copy = hd__xcheck(json_copy(e->v[i].link));
	char key[40], *place;
	size_t k;

	json_object_set(at, "", json_object_get(e->v[i].origin, ""));
	json_array_foreach(json_object_get(copy, "from"), k, v) {
		if (!matches_side(from, v))
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
	insert(e, i, (struct hd_edit_link){ copy, at });
}

void hd__edit_rewire(struct hd_edit *e, const json_t *change, const char *at)
{
	const json_t *pattern = json_object_get(change, "link");
	char *below = hd__format("%s/link", at), buf[80];
	const char *from;
	bool any = false, only_from;

	if (!json_is_object(change) || pattern == NULL) {
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "expected a change such as {\"link\": {\"from\": \"a.out\"}, "
		                 "\"to\": \"b.in\"}, found %s",
		                 json_is_object(change) ? "one without 'link'"
		                                        : hd__found(change, buf, sizeof buf));
	} else if (check_pattern(e, pattern, below)) {
		open_list(e);
		from = side_of(pattern, "from");
		only_from = json_object_get(change, "from") != NULL
		            && json_object_size(change) == 2;
		for (size_t i = 0; i < e->nv; i++) {
			if (!matches(pattern, e->v[i].link))
				continue;
			any = true;
			if (from != NULL && !only_from
			    && json_is_array(json_object_get(e->v[i].link, "from")))
				split_off(e, i, from);
			rewire_one(&e->v[i], pattern, change, at);
		}
		if (!any)
			no_match(e, pattern, below);
	}
	free(below);
}

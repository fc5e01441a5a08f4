/* link_edit.c - the links of a netlist while one that extends it changes them, and what the changes take
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "link_edit.h"
#include "base/xalloc.h"

#define MOST_COMPARED (UINT64_C(1) << 23) /* links with patterns */

/* The cost of each, in comparisons of links with one end on each side. */
enum {
	EXPORT_TAKES = 16,
	END_TAKES = 16,    /* of a list */
	CHANGE_TAKES = 16, /* of a link, and of each member */
	FEW_MEMBERS = 16,  /* more than links have: the places of many take longer */
	SHORT = 64,        /* bytes: longer texts take longer */
	SHORT_PATTERN = 4, /* values in a pattern: larger ones take longer */
	OPEN_TAKES = 64,   /* to list a link and write it back, in values that are copied */
};

/* ---- the list ------------------------------------------------------------------------------ */

static size_t side_takes(const json_t *side)
{
	return END_TAKES * json_array_size(side) + json_string_length(side) / SHORT;
}

void hd__edit_count(struct hd_edit *e, struct hd_edit_link *l)
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
	hd__edit_count(e, l);
	return l;
}

/* Most extensions only add links: the existing links are listed only when one of them changes. */
void hd__edit_open(struct hd_edit *e)
{
	json_t *links = json_object_get(e->doc->root, "links"), *v;
	const char *key;
	char *end;
	size_t i;

	if (e->open)
		return;
	e->open = true;
	e->doc->looked += OPEN_TAKES * json_array_size(links) + json_object_size(e->doc->origin);
	json_array_foreach(links, i, v)
		append(e, v)->number = i + 1;
	json_object_foreach(e->doc->origin, key, v) {
		if (strncmp(key, "/links/", 7) != 0)
			continue;
		i = strtoul(key + 7, &end, 10);
		if (i < e->nv)
			hd__edit_origin(&e->v[i], end, json_incref(v));
	}
}

static void free_link(struct hd_edit_link *l)
{
	json_decref(l->link);
	json_decref(l->at);
	json_decref(l->origin);
}

void hd__edit_drop(struct hd_edit *e, struct hd_edit_link *l)
{
	e->takes -= l->takes;
	free_link(l);
}

char *hd__edit_at(const struct hd_edit *e, const struct hd_edit_link *l, const char *key)
{
	const char *own = json_string_value(json_object_get(l->origin, key));

	if (own != NULL)
		return hd__xstrdup(own);
	return l->at != NULL ? hd__format("%s%s", json_string_value(l->at), key)
	                     : hd__format("@%u:/links/%zu%s", e->doc->source, l->number - 1, key);
}

void hd__edit_origin(struct hd_edit_link *l, const char *key, json_t *at)
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

/* Adds a link after the others, which stay as they are. */
static void add_to_end(struct hd_edit *e, json_t *link, const char *at)
{
	json_t *old = json_object_get(e->doc->root, "links"), *place;
	char pointer[40];

	if (e->longer == NULL) {
		e->doc->looked += json_array_size(old);
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
		hd__edit_origin(append(e, link), "", hd__xcheck(json_string_nocheck(at)));
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
		place = hd__edit_at(e, l, "");
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

/* ---- what changes take --------------------------------------------------------------------- */

size_t hd__edit_values(const json_t *v)
{
	size_t n = 1 + json_string_length(v) / SHORT, i;
	const char *key;
	json_t *inner;

	json_array_foreach((json_t *)v, i, inner)
		n += hd__edit_values(inner);
	json_object_foreach((json_t *)v, key, inner)
		n += hd__edit_values(inner) + strlen(key) / SHORT;
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

bool hd__edit_compares(struct hd_edit *e, size_t values, const char *at)
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

size_t hd__edit_takes(const struct hd_edit_link *l, const json_t *change)
{
	size_t members = json_object_size(change) + json_object_size(l->link);

	return l->takes + CHANGE_TAKES * (members <= FEW_MEMBERS ? members : FEW_MEMBERS * members);
}

bool hd__edit_may(struct hd_edit *e, size_t takes, const char *at)
{
	bool before = e->doc->rewired > MOST_COMPARED;

	e->doc->rewired += takes;
	if (!before && e->doc->rewired > MOST_COMPARED)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
		                 "too many links are changed so far: they count as %zu; expected at most %zu, "
		                 "fewer links or fewer ends and members in each",
		                 (size_t)e->doc->rewired, (size_t)MOST_COMPARED);
	return e->doc->rewired <= MOST_COMPARED;
}

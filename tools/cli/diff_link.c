/* diff_link.c - describes how the links of two flat netlists differ
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Links with a list of ends count as one link per end.  Among several links between the same ends,
 * the most similar ones are paired.
 */
#include "diff.h"
#include "base/xalloc.h"

struct link {
	json_t *o;            /* with one end in "from" */
	char *name;           /* "a.out to b.in" */
	const struct link *other;
};

struct links {
	struct link *v;
	size_t n, cap;
};

static void add(struct links *l, const json_t *entry, json_t *from)
{
	json_t *o = hd__xcheck(json_copy((json_t *)entry));
	char *name = hd__format("%s to %s", json_string_value(from),
	                        json_string_value(json_object_get(entry, "to")));

	json_object_set(o, "from", from);
	l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = (struct link){ o, name, NULL };
}

static struct links split(const json_t *entries)
{
	struct links l = { .n = 0 };
	json_t *entry, *from, *end;
	size_t i, k;

	json_array_foreach(entries, i, entry) {
		from = json_object_get(entry, "from");
		if (!json_is_array(from))
			add(&l, entry, from);
		json_array_foreach(from, k, end)
			add(&l, entry, end);
	}
	return l;
}

static void drop(struct links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		json_decref(l->v[i].o);
		free(l->v[i].name);
	}
	free(l->v);
}

/* Members that two links have in common. */
static unsigned similarity(const struct link *a, const struct link *b)
{
	const char *key;
	unsigned n = 0;
	json_t *v;

	json_object_foreach(a->o, key, v)
		n += (unsigned)json_equal(v, json_object_get(b->o, key));
	return n;
}

/* Pairs each link with one of the other netlist: first the equal ones. */
static void pair(struct links *a, struct links *b, json_t *by_name, bool equal)
{
	for (size_t i = 0; i < a->n; i++) {
		json_t *list = json_object_get(by_name, a->v[i].name), *k;
		struct link *best = NULL;
		unsigned most = 0;
		size_t j;

		if (a->v[i].other != NULL)
			continue;
		json_array_foreach(list, j, k) {
			struct link *x = &b->v[json_integer_value(k)];
			unsigned common;

			if (x->other != NULL || (equal && !json_equal(x->o, a->v[i].o)))
				continue;
			common = similarity(&a->v[i], x);
			if (best == NULL || common > most) {
				best = x;
				most = common;
			}
		}
		if (best != NULL) {
			best->other = &a->v[i];
			a->v[i].other = best;
		}
	}
}

/* The link with the names that distinguish it from others between the same ends. */
static char *full_name(const struct hd_diff_lines *d, const struct link *l)
{
	char *from = hd__diff_ends(d, json_string_value(json_object_get(l->o, "from")));
	char *to = hd__diff_ends(d, json_string_value(json_object_get(l->o, "to")));
	char *text = hd__xstrdup(""), *longer;
	const char *key;
	json_t *v;

	json_object_foreach(l->o, key, v) {
		if (!json_is_string(v) || strcmp(key, "from") == 0 || strcmp(key, "to") == 0
		    || strcmp(key, "index") == 0)
			continue;
		longer = hd__format("%s%s%s %s", text, *text != '\0' ? ", " : "", key,
		                    json_string_value(v));
		free(text);
		text = longer;
	}
	longer = *text != '\0' ? hd__format("%s to %s (%s)", from, to, text) : hd__format("%s to %s", from, to);
	free(from);
	free(to);
	free(text);
	return longer;
}

/* Links into one end come in another order, which may affect the simulation. */
static void diff_order(struct hd_diff_lines *d, const struct links *a, const struct links *b)
{
	json_t *last = hd__xcheck(json_object()), *printed = hd__xcheck(json_object());

	for (size_t i = 0; i < a->n; i++) {
		const char *to = json_string_value(json_object_get(a->v[i].o, "to"));
		const struct link *other = a->v[i].other;
		json_t *before = json_object_get(last, to);

		if (other == NULL)
			continue;
		if (before != NULL && json_integer_value(before) > other - b->v
		    && json_object_get(printed, to) == NULL) {
			hd__diff_line(d, "links to", to, " come in another order");
			json_object_set_new(printed, to, json_true());
		}
		json_object_set_new(last, to, json_integer(other - b->v));
	}
	json_decref(last);
	json_decref(printed);
}

void hd__diff_links(struct hd_diff_lines *d, const json_t *a, const json_t *b)
{
	struct links l = split(a), m = split(b);
	json_t *by_name = hd__xcheck(json_object()), *list;
	char *name;

	for (size_t i = 0; i < m.n; i++) {
		list = json_object_get(by_name, m.v[i].name);
		if (list == NULL) {
			list = hd__xcheck(json_array());
			json_object_set_new(by_name, m.v[i].name, list);
		}
		json_array_append_new(list, json_integer((json_int_t)i));
	}
	pair(&l, &m, by_name, true);
	pair(&l, &m, by_name, false);
	for (size_t i = 0; i < l.n; i++) {
		name = full_name(d, &l.v[i]);
		if (l.v[i].other == NULL)
			hd__diff_line(d, "link", name, " is removed");
		else
			hd__diff_value(d, "link", name, "", l.v[i].o, l.v[i].other->o);
		free(name);
	}
	for (size_t i = 0; i < m.n; i++) {
		if (m.v[i].other != NULL)
			continue;
		name = full_name(d, &m.v[i]);
		hd__diff_line(d, "link", name, " is new");
		free(name);
	}
	diff_order(d, &l, &m);
	json_decref(by_name);
	drop(&l);
	drop(&m);
}

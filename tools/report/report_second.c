/* report_second.c - the smallest netlist that has an instance of the run's twice
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Not every instance can be doubled by its links alone.  What is asked for work and answers, as a memory does,
 * answers one instance only, so it is doubled as well, and may serve no other.  Slots in front of the instance are
 * divided among both.
 */
#include "base/xalloc.h"
#include "report.h"

/* Is the end at the instance: "a.out" at "a"? */
static bool is_at(const char *end, const char *name)
{
	size_t n = strlen(name);

	return strncmp(end, name, n) == 0 && end[n] == '.' && !strchr(end + n + 1, '.');
}

struct second {
	const char *name;
	const json_t *links;
	json_t *partners, *rewire;
	bool any; /* slots that cannot be divided: each is for both */
};

static bool is_channel(const json_t *link)
{
	return json_object_get(link, "capacity") || json_object_get(link, "slots");
}

/* The k-th end that the link leads from; NULL after the last. */
static const char *end_from(const json_t *link, size_t k)
{
	const json_t *from = json_object_get(link, "from");

	return json_is_array(from) ? json_string_value(json_array_get(from, k))
	       : k == 0            ? json_string_value(from) : NULL;
}

/* The instance of an end as it may be doubled: neither of an array nor of a netlist in the netlist.  The caller frees
 * it; NULL: it is another. */
static char *single(const char *end)
{
	const char *dot = strchr(end, '.');

	return dot && !strchr(end, '[') && !strchr(dot + 1, '.') && !strchr(end, ',')
	       ? hd__xstrndup(end, (size_t)(dot - end)) : NULL;
}

/* A channel to the instance from `from`. */
static bool add_reader(struct second *s, const json_t *link, const char *from)
{
	json_int_t slots = json_integer_value(json_object_get(link, "slots"));
	char *writer = single(from);
	json_t *one;
	size_t i;

	if (writer && slots > 0) {
		s->any |= slots % 2 != 0;
		free(writer);
		return true;
	}
	if (!writer)
		return false;
	json_array_foreach(s->partners, i, one)
		if (strcmp(json_string_value(one), writer) == 0) {
			free(writer);
			return true;
		}
	json_array_append_new(s->partners, json_string(writer));
	free(writer);
	return true;
}

/* Whom the instance reads from: finds the partners.  Returns false if it cannot be doubled. */
static bool find_partners(struct second *s)
{
	json_t *link;
	size_t i;

	json_array_foreach((json_t *)s->links, i, link) {
		const char *to = json_string_value(json_object_get(link, "to")), *from;

		if (!to || strchr(to, ','))
			return false;
		for (size_t k = 0; is_at(to, s->name) && (from = end_from(link, k)); k++)
			if (!is_channel(link) || !add_reader(s, link, from))
				return false;
	}
	return true;
}

/* Has a partner channels from and to the instance only? */
static bool is_its_own(const struct second *s, const char *partner)
{
	bool asked = false;
	json_t *link;
	size_t i;

	json_array_foreach((json_t *)s->links, i, link) {
		const char *to = json_string_value(json_object_get(link, "to")), *from;

		for (size_t k = 0; (from = end_from(link, k)); k++) {
			if (is_at(from, partner) && (!is_channel(link) || !is_at(to, s->name)))
				return false;
			if (is_at(to, partner) && (!is_channel(link) || !is_at(from, s->name)))
				return false;
			asked |= is_at(to, partner);
		}
	}
	return asked;
}

static void add_change(struct second *s, const char *side, const char *end, const char *name, bool any)
{
	json_t *change = json_pack("{s:{s:s}, s:o}", "link", side, end, side, json_sprintf("%s[*]", name));

	if (any)
		json_object_set_new(change, "index", json_string("any"));
	json_array_append_new(s->rewire, change);
}

static void rewire(struct second *s, const char *name)
{
	bool from_it = false, to_it = false;
	json_t *link;
	size_t i;

	json_array_foreach((json_t *)s->links, i, link) {
		const char *to = json_string_value(json_object_get(link, "to")), *from;

		for (size_t k = 0; (from = end_from(link, k)); k++)
			from_it |= is_at(from, name);
		to_it |= is_at(to, name);
		if (s->any && is_at(to, name))
			add_change(s, "to", to, name, json_object_get(link, "slots"));
	}
	if (from_it)
		add_change(s, "from", name, name, false);
	if (to_it && !s->any)
		add_change(s, "to", name, name, false);
}

static void set_count(json_t *set, const char *name)
{
	char *path = hd__format("%s.count", name);

	json_object_set_new(set, path, json_integer(2));
	free(path);
}

json_t *report_second(const struct report *r, const char *name, json_t **partners)
{
	const json_t *all = json_object_get(r->netlist, "instances");
	struct second s = { .name = name, .links = json_object_get(r->netlist, "links"),
		            .partners = json_array(), .rewire = json_array() };
	bool fits = !strpbrk(name, ".[") && !json_object_get(json_object_get(all, name), "count")
	            && find_partners(&s);
	json_t *set = json_object(), *one, *netlist = NULL;
	size_t i;

	json_array_foreach(s.partners, i, one)
		fits = fits && is_its_own(&s, json_string_value(one));
	if (fits) {
		rewire(&s, name);
		set_count(set, name);
		s.any = false;
		json_array_foreach(s.partners, i, one) {
			rewire(&s, json_string_value(one));
			set_count(set, json_string_value(one));
		}
		netlist = json_pack("{s:i, s:o, s:O, s:O}", "heddle", 1, "extends",
			json_sprintf("%s.json", report_member(r->d->meta, "core")), "set", set, "rewire", s.rewire);
	}
	json_decref(set);
	json_decref(s.rewire);
	*partners = netlist ? s.partners : NULL;
	if (!netlist)
		json_decref(s.partners);
	return netlist;
}

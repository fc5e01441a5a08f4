/* netlist_link.c - reads the "links" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	{ "from": "pipe[*].out", "to": "sink.in", "latency": 1, "slots": 4 }
 *	{ "from": ["first.ask", "second.ask"], "to": "store.answers" }
 *
 * The second form is two links, in that order, with the same members otherwise.
 */
#include "netlist_read.h"
#include "xalloc.h"

#include <ctype.h>

enum {
	MAX_LATENCY = 65535,
	MAX_CAPACITY = 1 << 20,
	MAX_SLOTS = 64, /* struct hd_chan keeps them in one word */
	MAX_INDEX = 65535,
	MAX_LINKS = 1 << 18, /* a list of ends that comes from a parameter may be large, and many */
};

/* Members of a link; all others are attributes for the ports. */
static const char *const members[] = { "from",  "to",    "latency", "staged", "capacity",
	                               "slots", "index", "rotate",  "doc" };

/* "[*]" or "[3]" at *text, if any. */
static bool read_index(const char **text, struct hd_end_decl *end)
{
	const char *p = *text;

	end->index = -1;
	if (*p != '[')
		return true;
	p++;
	if (*p == '*') {
		end->all = true;
		p++;
	} else {
		if (!isdigit((unsigned char)*p))
			return false;
		for (end->index = 0; isdigit((unsigned char)*p); p++) {
			end->index = 10 * end->index + (*p - '0');
			if (end->index > MAX_INDEX)
				return false;
		}
	}
	*text = p + 1;
	return *p == ']';
}

/* "instance.port", "instance[*].port", "instance[3].port" */
static bool read_end(const char *text, struct hd_end_decl *end)
{
	size_t n = strcspn(text, "[.");
	const char *rest = text + n;

	end->instance = hd__xstrndup(text, n);
	if (!hd__is_name(end->instance) || !read_index(&rest, end) || *rest != '.'
	    || !hd__is_name(rest + 1))
		return false;
	end->port = hd__xstrdup(rest + 1);
	return true;
}

static bool check_end(const struct hd_entry *e, const char *at, const json_t *v,
                      struct hd_end_decl *end)
{
	char buf[80];

	if (json_is_null(v))
		return false; /* reported */
	if (json_is_string(v) && read_end(json_string_value(v), end))
		return true;
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, at, NULL,
	                 "bad end of a link; expected \"instance.port\", \"instance[*].port\" or "
	                 "\"instance[3].port\", found %s",
	                 hd__found(v, buf, sizeof buf));
	return false;
}

static void read_attrs(const struct hd_entry *e, struct hd_link_decl *l)
{
	const size_t n = sizeof members / sizeof *members;
	const char *key;
	json_t *v;

	json_object_foreach(e->o, key, v) {
		size_t i = 0;

		while (i < n && strcmp(members[i], key) != 0)
			i++;
		if (i < n)
			continue;
		if (l->attrs == NULL)
			l->attrs = hd__xcheck(json_object());
		json_object_set(l->attrs, key, v);
	}
}

/* What the links of one entry have in common. */
static void read_common(const struct hd_entry *e, struct hd_link_decl *l)
{
	const char *index;
	const json_t *doc = json_object_get(e->o, "doc");

	l->latency = 1;
	l->has_latency = hd__entry_u32(e, "latency", 0, MAX_LATENCY, &l->latency) != HD_GOT_NONE;
	hd__entry_bool(e, "staged", &l->staged);
	hd__entry_u32(e, "capacity", 1, MAX_CAPACITY, &l->capacity);
	hd__entry_u32(e, "slots", 1, MAX_SLOTS, &l->slots);
	hd__entry_bool(e, "rotate", &l->rotate);
	if (hd__entry_string(e, "index", &index) == HD_GOT) {
		l->shared_slots = strcmp(index, "any") == 0;
		if (!l->shared_slots && strcmp(index, "own") != 0)
			hd__entry_wrong(e, "index", "\"own\" or \"any\"",
			                json_object_get(e->o, "index"));
	}
	if (doc != NULL && !json_is_string(doc) && !json_is_null(doc))
		hd__entry_wrong(e, "doc", "string", doc);
	read_attrs(e, l);
}

static void free_end(struct hd_end_decl *end)
{
	free(end->instance);
	free(end->port);
}

static void free_link(struct hd_link_decl *l)
{
	free_end(&l->from);
	free_end(&l->to);
	free(l->at);
	free(l->entry);
	json_decref(l->attrs);
}

/* Adds the link from `from` (at `from_at`), unless an end is bad.  "to" is checked once. */
static void add_link(struct hd_netlist *n, const struct hd_entry *e, size_t *cap,
                     const struct hd_link_decl *common, const json_t *from, const char *from_at,
                     const char *at)
{
	struct hd_link_decl l = *common;

	l.from = (struct hd_end_decl){ .instance = NULL };
	if (!check_end(e, from_at, from, &l.from) || common->to.port == NULL) {
		free_end(&l.from);
		return;
	}
	l.at = hd__xstrdup(at);
	l.entry = hd__xstrdup(common->entry);
	l.to.instance = hd__xstrdup(common->to.instance);
	l.to.port = hd__xstrdup(common->to.port);
	l.attrs = json_incref(common->attrs);
	n->links = hd__xgrow(n->links, n->nlinks, cap, sizeof *n->links);
	n->links[n->nlinks++] = l;
}

static void missing(const struct hd_entry *e, const char *member)
{
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
	                 "link has no '%s'; expected \"instance.port\"", member);
}

/* One entry of the list, which may be several links. */
static void read_entry(struct hd_netlist *n, const struct hd_entry *e, size_t *cap)
{
	struct hd_link_decl common = { .entry = hd__xstrdup(e->at) };
	const json_t *from = json_object_get(e->o, "from"), *to = json_object_get(e->o, "to");
	char *from_at = hd__pointer_add(e->at, "from"), *to_at = hd__pointer_add(e->at, "to");

	read_common(e, &common);
	if (to == NULL)
		missing(e, "to");
	else
		check_end(e, to_at, to, &common.to);
	if (from == NULL)
		missing(e, "from");
	else if (!json_is_array(from))
		add_link(n, e, cap, &common, from, from_at, e->at);
	else if (json_array_size(from) == 0)
		hd__entry_wrong(e, "from", "an end or a list of them", from);
	for (size_t i = 0; i < json_array_size(from); i++) {
		char *at = hd__format("%s/%zu", from_at, i);

		add_link(n, e, cap, &common, json_array_get(from, i), at, at);
		free(at);
	}
	free(from_at);
	free(to_at);
	free_link(&common);
}

/* How many links an entry is. */
static size_t ends(const struct hd_entry *e)
{
	size_t n = json_array_size(json_object_get(e->o, "from"));

	return n > 0 ? n : 1;
}

void hd__read_links(struct hd_netlist *n, struct hd_scope *s, struct hd_diags *d)
{
	json_t *all = json_object_get(n->root, "links"), *v;
	size_t i, cap = 0;

	json_array_foreach(all, i, v) {
		char *at = hd__format("/links/%zu", i);
		struct hd_entry e = { n, d, hd__resolve(s, v, at), at, "link" };
		char buf[80];

		if (n->nlinks + ends(&e) > MAX_LINKS)
			hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
			                 "too many links; expected at most %d in all", MAX_LINKS);
		else if (json_is_object(e.o))
			read_entry(n, &e, &cap);
		else if (!json_is_null(e.o))
			hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
			                 "expected a link, an object such as {\"from\": \"a.out\", "
			                 "\"to\": \"b.in\"}; found %s",
			                 hd__found(e.o, buf, sizeof buf));
		json_decref(e.o);
		free(at);
	}
}

void hd__free_links(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->nlinks; i++)
		free_link(&n->links[i]);
	free(n->links);
}

/* extend.c - opens a netlist: what it extends, and its short list of differences to that
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	{ "heddle": 1, "name": "wide", "extends": "base.json",
 *	  "remove": { "instances": ["slow"], "links": [{ "from": "a.out", "to": "b" }] },
 *	  "rewire": [ { "link": { "from": "a.out" }, "to": "c.in" } ],
 *	  "set": { "units": 8, "a.depth": 3 },
 *	  "add": { "instances": { "c": { "module": "copy" } }, "links": [] } }
 *
 * The changes are applied in this order.  A name or pattern that matches nothing is an error.
 */
#include "link_edit.h"
#include "base/xalloc.h"

enum {
	VERSION = 1,       /* of the netlist language */
	MAX_EXTENDS = 256, /* netlists that extend each other */
};

static const char *const sections[] = { "params", "clocks", "instances", "exports" };
enum { NSECTIONS = sizeof sections / sizeof *sections };

/* "instance" for "instances" */
static const char *word_for(const char *section)
{
	static const char *const words[] = { "parameter", "clock", "instance", "export" };

	for (size_t i = 0; i < NSECTIONS; i++)
		if (strcmp(sections[i], section) == 0)
			return words[i];
	return "link";
}

struct extend {
	struct hd_edit edit;
	json_t *root;       /* of the extending file */
	uint32_t source;
};

/* "@3:/remove/instances/0".  The caller frees it. */
static char *place(const struct extend *e, const char *group, const char *section, size_t i)
{
	return hd__format("@%u:/%s/%s/%zu", e->source, group, section, i);
}

static struct hd_entry entry_of(const struct extend *e, const char *member, char at[64])
{
	json_t *o = json_object_get(e->root, member);

	snprintf(at, 64, "@%u:/%s", e->source, member);
	return (struct hd_entry){ e->edit.n, e->edit.d, o, at, member };
}

/* Reports a member that is not an object (or not a list). */
static bool has_form(const struct extend *e, const char *member, bool list)
{
	const json_t *v = json_object_get(e->root, member);
	char at[24];
	struct hd_entry root = { e->edit.n, e->edit.d, e->root, at, "netlist" };

	snprintf(at, sizeof at, "@%u:", e->source);
	if (v == NULL || (list ? json_is_array(v) : json_is_object(v)))
		return v != NULL;
	hd__entry_wrong(&root, member, list ? "a list" : "an object", v);
	return false;
}

static bool spent(struct extend *e, const char *at)
{
	return !hd__netlist_takes(e->edit.n, e->edit.d, 0, at, NULL);
}

/* ---- members of the file ------------------------------------------------------------------- */

static void check_members(const struct extend *e)
{
	static const char *const known[] = { "heddle", "name", "doc", "extends", "set", "add",
		                             "remove", "rewire", NULL };
	static const char *const elsewhere[] = { "params", "clocks", "instances", "links",
		                                 "exports", "watchdog", NULL };
	json_t *others = hd__xcheck(json_copy(e->root)), *v;
	char at[24];
	struct hd_entry entry = { e->edit.n, e->edit.d, others, at, "netlist" };
	const char *key;
	void *next;

	snprintf(at, sizeof at, "@%u:", e->source);
	json_object_foreach_safe(others, next, key, v) {
		if (!hd__listed(elsewhere, key))
			continue;
		hd__netlist_diag_key(e->edit.n, e->edit.d, HD_DIAG_ERROR, at, key,
		                     "'%s' of a netlist that extends another; expected it in "
		                     "'%s'",
		                     key, strcmp(key, "watchdog") == 0 ? "set" : "add");
		json_object_del(others, key);
	}
	hd__entry_known(&entry, known);
	json_decref(others);
}

/* The extending file has its own name and doc, or none. */
static void take_own(const struct extend *e)
{
	static const char *const own[] = { "name", "doc" };
	char pointer[16], *at;

	for (size_t i = 0; i < 2; i++) {
		json_t *v = json_object_get(e->root, own[i]);

		snprintf(pointer, sizeof pointer, "/%s", own[i]);
		at = hd__format("@%u:%s", e->source, pointer);
		if (v != NULL)
			hd__doc_put(e->edit.doc, pointer, v, at);
		else
			hd__doc_drop(e->edit.doc, pointer);
		free(at);
	}
}

/* ---- remove -------------------------------------------------------------------------------- */

static void no_such(const struct extend *e, const char *section, const char *name, const char *at)
{
	json_t *all = json_object_get(e->edit.doc->root, section);
	char hint[HD_HINT];

	hd__netlist_diag(e->edit.n, e->edit.d, HD_DIAG_ERROR, at, NULL, "there is no %s '%s' to remove%s",
	                 word_for(section), name,
	                 hd__hint(e->edit.d, name, all, "the netlist has", hint));
}

static void remove_one(struct extend *e, const char *section, const json_t *name, const char *at)
{
	const char *s = json_string_value(name);
	char pointer[16], *full, buf[80];

	if (s == NULL) {
		hd__netlist_diag(e->edit.n, e->edit.d, HD_DIAG_ERROR, at, NULL,
		                 "expected a name, found %s", hd__found(name, buf, sizeof buf));
		return;
	}
	if (json_object_get(json_object_get(e->edit.doc->root, section), s) == NULL) {
		no_such(e, section, s, at);
		return;
	}
	if (spent(e, at))
		return;
	snprintf(pointer, sizeof pointer, "/%s", section);
	full = hd__pointer_add(pointer, s);
	hd__doc_drop(e->edit.doc, full);
	free(full);
	if (strcmp(section, "instances") == 0)
		hd__edit_remove_instance(&e->edit, s, at);
}

static void remove_all(struct extend *e)
{
	static const char *const known[] = { "params", "clocks", "instances", "exports", "links",
		                             NULL };
	char at[64], *where;
	struct hd_entry entry = entry_of(e, "remove", at);
	json_t *list, *v;
	size_t i;

	if (!has_form(e, "remove", false))
		return;
	hd__entry_known(&entry, known);
	for (size_t k = 0; known[k] != NULL; k++) {
		list = json_object_get(entry.o, known[k]);
		if (list != NULL && !json_is_array(list))
			hd__entry_wrong(&entry, known[k], "a list", list);
		json_array_foreach(list, i, v) {
			where = place(e, "remove", known[k], i);
			if (strcmp(known[k], "links") == 0 && !spent(e, where))
				hd__edit_remove(&e->edit, v, where);
			else if (strcmp(known[k], "links") != 0)
				remove_one(e, known[k], v, where);
			free(where);
		}
	}
}

static void rewire_all(struct extend *e)
{
	json_t *v;
	size_t i;

	if (!has_form(e, "rewire", true))
		return;
	json_array_foreach(json_object_get(e->root, "rewire"), i, v) {
		char *at = hd__format("@%u:/rewire/%zu", e->source, i);

		if (!spent(e, at))
			hd__edit_rewire(&e->edit, v, at);
		free(at);
	}
}

/* ---- set and add --------------------------------------------------------------------------- */

/* A text, or one for each of some paths. */
static void check_doc(const struct extend *e, json_t *set, const char *base)
{
	struct hd_entry in = { e->edit.n, e->edit.d, set, base, "set" };
	json_t *doc = json_object_get(set, "doc"), *v;
	char *at = hd__pointer_add(base, "doc");
	struct hd_entry by_path = { e->edit.n, e->edit.d, doc, at, "doc" };
	const char *path;

	if (doc && !json_is_string(doc) && !json_is_object(doc))
		hd__entry_wrong(&in, "doc", "a text, or an object of texts by path", doc);
	json_object_foreach(doc, path, v)
		if (!json_is_string(v))
			hd__entry_wrong(&by_path, path, "a text", v);
	free(at);
}

static void set_all(struct extend *e)
{
	const char *path;
	char base[24], *at;
	json_t *v;

	if (!has_form(e, "set", false))
		return;
	snprintf(base, sizeof base, "@%u:/set", e->source);
	check_doc(e, json_object_get(e->root, "set"), base);
	json_object_foreach(json_object_get(e->root, "set"), path, v) {
		if (strcmp(path, "doc") == 0)
			continue;
		at = hd__pointer_add(base, path);
		hd__doc_set(e->edit.n, e->edit.doc, path, v, at, e->edit.d);
		free(at);
	}
}

static void add_section(struct extend *e, const char *section, json_t *all, const char *base)
{
	char *at, *pointer, start[16];
	const char *name;
	json_t *v;

	snprintf(start, sizeof start, "/%s", section);
	json_object_foreach(all, name, v) {
		if (strcmp(name, "doc") == 0 && json_is_string(v))
			continue;
		at = hd__pointer_add(base, name);
		pointer = hd__pointer_add(start, name);
		if (json_object_get(json_object_get(e->edit.doc->root, section), name) != NULL)
			hd__netlist_diag_key(e->edit.n, e->edit.d, HD_DIAG_ERROR, at, NULL,
			                     "%s '%s' is there already; expected another name, or "
			                     "a change of it in 'set'",
			                     word_for(section), name);
		else if (!spent(e, at))
			hd__doc_put(e->edit.doc, pointer, v, at);
		free(pointer);
		free(at);
	}
}

static void add_all(struct extend *e)
{
	static const char *const known[] = { "params", "clocks", "instances", "exports", "links",
		                             NULL };
	char at[64], *where;
	struct hd_entry entry = entry_of(e, "add", at);
	json_t *v, *links;
	size_t i;

	if (!has_form(e, "add", false))
		return;
	hd__entry_known(&entry, known);
	for (size_t k = 0; k < NSECTIONS; k++) {
		json_t *all = json_object_get(entry.o, sections[k]);

		where = hd__pointer_add(at, sections[k]);
		if (all != NULL && !json_is_object(all))
			hd__entry_wrong(&entry, sections[k], "an object", all);
		else
			add_section(e, sections[k], all, where);
		free(where);
	}
	links = json_object_get(entry.o, "links");
	if (links != NULL && !json_is_array(links))
		hd__entry_wrong(&entry, "links", "a list", links);
	json_array_foreach(links, i, v) {
		where = place(e, "add", "links", i);
		hd__edit_add(&e->edit, v, where);
		free(where);
	}
}

/* Applies the changes that the file `source` lists to the doc of what it extends. */
static void extend(struct hd_netlist *n, struct hd_doc *doc, uint32_t source, struct hd_diags *d)
{
	struct extend e = { .edit = { .n = n, .doc = doc, .d = d }, .source = source,
		            .root = n->sources[source]->root };

	check_members(&e);
	json_decref(doc->ranges); /* the instances may become others */
	doc->ranges = NULL;
	take_own(&e);
	remove_all(&e);
	rewire_all(&e);
	set_all(&e);
	add_all(&e);
	hd__edit_end(&e.edit);
	doc->top = source;
}

/* ---- the netlist and what it extends ---- */

static bool check_version(const struct hd_netlist *n, uint32_t source, struct hd_diags *d)
{
	const json_t *v = json_object_get(n->sources[source]->root, "heddle");
	char at[24], buf[80];

	snprintf(at, sizeof at, "@%u:", source);
	if (v == NULL && n->sources[source]->inside != NULL)
		return true; /* that of the netlist around it */
	if (v == NULL) {
		hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
		                 "netlist has no 'heddle'; expected \"heddle\": %d, the version of "
		                 "its language",
		                 VERSION);
		return true;
	}
	if (json_is_integer(v) && json_integer_value(v) == VERSION)
		return true;
	hd__netlist_diag(n, d, HD_DIAG_ERROR, at, "heddle",
	                 "unknown version of the netlist language; this program reads version %d, "
	                 "found %s",
	                 VERSION, hd__found(v, buf, sizeof buf));
	return false;
}

/* How many netlists extend each other down to `from`; stops at one that is `source`. */
static unsigned chain(const struct hd_netlist *n, uint32_t from, uint32_t source, bool *loops)
{
	unsigned depth = 0;

	*loops = false;
	for (uint32_t i = from + 1; i != 0 && !*loops; i = n->sources[i - 1]->up, depth++)
		*loops = hd__same_source(n->sources[i - 1], n->sources[source]);
	return depth;
}

/* "a.json -> b.json -> a.json": `source` is being extended already. */
static char *loop(const struct hd_netlist *n, uint32_t from, uint32_t source)
{
	char *text = hd__xstrdup(n->sources[source]->file), *longer;

	for (uint32_t i = from + 1; i != 0; i = n->sources[i - 1]->up) {
		longer = hd__format("%s -> %s", n->sources[i - 1]->file, text);
		free(text);
		text = longer;
		if (hd__same_source(n->sources[i - 1], n->sources[source]))
			break;
	}
	return text;
}

static struct hd_doc *open_chain(struct hd_netlist *n, uint32_t source, struct hd_diags *d);

/* The doc that `source` extends, or NULL. */
static struct hd_doc *open_base(struct hd_netlist *n, uint32_t source, const json_t *name,
                                struct hd_diags *d)
{
	char *at = hd__format("@%u:/extends", source), *file, *text, buf[80];
	struct hd_doc *doc = NULL;
	bool loops;
	uint32_t base;

	if (!json_is_string(name)) {
		hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
		                 "'extends' of netlist: expected the name of a file, found %s",
		                 hd__found(name, buf, sizeof buf));
		free(at);
		return NULL;
	}
	file = hd__data_path(n->sources[source]->file, json_string_value(name));
	if (hd__source_read(n, file, at, d, &base)) {
		if (chain(n, source, base, &loops) > MAX_EXTENDS) {
			hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
			                 "more than %d netlists extend each other; expected fewer",
			                 MAX_EXTENDS);
		} else if (loops) {
			text = loop(n, source, base);
			hd__netlist_diag(n, d, HD_DIAG_ERROR, at, NULL,
			                 "a netlist cannot extend itself: %s", text);
			free(text);
		} else {
			n->sources[base]->up = source + 1;
			doc = open_chain(n, base, d);
			n->sources[base]->up = 0;
		}
	}
	free(file);
	free(at);
	return doc;
}

/* In the value and in the objects inside of it, so many levels of them. */
static uint64_t members_of(json_t *v, unsigned levels)
{
	uint64_t n = json_object_size(v) + json_array_size(v);
	const char *key;
	json_t *inner;

	if (levels > 0)
		json_object_foreach(v, key, inner)
			n += members_of(inner, levels - 1);
	return n;
}

static struct hd_doc *open_chain(struct hd_netlist *n, uint32_t source, struct hd_diags *d)
{
	json_t *root = n->sources[source]->root, *base = json_object_get(root, "extends");
	struct hd_doc *doc;

	if (!check_version(n, source, d))
		return NULL;
	if (base != NULL) {
		doc = open_base(n, source, base, d);
		if (doc == NULL)
			return NULL;
		json_array_append(doc->before, doc->root);
		hd__netlist_grows(n, members_of(root, 2)); /* "add": {"instances": {...}} */
		extend(n, doc, source, d);
		doc->top = source;
		return doc;
	}
	doc = hd__xcalloc(1, sizeof *doc);
	hd__netlist_grows(n, members_of(root, 1)); /* the first change in a section copies it */
	*doc = (struct hd_doc){ .n = n, .root = json_incref(root), .source = source, .top = source,
		                .origin = hd__xcheck(json_object()),
		                .around = hd__xcheck(json_object()),
		                .before = hd__xcheck(json_array()) };
	return doc;
}

struct hd_doc *hd__doc_open(struct hd_netlist *n, uint32_t source, struct hd_diags *d)
{
	struct hd_doc *doc = open_chain(n, source, d);

	if (doc == NULL)
		return NULL;
	n->docs = hd__xgrow(n->docs, n->ndocs, &n->cap_docs, sizeof *n->docs);
	n->docs[n->ndocs++] = doc;
	if (n->sources[source]->doc == NULL || n->sources[source]->doc->changed)
		n->sources[source]->doc = doc;
	return doc;
}

/* doc.c - one netlist with what it extends and the changes to it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "composition.h"
#include "base/xalloc.h"

enum {
	VERSION = 1,       /* of the netlist language */
	MAX_EXTENDS = 256, /* netlists that extend each other */
};

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

bool hd__same_source(const struct hd_source *a, const struct hd_source *b)
{
	return a == b || (a->real != NULL && b->real != NULL && strcmp(a->real, b->real) == 0);
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
		doc->takes += members_of(root, 2); /* "add": {"instances": {...}} */
		hd__doc_extend(n, doc, source, d);
		doc->top = source;
		return doc;
	}
	doc = hd__xcalloc(1, sizeof *doc);
	*doc = (struct hd_doc){ .root = json_incref(root), .source = source, .top = source,
		                .takes = members_of(root, 1), /* the first change in a section copies it */
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
	doc->takes += (doc->looked / 2 + doc->compared + doc->rewired) / 2;
	n->docs = hd__xgrow(n->docs, n->ndocs, &n->cap_docs, sizeof *n->docs);
	n->docs[n->ndocs++] = doc;
	if (n->sources[source]->doc == NULL || n->sources[source]->doc->changed)
		n->sources[source]->doc = doc;
	return doc;
}

void hd__doc_free(struct hd_doc *doc)
{
	for (size_t i = 0; i < doc->ninner; i++) {
		free(doc->inner[i].instance);
		free(doc->inner[i].path);
		free(doc->inner[i].at);
		json_decref(doc->inner[i].value);
	}
	free(doc->inner);
	json_decref(doc->root);
	json_decref(doc->origin);
	json_decref(doc->around);
	json_decref(doc->before);
	json_decref(doc->ranges);
	json_decref(doc->inner_of);
	free(doc);
}

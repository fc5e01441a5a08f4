/* netlist.c - reads a netlist: its files, changes from the command line
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reading goes on after a mistake, so that all of them are reported at once.
 */
#include "composition.h"
#include "base/xalloc.h"

/* ---- changes from the command line --------------------------------------------------------- */

/* "path=value": the value is JSON, or else a plain string. */
static bool apply_set(struct hd_netlist *n, struct hd_doc *doc, const char *set,
                      struct hd_diags *d)
{
	const char *equals = strchr(set, '=');
	char *file = hd__format("--set %s", set), *path, *at;
	json_t *value = json_string(set);
	uint32_t source;
	bool ok;

	ok = value != NULL && equals != NULL;
	if (value == NULL)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "is not UTF-8; expected PATH=VALUE in that encoding");
	else if (equals == NULL)
		hd__diag(d, HD_DIAG_ERROR, file, 0, 0, "expected PATH=VALUE, such as units.count=2");
	json_decref(value);
	if (!ok) {
		free(file);
		return false;
	}
	path = hd__xstrndup(set, (size_t)(equals - set));
	value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
	if (value == NULL)
		value = hd__xcheck(json_string(equals + 1));
	source = hd__source_add(n, file, NULL, value);
	at = hd__format("@%u:", source);
	ok = hd__doc_set(n, doc, path, value, at, d);
	free(at);
	free(path);
	free(file);
	return ok;
}

/* ---- reading ------------------------------------------------------------------------------- */

static struct hd_netlist *new_netlist(const char *file)
{
	struct hd_netlist *n = hd__xcalloc(1, sizeof *n);

	n->file = hd__xstrdup(file);
	n->known = hd__xcalloc(1, sizeof *n->known);
	return n;
}

/* Reads the outermost netlist: the doc and everything that it uses. */
static void read_whole(struct hd_netlist *n, struct hd_doc *doc, struct hd_diags *d)
{
	struct hd_part *p = hd__part_new(n, doc, NULL, NULL, NULL);
	struct hd_frame *f = hd__frame_new(n, p, hd__xstrdup(""));
	const json_t *name = json_object_get(doc->root, "name");
	const json_t *text = json_object_get(doc->root, "doc");
	struct hd_scope *s = hd__part_open(n, p, NULL, d);

	n->name = json_is_string(name) ? hd__xstrdup(json_string_value(name)) : NULL;
	n->doc = json_is_string(text) ? hd__xstrdup(json_string_value(text)) : NULL;
	hd__read_clocks(n, f, s, d);
	hd__read_instances(n, f, s, d);
	hd__read_links(n, f, s, d);
	hd__netlist_full(n, d, "", NULL);
	hd__scope_unread(s);
	hd__scope_free(s);
}

/* The netlist of source 0. */
static struct hd_netlist *read_all(struct hd_netlist *n, const char *const *sets, size_t nsets,
                                   struct hd_diags *d)
{
	struct hd_doc *doc = hd__doc_open(n, 0, d);

	if (doc == NULL) {
		hd__netlist_free(n);
		return NULL;
	}
	for (size_t i = 0; i < nsets; i++)
		apply_set(n, doc, sets[i], d);
	n->root = json_incref(doc->root);
	read_whole(n, doc, d);
	return n;
}

struct hd_netlist *hd__netlist_parse_set(const char *file, const char *text, size_t length,
                                         const char *const *sets, size_t nsets, struct hd_diags *d)
{
	struct hd_netlist *n = new_netlist(file);
	char *own = hd__xcalloc(length + 1, 1); /* the text may have a byte 0 */
	uint32_t source;

	memcpy(own, text, length);
	if (hd__source_parse(n, file, own, length, d, &source))
		return read_all(n, sets, nsets, d);
	hd__netlist_free(n);
	return NULL;
}

struct hd_netlist *hd__netlist_parse(const char *file, const char *text, size_t length,
                                     struct hd_diags *d)
{
	return hd__netlist_parse_set(file, text, length, NULL, 0, d);
}

struct hd_netlist *hd__netlist_read_set(const char *file, const char *const *sets, size_t nsets,
                                        struct hd_diags *d)
{
	char *found = hd__data_path(NULL, file);
	struct hd_netlist *n = new_netlist(found);
	uint32_t source;
	bool ok = hd__source_read(n, found, NULL, d, &source);

	free(found);
	if (ok)
		return read_all(n, sets, nsets, d);
	hd__netlist_free(n);
	return NULL;
}

bool hd__netlist_changed(const struct hd_netlist *n)
{
	return n->nparts > 0 && json_array_size(n->parts[0]->doc->before) > 0;
}

static void free_parts(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->nframes; i++) {
		struct hd_frame *f = n->frames[i];

		for (size_t k = 0; k < f->nsubs; k++)
			free(f->subs[k].name);
		free(f->subs);
		free(f->prefix);
		json_decref(f->clocks);
		json_decref(f->sub_index);
		free(f);
	}
	for (size_t i = 0; i < n->nparts; i++) {
		struct hd_part *p = n->parts[i];

		free(p->exports);
		json_decref(p->export_index);
		free(p->root);
		free(p->name);
		free(p->at);
		free(p);
	}
	for (size_t i = 0; i < n->ndocs; i++)
		hd__doc_free(n->docs[i]);
	for (size_t i = 0; i < n->nsources; i++) {
		json_decref(n->sources[i]->root);
		free(n->sources[i]->file);
		free(n->sources[i]->real);
		if (n->sources[i]->inside == NULL)
			free(n->sources[i]->text);
		free(n->sources[i]->inside);
		free(n->sources[i]);
	}
	free(n->frames);
	free(n->parts);
	free(n->docs);
	free(n->sources);
}

void hd__netlist_free(struct hd_netlist *n)
{
	if (n == NULL)
		return;
	hd__free_clocks(n);
	hd__free_instances(n);
	hd__free_links(n);
	free_parts(n);
	hd__store_free(&n->store);
	hd__int_map_free(&n->known->texts);
	hd__int_map_free(&n->known->roots);
	json_decref(n->known->files);
	free(n->known);
	json_decref(n->params);
	json_decref(n->root);
	free(n->name);
	free(n->doc);
	free(n->file);
	free(n);
}

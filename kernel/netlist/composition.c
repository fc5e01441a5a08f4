/* composition.c - the parts of a netlist, their frames and exports; reads the outermost
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "scope.h"
#include "base/xalloc.h"

/* ---- parts and frames ---------------------------------------------------------------------- */

struct hd_part *hd__part_new(struct hd_netlist *n, struct hd_doc *doc, const struct hd_part *up,
                             const char *name, const char *at)
{
	struct hd_part *p = hd__xcalloc(1, sizeof *p);

	p->number = (uint32_t)n->nparts;
	p->root = up != NULL ? hd__format("%u:", p->number) : hd__xstrdup("");
	p->doc = doc;
	p->up = up;
	p->name = name != NULL ? hd__xstrdup(name) : NULL;
	p->at = at != NULL ? hd__xstrdup(at) : NULL;
	n->parts = hd__xgrow(n->parts, n->nparts, &n->cap_parts, sizeof *n->parts);
	n->parts[n->nparts++] = p;
	return p;
}

void hd__parts_free(struct hd_netlist *n)
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

/* ---- the outer form ------------------------------------------------------------------------ */

/* Are the sections there, and are they lists or objects? */
static void check_sections(const struct hd_entry *e)
{
	static const char *const objects[] = { "clocks", "instances", "exports" };
	const json_t *links = json_object_get(e->o, "links");

	for (size_t i = 0; i < 3; i++) {
		const json_t *v = json_object_get(e->o, objects[i]);

		if (v == NULL && strcmp(objects[i], "instances") == 0)
			hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
			                 "netlist has no 'instances'; expected an object");
		else if (v != NULL && !json_is_object(v))
			hd__entry_wrong(e, objects[i], "an object", v);
	}
	if (links != NULL && !json_is_array(links))
		hd__entry_wrong(e, "links", "a list", links);
}

static void check_root(struct hd_netlist *n, const struct hd_part *p, struct hd_diags *d)
{
	static const char *const known[] = { "heddle", "name", "doc", "extends", "params",
		                             "clocks", "instances", "links", "exports",
		                             "watchdog", NULL };
	struct hd_entry e = { n, d, p->doc->root, p->root, "netlist" };
	const json_t *name = json_object_get(e.o, "name");

	hd__entry_known(&e, known);
	check_sections(&e);
	if (name != NULL && !json_is_string(name))
		hd__entry_wrong(&e, "name", "string", name);
	for (const char *c = json_string_value(name); c != NULL && *c != '\0'; c++)
		if (hd__control(c) > 0) {
			hd__entry_wrong(&e, "name", "string without control characters", name);
			break;
		}
}

bool hd__netlist_changed(const struct hd_netlist *n)
{
	return n->nparts > 0 && json_array_size(n->parts[0]->doc->before) > 0;
}

static void read_exports(struct hd_netlist *n, struct hd_part *p, struct hd_scope *s,
                         struct hd_diags *d)
{
	json_t *all = json_object_get(p->doc->root, "exports"), *v;
	char *base = hd__format("%s/exports", p->root);
	const char *name;

	if (!hd__netlist_grows(n, HD_MEMBER_TAKES * json_object_size(all)))
		hd__netlist_full(n, d, base, NULL);
	p->exports = hd__xcalloc(json_object_size(all), sizeof *p->exports);
	p->export_index = hd__xcheck(json_object());
	json_object_foreach(all, name, v) {
		struct hd_export *x = &p->exports[p->nexports];
		char *at;

		if ((strcmp(name, "doc") == 0 && json_is_string(v))
		    || !hd__check_name(n, d, base, name, "an export", false))
			continue;
		at = hd__pointer_add(base, name);
		x->at = hd__store_text(&n->store, at);
		free(at);
		if (!hd__read_end(s, &(struct hd_place){ .base = x->at }, v, &x->end)) {
			*x = (struct hd_export){ NULL };
			continue;
		}
		x->name = hd__store_text(&n->store, name);
		json_object_set_new(p->export_index, name, json_integer((json_int_t)p->nexports++));
	}
	free(base);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void read_watchdog(struct hd_netlist *n, struct hd_scope *s, struct hd_diags *d)
{
	json_t *v = json_object_get(s->part->doc->root, "watchdog");
	struct hd_entry e = { n, d, hd__xcheck(json_object()), s->part->root, "netlist" };
	char *at = hd__format("%s/watchdog", s->part->root);
	uint64_t watchdog = 50000; /* longer than any real stall, yet soon reached */

	if (v != NULL)
		json_object_set_new(e.o, "watchdog", hd__resolve(s, v, at));
	hd__entry_u64(&e, "watchdog", 1, UINT64_C(1000000000000000), &watchdog);
	if (s->part->up == NULL)
		n->watchdog = watchdog;
	json_decref(e.o);
	free(at);
}

struct hd_scope *hd__part_open(struct hd_netlist *n, struct hd_part *p, const json_t *given,
                               struct hd_diags *d)
{
	struct hd_scope *s;

	check_root(n, p, d);
	s = hd__scope_new(n, p, given, d);
	read_watchdog(n, s, d);
	read_exports(n, p, s, d);
	return s;
}

void hd__read_whole(struct hd_netlist *n, struct hd_doc *doc, struct hd_diags *d)
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

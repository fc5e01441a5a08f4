/* part.c - reads what concerns a whole part: its outer form, its parameters, its exports
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "scope.h"
#include "base/xalloc.h"

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

static void read_exports(struct hd_netlist *n, struct hd_part *p, struct hd_scope *s,
                         struct hd_diags *d)
{
	json_t *all = json_object_get(p->doc->root, "exports"), *v;
	char *base = hd__format("%s/exports", p->root);
	const char *name;

	hd__netlist_takes(n, d, HD_MEMBER_TAKES * json_object_size(all), base, NULL);
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

/* netlist_instance.c - reads the "instances" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"pipe": { "module": "delay", "count": 4, "clock": "main", "params": { "depth": 13 } }
 */
#include "netlist_read.h"
#include "xalloc.h"

enum {
	MAX_COUNT = 65536,   /* elements of one array */
	MAX_TOTAL = 1 << 20, /* of all */
};

static void read_params(const struct hd_entry *e, struct hd_instance_decl *i)
{
	json_t *params = json_object_get(e->o, "params");

	if (json_is_object(params))
		i->params = json_incref(params);
	else if (params != NULL && !json_is_null(params))
		hd__entry_wrong(e, "params", "an object", params);
}

static void read_instance(const struct hd_entry *e, struct hd_instance_decl *i)
{
	static const char *const known[] = { "module", "clock", "count", "params", NULL };
	const char *s;
	enum hd_got got;

	i->count = 1;
	if (!json_is_object(e->o)) {
		if (!json_is_null(e->o))
			hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
			                 "%s: expected an object such as {\"module\": \"...\"}",
			                 e->what);
		return;
	}
	hd__entry_known(e, known);
	got = hd__entry_name(e, "module", &s);
	if (got == HD_GOT)
		i->module = hd__xstrdup(s);
	else if (got == HD_GOT_NONE)
		hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, NULL,
		                 "%s has no 'module'; expected the name of one", e->what);
	if (hd__entry_name(e, "clock", &s) == HD_GOT)
		i->clock = hd__xstrdup(s);
	i->array = hd__entry_u32(e, "count", 1, MAX_COUNT, &i->count) != HD_GOT_NONE;
	read_params(e, i);
}

void hd__read_instances(struct hd_netlist *n, struct hd_scope *s, struct hd_diags *d)
{
	json_t *all = json_object_get(n->root, "instances"), *v;
	uint64_t total = 0;
	const char *name;

	n->instances = hd__xcalloc(json_object_size(all), sizeof *n->instances);
	json_object_foreach(all, name, v) {
		struct hd_instance_decl *i = &n->instances[n->ninstances];
		struct hd_entry e = { .n = n, .d = d };
		char *what;

		if (strcmp(name, "doc") == 0 && json_is_string(v))
			continue;
		if (!hd__check_name(n, d, "/instances", name, "an instance"))
			continue;
		i->name = hd__xstrdup(name);
		i->at = hd__pointer_add("/instances", name);
		what = hd__format("instance '%s'", name);
		e.at = i->at;
		e.what = what;
		e.o = hd__resolve(s, v, i->at);
		read_instance(&e, i);
		json_decref(e.o);
		free(what);
		n->ninstances++;
		total += i->count;
		if (total > MAX_TOTAL) {
			hd__netlist_diag(n, d, HD_DIAG_ERROR, i->at, i->array ? "count" : NULL,
			                 "too many instances; expected at most %d in all",
			                 MAX_TOTAL);
			return;
		}
	}
}

void hd__free_instances(struct hd_netlist *n)
{
	for (size_t i = 0; i < n->ninstances; i++) {
		free(n->instances[i].name);
		free(n->instances[i].at);
		free(n->instances[i].module);
		free(n->instances[i].clock);
		json_decref(n->instances[i].params);
	}
	free(n->instances);
}

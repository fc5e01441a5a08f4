/* netlist_instance.c - reads the "instances" of a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	"pipe": { "module": "delay", "count": 4, "clock": "main", "params": { "depth": 13 } }
 *	"core": { "netlist": "core.json", "params": { "width": 2 } }
 */
#include "composition.h"
#include "kernel/base/xalloc.h"

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

/* The full name of the clock.  A clock that an inner netlist does not have is reported here, with
 * the names that it has. */
static char *find_clock(const struct hd_entry *e, const struct hd_frame *f, const char *name)
{
	const char **names, *key;
	char hint[1000];
	size_t n = 0;
	json_t *v;

	if (f->part->up == NULL || json_object_get(f->clocks, name) != NULL)
		return hd__frame_clock(f, name);
	names = hd__xcalloc(json_object_size(f->clocks), sizeof *names);
	if (e->d->n < HD_DIAGS_KEPT) /* else it is only counted */
		json_object_foreach(f->clocks, key, v)
			names[n++] = key;
	hd__netlist_diag(e->n, e->d, HD_DIAG_ERROR, e->at, "clock", "unknown clock '%s'%s", name,
	                 hd__suggest(name, names, n, "this netlist has", hint, sizeof hint));
	free(names);
	return f->first_clock != NULL ? hd__xstrdup(f->first_clock) : NULL;
}

static void read_instance(const struct hd_entry *e, const struct hd_frame *f,
                          struct hd_instance_decl *i)
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
	if (hd__entry_clock(e, "clock", &s) == HD_GOT)
		i->clock = find_clock(e, f, s);
	i->array = hd__entry_u32(e, "count", 1, MAX_COUNT, &i->count) != HD_GOT_NONE;
	read_params(e, i);
}

static void too_many(struct hd_netlist *n, const struct hd_instance_decl *i, struct hd_diags *d)
{
	if (n->full != NULL)
		return;
	n->full = "too many instances; expected at most 1048576 in all";
	hd__netlist_diag(n, d, HD_DIAG_ERROR, i->at, i->array ? "count" : NULL, "%s", n->full);
}

/* An instance of a module: one declaration, in the order of the file. */
static void read_one(const struct hd_frame *f, const struct hd_entry *e, const char *name,
                     struct hd_netlist *n)
{
	struct hd_instance_decl *i;

	n->instances = hd__xgrow(n->instances, n->ninstances, &n->cap_instances,
	                         sizeof *n->instances);
	i = &n->instances[n->ninstances++];
	*i = (struct hd_instance_decl){ .name = hd__frame_name(f, name),
		                        .at = hd__xstrdup(e->at),
		                        .first_clock = f->first_clock,
		                        .nclocks = f->nclocks };
	read_instance(e, f, i);
	n->total += i->count;
	if (n->total > MAX_TOTAL)
		too_many(n, i, e->d);
}

/* The entry with the "$" strings of this netlist replaced, but not those of a netlist in it. */
static json_t *resolve_entry(struct hd_scope *s, json_t *v, const char *at)
{
	json_t *inside, *outside = hd__sub_outside(v, &inside), *o, *own;

	o = hd__resolve(s, outside, at);
	json_decref(outside);
	if (inside == NULL)
		return o;
	own = hd__xcheck(json_copy(o));
	json_object_set(own, "netlist", inside);
	json_decref(o);
	return own;
}

void hd__read_instances(struct hd_netlist *n, struct hd_frame *f, struct hd_scope *s,
                        struct hd_diags *d)
{
	json_t *all = json_object_get(f->part->doc->root, "instances"), *v;
	char *base = hd__join(f->part->root, "/instances", "");
	const char *name;

	json_object_foreach(all, name, v) {
		struct hd_entry e = { .n = n, .d = d };
		char *what, *at;

		if (n->full != NULL)
			break;
		if ((strcmp(name, "doc") == 0 && json_is_string(v))
		    || !hd__check_name(n, d, base, name, "an instance", true))
			continue;
		at = hd__pointer_add(base, name);
		what = hd__join("instance '", name, "'");
		e.at = at;
		e.what = what;
		e.o = resolve_entry(s, v, at);
		if (json_object_get(e.o, "netlist") != NULL)
			hd__read_sub(n, f, &e, name, d);
		else
			read_one(f, &e, name, n);
		json_decref(e.o);
		free(what);
		free(at);
	}
	free(base);
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

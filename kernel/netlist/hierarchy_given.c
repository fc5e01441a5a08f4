/* hierarchy_given.c - parameters and clocks that an instance passes to its netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "hierarchy.h"

static void unknown_member(const struct hd_sub_draft *u, const char *section, const char *name)
{
	json_t *all = json_object_get(u->doc->root, section), *v;
	const char **names, *key;
	char *at = hd__pointer_add(u->e->at, section), hint[1000] = "";
	size_t n = 0;

	if (hd__may_suggest(u->d, json_object_size(all))) {
		names = hd__xcalloc(json_object_size(all), sizeof *names);
		json_object_foreach(all, key, v)
			if (strcmp(key, "doc") != 0)
				names[n++] = key;
		hd__suggest(name, names, n, "it has", hint, sizeof hint);
		free(names);
	}
	hd__netlist_diag_key(u->n, u->d, HD_DIAG_ERROR, at, name, "unknown %s '%s' of netlist '%s'%s",
	                     strcmp(section, "params") == 0 ? "parameter" : "clock", name,
	                     u->n->sources[u->doc->top]->file, hint);
	free(at);
}

static json_t *object_of(const struct hd_sub_draft *u, const char *member)
{
	json_t *v = json_object_get(u->e->o, member);

	if (json_is_object(v) || v == NULL)
		return v;
	if (!json_is_null(v))
		hd__entry_wrong(u->e, member, "an object", v);
	return NULL;
}

void hd__sub_params(struct hd_sub_draft *u)
{
	const json_t *known = json_object_get(u->doc->root, "params");
	char *at = hd__pointer_add(u->e->at, "params"), *place;
	json_t *given = object_of(u, "params"), *v, *raw;
	const char *name;

	u->params = hd__xcheck(json_object());
	json_object_foreach(given, name, v) {
		if (strcmp(name, "doc") == 0)
			continue;
		raw = json_object_get(known, name);
		place = hd__pointer_add(at, name);
		if (raw == NULL)
			unknown_member(u, "params", name);
		else if (hd__param_same_type(u->n, raw, v, name, place, u->d))
			json_object_set(u->params, name, v);
		free(place);
	}
	free(at);
}

static void unknown_clock(const struct hd_sub_draft *u, const char *at, const char *member,
                          const char *name)
{
	const char **names, *key;
	char hint[1000] = "";
	size_t n = 0;
	json_t *v;

	if (hd__may_suggest(u->d, json_object_size(u->frame->clocks))) {
		names = hd__xcalloc(json_object_size(u->frame->clocks), sizeof *names);
		json_object_foreach(u->frame->clocks, key, v)
			names[n++] = key;
		hd__suggest(name, names, n, "the netlist has", hint, sizeof hint);
		free(names);
	}
	hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, at, member, "unknown clock '%s'%s", name, hint);
}

/* Maps clocks of the inner netlist to those of the outer: u->clocks, by full names. */
static void map_clocks(struct hd_sub_draft *u)
{
	json_t *own = json_object_get(u->doc->root, "clocks"), *v, *outer;
	json_t *given = object_of(u, "clocks");
	char *at = hd__pointer_add(u->e->at, "clocks"), *place, buf[80];
	const char *name;

	u->clocks = hd__xcheck(json_object());
	json_object_foreach(given, name, v) {
		if (strcmp(name, "doc") == 0 || json_is_null(v))
			continue;
		place = hd__pointer_add(at, name);
		outer = json_is_string(v) ? json_object_get(u->frame->clocks, json_string_value(v))
		                          : NULL;
		if (json_object_get(own, name) == NULL)
			unknown_member(u, "clocks", name);
		else if (!json_is_string(v))
			hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, place, NULL,
			                 "clock '%s': expected the name of a clock, found %s", name,
			                 hd__found(v, buf, sizeof buf));
		else if (outer == NULL)
			unknown_clock(u, place, NULL, json_string_value(v));
		else
			json_object_set(u->clocks, name, outer);
		free(place);
	}
	json_object_foreach(own, name, v) {
		if (!json_is_true(json_object_get(v, "extern"))
		    || json_object_get(u->clocks, name) != NULL)
			continue;
		outer = json_object_get(u->frame->clocks, name);
		if (outer != NULL)
			json_object_set(u->clocks, name, outer);
		else /* a substitute, so that no further error follows */
			json_object_set_new(u->clocks, name, json_string(u->frame->first_clock));
		if (outer == NULL && json_object_get(given, name) == NULL)
			hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, NULL,
			                 "instance '%s' does not set the clock '%s' of netlist "
			                 "'%s'; expected \"clocks\": {\"%s\": ...}",
			                 u->name, name, u->n->sources[u->doc->top]->file, name);
	}
	free(at);
}

/* "clock": for a netlist without clocks. */
static void choose_clock(struct hd_sub_draft *u)
{
	const json_t *own = json_object_get(u->doc->root, "clocks"), *outer = NULL;
	const char *name, *file = u->n->sources[u->doc->top]->file;
	bool given = hd__entry_name(u->e, "clock", &name) == HD_GOT;

	if (given)
		outer = json_object_get(u->frame->clocks, name);
	if (given && json_object_size(own) > 0)
		hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, "clock",
		                 "netlist '%s' has clocks of its own; expected \"clocks\" that map "
		                 "them to clocks of this netlist",
		                 file);
	else if (given && outer == NULL)
		unknown_clock(u, u->e->at, "clock", name);
	else if (!given && json_object_size(own) == 0 && u->frame->nclocks > 1)
		hd__netlist_diag(u->n, u->d, HD_DIAG_ERROR, u->e->at, NULL,
		                 "netlist '%s' has no clocks; expected \"clock\" of instance '%s' "
		                 "since there are %u clocks",
		                 file, u->name, u->frame->nclocks);
	if (outer != NULL)
		u->clock = hd__store_text(&u->n->store, json_string_value(outer));
	else
		u->clock = u->frame->first_clock;
}

void hd__sub_clocks(struct hd_sub_draft *u)
{
	map_clocks(u);
	choose_clock(u);
}

/* energy_file.c - reads a table of energies, and those that it extends
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/energy.md has the members.  A table that extends another one replaces members of it; of "events" those of the
 * same statistics, of "constant_w" those of the same components.
 */
#include "energy.h"

#include "base/pointer.h"
#include "base/words.h"
#include "base/xalloc.h"

#include <errno.h>
#include <limits.h>

enum { MOST_TABLES = 64 /* that extend each other */ };
#define MOST 1e15 /* of a number, so that no sum is infinite */

struct reader {
	struct hd_energy_table *t;
	const struct hd_energy_file *f; /* that is being read */
	struct hd_json_from from;       /* the same, for messages */
	const struct hd_registry *modules;
};

/* ---- messages, members ---- */

#define BAD(r, at, key, ...) hd__from_diag(&(r)->from, HD_DIAG_ERROR, at, key, __VA_ARGS__)

static void read_from(struct reader *r, const struct hd_energy_file *f)
{
	r->f = f;
	r->from.file = f->file;
	r->from.text = f->text;
}

static void known_members(const struct reader *r, json_t *o, const char *at, const char *what, const char *const *known)
{
	hd__from_known(&r->from, o, at, what, known);
}

static json_t *member(const struct reader *r, const json_t *o, const char *at, const char *name, json_type type,
                      const char *expected)
{
	return hd__from_member(&r->from, o, at, name, type, expected);
}

/* A text or a number of the object, or what it was. */
static const char *text_of(const struct reader *r, const json_t *o, const char *at, const char *name, const char *was)
{
	const json_t *v = member(r, o, at, name, JSON_STRING, "a text");

	return v ? json_string_value(v) : was;
}

/* The number at that place. */
static double number_at(const struct reader *r, const json_t *v, const char *at, const char *name)
{
	double x = json_number_value(v);
	char buf[80];

	if (!json_is_number(v) || !(x >= -MOST && x <= MOST))
		BAD(r, at, false, "'%s': expected a number%s, found %s", name,
		    json_is_number(v) ? " from -10^15 to 10^15" : "", hd__found(v, buf, sizeof buf));
	return x;
}

static double number_of(const struct reader *r, const json_t *o, const char *at, const char *name, double was)
{
	const json_t *v = json_object_get(o, name);
	char *place = v ? hd__pointer_add(at, name) : NULL;
	double x = v ? number_at(r, v, place, name) : was;

	free(place);
	return x;
}

/* ---- components ---- */

static uint32_t component_of(struct hd_energy_table *t, const char *name)
{
	for (size_t i = 0; i < t->ncomponents; i++)
		if (strcmp(t->components[i], name) == 0)
			return (uint32_t)i;
	t->components = hd__xappend((void *)t->components, t->ncomponents, sizeof *t->components);
	t->components[t->ncomponents] = name;
	return (uint32_t)t->ncomponents++;
}

static bool is_component(const struct hd_energy_table *t, const char *name)
{
	for (size_t i = 0; name && i < t->ncomponents; i++)
		if (strcmp(t->components[i], name) == 0)
			return true;
	return false;
}

static void set_part(struct hd_energy_parts *p, uint32_t component, double v)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].component == component) {
			p->v[i].v = v;
			return;
		}
	p->v = hd__xappend(p->v, p->n, sizeof *p->v);
	p->v[p->n++] = (struct hd_energy_part){ component, v };
}

/* { "RFP": 80.0 } at `at`, in place of what was there for these components. */
static void read_parts(const struct reader *r, json_t *o, const char *at, struct hd_energy_parts *p)
{
	const char *name;
	char buf[80];
	json_t *v;

	if (!json_is_object(o))
		BAD(r, at, false, "expected an object of components and numbers, found %s",
		    hd__found(o, buf, sizeof buf));
	json_object_foreach(o, name, v) {
		char *place = hd__pointer_add(at, name);

		if (!hd__is_name(name))
			BAD(r, place, true, "bad name '%s' of a component; expected a letter or '_', then letters, "
			    "digits and '_', at most %u", name, HD_NAME_MAX);
		else
			set_part(p, component_of(r->t, name), number_at(r, v, place, name));
		free(place);
	}
}

static void read_member_parts(const struct reader *r, const json_t *o, const char *at, const char *name,
                              struct hd_energy_parts *p)
{
	json_t *v = json_object_get(o, name);
	char *place = v ? hd__pointer_add(at, name) : NULL;

	if (v)
		read_parts(r, v, place, p);
	free(place);
}

/* Reads watts by component, which are not negative. */
static void read_watts(const struct reader *r, json_t *o, const char *at, const char *name, struct hd_energy_parts *p)
{
	char *place = hd__pointer_add(at, name);

	read_member_parts(r, o, at, name, p);
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].v < 0) {
			BAD(r, json_object_get(o, name) ? place : at, false, "'%s': %s has %g W; expected 0 or more",
			    name, r->t->components[p->v[i].component], p->v[i].v);
			break;
		}
	free(place);
}

/* ---- modules and statistics ---- */

/* The module of that name; NULL after a message. */
static const struct hd_module *module_of(const struct reader *r, const char *name, const char *at)
{
	const struct hd_module *m = hd__registry_find(r->modules, name);
	const char **names;
	char buf[1000];

	if (m)
		return m;
	names = hd__xcalloc(r->modules->n, sizeof *names);
	for (size_t i = 0; i < r->modules->n; i++)
		names[i] = r->modules->v[i].module->name;
	BAD(r, at, false, "unknown module '%s'%s", name,
	    hd__suggest(name, names, r->modules->n, "'heddle modules' lists them:", buf, sizeof buf));
	free((void *)names);
	return NULL;
}

/* Does the module count that, one counter or with `kind` one for each symbol of a kind?  A message if it does not. */
static void check_counter(const struct reader *r, const struct hd_module *m, const char *name, bool kind,
                          const char *at, bool key)
{
	const char **names = NULL;
	char buf[1000];
	bool counts = false;
	size_t n = 0;

	for (const struct hd_stat *st = m && name ? m->stats : NULL; st && st->name; st++)
		if (!hd__stat_is_share(st)) {
			names = hd__xappend((void *)names, n, sizeof *names);
			names[n++] = st->name;
			counts = counts || (!kind && strcmp(st->name, name) == 0);
		}
	for (const struct hd_activity *a = m && name ? m->activity : NULL; a && a->name; a++) {
		size_t length = strlen(a->name);

		names = hd__xappend((void *)names, n, sizeof *names);
		names[n++] = a->name;
		counts = counts || (a->kind && !kind ? strncmp(a->name, name, length) == 0 && name[length] == '.'
		                                       && name[length + 1]
		                    : (a->kind != NULL) == kind && strcmp(a->name, name) == 0);
	}
	if (m && name && !counts)
		BAD(r, at, key, "module '%s' has no statistic '%s'%s%s", m->name, name,
		    kind ? " with a counter for each class" : "",
		    hd__suggest(name, names, n, "expected one of", buf, sizeof buf));
	free((void *)names);
}

/* Member `name` of the object: a counter of the module, or what it was. */
static const char *counter_of(const struct reader *r, const json_t *o, const char *at, const char *name,
                              const struct hd_module *m, bool kind, const char *was)
{
	const char *text = text_of(r, o, at, name, was);
	char *place = hd__pointer_add(at, name);

	check_counter(r, m, text, kind, place, false);
	free(place);
	return text;
}

/* ---- events ---- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static struct hd_energy_event *event_of(struct hd_energy_table *t, const char *module, const char *instances,
                                        const char *statistic)
{
	for (size_t i = 0; i < t->nevents; i++) {
		struct hd_energy_event *e = &t->events[i];

		if (same(e->module, module) && same(e->instances, instances) && same(e->statistic, statistic))
			return e;
	}
	t->events = hd__xappend(t->events, t->nevents, sizeof *t->events);
	t->events[t->nevents] = (struct hd_energy_event){ .module = module, .instances = instances,
		                                          .statistic = statistic };
	return &t->events[t->nevents++];
}

static void read_event(const struct reader *r, json_t *o, const char *at)
{
	static const char *const known[] = { "module", "instances", "pj", "optional", "doc", NULL };
	const char *module = text_of(r, o, at, "module", NULL), *name;
	const char *instances = text_of(r, o, at, "instances", NULL);
	bool optional = json_is_true(member(r, o, at, "optional", JSON_TRUE, "true or false"));
	json_t *pj = member(r, o, at, "pj", JSON_OBJECT, "an object of statistics"), *v;
	char *of = hd__pointer_add(at, "module"), *list = hd__pointer_add(at, "pj"), buf[80];
	const struct hd_module *m = module ? module_of(r, module, of) : NULL;

	known_members(r, o, at, "an event", known);
	if (!json_is_object(o))
		BAD(r, at, false, "expected an event, an object, found %s", hd__found(o, buf, sizeof buf));
	else if (!json_object_get(o, "module") || !json_object_get(o, "pj"))
		BAD(r, at, false, "expected \"module\" and \"pj\" in an event");
	if (m)
		json_object_foreach(pj, name, v) {
			struct hd_energy_event *e = event_of(r->t, module, instances, name);
			char *place = hd__pointer_add(list, name);

			check_counter(r, m, name, false, place, true);
			if (e->from == r->f)
				BAD(r, place, true, "'%s' of these instances has energies already; expected it once",
				    name);
			e->from = r->f;
			e->optional = optional;
			e->pj.n = 0;
			free(e->at);
			e->at = place;
			if (!json_is_null(v)) /* which removes it */
				read_parts(r, v, place, &e->pj);
		}
	free(of);
	free(list);
}

/* ---- SMs, static power ---- */

static void read_pipeline(const struct reader *r, json_t *o, const char *at, const struct hd_module *m)
{
	static const char *const known[] = { "completed", "delay", "lanes_per_cycle", "limit", "pj_per_cycle", "doc",
		NULL };
	struct hd_energy_table *t = r->t;
	double delay = number_of(r, o, at, "delay", 0);

	known_members(r, o, at, "\"pipeline\"", known);
	t->completed = counter_of(r, o, at, "completed", m, false, NULL);
	t->lanes_per_cycle = number_of(r, o, at, "lanes_per_cycle", 0);
	t->limit = number_of(r, o, at, "limit", 1);
	t->pipeline_pj.n = 0;
	read_member_parts(r, o, at, "pj_per_cycle", &t->pipeline_pj);
	t->delay = delay == 1;
	if (delay != 0 && delay != 1)
		BAD(r, at, false, "'delay': expected 0 or 1");
	if (!t->completed || !(t->lanes_per_cycle > 0) || !(t->limit > 0))
		BAD(r, at, false, "expected \"completed\", a statistic, and \"lanes_per_cycle\" and \"limit\" above 0");
}

static void read_sm(const struct reader *r, json_t *o, const char *at)
{
	static const char *const known[] = { "module", "resident", "idle_w", "pipeline", "doc", NULL };
	struct hd_energy_table *t = r->t;
	json_t *pipeline = member(r, o, at, "pipeline", JSON_OBJECT, "an object");
	char *of = hd__pointer_add(at, "module"), *place = hd__pointer_add(at, "pipeline");
	const struct hd_module *m;

	known_members(r, o, at, "\"sm\"", known);
	t->sm = text_of(r, o, at, "module", NULL);
	m = t->sm ? module_of(r, t->sm, of) : NULL;
	t->resident = counter_of(r, o, at, "resident", m, false, NULL);
	if (!t->sm || !t->resident)
		BAD(r, at, false, "expected \"module\", and \"resident\", a statistic of it");
	t->idle_w.n = t->pipeline_pj.n = 0;
	t->completed = NULL;
	read_watts(r, o, at, "idle_w", &t->idle_w);
	if (pipeline)
		read_pipeline(r, pipeline, place, m);
	free(of);
	free(place);
}

static void read_groups(const struct reader *r, json_t *list, const char *at, struct hd_energy_static *row)
{
	size_t i, k;
	json_t *v;

	json_array_foreach(list, i, v) {
		const char *name = json_string_value(v), *key;
		json_t *classes;
		bool found = false;

		k = 0;
		json_object_foreach((json_t *)r->t->classes, key, classes) {
			if (name && strcmp(key, name) == 0) {
				row->groups |= UINT64_C(1) << k % 64;
				found = true;
			}
			k++;
		}
		if (!found)
			BAD(r, at, false, "unknown group '%s'; expected one of \"groups\" of \"static_w\"",
			    name ? name : "?");
	}
}

static void check_classes(const struct reader *r, const json_t *list, const char *at)
{
	bool texts = !list || json_is_array(list);
	size_t i;
	json_t *v;

	json_array_foreach((json_t *)list, i, v)
		texts = texts && json_is_string(v);
	if (!texts)
		BAD(r, at, false, "expected lists of power classes, texts");
}

static void read_row(const struct reader *r, json_t *o, const char *at)
{
	static const char *const known[] = { "lanes", "groups", "classes_absent", "else", "w", "doc", NULL };
	struct hd_energy_table *t = r->t;
	struct hd_energy_static row = { .any = json_is_true(member(r, o, at, "else", JSON_TRUE, "true")) };
	json_t *lanes = member(r, o, at, "lanes", JSON_INTEGER, "0");
	json_t *w = member(r, o, at, "w", JSON_ARRAY, "two numbers");
	json_t *groups = member(r, o, at, "groups", JSON_ARRAY, "a list of groups");
	char buf[80];

	if (!json_is_object(o))
		BAD(r, at, false, "expected a row, an object, found %s", hd__found(o, buf, sizeof buf));
	known_members(r, o, at, "a row of \"static_w\"", known);
	row.none = lanes != NULL;
	row.absent = member(r, o, at, "classes_absent", JSON_ARRAY, "a list of classes");
	check_classes(r, row.absent, at);
	read_groups(r, groups, at, &row);
	if (json_array_size(w) != 2)
		BAD(r, at, false, "expected \"w\": [WATTS, WATTS], of the first active lane and of each other one");
	if (json_integer_value(lanes) != 0 || row.none + row.any + (groups != NULL) != 1)
		BAD(r, at, false, "expected one of \"lanes\": 0, \"groups\" and \"else\": true in a row");
	if (json_array_size(w) == 2) {
		row.first = number_at(r, json_array_get(w, 0), at, "w");
		row.further = number_at(r, json_array_get(w, 1), at, "w");
	}
	t->rows = hd__xappend(t->rows, t->nrows, sizeof *t->rows);
	t->rows[t->nrows++] = row;
}

/* The units whose classes count are those of "fu_pipeline" unless the table says others. */
static void read_static(const struct reader *r, json_t *o, const char *at)
{
	static const char *const known[] = { "component", "doc", "groups", "rows", "module", "lanes", "instructions",
		NULL };
	struct hd_energy_table *t = r->t;
	const char *component = text_of(r, o, at, "component", NULL), *name;
	json_t *rows = member(r, o, at, "rows", JSON_ARRAY, "a list of rows"), *v;
	char *of = hd__pointer_add(at, "module");
	const struct hd_module *m;
	size_t i;

	known_members(r, o, at, "\"static_w\"", known);
	t->classes = member(r, o, at, "groups", JSON_OBJECT, "an object of groups and their classes");
	t->unit = text_of(r, o, at, "module", "fu_pipeline");
	m = module_of(r, t->unit, of);
	t->lanes = counter_of(r, o, at, "lanes", m, true, "lanes");
	t->instructions = counter_of(r, o, at, "instructions", m, false, "instructions");
	if (!component || !rows || json_object_size(t->classes) > 64)
		BAD(r, at, false, "expected \"component\", at most 64 \"groups\", and \"rows\"");
	t->static_w.n = t->nrows = 0;
	t->static_from = r->f;
	json_object_foreach((json_t *)t->classes, name, v)
		check_classes(r, v, at);
	if (component)
		set_part(&t->static_w, component_of(t, component), 1);
	json_array_foreach(rows, i, v) {
		char *row = hd__format("%s/rows/%zu", at, i);

		read_row(r, v, row);
		free(row);
	}
	free(of);
}

/* ---- the whole ---- */

/* Factors of components, "*": of those that are not named. */
static void scale(const struct reader *r, json_t *o, struct hd_energy_parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const json_t *by = json_object_get(o, r->t->components[p->v[i].component]);

		by = by ? by : json_object_get(o, "*");
		p->v[i].v *= by ? json_number_value(by) : 1;
		if (!(p->v[i].v >= -MOST && p->v[i].v <= MOST))
			BAD(r, "/scale", false, "an energy of '%s' is %g then; expected a number from -10^15 to 10^15",
			    r->t->components[p->v[i].component], p->v[i].v);
	}
}

static void read_scale(const struct reader *r, json_t *o)
{
	struct hd_energy_table *t = r->t;
	const char *name;
	char buf[80];
	json_t *v;

	json_object_foreach(o, name, v) {
		char *at = hd__pointer_add("/scale", name);

		if (strcmp(name, "*") != 0 && !is_component(t, name))
			BAD(r, at, true, "unknown component '%s'%s", name,
			    hd__suggest(name, t->components, t->ncomponents, "expected \"*\" or one of", buf,
			                sizeof buf));
		number_at(r, v, at, name);
		free(at);
	}
	for (size_t i = 0; i < t->nevents; i++)
		scale(r, o, &t->events[i].pj);
	scale(r, o, &t->pipeline_pj);
}

static void read_people(const struct reader *r)
{
	const char *name, *other;
	json_t *list, *v, *group_of = json_object();
	size_t i;

	json_object_foreach((json_t *)r->t->groups, name, list) {
		char *at = hd__pointer_add("/groups", name);

		if (!json_is_array(list))
			BAD(r, at, false, "'%s': expected a list of components", name);
		json_array_foreach(list, i, v) {
			const char *of = json_string_value(v);
			char *place = hd__format("%s/%zu", at, i);

			if (!is_component(r->t, of))
				BAD(r, place, false, "'%s': unknown component '%s'", name, of ? of : "?");
			else if ((other = json_string_value(json_object_get(group_of, of))) != NULL)
				BAD(r, place, false, "component '%s' is in group '%s' and in '%s'; expected one group",
				    of, other, name);
			else
				json_object_set_new(group_of, of, json_string(name));
			free(place);
		}
		free(at);
	}
	json_decref(group_of);
}

static void read_root(const struct reader *r)
{
	static const char *const known[] = { "heddle_energy", "name", "doc", "error", "extends", "clock", "interval",
		"round_at", "volts", "events", "sm", "constant_w", "static_w", "scale", "groups", "$schema", NULL };
	struct hd_energy_table *t = r->t;
	json_t *root = r->f->root, *v;
	double interval = number_of(r, root, "", "interval", (double)t->interval);
	size_t i;

	known_members(r, root, "", "a table of energies", known);
	if (json_integer_value(json_object_get(root, "heddle_energy")) != 1)
		BAD(r, json_object_get(root, "heddle_energy") ? "/heddle_energy" : "", false,
		    "expected \"heddle_energy\": 1, the version of the format");
	t->name = text_of(r, root, "", "name", t->name);
	t->doc = text_of(r, root, "", "doc", t->doc);
	t->error = text_of(r, root, "", "error", t->error);
	t->clock = text_of(r, root, "", "clock", t->clock);
	if (strcmp(text_of(r, root, "", "round_at", "run"), "run") != 0)
		BAD(r, "/round_at", false, "'round_at': expected \"run\": intervals are counted from its begin");
	if (!(interval >= 2 && interval <= 1e12 && interval == (double)(uint64_t)interval))
		BAD(r, "/interval", false, "'interval': expected a number of cycles, from 2 to 10^12");
	else
		t->interval = (uint64_t)interval;
	t->volts = number_of(r, root, "", "volts", t->volts);
	if (json_object_get(root, "volts") && !(t->volts > 0))
		BAD(r, "/volts", false, "'volts': expected a number above 0");
	v = member(r, root, "", "events", JSON_ARRAY, "a list of events");
	for (i = 0; i < json_array_size(v); i++) {
		char *at = hd__numbered("/events/", i, "");

		read_event(r, json_array_get(v, i), at);
		free(at);
	}
	if ((v = member(r, root, "", "sm", JSON_OBJECT, "an object")) != NULL)
		read_sm(r, v, "/sm");
	read_watts(r, root, "", "constant_w", &t->constant_w);
	if ((v = member(r, root, "", "static_w", JSON_OBJECT, "an object")) != NULL)
		read_static(r, v, "/static_w");
	if ((v = member(r, root, "", "scale", JSON_OBJECT, "an object of components and factors")) != NULL)
		read_scale(r, v);
	if ((v = member(r, root, "", "groups", JSON_OBJECT, "an object of names and components")) != NULL) {
		t->groups = v;
		read_people(r);
	}
}

static struct hd_energy_file *open_file(struct reader *r, char *path, const char *named,
                                        const struct hd_energy_file *up, unsigned depth);

/* "a.json -> b.json -> a.json", if the file is one of those that are being read; else NULL.  The caller frees it. */
static char *loop_of(const struct hd_energy_file *f, const char *path)
{
	char *text = hd__xstrdup(path), *longer, real[PATH_MAX], other[PATH_MAX];

	for (; f; f = f->up) {
		longer = hd__format("%s -> %s", f->file, text);
		free(text);
		text = longer;
		if (realpath(path, real) && realpath(f->file, other) && strcmp(real, other) == 0)
			return text;
	}
	free(text);
	return NULL;
}

static void open_base(struct reader *r, struct hd_energy_file *f, const char *name, unsigned depth)
{
	char *path = hd__data_path_in("energy", f->file, name), *loop = loop_of(f, path);

	if (loop || depth >= MOST_TABLES) {
		if (loop)
			BAD(r, "/extends", false, "a table cannot extend itself: %s", loop);
		else
			BAD(r, "/extends", false, "more than %d tables extend each other; expected fewer", MOST_TABLES);
		free(path);
	} else {
		f->base = open_file(r, path, name, f, depth + 1);
	}
	free(loop);
}

/* Reads a text, which is its own, and the tables that it extends: `depth` extend it. */
static void read_text(struct reader *r, struct hd_energy_file *f, size_t length, unsigned depth)
{
	const json_t *base;
	char buf[80];

	f->root = hd__json_parse(f->file, f->text, length, r->from.d);
	if (f->root && !json_is_object(f->root))
		hd__diag(r->from.d, HD_DIAG_ERROR, f->file, 1, 1, "expected a table of energies, an object; found %s",
		         hd__found(f->root, buf, sizeof buf));
	if (!json_is_object(f->root))
		return;
	if (!json_object_get(f->root, "heddle_energy") && json_object_get(f->root, "heddle")) {
		hd__diag(r->from.d, HD_DIAG_ERROR, f->file, 1, 1, "this is a netlist; expected a table of energies");
		return;
	}
	read_from(r, f);
	base = member(r, f->root, "", "extends", JSON_STRING, "the name of a table");
	if (base)
		open_base(r, f, json_string_value(base), depth);
	read_from(r, f);
	if (!base || r->from.d->errors == 0)
		read_root(r);
}

/* A file that cannot be read is named at the place that extends it, or on the command line. */
static struct hd_energy_file *open_file(struct reader *r, char *path, const char *named,
                                        const struct hd_energy_file *up, unsigned depth)
{
	struct hd_energy_file *f = hd__xcalloc(1, sizeof *f);
	size_t length;

	f->file = path;
	f->up = up;
	f->text = hd__read_file(path, &length);
	if (f->text)
		read_text(r, f, length, depth);
	else if (depth > 0)
		BAD(r, "/extends", false, "cannot read the table '%s': %s", named, hd__input_why(errno));
	else
		hd__diag(r->from.d, HD_DIAG_ERROR, named, 0, 0, "cannot read the table of energies: %s; expected a "
		         "file such as accelwattch_volta.json", hd__input_why(errno));
	return f;
}

bool hd__energy_read(struct hd_energy_table *t, const char *name, char *text, const struct hd_registry *modules,
                     struct hd_diags *d)
{
	struct reader r = { .t = t, .modules = modules, .from.d = d };
	size_t before = d->errors;

	*t = (struct hd_energy_table){ .name = "?", .volts = 1, .interval = 500 };
	if (!text) {
		t->file = open_file(&r, hd__data_path_in("energy", NULL, name), name, NULL, 0);
		return d->errors == before;
	}
	t->file = hd__xcalloc(1, sizeof *t->file);
	t->file->file = hd__xstrdup(name);
	t->file->text = text;
	read_text(&r, t->file, strlen(text), 0);
	return d->errors == before;
}

static void free_file(struct hd_energy_file *f)
{
	if (!f)
		return;
	free_file(f->base);
	json_decref(f->root);
	free(f->text);
	free(f->file);
	free(f);
}

void hd__energy_free(struct hd_energy_table *t)
{
	for (size_t i = 0; i < t->nevents; i++) {
		free(t->events[i].pj.v);
		free(t->events[i].at);
	}
	free(t->events);
	free((void *)t->components);
	free(t->constant_w.v);
	free(t->idle_w.v);
	free(t->pipeline_pj.v);
	free(t->static_w.v);
	free(t->rows);
	free_file(t->file);
}

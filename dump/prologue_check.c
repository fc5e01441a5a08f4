/* prologue_check.c - checks the prologue of a dump before anything of it is used
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump may come from another program, or from a later version: members that are not listed here
 * are passed over, those that are listed have the form that docs/dump-format.md gives them.
 */
#include "dump_decode.h"

#define MOST_FIELDS (HD_COL_NODE - HD_COL_FIELDS)

enum form { TEXT, NUMBER, SWITCH, LIST };

struct member {
	const char *name;
	enum form form;
	bool must;
};

static const char *const form_names[] = {
	[TEXT] = "a string", [NUMBER] = "a number from 0", [SWITCH] = "true or false",
	[LIST] = "an array",
};

static const struct member
	instance_members[] = { { "path", TEXT, true }, { "module", TEXT, true }, { "turns", NUMBER, false },
		{ "turn", NUMBER, false }, { NULL, TEXT, false } },
	table_members[] = { { "kind", TEXT, true }, { "name", TEXT, true }, { "doc", TEXT, false },
		{ "module", TEXT, false }, { "fields", LIST, true }, { NULL, TEXT, false } },
	field_members[] = { { "name", TEXT, true }, { "unit", TEXT, false }, { "doc", TEXT, false },
		{ "names", TEXT, false }, { "hex", SWITCH, false }, { "span", SWITCH, false },
		{ "key", SWITCH, false }, { NULL, TEXT, false } },
	place_members[] = { { "name", TEXT, true }, { "kind", TEXT, true }, { "doc", TEXT, false },
		{ "instance", NUMBER, false }, { "mark", TEXT, false }, { "port", TEXT, false },
		{ "arg", TEXT, false }, { "names", TEXT, false }, { "type", TEXT, false },
		{ "from", TEXT, false }, { "column", NUMBER, false }, { NULL, TEXT, false } },
	like_place_members[] = { { "like", NUMBER, true }, { "name", TEXT, true }, { "instance", NUMBER, false },
		{ "from", TEXT, false }, { NULL, TEXT, false } },
	cause_members[] = { { "reason", TEXT, true }, { "doc", TEXT, false },
		{ "instance", NUMBER, false }, { NULL, TEXT, false } },
	counter_members[] = { { "instance", NUMBER, true }, { "name", TEXT, true },
		{ "unit", TEXT, false }, { "doc", TEXT, false }, { "total", TEXT, false },
		{ NULL, TEXT, false } },
	like_members[] = { { "instance", NUMBER, true }, { "like", NUMBER, true }, { "count", NUMBER, true },
		{ NULL, TEXT, false } },
	reason_members[] = { { "name", TEXT, true }, { "doc", TEXT, false }, { NULL, TEXT, false } };

static bool has_form(const json_t *v, enum form form)
{
	switch (form) {
	case TEXT: return json_is_string(v) && strlen(json_string_value(v)) == json_string_length(v);
	case NUMBER: return json_is_integer(v) && json_integer_value(v) >= 0;
	case SWITCH: return json_is_boolean(v);
	default: return json_is_array(v);
	}
}

static bool wrong(struct dump *d, const char *where, size_t i, const char *what)
{
	dump_damage(d, "prologue: element %zu of '%s': %s", i, where, what);
	return false;
}

static bool check_element(struct dump *d, const char *where, size_t i, const json_t *o,
                          const struct member *members)
{
	bool ok = json_is_object(o) || wrong(d, where, i, "expected an object");

	for (const struct member *m = members; ok && m->name; m++) {
		const json_t *v = json_object_get(o, m->name);
		char what[80];

		snprintf(what, sizeof what, "expected '%s', %s", m->name, form_names[m->form]);
		if (v ? !has_form(v, m->form) : m->must)
			ok = wrong(d, where, i, what);
	}
	return ok;
}

static bool check_array(struct dump *d, const char *where, const json_t *a,
                        const struct member *members, const char *unique)
{
	json_t *seen = json_object();
	bool ok = true;

	for (size_t i = 0; ok && i < json_array_size(a); i++) {
		const json_t *o = json_array_get(a, i);
		const char *name;

		ok = check_element(d, where, i, o, members);
		name = ok && unique ? json_string_value(json_object_get(o, unique)) : NULL;
		if (name && json_object_get(seen, name))
			ok = wrong(d, where, i, "its name appears twice");
		else if (name)
			json_object_set_new(seen, name, json_true());
	}
	json_decref(seen);
	return ok;
}

#define MOST_ITEMS (1u << 22) /* with those that are like others: a damaged file must not fill memory */

/* An element that stands for some that are like earlier ones, of which there are n. */
static bool check_like(struct dump *d, const char *where, size_t i, const json_t *o, uint32_t n)
{
	json_int_t first, count;

	if (!check_element(d, where, i, o, like_members))
		return false;
	first = json_integer_value(json_object_get(o, "like"));
	count = json_integer_value(json_object_get(o, "count"));
	return (count > 0 && first < n && count <= n - first && n + count <= MOST_ITEMS)
	       || wrong(d, where, i, "expected 'like' and 'count', those of earlier elements");
}

static bool check_like_place(struct dump *d, size_t i, const json_t *o)
{
	return check_element(d, "places", i, o, like_place_members)
	       && (json_integer_value(json_object_get(o, "like")) < (json_int_t)d->nplaces
	           || wrong(d, "places", i, "expected 'like', the number of an earlier place"));
}

bool dump_check_item(struct dump *d, const char *name, size_t i, const json_t *o)
{
	static const struct {
		const char *name;
		const struct member *members;
	} of[] = {
		{ "instances", instance_members }, { "places", place_members },
		{ "causes", cause_members }, { "counters", counter_members },
	};

	if (json_object_get(o, "like") && strcmp(name, "causes") == 0)
		return check_like(d, name, i, o, d->ncauses);
	if (json_object_get(o, "like") && strcmp(name, "counters") == 0)
		return check_like(d, name, i, o, d->ncounters);
	if (json_object_get(o, "like") && strcmp(name, "places") == 0)
		return check_like_place(d, i, o);
	for (size_t k = 0; k < sizeof of / sizeof *of; k++)
		if (strcmp(of[k].name, name) == 0)
			return check_element(d, name, i, o, of[k].members);
	return false;
}

static bool check_table(struct dump *d, size_t i, const json_t *o)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));
	const char *module = json_string_value(json_object_get(o, "module"));
	const json_t *fields = json_object_get(o, "fields");
	bool events = strcmp(kind, "events") == 0;

	if (!events && strcmp(kind, "transactions") != 0 && strcmp(kind, "samples") != 0)
		return wrong(d, "tables", i, "expected 'kind', \"transactions\", \"events\" or "
		             "\"samples\"");
	if (json_array_size(fields) > MOST_FIELDS)
		return wrong(d, "tables", i, "expected at most 30 fields");
	if (json_array_size(fields) == 0 && strcmp(kind, "samples") == 0)
		return wrong(d, "tables", i, "expected a field");
	if (events && (!module || !json_object_get(json_object_get(d->meta, "modules"), module)))
		return wrong(d, "tables", i, "expected 'module', one of 'modules'");
	return check_array(d, "fields", fields, field_members, "name");
}

/* The instance that an item names. */
static bool check_instance(struct dump *d, const char *name, size_t i, uint32_t instance)
{
	return instance == UINT32_MAX || instance < d->ninstances
	       || wrong(d, name, i, "expected 'instance', less than the number of instances");
}

/* The place whose columns it shares. */
static bool check_column(struct dump *d, uint32_t i)
{
	return d->places[i].column <= i
	       || wrong(d, "places", i, "expected 'column', the number of a place that is not behind it");
}

static bool check_paths(struct dump *d)
{
	json_t *seen = json_object();
	bool ok = true;

	for (uint32_t i = 0; ok && i < d->ninstances; i++) {
		const char *path = d->instances[i].path;

		if (json_object_get(seen, path))
			ok = wrong(d, "instances", i, "its name appears twice");
		else
			json_object_set_new(seen, path, json_true());
	}
	json_decref(seen);
	return ok;
}

static bool check_items(struct dump *d)
{
	const char *missing = dump_missing_items(d);
	bool ok = !missing && check_paths(d);

	if (missing)
		dump_damage(d, "prologue: expected '%s', an array", missing);
	for (uint32_t i = 0; ok && i < d->nplaces; i++)
		ok = check_instance(d, "places", i, d->places[i].instance) && check_column(d, i);
	for (uint32_t i = 0; ok && i < d->ncauses; i++)
		ok = check_instance(d, "causes", i, d->causes[i].instance);
	for (uint32_t i = 0; ok && i < d->ncounters; i++)
		ok = check_instance(d, "counters", i, d->counters[i].instance);
	return ok;
}

static bool check_modules(struct dump *d, json_t *modules)
{
	const char *key;
	json_t *m;

	json_object_foreach(modules, key, m) {
		const json_t *reasons = json_object_get(m, "reasons");

		if (!json_is_object(m) || (reasons && !json_is_array(reasons))) {
			dump_damage(d, "prologue: module '%s': expected an object with an array 'reasons'",
			            key);
			return false;
		}
		if (!check_array(d, "reasons", reasons, reason_members, NULL))
			return false;
	}
	return true;
}

static bool check_symbols(struct dump *d, json_t *symbols)
{
	const char *key;
	json_t *names, *name;
	size_t i;

	json_object_foreach(symbols, key, names) {
		bool ok = json_is_array(names);

		json_array_foreach(names, i, name)
			ok = ok && has_form(name, TEXT);
		if (!ok) {
			dump_damage(d, "prologue: symbols '%s': expected an array of strings", key);
			return false;
		}
	}
	return true;
}

bool dump_check_meta(struct dump *d)
{
	static const char *const objects[] = { "modules", "symbols" };
	const json_t *tables = json_object_get(d->meta, "tables");

	if (!json_is_object(d->meta))
		return false;
	for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
		const json_t *o = json_object_get(d->meta, objects[i]);

		if (o && !json_is_object(o)) {
			dump_damage(d, "prologue: expected '%s', an object", objects[i]);
			return false;
		}
	}
	if (!check_items(d))
		return false;
	if (!json_is_array(tables)) {
		dump_damage(d, "prologue: expected 'tables', an array");
		return false;
	}
	if (!check_array(d, "tables", tables, table_members, "name"))
		return false;
	for (size_t i = 0; i < json_array_size(tables); i++)
		if (!check_table(d, i, json_array_get(tables, i)))
			return false;
	return check_modules(d, json_object_get(d->meta, "modules"))
	       && check_symbols(d, json_object_get(d->meta, "symbols"));
}

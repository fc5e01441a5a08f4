/* prologue.c - what the numbers in a dump stand for: its prologue, definitions, look-up
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The text of a prologue is read value by value, so that it is never in memory as a tree: a GPU has tens of thousands
 * of places, causes and counters, which would take five times as much memory as the text.
 *
 * All is checked before anything is used.  A dump may come from another program, or from a later version: members that
 * are not listed here are passed over, those that are listed have the form that docs/dump-format.md gives them.
 */
#include "codes.h"
#include "dump_decode.h"

#include <inttypes.h>

#define MOST (1u << 24) /* numbered items in a prologue */
#define MOST_ITEMS (1u << 22) /* with those that are like others: a damaged file must not fill memory */
#define MOST_FIELDS (HD_COL_NODE - HD_COL_FIELDS)
#define GAP 65536u /* numbers that definitions may leave out */

static const char *string(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

static const char *word(const json_t *o, const char *name)
{
	const char *s = string(o, name);

	return s ? s : "";
}

static uint32_t index_of(const json_t *o, const char *name, uint32_t limit)
{
	const json_t *v = json_object_get(o, name);
	json_int_t i = json_is_integer(v) ? json_integer_value(v) : -1;

	return i >= 0 && i < limit ? (uint32_t)i : UINT32_MAX;
}

/* ---- what members have to be ---- */

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
		{ "key", SWITCH, false }, { "apart", SWITCH, false }, { NULL, TEXT, false } },
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

static bool check_like_cause(struct dump *d, size_t i, const json_t *o)
{
	return check_like(d, "causes", i, o, d->ncauses);
}

static bool check_like_counter(struct dump *d, size_t i, const json_t *o)
{
	return check_like(d, "counters", i, o, d->ncounters);
}

static bool check_like_place(struct dump *d, size_t i, const json_t *o)
{
	return check_element(d, "places", i, o, like_place_members)
	       && (json_integer_value(json_object_get(o, "like")) < (json_int_t)d->nplaces
	           || wrong(d, "places", i, "expected 'like', the number of an earlier place"));
}

/* ---- items ---- */

/* A copy of the text, which all equal ones share: each SM has the same places, and each launch of a
 * kernel defines its code again. */
static const char *shared(struct dump *d, const char *text)
{
	json_t *s = json_object_get(d->texts, text);

	if (!s) {
		s = json_string_nocheck(text);
		json_object_set_new_nocheck(d->texts, text, s);
	}
	return json_string_value(s);
}

static const char *shared_word(struct dump *d, const json_t *o, const char *name)
{
	return shared(d, word(o, name));
}

static const char *shared_string(struct dump *d, const json_t *o, const char *name)
{
	return string(o, name) ? shared_word(d, o, name) : NULL;
}

/* The instance that an item belongs to; UINT32_MAX: none.  check_meta() compares it with their
 * number, which may not be known yet. */
static uint32_t instance_of(const json_t *o)
{
	uint32_t i = index_of(o, "instance", UINT32_MAX);

	return i == UINT32_MAX && json_object_get(o, "instance") ? UINT32_MAX - 1 : i;
}

static void add_instance(struct dump *d, const json_t *o)
{
	uint32_t turns = index_of(o, "turns", UINT32_MAX), turn = index_of(o, "turn", turns);

	d->instances = hd__xappend(d->instances, d->ninstances, sizeof *d->instances);
	d->instances[d->ninstances++] = (struct dump_instance){ shared_word(d, o, "path"),
		shared_word(d, o, "module"), { turn == UINT32_MAX ? 0 : turns, turn == UINT32_MAX ? 0 : turn } };
}

static struct dump_place place_of(struct dump *d, const json_t *o)
{
	const char *kind = word(o, "kind");
	bool shares = json_object_get(o, "column") != NULL;

	return (struct dump_place){ shared_word(d, o, "name"),
		strcmp(kind, "mark") == 0 ? DUMP_MARK : strcmp(kind, "channel") == 0 ? DUMP_CHANNEL
		                                                                     : DUMP_AT,
		instance_of(o), shared_word(d, o, "mark"), shared_word(d, o, "port"),
		shared_string(d, o, "arg"), shared_string(d, o, "names"), shared_word(d, o, "doc"),
		shared_string(d, o, "type"), shared_string(d, o, "from"),
		shares ? index_of(o, "column", UINT32_MAX) : d->nplaces };
}

/* One that is like an earlier one, which read_items() has checked. */
static struct dump_place like_place(struct dump *d, const json_t *o, uint32_t first)
{
	struct dump_place p = d->places[first];

	p.name = shared_word(d, o, "name");
	p.instance = instance_of(o);
	p.from = shared_string(d, o, "from");
	return p;
}

static void add_place(struct dump *d, const json_t *o)
{
	uint32_t first = index_of(o, "like", UINT32_MAX);
	struct dump_place p = first != UINT32_MAX ? like_place(d, o, first) : place_of(d, o);

	d->places = hd__xappend(d->places, d->nplaces, sizeof *d->places);
	d->places[d->nplaces++] = p;
}

/* How many items an element stands for that are like earlier ones, those from `first` on; 0: it is an item itself.
 * read_items() has checked it. */
static uint32_t like_others(const json_t *o, uint32_t *first)
{
	*first = index_of(o, "like", UINT32_MAX);
	return *first == UINT32_MAX ? 0 : index_of(o, "count", UINT32_MAX);
}

static void add_cause(struct dump *d, const json_t *o)
{
	uint32_t first, n = like_others(o, &first);

	for (uint32_t i = 0; i < n; i++) {
		d->causes = hd__xappend(d->causes, d->ncauses, sizeof *d->causes);
		d->causes[d->ncauses] = d->causes[first + i];
		d->causes[d->ncauses++].instance = instance_of(o);
	}
	if (n > 0)
		return;
	d->causes = hd__xappend(d->causes, d->ncauses, sizeof *d->causes);
	d->causes[d->ncauses++] = (struct dump_cause){ instance_of(o), shared_word(d, o, "reason"),
		shared_word(d, o, "doc") };
}

static void add_counter(struct dump *d, const json_t *o)
{
	uint32_t first, n = like_others(o, &first);

	for (uint32_t i = 0; i < n; i++) {
		d->counters = hd__xappend(d->counters, d->ncounters, sizeof *d->counters);
		d->counters[d->ncounters] = d->counters[first + i];
		d->counters[d->ncounters++].instance = instance_of(o);
	}
	if (n > 0)
		return;
	d->counters = hd__xappend(d->counters, d->ncounters, sizeof *d->counters);
	d->counters[d->ncounters++] = (struct dump_counter){ instance_of(o), shared_word(d, o, "name"),
		shared_word(d, o, "unit"), shared_word(d, o, "doc"), shared_string(d, o, "total") };
}

/* The arrays of numbered items. */
static const struct items {
	const char *name;
	const struct member *members;
	bool (*like)(struct dump *d, size_t i, const json_t *o); /* checks one that is like others; NULL: none is */
	void (*add)(struct dump *d, const json_t *o);
} items[] = {
	{ "instances", instance_members, NULL, add_instance },
	{ "places", place_members, check_like_place, add_place },
	{ "causes", cause_members, check_like_cause, add_cause },
	{ "counters", counter_members, check_like_counter, add_counter },
};
#define ITEMS (sizeof items / sizeof *items)

/* ---- parts of the prologue that are parsed when they are needed ---- */

static const char *const part_names[DUMP_PARTS] = { "instances", "links", "netlist" };

/* DUMP_PARTS: it is not one. */
static size_t find_part(const char *name)
{
	size_t i = 0;

	while (i < DUMP_PARTS && strcmp(part_names[i], name) != 0)
		i++;
	return i;
}

static bool keep_part(struct dump *d, const char *name, const char *text, size_t n)
{
	size_t i = find_part(name);

	if (i == DUMP_PARTS)
		return false;
	free(d->parts[i]);
	d->parts[i] = hd__xstrndup(text, n);
	return true;
}

json_t *dump_part(const struct dump *d, const char *name)
{
	size_t i = find_part(name);

	return i < DUMP_PARTS && d->parts[i]
	       ? json_loads(d->parts[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
}

json_t *dump_core(const struct dump *d)
{
	json_t *core = json_object();

	json_object_set(core, "core", json_object_get(d->meta, "core"));
	for (size_t i = 0; i < DUMP_PARTS; i++)
		json_object_set_new(core, part_names[i], dump_part(d, part_names[i]));
	return core;
}

/* ---- the text ---- */

/* An array whose elements become numbered items.  Returns false if it is not JSON, or an element is
 * not as it should be. */
static bool read_items(struct dump *d, struct hd_json_text *t, const struct items *items_of)
{
	size_t i = 0;

	if (hd__json_comes(t, ']'))
		return true;
	do {
		json_t *o = hd__json_value(t);
		bool ok = o && (items_of->like && json_object_get(o, "like")
		                ? items_of->like(d, i, o) : check_element(d, items_of->name, i, o, items_of->members));

		if (ok && i++ < MOST)
			items_of->add(d, o);
		json_decref(o);
		if (!ok)
			return false;
	} while (hd__json_comes(t, ','));
	return hd__json_comes(t, ']');
}

static bool read_array(struct dump *d, struct hd_json_text *t, size_t which)
{
	const char *name = items[which].name, *begin;
	bool ok;

	if (!hd__json_comes(t, '[')) {
		dump_damage(d, "prologue: expected '%s', an array", name);
		return false;
	}
	if (d->items >> which & 1) {
		dump_damage(d, "prologue: '%s' appears twice", name);
		return false;
	}
	d->items |= 1u << which;
	begin = t->p - 1;
	ok = read_items(d, t, &items[which]);
	if (ok)
		keep_part(d, name, begin, (size_t)(t->p - begin));
	return ok;
}

static bool read_member(void *arg, const char *name, struct hd_json_text *t)
{
	struct dump *d = arg;
	const char *begin = t->p;
	json_t *v;

	for (size_t i = 0; i < ITEMS; i++)
		if (strcmp(items[i].name, name) == 0)
			return read_array(d, t, i);
	v = hd__json_value(t);
	if (v && !keep_part(d, name, begin, (size_t)(t->p - begin)))
		json_object_set(d->meta, name, v);
	json_decref(v);
	return v != NULL;
}

/* ---- checks of the whole ---- */

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
	bool ok = true;

	for (size_t i = 0; ok && i < ITEMS; i++) {
		ok = d->items >> i & 1;
		if (!ok)
			dump_damage(d, "prologue: expected '%s', an array", items[i].name);
	}
	ok = ok && check_paths(d);
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

static bool check_meta(struct dump *d)
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

/* ---- tables ---- */

static void read_fields(struct dump_table *t, const json_t *a)
{
	t->n = (unsigned)json_array_size(a);
	if (t->n > HD_COL_NODE - HD_COL_FIELDS)
		t->n = HD_COL_NODE - HD_COL_FIELDS;
	t->fields = hd__xcalloc(t->n, sizeof *t->fields);
	for (unsigned i = 0; i < t->n; i++) {
		const json_t *o = json_array_get(a, i);

		t->fields[i] = (struct dump_field){ word(o, "name"), word(o, "unit"), word(o, "doc"),
			string(o, "names"), json_is_true(json_object_get(o, "hex")),
			json_is_true(json_object_get(o, "span")),
			json_is_true(json_object_get(o, "key")), json_is_true(json_object_get(o, "apart")) };
	}
}

static void read_tables(struct dump *d)
{
	const json_t *a = json_object_get(d->meta, "tables");

	d->ntables = json_array_size(a) < MOST ? (uint32_t)json_array_size(a) : MOST;
	d->tables = hd__xcalloc(d->ntables, sizeof *d->tables);
	for (uint32_t i = 0; i < d->ntables; i++) {
		const json_t *o = json_array_get(a, i);
		const char *kind = word(o, "kind");
		struct dump_table *t = &d->tables[i];

		t->name = word(o, "name");
		t->doc = word(o, "doc");
		t->module = string(o, "module");
		t->kind = strcmp(kind, "transactions") == 0 ? HD_TABLE_TRANSACTIONS
		        : strcmp(kind, "samples") == 0 ? HD_TABLE_SAMPLES : HD_TABLE_EVENTS;
		read_fields(t, json_object_get(o, "fields"));
	}
}

bool dump_read_prologue(struct dump *d, const char *text, size_t n)
{
	struct hd_json_text t = { .p = text, .end = text + n };

	d->meta = json_object();
	if (!hd__json_members(&t, read_member, d) || !hd__json_over(&t) || !check_meta(d))
		return false;
	read_tables(d);
	d->symbols = json_deep_copy(json_object_get(d->meta, "symbols"));
	if (!json_is_object(d->symbols)) {
		json_decref(d->symbols);
		d->symbols = json_object();
	}
	return true;
}

/* ---- definitions ---- */

static void *grow(void *v, uint32_t *n, uint32_t i, size_t size)
{
	size_t room = *n;

	v = hd__xgrow_zero(v, &room, i, size);
	*n = (uint32_t)room;
	return v;
}

/* The number of a dependence counter, or -1. */
static int8_t counter(const json_t *o, const char *name)
{
	uint32_t i = index_of(o, name, UINT32_MAX);

	return i < INT8_MAX ? (int8_t)i : -1;
}

static void define_code(struct dump *d, uint32_t id, const json_t *o)
{
	const char *space = string(o, "space"), *source = string(o, "source");
	const json_t *dst = json_object_get(o, "dst");
	uint32_t kernel = index_of(o, "kernel", UINT32_MAX), pc = index_of(o, "pc", UINT32_MAX);

	dump_codes_define(d, id, (struct dump_code){ .kernel = kernel != UINT32_MAX ? kernel : 0,
		.pc = pc != UINT32_MAX ? pc : 0, .opcode = shared_word(d, o, "opcode"),
		.text = shared_word(d, o, "text"), .class = shared_word(d, o, "class"),
		.space = space ? shared(d, space) : NULL,
		.source = source ? shared(d, source) : NULL, .dst = dst ? (int32_t)json_integer_value(dst) : -1,
		.write = counter(o, "write"), .read = counter(o, "read") });
}

/* The members of which each launch has its own number. */
static const char *const own[] = { "id", "launch" };

static void define_kernel(struct dump *d, uint32_t id, json_t *o)
{
	json_t *launch = json_object_get(o, "launch"), *cells = json_copy(o);
	char *text;

	/* dump_kernel_cells() has a number at its place only if it is one */
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (json_is_integer(json_object_get(o, own[i])))
			json_object_set_new(cells, own[i], json_null());
	text = hd__xcheck(json_dumps(cells, JSON_COMPACT));
	d->kernels = grow(d->kernels, &d->nkernels, id, sizeof *d->kernels);
	d->kernels[id] = (struct dump_kernel){ shared_word(d, o, "name"), (uint64_t)json_integer_value(launch),
		shared(d, text) };
	free(text);
	json_decref(cells);
}

json_t *dump_kernel_cells(const struct dump *d, uint32_t kernel)
{
	const struct dump_kernel *k = &d->kernels[kernel];
	json_t *cells = json_loads(k->cells, JSON_ALLOW_NUL, NULL);
	const json_int_t numbers[] = { kernel, (json_int_t)k->launch };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (json_is_null(json_object_get(cells, own[i])))
			json_object_set_new(cells, own[i], json_integer(numbers[i]));
	return cells;
}

void dump_define(struct dump *d, json_t *o)
{
	const char *of = word(o, "of");
	/* they are dense, and each takes more than a byte */
	uint64_t most = GAP + d->json_bytes;
	uint32_t id = index_of(o, "id", most < MOST ? (uint32_t)most : MOST);
	json_t *kind = json_object_get(d->symbols, of), *table;

	if (id == UINT32_MAX)
		return;
	if (strcmp(of, "code") == 0) {
		define_code(d, id, o);
	} else if (strcmp(of, "kernel") == 0) {
		define_kernel(d, id, o);
	} else if (kind || json_object_get(o, "name")) {
		if (!kind) {
			kind = json_array();
			json_object_set_new(d->symbols, of, kind);
		}
		if (json_array_size(kind) == id)
			json_array_append_new(kind, json_string(word(o, "name")));
	} else {
		char *number = hd__format("%" PRIu32, id);

		table = json_object_get(d->defs, of);
		if (!table) {
			table = json_object();
			json_object_set_new(d->defs, of, table);
		}
		json_object_set(table, number, o);
		free(number);
	}
}

/* ---- look-up ---- */

int dump_find_table(const struct dump *d, const char *name)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		if (strcmp(d->tables[i].name, name) == 0)
			return (int)i;
	return -1;
}

int dump_find_field(const struct dump_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (strcmp(t->fields[i].name, name) == 0)
			return (int)i;
	return -1;
}

int dump_find_apart(const struct dump_table *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->fields[i].apart)
			return (int)i;
	return -1;
}

static const json_t *reason(const struct dump *d, const char *module, int64_t v)
{
	const json_t *m = json_object_get(json_object_get(d->meta, "modules"), module ? module : "");

	return json_array_get(json_object_get(m, "reasons"), (size_t)v);
}

const char *dump_reason_doc(const struct dump *d, const char *module, int64_t v)
{
	return string(reason(d, module, v), "doc");
}

const char *dump_name(const struct dump *d, const char *names, const char *module, int64_t v)
{
	struct dump_code code;

	if (!names || v < 0)
		return NULL;
	if (strcmp(names, "code") == 0)
		return dump_code(d, v, &code) ? code.text : NULL;
	if (strcmp(names, "kernel") == 0)
		return v < d->nkernels ? d->kernels[v].name : NULL;
	if (strcmp(names, "cause") == 0)
		return v < d->ncauses ? d->causes[v].reason : NULL;
	if (strcmp(names, "reason") == 0)
		return string(reason(d, module, v), "name");
	return json_string_value(json_array_get(json_object_get(d->symbols, names), (size_t)v));
}

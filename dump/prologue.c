/* prologue.c - names of the numbers in a dump: the prologue, definitions, look-up
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "codes.h"
#include "dump_decode.h"

#include <inttypes.h>

#define MOST (1u << 24) /* numbered items in a prologue */
#define GAP 65536u /* numbers that definitions may leave out */

/* ---- the prologue ---- */

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
			json_is_true(json_object_get(o, "key")) };
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

void dump_read_meta(struct dump *d)
{
	read_tables(d);
	d->symbols = json_deep_copy(json_object_get(d->meta, "symbols"));
	if (!json_is_object(d->symbols)) {
		json_decref(d->symbols);
		d->symbols = json_object();
	}
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

/* The instance that an item belongs to; UINT32_MAX: none.  dump_check_meta() compares it with their
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

/* One that is like an earlier one, which dump_check_item() has checked. */
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
 * dump_check_item() has checked it. */
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
	void (*add)(struct dump *d, const json_t *o);
} items[] = {
	{ "instances", add_instance },
	{ "places", add_place },
	{ "causes", add_cause },
	{ "counters", add_counter },
};

static const struct items *find_items(const char *name)
{
	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		if (strcmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

bool dump_has_items(const char *name)
{
	return find_items(name) != NULL;
}

bool dump_begin_items(struct dump *d, const char *name)
{
	unsigned bit = 1u << (find_items(name) - items);

	if (d->items & bit) {
		dump_damage(d, "prologue: '%s' appears twice", name);
		return false;
	}
	d->items |= bit;
	return true;
}

const char *dump_missing_items(const struct dump *d)
{
	for (size_t i = 0; i < sizeof items / sizeof *items; i++)
		if (!(d->items >> i & 1))
			return items[i].name;
	return NULL;
}

void dump_add_item(struct dump *d, const char *name, size_t i, const json_t *o)
{
	if (i < MOST)
		find_items(name)->add(d, o);
}

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

bool dump_keep_part(struct dump *d, const char *name, const char *text, size_t n)
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

/* ---- definitions ---- */

static void *grow(void *v, uint32_t *n, uint32_t i, size_t size)
{
	size_t room = *n;

	v = hd__xgrow_zero(v, &room, i, size);
	*n = (uint32_t)room;
	return v;
}

static void define_code(struct dump *d, uint32_t id, const json_t *o)
{
	const char *space = string(o, "space");
	const json_t *dst = json_object_get(o, "dst");
	uint32_t kernel = index_of(o, "kernel", UINT32_MAX), pc = index_of(o, "pc", UINT32_MAX);

	dump_codes_define(d, id, (struct dump_code){ .kernel = kernel != UINT32_MAX ? kernel : 0,
		.pc = pc != UINT32_MAX ? pc : 0, .opcode = shared_word(d, o, "opcode"),
		.text = shared_word(d, o, "text"), .class = shared_word(d, o, "class"),
		.space = space ? shared(d, space) : NULL, .dst = dst ? (int32_t)json_integer_value(dst) : -1 });
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
	if (strcmp(names, "reason") == 0) {
		const json_t *m = json_object_get(json_object_get(d->meta, "modules"),
		                                  module ? module : "");

		return string(json_array_get(json_object_get(m, "reasons"), (size_t)v), "name");
	}
	return json_string_value(json_array_get(json_object_get(d->symbols, names), (size_t)v));
}

/* op_table.c - reads a table of opcodes: class, effect, memory space
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing about a particular opcode is in C: {"opcodes": {"LDG": {...}}, "prefixes": {...},
 * "default": {...}}.  A string of several names with spaces between them stands for each of them.
 */
#include "opcodes.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const does_names[] = {
	"load", "store", "atomic", "barrier", "fence", "exit", "copy", "copy_commit", "copy_wait",
	"bypass", NULL,
};
static const uint16_t does_flags[] = {
	HD_INST_LOAD, HD_INST_STORE, HD_INST_ATOMIC, HD_INST_BARRIER, HD_INST_FENCE, HD_INST_EXIT,
	HD_INST_COPY, HD_INST_COPY_COMMIT, HD_INST_COPY_WAIT, HD_INST_BYPASS,
};
static const char *const space_names[] = {
	"none", "global", "local", "shared", "const", "texture", "generic", NULL,
};
static const uint8_t space_values[] = {
	HD_SPACE_NONE, HD_SPACE_GLOBAL, HD_SPACE_LOCAL, HD_SPACE_SHARED, HD_SPACE_CONST,
	HD_SPACE_TEXTURE, TRACE_GENERIC,
};
static const char *const member_names[] = {
	"class", "does", "space", "remote", "rate", "bypass_tokens", "dst", "async", "doc", NULL,
};
/* In the order of enum hd_async_op. */
static const char *const async_names[] = {
	"none", "barrier_init", "barrier_arrive", "barrier_test", "barrier_end", "barrier_copies", "remote_store",
	"mma", "mma_fence", "mma_wait", "bulk_load", "bulk_store", "bulk_reduce", "bulk_prefetch", "bulk_move",
	"bulk_commit", "cluster_arrive", "cluster_wait", "registers_give", "registers_take", NULL,
};
_Static_assert(sizeof async_names / sizeof *async_names == HD_ASYNC_OPS + 1, "a name for each");
static const char *const root_names[] = { "classes", "prefix_classes",
	"heddle_opcodes", "doc", "extends", "opcodes", "prefixes", "default", NULL,
};

#define TRACE_TABLES 8u /* that extend each other, one behind the other */

/* The place in a message: parsed JSON has no lines, so it names the entry. */
struct place {
	struct trace_opcodes *o;
	const char *section, *entry; /* "opcodes", "LDG"; entry may be NULL */
};

static int wrong(const struct place *at, const char *member, const char *what)
{
	return hd__trace_error(at->o->host, "%s: %s%s%s%s%s: %s", at->o->reading, at->section,
	                       at->entry ? "." : "", at->entry ? at->entry : "", member ? "." : "",
	                       member ? member : "", what);
}

/* Index of the word in names, or -1 after a message. */
static int choose(const struct place *at, const char *member, const char *word,
                  const char *const *names)
{
	char what[TRACE_UNKNOWN];
	int i = 0;

	if (!word)
		return wrong(at, member, "expected a string");
	if (hd__trace_unknown(word, names, what))
		return wrong(at, member, what);
	while (strcmp(names[i], word) != 0)
		i++;
	return i;
}

static int check_members(const struct place *at, json_t *object, const char *const *names)
{
	char what[TRACE_UNKNOWN];

	return hd__trace_unknown_member(object, names, what) ? wrong(at, NULL, what) : 0;
}

static int read_does(const struct place *at, const json_t *list, struct trace_op *op)
{
	size_t i;
	json_t *v;

	if (list && !json_is_array(list))
		return wrong(at, "does", "expected a list of strings");
	json_array_foreach(list, i, v) {
		int k = choose(at, "does", json_string_value(v), does_names);

		if (k < 0)
			return -1;
		op->flags |= does_flags[k];
	}
	return 0;
}

static int read_tokens(const struct place *at, const json_t *list, struct trace_op *op)
{
	size_t i;
	json_t *v;

	if (list && (!json_is_array(list) || json_array_size(list) > TRACE_OP_TOKENS ||
	             json_array_size(list) == 0))
		return wrong(at, "bypass_tokens", "expected a list of 1 to 4 strings");
	json_array_foreach(list, i, v) {
		if (!json_is_string(v) || json_string_length(v) == 0)
			return wrong(at, "bypass_tokens", "expected a list of 1 to 4 strings");
		op->token[op->ntokens++] = json_string_value(v);
	}
	return 0;
}

static int read_op(const struct place *at, json_t *json, struct trace_op *op)
{
	const json_t *v;
	const char *cls;
	int space = 0, async;

	*op = (struct trace_op){ .rate = 1 };
	if (!json_is_object(json))
		return wrong(at, NULL, "expected an object");
	if (check_members(at, json, member_names))
		return -1;
	cls = json_string_value(json_object_get(json, "class"));
	if (!cls || !*cls)
		return wrong(at, NULL, "expected a 'class', the name of a class of units");
	op->cls = (uint8_t)at->o->host->class_number(at->o->host->self, cls);
	if (read_does(at, json_object_get(json, "does"), op) ||
	    read_tokens(at, json_object_get(json, "bypass_tokens"), op))
		return -1;
	v = json_object_get(json, "space");
	if (v && (space = choose(at, "space", json_string_value(v), space_names)) < 0)
		return -1;
	op->space = space_values[space];
	if ((op->flags & (HD_INST_LOAD | HD_INST_STORE)) && !op->space)
		return wrong(at, NULL, "loads or stores, so expected a 'space'");
	if ((op->flags & (HD_INST_LOAD | HD_INST_STORE)) && (op->flags & HD_INST_EXIT))
		return wrong(at, "does", "an instruction that exits cannot load or store");
	v = json_object_get(json, "remote");
	if (v && op->space != TRACE_GENERIC)
		return wrong(at, "remote", "expected a 'space' of generic addresses");
	if (v && (!json_is_string(v) || !json_string_length(v)))
		return wrong(at, "remote", "expected the name of a class of units");
	op->remote = v ? (uint8_t)(at->o->host->class_number(at->o->host->self, json_string_value(v)) + 1) : 0;
	v = json_object_get(json, "rate");
	if (v && (!json_is_integer(v) || json_integer_value(v) < 1 || json_integer_value(v) > 255))
		return wrong(at, "rate", "expected a number from 1 to 255");
	if (v)
		op->rate = (uint8_t)json_integer_value(v);
	v = json_object_get(json, "dst");
	if (v && !json_is_boolean(v))
		return wrong(at, "dst", "expected true or false");
	op->no_dst = json_is_false(v);
	v = json_object_get(json, "async");
	if (v && (async = choose(at, "async", json_string_value(v), async_names)) < 0)
		return -1;
	op->async = v ? (uint8_t)async : HD_ASYNC_NONE;
	return 0;
}

/* A section while it is being read: its entries, and room for the names of all of them. */
struct section {
	struct trace_op_name *v;
	size_t n;
	char *text;
};

/* How many names a string lists, and how many bytes they need with an end each. */
static void count_names(const char *list, size_t *n, size_t *bytes)
{
	while (*(list += strspn(list, " "))) {
		size_t len = strcspn(list, " ");

		++*n;
		*bytes += len + 1;
		list += len;
	}
}

/* An entry for each name that the string lists. */
static void add_names(struct section *s, const char *list, const struct trace_op *op)
{
	while (*(list += strspn(list, " "))) {
		size_t len = strcspn(list, " ");

		memcpy(s->text, list, len);
		s->text[len] = '\0';
		s->v[s->n++] = (struct trace_op_name){ s->text, *op };
		s->text += len + 1;
		list += len;
	}
}

/* Opcodes whose only property is a class: class -> list of names. */
static int read_plain(const struct place *at, json_t *classes, struct section *s)
{
	const char *cls;
	json_t *list, *name;
	size_t i;

	json_object_foreach(classes, cls, list) {
		struct place here = { .o = at->o, .section = at->section, .entry = cls };
		struct trace_op op = { .cls = (uint8_t)at->o->host->class_number(at->o->host->self, cls), .rate = 1 };

		json_array_foreach(list, i, name) {
			if (!json_is_string(name))
				return wrong(&here, NULL, "expected a list of opcodes");
			add_names(s, json_string_value(name), &op);
		}
	}
	return 0;
}

/* Names in a "classes" member; false: it has another form. */
static bool count_plain(json_t *classes, size_t *n, size_t *bytes)
{
	const char *cls;
	json_t *list, *name;
	size_t i;

	if (classes && !json_is_object(classes))
		return false;
	json_object_foreach(classes, cls, list) {
		if (!json_is_array(list))
			return false;
		json_array_foreach(list, i, name)
			if (json_is_string(name))
				count_names(json_string_value(name), n, bytes);
	}
	return true;
}

/* A section of entries and its section of plain ones into a new array of *n entries, whose names
 * follow them. */
static int read_section(const struct place *at, json_t *section, json_t *classes,
                        struct trace_op_name **v, size_t *n)
{
	size_t names = 0, bytes = 0;
	bool plain = count_plain(classes, &names, &bytes);
	struct section s;
	const char *key;
	json_t *value;

	if ((section && !json_is_object(section)) || !plain)
		return wrong(at, NULL, "expected an object with an entry for each opcode, and one with "
		             "a list of opcodes for each class");
	json_object_foreach(section, key, value)
		count_names(key, &names, &bytes);
	*v = malloc(names * sizeof **v + bytes + 1);
	if (!*v)
		return wrong(at, NULL, "out of memory");
	s = (struct section){ .v = *v, .text = (char *)(*v + names) };
	if (read_plain(at, classes, &s))
		return -1;
	json_object_foreach(section, key, value) {
		struct place here = { .o = at->o, .section = at->section, .entry = key };
		struct trace_op op;

		if (read_op(&here, value, &op))
			return -1;
		add_names(&s, key, &op);
	}
	*n = s.n;
	return 0;
}

/* Reports an opcode in both forms. */
static int check_twice(const struct place *at, const struct trace_op_name *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct place here = { .o = at->o, .section = at->section, .entry = v[i].name };

		if (strcmp(v[i - 1].name, v[i].name) == 0)
			return wrong(&here, NULL, "appears twice");
	}
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct trace_op_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int longest_first(const void *a, const void *b)
{
	const struct trace_op_name *x = a, *y = b;
	size_t n = strlen(x->name), m = strlen(y->name);

	return n != m ? (n < m) - (n > m) : strcmp(x->name, y->name);
}

/* Both sections of prefixes; `section` is that of entries. */
static int read_prefixes(struct trace_opcodes *o, json_t *section)
{
	struct place at = { .o = o, .section = "prefixes" };

	if (read_section(&at, section, json_object_get(o->json, "prefix_classes"), &o->prefix,
	                 &o->nprefix))
		return -1;
	qsort(o->prefix, o->nprefix, sizeof *o->prefix, longest_first);
	o->prefixes = check_twice(&at, o->prefix, o->nprefix) == 0;
	return o->prefixes ? 0 : -1;
}

/* Beginnings of opcodes, as in names of entries, and a text for each. */
static int check_units(const struct place *at, json_t *units)
{
	const char *key;
	json_t *value;

	if (units && !json_is_object(units))
		return wrong(at, "not_simulated", "expected an object");
	json_object_foreach(units, key, value)
		if (!json_is_string(value))
			return wrong(at, "not_simulated", "expected the name of a unit for each");
	return 0;
}

const char *hd__trace_opcodes_unit(const struct trace_opcodes *o, const char *base, size_t len)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(o->prefix_json, "not_simulated"), key, value)
		for (const char *p = key; *(p += strspn(p, " ")); p += strcspn(p, " ")) {
			size_t n = strcspn(p, " ");

			if (n <= len && memcmp(p, base, n) == 0)
				return json_string_value(value);
		}
	return NULL;
}

int hd__trace_opcodes_prefixes(struct trace_opcodes *o)
{
	const char *name = json_string_value(json_object_get(o->json, "prefixes"));
	const char *slash = strrchr(o->file, '/');
	size_t folder = slash ? (size_t)(slash + 1 - o->file) : 0, len = folder + (name ? strlen(name) + 1 : 1);
	struct place at = { .o = o, .section = "the file" };
	char *path = name ? malloc(len) : NULL;

	if (!name)
		return wrong(&at, NULL, "expected \"prefixes\", the name of a file");
	if (!path)
		return wrong(&at, NULL, "out of memory");
	memcpy(path, o->file, folder);
	memcpy(path + folder, name, len - folder);
	o->prefix_json = hd__trace_json_file(o->host, path);
	o->reading = path;
	if (!o->prefix_json)
		; /* reported */
	else if (!json_is_object(json_object_get(o->prefix_json, "prefixes")))
		wrong(&at, NULL, "expected \"prefixes\", an object with an entry for each");
	else if (!check_units(&at, json_object_get(o->prefix_json, "not_simulated")))
		read_prefixes(o, json_object_get(o->prefix_json, "prefixes"));
	o->reading = o->file;
	free(path);
	return o->prefixes ? 0 : -1;
}

struct trace_opcodes *hd__trace_opcodes_with_prefixes(struct trace_opcodes *o)
{
	while (o->base && !json_object_get(o->json, "prefixes") && !json_object_get(o->json, "prefix_classes"))
		o = o->base;
	return o;
}

static int load(struct trace_opcodes *o, const struct trace_host *host, const char *file, json_t *root,
                const struct trace_archs *all, unsigned depth);

/* The table of that file name that is listed: the one beside this one, or else the first of another folder. */
static const char *find_table(const struct trace_opcodes *o, const struct trace_archs *all, const char *name)
{
	const char *slash = strrchr(o->file, '/'), *found = NULL;
	size_t folder = slash ? (size_t)(slash + 1 - o->file) : 0;

	for (size_t i = 0; all && i < all->n; i++) {
		const char *path = all->v[i].path, *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

		if (strcmp(base, name) != 0 || strcmp(path, o->file) == 0)
			continue;
		if ((size_t)(base - path) == folder && memcmp(path, o->file, folder) == 0)
			return path;
		found = found ? found : path;
	}
	return found;
}

/* Entries of the base that the table does not have are added, in the order of their names. */
static int merge(const struct place *at, struct trace_opcodes *o)
{
	const struct trace_opcodes *b = o->base;
	size_t i = 0, k = 0, n = 0;

	o->own = o->v;
	o->v = malloc((o->n + b->n + 1) * sizeof *o->v);
	if (!o->v)
		return wrong(at, NULL, "out of memory");
	while (i < o->n || k < b->n) {
		int c = i == o->n ? 1 : k == b->n ? -1 : strcmp(o->own[i].name, b->v[k].name);

		o->v[n++] = c <= 0 ? o->own[i] : b->v[k];
		i += c <= 0;
		k += c >= 0;
	}
	o->n = n;
	return 0;
}

/* What is wrong with the name of a table on which this one is to be built; NULL: the member has another type. */
static const char *not_listed(const struct trace_opcodes *o, const struct trace_archs *all, const char *name,
                              char what[TRACE_UNKNOWN])
{
	const char **names = calloc(all ? all->n + 1 : 1, sizeof *names), *near = NULL, *own = "";
	size_t n = 0;

	for (size_t i = 0; names && all && i < all->n; i++) {
		const char *path = all->v[i].path, *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

		if (strcmp(path, o->file) == 0)
			own = base;
		else
			names[n++] = base;
	}
	if (name && names)
		near = hd__trace_nearest(name, names);
	snprintf(what, TRACE_UNKNOWN, "%s%.40s%sexpected the file name of a table that an index.json lists%s%s%s",
	         name ? "'" : "", name ? name : "", !name ? "" : strcmp(name, own) == 0 ? "' is this table; " : "': ",
	         near ? "; did you mean '" : ", as \"ampere.json\"", near ? near : "", near ? "'?" : "");
	free(names);
	return what;
}

/* A table on which others are built, which may be built on another one. */
static int extend(const struct place *at, struct trace_opcodes *o, const struct trace_archs *all, unsigned depth)
{
	const json_t *json = json_object_get(o->json, "extends");
	const char *name = json_string_value(json), *path = name ? find_table(o, all, name) : NULL;
	char what[TRACE_UNKNOWN];

	if (!json)
		return 0;
	if (depth == TRACE_TABLES)
		return wrong(at, "extends", "more than 8 tables that extend each other");
	if (!path)
		return wrong(at, "extends", not_listed(o, all, name, what));
	o->base = calloc(1, sizeof *o->base);
	if (!o->base)
		return wrong(at, NULL, "out of memory");
	return load(o->base, o->host, path, hd__trace_json_file(o->host, path), all, depth + 1);
}

static int build(struct trace_opcodes *o, json_t *root, const struct trace_archs *all, unsigned depth)
{
	struct place at = { .o = o, .section = "the file" };

	if (!json_is_object(root))
		return wrong(&at, NULL, "expected an object");
	if (check_members(&at, root, root_names))
		return -1;
	if (json_integer_value(json_object_get(root, "heddle_opcodes")) != 1)
		return wrong(&at, NULL, "expected \"heddle_opcodes\": 1");
	if (extend(&at, o, all, depth))
		return -1;
	at.section = "opcodes";
	if (!json_object_get(root, "opcodes") && !json_object_get(root, "classes"))
		return wrong(&at, NULL, "expected \"opcodes\" or \"classes\"");
	if (read_section(&at, json_object_get(root, "opcodes"), json_object_get(root, "classes"),
	                 &o->v, &o->n))
		return -1;
	qsort(o->v, o->n, sizeof *o->v, by_name);
	if (check_twice(&at, o->v, o->n) || (o->base && merge(&at, o)))
		return -1;
	if (hd__trace_opcodes_with_prefixes(o) == o && !json_is_string(json_object_get(root, "prefixes"))
	    && read_prefixes(o, json_object_get(root, "prefixes")))
		return -1;
	at.section = "default";
	if (o->base && !json_object_get(root, "default"))
		o->fallback = o->base->fallback;
	else if (read_op(&at, json_object_get(root, "default"), &o->fallback))
		return -1;
	return 0;
}

/* Keeps root, which is NULL after a message. */
static int load(struct trace_opcodes *o, const struct trace_host *host, const char *file, json_t *root,
                const struct trace_archs *all, unsigned depth)
{
	*o = (struct trace_opcodes){ .host = host, .file = strdup(file), .json = root };
	if (!o->file)
		return hd__trace_error(host, "%s: out of memory", file);
	o->reading = o->file;
	return root ? build(o, root, all, depth) : -1;
}

int hd__trace_opcodes_file(struct trace_opcodes *o, const struct trace_host *host, const char *path,
                           const struct trace_archs *all)
{
	return load(o, host, path, hd__trace_json_file(host, path), all, 1);
}

int hd__trace_opcodes_memory(struct trace_opcodes *o, const struct trace_host *host, const char *name,
                             const void *json, size_t n)
{
	return load(o, host, name, hd__trace_json(host, name, json, n), NULL, 1);
}

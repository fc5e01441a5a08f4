/* opcode_names.c - names of the opcodes of an SM version, from the tables that netlists use
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The simulation reads and checks the tables itself; here only their names are needed, so what is
 * not as expected in them is passed over.
 */
#include "opcode_names.h"

#include "base/xalloc.h"
#include "kernel/netlist/netlist.h"

#include <jansson.h>

static void add(struct opcode_names *o, const char *word, size_t length)
{
	o->v = hd__xappend(o->v, o->n, sizeof *o->v);
	o->v[o->n++] = hd__xstrndup(word, length);
}

/* "FADD FFMA": several names. */
static void add_words(struct opcode_names *o, const char *words)
{
	for (size_t n; words && (words += strspn(words, " "), n = strcspn(words, " ")) > 0; words += n)
		add(o, words, n);
}

static json_t *load(const char *file)
{
	char *path = hd__data_path(NULL, file);
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);

	if (!root)
		fprintf(stderr, "heddle: %s: %s; names of opcodes are not checked\n", path, error.text);
	free(path);
	return root;
}

static bool lists(json_t *binary, uint32_t sm)
{
	json_t *v;
	size_t i;

	json_array_foreach(binary, i, v)
		if (json_integer_value(v) == sm)
			return true;
	return false;
}

/* The table that lists the version, else the one with the nearest lower "from". */
static const char *table_of(json_t *index, uint32_t sm)
{
	json_t *tables = json_object_get(index, "tables"), *table;
	const char *best = NULL;
	json_int_t from = -1;
	size_t i;

	json_array_foreach(tables, i, table) {
		json_int_t begin = json_integer_value(json_object_get(table, "from"));
		const char *file = json_string_value(json_object_get(table, "file"));

		if (file && lists(json_object_get(table, "binary"), sm))
			return file;
		if (file && begin <= sm && begin > from) {
			from = begin;
			best = file;
		}
	}
	return best;
}

static void add_table(struct opcode_names *o, json_t *table)
{
	json_t *classes = json_object_get(table, "classes"), *list, *words;
	const char *key;
	size_t i;

	json_object_foreach(classes, key, list)
		json_array_foreach(list, i, words)
			add_words(o, json_string_value(words));
	json_object_foreach(json_object_get(table, "opcodes"), key, list)
		add_words(o, key);
}

const char *const *hd__opcode_names(void *self, uint32_t sm, size_t *n)
{
	struct opcode_names *o = self;
	json_t *index, *table = NULL;
	const char *file;

	if (!o->missing && (!o->v || o->sm != sm)) {
		hd__opcode_names_free(o);
		o->sm = sm;
		index = load("opcodes/index.json");
		file = index ? table_of(index, sm) : NULL;
		if (file) {
			char *path = hd__join("opcodes/", file, "");

			table = load(path);
			free(path);
		}
		o->missing = !index || (file && !table);
		add_table(o, table);
		json_decref(table);
		json_decref(index);
	}
	*n = o->n;
	return (const char *const *)o->v;
}

void hd__opcode_names_free(struct opcode_names *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->v[i]);
	free(o->v);
	*o = (struct opcode_names){ .missing = o->missing };
}

/* archs.c - the opcode table of each binary version (index.json)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "opcodes.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define NBINARY (sizeof ((struct trace_arch *)0)->binary / sizeof(uint32_t))
#define NWARNED (sizeof ((struct trace_archs *)0)->warned / sizeof(uint32_t))

static int wrong(struct trace_archs *a, size_t entry, const char *what)
{
	return hd__trace_error(a->host, "%s: tables[%zu]: %s", a->file, entry, what);
}

static int set_path(struct trace_archs *a, struct trace_arch *arch, size_t entry, const char *folder,
                    const char *file)
{
	size_t len = strlen(folder) + strlen(file) + 2;

	arch->path = malloc(len);
	if (!arch->path)
		return wrong(a, entry, "out of memory");
	snprintf(arch->path, len, "%s/%s", folder, file);
	return 0;
}

/* Entry i of a file whose first one is v[first]. */
static int read_entry(struct trace_archs *a, size_t first, size_t i, json_t *json,
                      const char *folder)
{
	struct trace_arch *arch = &a->v[first + i];
	const json_t *binary = json_object_get(json, "binary");
	const json_t *from = json_object_get(json, "from");
	const char *file = json_string_value(json_object_get(json, "file"));
	static const char *const members[] = { "file", "binary", "from", "doc", NULL };
	char what[TRACE_UNKNOWN];
	size_t k;
	json_t *v;

	if (hd__trace_unknown_member(json, members, what))
		return wrong(a, i, what);
	if (!file || !*file)
		return wrong(a, i, "expected a 'file', the name of an opcode table");
	if (set_path(a, arch, i, folder, file))
		return -1;
	if (!json_is_array(binary) || json_array_size(binary) > NBINARY)
		return wrong(a, i, "expected 'binary', a list of at most 16 versions");
	json_array_foreach(binary, k, v) {
		if (!json_is_integer(v) || json_integer_value(v) < 1 ||
		    json_integer_value(v) > UINT32_MAX)
			return wrong(a, i, "expected numbers in 'binary'");
		arch->binary[arch->nbinary++] = (uint32_t)json_integer_value(v);
	}
	if (from && (!json_is_integer(from) || json_integer_value(from) < 1 ||
	             json_integer_value(from) > UINT32_MAX))
		return wrong(a, i, "expected a number for 'from'");
	arch->from = from ? (uint32_t)json_integer_value(from) : UINT32_MAX;
	return 0;
}

/* Room for n more entries. */
static int grow(struct trace_archs *a, size_t n)
{
	struct trace_arch *more = realloc(a->v, (a->n + n) * sizeof *a->v);

	if (!more)
		return hd__trace_error(a->host, "%s: out of memory", a->file);
	a->v = more;
	return 0;
}

static int build(struct trace_archs *a, const json_t *root, const char *folder)
{
	const json_t *tables = json_object_get(root, "tables"), *power = json_object_get(root, "power");
	size_t i, before = a->n;
	json_t *v;

	if (json_integer_value(json_object_get(root, "heddle_opcode_tables")) != 1)
		return hd__trace_error(a->host, "%s: expected \"heddle_opcode_tables\": 1", a->file);
	if (!json_is_array(tables) || json_array_size(tables) == 0)
		return hd__trace_error(a->host, "%s: expected 'tables', a list of objects", a->file);
	if (grow(a, json_array_size(tables)))
		return -1;
	json_array_foreach(tables, i, v) {
		a->v[a->n] = (struct trace_arch){ 0 };
		a->n++;
		if (read_entry(a, before, i, v, folder))
			return -1;
	}
	if (!power || !a->host->power_number || a->power.file)
		return 0;
	if (!json_is_string(power))
		return hd__trace_error(a->host, "%s: expected 'power', the name of the table of power classes",
		                       a->file);
	return hd__trace_power_open(&a->power, a->host, folder, json_string_value(power));
}

int hd__trace_archs_add(struct trace_archs *a, const struct trace_host *host, const char *folder)
{
	size_t len = strlen(folder) + sizeof "/index.json";
	json_t *root;
	int ret;

	a->host = host;
	free(a->file);
	a->file = malloc(len);
	if (!a->file)
		return hd__trace_error(host, "%s: out of memory", folder);
	snprintf(a->file, len, "%s/index.json", folder);
	root = hd__trace_json_file(host, a->file);
	ret = root ? build(a, root, folder) : -1;
	json_decref(root);
	return ret;
}

int hd__trace_archs_open(struct trace_archs *a, const struct trace_host *host, const char *folder)
{
	*a = (struct trace_archs){ 0 };
	return hd__trace_archs_add(a, host, folder);
}

void hd__trace_archs_free(struct trace_archs *a)
{
	for (size_t i = 0; i < a->n; i++) {
		hd__trace_opcodes_free(&a->v[i].opcodes);
		free(a->v[i].path);
	}
	free(a->v);
	free(a->file);
	hd__trace_power_free(&a->power);
	*a = (struct trace_archs){ 0 };
}

/* One warning for each version, however many kernels have it. */
static void announce(struct trace_archs *a, uint32_t binary, const char *file)
{
	for (uint32_t i = 0; i < a->nwarned; i++)
		if (a->warned[i] == binary)
			return;
	if (a->nwarned == NWARNED)
		return;
	a->warned[a->nwarned++] = binary;
	hd__trace_warn(a->host, "binary version %" PRIu32 " has no opcode table of its own; using '%s'",
	               binary, file);
}

struct trace_opcodes *hd__trace_archs_get(struct trace_archs *a, uint32_t binary)
{
	struct trace_arch *found = NULL;
	bool listed = false;

	for (size_t i = 0; i < a->n && !listed; i++) {
		struct trace_arch *v = &a->v[i];

		for (uint32_t k = 0; k < v->nbinary; k++)
			if (v->binary[k] == binary)
				listed = true;
		if (listed || (v->from <= binary && (!found || found->from < v->from)))
			found = v;
	}
	if (!found) {
		hd__trace_error(a->host, "binary version %" PRIu32 " has no opcode table in '%s'", binary,
		                a->file);
		return NULL;
	}
	if (!listed)
		announce(a, binary, found->path);
	if (!found->loaded) {
		if (hd__trace_opcodes_file(&found->opcodes, a->host, found->path, a)) {
			hd__trace_opcodes_free(&found->opcodes);
			return NULL;
		}
		found->loaded = true;
		found->opcodes.power = a->power.file ? &a->power : NULL;
	}
	return &found->opcodes;
}

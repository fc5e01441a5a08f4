/* latency_table.c - reads the table of latencies for synthesised control words
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md has the format.  A key of several names with spaces between them stands for each.
 */
#include "latency.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION 1

static int wrong(const struct trace_latencies *l, const char *section, const char *entry,
                 const char *expected)
{
	return hd__trace_error(l->host, "%s: %s%s%s: expected %s", l->file, section, *entry ? "." : "", entry,
	                       expected);
}

/* Every member has one of the names. */
static int members(const struct trace_latencies *l, const char *section, const char *entry,
                   json_t *o, const char *const *names)
{
	char what[TRACE_UNKNOWN];

	if (!hd__trace_unknown_member(o, names, what))
		return 0;
	return hd__trace_error(l->host, "%s: %s%s%s: %s", l->file, section, *entry ? "." : "", entry, what);
}

/* A number from `least` to `most`; `absent` if it is not there. */
static int number(const struct trace_latencies *l, const char *section, const char *entry,
                  const json_t *v, unsigned least, unsigned most, unsigned absent, uint8_t *to)
{
	char expected[64];

	*to = (uint8_t)absent;
	if (!v)
		return 0;
	if (json_is_integer(v) && json_integer_value(v) >= (json_int_t)least
	    && json_integer_value(v) <= (json_int_t)most) {
		*to = (uint8_t)json_integer_value(v);
		return 0;
	}
	snprintf(expected, sizeof expected, "a number from %u to %u", least, most);
	return wrong(l, section, entry, expected);
}

/* ---- kinds of unseen results, widths, suffixes ---------------------------------------------- */

static int read_groups(struct trace_latencies *l, json_t *o)
{
	const char *name;
	json_t *v;

	if (json_object_size(o) > LATENCY_GROUPS)
		return wrong(l, "groups", "", "at most 8 groups of readers");
	json_object_foreach(o, name, v) {
		l->group[l->ngroups] = name;
		if (!(l->members[l->ngroups++] = json_string_value(v)))
			return wrong(l, "groups", name, "a text with the names of opcodes");
	}
	return 0;
}

/* The group that has the opcode, whatever its suffixes; others are in the second. */
static uint8_t member_of(const struct trace_latencies *l, const char *opcode)
{
	size_t n = strcspn(opcode, ".");

	for (uint32_t g = 0; g < l->ngroups; g++)
		for (const char *at = l->members[g]; *at; at += strspn(at, " ")) {
			size_t k = strcspn(at, " ");

			if (k == n && strncmp(at, opcode, n) == 0)
				return (uint8_t)g;
			at += k;
		}
	return l->ngroups > 1;
}

/* The group of that name; -1 after a message. */
static int group_of(const struct trace_latencies *l, const char *section, const char *entry, const char *name)
{
	uint32_t g = 0;

	while (name && g < l->ngroups && strcmp(l->group[g], name) != 0)
		g++;
	return name && g < l->ngroups ? (int)g : wrong(l, section, entry, "a group that 'groups' has");
}

/* Cycles for all groups of readers, or an object with those of some. */
static int read_cycles(const struct trace_latencies *l, const char *section, const char *entry, json_t *v,
                       uint8_t to[LATENCY_GROUPS])
{
	const char *name;
	json_t *n;

	if (!v)
		return 0;
	if (!json_is_object(v)) {
		if (number(l, section, entry, v, 1, LATENCY_MOST, 0, &to[0]))
			return -1;
		memset(to + 1, to[0], LATENCY_GROUPS - 1);
		return 0;
	}
	json_object_foreach(v, name, n) {
		int g = group_of(l, section, entry, name);

		if (g < 0 || number(l, section, entry, n, 1, LATENCY_MOST, 0, &to[g]))
			return -1;
	}
	return 0;
}

static int read_unseen(struct trace_latencies *l, json_t *o)
{
	static const char *const names[] = { "latency", "groups", "readers", "doc", NULL };
	static const char *const readers[] = { [READERS_LISTED] = "listed",
		[READERS_GUARDED] = "guarded", [READERS_OPEN] = "open", NULL };
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		struct latency_unseen *u = &l->unseen[l->nunseen];
		const char *by = json_string_value(json_object_get(v, "readers"));

		if (l->nunseen == LATENCY_UNSEEN)
			return wrong(l, "unseen", key, "at most 4 kinds");
		if (members(l, "unseen", key, v, names)
		    || read_cycles(l, "unseen", key, json_object_get(v, "latency"), u->cycles)
		    || read_cycles(l, "unseen", key, json_object_get(v, "groups"), u->cycles))
			return -1;
		u->name = key;
		while (by && readers[u->readers] && strcmp(readers[u->readers], by) != 0)
			u->readers++;
		if (!by || !readers[u->readers] || !u->cycles[0])
			return wrong(l, "unseen", key, "a 'latency', and 'readers': 'listed', 'guarded' "
			             "or 'open'");
		l->nunseen++;
	}
	return 0;
}

/* The set of the kinds that a list names. */
static int read_kinds(const struct trace_latencies *l, const char *section, const char *entry,
                      const json_t *list, uint8_t *set)
{
	const json_t *v;
	size_t i;

	*set = 0;
	if (list && !json_is_array(list))
		return wrong(l, section, entry, "a list of kinds of 'unseen'");
	json_array_foreach(list, i, v) {
		const char *name = json_string_value(v);
		uint32_t k = 0;

		while (name && k < l->nunseen && strcmp(l->unseen[k].name, name) != 0)
			k++;
		if (!name || k == l->nunseen)
			return wrong(l, section, entry, "kinds that 'unseen' has");
		*set |= (uint8_t)(1u << k);
	}
	return 0;
}

static int read_widths(struct trace_latencies *l, json_t *o)
{
	const char *key, *token;
	json_t *v, *n;

	json_object_foreach(o, key, v) {
		struct latency_width *w = &l->width[l->nwidths];

		if (l->nwidths == LATENCY_WIDTHS || json_object_size(v) > LATENCY_TOKENS)
			return wrong(l, "widths", key, "at most 8 widths of at most 8 suffixes");
		w->name = key;
		json_object_foreach(v, token, n) {
			w->token[w->n] = token;
			if (number(l, "widths", key, n, 1, LATENCY_REGS, 1, &w->count[w->n++]))
				return -1;
		}
		l->nwidths++;
	}
	return 0;
}

static int read_suffixes(struct trace_latencies *l, json_t *o)
{
	static const char *const names[] = { "reads", "doc", NULL };
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		struct latency_token *t = &l->token[l->ntokens];

		if (l->ntokens == LATENCY_TOKENS)
			return wrong(l, "suffixes", key, "at most 8 suffixes");
		if (members(l, "suffixes", key, v, names)
		    || read_kinds(l, "suffixes", key, json_object_get(v, "reads"), &t->reads))
			return -1;
		t->name = key;
		l->ntokens++;
	}
	return 0;
}

/* ---- opcodes -------------------------------------------------------------------------------- */

static int read_width(const struct trace_latencies *l, const char *entry, const json_t *v,
                      uint8_t *to)
{
	const char *name = json_string_value(v);
	uint32_t k = 0;

	if (!name)
		return number(l, "opcodes", entry, v, 0, LATENCY_REGS, 1, to);
	while (k < l->nwidths && strcmp(l->width[k].name, name) != 0)
		k++;
	if (k == l->nwidths)
		return wrong(l, "opcodes", entry, "a number of registers, or the name of one of 'widths'");
	*to = (uint8_t)(LATENCY_NAMED + k);
	return 0;
}

static int read_src(const struct trace_latencies *l, const char *entry, const json_t *list,
                    struct latency_op *op)
{
	const json_t *v;
	size_t i;

	if (list && (!json_is_array(list) || json_array_size(list) > LATENCY_SRC))
		return wrong(l, "opcodes", entry, "'src', a list of at most 4 numbers of registers");
	json_array_foreach(list, i, v) {
		if (read_width(l, entry, v, &op->src[op->nsrc++]))
			return -1;
	}
	return 0;
}

/* By kind of result, where they differ from its own. */
static int read_distances(const struct trace_latencies *l, const char *entry, json_t *o, struct latency_op *op)
{
	const char *name;
	json_t *v;

	json_object_foreach(o, name, v) {
		uint32_t k = 0;

		while (k < l->nunseen && strcmp(l->unseen[k].name, name) != 0)
			k++;
		if (k == l->nunseen)
			return wrong(l, "opcodes", entry, "'distances' of kinds that 'unseen' has");
		if (read_cycles(l, "opcodes", entry, v, op->after[k]))
			return -1;
	}
	return 0;
}

static int read_op(const struct trace_latencies *l, const char *entry, json_t *o,
                   struct latency_op *op)
{
	static const char *const names[] = { "latency", "dst", "src", "reads", "writes", "stall",
		"operands", "drains", "distances", "doc", NULL };
	const json_t *cycles = json_object_get(o, "latency"), *drains = json_object_get(o, "drains");
	const char *word = json_string_value(cycles);

	*op = (struct latency_op){ .drains = json_is_true(drains) };
	if (!json_is_object(o) || !cycles || (word && strcmp(word, "variable") != 0)
	    || (drains && !json_is_boolean(drains)))
		return wrong(l, "opcodes", entry, "an object with 'latency', cycles or \"variable\"");
	if (members(l, "opcodes", entry, o, names)
	    || (!word && number(l, "opcodes", entry, cycles, 1, LATENCY_MOST, 0, &op->cycles))
	    || number(l, "opcodes", entry, json_object_get(o, "stall"), 1, HD_MAX_STALL, 1, &op->stall)
	    || number(l, "opcodes", entry, json_object_get(o, "operands"), 0, HD_MAX_SRC, 0,
	              &op->operands)
	    || read_width(l, entry, json_object_get(o, "dst"), &op->dst)
	    || read_src(l, entry, json_object_get(o, "src"), op)
	    || read_kinds(l, "opcodes", entry, json_object_get(o, "reads"), &op->reads)
	    || read_kinds(l, "opcodes", entry, json_object_get(o, "writes"), &op->writes)
	    || read_distances(l, entry, json_object_get(o, "distances"), op))
		return -1;
	return 0;
}

/* By name, and those of the table itself before those of the one on which it is built. */
static int by_name(const void *a, const void *b)
{
	const struct latency_op *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (int)x->based - (int)y->based;
}

/* Entries of an object, behind those that there are. */
static int add_ops(struct trace_latencies *l, json_t *o, bool based)
{
	const char *key, *name;
	struct latency_op op;
	json_t *v;

	if (!json_is_object(o))
		return wrong(l, "opcodes", "", "an object with an entry for each opcode");
	json_object_foreach(o, key, v) {
		char *at = l->names + l->used, *rest;

		if (read_op(l, key, v, &op))
			return -1;
		op.based = based;
		l->used += strlen(key) + 1;
		strcpy(at, key);
		for (name = strtok_r(at, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
			op.name = name;
			op.group = member_of(l, name);
			l->op[l->ops++] = op;
		}
	}
	return 0;
}

static int read_ops(struct trace_latencies *l)
{
	json_t *o[] = { json_object_get(l->json, "opcodes"), json_object_get(l->base_json, "opcodes") };
	size_t n = 0, bytes = 0, kept = 0;
	const char *key;
	json_t *v;

	for (int i = 0; i < 2; i++)
		json_object_foreach(o[i], key, v) {
			bytes += strlen(key) + 1;
			n += strlen(key) / 2 + 1;
		}
	l->op = calloc(n + 1, sizeof *l->op);
	l->names = malloc(bytes + 1);
	if (!l->op || !l->names)
		return hd__trace_error(l->host, "%s: out of memory", l->file);
	if (add_ops(l, o[0], false) || (l->base_json && add_ops(l, o[1], true)))
		return -1;
	qsort(l->op, l->ops, sizeof *l->op, by_name);
	for (size_t i = 0; i < l->ops; i++) {
		bool again = kept > 0 && strcmp(l->op[kept - 1].name, l->op[i].name) == 0;

		if (again && l->op[kept - 1].based == l->op[i].based)
			return wrong(l, "opcodes", l->op[i].name, "one entry, found two");
		if (!again)
			l->op[kept++] = l->op[i];
	}
	l->ops = kept;
	return 0;
}

/* Reads the table beside this one on which it is built: what this one does not have is as there. */
static int extend(struct trace_latencies *l)
{
	const char *name = json_string_value(json_object_get(l->json, "extends")), *slash = strrchr(l->file, '/'), *key;
	size_t folder = slash ? (size_t)(slash + 1 - l->file) : 0, n = folder + (name ? strlen(name) : 0) + 1;
	char *path = name ? malloc(n) : NULL;
	json_t *v;

	if (!path)
		return wrong(l, "extends", "", "the name of a file");
	snprintf(path, n, "%.*s%s", (int)folder, l->file, name);
	l->base_json = hd__trace_json_file(l->host, path);
	free(path);
	if (!l->base_json)
		return -1;
	json_object_foreach(l->base_json, key, v)
		if (!json_object_get(l->json, key) && json_object_set(l->json, key, v))
			return hd__trace_error(l->host, "%s: out of memory", l->file);
	return 0;
}

static int build(struct trace_latencies *l)
{
	static const char *const names[] = { "heddle_latencies", "doc", "counter_visible",
		"variable_reader", "variable_least", "yield_from", "banks", "groups", "unseen", "widths",
		"suffixes", "opcodes", "default", "extends", NULL };
	json_t *root = l->json;

	if (json_integer_value(json_object_get(root, "heddle_latencies")) != VERSION)
		return hd__trace_error(l->host, "%s: expected \"heddle_latencies\": %d", l->file, VERSION);
	if ((json_object_get(root, "extends") && extend(l)) || members(l, "the file", "", root, names)
	    || number(l, "counter_visible", "", json_object_get(root, "counter_visible"), 1,
	              HD_MAX_STALL, 1, &l->visible)
	    || number(l, "variable_reader", "", json_object_get(root, "variable_reader"), 0,
	              HD_MAX_STALL - LATENCY_MOST, 0, &l->reader)
	    || number(l, "variable_least", "", json_object_get(root, "variable_least"), 1, UINT8_MAX,
	              1, &l->variable)
	    || number(l, "yield_from", "", json_object_get(root, "yield_from"), 1, HD_MAX_STALL + 1,
	              HD_MAX_STALL + 1, &l->yield)
	    || number(l, "banks", "", json_object_get(root, "banks"), 1, LATENCY_BANKS, 1, &l->banks)
	    || read_groups(l, json_object_get(root, "groups"))
	    || read_unseen(l, json_object_get(root, "unseen"))
	    || read_widths(l, json_object_get(root, "widths"))
	    || read_suffixes(l, json_object_get(root, "suffixes"))
	    || read_ops(l))
		return -1;
	if (read_op(l, "default", json_object_get(root, "default"), &l->fallback))
		return -1;
	l->fallback.group = member_of(l, "");
	return 0;
}

int hd__trace_latencies_read(struct trace_latencies *l, const struct trace_host *host, const char *file)
{
	*l = (struct trace_latencies){ .host = host, .file = file, .json = hd__trace_json_file(host, file) };
	return l->json ? build(l) : -1;
}

void hd__trace_latencies_free(struct trace_latencies *l)
{
	json_decref(l->json);
	json_decref(l->base_json);
	free(l->op);
	free(l->names);
	*l = (struct trace_latencies){ 0 };
}

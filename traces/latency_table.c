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

static int read_unseen(struct trace_latencies *l, json_t *o)
{
	static const char *const names[] = { "latency", "readers", "doc", NULL };
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
		    || number(l, "unseen", key, json_object_get(v, "latency"), 1, LATENCY_MOST, 0,
		              &u->cycles))
			return -1;
		u->name = key;
		while (by && readers[u->readers] && strcmp(readers[u->readers], by) != 0)
			u->readers++;
		if (!by || !readers[u->readers] || !u->cycles)
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

static int read_op(const struct trace_latencies *l, const char *entry, json_t *o,
                   struct latency_op *op)
{
	static const char *const names[] = { "latency", "dst", "src", "reads", "writes", "stall",
		"operands", "drains", "doc", NULL };
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
	    || read_kinds(l, "opcodes", entry, json_object_get(o, "writes"), &op->writes))
		return -1;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct latency_op *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Space for all names, and how many there are. */
static int room(struct trace_latencies *l, json_t *o, char **names)
{
	size_t n = 0, bytes = 0;
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v) {
		bytes += strlen(key) + 1;
		n += strlen(key) / 2 + 1;
	}
	l->op = calloc(n + 1, sizeof *l->op);
	*names = l->names = malloc(bytes + 1);
	return l->op && l->names ? 0 : hd__trace_error(l->host, "%s: out of memory", l->file);
}

static int read_ops(struct trace_latencies *l, json_t *o)
{
	const char *key, *name;
	struct latency_op op;
	char *at, *rest;
	json_t *v;

	if (!json_is_object(o) || room(l, o, &at))
		return o ? -1 : wrong(l, "opcodes", "", "an object with an entry for each opcode");
	json_object_foreach(o, key, v) {
		if (read_op(l, key, v, &op))
			return -1;
		strcpy(at, key);
		for (name = strtok_r(at, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
			op.name = name;
			l->op[l->ops++] = op;
		}
		at += strlen(key) + 1;
	}
	qsort(l->op, l->ops, sizeof *l->op, by_name);
	for (size_t i = 1; i < l->ops; i++)
		if (strcmp(l->op[i - 1].name, l->op[i].name) == 0)
			return wrong(l, "opcodes", l->op[i].name, "one entry, found two");
	return 0;
}

static int build(struct trace_latencies *l)
{
	static const char *const names[] = { "heddle_latencies", "doc", "counter_visible",
		"variable_reader", "variable_least", "yield_from", "banks", "unseen", "widths", "suffixes",
		"opcodes", "default", NULL };
	json_t *root = l->json;

	if (json_integer_value(json_object_get(root, "heddle_latencies")) != VERSION)
		return hd__trace_error(l->host, "%s: expected \"heddle_latencies\": %d", l->file, VERSION);
	if (members(l, "the file", "", root, names)
	    || number(l, "counter_visible", "", json_object_get(root, "counter_visible"), 1,
	              HD_MAX_STALL, 1, &l->visible)
	    || number(l, "variable_reader", "", json_object_get(root, "variable_reader"), 0,
	              HD_MAX_STALL - LATENCY_MOST, 0, &l->reader)
	    || number(l, "variable_least", "", json_object_get(root, "variable_least"), 1, UINT8_MAX,
	              1, &l->variable)
	    || number(l, "yield_from", "", json_object_get(root, "yield_from"), 1, HD_MAX_STALL + 1,
	              HD_MAX_STALL + 1, &l->yield)
	    || number(l, "banks", "", json_object_get(root, "banks"), 1, LATENCY_BANKS, 1, &l->banks)
	    || read_unseen(l, json_object_get(root, "unseen"))
	    || read_widths(l, json_object_get(root, "widths"))
	    || read_suffixes(l, json_object_get(root, "suffixes"))
	    || read_ops(l, json_object_get(root, "opcodes")))
		return -1;
	return read_op(l, "default", json_object_get(root, "default"), &l->fallback);
}

int hd__trace_latencies_read(struct trace_latencies *l, const struct trace_host *host, const char *file)
{
	*l = (struct trace_latencies){ .host = host, .file = file, .json = hd__trace_json_file(host, file) };
	return l->json ? build(l) : -1;
}

void hd__trace_latencies_free(struct trace_latencies *l)
{
	json_decref(l->json);
	free(l->op);
	free(l->names);
	*l = (struct trace_latencies){ 0 };
}

/* power_classes.c - the table of power classes: what energy a warp instruction needs, by its opcode
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * {"classes": {"fp": ["FADD FMNMX"], "fp_exp": ["MUFU.EX2"]}, "leads": {"SP": ["*"], "ALU": ["none", "fp"]}}.  A name
 * with a dot is the whole text of an opcode, one without what stands before the first dot.  Instructions of the units
 * in "leads" that have one of the power classes there lead a pair of one fetch (docs/energy.md).
 */
#include "opcodes.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong(struct trace_power *p, const char *member, const char *what)
{
	return hd__trace_error(p->host, "%s: %s: %s", p->file, member, what);
}

/* Each name of the list gets the number. */
static int add_names(struct trace_power *p, const char *cls, const char *list, uint32_t number)
{
	char *text = strdup(list ? list : ""), *rest = NULL;
	int ret = 0;

	if (!text || !list) {
		free(text);
		return wrong(p, cls, text ? "expected a list of texts, opcodes with blanks between them"
		                     : "out of memory");
	}
	for (char *name = strtok_r(text, " ", &rest); name && ret == 0; name = strtok_r(NULL, " ", &rest)) {
		if (json_object_get(p->numbers, name))
			ret = hd__trace_error(p->host, "%s: opcode '%s' has two power classes; expected one", p->file,
			                      name);
		json_object_set_new(p->numbers, name, json_integer(number));
	}
	free(text);
	return ret;
}

static int read_classes(struct trace_power *p, json_t *classes)
{
	const char *cls;
	json_t *list, *v;
	size_t i;

	if (!json_is_object(classes))
		return wrong(p, "classes", "expected an object, with a list of opcodes for each power class");
	json_object_foreach(classes, cls, list) {
		uint32_t number = p->host->power_number(p->host->self, cls);

		if (number >= HD_SYMBOLS_MAX)
			return wrong(p, cls, "there are 64 power classes already; expected no more");
		if (!json_is_array(list))
			return wrong(p, cls, "expected a list of texts, opcodes with blanks between them");
		json_array_foreach(list, i, v)
			if (add_names(p, cls, json_string_value(v), number + 1))
				return -1;
	}
	return 0;
}

/* "none" is bit 0, power class n bit n + 1. */
static int read_lead(struct trace_power *p, const char *unit, json_t *list)
{
	uint32_t cls = p->host->class_number(p->host->self, unit);
	size_t i;
	json_t *v;

	if (!json_is_array(list) || cls >= HD_SYMBOLS_MAX)
		return wrong(p, unit, "expected a list of power classes, \"none\", or \"*\" for all");
	json_array_foreach(list, i, v) {
		const char *name = json_string_value(v);

		if (!name)
			return wrong(p, unit, "expected a list of power classes, \"none\", or \"*\" for all");
		if (strcmp(name, "*") == 0)
			p->leads[cls] = UINT64_MAX;
		else if (strcmp(name, "none") == 0)
			p->leads[cls] |= 1;
		else
			p->leads[cls] |= UINT64_C(1) << (p->host->power_number(p->host->self, name) + 1) % 64;
	}
	return 0;
}

static int build(struct trace_power *p, json_t *root)
{
	static const char *const members[] = { "heddle_power_classes", "doc", "classes", "leads", NULL };
	char what[TRACE_UNKNOWN];
	const char *unit;
	json_t *list;

	if (json_integer_value(json_object_get(root, "heddle_power_classes")) != 1)
		return wrong(p, "the file", "expected \"heddle_power_classes\": 1");
	if (hd__trace_unknown_member(root, members, what))
		return wrong(p, "the file", what);
	p->numbers = json_object();
	if (read_classes(p, json_object_get(root, "classes")))
		return -1;
	json_object_foreach(json_object_get(root, "leads"), unit, list)
		if (read_lead(p, unit, list))
			return -1;
	return 0;
}

int hd__trace_power_open(struct trace_power *p, const struct trace_host *host, const char *folder, const char *file)
{
	size_t len = strlen(folder) + strlen(file) + 2;
	json_t *root;
	int ret;

	p->host = host;
	p->file = malloc(len);
	if (!p->file)
		return hd__trace_error(host, "%s: out of memory", folder);
	snprintf(p->file, len, "%s/%s", folder, file);
	root = hd__trace_json_file(host, p->file);
	ret = root ? build(p, root) : -1;
	json_decref(root);
	return ret;
}

void hd__trace_power_free(struct trace_power *p)
{
	json_decref(p->numbers);
	free(p->file);
}

void hd__trace_power(const struct trace_power *p, const char *text, size_t len, size_t base, struct trace_op *op)
{
	char *name = strndup(text, len);
	json_t *found = name ? json_object_get(p->numbers, name) : NULL;

	if (name && !found) {
		name[base] = '\0';
		found = json_object_get(p->numbers, name);
	}
	free(name);
	op->power = (uint8_t)json_integer_value(found);
	op->leads = p->leads[op->cls % HD_SYMBOLS_MAX] >> op->power % 64 & 1;
}

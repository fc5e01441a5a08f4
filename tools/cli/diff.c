/* diff.c - describes how two flat netlists differ: clocks, instances, parameters
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "diff.h"
#include "base/xalloc.h"

/* ---- instances ----------------------------------------------------------------------------- */

/* "4 x copy", "copy" */
static char *module_and_count(const json_t *o)
{
	const json_t *count = json_object_get(o, "count");
	const char *module = json_string_value(json_object_get(o, "module"));

	if (count == NULL)
		return hd__xstrdup(module);
	return hd__format("%" JSON_INTEGER_FORMAT " x %s", json_integer_value(count), module);
}

/* Only parameters that both modules have, if they are different modules. */
static void diff_params(struct hd_diff_lines *d, const char *name, const json_t *a, const json_t *b,
                        bool same_module)
{
	const char *key;
	json_t *v;

	if (same_module) {
		hd__diff_value(d, "instance", name, "", a, b);
		return;
	}
	json_object_foreach((json_t *)a, key, v)
		if (json_object_get(b, key) != NULL)
			hd__diff_value(d, "instance", name, key, v, json_object_get(b, key));
}

/* Values of element `number` of an array, of which some may be its own.  The caller frees them. */
static json_t *element_params(const json_t *instance, const char *number)
{
	json_t *shared = json_object_get(instance, "params");
	json_t *own = json_object_get(json_object_get(instance, "elements"), number);
	json_t *params = hd__xcheck(shared != NULL ? json_copy(shared) : json_object());

	if (own != NULL)
		json_object_update(params, own);
	return params;
}

/* Element by element. */
static void diff_elements(struct hd_diff_lines *d, const char *name, const json_t *a, const json_t *b,
                          json_int_t count, bool same_module)
{
	for (json_int_t i = 0; i < count; i++) {
		char *number = hd__format("%" JSON_INTEGER_FORMAT, i), *element = hd__format("%s[%s]", name, number);
		json_t *x = element_params(a, number), *y = element_params(b, number);

		diff_params(d, element, x, y, same_module);
		json_decref(x);
		json_decref(y);
		free(element);
		free(number);
	}
}

/* Elements of arrays that both have are compared one by one with .all, or if some have values of their own. */
static void diff_instance(struct hd_diff_lines *d, const char *name, const json_t *a,
                          const json_t *b)
{
	static const char *const own[] = { "module", "count", "clock" };
	bool same = json_equal(json_object_get(a, "module"), json_object_get(b, "module"));
	json_int_t m = json_integer_value(json_object_get(a, "count"));
	json_int_t n = json_integer_value(json_object_get(b, "count"));

	for (size_t i = 0; i < 3; i++)
		if (json_object_get(a, own[i]) != NULL || json_object_get(b, own[i]) != NULL)
			hd__diff_value(d, "instance", name, own[i], json_object_get(a, own[i]),
			               json_object_get(b, own[i]));
	if (m > 0 && n > 0
	    && (d->all || json_object_get(a, "elements") != NULL || json_object_get(b, "elements") != NULL))
		diff_elements(d, name, a, b, m < n ? m : n, same);
	else
		diff_params(d, name, json_object_get(a, "params"), json_object_get(b, "params"), same);
}

static void diff_instances(struct hd_diff_lines *d, const json_t *a, const json_t *b)
{
	const char *name;
	char *text;
	json_t *v;

	json_object_foreach((json_t *)a, name, v) {
		if (json_object_get(b, name) != NULL) {
			diff_instance(d, name, v, json_object_get(b, name));
			continue;
		}
		text = module_and_count(v);
		hd__diff_line(d, "instance", name, " is removed; it was %s", text);
		free(text);
	}
	json_object_foreach((json_t *)b, name, v) {
		if (json_object_get(a, name) != NULL)
			continue;
		text = module_and_count(v);
		hd__diff_line(d, "instance", name, " is new, %s", text);
		free(text);
	}
}

/* ---- clocks and the whole netlist ---------------------------------------------------------- */

static void diff_clocks(struct hd_diff_lines *d, const json_t *a, const json_t *b)
{
	const char *name;
	char *text;
	json_t *v;

	json_object_foreach((json_t *)a, name, v) {
		if (json_object_get(b, name) != NULL) {
			hd__diff_value(d, "clock", name, "", v, json_object_get(b, name));
			continue;
		}
		text = hd__diff_shown(v);
		hd__diff_line(d, "clock", name, " is removed; it was %s", text);
		free(text);
	}
	json_object_foreach((json_t *)b, name, v) {
		if (json_object_get(a, name) != NULL)
			continue;
		text = hd__diff_shown(v);
		hd__diff_line(d, "clock", name, " is new, %s", text);
		free(text);
	}
}

bool hd__diff(const json_t *a, const json_t *b, bool all, FILE *out)
{
	struct hd_diff_lines d = { .by_key = hd__xcheck(json_object()), .all = all };
	bool any;

	hd__diff_value(&d, "the", "netlist", "watchdog", json_object_get(a, "watchdog"),
	               json_object_get(b, "watchdog"));
	diff_clocks(&d, json_object_get(a, "clocks"), json_object_get(b, "clocks"));
	diff_instances(&d, json_object_get(a, "instances"), json_object_get(b, "instances"));
	hd__diff_links(&d, json_object_get(a, "links"), json_object_get(b, "links"));
	any = d.n > 0;
	for (size_t i = 0; i < d.n; i++) {
		fputs(d.v[i].text, out);
		if (d.v[i].more > 0)
			fprintf(out, " (and so %u more)", d.v[i].more);
		fputc('\n', out);
		free(d.v[i].text);
	}
	free(d.v);
	json_decref(d.by_key);
	return any;
}

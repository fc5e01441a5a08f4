/* import_resolve.c - prints the values that options became, as they stand in the netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "import.h"

#include <string.h>

/* A netlist, and the part of it that a path leads to. */
struct at {
	const json_t *netlist, *value;
};

static const json_t *member(const json_t *o, const char *name, size_t n)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v)
		if (strlen(key) == n && strncmp(key, name, n) == 0)
			return v;
	return NULL;
}

/* The name in a netlist: of a clock, a parameter, or an instance; and in the last two.  There may be none: it is the
 * default of a module. */
static struct at enter(struct at at, const char *name, size_t n)
{
	static const char *const kinds[] = { "params", "instances", "clocks" };
	const json_t *of = at.value ? at.value : at.netlist, *v = member(of, name, n), *netlist;

	for (size_t i = 0; !v && i < sizeof kinds / sizeof *kinds; i++)
		v = member(json_object_get(of, kinds[i]), name, n);
	if (json_object_get(v, "value"))
		v = json_object_get(v, "value");
	netlist = json_object_get(v, "netlist");
	if (!v)
		return (struct at){ NULL, NULL };
	return netlist ? (struct at){ netlist, NULL } : (struct at){ at.netlist, v };
}

/* "$sub_cores" is the value of that parameter. */
static const json_t *resolved(const json_t *v, const json_t *netlist)
{
	const char *s = json_string_value(v);
	const json_t *param = s && *s == '$' ? json_object_get(json_object_get(netlist, "params"), s + 1) : NULL;

	return param ? json_object_get(param, "value") : v;
}

static bool is_list_of_words(const json_t *v)
{
	return json_is_array(v) && json_is_string(json_array_get(v, 0));
}

/* Lists of words, such as classes of instructions, are left out. */
static void put(const json_t *v, const json_t *netlist, FILE *out)
{
	const char *key, *comma = "";
	json_t *x;
	size_t i;

	v = resolved(v, netlist);
	if (json_is_object(v)) {
		json_object_foreach((json_t *)v, key, x) {
			if (is_list_of_words(x))
				continue;
			fprintf(out, "%s%s ", comma, key);
			put(x, netlist, out);
			comma = ", ";
		}
	} else if (json_is_array(v)) {
		json_array_foreach(v, i, x) {
			fputs(i == 0 ? "" : json_is_object(x) ? "; " : " ", out);
			put(x, netlist, out);
		}
	} else if (json_is_string(v)) {
		fputs(json_string_value(v), out);
	} else {
		json_dumpf(v, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
	}
}

/* Parameters of an instance, members of a list in brackets, behind what has them. */
static void put_behind(const json_t *v, const json_t *netlist, FILE *out)
{
	bool several = json_is_object(v) || json_is_array(v);

	if (json_object_get(v, "module"))
		v = json_object_get(v, "params") ? json_object_get(v, "params") : json_object_get(v, "module");
	if (!v)
		return;
	fputs(several ? " (" : " ", out);
	put(v, netlist, out);
	fputs(several ? ")" : "", out);
}

void hd__import_put_value(const json_t *netlist, const char *path, size_t n, FILE *out)
{
	struct at at = { netlist, NULL };

	for (const char *end = path + n; at.netlist && path < end; path += path < end) {
		size_t one = (size_t)(end - path);
		const char *dot = memchr(path, '.', one);

		one = dot ? (size_t)(dot - path) : one;
		at = enter(at, path, one);
		path += one;
	}
	put_behind(at.value, at.netlist, out);
}

void hd__import_put_widths(const json_t *sm, FILE *out)
{
	static const char *const ends[][2] = { { "to", "collector.in" }, { "from", "collector.out" } };
	const json_t *link;
	size_t i;

	for (unsigned k = 0; k < 2; k++) {
		fputs(k ? "; out of it" : " (into it", out);
		json_array_foreach(json_object_get(sm, "links"), i, link) {
			const char *end = json_string_value(json_object_get(link, ends[k][0]));

			if (!end || strcmp(end, ends[k][1]) != 0)
				continue;
			fprintf(out, " %s ", json_string_value(json_object_get(link, "unit")));
			put(json_object_get(link, "slots"), sm, out);
		}
	}
	fputc(')', out);
}

void hd__import_put_class(const json_t *sm, const char *name, size_t n, FILE *out)
{
	const char *instance;
	json_t *v, *timing, *word;
	size_t i, k;

	json_object_foreach(json_object_get(sm, "instances"), instance, v)
		json_array_foreach(json_object_get(json_object_get(v, "params"), "timing"), i, timing)
			json_array_foreach(json_object_get(timing, "classes"), k, word)
				if (json_string_length(word) == n && strncmp(json_string_value(word), name, n) == 0) {
					fprintf(out, " (%s: count ", instance);
					put(json_object_get(v, "count"), sm, out);
					fputs(", ", out);
					put(timing, sm, out);
					fputc(')', out);
				}
}

/* cmd_diff.c - heddle diff: lists how two netlists differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/xalloc.h"
#include "kernel/flatten.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- lines --------------------------------------------------------------------------------- */

/* Lines that differ only in the element of an array are printed once, unless .all. */
struct lines {
	struct line {
		char *text;
		unsigned more; /* others that differ only in elements */
	} *v;
	size_t n, cap;
	json_t *by_key;  /* text with such elements left open -> index of the line */
	bool all;
};

enum { MAX_SHOWN = 100 }; /* bytes of a value that are shown */

/* Bytes of a path up to the first element that it names, "sm[3].x": 5; 0: it names none. */
static size_t up_to_element(const char *path)
{
	size_t n = strcspn(path, "[.\" ");
	size_t digits = path[n] == '[' ? strspn(path + n + 1, "0123456789") : 0;

	return digits > 0 && path[n + 1 + digits] == ']' ? n + digits + 2 : 0;
}

/* "unit sm[3].x[1]: rows[0].y" as "unit sm[*].x[*]: rows[0].y".  In a value that differs only what the name begins
 * with as well: "clock sm[3].x is new, {"of": "sm[3].y"}". */
static char *open_elements(const char *kind, const char *line)
{
	const char *name = line + strlen(kind) + 1;
	char *out = hd__xcalloc(strlen(line) + 1, 1), *o = out;
	bool inside = false, quoted = false; /* of the value that differs, of a text in it */

	while (*line != '\0') {
		size_t n = *line == '[' ? strspn(line + 1, "0123456789") : 0;

		if (*line == '"') { /* a path begins, or ends */
			size_t own = quoted ? 0 : up_to_element(line + 1);

			quoted = !quoted;
			*o++ = *line++;
			if (own == 0 || strncmp(line, name, own) != 0)
				continue;
			n = strcspn(line, "[");
			memcpy(o, line, n);
			memcpy(o + n, "[*]", 3);
			o += n + 3;
			line += own;
			continue;
		}
		inside = inside || *line == ':' || *line == '{';
		if (!inside && n > 0 && line[n + 1] == ']' && (line[n + 2] == '.' || line[n + 2] == ':')) {
			memcpy(o, "[*]", 3);
			o += 3;
			line += n + 2;
		} else {
			*o++ = *line++;
		}
	}
	return out;
}

/* Is the end b behind a in one element only: "sm[3].x", "sm[4].x"?  At *at the '[' of it. */
static bool follows(const char *a, const char *b, size_t *at)
{
	char *end_a, *end_b;
	unsigned long x, y;
	size_t n = 0;

	while (a[n] != '\0' && a[n] == b[n])
		n++;
	while (n > 0 && isdigit((unsigned char)a[n - 1]))
		n--;
	if (n == 0 || a[n - 1] != '[' || !isdigit((unsigned char)a[n]) || !isdigit((unsigned char)b[n]))
		return false;
	x = strtoul(a + n, &end_a, 10);
	y = strtoul(b + n, &end_b, 10);
	*at = n - 1;
	return y == x + 1 && strcmp(end_a, end_b) == 0;
}

/* "[0..79]" in place of the element at `at` of the first. */
static void put_range(FILE *out, const char *first, const char *last, size_t at)
{
	fprintf(out, "%.*s%s%.*s..%s", (int)at, first, "[", (int)strspn(first + at + 1, "0123456789"),
	        first + at + 1, last + at + 1);
}

/* The ends of a link as lines show them, "sm[0..79].x" for "sm[0].x, sm[1].x, ...".  The caller frees them. */
static char *ends_shown(const struct lines *d, const char *ends)
{
	char *copy, *text = NULL, *rest, *first, *last, *end;
	size_t size, at = 0, here;
	FILE *out;

	if (d->all || strchr(ends, ',') == NULL)
		return hd__xstrdup(ends);
	copy = hd__xstrdup(ends);
	out = hd__xcheck(open_memstream(&text, &size));
	first = last = strtok_r(copy, ", ", &rest);
	while (first != NULL) {
		end = strtok_r(NULL, ", ", &rest);
		if (end != NULL && follows(last, end, &here) && (first == last || here == at)) {
			at = here;
			last = end;
			continue;
		}
		if (first == last)
			fputs(first, out);
		else
			put_range(out, first, last, at);
		if (end != NULL)
			fputs(", ", out);
		first = last = end;
	}
	fclose(out);
	free(copy);
	return text;
}

/* Adds "NAME: TEXT"; `name` may name an element, such as "sm[3].unit". */
__attribute__((format(printf, 4, 5)))
static void add_line(struct lines *d, const char *kind, const char *name, const char *fmt, ...)
{
	char *text, *all, *key;
	const json_t *before;
	va_list ap;

	va_start(ap, fmt);
	text = hd__xvprintf(fmt, ap);
	va_end(ap);
	all = hd__format("%s %s%s", kind, name, text);
	free(text);
	key = open_elements(kind, all);
	before = d->all ? NULL : json_object_get(d->by_key, key);
	if (before != NULL) {
		d->v[json_integer_value(before)].more++;
		free(all);
	} else {
		json_object_set_new(d->by_key, key, json_integer((json_int_t)d->n));
		d->v = hd__xgrow(d->v, d->n, &d->cap, sizeof *d->v);
		d->v[d->n++] = (struct line){ all, 0 };
	}
	free(key);
}

/* ---- values -------------------------------------------------------------------------------- */

/* A value as lines show it, cut if it is long.  The caller frees it. */
static char *shown(const json_t *v)
{
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	if (text == NULL)
		return hd__xstrdup("?");
	if (strlen(text) > MAX_SHOWN) {
		size_t n = MAX_SHOWN;

		while (((unsigned char)text[n] & 0xC0) == 0x80)
			n--;
		strcpy(text + n, "...");
	}
	return text;
}

static void add_values(struct lines *d, const char *kind, const char *name,
                       const char *path, const json_t *a, const json_t *b)
{
	char *was = a != NULL ? shown(a) : NULL, *is = b != NULL ? shown(b) : NULL;

	if (a == NULL)
		add_line(d, kind, name, ": %s is new, %s", path, is);
	else if (b == NULL)
		add_line(d, kind, name, ": %s is removed; it was %s", path, was);
	else
		add_line(d, kind, name, ": %s was %s, is %s", path, was, is);
	free(was);
	free(is);
}

/* The path of a member, "" being the value itself. */
static char *below(const char *path, const char *member)
{
	return *path != '\0' ? hd__format("%s.%s", path, member) : hd__xstrdup(member);
}

/* Adds how two values differ, with the path to each difference. */
static void diff_value(struct lines *d, const char *kind, const char *name, const char *path,
                    const json_t *a, const json_t *b)
{
	const char *key;
	char *inner;
	json_t *v;

	if ((a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b)))
		return;
	if (json_is_object(a) && json_is_object(b)) {
		json_object_foreach((json_t *)a, key, v) {
			inner = below(path, key);
			diff_value(d, kind, name, inner, v, json_object_get(b, key));
			free(inner);
		}
		json_object_foreach((json_t *)b, key, v) {
			if (json_object_get(a, key) != NULL)
				continue;
			inner = below(path, key);
			diff_value(d, kind, name, inner, NULL, v);
			free(inner);
		}
	} else if (json_is_array(a) && json_is_array(b) && json_array_size(a) == json_array_size(b)
	           && json_is_object(json_array_get(a, 0))) {
		for (size_t i = 0; i < json_array_size(a); i++) {
			inner = hd__format("%s[%zu]", path, i);
			diff_value(d, kind, name, inner, json_array_get(a, i),
			               json_array_get(b, i));
			free(inner);
		}
	} else {
		add_values(d, kind, name, path, a, b);
	}
}

/* ---- links ---------------------------------------------------------------------------------
 *
 * Links with a list of ends count as one link per end.  Among several links between the same ends,
 * the most similar ones are paired. */

struct link {
	json_t *o;            /* with one end in "from" */
	char *name;           /* "a.out to b.in" */
	const struct link *other;
};

struct links {
	struct link *v;
	size_t n, cap;
};

static void add_link(struct links *l, const json_t *entry, json_t *from)
{
	json_t *o = hd__xcheck(json_copy((json_t *)entry));
	char *name = hd__format("%s to %s", json_string_value(from),
	                        json_string_value(json_object_get(entry, "to")));

	json_object_set(o, "from", from);
	l->v = hd__xgrow(l->v, l->n, &l->cap, sizeof *l->v);
	l->v[l->n++] = (struct link){ o, name, NULL };
}

static struct links split(const json_t *entries)
{
	struct links l = { .n = 0 };
	json_t *entry, *from, *end;
	size_t i, k;

	json_array_foreach(entries, i, entry) {
		from = json_object_get(entry, "from");
		if (!json_is_array(from))
			add_link(&l, entry, from);
		json_array_foreach(from, k, end)
			add_link(&l, entry, end);
	}
	return l;
}

static void drop_links(struct links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		json_decref(l->v[i].o);
		free(l->v[i].name);
	}
	free(l->v);
}

/* Members that two links have in common. */
static unsigned similarity(const struct link *a, const struct link *b)
{
	const char *key;
	unsigned n = 0;
	json_t *v;

	json_object_foreach(a->o, key, v)
		n += (unsigned)json_equal(v, json_object_get(b->o, key));
	return n;
}

/* Pairs each link with one of the other netlist: first the equal ones. */
static void pair(struct links *a, struct links *b, json_t *by_name, bool equal)
{
	for (size_t i = 0; i < a->n; i++) {
		json_t *list = json_object_get(by_name, a->v[i].name), *k;
		struct link *best = NULL;
		unsigned most = 0;
		size_t j;

		if (a->v[i].other != NULL)
			continue;
		json_array_foreach(list, j, k) {
			struct link *x = &b->v[json_integer_value(k)];
			unsigned common;

			if (x->other != NULL || (equal && !json_equal(x->o, a->v[i].o)))
				continue;
			common = similarity(&a->v[i], x);
			if (best == NULL || common > most) {
				best = x;
				most = common;
			}
		}
		if (best != NULL) {
			best->other = &a->v[i];
			a->v[i].other = best;
		}
	}
}

/* The link with the names that distinguish it from others between the same ends. */
static char *full_name(const struct lines *d, const struct link *l)
{
	char *from = ends_shown(d, json_string_value(json_object_get(l->o, "from")));
	char *to = ends_shown(d, json_string_value(json_object_get(l->o, "to")));
	char *text = hd__xstrdup(""), *longer;
	const char *key;
	json_t *v;

	json_object_foreach(l->o, key, v) {
		if (!json_is_string(v) || strcmp(key, "from") == 0 || strcmp(key, "to") == 0
		    || strcmp(key, "index") == 0)
			continue;
		longer = hd__format("%s%s%s %s", text, *text != '\0' ? ", " : "", key,
		                    json_string_value(v));
		free(text);
		text = longer;
	}
	longer = *text != '\0' ? hd__format("%s to %s (%s)", from, to, text) : hd__format("%s to %s", from, to);
	free(from);
	free(to);
	free(text);
	return longer;
}

/* Links into one end come in another order, which may affect the simulation. */
static void diff_order(struct lines *d, const struct links *a, const struct links *b)
{
	json_t *last = hd__xcheck(json_object()), *printed = hd__xcheck(json_object());

	for (size_t i = 0; i < a->n; i++) {
		const char *to = json_string_value(json_object_get(a->v[i].o, "to"));
		const struct link *other = a->v[i].other;
		json_t *before = json_object_get(last, to);

		if (other == NULL)
			continue;
		if (before != NULL && json_integer_value(before) > other - b->v
		    && json_object_get(printed, to) == NULL) {
			add_line(d, "links to", to, " come in another order");
			json_object_set_new(printed, to, json_true());
		}
		json_object_set_new(last, to, json_integer(other - b->v));
	}
	json_decref(last);
	json_decref(printed);
}

static void diff_links(struct lines *d, const json_t *a, const json_t *b)
{
	struct links l = split(a), m = split(b);
	json_t *by_name = hd__xcheck(json_object()), *list;
	char *name;

	for (size_t i = 0; i < m.n; i++) {
		list = json_object_get(by_name, m.v[i].name);
		if (list == NULL) {
			list = hd__xcheck(json_array());
			json_object_set_new(by_name, m.v[i].name, list);
		}
		json_array_append_new(list, json_integer((json_int_t)i));
	}
	pair(&l, &m, by_name, true);
	pair(&l, &m, by_name, false);
	for (size_t i = 0; i < l.n; i++) {
		name = full_name(d, &l.v[i]);
		if (l.v[i].other == NULL)
			add_line(d, "link", name, " is removed");
		else
			diff_value(d, "link", name, "", l.v[i].o, l.v[i].other->o);
		free(name);
	}
	for (size_t i = 0; i < m.n; i++) {
		if (m.v[i].other != NULL)
			continue;
		name = full_name(d, &m.v[i]);
		add_line(d, "link", name, " is new");
		free(name);
	}
	diff_order(d, &l, &m);
	json_decref(by_name);
	drop_links(&l);
	drop_links(&m);
}

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
static void diff_params(struct lines *d, const char *name, const json_t *a, const json_t *b,
                        bool same_module)
{
	const char *key;
	json_t *v;

	if (same_module) {
		diff_value(d, "instance", name, "", a, b);
		return;
	}
	json_object_foreach((json_t *)a, key, v)
		if (json_object_get(b, key) != NULL)
			diff_value(d, "instance", name, key, v, json_object_get(b, key));
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
static void diff_elements(struct lines *d, const char *name, const json_t *a, const json_t *b,
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
static void diff_instance(struct lines *d, const char *name, const json_t *a,
                          const json_t *b)
{
	static const char *const own[] = { "module", "count", "clock" };
	bool same = json_equal(json_object_get(a, "module"), json_object_get(b, "module"));
	json_int_t m = json_integer_value(json_object_get(a, "count"));
	json_int_t n = json_integer_value(json_object_get(b, "count"));

	for (size_t i = 0; i < 3; i++)
		if (json_object_get(a, own[i]) != NULL || json_object_get(b, own[i]) != NULL)
			diff_value(d, "instance", name, own[i], json_object_get(a, own[i]),
			               json_object_get(b, own[i]));
	if (m > 0 && n > 0
	    && (d->all || json_object_get(a, "elements") != NULL || json_object_get(b, "elements") != NULL))
		diff_elements(d, name, a, b, m < n ? m : n, same);
	else
		diff_params(d, name, json_object_get(a, "params"), json_object_get(b, "params"), same);
}

/* ---- clocks and the whole netlist ---------------------------------------------------------- */

static void diff_clock(struct lines *d, const char *name, const json_t *a, const json_t *b)
{
	diff_value(d, "clock", name, "", a, b);
}

/* Clocks or instances, by name: what both have, what is gone, what is new. */
static void diff_members(struct lines *d, const char *kind, const json_t *a, const json_t *b,
                         char *(*show)(const json_t *v),
                         void (*diff)(struct lines *d, const char *name, const json_t *a, const json_t *b))
{
	const char *name;
	char *text;
	json_t *v;

	json_object_foreach((json_t *)a, name, v) {
		if (json_object_get(b, name) != NULL) {
			diff(d, name, v, json_object_get(b, name));
			continue;
		}
		text = show(v);
		add_line(d, kind, name, " is removed; it was %s", text);
		free(text);
	}
	json_object_foreach((json_t *)b, name, v) {
		if (json_object_get(a, name) != NULL)
			continue;
		text = show(v);
		add_line(d, kind, name, " is new, %s", text);
		free(text);
	}
}

/* Prints how `b` differs from `a`, both from hd__flatten(), each line with `all`.  Returns true if they differ. */
static bool print_diff(const json_t *a, const json_t *b, bool all, FILE *out)
{
	struct lines d = { .by_key = hd__xcheck(json_object()), .all = all };
	bool any;

	diff_value(&d, "the", "netlist", "watchdog", json_object_get(a, "watchdog"),
	               json_object_get(b, "watchdog"));
	diff_members(&d, "clock", json_object_get(a, "clocks"), json_object_get(b, "clocks"), shown, diff_clock);
	diff_members(&d, "instance", json_object_get(a, "instances"), json_object_get(b, "instances"), module_and_count,
	             diff_instance);
	diff_links(&d, json_object_get(a, "links"), json_object_get(b, "links"));
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

/* ---- the command --------------------------------------------------------------------------- */

struct args {
	const char *netlist[2];
	struct hd_plugin_files plugins;
	bool all;
};

enum { KEY_ALL = 256 };

static const struct argp_option options[] = {
	{ "all", KEY_ALL, NULL, 0, "also print lines that differ only in the elements of arrays, and each end of a "
	  "link", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; return 0;
	case KEY_ALL: a->all = true; return 0;
	case ARGP_KEY_ARG:
		if (st->arg_num > 1)
			argp_error(st, "unexpected argument '%s'; expected A and B", arg);
		a->netlist[st->arg_num] = arg;
		return 0;
	case ARGP_KEY_END:
		if (st->arg_num < 2)
			argp_error(st, "expected A and B");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	options, parse, "A B",
	"Lists what differs between what the netlists A and B simulate: "
	"clocks, instances, parameters, links.  Names, docs and layout of the text do not count.\v"
	"Exit status: 0 they describe the same simulation, 1 they differ, 2 mistakes in them or "
	"bad usage.",
	hd__plugin_args, NULL, NULL
};

/* The flat form of a netlist, or NULL. */
static json_t *load_flat(const char *netlist, struct hd_registry *r)
{
	struct hd_diags diags = { .n = 0 };
	struct hd_options opt = { .part = true };
	struct hd_sim *s = hd__load(netlist, r, &opt, true, &diags);
	json_t *flat = s != NULL ? hd__flatten(s, NULL) : NULL;

	hd__sim_free(s);
	hd__diags_free(&diags);
	return flat;
}

int hd__cmd_diff(int argc, char **argv)
{
	struct args a = { .netlist = { NULL } };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	json_t *flat[2];
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&registry, &a.plugins, &diags);
	hd__diags_print(&diags, stderr);
	flat[0] = load_flat(a.netlist[0], &registry);
	flat[1] = load_flat(a.netlist[1], &registry);
	if (flat[0] != NULL && flat[1] != NULL)
		status = print_diff(flat[0], flat[1], a.all, stdout) ? HD_EXIT_FAILED : HD_EXIT_OK;
	if (status == HD_EXIT_OK)
		printf("%s and %s describe the same simulation\n", a.netlist[0], a.netlist[1]);
	json_decref(flat[0]);
	json_decref(flat[1]);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

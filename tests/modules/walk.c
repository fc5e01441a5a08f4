/* walk.c - builds each built-in module into a small netlist, and runs it in several ways
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage: walk [MODULE | FOLDER/PLUG-IN.so]...
 * The smallest netlist around a module is made from descriptors alone: parameters from their ranges,
 * a source or sink (walk_ends.c) for each channel, a providing module for each interface that it
 * uses.  A run that fails must print a message, and its statistics must not depend on sleep, on the
 * order of evaluation, on being read, or on being saved and loaded.
 */
#include "kernel/check/module_check.h"
#include "kernel/save/save.h"
#include "kernel/stats/stats.h"
#include "walk_ends.h"

#include <stdlib.h>

#define EDGES 2000
#define SAVES 8 /* cycles after which it is saved */

static unsigned failures, skipped_modules;

/* ---- parameters from their ranges ---------------------------------------------------------- */

enum values { DEFAULTS, LEAST };

static json_t *least_object(const struct hd_param *params, enum values how, json_t *o);

/* The smallest value that the range allows. */
static json_t *least(const struct hd_param *p, enum values how)
{
	uint64_t n = p->min;
	json_t *v;

	switch (p->type) {
	case HD_U32: return json_integer((json_int_t)n);
	case HD_BOOL: return json_false();
	case HD_CHOICE: return json_string(p->choices[0]);
	case HD_SYMBOL: return json_string("a");
	case HD_STRING:
	case HD_PATH: return json_string("");
	default: break;
	}
	v = json_array();
	if (p->type == HD_SYMBOLS)
		for (uint64_t i = 0; i < (n ? n : 1); i++)
			json_array_append_new(v, json_string((const char[]){ (char)('a' + i), 0 }));
	for (uint64_t i = 0; p->type == HD_TABLE && i < n; i++)
		json_array_append_new(v, least_object(p->columns, how, json_object()));
	return v;
}

static json_t *least_object(const struct hd_param *params, enum values how, json_t *o)
{
	for (const struct hd_param *p = params; p && p->name; p++)
		if (!p->def || (how == LEAST && p->type != HD_PATH))
			json_object_set_new(o, p->name, least(p, how));
	return o;
}

/* ---- the netlist around a module ----------------------------------------------------------- */

struct walk {
	struct hd_registry *r;
	enum values how;
	bool optional;         /* ports that may be open are linked as well */
	json_t *instances, *links;
	char why[300];         /* why no netlist can be made */
};

static void add(struct walk *w, const struct hd_module *m);

/* A module that provides the interface, with as little around it as possible. */
static const struct hd_module *provider_of(const struct walk *w, const struct hd_type *type,
                                           const char **port)
{
	const struct hd_module *best = NULL;
	size_t best_uses = SIZE_MAX;

	for (size_t i = 0; i < w->r->n; i++) {
		const char *name = NULL;
		size_t uses = 0;

		for (const struct hd_port *p = w->r->v[i].module->ports; p && p->name; p++) {
			uses += !(p->flags & HD_OPTIONAL) && p->kind != HD_PROVIDES;
			if (!name && p->kind == HD_PROVIDES && strcmp(p->type->name, type->name) == 0)
				name = p->name;
		}
		if (name && json_object_get(w->instances, w->r->v[i].module->name))
			uses = 0; /* there already */
		if (name && uses < best_uses) {
			best = w->r->v[i].module;
			best_uses = uses;
			*port = name;
		}
	}
	return best;
}

static void link_up(struct walk *w, const struct hd_module *m, const struct hd_port *p)
{
	const char *port = "end", *a = m->name, *ap = p->name, *b;
	const struct hd_module *other;
	json_t *link = least_object(p->attrs, DEFAULTS, json_object());
	char name[200];

	if (p->kind == HD_USES) {
		other = provider_of(w, p->type, &port);
		if (!other) {
			snprintf(w->why, sizeof w->why, "no module provides '%s' for port '%s'",
			         p->type->name, p->name);
			json_decref(link);
			return;
		}
		add(w, other);
		b = other->name;
	} else {
		other = walk_other_side(w->r, p);
		if (!other || p->type->size > 4096) {
			snprintf(w->why, sizeof w->why, "too many or too large types");
			json_decref(link);
			return;
		}
		snprintf(name, sizeof name, "%.60s_of_%.60s", p->name, m->name);
		json_object_set_new(w->instances, name, json_pack("{s:s}", "module", other->name));
		b = name;
		if (p->flags & HD_SLOTS)
			json_object_set_new(link, "slots", json_integer(2));
	}
	if (p->kind == HD_IN) { /* payloads come from the other end */
		const char *t = a, *tp = ap;

		a = b;
		ap = port;
		b = t;
		port = tp;
	}
	json_object_set_new(link, "from", json_sprintf("%s.%s", a, ap));
	json_object_set_new(link, "to", json_sprintf("%s.%s", b, port));
	json_array_append_new(w->links, link);
}

static void add(struct walk *w, const struct hd_module *m)
{
	if (json_object_get(w->instances, m->name))
		return;
	json_object_set_new(w->instances, m->name,
	                    json_pack("{s:s, s:o}", "module", m->name, "params",
	                              least_object(m->params, w->how, json_object())));
	for (const struct hd_port *p = m->ports; p && p->name && !w->why[0]; p++)
		if (p->kind != HD_PROVIDES && (!(p->flags & HD_OPTIONAL) || w->optional))
			link_up(w, m, p);
}

/* ---- running it ---------------------------------------------------------------------------- */

static void bad(const struct hd_module *m, const char *what, const char *netlist)
{
	fprintf(stderr, "module '%s': %s\n%s\n", m->name, what, netlist);
	failures++;
}

static char *print_diags(struct hd_diags *d)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hd__diags_print(d, out);
	fclose(out);
	hd__diags_free(d);
	return text;
}

/* Halts every `every` cycles and brings the counters up to date, as a monitor does. */
static enum hd_run_status run_halting(struct hd_sim *s, unsigned every)
{
	enum hd_run_status status = HD_RUN_HALTED;

	while (status == HD_RUN_HALTED) {
		hd__sim_settle(s);
		hd__sim_halt(s, hd__sim_cycles(s) + every);
		status = hd__sim_run(s, UINT64_MAX);
	}
	return status;
}

/* A simulation of the netlist.  NULL: it was not built. */
static struct hd_sim *build(const struct hd_registry *r, const char *text, const struct hd_options *o,
                            struct hd_diags *d)
{
	const char *src = getenv("srcdir");
	char *file = hd__format("%s/netlists/walk.json", src ? src : ".");
	struct hd_netlist *n = hd__netlist_parse(file, text, strlen(text), d);

	free(file);
	return n ? hd__sim_new(n, r, o, false, d) : NULL;
}

/* Runs to the cycle, saves there, and loads into another simulation, which is evaluated in another
 * order.  Returns that one; or the same, if it ends before. */
static struct hd_sim *reload(const struct hd_module *m, struct hd_sim *s, const struct hd_registry *r,
                             const char *text, const struct hd_options *o, uint64_t cycle,
                             enum hd_run_status *status, struct hd_diags *d)
{
	struct hd_options other = *o;
	struct hd_bytes bytes = { .n = 0 };
	struct hd_sim *then;
	char *why;

	hd__sim_halt(s, cycle);
	while (*status == HD_RUN_MORE)
		*status = hd__sim_run(s, 64);
	if (*status != HD_RUN_HALTED)
		return s;
	*status = HD_RUN_MORE;
	hd__sim_save(s, &bytes);
	hd__sim_free(s);
	other.shuffle = cycle;
	then = build(r, text, &other, d);
	why = hd__sim_load(then, bytes.v, bytes.n);
	if (why)
		bad(m, why, text);
	free(why);
	free(bytes.v);
	return then;
}

/* Messages and statistics of a run; *built: the simulation was built.  look: cycles from one reading
 * of the counters to the next, 0: none; saved: the cycle after which it is saved and loaded, 0: it is
 * not.  The caller frees it. */
static char *outcome(const struct hd_module *m, const struct hd_registry *r, const char *text,
                     const struct hd_options *o, unsigned look, uint64_t saved, bool *built)
{
	char *messages, *stats, *all;
	struct hd_diags d = { .n = 0 };
	struct hd_sim *s = build(r, text, o, &d);
	enum hd_run_status status = HD_RUN_MORE;
	json_t *j = NULL;

	*built = s != NULL;
	if (s && saved)
		s = reload(m, s, r, text, o, saved, &status, &d);
	while (s && status == HD_RUN_MORE)
		status = look ? run_halting(s, look) : hd__sim_run(s, 64);
	if (s) {
		hd__sim_settle(s);
		j = hd__stats_json(s, "");
	}
	hd__sim_free(s);
	messages = print_diags(&d);
	if ((!s || status == HD_RUN_BAD_INPUT || status == HD_RUN_FAILED) && !messages[0])
		bad(m, "fails without a message", text);
	if (!s && strstr(messages, ": instance '") == NULL)
		bad(m, messages, text); /* not a message of a module: the netlist is wrong */
	stats = json_dumps(j, JSON_INDENT(1));
	all = hd__format("status %d\n%s%s\n", status, messages, stats ? stats : "");
	free(stats);
	free(messages);
	json_decref(j);
	return all;
}

/* All ways of running it must give the same result. */
static bool try(const struct hd_module *m, struct hd_registry *r, enum values how, bool optional)
{
	const char *src = getenv("srcdir");
	char *input = hd__format("%s/traces/samples/tiny/kernelslist.g", src ? src : "."), *text, *first;
	struct hd_options o = { .input = input, .max_cycles = EDGES, .saves = true };
	struct walk w = { .r = r, .how = how, .optional = optional, .instances = json_object(),
		          .links = json_array() };
	bool built = false;
	json_t *root;

	add(&w, m);
	json_object_set_new(w.instances, "ticker", json_pack("{s:s}", "module", "ticker"));
	root = json_pack("{s:i, s:{s:{s:i}}, s:o, s:o}", "heddle", 1, "clocks", "core", "mhz", 1000,
	                 "instances", w.instances, "links", w.links);
	text = json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	if (w.why[0]) {
		printf("  %s: skipped: %s\n", m->name, w.why);
		skipped_modules++;
	} else {
		first = outcome(m, r, text, &o, 0, 0, &built);
		if (getenv("WALK_VERBOSE"))
			printf("%s%s", text, first);
		for (uint64_t i = 0; i < 10 + SAVES; i++) {
			unsigned look = i < 8 || i >= 10 ? 0 : i == 8 ? 1 : 7;
			uint64_t saved = i < 10 ? 0 : 1 + (i - 10) * (i - 10) * 7;
			char *again;

			o.no_sleep = i % 2 == 0 && !look;
			o.shuffle = look ? 0 : i / 2;
			again = outcome(m, r, text, &o, look, saved, &built);
			if (strcmp(again, first) != 0) {
				fprintf(stderr, "plain:\n%s%s, shuffle %u, counters read every %u "
				                "cycles, saved after %u:\n%s",
				        first, o.no_sleep ? "awake" : "asleep", (unsigned)o.shuffle, look,
				        (unsigned)saved, again);
				bad(m, "depends on sleep, order of evaluation, reading of counters "
				       "or a checkpoint", text);
				i = 10 + SAVES;
			}
			free(again);
		}
		printf("  %s%s%s: %s", m->name, how == LEAST ? ", least values" : "",
		       optional ? ", all ports" : "", built ? "" : "refused, ");
		printf("%.*s\n", (int)strcspn(first, "\n"), first);
		free(first);
	}
	free(text);
	free(input);
	return built;
}

static bool is_selected(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc < 2;
}

static void walk(const struct hd_module *m, struct hd_registry *r)
{
	if (!m->checkpoint)
		bad(m, "has no 'checkpoint': runs with it cannot be saved", "");
	/* with defaults it must start */
	if (!try(m, r, DEFAULTS, false) && skipped_modules == 0)
		bad(m, "does not start with its defaults", "");
	try(m, r, DEFAULTS, true);
	try(m, r, LEAST, true);
}

/* Arguments that are files of plug-ins; their modules are walked as well. */
static void walk_plugins(int argc, char **argv, struct hd_registry *r)
{
	struct hd_diags d = { .n = 0 };
	char *messages;

	for (int i = 1; i < argc; i++) {
		const char *base = strrchr(argv[i], '/');
		char *name = base == NULL ? NULL
		           : hd__format("%.*s", (int)strcspn(base + 1, "."), base + 1);

		if (name && hd__registry_load(r, argv[i], &d))
			walk(hd__registry_find(r, name), r);
		free(name);
	}
	messages = print_diags(&d);
	if (messages[0]) {
		fprintf(stderr, "%s", messages);
		failures++;
	}
	free(messages);
	hd__diags_free(&d);
}

int main(int argc, char **argv)
{
	struct hd_diags d = { .n = 0 };
	struct hd_registry r;
	size_t n = 0;
	char *messages;

	unsetenv("HEDDLE_MODULE_PATH");
	hd__registry_init(&r, &d);
	messages = print_diags(&d);
	if (messages[0]) {
		fprintf(stderr, "built-in modules are not valid:\n%s", messages);
		failures++;
	}
	free(messages);
	hd__registry_add(&r, &walk_ticker, "test", NULL, &d);
	for (; hd__builtin_modules[n]; n++) {
		const struct hd_module *m = hd__builtin_modules[n];

		if (!is_selected(argc, argv, m->name))
			continue;
		if (!hd__module_check(m, "built in", &d))
			failures++;
		if (hd__registry_find(&r, m->name) != m)
			bad(m, "is not in the registry", "");
		walk(m, &r);
	}
	for (size_t i = 0; hd__builtin_wide[i]; i++) {
		const struct hd_module *m = hd__builtin_wide[i];

		if (!hd__module_check(m, "built in", &d))
			failures++;
		if (!hd__registry_entry(&r, m->name) || hd__registry_entry(&r, m->name)->wide != m)
			bad(m, "is not in the registry as the wide one", "");
	}
	walk_plugins(argc, argv, &r);
	messages = print_diags(&d);
	fputs(messages, stderr);
	free(messages);
	hd__diags_free(&d);
	hd__registry_free(&r);
	if (n < 20)
		failures++;
	printf("%zu modules, %u skipped, %u failures\n", n, skipped_modules, failures);
	return failures > 0;
}

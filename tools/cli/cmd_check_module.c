/* cmd_check_module.c - heddle check-module: builds a small netlist around a module, and runs it in several ways
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The smallest netlist around a module is made from descriptors alone: parameters from their ranges, a source or sink
 * (module_ends.c) for each channel, a providing module for each interface that it uses.  A run that fails must print a
 * message, and its statistics must not depend on sleep, on the order of evaluation, on being read, or on being saved
 * and loaded.  What a module provides is called only if a netlist of another one links it: modules of which something
 * was not tried are counted.
 */
#include "cmd.h"
#include "module_ends.h"
#include "kernel/check/module_check.h"
#include "kernel/save/save.h"
#include "kernel/stats/stats.h"

#include <stdlib.h>

#define STUCK_AFTER 10 /* seconds */
#define EDGES 2000
#define SAVES 8 /* cycles after which it is saved */

struct args {
	struct hd_plugin_files plugins; /* of --plugin, then of arguments */
	const char **names;             /* of modules */
	size_t n;
	char *input;                    /* a trace, for modules that read one */
	char *file;                     /* where the netlists seem to be, so that tables are found */
	json_t *whole;                  /* by name of a module that was tried: all its netlists run */
	json_t *linked;                 /* NAME.PORT of interfaces that one of them has linked */
	unsigned modules, skipped, failures;
};

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
	json_t *linked;        /* NAME.PORT of interfaces */
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
		if (!other && p->flags & HD_OPTIONAL) {
			json_decref(link);
			return;
		}
		if (!other) {
			snprintf(w->why, sizeof w->why, "no module provides '%s' for port '%s'",
			         p->type->name, p->name);
			json_decref(link);
			return;
		}
		add(w, other);
		b = other->name;
		snprintf(name, sizeof name, "%.60s.%.60s", b, port);
		json_object_set_new(w->linked, name, json_true());
	} else {
		other = hd__module_other_side(w->r, p);
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
		else if (!(p->flags & HD_REG))
			json_object_set_new(link, "capacity", json_integer(4));
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

static void bad(struct args *a, const struct hd_module *m, const char *what)
{
	fprintf(stderr, "heddle: module '%s': %s\n", m->name, what);
	a->failures++;
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
static struct hd_sim *build(const struct args *a, const struct hd_registry *r, const char *text,
                            const struct hd_options *o, struct hd_diags *d)
{
	struct hd_netlist *n = hd__netlist_parse(a->file, text, strlen(text), d);

	return n ? hd__sim_new(n, r, o, false, d) : NULL;
}

/* Runs to the cycle, saves there, and loads into another simulation, which is evaluated in another
 * order.  Returns that one; or the same, if it ends before. */
static struct hd_sim *reload(struct args *a, const struct hd_module *m, struct hd_sim *s,
                             const struct hd_registry *r, const char *text, const struct hd_options *o,
                             uint64_t cycle, enum hd_run_status *status, struct hd_diags *d)
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
	then = build(a, r, text, &other, d);
	why = hd__sim_load(then, bytes.v, bytes.n);
	if (why)
		bad(a, m, why);
	free(why);
	free(bytes.v);
	return then;
}

/* A netlist, and how it is run: look: cycles from one reading of the counters to the next, 0: none; saved: the cycle
 * after which it is saved and loaded, 0: it is not. */
struct way {
	const char *text;
	struct hd_options o;
	unsigned look;
	uint64_t saved;
};

/* What a run leaves behind; printed: how it ended, and its messages; stats: NULL if it was not built. */
struct outcome {
	char *printed;
	json_t *stats;
	bool early; /* it does not start, or stops, */
	bool failed; /* and not as it refuses its input or waits for ever */
};

static void drop(struct outcome *o)
{
	free(o->printed);
	json_decref(o->stats);
}

static struct outcome outcome(struct args *a, const struct hd_module *m, const struct hd_registry *r,
                              const struct way *w)
{
	static const char *const ends[] = { [HD_RUN_MORE] = "does not start", [HD_RUN_FINISHED] = "the run ends",
		[HD_RUN_LIMIT] = "runs", [HD_RUN_DEADLOCK] = "waits for ever", [HD_RUN_FAILED] = "the run fails",
		[HD_RUN_BAD_INPUT] = "refuses its input" };
	struct outcome out = { .stats = NULL };
	char *messages;
	struct hd_diags d = { .n = 0 };
	struct hd_sim *s = build(a, r, w->text, &w->o, &d);
	enum hd_run_status status = HD_RUN_MORE;
	bool built = s != NULL;

	if (s && w->saved)
		s = reload(a, m, s, r, w->text, &w->o, w->saved, &status, &d);
	while (s && status == HD_RUN_MORE)
		status = w->look ? run_halting(s, w->look) : hd__sim_run(s, 64);
	if (s) {
		hd__sim_settle(s);
		out.stats = hd__stats_json(s, "");
	}
	hd__sim_free(s);
	messages = print_diags(&d);
	if ((!built || status == HD_RUN_BAD_INPUT || status == HD_RUN_FAILED) && !messages[0])
		bad(a, m, "fails without a message");
	if (!built && strstr(messages, ": instance '") == NULL)
		bad(a, m, messages); /* not a message of a module: the netlist is wrong */
	out.printed = hd__format("%s\n%s", ends[status], messages);
	out.early = status != HD_RUN_LIMIT && status != HD_RUN_FINISHED;
	out.failed = !built || status == HD_RUN_FAILED;
	free(messages);
	return out;
}

/* "PATH is VALUE, and VALUE" of the first statistic that differs; NULL: there is none. */
static char *first_difference(const char *path, json_t *plain, json_t *other)
{
	char *found = NULL, *sub, *was, *is;
	const char *key;
	json_t *v;
	size_t i;

	if (plain == other || json_equal(plain, other))
		return NULL;
	if (json_is_object(other))
		json_object_foreach(plain, key, v) {
			sub = hd__format("%s%s%s", path, *path ? "." : "", key);
			found = first_difference(sub, v, json_object_get(other, key));
			free(sub);
			if (found)
				return found;
		}
	if (json_is_array(other))
		json_array_foreach(plain, i, v) {
			sub = hd__format("%s[%zu]", path, i);
			found = first_difference(sub, v, json_array_get(other, i));
			free(sub);
			if (found)
				return found;
		}
	was = json_dumps(plain, JSON_COMPACT | JSON_ENCODE_ANY);
	is = json_dumps(other, JSON_COMPACT | JSON_ENCODE_ANY);
	found = hd__format("%s is %.60s, and %.60s", path, was ? was : "absent", is ? is : "absent");
	free(was);
	free(is);
	return found;
}

/* Where the first line begins in which two texts differ. */
static size_t same_lines(const char *was, const char *is)
{
	size_t line = 0;

	for (size_t i = 0; was[i] && was[i] == is[i]; i++)
		if (was[i] == '\n')
			line = i + 1;
	return line;
}

/* Returns false if two runs differ, and says where. */
static bool same(struct args *a, const struct hd_module *m, const struct outcome *plain, const struct outcome *other,
                 const struct way *w)
{
	size_t line = same_lines(plain->printed, other->printed);
	const char *was = plain->printed + line, *is = other->printed + line;
	char *where, *what;

	if (strcmp(was, is) == 0)
		where = first_difference("", plain->stats, other->stats);
	else
		where = hd__format("it prints '%.*s', and '%.*s'", (int)strcspn(was, "\n"), was,
		                   (int)strcspn(is, "\n"), is);
	if (!where)
		return true;
	what = hd__format("depends on sleep, order of evaluation, reading of counters or a checkpoint:\n"
	                  "  %s: in a plain run, and in one %s, shuffle %u, counters read every %u cycles, "
	                  "saved after %u", where, w->o.no_sleep ? "awake" : "asleep",
	                  (unsigned)w->o.shuffle, w->look, (unsigned)w->saved);
	bad(a, m, what);
	free(what);
	free(where);
	return false;
}

/* The netlist as text, or NULL: *w says why. */
static char *around(struct walk *w, const struct hd_module *m)
{
	json_t *root;
	char *text;

	w->instances = json_object();
	w->linked = json_object();
	w->links = json_array();
	add(w, m);
	json_object_set_new(w->instances, hd__module_ticker.name, json_pack("{s:s}", "module", hd__module_ticker.name));
	root = json_pack("{s:i, s:{s:{s:i}}, s:o, s:o}", "heddle", 1, "clocks", "core", "mhz", 1000,
	                 "instances", w->instances, "links", w->links);
	text = w->why[0] ? NULL : json_dumps(root, JSON_INDENT(1));
	json_decref(root);
	return text;
}

/* All ways of running it must give the same result; one that fails is tried once, as that may take its time.  Returns
 * the result of the first one, which the caller drops. */
static struct outcome run_all(struct args *a, const struct hd_module *m, struct hd_registry *r, const char *text)
{
	struct way w = { .text = text,
		.o = { .input = a->input, .max_cycles = EDGES, .saves = true, .stuck_after = STUCK_AFTER } };
	struct outcome first = outcome(a, m, r, &w);
	bool alike = !first.failed;

	for (uint64_t i = 0; alike && i < 10 + (m->checkpoint ? SAVES : 0); i++) {
		struct outcome again;

		w.look = i < 8 || i >= 10 ? 0 : i == 8 ? 1 : 7;
		w.saved = i < 10 ? 0 : 1 + (i - 10) * (i - 10) * 7;
		w.o.no_sleep = i % 2 == 0 && !w.look;
		w.o.shuffle = w.look ? 0 : i / 2;
		again = outcome(a, m, r, &w);
		alike = same(a, m, &first, &again, &w);
		drop(&again);
	}
	return first;
}

/* Returns false if there is no netlist to be tried. */
static bool try(struct args *a, const struct hd_module *m, struct hd_registry *r, enum values how, bool optional)
{
	struct walk w = { .r = r, .how = how, .optional = optional };
	const char *plugin = hd__registry_plugin(r, m), *why;
	char *text = around(&w, m), *crash;
	struct outcome first;

	if (!text) {
		printf("  %s: skipped: %s; name one that does\n", m->name, w.why);
		json_decref(w.linked);
		a->skipped++;
		return false;
	}
	first = run_all(a, m, r, text);
	why = strstr(first.printed, "error: ");
	why = why ? why + strlen("error: ") : "";
	printf("  %s%s%s: %.*s%s%.*s\n", m->name, how == LEAST ? ", least values" : "", optional ? ", all ports" : "",
	       (int)strcspn(first.printed, "\n"), first.printed, *why ? ": " : "", (int)strcspn(why, "\n"), why);
	crash = hd__format("module '%s' (%s) ", m->name, plugin ? plugin : "built in");
	if (!first.stats && strstr(why, crash))
		bad(a, m, "does not return");
	free(crash);
	if (first.early || !json_object_get(a->whole, m->name))
		json_object_set_new(a->whole, m->name, json_boolean(!first.early));
	if (!first.early)
		json_object_update(a->linked, w.linked);
	json_decref(w.linked);
	drop(&first);
	free(text);
	return true;
}

static void check_one(struct args *a, const struct hd_module *m, struct hd_registry *r)
{
	unsigned before; /* one mistake is enough: the other netlists show the same one again */

	a->modules++;
	if (!m->checkpoint)
		bad(a, m, "has no 'checkpoint': runs with it cannot be saved");
	before = a->failures;
	if (try(a, m, r, DEFAULTS, false) && a->failures == before && try(a, m, r, DEFAULTS, true)
	    && a->failures == before)
		try(a, m, r, LEAST, true);
}

/* How many modules have a netlist that does not run, or an interface that none has linked; prints the latter. */
static unsigned in_part(const struct args *a, const struct hd_registry *r)
{
	unsigned n = 0;
	const char *name;
	json_t *whole;

	json_object_foreach(a->whole, name, whole) {
		bool part = json_is_false(whole);

		for (const struct hd_port *p = hd__registry_find(r, name)->ports; p && p->name; p++) {
			char *port = hd__format("%.60s.%.60s", name, p->name);

			if (p->kind == HD_PROVIDES && !json_object_get(a->linked, port)) {
				printf("  %s: interface '%s' is not called here\n", name, p->name);
				part = true;
			}
			free(port);
		}
		n += part;
	}
	return n;
}

/* ---- the command --------------------------------------------------------------------------- */

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;
	size_t n = strlen(arg ? arg : "");

	if (key == ARGP_KEY_INIT) {
		st->child_inputs[0] = &a->plugins;
		return 0;
	}
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (n > 3 && strcmp(arg + n - 3, ".so") == 0) {
		const char *base = strrchr(arg, '/') ? strrchr(arg, '/') + 1 : arg;

		a->plugins.v = hd__xappend(a->plugins.v, a->plugins.n, sizeof *a->plugins.v);
		a->plugins.v[a->plugins.n++] = arg;
		arg = hd__xstrndup(base, strlen(base) - 3);
	} else {
		arg = hd__xstrdup(arg);
	}
	a->names = hd__xappend(a->names, a->n, sizeof *a->names);
	a->names[a->n++] = arg;
	return 0;
}

static const struct argp argp = {
	NULL, parse, "[NAME | FILE.so]...",
	"Builds the smallest netlist around each module NAME, or that of the plug-in FILE.so, and runs it on random "
	"payloads: asleep and awake, in several orders of evaluation, with counters that are read, saved and loaded. "
	"All must give the same statistics. Without an argument: all modules that are built in.\v"
	"A module is skipped if no module provides an interface that it uses: name the plug-in that does as well. One "
	"is tried in part if one of its netlists stops early or does not start, or if none of them calls an interface "
	"that it provides. Exit status: 0 no mistake, 1 mistakes, 2 bad usage.",
	hd__plugin_args, NULL, NULL
};

/* The descriptors of modules that are built in, which no loader has checked. */
static void check_builtin(struct args *a, const struct hd_registry *r, struct hd_diags *d)
{
	for (size_t i = 0; hd__builtin_modules[i]; i++)
		if (!hd__module_check(hd__builtin_modules[i], "built in", d))
			a->failures++;
	for (size_t i = 0; hd__builtin_wide[i]; i++)
		if (!hd__module_check(hd__builtin_wide[i], "built in", d))
			a->failures++;
	for (size_t i = 0; i < r->n; i++) {
		a->names = hd__xappend(a->names, a->n, sizeof *a->names);
		a->names[a->n++] = hd__xstrdup(r->v[i].module->name);
	}
}

int hd__cmd_check_module(int argc, char **argv)
{
	struct args a = { .whole = json_object(), .linked = json_object() };
	struct hd_registry r = { .n = 0 };
	struct hd_diags d = { .n = 0 };
	char *folder = hd__netlist_folder();
	bool unknown = false;

	hd__parse_args(&argp, argc, argv, &a);
	hd__open_registry(&r, &a.plugins, &d);
	if (a.n == 0)
		check_builtin(&a, &r, &d);
	a.input = hd__format("%s/../traces/samples/tiny/kernelslist.g", folder ? folder : ".");
	a.file = hd__format("%s/around.json", folder ? folder : ".");
	hd__registry_add(&r, &hd__module_ticker, "built in", NULL, &d);
	for (size_t i = 0; i < a.n && d.errors == 0; i++) {
		const struct hd_module *m = hd__registry_find(&r, a.names[i]);

		if (m)
			check_one(&a, m, &r);
		else
			hd__diag(&d, HD_DIAG_ERROR, NULL, 0, 0, "unknown module '%s'; 'heddle modules' lists what "
			         "exists, and FILE.so is one of a plug-in", a.names[i]);
	}
	unknown = d.errors > 0;
	hd__diags_print(&d, stderr);
	if (!unknown) {
		unsigned part = in_part(&a, &r);

		printf("%u module%s, %u skipped, %u tried in part, %u failure%s\n", a.modules,
		       a.modules == 1 ? "" : "s", a.skipped, part, a.failures, a.failures == 1 ? "" : "s");
	}
	json_decref(a.whole);
	json_decref(a.linked);
	for (size_t i = 0; i < a.n; i++)
		free((char *)a.names[i]);
	free(a.names);
	free(a.input);
	free(a.file);
	free(folder);
	hd__diags_free(&d);
	hd__registry_free(&r);
	return unknown ? HD_EXIT_USAGE : a.failures > 0 ? HD_EXIT_FAILED : HD_EXIT_OK;
}

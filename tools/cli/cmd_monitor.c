/* cmd_monitor.c - heddle monitor: shows a run with a monitor socket, or controls it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "tools/monitor/monitor_talk.h"
#include "cmd.h"
#include "base/words.h"

#include <inttypes.h>

enum { KEY_JSON = 256, KEY_ONCE, KEY_INTERVAL, KEY_WEB };

#define WEB_PERIOD "500" /* ms */

struct word {
	const char *name, *expects; /* the argument, or NULL */
	bool optional, slow;        /* slow: answered when the request is done */
};

static const struct word words[] = {
	{ "status", NULL, false, false },
	{ "counters", "PATTERN", true, false },
	{ "buffers", "PATTERN", true, false },
	{ "waits", NULL, false, false },
	{ "pending", "PATTERN", false, false },
	{ "picture", NULL, false, false },
	{ "pause", NULL, false, false },
	{ "resume", NULL, false, false },
	{ "step", "CYCLES", true, true },
	{ "until", "CYCLE", false, true },
	{ "stop", NULL, false, false },
	{ "dump", "'on' or 'off'", false, false },
	{ NULL, NULL, false, false },
};

struct args {
	const char *path, *argument, *web;
	const char *interval; /* as given, or NULL */
	const struct word *word;
	struct hd_view_options view;
	json_t *members; /* of the request */
};

static const struct argp_option options[] = {
	{ "json", KEY_JSON, NULL, 0, "print the run's messages, a JSON object on each line", 0 },
	{ "once", KEY_ONCE, NULL, 0, "write one line about the run, and end", 0 },
	{ "interval", KEY_INTERVAL, "MS", 0, "milliseconds between two updates, from 10; 250 on a "
	  "terminal, else 1000", 0 },
	{ "web", KEY_WEB, "[ADDRESS:]PORT", 0, "serve a page about the run at this address, until the run ends; "
	  "print where; without ADDRESS: 127.0.0.1; port 0: any that is free", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static const struct word *find_word(struct argp_state *st, const char *name)
{
	const char *names[16];
	size_t n = 0;
	char rest[400];

	for (const struct word *w = words; w->name; w++) {
		if (strcmp(w->name, name) == 0)
			return w;
		names[n++] = w->name;
	}
	argp_error(st, "unknown request '%s'%s", name,
	           hd__suggest(name, names, n, "expected one of", rest, sizeof rest));
	return NULL;
}

static void make_members(struct argp_state *st, struct args *a)
{
	const char *name = a->word->name, *given = a->argument;

	if (!given && a->word->expects && !a->word->optional)
		argp_error(st, "'%s': expected %s", name, a->word->expects);
	if (given && !a->word->expects)
		argp_error(st, "unexpected argument '%s' after '%s'", given, name);
	if (!given)
		return;
	if (strcmp(name, "counters") == 0 || strcmp(name, "buffers") == 0 || strcmp(name, "pending") == 0)
		a->members = json_pack("{s:s}", "select", given);
	else if (strcmp(name, "step") == 0)
		a->members = json_pack("{s:I}", "cycles",
		                       (json_int_t)hd__arg_number(st, name, given, 1, UINT64_C(1) << 62, NULL));
	else if (strcmp(name, "until") == 0)
		a->members = json_pack("{s:I}", "cycle",
		                       (json_int_t)hd__arg_number(st, name, given, 1, UINT64_C(1) << 62, NULL));
	else if (strcmp(given, "on") == 0 || strcmp(given, "off") == 0)
		a->members = json_pack("{s:b}", "on", strcmp(given, "on") == 0);
	if (!a->members)
		argp_error(st, "'%s': '%s'; expected %s", name, given, a->word->expects);
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case KEY_JSON: a->view.json = true; break;
	case KEY_ONCE: a->view.once = true; break;
	case KEY_INTERVAL:
		a->view.period = (unsigned)hd__arg_number(st, "--interval", arg, 10, 3600000, NULL);
		a->interval = arg;
		break;
	case KEY_WEB: a->web = arg; break;
	case ARGP_KEY_ARG:
		if (st->arg_num == 0)
			a->path = arg;
		else if (st->arg_num == 1)
			a->word = find_word(st, arg);
		else if (st->arg_num == 2)
			a->argument = arg;
		else
			argp_error(st, "unexpected argument '%s'", arg);
		break;
	case ARGP_KEY_END:
		if (!a->path)
			argp_error(st, "expected PATH, the socket of a run with --monitor PATH");
		if (a->web && (a->word || a->view.once || a->view.json))
			argp_error(st, "--web: expected no other option but --interval, and no request");
		if (a->word && (a->view.once || a->view.period))
			argp_error(st, "--once and --interval cannot be combined with the request "
				"'%s'",
			           a->word->name);
		if (a->word)
			make_members(st, a);
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "PATH [REQUEST [ARGUMENT]]",
	"Shows a run that was started with --monitor PATH, while it runs.  With a REQUEST it sends "
	"that instead:\v"
	"  status            one line about the run\n"
	"  counters [PATTERN] counters whose path, path.name or name is PATTERN\n"
	"  buffers [PATTERN] what buffers hold that are, or end at, PATTERN\n"
	"  waits             ports that have no room to put into, and why\n"
	"  pending PATTERN   what instances have pending\n"
	"  picture           the netlist as an SVG file\n"
	"  pause, resume     pause and resume the run\n"
	"  step [CYCLES]     run for so many cycles, 1 by default, and pause\n"
	"  until CYCLE       run until that cycle, and pause\n"
	"  stop              end it, as SIGINT does\n"
	"  dump on, dump off start or stop recording to the run's dump\n\n"
	"On a terminal the keys are p pause, r resume, s and S step 1 and 1000 cycles, q quit; "
	"the run goes on after q.\n\n"
	"Exit status: 0 success, 1 the run refused or ended, 2 bad usage or no run at PATH.",
	NULL, NULL, NULL
};

/* ---- one request ---- */

struct errand {
	struct hd_talk talk;
	const struct args *args;
};

static void on_ready(void *arg)
{
	struct errand *e = arg;

	hd__talk_ask(&e->talk, e->args->word->name, json_incref(e->args->members));
	if (e->args->word->slow)
		hd__talk_expect(&e->talk, 0);
}

static void show_counters(const json_t *o)
{
	const char *path, *name;
	json_t *instance, *v;

	json_object_foreach(json_object_get(o, "instances"), path, instance) {
		json_object_foreach(instance, name, v) {
			hd__show_text(stdout, path);
			putchar('.');
			hd__show_text(stdout, name);
			putchar(' ');
			json_dumpf(v, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
			putchar('\n');
		}
	}
}

static const char *member(const json_t *o, const char *name)
{
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : "";
}

/* "collector.in[0] 2 of 4 inst" */
static void show_buffers(const json_t *rows)
{
	const json_t *row, *capacity;
	size_t i;

	json_array_foreach(rows, i, row) {
		capacity = json_object_get(row, "capacity");
		hd__show_text(stdout, member(row, "name"));
		printf(" %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, "n")));
		if (capacity)
			printf(" of %" JSON_INTEGER_FORMAT, json_integer_value(capacity));
		putchar(' ');
		hd__show_text(stdout, member(row, "unit"));
		putchar('\n');
	}
}

/* "issue[0].out waits for room in collector.in[2]; collector waits for sp[0]: the result bus is taken" */
static void show_waits(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		hd__show_text(stdout, member(row, "from"));
		fputs(" waits for room in ", stdout);
		hd__show_text(stdout, member(row, "buffer"));
		if (*member(row, "behind")) {
			fputs("; ", stdout);
			hd__show_text(stdout, member(row, "to"));
			fputs(" waits for ", stdout);
			hd__show_text(stdout, member(row, "behind"));
		}
		if (*member(row, "why")) {
			fputs(": ", stdout);
			hd__show_text(stdout, member(row, "why"));
		}
		putchar('\n');
	}
}

static void show_pending(const json_t *rows)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		hd__show_text(stdout, member(row, "path"));
		fputs(": ", stdout);
		hd__show_text(stdout, member(row, "text"));
		putchar('\n');
	}
}

/* Shows an answer with rows or text.  Returns false if it is of another kind. */
static bool show_rows(const json_t *o)
{
	const char *svg = member(o, "svg");

	if (json_is_object(json_object_get(o, "instances")))
		show_counters(o);
	else if (json_is_array(json_object_get(o, "buffers")))
		show_buffers(json_object_get(o, "buffers"));
	else if (json_is_array(json_object_get(o, "waits")))
		show_waits(json_object_get(o, "waits"));
	else if (json_is_array(json_object_get(o, "pending")))
		show_pending(json_object_get(o, "pending"));
	else if (*svg)
		fputs(svg, stdout);
	else
		return false;
	return true;
}

static void on_line(void *arg, json_t *o, const char *text)
{
	struct errand *e = arg;
	const char *error = json_string_value(json_object_get(o, "error"));
	struct hd_seen seen = { .hello = e->talk.hello };

	if (!hd__talk_answers(&e->talk, o))
		return;
	if (e->args->view.json) {
		puts(text);
	} else if (show_rows(o)) {
		fflush(stdout);
	} else if (json_is_string(json_object_get(o, "state"))) {
		hd__show_line(stdout, &seen, o);
		putchar('\n');
	} else if (!error && json_is_boolean(json_object_get(o, "on"))) {
		printf("dump %s at cycle %" JSON_INTEGER_FORMAT "\n",
		       json_is_true(json_object_get(o, "on")) ? "on" : "off",
		       json_integer_value(json_object_get(o, "cycle")));
	} else if (!error) {
		hd__talk_fail(&e->talk, "unexpected answer to '%s'", e->args->word->name);
		return;
	}
	if (json_is_true(json_object_get(o, "ok")))
		hd__talk_end(&e->talk, HD_EXIT_OK);
	else
		hd__talk_fail(&e->talk, "%s", error ? error : "refused");
}

static int do_errand(const struct args *a)
{
	struct errand e = { .args = a, .talk = { .line = on_line, .ready = on_ready, .arg = &e } };
	int status = HD_EXIT_USAGE;

	if (hd__talk_open(&e.talk, a->path)) {
		status = hd__talk_run(&e.talk);
		hd__talk_close(&e.talk);
	}
	return status;
}

static int serve(const struct args *a, char *name)
{
	char *args[] = { name, (char *)a->web, (char *)(a->interval ? a->interval : WEB_PERIOD),
	                 (char *)a->path, NULL };

	return hd__exec("heddle-web", args);
}

int hd__cmd_monitor(int argc, char **argv)
{
	struct args a = { .path = NULL };
	int status;

	hd__parse_args(&argp, argc, argv, &a);
	status = a.web ? serve(&a, argv[0]) : a.word ? do_errand(&a) : hd__view(a.path, &a.view);
	json_decref(a.members);
	return status;
}

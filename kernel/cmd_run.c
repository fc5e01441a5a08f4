/* cmd_run.c - heddle run: replays a trace, shows a table, writes statistics
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct args {
	const char *netlist, *input, *stats, *events;
	struct hd_options opt;
	bool quiet;
	struct hd_plugin_files plugins;
};

enum { KEY_MAX = 256, KEY_KERNEL, KEY_SHUFFLE, KEY_STATS, KEY_EVENTS, KEY_NO_SLEEP };

static const struct argp_option options[] = {
	{ "stats", KEY_STATS, "FILE", 0, "write the statistics as JSON; - is standard output", 0 },
	{ "max-cycles", KEY_MAX, "N", 0, "stop after N cycles of the first clock", 0 },
	{ "kernel", KEY_KERNEL, "N[-M]", 0, "replay only the kernels N to M of the list, from 1", 0 },
	{ "shuffle", KEY_SHUFFLE, "SEED", 0, "evaluate instances in another order that the links "
	  "allow; results are the same", 0 },
	{ "no-sleep", KEY_NO_SLEEP, NULL, 0, "evaluate every instance at every edge; results are the "
	  "same", 0 },
	{ "events", KEY_EVENTS, "FILE", 0, "write every reported event as a line of text; - is "
	  "standard output", 0 },
	{ "quiet", 'q', NULL, 0, "no progress and no table", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static uint64_t number(struct argp_state *st, const char *name, const char *text, char **end)
{
	uint64_t v;

	errno = 0;
	v = strtoull(text, end, 10);
	if (!isdigit((unsigned char)text[0]) || errno)
		argp_error(st, "--%s: '%s' is not a number", name, text);
	return v;
}

static uint64_t whole_number(struct argp_state *st, const char *name, const char *text)
{
	char *end;
	uint64_t v = number(st, name, text, &end);

	if (*end)
		argp_error(st, "--%s: '%s' is not a number", name, text);
	if (v == 0)
		argp_error(st, "--%s: expected a number from 1", name);
	return v;
}

static void kernel_range(struct argp_state *st, const char *text, struct hd_options *o)
{
	char *end;

	o->first = o->last = number(st, "kernel", text, &end);
	if (*end == '-' && end[1] == '\0') {
		o->last = UINT64_MAX;
		end++;
	} else if (*end == '-') {
		o->last = number(st, "kernel", end + 1, &end);
	}
	if (*end || o->first == 0 || o->last < o->first)
		argp_error(st, "--kernel: '%s' is not a range; expected N, N-M or N-, from 1", text);
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: 
		st->child_inputs[0] = &a->plugins;
		st->child_inputs[1] = &a->opt;
		break;
	case KEY_STATS: a->stats = arg; break;
	case KEY_EVENTS: a->events = arg; break;
	case KEY_MAX: a->opt.max_cycles = whole_number(st, "max-cycles", arg); break;
	case KEY_SHUFFLE: a->opt.shuffle = whole_number(st, "shuffle", arg); break;
	case KEY_KERNEL: kernel_range(st, arg, &a->opt); break;
	case KEY_NO_SLEEP: a->opt.no_sleep = true; break;
	case 'q': a->quiet = true; break;
	case ARGP_KEY_ARG:
		if (st->arg_num == 0)
			a->netlist = arg;
		else if (st->arg_num == 1)
			a->input = arg;
		else
			argp_error(st, "'%s' is too much; expected NETLIST TRACE", arg);
		break;
	case ARGP_KEY_END:
		if (st->arg_num < 2)
			argp_error(st, "expected NETLIST TRACE");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "NETLIST TRACE",
	"Replays TRACE, a kernelslist.g or a single .traceg file, on the core that NETLIST "
	"describes.\v"
	"SIGINT and SIGTERM stop the run at the next edge; statistics are still written.  SIGUSR1 "
	"prints one line about the run.\n\n"
	"Exit status: 0 success, 1 the run failed or was interrupted, 2 bad usage or input.",
	hd__netlist_args, NULL, NULL
};

/* ---- events as text ---- */

static void write_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &in->module->events[event];
	FILE *out = arg;

	fprintf(out, "%" PRIu64 " %s", in->ctx.sim->roots[0].period, e->name);
	for (unsigned i = 0; i < HD_EVENT_FIELDS && e->fields[i]; i++)
		fprintf(out, " %s=%" PRId64, e->fields[i], v[i]);
	fputc('\n', out);
}

static FILE *open_output(const char *name)
{
	FILE *f;

	if (strcmp(name, "-") == 0)
		return stdout;
	f = fopen(name, "w");
	if (!f)
		fprintf(stderr, "heddle: %s: %s\n", name, strerror(errno));
	return f;
}

static bool close_output(FILE *f, const char *name)
{
	bool bad = ferror(f) != 0;

	bad = (f == stdout ? fflush(f) : fclose(f)) != 0 || bad;
	if (bad)
		fprintf(stderr, "heddle: %s: could not be written: %s\n", name, strerror(errno));
	return !bad;
}

static const char *status_word(const struct hd_host *h)
{
	if (h->interrupted)
		return "interrupted";
	switch (h->status) {
	case HD_RUN_FINISHED: return "finished";
	case HD_RUN_LIMIT: return "stopped at the cycle limit";
	case HD_RUN_DEADLOCK: return "deadlock";
	case HD_RUN_BAD_INPUT: return "bad input";
	default: return "failed";
	}
}

static int exit_status(const struct hd_host *h)
{
	if (h->interrupted)
		return HD_EXIT_FAILED;
	switch (h->status) {
	case HD_RUN_FINISHED:
	case HD_RUN_LIMIT: return HD_EXIT_OK;
	case HD_RUN_BAD_INPUT: return HD_EXIT_USAGE;
	default: return HD_EXIT_FAILED;
	}
}

static int report(struct hd_host *h, const struct args *a)
{
	const struct hd_sim *s = h->sim;
	int status = exit_status(h);

	hd__sim_settle(h->sim);
	if (h->status == HD_RUN_DEADLOCK)
		fprintf(stderr, "heddle: deadlock at cycle %" PRIu64 ": nothing has happened since "
		        "cycle %" PRIu64 ", and these still hold something:\n%s", hd__sim_cycles(s),
		        s->still_since, s->deadlock);
	if (!a->quiet) {
		printf("%s on %s: %s\n\n", a->input, s->netlist->name ? s->netlist->name : a->netlist,
		       status_word(h));
		hd__stats_table(s, stdout);
		printf("\nsimulated in %.2f s, %.0f kcycle/s\n", h->seconds,
		       h->seconds > 0 ? (double)hd__sim_cycles(s) / h->seconds / 1e3 : 0);
	}
	if (a->stats) {
		FILE *f = open_output(a->stats);
		json_t *j = hd__stats_json(s, status_word(h));

		if (!f || json_dumpf(j, f, JSON_INDENT(1)) != 0 || fputc('\n', f) == EOF)
			status = status ? status : HD_EXIT_FAILED;
		if (f && !close_output(f, a->stats))
			status = status ? status : HD_EXIT_FAILED;
		json_decref(j);
	}
	return status;
}

int hd__cmd_run(int argc, char **argv)
{
	struct args a = { .quiet = false };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_host host = { .status = HD_RUN_MORE };
	FILE *events = NULL;
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	a.opt.input = a.input;
	if (a.events) {
		events = open_output(a.events);
		if (!events)
			return HD_EXIT_USAGE;
		a.opt.event = write_event;
		a.opt.event_arg = events;
	}
	hd__open_registry(&registry, &a.plugins, &diags);
	host.sim = hd__load(a.netlist, &registry, &a.opt, false, &diags);
	host.quiet = a.quiet;
	if (host.sim) {
		struct hd_diags in_run = { .n = 0 };

		host.sim->diags = &in_run;
		hd__host_run(&host);
		hd__diags_print(&in_run, stderr);
		hd__diags_free(&in_run);
		status = report(&host, &a);
		hd__sim_free(host.sim);
		hd__diags_print(&in_run, stderr); /* a run that was stopped has last words */
		hd__diags_free(&in_run);
	}
	if (events && !close_output(events, a.events) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	free((void *)a.opt.sets);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

/* cmd_run.c - heddle run: replays a trace, prints a table, writes statistics
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "confine.h"
#include "keep_going.h"
#include "kernel_table.h"
#include "reasons.h"
#include "states.h"
#include "kernel/contract.h"
#include "kernel/flatten.h"
#include "kernel/record/observe.h"
#include "tools/monitor/host.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct args {
	const char *netlist, *input, *stats, *summary, *events, *monitor;
	struct hd_states states;
	struct hd_observe_options dump;
	struct hd_options opt;
	bool quiet, per_kernel, wait, sample_given;
	struct hd_plugin_files plugins;
	struct hd_confine confine;
	bool count_reasons;
	struct hd_reasons reasons;
};

enum { KEY_MAX = 256, KEY_KERNEL, KEY_SHUFFLE, KEY_STATS, KEY_SUMMARY, KEY_EVENTS, KEY_NO_SLEEP, KEY_MONITOR, KEY_WAIT,
	KEY_DUMP, KEY_FILTER, KEY_SAMPLE, KEY_STRICT, KEY_STUCK,
	KEY_CHECK, KEY_KEEP, KEY_PER_KERNEL, KEY_SANDBOX, KEY_SAVE, KEY_LOAD, KEY_SKIP, KEY_REASONS };

#define SAMPLE 1000 /* cycles */
#define STUCK_AFTER 10 /* seconds */

static const struct argp_option options[] = {
	{ "stats", KEY_STATS, "FILE", 0, "write the statistics as JSON; - is standard output", 0 },
	{ "summary", KEY_SUMMARY, "FILE", 0, "write the statistics in short as JSON: instances that differ only in "
	  "an index are added up, no meanings; see heddle sweep", 0 },
	{ "max-cycles", KEY_MAX, "N", 0, "stop after N cycles of the first clock", 0 },
	{ "kernel", KEY_KERNEL, "N[-M]", 0, "replay only the kernels N to M of the list, from 1", 0 },
	{ "per-kernel", KEY_PER_KERNEL, NULL, 0, "a line for each kernel below the table: cycles, instructions, "
	  "shares of issue slots, the busiest unit", 0 },
	{ "reasons", KEY_REASONS, NULL, 0, "count why issue slots were lost, in the statistics and with --per-kernel: "
	  "for the run and for each kernel, without a dump; slower", 0 },
	{ "shuffle", KEY_SHUFFLE, "SEED", 0, "evaluate instances in another order that the links "
	  "allow; results are the same", 0 },
	{ "no-sleep", KEY_NO_SLEEP, NULL, 0, "evaluate every instance at every edge; results are the "
	  "same", 0 },
	{ "dump", KEY_DUMP, "FILE", 0, "record the run: every instruction from fetch to writeback, "
	  "causes of lost issue slots, sampled statistics; see heddle dump", 0 },
	{ "dump-filter", KEY_FILTER, "NAME=VALUES", 0, "dump only this; may be given several times: "
	  "cycle=FROM-TO, event=PATTERN, instance=PATTERN, or a field of an event or a "
	  "record, such as pc=0x100-0x200,0x300", 0 },
	{ "dump-sample", KEY_SAMPLE, "N", 0, "cycles between two samples of the statistics in the dump "
	  "(default 1000; 0: none)", 0 },
	{ "events", KEY_EVENTS, "FILE", 0, "write every reported event as a line of text; - is "
	  "standard output", 0 },
	{ "monitor", KEY_MONITOR, "PATH", 0, "answer requests at a Unix socket; 'heddle monitor "
	  "PATH' connects to it", 0 },
	{ "monitor-wait", KEY_WAIT, NULL, 0, "begin paused, until a client requests 'resume'", 0 },
	{ "strict", KEY_STRICT, NULL, 0, "refuse a trace that contradicts itself; otherwise threads "
	  "that go on after their EXIT have not exited, with a warning", 0 },
	{ "stuck-after", KEY_STUCK, "N", 0, "end a run in which a plug-in does not return for N seconds "
	  "of processor time (default 10; 0: never)", 0 },
	{ "check-modules", KEY_CHECK, NULL, 0, "check in every cycle that the modules keep their contract: "
	  "room, slots, sizes, records, wake-ups, no dependence on the order; slow, results are the same", 0 },
	{ "keep-going", KEY_KEEP, NULL, 0, "leave out a kernel that cannot run, and say so, rather than end "
	  "the run; it begins again without the kernel, and the exit status is 1", 0 },
	{ "save-at", KEY_SAVE, "WHEN FILE", 0, "save the state of the run to FILE after cycle WHEN, or with "
	  "WHEN = kernel=N when that kernel has begun; the run goes on", 0 },
	{ "load", KEY_LOAD, "FILE", 0, "go on from a state that --save-at has saved for the same netlist and "
	  "trace; results are those of the run that did not stop", 0 },
	{ "skip-kernels", KEY_SKIP, "N", 0, "do not simulate the first N kernels: only their accesses come into the "
	  "caches that outlive a kernel", 0 },
	{ "sandbox", KEY_SANDBOX, NULL, 0, "for other people's netlists and traces: " HD_CONFINE_DOC, 0 },
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

static unsigned seconds(struct argp_state *st, const char *text)
{
	uint64_t v = strcmp(text, "0") == 0 ? 0 : whole_number(st, "stuck-after", text);

	if (v > 1000000)
		argp_error(st, "--stuck-after: expected at most 1000000 seconds");
	return (unsigned)v;
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

/* "WHEN FILE": the file is the next argument. */
static void save_at(struct argp_state *st, const char *when, struct args *a)
{
	const char *kernel = strncmp(when, "kernel=", 7) == 0 ? when + 7 : NULL;

	if (a->states.save)
		argp_error(st, "--save-at: given twice; expected it once");
	if (kernel)
		a->opt.halt_item = whole_number(st, "save-at kernel", kernel);
	a->states.save_cycle = kernel ? UINT64_MAX : whole_number(st, "save-at", when);
	if (st->next >= st->argc)
		argp_error(st, "--save-at %s: expected a file after it", when);
	a->states.save = st->argv[st->next++];
	if (strcmp(a->states.save, "-") == 0)
		argp_error(st, "--save-at: '-' is not a file; expected the name of a file");
	a->opt.saves = true;
}

static void add_filter(struct argp_state *st, const char *text, struct hd_filter *f)
{
	char *wrong = hd__filter_add(f, text);

	if (wrong)
		argp_error(st, "--dump-filter: %s", wrong);
}

static void check_outputs(struct argp_state *st, const struct args *a)
{
	if (a->dump.filter.ntext && !a->dump.path)
		argp_error(st, "--dump-filter needs --dump FILE");
	if (a->opt.checker && (a->dump.path || a->opt.no_sleep))
		argp_error(st, "--check-modules and %s: expected one of them",
		           a->dump.path ? "--dump" : "--no-sleep");
	if (a->count_reasons && !a->stats && !a->summary && !a->per_kernel)
		argp_error(st, "--reasons: expected --stats, --summary or --per-kernel as well, which show them");
	if (a->count_reasons && (a->states.save || a->states.load || a->opt.checker))
		argp_error(st, "--reasons and %s: expected one of them",
		           a->opt.checker ? "--check-modules" : a->states.save ? "--save-at" : "--load");
	if (a->per_kernel && a->quiet)
		argp_error(st, "--per-kernel and --quiet: expected one of them");
	if (a->confine.wanted && a->monitor)
		argp_error(st, "--sandbox and --monitor: expected one of them");
	if (a->opt.keep_going && a->monitor)
		argp_error(st, "--keep-going and --monitor: expected one of them");
	if (a->opt.keep_going && a->events && strcmp(a->events, "-") == 0)
		argp_error(st, "--keep-going --events: '-' is not a file: a run that begins again writes it again; "
		           "expected the name of a file");
	if (a->states.save && a->monitor)
		argp_error(st, "--save-at and --monitor: expected one of them");
	if ((a->states.save || a->states.load) && (a->opt.keep_going || a->opt.checker))
		argp_error(st, "%s and %s: expected one of them", a->states.save ? "--save-at" : "--load",
		           a->opt.checker ? "--check-modules" : "--keep-going");
	if (a->sample_given && !a->dump.path)
		argp_error(st, "--dump-sample needs --dump FILE");
	if (a->dump.path && strcmp(a->dump.path, "-") == 0)
		argp_error(st, "--dump: '-' is not a file: messages would be mixed with the dump; "
		           "expected the name of a file");
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
	case KEY_SUMMARY: a->summary = arg; break;
	case KEY_EVENTS: a->events = arg; break;
	case KEY_DUMP: a->dump.path = arg; break;
	case KEY_FILTER: add_filter(st, arg, &a->dump.filter); break;
	case KEY_SAMPLE:
		a->sample_given = true;
		a->dump.sample = strcmp(arg, "0") == 0 ? 0 : whole_number(st, "dump-sample", arg);
		break;
	case KEY_MAX: a->opt.max_cycles = whole_number(st, "max-cycles", arg); break;
	case KEY_SHUFFLE: a->opt.shuffle = whole_number(st, "shuffle", arg); break;
	case KEY_KERNEL: kernel_range(st, arg, &a->opt); break;
	case KEY_STUCK: a->opt.stuck_after = seconds(st, arg); break;
	case KEY_SANDBOX: a->confine.wanted = true; break;
	case KEY_REASONS: a->count_reasons = true; break;
	case KEY_PER_KERNEL: a->per_kernel = true; break;
	case KEY_KEEP: a->opt.keep_going = true; break;
	case KEY_CHECK: a->opt.checker = &hd__contract; break;
	case KEY_SKIP: a->opt.skip = whole_number(st, "skip-kernels", arg); break;
	case KEY_SAVE: save_at(st, arg, a); break;
	case KEY_LOAD: a->states.load = arg; break;
	case KEY_NO_SLEEP: a->opt.no_sleep = true; break;
	case KEY_MONITOR: a->monitor = arg; break;
	case KEY_WAIT: a->wait = true; break;
	case KEY_STRICT: a->opt.strict = true; break;
	case 'q': a->quiet = true; break;
	case ARGP_KEY_ARG:
		if (st->arg_num == 0)
			a->netlist = arg;
		else if (st->arg_num == 1)
			a->input = arg;
		else
			argp_error(st, "unexpected argument '%s'; expected NETLIST [TRACE]", arg);
		break;
	case ARGP_KEY_END:
		if (st->arg_num < 1)
			argp_error(st, "expected NETLIST [TRACE]");
		check_outputs(st, a);
		if (a->wait && !a->monitor)
			argp_error(st, "--monitor-wait needs --monitor PATH");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool dump_window(void *sim, bool open)
{
	hd__observe_window(sim, open);
	return true;
}

static const struct argp argp = {
	options, parse, "NETLIST [TRACE]",
	"Replays TRACE, a kernelslist.g, a single .traceg file or a packed trace, on the core that NETLIST "
	"describes.  A netlist that reads no trace, such as a network with sources of its own, runs without "
	"until no work is left, or to --max-cycles.\v"
	"SIGINT, SIGTERM and SIGHUP stop the run at the next edge; statistics are still written.  SIGUSR1 "
	"prints one line about the run.\n\n"
	"Exit status: 0 success, 1 the run failed or was interrupted, 2 bad usage or input.",
	hd__netlist_args, NULL, NULL
};

/* ---- events as text ---- */

struct event_file {
	struct hd_output out;
	bool known, paths; /* paths: "issue" alone does not identify the instance */
	struct hd_reasons *reasons; /* of which events are counted, or NULL */
};

/* Is there a netlist in the netlist? */
static bool is_nested(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++)
		if (strchr(s->instances[i].path, '.'))
			return true;
	return false;
}

static void write_event(void *arg, const struct hd_instance *in, unsigned event, const int64_t *v)
{
	const struct hd_event *e = &in->module->events[event];
	struct event_file *out = arg;

	if (out->reasons)
		hd__reasons_event(out->reasons, in, event, v);
	if (!out->out.f)
		return;
	if (!out->known)
		out->paths = is_nested(in->ctx.sim);
	out->known = true;
	fprintf(out->out.f, "%" PRIu64 " %s%s%s", in->ctx.sim->roots[0].period, out->paths ? in->path : "",
	        out->paths ? "." : "", e->name);
	for (unsigned i = 0; i < HD_EVENT_FIELDS && e->fields[i].name; i++)
		fprintf(out->out.f, " %s=%" PRId64, e->fields[i].name, v[i]);
	fputc('\n', out->out.f);
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

/* Takes over the statistics.  Returns false after printing an error. */
static bool write_json(const struct args *a, struct hd_output *out, json_t *j)
{
	hd__left_out_rows(&a->opt, j);
	if (strcmp(out->label, "--summary") == 0)
		hd__json_write_line(j, out->f); /* if it fails, the stream has an error */
	else
		hd__json_write(j, out->f);
	json_decref(j);
	return hd__output_close(out, true);
}

static json_t *with_reasons(struct args *a, json_t *j)
{
	if (a->count_reasons)
		hd__reasons_write(&a->reasons, j);
	return j;
}

static int report(struct hd_host *h, struct args *a, struct hd_output *stats,
                  struct hd_output *summary)
{
	const struct hd_sim *s = h->sim;
	int status = exit_status(h);
	json_t *j = NULL;

	hd__sim_settle(h->sim);
	hd__call_end(h->sim);
	if (a->stats || a->per_kernel)
		j = with_reasons(a, hd__stats_json(s, hd__host_word(h)));
	if (h->status == HD_RUN_DEADLOCK)
		fprintf(stderr, "heddle: deadlock at cycle %" PRIu64 ": nothing has happened since "
		        "cycle %" PRIu64 ", and these instances have work pending:\n%s%s%s", hd__sim_cycles(s),
		        s->still_since, s->deadlock, s->withheld ? "the others wait for:\n" : "",
		        s->withheld ? s->withheld : "");
	if (!a->quiet) {
		printf("%s%s%s: %s\n\n", a->input ? a->input : "", a->input ? " on " : "",
		       s->netlist->name ? s->netlist->name : a->netlist, hd__host_word(h));
		hd__stats_table(s, stdout);
		if (a->per_kernel)
			hd__kernel_table(j, stdout);
		if (a->per_kernel && a->count_reasons)
			hd__reasons_table(j, stdout);
		if (a->opt.nleft_out > 0)
			printf("\nkernels that cannot run, left out: %zu\n", a->opt.nleft_out);
		printf("\nsimulated in %.2f s, %.0f kcycle/s\n", h->seconds,
		       h->seconds > 0 ? (double)hd__sim_cycles(s) / h->seconds / 1e3 : 0);
	}
	if (a->stats && !write_json(a, stats, json_incref(j)) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	if (a->summary && !write_json(a, summary, with_reasons(a, hd__stats_summary(s, hd__host_word(h))))
	    && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	json_decref(j);
	return status;
}

/* Attaches the observers of the run: dump, monitor, progress. */
static bool open_listeners(struct hd_host *h, struct args *a)
{
	bool opened;

	h->paused = a->wait;
	if (a->count_reasons)
		hd__reasons_begin(&a->reasons, h->sim, a->events != NULL);
	if (a->dump.path || a->monitor || a->count_reasons) /* these create JSON during the run */
		hd__lasting_memory();
	if (a->monitor) {
		h->monitor = hd__monitor_open(a->monitor);
		if (!h->monitor)
			return false;
	}
	if (!a->dump.path)
		return true;
	a->dump.netlist = hd__flatten(h->sim, NULL);
	opened = hd__observe_open(h->sim, &a->dump);
	json_decref(a->dump.netlist);
	a->dump.netlist = NULL;
	if (!opened) {
		hd__monitor_close(h->monitor);
		return false;
	}
	h->dump_window = dump_window;
	h->dump_arg = h->sim;
	return true;
}

/* The first character of a file that is not white space; 0: it is not a file that can be read. */
static int first_char(const char *path)
{
	struct stat info;
	FILE *f = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "r") : NULL;
	int c = f ? fgetc(f) : 0;

	while (f && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
		c = fgetc(f);
	if (f)
		fclose(f);
	return c;
}

/* Are the arguments what they are taken for?  Modules of plug-ins may take an input that is not a file. */
static bool check_arguments(const struct args *a, const struct hd_registry *r)
{
	const char *problem = NULL;

	if (!a->input)
		return true;
	if (first_char(a->netlist) > 0 && first_char(a->netlist) != '{'
	    && (first_char(a->input) == '{' || access(a->input, R_OK) != 0)) { /* or among the installed ones */
		fprintf(stderr, "heddle: '%s' is not a netlist; expected NETLIST before TRACE, '%s'\n", a->netlist,
		        a->input);
		return false;
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].handle)
			return true;
	if (access(a->input, R_OK) != 0)
		problem = strerror(errno);
	if (problem)
		fprintf(stderr, "heddle: trace %s: cannot open: %s\n", a->input, problem);
	return problem == NULL;
}

/* Loads the netlist and attaches what observes the run.  Returns false after printing an error. */
static bool prepare(struct hd_host *h, struct args *a, const struct hd_registry *r, struct hd_diags *d)
{
	*h = (struct hd_host){ .status = HD_RUN_MORE, .quiet = a->quiet };
	if (a->opt.nleft_out > 0) /* they are those of the first time */
		hd__diags_free(d);
	if (a->opt.nleft_out == 0 && !check_arguments(a, r)) {
		h->sim = NULL;
		return false;
	}
	h->sim = hd__load(a->netlist, (struct hd_registry *)r, &a->opt, false, d);
	if (h->sim && a->opt.checker && !hd__twins_make(h->sim, a->netlist, d)) {
		hd__diags_print(d, stderr);
	} else if (h->sim && hd__states_prepare(h, &a->states, &a->opt) && open_listeners(h, a)) {
		return true;
	}
	hd__sim_free(h->sim);
	h->sim = NULL;
	return false;
}

/* Drops a run that begins again, and what it has written.  Returns false after printing an error. */
static bool drop(struct hd_host *h, struct hd_output *events)
{
	if (h->sim->observer)
		hd__observe_close(h->sim, hd__host_word(h), false);
	hd__sim_free(h->sim);
	h->sim = NULL;
	if (!events->f || (fflush(events->f) == 0 && ftruncate(fileno(events->f), 0) == 0
	                   && fseek(events->f, 0, SEEK_SET) == 0))
		return true;
	fprintf(stderr, "heddle: %s: cannot be written again: %s; --keep-going expects a file\n", events->path,
	        strerror(errno));
	return false;
}

/* From here on neither a plug-in nor damaged input reaches anything else. */
static void confine(struct args *a)
{
	hd__confine_read(&a->confine, a->netlist);
	hd__confine_read(&a->confine, a->input);
	for (size_t i = 0; i < a->plugins.n; i++)
		hd__confine_read(&a->confine, a->plugins.v[i]);
	hd__confine_read(&a->confine, a->states.load);
	hd__confine_write(&a->confine, a->states.save);
	hd__confine_write(&a->confine, a->stats);
	hd__confine_write(&a->confine, a->summary);
	hd__confine_write(&a->confine, a->events);
	hd__confine_write(&a->confine, a->dump.path);
	hd__confine(&a->confine);
}

int hd__cmd_run(int argc, char **argv)
{
	struct args a = { .dump.sample = SAMPLE, .opt.stuck_after = STUCK_AFTER };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_host host = { .status = HD_RUN_MORE };
	struct hd_output stats = { .f = NULL }, summary = { .f = NULL };
	struct event_file events = { .out.f = NULL };
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	confine(&a);
	if (a.opt.keep_going) /* maybe many simulations */
		hd__lasting_memory();
	else
		hd__short_memory();
	a.opt.input = a.input;
	if (a.events && hd__output_open(&events.out, a.events, "--events") != HD_EXIT_OK)
		return HD_EXIT_USAGE;
	if ((a.stats && hd__output_open(&stats, a.stats, "--stats") != HD_EXIT_OK)
	    || (a.states.save && hd__output_open(&a.states.saved, a.states.save, "--save-at") != HD_EXIT_OK)
	    || (a.summary && hd__output_open(&summary, a.summary, "--summary") != HD_EXIT_OK)) {
		if (a.events)
			hd__output_close(&events.out, false);
		if (stats.f)
			hd__output_close(&stats, false);
		if (a.states.saved.f)
			hd__output_close(&a.states.saved, false);
		return HD_EXIT_USAGE;
	}
	if (a.events || a.count_reasons) {
		a.opt.event = write_event;
		a.opt.event_arg = &events;
	}
	if (a.count_reasons) {
		events.reasons = &a.reasons;
		a.opt.part_over = hd__reasons_part;
		a.opt.part_arg = &a.reasons;
	}
	a.opt.parts = a.stats || a.summary || a.dump.path || a.per_kernel || a.states.save;
	a.opt.probe = a.dump.path != NULL ? &hd__record_probe : NULL;
	hd__open_registry(&registry, &a.plugins, &diags);
	while (prepare(&host, &a, &registry, &diags)) {
		struct hd_diags in_run = { .n = 0 };

		host.sim->diags = &in_run;
		hd__host_run(&host);
		if (a.states.saved.f && host.status == HD_RUN_LIMIT && hd__sim_cycles(host.sim) == a.states.save_cycle)
			hd__states_save(&host); /* --max-cycles is the same cycle */
		if (!host.interrupted && hd__leave_out(&a.opt, host.sim, host.status, &in_run)) {
			bool again = drop(&host, &events.out);

			hd__diags_free(&in_run); /* after fini, which may warn */
			if (again)
				continue;
			break;
		}
		hd__diags_print(&in_run, stderr);
		hd__diags_free(&in_run);
		status = report(&host, &a, &stats, &summary);
		if (host.sim->observer && !hd__observe_close(host.sim, hd__host_word(&host), true)
		    && status == HD_EXIT_OK)
			status = HD_EXIT_FAILED;
		hd__monitor_close(host.monitor);
		hd__call_fini(host.sim); /* the exit frees everything else */
		hd__diags_print(&in_run, stderr); /* messages from within the run */
		hd__diags_free(&in_run);
		break;
	}
	if (a.opt.nleft_out > 0)
		status = HD_EXIT_FAILED;
	status = hd__states_end(&host, &a.states, status);
	if (a.events && !hd__output_close(&events.out, host.sim != NULL) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	if (a.stats && !host.sim)
		hd__output_close(&stats, false);
	if (a.summary && !host.sim)
		hd__output_close(&summary, false);
	if (host.sim)
		exit(status);
	free((void *)a.opt.sets);
	hd__filter_free(&a.dump.filter);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

/* cmd_run.c - heddle run: replays a trace, prints a table, writes statistics
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_args.h"
#include "run_record.h"
#include "kernel/parallel/run_ahead.h"
#include "kernel/check/contract.h"
#include "kernel/flatten.h"
#include "kernel/stats/stats.h"
#include "tools/monitor/host.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- kernels that cannot run (--keep-going) ---- */

/* What the kernel failed with: the first error, or the end of the run. */
static char *reason(const struct hd_sim *s, enum hd_run_status status, const struct hd_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].severity == HD_DIAG_ERROR)
			return hd__xstrdup(d->v[i].text);
	if (status == HD_RUN_DEADLOCK)
		return hd__format("deadlock at cycle %" PRIu64, hd__sim_cycles(s));
	return hd__xstrdup("the run failed");
}

/* A run has ended.  If it failed in a kernel, prints a warning and adds the kernel to those that are left out; the run
 * is to be repeated then, so its result is that of the list without the kernels that cannot run: there is no machine
 * with half a kernel in it. */
static bool leave_out(struct hd_options *o, const struct hd_sim *s, enum hd_run_status status,
                      const struct hd_diags *d)
{
	struct hd_left_out *v, *k;

	if (!s->opt.keep_going || s->item == 0 || status == HD_RUN_FINISHED || status == HD_RUN_LIMIT)
		return false;
	v = hd__xappend((void *)o->left_out, o->nleft_out, sizeof *v);
	o->left_out = v;
	k = &v[o->nleft_out++];
	*k = (struct hd_left_out){ s->item, hd__xstrdup(s->item_name), reason(s, status, d) };
	fprintf(stderr, "heddle: warning: kernel %" PRIu64 ", '%s', is left out: %s\n", k->item, k->name,
	        k->why);
	return true;
}

/* Names of files need not be UTF-8, and messages have them. */
static json_t *text_of(const char *s)
{
	json_t *text = json_string(s);

	return text ? text : json_string("?");
}

/* The row that each of them has in the table "kernels", behind those of kernels that ran.  The caller owns it. */
static json_t *left_out_row(const struct hd_left_out *k)
{
	return json_pack("{s:I, s:o, s:o}", "item", (json_int_t)k->item, "file", text_of(k->name), "failed",
	                 text_of(k->why));
}

/* ---- statistics ---- */

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

struct results {
	struct hd_json_rows rows; /* of what ran */
	struct hd_json_rows all;  /* and of kernels that were left out */
	const struct hd_run_args *args;
};

static size_t count_all_rows(void *arg, const char *table)
{
	const struct results *r = arg;

	return r->rows.count(r->rows.arg, table) + (strcmp(table, "kernels") == 0 ? r->args->opt.nleft_out : 0);
}

static json_t *make_any_row(void *arg, const char *table, size_t i)
{
	const struct results *r = arg;
	size_t n = r->rows.count(r->rows.arg, table);

	return i < n ? r->rows.row(r->rows.arg, table, i) : left_out_row(&r->args->opt.left_out[i - n]);
}

static void results_of(struct results *r, const struct hd_sim *s, struct hd_run_args *a)
{
	r->rows = a->joined.arg ? a->joined : a->count_reasons ? hd__reasons_rows(&a->reasons) : hd__stats_rows(s);
	if (a->energy)
		r->rows = hd__energy_rows(&a->watts, r->rows);
	r->all = (struct hd_json_rows){ count_all_rows, make_any_row, r };
	r->args = a;
}

/* Takes over the statistics.  Returns false after printing an error. */
static bool write_json(const struct results *r, struct hd_output *out, json_t *j,
                       bool write(const json_t *j, const struct hd_json_rows *rows, FILE *out))
{
	bool whole;

	if (r->args->opt.nleft_out > 0 && !json_object_get(j, "kernels"))
		json_object_set_new(j, "kernels", json_array());
	whole = write(j, &r->all, out->f);
	json_decref(j);
	if (!whole && !ferror(out->f)) { /* else closing it reports that */
		fprintf(stderr, "heddle: %s: the statistics cannot be written as JSON\n", out->path);
		hd__output_close(out, false);
		return false;
	}
	return hd__output_close(out, true);
}

/* Statistics with what is not of the simulation alone.  estimate: or NULL. */
static json_t *with_others(struct hd_run_args *a, json_t *j, json_t *estimate, bool each)
{
	if (a->count_reasons)
		hd__reasons_write(&a->reasons, j);
	if (a->energy)
		json_object_set_new(j, "energy", hd__energy_json(&a->watts, each));
	if (estimate)
		json_object_set(j, "estimate", estimate);
	if (a->about_parts)
		json_object_set(j, "split", a->about_parts);
	return j;
}

/* How partitions ran ahead, or why they did not. */
static void explain_partitions(const struct hd_sim *s, const struct hd_run_args *a)
{
	char *text = s->ahead ? hd__ahead_text(s->ahead) : NULL;

	putchar('\n');
	hd__print_partitions(s);
	if (text)
		fputs(text, stdout);
	else if (!a->rollback)
		printf("lock step: %s\n", a->in_step_for ? a->in_step_for : s->lockstep);
	if (text && s->once)
		puts("lock step: the input cannot be read again, as it would have to be if something is not foreseen");
	if (a->rollback)
		printf("lock step from cycle %" PRIu64 " on: %s\n", a->opt.ahead, a->rollback);
	free(text);
}

/* What a part has counted. */
static int record(const struct hd_host *h, const struct results *r, const struct hd_units *u)
{
	int status = exit_status(h);

	if (status == HD_EXIT_OK && ((u->lead && !u->begin) || (u->counted < u->ended && !u->end))) {
		fputs("heddle: --split: there is not one row for each simulated kernel; expected a netlist with one "
		      "dispatcher\n", stderr);
		return HD_EXIT_FAILED;
	}
	if (status != HD_EXIT_OK || hd__record_write(h->sim, &r->rows, u->begin, u->end, u->record))
		return status;
	fprintf(stderr, "heddle: unable to write a temporary file: %s\n", strerror(errno));
	return HD_EXIT_FAILED;
}

static int report(struct hd_host *h, struct hd_run_args *a, struct hd_output *stats,
                  struct hd_output *summary)
{
	const struct hd_sim *s = h->sim;
	int status = exit_status(h);
	struct results r;
	json_t *j = NULL, *estimate = NULL;

	if (!a->joined.arg) { /* else time has passed for the parts alone */
		hd__sim_settle(h->sim);
		hd__call_end(h->sim);
	}
	if (a->energy)
		hd__energy_end(&a->watts);
	results_of(&r, s, a);
	if (a->units.record)
		return record(h, &r, &a->units);
	if (a->plan.file && h->status == HD_RUN_FINISHED && !h->interrupted) {
		estimate = hd__run_plan_estimate(&a->plan, &r.rows, s->item_of ? s->item_of->path : NULL);
		status = estimate ? status : HD_EXIT_USAGE;
	}
	if (a->dump.path) {
		a->dump.last = json_object();
		if (estimate)
			json_object_set(a->dump.last, "estimate", estimate);
		if (a->energy)
			json_object_set_new(a->dump.last, "energy", hd__energy_json(&a->watts, true));
	}
	if (a->stats || a->per_kernel) {
		j = with_others(a, hd__stats_plain(s, hd__host_word(h)), estimate, true);
		hd__streams_write(j, &r.rows);
	}
	if (h->status == HD_RUN_DEADLOCK)
		fprintf(stderr, "heddle: deadlock at cycle %" PRIu64 ": nothing has happened since "
		        "cycle %" PRIu64 ", and these instances have work pending:\n%s%s%s", hd__sim_cycles(s),
		        s->still_since, s->deadlock, s->withheld ? "the others wait for:\n" : "",
		        s->withheld ? s->withheld : "");
	if (!a->quiet) {
		printf("%s%s%s: %s\n\n", a->input ? a->opt.input_name : "", a->input ? " on " : "",
		       s->netlist->name ? s->netlist->name : a->netlist, hd__host_word(h));
		if (a->plan.file)
			printf("measured, of the %zu of %zu kernels that were simulated; the estimate of all is below"
			       "\n\n", hd__rows(s, "kernels"), a->plan.plan.n);
		hd__stats_table(s, stdout);
		if (a->per_kernel)
			hd__kernel_table(j, &r.rows, stdout);
		if (a->per_kernel && a->count_reasons)
			hd__reasons_table(&r.rows, stdout);
		if (a->energy)
			hd__energy_print(&a->watts, stdout);
		if (estimate)
			hd__run_plan_print(estimate, stdout);
		else if (a->plan.file)
			puts("\nno estimate: not all kernels of the plan were simulated");
		if (a->about_parts)
			hd__units_print(a->about_parts, stdout);
		if (a->opt.nleft_out > 0)
			printf("\nkernels that cannot run, left out: %zu\n", a->opt.nleft_out);
		if (a->explain)
			explain_partitions(s, a);
		printf("\nsimulated in %.2f s, %.0f kcycle/s\n", h->seconds,
		       h->seconds > 0 ? (double)hd__sim_cycles(s) / h->seconds / 1e3 : 0);
	}
	if (a->stats && !write_json(&r, stats, json_incref(j), hd__json_write) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	if (a->summary && !write_json(&r, summary, with_others(a, hd__stats_summary(s, hd__host_word(h)), estimate,
	                                                      false),
	                              hd__json_write_line)
	    && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	json_decref(j);
	json_decref(estimate);
	return status;
}

static bool dump_window(void *sim, bool open)
{
	hd__observe_window(sim, open);
	return true;
}

static bool dump_is_on(void *sim)
{
	return hd__observe_is_open(sim);
}

static json_t *flat(struct hd_sim *s)
{
	return hd__flatten(s, NULL);
}

/* Attaches the observers of the run: dump, monitor, progress. */
static bool open_listeners(struct hd_host *h, struct hd_run_args *a)
{
	h->paused = a->wait;
	if (a->energy) {
		struct hd_diags d = { .n = 0 };
		bool good = hd__energy_begin(&a->watts, h->sim, &d);

		if (!good || (a->opt.nleft_out == 0 && !a->rollback)) /* else they have been printed */
			hd__diags_print(&d, stderr);
		hd__diags_free(&d);
		if (!good)
			return false;
		if (a->power.f)
			hd__energy_head(&a->watts, a->power.f);
		hd__energy_dump(&a->watts, &a->dump);
	}
	if (a->count_reasons)
		hd__reasons_begin(&a->reasons, h->sim, a->events != NULL);
	if (a->monitor || a->count_reasons) /* these create JSON during the run, for other threads */
		hd__lasting_memory();
	if (a->monitor && !hd__monitor_open(h, a->monitor))
		return false;
	/* what checks channels watches them alone */
	if (!a->dump.path && (a->events || a->count_reasons) && !h->sim->opt.checker)
		hd__observe_causes(h->sim);
	if (!a->dump.path)
		return true;
	a->dump.netlist = flat;
	if (!hd__observe_open(h->sim, &a->dump)) {
		hd__monitor_close(h->monitor);
		return false;
	}
	h->dump_window = dump_window;
	h->dump_is_on = dump_is_on;
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
static bool check_arguments(const struct hd_run_args *a, const struct hd_registry *r)
{
	const char *problem = NULL;
	struct stat st;

	if (!a->input && first_char(a->netlist) > 0 && !strchr("{[", first_char(a->netlist))) {
		fprintf(stderr, "heddle: '%s' is not a netlist; expected NETLIST before TRACE\n", a->netlist);
		return false;
	}
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
	if (stat(a->input, &st) == 0 && S_ISDIR(st.st_mode)) {
		fprintf(stderr, "heddle: trace %s: is a folder; expected a file, such as a 'kernelslist.g' in it\n",
		        a->input);
		return false;
	}
	if (access(a->input, R_OK) != 0)
		problem = strerror(errno);
	if (problem)
		fprintf(stderr, "heddle: trace %s: cannot open: %s\n", a->input, problem);
	return problem == NULL;
}

/* Several threads were requested, and there is one. */
static void warn_of_one_thread(const struct hd_sim *s, const struct hd_run_args *a)
{
	if (a->opt.threads < 2 || a->quiet || a->explain) /* which says so */
		return;
	if (a->in_step_for)
		fprintf(stderr, "heddle: warning: --threads has no effect with %s, which needs the lock step\n",
		        a->in_step_for);
	else if (s->lockstep)
		fprintf(stderr, "heddle: warning: --threads has no effect on this netlist: %s\n", s->lockstep);
}

/* Where the trace of a program is read: a number that is the same in every run, for it is in outputs. */
#define PROGRAM_FD 99

/* A program that does not end by the signal is not waited for: its trace ends here. */
static volatile sig_atomic_t signal_passed;

static void pass_signal(int number)
{
	signal_passed = 1;
	hd__recording_signal(number);
	shutdown(PROGRAM_FD, SHUT_RD);
}

static void about_plan(const struct hd_host *h, double seconds, FILE *out)
{
	struct hd_json_rows rows = hd__stats_rows(h->sim);

	hd__run_plan_progress(h->about_arg, &rows, seconds, out);
}

/* Loads the netlist and attaches what observes the run.  Returns false after printing an error. */
static bool prepare(struct hd_host *h, struct hd_run_args *a, const struct hd_registry *r, struct hd_diags *d)
{
	*h = (struct hd_host){ .status = HD_RUN_MORE, .quiet = a->quiet };
	h->signalled = a->running.child ? pass_signal : NULL;
	h->about = a->plan.file ? about_plan : NULL;
	h->about_arg = &a->plan;
	if (a->opt.nleft_out > 0 || a->rollback) /* they are those of the first time */
		hd__diags_free(d);
	if (a->opt.nleft_out == 0 && !a->rollback && !check_arguments(a, r)) {
		h->sim = NULL;
		return false;
	}
	h->sim = hd__load(a->netlist, (struct hd_registry *)r, &a->opt, false, d);
	if (h->sim && a->opt.checker && !hd__order_check_make(h->sim, a->netlist, d)) {
		hd__diags_print(d, stderr);
	} else if (h->sim && hd__states_prepare(h, &a->states, &a->opt) && open_listeners(h, a)) {
		hd__large_pages(h->sim);
		if (a->opt.nleft_out == 0 && !a->rollback)
			warn_of_one_thread(h->sim, a);
		return true;
	}
	hd__sim_free(h->sim);
	h->sim = NULL;
	return false;
}

/* Drops a run that begins again, and what it has written.  Returns false after printing an error. */
static bool drop(struct hd_host *h, struct hd_run_args *a, struct hd_output *events)
{
	struct hd_output *const all[] = { events, &a->power };
	bool good = true;

	if (h->sim->observer)
		hd__observe_close(h->sim, hd__host_word(h), false);
	hd__energy_drop(&a->watts);
	hd__sim_free(h->sim);
	h->sim = NULL;
	for (size_t i = 0; i < 2 && good; i++) {
		good = !all[i]->f || (fflush(all[i]->f) == 0 && ftruncate(fileno(all[i]->f), 0) == 0
		                      && fseek(all[i]->f, 0, SEEK_SET) == 0);
		if (!good)
			fprintf(stderr, "heddle: %s: cannot be written again: %s; --keep-going expects a file\n",
			        all[i]->path, strerror(errno));
	}
	return good;
}

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)
#define PROGRAM_TRACE "/dev/fd/" TEXT(PROGRAM_FD)

/* Starts the program, unless the netlist has mistakes.  Its trace is the input then: it comes while the program runs,
 * or is whole if the run may read it more than once.  Returns an exit status after printing an error. */
static int start_program(struct hd_run_args *a, struct hd_registry *r, struct hd_diags *d)
{
	struct hd_sim *s = hd__load(a->netlist, r, &a->opt, true, d);
	int fd;

	hd__diags_free(d); /* warnings come again */
	if (!s)
		return HD_EXIT_USAGE;
	a->program.suits = hd__recording_suits(s);
	hd__sim_free(s);
	a->program.first = a->opt.first;
	a->program.last = a->opt.last;
	a->program.parts = !a->opt.keep_going && !a->opt.checker;
	fd = a->program.parts ? hd__recording_start(&a->running, &a->program, &a->program_status)
	     : hd__recording_open(&a->program, &a->program_status);
	if (fd < 0)
		return HD_EXIT_FAILED;
	dup3(fd, PROGRAM_FD, O_CLOEXEC);
	close(fd);
	a->running.socket = -1;
	a->opt.first = a->opt.last = 0;
	a->input = PROGRAM_TRACE;
	a->opt.input = a->input;
	a->opt.input_name = a->program.program[0];
	return HD_EXIT_OK;
}

/* The simulation is over, or does not begin: so is the program. */
static void end_program(struct hd_run_args *a, const struct hd_host *h)
{
	bool stop = !h->sim || h->status != HD_RUN_FINISHED || h->interrupted || signal_passed;

	if (a->running.child)
		a->program_status = hd__recording_end(&a->running, stop);
}

/* From here on neither a plug-in nor damaged input reaches anything else. */
static void confine(struct hd_run_args *a)
{
	hd__confine_read(&a->confine, a->netlist);
	hd__confine_read(&a->confine, a->input);
	hd__confine_read(&a->confine, a->plan.file);
	hd__confine_read(&a->confine, a->energy);
	for (size_t i = 0; i < a->plugins.n; i++)
		hd__confine_read(&a->confine, a->plugins.v[i]);
	hd__confine_read(&a->confine, a->states.load);
	hd__confine_write(&a->confine, a->states.save);
	hd__confine_write(&a->confine, a->stats);
	hd__confine_write(&a->confine, a->summary);
	hd__confine_write(&a->confine, a->events);
	hd__confine_write(&a->confine, a->power_trace);
	hd__confine_write(&a->confine, a->dump.path);
	hd__confine(&a->confine);
}

/* Opens the outputs that are requested.  Returns false after printing an error. */
static bool open_outputs(struct hd_run_args *a, struct hd_output *events, struct hd_output *stats,
                        struct hd_output *summary)
{
	const struct {
		struct hd_output *output;
		const char *path, *option;
	} all[] = {
		{ events, a->events, "--events" },
		{ stats, a->stats, "--stats" },
		{ &a->states.saved, a->states.save, "--save-at" },
		{ summary, a->summary, "--summary" },
		{ &a->power, a->power_trace, "--power-trace" },
	};
	const size_t n = sizeof all / sizeof *all;
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = !all[i].path || hd__output_open(all[i].output, all[i].path, all[i].option) == HD_EXIT_OK;
	for (size_t i = 0; i < n && !ok; i++)
		hd__output_close(all[i].output, false);
	return ok;
}

/* Would the run have to begin again although its program does not?  Drops it then, after printing an error. */
static bool is_lost(struct hd_host *h, struct hd_run_args *a, struct hd_diags *in_run, struct hd_output *events)
{
	if (h->status != HD_RUN_AGAIN || !a->running.child)
		return false;
	hd__diags_print(in_run, stderr);
	fprintf(stderr, "heddle: the run would have to begin again in lock step: %s; expected --lockstep, or the trace "
	        "of the program, from 'heddle trace record'\n", h->sim->rollback);
	drop(h, a, events);
	return true;
}

/* Does the run begin again, because lock step has to do it, or without a kernel that cannot run? */
static bool begins_again(struct hd_host *h, struct hd_run_args *a, struct hd_diags *in_run)
{
	if (h->status == HD_RUN_AGAIN) {
		free(a->rollback);
		a->rollback = hd__xstrdup(h->sim->rollback);
		a->opt.ahead = h->sim->again;
		a->opt.again = true;
		return true;
	}
	if (a->states.saved.f && h->status == HD_RUN_LIMIT && hd__sim_cycles(h->sim) == a->states.save_cycle)
		hd__states_save(h); /* --max-cycles is the same cycle */
	if (h->interrupted || !leave_out(&a->opt, h->sim, h->status, in_run))
		return false;
	a->opt.ahead = a->in_step_for ? 0 : UINT64_MAX; /* another run, without that kernel */
	free(a->rollback);
	a->rollback = NULL;
	return true;
}

/* Returns the exit status of a run that is over. */
static int finish(struct hd_host *h, struct hd_run_args *a, struct hd_diags *in_run, struct hd_output *stats,
                  struct hd_output *summary)
{
	int status;

	if (!a->units.hush || in_run->errors)
		hd__diags_print(in_run, stderr);
	hd__diags_free(in_run);
	status = report(h, a, stats, summary);
	if (h->sim->observer && !hd__observe_close(h->sim, hd__host_word(h), true) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	hd__monitor_close(h->monitor);
	hd__call_fini(h->sim); /* the exit frees everything else */
	if (!a->units.hush)
		hd__diags_print(in_run, stderr);
	return status;
}

/* Simulates the list in parts.  Returns HD_UNITS_PART in a process that simulates one, as any run does. */
static enum hd_units_end run_parts(struct hd_host *h, struct hd_run_args *a, struct hd_registry *r, struct hd_diags *d,
                                   int *status)
{
	struct hd_units_run run = { .u = &a->units, .trace = a->input, .options = &a->opt, .warm = a->plan.warm,
	                            .registry = r, .quiet = a->quiet };
	enum hd_units_end end = HD_UNITS_NOT;

	if (!prepare(h, a, r, d))
		return end;
	end = hd__units_run(&run, h->sim, status);
	if (end == HD_UNITS_PART) {
		a->stats = a->summary = NULL;
		a->quiet = true;
		a->opt.per_item = true;
		a->units.sim = &h->sim;
	}
	if (end != HD_UNITS_JOINED) {
		a->whole = h->sim;
		h->sim = NULL;
		return end;
	}
	a->joined = run.rows;
	a->about_parts = run.joined;
	h->status = HD_RUN_FINISHED;
	h->seconds = run.seconds;
	return end;
}

/* hd_options.item_over */
static void item_over(void *arg)
{
	struct hd_run_args *a = arg;

	if (a->count_reasons)
		hd__reasons_part(&a->reasons);
	if (a->energy)
		hd__energy_item(&a->watts);
}

static void interval(void *arg, const struct hd_energy *e, uint64_t cycle, size_t kernel)
{
	const struct hd_run_args *a = arg;

	if (a->power.f)
		hd__energy_row(e, cycle, kernel, a->power.f);
	if (a->dump.path)
		hd__energy_dump_interval(e);
}

/* Reads the table of energies.  False after messages. */
static bool read_energy(struct hd_run_args *a, const struct hd_registry *modules, struct hd_diags *d)
{
	bool good = hd__energy_read(&a->table, a->energy, NULL, modules, d);

	hd__diags_print(d, stderr);
	hd__diags_free(d);
	hd__energy_options(&a->watts, &a->table, &a->opt);
	a->watts.most = a->opt.most_items > a->watts.most ? a->opt.most_items : a->watts.most;
	a->watts.interval = interval;
	a->watts.arg = a;
	return good;
}

int hd__cmd_run(int argc, char **argv)
{
	struct hd_run_args a;
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct hd_host host = { .status = HD_RUN_MORE };
	struct hd_output stats = { .f = NULL }, summary = { .f = NULL };
	struct event_file events = { .out.f = NULL };
	int status = HD_EXIT_USAGE;
	bool again = true;

	signal(SIGUSR1, SIG_IGN); /* until there is a run of which it may be asked */
	hd__run_args(argc, argv, &a);
	confine(&a);
	if (!hd__units_wanted(&a.units)) /* which reads a record of each part */
		hd__short_memory();
	a.opt.input = a.opt.input_name = a.input;
	a.opt.no_input = "TRACE after NETLIST on the command line, such as the 'kernelslist.g' of a traced program";
	if ((a.plan.file && !hd__run_plan_open(&a.plan, a.input, &a.opt))
	    || !open_outputs(&a, &events.out, &stats, &summary))
		exit(status);
	if (a.events || a.count_reasons) {
		a.opt.event = write_event;
		a.opt.event_arg = &events;
	}
	if (a.count_reasons)
		events.reasons = &a.reasons;
	if (a.count_reasons || a.energy) {
		a.opt.item_over = item_over;
		a.opt.item_arg = &a;
	}
	a.opt.per_item = a.plan.file || a.stats || a.summary || a.dump.path || a.per_kernel || a.states.save;
	a.opt.probe = a.dump.path || a.events || a.count_reasons ? &hd__record_probe : NULL;
	hd__open_registry(&registry, &a.plugins, &diags);
	if (a.energy)
		again = read_energy(&a, &registry, &diags);
	if (again && a.program.program) {
		status = start_program(&a, &registry, &diags);
		again = status == HD_EXIT_OK;
	}
	if (hd__units_wanted(&a.units)) {
		enum hd_units_end end = run_parts(&host, &a, &registry, &diags, &status);

		again = end == HD_UNITS_PART;
		if (end == HD_UNITS_JOINED) {
			struct hd_diags in_run = { .n = 0 };

			status = finish(&host, &a, &in_run, &stats, &summary);
		}
	}
	while (again && prepare(&host, &a, &registry, &diags)) {
		struct hd_diags in_run = { .n = 0 };

		host.sim->diags = &in_run;
		hd__host_run(&host);
		if (is_lost(&host, &a, &in_run, &events.out)) {
			status = HD_EXIT_FAILED;
			again = false;
		} else if (begins_again(&host, &a, &in_run)) {
			hd__units_again(&a.units);
			again = drop(&host, &a, &events.out); /* what there is of it is not to be seen */
		} else {
			again = false;
			end_program(&a, &host);
			status = finish(&host, &a, &in_run, &stats, &summary);
		}
		hd__diags_free(&in_run); /* after fini, which may warn */
	}
	end_program(&a, &host); /* if it could not be simulated */
	if (a.opt.nleft_out > 0 || (a.program_status != HD_EXIT_OK && status == HD_EXIT_OK))
		status = HD_EXIT_FAILED;
	status = hd__states_end(&host, &a.states, status);
	if (a.events && !hd__output_close(&events.out, host.sim != NULL) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	if (a.power_trace && !hd__output_close(&a.power, host.sim != NULL) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	if (a.stats && !host.sim)
		hd__output_close(&stats, false);
	if (a.summary && !host.sim)
		hd__output_close(&summary, false);
	exit(status); /* it frees all that is left */
}

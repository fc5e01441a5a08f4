/* cmd_correlate.c - heddle correlate: holds programs against cycles that were measured on hardware
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "recording.h"
#include "base/child.h"
#include "base/path.h"
#include "base/xalloc.h"
#include "tools/report/report.h"
#include "tools/study/children.h"
#include "tools/study/correlate.h"
#include "traces/runtime/cudart_record.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_JOBS 4096

struct args {
	const char *list, *folder, *page, *csv, *json;
	struct correlate_given given;
	unsigned jobs;
	bool quiet, retry, reports;
	size_t most_reports; /* 0: all */
	struct hd_plugin_files plugins;
	struct correlate_plugins kept; /* a copy of these */
};

enum {
	KEY_CSV = 256,
	KEY_JSON,
	KEY_NETLIST,
	KEY_TRACE,
	KEY_GPU,
	KEY_OTHER,
	KEY_METRIC,
	KEY_CLOCK,
	KEY_RETRY,
	KEY_REPORTS
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "write a page with the scatter, the errors, and all points", 0 },
	{ "folder", 'f', "FOLDER", 0,
	  "where recorded traces and results are kept (default: the name of the list, "
	  "NAME.results, in the present folder)",
	  0 },
	{ "jobs", 'j', "N", 0, "programs and simulations that run at a time (default: the number of processors)", 0 },
	{ "csv", KEY_CSV, "FILE", 0, "write the points as a table; - is standard output", 0 },
	{ "json", KEY_JSON, "FILE", 0, "write points and figures as JSON; - is standard output", 0 },
	{ "netlist", KEY_NETLIST, "FILE", 0, "the netlist, in place of the list's", 0 },
	{ "set", 's', "PATH=VALUE", 0, "change the netlist, besides what the list sets; may be given again", 0 },
	{ "gpu", KEY_GPU, "NAME", 0, "the GPU that programs find, as heddle trace record has it; default: the one that "
	  "suits the netlist", 0 },
	{ "clock", KEY_CLOCK, "MHZ", 0, "of the measured GPU, for durations", 0 },
	{ "trace", KEY_TRACE, "FILE", 0, "of a table of measurements: the trace with the kernels", 0 },
	{ "metric", KEY_METRIC, "NAME", 0, "of an export of Nsight Compute: the metric that has the cycles", 0 },
	{ "other", KEY_OTHER, "[NAME=]COLUMN", 0, "a column with the cycles of another simulator; may be given again",
	  0 },
	{ "reports", KEY_REPORTS, "N", OPTION_ARG_OPTIONAL, "make the page of 'heddle report' for the N points with "
	  "the largest errors, without N for each, and link to it; their runs are repeated with a dump", 0 },
	{ "retry", KEY_RETRY, NULL, 0, "run points again that did not finish", 0 },
	{ "quiet", 'q', NULL, 0, "no progress and no table", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* ---- arguments ----------------------------------------------------------------------------- */

static void add(const char *const **v, size_t *n, const char *arg)
{
	const char **to = hd__xappend((void *)*v, *n, sizeof *to);

	to[(*n)++] = arg;
	*v = to;
}

static double mhz(struct argp_state *st, const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v > 0 && v < 1e6))
		argp_error(st, "--clock: '%s': expected a frequency in MHz, above 0", text);
	return v;
}

static bool is_standard(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static void check(struct argp_state *st, const struct args *a)
{
	if (!a->list)
		argp_error(st, "expected LIST.json, or a table of measurements");
	if (a->given.trace && a->given.program)
		argp_error(st, "--trace and a program: expected one of them");
	if (is_standard(a->csv) + is_standard(a->json) + is_standard(a->page) > 1)
		argp_error(st, "two outputs are standard output; expected one at most");
	if (a->reports && !a->page)
		argp_error(st, "--reports: expected --output FILE as well, the page that links to them");
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; break;
	case 'o': a->page = arg; break;
	case 'f': a->folder = arg; break;
	case 'j': a->jobs = (unsigned)hd__arg_number(st, "--jobs", arg, 1, MOST_JOBS, NULL); break;
	case 's': add(&a->given.sets, &a->given.nsets, arg); break;
	case 'q': a->quiet = true; break;
	case KEY_CSV: a->csv = arg; break;
	case KEY_JSON: a->json = arg; break;
	case KEY_NETLIST: a->given.netlist = arg; break;
	case KEY_TRACE: a->given.trace = arg; break;
	case KEY_METRIC: a->given.metric = arg; break;
	case KEY_OTHER: add(&a->given.others, &a->given.nothers, arg); break;
	case KEY_CLOCK: a->given.mhz = mhz(st, arg); break;
	case KEY_REPORTS:
		a->reports = true;
		a->most_reports = arg ? hd__arg_number(st, "--reports", arg, 1, STUDY_MOST_POINTS, NULL) : 0;
		break;
	case KEY_RETRY: a->retry = true; break;
	case KEY_GPU:
		hd__recording_gpu(st, arg);
		a->given.gpu = arg;
		break;
	case ARGP_KEY_ARG:
		if (a->list && st->quoted && st->next > st->quoted) {
			a->given.program = &st->argv[st->next - 1];
			st->next = st->argc;
			break;
		}
		if (a->list)
			argp_error(st, "unexpected argument '%s'; expected one list, and a program behind --", arg);
		a->list = arg;
		break;
	case ARGP_KEY_END: check(st, a); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options,
	                          parse,
	                          "LIST.json\nTABLE.csv --netlist=FILE --trace=FILE\nTABLE.csv --netlist=FILE -- "
	                          "PROGRAM [ARGUMENT...]",
	                          "Simulates the programs of a list, and prints their cycles beside those that were "
	                          "measured on hardware: the error of "
	                          "each, MAPE, median, Pearson's r.  TABLE has measurements of one program, such as an "
	                          "export of Nsight Compute.\v"
	                          "Programs are recorded as 'heddle trace record' does, and simulated as the points of "
	                          "a study.  What is in the folder "
	                          "already does not run again.  docs/hardware.md describes lists and tables.\n\n"
	                          "Exit status: 0 all points have cycles, 1 some have none, or it was interrupted, or "
	                          "something could not be written, "
	                          "2 bad usage, list or table.",
	                          hd__plugin_args,
	                          NULL,
	                          NULL };

/* ---- the netlist --------------------------------------------------------------------------- */

/* What the results need of it. */
struct machine {
	json_t *modules; /* array of instances -> module */
	double kernel_latency, cta_latency;
};

/* Reads the netlist with its changes.  Returns false after printing what is wrong. */
static bool load(struct machine *m, struct correlate *c, struct hd_registry *r, struct hd_diags *d)
{
	const struct hd_options o = { .sets = (const char *const *)c->sets, .nsets = c->nsets };
	struct hd_sim *s = hd__load(c->netlist, r, &o, true, d);

	if (!s)
		return false;
	c->machine = hd__xstrdup(s->netlist->name ? s->netlist->name : c->netlist);
	m->modules = json_object();
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		char *array = hd__path_any_index(in->path);

		json_object_set_new(m->modules, array, json_string(in->module->name));
		free(array);
		if (strcmp(in->module->name, "dispatcher") == 0) {
			m->kernel_latency = hd__parameter(in, "kernel_latency");
			m->cta_latency = hd__parameter(in, "cta_latency");
		}
	}
	c->suits = hd__recording_suits(s);
	hd__sim_free(s);
	return true;
}

/* The changes as a study has them: single values, a later one in place of an earlier one. */
static json_t *set_of(const struct correlate *c)
{
	json_t *set = json_object();

	for (size_t i = 0; i < c->nsets; i++) {
		const char *equal = strchr(c->sets[i], '=');
		char *path = hd__xstrndup(c->sets[i], (size_t)(equal - c->sets[i]));
		json_t *v = json_loads(equal + 1, JSON_DECODE_ANY, NULL);

		if (!v)
			v = json_string(equal + 1);
		if (json_is_array(v) || json_is_object(v))
			v = json_pack("[o]", v);
		json_object_set_new(set, path, v);
		free(path);
	}
	return set;
}

/* ---- simulating ---------------------------------------------------------------------------- */

/* Runs the study in the folder, with messages on standard error.  Returns an exit status. */
static int sweep(const struct args *a, const char *study)
{
	struct child_task *t = hd__xcalloc(1, sizeof *t);
	int how = 0, status = HD_EXIT_FAILED;
	char jobs[32];
	pid_t pid;

	snprintf(jobs, sizeof jobs, "%u", a->jobs);
	children_word(t, "heddle sweep");
	children_option(t, "--jobs", jobs);
	children_option(t, "--output", a->folder);
	if (a->quiet)
		children_word(t, "--quiet");
	if (a->retry)
		children_word(t, "--retry");
	if (a->kept.none)
		children_word(t, "--no-plugins");
	for (size_t i = 0; i < a->kept.n; i++)
		children_option(t, "--plugin", a->kept.v[i]);
	children_word(t, study);
	fflush(NULL);
	pid = hd__fork(SIGTERM);
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		how = hd__cmd_sweep((int)t->n, t->argv);
		fflush(NULL);
		_exit(how);
	}
	if (pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how))
		status = WEXITSTATUS(how);
	children_free(t, 1);
	return status;
}

/* Records, and writes the study.  *study: its file, or NULL: there is nothing to run.  Returns an exit status. */
static int record(const struct args *a, struct correlate *c, char **study)
{
	struct study_folder f = { .at = -1, .lock = -1 };
	struct study_cache cache;
	char *library = NULL;
	json_t *s = NULL;
	bool ok = true;
	int status = study_folder_open(&f, a->folder, false);

	if (status != HD_EXIT_OK)
		return status;
	for (size_t i = 0; i < c->ntraces && !library && ok; i++)
		if (c->traces[i].command)
			ok = (library = hd__recording_library()) != NULL;
	if (c->suits)
		hd__xcheck(setenv(CUDA_SUITS, c->suits, 1) == 0 ? "" : NULL);
	study_cache_open(&cache, &f);
	ok = ok && correlate_record(c, &f, &cache, library, a->jobs, a->quiet);
	study_cache_close(&cache);
	if (ok) {
		correlate_select(c);
		s = correlate_study(c);
		if (!s && c->nruns > 0)
			fprintf(stderr, "heddle: netlist %s: the name of its folder is not UTF-8\n", c->netlist);
		ok = s ? study_folder_write(&f, "study.json", s, JSON_INDENT(1)) : c->nruns == 0;
		*study = s && ok ? study_folder_name(&f, "study.json") : NULL;
	}
	json_decref(s);
	free(library);
	study_folder_close(&f);
	return ok ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* ---- outputs ------------------------------------------------------------------------------- */

static void write_data(void *arg, FILE *out)
{
	report_json(out, arg);
}

static void put_page(const struct correlate *c, json_t *data, FILE *out)
{
	char *title = hd__format("heddle: %s against hardware", c->list.name);

	report_page(out, "study.html", &(struct report_content){ .title = title, .data = write_data, .arg = data });
	free(title);
}

static void put_csv(const struct correlate *c, json_t *data, FILE *out)
{
	(void)c;
	correlate_csv(data, out);
}

static void put_json(const struct correlate *c, json_t *data, FILE *out)
{
	(void)c;
	json_dumpf(data, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)); /* if it fails, the stream has an error */
	fputc('\n', out);
}

enum { OUTPUTS = 3 };

static const struct {
	const char *option;
	void (*put)(const struct correlate *c, json_t *data, FILE *out);
} outputs[OUTPUTS] = { { "--csv", put_csv }, { "--json", put_json }, { "--output", put_page } };

static const char *file_of(const struct args *a, int i)
{
	return i == 0 ? a->csv : i == 1 ? a->json : a->page;
}

/* All are tried. */
static int write_all(const struct args *a, const struct correlate *c)
{
	json_t *data = correlate_json(c, is_standard(a->page) ? NULL : a->page);
	int status = HD_EXIT_OK, one;

	if (!a->quiet && !is_standard(a->csv) && !is_standard(a->json) && !is_standard(a->page))
		correlate_print(c, stdout);
	for (int i = 0; i < OUTPUTS; i++) {
		struct hd_output o;

		if (!file_of(a, i))
			continue;
		one = hd__output_open(&o, file_of(a, i), outputs[i].option);
		if (one == HD_EXIT_OK) {
			outputs[i].put(c, data, o.f);
			one = hd__output_close(&o, true) ? HD_EXIT_OK : HD_EXIT_FAILED;
		}
		status = one != HD_EXIT_OK ? one : status;
	}
	json_decref(data);
	return status;
}

/* Files that outputs must not replace. */
static void note_inputs(const struct correlate *c)
{
	const json_t *v;
	size_t k;

	for (size_t i = 0; i < c->ntraces; i++) {
		const struct correlate_trace *t = &c->traces[i];

		if (!t->command)
			hd__input_note_name(t->file);
		json_array_foreach(t->command, k, v) {
			const char *name = json_string_value(v);
			char *path = name[0] == '/' ? hd__xstrdup(name) : hd__format("%s/%s", t->folder, name);

			hd__input_note_name(path);
			free(path);
		}
	}
}

/* Can the outputs be written?  That is asked before hours of runs, not behind them. */
static int check_outputs(const struct args *a)
{
	struct hd_output o[OUTPUTS] = { { .f = NULL } };
	int status = HD_EXIT_OK;

	for (int i = 0; i < OUTPUTS && status == HD_EXIT_OK; i++)
		if (file_of(a, i) && !is_standard(file_of(a, i)))
			status = hd__output_name(&o[i], file_of(a, i), outputs[i].option);
	for (int i = 0; i < OUTPUTS; i++)
		if (o[i].path)
			hd__output_close(&o[i], false);
	return status;
}

/* ---- the command --------------------------------------------------------------------------- */

static int correlate(const struct args *a, struct correlate *c, const struct machine *m)
{
	struct study_folder f = { .path = a->folder, .at = -1, .lock = -1 };
	char *study = NULL;
	int status;

	note_inputs(c);
	status = check_outputs(a);
	if (status == HD_EXIT_OK)
		status = record(a, c, &study);
	if (status == HD_EXIT_OK && study)
		status = sweep(a, study);
	free(study);
	if (status != HD_EXIT_OK)
		return status;
	if (c->nruns > 0 && !correlate_results(c, &f, m->modules, m->kernel_latency, m->cta_latency))
		return HD_EXIT_FAILED;
	if (a->reports && !correlate_reports(c, &f, a->most_reports, &a->kept, a->jobs, a->quiet))
		return HD_EXIT_FAILED;
	status = write_all(a, c);
	for (size_t i = 0; i < c->n && status == HD_EXIT_OK; i++)
		if (c->v[i].why)
			status = HD_EXIT_FAILED;
	return status;
}

int hd__cmd_correlate(int argc, char **argv)
{
	struct args a = { 0 };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct machine m = { .modules = NULL };
	struct correlate c = { .n = 0 };
	char *folder = NULL;
	int status = HD_EXIT_USAGE;

	hd__parse_args_in_order(&argp, argc, argv, &a);
	if (!a.jobs)
		a.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	for (size_t i = 0; i < a.plugins.n; i++)
		add((const char *const **)&a.kept.v, &a.kept.n, a.plugins.v[i]);
	a.kept.none = a.plugins.none;
	hd__open_registry(&registry, &a.plugins, &diags);
	if (diags.errors == 0 && correlate_read(&c, a.list, &a.given, &diags) && load(&m, &c, &registry, &diags)) {
		c.set = set_of(&c);
		if (!a.folder)
			a.folder = folder = hd__format("%s.results", c.list.name);
		hd__diags_free(&diags);
		status = correlate(&a, &c, &m);
	}
	hd__diags_print(&diags, stderr);
	json_decref(c.set);
	json_decref(m.modules);
	correlate_free(&c);
	free(folder);
	free((void *)a.given.sets);
	free((void *)a.given.others);
	free(a.kept.v);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

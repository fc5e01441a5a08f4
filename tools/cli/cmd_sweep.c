/* cmd_sweep.c - heddle sweep: runs the points of a study
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "base/child.h"
#include "tools/energy/energy.h"
#include "tools/study/plan.h"
#include "tools/study/inputs.h"
#include "tools/study/jobs.h"
#include "tools/study/study_netlists.h"
#include "tools/study/slurm.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_JOBS 4096
#define CHUNK 20 /* points of a task of Slurm */
#define OWN 5    /* files of a folder of results */

struct args {
	const char *study, *output, *csv, *json, *cache;
	unsigned jobs;
	size_t first, last; /* points; last 0: all */
	bool dry_run, collect, retry, quiet, slurm, status;
	size_t chunk;       /* 0: not given */
	const char **sbatch; /* its options */
	size_t nsbatch;
	double seconds;     /* 0: as the study has it */
	uint64_t megabytes;
	struct hd_plugin_files plugins;
};

enum { KEY_POINTS = 256, KEY_COLLECT, KEY_RETRY, KEY_SECONDS, KEY_MEGABYTES, KEY_CSV, KEY_JSON,
	KEY_SLURM, KEY_CHUNK, KEY_STATUS, KEY_CACHE };

static const struct argp_option options[] = {
	{ "output", 'o', "FOLDER", 0, "where the results are; needed", 0 },
	{ "jobs", 'j', "N", 0, "points that run at a time (default: the number of processors)", 0 },
	{ "dry-run", 'n', NULL, 0, "list the points, and for how long they will run; run nothing", 0 },
	{ "points", KEY_POINTS, "A[-B]", 0, "only the points with these numbers; no database is written", 0 },
	{ "collect", KEY_COLLECT, NULL, 0, "run nothing, write the database of the results that are there", 0 },
	{ "retry", KEY_RETRY, NULL, 0, "run points again that did not finish", 0 },
	{ "seconds", KEY_SECONDS, "N", 0, "longest time of a point, in place of that of the study", 0 },
	{ "megabytes", KEY_MEGABYTES, "N", 0, "most memory of a point, in place of that of the study", 0 },
	{ "csv", KEY_CSV, "FILE", 0, "write the results as a table, too", 0 },
	{ "json", KEY_JSON, "FILE", 0, "write the results as JSON, too", 0 },
	{ "slurm", KEY_SLURM, NULL, 0, "submit what has to run as a job array of Slurm; sbatch gets what is "
	  "behind --", 0 },
	{ "chunk", KEY_CHUNK, "N", 0, "with --slurm: points of a task (default 20)", 0 },
	{ "status", KEY_STATUS, NULL, 0, "count the points that have results, and tasks of Slurm that run or wait", 0 },
	{ "results-cache", KEY_CACHE, "FOLDER", 0, "for each point, as heddle run takes it; default for a study that "
	  "splits lists: OUTPUT/kernels", 0 },
	{ "quiet", 'q', NULL, 0, "no progress and no summary", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

/* ---- arguments ----------------------------------------------------------------------------- */

static void range(struct argp_state *st, const char *text, struct args *a)
{
	char *end;

	a->first = a->last = hd__arg_number(st, "--points", text, 1, STUDY_MOST_POINTS, &end);
	if (*end == '-')
		a->last = hd__arg_number(st, "--points", end + 1, 1, STUDY_MOST_POINTS, &end);
	if (*end || a->last < a->first)
		argp_error(st, "--points: '%s' is not a range; expected A or A-B, from 1", text);
}

static double seconds(struct argp_state *st, const char *text)
{
	char *end;
	double v = strtod(text, &end);

	if (end == text || *end || !(v > 0 && v <= 1e9))
		argp_error(st, "--seconds: '%s': expected a number above 0, at most 10^9", text);
	return v;
}

static void check(struct argp_state *st, const struct args *a)
{
	if (!a->study)
		argp_error(st, "expected STUDY");
	if (!a->output)
		argp_error(st, "expected --output FOLDER, where the results are");
	if ((a->slurm || a->status) && a->slurm + a->status + a->collect + a->dry_run + (a->last != 0) > 1)
		argp_error(st, "%s: expected no other of --slurm, --status, --collect, --dry-run and --points",
		           a->slurm ? "--slurm" : "--status");
	if (!a->slurm && a->nsbatch)
		argp_error(st, "unexpected argument '%s'; it is for sbatch, with --slurm", a->sbatch[0]);
	if (!a->slurm && a->chunk)
		argp_error(st, "--chunk: expected --slurm as well");
	if (a->slurm && a->jobs)
		argp_error(st, "--jobs and --slurm: expected one of them; a task runs as many points at a time as it "
		           "has processors, '-- --cpus-per-task=N'");
	if (a->collect && (a->dry_run || a->last))
		argp_error(st, "--collect and %s: expected one of them", a->dry_run ? "--dry-run" : "--points");
	if ((a->csv || a->json) && (a->dry_run || a->last || a->slurm || a->status))
		argp_error(st, "%s and %s: expected one of them; tables are made of all points",
		           a->csv ? "--csv" : "--json", a->dry_run ? "--dry-run" : a->last ? "--points"
		           : a->slurm ? "--slurm" : "--status");
}

/* An argument behind "--", but STUDY may stand there as well. */
static bool is_for_sbatch(const struct argp_state *st, const struct args *a)
{
	return st->quoted && st->next > st->quoted && a->study;
}

static error_t parse(int key, char *arg, struct argp_state *st)
{
	struct args *a = st->input;

	switch (key) {
	case ARGP_KEY_INIT: st->child_inputs[0] = &a->plugins; break;
	case 'o': a->output = arg; break;
	case 'j': a->jobs = (unsigned)hd__arg_number(st, "--jobs", arg, 1, MOST_JOBS, NULL); break;
	case 'n': a->dry_run = true; break;
	case 'q': a->quiet = true; break;
	case KEY_POINTS: range(st, arg, a); break;
	case KEY_COLLECT: a->collect = true; break;
	case KEY_RETRY: a->retry = true; break;
	case KEY_SECONDS: a->seconds = seconds(st, arg); break;
	case KEY_MEGABYTES: a->megabytes = hd__arg_number(st, "--megabytes", arg, 1, (size_t)1 << 30, NULL); break;
	case KEY_CSV: a->csv = arg; break;
	case KEY_JSON: a->json = arg; break;
	case KEY_SLURM: a->slurm = true; break;
	case KEY_CHUNK: a->chunk = hd__arg_number(st, "--chunk", arg, 1, STUDY_MOST_POINTS, NULL); break;
	case KEY_STATUS: a->status = true; break;
	case KEY_CACHE: a->cache = arg; break;
	case ARGP_KEY_ARG:
		if (is_for_sbatch(st, a)) {
			a->sbatch = hd__xappend(a->sbatch, a->nsbatch, sizeof *a->sbatch);
			a->sbatch[a->nsbatch++] = arg;
			break;
		}
		if (a->study)
			argp_error(st, "unexpected argument '%s'; expected STUDY", arg);
		a->study = arg;
		break;
	case ARGP_KEY_END: check(st, a); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options, parse, "STUDY [-- SBATCH-OPTION...]",
	"Runs every combination of the netlists, values and traces that STUDY names, each as a process of its own, and "
	"writes the results into a folder: a file for each, and one database.  What is there already does not run "
	"again.\v"
	"SIGINT, SIGTERM and SIGHUP end the sweep; the same command continues it.\n\n"
	"Exit status: 0 all points have results, 1 interrupted, or something could not be written, 2 bad usage or "
	"study.",
	hd__plugin_args, NULL, NULL
};

/* ---- the sweep ----------------------------------------------------------------------------- */

/* ran: SIZE_MAX: nothing was to run. */
static void print_summary(const struct study_plan *p, size_t n, size_t ran)
{
	const char *status, *sep = ": ";
	json_t *finished = json_object_get(p->statuses, "finished"), *v;

	printf("%s: %zu point%s", p->study->name, n, n == 1 ? "" : "s");
	if (ran != SIZE_MAX)
		printf(", %zu run now", ran);
	if (finished) {
		printf("%s%lld finished", sep, (long long)json_integer_value(finished));
		sep = ", ";
	}
	json_object_foreach(p->statuses, status, v) {
		if (v == finished)
			continue;
		printf("%s%lld %s", sep, (long long)json_integer_value(v), status);
		sep = ", ";
	}
	if (p->ndone < n)
		printf("%s%zu not run", sep, n - p->ndone);
	putchar('\n');
}

/* Another process will write these: they must not replace what this one has read, nor each other, nor what it keeps
 * in its folder.  Returns false after printing an error. */
static bool outputs_are_free(const struct args *a, const struct study_folder *f)
{
	static const char *const names[] = { "results.sqlite", "points.json", "statistics.json", "traces.cache", "lock",
	                                     "--csv", "--json" };
	const char *const given[] = { a->csv, a->json };
	struct hd_output o[OWN + 2] = { { .f = NULL } };
	size_t n = 0;
	int status = HD_EXIT_OK;

	for (; n < OWN + 2 && status == HD_EXIT_OK; n++) {
		const char *path = n < OWN ? NULL : given[n - OWN];

		if (n < OWN)
			status = hd__output_below(&o[n], f->at, f->path, names[n], names[n]);
		else if (path && strcmp(path, "-") != 0)
			status = hd__output_name(&o[n], path, names[n]);
		if (n >= OWN && status == HD_EXIT_OK && hd__output_is_folder(&o[n])) {
			hd__output_close(&o[n], false);
			status = HD_EXIT_USAGE;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (o[i].path && (status == HD_EXIT_OK || i + 1 < n))
			hd__output_close(&o[i], false);
	return status == HD_EXIT_OK;
}

/* heddle-dump has the library for databases; it writes that.  If the sweep is killed, it removes what it has begun
 * rather than write beside the sweep that goes on. */
static int collect(const struct args *a)
{
	char *argv[8], *csv = NULL, *json = NULL;
	int argc = 0, how = 0;
	pid_t pid;

	argv[argc++] = "heddle sweep";
	if (a->csv)
		argv[argc++] = csv = hd__join("--csv=", a->csv, "");
	if (a->json)
		argv[argc++] = json = hd__join("--json=", a->json, "");
	if (a->quiet)
		argv[argc++] = "--quiet";
	argv[argc++] = "--";
	argv[argc++] = (char *)a->output;
	argv[argc] = NULL;
	fflush(NULL);
	pid = hd__fork(SIGTERM);
	if (pid == 0)
		_exit(hd__cmd_exec(argc, argv));
	free(csv);
	free(json);
	if (pid < 0 || waitpid(pid, &how, 0) != pid)
		return HD_EXIT_FAILED;
	return WIFEXITED(how) ? WEXITSTATUS(how) : HD_EXIT_FAILED;
}

static bool write_lists(const struct study_plan *p, const struct study_folder *f, const struct hd_registry *r)
{
	json_t *plan = study_plan_json(p), *catalogue = study_catalogue(r);
	bool ok = study_folder_write(f, "points.json", plan, JSON_COMPACT | JSON_REAL_PRECISION(15))
	          && study_folder_write(f, "statistics.json", catalogue, JSON_COMPACT);

	json_decref(plan);
	json_decref(catalogue);
	return ok;
}

/* Has Slurm run what has to run, or shows how far it is. */
static int slurm(const struct args *a, const struct study_plan *p, const struct study_folder *f,
                 const struct study_jobs *j)
{
	struct study_slurm s = { .folder = f, .plan = p, .chunk = a->chunk ? a->chunk : CHUNK, .plugins = j->plugins,
		.nplugins = j->nplugins, .no_plugins = j->no_plugins, .retry = a->retry, .quiet = a->quiet,
		.cache = a->cache, .options = a->sbatch, .noptions = a->nsbatch };

	if (a->slurm)
		return study_slurm_submit(&s);
	print_summary(p, p->n, SIZE_MAX);
	return study_slurm_status(&s, stdout);
}

/* Runs what has to run, writes what is asked for. */
static int run(struct args *a, struct study_plan *p, const struct study_folder *f, struct study_jobs *j)
{
	size_t first = a->last ? a->first : 1, last = a->last ? a->last : p->n, joins = 0, n, *order;

	if (last > p->n) {
		fprintf(stderr, "heddle: --points: the study has %zu point%s; expected no number above that\n", p->n,
		        p->n == 1 ? "" : "s");
		return HD_EXIT_USAGE;
	}
	study_plan_look(p, f, first, last, a->retry);
	if (a->dry_run) {
		study_plan_print(p, first, last, a->jobs, stdout);
		return HD_EXIT_OK;
	}
	if (a->slurm || a->status)
		return slurm(a, p, f, j);
	if (!a->last && !hd__exec_can("heddle sweep", "heddle-dump")) /* before hours of runs, not behind them */
		return HD_EXIT_FAILED;
	order = study_plan_order(p, first, last, false, &n);
	if (!a->collect)
		study_jobs_run(j, order, n);
	free(order);
	order = study_plan_order(p, first, last, true, &n); /* which reads what the pieces have left */
	if (!a->last && !j->interrupted && !j->failed)
		study_jobs_run(j, order, n);
	free(order);
	for (size_t i = first - 1; a->last && i < last; i++)
		joins += study_plan_joins(p, i) && !p->v[i].done;
	if (!a->quiet)
		print_summary(p, last + 1 - first, j->ran);
	if (j->interrupted || j->failed)
		return HD_EXIT_FAILED;
	if (!a->last && collect(a) != HD_EXIT_OK)
		return HD_EXIT_FAILED;
	return a->collect || p->ndone + joins == last + 1 - first ? HD_EXIT_OK : HD_EXIT_FAILED;
}

/* What each point would refuse: a wrong table of energies, a cache of parts.  Returns false after messages. */
static bool check_points(const struct args *a, const struct study *s, const struct hd_registry *r, struct hd_diags *d)
{
	struct hd_energy_table t = { .name = NULL };
	const char *whole = a->cache ? study_needs_whole(s) : NULL;
	bool good = !s->energy || hd__energy_read(&t, s->energy, NULL, r, d);

	hd__energy_free(&t);
	if (whole)
		hd__diag(d, HD_DIAG_ERROR, s->file, 0, 0, "'%s' and --results-cache: expected one of them", whole);
	return good && !whole;
}

/* Imports, into the folder `made`; checks and hashes; then runs. */
static int prepare(struct args *a, struct study *s, const struct study_folder *f, const struct study_folder *made,
                   const struct hd_registry *r, struct hd_diags *d, struct study_jobs *j)
{
	char program[STUDY_KEY], (*hashes)[STUDY_KEY];
	struct study_cache cache;
	struct study_plan plan;
	char *kernels = study_folder_name(f, "kernels");
	int status = HD_EXIT_USAGE;

	for (size_t i = 0; i < s->nnetlists; i++) {
		if (!s->netlists[i].import || hd__import_of_study(s, &s->netlists[i], made, NULL))
			continue;
		free(kernels);
		return HD_EXIT_USAGE;
	}
	study_cache_open(&cache, f);
	hashes = check_points(a, s, r, d) ? study_check_all(s, r, &cache, d) : NULL;
	if (hashes)
		study_hash_traces(s, &cache); /* which remembers the files of the traces as inputs */
	if (hashes && ((!a->csv && !a->json) || outputs_are_free(a, f))) {
		study_hash_program(r, &cache, program);
		study_hash_netlists(s, r, &cache, a->jobs, program, hashes);
		study_plan_make(&plan, s, program, hashes);
		plan.seconds = a->seconds > 0 ? a->seconds : plan.seconds;
		plan.megabytes = a->megabytes ? a->megabytes : plan.megabytes;
		j->plan = &plan;
		j->cache = a->cache ? a->cache : s->pieces ? kernels : NULL;
		if (!a->dry_run && j->cache)
			mkdir(j->cache, 0777); /* if it cannot be made, the points say so */
		status = a->dry_run || write_lists(&plan, f, r) ? run(a, &plan, f, j) : HD_EXIT_FAILED;
		study_plan_free(&plan);
	}
	free(hashes);
	cache.changed &= !a->dry_run;
	study_cache_close(&cache);
	free(kernels);
	return status;
}

/* Leaves nothing. */
static int dry_run(struct args *a, struct study *s, const struct study_folder *f, const struct hd_registry *r,
                   struct hd_diags *d, struct study_jobs *j)
{
	struct study_folder scratch;
	bool imports = false;
	int status;

	for (size_t i = 0; i < s->nnetlists; i++)
		imports |= s->netlists[i].import != NULL;
	if (!imports)
		return prepare(a, s, f, f, r, d, j);
	status = study_folder_scratch(&scratch) ? prepare(a, s, f, &scratch, r, d, j) : HD_EXIT_FAILED;
	study_folder_close(&scratch);
	free((char *)scratch.path);
	return status;
}

int hd__cmd_sweep(int argc, char **argv)
{
	struct args a = { 0 };
	struct hd_registry registry = { .n = 0 };
	struct hd_diags diags = { .n = 0 };
	struct study_folder folder = { .at = -1, .lock = -1 };
	struct study_jobs jobs = { 0 };
	struct study *s = NULL;
	const char **plugins;
	int status = HD_EXIT_USAGE;

	hd__parse_args(&argp, argc, argv, &a);
	if (!a.jobs)
		a.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	plugins = hd__xcalloc(a.plugins.n, sizeof *plugins);
	memcpy(plugins, a.plugins.v ? a.plugins.v : plugins, a.plugins.n * sizeof *plugins);
	jobs = (struct study_jobs){ .folder = &folder, .plugins = plugins, .nplugins = a.plugins.n,
		.no_plugins = a.plugins.none, .most = a.jobs, .quiet = a.quiet };
	hd__open_registry(&registry, &a.plugins, &diags);
	if (diags.errors == 0)
		s = study_read(a.study, &diags);
	if (s) {
		/* others run some points of the folder */
		status = a.dry_run ? study_folder_look(&folder, a.output)
		                   : study_folder_open(&folder, a.output, a.last != 0 || a.slurm || a.status);
		if (status == HD_EXIT_OK && a.dry_run)
			status = dry_run(&a, s, &folder, &registry, &diags, &jobs);
		else if (status == HD_EXIT_OK)
			status = prepare(&a, s, &folder, &folder, &registry, &diags, &jobs);
		if (status == HD_EXIT_USAGE)
			study_folder_refused(&folder);
		study_folder_close(&folder);
	}
	hd__diags_print(&diags, stderr);
	study_free(s);
	free(plugins);
	free(a.sbatch);
	hd__diags_free(&diags);
	hd__registry_free(&registry);
	return status;
}

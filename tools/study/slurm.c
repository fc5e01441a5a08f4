/* slurm.c - submits the points of a study as a job array, and shows what became of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "slurm.h"
#include "base/below.h"
#include "base/bytes.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORD "slurm.json"
#define SCRIPT "slurm.sh"

extern char **environ;

/* The jobs that were submitted for a folder, in its file slurm.json. */
struct slurm_job {
	char *id;
	size_t chunk, waiting, running;
};

struct queue {
	struct slurm_job *v;
	size_t n;
	bool *queued; /* by point: it is in a task that waits or runs */
};

/* ---- commands ------------------------------------------------------------------------------ */

static char *read_all(int fd)
{
	size_t n = 0, cap = 0;
	char *text = NULL;
	ssize_t got;

	do {
		text = hd__xreserve(text, n + 4096, &cap, 1);
		got = read(fd, text + n, cap - n - 1);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text[n] = '\0';
	return text;
}

/* What one of Slurm's commands prints; the caller frees it.  NULL after printing an error, or the command did. */
static char *call(char **argv)
{
	posix_spawn_file_actions_t actions;
	int fds[2], wrong, how = 0;
	char *text = NULL;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0) {
		fprintf(stderr, "heddle: %s: %s\n", argv[0], strerror(errno));
		return NULL;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
	wrong = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	if (wrong) {
		fprintf(stderr, "heddle: %s: %s; expected Slurm's commands in PATH\n", argv[0], strerror(wrong));
	} else {
		text = read_all(fds[0]);
		while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(how) || WEXITSTATUS(how) != 0) {
			fprintf(stderr, "heddle: %s failed\n", argv[0]);
			free(text);
			text = NULL;
		}
	}
	close(fds[0]);
	return text;
}

/* ---- the record ---------------------------------------------------------------------------- */

static void read_record(struct queue *q, const struct study_folder *f)
{
	json_t *record = study_folder_read(f, RECORD), *job;
	size_t i;

	json_array_foreach(json_object_get(record, "jobs"), i, job) {
		const char *id = json_string_value(json_object_get(job, "job"));
		json_int_t chunk = json_integer_value(json_object_get(job, "chunk"));

		if (!id || chunk < 1)
			continue;
		q->v = hd__xappend(q->v, q->n, sizeof *q->v);
		q->v[q->n++] = (struct slurm_job){ .id = hd__xstrdup(id), .chunk = (size_t)chunk };
	}
	json_decref(record);
}

/* Writes the file: the jobs that still wait or run, and a new one.  Returns false after printing an error. */
static bool note(const struct queue *q, const struct study_folder *f, const char *id,
                      size_t chunk)
{
	json_t *jobs = json_array(), *record;
	bool ok;

	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].waiting + q->v[i].running > 0 && strcmp(q->v[i].id, id) != 0)
			json_array_append_new(jobs, json_pack("{s:s, s:I}", "job", q->v[i].id, "chunk",
			                                      (json_int_t)q->v[i].chunk));
	json_array_append_new(jobs, json_pack("{s:s, s:I}", "job", id, "chunk", (json_int_t)chunk));
	record = json_pack("{s:o}", "jobs", jobs);
	ok = study_folder_write(f, RECORD, record, JSON_INDENT(1));
	json_decref(record);
	return ok;
}

/* ---- the queue ----------------------------------------------------------------------------- */

/* A line of squeue: job, task, state.  Tasks that are being ended do not count. */
static void take_line(struct queue *q, size_t points, char *line)
{
	char *save = NULL, *id = strtok_r(line, " ", &save), *task = strtok_r(NULL, " ", &save);
	char *state = strtok_r(NULL, " ", &save);
	size_t number = task ? strtoul(task, NULL, 10) : 0;

	if (!state || strcmp(state, "COMPLETING") == 0 || number == 0)
		return;
	for (size_t i = 0; i < q->n; i++) {
		struct slurm_job *job = &q->v[i];

		if (strcmp(job->id, id) != 0)
			continue;
		if (strcmp(state, "RUNNING") == 0)
			job->running++;
		else
			job->waiting++;
		for (size_t k = (number - 1) * job->chunk; k < number * job->chunk && k < points; k++)
			q->queued[k] = true;
	}
}

/* Reads the file, and asks Slurm which tasks of these jobs wait or run, of a study with so many points.  Returns
 * false after printing an error. */
static bool ask(struct queue *q, const struct study_folder *f, size_t points)
{
	char *argv[] = { "squeue", "--noheader", "--array", "--me", "--format=%F %K %T", NULL };
	char *text, *line, *save = NULL;

	*q = (struct queue){ .queued = hd__xcalloc(points, sizeof *q->queued) };
	read_record(q, f);
	if (q->n == 0)
		return true;
	text = call(argv);
	if (!text)
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		take_line(q, points, line);
	free(text);
	return true;
}

static void free_queue(struct queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->v[i].id);
	free(q->v);
	free(q->queued);
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* ---- the script of a task ------------------------------------------------------------------ */

/* Writes the text as one word of the shell. */
static void put_word(FILE *f, const char *text)
{
	fputs(" '", f);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", f);
		else
			fputc(*text, f);
	fputc('\'', f);
}

/* The name of a file for other folders and machines.  Returns false after printing an error. */
static bool put_file(FILE *f, const char *path)
{
	char *whole = realpath(path, NULL);

	if (!whole)
		fprintf(stderr, "heddle: %s: %s\n", path, strerror(errno));
	else
		put_word(f, whole);
	free(whole);
	return whole != NULL;
}

static bool put_command(const struct study_slurm *s, FILE *f)
{
	const struct study_plan *p = s->plan;
	bool ok;

	fputs("exec", f);
	ok = put_file(f, "/proc/self/exe");
	fputs(" sweep", f);
	ok = ok && put_file(f, p->study->file);
	fputs(" --output", f);
	ok = ok && put_file(f, s->folder->path);
	fputs(" --points \"$first-$last\" --quiet --jobs \"${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\"", f);
	if (s->retry)
		fputs(" --retry", f);
	if (p->seconds != p->study->seconds)
		fprintf(f, " --seconds %.15g", p->seconds);
	if (p->megabytes != p->study->megabytes)
		fprintf(f, " --megabytes %" PRIu64, p->megabytes);
	if (s->no_plugins)
		fputs(" --no-plugins", f);
	if (s->cache) {
		fputs(" --results-cache", f);
		ok = ok && put_file(f, s->cache);
	}
	for (size_t i = 0; i < s->nplugins; i++) {
		fputs(" --plugin", f);
		ok = ok && put_file(f, s->plugins[i]);
	}
	fputc('\n', f);
	return ok;
}

/* Task K runs the Kth chunk of points.  Returns false after printing an error. */
static bool write_script(const struct study_slurm *s)
{
	struct hd_output o;
	bool ok;

	if (hd__output_below(&o, s->folder->at, s->folder->path, SCRIPT, NULL) != HD_EXIT_OK
	    || hd__output_stream(&o) != HD_EXIT_OK)
		return false;
	fprintf(o.f, "#!/bin/sh\n"
	        "# Written by heddle sweep --slurm: task K runs the Kth %zu points of a study.\n"
	        "first=$(((SLURM_ARRAY_TASK_ID - 1) * %zu + 1))\n"
	        "last=$((first + %zu))\n"
	        "test \"$last\" -le %zu || last=%zu\n", s->chunk, s->chunk, s->chunk - 1, s->plan->n, s->plan->n);
	ok = put_command(s, o.f);
	return hd__output_close(&o, ok);
}

/* ---- the job ------------------------------------------------------------------------------- */

/* "--array=1-3,5": the chunks with points that are to run and not queued, *n of them. */
static char *array_of(const struct study_slurm *s, const struct queue *q, size_t *n)
{
	struct hd_bytes text = { 0 };
	size_t begin = 0, chunks = (s->plan->n + s->chunk - 1) / s->chunk;
	char *part;

	*n = 0;
	hd__bytes_append(&text, "--array=", 8);
	for (size_t k = 0; k <= chunks; k++) {
		bool wanted = false;

		for (size_t i = k * s->chunk; i < (k + 1) * s->chunk && i < s->plan->n; i++)
			wanted |= !s->plan->v[i].done && !study_plan_joins(s->plan, i) && !q->queued[i];
		if (wanted) {
			begin = begin ? begin : k + 1;
			++*n;
		} else if (begin) { /* chunks begin to k, counted from 1 */
			part = begin == k ? hd__format("%zu,", k) : hd__format("%zu-%zu,", begin, k);
			hd__bytes_append(&text, part, strlen(part));
			free(part);
			begin = 0;
		}
	}
	text.v[text.n - 1] = '\0'; /* the last comma */
	return (char *)text.v;
}

/* The option that says where tasks print, which the caller frees; NULL after printing an error. */
static char *log_option(const struct study_folder *f)
{
	char *folder = study_folder_name(f, "slurm"), *option = NULL;
	char *whole = hd__below_folder(f->at, "slurm") ? realpath(folder, NULL) : NULL;

	if (whole)
		option = hd__join("--output=", whole, "/%A_%a.log");
	else
		fprintf(stderr, "heddle: %s: %s\n", folder, strerror(errno));
	free(whole);
	free(folder);
	return option;
}

/* sbatch --parsable prints NUMBER or NUMBER;CLUSTER as its last line.  What stands in front of it is from the
 * administrators of the machine.  Leaves the number; returns false after printing an error. */
static bool keep_number(char *text)
{
	size_t n = strlen(text), digits;
	char *line;

	while (n > 0 && strchr(" \n", text[n - 1]))
		text[--n] = '\0';
	line = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
	digits = strspn(line, "0123456789");
	if (digits == 0 || (line[digits] != '\0' && line[digits] != ';')) {
		fprintf(stderr, "heddle: sbatch has printed '%s'; expected the number of a job as its last line, and "
		        "nothing behind it; squeue --me shows whether there is a job\n", line);
		return false;
	}
	memmove(text, line, digits);
	text[digits] = '\0';
	return true;
}

/* Returns the job's number, which the caller frees; NULL after an error was printed. */
static char *submit(const struct study_slurm *s, char *array, const char *script)
{
	char **argv = hd__xcalloc(s->noptions + 10, sizeof *argv), *id;
	char *name = hd__join("--job-name=", s->plan->study->name, ""), *log = log_option(s->folder);
	size_t n = 0;

	argv[n++] = "sbatch";
	argv[n++] = "--parsable";
	argv[n++] = "--requeue";
	argv[n++] = "--open-mode=append";
	argv[n++] = name;
	argv[n++] = log;
	argv[n++] = array;
	for (size_t i = 0; i < s->noptions; i++)
		argv[n++] = (char *)s->options[i];
	argv[n++] = (char *)script;
	id = log ? call(argv) : NULL;
	if (id && !keep_number(id)) {
		free(id);
		id = NULL;
	}
	free(log);
	free(name);
	free(argv);
	return id;
}

static int submit_chunks(const struct study_slurm *s, const struct queue *q)
{
	char *script = study_folder_name(s->folder, SCRIPT), *id = NULL;
	int status = HD_EXIT_OK;
	size_t n;
	char *array = array_of(s, q, &n);

	if (n > 0) {
		id = write_script(s) ? submit(s, array, script) : NULL;
		if (!id || !note(q, s->folder, id, s->chunk))
			status = HD_EXIT_FAILED;
	}
	if (id && !s->quiet)
		printf("%s: job %s: %zu tasks of %zu points\n", s->plan->study->name, id, n, s->chunk);
	else if (n == 0 && !s->quiet)
		printf("%s: nothing to submit: each point has a result, or is in a task\n", s->plan->study->name);
	free(id);
	free(array);
	free(script);
	return status;
}

int study_slurm_submit(const struct study_slurm *s)
{
	struct queue q;
	int status = ask(&q, s->folder, s->plan->n) ? submit_chunks(s, &q) : HD_EXIT_FAILED;

	free_queue(&q);
	return status;
}

int study_slurm_status(const struct study_slurm *s, FILE *out)
{
	struct queue q;
	size_t missing = 0, tasks = 0;
	bool ok = ask(&q, s->folder, s->plan->n);

	for (size_t i = 0; ok && i < q.n; i++) {
		if (q.v[i].waiting + q.v[i].running > 0)
			fprintf(out, "job %s: %zu tasks running, %zu waiting\n", q.v[i].id, q.v[i].running,
			        q.v[i].waiting);
		tasks += q.v[i].waiting + q.v[i].running;
	}
	for (size_t i = 0; ok && i < s->plan->n; i++)
		missing += !s->plan->v[i].done && !study_plan_joins(s->plan, i) && !q.queued[i];
	if (ok && tasks == 0)
		fputs("no task is running or waiting\n", out);
	if (ok && missing > 0)
		fprintf(out, "%zu points are in no task; --slurm submits them\n", missing);
	free_queue(&q);
	return ok ? HD_EXIT_OK : HD_EXIT_FAILED;
}

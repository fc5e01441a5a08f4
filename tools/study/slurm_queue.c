/* slurm_queue.c - Slurm's commands, and which points of a study are in a task already
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "slurm.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORD "slurm.json"

extern char **environ;

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

char *study_slurm_call(char **argv)
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

static void read_record(struct study_slurm_queue *q, const struct study_folder *f)
{
	char *path = study_folder_name(f, RECORD);
	json_t *record = json_load_file(path, 0, NULL), *job;
	size_t i;

	json_array_foreach(json_object_get(record, "jobs"), i, job) {
		const char *id = json_string_value(json_object_get(job, "job"));
		json_int_t chunk = json_integer_value(json_object_get(job, "chunk"));

		if (!id || chunk < 1)
			continue;
		q->v = hd__xappend(q->v, q->n, sizeof *q->v);
		q->v[q->n++] = (struct study_slurm_job){ .id = hd__xstrdup(id), .chunk = (size_t)chunk };
	}
	json_decref(record);
	free(path);
}

bool study_slurm_note(const struct study_slurm_queue *q, const struct study_folder *f, const char *id,
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
static void take_line(struct study_slurm_queue *q, size_t points, char *line)
{
	char *save = NULL, *id = strtok_r(line, " ", &save), *task = strtok_r(NULL, " ", &save);
	char *state = strtok_r(NULL, " ", &save);
	size_t number = task ? strtoul(task, NULL, 10) : 0;

	if (!state || strcmp(state, "COMPLETING") == 0 || number == 0)
		return;
	for (size_t i = 0; i < q->n; i++) {
		struct study_slurm_job *job = &q->v[i];

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

bool study_slurm_ask(struct study_slurm_queue *q, const struct study_folder *f, size_t points)
{
	char *argv[] = { "squeue", "--noheader", "--array", "--me", "--format=%F %K %T", NULL };
	char *text, *line, *save = NULL;

	*q = (struct study_slurm_queue){ .queued = hd__xcalloc(points, sizeof *q->queued) };
	read_record(q, f);
	if (q->n == 0)
		return true;
	text = study_slurm_call(argv);
	if (!text)
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		take_line(q, points, line);
	free(text);
	return true;
}

void study_slurm_free(struct study_slurm_queue *q)
{
	for (size_t i = 0; i < q->n; i++)
		free(q->v[i].id);
	free(q->v);
	free(q->queued);
}

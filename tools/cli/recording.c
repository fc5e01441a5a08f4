/* recording.c - runs a CUDA program with heddle's runtime library, and takes the trace that comes of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"
#include "recording.h"
#include "base/child.h"
#include "base/folders.h"
#include "base/xalloc.h"
#include "traces/hasm/trace_folder.h"
#include "traces/runtime/cudart_record.h"
#include "traces/runtime/gpus.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libcudart.so.13"

void hd__recording_gpu(struct argp_state *st, const char *name)
{
	char *names = hd__gpu_names();

	if (!hd__gpu_by_name(name))
		argp_error(st, "--gpu: there is no GPU '%s'; expected one of %s", name, names);
	free(names);
}

/* ---- where the library is ---- */

/* A folder that fits the pattern and has the library; NULL: none has. */
static char *folder_like(const char *pattern)
{
	char *file = hd__join(pattern, "/", LIBRARY), *found = NULL;
	glob_t all;

	if (glob(file, 0, NULL, &all) == 0) {
		found = hd__xstrndup(all.gl_pathv[0], strlen(all.gl_pathv[0]) - strlen(LIBRARY) - 1);
		globfree(&all);
	}
	free(file);
	return found;
}

/* That of the build, or of the prefix in which this program is. */
char *hd__recording_library(void)
{
	static const char *const tries[] = { "/traces/runtime/.libs", "/../lib/heddle/cuda", "/../lib/*/heddle/cuda" };
	char own[PATH_MAX], *found = NULL;
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

	own[n > 0 ? n : 0] = '\0';
	if (strrchr(own, '/'))
		*strrchr(own, '/') = '\0';
	for (size_t i = 0; i < sizeof tries / sizeof *tries && !found; i++) {
		char *pattern = hd__join(own, tries[i], "");

		found = folder_like(pattern);
		free(pattern);
	}
	if (!found)
		found = folder_like(PKGLIBDIR "/cuda");
	if (!found)
		fprintf(stderr, "heddle: there is no %s; expected it in '%s/cuda'\n", LIBRARY, PKGLIBDIR);
	return found;
}

/* ---- the program ---- */

static void set(const char *name, const char *value)
{
	if (value)
		hd__xcheck(setenv(name, value, 1) == 0 ? "" : NULL);
	else
		unsetenv(name);
}

static void set_environment(const struct hd_recording *r, const char *folder, const char *library)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	char *paths = hd__join(library, path && *path ? ":" : "", path ? path : "");
	char *range = hd__format("%" PRIu64 "-%" PRIu64, r->first, r->last);

	set("LD_LIBRARY_PATH", paths);
	set(CUDA_RECORD_FOLDER, folder);
	set(CUDA_RECORD_KERNELS, r->first ? range : NULL);
	set(CUDA_RECORD_TEXT, r->text ? "1" : NULL);
	set(CUDA_CHECK, r->check ? "1" : NULL);
	set(CUDA_FINDINGS, r->findings);
	if (r->gpu)
		set("HEDDLE_GPU", r->gpu);
	free(paths);
	free(range);
}

/* Becomes the program, or tells `report` why not. */
static _Noreturn void become(const struct hd_recording *r, const char *folder, const char *library, int report)
{
	static const int defaults[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXFSZ };
	int error;

	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		signal(defaults[i], SIG_DFL);
	set_environment(r, folder, library);
	execvp(r->program[0], r->program);
	error = errno;
	while (write(report, &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

static volatile sig_atomic_t running; /* pid of the program */

/* A terminal sends its signals to the program, too; others send them here. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_USER && running)
		kill((pid_t)running, number);
}

static const int passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { PASSED = sizeof passed / sizeof *passed };

/* Waits for the program, whatever this process is sent meanwhile. */
static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Runs the program to its end.  Returns what waitpid() gives; -1 after printing an error. */
static int run(const struct hd_recording *r, const char *folder, const char *library)
{
	struct sigaction act = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART }, was[PASSED];
	int report[2], status = -1, error = 0;
	pid_t child;

	fflush(stdout);
	if (pipe2(report, O_CLOEXEC) != 0) {
		fprintf(stderr, "heddle: %s: %s\n", r->program[0], strerror(errno));
		return -1;
	}
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &act, &was[i]);
	child = hd__fork(SIGKILL);
	if (child == 0)
		become(r, folder, library, report[1]);
	error = child < 0 ? errno : 0;
	close(report[1]);
	if (child > 0) {
		running = child;
		while (read(report[0], &error, sizeof error) < 0 && errno == EINTR)
			;
		status = wait_for(child);
		running = 0;
	}
	close(report[0]);
	for (int i = 0; i < PASSED; i++)
		sigaction(passed[i], &was[i], NULL);
	if (!error)
		return status;
	fprintf(stderr, "heddle: %s: cannot be run: %s\n", r->program[0], strerror(error));
	return -1;
}

/* ---- what it leaves ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void remove_scratch(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool is_there(const char *folder, const char *name)
{
	char *path = hd__join(folder, "/", name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* How many kernels were launched; false: the process that is recorded did not come to its end. */
static bool count(const char *folder, uint64_t *launches)
{
	char *path = hd__join(folder, "/", CUDA_RECORD_COUNT);
	FILE *f = fopen(path, "r");
	bool read = f && fscanf(f, "%" SCNu64, launches) == 1;

	if (f)
		fclose(f);
	free(path);
	return read;
}

/* Prints how the program ended, unless that was with 0.  Returns the exit status for it. */
static int say_end(const struct hd_recording *r, int status)
{
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "heddle: '%s' was ended by signal %d (%s)\n", r->program[0], WTERMSIG(status),
		        strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	if (WEXITSTATUS(status))
		fprintf(stderr, "heddle: '%s' ended with exit status %d\n", r->program[0], WEXITSTATUS(status));
	return WEXITSTATUS(status);
}

static void say_why(const struct hd_recording *r, const char *folder, bool killed)
{
	const char *name = r->program[0];
	uint64_t launches;

	if (!is_there(folder, CUDA_RECORD_CLAIM) && !killed)
		fprintf(stderr,
		        "heddle: nothing is recorded: '%s' did not use heddle's CUDA runtime, or launched nothing; "
		        "expected a program that was built with 'nvcc -cudart shared' and launches kernels\n", name);
	else if (!count(folder, &launches))
		fprintf(stderr, "heddle: nothing is recorded: '%s' did not end by exit()\n", name);
	else if (r->first > launches)
		fprintf(stderr, "heddle: nothing is recorded: '%s' launched %" PRIu64 " kernels; expected %" PRIu64
		        " or more, as --kernel says\n", name, launches, r->first);
	else
		fprintf(stderr, "heddle: nothing is recorded of '%s'\n", name);
}

/* The trace that is in the scratch folder is `trace` then. */
static bool take(const struct hd_recording *r, const char *folder, const char *trace)
{
	char *made = hd__join(folder, "/", CUDA_RECORD_TRACE);
	bool ok = rename(made, trace) == 0;
	uint64_t launches;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", trace, strerror(errno));
	else if (r->first && r->last != UINT64_MAX && count(folder, &launches) && launches < r->last)
		fprintf(stderr,
		        "heddle: warning: '%s' launched %" PRIu64 " kernels; --kernel says %" PRIu64 "-%" PRIu64 "\n",
		        r->program[0], launches, r->first, r->last);
	free(made);
	return ok;
}

/* Runs the program.  `scratch` is a folder for it that is not there, and is not there afterwards; the trace gets the
 * name `trace`.  Returns whether it is there, after printing what kept it from that, and how the program ended if that
 * was not with exit status 0.  *status: its exit status, or 128 and a signal's number; HD_EXIT_FAILED if it did not
 * run. */
static bool record(const struct hd_recording *r, const char *scratch, const char *trace, int *status)
{
	char *library = hd__recording_library();
	int ended = -1;
	bool ok = false;

	*status = HD_EXIT_FAILED;
	if (library && mkdir(scratch, 0700) != 0) {
		fprintf(stderr, "heddle: %s: %s\n", scratch, strerror(errno));
	} else if (library) {
		ended = run(r, scratch, library);
		if (ended >= 0) {
			*status = say_end(r, ended);
			if (*status == HD_EXIT_OK && is_there(scratch, CUDA_RECORD_FOUND))
				*status = HD_EXIT_FAILED;
			ok = WIFEXITED(ended) && is_there(scratch, CUDA_RECORD_TRACE);
			if (!ok)
				say_why(r, scratch, WIFSIGNALED(ended));
			ok = ok && take(r, scratch, trace);
		}
		remove_scratch(scratch);
	}
	free(library);
	return ok;
}

static int open_output(struct hd_output *o, const char *path, bool folder)
{
	int status = folder ? hd__folder_open(o, path) : hd__output_name(o, path, "-o");

	if (status != HD_EXIT_OK || folder)
		return status;
	if (o->target && !hd__output_is_folder(o))
		return HD_EXIT_OK;
	if (!o->target)
		fprintf(stderr, "heddle: -o %s: is not a file; expected the name of one\n", path);
	hd__output_close(o, false);
	return HD_EXIT_USAGE;
}

/* The program and its arguments may be files that the output must not replace. */
static void note_inputs(char *const *argv)
{
	struct stat st;

	for (; *argv; argv++)
		if (stat(*argv, &st) == 0 && S_ISREG(st.st_mode))
			hd__input_note_name(*argv);
}

int hd__recording_write(const struct hd_recording *r, const char *path)
{
	struct hd_output o;
	int status;
	char *scratch;
	bool ok;

	note_inputs(r->program);
	status = open_output(&o, path, r->text);
	if (status != HD_EXIT_OK)
		return status;
	scratch = hd__join(o.name, ".d", "");
	ok = record(r, scratch, o.name, &status);
	free(scratch);
	if (!hd__output_close(&o, ok) && status == HD_EXIT_OK)
		status = HD_EXIT_FAILED;
	return status;
}

int hd__recording_open(const struct hd_recording *r, int *status)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = hd__join(temporary && *temporary ? temporary : "/tmp", "/heddle.XXXXXX", "");
	char *scratch, *trace;
	int fd = -1;

	*status = HD_EXIT_FAILED;
	if (!mkdtemp(folder)) {
		fprintf(stderr, "heddle: %s: %s\n", folder, strerror(errno));
		free(folder);
		return -1;
	}
	scratch = hd__join(folder, "/", "recording");
	trace = hd__join(folder, "/", CUDA_RECORD_TRACE);
	if (record(r, scratch, trace, status))
		fd = open(trace, O_RDONLY | O_CLOEXEC);
	remove_scratch(folder);
	free(folder);
	free(scratch);
	free(trace);
	return fd;
}

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

#include "traces/trace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIBRARY "libcudart.so.13"

void hd__recording_gpu(struct argp_state *st, const char *name)
{
	char *names = hd__gpu_names();

	if (!hd__gpu_by_name(name))
		argp_error(st, "--gpu: there is no GPU '%s'; expected one of %s", name, names);
	free(names);
}

const char *hd__recording_suits(const struct hd_sim *s)
{
	uint32_t newest = 0, sms = 0;
	const struct cuda_gpu *g;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		if (strcmp(in->module->name, "trace_source") == 0)
			newest = hd__parameter(in, "newest");
		else if (strcmp(in->module->name, "warps") == 0)
			sms++;
	}
	g = hd__gpu_like(newest, sms, s->netlist->name ? s->netlist->name : "");
	return g ? g->name : NULL;
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
	char *range = hd__format("%" PRIu64 "-%" PRIu64, r->first, r->last), *limit = hd__format("%" PRIu64, r->limit);

	set("LD_LIBRARY_PATH", paths);
	set(CUDA_RECORD_FOLDER, folder);
	set(CUDA_RECORD_KERNELS, r->first ? range : NULL);
	set(CUDA_RECORD_TEXT, r->text ? "1" : NULL);
	set(CUDA_RECORD_PARTS, r->parts ? "1" : NULL);
	set(CUDA_SIMULATED_TIME, r->simulated_time ? "1" : NULL);
	set(CUDA_LIMIT, r->limit ? limit : NULL);
	set(CUDA_CHECK, r->check ? "1" : NULL);
	set(CUDA_FINDINGS, r->findings);
	if (r->gpu)
		set("HEDDLE_GPU", r->gpu);
	if (r->suits)
		set(CUDA_SUITS, r->suits);
	free(paths);
	free(range);
	free(limit);
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

/* Signals that this process gets are passed on, or are what they were before. */
static void guard(bool on)
{
	static struct sigaction was[PASSED];
	struct sigaction act = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&act.sa_mask);
	for (int i = 0; i < PASSED; i++)
		if (on)
			sigaction(passed[i], &act, &was[i]);
		else
			sigaction(passed[i], &was[i], NULL);
}

void hd__recording_signal(int number)
{
	if (running)
		kill((pid_t)running, number);
}

/* Starts the program; signals are passed on to it from here on.  Returns its pid; -1 after printing an error. */
static pid_t launch(const struct hd_recording *r, const char *folder, const char *library)
{
	int report[2], error = 0;
	pid_t child;

	fflush(stdout);
	if (pipe2(report, O_CLOEXEC) != 0) {
		fprintf(stderr, "heddle: %s: %s\n", r->program[0], strerror(errno));
		return -1;
	}
	guard(true);
	child = hd__fork(SIGKILL);
	if (child == 0)
		become(r, folder, library, report[1]);
	error = child < 0 ? errno : 0;
	close(report[1]);
	if (child > 0) {
		running = child;
		while (read(report[0], &error, sizeof error) < 0 && errno == EINTR)
			;
	}
	close(report[0]);
	if (!error)
		return child;
	if (child > 0)
		wait_for(child);
	running = 0;
	guard(false);
	fprintf(stderr, "heddle: %s: cannot be run: %s\n", r->program[0], strerror(error));
	return -1;
}

/* Runs the program to its end.  Returns what waitpid() gives; -1 after printing an error. */
static int run(const struct hd_recording *r, const char *folder, const char *library)
{
	pid_t child = launch(r, folder, library);
	int status;

	if (child < 0)
		return -1;
	status = wait_for(child);
	running = 0;
	guard(false);
	return status;
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

/* The exit status for what the program has left. */
static int status_of(const struct hd_recording *r, const char *folder, int ended)
{
	int status = say_end(r, ended);

	return status == HD_EXIT_OK && is_there(folder, CUDA_RECORD_FOUND) ? HD_EXIT_FAILED : status;
}

static void say_why(const struct hd_recording *r, const char *folder, bool killed)
{
	const char *name = r->program[0];
	const char *done = r->first > r->last ? "checked" : "recorded";
	uint64_t launches;

	if (!is_there(folder, CUDA_RECORD_CLAIM))
		fprintf(stderr,
		        "heddle: nothing is %s: '%s' did not use heddle's CUDA runtime, or launched nothing%s; "
		        "expected a program that was built with 'nvcc -cudart shared' and launches kernels\n", done,
		        name, killed ? " before it ended" : "");
	else if (!count(folder, &launches))
		fprintf(stderr, "heddle: nothing is %s: '%s' did not end by exit()\n", done, name);
	else if (r->first > launches)
		fprintf(stderr, "heddle: nothing is recorded: '%s' launched %" PRIu64 " kernels; expected %" PRIu64
		        " or more, as --kernel says\n", name, launches, r->first);
	else
		fprintf(stderr, "heddle: nothing is recorded of '%s'\n", name);
}

/* Warns if only some of the kernels that were requested by number were launched. */
static void say_some(const struct hd_recording *r, const char *folder)
{
	uint64_t launches;

	if (r->first && r->last != UINT64_MAX && count(folder, &launches) && launches < r->last)
		fprintf(stderr,
		        "heddle: warning: '%s' launched %" PRIu64 " kernels; --kernel says %" PRIu64 "-%" PRIu64 "\n",
		        r->program[0], launches, r->first, r->last);
}

/* The trace that is in the scratch folder is `trace` then. */
static bool take(const struct hd_recording *r, const char *folder, const char *trace)
{
	char *made = hd__join(folder, "/", CUDA_RECORD_TRACE);
	bool ok = rename(made, trace) == 0;

	if (!ok)
		fprintf(stderr, "heddle: %s: %s\n", trace, strerror(errno));
	else
		say_some(r, folder);
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
			*status = status_of(r, scratch, ended);
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

/* A new folder for temporary files; NULL after printing an error. */
static char *temporary_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	char *folder = hd__join(temporary && *temporary ? temporary : "/tmp", "/heddle.XXXXXX", "");

	if (mkdtemp(folder))
		return folder;
	fprintf(stderr, "heddle: %s: %s\n", folder, strerror(errno));
	free(folder);
	return NULL;
}

int hd__recording_check(const struct hd_recording *r)
{
	struct hd_recording none = *r;
	char *library = hd__recording_library();
	char *folder = library ? temporary_folder() : NULL;
	int status = HD_EXIT_FAILED, ended = -1;
	uint64_t launches;

	none.first = 1; /* up to 0: of no launch */
	none.last = 0;
	if (folder)
		ended = run(&none, folder, library);
	if (ended >= 0) {
		status = status_of(&none, folder, ended);
		if (!count(folder, &launches)) {
			say_why(&none, folder, WIFSIGNALED(ended));
			status = status == HD_EXIT_OK ? HD_EXIT_FAILED : status;
		}
	}
	if (folder)
		remove_scratch(folder);
	free(folder);
	free(library);
	return status;
}

int hd__recording_open(const struct hd_recording *r, int *status)
{
	char *folder = temporary_folder();
	char *scratch, *trace;
	int fd = -1;

	*status = HD_EXIT_FAILED;
	if (!folder)
		return -1;
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

/* ---- a program that runs while it is simulated ---- */

#define LOOK_MS 50 /* how long the end of a program without kernels may go unseen */
#define GRACE_MS 2000 /* that a program has to end before it is killed */

/* A socket in the folder at which the program connects.  -1 after printing an error. */
static int listen_in(const char *folder)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	/* a path that is never too long for the address */
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" CUDA_RECORD_SOCKET, place);
	if (place < 0 || fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 1) != 0) {
		fprintf(stderr, "heddle: %s: no socket can be made there: %s\n", folder, strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	if (place >= 0)
		close(place);
	return fd;
}

/* Waits for the program to connect.  -1: it has ended, with *ended as waitpid() gives it. */
static int await(struct hd_program *p, int listener, int *ended)
{
	struct pollfd f = { .fd = listener, .events = POLLIN };
	struct ucred peer = { .pid = 0 };
	socklen_t n = sizeof peer;
	int fd = -1;

	while (fd < 0) {
		if (poll(&f, 1, LOOK_MS) > 0) {
			fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		} else if (waitpid(p->child, ended, WNOHANG) > 0) {
			p->child = 0;
			return -1;
		}
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0)
		p->recorded = peer.pid;
	return fd;
}

/* Waits for the first of the trace, which stays where it is.  Returns false if there is nothing. */
static bool any_kernel(int fd)
{
	struct part_message m = { .kind = PART_END };
	ssize_t n;

	do
		n = recv(fd, &m, sizeof m, MSG_PEEK);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof m && m.kind != PART_END;
}

/* The program has ended. */
static void clean_up(struct hd_program *p)
{
	running = 0;
	guard(false);
	remove_scratch(p->folder);
	free(p->folder);
	if (p->socket >= 0)
		close(p->socket);
	p->folder = NULL;
	p->socket = -1;
	p->child = 0;
}

int hd__recording_start(struct hd_program *p, const struct hd_recording *r, int *status)
{
	char *library = hd__recording_library();
	int listener, ended = 0;

	*p = (struct hd_program){ .r = r, .folder = library ? temporary_folder() : NULL, .socket = -1 };
	*status = HD_EXIT_FAILED;
	listener = p->folder ? listen_in(p->folder) : -1;
	p->child = listener >= 0 ? launch(r, p->folder, library) : -1;
	free(library);
	if (p->child < 0) {
		if (listener >= 0)
			close(listener);
		if (p->folder)
			remove_scratch(p->folder);
		free(p->folder);
		p->child = 0;
		return -1;
	}
	p->socket = await(p, listener, &ended);
	close(listener);
	if (p->socket >= 0 && any_kernel(p->socket)) {
		guard(false); /* the simulation has its own */
		return p->socket;
	}
	if (p->child)
		ended = wait_for(p->child);
	*status = status_of(r, p->folder, ended);
	say_why(r, p->folder, WIFSIGNALED(ended));
	clean_up(p);
	return -1;
}

/* Ends the program, by force if it takes too long. */
static void stop_program(const struct hd_program *p, int *ended)
{
	const struct timespec moment = { .tv_nsec = 10 * 1000 * 1000 };
	int tries = GRACE_MS / 10;

	kill(p->child, SIGTERM);
	if (p->recorded && p->recorded != p->child)
		kill(p->recorded, SIGTERM);
	while (tries-- > 0 && waitpid(p->child, ended, WNOHANG) == 0)
		nanosleep(&moment, NULL);
	if (tries >= 0)
		return;
	kill(p->child, SIGKILL);
	if (p->recorded && p->recorded != p->child)
		kill(p->recorded, SIGKILL);
	*ended = wait_for(p->child);
}

int hd__recording_end(struct hd_program *p, bool stop)
{
	int ended = 0, status;

	if (!p->child)
		return HD_EXIT_OK;
	guard(true);
	if (stop && waitpid(p->child, &ended, WNOHANG) == 0) {
		stop_program(p, &ended);
		fprintf(stderr, "heddle: '%s' was ended, for its simulation does not go on\n", p->r->program[0]);
		status = HD_EXIT_OK;
	} else {
		if (!stop)
			ended = wait_for(p->child);
		status = status_of(p->r, p->folder, ended);
		say_some(p->r, p->folder);
	}
	clean_up(p);
	return status;
}

/* correlate_traces.c - the traces of the programs that are held against hardware: recorded, and their launches
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A recording has the hash of all that it depends on as its name: the program, its arguments, the files that these and
 * the list name, and the library that executes it.  What else a program reads nobody knows.
 */
#include "correlate.h"
#include "base/below.h"
#include "base/child.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "kernel_names.h"
#include "traces/trace_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MESSAGE 2000 /* bytes of what a recording printed */
#define NOT_STARTED 125

/* ---- what a recording depends on ---- */

struct texts {
	char **v;
	size_t n;
};

static void add_text(struct texts *t, const char *text)
{
	t->v = hd__xappend(t->v, t->n, sizeof *t->v);
	t->v[t->n++] = hd__xstrdup(text);
}

/* The hash of a file; a folder, and what is not there, have none. */
static void add_file(struct texts *t, struct study_cache *cache, const char *folder, const char *name)
{
	char *path = name[0] == '/' ? hd__xstrdup(name) : hd__format("%s/%s", folder, name), hash[STUDY_KEY] = "";
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		study_hash_file(cache, path, hash);
	add_text(t, hash);
	free(path);
}

static char *recording_name(const struct correlate *c, const struct correlate_trace *t, struct study_cache *cache,
                            const char *library)
{
	struct texts all = { .n = 0 };
	char hash[STUDY_KEY];
	const json_t *v;
	size_t i;

	add_text(&all, PACKAGE_VERSION);
	add_file(&all, cache, library, "libcudart.so.13");
	add_text(&all, c->gpu != NULL ? c->gpu : "");
	add_text(&all, t->record != NULL ? t->record : "");
	add_text(&all, t->folder);
	json_array_foreach(t->command, i, v) {
		add_text(&all, json_string_value(v));
		add_file(&all, cache, t->folder, json_string_value(v));
	}
	add_text(&all, hd__digits((char[HD_DIGITS]){ 0 }, (size_t)t->status));
	json_array_foreach(t->inputs, i, v)
		add_file(&all, cache, t->folder, json_string_value(v));
	study_hash_texts((const char *const *)all.v, all.n, hash);
	for (i = 0; i < all.n; i++)
		free(all.v[i]);
	free(all.v);
	return hd__format("%s.hpack", hash);
}

/* ---- recording ---- */

struct recorder {
	const struct correlate *c;
	const struct study_folder *f;
	struct job {
		pid_t pid; /* 0: none */
		struct correlate_trace *t;
		FILE *err; /* what it prints */
	} *v;
	unsigned most, running;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	(void)number;
	stopped = 1;
}

/* Becomes "heddle trace record". */
static void become(const struct recorder *r, const struct correlate_trace *t, FILE *err)
{
	const double *seconds = &(double){ json_number_value(json_object_get(r->c->limits, "seconds")) };
	size_t n = json_array_size(t->command), k = 0;
	char **argv = hd__xcalloc(n + 10, sizeof *argv);
	const json_t *v;
	size_t i;
	int in;

	argv[k++] = "heddle";
	argv[k++] = "trace";
	argv[k++] = "record";
	argv[k++] = hd__join("--output=", t->file, "");
	if (r->c->gpu != NULL)
		argv[k++] = hd__join("--gpu=", r->c->gpu, "");
	if (t->record != NULL)
		argv[k++] = hd__join("--kernel=", t->record, "");
	argv[k++] = "--";
	json_array_foreach(t->command, i, v)
		argv[k++] = (char *)json_string_value(v);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	setpgid(0, 0);
	in = open("/dev/null", O_RDWR);
	if (in < 0 || dup2(in, 0) < 0 || dup2(in, 1) < 0 || dup2(fileno(err), 2) < 0)
		_exit(NOT_STARTED);
	if (chdir(t->folder) != 0) {
		fprintf(stderr, "heddle: folder '%s': %s\n", t->folder, strerror(errno));
		_exit(NOT_STARTED);
	}
	if (*seconds > 0)
		alarm(*seconds < 1 ? 1 : (unsigned)*seconds); /* which the next program inherits */
	execv("/proc/self/exe", argv);
	_exit(NOT_STARTED);
}

/* Keeps the recording, or notes why there is none. */
static void note_end(const struct job *job, int how)
{
	struct correlate_trace *t = job->t;
	char text[MOST_MESSAGE + 1];
	size_t n;

	rewind(job->err);
	n = fread(text, 1, MOST_MESSAGE, job->err);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	text[n] = '\0';
	if (WIFEXITED(how) && WEXITSTATUS(how) == t->status && access(t->file, R_OK) == 0)
		return;
	unlink(t->file); /* what a program left that failed may lack kernels */
	if (WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM)
		t->why = hd__xstrdup("recording: time limit");
	else if (n > 0)
		t->why = hd__format("recording: %s", strncmp(text, "heddle: ", 8) == 0 ? text + 8 : text);
	else if (WIFSIGNALED(how))
		t->why = hd__format("recording: ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
	else
		t->why = hd__format("recording: exit status %d", WEXITSTATUS(how));
}

static bool start(struct recorder *r, struct job *job, struct correlate_trace *t)
{
	*job = (struct job){ .t = t, .err = tmpfile() };
	job->pid = job->err != NULL ? hd__fork(SIGTERM) : -1;
	if (job->pid == 0)
		become(r, t, job->err);
	if (job->pid > 0) {
		r->running++;
		return true;
	}
	t->why = hd__format("recording: a process could not be started: %s", strerror(errno));
	if (job->err != NULL)
		fclose(job->err);
	job->pid = 0;
	return false;
}

/* Waits for one to end.  Returns false after a signal. */
static bool wait_for_one(struct recorder *r)
{
	int how;
	pid_t pid = waitpid(-1, &how, 0);

	if (pid < 0)
		return !stopped && errno == EINTR;
	for (unsigned i = 0; i < r->most; i++) {
		if (r->v[i].pid != pid)
			continue;
		note_end(&r->v[i], how);
		fclose(r->v[i].err);
		r->v[i].pid = 0;
		r->running--;
	}
	return !stopped;
}

static struct job *free_job(struct recorder *r)
{
	for (unsigned i = 0; i < r->most; i++)
		if (r->v[i].pid == 0)
			return &r->v[i];
	return NULL;
}

static void end_all(struct recorder *r)
{
	for (unsigned i = 0; i < r->most; i++)
		if (r->v[i].pid > 0)
			kill(r->v[i].pid, SIGTERM);
	while (r->running > 0) {
		stopped = 0;
		wait_for_one(r);
	}
	stopped = 1;
}

/* Runs what is in the list. */
static bool record(struct recorder *r, struct correlate_trace **list, size_t n, bool quiet)
{
	struct sigaction act = { .sa_handler = on_signal }, was[3];
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	bool ok = true;

	stopped = 0;
	sigemptyset(&act.sa_mask);
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &act, &was[i]);
	for (size_t i = 0; ok && (i < n || r->running > 0);) {
		struct job *job = i < n ? free_job(r) : NULL;

		if (job != NULL) {
			if (!quiet)
				fprintf(stderr, "heddle: recording %zu of %zu: %s\n", i + 1, n,
				        json_string_value(json_array_get(list[i]->command, 0)));
			start(r, job, list[i++]);
		} else {
			ok = wait_for_one(r);
		}
	}
	end_all(r);
	for (int i = 0; i < 3; i++)
		sigaction(numbers[i], &was[i], NULL);
	return ok;
}

/* Is the program there?  The recorder would say so, too; this is before hours of others. */
static bool is_there(struct correlate_trace *t)
{
	const char *name = json_string_value(json_array_get(t->command, 0));
	char *path = name[0] == '/' ? hd__xstrdup(name) : hd__format("%s/%s", t->folder, name);
	bool there = strchr(name, '/') == NULL || access(path, X_OK) == 0;

	if (!there)
		t->why = hd__format("the program %s cannot be run: %s", path, strerror(errno));
	free(path);
	return there;
}

bool correlate_record(struct correlate *c, const struct study_folder *f, struct study_cache *cache, const char *library,
                      unsigned most, bool quiet)
{
	struct correlate_trace **list = hd__xcalloc(c->ntraces, sizeof *list);
	struct recorder r = { .c = c, .f = f, .most = most, .v = hd__xcalloc(most, sizeof *r.v) };
	size_t n = 0;
	char *folder = study_folder_name(f, "traces"), *full;
	bool ok = true;

	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		fprintf(stderr, "heddle: %s: %s\n", folder, strerror(errno));
		ok = false;
	}
	full = ok ? realpath(folder, NULL) : NULL;
	for (size_t i = 0; ok && i < c->ntraces; i++) {
		struct correlate_trace *t = &c->traces[i];
		char *name;

		if (t->command == NULL || !is_there(t))
			continue;
		name = recording_name(c, t, cache, library);
		t->file = hd__format("%s/%s", full, name);
		free(name);
		if (access(t->file, R_OK) != 0)
			list[n++] = t;
	}
	ok = ok && record(&r, list, n, quiet);
	free(full);
	free(folder);
	free(list);
	free(r.v);
	return ok;
}

/* ---- the launches of a point ---- */

/* Reads the names of the launches. */
static void read_kernels(struct correlate_trace *t)
{
	struct hd_diags d = { 0 };
	struct trace_program_host host;
	struct trace_reader r = { .host = &host.host, .opt = hd__trace_options("") };
	bool ok;

	hd__trace_host_init(&host, &d);
	r.opt.late = true;
	ok = access(t->file, R_OK) == 0 && hd__trace_open_list(&r, t->file, 1, UINT64_MAX) == 0;
	for (size_t i = 0; ok && i < r.list.n; i++) {
		struct trace_header h = { 0 };

		ok = hd__trace_kernel_header(&r, &h, i) == 0;
		if (ok) {
			t->kernels = hd__xappend(t->kernels, t->n, sizeof *t->kernels);
			t->kernels[t->n++] = hd__xstrdup(h.launch.name);
		}
		hd__trace_header_free(&h);
	}
	if (!ok)
		t->why = d.n > 0 ? hd__xstrdup(d.v[0].text)
		                 : hd__format("trace %s: %s", t->file,
		                              access(t->file, R_OK) != 0 ? strerror(errno) : "cannot be read");
	else if (t->n == 0)
		t->why = hd__format("trace %s: has no kernel", t->file);
	hd__trace_close(&r);
	hd__trace_host_free(&host);
	hd__diags_free(&d);
}

/* Kernels of the trace, each once, for a message.  The caller frees it. */
static char *kernels_of(const struct correlate_trace *t)
{
	const char **v = hd__xcalloc(t->n, sizeof *v);
	char buf[300], *text;
	size_t n = 0;

	for (size_t i = 0; i < t->n && n < 20; i++) {
		bool known = false;

		for (size_t k = 0; k < n; k++)
			known = known || strcmp(v[k], t->kernels[i]) == 0;
		if (!known)
			v[n++] = t->kernels[i];
	}
	text = hd__xstrdup(hd__names(v, n, buf, sizeof buf));
	free(v);
	return text;
}

static void select_launches(struct correlate_point *p, const struct correlate_trace *t)
{
	size_t found = 0;

	p->first = t->n;
	p->counts = hd__xcalloc(t->n, sizeof *p->counts);
	for (size_t i = 0; i < t->n; i++) {
		if (p->kernel != NULL && !kernel_fits(p->kernel, t->kernels[i]))
			continue;
		if (p->mode != CORRELATE_ONE || found == p->launch) {
			p->counts[i] = true;
			p->first = p->first < i ? p->first : i;
			p->last = i;
		}
		found++;
	}
	if (found == 0) {
		char *names = kernels_of(t);

		p->why = hd__format("no kernel of the program fits '%s'; there are %s", p->kernel, names);
		free(names);
	} else if (p->first == t->n) {
		p->why = hd__format("launch %" PRIu64 " is not there; there are %zu, from 0 on", p->launch, found);
	}
}

void correlate_select(struct correlate *c)
{
	for (size_t i = 0; i < c->ntraces; i++)
		if (c->traces[i].why == NULL)
			read_kernels(&c->traces[i]);
	for (size_t i = 0; i < c->n; i++) {
		struct correlate_point *p = &c->v[i];
		const struct correlate_trace *t = &c->traces[p->trace];

		if (t->why != NULL)
			p->why = hd__xstrdup(t->why);
		else
			select_launches(p, t);
	}
}

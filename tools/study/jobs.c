/* jobs.c - runs the points of a study, several processes at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A point is a process, "heddle run": what ends it, ends nothing else.  Its output goes to files in the folder's
 * tmp/ that have no name any more, from which the result is made when it has ended.
 */
#include "jobs.h"
#include "base/below.h"
#include "base/exit.h"
#include "base/output.h"
#include "base/child.h"
#include "base/xalloc.h"
#include "study_result.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MESSAGE 4000 /* bytes of what a run printed */
#define MOST_HEAD 65536 /* bytes of statistics in front of their status, at most */
#define NOT_STARTED 125   /* exit status of a process that did not become a run */
#define TERMINAL_SECONDS 0.25
#define LOG_SECONDS 30.

/* How far a sweep has come: a line on the terminal, or one now and then. */
struct progress {
	struct ev_loop *ev;
	ev_timer tick;
	double since, weight, done_weight; /* weight: of all points, set by the caller */
	size_t n, done;
	bool terminal, line_open, quiet;
};

struct loop;

struct job {
	struct loop *loop;
	struct study_point *point;
	ev_child child;
	ev_timer limit;
	char *name;       /* of files in the folder's tmp/ */
	FILE *out, *err;  /* what the run writes */
	double since;
	bool busy, late;
	bool again;       /* its point was killed and runs a second time */
};

struct loop {
	struct study_jobs *jobs;
	struct ev_loop *ev;
	struct job *v;
	ev_signal interrupt, terminate, hang_up;
	const size_t *order;
	size_t n, next;   /* points; the first that was not started */
	unsigned running;
	struct progress progress;
};

/* ---- progress ------------------------------------------------------------------------------ */

/* "120 of 360 points, 45.1 points/s, about 6 s left" */
static void print_progress(struct ev_loop *ev, ev_timer *w, int events)
{
	struct progress *p = w->data;
	double t = ev_time() - p->since;
	char buf[32];

	(void)ev;
	(void)events;
	fprintf(stderr, "%s%zu of %zu points", p->terminal ? "\r\033[K" : "heddle: ", p->done, p->n);
	if (p->done > 0 && t > 0)
		fprintf(stderr, ", %.3g points/s", (double)p->done / t);
	if (p->done_weight > 0)
		fprintf(stderr, ", about %s left",
		        study_duration(t * (p->weight - p->done_weight) / p->done_weight, buf));
	fputs(p->terminal ? "" : "\n", stderr);
	fflush(stderr);
	p->line_open = p->terminal;
}

static void progress_open(struct progress *p, struct ev_loop *ev, bool quiet, size_t n)
{
	double every;

	*p = (struct progress){ .ev = ev, .since = ev_time(), .n = n, .quiet = quiet,
		.terminal = isatty(STDERR_FILENO) };
	every = p->terminal ? TERMINAL_SECONDS : LOG_SECONDS;
	ev_timer_init(&p->tick, print_progress, every, every);
	p->tick.data = p;
	if (!quiet)
		ev_timer_start(ev, &p->tick);
}

/* One point has ended. */
static void progress_add(struct progress *p, double weight)
{
	p->done++;
	p->done_weight += weight;
}

static void progress_close(struct progress *p)
{
	ev_timer_stop(p->ev, &p->tick);
	if (p->line_open)
		fputs("\r\033[K", stderr);
}

/* ---- the command of a point --------------------------------------------------------------- */

struct words {
	char **v;
	size_t n, cap;
};

static void add_word(struct words *w, const char *word)
{
	w->v = hd__xgrow(w->v, w->n, &w->cap, sizeof *w->v);
	w->v[w->n++] = word != NULL ? hd__xstrdup(word) : NULL;
}

static void add_option(struct words *w, const char *name, const char *value)
{
	char *word = hd__join(name, "=", value);

	add_word(w, word);
	free(word);
}

/* The sweep runs several points at a time, so each of them runs one process. */
static void add_parts(struct words *w, const struct study_jobs *j, const struct study_point *p)
{
	const struct study *s = j->plan->study;
	char number[24];

	if (s->fresh)
		add_word(w, "--fresh");
	if (s->once)
		add_word(w, "--once");
	snprintf(number, sizeof number, "%" PRIu64, s->pieces);
	if (s->pieces)
		add_option(w, "--split", number);
	snprintf(number, sizeof number, "%" PRIu64, p->piece);
	if (p->piece)
		add_option(w, "--piece", number);
	if (j->cache)
		add_option(w, "--results-cache", j->cache);
	if (j->cache || s->fresh || s->once)
		add_option(w, "--jobs", "1");
}

/* The command that runs one point, NULL-terminated; the caller frees it with the function below. */
static char **command(const struct study_jobs *j, const struct study_point *p)
{
	const struct study *s = j->plan->study;
	const struct study_design *d = &s->designs[p->design];
	const struct study_trace *t = &s->traces[p->trace];
	struct words w = { 0 };
	char number[24];

	add_word(&w, "heddle");
	add_word(&w, "run");
	add_word(&w, "--quiet");
	if (!p->piece)
		add_option(&w, s->each ? "--stats" : "--summary", "-");
	if (s->reasons)
		add_word(&w, "--reasons");
	if (s->energy != NULL)
		add_option(&w, "--energy", s->energy);
	for (size_t i = 0; i < d->n; i++)
		add_option(&w, "--set", d->v[i]->set);
	if (t->kernels != NULL)
		add_option(&w, "--kernel", t->kernels);
	snprintf(number, sizeof number, "%" PRIu64, t->max_cycles);
	if (t->max_cycles > 0)
		add_option(&w, "--max-cycles", number);
	if (t->strict)
		add_word(&w, "--strict");
	if (t->keep_going)
		add_word(&w, "--keep-going");
	add_parts(&w, j, p);
	for (size_t i = 0; i < j->nplugins; i++)
		add_option(&w, "--plugin", j->plugins[i]);
	if (j->no_plugins)
		add_word(&w, "--no-plugins");
	add_word(&w, "--");
	add_word(&w, s->netlists[d->netlist].file);
	add_word(&w, t->file);
	add_word(&w, NULL);
	return w.v;
}

static void free_command(char **argv)
{
	for (char **p = argv; *p != NULL; p++)
		free(*p);
	free(argv);
}

/* ---- a process ----------------------------------------------------------------------------- */

/* In the child. */
static void become(const struct loop *l, const struct job *job, char **argv)
{
	struct rlimit most = { l->jobs->plan->megabytes << 20, l->jobs->plan->megabytes << 20 };
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE };
	sigset_t none;
	int in;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		signal(ends[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0); /* Ctrl-C is for the sweep, which ends its points */
	in = open("/dev/null", O_RDONLY);
	if (in < 0 || dup2(in, 0) < 0 || dup2(fileno(job->out), 1) < 0 || dup2(fileno(job->err), 2) < 0)
		_exit(NOT_STARTED);
	close(in);
	if (most.rlim_cur > 0 && setrlimit(RLIMIT_AS, &most) != 0)
		_exit(NOT_STARTED);
	execv("/proc/self/exe", argv);
	perror("heddle: /proc/self/exe");
	_exit(NOT_STARTED);
}

static void on_end(struct ev_loop *ev, ev_child *w, int events);
static void start_next(struct loop *l);

static void on_limit(struct ev_loop *ev, ev_timer *w, int events)
{
	struct job *job = w->data;

	(void)ev;
	(void)events;
	job->late = true;
	kill(job->child.pid, SIGKILL);
}

/* An empty file for what a process writes, without a name: it goes with the last process that has it open.  NULL after
 * printing an error. */
static FILE *open_output(const struct study_folder *f, const char *name)
{
	FILE *new = study_folder_temporary(f, name);
	char *below = hd__join("tmp/", name, "");

	if (new != NULL)
		hd__below_remove(f->at, below);
	else
		fprintf(stderr, "heddle: %s/%s: %s\n", f->path, below, strerror(errno));
	free(below);
	return new;
}

static void close_outputs(struct job *job)
{
	if (job->out != NULL)
		fclose(job->out);
	if (job->err != NULL)
		fclose(job->err);
	job->out = job->err = NULL;
}

/* Returns false after printing an error. */
static bool start(struct loop *l, struct job *job, struct study_point *point, bool again)
{
	const struct study_jobs *j = l->jobs;
	char **argv;
	pid_t pid;

	close_outputs(job);
	job->out = open_output(j->folder, job->name);
	job->err = job->out != NULL ? open_output(j->folder, job->name) : NULL;
	if (job->err == NULL)
		return false;
	argv = command(j, point);
	job->point = point;
	job->late = false;
	job->again = again;
	pid = hd__fork(SIGKILL);
	if (pid == 0)
		become(l, job, argv);
	free_command(argv);
	if (pid < 0) {
		fprintf(stderr, "heddle: a process could not be started: %s\n", strerror(errno));
		return false;
	}
	job->busy = true;
	job->since = ev_time();
	l->running++;
	ev_child_init(&job->child, on_end, pid, 0);
	job->child.data = job;
	ev_child_start(l->ev, &job->child);
	if (j->plan->seconds > 0) {
		ev_timer_init(&job->limit, on_limit, j->plan->seconds, 0.);
		job->limit.data = job;
		ev_timer_start(l->ev, &job->limit);
	}
	return true;
}

/* ---- its result ---------------------------------------------------------------------------- */

/* At most `most` bytes of a file, terminated, without white space at the end.  The caller frees it. */
static char *content(FILE *f, size_t most, size_t *n)
{
	char *text = hd__xcheck(malloc(most + 1));

	rewind(f);
	*n = fread(text, 1, most, f);
	while (*n > 0 && strchr(" \n", text[*n - 1]) != NULL)
		--*n;
	text[*n] = '\0';
	return text;
}

/* The length of what a run wrote, without white space at the end; 0: it does not end as statistics do. */
static size_t length_of(FILE *f)
{
	long n = fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;

	for (int c; n > 0; n--) {
		fseek(f, n - 1, SEEK_SET);
		c = getc(f);
		if (c != ' ' && c != '\n')
			return c == '}' ? (size_t)n : 0;
	}
	return 0;
}

/* The member "status" of statistics as a run writes them; NULL: there is none.  It comes first but for
 * names; there may be megabytes behind it.  The caller frees it. */
static char *status_in(FILE *file)
{
	static const char member[] = "\"status\":";
	size_t n;
	char *begin = content(file, MOST_HEAD, &n), *at = strstr(begin, member), *status;

	at = at != NULL ? strchr(at + sizeof member - 1, '"') : NULL;
	status = at != NULL ? hd__xstrndup(at + 1, strcspn(at + 1, "\"")) : NULL;
	free(begin);
	return status;
}

/* Did a run need more memory than it may have? */
static bool is_memory(const struct job *job, const char *message)
{
	return job->loop->jobs->plan->megabytes > 0
	       && (strstr(message, "out of memory") != NULL || strstr(message, "Cannot allocate memory") != NULL);
}

/* Is that the machine's doing, rather than that of the point: no room for what it writes? */
static bool is_elsewhere(int how, const char *message)
{
	static const int full[] = { ENOSPC, EDQUOT, EFBIG };

	for (size_t i = 0; WIFEXITED(how) && i < sizeof full / sizeof *full; i++)
		if (WEXITSTATUS(how) == HD_EXIT_FAILED && strstr(message, strerror(full[i])) != NULL)
			return true;
	return WIFEXITED(how) && WEXITSTATUS(how) == NOT_STARTED;
}

/* What happened, if there are no statistics. */
static const char *end_of(const struct job *job, int how, const char *message)
{
	if (job->late)
		return "time limit";
	if (is_memory(job, message))
		return "memory limit";
	if (WIFSIGNALED(how) || strstr(message, "crashed with signal") != NULL) /* a plug-in */
		return "crashed";
	return WEXITSTATUS(how) == HD_EXIT_USAGE ? "refused" : "failed";
}

static json_t *header(const struct job *job, const char *status, const char *message, double seconds)
{
	const struct study_plan *p = job->loop->jobs->plan;
	char **argv = command(job->loop->jobs, job->point);
	json_t *o = json_pack("{s:s, s:s}", "key", job->point->key, "status", status), *command = json_array();

	/* what a run printed may be anything */
	if (json_object_set_new(o, "message", json_string(message)) != 0)
		json_object_set_new(o, "message", json_string("?"));
	if (strcmp(status, "time limit") == 0)
		json_object_set_new(o, "limit", json_real(p->seconds));
	if (strcmp(status, "memory limit") == 0)
		json_object_set_new(o, "limit", json_integer((json_int_t)p->megabytes));
	json_object_set_new(o, "seconds", json_real(seconds));
	for (size_t i = 0; argv[i] != NULL; i++)
		json_array_append_new(command, json_string(argv[i]));
	json_object_set_new(o, "command", command);
	free_command(argv);
	return o;
}

/* Writes the result of a process that has ended.  Returns false after printing an error. */
static bool keep(struct job *job, int how)
{
	struct study_jobs *j = job->loop->jobs;
	double seconds = ev_time() - job->since;
	size_t nout = length_of(job->out), nerr;
	char *err = content(job->err, MOST_MESSAGE, &nerr);
	bool piece = job->point->piece && WIFEXITED(how) && WEXITSTATUS(how) == HD_EXIT_OK; /* it prints nothing */
	char *status = piece ? hd__xstrdup("finished") : nout > 0 && WIFEXITED(how) ? status_in(job->out) : NULL;
	bool ok = true;

	if (status == NULL && is_elsewhere(how, err)) {
		fprintf(stderr, "heddle: %s/tmp: the output of a point could not be written%s%s\n", j->folder->path,
		        err[0] ? ": " : "", err);
		free(err);
		return false;
	}
	if (status == NULL) {
		status = hd__xstrdup(end_of(job, how, err));
		nout = 0;
	}
	if (strcmp(status, "failed") == 0 && is_memory(job, err)) {
		free(status);
		status = hd__xstrdup("memory limit");
	}
	if (WIFSIGNALED(how) && nerr == 0) {
		free(err);
		err = hd__format("signal %d: %s", WTERMSIG(how), strsignal(WTERMSIG(how)));
	}
	if (strcmp(status, "interrupted") != 0) { /* by a signal to that process alone: not a result */
		ok = study_result_write(j->folder, job->point->key, job->name, header(job, status, err, seconds),
		                        job->out, nout);
		if (!ok)
			fprintf(stderr, "heddle: %s/points/%s.json: %s\n", j->folder->path, job->point->key,
			        strerror(errno));
		job->point->done = ok;
		if (ok)
			study_plan_count(j->plan, status);
		j->ran++;
	}
	progress_add(&job->loop->progress, job->point->weight);
	free(status);
	close_outputs(job);
	free(err);
	return ok;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void stop(struct loop *l)
{
	for (unsigned i = 0; i < l->jobs->most; i++)
		if (l->v[i].busy)
			kill(l->v[i].child.pid, SIGKILL);
	l->n = l->next; /* the loop ends with the last of them */
}

/* A signal from elsewhere may be meant for all processes of a job, and this one may be the next: so it counts only
 * if it ends the point again. */
static bool is_suspect(const struct job *job, int how)
{
	int number = WIFSIGNALED(how) ? WTERMSIG(how) : 0;

	return (number == SIGKILL || number == SIGTERM || number == SIGINT || number == SIGHUP) && !job->late
	       && !job->again;
}

static void on_end(struct ev_loop *ev, ev_child *w, int events)
{
	struct job *job = w->data;
	struct loop *l = job->loop;
	struct study_jobs *j = l->jobs;

	(void)events;
	ev_child_stop(ev, w);
	ev_timer_stop(ev, &job->limit);
	job->busy = false;
	l->running--;
	if (!j->interrupted && !j->failed && is_suspect(job, w->rstatus) && start(l, job, job->point, true))
		return;
	if (!j->interrupted && !j->failed && !keep(job, w->rstatus)) {
		j->failed = true;
		stop(l);
	}
	start_next(l);
	if (l->running == 0)
		ev_break(ev, EVBREAK_ALL);
}

static void start_next(struct loop *l)
{
	struct study_jobs *j = l->jobs;

	for (unsigned i = 0; i < j->most && l->next < l->n; i++) {
		if (l->v[i].busy)
			continue;
		if (!start(l, &l->v[i], &j->plan->v[l->order[l->next]], false)) {
			j->failed = true;
			stop(l);
			return;
		}
		l->next++;
	}
}

static void on_signal(struct ev_loop *ev, ev_signal *w, int events)
{
	struct loop *l = w->data;

	(void)events;
	l->jobs->interrupted = true;
	stop(l);
	if (l->running == 0)
		ev_break(ev, EVBREAK_ALL);
}

static void watch_signal(struct loop *l, ev_signal *w, int number)
{
	struct sigaction now;

	ev_signal_init(w, on_signal, number);
	w->data = l;
	if (sigaction(number, NULL, &now) == 0 && now.sa_handler != SIG_IGN) /* nohup ignores it */
		ev_signal_start(l->ev, w);
}

static void open_jobs(struct loop *l)
{
	char host[65] = "";

	gethostname(host, sizeof host - 1);
	l->v = hd__xcalloc(l->jobs->most, sizeof *l->v);
	for (unsigned i = 0; i < l->jobs->most; i++) {
		struct job *job = &l->v[i];

		job->loop = l;
		ev_init(&job->limit, on_limit);
		/* no two processes that share the folder have the same names */
		job->name = hd__format("%s.%ld.%u", host, (long)getpid(), i);
	}
}

static void close_jobs(struct loop *l)
{
	for (unsigned i = 0; i < l->jobs->most; i++) {
		close_outputs(&l->v[i]);
		free(l->v[i].name);
	}
	free(l->v);
}

void study_jobs_run(struct study_jobs *j, const size_t *order, size_t n)
{
	struct loop l = { .jobs = j, .order = order, .n = n };

	if (n == 0)
		return;
	ev_set_syserr_cb(hd__outputs_end);
	l.ev = ev_default_loop(0);
	if (l.ev == NULL) {
		fputs("heddle: the event loop could not be started\n", stderr);
		j->failed = true;
		return;
	}
	open_jobs(&l);
	watch_signal(&l, &l.interrupt, SIGINT);
	watch_signal(&l, &l.terminate, SIGTERM);
	watch_signal(&l, &l.hang_up, SIGHUP);
	progress_open(&l.progress, l.ev, j->quiet, n);
	for (size_t i = 0; i < n; i++)
		l.progress.weight += j->plan->v[order[i]].weight;
	start_next(&l);
	if (l.running > 0)
		ev_run(l.ev, 0);
	progress_close(&l.progress);
	close_jobs(&l);
	ev_loop_destroy(l.ev);
	hd__outputs_guard(); /* the loop has taken the signals and left their default actions */
}

/* host.c - the host loop: signals, progress and the monitor between slices of the simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "base/exit.h"
#include "base/output.h"
#include "host.h"

#include <errno.h>
#include <ev.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SLICE_SECONDS 0.002 /* longest delay of a signal */
#define TERMINAL_SECONDS 0.25
#define LOG_SECONDS 30.
#define PATIENCE_SECONDS 2 /* of an edge in which a signal has come */

struct hd_loop {
	struct hd_host *host;
	struct ev_loop *ev;
	ev_idle work;
	ev_timer progress;
	ev_async signal;
	uint64_t slice; /* edges */
	uint64_t goal;  /* cycle at which the run pauses; UINT64_MAX: none */
	double ran, since; /* seconds up to the last pause; its end */
	bool terminal, line_open;
};

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1 };
#define SIGNALS (sizeof signals / sizeof *signals)
static struct sigaction before[SIGNALS]; /* the first run */

/* What signals have asked for.  A run that begins again looks at it as well. */
static volatile sig_atomic_t ended, asked;
static volatile sig_atomic_t late; /* signals since the last run */
static volatile sig_atomic_t silent; /* no notice: who reads what a quiet run prints may keep it as a result */
static _Atomic time_t ended_at;    /* of CLOCK_MONOTONIC */
static struct hd_loop *_Atomic listening;

static double now_seconds(void)
{
	return ev_time();
}

double hd__host_seconds(const struct hd_host *h)
{
	if (!h->loop)
		return h->seconds;
	return h->loop->ran + (h->paused ? 0 : now_seconds() - h->loop->since);
}

double hd__host_share(const struct hd_host *h)
{
	double share = h->sim->total > 0 ? h->sim->done / h->sim->total : 0;

	return share > 0 && share <= 1 ? share : 0;
}

/* "cycle 1200, 800 kcycle/s, 30 % of the input read, about 12 s left" */
static void print_status(struct hd_loop *l, const char *head, const char *tail)
{
	double t = hd__host_seconds(l->host), share = hd__host_share(l->host);
	uint64_t cycles = hd__sim_cycles(l->host->sim);

	fprintf(stderr, "%scycle %" PRIu64 ", %.0f kcycle/s", head, cycles,
	        t > 0 ? (double)cycles / t / 1e3 : 0);
	if (share > 0)
		fprintf(stderr, ", %.0f %% of the input read", share * 100);
	if (l->host->about)
		l->host->about(l->host, t, stderr);
	else if (share > 0 && share < 1) /* what has been read is not all done */
		fprintf(stderr, ", about %.0f s left", t * (1 - share) / share);
	if (l->host->paused)
		fputs(", paused", stderr);
	fputs(tail, stderr);
	fflush(stderr);
}

bool hd__host_over(const struct hd_host *h)
{
	return !h->loop || h->interrupted || h->status != HD_RUN_MORE;
}

static void hold(struct hd_loop *l)
{
	if (l->host->paused)
		return;
	l->ran += now_seconds() - l->since;
	l->host->paused = true;
	ev_idle_stop(l->ev, &l->work);
}

static enum hd_run_status run_slice(struct hd_loop *l, uint64_t edges)
{
	enum hd_run_status status = hd__sim_run(l->host->sim, edges);

	if (status != HD_RUN_MORE && status != HD_RUN_HALTED) {
		l->host->status = status;
		ev_break(l->ev, EVBREAK_ALL);
	}
	return status;
}

static void on_work(struct ev_loop *ev, ev_idle *w, int events)
{
	struct hd_loop *l = w->data;
	double t0 = now_seconds(), t;

	(void)ev;
	(void)events;
	if (hd__host_over(l->host)) /* by a signal in the same round */
		return;
	if (run_slice(l, l->slice) == HD_RUN_HALTED) {
		if (l->host->halted) {
			l->host->halted(l->host);
			return;
		}
		hold(l);
		l->host->calls->changed(l->host->monitor);
		return;
	}
	t = now_seconds() - t0;
	if (t < SLICE_SECONDS / 2 && l->slice < UINT64_C(1) << 24)
		l->slice *= 2;
	else if (t > SLICE_SECONDS * 2 && l->slice > 64)
		l->slice /= 2;
}

static void on_progress(struct ev_loop *ev, ev_timer *w, int events)
{
	struct hd_loop *l = w->data;

	(void)ev;
	(void)events;
	print_status(l, l->terminal ? "\r\033[K" : "heddle: ", l->terminal ? "" : "\n");
	l->line_open = l->terminal;
}

/* The edge in which the first signal came has not ended since, and may never. */
static void end_at_once(int number)
{
	static const char text[] = "heddle: the run did not end after the first signal; its results are abandoned\n";
	const struct sigaction act = { .sa_handler = SIG_DFL };

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0) /* the terminal is closed */
		errno = 0;
	hd__outputs_abandon();
	sigaction(number, &act, NULL);
	raise(number);
}

/* The simulation need not come to the end of its slice, which may be long if its edges cost more than those before. */
static void on_signal(int number)
{
	struct hd_loop *l = listening;
	struct timespec now = { 0 };
	int error = errno;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (number == SIGUSR1) {
		asked = 1;
	} else if (!ended) {
		ended_at = now.tv_sec;
		ended = 1;
	} else if (now.tv_sec - ended_at > PATIENCE_SECONDS) {
		end_at_once(number);
	}
	if (number != SIGUSR1 && l && l->host->signalled)
		l->host->signalled(number);
	errno = error;
	if (!l)
		return;
	if (ended)
		hd__sim_stop(l->host->sim);
	ev_async_send(l->ev, &l->signal);
}

/* Between runs, and while results are written.  The first signal lets all of them be written; a second has the
 * action from before: what is not complete is removed, and the process ends. */
static void on_late_signal(int number)
{
	static const char text[] =
		"heddle: the simulation is over, and its results are being written; a second signal abandons them\n";
	int error = errno;

	ended = 1;
	if (late++ == 0) {
		if (!silent && write(STDERR_FILENO, text, sizeof text - 1) < 0) /* the terminal is closed */
			errno = error;
		return;
	}
	for (size_t i = 0; i < SIGNALS; i++)
		if (signals[i] == number)
			sigaction(number, &before[i], NULL);
	raise(number);
}

static void after_signal(struct ev_loop *ev, ev_async *w, int events)
{
	struct hd_loop *l = w->data;

	(void)ev;
	(void)events;
	if (asked) {
		asked = 0;
		print_status(l, l->line_open ? "\r\033[Kheddle: " : "heddle: ", "\n");
		l->line_open = false;
	}
	if (ended)
		hd__host_stop(l->host);
}

/* ---- requests of the monitor ---- */

/* Between slices a cycle may be incomplete.  The rest of it fits in a slice. */
void hd__host_settle(struct hd_host *h)
{
	if (!hd__host_over(h) && !h->paused) {
		hd__sim_halt(h->sim, hd__sim_cycles(h->sim));
		run_slice(h->loop, UINT64_MAX);
		hd__sim_halt(h->sim, h->loop->goal);
	}
	hd__sim_settle(h->sim);
}

void hd__host_pause(struct hd_host *h)
{
	hd__host_settle(h);
	if (!hd__host_over(h))
		hold(h->loop);
}

void hd__host_resume(struct hd_host *h, uint64_t cycles)
{
	if (hd__host_over(h))
		return;
	h->loop->goal = cycles;
	hd__sim_halt(h->sim, cycles);
	if (!h->paused)
		return;
	h->paused = false;
	h->loop->since = now_seconds();
	ev_idle_start(h->loop->ev, &h->loop->work);
}

void hd__host_stop(struct hd_host *h)
{
	if (hd__host_over(h))
		return;
	h->interrupted = true;
	ev_break(h->loop->ev, EVBREAK_ALL);
}

/* ---- the loop ---- */

/* Sets the actions of the signals that end a run, and of SIGUSR1. */
static void handle(void (*end)(int number), void (*ask)(int number))
{
	struct sigaction act = { .sa_flags = SA_RESTART };

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < SIGNALS; i++) {
		act.sa_handler = signals[i] == SIGUSR1 ? ask : end;
		if (signals[i] != SIGHUP || before[i].sa_handler != SIG_IGN) /* nohup ignores it */
			sigaction(signals[i], &act, NULL);
	}
}

static void listen_to(struct hd_loop *l)
{
	static bool known;

	for (size_t i = 0; i < SIGNALS && !known; i++)
		sigaction(signals[i], NULL, &before[i]);
	known = true;
	ev_async_init(&l->signal, after_signal);
	l->signal.data = l;
	ev_async_start(l->ev, &l->signal);
	listening = l;
	handle(on_signal, on_signal);
}

static void listen_no_more(struct hd_loop *l)
{
	late = 0;
	silent = l->host->quiet;
	handle(on_late_signal, SIG_IGN); /* there is not anything to report any more */
	listening = NULL;
	ev_async_stop(l->ev, &l->signal);
}

void hd__host_run(struct hd_host *h)
{
	struct hd_loop l = { .host = h, .slice = 4096, .goal = UINT64_MAX,
	                     .terminal = isatty(STDERR_FILENO) };
	double every = l.terminal ? TERMINAL_SECONDS : LOG_SECONDS;

	ev_set_syserr_cb(hd__outputs_end);
	l.ev = ev_loop_new(EVFLAG_AUTO); /* the default loop would take the exit status of a simulated program */
	if (!l.ev) {
		fputs("heddle: the event loop could not be started\n", stderr);
		exit(HD_EXIT_FAILED);
	}
	h->loop = &l;
	l.since = now_seconds();
	ev_idle_init(&l.work, on_work);
	l.work.data = &l;
	if (!h->paused)
		ev_idle_start(l.ev, &l.work);
	if (!h->quiet) {
		ev_timer_init(&l.progress, on_progress, every, every);
		l.progress.data = &l;
		ev_timer_start(l.ev, &l.progress);
	}
	listen_to(&l);
	if (h->monitor)
		h->calls->attach(h->monitor, h, l.ev);
	if (ended) /* while the run that begins again came to its end */
		h->interrupted = true;
	else
		ev_run(l.ev, 0);
	if (ended && h->signalled) /* the signal ended what the run reads, and so the run, before it was looked at */
		h->interrupted = true;
	if (h->monitor)
		h->calls->detach(h->monitor);
	h->seconds = hd__host_seconds(h);
	h->loop = NULL;
	if (l.line_open)
		fputs("\r\033[K", stderr);
	listen_no_more(&l);
	ev_loop_destroy(l.ev);
}

const char *hd__host_word(const struct hd_host *h)
{
	if (h->interrupted)
		return "interrupted";
	switch (h->status) {
	case HD_RUN_FINISHED: return "finished";
	case HD_RUN_LIMIT: return "stopped at the cycle limit";
	case HD_RUN_DEADLOCK: return "deadlock";
	case HD_RUN_BAD_INPUT: return "bad input";
	default: return "failed";
	}
}

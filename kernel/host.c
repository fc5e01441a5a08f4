/* host.c - the host loop: signals and progress between slices of the simulation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cmd.h"

#include <ev.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SLICE_SECONDS 0.002 /* how long a signal may have to wait */
#define TERMINAL_SECONDS 0.25
#define LOG_SECONDS 30.

struct loop {
	struct hd_host *host;
	struct ev_loop *ev;
	ev_idle work;
	ev_timer progress;
	ev_signal interrupt, terminate, status;
	uint64_t slice; /* edges */
	double begin;
	bool terminal, line_open;
};

static double now_seconds(void)
{
	return ev_time();
}

/* "cycle 1200 (30 %), 1.2 Mcycle/s, 12 s left" */
static void print_status(struct loop *l, const char *head, const char *tail)
{
	const struct hd_sim *s = l->host->sim;
	double t = now_seconds() - l->begin;
	uint64_t cycles = hd__sim_cycles(s);
	double share = s->total > 0 ? s->done / s->total : 0;

	fprintf(stderr, "%scycle %" PRIu64 ", %.0f kcycle/s", head, cycles,
	        t > 0 ? (double)cycles / t / 1e3 : 0);
	if (share > 0 && share <= 1)
		fprintf(stderr, ", %.0f %% of the input, about %.0f s left", share * 100,
		        t * (1 - share) / share);
	fputs(tail, stderr);
	fflush(stderr);
}

static void on_work(struct ev_loop *ev, ev_idle *w, int events)
{
	struct loop *l = w->data;
	double t0 = now_seconds(), t;

	(void)events;
	l->host->status = hd__sim_run(l->host->sim, l->slice);
	t = now_seconds() - t0;
	if (l->host->status != HD_RUN_MORE)
		ev_break(ev, EVBREAK_ALL);
	if (t < SLICE_SECONDS / 2 && l->slice < UINT64_C(1) << 24)
		l->slice *= 2;
	else if (t > SLICE_SECONDS * 2 && l->slice > 64)
		l->slice /= 2;
}

static void on_progress(struct ev_loop *ev, ev_timer *w, int events)
{
	struct loop *l = w->data;

	(void)ev;
	(void)events;
	print_status(l, l->terminal ? "\r\033[K" : "heddle: ", l->terminal ? "" : "\n");
	l->line_open = l->terminal;
}

static void on_interrupt(struct ev_loop *ev, ev_signal *w, int events)
{
	struct loop *l = w->data;

	(void)events;
	l->host->interrupted = true;
	ev_break(ev, EVBREAK_ALL);
}

static void on_status(struct ev_loop *ev, ev_signal *w, int events)
{
	struct loop *l = w->data;

	(void)ev;
	(void)events;
	print_status(l, l->line_open ? "\r\033[Kheddle: " : "heddle: ", "\n");
	l->line_open = false;
}

void hd__host_run(struct hd_host *h)
{
	struct loop l = { .host = h, .slice = 4096, .terminal = isatty(STDERR_FILENO) };
	double every = l.terminal ? TERMINAL_SECONDS : LOG_SECONDS;

	l.ev = ev_default_loop(0);
	if (!l.ev) {
		fputs("heddle: the event loop could not be started\n", stderr);
		exit(HD_EXIT_FAILED);
	}
	l.begin = now_seconds();
	ev_idle_init(&l.work, on_work);
	l.work.data = &l;
	ev_idle_start(l.ev, &l.work);
	if (!h->quiet) {
		ev_timer_init(&l.progress, on_progress, every, every);
		l.progress.data = &l;
		ev_timer_start(l.ev, &l.progress);
	}
	ev_signal_init(&l.interrupt, on_interrupt, SIGINT);
	ev_signal_init(&l.terminate, on_interrupt, SIGTERM);
	ev_signal_init(&l.status, on_status, SIGUSR1);
	l.interrupt.data = l.terminate.data = l.status.data = &l;
	ev_signal_start(l.ev, &l.interrupt);
	ev_signal_start(l.ev, &l.terminate);
	ev_signal_start(l.ev, &l.status);
	ev_run(l.ev, 0);
	h->seconds = now_seconds() - l.begin;
	if (l.line_open)
		fputs("\r\033[K", stderr);
	ev_loop_destroy(l.ev);
}

/* progress.c - how far a sweep has come: a line on the terminal, or one now and then
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "progress.h"
#include "plan.h"

#include <stdio.h>
#include <unistd.h>

#define TERMINAL_SECONDS 0.25
#define LOG_SECONDS 30.

/* "120 of 360 points, 45.1 points/s, about 6 s left" */
static void print(struct ev_loop *ev, ev_timer *w, int events)
{
	struct study_progress *p = w->data;
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

void study_progress_open(struct study_progress *p, struct ev_loop *ev, bool quiet, size_t n)
{
	double every;

	*p = (struct study_progress){ .ev = ev, .since = ev_time(), .n = n, .quiet = quiet,
		.terminal = isatty(STDERR_FILENO) };
	every = p->terminal ? TERMINAL_SECONDS : LOG_SECONDS;
	ev_timer_init(&p->tick, print, every, every);
	p->tick.data = p;
	if (!quiet)
		ev_timer_start(ev, &p->tick);
}

void study_progress_add(struct study_progress *p, double weight)
{
	p->done++;
	p->done_weight += weight;
}

void study_progress_close(struct study_progress *p)
{
	ev_timer_stop(p->ev, &p->tick);
	if (p->line_open)
		fputs("\r\033[K", stderr);
}

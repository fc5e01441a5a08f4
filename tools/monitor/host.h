/* host.h - the loop around a simulation: signals, progress, the monitor
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_MONITOR_HOST_H
#define TOOLS_MONITOR_HOST_H

#include "kernel/sim.h"

struct ev_loop;
struct hd_host;
struct hd_monitor;

/* What the loop tells the monitor. */
struct hd_host_calls {
	/* The loop begins: clients are answered in it. */
	void (*attach)(struct hd_monitor *m, struct hd_host *h, struct ev_loop *ev);
	/* The state changed or a goal was reached. */
	void (*changed)(struct hd_monitor *m);
	/* The loop ends.  No further client can connect; connected clients stay. */
	void (*detach)(struct hd_monitor *m);
};

struct hd_host {
	struct hd_sim *sim;
	bool quiet;
	bool paused;                /* initially, by --monitor-wait */
	struct hd_monitor *monitor; /* or NULL */
	const struct hd_host_calls *calls; /* of the monitor */
	/* Switches recording to the dump on or off; NULL: there is no dump. */
	bool (*dump_window)(void *arg, bool on);
	bool (*dump_is_on)(void *arg);
	void *dump_arg;
	/* Called when the simulation has halted without a monitor; the run goes on.  May be NULL. */
	void (*halted)(struct hd_host *h);
	void *saver;                /* of its caller */
	/* Prints more about a run that has taken so many seconds, in place of how long it will take; or NULL. */
	void (*about)(const struct hd_host *h, double seconds, FILE *out);
	const void *about_arg;
	bool save_failed;
	/* Called by the handler of signals that end the run; or NULL. */
	void (*signalled)(int number);
	struct hd_loop *loop;       /* while it runs */
	/* results */
	enum hd_run_status status;
	bool interrupted;
	double seconds; /* of wall time, without pauses */
};

/* Runs the simulation in slices between signals, the progress timer and the monitor's clients. */
void hd__host_run(struct hd_host *h);

/* For the monitor, between slices.  They have no effect when the run is over. */

/* Runs to the end of the current cycle and updates the counters. */
void hd__host_settle(struct hd_host *h);
void hd__host_pause(struct hd_host *h);
/* Resumes, to pause after so many cycles; UINT64_MAX: to the end. */
void hd__host_resume(struct hd_host *h, uint64_t cycles);
void hd__host_stop(struct hd_host *h);
bool hd__host_over(const struct hd_host *h);
/* How the run ended, in the word of the statistics. */
const char *hd__host_word(const struct hd_host *h);
/* Wall time so far without pauses, in seconds. */
double hd__host_seconds(const struct hd_host *h);
/* Share of the input that is read, 0 to 1; 0: unknown. */
double hd__host_share(const struct hd_host *h);

/* ---- monitor.c ---- */

/* Listens at a Unix socket: sets the monitor of *h, which must stay valid until the close.  Returns false after
 * printing an error. */
bool hd__monitor_open(struct hd_host *h, const char *path);
/* Answers requests received since the loop ended, notifies clients that the run has finished, frees
 * m; m may be NULL. */
void hd__monitor_close(struct hd_monitor *m);

#endif

/* host.h - the loop around a simulation: signals, progress, the monitor
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_MONITOR_HOST_H
#define TOOLS_MONITOR_HOST_H

#include "kernel/sim.h"

struct hd_monitor;

struct hd_host {
	struct hd_sim *sim;
	bool quiet;
	bool paused;                /* at the beginning: --monitor-wait */
	struct hd_monitor *monitor; /* or NULL */
	/* Begins or ends what is written to a dump; NULL: there is none. */
	bool (*dump_window)(void *arg, bool on);
	void *dump_arg;
	struct hd_loop *loop;       /* while it runs */
	/* results */
	enum hd_run_status status;
	bool interrupted;
	double seconds; /* of wall time, without pauses */
};

/* Runs the simulation in slices between signals, the progress timer and the monitor's clients. */
void hd__host_run(struct hd_host *h);

/* For the monitor, between slices.  None does anything when the run is over. */

/* Brings the simulation to the end of a cycle and its counters up to date. */
void hd__host_settle(struct hd_host *h);
void hd__host_pause(struct hd_host *h);
/* Goes on, until there are so many cycles; UINT64_MAX: to the end. */
void hd__host_resume(struct hd_host *h, uint64_t cycles);
void hd__host_stop(struct hd_host *h);
bool hd__host_over(const struct hd_host *h);
/* How it ended, as in the statistics. */
const char *hd__host_word(const struct hd_host *h);
/* Wall time so far without pauses. */
double hd__host_seconds(const struct hd_host *h);
/* Done of all there is to do, 0 to 1; 0: not known. */
double hd__host_share(const struct hd_host *h);

/* ---- monitor.c ---- */

/* Listens at a Unix socket.  NULL: it cannot, and that has been said on stderr. */
struct hd_monitor *hd__monitor_open(const char *path);
/* Answers what was asked since the loop ended, tells clients that the run has finished, frees m;
 * m may be NULL. */
void hd__monitor_close(struct hd_monitor *m);

#endif

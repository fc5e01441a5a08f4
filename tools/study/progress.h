/* progress.h - how far a sweep has come: a line on the terminal, or one now and then
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_PROGRESS_H
#define TOOLS_STUDY_PROGRESS_H

#include <ev.h>
#include <stdbool.h>
#include <stddef.h>

struct study_progress {
	struct ev_loop *ev;
	ev_timer tick;
	double since, weight, done_weight; /* weight: of all points, set by the caller */
	size_t n, done;
	bool terminal, line_open, quiet;
};

void study_progress_open(struct study_progress *p, struct ev_loop *ev, bool quiet, size_t n);
/* One point has ended. */
void study_progress_add(struct study_progress *p, double weight);
void study_progress_close(struct study_progress *p);

#endif

/* jobs.h - runs the points of a study, several processes at a time
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_JOBS_H
#define TOOLS_STUDY_JOBS_H

#include "plan.h"

struct study_jobs {
	struct study_plan *plan;
	const struct study_folder *folder;
	const char *const *plugins; /* files */
	size_t nplugins;
	bool no_plugins;
	const char *cache;          /* folder for --results-cache, or NULL */
	unsigned most;              /* processes at a time */
	bool quiet;
	/* results */
	bool interrupted, failed;   /* by a signal; a result could not be written */
	size_t ran;
};

/* Runs the points of the plan with these numbers, in this order.  Ends when all have results, after a signal, or
 * when a result cannot be written. */
void study_jobs_run(struct study_jobs *j, const size_t *order, size_t n);

#endif

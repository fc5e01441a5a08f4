/* slurm.h - the points of a study as tasks of Slurm jobs
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A task runs a chunk of points, by their numbers, with "heddle sweep --points" on a node.  Its results go into
 * the folder as those of any sweep do: whole or not at all, and those that are there do not run again.  So a task
 * may be killed, queued again, or run twice.
 */
#ifndef TOOLS_STUDY_SLURM_H
#define TOOLS_STUDY_SLURM_H

#include "plan.h"

#include <stdio.h>

struct study_slurm {
	const struct study_folder *folder;
	const struct study_plan *plan;
	size_t chunk;                /* points of a task */
	const char *const *plugins;  /* files */
	size_t nplugins;
	bool no_plugins, retry, quiet;
	const char *cache;           /* for --results-cache, or NULL */
	const char *const *options;  /* for sbatch, behind those of this program */
	size_t noptions;
};

/* Submits tasks for all chunks with points that are to run and in no task yet.  Returns the exit status. */
int study_slurm_submit(const struct study_slurm *s);
/* Prints the tasks that wait or run.  Returns the exit status. */
int study_slurm_status(const struct study_slurm *s, FILE *out);

#endif

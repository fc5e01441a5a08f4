/* plan.h - the points of a study in the order in which they will run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_PLAN_H
#define TOOLS_STUDY_PLAN_H

#include "kernel/registry.h"
#include "study_folder.h"
#include "study.h"

struct study_point {
	size_t number, design, trace; /* number: from 1, in the order of the study */
	uint64_t piece;   /* of the list, from 1, for the point that joins them; 0: it is none */
	char key[STUDY_KEY];
	bool done;        /* has a result that stays */
	double seconds;   /* expected; 0: unknown */
	double weight;    /* for the order: seconds, or the size of the trace if nothing was measured */
};

struct study_plan {
	const struct study *study;
	struct study_point *v; /* in the order of the study; behind them their pieces */
	size_t n, whole;       /* whole: those that are not pieces */
	json_t *statuses;      /* status -> number of points that are done */
	size_t ndone;
	bool measured;         /* weights are seconds */
	double seconds;        /* limits, from the study or the command line */
	uint64_t megabytes;
};

/* The points with their keys; `hashes`: of each design's netlist. */
void study_plan_make(struct study_plan *p, const struct study *s, const char *program,
                     char (*hashes)[STUDY_KEY]);
/* Finds out which points first..last have results, and how long the others will take.  With `retry` those that
 * did not finish are to run again, else only if they reached a limit that is another one now. */
void study_plan_look(struct study_plan *p, const struct study_folder *f, size_t first, size_t last, bool retry);
/* The numbers of those among first..last that are to run, minus 1, longest first: of those that join pieces, and are
 * ready, or of the others.  The caller frees them. */
size_t *study_plan_order(const struct study_plan *p, size_t first, size_t last, bool joins, size_t *n);
/* The file points.json. */
json_t *study_plan_json(const struct study_plan *p);
/* The file statistics.json: unit and meaning of every statistic.
 * { "run": { figure: { "unit", "doc" } }, "modules": { module: { statistic: { "unit", "doc" } } } } */
json_t *study_catalogue(const struct hd_registry *r);
/* Prints the points first..last, as many as have to run, and for how long. */
void study_plan_print(const struct study_plan *p, size_t first, size_t last, unsigned jobs, FILE *out);
/* Does point i join pieces?  Is it to run, because it has no result and all its pieces have? */
bool study_plan_joins(const struct study_plan *p, size_t i);
bool study_plan_ready(const struct study_plan *p, size_t i);
void study_plan_count(struct study_plan *p, const char *status);
void study_plan_free(struct study_plan *p);
/* "3 min 20 s".  In buf. */
const char *study_duration(double seconds, char buf[32]);

#endif

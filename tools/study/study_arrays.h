/* study_arrays.h - arrays of different netlists that do the same, under other names or with other counts
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A run's arrays are an object: name without indices -> { at, name, count }; at is the index into study_arrays.
 */
#ifndef TOOLS_STUDY_STUDY_ARRAYS_H
#define TOOLS_STUDY_STUDY_ARRAYS_H

#include "study_runs.h"

/* Finds the arrays of a run, the member "arrays" of its statistics, among those of the runs before it. */
void study_arrays_take(struct study_arrays *a, struct study_run *r, const json_t *arrays);
/* When all runs are read: adds up the elements of arrays in which runs differ, under the name of the first run. */
void study_arrays_join(struct study_sides *s);
/* The path of a value of that run if its array is added up, which the caller frees; NULL: the path stays. */
char *study_arrays_path(const struct study_arrays *a, const struct study_run *r, const char *kind, const char *path);
/* Adds how the arrays of two runs differ: lines to `renamed`, as keys, and to `added` what arrays that are added up
 * have in common: "arrays of 4 -> 2 elements": { name: null }. */
void study_arrays_differ(const struct study_arrays *all, const struct study_run *a, const struct study_run *b,
                         json_t *renamed, json_t *added);
void study_arrays_free(struct study_arrays *a);

#endif

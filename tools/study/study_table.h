/* study_table.h - the statistics of a run as values with paths, units and meanings
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_TABLE_H
#define TOOLS_STUDY_STUDY_TABLE_H

#include <jansson.h>

/* One value: kernel 0 is the whole run; kind: "run", "instance", "queue", "clock", "rate".
 * A kernel may have one twice. */
typedef void study_visit(void *arg, unsigned kernel, const char *kind, const char *path, const json_t *value);

/* Calls `visit` for every number in the statistics that heddle run writes but those of kernels. */
void study_walk(const json_t *statistics, study_visit *visit, void *arg);
/* Calls `visit` for every number in one row of "kernels". */
void study_walk_kernel(const json_t *row, unsigned kernel, study_visit *visit, void *arg);

/* { "unit", "doc" } of a statistic, or NULL.  `meanings` is a catalogue (plan.h), or NULL; `statistics` those
 * of a run that has the value. */
const json_t *study_meaning(const json_t *meanings, const json_t *statistics, const char *kind, const char *path);
/* The unit of a value, "" for a share; NULL: not known.  Statistics that heddle run --stats has written have
 * meanings of their own, though not of figures of the run: these have the unit of the modules' statistics of that
 * name. */
const char *study_unit(const json_t *meanings, const json_t *statistics, const char *kind, const char *path);

#endif

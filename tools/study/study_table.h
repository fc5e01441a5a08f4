/* study_table.h - the statistics of a run as values with paths
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
/* Calls it for those of one row of "kernels". */
void study_walk_kernel(const json_t *row, unsigned kernel, study_visit *visit, void *arg);

#endif

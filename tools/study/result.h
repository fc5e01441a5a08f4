/* result.h - the file of one result: how a point ended, and the statistics of its run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file is JSON, and the first line alone tells how the point ended:
 *	{"point": {...},
 *	"statistics": {...}}
 */
#ifndef TOOLS_STUDY_RESULT_H
#define TOOLS_STUDY_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes a result, whole or not at all: `part` is renamed.  `point`: its first line; takes it.  `text`:
 * the statistics as JSON, of n bytes; n 0: there are none.  Returns false with errno set. */
bool study_result_write(const char *path, const char *part, json_t *point, const char *text, size_t n);
/* The first line of a result that is complete; NULL: there is no such file, or it is not whole.  With
 * `statistics` the rest as well, NULL if there is none. */
json_t *study_result_read(const char *path, json_t **statistics);

/* Did a point with this first line do what was asked for? */
bool study_result_finished(const json_t *point);

#endif

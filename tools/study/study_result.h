/* study_result.h - the file of one result: how a point ended, and the statistics of its run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file is JSON, and the first line alone tells how the point ended:
 *	{"point": {...},
 *	"statistics": {...}}
 */
#ifndef TOOLS_STUDY_STUDY_RESULT_H
#define TOOLS_STUDY_STUDY_RESULT_H

#include "study_statistics.h"

/* Writes a result, whole or not at all: `part` is renamed.  `point`: its first line; takes it.  `text`: a file
 * that begins with statistics as JSON, of n bytes; n 0: there are none.  Returns false with errno set. */
bool study_result_write(const char *path, const char *part, json_t *point, FILE *text, size_t n);

struct study_result {
	json_t *point;                      /* the first line */
	struct study_statistics statistics; /* if there are any, an object */
};

/* Opens a result that is complete.  Returns false if there is no such file, or it is not whole. */
bool study_result_open(struct study_result *r, const char *path);
void study_result_close(struct study_result *r);
/* The first line of a result that is complete; else NULL. */
json_t *study_result_read(const char *path);

/* Did a point with this first line do what was asked for? */
bool study_result_finished(const json_t *point);

#endif

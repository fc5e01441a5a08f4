/* study_result.h - the file of one result: how a point ended, and the statistics of its run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The file is JSON, and the first line alone tells how the point ended:
 *	{"point": {...},
 *	"statistics": {...}}
 */
#ifndef TOOLS_STUDY_STUDY_RESULT_H
#define TOOLS_STUDY_STUDY_RESULT_H

#include "base/json_read.h"
#include "study_folder.h"

/* Statistics of a run in a file are read with rows of kernels one by one: each launch of a kernel has a row, so that of
 * a long run all of them would not fit into memory. */

/* Where the text of statistics is. */
struct study_statistics {
	FILE *f;
	long at;
	size_t bytes; /* at most */
	bool inner;   /* they are the member "statistics" of the object there */
};

/* Begins to read the text.  Returns false with errno set. */
bool study_statistics_open(const struct study_statistics *s, struct hd_json_file *file, struct hd_json_text *t);
/* All but the rows of "kernels", which are numbered from 1 and go one after another to row(), or nowhere if it
 * is NULL; the caller owns it.  NULL: it is not an object in JSON. */
json_t *study_statistics_read(const struct study_statistics *s, void (*row)(void *arg, unsigned kernel, json_t *row),
                              void *arg);

/* The rows of "kernels" where the reader takes them. */
struct study_rows {
	struct hd_json_file file;
	struct hd_json_text text;
	bool inner, more;
};
/* Reads up to the first of them.  Of one file one reader may be open at a time. */
void study_rows_open(struct study_rows *r, const struct study_statistics *s);
/* The next one, which the caller owns; NULL: there is none. */
json_t *study_rows_next(struct study_rows *r);
void study_rows_close(struct study_rows *r);

/* Writes the result of a point into its folder, whole or not at all; `part` is a name in tmp/ that is not in use.
 * `point`: its first line; takes it.  `text`: a file that begins with statistics as JSON, of n bytes; n 0: there are
 * none.  Returns false with errno set. */
bool study_result_write(const struct study_folder *f, const char *key, const char *part, json_t *point, FILE *text,
                        size_t n);

struct study_result {
	json_t *point;                      /* the first line */
	struct study_statistics statistics; /* if there are any, an object */
};

/* Opens a result that is complete, by its path in a folder of results.  Returns false if there is no such file, or
 * it is not whole. */
bool study_result_open(struct study_result *r, const char *path);
void study_result_close(struct study_result *r);
/* The first line of a result that is complete; else NULL. */
json_t *study_result_read(const char *path);

/* Did a point with this first line do what was asked for? */
bool study_result_finished(const json_t *point);

#endif

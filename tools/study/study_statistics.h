/* study_statistics.h - reads the statistics of a run in a file, rows of kernels one by one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Each launch of a kernel has a row, so that of a long run all of them would not fit into memory.
 */
#ifndef TOOLS_STUDY_STUDY_STATISTICS_H
#define TOOLS_STUDY_STUDY_STATISTICS_H

#include "base/json_read.h"

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

#endif

/* study_page.h - the page and the table of a study's results
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads the database that heddle sweep writes (docs/studies.md).  docs/report.md explains the page.
 */
#ifndef TOOLS_REPORT_STUDY_PAGE_H
#define TOOLS_REPORT_STUDY_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct report_study {
	json_t *data;    /* for the page, see study_page_read.c */
	json_t *columns; /* arrays: the values of each statistic that is not the same in all points */
};

/* Is it a folder with results, or their database? */
bool report_is_study(const char *path);
/* The database of such a folder, or the path itself; the caller frees it. */
char *report_study_path(const char *path);
/* Returns false after printing an error. */
bool report_study_read(const char *path, struct report_study *s);
/* Adds the text of a file to the page: comma-separated values of costs or references.  Returns
 * false after printing an error. */
bool report_study_add_csv(struct report_study *s, const char *path);
/* Has the page a parameter, a figure or a column of a table of this name, after the tables were added?  Returns false
 * after printing that it has not. */
bool report_study_has_cost(const struct report_study *s, const char *name);
void report_study_free(struct report_study *s);

/* Prints a line for each point, with a bar for the figure.  Returns false after printing that there is
 * no such figure. */
bool report_study_table(const struct report_study *s, const char *figure, unsigned columns, FILE *out);

#endif

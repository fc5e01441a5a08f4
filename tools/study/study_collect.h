/* study_collect.h - the results in a folder as one database, a table, or JSON
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_COLLECT_H
#define TOOLS_STUDY_STUDY_COLLECT_H

#include "study_folder.h"

#include <sqlite3.h>
#include <stdio.h>

/* Writes the database `path`, which is not there, of the points that have results, *n.  Returns false after
 * printing an error. */
bool study_write_sqlite(const struct study_folder *f, const json_t *plan, const char *path, size_t *n);
/* Writes the values of such a database as a table: a row for each point and kernel (0: the whole run), a column
 * for each parameter and statistic.  Returns false after printing an error. */
bool study_write_csv(sqlite3 *db, const char *path, FILE *out);
/* Writes the results as JSON. */
void study_write_json(const struct study_folder *f, const json_t *plan, FILE *out);

#endif

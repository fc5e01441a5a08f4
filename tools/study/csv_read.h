/* csv_read.h - reads a table of comma-separated values
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_CSV_READ_H
#define TOOLS_STUDY_CSV_READ_H

#include "base/diag.h"

#include <stddef.h>

struct csv_row {
	char **v;
	size_t n;
	int line;
};

struct csv_table {
	struct csv_row *v;
	size_t n;
};

/* Reads the file, from the first line on that has the text `head` and a comma, if there is one: a program may have
 * printed what is before.  Values stand between commas, or between tabs if the first row has a tab.  One in quotes may
 * have commas and ends of lines in it, and a quote twice.  Empty lines, and lines that begin with "==", are left out:
 * profilers print these.  Returns false after reporting an error; the table is to be freed in any case. */
bool csv_read(struct csv_table *t, const char *file, const char *head, struct hd_diags *d);
void csv_free(struct csv_table *t);

#endif

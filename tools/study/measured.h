/* measured.h - tables of measured cycles: one with columns of known names, or what Nsight Compute exports
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_MEASURED_H
#define TOOLS_STUDY_MEASURED_H

#include "base/diag.h"

#include <jansson.h>

struct measured_form {
	const char *file;
	const json_t *columns; /* names of the columns of a file without a header, or NULL */
	const json_t *values;  /* column -> value where the file has no such column, or NULL */
	const json_t *where;   /* column -> value: other rows are left out; or NULL */
	const json_t *others;  /* name -> column: cycles of other simulators; or NULL */
	const char *metric;    /* of an export; NULL: the first of those that are known */
	double mhz;            /* for durations, where the file has no clock; 0: none */
	json_t *found;         /* columns of .others that the file has are put there, as keys */
};

/* Names of the columns that are read, NULL-terminated. */
extern const char *const measured_columns[];

/* A list of rows, objects with "line", a text for each known column but those of cycles that is not empty, "cycles" if
 * there are any, and "others", name -> cycles.  Rows of an export also have "declared", the kernel as it is there, and
 * "grid" and "block", lists of three numbers, if these are there; "kernel" is its base name then, by which "launch"
 * counts.  NULL after reporting errors.  The caller owns it. */
json_t *measured_read(const struct measured_form *form, struct hd_diags *d);

#endif

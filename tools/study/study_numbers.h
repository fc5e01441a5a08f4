/* study_numbers.h - numbers that statistics must have for a comparison
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_NUMBERS_H
#define TOOLS_STUDY_STUDY_NUMBERS_H

#include <jansson.h>

/* What is wrong with a figure of a run or with one of a kernel's row: "issue.stall is -5; expected a number from 0 on".
 * NULL: nothing is.  The caller frees it. */
char *study_bad_number(const json_t *statistics);

#endif

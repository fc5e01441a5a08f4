/* study_stalls.h - the difference of two sides by what their issue slots were lost to, down to causes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_STALLS_H
#define TOOLS_STUDY_STUDY_STALLS_H

#include "study_compare.h"

/* Prints the tree of reasons, the largest differences first: slots of both sides, and the cycles that the difference
 * explains.  `all`: rows that are small or alike as well.  Returns false if it prints nothing: no pair of runs counts
 * issue slots, or they are alike. */
bool study_print_stalls(const struct study_sides *s, const struct study_pairs *p, bool all, FILE *out);

#endif

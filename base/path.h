/* path.h - paths of instances: without the numbers in them, their order, patterns
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* "sm[1].sp[0]" -> "sm.sp".  The caller frees the result. */
char *hd__path_without_indices(const char *path);
/* "sm[1].sp[0]" -> "sm[*].sp[*]", which stands for all that differ in indices only.  The caller
 * frees the result. */
char *hd__path_any_index(const char *path);

/* <, =, > 0 by text; where they differ in an index, by its number. */
int hd__path_order(const char *a, const char *b);
/* Does the text fit the pattern?  '*' is any text, '?' one character, all others are themselves: [0] is an
 * index. */
bool hd__path_fits(const char *pattern, const char *text);

#endif

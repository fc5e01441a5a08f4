/* path.h - paths of instances without the numbers in them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_BASE_PATH_H
#define KERNEL_BASE_PATH_H

/* "sm[1].sp[0]" -> "sm.sp".  The caller frees the result. */
char *hd__path_without_indices(const char *path);
/* "sm[1].sp[0]" -> "sm[*].sp[*]", which stands for all that differ in indices only.  The caller
 * frees the result. */
char *hd__path_any_index(const char *path);

#endif

/* box_names.h - paths of instances that differ in their indices
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_GRAPH_BOX_NAMES_H
#define TOOLS_GRAPH_BOX_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* As strcmp(), but numbers by their values: sp[9] before sp[10]. */
int hd__name_compare(const char *a, const char *b);
/* The length of what is before the last name: 8 of "sm[0..1].sp[2]". */
size_t hd__name_parent(const char *name);
/* The last name: "sp[2]". */
const char *hd__name_last(const char *name);
/* Without the indices: "sm[].sp[]" of "sm[0].sp[2]" and of "sm[0].sp[1..3]". */
char *hd__name_open(const char *name);
/* "sp[0..3]" of "sp[0..2]" and "sp[3]", which differ in indices only.  Frees `a`. */
char *hd__name_join(char *a, const char *b);

/* How many instances "cluster[0..39].sm[0..1]" is: 80. */
uint32_t hd__name_count(const char *name);

#endif

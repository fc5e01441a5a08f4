/* link_edit.h - the links of a netlist while one that extends it changes them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_LINK_EDIT_H
#define KERNEL_NETLIST_LINK_EDIT_H

#include "composition.h"

struct hd_edit_link {
	json_t *link;
	size_t number;  /* in the netlist before, from 1; 0: `at` is its place */
	json_t *at;     /* "@SOURCE:POINTER", or NULL */
	json_t *origin; /* pointer below the link -> another place that this comes from; or NULL */
	size_t takes;   /* to compare it, as long as so many short links */
};

/* Lists the links, the first time. */
void hd__edit_open(struct hd_edit *e);
/* Counts what it takes to compare a link, again after a change. */
void hd__edit_count(struct hd_edit *e, struct hd_edit_link *l);
/* Gives up a link, which is not in the list any more. */
void hd__edit_drop(struct hd_edit *e, struct hd_edit_link *l);
/* The place of what is at the pointer `key` below a link; "" is the link.  The caller frees it. */
char *hd__edit_at(const struct hd_edit *e, const struct hd_edit_link *l, const char *key);
/* What is at `key` comes from `at`, a new reference. */
void hd__edit_origin(struct hd_edit_link *l, const char *key, json_t *at);

/* Counts the comparisons of a pattern with so many values, or of a name, with all links.  Returns false if there are too
 * many, after reporting it once. */
bool hd__edit_compares(struct hd_edit *e, size_t values, const char *at);
/* What it takes to change a link. */
size_t hd__edit_takes(const struct hd_edit_link *l, const json_t *change);
/* Counts that.  Returns false if changes took too much so far, after reporting it once. */
bool hd__edit_may(struct hd_edit *e, size_t takes, const char *at);
/* Values in a pattern, long texts as several. */
size_t hd__edit_values(const json_t *v);

#endif

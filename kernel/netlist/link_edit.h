/* link_edit.h - the links of a netlist while one that extends it changes them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_LINK_EDIT_H
#define KERNEL_NETLIST_LINK_EDIT_H

#include "composition.h"

struct hd_edit {
	struct hd_netlist *n;
	struct hd_doc *doc;
	struct hd_diags *d;
	struct hd_edit_link *v; /* if `open`: the links */
	size_t nv, cap;
	size_t takes, exports_take; /* steps to compare all links, and the exports; 0: not known */
	bool open;
	json_t *longer;         /* else: all links, if some were added */
};

/* Each reports its mistakes, which are at `at`, a place in the extending file. */
void hd__edit_add(struct hd_edit *e, json_t *link, const char *at);
void hd__edit_remove(struct hd_edit *e, const json_t *pattern, const char *at);
void hd__edit_rewire(struct hd_edit *e, const json_t *change, const char *at);
/* Removes all links of an instance. */
void hd__edit_remove_instance(struct hd_edit *e, const char *name, const char *at);
/* Writes the edited links back into the doc. */
void hd__edit_end(struct hd_edit *e);

#endif

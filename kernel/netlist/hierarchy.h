/* hierarchy.h - private to hierarchy*.c: an instance that is a netlist
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_NETLIST_HIERARCHY_H
#define KERNEL_NETLIST_HIERARCHY_H

#include "scope.h"
#include "base/xalloc.h"

/* Changes inside of an instance, in the order of the file. */
struct hd_inner_changes {
	const struct hd_inner_change **all; /* of all elements */
	const struct hd_inner_change **own; /* of single ones: of element k from start[k] up to start[k + 1] */
	size_t nall, *start; /* NULL: there are no changes */
};

/* The instance before its elements are read. */
struct hd_sub_draft {
	struct hd_netlist *n;
	struct hd_frame *frame;   /* that contains it */
	const struct hd_entry *e;
	const char *name;         /* of the instance, in its own netlist */
	struct hd_diags *d;
	struct hd_doc *doc;       /* without changes by enclosing netlists */
	json_t *params, *clocks;  /* given; objects or NULL */
	const char *clock;        /* clock of a netlist without clocks, or NULL */
	struct hd_inner_changes changes;
	uint32_t count;
	bool array, miscounted;
};

/* hierarchy_given.c, once the netlist of the instance is known: its "params", u->params, */
void hd__sub_params(struct hd_sub_draft *u);
/* and its "clocks", u->clocks, and "clock", u->clock.  After an error any clock will do. */
void hd__sub_clocks(struct hd_sub_draft *u);

#endif

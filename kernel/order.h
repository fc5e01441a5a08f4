/* order.h - shared by the files that find the order of evaluation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_ORDER_H
#define KERNEL_ORDER_H

#include "sim.h"

/* What must come before what: nodes are instances and rotating groups. */
struct hd_arc {
	uint32_t to, next;   /* next arc of the same node, UINT32_MAX: none */
	size_t link;
};

struct hd_graph {
	struct hd_sim *s;
	uint32_t n;          /* nodes: instances, then groups */
	uint32_t *first;     /* by node: its arcs */
	uint32_t *indegree;
	struct hd_arc *arcs;
	size_t narcs, cap;
	uint32_t *group_of;  /* by instance: group + 1, or 0 */
	struct hd_instance ***members; /* by group */
	uint32_t *nmembers;
	size_t *group_link;
	uint32_t ngroups;
	uint32_t section;    /* of the node that has been placed last */
	uint32_t *sizes;     /* by section: its processes */
	bool ok;
};

/* rotate.c: the groups of instances that rotate; errors clear g->ok. */
void hd__order_groups(struct hd_graph *g);
/* The nearest clock that all of the instances step with, or NULL. */
struct hd_clock *hd__common_clock(struct hd_instance **v, uint32_t n);
/* process.c: makes the processes of the ranks, and their bit sets. */
void hd__make_processes(struct hd_graph *g);

#endif

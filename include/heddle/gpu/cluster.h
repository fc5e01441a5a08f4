/* cluster.h - interface of a cluster of SMs, for the dispatcher
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_CLUSTER_H
#define HEDDLE_GPU_CLUSTER_H

#include <heddle/module.h>

struct hd_cluster_if {
	void *self;
	/* Once, in `start`: number of its first SM. */
	void (*place)(void *self, uint32_t first);
	/* From the next cycle on the cluster works, or does not: it does while one of its SMs has a CTA
	 * and while there are CTAs to place. */
	void (*work)(void *self, bool works);
};

static const struct hd_type hd_type_cluster_if = {
	.name = "cluster", .size = sizeof(struct hd_cluster_if), .version = 1,
};

#endif

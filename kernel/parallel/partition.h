/* partition.h - what parts of a simulation have to do with each other over channels only
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARALLEL_PARTITION_H
#define KERNEL_PARALLEL_PARTITION_H

#include "kernel/sim.h"

#define HD_NO_PARTITION UINT32_MAX

struct hd_partitions {
	uint32_t n;
	uint32_t *of;   /* by number of an instance; HD_NO_PARTITION: it is never evaluated, and what
	                 * uses it does so in any order */
	uint32_t *size; /* by partition: its instances */
	const struct hd_channel **apart; /* channels from one to another */
	size_t napart;
};

/* Of things that are joined, of which each has another one of its own in `up`, or itself: the one that stands for
 * those of i. */
static inline uint32_t hd__leader(uint32_t *up, uint32_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/* Of a simulation that is linked; hd__partitions_free() frees them. */
struct hd_partitions *hd__partitions_find(const struct hd_sim *s);
void hd__partitions_free(struct hd_partitions *p);
/* Joins partitions of one instance each, of one array: `up`, by partition, in which all are apart. */
void hd__partitions_join(const struct hd_sim *s, const struct hd_partitions *p, uint32_t *up);

/* Do others wake it, as a provider that is in another partition? */
static inline bool hd__is_woken(const struct hd_instance *in)
{
	bool woken = false;

	for (const struct hd_port *p = in->module->ports; p && p->name; p++)
		woken = woken || (p->flags & HD_WAKES);
	return woken;
}

#endif

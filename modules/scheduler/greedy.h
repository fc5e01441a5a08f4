/* greedy.h - private to the scheduling policies that prefer the warp that issued last
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_SCHEDULER_GREEDY_H
#define MODULES_SCHEDULER_GREEDY_H

#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/warps.h>

/* The state of such a policy begins with this. */
struct greedy {
	struct hd_sched_policy_if policy;
	const struct hd_warps *warps;
	hd_warp_set last; /* set of the one warp that issued last */
};

extern const struct hd_port hd__greedy_ports[];

/* For `init`: behind the warp that issued last come the others by age, the oldest first. */
void hd__greedy_init(struct greedy *g);
/* For `checkpoint`. */
void hd__greedy_saved(void *state, struct hd_checkpoint *k);

#endif

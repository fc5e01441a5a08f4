/* sched_policy.h - interface of a scheduling policy: which of its warps may go first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scheduling policies.  One policy instance serves one issue stage, and only
 * ever sees the slots of its own scheduler.
 */
#ifndef HEDDLE_INTERFACE_SCHED_POLICY_H
#define HEDDLE_INTERFACE_SCHED_POLICY_H

#include <heddle/interface/warp_set.h>
#include <heddle/module.h>

struct hd_sched_policy_if {
	void *self;
	/* Tells the policy, before the first edge, which slots are this scheduler's.  May be NULL. */
	void (*bind)(void *self, hd_warp_set mine);
	/* Before begin(): of these warps the next instruction, or what it waits for, has changed.
	 * May be NULL; not called without begin(). */
	void (*changed)(void *self, hd_warp_set set);
	/* Once per edge: `live` are the warps that are neither ended nor held.  Returns the warps
	 * that the walk may look at.  NULL: all of them. */
	hd_warp_set (*begin)(void *self, hd_warp_set live);
	/* The one of `set` (not empty) that comes first. */
	uint32_t (*first)(void *self, hd_warp_set set);
	/* Warp issued an instruction, the nth (from 0) of this edge. */
	void (*issued)(void *self, uint32_t warp, uint32_t nth);
	/* begin() looks at every warp, so fences are looked at before the walk (gto, oldest). */
	bool polls_fences;
	/* begin() would do something at the next edge even when no warp changes: the issue stage must
	 * not sleep.  Asked after each begin(). */
	bool needs_every_edge;
	/* n edges passed at which begin() was left out as no warp had changed.  May be NULL. */
	void (*skipped)(void *self, uint64_t n);
};

static const struct hd_type hd_type_sched_policy_if = {
	.name = "sched_policy", .size = sizeof(struct hd_sched_policy_if),
	.version = HD_WARP_VERSION(2),
};

#endif

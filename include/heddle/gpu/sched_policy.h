/* sched_policy.h - interface of a scheduling policy: the order in which warps are considered
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scheduling policies.  One policy instance serves one issue stage, and only
 * ever sees the slots of its own scheduler.
 */
#ifndef HEDDLE_GPU_SCHED_POLICY_H
#define HEDDLE_GPU_SCHED_POLICY_H

#include <heddle/gpu/warp_set.h>
#include <heddle/module.h>

struct hd_sched_policy_if {
	void *self;
	/* Called before the first edge with the slots of this scheduler.  May be NULL. */
	void (*bind)(void *self, hd_warp_set mine);
	/* Called before begin(): the next instruction of these warps, or what it waits for, has
	 * changed.  May be NULL; not called without begin(). */
	void (*changed)(void *self, hd_warp_set set);
	/* Called once per edge: `live` are the warps that have neither ended nor are held, and those at a fence,
	 * which may end when they are considered.  Returns the warps that are: what it leaves out for good, a fence
	 * holds for good.  NULL: all of them. */
	hd_warp_set (*begin)(void *self, hd_warp_set live);
	/* The warp of `set` (not empty) to be considered first. */
	uint32_t (*first)(void *self, hd_warp_set set);
	/* Warp issued an instruction, the nth (from 0) of this edge. */
	void (*issued)(void *self, uint32_t warp, uint32_t nth);
	/* begin() examines every warp, so fences are polled before the walk (gto, oldest). */
	bool polls_fences;
	/* begin() has an effect at the next edge even when no warp changes: the issue stage must
	 * not sleep.  Read after each begin(). */
	bool needs_every_edge;
	/* Called after n edges without begin(), as no warp had changed.  May be NULL. */
	void (*skipped)(void *self, uint64_t n);
	/* The slots above the warp that issued last, for the functions below, of a policy that is a ring and
	 * nothing else.  NULL: they call first() and issued(). */
	hd_warp_set *behind;
	/* The set of the warp that issued last, for the same functions, of a policy that puts it before all
	 * others and in issued() only keeps it.  NULL: they call issued(). */
	hd_warp_set *greedy;
	/* 1 + a symbol of kind "hold", hd_symbol(): slots that are lost because begin() has left warps out are "idle."
	 * and its name.  0: "idle.policy". */
	uint32_t hold;
};

static const struct hd_type hd_type_sched_policy_if = {
	.name = "sched_policy", .size = sizeof(struct hd_sched_policy_if), .version = 5,
	.work = HD_WORK_OUT, .build = HD_WARP_BUILD,
};

/* The warp of the set, which is not empty, that comes first in a ring. */
static inline uint32_t hd_ring_first(hd_warp_set behind, hd_warp_set set)
{
	hd_warp_set ahead = set & behind;

	return hd_warp_first(ahead ? ahead : set);
}

/* The policy has chosen a warp that is not in the set, and would never be taken out of it. */
#if defined(__GNUC__)
__attribute__((noinline, cold, unused)) static
#else
static inline
#endif
uint32_t hd__policy_foreign(const struct hd_ctx *c, const struct hd_sched_policy_if *p, hd_warp_set set, uint32_t warp)
{
	hd_wrong(c, p, "returned warp %u from first(), which is not in the set that it was given", warp);
	return hd_warp_first(set);
}

/* Returns what first() does, for the instance that uses the policy. */
static inline uint32_t hd_policy_first(const struct hd_ctx *c, const struct hd_sched_policy_if *p, hd_warp_set set)
{
	uint32_t warp;

	if (HD_LIKELY(p->behind != NULL))
		return hd_ring_first(*p->behind, set);
	if (p->greedy && (*p->greedy & set))
		return hd_warp_first(*p->greedy);
	warp = p->first(p->self, set);
	if (HD_LIKELY(warp < HD_MAX_WARPS && hd_warp_in(set, warp)))
		return warp;
	return hd__policy_foreign(c, p, set, warp);
}

/* Has the effect of issued(). */
static inline void hd_policy_issued(const struct hd_sched_policy_if *p, uint32_t warp, uint32_t nth)
{
	if (HD_LIKELY(p->behind != NULL))
		*p->behind = hd_warp_above(warp);
	else if (p->greedy)
		*p->greedy = hd_warp_bit(warp);
	else
		p->issued(p->self, warp, nth);
}

#endif

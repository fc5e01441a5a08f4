/* named.h - private to the barriers of CTAs: who has arrived at which, and which of them open
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Barrier: 16 barriers per CTA; warps that have ended do not count where all have to arrive.
 */
#ifndef MODULES_BARRIER_NAMED_H
#define MODULES_BARRIER_NAMED_H

#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

/* The state of each module begins with this. */
struct named {
	struct hd_barrier_if barrier;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	void (*open)(void *state, hd_warp_set waited); /* a barrier opens, at which these have waited */
	hd_warp_set joined[HD_NAMED_BARRIERS];  /* warps that wait, */
	hd_warp_set arrived[HD_NAMED_BARRIERS]; /* and those that have arrived without waiting */
	uint16_t threads[HD_MAX_WARPS][HD_NAMED_BARRIERS]; /* by CTA slot: for how many threads it is; 0: for all */
	uint16_t used[HD_MAX_WARPS]; /* by CTA slot: set of barriers to which its warps have come; others are empty */
	uint64_t arrivals, releases;
};

/* The warp of this BAR has come to its barrier, whose id is returned.  It has not ended. */
uint32_t hd__named_come(struct named *n, const struct hd_inst *inst);
/* The warp waits there, which may open the barrier. */
void hd__named_join(struct named *n, uint32_t warp, uint32_t id);
/* The warp has arrived there without waiting, which may open the barrier. */
void hd__named_arrive(struct named *n, uint32_t warp, uint32_t id);
/* The warp has ended.  A barrier for so many threads keeps its arrival. */
void hd__named_leave(struct named *n, uint32_t warp);

/* .report_pending. */
void hd__named_report(const void *state, struct hd_pending *h);

extern const struct hd_event hd__named_events[];

/* Statistics. */
#define NAMED_STATS(releases_doc) \
	{ .name = "arrivals", .unit = "warps", .doc = "warps that arrived at the barrier", \
	  .offset = offsetof(struct named, arrivals) }, \
	{ .name = "releases", .unit = "barriers", .doc = releases_doc, .offset = offsetof(struct named, releases) }

/* Of .by_slot: all that is kept for warps. */
#define NAMED_BY_SLOT \
	{ .name = "joined", .offset = offsetof(struct named, joined), .size = sizeof(hd_warp_set) }, \
	{ .name = "arrived", .offset = offsetof(struct named, arrived), .size = sizeof(hd_warp_set) }

#define NAMED_WARPS_PORT \
	{ .name = "warps", .doc = "warps of a CTA, and blocked warps", .kind = HD_USES, \
	  .type = &hd_type_warps, .offset = offsetof(struct named, warps) }

#endif

/* warps.h - the state of the SM's hardware warps that all stages share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Warp state.  Sets of warps are one word, bit = hardware warp slot.  Whoever changes
 * what may let a warp issue, or holds it while its own scheduler has not got the turn, calls
 * hd_warp_touch(), which wakes that; whoever changes what may let a warp be fetched or retired
 * calls hd_warp_fetchable().
 */
#ifndef HEDDLE_INTERFACE_WARPS_H
#define HEDDLE_INTERFACE_WARPS_H

#include <heddle/payload/inst.h>
#include <heddle/payload/launch.h>

/* Why a warp may not issue although it has an instruction.  A unit of another kind uses OTHER. */
enum hd_warp_block { HD_BLOCK_BARRIER, HD_BLOCK_FENCE, HD_BLOCK_ATOMIC, HD_BLOCK_COPY, HD_BLOCK_OTHER,
	HD_BLOCKS };

struct hd_warps {
	void *self;
	uint32_t count;    /* hardware warp slots */
	uint64_t exited;   /* all lanes have completed (functional_done); also empty slots */
	uint64_t retired;  /* given back by fetch (done_exit); also empty slots */
	uint64_t blocked;  /* union of the next */
	uint64_t blocked_by[HD_BLOCKS];
	uint64_t missing;  /* their line of instructions is under way */
	uint64_t changed;  /* warps whose issue conditions changed; their scheduler clears the bit */
	uint32_t lanes[HD_MAX_WARPS];       /* lanes that have not completed */
	uint32_t in_pipeline[HD_MAX_WARPS]; /* instructions decoded and not completed */
	uint32_t stores[HD_MAX_WARPS];      /* stores not yet acknowledged */
	uint32_t atomics[HD_MAX_WARPS];     /* lanes of atomics not yet answered */
	uint64_t age[HD_MAX_WARPS];         /* dynamic warp id: order of launch on this SM */
	uint32_t npc[HD_MAX_WARPS];         /* pc behind the last issued instruction, for fetch */
	uint32_t cta[HD_MAX_WARPS];         /* CTA slot */
	uint64_t cta_warps[HD_MAX_WARPS];   /* by CTA slot: its warps, 0: the slot is free */
	uint32_t cta_count;
	uint64_t uid;                       /* instructions issued so far; the last one's uid */
	uint64_t completed;                 /* thread instructions, counted at completion (19) */
	const struct hd_launch *launch;     /* the kernel that the resident CTAs belong to */
	uint32_t max_cta;                   /* of that kernel on this SM */
	uint32_t sm, sms;                   /* this SM's number, and how many there are */
	struct hd_waker scheduler[HD_MAX_WARPS];
	struct hd_waker fetch, dispatch;
	struct hd_waker unclaimed;          /* what these are before somebody claims them */

	/* Places a CTA: warps first .. first+launch->warps-1 on CTA slot `slot`. */
	void (*launch_cta)(void *self, uint32_t slot, uint32_t first);
	/* Gives the warp's threads back; frees the CTA slot with the last one. */
	void (*retire)(void *self, uint32_t warp);
};

static const struct hd_type hd_type_warps = {
	.name = "warps", .size = sizeof(struct hd_warps), .version = 2,
};

/* Makes one of the wakers mine.  False: somebody else has it, and would not be woken any more. */
static inline bool hd_warps_claim(const struct hd_warps *w, struct hd_waker *waker,
                                  struct hd_waker mine)
{
	bool free = waker->word == w->unclaimed.word && waker->bit == w->unclaimed.bit;

	*waker = mine;
	return free;
}

static inline void hd_warp_touch(struct hd_warps *w, uint32_t warp)
{
	w->changed |= UINT64_C(1) << warp;
	hd_wake(w->scheduler[warp]);
}

static inline void hd_warp_fetchable(struct hd_warps *w)
{
	hd_wake(w->fetch);
}

static inline void hd_warp_block(struct hd_warps *w, uint32_t warp, enum hd_warp_block why)
{
	w->blocked_by[why] |= UINT64_C(1) << warp;
	w->blocked |= UINT64_C(1) << warp;
}

static inline void hd_warp_unblock(struct hd_warps *w, uint32_t warp, enum hd_warp_block why)
{
	uint64_t any = 0;

	w->blocked_by[why] &= ~(UINT64_C(1) << warp);
	for (int i = 0; i < HD_BLOCKS; i++)
		any |= w->blocked_by[i];
	w->blocked = any;
	hd_warp_touch(w, warp);
}

/* All lanes done, nothing in the pipeline, no store unanswered (hardware_done). */
static inline bool hd_warp_drained(const struct hd_warps *w, uint32_t warp)
{
	return (w->exited >> warp & 1) && w->stores[warp] == 0 && w->in_pipeline[warp] == 0;
}

static inline void hd_warp_left_pipeline(struct hd_warps *w, uint32_t warp)
{
	w->in_pipeline[warp]--;
	if (w->exited >> warp & 1)
		hd_warp_fetchable(w);
}

static inline void hd_warp_store_done(struct hd_warps *w, uint32_t warp)
{
	w->stores[warp]--;
	if (w->exited >> warp & 1)
		hd_warp_fetchable(w);
}

static inline void hd_warp_atomics_done(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	w->atomics[warp] -= lanes;
	if (w->atomics[warp] == 0)
		hd_warp_unblock(w, warp, HD_BLOCK_ATOMIC);
}

/* Lanes end.  Returns true if they were the last of the warp. */
static inline bool hd_warp_exit_lanes(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	w->lanes[warp] &= ~lanes;
	if (w->lanes[warp] != 0)
		return false;
	w->exited |= UINT64_C(1) << warp;
	hd_warp_fetchable(w);
	return true;
}

#endif

/* warps.h - the state of the SM's hardware warps that all stages share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Warp state.  Every stage may read the fields.  They are written by `warps`, which
 * places CTAs and retires warps, and through the functions below; the comment at
 * each field names the function, and the stage that calls it.  The functions also wake the instance
 * that sleeps on the changed state: the scheduler of a warp, or fetch.
 */
#ifndef HEDDLE_GPU_WARPS_H
#define HEDDLE_GPU_WARPS_H

#include <heddle/gpu/warp_set.h>
#include <heddle/gpu/inst.h>
#include <heddle/gpu/launch.h>

/* Why a warp may not issue although it has an instruction.  A module of another kind names a reason of its own, from
 * HD_BLOCKS on: hd_warps_name_hold(). */
enum hd_warp_block { HD_BLOCK_BARRIER, HD_BLOCK_FENCE, HD_BLOCK_ATOMIC, HD_BLOCK_COPY, HD_BLOCK_OTHER,
	HD_BLOCK_MBARRIER, HD_BLOCK_MMA, HD_BLOCKS };

#define HD_HOLDS 16u /* with those that are named */

#define HD_MOST_CLUSTER 16u /* CTAs of a cluster */

/* The cluster of a CTA: where its CTAs are, by their ranks. */
struct hd_cta_cluster {
	uint32_t serial;               /* of all clusters that were placed, from 1 */
	uint8_t size, rank;            /* size 1: it is alone */
	uint8_t sm[HD_MOST_CLUSTER];   /* of the GPC, from 0 */
	uint8_t slot[HD_MOST_CLUSTER]; /* CTA slot there */
	uint16_t zero;
};

struct hd_warps {
	void *self;
	/* Written once, by `warps` in init; sm and sms again by a dispatcher of several SMs, in
	 * start. */
	uint32_t count;                     /* hardware warp slots */
	uint32_t sm, sms;                   /* this SM's number, and how many there are */
	uint32_t traced;                    /* number of warp slot 0 in the trace source */
	bool posted;                        /* warps end before their stores are acknowledged */

	const uint64_t *cycle;              /* the present one; NULL: there is no clock */

	/* Written by `warps` when a CTA ends, for the dispatcher.  hd_warps_cta_ended() */
	uint64_t ended;                     /* the cycle; it may be later than that of the dispatcher */

	/* The kernel of the resident CTAs.  hd_warps_set_launch(): the dispatcher. */
	const struct hd_launch *launch;     /* read by `warps`, and for addresses of local memory */
	uint32_t max_cta;                   /* CTAs of it that fit on this SM; the same */

	/* Written by `warps`, when it places a CTA or retires a warp. */
	uint32_t cta_count;                 /* resident CTAs, for the dispatcher */
	hd_warp_set cta_warps[HD_MAX_WARPS]; /* by CTA slot: its warps, none: the slot is free; for the
	                                     * barrier and the dispatcher */
	uint32_t cta[HD_MAX_WARPS];         /* CTA slot; for the barrier */
	uint32_t kernel[HD_MAX_WARPS];      /* position of its launch in the list; for counters */
	uint32_t oldest_kernel;             /* that of the CTA that has been here for longest, or, without any,
	                                     * that was launched last; for schedulers without a warp */
	uint64_t block[HD_MAX_WARPS];       /* by CTA slot: linear number of its CTA in the grid.
	                                     * hd_warps_set_block(): the dispatcher; for reports */
	struct hd_cta_cluster cluster[HD_MAX_WARPS]; /* by CTA slot. hd_warps_set_cluster(): the dispatcher */
	uint64_t age[HD_MAX_WARPS];         /* dynamic warp id: order of launch on this SM; for
	                                     * scheduling policies and state kept by warp */
	uint64_t launched_at[HD_MAX_WARPS]; /* the cycle in which it was; for scheduling policies, which know
	                                     * another warp in a slot by its age, and the present cycle by
	                                     * .cycle */
	hd_warp_set retired;                /* given back by fetch (done_exit); also empty slots */

	/* May the warp issue?  For issue stages and scheduling policies, `exited` also for fetch
	 * and the barrier. */
	hd_warp_set exited;                 /* all lanes have completed (functional_done); also empty
	                                     * slots.  hd_warp_exit_lanes(): issue, dispatcher */
	hd_warp_set blocked;                /* union of the next */
	hd_warp_set blocked_by[HD_HOLDS];   /* hd_warp_block(), hd_warp_unblock(): barrier, fence, copy,
	                                     * modules of other kinds; ATOMIC: as `atomics` */
	uint64_t barrier[HD_MAX_WARPS];     /* uid of the BAR that holds the warp; what is younger slipped behind it.
	                                     * hd_warp_at_barrier(): barriers of CTAs */
	hd_warp_set barriers_before;        /* blocked_by[HD_BLOCK_BARRIER] before its changes in the edge in which */
	uint64_t barriers_changed;          /* it changed last, which is this less 1; 0: never.  For
	                                     * hd_warps_at_barriers() */
	hd_warp_set changed;                /* issue conditions changed.  hd_warp_touch() by the stage
	                                     * that changes them; hd_warps_take_changed(): issue */

	/* Changes by which no warp can issue that could not before, and of which a scheduler that sleeps
	 * need not be woken.  For stages that follow control words. */
	hd_warp_set rests;                  /* those of the first kind of these warps do not wake it, */
	hd_warp_set waits;                  /* of these neither the second. hd_warps_rest(): issue */
	hd_warp_set appended;               /* first kind, in the last edge in which there was one.
	                                     * hd_warp_append(): decode */
	uint64_t appended_at;
	hd_warp_set held_back;              /* second kind.  hd_warp_hold_back(): counters */
	uint64_t held_back_at;
	hd_warp_set quiet;                  /* second kind, since the stage looked at its warps */

	/* Outstanding work of a warp.  For fetch, which retires it when there is none left. */
	uint32_t lanes[HD_MAX_WARPS];       /* lanes that have not completed; as `exited` */
	uint32_t in_pipeline[HD_MAX_WARPS]; /* instructions decoded and not completed.
	                                     * hd_warp_enter_pipeline(): decode;
	                                     * hd_warp_left_pipeline(): writeback, load/store unit */
	uint32_t stores[HD_MAX_WARPS];      /* stores not yet acknowledged.  hd_warp_store_sent(),
	                                     * hd_warp_store_done(): load/store unit */
	uint32_t unacknowledged;            /* the sum of these.  The same */
	uint32_t stored[HD_MAX_WARPS];      /* instructions that stored to global memory and have sent all, since
	                                     * its launch: to foresee its end.  hd_warp_stored(): load/store
	                                     * unit */
	hd_warp_set fences;                 /* their fence is behind accesses that the load/store unit has not served.
	                                     * hd_warp_fence_sent(): a fence that waits for that;
	                                     * hd_warp_fence_passed(): load/store unit */
	uint64_t shared_at[HD_MAX_WARPS];   /* cycle from which what they stored to shared memory is visible.
	                                     * hd_warp_shared_stored(): load/store unit; for fences */
	uint32_t atomics[HD_MAX_WARPS];     /* lanes of atomics not yet answered.
	                                     * hd_warp_atomics_sent(), hd_warp_atomics_owed(): issue;
	                                     * hd_warp_atomics_done(): load/store unit */

	hd_warp_set drained;                /* since one of these changed, hd_warp_drained() was true of them.
	                                     * The functions named there; `warps` clears it */

	/* For fetch. */
	hd_warp_set missing;                /* their instruction line is fetched, also for issue.
	                                     * hd_warp_line_missing(), hd_warp_line_came(): fetch */
	uint32_t npc[HD_MAX_WARPS];         /* pc after the last issued instruction.
	                                     * hd_warp_set_npc(): issue, dispatcher */
	hd_warp_set fresh;                  /* launched and not fetched for since.  `warps`;
	                                     * hd_warp_fetched(): fetch */
	hd_warp_set flushed;                /* their buffers were emptied: fetch goes on elsewhere, and
	                                     * drops what is under way.  hd_warp_flush(): issue;
	                                     * hd_warp_fetched(): fetch */

	hd_warp_set issued_last;            /* the last warp of each scheduler that follows control
	                                     * words.  hd_warp_issued(): issue; read by fetch */

	/* Counters, for the dispatcher and statistics. */
	uint64_t uid;                       /* instructions issued so far; the last one's uid.
	                                     * hd_warps_next_uid(): issue */
	uint64_t issued[HD_MAX_WARPS];      /* those of the warp, where kernels overlap: hd_ctx.parts. The same */
	uint64_t cta_issued[HD_MAX_WARPS];  /* by CTA slot: of its warps, once it has ended; for the dispatcher */
	uint64_t completed;                 /* thread instructions that have completed.
	                                     * hd_warps_complete(): writeback, load/store unit */

	/* Where activity is counted, which `active` says: those of the latest edge with any, and of the edge before
	 * it.  The same */
	uint64_t done_at, done, done_before;
	bool active;                        /* hd_ctx.active */

	uint32_t holds;                     /* HD_BLOCKS, and the reasons that are named */
	uint32_t hold[HD_HOLDS - HD_BLOCKS]; /* symbols of kind "hold": their names */

	struct hd_ctx *ctx;                 /* of `warps` */
	/* Instances to wake.  hd_warps_claim(), in start: issue, fetch, dispatcher. */
	struct hd_waker scheduler[HD_MAX_WARPS];
	struct hd_waker fetch, dispatch;
	struct hd_waker unclaimed;          /* their value before they are claimed */

	/* hd_warps_on_clock(), in init: issue, decode, counters. */
	const uint64_t *edges;              /* hd_ctx.now of one of them: by that clock the edges above are
	                                     * noted and compared */
	bool several_clocks;                /* another one of them has another clock: their edges do not
	                                     * compare */

	/* A kernel is launched: CTAs of it may come from the next cycle on. */
	void (*launch_kernel)(void *self, uint32_t number);
	/* Places a CTA: warps first .. first+launch->warps-1 on CTA slot `slot`. */
	void (*launch_cta)(void *self, uint32_t slot, uint32_t first);
	/* Retires the warp; frees the CTA slot with its last warp. */
	void (*retire)(void *self, uint32_t warp);
};

static const struct hd_type hd_type_warps = {
	.name = "warps", .size = sizeof(struct hd_warps), .version = 15, .work = HD_WHOLE,
	.build = HD_WARP_BUILD,
};

/* Claims one of the wakers.  Returns false if another instance has it, which would not be woken any
 * more. */
static inline bool hd_warps_claim(const struct hd_warps *w, struct hd_waker *waker,
                                  struct hd_waker mine)
{
	bool free = waker->word == w->unclaimed.word && waker->bit == w->unclaimed.bit;

	*waker = mine;
	return free;
}

/* The warp's issue conditions, or its reason to wait, have changed: wakes its scheduler. */
static inline void hd_warp_touch(struct hd_warps *w, uint32_t warp)
{
	w->changed |= hd_warp_bit(warp);
	hd_wake(w->scheduler[warp]);
}

/* The warps of the set whose issue conditions have changed since the last call. */
static inline hd_warp_set hd_warps_take_changed(struct hd_warps *w, hd_warp_set set)
{
	set &= w->changed;
	if (set)
		w->changed &= ~set;
	return set;
}

/* Changes below of these warps, among the warps `mine` of a scheduler, do not wake it. */
static inline void hd_warps_rest(struct hd_warps *w, hd_warp_set mine, hd_warp_set rests,
                                 hd_warp_set waits)
{
	w->rests = (w->rests & ~mine) | rests;
	w->waits = (w->waits & ~mine) | waits;
}

/* Adds the warp to a set of one edge, `*at`: what is in it of another edge is over. */
static inline void hd_warp_note(hd_warp_set *set, uint64_t *at, uint32_t warp, uint64_t now)
{
	*set = *at == now ? *set | hd_warp_bit(warp) : hd_warp_bit(warp);
	*at = now;
}

/* In init, by instances that note changes or compare the edges of changes.  A stage may sleep until a change only if
 * .several_clocks is false, from start on. */
static inline void hd_warps_on_clock(struct hd_warps *w, const struct hd_ctx *c)
{
	w->several_clocks |= w->edges && w->edges != c->now;
	w->edges = c->now;
}

/* In edge `now`, before the issue stage is evaluated: the warp waits for something more, or for less of
 * something that is not all over. */
static inline void hd_warp_hold_back(struct hd_warps *w, uint32_t warp, uint64_t now)
{
	if (!hd_warp_in(w->waits, warp)) {
		hd_warp_touch(w, warp);
		return;
	}
	hd_warp_note(&w->held_back, &w->held_back_at, warp, now);
	w->quiet |= hd_warp_bit(warp);
}

/* In edge `now`, after the issue stage is evaluated: an instruction came behind others of the warp. */
static inline void hd_warp_append(struct hd_warps *w, uint32_t warp, uint64_t now)
{
	if (!hd_warp_in(w->rests, warp)) {
		hd_warp_touch(w, warp);
		return;
	}
	hd_warp_note(&w->appended, &w->appended_at, warp, now);
}

/* hd_warps_take_changed() for a stage that rests. */
static inline hd_warp_set hd_warps_take_all(struct hd_warps *w, hd_warp_set set)
{
	set &= w->changed | w->quiet;
	if (set) {
		w->changed &= ~set;
		w->quiet &= ~set;
	}
	return set;
}

/* The warps of the set by which the issue stage would be woken in edge `now` if it did not rest. */
static inline hd_warp_set hd_warps_waking(const struct hd_warps *w, hd_warp_set set, uint64_t now)
{
	hd_warp_set waking = w->changed;

	if (w->held_back_at == now)
		waking |= w->held_back;
	if (w->appended_at + 1 == now)
		waking |= w->appended;
	return waking & set;
}

/* A warp may perhaps be fetched for, or retired, that could not be before: wakes fetch. */
static inline void hd_warp_fetchable(struct hd_warps *w)
{
	hd_wake(w->fetch);
}

/* ---- where a warp is in its program ---------------------------------------------------------- */

static inline void hd_warp_set_npc(struct hd_warps *w, uint32_t warp, uint32_t pc)
{
	w->npc[warp] = pc;
}

static inline void hd_warp_line_missing(struct hd_warps *w, uint32_t warp)
{
	w->missing |= hd_warp_bit(warp);
}

static inline void hd_warp_line_came(struct hd_warps *w, uint32_t warp)
{
	w->missing &= ~hd_warp_bit(warp);
}

/* The warp is not where it was fetched for.  Its buffer is empty. */
static inline void hd_warp_flush(struct hd_warps *w, uint32_t warp)
{
	w->flushed |= hd_warp_bit(warp);
	hd_warp_line_came(w, warp);
	hd_warp_fetchable(w);
}

/* The warp is fetched for, from where it is. */
static inline void hd_warp_fetched(struct hd_warps *w, uint32_t warp)
{
	w->fresh &= ~hd_warp_bit(warp);
	w->flushed &= ~hd_warp_bit(warp);
}

/* The warp is the one of its scheduler that issued last. */
static inline void hd_warp_issued(struct hd_warps *w, hd_warp_set mine, uint32_t warp)
{
	w->issued_last = (w->issued_last & ~mine) | hd_warp_bit(warp);
}

/* The number of the instruction that is issued now.  `parts`: it is counted for its warp as well. */
static inline uint64_t hd_warps_next_uid(struct hd_warps *w, uint32_t warp, bool parts)
{
	if (HD_UNLIKELY(parts))
		w->issued[warp]++;
	return ++w->uid;
}

/* ---- blocking a warp ------------------------------------------------------------------------- */

/* The BAR of this uid holds the warp from now on. */
static inline void hd_warp_at_barrier(struct hd_warps *w, uint32_t warp, uint64_t uid)
{
	w->barrier[warp] = uid;
}

static inline void hd__warps_barriers_change(struct hd_warps *w)
{
	if (w->edges && w->barriers_changed != *w->edges + 1) {
		w->barriers_before = w->blocked_by[HD_BLOCK_BARRIER];
		w->barriers_changed = *w->edges + 1;
	}
}

/* Warps that a BAR held when the cycle began: in whatever order modules are evaluated.  On a clock only. */
static inline hd_warp_set hd_warps_at_barriers(const struct hd_warps *w)
{
	return w->edges && w->barriers_changed == *w->edges + 1 ? w->barriers_before
	                                                        : w->blocked_by[HD_BLOCK_BARRIER];
}

/* What a warp asked for before it ended may want to hold it after: that would hold the next one of its slot. */
static inline void hd_warp_block(struct hd_warps *w, uint32_t warp, uint32_t why)
{
	if (HD_UNLIKELY(hd_warp_in(w->exited, warp)))
		return;
	if (why == HD_BLOCK_BARRIER)
		hd__warps_barriers_change(w);
	w->blocked_by[why] |= hd_warp_bit(warp);
	w->blocked |= hd_warp_bit(warp);
}

static inline void hd_warp_unblock(struct hd_warps *w, uint32_t warp, uint32_t why)
{
	hd_warp_set any = 0;

	if (why == HD_BLOCK_BARRIER)
		hd__warps_barriers_change(w);
	w->blocked_by[why] &= ~hd_warp_bit(warp);
	for (uint32_t i = 0; i < w->holds; i++)
		any |= w->blocked_by[i];
	w->blocked = any;
	hd_warp_touch(w, warp);
}

/* In start: a reason of this name, a word, by which warps are held; the same number for the same name.  Lost issue
 * slots are "idle." and the name.  HD_BLOCK_OTHER: too many are named. */
static inline uint32_t hd_warps_name_hold(const struct hd_ctx *c, struct hd_warps *w, const char *name)
{
	uint32_t symbol = hd_symbol(c, "hold", name), i = HD_BLOCKS;

	while (i < w->holds && w->hold[i - HD_BLOCKS] != symbol)
		i++;
	if (i == w->holds && (i == HD_HOLDS || symbol == UINT32_MAX))
		return HD_BLOCK_OTHER;
	if (i == w->holds)
		w->hold[w->holds++ - HD_BLOCKS] = symbol;
	return i;
}

/* Holds the warp at any time, not only at the issue of its instruction: its scheduler finds another reason. */
static inline void hd_warp_hold(struct hd_warps *w, uint32_t warp, uint32_t why)
{
	hd_warp_block(w, warp, why);
	hd_warp_touch(w, warp);
}

/* ---- the end of a warp ----------------------------------------------------------------------- */

/* All lanes done, nothing in the pipeline, no store or atomic unanswered (hardware_done).  With `posted` stores matter
 * only for the last CTA, which waits for all of the SM. */
static inline bool hd_warp_drained(const struct hd_warps *w, uint32_t warp)
{
	uint32_t stores = HD_LIKELY(!w->posted) ? w->stores[warp] : w->cta_count > 1 ? 0 : w->unacknowledged;

	return hd_warp_in(w->exited, warp) && stores == 0 && w->in_pipeline[warp] == 0 && w->atomics[warp] == 0;
}

/* Something is done of a warp that has ended: perhaps it can be retired. */
static inline void hd_warp_ending(struct hd_warps *w, uint32_t warp)
{
	if (hd_warp_drained(w, warp)) {
		w->drained |= hd_warp_bit(warp);
		hd_warp_fetchable(w);
	}
}

/* With `posted`: stores, or CTAs, for which warps that have ended wait are others now. */
static inline void hd_warps_ending(struct hd_warps *w)
{
	for (hd_warp_set set = w->exited & ~w->retired; set;)
		hd_warp_ending(w, hd_warp_pop(&set));
}

/* ---- outstanding work of a warp -------------------------------------------------------------- */

static inline void hd_warp_enter_pipeline(struct hd_warps *w, uint32_t warp)
{
	w->in_pipeline[warp]++;
}

static inline void hd_warp_left_pipeline(struct hd_warps *w, uint32_t warp)
{
	w->in_pipeline[warp]--;
	if (hd_warp_in(w->exited, warp))
		hd_warp_ending(w, warp);
}

static inline void hd_warp_store_sent(struct hd_warps *w, uint32_t warp)
{
	w->stores[warp]++;
	w->unacknowledged++;
}

/* The warp has sent n stores. */
static inline void hd_warp_stores_sent(struct hd_warps *w, uint32_t warp, uint32_t n)
{
	w->stores[warp] += n;
	w->unacknowledged += n;
}

/* An instruction that stores to global memory has sent all its stores. */
static inline void hd_warp_stored(struct hd_warps *w, uint32_t warp)
{
	w->stored[warp]++;
}

static inline void hd_warp_store_done(struct hd_warps *w, uint32_t warp)
{
	w->stores[warp]--;
	w->unacknowledged--;
	if (HD_UNLIKELY(w->posted) && w->unacknowledged == 0)
		hd_warps_ending(w);
	if (hd_warp_in(w->exited & ~w->retired, warp))
		hd_warp_ending(w, warp);
	else if (HD_UNLIKELY(hd_warp_in(w->blocked_by[HD_BLOCK_FENCE], warp)) && w->stores[warp] == 0)
		hd_warp_touch(w, warp);
}

/* Accesses of a warp are served in their order, and a fence comes behind those that are before it. */
static inline void hd_warp_fence_sent(struct hd_warps *w, uint32_t warp)
{
	w->fences |= hd_warp_bit(warp);
}

static inline void hd_warp_fence_passed(struct hd_warps *w, uint32_t warp)
{
	w->fences &= ~hd_warp_bit(warp);
}

/* What the warp has stored to shared memory is visible to others so many cycles from now. */
static inline void hd_warp_shared_stored(struct hd_warps *w, uint32_t warp, uint32_t cycles)
{
	w->shared_at[warp] = (w->cycle ? *w->cycle : 0) + cycles;
}

/* Lanes of an atomic get answers; the warp has its slot until then.  It goes on where dependence counters protect the
 * results. */
static inline void hd_warp_atomics_owed(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	w->atomics[warp] += lanes;
}

/* The warp waits for them as well. */
static inline void hd_warp_atomics_sent(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	hd_warp_atomics_owed(w, warp, lanes);
	hd_warp_block(w, warp, HD_BLOCK_ATOMIC);
}

static inline void hd_warp_atomics_done(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	w->atomics[warp] -= lanes;
	if (w->atomics[warp] != 0)
		return;
	if (hd_warp_in(w->blocked_by[HD_BLOCK_ATOMIC], warp))
		hd_warp_unblock(w, warp, HD_BLOCK_ATOMIC);
	hd_warp_ending(w, warp);
}

/* Of the edges in which something completes. */
static inline void hd__warps_done(struct hd_warps *w, uint32_t lanes)
{
	uint64_t edge = w->ctx->rate ? hd_now(w->ctx) : 0;

	if (w->done_at != edge) {
		w->done_before = w->done_at + 1 == edge ? w->done : 0;
		w->done_at = edge;
		w->done = 0;
	}
	w->done += lanes;
}

/* So many lanes have completed an instruction, of whatever warps; kernels do not overlap. */
static inline void hd_warps_complete_all(struct hd_warps *w, uint32_t lanes)
{
	w->completed += lanes;
	if (HD_UNLIKELY(w->active) && lanes)
		hd__warps_done(w, lanes);
}

/* So many lanes of the warp have completed an instruction; or of several warps, which are of one kernel. */
static inline void hd_warps_complete(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	hd_for_part(w->ctx, w->kernel[warp]);
	hd_warps_complete_all(w, lanes);
}

/* Lanes end.  Returns true if they were the last of the warp, which waits for nothing any more. */
static inline bool hd_warp_exit_lanes(struct hd_warps *w, uint32_t warp, uint32_t lanes)
{
	hd_warp_set others = ~hd_warp_bit(warp);

	w->lanes[warp] &= ~lanes;
	if (w->lanes[warp] != 0)
		return false;
	w->exited |= ~others;
	if (hd_warp_in(w->blocked_by[HD_BLOCK_BARRIER], warp))
		hd__warps_barriers_change(w);
	for (uint32_t i = 0; i < w->holds && hd_warp_in(w->blocked, warp); i++)
		w->blocked_by[i] &= others;
	w->blocked &= others;
	w->missing &= others;
	w->flushed &= others;
	w->fresh &= others;
	hd_warp_ending(w, warp);
	return true;
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* This is SM `sm` of `sms`, whose warps have numbers from `traced` on in the trace source. */
static inline void hd_warps_set_place(struct hd_warps *w, uint32_t sm, uint32_t sms,
                                      uint32_t traced)
{
	w->sm = sm;
	w->sms = sms;
	w->traced = traced;
}

/* A CTA has ended in this cycle.  Returns how many are left.  The dispatcher may look at the same time. */
static inline uint32_t hd_warps_cta_ended(struct hd_warps *w, uint64_t cycle)
{
	__atomic_store_n(&w->ended, cycle, __ATOMIC_RELAXED);
	__atomic_store_n(&w->cta_count, w->cta_count - 1, __ATOMIC_RELEASE);
	return w->cta_count;
}

/* For a dispatcher: resident CTAs, and the cycle in which the last one has ended. */
static inline uint32_t hd_warps_resident(const struct hd_warps *w, uint64_t *ended)
{
	uint32_t n = __atomic_load_n(&w->cta_count, __ATOMIC_ACQUIRE);

	*ended = __atomic_load_n(&w->ended, __ATOMIC_RELAXED);
	return n;
}

/* CTAs that are placed from now on belong to that kernel, of which max_cta fit on this SM. */
static inline void hd_warps_set_launch(struct hd_warps *w, const struct hd_launch *launch,
                                       uint32_t max_cta)
{
	w->launch = launch;
	w->max_cta = max_cta;
}

/* For the dispatcher's checkpoint: the warps' launch is `launch` from the first CTA on. */
static inline void hd_warps_launch_saved(struct hd_checkpoint *k, struct hd_warps *w,
                                         const struct hd_launch *launch)
{
	if (hd_saved_number(k, w->launch != NULL, 1) && hd_loads(k))
		w->launch = launch;
}

/* The CTA that is on that slot, or will be, is number `block` of its grid. */
static inline void hd_warps_set_block(struct hd_warps *w, uint32_t slot, uint64_t block)
{
	w->block[slot] = block;
}

/* The CTA that is on that slot, or will be, is of this cluster. */
static inline void hd_warps_set_cluster(struct hd_warps *w, uint32_t slot, const struct hd_cta_cluster *c)
{
	w->cluster[slot] = *c;
}

/* Index of the warp in its CTA; 0: it has none. */
static inline uint32_t hd_warp_in_cta(const struct hd_warps *w, uint32_t warp)
{
	hd_warp_set cta = w->cta_warps[w->cta[warp]];

	return hd_warp_in(cta, warp) ? warp - hd_warp_first(cta) : 0;
}

/* The warp of the set (not empty) that was launched first. */
static inline uint32_t hd_warps_oldest(const struct hd_warps *w, hd_warp_set set)
{
	uint32_t best = hd_warp_pop(&set);

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (w->age[warp] < w->age[best])
			best = warp;
	}
	return best;
}

/* The warp of the set (not empty) that was launched last. */
static inline uint32_t hd_warps_youngest(const struct hd_warps *w, hd_warp_set set)
{
	uint32_t best = hd_warp_pop(&set);

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (w->age[warp] > w->age[best])
			best = warp;
	}
	return best;
}

#endif

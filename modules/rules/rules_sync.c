/* rules_sync.c - rules of barriers, fences and asynchronous copies
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "rules_list.h"

#include <heddle/gpu/sync.h>

/* Which warps wait for something, as they were before a call. */
struct waits {
	const struct hd_warps *warps; /* that the provider uses; or NULL */
	hd_warp_set by[HD_HOLDS];
};

static void waits_before(const struct hd_judged *k, struct waits *w)
{
	w->warps = hd_rules_uses(k, &hd_type_warps);
	if (w->warps)
		memcpy(w->by, w->warps->blocked_by, sizeof w->by);
}

/* Has the call changed who waits for something that is not the provider's business? */
static void waits_after(const struct hd_judged *k, const struct waits *w, enum hd_warp_block own, const char *f)
{
	for (int i = 0; w->warps && i < HD_BLOCKS; i++)
		if (i != (int)own && i != HD_BLOCK_OTHER && w->by[i] != w->warps->blocked_by[i])
			hd_rules_wrong(k, "has changed in %s() which warps wait for something else; expected only "
			               "HD_BLOCK_%s", f,
			               own == HD_BLOCK_BARRIER ? "BARRIER" : own == HD_BLOCK_FENCE ? "FENCE" : "COPY");
}

/* ---- barrier ---- */

struct barrier {
	struct hd_judged by;
	struct hd_barrier_if of;
};

static void barrier_join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct barrier *k = self;
	struct waits w;

	waits_before(&k->by, &w);
	k->of.join(k->of.self, ref, inst);
	waits_after(&k->by, &w, HD_BLOCK_BARRIER, "join");
}

static void barrier_leave(void *self, uint32_t warp)
{
	struct barrier *k = self;
	struct waits w;

	waits_before(&k->by, &w);
	k->of.leave(k->of.self, warp);
	waits_after(&k->by, &w, HD_BLOCK_BARRIER, "leave");
	if (w.warps && hd_warp_in(w.warps->blocked_by[HD_BLOCK_BARRIER], warp))
		hd_rules_wrong(&k->by, "still holds warp %u after leave(); expected that a warp that has ended waits "
		               "for nothing", warp);
}

static void stand_barrier(void *checks, void *provided)
{
	struct barrier *k = checks;
	struct hd_barrier_if *p = provided;

	HD_STAND(&k->of, p, join, barrier_join);
	HD_STAND(&k->of, p, leave, barrier_leave);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_barrier = { &hd_type_barrier_if, sizeof(struct barrier), stand_barrier, NULL };

/* ---- fence ---- */

struct fence {
	struct hd_judged by;
	struct hd_fence_if of;
};

static void fence_set(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct fence *k = self;
	struct waits w;

	waits_before(&k->by, &w);
	k->of.set(k->of.self, ref, inst);
	waits_after(&k->by, &w, HD_BLOCK_FENCE, "set");
}

static bool fence_holds(void *self, uint32_t warp)
{
	struct fence *k = self;
	struct waits w;
	bool held;

	waits_before(&k->by, &w);
	held = k->of.holds(k->of.self, warp);
	waits_after(&k->by, &w, HD_BLOCK_FENCE, "holds");
	if (w.warps && held != hd_warp_in(w.warps->blocked_by[HD_BLOCK_FENCE], warp))
		hd_rules_wrong(&k->by, "returned %s from holds() for warp %u, which %s; expected that both agree",
		               held ? "true" : "false", warp, held ? "is not blocked" : "is still blocked");
	return held;
}

static void stand_fence(void *checks, void *provided)
{
	struct fence *k = checks;
	struct hd_fence_if *p = provided;

	HD_STAND(&k->of, p, set, fence_set);
	HD_STAND(&k->of, p, holds, fence_holds);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_fence = { &hd_type_fence_if, sizeof(struct fence), stand_fence, NULL };

/* ---- asynchronous copies ---- */

#define IDS 256u   /* that are followed, of each warp */
#define SLOTS 256u /* of warps: hd_inst.warp */

struct copy {
	struct hd_judged by;
	struct hd_copy_if of;
	uint32_t left[SLOTS][IDS]; /* requests of that id that are not answered */
};

static void copy_add(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct copy *k = self;

	k->of.add(k->of.self, ref, inst);
}

static void copy_commit(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct copy *k = self;

	k->of.commit(k->of.self, ref, inst);
}

static void copy_wait(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct copy *k = self;
	struct waits w;

	waits_before(&k->by, &w);
	k->of.wait(k->of.self, ref, inst);
	waits_after(&k->by, &w, HD_BLOCK_COPY, "wait");
}

static uint32_t copy_accepted(void *self, hd_inst_ref ref, const struct hd_inst *inst, uint32_t n)
{
	struct copy *k = self;
	uint32_t id = k->of.accepted(k->of.self, ref, inst, n);

	if (id > 0 && id < IDS)
		k->left[inst->warp % SLOTS][id] += n;
	return id;
}

static bool copy_answered(void *self, uint32_t warp, uint32_t id)
{
	struct copy *k = self;
	bool last = k->of.answered(k->of.self, warp, id);
	uint32_t *left = id < IDS ? &k->left[warp % SLOTS][id] : NULL;

	if (!left)
		return last;
	if (last != (*left == 1))
		hd_rules_wrong(&k->by, "returned %s from answered() for id %u of warp %u, of which %u requests were "
		               "outstanding; expected true for the last one only", last ? "true" : "false", id, warp,
		               *left);
	if (*left > 0)
		--*left;
	return last;
}

static bool copy_busy(void *self, uint32_t warp)
{
	struct copy *k = self;
	bool busy;

	HD_RULES_PURE(k, "busy", busy, k->of.busy(k->of.self, warp));
	return busy;
}

static void stand_copy(void *checks, void *provided)
{
	struct copy *k = checks;
	struct hd_copy_if *p = provided;

	HD_STAND(&k->of, p, add, copy_add);
	HD_STAND(&k->of, p, commit, copy_commit);
	HD_STAND(&k->of, p, wait, copy_wait);
	HD_STAND(&k->of, p, accepted, copy_accepted);
	HD_STAND(&k->of, p, answered, copy_answered);
	HD_STAND(&k->of, p, busy, copy_busy);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_copy = { &hd_type_copy_if, sizeof(struct copy), stand_copy, NULL };

/* ---- barriers in shared memory ---- */

struct mbarrier {
	struct hd_judged by;
	struct hd_mbarrier_if of;
	uint32_t running[UINT8_MAX + 1]; /* by CTA slot: what has begun and not ended */
};

static void mbarrier_begun(void *self, uint32_t cta)
{
	struct mbarrier *k = self;

	k->running[cta % (UINT8_MAX + 1)]++;
	k->of.begun(k->of.self, cta);
}

static void mbarrier_ended(void *self, uint32_t cta)
{
	struct mbarrier *k = self;

	if (k->running[cta % (UINT8_MAX + 1)]-- == 0)
		hd_rules_misused(&k->by, "called ended() of '%s' for CTA slot %u more often than begun()",
		                 hd_rules_name(k->by.provider), cta);
	k->of.ended(k->of.self, cta);
}

static void mbarrier_complete(void *self, uint32_t cta, uint32_t address, uint64_t bytes)
{
	struct mbarrier *k = self;

	k->of.complete(k->of.self, cta, address, bytes);
}

static void mbarrier_arrive(void *self, uint32_t cta, uint32_t address, uint32_t how, uint64_t value)
{
	struct mbarrier *k = self;

	k->of.arrive(k->of.self, cta, address, how, value);
}

static void stand_mbarrier(void *checks, void *provided)
{
	struct mbarrier *k = checks;
	struct hd_mbarrier_if *p = provided;

	HD_STAND(&k->of, p, begun, mbarrier_begun);
	HD_STAND(&k->of, p, ended, mbarrier_ended);
	HD_STAND(&k->of, p, complete, mbarrier_complete);
	HD_STAND(&k->of, p, arrive, mbarrier_arrive);
	HD_STAND(&k->of, p, self, checks);
}

const struct hd_rules hd__rules_mbarrier = { &hd_type_mbarrier_if, sizeof(struct mbarrier), stand_mbarrier, NULL };

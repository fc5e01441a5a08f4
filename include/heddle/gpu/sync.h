/* sync.h - interfaces of the CTA barrier, the memory fence and asynchronous copies
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Barrier; docs/sm.md, Fence; docs/sm.md, Asynchronous copies.
 */
#ifndef HEDDLE_GPU_SYNC_H
#define HEDDLE_GPU_SYNC_H

#include <heddle/gpu/warps.h>

struct hd_barrier_if {
	void *self;
	/* At issue of BAR, the instruction with this handle; .async says of which barrier and for how many
	 * threads.  May release warps of the CTA. */
	void (*join)(void *self, hd_inst_ref ref, const struct hd_inst *inst);
	void (*leave)(void *self, uint32_t warp); /* the warp has ended; may release the others */
};

#define HD_NAMED_BARRIERS 16u /* of a CTA */

static const struct hd_type hd_type_barrier_if = {
	.name = "barrier", .size = sizeof(struct hd_barrier_if), .version = 2,
};

struct hd_fence_if {
	void *self;
	void (*set)(void *self, hd_inst_ref ref, const struct hd_inst *inst); /* at issue of MEMBAR */
	/* Ends the fence if it may end: the side effect of waiting().  Returns true if the warp is
	 * still held. */
	bool (*holds)(void *self, uint32_t warp);
};

static const struct hd_type hd_type_fence_if = {
	.name = "fence", .size = sizeof(struct hd_fence_if), .version = 2,
};

/* Is the warp kept from issuing?  The call may end its fence.  `fence` may be NULL: then no fence
 * is polled. */
static inline bool hd_warp_held(const struct hd_warps *w, const struct hd_fence_if *fence,
                                uint32_t warp)
{
	hd_warp_set bit = hd_warp_bit(warp);

	if (HD_LIKELY(!((w->exited | w->blocked) & bit)))
		return false;
	if ((w->exited | w->blocked_by[HD_BLOCK_BARRIER]) & bit)
		return true;
	if ((w->blocked_by[HD_BLOCK_FENCE] & bit) && fence)
		fence->holds(fence->self, warp);
	return (w->blocked & bit) != 0;
}

struct hd_copy_if {
	void *self;
	/* At issue of a copy, of a commit, of a wait until at most inst->imm groups are left; whatever lanes are
	 * active.  A copy without any (mask 0) has no address and is finished at once: no answer will come, and
	 * accepted() is called with n = 0. */
	void (*add)(void *self, hd_inst_ref ref, const struct hd_inst *inst);
	void (*commit)(void *self, hd_inst_ref ref, const struct hd_inst *inst);
	void (*wait)(void *self, hd_inst_ref ref, const struct hd_inst *inst);
	/* The load/store unit has accepted the copy, which needs n requests.  Returns the id that
	 * they carry, which belongs to the warp slot. */
	uint32_t (*accepted)(void *self, hd_inst_ref ref, const struct hd_inst *inst, uint32_t n);
	/* One request is answered.  Returns true if it was the last outstanding one of its id. */
	bool (*answered)(void *self, uint32_t warp, uint32_t id);
	/* Is a copy of the warp not finished? */
	bool (*busy)(void *self, uint32_t warp);
};

static const struct hd_type hd_type_copy_if = {
	.name = "copy", .size = sizeof(struct hd_copy_if), .version = 2,
};

/* Barriers in shared memory (mbarrier), for units that report bytes to them: docs/hopper.md. */
struct hd_mbarrier_if {
	void *self;
	/* A unit has begun something that will report to a barrier of this CTA slot, or has ended it: as long as
	 * there is
	 * such, a wait may end. */
	void (*begun)(void *self, uint32_t cta);
	void (*ended)(void *self, uint32_t cta);
	/* So many bytes have arrived for the barrier at this address. */
	void (*complete)(void *self, uint32_t cta, uint32_t address, uint64_t bytes);
	/* A lane of another CTA arrives there; how: enum hd_async_how, value: of the register that it names. */
	void (*arrive)(void *self, uint32_t cta, uint32_t address, uint32_t how, uint64_t value);
};

static const struct hd_type hd_type_mbarrier_if = {
	.name = "mbarrier", .size = sizeof(struct hd_mbarrier_if), .version = 2,
};

#endif

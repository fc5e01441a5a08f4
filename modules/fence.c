/* fence.c - memory fence (MEMBAR): holds a warp until its loads are back
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Fence: it waits for pending registers, not for stores (N3) unless 'stores' says so, and may drop
 * the whole L1D at the moment when an instance polls the warp and finds it free.  docs/hopper.md, FN1: 'ordered'.
 */
#include <heddle/gpu/cache.h>
#include <heddle/gpu/scoreboard.h>
#include <heddle/gpu/sync.h>

struct state {
	struct hd_fence_if fence;
	struct hd_warps *warps;
	const struct hd_scoreboard *scoreboard;
	const struct hd_cache_if *l1d;
	bool stores, ordered;
	hd_warp_set shared; /* the last fence of these warps is one of shared memory only */
	uint64_t fences, flushes;
};

static void set(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	(void)ref;
	st->fences++;
	st->shared &= ~hd_warp_bit(inst->warp);
	if (inst->space == HD_SPACE_SHARED)
		st->shared |= hd_warp_bit(inst->warp);
	if (st->ordered)
		hd_warp_fence_sent(st->warps, inst->warp);
	hd_warp_block(st->warps, inst->warp, HD_BLOCK_FENCE);
}

static bool holds(void *self, uint32_t warp)
{
	struct state *st = self;
	const struct hd_warps *w = st->warps;

	if (st->ordered && (hd_warp_in(w->fences, warp) || (w->cycle && *w->cycle < w->shared_at[warp])))
		return true;
	if (!hd_warp_in(st->shared, warp)
	    && ((st->scoreboard->busy >> warp & 1) || (st->stores && w->stores[warp])))
		return true;
	hd_warp_unblock(st->warps, warp, HD_BLOCK_FENCE);
	if (st->l1d) {
		st->l1d->invalidate(st->l1d->self);
		st->flushes++;
	}
	return false;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->fence = (struct hd_fence_if){ .self = st, .set = set, .holds = holds };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->shared);
}

static const struct hd_param params[] = {
	{ .name = "stores", .unit = "", .doc = "it waits as well until stores are acknowledged", .type = HD_BOOL,
	  .offset = offsetof(struct state, stores), .def = "false" },
	{ .name = "ordered", .unit = "", .doc = "it waits as well until the load/store unit has served what is before "
	  "it, and what its warp has stored to shared memory is visible", .type = HD_BOOL,
	  .offset = offsetof(struct state, ordered), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "fence", .doc = "for the issue stages", .kind = HD_PROVIDES,
	  .type = &hd_type_fence_if, .offset = offsetof(struct state, fence) },
	{ .name = "warps", .doc = "blocked warps", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = offsetof(struct state, warps) },
	{ .name = "scoreboard", .doc = "pending loads", .kind = HD_USES, .flags = HD_NO_WORK,
	  .type = &hd_type_scoreboard, .offset = offsetof(struct state, scoreboard) },
	{ .name = "l1d", .doc = "flushed when a fence ends; open: nothing is flushed",
	  .kind = HD_USES, .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_cache_if,
	  .offset = offsetof(struct state, l1d) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "fences", .unit = "instructions", .doc = "fences issued",
	  .offset = offsetof(struct state, fences) },
	{ .name = "flushes", .unit = "", .doc = "times that a fence flushed the L1D",
	  .offset = offsetof(struct state, flushes) },
	{ .name = NULL },
};

const struct hd_module hd_module_fence = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "fence",
	.doc = "memory fence: holds a warp until its pending registers are written",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};

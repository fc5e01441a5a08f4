/* barrier.c - the CTA barrier (BAR.SYNC): warps wait until all warps of their CTA have arrived
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Barrier: one barrier per CTA; warps that have ended do not count.
 */
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_barrier_if barrier;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	hd_warp_set joined; /* warps that wait */
	uint64_t arrivals, releases;
};

enum { EVENT_ARRIVE, EVENT_OPEN };

/* Releases the warp's CTA if all its warps that have not ended have arrived. */
static void settle(struct state *st, uint32_t warp)
{
	struct hd_warps *w = st->warps;
	hd_warp_set cta = w->cta_warps[w->cta[warp]];
	hd_warp_set here = st->joined & cta;

	if (here == 0 || here != (cta & ~w->exited))
		return;
	st->joined &= ~here;
	st->releases++;
	hd_emit(st->ctx, EVENT_OPEN, w->cta[warp], hd_warp_count(here));
	while (here)
		hd_warp_unblock(w, hd_warp_pop(&here), HD_BLOCK_BARRIER);
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp;

	(void)ref;
	if (hd_warp_in(st->warps->exited, warp))
		return; /* with this instruction it has ended */
	st->joined |= hd_warp_bit(warp);
	st->arrivals++;
	hd_emit(st->ctx, EVENT_ARRIVE, st->warps->cta[warp], warp);
	hd_warp_block(st->warps, warp, HD_BLOCK_BARRIER);
	settle(st, warp);
}

static void leave(void *self, uint32_t warp)
{
	settle(self, warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->barrier = (struct hd_barrier_if){ .self = st, .join = join, .leave = leave };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->joined);
}

static const struct hd_port ports[] = {
	{ .name = "barrier", .doc = "for the issue stages and the dispatcher", .kind = HD_PROVIDES,
	  .type = &hd_type_barrier_if, .offset = offsetof(struct state, barrier) },
	{ .name = "warps", .doc = "warps of a CTA, and blocked warps", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = offsetof(struct state, warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "arrivals", .unit = "warps", .doc = "warps that arrived at the barrier",
	  .offset = offsetof(struct state, arrivals) },
	{ .name = "releases", .unit = "barriers", .doc = "times that a CTA was released",
	  .offset = offsetof(struct state, releases) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "joined", .offset = offsetof(struct state, joined), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ARRIVE] = { .name = "arrive", .doc = "a warp arrived at its barrier", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	} },
	[EVENT_OPEN] = { .name = "open", .doc = "all warps have arrived, or ended", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warps", "warps", "that waited" },
	} },
	{ .name = NULL },
};

const struct hd_module hd_module_barrier = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "barrier",
	.doc = "CTA barrier: holds the warps of a CTA until all have arrived",
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

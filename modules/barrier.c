/* barrier.c - barriers of a CTA (BAR): warps wait until all warps of their CTA have arrived, or so many threads
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Barrier: 16 barriers per CTA; warps that have ended do not count where all have to arrive.
 */
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_barrier_if barrier;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	hd_warp_set joined[HD_NAMED_BARRIERS];  /* warps that wait */
	hd_warp_set arrived[HD_NAMED_BARRIERS]; /* that have arrived without waiting */
	uint16_t threads[HD_MAX_WARPS][HD_NAMED_BARRIERS]; /* by CTA slot: for how many threads it is; 0: for all */
	uint64_t arrivals, releases;
};

enum { EVENT_ARRIVE, EVENT_OPEN };

/* Releases the barrier of the warp's CTA if all its warps that have not ended have arrived, or as many as it is for. */
static void settle(struct state *st, uint32_t warp, uint32_t id)
{
	struct hd_warps *w = st->warps;
	hd_warp_set cta = w->cta_warps[w->cta[warp]];
	hd_warp_set here = st->joined[id] & cta, all = here | (st->arrived[id] & cta);
	uint32_t threads = st->threads[w->cta[warp]][id];

	if (all == 0 || (threads ? hd_warp_count(all) * HD_LANES < threads : (cta & ~w->exited & ~all) != 0))
		return;
	st->joined[id] &= ~here;
	st->arrived[id] &= ~all;
	st->releases++;
	hd_emit(st->ctx, EVENT_OPEN, w->cta[warp], hd_warp_count(here));
	while (here)
		hd_warp_unblock(w, hd_warp_pop(&here), HD_BLOCK_BARRIER);
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	const struct hd_async named = inst->async;
	uint32_t warp = inst->warp, id = named.n % HD_NAMED_BARRIERS;

	(void)ref;
	if (hd_warp_in(st->warps->exited, warp))
		return; /* with this instruction it has ended */
	st->threads[st->warps->cta[warp]][id] = (uint16_t)named.more;
	st->arrivals++;
	hd_emit(st->ctx, EVENT_ARRIVE, st->warps->cta[warp], warp);
	if (named.how & HD_NAMED_ARRIVE) {
		st->arrived[id] |= hd_warp_bit(warp);
	} else {
		st->joined[id] |= hd_warp_bit(warp);
		hd_warp_block(st->warps, warp, HD_BLOCK_BARRIER);
	}
	settle(st, warp, id);
}

static void leave(void *self, uint32_t warp)
{
	struct state *st = self;
	uint32_t cta = st->warps->cta[warp];

	for (uint32_t id = 0; id < HD_NAMED_BARRIERS; id++) {
		if (!st->threads[cta][id]) {
			st->joined[id] &= ~hd_warp_bit(warp);
			st->arrived[id] &= ~hd_warp_bit(warp);
		}
		settle(st, warp, id);
		if (!(st->warps->cta_warps[cta] & ~st->warps->exited)) {
			st->arrived[id] &= ~st->warps->cta_warps[cta];
			st->threads[cta][id] = 0;
		}
	}
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

	HD_SAVED_FROM(k, st, joined, threads);
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
	{ .name = "releases", .unit = "barriers", .doc = "times that a barrier was opened",
	  .offset = offsetof(struct state, releases) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "joined", .offset = offsetof(struct state, joined), .size = sizeof(hd_warp_set) },
	{ .name = "arrived", .offset = offsetof(struct state, arrived), .size = sizeof(hd_warp_set) },
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
	.doc = "barriers of a CTA: hold its warps until all have arrived, or as many as the barrier is for",
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

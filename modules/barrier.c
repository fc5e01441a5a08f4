/* barrier.c - barriers of a CTA (BAR): warps wait until all warps of their CTA have arrived, or so many threads
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Barrier.
 */
#include "barrier/named.h"

static void open(void *state, hd_warp_set waited)
{
	struct named *n = state;

	while (waited)
		hd_warp_unblock(n->warps, hd_warp_pop(&waited), HD_BLOCK_BARRIER);
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct named *n = self;
	uint32_t id;

	(void)ref;
	if (hd_warp_in(n->warps->exited, inst->warp))
		return; /* with this instruction it has ended */
	id = hd__named_come(n, inst);
	if (inst->async.how & HD_NAMED_ARRIVE) {
		hd__named_arrive(n, inst->warp, id);
		return;
	}
	hd_warp_at_barrier(n->warps, inst->warp, inst->uid);
	hd_warp_block(n->warps, inst->warp, HD_BLOCK_BARRIER);
	hd__named_join(n, inst->warp, id);
}

static void leave(void *self, uint32_t warp)
{
	hd__named_leave(self, warp);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct named *n = state;

	n->ctx = ctx;
	n->open = open;
	n->barrier = (struct hd_barrier_if){ .self = n, .join = join, .leave = leave };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct named *n = state;

	HD_SAVED_FROM(k, n, joined, used);
}

static const struct hd_port ports[] = {
	{ .name = "barrier", .doc = "for the issue stages and the dispatcher", .kind = HD_PROVIDES,
	  .type = &hd_type_barrier_if, .offset = offsetof(struct named, barrier) },
	NAMED_WARPS_PORT,
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	NAMED_STATS("times that a barrier was opened"),
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	NAMED_BY_SLOT,
	{ .name = NULL },
};

const struct hd_module hd_module_barrier = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "barrier",
	.doc = "barriers of a CTA: hold its warps until all have arrived, or as many as the barrier is for",
	.ports = ports,
	.stats = stats,
	.events = hd__named_events,
	.state_size = sizeof(struct named),
	.init = init,
	.report_pending = hd__named_report,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

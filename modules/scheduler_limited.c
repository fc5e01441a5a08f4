/* scheduler_limited.c - scheduling policy: greedy, then oldest, among the few oldest warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P4: apart from the warp that issued last only the `limit` oldest of those that are
 * neither ended nor held are considered.
 */
#include "scheduler/greedy.h"

struct state {
	struct greedy greedy;
	uint32_t limit;
};

static hd_warp_set begin(void *self, hd_warp_set live)
{
	const struct state *st = self;
	hd_warp_set few = 0;

	if (hd_warp_count(live) <= st->limit)
		return HD_ALL_WARPS;
	for (uint32_t i = 0; i < st->limit; i++)
		few |= hd_warp_bit(hd_warps_oldest(st->greedy.warps, live & ~few));
	return few | st->greedy.last;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	hd__greedy_init(&st->greedy);
	st->greedy.policy.begin = begin;
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "limit", .unit = "warps", .doc = "warps considered besides the one that "
	  "issued last", .type = HD_U32, .offset = offsetof(struct state, limit), .def = "4", .min = 1,
	  .max = HD_MAX_WARPS },
	{ .name = NULL },
};

const struct hd_module hd_module_scheduler_limited = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_limited",
	.doc = "scheduling policy: the warp that issued last, then the oldest of a few warps",
	.params = params,
	.ports = hd__greedy_ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd__greedy_saved,
};

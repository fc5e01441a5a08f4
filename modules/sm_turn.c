/* sm_turn.c - order in which the SMs of a cluster use addresses
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One instance for each SM of a cluster, as an array: another SM is the first in each cycle of the
 * instances' clock, which stands still while the cluster does.
 */
#include <heddle/gpu/map.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_touch_if touch;
	const struct hd_touch_if *map;
};

/* user: number of the SM in the whole GPU. */
static void touch(void *self, uint64_t addr, uint32_t user, uint64_t cycle)
{
	const struct state *st = self;
	uint32_t n = st->ctx->count, k = st->ctx->index;
	uint32_t first = (uint32_t)(hd_now(st->ctx) % n);

	hd_touch(st->map, addr, user - k + (k >= first ? k - first : k + n - first), cycle);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->touch = (struct hd_touch_if){ .self = st, .touch = touch };
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!st->map->touch)
		st->touch.touch = NULL;
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "touch", .doc = "for the SM: addresses that it uses", .kind = HD_PROVIDES,
	  .type = &hd_type_touch, .offset = offsetof(struct state, touch) },
	{ .name = "map", .doc = "is notified of them, with the SM's place in this cycle",
	  .kind = HD_USES, .type = &hd_type_touch, .offset = offsetof(struct state, map) },
	{ .name = NULL },
};

const struct hd_module hd_module_sm_turn = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "sm_turn",
	.doc = "selects the SM of a cluster that is the first to use addresses in a cycle",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.checkpoint = hd_nothing_saved,
};

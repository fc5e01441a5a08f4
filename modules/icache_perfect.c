/* icache_perfect.c - instruction cache that always hits
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, IC1.
 */
#include <heddle/gpu/icache.h>

struct state {
	struct hd_icache_if icache;
	uint64_t accesses;
};

static enum hd_icache_status look_up(void *self, uint32_t warp, uint32_t pc)
{
	(void)warp;
	(void)pc;
	((struct state *)self)->accesses++;
	return HD_ICACHE_HIT;
}

static int none_ready(void *self, uint32_t *pc)
{
	(void)self;
	(void)pc;
	return -1;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->icache = (struct hd_icache_if){ .self = st, .access = look_up, .ready = none_ready };
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "icache", .doc = "for fetch", .kind = HD_PROVIDES, .type = &hd_type_icache_if,
	  .offset = offsetof(struct state, icache) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accesses", .unit = "fetches", .doc = "fetches, all of them hits",
	  .offset = offsetof(struct state, accesses) },
	{ .name = NULL },
};

const struct hd_module hd_module_icache_perfect = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "icache_perfect",
	.doc = "instruction cache that always hits",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
};

/* reply_port.c - puts the replies of a slice of the memory into the network, one a cycle, or `rate`
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process of its own: the slice works at the clock of its cache, this at that of the network.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/mem.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_pool *pool;
	uint32_t rate;
	uint64_t free_from; /* step, of which a cycle has `rate`, from which the next reply goes */
	uint64_t replies, blocked;
};

enum { PORT_OUT = 1 };

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t step = hd_now(st->ctx) * st->rate, end = step + st->rate;
	hd_mem_ref ref = hd_mem_front(&st->in);

	if (!ref)
		return HD_SLEEP;
	for (step = step < st->free_from ? st->free_from : step; step < end && ref; step = st->free_from) {
		if (hd_room(&st->out) == 0) {
			st->blocked++;
			break;
		}
		st->free_from = step + hd_mem_packets(&hd_mem(st->pool, ref)->line.req);
		hd_take(&st->in);
		hd_put(&st->out, &ref, sizeof ref);
		st->replies++;
		ref = hd_mem_front(&st->in);
	}
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_mem);
	hd_puts_at_most(ctx, PORT_OUT, st->rate);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	HD_SAVED(k, ((struct state *)state)->free_from);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "rate", .unit = "replies", .doc = "that enter the network in a cycle", .type = HD_U32,
	  .offset = P(rate), .def = "1", .min = 1, .max = 16 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "replies of the slice", .kind = HD_IN, .flags = HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	[PORT_OUT] = { .name = "out", .doc = "the same, to the network", .kind = HD_OUT, .type = &hd_type_mem,
	  .most = 1, .offset = P(out) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "replies", .unit = "packets", .doc = "replies put into the network",
	  .offset = P(replies) },
	{ .name = "blocked", .unit = "cycles", .doc = "cycles in which the network had no room",
	  .offset = P(blocked) },
	{ .name = NULL },
};

const struct hd_module hd_module_reply_port = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "reply_port",
	.doc = "puts the replies of a slice of the memory into the network",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = checkpoint,
};

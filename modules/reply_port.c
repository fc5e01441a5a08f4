/* reply_port.c - puts the replies of a slice of the memory into the network, one a cycle
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A process of its own: the slice works at the clock of its cache, this at that of the network.
 */
#include <heddle/gpu/mem.h>

struct state {
	struct hd_end in, out;
	uint64_t replies, blocked;
};

static uint64_t eval(void *state)
{
	struct state *st = state;
	hd_mem_ref ref = hd_mem_front(&st->in);

	if (!ref)
		return HD_SLEEP;
	if (hd_room(&st->out) == 0) {
		st->blocked++;
		return HD_NEXT;
	}
	hd_take(&st->in);
	hd_put(&st->out, &ref, sizeof ref);
	st->replies++;
	return HD_NEXT;
}

#define P(f) offsetof(struct state, f)

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "replies of the slice", .kind = HD_IN, .flags = HD_METERED,
	  .type = &hd_type_mem, .offset = P(in) },
	{ .name = "out", .doc = "the same, to the network", .kind = HD_OUT, .type = &hd_type_mem,
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
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.eval = eval,
	.checkpoint = hd_nothing_saved,
};

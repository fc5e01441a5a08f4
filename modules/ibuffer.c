/* ibuffer.c - instruction buffer: decoded instructions that wait for issue, per warp
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode.
 */
#include <heddle/gpu/ibuffer.h>

struct state {
	struct hd_ibuffer b;
	uint32_t entries, refill;
};

enum { REFILL_EMPTY, REFILL_ROOM };

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	(void)ctx;
	st->b.entries = st->entries;
	st->b.refill_room = st->refill == REFILL_ROOM;
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct hd_ibuffer *b = &((const struct state *)state)->b;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
		if (b->count[i])
			hd_report_pending(h, "warp %u has %u instructions that were not issued", i, b->count[i]);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, &st->b, filled, full);
	HD_SAVED_FROM(k, &st->b, next, entry);
}

static const char *const refills[] = { [REFILL_EMPTY] = "empty", [REFILL_ROOM] = "room", NULL };

static const struct hd_param params[] = {
	{ .name = "entries", .unit = "instructions", .doc = "instructions held per warp",
	  .type = HD_U32, .offset = offsetof(struct state, entries), .def = "2", .min = 1,
	  .max = HD_IBUFFER_MAX },
	{ .name = "refill", .unit = "", .doc = "when a warp is fetched for: its buffer is empty, or it has "
	  "room for a whole fetch", .type = HD_CHOICE, .offset = offsetof(struct state, refill),
	  .def = "\"empty\"", .choices = refills },
	{ .name = NULL },
};

/* Issue stages number the instructions that they issue, and the load/store unit takes the lowest
 * number first: their order is visible even where they share nothing else. */
static const struct hd_port ports[] = {
	{ .name = "issue", .doc = "for the issue stages, before it is refilled",
	  .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &hd_type_ibuffer,
	  .offset = offsetof(struct state, b), .phase = 0 },
	{ .name = "fill", .doc = "for decode and fetch", .kind = HD_PROVIDES, .flags = HD_WORK_IN,
	  .type = &hd_type_ibuffer, .offset = offsetof(struct state, b), .phase = 1 },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "filled", .offset = offsetof(struct state, b.filled), .size = sizeof(hd_warp_set) },
	{ .name = "wrong", .offset = offsetof(struct state, b.wrong), .size = sizeof(hd_warp_set) },
	{ .name = "full", .offset = offsetof(struct state, b.full), .size = sizeof(hd_warp_set) },
	{ .name = "count", .offset = offsetof(struct state, b.count), .size = sizeof(uint8_t), .array = true },
	{ .name = NULL },
};

const struct hd_module hd_module_ibuffer = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "ibuffer",
	.doc = "instruction buffer: decoded instructions per warp, in order",
	.params = params,
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

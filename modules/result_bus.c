/* result_bus.c - result buses between the function units and writeback
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, U1: a unit takes an instruction only if some bus is free when it will be done.
 */
#include <heddle/gpu/regfile.h>

#define SHORTEST 32u /* ring */

struct state {
	struct hd_result_bus_if bus;
	struct hd_result_buses buses;
	uint32_t horizon;
	uint32_t places; /* for which there is memory */
};

/* The ring is as short as the latencies allow that occur, so that few places are touched.  There is memory for the
 * longest that may occur. */
static void lengthen(struct state *st, uint32_t ahead)
{
	struct hd_result_buses *b = &st->buses;
	uint32_t n = b->mask + 1;

	while (b->mask < ahead && b->mask < st->places - 1)
		b->mask = 2 * b->mask + 1;
	for (uint32_t i = 0; i < n; i++)
		if ((b->place[i].edge & (n - 1)) == i) /* else it was never used, or what is there has moved before */
			b->place[b->place[i].edge & b->mask] = b->place[i];
}

static bool reserve(void *self, hd_inst_ref inst, uint32_t ahead)
{
	struct state *st = self;

	(void)inst;
	if (ahead > st->buses.mask)
		lengthen(st, ahead);
	return hd_result_buses_reserve(&st->buses, ahead);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t n = 1;

	st->buses.ctx = ctx;
	while (n <= st->horizon)
		n *= 2;
	st->places = n;
	st->buses.mask = n < SHORTEST ? n - 1 : SHORTEST - 1;
	st->buses.place = hd_memory(ctx, n, sizeof *st->buses.place);
	if (!st->buses.place)
		return hd_error(ctx, "out of memory");
	st->bus = (struct hd_result_bus_if){ .self = st, .reserve = reserve,
		                             .max_ahead = st->horizon, .buses = &st->buses };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_saved(k, st->buses.place, st->places * sizeof *st->buses.place);
	st->buses.mask = (uint32_t)hd_saved_number(k, st->buses.mask, st->places - (uint64_t)1);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "buses", .doc = "results per cycle",
	  .type = HD_U32, .offset = P(buses.width), .def = "8", .min = 1, .max = 1024 },
	{ .name = "horizon", .unit = "cycles", .doc = "longest latency of a unit on the bus",
	  .type = HD_U32, .offset = P(horizon), .def = "512", .min = 1, .max = 65535 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "bus", .doc = "for function units, first come, first served", .kind = HD_PROVIDES,
	  .flags = HD_ORDERED, .type = &hd_type_result_bus_if, .offset = P(bus) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "reserved", .unit = "results", .doc = "reservations made", .offset = P(buses.reserved) },
	{ .name = "refused", .unit = "requests", .doc = "requests that found all buses taken",
	  .offset = P(buses.refused) },
	{ .name = NULL },
};

const struct hd_module hd_module_result_bus = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "result_bus",
	.doc = "result buses: how many units may finish in one cycle",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = checkpoint,
};

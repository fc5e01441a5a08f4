/* result_bus.c - result buses between the function units and writeback
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, U1: a unit takes an instruction only if some bus is free when it will be done.
 */
#include <heddle/interface/regfile.h>

struct state {
	struct hd_result_bus_if bus;
	struct hd_result_buses buses;
	uint32_t horizon;
};

static bool reserve(void *self, uint32_t ahead)
{
	return hd_result_buses_reserve(&((struct state *)self)->buses, ahead);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	uint32_t n = 1;

	st->buses.ctx = ctx;
	while (n <= st->horizon)
		n *= 2;
	st->buses.mask = n - 1;
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

	hd_saved(k, st->buses.place, (st->buses.mask + (size_t)1) * sizeof *st->buses.place);
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

/* fu_serial.c - a unit that works on one instruction at a time, a few active lanes per pass
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/gpu/inst.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_pool *pool;
	uint32_t lanes, cycles;
	hd_inst_ref inst; /* in the unit; 0: none */
	uint64_t done_at, busy;
};

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), slots = hd_slots_full(&st->in), passes;

	if (st->inst && now >= st->done_at && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	if (!st->inst && slots) {
		unsigned slot = hd_bits_first(slots);

		st->inst = *(const hd_inst_ref *)hd_slot(&st->in, slot);
		hd_slot_take(&st->in, slot);
		passes = (hd_inst(st->pool, st->inst)->nlanes + st->lanes - 1) / st->lanes;
		st->done_at = now + (passes ? passes : 1) * st->cycles;
		st->busy += st->done_at - now;
	}
	if (!st->inst)
		return HD_SLEEP; /* until something is put into port in */
	return now < st->done_at ? st->done_at - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->ctx = ctx;
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, inst, done_at);
}

#define AT(member) .offset = offsetof(struct state, member)
const struct hd_module hd_module_fu_serial = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "fu_serial", .doc = "function unit that is not pipelined", .init = init, .eval = eval,
	.checkpoint = checkpoint,
	.params = (const struct hd_param[]){
		{ .name = "lanes", .unit = "lanes", .doc = "active lanes that one pass serves",
		  .type = HD_U32, AT(lanes), .def = "4", .min = 1, .max = 32 },
		{ .name = "cycles", .unit = "cycles", .doc = "length of a pass",
		  .type = HD_U32, AT(cycles), .def = "1", .min = 1, .max = 1000 }, { 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "instructions, one slot for each element", .kind = HD_IN,
		  .flags = HD_SLOTS, .type = &hd_type_inst, AT(in) },
		{ .name = "out", .doc = "results", .kind = HD_OUT, .type = &hd_type_inst, AT(out) }, { 0 } },
	.stats = (const struct hd_stat[]){ { .name = "busy", .unit = "cycles", .doc = "time in use",
		AT(busy), .rate = "unit utilisation" }, { 0 } },
};

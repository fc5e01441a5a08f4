/* systolic.c - a tensor unit: a systolic array whose weights stay in it as long as they are the same
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * HMMA D, A, B, C: the registers of B are the weights.  They are shifted in before a product unless those of the
 * product before it are of the same warp and registers, and have not been written since.
 */
#include <heddle/gpu/inst.h>
#include <heddle/gpu/scoreboard.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_registers_if registers;
	struct hd_pool *pool;
	uint32_t rows, cycles, width;
	uint32_t warp, weights; /* the registers in it, from this one on; 0: none */
	hd_inst_ref inst;       /* in the unit; 0: none */
	uint64_t done_at, busy, loads, reused;
};

static void written(void *self, uint32_t warp, uint32_t reg, uint32_t uid)
{
	struct state *st = self;

	(void)uid;
	if (warp == st->warp && reg - st->weights < st->width)
		st->weights = 0;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), slots = hd_slots_full(&st->in);

	if (st->inst && now >= st->done_at && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	if (!st->inst && slots) {
		unsigned slot = hd_bits_first(slots);
		const struct hd_inst *inst = hd_inst(st->pool, st->inst = *(const hd_inst_ref *)hd_slot(&st->in, slot));
		uint32_t b = hd_inst_operand(inst, 1);
		bool same = b && b == st->weights && inst->warp == st->warp;

		hd_slot_take(&st->in, slot);
		st->done_at = now + st->cycles + (same ? 0 : st->rows);
		st->busy += st->done_at - now;
		*(same ? &st->reused : &st->loads) += 1;
		st->warp = inst->warp;
		st->weights = b;
	}
	return !st->inst ? HD_SLEEP : now < st->done_at ? st->done_at - now : HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	st->registers = (struct hd_registers_if){ .self = st, .written = written };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, warp, done_at);
}

#define AT(member) .offset = offsetof(struct state, member)
const struct hd_module hd_module_systolic = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state), .name = "systolic",
	.doc = "tensor unit: a systolic array that keeps its weights", .init = init, .eval = eval,
	.checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "rows", .unit = "cycles", .doc = "to shift weights in", AT(rows), .def = "8", .max = 256 },
		{ .name = "cycles", .unit = "cycles", .doc = "for a product", AT(cycles), .def = "8", .max = 256 },
		{ .name = "width", .unit = "registers", .doc = "of weights", AT(width), .def = "2", .max = 8 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "products", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst, AT(in) },
		{ .name = "out", .doc = "results", .kind = HD_OUT, .type = &hd_type_inst, AT(out), .most = 1 },
		{ .name = "registers", .doc = "registers that are written", .kind = HD_PROVIDES,
		  .type = &hd_type_registers_if, AT(registers) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "busy", .unit = "cycles", .doc = "in use", AT(busy), .rate = "unit utilisation" },
		{ .name = "loads", .unit = "products", .doc = "for which weights were shifted in", AT(loads) },
		{ .name = "reused", .unit = "products", .doc = "that found their weights", AT(reused) },
		{ .name = NULL } },
};

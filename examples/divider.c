/* divider.c - an iterative divider: one instruction at a time; latency by class and lanes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	cc -O2 -fPIC -shared $(pkg-config --cflags heddle) -o divider.so divider.c
 */
#include <heddle/gpu/inst.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	struct hd_pool *pool;
	uint64_t wide; /* set of classes */
	uint32_t lanes, steps, wide_steps;
	hd_inst_ref inst; /* in the divider; 0: none */
	uint64_t done, busy;
};

/* Passes over the active lanes; the class determines the length of a pass. */
static uint64_t cycles(const struct state *st, const struct hd_inst *inst)
{
	uint64_t passes = (inst->nlanes + st->lanes - 1) / st->lanes;

	return 1 + passes * (st->wide >> inst->cls & 1 ? st->wide_steps : st->steps);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), slots = hd_slots_full(&st->in);

	if (st->inst && now >= st->done && hd_room(&st->out)) {
		hd_put(&st->out, &st->inst, sizeof st->inst);
		st->inst = 0;
	}
	if (!st->inst && slots) {
		unsigned slot = hd_bits_first(slots);

		st->inst = *(const hd_inst_ref *)hd_slot(&st->in, slot);
		hd_slot_take(&st->in, slot);
		st->done = now + cycles(st, hd_inst(st->pool, st->inst));
		st->busy += st->done - now;
	}
	/* A put into `in` or a take from `out` wakes it earlier. */
	return st->inst && now < st->done ? st->done - now : HD_SLEEP;
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

	HD_SAVED_FROM(k, st, inst, done);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_divider = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .name = "divider",
	.doc = "iterative divider: not pipelined, latency depends on class and active lanes",
	.params = (const struct hd_param[]){
		{ .name = "lanes", .unit = "lanes", .doc = "active lanes that one pass serves",
		  .type = HD_U32, AT(lanes), .def = "8", .min = 1, .max = 32 },
		{ .name = "steps", .unit = "cycles", .doc = "length of a pass",
		  .type = HD_U32, AT(steps), .def = "16", .min = 1, .max = 1000 },
		{ .name = "wide", .unit = "", .doc = "classes whose passes take 'wide_steps'",
		  .type = HD_SYMBOLS, .kind = "class", AT(wide), .def = "[]" },
		{ .name = "wide_steps", .unit = "cycles", .doc = "length of a pass of these",
		  .type = HD_U32, AT(wide_steps), .def = "32", .min = 1, .max = 1000 }, { 0 } },
	.ports = (const struct hd_port[]){
		{ .name = "in", .doc = "register set in front of the unit", .kind = HD_IN,
		  .flags = HD_SLOTS, .type = &hd_type_inst, AT(in) },
		{ .name = "out", .doc = "results", .kind = HD_OUT, .type = &hd_type_inst, AT(out) }, { 0 } },
	.stats = (const struct hd_stat[]){ { .name = "busy", .unit = "cycles", .doc = "time in use",
		AT(busy), .rate = "unit utilisation" }, { 0 } },
	.state_size = sizeof(struct state), .init = init, .eval = eval,
	.checkpoint = checkpoint, .confined = true,
};

/* give.c - toy: coalescer and banks, register file and result buses, barrier, fence and copies
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The coalescer makes an access of each address of an active lane but 0, in the order of the lanes,
 * lanes side by side with the same address together: tests list them in ascending order.
 *   banks n=N           from now on an access to shared memory takes so many cycles; 1 at first
 *
 *   refuse [writes] [buses]    from now on they refuse
 *   allow                      and now accept again
 *   stall, flow                operands are read in no step, or all of them in the next one
 *   serve unit=N [n=N]         so many operands of that unit, all without n, in the next step
 *   steps                      logs the steps from now on, while operands are to be read
 *
 *   hold              from now on the barrier and waits for copies hold their warps
 *   over wN...        fences of these warps end at the next poll; the warps are touched
 * A fence holds its warp until then.  Without port `warps` nothing is held.
 * Calls are logged.
 */
#include "actor.h"

#include <heddle/gpu/access.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/sync.h>

struct state {
	struct actor actor;
	struct hd_coalescer_if coalescer;
	struct hd_banks_if banks;
	uint32_t cycles;
	struct hd_regfile_if regfile;
	struct hd_result_bus_if bus;
	bool no_writes, no_buses, stalled, steps;
	uint32_t horizon;
	uint8_t left[64], served[64]; /* by unit: operands to be read, and that may be */
	struct hd_warps *warps;
	struct hd_barrier_if barrier;
	struct hd_fence_if fence;
	struct hd_copy_if copy;
	bool holding;
	uint64_t over;
};

/* ---- coalescer and banks of shared memory ---------------------------------------------------- */

static void take_cycles(void *state, struct args *a)
{
	((struct state *)state)->cycles = (uint32_t)arg_number(a, "n", 1);
}

static uint32_t coalesce(void *self, hd_inst_ref ref, const struct hd_inst *inst, struct hd_access *v)
{
	uint32_t n = 0;

	(void)self, (void)ref;
	for (uint32_t i = 0; i < HD_LANES; i++) {
		if (!(inst->mask >> i & 1) || hd_inst_addr(inst, i) == 0)
			continue;
		if (n == 0 || v[n - 1].addr != hd_inst_addr(inst, i))
			v[n++] = (struct hd_access){ hd_inst_addr(inst, i), 0, 0 };
		v[n - 1].bytes |= 0xf;
		v[n - 1].lanes |= UINT32_C(1) << i;
	}
	return n;
}

static uint32_t conflicts(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;

	(void)ref;
	toy_log(st->actor.ctx, "banks #%u", inst->code);
	return st->cycles;
}

/* ---- register file and result buses ---------------------------------------------------------- */

static void refuse(void *state, struct args *a)
{
	struct state *st = state;

	st->no_writes = arg_flag(a, "writes");
	st->no_buses = arg_flag(a, "buses");
}

static void allow(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->no_writes = st->no_buses = false;
}

static void serve(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t unit = arg_number(a, "unit", 0);

	st->served[unit % 64] = (uint8_t)arg_number(a, "n", HD_MAX_SRC);
}

static bool write_port(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	toy_log(st->actor.ctx, "write w%u R%u%s", warp, reg - 1, st->no_writes ? " = no" : "");
	return !st->no_writes;
}

static void read_port(void *self, uint32_t unit, uint32_t warp, const uint16_t *reg, uint32_t n)
{
	struct state *st = self;
	char text[200] = "";
	size_t length = 0;

	for (uint32_t i = 0; i < n; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, " R%u",
		                           reg[i] - 1u);
	toy_log(st->actor.ctx, "read unit=%u w%u%s", unit, warp, text);
	st->left[unit] = (uint8_t)(st->left[unit] + n);
}

static uint64_t step(void *self, bool first)
{
	struct state *st = self;
	uint64_t done = 0;

	if (st->steps)
		toy_log(st->actor.ctx, "step%s", first ? " first" : "");
	for (uint32_t u = 0; u < 64; u++) {
		bool all = !st->stalled || st->served[u] > st->left[u];
		uint8_t n = all ? st->left[u] : st->served[u];

		if (!n)
			continue;
		st->left[u] = (uint8_t)(st->left[u] - n);
		st->served[u] = 0;
		if (st->left[u] == 0)
			done |= UINT64_C(1) << u;
	}
	return done;
}

static bool reserve(void *self, hd_inst_ref inst, uint32_t ahead)
{
	struct state *st = self;

	(void)inst;
	toy_log(st->actor.ctx, "bus %u%s", ahead, st->no_buses ? " = no" : "");
	return !st->no_buses;
}

/* ---- barrier, fence, copies ------------------------------------------------------------------ */

static void over(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->over |= set;
	for (; set && st->warps; set &= set - 1)
		hd_warp_touch(st->warps, (uint32_t)__builtin_ctzll(set));
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp;

	(void)ref;
	toy_log(st->actor.ctx, "join w%u", warp);
	if (st->holding)
		hd_warp_block(st->warps, warp, HD_BLOCK_BARRIER);
}

static void leave(void *self, uint32_t warp)
{
	toy_log(((struct state *)self)->actor.ctx, "leave w%u", warp);
}

static void set_fence(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp;

	(void)ref;
	toy_log(st->actor.ctx, "fence w%u", warp);
	if (st->warps)
		hd_warp_block(st->warps, warp, HD_BLOCK_FENCE);
}

static bool holds(void *self, uint32_t warp)
{
	struct state *st = self;

	if (!(st->over >> warp & 1))
		return true;
	toy_log(st->actor.ctx, "over w%u", warp);
	st->over &= ~(UINT64_C(1) << warp);
	hd_warp_unblock(st->warps, warp, HD_BLOCK_FENCE);
	return false;
}

static void add(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	(void)ref;
	toy_log(((struct state *)self)->actor.ctx, "add #%u w%u", inst->code, inst->warp);
}

static void commit(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	(void)ref;
	toy_log(((struct state *)self)->actor.ctx, "commit w%u", inst->warp);
}

static void wait_copies(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp;

	(void)ref;
	toy_log(st->actor.ctx, "wait w%u stay=%d", warp, inst->imm);
	if (st->holding)
		hd_warp_block(st->warps, warp, HD_BLOCK_COPY);
}

static uint32_t accepted(void *self, hd_inst_ref ref, const struct hd_inst *inst, uint32_t n)
{
	(void)ref;
	toy_log(((struct state *)self)->actor.ctx, "accepted #%u n=%u", inst->code, n);
	return inst->code;
}

static bool answered(void *self, uint32_t warp, uint32_t id)
{
	toy_log(((struct state *)self)->actor.ctx, "answered w%u %u", warp, id);
	return false;
}

/* ---- toy ---------------------------------------------------------------------------------------- */

static const struct verb verbs[] = {
	{ "banks", take_cycles },
	{ "refuse", refuse }, { "allow", allow }, SETS("stall", stalled, true), SETS("flow", stalled, false),
	{ "serve", serve }, SETS("steps", steps, true),
	SETS("hold", holding, true), { "over", over },
	{ .name = NULL },
};

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->cycles = 1;
	st->coalescer = (struct hd_coalescer_if){ .self = st, .coalesce = coalesce };
	st->banks = (struct hd_banks_if){ .self = st, .conflicts = conflicts };
	st->regfile = (struct hd_regfile_if){ .self = st, .write = write_port, .read = read_port,
		                              .step = step };
	st->bus = (struct hd_result_bus_if){ .self = st, .reserve = reserve,
		                             .max_ahead = st->horizon };
	st->barrier = (struct hd_barrier_if){ .self = st, .join = join, .leave = leave };
	st->fence = (struct hd_fence_if){ .self = st, .set = set_fence, .holds = holds };
	st->copy = (struct hd_copy_if){ .self = st, .add = add, .commit = commit,
		                        .wait = wait_copies, .accepted = accepted,
		                        .answered = answered };
	return actor_init(st, ctx);
}

static const struct hd_param params[] = {
	{ .name = "horizon", .unit = "cycles", .doc = "of the buses", .type = HD_U32, .def = "100",
	  .min = 1, .max = 65535, .offset = offsetof(struct state, horizon) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("coalescer", hd_type_coalescer_if, coalescer),
	GIVES("banks", hd_type_banks_if, banks),
	GIVES("write", hd_type_regfile_if, regfile),
	GIVES("read", hd_type_regfile_if, regfile),
	GIVES("bus", hd_type_result_bus_if, bus),
	USES("warps", hd_type_warps, warps),
	GIVES("barrier", hd_type_barrier_if, barrier),
	GIVES("fence", hd_type_fence_if, fence),
	GIVES("copy", hd_type_copy_if, copy),
	{ .name = NULL },
};

TOY(give, "units that log their calls", verbs, ports,
    .params = params, .init = init, .eval = actor_eval);

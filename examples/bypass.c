/* bypass.c - results of function units can be read before they are in the register file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * It stands between the units and their result bus.  A unit that reserves a bus says by that when its result will be
 * written; `lead` cycles before, an instruction that waits for the register may issue, as its operand comes by the
 * bypass when it gets there.  It needs no change of the units, the scoreboard or writeback.
 */
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>

#define MOST 64u /* results on their way */

struct state {
	struct hd_ctx *ctx;
	struct hd_result_bus_if bus;       /* for the units */
	const struct hd_result_bus_if *to; /* the real one */
	struct hd_scoreboard *scoreboard;
	struct hd_pool *pool;
	uint32_t lead;
	uint32_t n;
	struct coming {
		uint64_t edge;   /* at which it can be read */
		hd_inst_ref inst;
		uint32_t unused; /* no byte of a checkpoint is undefined */
	} coming[MOST];
	uint64_t forwarded;
};

/* Called by a unit for the instruction that it takes.  Only what is known to come is forwarded: `lead` cycles before it
 * is written, or in the next one if that is nearer. */
static bool reserve(void *self, hd_inst_ref inst, uint32_t ahead)
{
	struct state *st = self;
	uint32_t lead = st->lead < ahead ? st->lead : ahead - 1;

	if (!hd_result_bus_reserve(st->to, inst, ahead))
		return false;
	if (ahead > 1 && st->n < MOST && hd_inst(st->pool, inst)->dst) {
		st->coming[st->n++] = (struct coming){ hd_now(st->ctx) + ahead - lead, inst, 0 };
		hd_wake(st->ctx->self);
	}
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;
	uint32_t left = 0;

	for (uint32_t i = 0; i < st->n; i++) {
		struct coming *c = &st->coming[i];

		if (c->edge <= now) {
			struct hd_inst *inst = hd_inst(st->pool, c->inst);

			hd_mark(st->ctx, st->pool, c->inst, 0, 0);
			hd_scoreboard_forward(st->scoreboard, inst);
			st->forwarded++;
			continue;
		}
		next = c->edge < next ? c->edge : next;
		st->coming[left++] = *c;
	}
	st->n = left;
	return next == UINT64_MAX ? HD_SLEEP : next - now;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->bus = (struct hd_result_bus_if){ .self = st, .reserve = reserve, .max_ahead = st->to->max_ahead };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	st->n = (uint32_t)hd_saved_number(k, st->n, MOST);
	hd_saved(k, st->coming, st->n * sizeof *st->coming);
}

#define AT(member) .offset = offsetof(struct state, member)

const struct hd_module hd_module_bypass = {
	.abi = HD_ABI, .size = sizeof(struct hd_module), .state_size = sizeof(struct state),
	.name = "bypass", .doc = "forwards results of function units before they are in the register file",
	.init = init, .start = start, .eval = eval, .checkpoint = checkpoint, .confined = true,
	.params = (const struct hd_param[]){
		{ .name = "lead", .unit = "cycles", .type = HD_U32,
		  .doc = "most, before a result is written, in which its reader may issue",
		  AT(lead), .def = "1", .min = 1, .max = 16 },
		{ .name = NULL } },
	.ports = (const struct hd_port[]){
		{ .name = "bus", .doc = "for function units", .kind = HD_PROVIDES, .flags = HD_ORDERED | HD_GOES_ON
		  | HD_PROVIDER_FIRST, .type = &hd_type_result_bus_if, AT(bus) },
		{ .name = "to", .doc = "the result bus", .kind = HD_USES, .type = &hd_type_result_bus_if, AT(to) },
		{ .name = "scoreboard", .doc = "registers are released here", .kind = HD_USES,
		  .type = &hd_type_scoreboard, AT(scoreboard) },
		{ .name = NULL } },
	.stats = (const struct hd_stat[]){
		{ .name = "forwarded", .unit = "results", .doc = "that could be read before they were written",
		  AT(forwarded) },
		{ .name = NULL } },
	.marks = (const struct hd_mark[]){
		{ .name = "forwarded", .doc = "its result can be read" },
		{ .name = NULL } },
};

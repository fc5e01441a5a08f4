/* put.c - toys: put instructions into a register set or a queue, or other things into a queue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   put [slot=N] #N wN...    an instruction (actor.h); slot: of a register set, 0 without it
 *   put [n=N] ...            put_insts: so many, numbered on
 *   fetched wN               put_fetched: a warp
 *   credit open=0            put_credit: a credit
 *   room                     how much room there is: slots, or places
 *   cause [slot=N]           why it is not taken: "= INSTANCE REASON", or a port
 */
#include "actor.h"

#include <heddle/gpu/mem.h>
#include <heddle/gpu/ibuffer.h>

struct state {
	struct actor actor;
	const void *after;
	struct hd_pool *pool;
	struct hd_end out;
};

static void put_slot(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t slot = (uint32_t)arg_number(a, "slot", 0);
	hd_inst_ref ref = hd_alloc(st->actor.ctx, st->pool);

	arg_inst(a, hd_inst(st->pool, ref));
	if (hd_slots_free(&st->out) >> slot & 1)
		hd_slot_put(&st->out, slot, &ref, sizeof ref);
	else
		wrong(st->actor.ctx, "slot %u is full", slot);
}

static void put_inst(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 1);
	struct hd_inst inst;

	arg_inst(a, &inst);
	for (; n > 0; n--, inst.code++, inst.uid++) {
		hd_inst_ref ref = hd_alloc(st->actor.ctx, st->pool);

		*hd_inst(st->pool, ref) = inst;
		if (hd_room(&st->out))
			hd_put(&st->out, &ref, sizeof ref);
		else
			wrong(st->actor.ctx, "there is no room");
	}
}

static void put_warp(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_fetched f = { .pc = (uint32_t)arg_number(a, "pc", 0),
		.n = (uint16_t)arg_number(a, "n", 0), .warp = (uint16_t)arg_warp(a) };

	if (hd_room(&st->out))
		hd_put(&st->out, &f, sizeof f);
	else
		wrong(st->actor.ctx, "there is no room");
}

static void put_credit(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_credit c = { .open = (uint32_t)arg_number(a, "open", 1) };

	if (hd_room(&st->out))
		hd_put(&st->out, &c, sizeof c);
	else
		wrong(st->actor.ctx, "there is no room");
}

static void free_slots(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "room = %s", set_text(hd_slots_free(&st->out), "", text));
}

static void places(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "room = %u", hd_room(&st->out));
}

static void cause(void *state, struct args *a)
{
	struct state *st = state;

	tell_cause(st->actor.ctx, &st->out, (uint32_t)arg_number(a, "slot", 0));
}

static const struct verb slot_verbs[] = {
	{ "put", put_slot }, { "room", free_slots }, { "cause", cause }, { .name = NULL },
};
static const struct verb inst_verbs[] = {
	{ "put", put_inst }, { "room", places }, { "cause", cause }, { .name = NULL },
};
static const struct verb warp_verbs[] = {
	{ "fetched", put_warp }, { "room", places }, { .name = NULL },
};

static const struct verb credit_verbs[] = { { "credit", put_credit }, { .name = NULL } };

static int init(void *state, struct hd_ctx *ctx)
{
	((struct state *)state)->pool = hd_pool(ctx, &hd_type_inst);
	return actor_init(state, ctx);
}

static const struct hd_port slot_ports[] = {
	CALL_AFTER(struct state),
	{ .name = "out", .doc = "a register set", .kind = HD_OUT, .flags = HD_SLOTS,
	  .type = &hd_type_inst, .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

static const struct hd_port inst_ports[] = {
	CALL_AFTER(struct state),
	{ .name = "out", .doc = "a queue", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

static const struct hd_port warp_ports[] = {
	CALL_AFTER(struct state),
	{ .name = "out", .doc = "a queue of warps", .kind = HD_OUT, .type = &hd_type_fetched,
	  .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

TOY(put_slots, "puts instructions into a register set", slot_verbs, slot_ports,
    .init = init, .eval = actor_eval);

TOY(put_insts, "puts instructions into a queue", inst_verbs, inst_ports,
    .init = init, .eval = actor_eval);

static const struct hd_port credit_ports[] = {
	{ .name = "out", .doc = "a queue of credits", .kind = HD_OUT, .type = &hd_type_credit,
	  .offset = offsetof(struct state, out) },
	{ .name = NULL },
};

TOY(put_credit, "puts credits into a queue", credit_verbs, credit_ports,
    .init = actor_init, .eval = actor_eval);

TOY(put_fetched, "puts fetched warps into a queue", warp_verbs, warp_ports,
    .init = actor_init, .eval = actor_eval);

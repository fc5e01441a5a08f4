/* sets.c - toys: one fills the slots of a register set, one empties them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct state {
	struct hd_ctx *ctx;
	struct hd_end end;
	uint32_t count, every, finish;
	uint64_t moved;
};

enum { EVENT_SLOT };

static uint64_t fill(void *state)
{
	struct state *st = state;
	uint64_t room;
	struct token t = { (uint32_t)st->moved, st->ctx->index };

	if (st->moved == st->count)
		return HD_SLEEP;
	room = hd_slots_free(&st->end);
	if (!room)
		return HD_SLEEP;
	hd_emit(st->ctx, EVENT_SLOT, __builtin_ctzll(room), t.value, t.from);
	hd_slot_put(&st->end, (unsigned)__builtin_ctzll(room), &t, sizeof t);
	st->moved++;
	return HD_NEXT;
}

static uint64_t drain(void *state)
{
	struct state *st = state;
	uint64_t full = hd_slots_full(&st->end), off = hd_now(st->ctx) % st->every;
	const struct token *t;

	if (!full)
		return HD_SLEEP;
	if (off)
		return st->every - off;
	t = hd_slot(&st->end, (unsigned)__builtin_ctzll(full));
	hd_emit(st->ctx, EVENT_SLOT, __builtin_ctzll(full), t->value, t->from);
	hd_slot_take(&st->end, (unsigned)__builtin_ctzll(full));
	st->moved++;
	if (st->moved == st->finish)
		hd_finish(st->ctx);
	return HD_NEXT;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param fill_params[] = {
	{ .name = "count", .unit = "tokens", .doc = "tokens to put", .type = HD_U32, .def = "4",
	  .offset = P(count) },
	{ .name = NULL },
};

static const struct hd_param drain_params[] = {
	{ .name = "every", .unit = "edges", .doc = "takes at edges that this divides",
	  .type = HD_U32, .def = "1", .min = 1, .max = 1000, .offset = P(every) },
	{ .name = "finish", .unit = "tokens", .doc = "tokens after which it ends the run; 0: never",
	  .type = HD_U32, .def = "0", .offset = P(finish) },
	{ .name = NULL },
};

static const struct hd_port out[] = {
	{ .name = "out", .doc = "tokens", .kind = HD_OUT, .flags = HD_SLOTS, .type = &toy_token,
	  .offset = P(end) },
	{ .name = NULL },
};

static const struct hd_port in[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .flags = HD_SLOTS, .type = &toy_token,
	  .offset = P(end) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "moved", .unit = "tokens", .doc = "tokens put or taken", .offset = P(moved) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_SLOT] = { .name = "slot", .doc = "a slot was used",
	                 .fields = { { .name = "slot" }, { .name = "value" }, { .name = "from" } } },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->moved);
}

const struct hd_module hd_module_set_source = {
	TOY_HEAD, .name = "set_source", .doc = "fills slots", .params = fill_params, .ports = out,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = toy_init,
	.eval = fill,
	.checkpoint = checkpoint,
};

const struct hd_module hd_module_set_sink = {
	TOY_HEAD, .name = "set_sink", .doc = "empties slots", .params = drain_params, .ports = in,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = toy_init,
	.eval = drain,
	.checkpoint = checkpoint,
};

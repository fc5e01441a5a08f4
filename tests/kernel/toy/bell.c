/* bell.c - toys: one is woken by calls that come in few edges, one calls it and foresees when
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

#include <heddle/ahead.h>

struct bell {
	struct hd_ctx *ctx;
	struct board_if face;
	uint64_t rung, heard;
};

enum { EVENT_HEARD };

static uint64_t bell_eval(void *state)
{
	struct bell *b = state;

	if (b->heard == b->rung)
		return HD_SLEEP;
	b->heard++;
	hd_emit(b->ctx, EVENT_HEARD, (int64_t)b->heard);
	return HD_SLEEP;
}

static void ring(void *self, uint32_t who)
{
	struct bell *b = self;

	(void)who;
	b->rung++;
	hd_wake(b->ctx->self);
}

static int bell_init(void *state, struct hd_ctx *ctx)
{
	struct bell *b = state;

	b->ctx = ctx;
	b->face = (struct board_if){ b, ring };
	return 0;
}

static uint64_t always_apart(const void *state)
{
	(void)state;
	return UINT64_MAX;
}

static const struct hd_port bell_ports[] = {
	{ .name = "ring", .doc = "wakes it", .kind = HD_PROVIDES, .type = &toy_board,
	  .offset = offsetof(struct bell, face) },
	{ .name = NULL },
};

static const struct hd_stat bell_stats[] = {
	{ .name = "heard", .unit = "calls", .doc = "calls after which it was evaluated",
	  .offset = offsetof(struct bell, heard) },
	{ .name = NULL },
};

static const struct hd_event bell_events[] = {
	[EVENT_HEARD] = { .name = "heard", .doc = "an instance called", .fields = { { .name = "n" } } },
	{ .name = NULL },
};

static void bell_saved(void *state, struct hd_checkpoint *k)
{
	struct bell *b = state;

	HD_SAVED_FROM(k, b, rung, heard);
}

const struct hd_module hd_module_bell = {
	TOY_HEAD, .name = "bell", .doc = "sleeps until it is called", .ports = bell_ports, .stats = bell_stats,
	.events = bell_events, .state_size = sizeof(struct bell), .init = bell_init, .eval = bell_eval,
	.checkpoint = bell_saved, .apart = always_apart,
};

/* ---- one that calls it ----------------------------------------------------------------------- */

struct ringer {
	const struct board_if *bell;
	uint32_t at;
	bool foresees;
	uint64_t edges;
};

static uint64_t ringer_eval(void *state)
{
	struct ringer *r = state;

	if (r->edges++ == r->at)
		r->bell->poke(r->bell->self, 0);
	return HD_NEXT;
}

static uint64_t ringer_apart(const void *state)
{
	const struct ringer *r = state;

	return r->foresees && r->edges <= r->at ? r->at - r->edges : UINT64_MAX;
}

static const struct hd_param params[] = {
	{ .name = "at", .unit = "edges", .doc = "edge with a call", .type = HD_U32, .def = "100",
	  .offset = offsetof(struct ringer, at) },
	{ .name = "foresees", .unit = "", .doc = "foresees the call, as it has to", .type = HD_BOOL, .def = "true",
	  .offset = offsetof(struct ringer, foresees) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "bell", .doc = "called once", .kind = HD_USES, .flags = HD_RARE, .type = &toy_board,
	  .offset = offsetof(struct ringer, bell) },
	{ .name = NULL },
};

static void ringer_saved(void *state, struct hd_checkpoint *k)
{
	struct ringer *r = state;

	HD_SAVED(k, r->edges);
}

const struct hd_module hd_module_ringer = {
	TOY_HEAD, .name = "ringer", .doc = "calls a bell once", .params = params, .ports = ports,
	.state_size = sizeof(struct ringer), .eval = ringer_eval, .checkpoint = ringer_saved,
	.apart = ringer_apart,
};

/* board.c - toys: one provides interfaces whose order counts, one calls them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

enum { PORT_RELEASE, PORT_CHECK, PORT_ORDERED, PORTS };
enum { EVENT_POKE };

struct face {
	struct board_if f;
	struct board *board;
	uint32_t port;
};

struct board {
	struct hd_ctx *ctx;
	struct face face[PORTS];
	uint64_t pokes[PORTS];
};

static void poke(void *self, uint32_t who)
{
	struct face *f = self;

	f->board->pokes[f->port]++;
	hd_emit(f->board->ctx, EVENT_POKE, f->port, who);
}

static int board_init(void *state, struct hd_ctx *ctx)
{
	struct board *b = state;

	b->ctx = ctx;
	for (uint32_t i = 0; i < PORTS; i++)
		b->face[i] = (struct face){ { &b->face[i], poke }, b, i };
	return 0;
}

#define FACE(port) .offset = offsetof(struct board, face[port].f)

static const struct hd_port board_ports[] = {
	[PORT_RELEASE] = { .name = "release", .doc = "comes first", .kind = HD_PROVIDES,
	                   .type = &toy_board, FACE(PORT_RELEASE), .phase = 0 },
	[PORT_CHECK] = { .name = "check", .doc = "comes second", .kind = HD_PROVIDES,
	                 .type = &toy_board, FACE(PORT_CHECK), .phase = 1 },
	[PORT_ORDERED] = { .name = "ordered", .doc = "in the order of the links",
	                   .kind = HD_PROVIDES, .flags = HD_ORDERED, .type = &toy_board,
	                   FACE(PORT_ORDERED), .phase = 1 },
	{ .name = NULL },
};

static const struct hd_stat board_stats[] = {
	{ .name = "released", .unit = "calls", .doc = "calls of port release",
	  .offset = offsetof(struct board, pokes[PORT_RELEASE]) },
	{ .name = "checked", .unit = "calls", .doc = "calls of port check",
	  .offset = offsetof(struct board, pokes[PORT_CHECK]) },
	{ .name = NULL },
};

static const struct hd_event board_events[] = {
	[EVENT_POKE] = { .name = "poke", .doc = "an instance "
		"called", .fields = { { .name = "port" }, { .name = "who" } } },
	{ .name = NULL },
};

static void board_saved(void *state, struct hd_checkpoint *k)
{
	struct board *b = state;

	HD_SAVED(k, b->pokes);
}

const struct hd_module hd_module_board = {
	TOY_HEAD, .name = "board", .doc = "provides interfaces", .ports = board_ports,
	.stats = board_stats, .events = board_events, .state_size = sizeof(struct board),
	.init = board_init,
	.checkpoint = board_saved,
};

/* ---- one that is evaluated before its users ----------------------------------------------- */

struct clerk {
	struct hd_ctx *ctx;
	struct board_if face;
	uint64_t turns;
};

enum { EVENT_TURN, EVENT_ASKED };

static uint64_t clerk_eval(void *state)
{
	struct clerk *c = state;

	hd_emit(c->ctx, EVENT_TURN, (int64_t)c->turns);
	c->turns++;
	return HD_NEXT;
}

static void call(void *self, uint32_t who)
{
	hd_emit(((struct clerk *)self)->ctx, EVENT_ASKED, who);
}

static int clerk_init(void *state, struct hd_ctx *ctx)
{
	struct clerk *c = state;

	c->ctx = ctx;
	c->face = (struct board_if){ c, call };
	return 0;
}

static const struct hd_port clerk_ports[] = {
	{ .name = "desk", .doc = "calls after its evaluation", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST, .type = &toy_board,
	  .offset = offsetof(struct clerk, face) },
	{ .name = NULL },
};

static const struct hd_event clerk_events[] = {
	[EVENT_TURN] = { .name = "turn", .doc = "it was evaluated", .fields = { { .name = "n" } } },
	[EVENT_ASKED] = { .name = "asked", .doc = "an instance "
		"called", .fields = { { .name = "who" } } },
	{ .name = NULL },
};

static void clerk_saved(void *state, struct hd_checkpoint *k)
{
	struct clerk *c = state;

	HD_SAVED(k, c->turns);
}

const struct hd_module hd_module_clerk = {
	TOY_HEAD, .name = "clerk", .doc = "works before it is called", .ports = clerk_ports,
	.events = clerk_events, .state_size = sizeof(struct clerk), .init = clerk_init,
	.eval = clerk_eval,
	.checkpoint = clerk_saved,
};

/* ---- one that calls -------------------------------------------------------------------------- */

struct user {
	struct hd_ctx *ctx;
	struct hd_ifs boards;
	uint32_t id, count;
	uint64_t edges;
};

static uint64_t eval(void *state)
{
	struct user *u = state;

	if (u->edges == u->count)
		return HD_SLEEP;
	for (uint32_t i = 0; i < u->boards.n; i++) {
		const struct board_if *b = u->boards.v[i];

		b->poke(b->self, u->id + u->ctx->index);
	}
	u->edges++;
	return HD_NEXT;
}

static const struct hd_param params[] = {
	{ .name = "id", .unit = "", .doc = "logged at each call, plus the index", .type = HD_U32,
	  .def = "0", .offset = offsetof(struct user, id) },
	{ .name = "count", .unit = "edges", .doc = "number of edges with calls", .type = HD_U32,
	  .def = "1", .offset = offsetof(struct user, count) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "boards", .doc = "called at each edge", .kind = HD_USES, .flags = HD_ARRAY,
	  .type = &toy_board, .offset = offsetof(struct user, boards) },
	{ .name = NULL },
};

static void user_saved(void *state, struct hd_checkpoint *k)
{
	struct user *u = state;

	HD_SAVED(k, u->edges);
}

const struct hd_module hd_module_user = {
	TOY_HEAD, .name = "user", .doc = "calls interfaces", .params = params, .ports = ports,
	.state_size = sizeof(struct user), .init = toy_init, .eval = eval,
	.checkpoint = user_saved,
};

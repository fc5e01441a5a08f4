/* router.c - toy: sends each token to the output whose residue it has
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct way {
	uint32_t residue;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	uint32_t modulo;
	uint64_t routed, lost;
};

enum { EVENT_ROUTE };

static uint32_t way_of(const struct state *st, uint32_t value)
{
	for (uint32_t i = 0; i < st->out.n; i++)
		if (((const struct way *)st->out.v[i].attr)->residue == value % st->modulo)
			return i;
	return UINT32_MAX;
}

/* One token of each input, in the order in which the inputs are linked. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	bool moved = false;

	for (uint32_t i = 0; i < st->in.n; i++) {
		const struct token *t = hd_front(&st->in.v[i]);
		uint32_t to = t ? way_of(st, t->value) : 0;

		if (!t || (to != UINT32_MAX && hd_room(&st->out.v[to]) == 0))
			continue;
		moved = true;
		st->lost += to == UINT32_MAX;
		st->routed += to != UINT32_MAX;
		hd_emit(st->ctx, EVENT_ROUTE, t->value, i, (int32_t)to);
		if (to != UINT32_MAX)
			hd_put(&st->out.v[to], t, sizeof *t);
		hd_take(&st->in.v[i]);
	}
	return moved ? HD_NEXT : HD_SLEEP;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param attrs[] = {
	{ .name = "residue", .unit = "", .doc = "values that go here, modulo \"modulo\"",
	  .type = HD_U32, .offset = offsetof(struct way, residue) },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "modulo", .unit = "", .doc = "residues are modulo this", .type = HD_U32,
	  .def = "2", .min = 1, .max = 64, .offset = P(modulo) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .flags = HD_ARRAY, .type = &toy_token,
	  .offset = P(in) },
	{ .name = "out", .doc = "the same, by residue", .kind = HD_OUT, .flags = HD_ARRAY,
	  .type = &toy_token, .most = 4, .offset = P(out), .attrs = attrs, .attr_size = sizeof(struct way) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "routed", .unit = "tokens", .doc = "tokens passed on", .offset = P(routed) },
	{ .name = "lost", .unit = "tokens", .doc = "tokens that no output takes", .offset = P(lost) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ROUTE] = { .name = "route", .doc = "a token moved", .fields = { { .name = "value" }, { .name = "in" },
	                                                                      { .name = "out" } } },
	{ .name = NULL },
};

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, routed, lost);
}

const struct hd_module hd_module_router = {
	TOY_HEAD, .name = "router", .doc = "distributes tokens by "
		"value", .params = params, .ports = ports,
	.stats = stats, .events = events, .state_size = sizeof(struct state), .init = toy_init,
	.eval = eval,
	.checkpoint = checkpoint,
};

/* issue_types.c - issue stage that takes an instruction of each type, every one of another warp
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, I6 and I7.  A type is a kind of unit, or several that the links declare to be the
 * same.
 */
#include "issue/declared.h"

struct types {
	struct state stage; /* shared with `issue` */
	bool in_turn;
	uint64_t edge; /* the next one; those of the clock, from 0 */
};

/* Stages that work in turn, one at each edge. */
static uint64_t stages(const struct types *t)
{
	return t->in_turn ? t->stage.ctx->count : 1;
}

/* Edges until the stage works. */
static uint64_t until_turn(const struct types *t)
{
	uint64_t n = stages(t);

	return (t->stage.ctx->index % n + n - t->edge % n) % n;
}

/* Issues the next instruction of the warp if none of its type was issued.  *taken: kinds of unit. */
static bool issue_typed(struct state *st, uint32_t warp, uint64_t *taken)
{
	uint8_t r = st->route_of_warp[warp];
	uint64_t type = 0;
	uint32_t unit = 0;

	if (r != HD_NO_ROUTE) {
		const struct route *route = route_attr(&st->out.v[r]);

		type = hd_bit(route->unit) | route->same_unit_as;
	}
	if ((type & *taken) || !issue_one(st, warp, 0, &unit))
		return false;
	*taken |= type;
	return true;
}

/* Goes through the warps in the order of the policy, as long as more may issue. */
static enum outcome walk(struct state *st, hd_warp_set set, uint32_t *n)
{
	enum outcome o = IDLE;
	uint64_t taken = 0;
	bool hazard = false;

	while (set && *n < st->width) {
		uint32_t warp = hd_policy_first(st->policy, set);
		hd_warp_set bit = hd_warp_bit(warp);

		set &= ~bit;
		if (hd_warp_held(st->warps, st->fence, warp) || !(st->ibuffer->filled & bit))
			continue;
		if (HD_UNLIKELY(hd_warp_in(st->ibuffer->wrong, warp)) && off_path(st, warp)) {
			flush(st, warp);
			hazard = true;
			continue;
		}
		if (o == IDLE)
			o = SCOREBOARD;
		if (!(st->scoreboard_ready & bit))
			continue;
		o = STALL;
		if (!issue_typed(st, warp, &taken))
			continue;
		(*n)++;
		hd_warp_held(st->warps, st->fence, warp); /* polled again, as by `issue` */
	}
	st->control_hazard += hazard && !*n && o == IDLE;
	return *n ? ISSUED : o;
}

static int init_types(void *state, struct hd_ctx *ctx)
{
	struct types *t = state;

	if (init(state, ctx))
		return -1;
	hd_in_turn(ctx, (uint32_t)stages(t), ctx->index);
	return 0;
}

static uint64_t eval(void *state)
{
	struct types *t = state;
	struct state *st = &t->stage;
	uint64_t wait = until_turn(t), then = HD_SLEEP;
	struct edge e;
	hd_warp_set set;
	uint32_t n = 0;

	t->edge++;
	if (wait)
		return wait;
	set = begin_edge(st, &e);
	st->last = walk(st, set | (e.fences & e.allowed), &n);
	if (HD_UNLIKELY(st->ctx->observed))
		then = account(st, &e, n);
	if (st->last != ISSUED) {
		count(st, st->last, 1);
		return then == HD_NEXT || st->policy->needs_every_edge ? stages(t) : HD_SLEEP;
	}
	if (n == 1)
		st->single++;
	else
		st->dual++;
	return stages(t);
}

/* Only edges at which it is the stage's turn count. */
static void skipped(void *state, uint64_t n)
{
	struct types *t = state;
	uint64_t wait = until_turn(t), turns = n > wait ? (n - wait - 1) / stages(t) + 1 : 0;

	t->edge += n;
	if (turns)
		count_skipped(&t->stage, turns);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct types *t = state;

	stage_saved(&t->stage, k);
	HD_SAVED(k, t->edge);
}

#define T(f) offsetof(struct types, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions issued per cycle, of different "
	  "warps and types", .type = HD_U32, .offset = P(width), .def = "5", .min = 1, .max = 32 },
	{ .name = "in_turn", .unit = "", .doc = "of the stages of the array one works in each cycle, in "
	  "turn; else all do", .type = HD_BOOL, .offset = T(in_turn), .def = "false" },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

const struct hd_module hd_module_issue_types = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue_types",
	.doc = "issue stage of one scheduler: issues an instruction of each type, each of another warp",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct types),
	.init = init_types,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.marks = hd__issue_marks,
	.reasons = hd__issue_reasons,
	.end_observation = end_observation,
	.checkpoint = checkpoint,
};

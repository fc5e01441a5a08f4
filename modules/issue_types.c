/* issue_types.c - issue stage that takes an instruction of each type, every one of another warp
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, I6 and I7.  A type is a kind of unit, or several that the links declare to be the
 * same.
 */
#include "issue/scoreboarded.h"

struct types {
	struct state stage; /* shared with `issue` */
	bool in_turn;
	uint64_t edge; /* the next one; those of the clock, from 0 */
};

/* Stages that work in turn, one at each edge. */
static uint64_t stages(const struct types *t)
{
	return t->in_turn ? t->stage.s.ctx->count : 1;
}

/* Edges until the stage works. */
static uint64_t until_turn(const struct types *t)
{
	uint64_t n = stages(t);

	return (t->stage.s.ctx->index % n + n - t->edge % n) % n;
}

/* Issues the next instruction of the warp, if its unit has room and none of its type was issued.  *taken: kinds of
 * unit.  A fence is polled once more, as by `issue`. */
static uint32_t issue_typed(struct state *st, uint32_t warp, uint64_t *taken)
{
	uint8_t r = st->route_of_warp[warp];
	const struct hd_end *end;
	uint64_t type, room;

	if (r == HD_NO_ROUTE) {
		hd__stage_lacks_unit(&st->s, warp);
		return 0;
	}
	end = &st->s.out.v[r];
	type = hd_bit(route_attr(end)->unit) | route_attr(end)->same_unit_as;
	room = hd_slots_free(end);
	if ((type & *taken) || !room)
		return 0;
	*taken |= type;
	issue_to(st, warp, 0, end, room, false, true);
	hd_warp_held(st->s.warps, st->s.fence, warp);
	return 1;
}

static int init_types(void *state, struct hd_ctx *ctx)
{
	struct types *t = state;

	if (hd__issue_init(state, ctx))
		return -1;
	hd_in_turn(ctx, (uint32_t)stages(t), ctx->index);
	return 0;
}

static uint64_t eval(void *state)
{
	struct types *t = state;
	struct state *st = &t->stage;
	uint64_t wait = until_turn(t);
	struct edge e;
	hd_warp_set set;
	uint32_t n = 0;

	t->edge++;
	if (wait)
		return wait;
	set = begin_edge(st, &e);
	st->last = walk_each(st, set | (e.fences & e.allowed), st->width, &n, issue_typed);
	return end_edge(st, &e, n) == HD_NEXT ? stages(t) : HD_SLEEP;
}

/* Only edges at which it is the stage's turn count. */
static void skipped(void *state, uint64_t n)
{
	struct types *t = state;
	uint64_t wait = until_turn(t), turns = n > wait ? (n - wait - 1) / stages(t) + 1 : 0;

	t->edge += n;
	if (turns)
		hd__issue_skipped(&t->stage, turns);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct types *t = state;

	hd__issue_saved(&t->stage, k);
	HD_SAVED(k, t->edge);
}

#define T(f) offsetof(struct types, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions issued per cycle, of different "
	  "warps and types", .type = HD_U32, .offset = P(width), .def = "5", .min = 1, .max = 32 },
	{ .name = "in_turn", .unit = "", .doc = "of the stages of the array one works in each cycle, in "
	  "turn; else all do", .type = HD_BOOL, .offset = T(in_turn), .def = "false" },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(s.instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

const struct hd_module hd_module_issue_types = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue_types",
	.doc = "issue stage of one scheduler: issues an instruction of each type, each of another warp",
	.params = params,
	.ports = hd__issue_ports,
	.stats = hd__issue_stats,
	.events = hd__issue_events,
	.state_size = sizeof(struct types),
	.init = init_types,
	.start = hd__issue_start,
	.eval = eval,
	.skipped = skipped,
	.marks = hd__issue_marks,
	.reasons = hd__issue_reasons,
	.end_observation = hd__issue_end_observation,
	.checkpoint = checkpoint,
};

/* barrier_late.c - barriers of a CTA as they are measured: they hold a warp some cycles after its issue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Barrier.  A warp may end before its barrier holds it, or before it is let go.
 */
#include "barrier/named.h"

#define ARRIVES 0x80000000u

struct state {
	struct named n;
	uint32_t hold_after, open_after, open_distance;
	hd_warp_set waits;  /* warps that wait for others */
	hd_warp_set opened; /* their barrier is open, and they are not free yet */
	hd_warp_set again;  /* they have come to the next one before this one held them, */
	uint32_t next[HD_MAX_WARPS]; /* which is this; ARRIVES: where it does not wait */
	hd_warp_set to_hold; /* they are not held yet */
	uint64_t held_by[HD_MAX_WARPS]; /* uid of the first BAR for which it will be, or is */
	uint64_t hold_at[HD_MAX_WARPS]; /* edge at which it is held, of those of to_hold; */
	uint64_t open_at[HD_MAX_WARPS]; /* at which it is let go, of those of opened */
};

static void open(void *state, hd_warp_set waited)
{
	struct state *st = state;

	st->waits &= ~waited;
	st->opened |= waited;
	hd_wake(st->n.ctx->self);
	for (uint64_t at = hd_now(st->n.ctx) + st->open_after; waited; at += st->open_distance)
		st->open_at[hd_warp_pop(&waited)] = at;
}

static void wait_at(struct state *st, uint32_t warp, uint32_t id)
{
	st->waits |= hd_warp_bit(warp);
	hd__named_join(&st->n, warp, id);
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp, id;
	hd_warp_set bit = hd_warp_bit(warp);

	(void)ref;
	if (hd_warp_in(st->n.warps->exited, warp))
		return; /* with this instruction it has ended */
	id = hd__named_come(&st->n, inst);
	if (inst->async.how & HD_NAMED_ARRIVE) {
		if (hd_warp_in(st->waits | st->opened, warp)) {
			st->again |= bit;
			st->next[warp] = id | ARRIVES;
		} else {
			hd__named_arrive(&st->n, warp, id);
		}
		return;
	}
	if (!hd_warp_in(st->to_hold, warp)) {
		st->held_by[warp] = inst->uid;
		st->to_hold |= bit;
		st->hold_at[warp] = hd_now(st->n.ctx) + st->hold_after;
		hd_wake(st->n.ctx->self);
	}
	if (hd_warp_in(st->waits | st->opened, warp)) {
		st->again |= bit;
		st->next[warp] = id;
		return;
	}
	wait_at(st, warp, id);
}

/* Nothing of the warp is left for the next one of its slot; an arrival that it need not wait for counts. */
static void leave(void *self, uint32_t warp)
{
	struct state *st = self;
	hd_warp_set bit = hd_warp_bit(warp);

	if (st->again & bit && st->next[warp] & ARRIVES)
		hd__named_arrive(&st->n, warp, st->next[warp] & ~ARRIVES);
	st->waits &= ~bit;
	st->opened &= ~bit;
	st->again &= ~bit;
	st->to_hold &= ~bit;
	hd__named_leave(&st->n, warp);
}

static void hold(struct state *st, uint32_t warp)
{
	hd_warp_at_barrier(st->n.warps, warp, st->held_by[warp]);
	hd_warp_block(st->n.warps, warp, HD_BLOCK_BARRIER);
	hd_warp_touch(st->n.warps, warp); /* it waits for something else now */
}

/* The barrier of the warp lets it go, unless it has come to the next one. */
static void let_go(struct state *st, uint32_t warp)
{
	bool again = hd_warp_in(st->again, warp);

	st->opened &= ~hd_warp_bit(warp);
	st->again &= ~hd_warp_bit(warp);
	if (again && !(st->next[warp] & ARRIVES)) {
		wait_at(st, warp, st->next[warp]);
		return;
	}
	hd_warp_unblock(st->n.warps, warp, HD_BLOCK_BARRIER);
	if (again)
		hd__named_arrive(&st->n, warp, st->next[warp] & ~ARRIVES);
}

/* Takes the warps out of the set whose edge is now.  *next: the first edge of the others, if that is earlier. */
static hd_warp_set take_due(const struct state *st, hd_warp_set *set, const uint64_t *edge, uint64_t *next)
{
	hd_warp_set due = 0;

	for (hd_warp_set rest = *set; rest;) {
		uint32_t warp = hd_warp_pop(&rest);

		if (edge[warp] <= hd_now(st->n.ctx))
			due |= hd_warp_bit(warp);
		else if (edge[warp] < *next)
			*next = edge[warp];
	}
	*set &= ~due;
	return due;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next = UINT64_MAX;
	hd_warp_set due = take_due(st, &st->to_hold, st->hold_at, &next) & (st->waits | st->opened), open;

	while (due)
		hold(st, hd_warp_pop(&due));
	open = st->opened;
	due = take_due(st, &open, st->open_at, &next);
	while (due)
		let_go(st, hd_warp_pop(&due));
	return next == UINT64_MAX ? HD_SLEEP : next - hd_now(st->n.ctx);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->n.ctx = ctx;
	st->n.open = open;
	st->n.barrier = (struct hd_barrier_if){ .self = st, .join = join, .leave = leave };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, &st->n, joined, used);
	HD_SAVED_FROM(k, st, waits, open_at);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "hold_after", .unit = "cycles", .doc = "from the issue of a BAR until its warp is held",
	  .type = HD_U32, .offset = P(hold_after), .def = "7", .min = 1, .max = 1024 },
	{ .name = "open_after", .unit = "cycles", .doc = "from the last arrival until the first warp is free",
	  .type = HD_U32, .offset = P(open_after), .def = "23", .min = 1, .max = 1024 },
	{ .name = "open_distance", .unit = "cycles", .doc = "from warp to warp", .type = HD_U32,
	  .offset = P(open_distance), .def = "1", .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "barrier", .doc = "for the issue stages and the dispatcher", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST, .type = &hd_type_barrier_if, .offset = P(n.barrier) },
	NAMED_WARPS_PORT,
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	NAMED_STATS("times that the last warp of a CTA arrived"),
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	NAMED_BY_SLOT,
	{ .name = "waits", .offset = P(waits), .size = sizeof(hd_warp_set) },
	{ .name = "opened", .offset = P(opened), .size = sizeof(hd_warp_set) },
	{ .name = "again", .offset = P(again), .size = sizeof(hd_warp_set) },
	{ .name = "to_hold", .offset = P(to_hold), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_barrier_late = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "barrier_late",
	.doc = "barriers of a CTA that hold a warp, and let it go, some cycles after",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = hd__named_events,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = hd__named_report,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

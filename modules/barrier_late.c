/* barrier_late.c - barriers of a CTA as they are measured: they hold a warp some cycles after its issue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Barrier.  A warp may end before its barrier holds it, or before it is let go.
 */
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_barrier_if barrier;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	uint32_t hold_after, open_after, open_distance;
	hd_warp_set joined; /* warps that wait for others, */
	hd_warp_set at[HD_NAMED_BARRIERS];      /* by barrier; */
	hd_warp_set arrived[HD_NAMED_BARRIERS]; /* and those that have arrived without waiting */
	uint16_t threads[HD_MAX_WARPS][HD_NAMED_BARRIERS]; /* by CTA slot: for how many threads it is; 0: for all */
	hd_warp_set opened; /* their barrier is open, and they are not free yet */
	hd_warp_set again;  /* they have come to the next one before this one held them, */
	uint32_t next[HD_MAX_WARPS]; /* which is this */
	hd_warp_set to_hold; /* they are not held yet */
	uint64_t hold_at[HD_MAX_WARPS]; /* edge at which it is held, of those of to_hold; */
	uint64_t open_at[HD_MAX_WARPS]; /* at which it is let go, of those of opened */
	uint64_t arrivals, releases;
};

enum { EVENT_ARRIVE, EVENT_OPEN };

/* Releases the barrier of the warp's CTA if all its warps that have not ended have arrived, or as many as it is for. */
static void settle(struct state *st, uint32_t warp, uint32_t id)
{
	struct hd_warps *w = st->warps;
	hd_warp_set cta = w->cta_warps[w->cta[warp]];
	hd_warp_set here = st->at[id] & cta, all = here | (st->arrived[id] & cta);
	uint32_t threads = st->threads[w->cta[warp]][id];

	if (all == 0 || (threads ? hd_warp_count(all) * HD_LANES < threads : (cta & ~w->exited & ~all) != 0))
		return;
	st->joined &= ~here;
	st->at[id] &= ~here;
	st->arrived[id] &= ~all;
	st->releases++;
	hd_emit(st->ctx, EVENT_OPEN, w->cta[warp], hd_warp_count(here));
	st->opened |= here;
	hd_wake(st->ctx->self);
	for (uint64_t at = hd_now(st->ctx) + st->open_after; here; at += st->open_distance)
		st->open_at[hd_warp_pop(&here)] = at;
}

/* The warp waits at the barrier. */
static void wait_at(struct state *st, uint32_t warp, uint32_t id)
{
	st->joined |= hd_warp_bit(warp);
	st->at[id] |= hd_warp_bit(warp);
	settle(st, warp, id);
}

static void join(void *self, hd_inst_ref ref, const struct hd_inst *inst)
{
	struct state *st = self;
	const struct hd_async named = inst->async;
	uint32_t warp = inst->warp, id = named.n % HD_NAMED_BARRIERS;
	hd_warp_set bit = hd_warp_bit(warp);

	(void)ref;
	if (hd_warp_in(st->warps->exited, warp))
		return; /* with this instruction it has ended */
	st->threads[st->warps->cta[warp]][id] = (uint16_t)named.more;
	st->arrivals++;
	hd_emit(st->ctx, EVENT_ARRIVE, st->warps->cta[warp], warp);
	if (named.how & HD_NAMED_ARRIVE) {
		st->arrived[id] |= bit;
		settle(st, warp, id);
		return;
	}
	if (!hd_warp_in(st->to_hold, warp)) {
		st->to_hold |= bit;
		st->hold_at[warp] = hd_now(st->ctx) + st->hold_after;
		hd_wake(st->ctx->self);
	}
	if (hd_warp_in(st->joined | st->opened, warp)) {
		st->again |= bit;
		st->next[warp] = id;
		return;
	}
	wait_at(st, warp, id);
}

/* Nothing of the warp is left for the next one of its slot; a barrier for so many threads keeps its arrival. */
static void leave(void *self, uint32_t warp)
{
	struct state *st = self;
	hd_warp_set bit = hd_warp_bit(warp);
	uint32_t cta = st->warps->cta[warp];

	st->joined &= ~bit;
	st->opened &= ~bit;
	st->again &= ~bit;
	st->to_hold &= ~bit;
	for (uint32_t id = 0; id < HD_NAMED_BARRIERS; id++) {
		st->at[id] &= ~bit;
		if (!st->threads[cta][id])
			st->arrived[id] &= ~bit;
		settle(st, warp, id);
		if (!(st->warps->cta_warps[cta] & ~st->warps->exited)) {
			st->arrived[id] &= ~st->warps->cta_warps[cta];
			st->threads[cta][id] = 0;
		}
	}
}

static void hold(struct state *st, uint32_t warp)
{
	hd_warp_block(st->warps, warp, HD_BLOCK_BARRIER);
	hd_warp_touch(st->warps, warp); /* it waits for something else now */
}

/* The barrier of the warp lets it go, unless it has come to the next one. */
static void let_go(struct state *st, uint32_t warp)
{
	hd_warp_set bit = hd_warp_bit(warp);

	st->opened &= ~bit;
	if (!(st->again & bit)) {
		hd_warp_unblock(st->warps, warp, HD_BLOCK_BARRIER);
		return;
	}
	st->again &= ~bit;
	wait_at(st, warp, st->next[warp]);
}

/* Takes the warps out of the set whose edge is now.  *next: the first edge of the others, if that is earlier. */
static hd_warp_set take_due(const struct state *st, hd_warp_set *set, const uint64_t *edge, uint64_t *next)
{
	hd_warp_set due = 0;

	for (hd_warp_set rest = *set; rest;) {
		uint32_t warp = hd_warp_pop(&rest);

		if (edge[warp] <= hd_now(st->ctx))
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
	hd_warp_set due = take_due(st, &st->to_hold, st->hold_at, &next) & (st->joined | st->opened), open;

	while (due)
		hold(st, hd_warp_pop(&due));
	open = st->opened;
	due = take_due(st, &open, st->open_at, &next);
	while (due)
		let_go(st, hd_warp_pop(&due));
	return next == UINT64_MAX ? HD_SLEEP : next - hd_now(st->ctx);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->barrier = (struct hd_barrier_if){ .self = st, .join = join, .leave = leave };
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, joined, open_at);
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
	  .flags = HD_PROVIDER_FIRST, .type = &hd_type_barrier_if, .offset = P(barrier) },
	{ .name = "warps", .doc = "warps of a CTA, and blocked warps", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "arrivals", .unit = "warps", .doc = "warps that arrived at the barrier",
	  .offset = P(arrivals) },
	{ .name = "releases", .unit = "barriers", .doc = "times that the last warp of a CTA arrived",
	  .offset = P(releases) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "joined", .offset = P(joined), .size = sizeof(hd_warp_set) },
	{ .name = "at", .offset = P(at), .size = sizeof(hd_warp_set) },
	{ .name = "arrived", .offset = P(arrived), .size = sizeof(hd_warp_set) },
	{ .name = "opened", .offset = P(opened), .size = sizeof(hd_warp_set) },
	{ .name = "again", .offset = P(again), .size = sizeof(hd_warp_set) },
	{ .name = "to_hold", .offset = P(to_hold), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_ARRIVE] = { .name = "arrive", .doc = "a warp arrived at its barrier", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	} },
	[EVENT_OPEN] = { .name = "open", .doc = "all warps have arrived, or ended", .fields = {
		{ "cta", "", "CTA slot" },
		{ "warps", "warps", "that waited" },
	} },
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
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

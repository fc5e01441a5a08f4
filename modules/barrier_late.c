/* barrier_late.c - the CTA barrier as it is measured: it holds a warp some cycles after its issue
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Barrier.  Both delays are constant, so what is due stands in rings in the order of
 * time.
 */
#include <heddle/gpu/sync.h>
#include <heddle/gpu/warps.h>

struct due {
	hd_warp_set warps;
	uint64_t edge;
};

/* At most one for each warp. */
struct ring {
	struct due v[HD_MAX_WARPS];
	uint32_t head, count;
};

struct state {
	struct hd_barrier_if barrier;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	uint32_t hold_after, open_after, open_distance;
	hd_warp_set joined; /* warps that wait for others */
	hd_warp_set opened; /* their barrier is open, and they are not free yet */
	hd_warp_set again;  /* they have come to the next one before this one held them */
	hd_warp_set to_hold; /* in `holds` */
	struct ring holds, opens;
	uint64_t arrivals, releases;
};

enum { EVENT_ARRIVE, EVENT_OPEN };

/* In the order of their edges. */
static void push(struct state *st, struct ring *r, hd_warp_set warps, uint32_t edges)
{
	uint64_t edge = hd_now(st->ctx) + edges;
	uint32_t at = r->head + r->count++;

	for (; at > r->head && r->v[(at - 1) % HD_MAX_WARPS].edge > edge; at--)
		r->v[at % HD_MAX_WARPS] = r->v[(at - 1) % HD_MAX_WARPS];
	r->v[at % HD_MAX_WARPS] = (struct due){ warps, edge };
	hd_wake(st->ctx->self);
}

/* The warps of what is due next, if it is due; else none. */
static hd_warp_set pop(const struct state *st, struct ring *r)
{
	hd_warp_set warps = r->v[r->head].warps;

	if (r->count == 0 || r->v[r->head].edge > hd_now(st->ctx))
		return 0;
	r->head = (r->head + 1) % HD_MAX_WARPS;
	r->count--;
	return warps;
}

/* Releases the warp's CTA if all its warps that have not ended have arrived. */
static void settle(struct state *st, uint32_t warp)
{
	struct hd_warps *w = st->warps;
	hd_warp_set cta = w->cta_warps[w->cta[warp]];
	hd_warp_set here = st->joined & cta;

	if (here == 0 || here != (cta & ~w->exited))
		return;
	st->joined &= ~here;
	st->releases++;
	hd_emit(st->ctx, EVENT_OPEN, w->cta[warp], hd_warp_count(here));
	st->opened |= here;
	for (uint32_t edges = st->open_after; here; edges += st->open_distance)
		push(st, &st->opens, hd_warp_bit(hd_warp_pop(&here)), edges);
}

static void join(void *self, uint32_t warp)
{
	struct state *st = self;

	if (hd_warp_in(st->joined | st->opened, warp))
		st->again |= hd_warp_bit(warp);
	else
		st->joined |= hd_warp_bit(warp);
	st->arrivals++;
	hd_emit(st->ctx, EVENT_ARRIVE, st->warps->cta[warp], warp);
	if (!hd_warp_in(st->to_hold, warp))
		push(st, &st->holds, hd_warp_bit(warp), st->hold_after);
	st->to_hold |= hd_warp_bit(warp);
	settle(st, warp);
}

static void leave(void *self, uint32_t warp)
{
	settle(self, warp);
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
	st->joined |= bit;
	settle(st, warp);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next = UINT64_MAX;
	hd_warp_set set;

	while ((set = pop(st, &st->holds)) != 0) {
		st->to_hold &= ~set;
		if (set & (st->joined | st->opened))
			hold(st, hd_warp_first(set));
	}
	while ((set = pop(st, &st->opens)) != 0)
		let_go(st, hd_warp_first(set));
	if (st->holds.count)
		next = st->holds.v[st->holds.head].edge;
	if (st->opens.count && st->opens.v[st->opens.head].edge < next)
		next = st->opens.v[st->opens.head].edge;
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

	HD_SAVED_FROM(k, st, joined, opens);
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
	.doc = "CTA barrier that holds a warp, and lets it go, some cycles after",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.checkpoint = checkpoint,
};

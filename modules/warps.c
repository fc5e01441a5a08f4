/* warps.c - hardware warp slots and CTA slots of one SM: state shared by the stages
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Warp state and K4.  Gates the SM's clocks: an SM without a CTA has no edges.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_warps w;
	struct hd_ctx *ctx;
	uint32_t slots, sm, sms, order;
	hd_warp_set cta_left[HD_MAX_WARPS]; /* by CTA slot: warps not yet retired */
	uint64_t launched;               /* warps so far; the next dynamic warp id */
	uint64_t ctas;
	uint32_t resident;               /* warps that are not retired */
	uint64_t counted;                /* edge up to which the following are counted */
	uint64_t kept, kept_from, kept_sum; /* pipeline_lanes(): in each cycle since that one, and before it */
	uint64_t warp_cycles, slot_cycles;   /* slot_cycles: `slots` for each cycle with a warp */
};

enum { EVENT_CTA, EVENT_CTA_END };
enum { ORDER_RISING, ORDER_FALLING };

/* Counts the edges since the last change, up to the present one without it: a warp that is placed
 * behind the stages is resident from the next edge on, one that is retired was until the last. */
static void count_residents(struct state *st, uint64_t until)
{
	if (until <= st->counted)
		return;
	if (st->resident > 0) {
		st->warp_cycles += st->resident * (until - st->counted);
		st->slot_cycles += st->slots * (until - st->counted);
	}
	st->counted = until;
}

/* Does a stage have to know for which warp it counts a slot? */
static bool counts_by_warp(const struct state *st)
{
	return st->ctx->parts || st->ctx->observed;
}

/* Slots of schedulers without a warp belong to that kernel from now on. */
static void set_oldest(struct hd_warps *w, uint32_t kernel)
{
	if (kernel == w->oldest_kernel)
		return;
	w->oldest_kernel = kernel;
	for (uint32_t i = 0; i < w->count; i++)
		hd_wake(w->scheduler[i]);
}

/* A CTA went, and others may be of several kernels.  One that comes is the youngest. */
static void find_oldest(struct hd_warps *w)
{
	hd_warp_set set = 0;

	for (uint32_t slot = 0; slot < w->count; slot++)
		set |= w->cta_warps[slot];
	if (set)
		set_oldest(w, w->kernel[hd_warps_oldest(w, set)]);
}

static void launch_kernel(void *self, uint32_t number)
{
	struct state *st = self;

	if (st->w.cta_count == 0 && counts_by_warp(st))
		set_oldest(&st->w, number);
}

/* The present edge; 0 without a clock. */
static uint64_t edge(const struct state *st)
{
	return st->ctx->rate ? hd_now(st->ctx) : 0;
}

/* What has completed in the cycle before the last one with a CTA counts again in each cycle without any. */
static void keep_lanes(struct state *st)
{
	const struct hd_warps *w = &st->w;

	st->kept = w->done_at == edge(st) ? w->done_before : w->done_at + 1 == edge(st) ? w->done : 0;
	st->kept_from = w->cycle ? *w->cycle : 0;
}

static void drop_lanes(struct state *st)
{
	st->kept_sum += st->kept * (st->w.cycle ? *st->w.cycle - st->kept_from : 0);
	st->kept = 0;
}

static void launch_cta(void *self, uint32_t slot, uint32_t first)
{
	struct state *st = self;
	struct hd_warps *w = &st->w;
	uint32_t left = w->launch->threads, n = w->launch->warps;
	hd_warp_set set = hd_warp_range(first, n);

	for (uint32_t i = first; i < first + n; i++)
		hd_slot_taken(st->ctx, i);
	count_residents(st, edge(st) + 1);
	st->resident += n;
	w->cta_warps[slot] = st->cta_left[slot] = set;
	w->exited &= ~set;
	w->retired &= ~set;
	w->changed |= set;
	w->fresh |= set;
	for (uint32_t i = first; i < first + n; i++) {
		uint32_t here = left < HD_LANES ? left : HD_LANES;

		w->lanes[i] = (uint32_t)hd_bits_below(here);
		w->age[i] = st->launched + (st->order == ORDER_RISING ? i - first : first + n - 1 - i);
		w->launched_at[i] = w->cycle ? *w->cycle : 0;
		w->cta[i] = slot;
		w->kernel[i] = w->launch->number;
		w->stored[i] = 0;
		w->shared_at[i] = 0;
		w->issued[i] = 0;
		left -= here;
		hd_wake(w->scheduler[i]);
	}
	hd_for_part(st->ctx, w->launch->number);
	st->launched += n;
	if (w->cta_count == 0)
		set_oldest(w, w->launch->number);
	if (w->cta_count++ == 0) {
		drop_lanes(st);
		hd_gate(st->ctx, true);
	}
	if (HD_UNLIKELY(w->posted))
		hd_warps_ending(w);
	hd_emit(st->ctx, EVENT_CTA, slot, first, n, w->launch->number, (int64_t)st->ctas);
	st->ctas++;
	hd_warp_fetchable(w);
}

static void retire(void *self, uint32_t warp)
{
	struct state *st = self;
	struct hd_warps *w = &st->w;
	uint32_t slot = w->cta[warp];

	count_residents(st, edge(st));
	st->resident--;
	w->retired |= hd_warp_bit(warp);
	w->drained &= ~hd_warp_bit(warp);
	if (HD_UNLIKELY(counts_by_warp(st)))
		hd_wake(w->scheduler[warp]); /* its reason to wait is another one now */
	st->cta_left[slot] &= ~hd_warp_bit(warp);
	if (st->cta_left[slot] != 0)
		return;
	w->cta_issued[slot] = 0;
	for (hd_warp_set set = st->ctx->parts ? w->cta_warps[slot] : 0; set;)
		w->cta_issued[slot] += w->issued[hd_warp_pop(&set)];
	w->cta_warps[slot] = 0;
	if (st->ctx->parts)
		find_oldest(w);
	hd_emit(st->ctx, EVENT_CTA_END, slot);
	if (hd_warps_cta_ended(w, w->cycle ? *w->cycle : 0) == 0) {
		if (st->ctx->active)
			keep_lanes(st);
		hd_gate(st->ctx, false);
	}
	hd_wake_apart(st->ctx, w->dispatch);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	struct hd_warps *w = &st->w;

	st->ctx = ctx;
	w->self = st;
	w->ctx = ctx;
	w->active = ctx->active;
	w->cycle = ctx->rate ? ctx->cycle : NULL;
	w->count = st->slots;
	w->holds = HD_BLOCKS;
	w->exited = w->retired = HD_ALL_WARPS;
	w->sm = st->sm;
	w->sms = st->sms;
	w->launch_kernel = launch_kernel;
	w->launch_cta = launch_cta;
	w->retire = retire;
	for (uint32_t i = 0; i < HD_MAX_WARPS; i++) {
		w->scheduler[i] = ctx->self; /* until an issue stage takes the slot */
		w->cluster[i] = (struct hd_cta_cluster){ .size = 1, .slot = { (uint8_t)i } };
	}
	w->fetch = w->dispatch = w->unclaimed = ctx->self;
	if (st->sm >= st->sms)
		return hd_error(ctx, "'sm' is %u; expected less than 'sms', which is %u", st->sm,
		                st->sms);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	static const char *const why[HD_BLOCKS] = { "the CTA barrier", "a memory fence",
		"responses to atomics", "asynchronous copies", "a unit", "an mbarrier", "products of matrices" };
	const struct hd_warps *w = &((const struct state *)state)->w;

	for (uint32_t i = 0; i < w->count; i++) {
		if (hd_warp_in(w->retired, i))
			continue;
		for (uint32_t b = 0; b < w->holds; b++)
			if (hd_warp_in(w->blocked_by[b], i))
				hd_report_pending(h, "warp %u waits for %s", i, b < HD_BLOCKS ? why[b]
				                  : hd_symbol_name(w->ctx, "hold", w->hold[b - HD_BLOCKS]));
		if (hd_warp_in(w->exited, i))
			hd_report_pending(h, "warp %u has ended and waits for %u instructions and %u stores", i,
			         w->in_pipeline[i], w->stores[i]);
		else
			hd_report_pending(h, "warp %u has %u lanes left and %u instructions in the pipeline", i,
			         hd_bits_count(w->lanes[i]), w->in_pipeline[i]);
	}
}

/* Counted up to the present edge. */
static uint64_t resident_cycles(const void *state)
{
	const struct state *st = state;
	uint64_t until = edge(st) + 1;

	return st->slot_cycles / st->slots + (st->resident && until > st->counted ? until - st->counted : 0);
}

/* What completes in a cycle counts in the next one with a CTA. */
static uint64_t pipeline_lanes(const void *state)
{
	const struct state *st = state;
	const struct hd_warps *w = &st->w;

	return w->completed - (w->done_at == edge(st) ? w->done : 0) + st->kept_sum
	       + st->kept * (w->cycle ? *w->cycle - st->kept_from : 0);
}

/* A run that was stopped has warps that are still there. */
static void end(void *state)
{
	count_residents(state, edge(state) + 1);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, &st->w, max_cta, completed);
	HD_SAVED_FROM(k, st, cta_left, slot_cycles);
}

#define P(f) offsetof(struct state, f)

/* In the order of ORDER_RISING, ORDER_FALLING. */
static const char *const orders[] = { "rising", "falling", NULL };

static const struct hd_param params[] = {
	{ .name = "slots", .unit = "warps", .doc = "hardware warp slots of the SM", .type = HD_U32,
	  .offset = P(slots), .def = "64", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "order", .unit = "", .doc = "in which the warps of a CTA are launched: with rising or "
	  "falling numbers; later ones are younger", .type = HD_CHOICE, .offset = P(order),
	  .def = "\"rising\"", .choices = orders },
	{ .name = "posted", .unit = "", .doc = "a warp that has ended leaves before its stores are "
	  "acknowledged, unless its CTA is the last one on the SM, which waits for all of them",
	  .type = HD_BOOL, .offset = P(w.posted), .def = "false" },
	{ .name = "sm", .unit = "", .doc = "number of this SM in the GPU", .type = HD_U32,
	  .offset = P(sm), .def = "0", .min = 0, .max = 65535 },
	{ .name = "sms", .unit = "", .doc = "SMs in the GPU", .type = HD_U32, .offset = P(sms),
	  .def = "1", .min = 1, .max = 65536 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "state", .doc = "for the stages of the pipeline", .kind = HD_PROVIDES,
	  .type = &hd_type_warps, .offset = P(w), .phase = 0 },
	{ .name = "launch", .doc = "for the dispatcher, after all stages", .kind = HD_PROVIDES,
	  .type = &hd_type_warps, .offset = P(w), .phase = 1 },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "warps_launched", .unit = "warps", .doc = "warps placed on this SM",
	  .offset = P(launched), .part = true },
	{ .name = "ctas_launched", .unit = "CTAs", .doc = "thread blocks placed on this SM",
	  .offset = P(ctas), .total = "thread_blocks", .part = true },
	{ .name = "completed", .unit = "thread instructions",
	  .doc = "active lanes of completed instructions; an asynchronous copy that misses counts "
	         "twice, as in the reference",
	  .offset = P(w.completed), .total = "thread_instructions", .part = true },
	{ .name = "warp_cycles", .unit = "cycles", .doc = "cycles that warps were on this SM, all of them "
	  "together; counted when some come or go, and at the end", .offset = P(warp_cycles) },
	{ .name = "slot_cycles", .unit = "cycles", .doc = "the same if all slots had been taken while any "
	  "was", .offset = P(slot_cycles) },
	{ .name = "occupancy", .unit = "share", .doc = "of the warp slots that were taken on average while "
	  "any was", .offset = P(warp_cycles), .of = "slot_cycles" },
	{ .name = NULL },
};

static const struct hd_activity activity[] = {
	{ .name = "resident_cycles", .unit = "cycles", .doc = "cycles in which any warp was on this SM",
	  .now = resident_cycles },
	{ .name = "pipeline_lanes", .unit = "lanes", .doc = "active lanes of completed instructions, a cycle later; "
	  "without a CTA in each cycle those of its last one, as in the reference", .now = pipeline_lanes },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "blocked", .offset = P(w.blocked), .size = sizeof(hd_warp_set) },
	{ .name = "missing", .offset = P(w.missing), .size = sizeof(hd_warp_set) },
	{ .name = "fresh", .offset = P(w.fresh), .size = sizeof(hd_warp_set) },
	{ .name = "flushed", .offset = P(w.flushed), .size = sizeof(hd_warp_set) },
	{ .name = "drained", .offset = P(w.drained), .size = sizeof(hd_warp_set) },
	{ .name = "lanes", .offset = P(w.lanes), .size = sizeof(uint32_t), .array = true },
	{ .name = "in_pipeline", .offset = P(w.in_pipeline), .size = sizeof(uint32_t), .array = true },
	{ .name = "stores", .offset = P(w.stores), .size = sizeof(uint32_t), .array = true },
	{ .name = "atomics", .offset = P(w.atomics), .size = sizeof(uint32_t), .array = true },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_CTA] = { .name = "cta", .doc = "a CTA was placed", .fields = {
		{ "slot", "", "CTA slot" },
		{ "first", "", "its first hardware warp slot; the others follow" },
		{ "warps", "warps", "of the CTA" },
		{ "kernel", "", "position of its launch in the list", "kernel" },
		{ "number", "", "CTAs placed on this SM before" },
	} },
	[EVENT_CTA_END] = { .name = "cta_end", .doc = "the last warp of a CTA was retired",
	                    .fields = { { "slot", "", "CTA slot" } } },
	{ .name = NULL },
};

const struct hd_module hd_module_warps = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "warps",
	.doc = "hardware warp and CTA slots of one SM: state shared by all its stages",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.report_pending = report_pending,
	.end = end,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
	.activity = activity,
};

/* register_pool.c - registers that warps of a CTA give back, and that others take (USETMAXREG)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md, RA1 to RA5.  Code tries in a loop; here the first attempt holds its warp until there are enough.
 */
#include <heddle/gpu/matrix.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>

#define STEP 8u /* registers of a thread come in such steps */

struct state {
	struct hd_async_if face;
	struct hd_ctx *ctx;
	struct hd_warps *warps;
	uint32_t latency, least, most, why; /* why: the name of the hold */
	uint64_t owner[HD_MAX_WARPS];  /* by CTA slot: 1 + the age of its first warp */
	uint64_t pool[HD_MAX_WARPS];   /* by CTA slot: registers that warps have given back */
	uint32_t has[HD_MAX_WARPS];    /* by warp slot: registers of a thread, */
	uint32_t needs[HD_MAX_WARPS];  /* those that it waits for, */
	uint32_t pc[HD_MAX_WARPS];     /* at which instruction, */
	uint64_t since[HD_MAX_WARPS], goes_on[HD_MAX_WARPS];
	hd_warp_set waiting, taking;   /* taking: they have them, and go on later */
	uint64_t given, taken, waits, wait_cycles;
};

enum { EVENT_GIVE, EVENT_TAKE };

static void wrong(const struct state *st, uint32_t warp, uint32_t pc, const char *what, uint32_t n)
{
	const struct hd_warps *w = st->warps;

	hd_error(st->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32 ": %u registers: %s",
	         w->kernel[warp], w->block[w->cta[warp]], hd_warp_in_cta(w, warp), pc, n, what);
}

/* At the first instruction of a CTA its warps have what they were launched with, and its pool is empty. */
static void look_at_cta(struct state *st, uint32_t slot)
{
	hd_warp_set set = st->warps->cta_warps[slot];
	uint64_t owner = st->warps->age[hd_warp_first(set)] + 1;

	if (st->owner[slot] == owner)
		return;
	st->owner[slot] = owner;
	st->pool[slot] = 0;
	while (set)
		st->has[hd_warp_pop(&set)] = (st->warps->launch->nregs + STEP - 1) / STEP * STEP;
}

static void take(struct state *st, uint32_t warp)
{
	uint64_t now = hd_now(st->ctx);

	st->pool[st->warps->cta[warp]] -= (uint64_t)(st->needs[warp] - st->has[warp]) * HD_LANES;
	st->taken += (uint64_t)(st->needs[warp] - st->has[warp]) * HD_LANES;
	st->has[warp] = st->needs[warp];
	st->waiting &= ~hd_warp_bit(warp);
	st->taking |= hd_warp_bit(warp);
	st->wait_cycles += now - st->since[warp];
	st->goes_on[warp] = now + st->latency;
	hd_emit(st->ctx, EVENT_TAKE, warp, st->has[warp], (int64_t)(now - st->since[warp]));
}

static bool is_enough(const struct state *st, uint32_t warp)
{
	return (uint64_t)(st->needs[warp] - st->has[warp]) * HD_LANES <= st->pool[st->warps->cta[warp]];
}

/* RA4: do those that could still be given back suffice?  A warp that waits, too, gives some when it has been served,
 * one that has ended none. */
static bool can_succeed(const struct state *st, uint32_t warp)
{
	uint32_t slot = st->warps->cta[warp];
	uint64_t all = st->pool[slot];

	for (hd_warp_set left = st->warps->cta_warps[slot] & ~st->warps->exited, before = 0; left != before;) {
		before = left;
		for (hd_warp_set set = left; set;) {
			uint32_t other = hd_warp_pop(&set);

			if (hd_warp_in(st->waiting, other)
			    && (uint64_t)(st->needs[other] - st->has[other]) * HD_LANES > all)
				continue;
			if (other == warp)
				return true;
			all += st->has[other] > st->least ? (uint64_t)(st->has[other] - st->least) * HD_LANES : 0;
			left &= ~hd_warp_bit(other);
		}
	}
	return false;
}

static void give(struct state *st, uint32_t warp, uint32_t pc, uint32_t n)
{
	uint32_t slot = st->warps->cta[warp];

	if (n > st->has[warp]) {
		wrong(st, warp, pc, "the warp has fewer and gives none back", n);
		return;
	}
	st->pool[slot] += (uint64_t)(st->has[warp] - n) * HD_LANES;
	st->given += (uint64_t)(st->has[warp] - n) * HD_LANES;
	st->has[warp] = n;
	hd_emit(st->ctx, EVENT_GIVE, warp, n);
	hd_wake(st->ctx->self);
}

static void ask(struct state *st, uint32_t warp, uint32_t pc, uint32_t n)
{
	if (n < st->has[warp]) {
		wrong(st, warp, pc, "the warp has more and takes none", n);
		return;
	}
	st->needs[warp] = n;
	st->pc[warp] = pc;
	st->since[warp] = hd_now(st->ctx);
	st->waiting |= hd_warp_bit(warp);
	hd_warp_block(st->warps, warp, st->why);
	hd_wake(st->ctx->self);
	st->waits += !is_enough(st, warp);
}

static void issued(void *self, const struct hd_inst *inst)
{
	struct state *st = self;
	uint32_t warp = inst->warp, n = inst->async.n;
	bool gives = inst->async.op == HD_ASYNC_REGISTERS_GIVE;

	if (!inst->mask || !st->warps->launch->nregs || hd_warp_in(st->warps->exited, warp))
		return;
	look_at_cta(st, st->warps->cta[warp]);
	if (n < st->least || n > st->most || n % STEP)
		wrong(st, warp, inst->pc, "no number of registers of a thread; expected a multiple of 8 in the range "
		        "of 'least' and 'most'", n);
	else if (gives)
		give(st, warp, inst->pc, n);
	else
		ask(st, warp, inst->pc, n);
}

/* What others wait for it does not give back any more (RA4). */
static void ended(void *self, uint32_t warp)
{
	struct state *st = self;

	if (st->waiting & st->warps->cta_warps[st->warps->cta[warp]])
		hd_wake(st->ctx->self);
}

/* Of warps that wait those with lower slots are served first. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next = UINT64_MAX;

	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (is_enough(st, warp))
			take(st, warp);
	}
	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (!can_succeed(st, warp)) {
			wrong(st, warp, st->pc[warp], "the other warps of the block cannot give back as many, so the "
			        "wait never ends", st->needs[warp]);
			return HD_SLEEP;
		}
	}
	for (hd_warp_set set = st->taking; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (st->goes_on[warp] > now) {
			next = st->goes_on[warp] < next ? st->goes_on[warp] : next;
			continue;
		}
		st->taking &= ~hd_warp_bit(warp);
		hd_warp_unblock(st->warps, warp, st->why);
	}
	return next == UINT64_MAX ? HD_SLEEP : next - now;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->face = (struct hd_async_if){ .self = st, .ops = HD_ASYNC_REGISTERS_OPS, .issued = issued,
		.ended = ended };
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	st->why = hd_warps_name_hold(st->ctx, st->warps, "registers");
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	const struct hd_warps *w = st->warps;

	for (hd_warp_set set = st->waiting; set;) {
		uint32_t warp = hd_warp_pop(&set);

		hd_report_pending(h, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
		                  " waits for %u registers; it has %u, and %" PRIu64 " are free for its 32 threads",
		                  w->kernel[warp], w->block[w->cta[warp]], hd_warp_in_cta(w, warp), st->pc[warp],
		                  st->needs[warp], st->has[warp], st->pool[w->cta[warp]]);
	}
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, owner, taking);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "latency", .unit = "cycles", .doc = "from where there are enough registers until the warp goes on",
	  .type = HD_U32, .offset = P(latency), .def = "20", .min = 1, .max = 1024 },
	{ .name = "least", .unit = "registers", .doc = "that a thread keeps", .type = HD_U32, .offset = P(least),
	  .def = "24", .min = 8, .max = 256 },
	{ .name = "most", .unit = "registers", .doc = "that a thread has", .type = HD_U32, .offset = P(most),
	  .def = "256", .min = 8, .max = 1024 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "async", .doc = "for the issue stages", .kind = HD_PROVIDES,
	  .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_async_if,
	  .offset = P(face) },
	{ .name = "warps", .doc = "their CTAs, and warps that wait", .kind = HD_USES, .type = &hd_type_warps,
	  .offset = P(warps) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "given", .unit = "registers", .doc = "that warps gave back", .offset = P(given) },
	{ .name = "taken", .unit = "registers", .doc = "that warps took", .offset = P(taken) },
	{ .name = "waits", .unit = "warp instructions", .doc = "that had to wait for them", .offset = P(waits) },
	{ .name = "wait_cycles", .unit = "cycles", .doc = "for which they did, all together",
	  .offset = P(wait_cycles) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_GIVE] = { .name = "give", .doc = "a warp gives registers back", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "registers", "registers", "of a thread that it keeps" } } },
	[EVENT_TAKE] = { .name = "take", .doc = "a warp takes registers", .fields = {
		{ "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
		{ "registers", "registers", "that a thread has then" }, { "cycles", "cycles",
		  "for which it waited" } } },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "waiting", .offset = P(waiting), .size = sizeof(hd_warp_set) },
	{ .name = "taking", .offset = P(taking), .size = sizeof(hd_warp_set) },
	{ .name = NULL },
};

const struct hd_module hd_module_register_pool = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "register_pool",
	.doc = "registers that warps of a CTA give back, and that others take",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

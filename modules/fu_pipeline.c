/* fu_pipeline.c - a pipelined function unit: SP, DP, INT, SFU, tensor, branch, texture, uniform
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Function units.  With latency L and initiation interval II, an instruction accepted
 * at edge a leaves the dispatch latch at a+II, is done at a+L and is put at a+L+1.  Instead of
 * shifting stages the unit keeps the edge at which each instruction leaves; two in one stage would
 * leave at the same edge.  All that is known when an instruction is accepted.
 */
#include <heddle/interface/regfile.h>
#include <heddle/payload/inst.h>

struct timing {
	uint64_t classes;
	uint32_t latency, initiation;
};

struct stage {
	uint64_t leaves; /* edge at which it is put */
	hd_inst_ref inst;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	const struct hd_result_bus_if *bus;
	struct hd_pool *pool;
	struct hd_table timing;
	uint64_t latch_free;   /* edge from which the dispatch latch is free */
	struct stage *stages;  /* ring, in the order in which they leave */
	uint32_t head, count, mask;
	uint64_t first;        /* edge at which the next one leaves; NEVER: the unit is empty */
	uint64_t *done_at;     /* ring by edge: the edge, if an instruction will be done then */
	uint32_t done_mask;
	uint32_t refused;      /* why the last instruction was not accepted */
	uint64_t accepted, busy, bus_waits;
	uint16_t latency[64], initiation[64]; /* by class; 0: not taken */
};

#define NEVER UINT64_MAX

enum { PORT_IN, PORT_OUT, PORT_BUS };
enum { REASON_INITIATION, REASON_STAGE, REASON_BUS };

static struct stage *stage(struct state *st, uint32_t i)
{
	return &st->stages[(st->head + i) & st->mask];
}

/* Puts finished instructions.  A full output delays everything behind it by one edge, including the
 * dispatch latch: nothing can enter, so the ring stays long enough. */
static inline void put_done(struct state *st, uint64_t now)
{
	do {
		if (HD_UNLIKELY(hd_room(&st->out) == 0)) {
			for (uint32_t i = 0; i < st->count; i++)
				stage(st, i)->leaves++;
			st->first++;
			if (st->latch_free > now)
				st->latch_free++;
			return;
		}
		hd_put(&st->out, &stage(st, 0)->inst, sizeof(hd_inst_ref));
		st->head = (st->head + 1) & st->mask;
		st->first = --st->count ? stage(st, 0)->leaves : NEVER;
	} while (st->first <= now);
}

/* Into the dispatch latch and, at edge `enters`, from there into the pipeline: later if the stage
 * is taken then.  `drain`: edges from there to the end. */
static inline void enter(struct state *st, hd_inst_ref ref, uint64_t enters, uint32_t drain)
{
	uint64_t leaves = enters + drain;
	uint32_t i = st->count;

	if (HD_LIKELY(i == 0)) {
		st->count = 1;
		st->stages[st->head] = (struct stage){ leaves, ref };
		st->first = leaves;
		st->latch_free = enters;
		return;
	}
	while (i > 0 && stage(st, i - 1)->leaves > leaves)
		i--;
	if (i > 0 && stage(st, i - 1)->leaves == leaves) { /* and those right behind it */
		for (i--; i < st->count && stage(st, i)->leaves == leaves; i++)
			leaves++;
	}
	for (uint32_t k = st->count; k > i; k--)
		*stage(st, k) = *stage(st, k - 1);
	st->count++;
	*stage(st, i) = (struct stage){ leaves, ref };
	st->first = stage(st, 0)->leaves;
	st->latch_free = leaves - drain;
}

static inline bool accept(struct state *st, uint64_t *slots, uint64_t now)
{
	unsigned slot = hd_inst_oldest(st->pool, &st->in, *slots);
	hd_inst_ref ref = hd_inst_in(&st->in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint32_t latency = st->latency[inst->cls], initiation = st->initiation[inst->cls];
	uint64_t *done = &st->done_at[(now + latency) & st->done_mask];

	if (latency == 0) {
		hd_error(st->ctx, "unexpected class '%s'; expected a row of \"timing\" for it",
		         hd_symbol_name(st->ctx, "class", inst->cls));
		return false;
	}
	if (*done == now + latency) { /* another one of this unit will be done then */
		st->refused = REASON_STAGE;
		return false;
	}
	if (st->bus && !st->bus->reserve(st->bus->self, latency)) {
		st->refused = REASON_BUS;
		st->bus_waits++;
		return false;
	}
	*done = now + latency;
	if (inst->rate > 1)
		initiation = initiation / inst->rate > 1 ? initiation / inst->rate : 1;
	hd_slot_take(&st->in, slot);
	*slots &= ~hd_bit(slot);
	enter(st, ref, now + initiation, (latency > initiation ? latency - initiation : 0) + 1);
	st->accepted++;
	st->busy += initiation;
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx), next, slots;

	if (st->first <= now)
		put_done(st, now);
	slots = hd_slots_full(&st->in);
	if (slots && st->latch_free <= now && !accept(st, &slots, now))
		return HD_NEXT; /* refused: try again */
	next = st->first;
	if (slots && st->latch_free < next)
		next = st->latch_free;
	return next == NEVER ? HD_SLEEP : next - now;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	const struct timing *t = st->timing.rows;
	uint32_t longest = 1, n = 1, d = 1;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	for (uint32_t i = 0; i < st->timing.n; i++) {
		for (uint64_t c = t[i].classes; c;) {
			unsigned k = hd_bits_pop(&c);

			if (st->latency[k])
				return hd_error(ctx, "two rows of \"timing\" name class '%s'; expected one",
				                hd_symbol_name(ctx, "class", k));
			st->latency[k] = (uint16_t)t[i].latency;
			st->initiation[k] = (uint16_t)t[i].initiation;
		}
		if (t[i].latency > longest)
			longest = t[i].latency;
		if (t[i].initiation > longest)
			longest = t[i].initiation;
	}
	st->first = NEVER;
	/* no two leave at one edge, so at most this many are inside */
	while (n < 2 * longest + 2)
		n *= 2;
	while (d < longest + 1)
		d *= 2;
	st->mask = n - 1;
	st->done_mask = d - 1;
	st->stages = hd_memory(ctx, n, sizeof *st->stages);
	st->done_at = hd_memory(ctx, d, sizeof *st->done_at);
	return st->stages && st->done_at ? 0 : hd_error(ctx, "out of memory");
}

static int start(void *state)
{
	struct state *st = state;
	const struct timing *t = st->timing.rows;

	for (uint32_t i = 0; st->bus && i < st->timing.n; i++)
		if (t[i].latency > st->bus->max_ahead)
			return hd_error(st->ctx, "latency %u exceeds the result bus's 'horizon', which is "
			                "%u", t[i].latency, st->bus->max_ahead);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->count)
		hd_report_pending(h, "%u instructions in the unit", st->count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->latch_free);
	hd_saved(k, st->stages, (st->mask + (size_t)1) * sizeof *st->stages);
	HD_SAVED_FROM(k, st, head, count);
	HD_SAVED(k, st->first);
	hd_saved(k, st->done_at, (st->done_mask + (size_t)1) * sizeof *st->done_at);
	HD_SAVED(k, st->refused);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param columns[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that this row is for",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct timing, classes), .min = 1,
	  .max = 64 },
	{ .name = "latency", .unit = "cycles", .doc = "from acceptance to the result",
	  .type = HD_U32, .offset = offsetof(struct timing, latency), .min = 1, .max = 32768 },
	{ .name = "initiation", .unit = "cycles", .doc = "initiation interval: between two "
	  "acceptances", .type = HD_U32, .offset = offsetof(struct timing, initiation), .min = 1,
	  .max = 32768 },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "timing", .unit = "", .doc = "latency of each class", .type = HD_TABLE,
	  .offset = P(timing), .min = 1, .max = 64, .columns = columns,
	  .row_size = sizeof(struct timing) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_IN] = { .name = "in", .doc = "register set in front of the unit; the oldest instruction in the "
	  "unit's own slots is taken", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst,
	  .offset = P(in) },
	[PORT_OUT] = { .name = "out", .doc = "results, to writeback", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(out) },
	[PORT_BUS] = { .name = "bus", .doc = "result buses; open: results never wait for one", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_result_bus_if, .offset = P(bus) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "accepted", .unit = "warp instructions", .doc = "instructions accepted",
	  .offset = P(accepted) },
	{ .name = "busy", .unit = "cycles", .doc = "cycles in which the unit could take no other "
	  "instruction: the sum of the initiation intervals", .offset = P(busy),
	  .rate = "unit utilisation" },
	{ .name = "bus_waits", .unit = "cycles", .doc = "cycles in which an instruction waited for a "
	  "result bus", .offset = P(bus_waits) },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_INITIATION] = { "initiation", "the previous initiation interval is not over" },
	[REASON_STAGE] = { "stage", "another instruction of this unit finishes in the same cycle" },
	[REASON_BUS] = { "result_bus", "all result buses are taken in the cycle of its result" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;
	uint64_t now = hd_now(st->ctx);

	(void)port; /* there is one */
	(void)link;
	if (st->count && st->stages[st->head].leaves <= now + 1 && hd_room(&st->out) == 0)
		return (struct hd_answer){ .behind = &st->out };
	/* with something inside, room behind the unit counts from an edge on in which it may sleep */
	return (struct hd_answer){ .reason = st->latch_free > now ? REASON_INITIATION : st->refused,
		                   .holds = st->count == 0 };
}

const struct hd_module hd_module_fu_pipeline = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "fu_pipeline",
	.doc = "pipelined function unit; its kind is given by classes, latencies and intervals",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};

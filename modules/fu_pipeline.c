/* fu_pipeline.c - a pipelined function unit: SP, DP, INT, SFU, tensor, branch, texture, uniform
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Function units.  With latency L and initiation interval II, an instruction accepted
 * at edge a leaves the dispatch latch at a+II, is done at a+L and is put at a+L+1.  Instead of
 * shifting stages the unit keeps the edge at which each instruction leaves; two in one stage would
 * leave at the same edge.  All that is known when an instruction is accepted.
 */
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/inst.h>

struct timing {
	uint64_t classes;
	uint32_t latency, initiation;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_end in, out;
	const struct hd_result_bus_if *bus;
	struct hd_pool *pool;
	uint64_t latch_free;   /* edge from which the dispatch latch is free */
	uint64_t first;        /* edge at which the next one leaves; NEVER: the unit is empty */
	hd_inst_ref *inside;   /* ring by the edge at which they leave; 0: none */
	uint32_t count, mask;
	uint64_t *done_at;     /* ring by edge: the edge, if an instruction will be done then */
	uint32_t done_mask;
	uint32_t refused;      /* why the last instruction was not accepted */
	uint64_t accepted, busy, bus_waits;
	struct { uint16_t latency, initiation; } by_class[64]; /* 0: not taken */
	struct hd_table timing;
	uint64_t constant_loads;
	uint64_t instructions, *lanes; /* .lanes by power class; or NULL */
};

#define NEVER UINT64_MAX
#define SHORT 5u /* edges: evaluations without effect cost less than a timer for so few */

enum { REASON_INITIATION, REASON_STAGE, REASON_BUS };

/* The output is full: everything leaves one edge later. */
static __attribute__((noinline)) void hold_up(struct state *st, uint64_t now)
{
	hd_inst_ref last = st->inside[st->mask];

	memmove(st->inside + 1, st->inside, st->mask * sizeof *st->inside);
	st->inside[0] = last;
	st->first++;
	if (st->latch_free > now)
		st->latch_free++;
}

/* The next one leaves: finds the one after it. */
static inline void gone(struct state *st, hd_inst_ref *place)
{
	uint64_t first = st->first;
	uint32_t mask = st->mask;

	*place = 0;
	if (--st->count == 0) {
		st->first = NEVER;
		return;
	}
	do
		first++;
	while (!st->inside[first & mask]);
	st->first = first;
}

/* Puts finished instructions.  A full output delays everything behind it by one edge, including the
 * dispatch latch: nothing can enter, so the ring stays long enough. */
static void put_done(struct state *st, uint64_t now)
{
	while (st->first <= now) {
		hd_inst_ref *place = &st->inside[st->first & st->mask];

		if (hd_room(&st->out) == 0) {
			hold_up(st, now);
			return;
		}
		hd_put(&st->out, place, sizeof *place);
		gone(st, place);
	}
}

/* Into the dispatch latch and, at edge `enters`, from there into the pipeline: later if the stage
 * is taken then.  `drain`: edges from there to the end. */
static inline void enter(struct state *st, hd_inst_ref ref, uint64_t enters, uint32_t drain)
{
	uint64_t leaves = enters + drain;
	uint32_t mask = st->mask;

	while (HD_UNLIKELY(st->inside[leaves & mask] != 0)) /* and those right behind it */
		leaves++;
	st->inside[leaves & mask] = ref;
	st->count++;
	if (leaves < st->first)
		st->first = leaves;
	st->latch_free = leaves - drain;
}

/* The next evaluation, with these slots full. */
static inline uint64_t until_next(const struct state *st, uint64_t slots, uint64_t now)
{
	uint64_t next = st->first;

	if (slots && st->latch_free < next)
		next = st->latch_free;
	if (next - now <= SHORT)
		return HD_NEXT;
	return next == NEVER ? HD_SLEEP : next - now;
}

static __attribute__((noinline)) unsigned oldest(const struct state *st, uint64_t slots)
{
	return hd_inst_oldest(st->pool, &st->in, slots);
}

static inline unsigned choose(const struct state *st, uint64_t slots)
{
	return HD_LIKELY(!(slots & (slots - 1))) ? hd_bits_first(slots) : oldest(st, slots);
}

/* The oldest of the instructions in these slots enters, or is refused and tries again. */
static inline __attribute__((always_inline)) uint64_t enter_oldest(struct state *st, uint64_t slots, uint64_t now,
                                                                   bool active)
{
	unsigned slot = choose(st, slots);
	hd_inst_ref ref = hd_inst_in(&st->in, slot);
	const struct hd_inst *inst = hd_inst(st->pool, ref);
	uint32_t latency = st->by_class[inst->cls].latency, initiation = st->by_class[inst->cls].initiation;
	uint64_t *done = &st->done_at[(now + latency) & st->done_mask];

	if (HD_UNLIKELY(latency == 0)) {
		hd_error(st->ctx, "unexpected class '%s'; expected a row of \"timing\" for it",
		         hd_symbol_name(st->ctx, "class", inst->cls));
		return HD_NEXT;
	}
	if (*done == now + latency) { /* another one of this unit will be done then */
		st->refused = REASON_STAGE;
		return HD_NEXT;
	}
	if (st->bus && !hd_result_bus_reserve(st->bus, ref, latency)) {
		st->refused = REASON_BUS;
		st->bus_waits++;
		return HD_NEXT;
	}
	*done = now + latency;
	if (inst->rate > 1)
		initiation = initiation / inst->rate > 1 ? initiation / inst->rate : 1;
	hd_slot_take(&st->in, slot);
	enter(st, ref, now + initiation, (latency > initiation ? latency - initiation : 0) + 1);
	st->accepted++;
	st->busy += initiation;
	if (active) {
		st->constant_loads += inst->space == HD_SPACE_CONST;
		if (inst->power > 0) {
			st->lanes[inst->power - 1] += inst->nlanes;
			st->instructions++;
		}
	}
	return until_next(st, slots & ~hd_bit(slot), now);
}

static __attribute__((noinline)) uint64_t accept(struct state *st, uint64_t slots, uint64_t now)
{
	return enter_oldest(st, slots, now, false);
}

static __attribute__((noinline)) uint64_t accept_active(struct state *st, uint64_t slots, uint64_t now)
{
	return enter_oldest(st, slots, now, true);
}

/* Something enters, if it may. */
static inline __attribute__((always_inline)) uint64_t look(struct state *st, uint64_t slots, uint64_t now, bool active)
{
	if (slots && st->latch_free <= now)
		return active ? accept_active(st, slots, now) : accept(st, slots, now);
	return until_next(st, slots, now);
}

/* Where instructions show later than they are put.  Not inline, so that units at other inputs need fewer host
 * instructions. */
static __attribute__((noinline)) uint64_t look_late(struct state *st, uint64_t now)
{
	return look(st, hd_slots_arrived(&st->in), now, st->lanes != NULL);
}

/* With channels out of the ordinary. */
static __attribute__((noinline)) uint64_t eval_rarely(struct state *st, uint64_t now)
{
	put_done(st, now);
	return look(st, hd_slots_full(&st->in), now, st->lanes != NULL);
}

/* Calls nothing but what it ends with. */
static inline __attribute__((always_inline)) uint64_t evaluate(struct state *st, bool active)
{
	uint64_t now = hd_now(st->ctx);

	if (st->first <= now) {
		hd_inst_ref *place = &st->inside[st->first & st->mask];

		if (HD_UNLIKELY(!hd_try_put(&st->out, place, sizeof *place)))
			return eval_rarely(st, now);
		gone(st, place);
	}
	if (HD_UNLIKELY(st->first <= now))
		return eval_rarely(st, now);
	if (HD_UNLIKELY(hd_delays(&st->in)))
		return look_late(st, now);
	return look(st, hd_slots_full(&st->in), now, active);
}

static uint64_t eval(void *state)
{
	return evaluate(state, false);
}

static uint64_t eval_active(void *state)
{
	return evaluate(state, true);
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

			if (st->by_class[k].latency)
				return hd_error(ctx, "two rows of \"timing\" name class '%s'; expected one",
				                hd_symbol_name(ctx, "class", k));
			st->by_class[k].latency = (uint16_t)t[i].latency;
			st->by_class[k].initiation = (uint16_t)t[i].initiation;
		}
		if (t[i].latency > longest)
			longest = t[i].latency;
		if (t[i].initiation > longest)
			longest = t[i].initiation;
	}
	st->first = NEVER;
	/* one that is accepted leaves after longest + 1 edges at the latest: those before it entered and are to leave
	 * before, even if they were held up */
	while (n < longest + 3)
		n *= 2;
	while (d < longest + 1)
		d *= 2;
	st->mask = n - 1;
	st->done_mask = d - 1;
	st->inside = hd_memory(ctx, n, sizeof *st->inside);
	st->done_at = hd_memory(ctx, d, sizeof *st->done_at);
	if (ctx->active)
		st->lanes = hd_memory(ctx, HD_SYMBOLS_MAX, sizeof *st->lanes);
	return st->inside && st->done_at && (st->lanes || !ctx->active) ? 0 : hd_error(ctx, "out of memory");
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
	HD_SAVED(k, st->first);
	hd_saved(k, st->inside, (st->mask + (size_t)1) * sizeof *st->inside);
	HD_SAVED(k, st->count);
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
	{ .name = "in", .doc = "register set in front of the unit; the oldest instruction in the "
	  "unit's own slots is taken", .kind = HD_IN, .flags = HD_SLOTS, .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "out", .doc = "results, to writeback", .kind = HD_OUT, .type = &hd_type_inst,
	  .offset = P(out) },
	{ .name = "bus", .doc = "result buses; open: results never wait for one", .kind = HD_USES,
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

static const struct hd_activity activity[] = {
	{ .name = "constant_loads", .unit = "warp instructions", .doc = "accepted instructions that load constants",
	  .offset = P(constant_loads) },
	{ .name = "lanes", .unit = "lanes", .doc = "active lanes of accepted instructions of a power class of the "
	  "opcode tables", .offset = P(lanes), .kind = "power" },
	{ .name = "instructions", .unit = "warp instructions", .doc = "these instructions", .offset = P(instructions) },
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
	if (st->count && st->first <= now + 1 && hd_room(&st->out) == 0)
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
	.activity = activity,
	.eval_active = eval_active,
};

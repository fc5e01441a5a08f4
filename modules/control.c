/* control.c - control stage: raises dependence counters, hands instructions to their next stage
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Control stage.  It is evaluated before the issue stage, and raises the counters of
 * an instruction one edge after it took it: that is the rule "at the end of the cycle".
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/routes.h>

struct route {
	uint64_t classes;
	bool variable;
	uint32_t read;
};

/* An instruction that was handed on in the last edge, and whose sources are read then. */
struct reader {
	uint64_t uid;
	uint32_t edges;         /* until they are; 0: none, or the next stage tells */
	uint16_t warp, counter;
};

struct state {
	struct hd_ctx *ctx;
	struct hd_ends in, out;
	const struct hd_freeze *freeze;
	struct hd_counters *counters;
	struct hd_pool *pool;
	struct hd_raise raise;  /* what the last instruction that came here has to raise, if it `raises` */
	bool raises;
	struct reader reader;
	uint64_t last;          /* uid of the last instruction that came here */
	uint8_t route[64];
	uint64_t passed, frozen, full;
};

enum { REASON_FROZEN };

static const struct route *route_of(const struct state *st, uint32_t i)
{
	return st->out.v[i].attr;
}

static void raise_last(struct state *st)
{
	const struct reader *r = &st->reader;

	if (st->raises)
		st->counters->raise(st->counters->self, &st->raise);
	if (r->edges)
		st->counters->read(st->counters->self, r->warp, r->uid, r->counter, r->edges);
	st->raises = false;
	st->reader.edges = 0;
}

/* The instruction that was issued, or 0; *end and *slot: where it is. */
static inline hd_inst_ref front(const struct state *st, const struct hd_end **end, unsigned *slot)
{
	for (uint32_t i = 0; i < st->in.n; i++) {
		uint64_t full = hd_slots_full(&st->in.v[i]);

		if (!full)
			continue;
		*end = &st->in.v[i];
		*slot = hd_inst_oldest(st->pool, *end, full);
		return hd_inst_in(*end, *slot);
	}
	return 0;
}

/* The instruction that came last. */
static __attribute__((noinline)) const struct hd_inst *newest(const struct state *st, const struct hd_inst *front)
{
	const struct hd_inst *last = front;

	for (uint32_t i = 0; i < st->in.n; i++) {
		for (uint64_t full = hd_slots_full(&st->in.v[i]); full;) {
			unsigned slot = hd_bits_pop(&full);
			const struct hd_inst *inst = hd_inst(st->pool, hd_inst_in(&st->in.v[i], slot));

			if (inst->uid > last->uid)
				last = inst;
		}
	}
	return last;
}

/* The instruction that came last has to raise its counters, also if it or one before it has to stay. */
static inline void note_last(struct state *st, const struct hd_inst *last)
{
	const struct hd_control *c = &last->control;
	uint8_t r = st->route[last->cls];
	bool variable;

	if (last->uid <= st->last || r == HD_NO_ROUTE) /* an older one may wait for room while younger ones pass it */
		return;
	st->last = last->uid;
	variable = route_of(st, r)->variable;
	if (c->read != HD_NO_COUNTER || c->write != HD_NO_COUNTER || (variable && last->dst)) {
		st->raise = (struct hd_raise){ .uid = (uint32_t)last->uid, .dst = last->dst, .warp = last->warp,
			.write = c->write, .read = c->read, .variable = variable };
		st->raises = true;
	}
}

/* Hands on the instruction in this slot; one: no other one is here. */
static inline __attribute__((always_inline)) uint64_t pass(struct state *st, const struct hd_end *end, unsigned slot,
                                                           bool one)
{
	hd_inst_ref ref = hd_inst_in(end, slot);
	struct hd_inst *inst = hd_inst(st->pool, ref);
	const struct hd_end *out;
	const struct route *route;
	uint64_t room;
	uint8_t r = st->route[inst->cls];

	if (st->counters)
		note_last(st, one ? inst : newest(st, inst));
	if (HD_UNLIKELY(r == HD_NO_ROUTE)) {
		hd_error(st->ctx, "no link of port 'out' takes class '%s'; expected one whose \"classes\" "
		         "name it", hd_symbol_name(st->ctx, "class", inst->cls));
		return HD_SLEEP;
	}
	out = &st->out.v[r];
	route = out->attr;
	room = hd_slots_free(out);
	if (!room) {
		st->full++;
		return HD_NEXT;
	}
	if (route->variable)
		inst->flags |= HD_INST_VARIABLE;
	if (route->read && st->counters)
		st->reader = (struct reader){ inst->uid, route->read, inst->warp, inst->control.read };
	hd_slot_put(out, hd_bits_first(room), &ref, sizeof ref);
	hd_slot_take(end, slot);
	st->passed++;
	return !one || st->raises || st->reader.edges ? HD_NEXT : HD_SLEEP;
}

static __attribute__((noinline)) uint64_t pass_oldest(struct state *st)
{
	const struct hd_end *end = NULL;
	uint64_t full = 0;
	uint32_t ends = 0; /* that have any */

	for (uint32_t i = 0; i < st->in.n; i++) {
		uint64_t here = hd_slots_full(&st->in.v[i]);

		if (here && ends++ == 0) {
			end = &st->in.v[i];
			full = here;
		}
	}
	if (!end)
		return HD_SLEEP;
	if (ends == 1 && !(full & (full - 1)))
		return pass(st, end, hd_bits_first(full), true);
	return pass(st, end, hd_inst_oldest(st->pool, end, full), false);
}

static __attribute__((noinline)) uint64_t stand_still(struct state *st)
{
	const struct hd_end *end;
	unsigned slot;

	if (!front(st, &end, &slot))
		return HD_SLEEP;
	st->frozen++;
	return HD_NEXT;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t full;

	if (st->raises || st->reader.edges)
		raise_last(st);
	if (HD_UNLIKELY(hd_frozen(st->freeze, hd_now(st->ctx))))
		return stand_still(st);
	if (HD_LIKELY(st->in.n == 1)) {
		full = hd_slots_full(st->in.v);
		if (!full)
			return HD_SLEEP;
		if (HD_LIKELY(!(full & (full - 1))))
			return pass(st, st->in.v, hd_bits_first(full), true);
	}
	return pass_oldest(st);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return hd_routes(ctx, &st->out, st->route);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	const struct hd_end *end;
	unsigned slot;
	hd_inst_ref ref = front(st, &end, &slot);

	if (ref)
		hd_report_pending(h, "an instruction of warp %u in the control stage",
		                  hd_inst(st->pool, ref)->warp);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, raise, last);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that go there", .type = HD_SYMBOLS,
	  .kind = "class", .offset = offsetof(struct route, classes), .min = 1, .max = 64 },
	{ .name = "variable", .unit = "", .doc = "their results have no fixed latency: a dependence counter "
	  "protects them", .type = HD_BOOL, .def = "false", .offset = offsetof(struct route, variable) },
	{ .name = "read", .unit = "cycles", .doc = "until their sources have been read; 0: the stage that "
	  "reads them tells", .type = HD_U32, .def = "0", .max = 63, .offset = offsetof(struct route, read) },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "what the issue stage issued in the last cycle", .kind = HD_IN,
	  .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst, .offset = P(in) },
	{ .name = "out", .doc = "next stages", .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS,
	  .type = &hd_type_inst, .offset = P(out), .attrs = route_params,
	  .attr_size = sizeof(struct route) },
	{ .name = "freeze", .doc = "cycles in which the sub-core stands still; open: it never does",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_freeze, .offset = P(freeze) },
	{ .name = "counters", .doc = "dependence counters; open: there are none", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_counters, .offset = P(counters) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "passed", .unit = "warp instructions", .doc = "instructions handed on",
	  .offset = P(passed) },
	{ .name = "frozen", .unit = "cycles", .doc = "cycles in which the sub-core stood still with an "
	  "instruction here", .offset = P(frozen) },
	{ .name = "full", .unit = "cycles", .doc = "cycles in which the next stage had no room",
	  .offset = P(full) },
	{ .name = NULL },
};

static const struct hd_reason reasons[] = {
	[REASON_FROZEN] = { "frozen", "the sub-core stands still: a register port is taken" },
	{ 0 },
};

static struct hd_answer stall_cause(const void *state, unsigned port, uint32_t link)
{
	const struct state *st = state;
	const struct hd_end *end;
	unsigned slot;
	hd_inst_ref ref = front(st, &end, &slot);
	uint8_t r = ref ? st->route[hd_inst(st->pool, ref)->cls] : HD_NO_ROUTE;

	(void)port;
	(void)link;
	if (r != HD_NO_ROUTE && !hd_frozen(st->freeze, hd_now(st->ctx)) && !hd_slots_free(&st->out.v[r]))
		return (struct hd_answer){ .behind = &st->out.v[r] };
	return (struct hd_answer){ .reason = REASON_FROZEN };
}

const struct hd_module hd_module_control = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "control",
	.doc = "control stage: raises dependence counters, hands instructions to their next stage",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.eval = eval,
	.report_pending = report_pending,
	.reasons = reasons,
	.stall_cause = stall_cause,
	.checkpoint = checkpoint,
};

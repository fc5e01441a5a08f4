/* issue_control.c - issue stage that follows the control words of the instructions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Issue.  Time here is in unfrozen cycles.
 */
#include "issue_control/control_effect.h"
#include "issue_control/control_kinds.h"

/* Is the constant operand of the warp's next instruction there? */
static inline bool constant_there(struct state *st, uint32_t warp)
{
	const struct hd_inst *inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));

	if (!(inst->control.flags & HD_CONTROL_CONSTANT) || !st->constants || inst->space == HD_SPACE_CONST)
		return true;
	return st->constants->look_up(st->constants->self, warp, inst->control.bank, inst->control.constant);
}

/* The first of the set in the order of the policy whose constant is there. */
static inline __attribute__((always_inline)) bool issue_first(struct state *st, hd_warp_set set, bool quiet)
{
	set &= ~st->constant;
	while (set) {
		uint32_t warp = set & (set - 1) ? hd_policy_first(st->policy, set) : hd_warp_first(set);

		if (constant_there(st, warp))
			return issue(st, warp, quiet);
		if (warp == st->greedy && st->patience) {
			st->patience--;
			return false;
		}
		st->constant |= hd_warp_bit(warp);
		set &= ~hd_warp_bit(warp);
	}
	return false;
}

/* Drops what the warps of the set have of paths that they do not take. */
static hd_warp_set flush_wrong(struct state *st, hd_warp_set set)
{
	hd_warp_set flushed = 0;

	while (set) {
		uint32_t warp = hd_warp_pop(&set);
		const struct hd_inst *inst = hd_inst(st->pool, hd_ibuffer_head(st->ibuffer, warp));

		if (!(inst->flags & HD_INST_WRONG_PATH))
			continue;
		empty_buffer(st, warp);
		hd_warp_flush(st->warps, warp);
		flushed |= hd_warp_bit(warp);
	}
	return flushed;
}

/* What the warps of a set do in a cycle. */
struct cycle {
	hd_warp_set set;  /* those that may issue */
	hd_warp_set pass; /* those that do not wait for a stall, a counter or a register */
	uint64_t again;   /* when to look again, if nothing else changes */
};

/* ISSUED: some of them may issue. */
static inline __attribute__((always_inline)) enum outcome consider(struct state *st, hd_warp_set set,
                                                                  struct cycle *c, bool quiet)
{
	*c = (struct cycle){ .again = UINT64_MAX };
	if (!set)
		return IDLE;
	set &= ~(st->stalled | st->counting);
	if (!quiet)
		set &= st->ready;
	if (!quiet && HD_UNLIKELY(st->held & set))
		set &= ~held_now(st, st->held & set);
	if (!set)
		return DEPENDENCE;
	c->pass = set;
	if (st->port_free > st->time) {
		c->again = st->port_free;
		return STALL;
	}
	c->set = with_room(st, set, &c->again);
	return c->set ? ISSUED : STALL;
}

static void count(struct state *st, enum outcome o, uint64_t n)
{
	if (o == IDLE)
		st->idle += n;
	else if (o == DEPENDENCE)
		st->dependence += n;
	else if (o == STALL || o == FROZEN)
		st->stall += n;
}

/* A frozen edge.  If nothing could have been issued anyway, and nothing has changed, it counts like the
 * last one, as it does for a stage that sleeps. */
static __attribute__((noinline)) void stand_still(struct state *st)
{
	uint64_t now = hd_now(st->ctx);
	bool same = st->last != ISSUED && !hd_warps_waking(st->warps, st->mine, now);

	if (!same)
		st->last = FROZEN;
	count(st, st->last, 1);
	if (same && st->row_edges)
		st->row_edges++;
	else if (HD_UNLIKELY(st->ctx->observed))
		account(st, FROZEN, 0, 0);
}

/* The stage is not woken by what does not change that `last` is the outcome of a cycle.  If it looks again in the next
 * cycle anyway, as after an issue, instructions that come behind others need not wake it. */
static inline void rest(struct state *st, bool awake, hd_warp_set pass, bool quiet)
{
	hd_warp_set mine = (quiet || !awake) && st->rests && !st->constant ? st->mine : 0;

	hd_warps_rest(st->warps, st->mine, mine, awake ? 0 : mine & ~pass);
}

/* Unfrozen cycles until the stage has to look again; c->again as in struct cycle. */
static uint64_t sleep_for(const struct state *st, const struct cycle *c)
{
	uint64_t again = c->again;

	if (st->wheel_set && st->time + next_stall(st) < again)
		again = st->time + next_stall(st);
	return again == UINT64_MAX ? HD_SLEEP : again - st->time;
}

/* Takes what has changed of the warps. */
static inline __attribute__((always_inline)) hd_warp_set take_changes(struct state *st, bool quiet)
{
	struct hd_warps *w = st->warps;
	hd_warp_set changed = hd_warps_take_all(w, st->mine), fresh = 0;

	st->constant &= ~changed;
	for (hd_warp_set set = changed; set;) {
		uint32_t warp = hd_warp_pop(&set);

		if (HD_UNLIKELY(st->age[warp] != w->age[warp] + 1) && !hd_warp_in(w->exited, warp))
			fresh |= hd_warp_bit(warp);
		refresh(st, warp, quiet);
	}
	if (HD_UNLIKELY(fresh))
		start_new(st, fresh);
	return changed;
}

/* The warps that have an instruction and do not wait for others. */
static inline hd_warp_set free_to_issue(struct state *st, hd_warp_set changed)
{
	struct hd_warps *w = st->warps;
	hd_warp_set fences = st->mine & w->blocked_by[HD_BLOCK_FENCE] & ~w->exited, allowed = HD_ALL_WARPS, set;

	while (HD_UNLIKELY(fences))
		st->fence->holds(st->fence->self, hd_warp_pop(&fences));
	if (st->policy->begin) {
		if (changed && st->policy->changed)
			st->policy->changed(st->policy->self, changed);
		allowed = st->policy->begin(st->policy->self, st->mine & ~w->exited & ~w->blocked);
	}
	set = st->mine & st->ibuffer->filled & ~w->exited & ~w->blocked & allowed;
	if (HD_UNLIKELY(st->ibuffer->wrong & set))
		set &= ~flush_wrong(st, st->ibuffer->wrong & set);
	return set;
}

static inline __attribute__((always_inline)) uint64_t evaluate(struct state *st, uint64_t now, bool quiet)
{
	const struct hd_warps *w = st->warps;
	hd_warp_set changed, set;
	enum outcome last;
	struct cycle c;

	advance(st, st->freeze ? now - st->freeze->cycles : now);
	changed = take_changes(st, quiet);
	set = quiet ? st->mine & st->ibuffer->filled & ~(w->exited | w->blocked) : free_to_issue(st, changed);
	last = consider(st, set, &c, quiet);
	if (last == ISSUED && !issue_first(st, c.set, quiet)) {
		last = STALL;
		c.again = st->time + 1;
	}
	st->last = last;
	if (!quiet && HD_UNLIKELY(st->ctx->observed)
	    && account(st, last, set, last == ISSUED ? hd_warp_bit(st->greedy) : 0))
		c.again = st->time + 1;
	if (last == ISSUED) {
		st->single++;
		rest(st, true, 0, quiet);
		return HD_NEXT;
	}
	count(st, last, 1);
	if (!quiet && (st->policy->needs_every_edge || (st->held & set)
	               || (st->mine & w->blocked_by[HD_BLOCK_FENCE])))
		c.again = st->time + 1;
	rest(st, c.again == st->time + 1, c.pass, quiet);
	return sleep_for(st, &c);
}

static __attribute__((noinline)) uint64_t eval_any(struct state *st, uint64_t now)
{
	return evaluate(st, now, false);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->ctx);

	if (HD_UNLIKELY(hd_frozen(st->freeze, now))) {
		stand_still(st);
		return HD_NEXT;
	}
	if (HD_LIKELY(st->quiet)
	    && HD_LIKELY(!(st->mine & (st->held | st->warps->blocked_by[HD_BLOCK_FENCE] | st->ibuffer->wrong))))
		return evaluate(st, now, true);
	return eval_any(st, now);
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	count(st, st->last, n);
	if (st->row_edges)
		st->row_edges += n;
	if (st->policy->skipped)
		st->policy->skipped(st->policy->self, n);
}

/* ---- callbacks -------------------------------------------------------------------------------------- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	hd_warps_on_clock(st->warps, ctx);
	if (st->scoreboard && st->counters)
		return hd_error(ctx, "ports 'counters' and 'scoreboard' are both linked; expected a link at one "
		                "of them");
	return hd_routes(ctx, &st->out, st->route) || class_groups(st) ? -1 : 0;
}

static int start(void *state)
{
	struct state *st = state;

	for (uint32_t w = st->ctx->index; w < st->warps->count; w += st->ctx->count) {
		st->mine |= hd_warp_bit(w);
		if (!hd_warps_claim(st->warps, &st->warps->scheduler[w], st->ctx->self))
			return hd_error(st->ctx, "another array of issue stages has warp %u; expected "
			                "one array, whose elements share the warps", w);
	}
	st->ready = st->mine;
	if (st->credits.n > MAX_CREDITS)
		return hd_error(st->ctx, "%u links at port 'credits'; expected at most %u", st->credits.n,
		                MAX_CREDITS);
	for (uint32_t i = 0; i < st->credits.n; i++) {
		struct hd_credits *c = (struct hd_credits *)st->credits.v[i];

		if (c->issue.word)
			return hd_error(st->ctx, "another issue stage takes places of the same queue; expected "
			                "one for each");
		c->issue = st->ctx->self;
		c->full = (struct hd_waker){ &st->full, hd_bit(i) };
		st->full |= c->free ? 0 : hd_bit(i);
	}
	find_kinds(st);
	st->quiet = st->counters && !st->policy->begin && !st->policy->needs_every_edge
	            && !st->ctx->observable;
	st->rests = !st->policy->begin && !st->policy->skipped && !st->warps->several_clocks;
	if (st->freeze && st->freeze->issue.word)
		st->rests = false; /* several stages are frozen together: another one is woken */
	else if (st->freeze)
		st->freeze->issue = st->ctx->self;
	if (st->policy->bind)
		st->policy->bind(st->policy->self, st->mine);
	return 0;
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED_FROM(k, st, time, head);
	HD_SAVED_FROM(k, st, greedy, row_edges);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param route_params[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions that take this route",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct route, classes), .min = 1,
	  .max = 64 },
	{ .name = "unit", .unit = "", .doc = "kind of unit of this route", .type = HD_SYMBOL, .kind = "unit",
	  .offset = offsetof(struct route, unit) },
	{ .name = NULL },
};

static const struct hd_param group_columns[] = {
	{ .name = "classes", .unit = "", .doc = "classes of instructions of one group of units",
	  .type = HD_SYMBOLS, .kind = "class", .offset = offsetof(struct group, classes), .min = 1,
	  .max = 64 },
	{ .name = "interval", .unit = "cycles", .doc = "initiation interval: between two of them, of any "
	  "warps", .type = HD_U32, .def = "1", .offset = offsetof(struct group, interval), .min = 1,
	  .max = 64 },
	{ .name = "least", .unit = "cycles", .doc = "least stall of their warp, whatever the control word "
	  "says", .type = HD_U32, .def = "1", .offset = offsetof(struct group, least), .min = 1, .max = 63 },
	{ .name = "wide", .unit = "cycles", .doc = "in which nothing is issued behind one with a result of "
	  "several registers", .type = HD_U32, .def = "0", .offset = offsetof(struct group, wide), .max = 64 },
	{ .name = NULL },
};

static const struct hd_param params[] = {
	{ .name = "groups", .unit = "", .doc = "classes of instructions that share units", .type = HD_TABLE,
	  .offset = P(groups), .def = "[]", .max = MAX_GROUPS, .columns = group_columns,
	  .row_size = sizeof(struct group) },
	{ .name = "stalls", .unit = "", .doc = "stall and yield of control words count", .type = HD_BOOL,
	  .offset = P(stalls), .def = "true" },
	{ .name = "yield_zero", .unit = "cycles", .doc = "stall 0 with a yield", .type = HD_U32,
	  .offset = P(yield_zero), .def = "54", .min = 1, .max = WHEEL - 1 },
	{ .name = "collapse_from", .unit = "cycles", .doc = "a stall of so many and more, without a yield, "
	  "collapses", .type = HD_U32, .offset = P(collapse_from), .def = "12", .min = 1, .max = 16 },
	{ .name = "collapse", .unit = "cycles", .doc = "to this", .type = HD_U32, .offset = P(collapse),
	  .def = "1", .min = 1, .max = HD_MAX_STALL },
	{ .name = "depbar_hold", .unit = "cycles", .doc = "from a DEPBAR until it holds its warp",
	  .type = HD_U32, .offset = P(depbar_hold), .def = "4", .min = 1, .max = WHEEL - 1 },
	{ .name = "launch_latency", .unit = "cycles", .doc = "from the launch of a CTA until the first of its "
	  "warps may issue", .type = HD_U32, .offset = P(launch_latency), .def = "8", .max = 32 },
	{ .name = "launch_distance", .unit = "cycles", .doc = "from warp to warp that were launched together",
	  .type = HD_U32, .offset = P(launch_distance), .def = "2", .max = 32 },
	{ .name = "constant_wait", .unit = "cycles", .doc = "for which the warp that issued last is waited for "
	  "when its constant is missing, before another is considered", .type = HD_U32,
	  .offset = P(constant_wait), .def = "4", .max = 1024 },
	{ .name = "clock_rows", .unit = "", .doc = "clock reads of this stage that the statistics list, the first "
	  "ones", .type = HD_U32, .offset = P(clock_rows), .def = "1000", .max = 1000000 },
	{ .name = "instruction_bytes", .unit = "bytes", .doc = "length of an instruction, for fetch",
	  .type = HD_U32, .offset = P(instruction_bytes), .def = "16", .min = 1, .max = 64 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_OUT] = { .name = "out", .doc = "the control stage, or register sets of collectors",
	               .kind = HD_OUT, .flags = HD_ARRAY | HD_SLOTS, .type = &hd_type_inst,
	               .offset = P(out), .attrs = route_params, .attr_size = sizeof(struct route) },
	[PORT_WARPS] = { .name = "warps", .doc = "running and blocked warps; this stage serves the "
	                 "slots whose number modulo the array's size is its index", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_IBUFFER] = { .name = "ibuffer", .doc = "instructions to issue", .kind = HD_USES,
	                   .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	[PORT_SCOREBOARD] = { .name = "scoreboard", .doc = "checked and reserved, in place of counters; open: "
	                      "instructions wait for no register",
	                      .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_scoreboard,
	                      .offset = P(scoreboard) },
	[PORT_COUNTERS] = { .name = "counters", .doc = "dependence counters, for which instructions wait; open: "
	                    "they wait for none",
	                    .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_counters,
	                    .offset = P(counters) },
	[PORT_FREEZE] = { .name = "freeze", .doc = "cycles in which the sub-core stands still; open: it never "
	                  "does", .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_freeze,
	                  .offset = P(freeze) },
	[PORT_CREDITS] = { .name = "credits", .doc = "queues that must have a place for the instruction",
	                   .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL, .type = &hd_type_credits,
	                   .offset = P(credits) },
	[PORT_CONSTANTS] = { .name = "constants", .doc = "cache of constant operands; open: all are there",
	                     .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_constants_if,
	                     .offset = P(constants) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "gets barriers and exits", .kind = HD_USES,
	                   .type = &hd_type_barrier_if, .offset = P(barrier) },
	[PORT_FENCE] = { .name = "fence", .doc = "gets fences; open: they cost nothing",
	                 .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_fence_if,
	                 .offset = P(fence) },
	[PORT_COPY] = { .name = "copy", .doc = "gets asynchronous copies; open: no warp waits",
	                .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_copy_if,
	                .offset = P(copy) },
	[PORT_HAZARDS] = { .name = "hazards", .doc = "gets each instruction; open: they are not checked",
	                   .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_hazards_if,
	                   .offset = P(hazards) },
	[PORT_POLICY] = { .name = "policy", .doc = "order of the warps", .kind = HD_USES,
	                  .type = &hd_type_sched_policy_if, .offset = P(policy) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "single", .unit = "cycles", .doc = "cycles in which an instruction was issued",
	  .offset = P(single), .total = "issue.single" },
	{ .name = "dual", .unit = "cycles", .doc = "cycles in which two were; there are none",
	  .offset = P(dual), .total = "issue.dual" },
	{ .name = "stall", .unit = "cycles", .doc = "cycles in which a warp's dependences let it pass, and its "
	  "unit, a queue or a frozen sub-core did not", .offset = P(stall), .total = "issue.stall" },
	{ .name = "dependence", .unit = "cycles", .doc = "cycles in which every warp with an instruction waited "
	  "for its stall, a counter or a register", .offset = P(dependence),
	  .total = "issue.scoreboard" },
	{ .name = "idle", .unit = "cycles", .doc = "cycles in which no warp had an instruction that "
	  "it was free to issue", .offset = P(idle), .total = "issue.idle" },
	{ .name = "issued", .unit = "warp instructions", .doc = "instructions issued",
	  .offset = P(issued), .total = "warp_instructions", .ratio = "IPC" },
	{ .name = "synthetic", .unit = "warp instructions", .doc = "of these, with a control word that was made "
	  "for this run", .offset = P(synthetic), .total = "synthetic_control" },
	{ .name = "clock_reads", .unit = "warp instructions", .doc = "of these, that read the clock; the first are "
	  "listed", .offset = P(clock_reads) },
	{ .name = NULL },
};

static void end_observation(void *state)
{
	struct state *st = state;

	report_slots(st);
	memset(st->logged, 0, sizeof st->logged);
}

static const struct hd_event events[] = {
	[EVENT_ISSUE] = { .name = "issue", .doc = "an instruction was issued", .flags = HD_EVENT_DETAIL,
	                  .fields = { { "sched", "", "index of the issue stage" },
	                              { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "pc", "bytes", "its address" } } },
	[EVENT_CLOCK] = { .name = "clock", .doc = "an instruction that reads the clock was issued",
	                  .fields = { { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                              { "pc", "bytes", "its address" },
	                              { "clock", "cycles", "what it reads" } } },
	[EVENT_SLOT] = { .name = "slot", .doc = "how the preceding cycles were used, each in the "
		"same way",
	                 .fields = {
		{ "n", "cycles", "how many", NULL, HD_FIELD_SPAN },
		{ "reason", "", "why; sums over the names of a group are the statistics of the stage",
		  "reason" },
		{ "unit", "", "stall.full: of what has no room; -1: does not apply", "unit" },
		{ "cause", "", "and why it is not emptied", "cause" },
		{ "reg", "", "always -1" },
		{ "warp", "", "the oldest waiting warp, which gets the cycles; -1: none", NULL,
		  HD_FIELD_KEY },
		{ "code", "", "its next instruction, 0: none", "code" },
		{ "pc", "bytes", "its address", NULL, HD_FIELD_HIDDEN },
		{ "kernel", "", "position of its launch in the list", NULL, HD_FIELD_HIDDEN },
	} },
	{ .name = NULL },
};

const struct hd_module hd_module_issue_control = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "issue_control",
	.doc = "issue stage that follows the control words of the instructions",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.marks = marks,
	.reasons = reasons,
	.end_observation = end_observation,
	.checkpoint = checkpoint,
};

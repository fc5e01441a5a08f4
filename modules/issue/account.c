/* account.c - reasons of lost issue slots, and what each warp waits for
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * If several warps wait, the cycle is attributed to the oldest one.
 */
#include "account.h"

const struct hd_mark hd__issue_marks[] = {
	[WAIT_REGISTER] = { "register", "its next instruction waits for a register", "reg", NULL },
	[WAIT_READY] = { "ready", "it only needs room in the register set of its unit, or another "
	                 "warp was chosen", "unit", "unit" },
	[WAIT_BARRIER] = { "barrier", "its warp waits for the others of its CTA", "cta", NULL },
	[WAIT_FENCE] = { "fence", "its warp waits for its memory accesses", NULL, NULL },
	[WAIT_ATOMIC] = { "atomic", "its warp waits for the response to an atomic", NULL, NULL },
	[WAIT_COPY] = { "copy", "its warp waits for asynchronous copies", NULL, NULL },
	[WAIT_OTHER] = { "other", "a unit holds its warp", NULL, NULL },
	[WAIT_MBARRIER] = { "mbarrier", "its warp waits for an mbarrier", NULL, NULL },
	[WAIT_MMA] = { "mma", "its warp waits for products of matrices", NULL, NULL },
	[WAIT_POLICY] = { "policy", "the policy does not consider its warp", NULL, NULL },
	[WAIT_ENTRY] = { "entry", "its next instruction waits for a free entry of the scoreboard", NULL,
	                 NULL },
	[MARK_FLUSHED] = { "flushed", "dropped: its warp went elsewhere, or had ended", NULL, NULL },
	[MARKS] = { 0 },
};

/* Where the request is that the warp waits for: the oldest one of the load that is not back. */
#define AT_PLACES(first, space, what)                                                              \
	[first] = { "scoreboard." space, what "place not known" },                                 \
	[first + 1 + HD_MEM_AT_L1] = { "scoreboard." space ".l1",                                      \
		what "not sent: in front of or in the load/store unit, or the L1D looks it up" },  \
	[first + 1 + HD_MEM_AT_L1_QUEUE] = { "scoreboard." space ".l1_queue",                          \
		what "in the miss queue of the L1D" },                                             \
	[first + 1 + HD_MEM_AT_NETWORK] = { "scoreboard." space ".network",                            \
		what "in the network, on its way to the memory" },                                 \
	[first + 1 + HD_MEM_AT_ROP] = { "scoreboard." space ".rop",                                    \
		what "in the constant delay in front of the L2" },                                 \
	[first + 1 + HD_MEM_AT_L2] = { "scoreboard." space ".l2",                                      \
		what "in front of the L2 or in it, or waiting there with another request" },       \
	[first + 1 + HD_MEM_AT_DRAM_QUEUE] = { "scoreboard." space ".dram_queue",                      \
		what "between L2 and memory channel, or waiting for its bank" },                   \
	[first + 1 + HD_MEM_AT_DRAM] = { "scoreboard." space ".dram", what "in the memory" },          \
	[first + 1 + HD_MEM_AT_REPLY] = { "scoreboard." space ".reply", what "on its way back" }

const struct hd_reason hd__issue_reasons[] = {
	[REASON_ONE] = { "single", "one instruction was issued" },
	[REASON_TWO] = { "dual", "two instructions were issued, or more" },
	[REASON_EMPTY] = { "idle.empty", "no CTA has a warp of this scheduler" },
	STAGE_IDLE_REASONS,
	[REASON_HAZARD] = { "idle.control_hazard", "the buffer of the warp held another path, and was "
	                    "emptied; code is the branch" },
	[REASON_REFILL] = { "idle.control_refill", "behind a control hazard, the oldest warp waits for "
	                    "fetch and decode; code is the branch" },
	[REASON_UNIT] = { "scoreboard.unit", "the result of a unit that computes" },
	[REASON_LOAD_SHARED] = { "scoreboard.shared", "a load from shared memory" },
	[REASON_LOAD_CONST] = { "scoreboard.const", "a load from constant memory" },
	[REASON_LOAD_TEXTURE] = { "scoreboard.texture", "a texture fetch" },
	[REASON_ENTRIES] = { "scoreboard.entries", "its warp has taken all entries of the scoreboard, "
	                     "and it would take another" },
	[REASON_FULL] = { "stall.full", "the register set of its unit is full, see unit and cause" },
	AT_PLACES(REASON_LOAD_GLOBAL, "global", "a load from global memory, "),
	AT_PLACES(REASON_LOAD_LOCAL, "local", "a load from local memory, "),
	AT_PLACES(REASON_LOAD_ATOMIC, "atomic", "the result of an atomic, "),
	[REASONS] = STAGE_NAMED_REASONS,
};

int hd__account_init(struct account *a, struct hd_ctx *ctx, const uint8_t *route_of_warp)
{
	a->route_of_warp = route_of_warp;
	if (!ctx->observable)
		return 0;
	a->producer = hd_memory(ctx, HD_MAX_WARPS * HD_ACCOUNT_REGS, sizeof *a->producer);
	a->unit = hd_memory(ctx, HD_NO_ROUTE + 1, sizeof *a->unit);
	return a->producer && a->unit ? 0 : hd_error(ctx, "out of memory");
}

void hd__account_saved(struct hd_checkpoint *k, struct account *a, struct stage *s)
{
	struct producer *producer = a->producer;

	HD_SAVED(k, s->slots);
	HD_SAVED_FROM(k, a, odd, wakes);
	hd_saved_maybe(k, producer, HD_MAX_WARPS * HD_ACCOUNT_REGS * sizeof *producer);
	HD_SAVED_FROM(k, a, refilled, code);
	if (!hd_loads(k))
		return;
	a->holds = false;
	if (producer)
		return;
	s->slots = (struct slots){ .n = 0 };
	*a = (struct account){ .route_of_warp = a->route_of_warp };
}

const uint8_t hd__account_loads[HD_SPACES] = {
	[HD_SPACE_NONE] = REASON_UNIT, [HD_SPACE_GLOBAL] = REASON_LOAD_GLOBAL,
	[HD_SPACE_LOCAL] = REASON_LOAD_LOCAL, [HD_SPACE_SHARED] = REASON_LOAD_SHARED,
	[HD_SPACE_CONST] = REASON_LOAD_CONST, [HD_SPACE_TEXTURE] = REASON_LOAD_TEXTURE,
};

/* The first pending register of the instruction, 0: none. */
static uint32_t awaited(struct stage *s, const struct hd_inst *inst)
{
	for (unsigned i = 0; i < inst->nsrc; i++)
		if (hd_scoreboard_pends(s->scoreboard, inst->warp, inst->src[i]))
			return inst->src[i];
	return inst->dst && hd_scoreboard_pends(s->scoreboard, inst->warp, inst->dst) ? inst->dst : 0;
}

/* The instruction behind which the warp was fetched for in vain. */
static void name_branch(const struct account *a, uint32_t warp, struct slot_row *out)
{
	out->warp = warp;
	out->code = a->code[warp].code;
	out->pc = a->code[warp].pc;
}

static void why_idle(struct account *a, struct stage *s, struct slot_row *out)
{
	if (a->hazards) {
		out->reason = REASON_HAZARD;
		name_branch(a, hd_warps_oldest(s->warps, a->hazards), out);
		return;
	}
	out->reason = slots_reason(hd__slots_idle(s, out), REASON_EMPTY, REASONS);
	if (out->reason > REASON_EXIT)
		hd__slots_name(s, (uint32_t)out->warp, out);
	if (out->reason == REASON_FETCH && hd_warp_in(a->refilled, out->warp)) {
		out->reason = REASON_REFILL;
		name_branch(a, (uint32_t)out->warp, out);
	}
}

static void why_register(struct account *a, struct stage *s, hd_warp_set set,
                         struct slot_row *out)
{
	uint32_t warp, reg;

	out->reason = REASON_UNIT;
	if (!set)
		return;
	warp = hd__slots_oldest(s, set);
	hd__slots_name(s, warp, out);
	reg = awaited(s, stage_next(s, warp));
	if (!reg) {
		out->reason = REASON_ENTRIES;
		return;
	}
	out->reg = (int64_t)reg - 1;
	if (a->producer[warp * HD_ACCOUNT_REGS + reg].reason) {
		out->reason = a->producer[warp * HD_ACCOUNT_REGS + reg].reason;
		out->unit = a->producer[warp * HD_ACCOUNT_REGS + reg].unit;
	}
	if (out->reason >= REASON_LOAD_GLOBAL && s->scoreboard->where)
		out->reason += 1 + s->scoreboard->where(s->scoreboard->where_self, warp, reg, s->ctx->self, &a->wakes);
}

static uint32_t cause_of(struct account *a, struct stage *s, uint8_t route)
{
	const struct hd_end *end = &s->out.v[route];

	if (a->route != route || !a->holds) {
		a->route = route;
		a->cause = hd_stall_watch(s->ctx, end, hd_bits_first(end->slots), &a->holds);
	}
	a->wakes = a->holds;
	return a->cause;
}

static void why_full(struct account *a, struct stage *s, hd_warp_set set,
                     struct slot_row *out)
{
	uint32_t warp;
	uint8_t route;

	out->reason = REASON_FULL;
	a->wakes = false;
	if (!set)
		return;
	warp = hd__slots_oldest(s, set);
	route = a->route_of_warp[warp];
	hd__slots_name(s, warp, out);
	if (route >= s->out.n)
		return;
	out->unit = a->unit[route];
	out->cause = cause_of(a, s, route);
}

void hd__account_flush(struct account *a, struct stage *s)
{
	hd__slots_flush(s);
	a->odd = 0;
	a->holds = false;
}

static __attribute__((noinline)) void log_wait_register(struct stage *s, hd_warp_set fresh)
{
	while (fresh) {
		uint32_t warp = hd_warp_pop(&fresh), reg = awaited(s, stage_next(s, warp));

		hd_mark(s->ctx, s->pool, hd_ibuffer_head(s->ibuffer, warp), WAIT_REGISTER, reg - (reg > 0));
	}
}

/* The warps, of a set that the scoreboard does not let pass, that wait for an entry, not a register. */
static hd_warp_set without_entry(struct stage *s, hd_warp_set set)
{
	hd_warp_set without = 0;

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (!awaited(s, stage_next(s, warp)))
			without |= hd_warp_bit(warp);
	}
	return without;
}

/* Logs for what the warps of the set wait that are blocked, not considered by the policy, or may wait for an
 * entry of the scoreboard.  Returns the others of the set. */
static __attribute__((noinline)) hd_warp_set log_odd(struct account *a, struct stage *s, hd_warp_set set,
                                                     hd_warp_set allowed, hd_warp_set ready)
{
	hd_warp_set odd = 0, named = 0;

	for (uint32_t b = HD_BLOCKS; b < s->warps->holds; b++)
		named |= s->warps->blocked_by[b];
	for (unsigned b = 0; b < HD_BLOCKS; b++) {
		hd_warp_set now = set & (s->warps->blocked_by[b] | (b == HD_BLOCK_OTHER ? named : 0));

		if (now | s->slots.waits_for[WAIT_BARRIER + b])
			hd__slots_wait(s, WAIT_BARRIER + b, now, b == HD_BLOCK_BARRIER ? s->warps->cta : NULL);
		set &= ~now;
		odd |= now;
	}
	if ((set & ~allowed) | s->slots.waits_for[WAIT_POLICY])
		hd__slots_wait(s, WAIT_POLICY, set & ~allowed, NULL);
	odd |= set & ~allowed;
	set &= allowed;
	if (s->scoreboard->entries) {
		hd_warp_set full = without_entry(s, set & ~ready);

		hd__slots_wait(s, WAIT_ENTRY, full, NULL);
		set &= ~full;
	}
	a->odd = odd;
	return set;
}

static inline void log_ready(const struct account *a, struct stage *s, uint32_t warp)
{
	hd__mark(s->ctx, s->pool, hd_ibuffer_head(s->ibuffer, warp), WAIT_READY, a->unit[a->route_of_warp[warp]]);
}

/* Several marks. */
static __attribute__((noinline)) void log_marks(const struct account *a, struct stage *s, hd_warp_set wait,
                                                hd_warp_set ready)
{
	if (wait)
		log_wait_register(s, wait);
	while (ready)
		log_ready(a, s, hd_warp_pop(&ready));
}

void hd__account_marks(const struct account *a, struct stage *s, hd_warp_set wait, hd_warp_set ready)
{
	if (HD_LIKELY(!wait && !(ready & (ready - 1))))
		log_ready(a, s, hd_warp_first(ready));
	else
		log_marks(a, s, wait, ready);
}

/* Counts the edge, whose reason may differ from that of the preceding edges.  Of these warps some are ready. */
static __attribute__((noinline)) void count_edge(struct account *a, struct stage *s,
                                                 enum account_group group, hd_warp_set set, hd_warp_set ready)
{
	struct slot_row now = { .unit = -1, .reg = -1, .warp = -1 };

	a->stalled = ready;
	a->wakes = true;
	switch (group) {
	case GROUP_ONE: now.reason = REASON_ONE; break;
	case GROUP_TWO: now.reason = REASON_TWO; break;
	case GROUP_IDLE: why_idle(a, s, &now); break;
	case GROUP_SCOREBOARD: why_register(a, s, set & ~ready, &now); break;
	case GROUP_STALL: why_full(a, s, ready, &now); break;
	}
	hd__slots_count(s, &now);
}

/* Counts the first edge of the most frequent reason. */
static __attribute__((noinline)) void begin_one(struct stage *s)
{
	hd__slots_report(s);
	s->slots.n = 1;
	s->slots.row = (struct slot_row){ .reason = REASON_ONE, .unit = -1, .reg = -1, .warp = -1,
		.kernel = s->ctx->part };
}

void hd__account_edge(struct account *a, struct stage *s, enum account_group group, hd_warp_set set,
                      hd_warp_set ready)
{
	if (group == GROUP_ONE)
		begin_one(s);
	else
		count_edge(a, s, group, set, ready);
}

bool hd__account_still_full(struct account *a, struct stage *s, hd_warp_set ready)
{
	uint32_t cause;

	if (!s->slots.n || s->slots.row.reason != REASON_FULL || s->slots.row.unit < 0 || a->stalled != ready)
		return false;
	cause = cause_of(a, s, a->route_of_warp[s->slots.row.warp]);
	if (s->slots.row.cause != cause) { /* of the same unit, and the rest is the same as well */
		hd__slots_report(s);
		s->slots.row.cause = cause;
	}
	return true;
}

void hd__account(struct account *a, struct stage *s, enum account_group group, hd_warp_set changed,
                 hd_warp_set allowed, hd_warp_set ready)
{
	const struct hd_warps *w = s->warps;
	hd_warp_set live = s->mine & s->ibuffer->filled & ~w->exited, set = live & ~w->blocked & allowed;
	hd_warp_set issued = a->issued;

	a->refilled = ((a->refilled & ~issued) | a->hazards) & ~s->ibuffer->filled;
	a->rare = false;
	if (hd__account_count(a, s, group, changed, set, set & ready)) {
		live &= ~issued; /* the next instruction of a warp that issued is another one, without a mark yet */
		if (((live & ~set) | a->odd) != 0 || s->scoreboard->entries)
			live = log_odd(a, s, live, allowed, ready);
		hd__account_log(a, s, live, changed, ready);
	}
	a->issued = a->hazards = 0;
}

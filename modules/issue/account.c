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
	[REASON_EXIT] = { "idle.exit", "its warps have ended and drain the pipeline" },
	[REASON_FETCH] = { "idle.fetch", "the oldest warp waits for fetch and decode" },
	[REASON_ICACHE] = { "idle.icache", "the oldest warp waits for the instruction cache" },
	[REASON_BARRIER] = { "idle.barrier", "the oldest warp waits at a barrier" },
	[REASON_FENCE] = { "idle.fence", "the oldest warp waits at a memory fence" },
	[REASON_ATOMIC] = { "idle.atomic", "the oldest warp waits for the response to an atomic" },
	[REASON_COPY] = { "idle.copy", "the oldest warp waits for asynchronous copies" },
	[REASON_OTHER] = { "idle.other", "a unit holds the oldest warp" },
	[REASON_POLICY] = { "idle.policy", "the policy considers no warp that could issue" },
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
	[REASONS] = { 0 },
};

int hd__account_init(struct account *a, struct account_view *v)
{
	if (!v->ctx->observable)
		return 0;
	a->producer = hd_memory(v->ctx, HD_MAX_WARPS * HD_ACCOUNT_REGS, sizeof *a->producer);
	v->unit = hd_memory(v->ctx, HD_NO_ROUTE + 1, sizeof *v->unit);
	return a->producer && v->unit ? 0 : hd_error(v->ctx, "out of memory");
}

void hd__account_saved(struct hd_checkpoint *k, struct account *a)
{
	struct producer *producer = a->producer;

	HD_SAVED_FROM(k, a, waits_for, row);
	hd_saved_maybe(k, producer, HD_MAX_WARPS * HD_ACCOUNT_REGS * sizeof *producer);
	HD_SAVED_FROM(k, a, refilled, issued);
	if (hd_loads(k) && !producer)
		*a = (struct account){ .holds = false };
	a->holds = a->holds && !hd_loads(k);
}

const uint8_t hd__account_loads[HD_SPACES] = {
	[HD_SPACE_NONE] = REASON_UNIT, [HD_SPACE_GLOBAL] = REASON_LOAD_GLOBAL,
	[HD_SPACE_LOCAL] = REASON_LOAD_LOCAL, [HD_SPACE_SHARED] = REASON_LOAD_SHARED,
	[HD_SPACE_CONST] = REASON_LOAD_CONST, [HD_SPACE_TEXTURE] = REASON_LOAD_TEXTURE,
};

/* A newly launched warp is the youngest, so the oldest of a set stays the oldest of its subsets. */
static uint32_t oldest(struct account *a, const struct hd_warps *w, hd_warp_set set)
{
	uint32_t best = a->oldest;

	if (!(set & ~a->among) && hd_warp_in(set, best) && w->age[best] == a->age)
		return best;
	a->among = set;
	best = hd_warps_oldest(w, set);
	a->oldest = best;
	a->age = w->age[best];
	return best;
}

static const struct hd_inst *next_of(const struct account_view *v, uint32_t warp)
{
	return hd_inst(v->pool, hd_ibuffer_head(v->ibuffer, warp));
}

/* The first pending register of the instruction, 0: none. */
static uint32_t awaited(const struct account_view *v, const struct hd_inst *inst)
{
	for (unsigned i = 0; i < inst->nsrc; i++)
		if (hd_scoreboard_pends(v->scoreboard, inst->warp, inst->src[i]))
			return inst->src[i];
	return inst->dst && hd_scoreboard_pends(v->scoreboard, inst->warp, inst->dst) ? inst->dst : 0;
}

static void name_warp(const struct account_view *v, uint32_t warp, struct account_row *out)
{
	const struct hd_inst *inst;

	out->warp = warp;
	if (!hd_warp_in(v->ibuffer->filled, warp))
		return;
	inst = next_of(v, warp);
	out->code = inst->code;
	out->pc = inst->pc;
	out->kernel = inst->kernel;
}

/* The instruction behind which the warp was fetched for in vain. */
static void name_branch(const struct account *a, uint32_t warp, struct account_row *out)
{
	out->warp = warp;
	out->code = a->issued[warp].code;
	out->pc = a->issued[warp].pc;
	out->kernel = a->issued[warp].kernel;
}

static void why_idle(struct account *a, const struct account_view *v, struct account_row *out)
{
	static const uint8_t held[HD_BLOCKS] = { REASON_BARRIER, REASON_FENCE, REASON_ATOMIC,
		REASON_COPY, REASON_OTHER };
	const struct hd_warps *w = v->warps;
	hd_warp_set live = v->mine & ~w->exited, ended = v->mine & ~w->retired;
	uint32_t warp;

	if (v->hazards) {
		out->reason = REASON_HAZARD;
		name_branch(a, hd_warps_oldest(w, v->hazards), out);
		return;
	}
	if (!live) {
		out->reason = ended ? REASON_EXIT : REASON_EMPTY;
		if (ended)
			out->warp = oldest(a, w, ended);
		return;
	}
	warp = oldest(a, w, live);
	name_warp(v, warp, out);
	for (int b = 0; b < HD_BLOCKS; b++)
		if (hd_warp_in(w->blocked_by[b], warp)) {
			out->reason = held[b];
			return;
		}
	if (hd_warp_in(v->ibuffer->filled, warp)) {
		out->reason = REASON_POLICY;
	} else if (hd_warp_in(w->missing, warp)) {
		out->reason = REASON_ICACHE;
	} else if (hd_warp_in(a->refilled, warp)) {
		out->reason = REASON_REFILL;
		name_branch(a, warp, out);
	} else {
		out->reason = REASON_FETCH;
	}
}

static void why_register(struct account *a, const struct account_view *v, hd_warp_set set,
                         struct account_row *out)
{
	uint32_t warp, reg;

	out->reason = REASON_UNIT;
	if (!set)
		return;
	warp = oldest(a, v->warps, set);
	name_warp(v, warp, out);
	reg = awaited(v, next_of(v, warp));
	if (!reg) {
		out->reason = REASON_ENTRIES;
		return;
	}
	out->reg = (int64_t)reg - 1;
	if (a->producer[warp * HD_ACCOUNT_REGS + reg].reason) {
		out->reason = a->producer[warp * HD_ACCOUNT_REGS + reg].reason;
		out->unit = a->producer[warp * HD_ACCOUNT_REGS + reg].unit;
	}
	if (out->reason >= REASON_LOAD_GLOBAL && v->scoreboard->where)
		out->reason += 1 + v->scoreboard->where(v->scoreboard->where_self, warp, reg, v->ctx->self, &a->wakes);
}

static uint32_t cause_of(struct account *a, const struct account_view *v, uint8_t route)
{
	const struct hd_end *end = &v->out->v[route];

	if (a->route != route || !a->holds) {
		a->route = route;
		a->cause = hd_stall_watch(v->ctx, end, hd_bits_first(end->slots), &a->holds);
	}
	a->wakes = a->holds;
	return a->cause;
}

static void why_full(struct account *a, const struct account_view *v, hd_warp_set set,
                     struct account_row *out)
{
	uint32_t warp;
	uint8_t route;

	out->reason = REASON_FULL;
	a->wakes = false;
	if (!set)
		return;
	warp = oldest(a, v->warps, set);
	route = v->route_of_warp[warp];
	name_warp(v, warp, out);
	if (route >= v->out->n)
		return;
	out->unit = v->unit[route];
	out->cause = cause_of(a, v, route);
}

static inline void report(struct account *a, const struct account_view *v)
{
	if (a->n && HD_LIKELY(v->ctx->events >> v->event & 1))
		hd__emit(v->ctx, v->event, &a->n);
	a->n = 0;
}

/* The edge is like those before, or not. */
static inline void count_row(struct account *a, const struct account_view *v, const struct account_row *now)
{
	const struct account_row *r = &a->row;

	if (r->reason != now->reason || r->warp != now->warp || r->unit != now->unit || r->cause != now->cause
	    || r->reg != now->reg || r->code != now->code || r->pc != now->pc || r->kernel != now->kernel) {
		report(a, v);
		a->row = *now;
	}
	a->n++;
}

void hd__account_flush(struct account *a, const struct account_view *v)
{
	report(a, v);
	memset(a->waits_for, 0, sizeof a->waits_for);
	a->odd = 0; /* they are logged again as well */
	a->holds = false;
}

static void log_wait(const struct account_view *v, unsigned wait, hd_warp_set fresh)
{
	while (fresh) {
		uint32_t warp = hd_warp_pop(&fresh);

		hd_mark(v->ctx, v->pool, hd_ibuffer_head(v->ibuffer, warp), wait,
		        wait == WAIT_BARRIER ? v->warps->cta[warp] : 0);
	}
}

static __attribute__((noinline)) void log_wait_register(const struct account_view *v, hd_warp_set fresh)
{
	while (fresh) {
		uint32_t warp = hd_warp_pop(&fresh), reg = awaited(v, next_of(v, warp));

		hd_mark(v->ctx, v->pool, hd_ibuffer_head(v->ibuffer, warp), WAIT_REGISTER, reg - (reg > 0));
	}
}

/* Of warps that the scoreboard does not let pass: those that wait for an entry, not a register. */
static hd_warp_set without_entry(const struct account_view *v, hd_warp_set set)
{
	hd_warp_set without = 0;

	while (set) {
		uint32_t warp = hd_warp_pop(&set);

		if (!awaited(v, next_of(v, warp)))
			without |= hd_warp_bit(warp);
	}
	return without;
}

static inline void update(struct account *a, const struct account_view *v, unsigned wait,
                          hd_warp_set now)
{
	hd_warp_set fresh = now & ~a->waits_for[wait];

	a->waits_for[wait] = now;
	if (fresh)
		log_wait(v, wait, fresh);
}

/* The same where warps are blocked, not considered by the policy, or may wait for an entry of the scoreboard.  Returns
 * the others of the set. */
static __attribute__((noinline)) hd_warp_set log_odd(struct account *a, const struct account_view *v, hd_warp_set set,
                                                     hd_warp_set allowed, hd_warp_set ready)
{
	hd_warp_set odd = 0;

	for (unsigned b = 0; b < HD_BLOCKS; b++) {
		hd_warp_set now = set & v->warps->blocked_by[b];

		if (now | a->waits_for[WAIT_BARRIER + b])
			update(a, v, WAIT_BARRIER + b, now);
		set &= ~now;
		odd |= now;
	}
	if ((set & ~allowed) | a->waits_for[WAIT_POLICY])
		update(a, v, WAIT_POLICY, set & ~allowed);
	odd |= set & ~allowed;
	set &= allowed;
	if (v->scoreboard->entries) {
		hd_warp_set full = without_entry(v, set & ~ready);

		update(a, v, WAIT_ENTRY, full);
		set &= ~full;
	}
	a->odd = odd;
	return set;
}

static inline void log_ready(const struct account_view *v, uint32_t warp)
{
	hd__mark(v->ctx, v->pool, hd_ibuffer_head(v->ibuffer, warp), WAIT_READY, v->unit[v->route_of_warp[warp]]);
}

/* Several marks. */
static __attribute__((noinline)) void log_marks(const struct account_view *v, hd_warp_set wait, hd_warp_set ready)
{
	if (wait)
		log_wait_register(v, wait);
	while (ready)
		log_ready(v, hd_warp_pop(&ready));
}

void hd__account_marks(const struct account_view *v, hd_warp_set wait, hd_warp_set ready)
{
	if (HD_LIKELY(!wait && !(ready & (ready - 1))))
		log_ready(v, hd_warp_first(ready));
	else
		log_marks(v, wait, ready);
}

/* Counts the edge, whose reason may differ from that of the preceding edges.  Of these warps some are ready. */
static __attribute__((noinline)) void count_edge(struct account *a, const struct account_view *v,
                                                 enum account_group group, hd_warp_set set, hd_warp_set ready)
{
	struct account_row now = { .unit = -1, .reg = -1, .warp = -1 };

	a->stalled = ready;
	a->wakes = true;
	switch (group) {
	case GROUP_ONE: now.reason = REASON_ONE; break;
	case GROUP_TWO: now.reason = REASON_TWO; break;
	case GROUP_IDLE: why_idle(a, v, &now); break;
	case GROUP_SCOREBOARD: why_register(a, v, set & ~ready, &now); break;
	case GROUP_STALL: why_full(a, v, ready, &now); break;
	}
	count_row(a, v, &now);
}

/* The same for the most frequent reason, if it was another one before. */
static __attribute__((noinline)) void begin_one(struct account *a, const struct account_view *v)
{
	report(a, v);
	a->n = 1;
	a->row = (struct account_row){ .reason = REASON_ONE, .unit = -1, .reg = -1, .warp = -1 };
}

void hd__account_edge(struct account *a, const struct account_view *v, enum account_group group, hd_warp_set set,
                      hd_warp_set ready)
{
	if (group == GROUP_ONE)
		begin_one(a, v);
	else
		count_edge(a, v, group, set, ready);
}

bool hd__account_still_full(struct account *a, const struct account_view *v, hd_warp_set ready)
{
	uint32_t cause;

	if (!a->n || a->row.reason != REASON_FULL || a->row.unit < 0 || a->stalled != ready)
		return false;
	cause = cause_of(a, v, v->route_of_warp[a->row.warp]);
	if (a->row.cause != cause) { /* of the same unit, and the rest is the same as well */
		report(a, v);
		a->row.cause = cause;
	}
	return true;
}

void hd__account(struct account *a, const struct account_view *v, enum account_group group, hd_warp_set changed,
                 hd_warp_set allowed, hd_warp_set ready)
{
	const struct hd_warps *w = v->warps;
	hd_warp_set live = v->mine & v->ibuffer->filled & ~w->exited, set = live & ~w->blocked & allowed;

	a->refilled = ((a->refilled & ~v->issued) | v->hazards) & ~v->ibuffer->filled;
	if (!hd__account_count(a, v, group, changed, set, set & ready))
		return;
	/* the next instruction of a warp that issued is another one, without a mark yet */
	live &= ~v->issued;
	if (((live & ~set) | a->odd) != 0 || v->scoreboard->entries)
		live = log_odd(a, v, live, allowed, ready);
	hd__account_log(a, v, live, changed, ready);
}

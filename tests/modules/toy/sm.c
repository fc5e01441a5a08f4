/* sm.c - toy: the state that the stages of an SM share, and its changes
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Plays warps, instruction buffers and the scoreboard's sets.  Its lines come before those of its
 * users in the same edge.
 *   cta slot=N wN...         the warps run and belong to that CTA slot, oldest first
 *   over slot=N              that CTA, or one that a dispatcher has placed, is retired
 *   kernel warps=N ctas=N sm=N sms=N     the present launch: warps of a CTA, CTAs at once; this SM
 *   exit wN...               all lanes have ended
 *   block REASON wN..., unblock REASON wN...
 *   pending wN RN..., done wN RN...    registers that are being written; [long] for loads
 *   age wN n=N               order of launch
 *   flight wN n=N, stores wN n=N, atomics wN n=N     work in flight
 *   missing wN..., arrived wN...       their line of instructions is in flight
 *   retired wN...            they are retired
 *   npc wN pc=N              where fetch continues
 *   fill #N wN...            puts an instruction into the warp's buffer
 *   issue wN                 the head of the buffer leaves it, as at issue
 *   flush wN...              their buffers are emptied, as after a control hazard
 *   show wN...               logs the state of these warps
 *   woken                    warps whose wakers were called since the last time
 *   counts                   instructions issued, thread instructions completed
 */
#include "actor.h"

#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/scoreboard.h>

struct state {
	struct actor actor;
	struct hd_warps w;
	struct hd_ibuffer b;
	struct hd_scoreboard s;
	struct hd_pool *pool;
	struct hd_launch launch;
	uint32_t slots, entries, width;
	bool room;
	uint64_t launched;
	uint64_t woken, others; /* schedulers by warp; FETCH, DISPATCH */
	bool watching;
};

enum { PORT_WARPS, PORT_IBUFFER, PORT_SCOREBOARD };
enum { FETCH = 1, DISPATCH = 2 };

static void touch(struct state *st, uint64_t set)
{
	while (set)
		hd_warp_touch(&st->w, hd_warp_pop(&set));
}

static void cta(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t slot = (uint32_t)arg_number(a, "slot", 0);
	uint64_t set = 0;

	while (arg_more(a, 'w')) {
		uint32_t warp = arg_warp(a);
		uint64_t bit = UINT64_C(1) << warp;

		set |= bit;
		st->w.exited &= ~bit;
		st->w.retired &= ~bit;
		st->w.fresh |= bit;
		st->w.cta[warp] = slot;
		st->w.lanes[warp] = UINT32_MAX;
		st->w.age[warp] = st->launched++;
		hd_warp_touch(&st->w, warp);
	}
	st->w.cta_warps[slot] = set;
	st->w.cta_count++;
	hd_warp_fetchable(&st->w);
}

static void over(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t slot = (uint32_t)arg_number(a, "slot", 0);

	st->w.exited |= st->w.cta_warps[slot];
	st->w.retired |= st->w.cta_warps[slot];
	st->w.drained &= ~st->w.cta_warps[slot];
	st->w.cta_warps[slot] = 0;
	st->w.cta_count--;
	hd_wake(st->w.dispatch);
}

static void kernel(void *state, struct args *a)
{
	struct state *st = state;

	st->launch.warps = (uint32_t)arg_number(a, "warps", 1);
	st->w.sm = (uint32_t)arg_number(a, "sm", 0);
	st->w.sms = (uint32_t)arg_number(a, "sms", 1);
	hd_warps_set_launch(&st->w, &st->launch, (uint32_t)arg_number(a, "ctas", 1));
}

static void age(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 0);

	st->w.age[arg_warp(a)] = n;
}

static void end_warps(void *state, struct args *a)
{
	struct state *st = state;

	for (uint64_t m = arg_warps(a); m; m &= m - 1) {
		hd_warp_exit_lanes(&st->w, (uint32_t)__builtin_ctzll(m), UINT32_MAX);
		hd_warp_touch(&st->w, (uint32_t)__builtin_ctzll(m));
	}
}

static void block(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);
	uint32_t why = arg_choice(a, arg_word(a, "a reason"), toy_blocks);

	for (; set; set &= set - 1) {
		hd_warp_block(&st->w, (uint32_t)__builtin_ctzll(set), why);
		hd_warp_touch(&st->w, (uint32_t)__builtin_ctzll(set));
	}
}

static void unblock(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);
	uint32_t why = arg_choice(a, arg_word(a, "a reason"), toy_blocks);

	for (; set; set &= set - 1)
		hd_warp_unblock(&st->w, (uint32_t)__builtin_ctzll(set), why);
}

static void pending(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "long");
	uint32_t warp = arg_warp(a), n;
	uint16_t reg[HD_MAX_SRC];

	n = arg_regs(a, reg, HD_MAX_SRC);
	for (uint32_t i = 0; i < n; i++)
		hd_scoreboard_reserve(&st->s, warp, reg[i], 0, load);
	hd_warp_touch(&st->w, warp);
}

static void done(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "long");
	uint32_t warp = arg_warp(a), n;
	uint16_t reg[HD_MAX_SRC];

	n = arg_regs(a, reg, HD_MAX_SRC);
	for (uint32_t i = 0; i < n; i++)
		hd_scoreboard_release(&st->s, warp, reg[i], 0, !load);
}

static void flight(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->w.in_pipeline[warp] = (uint32_t)arg_number(a, "n", 0);
	hd_warp_ending(&st->w, warp);
}

static void stores(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->w.stores[warp] = (uint32_t)arg_number(a, "n", 0);
	hd_warp_ending(&st->w, warp);
}

static void atomics(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->w.atomics[warp] = (uint32_t)arg_number(a, "n", 0);
}

static void missing(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->w.missing |= set;
	touch(st, set);
}

static void arrived(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->w.missing &= ~set;
	touch(st, set);
}

static void retired(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = arg_warps(a);

	st->w.retired |= set;
	st->w.drained &= ~set;
	touch(st, set);
}

static void npc(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	st->w.npc[warp] = (uint32_t)arg_number(a, "pc", 0);
}

/* The buffer of the warp has changed. */
static void room(struct state *st, uint32_t warp)
{
	if (st->room && hd_ibuffer_has_room(&st->b, warp))
		hd_warp_fetchable(&st->w);
}

static void fill(void *state, struct args *a)
{
	struct state *st = state;
	hd_inst_ref ref = hd_alloc(st->actor.ctx, st->pool);
	struct hd_inst *inst = hd_inst(st->pool, ref);

	arg_inst(a, inst);
	hd_ibuffer_push(&st->b, inst->warp, ref);
	room(st, inst->warp);
	if (inst->flags & HD_INST_WRONG_PATH)
		st->b.wrong |= hd_warp_bit(inst->warp);
	st->w.in_pipeline[inst->warp]++;
	hd_warp_touch(&st->w, inst->warp);
}

static void issue(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	hd_release(st->pool, hd_ibuffer_head(&st->b, warp));
	hd_ibuffer_pop(&st->b, warp);
	room(st, warp);
	hd_warp_fetchable(&st->w);
}

static void flush(void *state, struct args *a)
{
	struct state *st = state;

	for (uint64_t set = arg_warps(a); set; set &= set - 1) {
		uint32_t warp = (uint32_t)__builtin_ctzll(set);

		while (st->b.count[warp]) {
			hd_release(st->pool, hd_ibuffer_head(&st->b, warp));
			hd_ibuffer_pop(&st->b, warp);
		}
		st->b.wrong &= ~hd_warp_bit(warp);
		room(st, warp);
		hd_warp_flush(&st->w, warp);
	}
}

static void show_warp(struct state *st, uint32_t i)
{
	const struct hd_warps *w = &st->w;
	char text[2000];
	size_t n = 0;

#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
	for (uint32_t k = 0; k < HD_BLOCKS; k++)
		if (w->blocked_by[k] >> i & 1)
			ADD(" %s", toy_blocks[k]);
	if (!(w->blocked >> i & 1) != (n == 0))
		ADD(" (blocked differs)");
	if (w->retired >> i & 1)
		ADD(" retired");
	else if (w->exited >> i & 1)
		ADD(" ended");
	else if (w->lanes[i] != UINT32_MAX)
		ADD(" lanes=%#x", w->lanes[i]);
	if (w->missing >> i & 1)
		ADD(" missing");
	if (w->in_pipeline[i])
		ADD(" flight=%u", w->in_pipeline[i]);
	if (w->stores[i])
		ADD(" stores=%u", w->stores[i]);
	if (w->atomics[i])
		ADD(" atomics=%u", w->atomics[i]);
	if (w->npc[i])
		ADD(" npc=%#x", w->npc[i]);
	if (w->flushed >> i & 1)
		ADD(" flushed");
	for (uint32_t k = 0; k < st->b.count[i]; k++) {
		const struct hd_inst *inst = hd_inst(st->pool, st->b.entry[st->b.next[i] + k * HD_MAX_WARPS]);

		ADD(" %s#%u", inst->flags & HD_INST_WRONG_PATH ? "wrong" : "", inst->code);
	}
	for (uint32_t r = 1; r < HD_REG_WORDS * 64; r++)
		if (hd_scoreboard_pends(&st->s, i, r))
			ADD(" R%u%s", r - 1, hd_scoreboard_loads(&st->s, i, r) ? "(long)" : "");
		else if (hd_scoreboard_loads(&st->s, i, r))
			ADD(" (R%u long)", r - 1);
#undef ADD
	toy_log(st->actor.ctx, "w%u%s", i, n ? text : " free");
}

static void show(void *state, struct args *a)
{
	for (uint64_t m = arg_warps(a); m; m &= m - 1)
		show_warp(state, (uint32_t)__builtin_ctzll(m));
}

static void woken(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "woken %s%s%s", warps_text(st->woken, text),
	        st->others & FETCH ? " fetch" : "", st->others & DISPATCH ? " dispatch" : "");
	st->woken = st->others = 0;
}

static void counts(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "uid=%llu completed=%llu", (unsigned long long)st->w.uid,
	        (unsigned long long)st->w.completed);
}

static const struct verb verbs[] = {
	{ "cta", cta }, { "over", over }, { "kernel", kernel }, { "age", age },
	{ "exit", end_warps }, { "block", block },
	{ "unblock", unblock },
	{ "pending", pending }, { "done", done }, { "flight", flight },
	{ "stores", stores }, { "atomics", atomics }, { "npc", npc },
	{ "missing", missing }, { "arrived", arrived }, { "retired", retired }, { "fill", fill },
	{ "issue", issue }, { "flush", flush }, { "show", show }, { "woken", woken }, { "counts", counts },
	{ .name = NULL },
};

static void launch_kernel(void *self, uint32_t number)
{
	(void)self;
	(void)number;
}

static void launch_cta(void *self, uint32_t slot, uint32_t first)
{
	struct state *st = self;
	hd_warp_set set = hd_warp_range(first, st->w.launch->warps);

	toy_log(st->actor.ctx, "launch slot=%u first=%u", slot, first);
	if (st->w.cta_warps[slot] || (set & ~st->w.retired))
		wrong(st->actor.ctx, "CTA slot %u or one of its warps is taken", slot);
	st->w.cta_warps[slot] = set;
	st->w.cta_count++;
	st->w.exited &= ~set;
	st->w.retired &= ~set;
	for (uint32_t i = first; i < first + st->w.launch->warps; i++)
		st->w.lanes[i] = UINT32_MAX;
}

static void retire(void *self, uint32_t warp)
{
	struct state *st = self;

	st->w.retired |= UINT64_C(1) << warp;
	st->w.drained &= ~(UINT64_C(1) << warp);
	toy_log(st->actor.ctx, "retire w%u", warp);
}

/* At the first edge: what no module has claimed in its start is watched here. */
static uint64_t eval(void *state)
{
	struct state *st = state;
	struct hd_warps *w = &st->w;

	if (!st->watching) {
		st->watching = true;
		for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
			if (w->scheduler[i].bit == 0)
				w->scheduler[i] = (struct hd_waker){ &st->woken, UINT64_C(1) << i };
		if (w->fetch.bit == 0)
			w->fetch = (struct hd_waker){ &st->others, FETCH };
		if (w->dispatch.bit == 0)
			w->dispatch = (struct hd_waker){ &st->others, DISPATCH };
	}
	return actor_eval(st);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;
	struct hd_warps *w = &st->w;

	actor_init(st, ctx);
	st->pool = hd_pool(ctx, &hd_type_inst);
	w->self = st;
	w->ctx = ctx;
	w->count = st->slots;
	w->holds = HD_BLOCKS;
	w->exited = w->retired = UINT64_MAX;
	w->sms = 1;
	w->launch_kernel = launch_kernel;
	w->launch_cta = launch_cta;
	w->retire = retire;
	w->unclaimed = w->fetch = w->dispatch = (struct hd_waker){ &st->others, 0 };
	for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
		w->scheduler[i] = w->unclaimed;
	st->b.entries = st->entries;
	st->b.width = st->width;
	st->b.refill_room = st->room;
	st->b.refill_at = st->entries - st->width;
	st->s.self = st;
	st->s.warps = w;
	return 0;
}

static const struct hd_param params[] = {
	{ .name = "slots", .unit = "warps", .doc = "hardware warp slots", .type = HD_U32,
	  .offset = offsetof(struct state, slots), .def = "64", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "entries", .unit = "instructions", .doc = "in the buffer of a warp",
	  .type = HD_U32, .offset = offsetof(struct state, entries), .def = "8", .min = 1,
	  .max = HD_IBUFFER_MAX },
	{ .name = "width", .unit = "instructions", .doc = "of a fetch, until a decode sets it",
	  .type = HD_U32, .offset = offsetof(struct state, width), .def = "2", .min = 1,
	  .max = HD_IBUFFER_MAX },
	{ .name = "pending", .unit = "registers", .doc = "of a warp, at most; 0: any number", .type = HD_U32,
	  .offset = offsetof(struct state, s.entries), .def = "0" },
	{ .name = "room", .unit = "", .doc = "a buffer is refilled when it has room", .type = HD_BOOL,
	  .offset = offsetof(struct state, room), .def = "false" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	GIVES("warps", hd_type_warps, w),
	[PORT_IBUFFER] = { .name = "ibuffer", .doc = "instruction buffers", .kind = HD_PROVIDES,
	                   .flags = HD_PROVIDER_FIRST | HD_ORDERED, .type = &hd_type_ibuffer,
	                   .offset = offsetof(struct state, b) },
	GIVES("scoreboard", hd_type_scoreboard, s),
	{ .name = NULL },
};

TOY(sm, "warps, instruction buffers, scoreboard", verbs, ports,
    .params = params, .init = init, .eval = eval);

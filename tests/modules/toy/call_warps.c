/* call_warps.c - toys: place CTAs on the module `warps` and retire warps; count edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   kernel warps=N threads=N ctas=N   the present launch
 *   launch slot=N first=N             places a CTA of it
 *   retire wN...                      one after another
 *   exit wN, block REASON wN, flight wN n=N, stores wN n=N    changes of a warp
 *   show wN...                        "wN cta=N age=N lanes=M [retired]", or "wN empty"
 *   ctas slot=N                       "= HOW MANY ON THE SM, warps of that slot"
 *   woken                             warps whose wakers were called since the last time
 *   dispatcher                        whether that of the dispatcher was
 *   changed                           warps whose issue conditions have changed since the last time
 * ticks: counts the edges of its clock, in its statistics.
 */
#include "actor.h"

struct state {
	struct actor actor;
	struct hd_warps *w;
	struct hd_launch launch;
	uint64_t woken, others; /* schedulers by warp; FETCH, DISPATCH */
	uint64_t edges;
};

enum { FETCH = 1, DISPATCH = 2 };

static void kernel(void *state, struct args *a)
{
	struct state *st = state;

	st->launch.warps = (uint32_t)arg_number(a, "warps", 1);
	st->launch.threads = (uint32_t)arg_number(a, "threads", st->launch.warps * HD_LANES);
	st->launch.number = (uint32_t)arg_number(a, "number", 1);
	hd_warps_set_launch(st->w, &st->launch, (uint32_t)arg_number(a, "ctas", 1));
}

static void saved(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	toy_saved(st, k);
	if (hd_loads(k) && st->launch.warps)
		st->w->launch = &st->launch;
}

static void launch(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t slot = (uint32_t)arg_number(a, "slot", 0);

	st->w->launch_cta(st->w->self, slot, (uint32_t)arg_number(a, "first", 0));
}

static void retire(void *state, struct args *a)
{
	struct state *st = state;

	while (arg_more(a, 'w'))
		st->w->retire(st->w->self, arg_warp(a));
}

static void end_warp(void *state, struct args *a)
{
	hd_warp_exit_lanes(((struct state *)state)->w, arg_warp(a), UINT32_MAX);
}

static void block(void *state, struct args *a)
{
	uint32_t warp = arg_warp(a);

	hd_warp_block(((struct state *)state)->w, warp,
	              arg_choice(a, arg_word(a, "a reason"), toy_blocks));
}

static void flight(void *state, struct args *a)
{
	uint32_t n = (uint32_t)arg_number(a, "n", 1);

	((struct state *)state)->w->in_pipeline[arg_warp(a)] = n;
}

static void stores(void *state, struct args *a)
{
	uint32_t n = (uint32_t)arg_number(a, "n", 1);

	((struct state *)state)->w->stores[arg_warp(a)] = n;
}

static void show(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_warps *w = st->w;

	for (hd_warp_set set = arg_warps(a); set;) {
		uint32_t i = hd_warp_pop(&set);

		if (hd_warp_in(w->retired, i) && hd_warp_in(w->exited, i))
			toy_log(st->actor.ctx, "w%u empty", i);
		else
			toy_log(st->actor.ctx, "w%u cta=%u age=%u lanes=%#x%s%s", i, w->cta[i],
			        (unsigned)w->age[i], w->lanes[i],
			        hd_warp_in(w->exited, i) ? " ended" : "",
			        hd_warp_in(w->retired, i) ? " retired" : "");
	}
}

static void ctas(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t slot = arg_number(a, "slot", 0);
	char text[SET_TEXT];

	toy_log(st->actor.ctx, "ctas = %u, %s", st->w->cta_count,
	        warps_text(st->w->cta_warps[slot], text));
}

static void woken(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "woken %s%s", warps_text(st->woken, text),
	        st->others & FETCH ? " fetch" : "");
	st->woken = 0;
	st->others &= ~(uint64_t)FETCH;
}

/* By itself: while a run is watched, a warp that retires wakes its scheduler as well. */
static void dispatcher(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "dispatcher %s", st->others & DISPATCH ? "woken" : "not woken");
	st->others &= ~(uint64_t)DISPATCH;
}

static void changed(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "changed %s",
	        warps_text(hd_warps_take_changed(st->w, HD_ALL_WARPS), text));
}

static const struct verb verbs[] = {
	{ "kernel", kernel }, { "launch", launch }, { "retire", retire },
	{ "exit", end_warp }, { "block", block }, { "flight", flight },
	{ "stores", stores }, { "show", show }, { "ctas", ctas }, { "woken", woken },
	{ "dispatcher", dispatcher },
	{ "changed", changed },
	{ .name = NULL },
};

static int start(void *state)
{
	struct state *st = state;
	struct hd_warps *w = st->w;

	for (uint32_t i = 0; i < HD_MAX_WARPS; i++)
		hd_warps_claim(w, &w->scheduler[i],
		               (struct hd_waker){ &st->woken, hd_warp_bit(i) });
	hd_warps_claim(w, &w->fetch, (struct hd_waker){ &st->others, FETCH });
	hd_warps_claim(w, &w->dispatch, (struct hd_waker){ &st->others, DISPATCH });
	return 0;
}

static const struct hd_port ports[] = {
	USES("warps", hd_type_warps, w),
	{ .name = NULL },
};

TOY_SAVED(saved, call_warps, "places CTAs and retires warps", verbs, ports,
    .init = actor_init, .start = start, .eval = actor_eval);

/* ---- edges ----------------------------------------------------------------------------------- */

static uint64_t tick(void *state)
{
	((struct state *)state)->edges++;
	return HD_NEXT;
}

static void skipped(void *state, uint64_t n)
{
	((struct state *)state)->edges += n;
}

static const struct hd_stat tick_stats[] = {
	{ .name = "edges", .unit = "edges", .doc = "of its clock",
	  .offset = offsetof(struct state, edges) },
	{ .name = NULL },
};

static const struct hd_port no_ports[] = { { .name = NULL } };

TOY(ticks, "counts the edges of its clock", NULL, no_ports,
    .stats = tick_stats, .eval = tick, .skipped = skipped);

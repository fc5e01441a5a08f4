/* call_icache.c - toy: fetches through an instruction cache
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   fetch wN pc=N       "= hit", "= miss" or "= fail"
 *   ready               a warp whose line has come, and what it fetched, or "none"
 *   rest pc=N           bytes from there to the end of the line
 *   cycle               the end of a fetch
 *   watch               requests to be woken from now on
 *   woken               whether it was, since the last time
 */
#include "actor.h"

#include <heddle/gpu/icache.h>

struct state {
	struct actor actor;
	const struct hd_icache_if *icache;
	uint64_t woken;
	bool watching;
};

static void fetch(void *state, struct args *a)
{
	static const char *const names[] = { "hit", "miss", "fail" };
	struct state *st = state;
	uint32_t pc = (uint32_t)arg_number(a, "pc", 0), warp = arg_warp(a);

	toy_log(st->actor.ctx, "fetch w%u = %s", warp,
	        names[st->icache->access(st->icache->self, warp, pc)]);
}

static void ready(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t pc;
	int warp = st->icache->ready(st->icache->self, &pc);

	(void)a;
	if (warp < 0)
		toy_log(st->actor.ctx, "ready = none");
	else
		toy_log(st->actor.ctx, "ready = w%d pc=%#x", warp, pc);
}

static void rest(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t pc = (uint32_t)arg_number(a, "pc", 0);

	if (st->icache->rest)
		toy_log(st->actor.ctx, "rest = %u", st->icache->rest(st->icache->self, pc));
	else
		toy_log(st->actor.ctx, "no lines");
}

static void end_fetch(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	st->icache->cycle(st->icache->self);
}

static void watch(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	if (st->icache->watch) {
		st->icache->watch(st->icache->self, (struct hd_waker){ &st->woken, 1 });
		st->watching = true;
	} else {
		toy_log(st->actor.ctx, "never misses");
	}
}

static void woken(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "woken = %s", st->woken ? "yes" : "no");
	st->woken = 0;
}

static void saved(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	toy_saved(st, k);
	if (hd_loads(k) && st->watching)
		st->icache->watch(st->icache->self, (struct hd_waker){ &st->woken, 1 });
}

static const struct verb verbs[] = {
	{ "fetch", fetch }, { "ready", ready }, { "cycle", end_fetch }, { "watch", watch },
	{ "woken", woken }, { "rest", rest }, { .name = NULL },
};

static const struct hd_port ports[] = {
	USES("icache", hd_type_icache_if, icache),
	{ .name = NULL },
};

TOY_SAVED(saved, call_icache, "fetches through an instruction cache", verbs, ports,
    .init = actor_init, .eval = actor_eval);

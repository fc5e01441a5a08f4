/* call_policy.c - toy: calls a scheduling policy, as an issue stage does
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   bind wN...          these are the scheduler's warps; before anything else
 *   order               a cycle begins: "order = " its warps that may issue, first to last
 *   issued wN [n=N]     the warp issued, as the nth of this cycle
 *   changed wN...       their next instruction, or what it waits for, has changed
 *   pass n=N            N cycles in which nothing changes: begun, or skipped
 *   polls               does the policy examine all warps: "polls = yes" or "polls = no"
 */
#include "actor.h"

#include <heddle/gpu/sched_policy.h>
#include <heddle/gpu/sync.h>

struct state {
	struct actor actor;
	struct hd_warps *warps;
	const void *sync;
	const struct hd_sched_policy_if *policy;
	uint64_t mine;
};

static void bind(void *state, struct args *a)
{
	struct state *st = state;

	st->mine = arg_warps(a);
	if (st->policy->bind)
		st->policy->bind(st->policy->self, st->mine);
}

static uint64_t begin(struct state *st)
{
	const struct hd_warps *w = st->warps;

	if (!st->policy->begin)
		return UINT64_MAX;
	return st->policy->begin(st->policy->self, st->mine & ~w->exited & ~w->blocked);
}

static void order(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t set = begin(st) & st->mine & ~st->warps->exited & ~st->warps->blocked;
	char text[SET_TEXT] = "";
	size_t n = 0;

	(void)a;
	while (set) {
		uint32_t warp = st->policy->first(st->policy->self, set);

		if (!(set >> warp & 1)) {
			wrong(st->actor.ctx, "w%u is not among the given warps", warp);
			return;
		}
		set &= ~(UINT64_C(1) << warp);
		n += (size_t)snprintf(text + n, sizeof text - n, " w%u", warp);
	}
	toy_log(st->actor.ctx, "order =%s", n ? text : " none");
}

static void issued(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t nth = (uint32_t)arg_number(a, "n", 0);

	st->policy->issued(st->policy->self, arg_warp(a), nth);
}

static void changed(void *state, struct args *a)
{
	struct state *st = state;

	if (st->policy->changed)
		st->policy->changed(st->policy->self, arg_warps(a));
}

static void pass(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 1);

	if (!st->policy->needs_every_edge) {
		if (st->policy->skipped)
			st->policy->skipped(st->policy->self, n);
		return;
	}
	while (n-- > 0)
		begin(st);
}

static void polls(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "polls = %s", st->policy->polls_fences ? "yes" : "no");
}

static const struct verb verbs[] = {
	{ "bind", bind }, { "order", order }, { "issued", issued }, { "changed", changed },
	{ "pass", pass }, { "polls", polls }, { .name = NULL },
};

static const struct hd_port ports[] = {
	USES("warps", hd_type_warps, warps),
	USES("sync", hd_type_fence_if, sync),
	USES("policy", hd_type_sched_policy_if, policy),
	{ .name = NULL },
};

TOY(call_policy, "calls a scheduling policy", verbs, ports, .init = actor_init, .eval = actor_eval);

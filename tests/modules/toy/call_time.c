/* call_time.c - toy: looks at a time base
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   now             "= N", cycles of that clock that are over
 *   until n=N       after how many edges of its own clock that one may have come to cycle N
 */
#include "actor.h"

#include <heddle/gpu/time.h>

struct state {
	struct actor actor;
	const struct hd_time *time;
};

static void now(void *state, struct args *a)
{
	struct state *st = state;

	(void)a;
	toy_log(st->actor.ctx, "now = %llu", (unsigned long long)*st->time->now);
}

static void until(void *state, struct args *a)
{
	struct state *st = state;
	uint64_t n = arg_number(a, "n", 0);

	toy_log(st->actor.ctx, "until %llu = %llu", (unsigned long long)n,
	        (unsigned long long)hd_edges_until(st->actor.ctx, st->time, n));
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = { { "now", now }, { "until", until }, { NULL, NULL } };

	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "time", .doc = "looked at", .kind = HD_USES, .type = &hd_type_time,
	  .offset = offsetof(struct state, time) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_time = {
	TOY_HEAD, .name = "call_time", .doc = "looks at a time base", .ports = ports,
	.state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

/* call_groups.c - toy: asks a divergence policy, as decode does
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   next wN...      "next #N class=NAME" for the next instruction of each warp, or "next wN = none"
 *   pc wN           "pc wN = 0xN"
 */
#include "actor.h"

#include <heddle/gpu/divergence.h>

struct state {
	struct actor actor;
	const struct hd_divergence_if *groups;
	const struct hd_warps *after;
};

static void next(void *state, struct args *a)
{
	struct state *st = state;
	const struct hd_ctx *c = st->actor.ctx;

	while (arg_more(a, 'w')) {
		struct hd_inst inst;
		uint32_t warp = arg_warp(a);

		if (st->groups->next(st->groups->self, warp, &inst))
			toy_log(c, "next #%u class=%s", inst.code,
			        hd_symbol_name(c, "class", inst.cls));
		else
			toy_log(c, "next w%u = none", warp);
	}
}

static void pc(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a);

	toy_log(st->actor.ctx, "pc w%u = 0x%x", warp, st->groups->pc(st->groups->self, warp));
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = { { "next", next }, { "pc", pc }, { NULL, NULL } };

	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "groups", .doc = "is asked", .kind = HD_USES, .type = &hd_type_divergence_if,
	  .offset = offsetof(struct state, groups) },
	CALL_AFTER(struct state),
	{ .name = NULL },
};

const struct hd_module hd_module_call_groups = {
	TOY_HEAD, .name = "call_groups", .doc = "asks a divergence policy", .ports = ports,
	.state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

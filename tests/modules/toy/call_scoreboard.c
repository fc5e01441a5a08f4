/* call_scoreboard.c - toy: reserves, checks and releases registers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *   reserve wN RN [long]          the register will be written; long: by a global or local load
 *   release wN RN [load]          it was; load: by a load that returns its data
 *   check #N wN dst=RN src=RN...  may the instruction be issued: "= waits" or "= passes"
 *   busy                          "= " warps with pending registers
 *   long wN RN                    is the register marked as that of a load: "= yes" or "= no"
 */
#include "actor.h"

#include <heddle/gpu/scoreboard.h>

struct state {
	struct actor actor;
	const void *after;
	struct hd_scoreboard *s;
};

static void reserve(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "long");
	uint32_t warp = arg_warp(a);

	hd_scoreboard_reserve(st->s, warp, arg_reg(a), load);
}

static void release(void *state, struct args *a)
{
	struct state *st = state;
	bool load = arg_flag(a, "load");
	uint32_t warp = arg_warp(a);

	hd_scoreboard_release(st->s, warp, arg_reg(a), !load);
}

static void check(void *state, struct args *a)
{
	struct state *st = state;
	struct hd_inst inst;

	arg_inst(a, &inst);
	toy_log(st->actor.ctx, "check #%u = %s", inst.code,
	        hd_scoreboard_collides(st->s, &inst) ? "waits" : "passes");
}

static void busy(void *state, struct args *a)
{
	struct state *st = state;
	char text[SET_TEXT];

	(void)a;
	toy_log(st->actor.ctx, "busy = %s", warps_text(st->s->busy, text));
}

static void marked(void *state, struct args *a)
{
	struct state *st = state;
	uint32_t warp = arg_warp(a), reg = arg_reg(a);

	toy_log(st->actor.ctx, "long w%u R%u = %s", warp, reg - 1,
	        hd_scoreboard_loads(st->s, warp, reg) ? "yes" : "no");
}

static int init(void *state, struct hd_ctx *ctx)
{
	static const struct verb verbs[] = {
		{ "reserve", reserve }, { "release", release }, { "check", check },
		{ "busy", busy }, { "long", marked }, { NULL, NULL },
	};

	actor_init(state, ctx, verbs);
	return 0;
}

static const struct hd_port ports[] = {
	CALL_AFTER(struct state),
	{ .name = "scoreboard", .doc = "called", .kind = HD_USES, .type = &hd_type_scoreboard,
	  .offset = offsetof(struct state, s) },
	{ .name = NULL },
};

const struct hd_module hd_module_call_scoreboard = {
	TOY_HEAD, .name = "call_scoreboard", .doc = "reserves, checks and releases registers",
	.ports = ports, .state_size = sizeof(struct state), .init = init, .eval = actor_eval,
};

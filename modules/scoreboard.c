/* scoreboard.c - registers that instructions in flight will write
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Scoreboard.  The sets themselves are in gpu/scoreboard.h, since every issue
 * stage reads them every cycle.
 */
#include <heddle/gpu/scoreboard.h>

struct state {
	struct hd_scoreboard s;
	struct hd_ctx *ctx;
	struct hd_ifs listeners;
	struct hd_registers_if all; /* of them */
};

enum { EVENT_RELEASE };

/* A function of its own, so that a run in which no filter names the event keeps nothing over a call. */
static __attribute__((noinline, cold)) void tell(const struct state *st, uint32_t warp, uint32_t reg)
{
	hd_emit(st->ctx, EVENT_RELEASE, warp, (int64_t)reg - 1);
}

static void report(void *self, uint32_t warp, uint32_t reg)
{
	struct state *st = self;

	hd_scoreboard_released(&st->s, warp, reg);
	if (HD_UNLIKELY(st->ctx->events != 0))
		tell(st, warp, reg);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->s.self = st;
	st->s.report = ctx->observable ? report : NULL;
	st->s.loud = ctx->observable;
	hd_scoreboard_hear(&st->s, &st->listeners, &st->all);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct hd_scoreboard *s = &((const struct state *)state)->s;

	for (uint32_t w = 0; w < HD_MAX_WARPS; w++)
		for (uint32_t r = 1; r < HD_REG_WORDS * 64 && hd_warp_in(s->busy, w); r++)
			if (hd_scoreboard_pends(s, w, r))
				hd_report_pending(h, "warp %u waits for register R%u", w, r - 1);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->s.busy);
	HD_SAVED_FROM(k, &st->s, any, longop);
	if (hd_loads(k)) /* until the issue stages find it again */
		memset(st->s.awaited, HD_AWAITS_ANY, sizeof st->s.awaited);
}

static const struct hd_param params[] = {
	{ .name = "entries", .unit = "registers", .doc = "pending registers that a warp may have; an "
	  "instruction that would write one more waits; 0: any number", .type = HD_U32,
	  .offset = offsetof(struct state, s.entries), .def = "0", .min = 0,
	  .max = HD_REG_WORDS * 64 - 1 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "release", .doc = "for writers of results, before the checks",
	  .kind = HD_PROVIDES, .flags = HD_WORK_IN, .type = &hd_type_scoreboard,
	  .offset = offsetof(struct state, s), .phase = 0 },
	{ .name = "check", .doc = "for stages that check and reserve registers",
	  .kind = HD_PROVIDES, .type = &hd_type_scoreboard, .offset = offsetof(struct state, s),
	  .phase = 1 },
	{ .name = "warps", .doc = "is notified of changes of a warp's conditions", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = offsetof(struct state, s.warps) },
	{ .name = "registers", .doc = "are notified of registers that are reserved, written, released; open: there "
	                              "are none",
	  .kind = HD_USES, .flags = HD_OPTIONAL | HD_ARRAY, .type = &hd_type_registers_if,
	  .offset = offsetof(struct state, listeners) },
	{ .name = NULL },
};

static const struct hd_by_slot by_slot[] = {
	{ .name = "busy", .offset = offsetof(struct state, s.busy), .size = sizeof(hd_warp_set) },
	{ .name = "any", .offset = offsetof(struct state, s.any), .size = sizeof(uint64_t), .array = true },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_RELEASE] = { .name = "release", .doc = "a pending register was written",
	                    .flags = HD_EVENT_DETAIL,
	                    .fields = { { "warp", "", "hardware warp slot", NULL, HD_FIELD_KEY },
	                                { "reg", "", "SASS number of the register" } } },
	{ .name = NULL },
};

const struct hd_module hd_module_scoreboard = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scoreboard",
	.doc = "registers being written, per warp: read-after-write and write-after-write",
	.params = params,
	.ports = ports,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
	.by_slot = by_slot,
};

/* timebase.c - counts the cycles of its clock, for modules whose delays are given in them
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include <heddle/ahead.h>
#include <heddle/gpu/time.h>

struct state {
	struct hd_time time;
};

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->time = (struct hd_time){ .now = ctx->passed, .rate = ctx->rate };
	return 0;
}

static const struct hd_port ports[] = {
	{ .name = "time", .doc = "for counting cycles of this clock", .kind = HD_PROVIDES, .flags = HD_APART,
	  .type = &hd_type_time, .offset = offsetof(struct state, time) },
	{ .name = NULL },
};

const struct hd_module hd_module_timebase = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "timebase",
	.doc = "counts the cycles of its clock, for delays in modules of other clocks",
	.ports = ports,
	.state_size = sizeof(struct state),
	.init = init,
	.checkpoint = hd_nothing_saved,
};

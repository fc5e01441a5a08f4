/* stage.c - toy: a pipeline register, one token per edge
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "toy.h"

struct state {
	struct hd_end in, out;
	uint64_t passed;
};

static uint64_t eval(void *state)
{
	struct state *st = state;
	const struct token *t = hd_front(&st->in);

	if (!t || hd_room(&st->out) == 0)
		return HD_SLEEP;
	hd_put(&st->out, t, sizeof *t);
	hd_take(&st->in);
	st->passed++;
	return HD_NEXT;
}

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .type = &toy_token,
	  .offset = offsetof(struct state, in) },
	{ .name = "out", .doc = "the same", .kind = HD_OUT, .type = &toy_token,
	  .offset = offsetof(struct state, out), .most = 1 },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "passed", .unit = "tokens", .doc = "tokens moved on",
	  .offset = offsetof(struct state, passed) },
	{ .name = NULL },
};

const struct hd_module hd_module_stage = {
	TOY_HEAD, .name = "stage", .doc = "passes one token per edge", .ports = ports, .stats = stats,
	.state_size = sizeof(struct state), .eval = eval,
	.checkpoint = hd_nothing_saved,
};

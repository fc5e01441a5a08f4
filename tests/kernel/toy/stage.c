/* stage.c - toys: a pipeline register, one token per edge, with FIFOs and with registers
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

/* A stage with registers: put and taken together, or one after the other. */
static uint64_t eval_reg(void *state)
{
	struct state *st = state;
	const struct token *t = hd_reg_front(&st->in, sizeof *t);

	if (!t || !hd_reg_free(&st->out))
		return HD_SLEEP;
	if (st->passed++ % 2) {
		hd_reg_pass(&st->in, &st->out, t, sizeof *t);
	} else {
		hd_reg_put(&st->out, t, sizeof *t);
		hd_reg_take(&st->in);
	}
	return HD_SLEEP;
}

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .type = &toy_token,
	  .offset = offsetof(struct state, in) },
	{ .name = "out", .doc = "the same", .kind = HD_OUT, .type = &toy_token,
	  .offset = offsetof(struct state, out), .most = 1 },
	{ .name = NULL },
};

static const struct hd_port ports_reg[] = {
	{ .name = "in", .doc = "tokens", .kind = HD_IN, .flags = HD_REG, .type = &toy_token,
	  .offset = offsetof(struct state, in) },
	{ .name = "out", .doc = "the same", .kind = HD_OUT, .flags = HD_REG, .type = &toy_token,
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

const struct hd_module hd_module_reg_stage = {
	TOY_HEAD, .name = "reg_stage", .doc = "the same between registers", .ports = ports_reg, .stats = stats,
	.state_size = sizeof(struct state), .eval = eval_reg,
	.checkpoint = hd_nothing_saved,
};

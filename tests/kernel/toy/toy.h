/* toy.h - small modules that test the kernel, and their types
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A toy reports its actions by events only, so that a test reads one log in order of time.
 * Every toy keeps the contract: an extra evaluation has no effect.
 */
#ifndef TESTS_TOY_H
#define TESTS_TOY_H

#include <heddle/module.h>

struct token {
	uint32_t value, from;
};

static const struct hd_type toy_token = {
	.name = "token", .size = sizeof(struct token), .version = 1,
};

/* Calls of a board; `self` differs from port to port. */
struct board_if {
	void *self;
	void (*poke)(void *self, uint32_t who);
};

static const struct hd_type toy_board = {
	.name = "board", .size = sizeof(struct board_if), .version = 1,
};

extern const struct hd_module hd_module_board, hd_module_clerk, hd_module_fault, hd_module_gatekeeper,
	hd_module_holder, hd_module_misfit, hd_module_pooler, hd_module_names, hd_module_reg_stage, hd_module_router,
	hd_module_set_sink, hd_module_set_source, hd_module_sink, hd_module_sleeper, hd_module_source,
	hd_module_stage, hd_module_user, hd_module_worker;

/* hd_module.init of a toy whose state begins with `struct hd_ctx *ctx`. */
static inline int toy_init(void *state, struct hd_ctx *ctx)
{
	*(struct hd_ctx **)state = ctx;
	return 0;
}

#define TOY_HEAD .abi = HD_ABI, .size = sizeof(struct hd_module)

#endif

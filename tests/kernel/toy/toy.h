/* toy.h - small modules that try the kernel, and what they share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A toy tells what it does through events only, so that a test reads one log in the order in
 * which things happened.  Every toy keeps the contract: evaluated too often it does no harm.
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

/* What a board lets others do; `self` differs from port to port. */
struct board_if {
	void *self;
	void (*poke)(void *self, uint32_t who);
};

static const struct hd_type toy_board = {
	.name = "board", .size = sizeof(struct board_if), .version = 1,
};

extern const struct hd_module hd_module_board, hd_module_clerk, hd_module_fault, hd_module_gatekeeper,
	hd_module_holder, hd_module_misfit, hd_module_pooler, hd_module_names, hd_module_router,
	hd_module_set_sink, hd_module_set_source, hd_module_sink, hd_module_sleeper, hd_module_source,
	hd_module_stage, hd_module_user, hd_module_worker;

#define TOY_HEAD .abi = HD_ABI, .size = sizeof(struct hd_module)

#endif

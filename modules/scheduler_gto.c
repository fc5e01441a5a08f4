/* scheduler_gto.c - scheduling policy: greedy, then oldest
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, P2: the warp that issued last, then the others by age.
 */
#include "scheduler/greedy.h"

static int init(void *state, struct hd_ctx *ctx)
{
	(void)ctx;
	hd__greedy_init(state);
	return 0;
}

const struct hd_module hd_module_scheduler_gto = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "scheduler_gto",
	.doc = "scheduling policy: the warp that issued last, then the oldest",
	.ports = hd__greedy_ports,
	.state_size = sizeof(struct greedy),
	.init = init,
	.checkpoint = hd__greedy_saved,
};

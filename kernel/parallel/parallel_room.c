/* parallel_room.c - what running ahead is for the kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_ahead.h"

const struct hd_parallel_hooks hd__parallel_room = {
	.divide = hd__sections_find,
	.free_shards = hd__shards_free,
	.follow = hd__shards_follow,
	.record = hd__shard_record,
	.plan = hd__ahead_new,
	.free = hd__ahead_free,
	.run = hd__ahead_run,
	.has_run = hd__ahead_has_run,
};

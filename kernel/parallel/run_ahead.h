/* run_ahead.h - partitions run many periods each in turn, with the results of the lock step
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARALLEL_RUN_AHEAD_H
#define KERNEL_PARALLEL_RUN_AHEAD_H

#include "kernel/rollback.h"
#include "kernel/shard.h"

/* Members of struct hd_parallel_hooks.  ahead_plan.c */
struct hd_ahead *hd__ahead_new(struct hd_sim *s, char **why);
void hd__ahead_free(struct hd_ahead *a);
/* run_ahead.c */
uint64_t hd__ahead_run(struct hd_sim *s, bool *busy);
bool hd__ahead_has_run(const struct hd_ahead *a);
/* shards.c */
bool hd__sections_find(struct hd_sim *s);
void hd__shards_free(struct hd_sim *s);
void hd__shards_follow(struct hd_sim *s);
/* shard_pool.c */
uint32_t hd__shard_record(const struct hd_ctx *c, struct hd_pool *view);
/* Between two windows: records that are free go to the shards that need them. */
void hd__shard_pools(struct hd_sim *s);

/* Its windows: how many, how long, how many were shorter or too short, and why: lines of text, to be freed. */
char *hd__ahead_text(const struct hd_ahead *a);

#endif

/* shard.h - what each thread has for itself while it runs a part of a simulation
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A shard is a set of partitions that are never run by two threads at once.  Its instances have the time from
 * copies of the clocks, their processes lie in words of the sets of processes that no other shard has, and
 * their records are in free lists of their own.  In lock step all copies of a clock are at the same edge.
 */
#ifndef KERNEL_SHARD_H
#define KERNEL_SHARD_H

#include "sim.h"

#define HD_NO_SHARD UINT32_MAX
#define HD_NO_SECTION UINT32_MAX

/* Of a root clock. */
struct hd_shard_time {
	uint64_t period, passed;
};

/* In a cache line of its own, as it is written by the thread that runs it. */
struct hd_shard {
	_Alignas(64) struct hd_clock **clocks; /* by index in hd_sim.clocks: its own copy; the clock itself, if it has
	                                        * a gate */
	struct hd_shard_time *times; /* by root */
	uint64_t gates_moved;      /* in the present window: roots whose gates moved */
	uint64_t woke;             /* 1: it has woken the instance that others wake, in a window; 64 bits, as without
	                            * shards a word of the set of awake processes is read in its place */
	bool runs;                 /* a thread runs it in the present window */
	bool claimed;              /* by a thread */
};

/* The clock as instances of the shard see it. */
static inline struct hd_clock *hd__shard_clock(const struct hd_sim *s, uint32_t shard, struct hd_clock *c)
{
	return shard == HD_NO_SHARD || !c ? c : s->shards[shard].clocks[c - s->clocks];
}

/* The clock that the instance is evaluated with; NULL: it has none. */
static inline struct hd_clock *hd__clock_seen(const struct hd_instance *in)
{
	return hd__shard_clock(in->ctx.sim, in->shard, in->clock);
}

/* The roots of which gates have moved: in a window gates that the shard has. */
static inline uint64_t *hd__gates_moved(struct hd_sim *s, uint32_t shard)
{
	return s->in_window && shard != HD_NO_SHARD ? &s->shards[shard].gates_moved : &s->gates_moved;
}

#endif

/* process.h - a process: what is evaluated, what it waits for, and sets of processes in words
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <stdint.h>

struct hd_clock;
struct hd_sim;

#define HD_NO_PROCESS UINT32_MAX

/* One instance with an eval callback, in order of rank; one cache line.  The run loop touches it for evaluations of a
 * process with flags only. */
struct hd_process {
	uint64_t (*eval)(void *state);
	void *state;
	struct hd_clock *clock;
	uint64_t last;            /* clock->now at the last evaluation, if HD_PROCESS_SLEPT */
	void (*skipped)(void *state, uint64_t n);
	uint64_t due;             /* edge at which its timer is due, or the last that it had would have been */
	struct hd_sim *sim;
	uint32_t group;           /* rotate group + 1, 0: none */
	uint32_t flags;           /* 0: only eval is called */
};

enum hd_process_flag {
	HD_PROCESS_GROUP = 1 << 0,  /* in a rotating group */
	HD_PROCESS_SLEPT = 1 << 1,  /* `skipped` is to be called for the edges since `last` */
	HD_PROCESS_TIMED = 1 << 2,  /* has inputs whose payloads become visible by time */
	HD_PROCESS_COUNTS = 1 << 3, /* has a `skipped` callback */
	HD_PROCESS_ASKED = 1 << 4,  /* others sleep until it answers otherwise: hd_probe.asked */
};

/* What is called for a process, by rank; the run loop needs no more of most. */
struct hd_routine {
	uint64_t (*eval)(void *state);
	void *state;
};

/* Of the processes in a word of the set of those that are awake: what has to be looked at when one goes to sleep. */
struct hd_noted {
	uint64_t counting; /* has a `skipped` callback or inputs that become visible by time */
	uint64_t armed;    /* has a timer: if it is awake, of an earlier sleep */
	uint64_t far;      /* the bucket that it is in may come before its timer is due */
	uint64_t filled;   /* not of processes: buckets of the word in which there may be some */
};

/* Members of a set of processes that lie in one word: of many clocks each has few processes. */
struct hd_share {
	uint32_t word;
	uint64_t bits;
};

/* A part of a set of processes: of many clocks each phase has edges for few of them. */
struct hd_words {
	uint32_t first, end;
};

#endif

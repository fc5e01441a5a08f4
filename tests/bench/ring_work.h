/* ring_work.h - the work of each stage of the measured rings, in C and in C++
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * About 1 ns of work, so that the kernel is measured.  A ring has n stages; a token that
 * arrives at stage i is changed by ring_work(), added to the sum of that stage and passed on.
 */
#ifndef TESTS_BENCH_RING_WORK_H
#define TESTS_BENCH_RING_WORK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint32_t ring_work(uint32_t token, uint32_t stage)
{
	return (token + stage) * 1664525u + 1013904223u;
}

/* The token with which stage i starts, if it has one: `tokens` are spread evenly over n stages. */
static inline uint32_t ring_seed(uint32_t i)
{
	return (i + 1) * 2654435769u;
}

static inline bool ring_seeded(uint32_t i, uint32_t n, uint32_t tokens)
{
	return (uint64_t)i * tokens % n < tokens;
}

/* Three clock domains, MHz: periods of about 883, 1176 and 1000 ps.  The last stage of each puts into a FIFO of
 * RING_CROSSING places in front of the next one's first stage. */
#define RING_DOMAINS 3u
#define RING_CROSSING 4u

static const uint32_t ring_mhz[RING_DOMAINS] = { 1132, 850, 1000 };

#define RING_SLICES 100 /* of a run, each timed */

/* Folds the sum of the next stage into a checksum. */
static inline uint32_t ring_fold(uint32_t checksum, uint32_t sum)
{
	checksum = (checksum ^ sum) * 2654435769u;
	return checksum ^ checksum >> 15;
}

static inline double ring_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Processor time of this thread, ns: rings wait for nothing, and so other programs do not count. */
static inline double ring_now(void)
{
	return ring_clock(CLOCK_THREAD_CPUTIME_ID);
}

static inline double ring_wall(void)
{
	return ring_clock(CLOCK_MONOTONIC);
}

#endif

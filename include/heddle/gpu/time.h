/* time.h - interface of a time base: delays that are meant in cycles of another clock
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_TIME_H
#define HEDDLE_GPU_TIME_H

#include <heddle/ahead.h>
#include <heddle/module.h>

struct hd_time {
	const uint64_t *now; /* cycles of that clock that are over: n during cycle n, then n + 1 */
	uint64_t rate;       /* of that clock, in the unit of hd_ctx.rate */
};

static const struct hd_type hd_type_time = {
	.name = "time", .size = sizeof(struct hd_time), .version = 1,
};

/* From start: the time base at a port of the instance as it may look at it: *now is that of its own part, which may
 * run apart from others. */
static inline struct hd_time hd_time_seen(const struct hd_ctx *c, unsigned port, const struct hd_time *t)
{
	return (struct hd_time){ .now = hd_passed_of(c, port), .rate = t->rate };
}

/* For eval to return: edges of the instance's clock after which `cycle` may have come; it may be
 * somewhat early, never late. */
static inline uint64_t hd_edges_until(const struct hd_ctx *c, const struct hd_time *t,
                                      uint64_t cycle)
{
	uint64_t ahead = cycle > *t->now ? cycle - *t->now : 0, edges;

	if (ahead < 2)
		return HD_NEXT;
	if (c->passed == t->now && c->rate == t->rate)
		return ahead;
	edges = (uint64_t)(__extension__ (unsigned __int128)(ahead - 1) * c->rate / t->rate);
	return edges ? edges : HD_NEXT;
}

#endif

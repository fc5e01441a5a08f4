/* ahead_plan.h - what runs ahead of what: domains, their clocks and processes, and the longest window
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_AHEAD_PLAN_H
#define KERNEL_AHEAD_PLAN_H

#include "ahead.h"
#include "partition.h"

#define HD_WINDOW 1024u /* periods of the first root at most */

/* A clock that ticks while a domain runs, and the processes that the domain has on it. */
struct hd_tick {
	struct hd_clock *clock;
	uint32_t root;             /* number of its root */
	struct hd_share *shares;   /* .word counts the words of the domain */
	uint32_t nshares;
};

/* Partitions that are evaluated edge by edge with each other. */
struct hd_domain {
	struct hd_tick *ticks;
	uint32_t nticks;
	uint32_t *words;           /* of the set of awake processes, in order */
	uint64_t *member;          /* the processes of the domain in each */
	uint64_t *due;             /* those with an edge now */
	uint32_t nwords;
	bool gated;                /* some of its clocks are */
};

/* A channel from one domain to another. */
struct hd_crossing {
	const struct hd_channel *channel;
	uint32_t most;             /* payloads that may be put in an edge of the producer */
	struct hd_tide tide;       /* if it is metered */
	uint64_t held;             /* windows that its room has made shorter */
};

/* An instance whose calls to others have to be foreseen. */
struct hd_caller {
	const struct hd_instance *instance;
	uint64_t held;             /* windows that it has made shorter */
	bool takes;                /* it has inputs, over which it may be woken at any time */
	bool awake;                /* before a domain ran; or it may be */
};

struct hd_ahead {
	struct hd_sim *s;
	struct hd_domain *domains; /* in the order in which they run a window */
	uint32_t ndomains;
	uint32_t *of;              /* by rank: the domain */
	struct hd_crossing *crossings;
	size_t ncrossings;
	struct hd_caller *callers;
	size_t ncallers;
	uint64_t window;           /* periods of the first root */
	uint64_t windows, periods; /* so far */

	/* the present window */
	uint64_t *due;             /* by moment: the roots that tick */
	uint8_t *phase;            /* by moment and root: the phase in which it does */
	uint64_t *period, *passed; /* by moment and root */
	bool *ran;                 /* by moment: a process ran */
	size_t nmoments, capmoments;
	uint64_t *begin, *end;     /* by clock: edges */
};

/* Edges of a clock in so many periods of the first root, at most. */
uint64_t hd__edges_in(const struct hd_sim *s, const struct hd_clock *c, uint64_t periods);
bool hd__gated(const struct hd_clock *c);

#endif

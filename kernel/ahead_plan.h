/* ahead_plan.h - what runs ahead of what: domains, their clocks and processes, and the longest window
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_AHEAD_PLAN_H
#define KERNEL_AHEAD_PLAN_H

#include "ahead.h"
#include "partition.h"

#define HD_WINDOW 1024u /* periods of the first root at most, */
#define HD_LEAST_WINDOW 4u /* and at least: fewer are not worth it */

/* A clock that ticks while a domain runs, and the processes that the domain has on it. */
struct hd_tick {
	struct hd_clock *clock;
	uint32_t root;             /* number of its root */
	uint32_t column;           /* in hd_ahead.edge; HD_GATED: it counts its edges itself */
	struct hd_share *shares;   /* .word counts the words of the domain */
	uint32_t nshares;
};
#define HD_GATED UINT32_MAX

/* The roots that tick at a moment, and in which phases: many moments are of one kind. */
struct hd_moment_kind {
	uint64_t due;
	uint8_t phase[HD_MAX_ROOTS];
};

/* What ticks in a domain at moments of one kind. */
struct hd_beat {
	uint64_t generation;       /* of the domain when the rest was made; 0: never */
	uint64_t *mask;            /* by word: processes with an edge */
	const struct hd_tick **timed; /* clocks that are on and have processes here, or count themselves */
	uint32_t ntimed;
};

/* Partitions that are evaluated edge by edge with each other. */
struct hd_domain {
	struct hd_tick *ticks;
	uint32_t nticks;
	uint32_t *words;           /* of the set of awake processes, in order */
	uint64_t *member;          /* the processes of the domain in each */
	uint32_t nwords;
	uint64_t gates;            /* roots of which it has clocks with gates */
	bool wakes;                /* it may wake the instance at hd_ahead.waits */
	uint64_t generation;       /* changes when a clock is switched on or off */
	struct hd_beat *beats;     /* by kind of moment */
	size_t nbeats;

	/* in the present window */
	size_t at;                 /* the next moment */
	bool held;                 /* until that instance has been evaluated at the moment before */
	uint64_t moved;            /* roots of which gates have moved since it has looked */
};

/* Windows that something has made shorter, or so short that none was run. */
struct hd_held {
	uint64_t shorter, prevented;
};

/* A channel from one domain to another. */
struct hd_crossing {
	const struct hd_channel *channel;
	uint32_t most;             /* payloads that may be put in an edge of the producer */
	struct hd_tide tide;       /* if it is metered */
	struct hd_held held;       /* by its room */
};

/* An instance whose calls to others have to be foreseen. */
struct hd_caller {
	const struct hd_instance *instance;
	struct hd_held held;       /* by what it foresees */
	bool takes;                /* it has inputs, over which it may be woken at any time */
	bool awake;                /* before a domain ran; or it may be */
};

/* An instance that others wake, each of them at most once before it has been evaluated: a domain that
 * has done so waits at that moment until all others have come as far. */
struct hd_waits {
	const struct hd_instance *instance; /* NULL: there is none */
	uint32_t domain;           /* its own */
	uint32_t column;           /* of its clock in hd_ahead.edge */
	uint64_t *awake;           /* who was awake before it was evaluated */
};

struct hd_ahead {
	struct hd_sim *s;
	struct hd_domain *domains; /* in the order in which they run a window */
	uint32_t ndomains;
	uint32_t nfirst;           /* the first ones, behind which none wakes .waits */
	struct hd_waits waits;
	uint32_t *of;              /* by rank: the domain */
	struct hd_crossing *crossings;
	size_t ncrossings;
	struct hd_caller *callers;
	size_t ncallers;
	uint64_t window;           /* periods of the first root */
	uint64_t windows, periods; /* so far */
	uint32_t rest, looked;     /* periods of lock step that are left, and were set, before the next window is tried */

	/* the present window */
	uint32_t *kind;            /* by moment: index into kinds */
	uint64_t *period, *passed; /* by moment and root */
	uint64_t *edge;            /* by moment and clock without gate: its edge */
	bool *ran;                 /* by moment: a process ran */
	size_t nmoments, capmoments;
	struct hd_moment_kind *kinds;
	size_t nkinds;
	struct hd_clock **open;    /* the clocks without gate: columns of `edge` */
	uint32_t nopen;
	uint64_t *begin;           /* by column: before the window */
};

/* Edges of a clock in so many periods of the first root, at most. */
uint64_t hd__edges_in(const struct hd_sim *s, const struct hd_clock *c, uint64_t periods);
bool hd__gated(const struct hd_clock *c);

/* ahead_time.c: the clocks stand where the window begins. */
void hd__ahead_begin(struct hd_ahead *a);
/* Lists the moments up to the last one of so many periods of the first root, and moves the roots behind them. */
void hd__ahead_moments(struct hd_ahead *a, uint64_t periods);
/* Moves all clocks without gate behind them. */
void hd__ahead_end(const struct hd_ahead *a);
/* Does the clock tick at the moment, if it is on? */
static inline bool hd__ahead_ticks(const struct hd_ahead *a, const struct hd_clock *c, size_t moment)
{
	const struct hd_moment_kind *k = &a->kinds[a->kind[moment]];
	unsigned root = (unsigned)(c->root - a->s->roots);

	return k->due >> root & 1 && c->phases >> k->phase[root] & 1;
}
/* The first moment, from this one on, at which it does; nmoments: none. */
size_t hd__ahead_tick_from(const struct hd_ahead *a, const struct hd_clock *c, size_t moment);

/* ahead_domain.c: runs the domain up to the moment before `end`, or to where it is held. */
void hd__ahead_domain(struct hd_ahead *a, uint32_t domain, size_t end);

#endif

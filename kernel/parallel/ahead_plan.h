/* ahead_plan.h - what runs ahead of what: domains, their clocks and processes, and the longest window
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_PARALLEL_AHEAD_PLAN_H
#define KERNEL_PARALLEL_AHEAD_PLAN_H

#include "run_ahead.h"
#include "kernel/shard.h"
#include "partition.h"

#define HD_WINDOW 1024u /* periods of the first root at most, */
#define HD_LEAST_WINDOW 4u /* and at least: fewer are not worth it */
#define HD_MOMENTS 16384u  /* moments of a window at most: the host waits for its end */

/* The phases of a root in which some clocks tick, if they are on. */
struct hd_pace {
	uint32_t root;
	uint64_t phases;
	uint32_t *ticks;           /* by moment of the present window: how often up to it, with it, */
	uint32_t *next;            /* and the first moment from it on at which they do; one element more than moments */
};

/* A clock that ticks while a domain runs, and the processes that the domain has on it. */
struct hd_tick {
	struct hd_clock *clock;    /* as the domain sees it */
	uint32_t number;           /* in hd_sim.clocks */
	uint32_t pace;             /* in hd_ahead.paces */
	bool gated;                /* and then it has processes in no other domain */
	bool on;                   /* it ticks; then its edge at a moment is .begin + ticks[moment] of its pace */
	uint64_t begin;
	struct hd_share *shares;
	uint32_t nshares;
};

/* The clocks of a domain that tick together as long as they are on. */
struct hd_pulse {
	uint32_t pace;
	/* ticks in the present window with which they stand there; HD_NO_TICKS: they stand anywhere */
	uint32_t seen;
	const uint32_t *next, *ticks; /* of the pace */
	struct hd_tick *first, *end;
	uint64_t *live;            /* by word of the domain: processes whose clocks are on */
};
#define HD_NO_TICKS UINT32_MAX

/* How far a domain is, as other threads see it. */
struct hd_seen {
	size_t done;               /* hd_domain.at */
	/* the moment that it waits for if it is held, else HD_NO_STOP; written before .done */
	size_t stop;
	bool over;                 /* it has come to the end of the window */
};
#define HD_NO_STOP SIZE_MAX

/* Partitions that are evaluated edge by edge with each other.  No two threads write to one cache line. */
struct hd_domain {
	_Alignas(64) struct hd_tick *ticks; /* in order of pulse */
	uint32_t nticks;
	uint32_t *words;           /* of the set of awake processes, in order */
	uint32_t nwords;
	struct hd_pulse *pulses, *running, *silent; /* where those with processes end, and those without */
	uint64_t gates;            /* roots of which it has clocks with gates */
	bool wakes;                /* it may wake the instance at hd_ahead.awaited */
	/* a copy of the simulation, so that what is counted, and the staged channels with what is left to do, are its
	 * own */
	struct hd_sim *view;
	uint32_t shard;            /* or HD_NO_SHARD */
	uint32_t *before;          /* domains that go first in a window: what they put there it may take there */
	uint32_t nbefore, followers; /* and how many it goes before */
	struct hd_crossing **arriving, **leaving; /* from and to other shards */
	uint32_t narriving, nleaving;

	/* in the present window */
	size_t at;                 /* the next moment */
	size_t goal;               /* up to which it is run at present */
	size_t ran;                /* behind the last moment at which a process ran */
	bool held;                 /* until that instance has been evaluated at the moment before */
	uint64_t moved;            /* roots of which gates have moved since it has looked, */
	uint64_t switched;         /* and those of which clocks are on that were off, or off */

	_Alignas(64) struct hd_seen seen;
};

/* A channel from one domain to another. */
struct hd_crossing {
	_Alignas(64) const struct hd_channel *channel;
	uint32_t most;             /* payloads that may be put in an edge of the producer */
	uint64_t enough;           /* room for the longest window, and one more place */
	uint32_t first;            /* .chan->tail when the window began */
	uint32_t head, tail;       /* of the channel: puts and takes before are counted; if it is metered */
	uint64_t held;             /* windows that its room has made shorter, or prevented */
	/* what the producer puts into in windows, if the reader is in another shard: with the places of the channel */
	struct hd_chan *far;
	struct hd_end *end;        /* of the producer */
	uint32_t from, to;         /* domains */
	/* written by the producer, the others by the reader: */
	_Alignas(64) uint32_t put; /* .far->tail, when the reader may look */
};

/* An instance whose calls to others have to be foreseen. */
struct hd_caller {
	const struct hd_instance *instance;
	uint64_t held;             /* windows that what it foresees has made shorter, or prevented */
};

/* An instance that others wake, each of them at most once before it has been evaluated: a domain that
 * has done so waits at that moment until all others have come as far. */
struct hd_awaited {
	const struct hd_instance *instance; /* NULL: there is none */
	uint32_t domain;           /* its own */
	uint32_t pace;             /* of its clock */
	uint64_t *word, bit;       /* its place in the set of awake processes */
};

struct hd_ahead {
	struct hd_sim *s;
	struct hd_domain *domains; /* in the order in which they run a window */
	uint32_t ndomains;
	struct hd_awaited awaited;
	struct hd_crossing *crossings;
	size_t ncrossings;
	struct hd_caller *callers;
	size_t ncallers;
	uint64_t window;           /* periods of the first root */
	uint64_t windows, periods; /* so far */
	uint64_t evals;            /* evaluations in the last one */

	/* the present window */
	uint8_t *phase;            /* by moment and root: the phase that comes, or HD_NOT_DUE */
	struct hd_shard_time *times; /* in the same way: how far the root is */
	size_t nmoments, capmoments;
	struct hd_pace *paces;
	uint32_t npaces;
	uint32_t *pace_of;         /* by clock; and, behind them, by root that of its first phase */
	uint64_t *begin;           /* by clock: the edge before the window */
	struct hd_workers *workers;
};
#define HD_NOT_DUE UINT8_MAX

/* Edges of a clock in so many periods of the first root, at most. */
uint64_t hd__edges_in(const struct hd_sim *s, const struct hd_clock *c, uint64_t periods);

/* moments.c: finds the paces of all clocks. */
void hd__ahead_paces(struct hd_ahead *a);
/* A window of so many periods of the first root begins: lists its moments, and moves the roots behind them. */
void hd__ahead_begin(struct hd_ahead *a, uint64_t periods);
/* Moves all clocks without gate behind them. */
void hd__ahead_end(const struct hd_ahead *a);
/* Ticks of the pace before the moment. */
static inline uint64_t hd__ahead_before(const struct hd_ahead *a, uint32_t pace, size_t moment)
{
	return moment > 0 ? a->paces[pace].ticks[moment - 1] : 0;
}

/* The pace at which periods of the root begin. */
static inline uint32_t hd__ahead_periods(const struct hd_ahead *a, uint32_t root)
{
	return a->pace_of[a->s->nclocks + root];
}

/* Of all roots at the moment. */
static inline const struct hd_shard_time *hd__ahead_times(const struct hd_ahead *a, size_t moment)
{
	return &a->times[moment * a->s->nroots];
}

/* The first moment, from this one on, at which the pace has come to so many ticks; nmoments: none. */
size_t hd__ahead_reaches(const struct hd_ahead *a, uint32_t pace, uint64_t ticks, size_t moment);

/* ahead_domain.c: adds the clock, and those that it derives from; or a process and its clock. */
void hd__domain_add_clock(struct hd_domain *d, struct hd_clock *c);
void hd__domain_add_process(struct hd_domain *d, const struct hd_instance *in);
/* Finds when they tick, once all are there. */
void hd__domain_complete(const struct hd_ahead *a, struct hd_domain *d);
void hd__domain_free(struct hd_domain *d);
/* A window begins for the domain, and ends. */
void hd__domain_begin(const struct hd_ahead *a, struct hd_domain *d);
void hd__domain_end(const struct hd_ahead *a, struct hd_domain *d);
/* Runs the domain up to the moment before `end`, or to where it is held.  It may not wake a caller of another one:
 * that would be the lock step's to evaluate at once. */
void hd__domain_run(const struct hd_ahead *a, struct hd_domain *d, size_t end);

/* ahead_fill.c: between the two the ends of crossings are at different edges, and their fill is measured behind it. */
void hd__ahead_fill(const struct hd_ahead *a, bool on);

/* mailbox.c: finds what several threads need, once all else is planned.  Returns why there cannot be any, to be
 * freed, or NULL. */
char *hd__mailboxes_make(struct hd_ahead *a);
void hd__mailboxes_free(struct hd_ahead *a);
/* A window begins and ends: what is between shards has two ends, or one. */
void hd__mailboxes_open(struct hd_ahead *a);
void hd__mailboxes_close(struct hd_ahead *a);
/* Before a domain runs, and after it: payloads come in, and others may see what it has put. */
void hd__mailboxes_fetch(const struct hd_domain *d);
void hd__mailboxes_deliver(const struct hd_domain *d);

/* threads.c: runs all domains to the end of the window, in one or several threads. */
void hd__workers_run(struct hd_ahead *a);
struct hd_workers *hd__workers_new(struct hd_ahead *a);
uint32_t hd__workers_size(const struct hd_ahead *a); /* threads that there are by now */
void hd__workers_free(struct hd_ahead *a);

#endif

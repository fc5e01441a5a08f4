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
	bool *at;                  /* by kind of moment: do they tick at it? */
	size_t nat;
};

/* A clock that ticks while a domain runs, and the processes that the domain has on it. */
struct hd_tick {
	struct hd_clock *clock;
	uint32_t root;             /* number of its root */
	uint32_t pace;             /* in hd_ahead.paces */
	uint32_t column;           /* in hd_ahead.open; HD_GATED: it has a gate, and processes in no other domain */
	bool on;                   /* it ticks; then its edge at a moment is .begin + ticks[moment] of its pace */
	uint64_t begin;
	struct hd_share *shares;
	uint32_t nshares;
};
#define HD_GATED UINT32_MAX

/* The roots that tick at a moment, and in which phases: many moments are of one kind. */
struct hd_moment_kind {
	uint64_t due;
	uint8_t phase[HD_MAX_ROOTS];
	uint32_t then;             /* the kind that followed the last time */
};

/* How far a root is. */
struct hd_root_time {
	uint64_t period, passed;
};

/* What ticks in a domain at moments of one kind. */
struct hd_ticking {
	uint64_t generation;       /* of the domain when the rest was made; 0: never */
	struct hd_share *shares;   /* processes with an edge, in order of word */
	uint32_t nshares;
};

/* The clocks of a domain that tick together as long as they are on, and its processes on them. */
struct hd_pulse {
	uint32_t pace;
	/* ticks in the present window with which they stand there; HD_NO_TICKS: they stand anywhere */
	uint32_t seen;
	const uint32_t *next, *ticks; /* of the pace */
	const struct hd_tick *first, *end;
	struct hd_share *live;     /* processes whose clocks are on */
	uint32_t nlive;
};
#define HD_NO_TICKS UINT32_MAX

/* Partitions that are evaluated edge by edge with each other.  No two threads write to one cache line. */
struct hd_domain {
	_Alignas(64) struct hd_tick *ticks; /* in order of pulse */
	uint32_t nticks;
	uint32_t *words;           /* of the set of awake processes, in order */
	uint64_t *member;          /* the processes of the domain in each */
	uint64_t *some;            /* and some of them; for now */
	uint32_t nwords;
	struct hd_pulse *pulses, *running, *silent; /* where those with processes end, and those without */
	uint64_t lived;            /* .generation when those were made */
	uint64_t gates;            /* roots of which it has clocks with gates */
	bool wakes;                /* it may wake the instance at hd_ahead.awaited */
	uint64_t generation;       /* changes when a clock is switched on or off */
	struct hd_ticking *by_kind;     /* by kind of moment */
	size_t nby_kind;
	struct hd_sim *view;       /* the simulation; of a shard: a copy, so that what is counted is its own */
	uint32_t shard;             /* or HD_NO_SHARD */
	uint32_t *before;          /* domains that go first in a window: what they put there it may take there */
	uint32_t nbefore;
	struct hd_crossing **arriving; /* from other domains, with handles of records */
	uint32_t narriving;
	struct hd_crossing **metered; /* from domains that go first */
	uint32_t nmetered;

	/* in the present window */
	size_t at;                 /* the next moment */
	uint32_t row;              /* of the times that its instances see; HD_NO_ROW: any */
	size_t goal;               /* up to which it is run at present */
	size_t ran;                /* behind the last moment at which a process ran */
	bool held;                 /* until that instance has been evaluated at the moment before */
	uint64_t moved;            /* roots of which gates have moved since it has looked, */
	uint64_t switched;         /* and those of which clocks are on that were off, or off */

	/* with several threads */
	struct hd_crossing **in, **out; /* from and to other shards */
	uint32_t nfrom_others, nto_others;
	uint32_t followers;        /* domains that it goes before */
	struct hd_seen *seen;
};

#define HD_NO_ROW UINT32_MAX

/* How far a domain is, as other threads see it; in a cache line of its own. */
struct hd_seen {
	size_t done;               /* hd_domain.at */
	/* the moment that it waits for if it is held, else HD_NO_STOP; written before .done */
	size_t stop;
	bool over;                 /* it has come to the end of the window */
};
#define HD_NO_STOP SIZE_MAX

/* Windows that something has made shorter, or so short that none was run. */
struct hd_held {
	uint64_t shorter, prevented;
};

/* A channel from one domain to another. */
struct hd_crossing {
	_Alignas(64) const struct hd_channel *channel;
	uint32_t most;             /* payloads that may be put in an edge of the producer */
	uint64_t enough;           /* room for the longest window, and one more place */
	uint32_t first;            /* .chan->tail when the window began */
	uint32_t head, tail;       /* of the channel: puts and takes before are counted; if it is metered */
	struct hd_held held;       /* by its room */
	const unsigned char *records; /* of the pool that its payloads are handles of, or NULL */
	uint32_t fetched;          /* .chan->tail when the reader's domain ran last */
	/* between two shards */
	/* what the producer puts into in windows: it has the places of the channel; or NULL */
	struct hd_chan *far;
	struct hd_end *end;        /* of the producer */
	uint32_t from, to;         /* domains */
	/* written by the producer, the others by the reader: */
	_Alignas(64) uint32_t put; /* .far->tail, when the reader may look */
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
struct hd_awaited {
	const struct hd_instance *instance; /* NULL: there is none */
	uint32_t domain;           /* its own */
	uint32_t column;           /* of its clock in hd_ahead.open */
	uint64_t *word, bit;       /* its place in the set of awake processes */
	uint64_t *awake;           /* who was awake before it was evaluated */
};

struct hd_ahead {
	struct hd_sim *s;
	struct hd_domain *domains; /* in the order in which they run a window */
	uint32_t ndomains;
	uint32_t nfirst;           /* the first ones, behind which none wakes .awaited */
	struct hd_awaited awaited;
	uint32_t *of;              /* by rank: the domain */
	struct hd_crossing *crossings;
	size_t ncrossings;
	struct hd_crossing **metered; /* those with gauges */
	size_t nmetered;
	struct hd_caller *callers;
	size_t ncallers;
	uint64_t window;           /* periods of the first root */
	uint64_t windows, periods; /* so far */
	uint64_t evals;            /* evaluations in the last one, with several threads */
	/* periods of lock step that are left, and were set, before the next window is tried */
	uint32_t rest, looked;

	/* the present window */
	uint32_t *kind;            /* by moment: index into kinds */
	uint32_t *row;             /* by moment: those of a row have the same times */
	struct hd_root_time *times; /* by row and root */
	uint32_t nrows;
	size_t nmoments, capmoments;
	struct hd_moment_kind *kinds;
	size_t nkinds;
	/* by root and phase: the kind at which nothing else ticks, + 1; 0: there has been none */
	uint32_t *alone;
	struct hd_pace *paces;
	uint32_t npaces;
	uint32_t period_begins[HD_MAX_ROOTS]; /* by root: the pace of its first phase; if it has clocks with gates */
	struct hd_clock **open;    /* the clocks without gate, in columns */
	uint32_t nopen;
	uint32_t *open_pace;       /* by column */
	uint64_t *begin;           /* by column: the edge before the window */
	struct hd_workers *workers; /* the threads, or NULL */
};

/* Edges of a clock in so many periods of the first root, at most. */
uint64_t hd__edges_in(const struct hd_sim *s, const struct hd_clock *c, uint64_t periods);

/* ahead_ticks.c: adds the clock, and those that it derives from; or a process and its clock. */
void hd__domain_add_clock(struct hd_domain *d, struct hd_clock *c);
void hd__domain_add_process(struct hd_domain *d, const struct hd_instance *in);
/* Lists the clocks without gate; then, for a domain that has all of its clocks and processes, when they tick. */
void hd__ahead_open(struct hd_ahead *a);
void hd__domain_ticks(struct hd_ahead *a, struct hd_domain *d);
/* ahead_domain.c: if handles of records come over the channel, the records are fetched when the reader's domain
 * runs. */
void hd__domain_arriving(const struct hd_ahead *a, struct hd_crossing *x);

/* ahead_fill.c: the fill of the channel is measured if it has a gauge; .before of the reader's domain is known. */
void hd__ahead_meter(struct hd_ahead *a, struct hd_crossing *x);
/* A window begins and ends. */
void hd__ahead_fill(struct hd_ahead *a, bool on);
/* The window is over for the domain. */
void hd__domain_fill(const struct hd_domain *d);

/* ahead_time.c: the clocks stand where the window begins. */
void hd__ahead_begin(struct hd_ahead *a);
/* Lists the moments up to the last one of so many periods of the first root, and moves the roots behind them. */
void hd__ahead_moments(struct hd_ahead *a, uint64_t periods);
/* Moves all clocks without gate behind them. */
void hd__ahead_end(const struct hd_ahead *a);
/* The edge of a clock without gate at the moment. */
static inline uint64_t hd__ahead_edge(const struct hd_ahead *a, uint32_t column, size_t moment)
{
	return a->begin[column] + a->paces[a->open_pace[column]].ticks[moment];
}

/* Of all roots at the moment. */
static inline const struct hd_root_time *hd__ahead_times(const struct hd_ahead *a, size_t moment)
{
	return &a->times[(size_t)a->row[moment] * a->s->nroots];
}

/* Ticks of the pace before the moment. */
static inline uint64_t hd__ahead_before(const struct hd_ahead *a, uint32_t pace, size_t moment)
{
	return moment > 0 ? a->paces[pace].ticks[moment - 1] : 0;
}

/* The first moment, from this one on, at which the pace has come to so many ticks; nmoments: none. */
size_t hd__ahead_reaches(const struct hd_ahead *a, uint32_t pace, uint64_t ticks, size_t moment);
/* The first moment, from this one on, at which the instance that others wait for has an edge; nmoments: none. */
static inline size_t hd__ahead_awaited_tick(const struct hd_ahead *a, size_t moment)
{
	return a->paces[a->open_pace[a->awaited.column]].next[moment];
}

/* ahead_domain.c: a window begins for the domain. */
void hd__ahead_window(const struct hd_ahead *a, struct hd_domain *d);
/* Runs the domain up to the moment before `end`, or to where it is held.  It may not wake a caller of another one:
 * that would be the lock step's to evaluate at once. */
void hd__ahead_apart(struct hd_ahead *a, uint32_t domain, size_t end);
/* The moment at which the instance that others wait for is evaluated if none wakes it. */
size_t hd__ahead_own_moment(const struct hd_ahead *a);

/* ahead_shards.c: finds what several threads need, once all else is planned.  Returns why there cannot be any, to be
 * freed, or NULL. */
char *hd__ahead_shards(struct hd_ahead *a);
void hd__ahead_shards_free(struct hd_ahead *a);
/* A window begins and ends: what is between shards has two ends, or one.  Nothing without shards. */
void hd__ahead_part(struct hd_ahead *a);
void hd__ahead_unpart(struct hd_ahead *a);
/* Before a domain runs, and after it: payloads come in, and others may see what it has put. */
void hd__ahead_fetch(struct hd_ahead *a, uint32_t domain);
void hd__ahead_deliver(struct hd_ahead *a, uint32_t domain);
/* The shard is at the moment, as its instances are called. */
void hd__ahead_meet(struct hd_ahead *a, uint32_t shard, size_t moment);

/* workers.c: a window will begin soon: threads that sleep take longer to wake than it takes to list its moments. */
void hd__workers_call(const struct hd_ahead *a);
/* Runs all domains to the end of the window, in several threads. */
void hd__workers_run(struct hd_ahead *a);
struct hd_workers *hd__workers_new(struct hd_ahead *a);
uint32_t hd__workers_size(const struct hd_ahead *a); /* threads that there are by now */
void hd__workers_free(struct hd_ahead *a);

#endif

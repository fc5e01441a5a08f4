/* sim.h - a simulation: instances, channels, clocks and the order of evaluation
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef KERNEL_SIM_H
#define KERNEL_SIM_H

#include "kernel/netlist/netlist.h"
#include "hooks.h"
#include "log.h"
#include "run_options.h"
#include "param.h"
#include "process.h"
#include "registry.h"
#include "base/json_write.h"
#include "base/xalloc.h"

#include <heddle/ahead.h>

#include <pthread.h>

#define HD_WHEEL 64u     /* buckets of the timers' wheel, a power of two */
#define HD_MAX_ROOTS 64u /* root clocks; the run loop keeps those due in one word */
#define HD_MAX_PHASES 64u /* phases of a root period at which derived clocks may tick */

struct hd_clock {
	_Alignas(64) const char *name; /* no two threads write to one cache line */
	const struct hd_clock_decl *decl;
	struct hd_clock *parent;  /* NULL: a root */
	struct hd_root *root;
	uint64_t now;             /* index of the present edge; UINT64_MAX before the first */
	uint64_t filled;          /* buckets of the wheels in which there may be timers of its processes */
	uint64_t phases;          /* phases of the root period at which it ticks */
	uint32_t per_period;      /* number of them */
	bool gated, open, on;     /* on: ticks in this period */
	struct hd_share *shares;  /* the processes of its instances, in order of word */
	uint32_t nshares;
	const struct hd_instance *gatekeeper; /* the instance that opens and closes it, or NULL */
};

/* How often a clock ticks in the rest of a period. */
struct hd_rest {
	struct hd_clock *clock;   /* NULL: the list is over */
	uint64_t edges;
};

/* One phase of a root clock: a point in its period at which clocks tick. */
struct hd_phase {
	struct hd_clock **clocks, **ticking; /* all, and those that are on, up to NULL */
	uint32_t nclocks;
	uint32_t after;           /* number of the phase that comes next, and */
	struct hd_phase *next;    /* that one; NULL: it is the first of the next period */
	uint64_t generation;      /* of root->generation when the rest was made */
	uint64_t *mask;           /* processes that have an edge here, gates taken into account */
	uint64_t *rest;           /* the same for here and all later phases of the period */
	struct hd_words words, rest_words; /* the parts of both in which there are any */
	struct hd_rest *rest_of;  /* clocks that tick from here on in the period */
};

/* A root clock, or several of equal frequency.  Its period is divided into `ticks` equal parts; phase
 * i lies at tick tick[i]. */
struct hd_root {
	uint64_t period;          /* the present one; UINT64_MAX before the first */
	uint64_t passed;          /* periods that are over, if there are several roots */
	uint32_t nphases, next_phase;
	/* a period in the largest unit that all roots' ticks are multiples of; 0: that does not fit */
	uint64_t span;
	uint64_t at_unit[HD_MAX_PHASES]; /* where in it each phase lies */
	struct hd_clock *clock;   /* the first of them */
	bool derived;             /* clocks derive from one of them */
	uint64_t rate;            /* ticks per 1000 s */
	uint32_t ticks;
	uint32_t tick[HD_MAX_PHASES];
	struct hd_phase phases[HD_MAX_PHASES];
	struct hd_phase *at[HD_MAX_PHASES]; /* where each of them is, found with less arithmetic */
	uint64_t generation;      /* changes when a clock is switched on or off */
	const struct hd_phase *joined; /* the phase that hd_sim.joined was last made of, and */
	uint64_t joined_generation;    /* its generation then; if there are several roots */
	uint64_t move_period;     /* period in which a movement was last seen; watchdog */
	/* With hd_sim.accumulated: when the next period begins, in seconds, and what it adds to that.  The order of
	 * edges follows from these sums alone, which are rounded as in simulators that add up periods; elsewhere all
	 * decisions are made in integers. */
	double time, step;
};

/* A rotating group: instances whose order rotates from edge to edge. */
struct hd_group {
	uint32_t first, n;        /* ranks first .. first + n - 1, in one word of the sets of processes: */
	uint64_t members, lowest; /* their bits, and that of the first one */
	struct hd_clock *clock;
	struct hd_process *processes; /* of that word */
};

struct hd_link_end {
	struct hd_instance *instance;
	uint32_t port;
	uint64_t slots;
	const void *attr;
	size_t link;              /* index into netlist->links */
};

/* A channel with its ends in the order of the netlist. */
struct hd_channel {
	struct hd_chan *chan;     /* in sim->chans */
	uint32_t capacity, latency; /* latency: as declared, or set by hd_delay_input() */
	const struct hd_type *type;
	struct hd_link_end *from, *to;
	size_t nfrom, nto;
	const struct hd_link_decl *decl;
	size_t link;
	bool reg;                 /* one of the ports has HD_REG */
	bool slotted, rotate, shared; /* shared: ends may reach the same place, so order counts */
	bool timed;
	bool mixed;               /* producers and consumers have different clocks */
	struct hd_waker *wakers;
};

struct hd_use {
	struct hd_instance *user;
	uint32_t user_port;
	struct hd_instance *provider;
	uint32_t provider_port;
	const void *attr;
	size_t link;
	bool rotate;
};

struct hd_instance {
	struct hd_ctx ctx;
	char *path;
	const struct hd_module *module;
	const struct hd_instance_decl *decl;
	struct hd_array *array;
	struct hd_clock *clock;   /* NULL: passive */
	void *state;
	uint32_t index, rank;     /* rank: process number, HD_NO_PROCESS if passive */
	uint32_t number;          /* position in sim->instances */
	const uint32_t *marks;    /* numbers of its marks in the present dump, */
	const struct hd_log_event *events; /* and its events */
	struct hd_part_counts *parts; /* parts.c; or NULL */
	uint32_t section;         /* of the sets of processes and of the states; HD_NO_SECTION: none */
	uint32_t shard;            /* in sim->shards; HD_NO_SHARD: none */
	uint32_t turns, turn;     /* hd_in_turn(); turns 0: it was not called */
	bool inited;
	bool not_apart;           /* hd_not_apart() */
	uint32_t *most;           /* by port: hd_puts_at_most(), or 0; NULL: it was not called */
	bool working;             /* hd_expect_finish(), and not yet hd_finish() */
	double done, total;       /* hd_progress() */
};

/* The port of its first reader. */
static inline const struct hd_port *hd__read_at(const struct hd_channel *c)
{
	return &c->to[0].instance->module->ports[c->to[0].port];
}

/* Payloads that the instance puts at the end in one edge, at most; 0: any number. */
static inline uint32_t hd__most_put(const struct hd_instance *in, size_t port)
{
	return in->most && in->most[port] ? in->most[port] : in->module->ports[port].most;
}

/* Is its fill measured? */
static inline bool hd__metered(const struct hd_channel *c)
{
	return (hd__read_at(c)->flags & HD_METERED) && !c->slotted;
}

/* A statistic that is a share of another one, and so cannot be added or subtracted. */
static inline bool hd__stat_is_share(const struct hd_stat *st)
{
	return st->of && !st->rate;
}

/* Which way work goes with calls: HD_WORK_IN or HD_WORK_OUT; 0: they are bookkeeping. */
static inline unsigned hd__work_of(const struct hd_use *u)
{
	const struct hd_port *user = &u->user->module->ports[u->user_port];
	const struct hd_port *provider = &u->provider->module->ports[u->provider_port];
	const unsigned any = HD_WORK_IN | HD_WORK_OUT | HD_NO_WORK;
	unsigned work = user->flags & any ? user->flags : provider->flags & any ? provider->flags
	                                                                       : provider->type->work;

	return work & (HD_WORK_IN | HD_WORK_OUT);
}

/* Does work come back with calls?  Within an edge, users of a lower phase come first, and so consumers
 * before producers: a buffer is emptied before it is filled.  What is written before it is read, such
 * as a register, comes from further on. */
static inline bool hd__work_returns(const struct hd_use *u)
{
	const struct hd_port *ports = u->provider->module->ports;
	bool later = false;

	for (const struct hd_port *p = ports; p->name; p++)
		later |= p->kind == HD_PROVIDES && p->phase > ports[u->provider_port].phase;
	return later && hd__work_of(u) == HD_WORK_IN;
}

/* One entry of "instances", shared by its elements. */
struct hd_array {
	const struct hd_instance_decl *decl;
	const struct hd_registered *registered; /* or NULL, and then no module */
	const struct hd_module *module;
	struct hd_clock *clock;
	uint32_t first;           /* in sim->instances */
	const char *bracket;      /* "name[", how the paths of an array begin */
	unsigned char *template;  /* the state's first bytes with the parameters stored */
	unsigned char **templates; /* the same of each element, if they differ; or NULL */
	size_t template_bytes;
};

/* A queue whose fill is measured: a channel, or one inside of an instance. */
struct hd_gauge {
	const uint64_t *now;      /* of the clock whose edges count */
	struct hd_chan *chan;     /* or NULL */
	struct hd_meter own;      /* of a channel */
	struct hd_meter *meter;   /* that, or the instance's */
	uint32_t most;            /* before the present item (per_item.c) */
	char *name;               /* "slice[3].request" */
	const char *unit, *doc;
	const uint32_t *capacity; /* NULL: there is no limit */
};

/* What a shard has of a pool, in a cache line of its own, as it is written by the thread that runs it. */
struct hd_pool_view {
	_Alignas(64) struct hd_pool pool;
};

struct hd_poolent {
	const struct hd_type *type;
	struct hd_pool *pool;
	struct hd_pool_view *views; /* by shard: its own free records of that pool; or NULL */
};

struct hd_kind {
	char *name;
	char *symbol[64];
	uint32_t n;
};

/* Zeroed memory of which the first `used` bytes are taken (own.c). */
struct hd_zero_block {
	unsigned char *v;
	size_t size, used;
};

struct hd_sim {
	struct hd_netlist *netlist;
	const struct hd_registry *registry;
	struct hd_diags *diags;
	struct hd_options opt;

	/* hot */
	uint64_t *awake;          /* bit per process */
	struct hd_noted *noted;   /* by word of it */
	/* by word, too: HD_WHEEL sets of its processes with timers, by the edge modulo that when they are due */
	uint64_t *wheels;
	uint64_t no_process;      /* receives the wakes of instances without a process */
	struct hd_routine *routines; /* of the processes */
	const struct hd_routine *asked; /* of those that have HD_PROCESS_ASKED */
	struct hd_process *processes;
	uint32_t nprocesses, nwords; /* nprocesses counts holes left by groups */
	uint64_t late;            /* the end of the edge looks at all staged channels, HD_LATE_ALL, or at some, .used */
	union {
		struct {
			bool finished, failed, bad_input, stop; /* the last by hd__sim_stop() */
		};
		volatile uint32_t ends; /* any of these */
	};
	bool in_run, input_read;
	uint64_t jumped;          /* moments that the last call of hd__between_periods() has gone through one by one */
	uint64_t limit;           /* of periods of roots[0]: opt.max_cycles, or a halt before that */
	bool idle;                /* no process has run in the present period of roots[0] */
	struct hd_root *roots;
	uint32_t nroots;
	uint64_t gates_moved;     /* roots of which gates have since their last period began; all before the first */
	bool accumulated;         /* several roots, whose times are sums of doubles */
	struct hd_phase joined;   /* several roots that tick at one moment: mask and words of them all */
	uint64_t joined_roots;
	/* the roots whose next phase is the earliest, if that was found before it comes; or 0 */
	uint64_t due;
	uint64_t evals;           /* evaluations so far */
	uint64_t observe_at;      /* periods of roots[0] after which one of these is called: */
	uint64_t record_at, sample_at; /* the recorder; hd_options.sample */
	uint64_t move_mark, move_period; /* watchdog */
	uint64_t pause;           /* periods of roots[0] after which hd__between_periods() is called at the latest: for
	                           * the limit, .observe_at, the watchdog; 0: one of them has changed */
	struct hd_ahead *ahead;   /* or NULL: lock step */
	bool item_over;           /* what .per_item has counted is to be kept, before the next edge */
	bool parts;               /* parts of the run overlap */
	struct hd_log_end log;    /* of the recorder */

	struct hd_clock *clocks;
	uint32_t nclocks;
	json_t *clock_numbers;    /* name -> index in clocks */
	uint32_t nsections;       /* shard.h */
	struct hd_shard *shards;    /* shard.h; NULL: there is one thread */
	uint32_t nshards;
	struct hd_clock *copies;  /* of clocks without gate, for the shards */
	uint32_t ncopies;
	uint64_t *copied;          /* the processes that have them */
	struct hd_array *arrays;
	size_t narrays;
	struct hd_instance *instances;
	size_t ninstances;
	struct hd_channel **channels;
	size_t nchannels;
	struct hd_chan **chan_of;   /* of each of them, for those who look at all of them often */
	struct hd_channel **staged; /* those among them that are */
	size_t nstaged;
	struct hd_chan ***timed_in; /* by process: NULL-terminated list of timed inputs, or NULL */
	struct hd_use *uses;
	size_t nuses, found_use;  /* the latter by hd__find_use() */
	uint32_t nopen;           /* exported ports that are open, in a part */
	struct hd_group *groups;
	uint32_t ngroups;
	uint32_t *orders, nplaced; /* 1 + opt.others lists of so many ranks, of processes and of the first of groups */
	void **owned;             /* names and the like */
	size_t nowned, capowned;
	struct hd_zero_block *blocks; /* of zeroed memory */
	size_t nblocks, capblocks;
	unsigned char *arena;     /* states, in order of rank */
	size_t arena_bytes;
	unsigned char *chans;     /* channels and their payloads, in order of the first reader's rank */
	struct hd_param_store store;

	struct hd_poolent *pools;
	size_t npools;
	struct hd_kind *kinds;
	size_t nkinds;

	uint32_t nworking;        /* instances that are */
	double done, total;       /* of all instances together */
	struct hd_gauge *gauges;
	size_t ngauges;
	struct hd_per_item *per_item;   /* per_item.c; NULL: none has ended */
	uint64_t item;            /* of the input, see hd_next_item(); 0: none yet */
	const char *item_name;
	const struct hd_instance *item_of; /* the instance that reads it */
	struct hd_row_table *row_tables; /* rows.c */
	size_t nrow_tables, caprow_tables;
	struct hd_row_texts *row_texts;  /* NULL: there is no row */
	struct hd_def *defs;      /* definitions made before the recorder was attached */
	struct hd_observer *observer; /* the recorder, while one is attached; or NULL */
	char *deadlock;           /* report, after HD_RUN_DEADLOCK: what is pending, */
	char *withheld;           /* and which instances the others wait for; NULL: that is not seen */
	const struct hd_channel **circle; /* with it, if instances wait in a circle: the channels without room, */
	size_t ncircle;                   /* each written by the reader of the one before; else NULL */
	uint64_t still_since;     /* with it: the last cycle in which something happened */
	struct hd_crash *crash;   /* if there are plug-ins, or modules are checked; crash.c */
	struct hd_contract *contract; /* of the checker; or NULL */
	int (*loop)(struct hd_sim *s, uint64_t edges); /* a checker's, in place of the run loop; or NULL */
	char *lockstep;               /* why .ahead is NULL; or NULL */
	bool in_window;               /* the domains are at different edges, */
	uint64_t began;               /* in this period of roots[0] */
	bool in_turn;                 /* but none that has not come so far counts for who is evaluated now, */
	pthread_t turn_of;            /* by this thread */
	char *rollback;               /* why the lock step has to do it again, and NULL; then: */
	uint64_t again;               /* up to which period of roots[0] it need not */
	bool once;                    /* input was opened that cannot be read again */
	struct hd_sandbox *sandbox;   /* in the copy of the process that tries plug-ins, else NULL */
	struct hd_chan *used;     /* staged channels that were used in this edge, a list */
};

/* Builds a simulation.  NULL if anything is wrong; all of it is then in *d.  With check_only
 * there is no input, and instances that need one do not start.  Takes over *n. */
struct hd_sim *hd__sim_new(struct hd_netlist *n, const struct hd_registry *r,
                           const struct hd_options *o, bool check_only, struct hd_diags *d);
void hd__sim_free(struct hd_sim *s);

/* ctx.c: the link at that port of the instance, the first one of an array; NULL: there is none. */
const struct hd_use *hd__find_use(const struct hd_ctx *c, unsigned port);

/* Runs at most `edges` more edges. */
enum hd_run_status hd__sim_run(struct hd_sim *s, uint64_t edges);
/* That one, and each later one, returns HD_RUN_MORE after the present edge, or window, if the run is not over with
 * it.  A handler of signals may call it. */
static inline void hd__sim_stop(struct hd_sim *s)
{
	*(volatile bool *)&s->stop = true;
}
static inline bool hd__sim_stopping(const struct hd_sim *s)
{
	return *(const volatile bool *)&s->stop;
}
/* run.c, for the loop of a checker: evaluates one process that is awake. */
void hd__run_process(struct hd_sim *s, uint32_t rank);
enum { HD_LATE_ALL = 1, HD_LATE_SOME = 2 }; /* hd_sim.late */
/* Bits of hd_chan.late besides the address of the next channel: it is in the list; its ends have different clocks. */
enum { HD_LATE_USED = 1, HD_LATE_MIXED = 2, HD_LATE_BITS = 63 };

/* chan.c: to be called at the end of an edge if hd_sim.late is set. */
void hd__end_edge(struct hd_sim *s);
/* For a payload that may be taken from that edge of the reader's clock on. */
void hd__wake_readers_for(struct hd_chan *c, uint64_t edge);
/* idle.c: called between two periods of the first root: limits, the end of the run, deadlock.
 * Jumps over idle time if no process ran, through at most so many edges that it can only count one by one.
 * HD_RUN_MORE: go on. */
enum hd_run_status hd__between_periods(struct hd_sim *s, bool idle, uint64_t edges);
/* Fails the run if a channel holds more payloads than it has places. */
void hd__check_rooms(struct hd_sim *s);
/* Makes hd__sim_run return HD_RUN_HALTED after exactly so many cycles; UINT64_MAX: never.  It stops
 * between two periods of the first root clock, even within a jump of idle time, and the rest of the
 * run is the same as if it had not stopped. */
void hd__sim_halt(struct hd_sim *s, uint64_t cycles);
/* Around callbacks of modules: a crash of a plug-in is reported.  `top` is where the stack begins. */
static inline bool hd__crash_enter(const struct hd_sim *s, const void *top)
{
	return s->crash != NULL && hd__hooks.check->watch(s->crash, top);
}
static inline void hd__crash_leave(const struct hd_sim *s, bool entered)
{
	if (entered)
		hd__hooks.check->unwatch(s->crash);
}
/* Calls `skipped` of all sleeping instances, before statistics are read.  May be called between two
 * calls of hd__sim_run: `skipped` gets the remaining edges later. */
void hd__sim_settle(struct hd_sim *s);
/* Calls `skipped` of these, which have it. */
void hd__instances_count(struct hd_sim *s, const struct hd_instance *const *v, size_t n);
/* ctx.c: fails the run: "module 'NAME' (FILE) " and what it did; unless it has failed. */
void hd__fail_of(const struct hd_instance *in, const char *what);
/* bind.c: is it one of the interface structs of that provider's port? */
bool hd__provides(const struct hd_use *u, const void *interface);
/* Periods of the first root clock so far. */
static inline uint64_t hd__sim_cycles(const struct hd_sim *s)
{
	return s->roots[0].period + 1;
}

/* Bytes from one state to the next, each at the beginning of a cache line.  Those behind a state that is checked
 * have the value HD_GUARD. */
#define HD_GUARD 0xa5
static inline size_t hd__state_room(const struct hd_module *m, bool checked)
{
	return (m->state_size + 63) / 64 * 64 + (checked ? 64 : 0);
}

#define HD_MANY_STATES ((size_t)2 << 20) /* bytes */

/* What is touched of these bytes from now on comes in large pages. */
void hd__advise_large(const void *from, size_t bytes);
/* After hd__sim_new(): so do the records of a large simulation. */
void hd__large_pages(const struct hd_sim *s);

/* Clocks and their copies: all that time passes for. */
static inline struct hd_clock *hd__any_clock(const struct hd_sim *s, uint32_t i)
{
	return i < s->nclocks ? &s->clocks[i] : &s->copies[i - s->nclocks];
}

/* After a change of one of these: an item that is over is kept before the next edge. */
static inline void hd__observe_next(struct hd_sim *s)
{
	s->observe_at = s->item_over ? 0 : s->record_at < s->sample_at ? s->record_at : s->sample_at;
	s->pause = 0;
}

/* Edges of the gauge's clock before the present one, at which something may still change; the most that were inside
 * in the whole run. */
static inline uint64_t hd__gauge_edges(const struct hd_gauge *g)
{
	return *g->now == UINT64_MAX ? 0 : *g->now;
}
static inline uint32_t hd__gauge_most(const struct hd_gauge *g)
{
	return g->meter->most > g->most ? g->meter->most : g->most;
}

/* ---- parts of building, in order ---- */
bool hd__build_clocks(struct hd_sim *s);
bool hd__build_links(struct hd_sim *s);
bool hd__build_order(struct hd_sim *s);
/* Makes the processes of the ranks, and their bit sets.  group_of: by instance its rotating group + 1, or 0. */
void hd__make_processes(struct hd_sim *s, const uint32_t *group_of);
void hd__bind_ends(struct hd_sim *s);
void hd__bind_interfaces(struct hd_sim *s);

/* ---- start.c ---- */

/* Calls init and start; with check_only an instance may lack its input.  Modules of plug-ins must survive that in
 * a copy of the process first. */
bool hd__start(struct hd_sim *s, bool check_only);
void hd__call_fini(struct hd_sim *s);
/* The instances, each after those whose interfaces it uses, as far as these do not use each other;
 * else in the order of the netlist.  To be freed. */
struct hd_instance **hd__providers_first(struct hd_sim *s);
/* Calls `end` of every instance: before the statistics of the run are written, once. */
void hd__call_end(struct hd_sim *s);

void *hd__own(struct hd_sim *s, void *p); /* freed with the simulation */
/* n zeroed elements, freed with it. */
void *hd__zeroed(struct hd_sim *s, size_t n, size_t size);
void *hd__maybe_zeroed(struct hd_sim *s, size_t n, size_t size); /* NULL without memory */
void hd__zeroed_free(struct hd_sim *s);
struct hd_clock *hd__clock_find(const struct hd_sim *s, const char *name);
bool hd__clocks_coincide(const struct hd_clock *a, const struct hd_clock *b);
/* Has the clock, or one that it derives from, a gate? */
bool hd__gated(const struct hd_clock *c);
/* bind.c: may the channel's ends be evaluated at different times, if what is put has the edge with it from which it may
 * be taken, and does its producer declare how much it puts? */
bool hd__may_divide(const struct hd_channel *c);
uint32_t hd__symbol(void *sim, const char *kind, const char *name);

/* process.c: evaluates a process, which is given, after the edges at which it slept were counted. */
uint64_t hd__eval_after_sleep(void *process);
/* The routine of those in a rotating group, which is given: tells the run loop that the group's turn has come. */
uint64_t hd__group_turn(void *group);
#define HD_GROUP (HD_SLEEP - 1) /* what it returns */

/* After a change of its flags, eval or state. */
static inline void hd__routine_changed(struct hd_sim *s, const struct hd_process *t)
{
	struct hd_routine *r = &s->routines[t - s->processes];

	if (HD_UNLIKELY(t->flags & HD_PROCESS_GROUP))
		*r = (struct hd_routine){ hd__group_turn, &s->groups[t->group - 1] };
	else if (t->flags & HD_PROCESS_SLEPT)
		*r = (struct hd_routine){ hd__eval_after_sleep, (void *)(uintptr_t)t };
	else if (HD_UNLIKELY(t->flags & HD_PROCESS_ASKED))
		*r = s->asked[t - s->processes];
	else
		*r = (struct hd_routine){ t->eval, t->state };
}

#endif

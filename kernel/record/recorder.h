/* recorder.h - the recorder: events, transactions of records and sampled statistics of a run
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Time in dumps is the period of the first root clock, from 0.
 */
#ifndef KERNEL_RECORD_RECORDER_H
#define KERNEL_RECORD_RECORDER_H

#include "dump/dump_file.h"
#include "dump/dump_filter.h"
#include "kernel/sim.h"

struct hd_observe_options {
	const char *path;
	/* makes it as it is simulated, for the prologue, in the other thread; or NULL */
	json_t *(*netlist)(struct hd_sim *s);
	uint64_t sample; /* periods between two samples of the statistics; 0: none */
	struct hd_filter filter;
	json_t *last;    /* more members for the statistics at its end, set before it is closed; or NULL */
	/* counters of the run beside those of its instances, whose growth the caller tells */
	const struct hd_observe_counter {
		const char *name, *unit, *doc;
	} *more;
	size_t nmore, more_of; /* more_of: the number of an instance with which they stand */
};

/* Counter k of .more has grown up to this cycle. */
void hd__observe_growth(struct hd_sim *s, size_t k, int64_t growth);

/* Opens the file and starts recording.  Returns false after printing an error. */
bool hd__observe_open(struct hd_sim *s, struct hd_observe_options *o);
/* Without a dump: hd_stall_cause() has the numbers that it has with one, and spans end at the close as they do then. */
void hd__observe_causes(struct hd_sim *s);
/* Writes the remaining rows.  The file gets its name if `keep`.  Returns false after printing a write
 * error. */
bool hd__observe_close(struct hd_sim *s, const char *status, bool keep);
void hd__observe_free(struct hd_sim *s);
/* Starts or stops recording, from the next edge on. */
void hd__observe_window(struct hd_sim *s, bool open);
bool hd__observe_is_open(const struct hd_sim *s);

/* The probe with which a simulation to be recorded is built (hd_options.probe). */
extern const struct hd_probe hd__record_probe;

/* ---- shared by the files of the recorder ---- */

/* id_table.c: definitions by hd_define(), until the other thread has them */
void hd__record_release(struct hd_sim *s);
struct hd_def;
struct hd_def *hd__def_new(const char *names, uint64_t id, const struct hd_cell *cells, unsigned n);
void hd__defs_add(struct hd_sim *s, struct hd_def *def);
struct hd_def *hd__defs_take(struct hd_sim *s); /* the next pending definition, or NULL */
json_t *hd__def_json(struct hd_def *def);       /* and frees it */

/* recorder_meta.c: the prologue, which declares all names and numbers.  Called in the other thread while the simulation
 * runs: of that it reads what does not change, and takes the symbols that it had when recording began. */
json_t *hd__observe_meta(void *observer);
json_t *hd__observe_symbols(const struct hd_sim *s);
/* recorder_links.c: and what is linked. */
json_t *hd__observe_links(const struct hd_sim *s);

/* Entries of the log from the simulation to the writing thread.  An entry begins with one word, its
 * kind in the low three bits, handle or table above; a pool may have 2^20 records. */
enum hd_log_kind {
	HD_LOG_CYCLE,      /* two words: the cycle of all following entries that do not have one */
	HD_LOG_EVENT,      /* table; instance; cycle, two words; all fields, two words each */
	/* handle, pool; as long as the shortest of a record, so that no log runs out of blocks; its block, full */
	HD_LOG_STEPS,
	HD_LOG_OVER,       /* handle, pool; the bytes of the record that have fields; and its block */
	HD_LOG_UNFINISHED, /* the same, for a record that is in use when recording stops */
	HD_LOG_KEEP,       /* the same; then the number of the kept transaction */
	HD_LOG_KEPT,       /* number, pool; place, argument; 0: its end */
	HD_LOG_OTHER,      /* see hd_log_other */
};
enum hd_log_other {
	HD_LOG_DEF,        /* a struct hd_def * */
	HD_LOG_CLOSED,     /* kept transactions are written as unfinished */
};
#define HD_HANDLE_BITS 20
#define HD_MOST_POOLS (1u << (32 - HD_LOG_BITS - HD_HANDLE_BITS))


#define HD_LOG_WORDS 8192u
#define HD_LOG_AHEAD 8u /* blocks ahead of the one that is read: that one is fetched */
/* As many as it may have entries of records, and those. */
#define HD_LOG_BLOCKS (HD_LOG_WORDS / HD_LOG_RECORD_WORDS + HD_LOG_AHEAD)

struct hd_log {
	struct hd_steps blocks[HD_LOG_BLOCKS]; /* first: they are aligned */
	struct hd_steps *steps[HD_LOG_BLOCKS]; /* of the entries that have one, in order; then the empty ones */
	uint32_t n;
	uint32_t words[HD_LOG_WORDS];
};

/* Records of one pool. */
struct hd_transactions {
	struct hd_log_pool log;      /* first */
	struct hd_observer *observer;
	const struct hd_type *type;
	struct hd_pool *pool;
	struct hd_dump_table *table; /* NULL: not recorded */
	uint32_t number, index;      /* of the table; among the pools */
	bool open;                   /* copy of the observer's */
	uint32_t bytes;              /* of a record that are logged */
	struct hd_steps *blocks;         /* by handle: the first that it has */
	struct hd_field_set *fields;
	/* in the bytes that are logged: all of them */
	struct hd_dump_bits field[HD_MOST_FIELDS], stored[HD_MOST_FIELDS];
	struct hd_dump_record record; /* and what is in the dump */
	/* free numbers for kept transactions */
	uint32_t *numbers, nnumbers, given;
	struct hd_assembler *assembler;    /* used by the other thread */
};

/* A process whose answer is looked at when it was evaluated. */
struct hd_asked_process {
	struct hd_sim *sim;
	struct hd_process *process;
	struct hd_taker *first; /* those with askers */
};

/* Who takes from a channel, or from a slot of it. */
struct hd_taker {
	struct hd_answer (*stall_cause)(const void *state, unsigned port, uint32_t link);
	const void *state;
	uint32_t port, link; /* link: index into an array port */
	uint32_t cause;      /* the first of its instance */
	uint32_t rank;       /* of its instance */
	uint32_t word;       /* of the set of processes: */
	uint64_t askers;     /* these of it sleep until the answer is another one */
	struct hd_answer answer;
	struct hd_taker *next; /* of the same process */
};

/* A channel that records pass. */
struct hd_record_watch {
	struct hd_log_chan log;      /* first */
	struct hd_channel *channel;
	struct hd_transactions *transactions; /* NULL: its payloads are not records */
	struct hd_observer *observer;
	uint32_t place;         /* in the channel */
	struct hd_taker *taker[64]; /* by slot */
};

/* The data of a watched channel: the watch is its first member. */
static inline const struct hd_record_watch *hd__record_watch(const struct hd_chan *c)
{
	return (const struct hd_record_watch *)c->watch;
}

#define HD_CAUSE_BUSY "busy" /* the first cause of an instance: its reason is not known */

/* recorder_cause.c: hd_probe.stall_cause, .cause and .asked */
uint32_t hd__observe_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes);
const struct hd_instance *hd__observe_cause_of(const struct hd_sim *s, uint32_t cause, const char **why);
void hd__observe_asked(struct hd_sim *s, uint32_t rank);
void hd__observe_askable(struct hd_observer *o);

/* Fields of an event or a record, and the conditions on them. */
struct hd_field_set {
	const struct hd_field *v; /* ends with a NULL name, or at the limit of events */
	unsigned n, nstored;
	int span, key;            /* stored numbers, or -1 */
	struct hd_range_list *wanted; /* by field; empty: any */
	bool filtered;
	bool first;               /* those that are not hidden are the first ones */
	uint8_t stored[HD_MOST_FIELDS]; /* their numbers */
};

struct hd_event_table {
	struct hd_dump_table *table; /* NULL: not wanted */
	uint32_t number;
	struct hd_field_set fields;
};

struct hd_observer {
	struct hd_sim *sim;
	struct hd_dump *dump;
	struct hd_log *log;
	struct hd_log_end *end; /* where it goes on */
	const uint64_t *period;
	uint64_t logged;        /* last cycle in the log for entries that do not have one */
	uint64_t closing;       /* the cycle of entries between two cycles: the next one */
	uint32_t longest;       /* words of one entry, and of what is written behind it */
	const struct hd_observe_options *opt; /* outlives it */
	json_t *symbols;        /* until the prologue has them */
	bool open;
	uint32_t *first_place;  /* by instance: its place; its marks follow */
	uint32_t *place_word;   /* by place: hd_step.place */
	uint32_t nplaces;
	uint32_t *columns;      /* by place: the one whose columns have its stays; found with the prologue */
	struct hd_rotation *turns; /* by instance: what its spans count */
	bool *instance_wanted, *place_wanted; /* place_wanted: NULL: all are */
	uint32_t *first_cause;  /* by instance */
	struct hd_record_watch *watches;
	struct hd_taker *takers; /* of all watches */
	bool **wakes;           /* by asking process: where it notes that it does not have to ask again */
	struct hd_asked_process *asked; /* by process */
	struct hd_routine *routines; /* hd_sim.asked */
	struct hd_transactions *transactions; /* by pool */
	size_t npools;
	const struct hd_module **modules; /* of instances, each once */
	struct hd_event_table **events;   /* by module */
	struct hd_log_event **entries;    /* the same: how they begin in the log */
	size_t nmodules;
	struct hd_event_table **reported_by;  /* by instance: its events, NULL: not recorded */
	struct hd_event_table **tables;   /* by number, of events and samples */
	struct hd_event_table sample_table;
	uint64_t *sampled;      /* by counter: value at the last sample */
	size_t ncounters;
	uint64_t next_sample;
	size_t window;          /* next range of the filter's cycles */
	uint32_t ntables;
	uint64_t replayed;      /* the other thread: cycle of its last entry, */
	struct hd_steps *const *steps; /* and the next block of its log */
};

static inline uint32_t hd__log_head(enum hd_log_kind what, const struct hd_transactions *l, uint32_t handle)
{
	return what | (handle | l->index << HD_HANDLE_BITS) << HD_LOG_BITS;
}

/* recorder.c: called when tables and places are known; starts recording. */
void hd__observe_begin(struct hd_sim *s);
/* recorder.c: logs the final entries; o->log is the last log. */
void hd__observe_end(struct hd_observer *o);

/* ---- assemble.c: the other thread's side ---- */

struct hd_assembler *hd__assembler_new(void);
void hd__assembler_free(struct hd_assembler *f);
void hd__replay(void *observer, const void *log); /* a struct hd_log */

#endif

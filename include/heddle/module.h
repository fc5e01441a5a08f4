/* module.h - the contract between a module and the event kernel; include this one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module is one C file that exports one constant `struct hd_module`, named hd_module_<name>.  From that descriptor
 * alone the kernel parses, checks, documents, links, counts and schedules.  Included below: channel.h moves data,
 * pool.h has records behind handles, observe.h counters, events and dumps, checkpoint.h saves a state, by_slot.h is
 * for slots used again, input.h reads the input of a run and ends it.  Few modules need ahead.h, for threads.
 *
 * For each instance the kernel zeroes the state, stores every parameter into it, binds the ports, and calls init,
 * start, eval at edges of its clock, and fini.
 */
#ifndef HEDDLE_MODULE_H
#define HEDDLE_MODULE_H

#include <heddle/bits.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

HD_BEGIN

/* Raised whenever a struct or an inline function of this header, channel.h, pool.h or observe.h changes. */
#define HD_ABI 18u

/* ---- the descriptor ------------------------------------------------------------------------- */

struct hd_ctx; struct hd_param; struct hd_port; struct hd_pending; struct hd_checkpoint; struct hd_by_slot; /* below */
struct hd_stat; struct hd_queue; struct hd_event; struct hd_mark; struct hd_reason; struct hd_answer; /* observe.h */

/* Results of eval, which returns the number of edges of its clock until its next evaluation. */
#define HD_NEXT UINT64_C(1)
#define HD_SLEEP UINT64_MAX /* not before a port changes or the instance is woken */

struct hd_module {
	uint32_t abi;  /* HD_ABI */
	uint32_t size; /* sizeof(struct hd_module) */
	const char *name, *doc;
	const struct hd_param *params; /* each list ends with a NULL name; NULL: none */
	const struct hd_port *ports;
	const struct hd_stat *stats;
	const struct hd_queue *queues;
	const struct hd_event *events;
	size_t state_size;

	/* Checks parameters against each other and allocates.  Returns 0, or hd_error()'s -1. */
	int (*init)(void *state, struct hd_ctx *ctx);
	/* Interfaces may be called, whose providers have started unless they use this instance.  Returns as init.
	 * From here on all may be NULL. */
	int (*start)(void *state);
	/* Called at an edge.  Must have no effect when there is nothing to do.  NULL: the instance
	 * only provides interfaces and is never evaluated. */
	uint64_t (*eval)(void *state);
	void (*skipped)(void *state, uint64_t n); /* called before eval if n edges passed without an evaluation */
	void (*report_pending)(const void *state, struct hd_pending *h); /* calls hd_report_pending() for its work */
	void (*fini)(void *state); /* frees what init allocated, even if init failed */

	const struct hd_mark *marks; const struct hd_reason *reasons; /* for dumps, see observe.h */
	/* Why is the payload at IN port `port` (link: index into an array port) not taken?  Called
	 * for the instance that waits for room, at any time in an edge; must change nothing. */
	struct hd_answer (*stall_cause)(const void *state, unsigned port, uint32_t link);
	void (*end)(void *state); /* the run is over: appends rows that are complete only then, by hd_row() */
	void (*end_observation)(void *state); /* the instance is no longer observed: emits unfinished events */
	/* Saves or loads what changes in a run (checkpoint.h).  NULL: such runs cannot be saved. */
	void (*checkpoint)(void *state, struct hd_checkpoint *k);
	uint64_t (*apart)(const void *state); bool confined; /* ahead.h */
	const struct hd_by_slot *by_slot; /* ends with a NULL name; NULL: none */
	const struct hd_activity *activity; uint64_t (*eval_active)(void *state); /* eval where they count; observe.h */
};

/* ---- parameters ---------------------------------------------------------------------------- */

enum hd_param_type {
	HD_U32,     /* uint32_t */
	HD_BOOL,    /* bool */
	HD_STRING,  /* const char *, owned by the kernel until fini */
	HD_PATH,    /* const char *, a file or folder beside the netlist, in HEDDLE_DATA_PATH, or installed */
	HD_CHOICE,  /* uint32_t, index into .choices */
	HD_U32S,    /* struct hd_list */
	HD_SYMBOL,  /* uint32_t, see hd_symbol(); .kind names the kind */
	HD_SYMBOLS, /* uint64_t, set of symbols of one kind, bit i = symbol i */
	HD_TABLE,   /* struct hd_table, one row per JSON object, fields as in .columns */
};

struct hd_list {
	uint32_t n;
	const uint32_t *v;
};

struct hd_table {
	uint32_t n;
	const void *rows; /* n rows of .row_size bytes */
};

/* One parameter.  The kernel stores the value at `offset` before init runs. */
struct hd_param {
	const char *name;
	const char *unit; /* "cycles", "entries", "" */
	const char *doc;
	enum hd_param_type type;
	size_t offset;
	const char *def; /* default as JSON text; NULL: the netlist must give it */
	uint64_t min, max; /* U32, each of U32S; for TABLE and SYMBOLS the number of entries; 0,0: any */
	const char *const *choices; /* CHOICE: NULL-terminated */
	const char *kind;           /* SYMBOL, SYMBOLS */
	const struct hd_param *columns; /* TABLE: ends with a NULL name */
	size_t row_size;
};

/* ---- ports --------------------------------------------------------------------------------- */

/* A payload type or an interface type.  Both ends of a link must agree in all fields. */
struct hd_type {
	const char *name;
	uint32_t size;    /* of the payload, or of the interface struct */
	uint32_t version; /* raised when its meaning changes */
	uint32_t record;  /* not 0: the payload is a handle into the pool of such records */
	uint32_t work;    /* of an interface: HD_WORK_IN, HD_WORK_OUT, or 0: bookkeeping; and HD_WHOLE */
	const struct hd_field *fields; const char *build; /* of records, for dumps; "MACRO=VALUE" of both; or NULL */
};

enum hd_port_kind {
	HD_IN,       /* takes payloads from a channel: struct hd_end (array: struct hd_ends) */
	HD_OUT,      /* puts payloads into a channel: the same */
	HD_USES,     /* calls an interface: const void * (array: struct hd_ifs) */
	HD_PROVIDES, /* is called: the interface struct, which init fills (array: struct hd_users) */
};

enum hd_port_flag {
	HD_OPTIONAL = 1 << 0, /* may stay unconnected: hd_connected() is false, or the interface NULL */
	HD_ARRAY = 1 << 1,    /* any number of links, in the order of the netlist */
	HD_SLOTS = 1 << 2,    /* the channel has indexed slots (a register set), not a FIFO */
	HD_ORDERED = 1 << 3,  /* PROVIDES: the order of calls matters; users are evaluated in that of their links */
	HD_PROVIDER_FIRST = 1 << 4, /* PROVIDES: the provider is evaluated before its users */
	HD_METERED = 1 << 5,  /* IN, not slots: statistics on the fill of the channel */
	HD_WORK_IN = 1 << 6, HD_WORK_OUT = 1 << 7, HD_NO_WORK = 1 << 8, /* USES, PROVIDES: calls hand work
	                       * over, get it, neither; else as the type says; OUT: no work moves.  For pictures */
	HD_DELAYED = 1 << 11, /* IN: init sets the latency, by hd_delay_input() */
	HD_REG = 1 << 13,     /* IN, OUT: a register; flags of other bits are in ahead.h */
	HD_GOES_ON = 1 << 14, /* PROVIDES, with eval: calls go on to what the module uses; ordered there, too */
	HD_WHOLE = 1 << 15,   /* in hd_type.work: what uses it are parts of one whole, and call none of another one */
};

struct hd_port {
	const char *name, *doc;
	enum hd_port_kind kind;
	unsigned flags;
	const struct hd_type *type;
	size_t offset;  /* in the state; several PROVIDES ports may provide the same struct */
	int phase;      /* PROVIDES: in an edge, users of a lower one come before those of a higher */
	const struct hd_param *attrs; /* attributes of links at this port; ends with a NULL name */
	size_t attr_size;
	uint32_t users; /* PROVIDES, IN: most instances at the other end; 0: any number */
	const char *const *aliases; /* other names for it in links; ends with NULL */
	const char *like; /* USES, left open: linked as its type is by the user of this port */
	uint32_t most;  /* ahead.h */
};

/* ---- the instance's view of the kernel ------------------------------------------------------ */

/* Wakes one sleeping instance: it is evaluated at this edge if it comes later in the order of
 * evaluation, else at the next one. */
struct hd_waker {
	uint64_t *word;
	uint64_t bit;
};

static inline void hd_wake(struct hd_waker w)
{
	*w.word |= w.bit;
}

struct hd_ctx {
	const uint64_t *now;   /* index of the present edge of the instance's clock, from 0 */
	const uint64_t *cycle; /* index of the present period of the clock that it derives from */
	const uint64_t *passed; /* periods of it that are over: n in period n, n + 1 at its last edge */
	uint64_t rate;         /* edges of the instance's clock in 1000 seconds; 0: it has no clock */
	struct hd_waker self;
	uint32_t index;        /* in its array; 0 for a single instance */
	uint32_t count;        /* of its array */
	uint32_t events;       /* set of the events that are recorded now; 31: all from 31 on */
	bool observed, observable; /* the instance is observed now; or may be later in this run */
	bool active, parts;    /* activity is counted; parts of the run overlap (observe.h), and */
	uint32_t part;         /* the instance counts for this one; 0: for none yet */
	struct hd_sim *sim;
	struct hd_instance *instance;
};

static inline uint64_t hd_now(const struct hd_ctx *c)
{
	return *c->now;
}

/* All report with the instance's path, and inside a run with the cycle.  These two return -1; the first is for bad
 * parameters or input, the run stops with exit status 2, the second for a run that failed, exit status 1. */
int hd_error(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);
int hd_fail(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);
/* The provider of an interface that the instance uses has given a wrong answer: fails the run, in its name. */
int hd_wrong(const struct hd_ctx *c, const void *interface, const char *fmt, ...) HD_PRINTF(3, 4);
void hd_warn(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);
/* Reports one piece of pending work of the instance. */
void hd_report_pending(struct hd_pending *h, const char *fmt, ...) HD_PRINTF(2, 3);
const char *hd_path(const struct hd_ctx *c);
/* Small dense numbers for names, one space per kind; at most 64 of a kind, UINT32_MAX beyond.  From init on. */
uint32_t hd_symbol(const struct hd_ctx *c, const char *kind, const char *name);
const char *hd_symbol_name(const struct hd_ctx *c, const char *kind, uint32_t symbol);

void *hd_memory(const struct hd_ctx *c, size_t n, size_t size); /* in init, start: n zeroed elements to keep, or NULL */

HD_END

#include <heddle/by_slot.h>
#include <heddle/channel.h>
#include <heddle/checkpoint.h>
#include <heddle/input.h>
#include <heddle/observe.h>
#include <heddle/pool.h>

#endif

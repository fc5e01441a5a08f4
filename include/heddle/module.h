/* module.h - the whole contract between a module and the event kernel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A module is one C file that exports one constant `struct hd_module`, named hd_module_<name>.
 * The kernel parses, checks, documents, wires, counts and schedules from that descriptor alone.
 *
 * Life of an instance: the kernel zeroes the state, stores every parameter into it, calls init
 * (allocate), binds the ports, calls start (interfaces of others may be called from here on),
 * calls eval at edges of its clock, calls fini (free).  fini is called even if init failed.
 */
#ifndef HEDDLE_MODULE_H
#define HEDDLE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default) /* what plug-ins call must be seen from outside */
#endif

/* Raised whenever a struct or an inline function of this header changes. */
#define HD_ABI 2u

#if defined(__GNUC__)
#define HD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define HD_LIKELY(x) __builtin_expect(!!(x), 1)
#define HD_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define HD_PRINTF(f, a)
#define HD_LIKELY(x) (x)
#define HD_UNLIKELY(x) (x)
#endif

/* ---- parameters ---------------------------------------------------------------------------- */

enum hd_param_type {
	HD_U32,     /* uint32_t */
	HD_BOOL,    /* bool */
	HD_STRING,  /* const char *, owned by the kernel until fini */
	HD_PATH,    /* const char *, a file or folder beside the netlist, else among those of
	             * HEDDLE_DATA_PATH, else among the installed ones */
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

/* One parameter.  The kernel stores the value at `offset` before init runs; a module never parses. */
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

/* ---- fields: what dumps hold of events and records ------------------------------------------ */

enum hd_field_flag {
	HD_FIELD_HEX = 1 << 0,    /* addresses and masks: shown in hexadecimal */
	HD_FIELD_SPAN = 1 << 1,   /* edges that the row stands for, the last of them before its cycle */
	HD_FIELD_HIDDEN = 1 << 2, /* only filters look at it: it follows from another field */
	HD_FIELD_KEY = 1 << 3,    /* below 64, and people look for one of them: dumps are indexed by it */
};

struct hd_field {
	const char *name, *unit, *doc;
	const char *names; /* what the numbers stand for: a kind of symbols, a table of hd_define(),
	                    * "reason" (see hd_reason) or "cause" (see hd_stall_cause()); NULL: themselves */
	unsigned flags;    /* enum hd_field_flag */
	uint32_t offset, size; /* in a record, an unsigned number; not used for events */
};

/* ---- ports --------------------------------------------------------------------------------- */

/* A payload type or an interface type.  Both ends of a link must agree in all fields. */
struct hd_type {
	const char *name;
	uint32_t size;    /* of the payload, or of the interface struct */
	uint32_t version; /* of its meaning */
	uint32_t record;  /* not 0: the payload is a handle into the pool of such records */
	const struct hd_field *fields; /* of such a record, for dumps; ends with a NULL name; or NULL */
};

enum hd_port_kind {
	HD_IN,       /* takes payloads from a channel: struct hd_end (array: struct hd_ends) */
	HD_OUT,      /* puts payloads into a channel: the same */
	HD_USES,     /* calls an interface: const void * (array: struct hd_ifs) */
	HD_PROVIDES, /* is called: see hd_module.provide */
};

enum hd_port_flag {
	HD_OPTIONAL = 1 << 0, /* may stay unconnected: ch or interface is NULL */
	HD_ARRAY = 1 << 1,    /* any number of links, in the order of the netlist */
	HD_SLOTS = 1 << 2,    /* the channel has indexed slots (a register set), not a FIFO */
	HD_ORDERED = 1 << 3,  /* PROVIDES: calls of different users do not commute; users are
	                       * evaluated in the order in which the netlist lists the links */
	HD_PROVIDER_FIRST = 1 << 4, /* PROVIDES: the provider's own turn comes before its users' */
};

struct hd_port {
	const char *name, *doc;
	enum hd_port_kind kind;
	unsigned flags;
	const struct hd_type *type;
	size_t offset;  /* in the state; not for PROVIDES */
	int phase;      /* PROVIDES: within an edge all users of a lower phase of this instance
	                 * come before all users of a higher one */
	const struct hd_param *attrs; /* what a link at this port may carry; ends with a NULL name */
	size_t attr_size;
};

/* Wakes one sleeping instance: it is evaluated at its next turn. */
struct hd_waker {
	uint64_t *word;
	uint64_t bit;
};

static inline void hd_wake(struct hd_waker w)
{
	*w.word |= w.bit;
}

enum hd_chan_flag {
	HD_CHAN_TIMED = 1 << 0,   /* items become visible by time stamp: latency > 1, or staged */
	HD_CHAN_STAGED = 1 << 1,
	HD_CHAN_MANY = 1 << 2,    /* not just one reader to wake */
	HD_CHAN_SLOTS = 1 << 4,
	HD_CHAN_STARVED = 1 << 3, /* FIFO: a producer found no room and wants to be woken */
	HD_CHAN_WATCHED = 1 << 5, /* a dump follows the records that pass */
};

/* A channel.  Modules touch it only through the functions below.  The first cache line is all that
 * an untimed FIFO with one reader and small payloads needs. */
struct hd_chan {
	unsigned char *data;  /* &small, if the payloads fit */
	uint32_t size;        /* bytes of one payload */
	uint32_t mask;        /* ring index mask */
	uint32_t head, tail;  /* payloads taken and put so far; slots: tail alone */
	uint32_t capacity;
	uint32_t flags;
	uint64_t full;        /* slots: bit i = slot i is occupied */
	struct hd_waker reader; /* woken by a put */
	uint64_t small;
	uint64_t wanted;      /* slots: a producer wants to be woken when one of these is taken */
	const struct hd_waker *slot_reader, *slot_writer; /* by slot, or NULL if ends share slots */
	const struct hd_waker *readers, *writers; /* all of them, when more than one reads or any starves */
	uint32_t nreaders, nwriters;
	/* timed only */
	const uint64_t *now;  /* edge count of the link's clock */
	uint64_t *visible;    /* per ring place or slot: first edge at which it may be taken */
	uint64_t late_edge;   /* staged: edge of the last take, and what it freed */
	uint64_t late_full;
	uint32_t late_count;
	uint32_t latency;
	uint64_t *late_word;  /* staged: wake of the readers at the end of the edge */
	const struct hd_watch *watch;
	uint64_t fill[3];     /* to a multiple of 64 bytes */
};

/* One end of a channel at one instance. */
struct hd_end {
	struct hd_chan *ch;
	uint64_t slots;   /* slots that this end may use */
	const void *attr; /* struct of hd_port.attrs, filled from the link */
};

struct hd_ends {
	uint32_t n;
	struct hd_end *v;
};

struct hd_ifs {
	uint32_t n;
	const void **v;
};

void hd__wake_readers(struct hd_chan *c);
void hd__wake_writers(struct hd_chan *c);
void hd__slow_put(struct hd_chan *c, uint32_t place);
void hd__slow_take(struct hd_chan *c);
void hd__slow_slot_put(struct hd_chan *c, unsigned slot);
void hd__slow_slot_take(struct hd_chan *c, unsigned slot);
uint32_t hd__timed_room(const struct hd_chan *c);
uint64_t hd__timed_seen(const struct hd_chan *c);

static inline bool hd_connected(const struct hd_end *e)
{
	return e->ch != NULL;
}

/* FIFO: number of payloads that may still be put in this edge. */
static inline uint32_t hd_room(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;
	uint32_t room = HD_UNLIKELY(c->flags & HD_CHAN_STAGED) ? hd__timed_room(c)
	                                                       : c->capacity - (c->tail - c->head);

	if (room == 0)
		c->flags |= HD_CHAN_STARVED;
	return room;
}

/* FIFO: puts a copy of *payload; size must be the type's.  Only after hd_room() was not 0. */
static inline void hd_put(const struct hd_end *e, const void *payload, size_t size)
{
	struct hd_chan *c = e->ch;
	uint32_t place = c->tail & c->mask;

	memcpy(c->data + (size_t)place * size, payload, size);
	c->tail++;
	if (HD_LIKELY(!(c->flags & (HD_CHAN_TIMED | HD_CHAN_MANY | HD_CHAN_WATCHED))))
		hd_wake(c->reader);
	else
		hd__slow_put(c, place);
}

/* FIFO: the oldest payload that may be taken in this edge, or NULL.  Valid until hd_take(). */
static inline const void *hd_front(const struct hd_end *e)
{
	const struct hd_chan *c = e->ch;
	uint32_t place = c->head & c->mask;

	if (c->head == c->tail
	    || (HD_UNLIKELY(c->flags & HD_CHAN_TIMED) && c->visible[place] > *c->now))
		return NULL;
	return c->data + (size_t)place * c->size;
}

/* FIFO: drops what hd_front() gave. */
static inline void hd_take(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;

	c->head++;
	if (HD_UNLIKELY(c->flags & (HD_CHAN_STAGED | HD_CHAN_STARVED | HD_CHAN_WATCHED)))
		hd__slow_take(c);
}

/* Slots: those of this end that hold something that may be taken in this edge. */
static inline uint64_t hd_slots_full(const struct hd_end *e)
{
	return (HD_UNLIKELY(e->ch->flags & HD_CHAN_TIMED) ? hd__timed_seen(e->ch) : e->ch->full)
	       & e->slots;
}

/* Slots: those of this end that may be filled in this edge. */
static inline uint64_t hd_slots_free(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;
	uint64_t taken = c->full;
	uint64_t free_slots;

	if (HD_UNLIKELY(c->flags & HD_CHAN_STAGED) && c->late_edge == *c->now)
		taken |= c->late_full;
	free_slots = ~taken & e->slots;
	if (free_slots == 0)
		c->wanted |= e->slots;
	return free_slots;
}

/* Slots: asks to be woken when one of these is taken.  hd_room() and hd_slots_free() ask by
 * themselves when they return 0. */
static inline void hd_want_slots(const struct hd_end *e, uint64_t slots)
{
	e->ch->wanted |= slots;
}

static inline const void *hd_slot(const struct hd_end *e, unsigned slot)
{
	return e->ch->data + (size_t)slot * e->ch->size;
}

static inline void hd_slot_put(const struct hd_end *e, unsigned slot, const void *payload,
                               size_t size)
{
	struct hd_chan *c = e->ch;

	memcpy(c->data + (size_t)slot * size, payload, size);
	c->full |= UINT64_C(1) << slot;
	c->tail++;
	if (HD_UNLIKELY(c->flags & (HD_CHAN_TIMED | HD_CHAN_WATCHED)))
		hd__slow_slot_put(c, slot);
	else if (HD_LIKELY(c->slot_reader != NULL))
		hd_wake(c->slot_reader[slot]);
	else
		hd__wake_readers(c);
}

static inline void hd_slot_take(const struct hd_end *e, unsigned slot)
{
	struct hd_chan *c = e->ch;
	uint64_t bit = UINT64_C(1) << slot;

	if (HD_UNLIKELY(c->flags & (HD_CHAN_STAGED | HD_CHAN_WATCHED)))
		hd__slow_slot_take(c, slot);
	c->full &= ~bit;
	if (!(c->wanted & bit))
		return;
	c->wanted &= ~bit;
	if (HD_LIKELY(c->slot_writer != NULL))
		hd_wake(c->slot_writer[slot]);
	else
		hd__wake_writers(c);
}

/* ---- pools --------------------------------------------------------------------------------- */

/* Records behind handles.  Handle 0 is never given out.  Records do not move: the memory for all
 * that there can ever be is reserved at the start, and only what is used becomes resident. */
#define HD_POOL_MAX 131072u

struct hd_pool {
	unsigned char *base;
	uint32_t record; /* bytes */
	uint32_t free;   /* head of the free list, 0: empty */
	uint32_t used, fresh; /* fresh: first handle that was never given out */
	void *transactions;     /* a dump follows the records; or NULL */
};

static inline void *hd_rec(const struct hd_pool *p, uint32_t handle)
{
	return p->base + (size_t)handle * p->record;
}

uint32_t hd__pool_fresh(struct hd_pool *p);
void hd__transaction_over(struct hd_pool *p, uint32_t handle);

/* Takes a record; its content is undefined.  The caller owns it until it passes the handle on. */
static inline uint32_t hd_alloc(struct hd_pool *p)
{
	uint32_t h = p->free;

	p->used++;
	if (HD_UNLIKELY(h == 0))
		return hd__pool_fresh(p);
	memcpy(&p->free, hd_rec(p, h), sizeof p->free);
	return h;
}

/* Gives a record back; the handle is dead afterwards. */
static inline void hd_release(struct hd_pool *p, uint32_t handle)
{
	if (HD_UNLIKELY(p->transactions != NULL))
		hd__transaction_over(p, handle);
	memcpy(hd_rec(p, handle), &p->free, sizeof p->free);
	p->free = handle;
	p->used--;
}

/* ---- statistics, events -------------------------------------------------------------------- */

/* One counter, a uint64_t at `offset` in the state. */
struct hd_stat {
	const char *name, *unit, *doc;
	size_t offset;
	const char *total; /* run-level figure that it adds to, dots group: "issue.stall"; or NULL */
	const char *rate;  /* heading under which it is shown per edge of its clock; or NULL */
	const char *ratio; /* what `total` per cycle is called, "IPC"; or NULL */
};

#define HD_EVENT_FIELDS 12

enum hd_event_flag {
	HD_EVENT_DETAIL = 1 << 0, /* frequent: dumps hold it only if they are asked for it */
};

struct hd_event {
	const char *name, *doc;
	struct hd_field fields[HD_EVENT_FIELDS]; /* the first without a name ends them; int64_t each */
	unsigned flags; /* enum hd_event_flag */
};

/* A point in the life of a record that an instance reports with hd_mark(): from there on the
 * record is said to be at this place.  Ports need no marks: where a record is put and who takes it
 * is followed by itself. */
struct hd_mark {
	const char *name, *doc;
	const char *arg, *names; /* name and meaning (as hd_field.names) of a number that goes with
	                          * it; NULL: none */
};

/* Why an instance does not do what others wait for.  Dots divide it: "scoreboard.global". */
struct hd_reason {
	const char *name, *doc;
};

/* Answer of hd_module.why. */
struct hd_answer {
	uint32_t reason; /* index into hd_module.reasons; or */
	uint32_t slot;   /* the slot that is wanted behind, of an indexed channel */
	const struct hd_end *behind; /* not NULL: an OUT end, whoever takes there is to be asked */
};

struct hd_pending; /* collects what an instance still holds */

/* Says one thing that the instance still holds or waits for. */
void hd_report_pending(struct hd_pending *h, const char *fmt, ...) HD_PRINTF(2, 3);

/* ---- the instance's view of the kernel ------------------------------------------------------ */

struct hd_sim;
struct hd_instance;

struct hd_ctx {
	const uint64_t *now;   /* index of the present edge of the instance's clock, from 0 */
	const uint64_t *cycle; /* index of the present period of the clock that it derives from */
	struct hd_waker self;
	uint32_t index;        /* in its array; 0 for a single instance */
	uint32_t count;        /* of its array */
	uint32_t events;       /* set of the events that somebody listens to now; 31: those behind */
	bool observed;         /* somebody listens to this instance now */
	bool observable;       /* or may do so later in this run */
	struct hd_sim *sim;
	struct hd_instance *instance;
};

/* All report with the instance's path, and inside a run with the cycle. */
int hd_error(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);  /* bad parameters or
                                            * input: the run stops, exit status 2.  Returns -1. */
int hd_fail(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);   /* the run failed:
                                            * exit status 1.  Returns -1. */
void hd_warn(const struct hd_ctx *c, const char *fmt, ...) HD_PRINTF(2, 3);

const char *hd_path(const struct hd_ctx *c);
const char *hd_input(const struct hd_ctx *c);            /* what the run was asked to replay */
void hd_input_range(const struct hd_ctx *c, uint64_t *first, uint64_t *last); /* items of the
                                            * input to replay, from 1, inclusive */

/* True if input that contradicts itself is to be refused even where a module can make sense of it. */
bool hd_strict(const struct hd_ctx *c);

/* Small dense numbers for names, one space per kind; at most 64 of a kind.  From init on. */
uint32_t hd_symbol(const struct hd_ctx *c, const char *kind, const char *name);
const char *hd_symbol_name(const struct hd_ctx *c, const char *kind, uint32_t symbol);

struct hd_pool *hd_pool(const struct hd_ctx *c, const struct hd_type *type);

/* Ends the run successfully after this edge. */
void hd_finish(const struct hd_ctx *c);

/* Opens or closes the gate of every clock that the netlist says this instance gates.  Takes
 * effect at the next period.  Clocks start closed if they are gated. */
void hd_gate(const struct hd_ctx *c, bool open);

/* How far the run is, for people who wait: any unit, as long as it is the same. */
void hd_progress(const struct hd_ctx *c, double done, double total);

/* Appends a row to the run-level table `table` of the statistics. */
struct hd_cell {
	const char *name;
	const char *text; /* or NULL, then number counts */
	uint64_t number;
};
void hd_row(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n);

/* Says what number `id` of the table `names` stands for, once and before it is used.  Dumps keep
 * it; without one it is lost, so ask ctx->observable first if the cells cost something. */
void hd_define(const struct hd_ctx *c, const char *names, uint64_t id, const struct hd_cell *cells,
               unsigned n);

/* Why does nobody make room behind this OUT end (slot: of an indexed channel)?  Asks who takes
 * there, and whoever that one waits for.  Returns the number of a cause, for fields with .names =
 * "cause"; 0: nobody knows. */
uint32_t hd_stall_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot);

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v);
void hd__mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
              uint32_t arg);

/* The record `handle` is at mark number `mark` of the descriptor from this cycle on. */
static inline void hd_mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
                           unsigned mark, uint32_t arg)
{
	if (HD_UNLIKELY(c->observed))
		hd__mark(c, p, handle, mark, arg);
}

/* The record is about to be released, but what it stands for goes on: returns a number for it, 0
 * if nobody follows it.  It ends with hd_transaction_end(). */
uint32_t hd_transaction_keep(struct hd_pool *p, uint32_t handle);
void hd_transaction_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t transaction, unsigned mark,
                  uint32_t arg);
void hd_transaction_end(struct hd_pool *p, uint32_t transaction);

/* Reports event number `event` of the descriptor. */
#define hd_emit(ctx, event, ...)                                                                  \
	do {                                                                                      \
		if (HD_UNLIKELY((ctx)->events >> ((event) < 31 ? (event) : 31) & 1))               \
			hd__emit((ctx), (event), (const int64_t[HD_EVENT_FIELDS]){ __VA_ARGS__ }); \
	} while (0)

static inline uint64_t hd_now(const struct hd_ctx *c)
{
	return *c->now;
}

/* ---- the descriptor ------------------------------------------------------------------------- */

/* What eval returns: after how many edges of its clock it wants to run again. */
#define HD_NEXT UINT64_C(1)
#define HD_SLEEP UINT64_MAX /* only when a port changes or somebody wakes it */

struct hd_module {
	uint32_t abi;  /* HD_ABI */
	uint32_t size; /* sizeof(struct hd_module) */
	const char *name, *doc;
	const struct hd_param *params; /* each list ends with a NULL name; NULL: none */
	const struct hd_port *ports;
	const struct hd_stat *stats;
	const struct hd_event *events;
	size_t state_size;

	/* Checks parameters against each other and allocates.  Returns 0, or hd_error()'s -1. */
	int (*init)(void *state, struct hd_ctx *ctx);
	/* Everything is wired; interfaces may be called.  Returns as init.  May be NULL. */
	int (*start)(void *state);
	/* One edge.  Must do no harm when there is nothing to do.  NULL: the instance only
	 * provides interfaces and has no turn of its own. */
	uint64_t (*eval)(void *state);
	/* n edges passed since the last eval, all of them without this instance.  May be NULL. */
	void (*skipped)(void *state, uint64_t n);
	/* The interface struct of the PROVIDES port `port` (index into ports), owned by the state.
	 * Called after init, before start. */
	const void *(*provide)(void *state, unsigned port);
	/* Says through hd_report_pending() what is still in here.  May be NULL. */
	void (*report_pending)(const void *state, struct hd_pending *h);
	/* Frees what init took, as far as it got.  May be NULL. */
	void (*fini)(void *state);

	/* For dumps; all may be NULL.  Lists end with a NULL name. */
	const struct hd_mark *marks;
	const struct hd_reason *reasons;
	/* Why is what lies at IN port `port` (link: index into an array port) not taken?  Asked by
	 * whoever stands in front, at any time in an edge; must change nothing. */
	struct hd_answer (*stall_cause)(const void *state, unsigned port, uint32_t link);
	/* Nobody listens any more from here on: emits what it has only begun to report. */
	void (*end_observation)(void *state);
};

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif

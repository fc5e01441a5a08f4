/* observe.h - counters, queues, events, marks, stall reasons and rows that a module reports
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Part of module.h, which is the header to include.  All of it is optional: dumps record payloads
 * at ports without code in the module.
 */
#ifndef HEDDLE_OBSERVE_H
#define HEDDLE_OBSERVE_H

#include <heddle/module.h>

HD_BEGIN

struct hd_end; /* channel.h */
struct hd_pool;

/* ---- counters ------------------------------------------------------------------------------ */

/* One counter, a uint64_t at `offset` in the state, or a sum of some. */
struct hd_stat {
	const char *name, *unit, *doc;
	size_t offset;
	const char *total; /* run-level figure that it adds to, "issue.stall"; not "cycles"; or NULL.
	                    * That of a share is the share of the sums */
	const char *rate;  /* heading under which it is shown per edge of its clock, */
	const char *of;    /* or, if not NULL, as a share of the statistic of that name; or NULL.
	                    * Without `rate` the figure itself is that share, from 0 to 1 */
	const char *ratio; /* name of `total` per cycle, "IPC"; or NULL */
	uint32_t n, stride; /* n > 1: the sum of n counters, `stride` bytes apart */
	bool most;         /* the run-level figure is the largest of them instead of the sum */
	bool part;         /* what it counts belongs to the part that hd_for_part() has named */
};

/* The present value of a counter of this state. */
static inline uint64_t hd_stat_value(const struct hd_stat *s, const void *state)
{
	const char *at = (const char *)state + s->offset;
	uint64_t sum, v;

	memcpy(&sum, at, sizeof sum);
	for (uint32_t i = 1; i < s->n; i++) {
		memcpy(&v, at + (size_t)i * s->stride, sizeof v);
		sum += v;
	}
	return sum;
}

/* ---- activity ------------------------------------------------------------------------------ */

/* A counter that energies are given for, beside the statistics.  It is in no statistics of a run, and need not be kept
 * unless hd_ctx.active. */
struct hd_activity {
	const char *name, *unit, *doc;
	size_t offset;    /* of a uint64_t in the state; with `kind` of a uint64_t * to HD_SYMBOLS_MAX, or NULL */
	const char *kind; /* not NULL: a counter "name.SYMBOL" for each symbol of that kind (hd_symbol()) */
	uint64_t (*now)(const void *state); /* not NULL: its present value, instead of .offset */
};

#define HD_SYMBOLS_MAX 64u /* of a kind */

/* ---- queues ---------------------------------------------------------------------------------- */

/* How full something was over time, in edges of the instance's clock. */
struct hd_meter {
	uint64_t sum;  /* of what was inside at the end of each edge, */
	uint64_t at;   /* for so many edges */
	uint32_t n;    /* inside since then */
	uint32_t most; /* that was inside at the end of an edge */
};

/* One queue inside of a module.  Those in front of it, its channels, have HD_METERED. */
struct hd_queue {
	const char *name, *unit, *doc;
	size_t offset;   /* of a struct hd_meter in the state */
	size_t capacity; /* of a uint32_t in the state, how many may be inside; 0: there is no limit */
};

static inline void hd__meter_count(struct hd_meter *m, uint64_t edges)
{
	if (edges <= m->at)
		return;
	m->sum += (edges - m->at) * m->n;
	m->most = m->n > m->most ? m->n : m->most;
	m->at = edges;
}

/* `n` are inside at the end of this edge.  To be called, from eval, whenever that may have changed. */
static inline void hd_meter(const struct hd_ctx *c, struct hd_meter *m, uint32_t n)
{
	hd__meter_count(m, *c->now);
	m->n = n;
}

/* ---- fields of events and records in dumps -------------------------------------------------- */

enum hd_field_flag {
	HD_FIELD_HEX = 1 << 0,    /* addresses and masks: shown in hexadecimal */
	HD_FIELD_SPAN = 1 << 1,   /* edges that the row stands for, the last one before its cycle; see hd_in_turn() */
	HD_FIELD_HIDDEN = 1 << 2, /* used only by filters: it follows from another field */
	HD_FIELD_KEY = 1 << 3,    /* below 64; dumps are indexed by it, for queries of one value */
	HD_FIELD_APART = 1 << 4,  /* rows of each value have a timeline of their own; their spans may overlap */
};

struct hd_field {
	const char *name, *unit, *doc;
	const char *names; /* names of the numbers: a kind of symbols, a table of hd_define(),
	                    * "reason" (see hd_reason) or "cause" (see hd_stall_cause()); NULL: themselves */
	unsigned flags;    /* enum hd_field_flag */
	uint32_t offset, size; /* in a record, an unsigned number; not used for events */
};

/* ---- events --------------------------------------------------------------------------------- */

#define HD_EVENT_FIELDS 12

enum hd_event_flag {
	HD_EVENT_DETAIL = 1 << 0, /* frequent: dumped only if a filter names it */
};

struct hd_event {
	const char *name, *doc;
	struct hd_field fields[HD_EVENT_FIELDS]; /* the first without a name ends them; int64_t each */
	unsigned flags; /* enum hd_event_flag */
};

void hd__emit(const struct hd_ctx *c, unsigned event, const int64_t *v);

/* Reports event number `event` of the descriptor. */
#define hd_emit(ctx, event, ...)                                                             \
	do {                                                                                 \
		if (HD_UNLIKELY((ctx)->events >> ((event) < 31 ? (event) : 31) & 1)) {        \
			const int64_t hd__v[HD_EVENT_FIELDS] = { __VA_ARGS__ };              \
			hd__emit((ctx), (event), hd__v);                                     \
		}                                                                            \
	} while (0)

/* Called by init: spans of the instance count the edges whose number modulo `turns` is `turn`.  Without effect for an
 * instance whose clock is not the first one, in whose edges dumps have their cycles. */
void hd_in_turn(const struct hd_ctx *c, uint32_t turns, uint32_t turn);

/* ---- marks on records ----------------------------------------------------------------------- */

/* A point between the allocation of a record and its release that an instance reports with
 * hd_mark(): from there on the record is shown at this place.  Ports need no marks: puts and takes
 * are recorded without them. */
struct hd_mark {
	const char *name, *doc;
	const char *arg, *names; /* name and meaning (as hd_field.names) of a number that goes with
	                          * it; NULL: none */
};

void hd__mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned mark,
              uint32_t arg);

/* The record `handle` is at mark number `mark` of the descriptor from this cycle on. */
static inline void hd_mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
                           unsigned mark, uint32_t arg)
{
	if (HD_UNLIKELY(c->observed))
		hd__mark(c, p, handle, mark, arg);
}

void hd__mark_before(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
                     unsigned mark, uint32_t cycles);

/* The record, whose first step is in this cycle, had been at the mark for so many cycles before
 * that, without a record.  Cheapest in front of that step, of the record that is allocated next. */
static inline void hd_mark_before(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
                                  unsigned mark, uint32_t cycles)
{
	if (HD_UNLIKELY(c->observed))
		hd__mark_before(c, p, handle, mark, cycles);
}

/* The record is about to be released, but its transaction goes on (a load whose response is
 * outstanding): returns the number of the transaction, 0 if it is not recorded.  It ends with
 * hd_transaction_end(). */
uint32_t hd_transaction_keep(struct hd_pool *p, uint32_t handle);
void hd_transaction_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t transaction,
                         unsigned mark, uint32_t arg);
void hd_transaction_end(struct hd_pool *p, uint32_t transaction);

/* ---- causes of stalls ----------------------------------------------------------------------- */

/* Why an instance does not take a payload, or does not use a slot.  Dots group reasons: "full.bus". */
struct hd_reason {
	const char *name, *doc;
	const char *symbols; /* of the last entry, without a name: "idle.hold", the numbers from its own on are the
	                      * symbols of kind "hold", "idle." and the name of each; or NULL */
};

/* Result of hd_module.stall_cause. */
struct hd_answer {
	uint32_t reason; /* index into hd_module.reasons; or */
	uint16_t slot;   /* the slot that is needed at `behind`, of a register set */
	bool holds;      /* it is the same until the instance is evaluated again */
	const struct hd_end *behind; /* not NULL: an OUT end; the cause is that of its receiver */
};

/* Why is there no room at this OUT end (slot: of a register set)?  Calls stall_cause of the
 * receiver, then of the instance for which that one waits, and so on.  Returns the number of a
 * cause, for fields with .names = "cause"; 0: unknown. */
uint32_t hd_stall_cause(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot);
/* The same.  *wakes: the calling instance, which has a process, is woken in the edge in which the cause becomes
 * another one, and may sleep until then; false: it has to ask again at its next edge.  It becomes false, perhaps sooner
 * than it has to, by the time the cause is another one; so it is in the state of the instance, one for all calls. */
uint32_t hd_stall_watch(const struct hd_ctx *c, const struct hd_end *end, uint32_t slot, bool *wakes);

/* The process of a waker as a number, for records, which hold no pointers; 0: there is none. */
uint32_t hd_waker_number(const struct hd_ctx *c, struct hd_waker w);
/* hd_wake() by that number, in the same run. */
void hd_wake_number(const struct hd_ctx *c, uint32_t number);

/* ---- rows, and what they are of ------------------------------------------------------------- */

struct hd_cell {
	const char *name;
	const char *text; /* or NULL for a number */
	uint64_t number;
};

/* Appends a row to the run-level table `table` of the statistics.  Once several instances have
 * done so, each row also names its instance. */
void hd_row(const struct hd_ctx *c, const char *table, const struct hd_cell *cells, unsigned n);

/* Appends the row of part number `part` of the run: the statistics also have the growth of each of them in it.  It
 * began where the instance's previous part ended, and lasts up to the end of the present moment, unless parts overlap.
 * Only if no other instance does so. */
void hd_row_part(const struct hd_ctx *c, const char *table, uint32_t part, const struct hd_cell *cells,
                 unsigned n);
/* Called by init of the instance that appends these rows: parts overlap.  Then hd_ctx.parts is true in all instances
 * from start on, a row has what the statistics with `part` have counted for its part, and what the others have grown by
 * since the last part ended. */
void hd_parts_overlap(const struct hd_ctx *c);

void hd__for_part(struct hd_ctx *c, uint32_t part);

/* What the instance counts from here on belongs to that part, from 1. */
static inline void hd_for_part(struct hd_ctx *c, uint32_t part)
{
	if (HD_UNLIKELY(c->part != part))
		hd__for_part(c, part);
}

/* Defines number `id` of the table `names`, once and before it is used.  Dumps store it; without a
 * dump it is dropped, so check ctx->observable first if the cells are expensive. */
void hd_define(const struct hd_ctx *c, const char *names, uint64_t id, const struct hd_cell *cells,
               unsigned n);

HD_END

#endif

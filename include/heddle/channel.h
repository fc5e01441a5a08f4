/* channel.h - how payloads move: ends of channels, FIFOs, registers, slots
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Part of module.h, which is the header to include.  The functions are inline because a simulation
 * calls them more often than anything else.  Only they may access struct hd_chan; if a module needs
 * more of it, a function is missing here.
 */
#ifndef HEDDLE_CHANNEL_H
#define HEDDLE_CHANNEL_H

#include <heddle/module.h>

HD_BEGIN

#if defined(__GNUC__)
#define HD__NOT_NULL(p) ((p) != NULL ? (void)0 : __builtin_unreachable())
#else
#define HD__NOT_NULL(p) ((void)0)
#endif

/* ---- what the kernel stores at hd_port.offset ------------------------------------------------ */

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

/* Of a provider that tells its users apart: init fills one interface struct for each of them. */
struct hd_users {
	uint32_t n;
	void *v;                       /* n structs of the type of the port */
	const struct hd_waker *waker;  /* of each user */
};

/* ---- a channel ------------------------------------------------------------------------------ */

enum hd_chan_flag {
	HD_CHAN_TIMED = 1 << 0,   /* items become visible by time stamp: latency > 1, or staged */
	HD_CHAN_STAGED = 1 << 1,
	HD_CHAN_MANY = 1 << 2,    /* no single reader to wake */
	HD_CHAN_STARVED = 1 << 3, /* FIFO: a producer found no room and is to be woken */
	HD_CHAN_SLOTS = 1 << 4,
	HD_CHAN_WATCHED = 1 << 5, /* a dump records the payloads that pass */
	HD_CHAN_METERED = 1 << 6, /* how full it is is measured */
	HD_CHAN_CHECKED = 1 << 7, /* each put and take is checked (heddle run --check-modules) */
	HD_CHAN_REG = 1 << 8,     /* register: a FIFO with one place, or two if staged; */
	HD_CHAN_FULL = 1 << 9,    /* and it holds a payload */
	HD_CHAN_APART = 1 << 10,  /* timed only so that its ends may be at different edges */
	HD_CHAN_LATER = 1 << 11,   /* metered, and they are: it is measured later, from .visible */
};

/* FIFO: what takes more than a put or a take of the payload and a wake. */
#define HD__CHAN_RARE (HD_CHAN_TIMED | HD_CHAN_STAGED | HD_CHAN_MANY | HD_CHAN_STARVED | HD_CHAN_WATCHED \
                       | HD_CHAN_METERED | HD_CHAN_CHECKED | HD_CHAN_REG)

/* Modules access it only through the functions below.  An untimed FIFO with one reader and small
 * payloads needs only the first cache line. */
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
	uint64_t wanted;      /* slots: a producer is to be woken when one of these is taken */
	const struct hd_waker *slot_reader, *slot_writer; /* by slot, or NULL if ends share slots */
	const struct hd_waker *readers, *writers; /* all of them, when more than one reads or any starves */
	uint32_t nreaders, nwriters;
	/* timed only */
	const uint64_t *now;  /* edge count of the link's clock */
	uint64_t *visible;    /* per ring place or slot: first edge at which it may be taken; behind them, if the
	                       * channel is metered: of takes from each place while it has HD_CHAN_LATER, the edge */
	uint64_t late_edge;   /* staged: edge of the last take, and what it freed */
	uint64_t late_full;
	uint32_t late_count;
	uint32_t latency;
	uint64_t *late_word;  /* staged: wake of the readers at the end of the edge */
	const struct hd_watch *watch;
	struct hd_gauge *gauge; /* metered only */
	struct hd_sim *sim;   /* timed only: its readers have timers; NULL: one of them is not evaluated */
	uint64_t late;        /* staged: its place in the kernel's list of those that were used in this edge */
};

void hd__wake_readers(struct hd_chan *c);
void hd__wake_writers(struct hd_chan *c);
void hd__slow_put(struct hd_chan *c, uint32_t place, size_t size);
void hd__slow_take(struct hd_chan *c);
void hd__slow_pass(const struct hd_end *in, const struct hd_end *out, const void *payload, size_t size);
void hd__slow_pass_small(const struct hd_end *in, const struct hd_end *out, uint64_t payload, size_t size);
void hd__slow_slot_put(struct hd_chan *c, unsigned slot, size_t size);
void hd__slow_slot_take(struct hd_chan *c, unsigned slot);
uint64_t hd__timed_seen(const struct hd_chan *c);

/* Places of a staged FIFO that are free now: those of the payloads taken in this edge are not yet. */
static inline uint32_t hd__timed_room(const struct hd_chan *c)
{
	uint32_t used = c->tail - c->head + (c->late_edge == *c->now ? c->late_count : 0);

	return c->capacity - used;
}

static inline bool hd_connected(const struct hd_end *e)
{
	return e->ch != NULL;
}

/* Places of the channel: payloads that fit into a FIFO, or slots of all ends together. */
static inline uint32_t hd_capacity(const struct hd_end *e)
{
	return e->ch->capacity;
}

/* For start: has the channel as many places as the module waits for at a time?  Returns 0, or -1 after a message; port:
 * its name, why: what they are for. */
static inline int hd_expect_capacity(const struct hd_ctx *ctx, const struct hd_end *e, uint32_t least, const char *port,
                                     const char *why)
{
	return !hd_connected(e) || hd_capacity(e) >= least ? 0
	       : hd_error(ctx, "the link of port '%s' holds %u; expected a \"capacity\" of at least %u, %s", port,
	                  hd_capacity(e), least, why);
}

/* Instances that put into the channel. */
static inline uint32_t hd_writers(const struct hd_end *e)
{
	return e->ch->nwriters;
}

/* May the channel hold a payload that is not visible yet? */
static inline bool hd_delays(const struct hd_end *e)
{
	return e->ch->flags & HD_CHAN_TIMED;
}

/* ---- FIFO ----------------------------------------------------------------------------------- */

/* FIFO: number of payloads that may still be put in this edge. */
static inline uint32_t hd_room(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;
	uint32_t room = c->capacity - (c->tail - c->head);

	if (HD_UNLIKELY(c->flags & HD_CHAN_STAGED) && c->late_edge == *c->now)
		room -= c->late_count; /* as in hd__timed_room(), with fewer registers */
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
	if (HD_LIKELY(!(c->flags & (HD_CHAN_TIMED | HD_CHAN_MANY | HD_CHAN_WATCHED
	                         | HD_CHAN_METERED | HD_CHAN_CHECKED | HD_CHAN_REG))))
		hd_wake(c->reader);
	else
		hd__slow_put(c, place, size);
}

/* FIFO: puts a copy of *payload and returns true if there is room and the channel needs no special handling, so that a
 * module calls no function where it passes most payloads.  Else does nothing and returns false: then test hd_room()
 * and call hd_put(). */
static inline bool hd_try_put(const struct hd_end *e, const void *payload, size_t size)
{
	struct hd_chan *c = e->ch;
	uint32_t tail = c->tail;

	if (HD_UNLIKELY((c->flags & HD__CHAN_RARE) || tail - c->head == c->capacity))
		return false;
	memcpy(c->data + (size_t)(tail & c->mask) * size, payload, size);
	c->tail = tail + 1;
	hd_wake(c->reader);
	return true;
}

/* FIFO: the oldest payload that may be taken in this edge, or NULL.  Valid until hd_take(). */
static inline const void *hd_front(const struct hd_end *e)
{
	const struct hd_chan *c = e->ch;
	const unsigned char *payload;
	uint32_t place;

	if (c->head == c->tail)
		return NULL;
	place = c->head & c->mask;
	if (HD_UNLIKELY(c->flags & HD_CHAN_TIMED) && c->visible[place] > *c->now)
		return NULL;
	payload = c->data + (size_t)place * c->size;
	HD__NOT_NULL(payload);
	return payload;
}

/* FIFO: the payload n places behind the oldest one, which may not be visible yet, or NULL.  Nothing that is simulated
 * may depend on it: it tells which memory will be needed soon. */
static inline const void *hd_behind(const struct hd_end *e, uint32_t n)
{
	const struct hd_chan *c = e->ch;

	return c->tail - c->head > n ? c->data + (size_t)((c->head + n) & c->mask) * c->size : NULL;
}

/* FIFO: removes the payload that hd_front() returned. */
static inline void hd_take(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;

	c->head++;
	if (HD_UNLIKELY(c->flags & (HD_CHAN_STAGED | HD_CHAN_STARVED | HD_CHAN_WATCHED
	                            | HD_CHAN_METERED | HD_CHAN_CHECKED | HD_CHAN_REG)))
		hd__slow_take(c);
}

/* A small payload is passed by value, so that it need not be in memory where this is inline. */
static inline void hd__slow_pass_any(const struct hd_end *in, const struct hd_end *out, const void *payload,
                                     size_t size)
{
	uint64_t small = 0;

	if (size > sizeof small) {
		hd__slow_pass(in, out, payload, size);
		return;
	}
	memcpy(&small, payload, size);
	hd__slow_pass_small(in, out, small, size);
}

/* FIFO: hd_put() into `out` and hd_take() from `in`, in one call where a module passes something on.  *payload may be
 * what hd_front() returned. */
static inline void hd_pass(const struct hd_end *in, const struct hd_end *out, const void *payload, size_t size)
{
	struct hd_chan *from = in->ch, *to = out->ch;
	uint32_t place = to->tail & to->mask;

	if (HD_UNLIKELY((from->flags | to->flags) & HD__CHAN_RARE)) {
		hd__slow_pass_any(in, out, payload, size);
		return;
	}
	from->head++;
	memcpy(to->data + (size_t)place * size, payload, size);
	to->tail++;
	hd_wake(to->reader);
}

/* ---- register -------------------------------------------------------------------------------- */

/* A channel to or from a port with HD_REG is a register: a FIFO with a single place.  The functions for a FIFO serve
 * for it, too; these here find all in one comparison as long as nothing about the channel is out of the ordinary: not
 * staged or in a dump, neither metered nor checked, one reader, and no producer that found it full.  At other channels
 * they do the same as those for a FIFO.  `size` is always that of the type. */
#define HD__REG_EMPTY ((uint32_t)HD_CHAN_REG)
#define HD__REG_FULL ((uint32_t)(HD_CHAN_REG | HD_CHAN_FULL))

/* Where bind.c puts the payload of such a register. */
static inline unsigned char *hd__reg_place(struct hd_chan *c, size_t size)
{
	return size <= sizeof c->small ? (unsigned char *)&c->small : (unsigned char *)(c + 1);
}

/* Register: the payload, if there is one that may be taken in this edge, or NULL.  Valid until it is taken. */
static inline const void *hd_reg_front(const struct hd_end *e, size_t size)
{
	if (HD_LIKELY(e->ch->flags == HD__REG_FULL))
		return hd__reg_place(e->ch, size);
	return e->ch->flags == HD__REG_EMPTY ? NULL : hd_front(e);
}

/* Register: may a payload be put in this edge?  If not, the instance is woken when the one in it is taken. */
static inline bool hd_reg_free(const struct hd_end *e)
{
	return HD_LIKELY(e->ch->flags == HD__REG_EMPTY) || hd_room(e) != 0;
}

/* Register: removes the payload that hd_reg_front() returned. */
static inline void hd_reg_take(const struct hd_end *e)
{
	struct hd_chan *c = e->ch;

	if (HD_UNLIKELY(c->flags != HD__REG_FULL)) {
		hd_take(e);
		return;
	}
	c->flags = HD__REG_EMPTY;
	c->head++;
}

/* Register: puts a copy of *payload.  Only after hd_reg_free() was true. */
static inline void hd_reg_put(const struct hd_end *e, const void *payload, size_t size)
{
	struct hd_chan *c = e->ch;

	if (HD_UNLIKELY(c->flags != HD__REG_EMPTY)) {
		hd_put(e, payload, size);
		return;
	}
	memcpy(hd__reg_place(c, size), payload, size);
	c->flags = HD__REG_FULL;
	c->tail++;
	hd_wake(c->reader);
}

/* Register: hd_reg_put() into `out` and hd_reg_take() from `in`.  *payload may be what hd_reg_front() returned. */
static inline void hd_reg_pass(const struct hd_end *in, const struct hd_end *out, const void *payload, size_t size)
{
	struct hd_chan *from = in->ch, *to = out->ch;

	if (HD_UNLIKELY(from->flags != HD__REG_FULL || to->flags != HD__REG_EMPTY)) {
		hd__slow_pass_any(in, out, payload, size);
		return;
	}
	from->flags = HD__REG_EMPTY;
	from->head++;
	memcpy(hd__reg_place(to, size), payload, size);
	to->flags = HD__REG_FULL;
	to->tail++;
	hd_wake(to->reader);
}

/* In init, for an input with HD_DELAYED: what is put there may be taken `cycles` cycles later, but not
 * in the same edge.  They are cycles of the provider at port `clock` (HD_USES).  If its clock and that
 * of the instance tick together they are as many edges of the instance; if not, the payload is there
 * somewhat early, never late.  Returns 0, or hd_error()'s -1. */
int hd_delay_input(const struct hd_ctx *c, const struct hd_end *e, uint32_t cycles, unsigned clock);

/* ---- slots ---------------------------------------------------------------------------------- */

/* Slots: those of this end with a payload that may be taken in this edge. */
static inline uint64_t hd_slots_full(const struct hd_end *e)
{
	return (HD_UNLIKELY(e->ch->flags & HD_CHAN_TIMED) ? hd__timed_seen(e->ch) : e->ch->full)
	       & e->slots;
}

/* Of these full slots of a timed channel: those with a payload that may be taken in this edge. */
static inline uint64_t hd__timed_among(const struct hd_chan *c, uint64_t slots)
{
	uint64_t now = *c->now, seen = 0;

	for (; slots; slots &= slots - 1)
		seen |= c->visible[hd_bits_first(slots)] <= now ? hd_bits_lowest(slots) : 0;
	return seen;
}

/* Slots: the same, only where hd_delays(): without a call, which costs more than to look at few payloads. */
static inline uint64_t hd_slots_arrived(const struct hd_end *e)
{
	return hd__timed_among(e->ch, e->ch->full & e->slots);
}

/* Slots: address of the set of all full slots of the channel, for a module that examines many ends
 * in every edge.  Its intersection with hd_end.slots is hd_slots_full(), if the channel is
 * untimed. */
static inline const uint64_t *hd_slots_word(const struct hd_end *e)
{
	return &e->ch->full;
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

/* Slots: those of `slots` that may be filled in this edge; if there are none, requests a wake when one is taken. */
static inline uint64_t hd_slots_among(const struct hd_end *e, uint64_t slots)
{
	struct hd_chan *c = e->ch;
	uint64_t taken = c->full, mine = slots & e->slots;

	if (HD_UNLIKELY(c->flags & HD_CHAN_STAGED) && c->late_edge == *c->now)
		taken |= c->late_full;
	if (!(mine & ~taken))
		c->wanted |= mine;
	return mine & ~taken;
}

/* Slots: requests a wake when one of these is taken.  hd_room() and hd_slots_free() request it
 * themselves when they return 0. */
static inline void hd_want_slots(const struct hd_end *e, uint64_t slots)
{
	e->ch->wanted |= slots;
}

static inline const void *hd_slot(const struct hd_end *e, unsigned slot)
{
	return e->ch->data + (size_t)slot * e->ch->size;
}

/* hd_slot() for a payload of the type's size, known where this is compiled. */
static inline const void *hd_slot_sized(const struct hd_end *e, unsigned slot, size_t size)
{
	return e->ch->data + (size_t)slot * size;
}

static inline void hd_slot_put(const struct hd_end *e, unsigned slot, const void *payload,
                               size_t size)
{
	struct hd_chan *c = e->ch;

	memcpy(c->data + (size_t)slot * size, payload, size);
	if (HD_UNLIKELY(c->flags & (HD_CHAN_TIMED | HD_CHAN_WATCHED | HD_CHAN_CHECKED))) {
		hd__slow_slot_put(c, slot, size);
		return;
	}
	c->full |= hd_bit(slot);
	c->tail++;
	if (HD_LIKELY(c->slot_reader != NULL))
		hd_wake(c->slot_reader[slot]);
	else
		hd__wake_readers(c);
}

/* The slot is free: wakes who wanted it. */
static inline void hd__slot_taken(struct hd_chan *c, unsigned slot)
{
	uint64_t bit = hd_bit(slot);

	c->full &= ~bit;
	if (!(c->wanted & bit))
		return;
	c->wanted &= ~bit;
	if (HD_LIKELY(c->slot_writer != NULL))
		hd_wake(c->slot_writer[slot]);
	else
		hd__wake_writers(c);
}

static inline void hd_slot_take(const struct hd_end *e, unsigned slot)
{
	struct hd_chan *c = e->ch;

	if (HD_UNLIKELY(c->flags & (HD_CHAN_STAGED | HD_CHAN_WATCHED | HD_CHAN_CHECKED)))
		hd__slow_slot_take(c, slot);
	else
		hd__slot_taken(c, slot);
}

HD_END

#endif

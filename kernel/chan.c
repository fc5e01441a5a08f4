/* chan.c - channels and pools off the fast path: waking many, time stamps, growing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "shard.h"
#include "timer.h"

#include <inttypes.h>
#include <stdlib.h>

void hd__wake_readers(struct hd_chan *c)
{
	for (uint32_t i = 0; i < c->nreaders; i++)
		hd_wake(c->readers[i]);
}

void hd__wake_writers(struct hd_chan *c)
{
	c->flags &= ~(uint32_t)HD_CHAN_STARVED;
	c->wanted = 0;
	for (uint32_t i = 0; i < c->nwriters; i++)
		hd_wake(c->writers[i]);
}

/* The reader is evaluated at that edge at the latest: one that is awake finds it by itself when it
 * goes to sleep (sweep.h). */
static inline __attribute__((always_inline)) void wake_reader_at(const struct hd_chan *c, struct hd_waker w,
                                                                uint64_t edge)
{
	struct hd_sim *s = c->sim;
	size_t word = (size_t)(w.word - s->awake);
	struct hd_process *t = &s->processes[word * 64 + hd_bits_first(w.bit)];

	if (*w.word & w.bit)
		return;
	if (HD_UNLIKELY(&t->clock->now != c->now)) {
		hd_wake(w);
		return;
	}
	if ((s->noted[word].armed & w.bit) && t->due <= edge)
		return;
	hd__arm(s, word, w.bit, t, edge);
	if (HD_UNLIKELY(s->ahead != NULL)) /* the reader may be at an edge that is long over here */
		s->noted[word].far |= w.bit;
}

static void wake_readers_at(const struct hd_chan *c, uint64_t edge)
{
	for (uint32_t i = 0; i < c->nreaders; i++)
		wake_reader_at(c, c->readers[i], edge);
}

void hd__wake_readers_for(struct hd_chan *c, uint64_t edge)
{
	if (!c->sim || edge <= *c->now)
		hd__wake_readers(c);
	else
		wake_readers_at(c, edge);
}

/* The end of the edge looks at the channel, in the simulation or the view of it that .late_word lies in. */
static void use_late(struct hd_chan *c)
{
	struct hd_sim *s = (struct hd_sim *)((char *)c->late_word - offsetof(struct hd_sim, late));

	if (c->late & HD_LATE_USED)
		return;
	c->late |= HD_LATE_USED | (uintptr_t)s->used;
	s->used = c;
	s->late |= HD_LATE_SOME;
}

static inline void simply_timed_put(struct hd_chan *c, uint32_t place)
{
	c->visible[place] = *c->now + c->latency;
	if (c->latency > 1 && c->sim)
		wake_readers_at(c, c->visible[place]);
	else
		hd__wake_readers(c);
}

/* A staged payload may become visible at the next edge, but its reader may still be evaluated at this
 * one, so the wake has to wait until the edge is over; the run loop checks late_word. */
static void timed_put(struct hd_chan *c, uint32_t place)
{
	bool staged = c->flags & HD_CHAN_STAGED;
	uint64_t delay = c->latency || !staged ? c->latency : 1;

	c->visible[place] = *c->now + delay;
	if (delay > 1 && c->sim)
		wake_readers_at(c, c->visible[place]);
	else if (staged)
		use_late(c);
	else
		hd__wake_readers(c);
}

/* Freed room becomes visible at the next edge, so a producer that found none is woken late, too. */
static void staged_take(struct hd_chan *c, uint64_t slot_bit)
{
	use_late(c);
	if (c->late_edge != *c->now) {
		c->late_edge = *c->now;
		c->late_count = 0;
		c->late_full = 0;
	}
	c->late_count++;
	c->late_full |= slot_bit;
}

/* What a channel that has HD_CHAN_LATER seldom is as well. */
#define MORE (HD_CHAN_STAGED | HD_CHAN_STARVED | HD_CHAN_WATCHED | HD_CHAN_CHECKED | HD_CHAN_REG)

/* When a payload was put is known from when it becomes visible. */
static inline void note_take(const struct hd_chan *c)
{
	c->visible[c->mask + 1 + ((c->head - 1) & c->mask)] = *c->now;
}

/* In edges of the reader's clock. */
static void meter(struct hd_chan *c, bool put)
{
	if (c->flags & HD_CHAN_LATER) {
		if (!put)
			note_take(c);
		return;
	}
	hd__meter_count(&c->gauge->own, hd__gauge_edges(c->gauge));
	c->gauge->own.n = c->tail - c->head;
}

static inline void record_put(struct hd_chan *c, uint32_t place)
{
	if (!hd__log_put(c, place))
		c->watch->probe->put(c, place);
}

static inline void record_take(struct hd_chan *c, uint32_t place, uint32_t taker)
{
	if (!hd__log_take(c, place, taker))
		c->watch->probe->take(c, place, taker);
}

/* A function of its own, so that the case of most watched channels keeps nothing over a call. */
static __attribute__((noinline)) void slower_put(struct hd_chan *c, uint32_t place, size_t size)
{
	if (c->flags & HD_CHAN_TIMED)
		timed_put(c, place);
	else if (c->flags & HD_CHAN_MANY)
		hd__wake_readers(c);
	else
		hd_wake(c->reader);
	c->flags |= c->flags & HD_CHAN_REG ? HD_CHAN_FULL : 0u;
	if (c->flags & HD_CHAN_METERED)
		meter(c, true);
	if (!(c->flags & (HD_CHAN_WATCHED | HD_CHAN_CHECKED)))
		return;
	if (c->flags & HD_CHAN_WATCHED)
		record_put(c, place);
	else
		c->watch->checker->put(c, size);
}

/* Put into a channel that is timed, metered, watched or checked, a register, or that has not just one reader.
 * The probe is called last, here and below. */
void hd__slow_put(struct hd_chan *c, uint32_t place, size_t size)
{
	if (HD_UNLIKELY(c->flags & (HD_CHAN_TIMED | HD_CHAN_MANY | HD_CHAN_METERED | HD_CHAN_CHECKED
	                           | HD_CHAN_REG))) {
		if ((c->flags & HD_CHAN_LATER) && HD_LIKELY(!(c->flags & MORE)))
			simply_timed_put(c, place);
		else
			slower_put(c, place, size);
		return;
	}
	hd_wake(c->reader);
	record_put(c, place);
}

static __attribute__((noinline)) void slower_take(struct hd_chan *c)
{
	if (c->flags & HD_CHAN_STAGED)
		staged_take(c, 0);
	if (c->flags & HD_CHAN_STARVED)
		hd__wake_writers(c);
	if (c->head == c->tail)
		c->flags &= ~(uint32_t)HD_CHAN_FULL;
	if (c->flags & HD_CHAN_METERED)
		meter(c, false);
	if (!(c->flags & (HD_CHAN_WATCHED | HD_CHAN_CHECKED)))
		return;
	if (c->flags & HD_CHAN_WATCHED)
		record_take(c, (c->head - 1) & c->mask, 0);
	else
		c->watch->checker->take(c);
}

/* Taken from a channel that is staged, metered, watched or checked, a register, or that a producer found full. */
void hd__slow_take(struct hd_chan *c)
{
	if ((c->flags & HD_CHAN_LATER) && HD_LIKELY(!(c->flags & MORE)))
		note_take(c);
	else if (HD_UNLIKELY(c->flags & (HD_CHAN_STAGED | HD_CHAN_STARVED | HD_CHAN_METERED | HD_CHAN_CHECKED
	                                | HD_CHAN_REG)))
		slower_take(c);
	else
		record_take(c, (c->head - 1) & c->mask, 0);
}

void hd__slow_pass(const struct hd_end *in, const struct hd_end *out, const void *payload, size_t size)
{
	hd_put(out, payload, size); /* before the take: it may be what hd_front() returned */
	hd_take(in);
}

void hd__slow_pass_small(const struct hd_end *in, const struct hd_end *out, uint64_t payload, size_t size)
{
	hd__slow_pass(in, out, &payload, size);
}

static __attribute__((noinline)) void slower_slot_put(struct hd_chan *c, unsigned slot, size_t size)
{
	if (c->flags & HD_CHAN_CHECKED)
		c->watch->checker->slot_put(c, slot, size);
	c->full |= hd_bit(slot);
	c->tail++;
	if (c->flags & HD_CHAN_TIMED)
		timed_put(c, slot);
	else if (c->slot_reader)
		hd_wake(c->slot_reader[slot]);
	else
		hd__wake_readers(c);
	if (c->flags & HD_CHAN_WATCHED)
		record_put(c, slot);
}

/* The rest of a put into such a slot, once the payload is there. */
void hd__slow_slot_put(struct hd_chan *c, unsigned slot, size_t size)
{
	uint32_t flags = c->flags;

	if (HD_LIKELY(!(flags & (HD_CHAN_TIMED | HD_CHAN_CHECKED)) && c->slot_reader != NULL)) { /* it is watched */
		c->full |= hd_bit(slot);
		c->tail++;
		hd_wake(c->slot_reader[slot]);
		record_put(c, slot);
	} else if ((flags & (HD_CHAN_TIMED | HD_CHAN_STAGED | HD_CHAN_CHECKED | HD_CHAN_WATCHED)) == HD_CHAN_TIMED
	           && c->latency > 1 && c->nreaders == 1 && c->sim) {
		c->full |= hd_bit(slot);
		c->tail++;
		c->visible[slot] = *c->now + c->latency;
		wake_reader_at(c, c->readers[0], c->visible[slot]);
	} else {
		slower_slot_put(c, slot, size);
	}
}

/* The end of the edge wakes the writers of staged slots. */
static __attribute__((noinline)) void slower_slot_take(struct hd_chan *c, unsigned slot)
{
	if (c->flags & HD_CHAN_CHECKED)
		c->watch->checker->slot_take(c, slot);
	if (c->flags & HD_CHAN_STAGED)
		staged_take(c, hd_bit(slot));
	if (c->flags & HD_CHAN_WATCHED)
		record_take(c, slot, slot);
	if (c->flags & HD_CHAN_STAGED)
		c->full &= ~hd_bit(slot);
	else
		hd__slot_taken(c, slot);
}

/* All of a take from such a slot. */
void hd__slow_slot_take(struct hd_chan *c, unsigned slot)
{
	if (HD_UNLIKELY((c->flags & (HD_CHAN_STAGED | HD_CHAN_CHECKED)) || !c->slot_writer)) {
		slower_slot_take(c, slot);
		return;
	}
	hd__slot_taken(c, slot);
	record_take(c, slot, slot);
}

uint64_t hd__timed_seen(const struct hd_chan *c)
{
	return hd__timed_among(c, c->full);
}

/* What a staged channel has left to do.  Returns true if it has at the next edge, too. */
static bool end_edge_of(struct hd_chan *c)
{
	if (c->latency <= 1 && (c->flags & HD_CHAN_SLOTS ? c->full != 0 : c->head != c->tail))
		hd__wake_readers(c);
	if (c->late_edge != *c->now)
		return false;
	if ((c->flags & HD_CHAN_STARVED) || (c->wanted & c->late_full))
		hd__wake_writers(c);
	return c->late & HD_LATE_MIXED; /* the producers may be evaluated before the next edge */
}

void hd__end_edge(struct hd_sim *s)
{
	bool all = s->late & HD_LATE_ALL;
	struct hd_chan *c = s->used, *next;

	s->late = 0;
	s->used = NULL;
	for (; c; c = next) {
		next = (struct hd_chan *)(uintptr_t)(c->late & ~(uint64_t)HD_LATE_BITS);
		c->late &= HD_LATE_MIXED;
		if (!all && end_edge_of(c))
			s->late = HD_LATE_ALL;
	}
	for (size_t i = 0; all && i < s->nstaged; i++)
		if (end_edge_of(s->staged[i]->chan))
			s->late = HD_LATE_ALL;
}

/* Edges of `c` that surely pass before so many cycles of the clock of the provider at that port are over; at least one,
 * since readers are evaluated before writers. */
static uint64_t edges_of(const struct hd_ctx *c, unsigned port, uint64_t rate, uint32_t cycles)
{
	uint64_t edges;

	if (cycles < 2 || (c->passed == hd_passed_of(c, port) && c->rate == rate))
		return cycles ? cycles : 1;
	edges = (uint64_t)(__extension__ (unsigned __int128)(cycles - 1) * c->rate / rate);
	return edges ? edges : 1;
}

int hd_delay_input(const struct hd_ctx *ctx, const struct hd_end *e, uint32_t cycles, unsigned clock)
{
	const struct hd_sim *s = ctx->sim;
	const struct hd_use *u = hd__find_use(ctx, clock);
	size_t c = 0;
	uint64_t edges;

	if (!u || u->provider->ctx.rate == 0)
		return hd_error(ctx, "'hd_delay_input' in module '%s' is given port %u, at which no instance with a "
		                "clock is; expected a linked port of kind HD_USES", ctx->instance->module->name, clock);
	while (c < s->nchannels && s->channels[c]->chan != e->ch)
		c++;
	if (c == s->nchannels || s->channels[c]->to[0].instance != ctx->instance
	    || !(ctx->instance->module->ports[s->channels[c]->to[0].port].flags & HD_DELAYED))
		return hd_error(ctx, "'hd_delay_input' in module '%s' is given a port without HD_DELAYED; expected "
		                "a linked one that has it", ctx->instance->module->name);
	edges = edges_of(ctx, clock, u->provider->ctx.rate, cycles);
	s->channels[c]->latency = edges < UINT32_MAX ? (uint32_t)edges : UINT32_MAX;
	e->ch->latency = s->channels[c]->latency;
	return 0;
}

static const char *record_name(const struct hd_sim *s, const struct hd_pool *p)
{
	for (size_t i = 0; i < s->npools; i++)
		if (s->pools[i].pool == p)
			return s->pools[i].type->name;
	return "?";
}

/* The next record that was never used.  When there is none the run has failed, but the caller needs
 * a record for the rest of the edge: it gets the last one, as do all later callers. */
uint32_t hd__pool_fresh(const struct hd_ctx *c, struct hd_pool *p)
{
	uint32_t h;

	if (HD_UNLIKELY(c->sim->opt.checker != NULL))
		return c->sim->opt.checker->alloc(c, p);
	if (p->whole != NULL) {
		h = hd__hooks.parallel->record(c, p);
		if (h != 0)
			return h;
		p = p->whole;
	}
	if (HD_LIKELY(p->fresh < HD_POOL_MAX - 1))
		return p->fresh++;
	if (!c->sim->failed)
		hd_fail(c, "more than %u records of type '%s' are in use; expected that each is "
		        "released in the end", HD_POOL_MAX - 2, record_name(c->sim, p));
	return HD_POOL_MAX - 1;
}

static inline void release(struct hd_pool *p, void *record, uint32_t handle)
{
	memcpy(record, &p->free, sizeof p->free);
	p->free = handle;
}

static __attribute__((noinline)) void slower_release(struct hd_pool *p, uint32_t handle)
{
	const struct hd_watch *w = p->transactions;

	if (w->checker != NULL) {
		w->checker->release(p, handle);
		return;
	}
	w->probe->transaction_over(p, handle);
	release(p, hd_rec(p, handle), handle);
}

/* Releases a record of a pool that is recorded or checked. */
void hd__watched_release(struct hd_pool *p, uint32_t handle)
{
	unsigned char *record = hd_rec(p, handle);

	if (HD_LIKELY(hd__log_over(p->transactions, record, handle)))
		release(p, record, handle);
	else
		slower_release(p, handle);
}

uint32_t hd_pool_used(const struct hd_pool *p)
{
	const struct hd_watch *w = p->transactions;
	uint32_t n = p->fresh - 1, h = p->free;

	if (w != NULL && w->checker != NULL)
		return w->checker->used(p);
	for (; h != 0 && n > 0; n--) /* a loop: the last record was shared, and the run has failed */
		memcpy(&h, hd_rec(p, h), sizeof h);
	return n;
}

static void make_views(const struct hd_sim *s, struct hd_poolent *e)
{
	e->views = hd__xlines(s->nshards, sizeof *e->views);
	for (uint32_t i = 0; i < s->nshards; i++)
		e->views[i].pool = (struct hd_pool){ .base = e->pool->base, .record = e->pool->record,
			                             .whole = e->pool };
}

static struct hd_pool *view_of(const struct hd_ctx *c, const struct hd_poolent *e)
{
	return e->views && c->instance->shard != HD_NO_SHARD ? &e->views[c->instance->shard].pool : e->pool;
}

/* Types of that name at ports have been compared, but a pool may be asked for with one that is at no port. */
static void check_records(const struct hd_ctx *ctx, const struct hd_type *pool, const struct hd_type *type)
{
	if (pool->record != type->record || pool->version != type->version)
		hd_error(ctx, "the records of type '%s' have %" PRIu32 " bytes, version %" PRIu32 "; expected %" PRIu32
		         " bytes, version %" PRIu32 ", as for the first that asked for their pool", type->name,
		         type->record, type->version, pool->record, pool->version);
}

struct hd_pool *hd_pool(const struct hd_ctx *ctx, const struct hd_type *type)
{
	struct hd_sim *s = ctx->sim;
	struct hd_pool *p;

	for (size_t i = 0; i < s->npools; i++)
		if (strcmp(s->pools[i].type->name, type->name) == 0) {
			check_records(ctx, s->pools[i].type, type);
			return view_of(ctx, &s->pools[i]);
		}
	p = hd__xcalloc(1, sizeof *p);
	p->record = type->record;
	if (p->record < sizeof(uint32_t) || p->record > HD_RECORD_MAX) {
		hd_error(ctx, "a record of type '%s' has %" PRIu32 " bytes; expected from 4 to %u", type->name,
		         p->record, HD_RECORD_MAX);
		p->record = sizeof(uint32_t);
	}
	p->fresh = 1;
	if (s->opt.checker != NULL)
		s->opt.checker->pool_new(s, p, type);
	else
		p->base = hd__xfenced(HD_POOL_MAX * (size_t)p->record);
	s->pools = hd__xappend(s->pools, s->npools, sizeof *s->pools);
	s->pools[s->npools] = (struct hd_poolent){ type, p, NULL };
	if (s->nshards > 0)
		make_views(s, &s->pools[s->npools]);
	return view_of(ctx, &s->pools[s->npools++]);
}

/* recorder.c - logs events, transactions and statistics of a run for a dump
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "recorder.h"

/* ---- the log ---- */

static __attribute__((noinline)) void next_log(struct hd_observer *o)
{
	if (o->log)
		o->log->n = (uint32_t)(o->end->at - o->log->words);
	o->log = hd__dump_log(o->dump, o->log);
	if (!o->log->steps[0]) /* it is new */
		for (uint32_t i = 0; i < HD_LOG_BLOCKS; i++)
			o->log->steps[i] = &o->log->blocks[i];
	o->end->at = o->log->words;
	o->end->last = o->log->words + HD_LOG_WORDS - o->longest;
	o->end->steps = o->log->steps;
}

/* Where to log an entry that has its cycle; the caller advances o->end->at. */
static inline uint32_t *log_room(struct hd_observer *o)
{
	if (!hd__log_has_room(o->end))
		next_log(o);
	return o->end->at;
}

/* Where to log an entry of the present cycle. */
static uint32_t *log_space(struct hd_observer *o)
{
	uint32_t *p = log_room(o);

	if (*o->end->now != o->logged) {
		o->logged = *o->end->now;
		p[0] = HD_LOG_CYCLE;
		memcpy(p + 1, &o->logged, sizeof o->logged);
		o->end->at = p + 1 + sizeof o->logged / sizeof *p;
	}
	return log_room(o);
}

/* ---- events ---- */

static void emit(const struct hd_ctx *c, unsigned event, const int64_t *v)
{
	struct hd_observer *o = c->sim->observer;
	const struct hd_event_table *t;

	if (!o->dump || !o->open || !(t = o->reported_by[c->instance->number]) || !t[event].table)
		return;
	log_room(o);
	hd__log_event(o->end, &c->instance->events[event], c->instance->number, v);
}

static void log_def(struct hd_observer *o, struct hd_def *def)
{
	uint32_t *p = log_space(o);

	p[0] = HD_LOG_OTHER | HD_LOG_DEF << HD_LOG_BITS;
	memcpy(p + 1, &def, sizeof def);
	o->end->at = p + 1 + sizeof def / sizeof *p;
}

static void define(struct hd_sim *s, const char *names, uint64_t id, const struct hd_cell *cells,
                   unsigned n)
{
	struct hd_def *def;

	if (s->observer && !s->observer->dump)
		return;
	def = hd__def_new(names, id, cells, n);
	if (s->observer && s->observer->log)
		log_def(s->observer, def);
	else
		hd__defs_add(s, def);
}

/* ---- transactions ---- */

/* A step for which there was no room: the first of a record, or its block is full. */
static __attribute__((noinline, cold)) void first_step(struct hd_transactions *l, uint32_t handle, uint64_t word)
{
	unsigned char **next = &l->log.next[handle];

	if (*next) { /* it is full */
		*log_room(l->observer) = hd__log_head(HD_LOG_STEPS, l, handle);
		l->observer->end->at += HD_LOG_RECORD_WORDS;
		hd__log_steps(l->observer->end, next);
	} else {
		*next = (unsigned char *)l->blocks[handle].step;
	}
	hd__log_step(next, *l->log.now, word);
}

static void put(struct hd_chan *c, uint32_t place)
{
	const struct hd_record_watch *w = hd__record_watch(c);

	first_step(w->transactions, hd__handle_at(c, place), w->log.put);
}

static void take(struct hd_chan *c, uint32_t place, uint32_t taker)
{
	const struct hd_record_watch *w = hd__record_watch(c);

	first_step(w->transactions, hd__handle_at(c, place), w->log.taken[taker]);
}

static void mark(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle, unsigned number,
                 uint32_t arg)
{
	struct hd_transactions *l = p->transactions;

	if (l->open)
		first_step(l, handle, hd__log_word(c->instance->marks[number], arg));
}

/* The steps so far are of this cycle, or there are none. */
static void mark_before(const struct hd_ctx *c, const struct hd_pool *p, uint32_t handle,
                        unsigned number, uint32_t cycles)
{
	const struct hd_transactions *l = p->transactions;
	unsigned char **next = &l->log.next[handle], *at = *next;
	struct hd_step *step, first, other;

	if (!l->open || cycles == 0 || cycles > *l->log.now)
		return;
	if (!at)
		at = *next = (unsigned char *)l->blocks[handle].step;
	if ((unsigned char)(uintptr_t)at == 0) /* it has no room */
		return;
	*next = at + sizeof *step;
	first = (struct hd_step){ *l->log.now - cycles, c->instance->marks[number], 0 };
	for (step = hd__steps_of(at)->step; (unsigned char *)step <= at; step++) { /* the others move on by one */
		other = *step;
		*step = first;
		first = other;
	}
}

/* Logs an entry about a record with the bytes that hold its fields, and its block; there is space. */
static inline uint32_t *log_record(struct hd_transactions *l, enum hd_log_kind what, uint32_t handle, uint32_t more)
{
	uint32_t *p = l->observer->end->at, *to = p + 1 + l->log.words;

	p[0] = hd__log_head(what, l, handle);
	memcpy(p + 1, (const unsigned char *)hd_rec(l->pool, handle) + l->log.begin, l->bytes);
	l->observer->end->at = to + more;
	if (!l->log.next[handle])
		l->log.next[handle] = (unsigned char *)l->blocks[handle].step;
	hd__log_steps(l->observer->end, &l->log.next[handle]);
	return to;
}

static void transaction_over(struct hd_pool *p, uint32_t handle)
{
	struct hd_transactions *l = p->transactions;

	if (!l->open || hd__steps_empty(l->log.next[handle]))
		return;
	log_room(l->observer);
	log_record(l, HD_LOG_OVER, handle, 0);
}

static uint32_t transaction_keep(struct hd_pool *p, uint32_t handle)
{
	struct hd_transactions *l = p->transactions;
	uint32_t number;

	if (!l->open)
		return 0;
	if (l->nnumbers > 0) {
		number = l->numbers[--l->nnumbers];
	} else {
		l->numbers = hd__xappend(l->numbers, l->given, sizeof *l->numbers);
		number = ++l->given;
	}
	log_room(l->observer);
	*log_record(l, HD_LOG_KEEP, handle, 1) = number;
	return number;
}

static void log_kept(struct hd_transactions *l, uint32_t transaction, uint32_t place, uint32_t arg)
{
	uint32_t *p = log_space(l->observer);

	l->observer->end->at += 3;
	p[0] = hd__log_head(HD_LOG_KEPT, l, transaction);
	p[1] = place;
	p[2] = arg;
}

static void transaction_mark(const struct hd_ctx *c, struct hd_pool *p, uint32_t transaction,
                             unsigned number, uint32_t arg)
{
	struct hd_transactions *l = p->transactions;

	if (l->open)
		log_kept(l, transaction, c->instance->marks[number], arg);
}

/* Logged even outside of a window, so that the number is free on both sides. */
static void transaction_end(struct hd_pool *p, uint32_t transaction)
{
	struct hd_transactions *l = p->transactions;

	log_kept(l, transaction, 0, 0);
	l->numbers[l->nnumbers++] = transaction;
}

/* Logs the transactions that have not ended when recording stops. */
static void log_unfinished(struct hd_observer *o)
{
	for (size_t i = 0; i < o->npools; i++)
		for (uint32_t h = 1; o->transactions[i].table && h < o->transactions[i].pool->fresh; h++)
			if (!hd__steps_empty(o->transactions[i].log.next[h])) {
				log_room(o);
				log_record(&o->transactions[i], HD_LOG_UNFINISHED, h, 0);
			}
	*log_space(o) = HD_LOG_OTHER | HD_LOG_CLOSED << HD_LOG_BITS;
	o->end->at++;
}

/* ---- statistics ---- */

static void log_sample(struct hd_observer *o, uint32_t counter, int64_t more)
{
	uint32_t *p = log_room(o);

	o->end->at += 6;
	p[0] = HD_LOG_EVENT | o->sample_table.number << HD_LOG_BITS;
	p[1] = counter;
	memcpy(p + 2, o->end->now, sizeof *o->end->now);
	memcpy(p + 4, &more, sizeof more);
}

void hd__observe_growth(struct hd_sim *s, size_t k, int64_t growth)
{
	struct hd_observer *o = s->observer;

	if (o && o->sample_table.table && o->open && growth != 0)
		log_sample(o, (uint32_t)(o->ncounters + k), growth);
}

static void sample(struct hd_observer *o)
{
	struct hd_sim *s = o->sim;
	size_t n = 0;

	hd__sim_settle(s);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		const struct hd_stat *st = in->module->stats;

		for (; st && st->name; st++, n++) {
			uint64_t v = hd_stat_value(st, in->state);
			int64_t more;

			more = (int64_t)(v - o->sampled[n]);
			o->sampled[n] = v;
			/* a share follows from what it is a share of */
			if (more && o->open && o->instance_wanted[i] && !hd__stat_is_share(st))
				log_sample(o, (uint32_t)n, more);
		}
	}
}

/* ---- windows ---- */

static void set_next(struct hd_observer *o)
{
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t at = o->sample_table.table && o->opt->sample ? o->next_sample : UINT64_MAX;

	if (o->window < w->n) {
		const struct hd_range *r = &w->v[o->window];
		/* opened and closed at the end of the previous period */
		uint64_t then = !o->open ? r->first : r->last < UINT64_MAX ? r->last + 1 : UINT64_MAX;

		at = then < at ? then : at;
	}
	o->sim->record_at = at ? at : 1;
	hd__observe_next(o->sim);
}

static uint32_t events_wanted(const struct hd_observer *o, size_t instance)
{
	const struct hd_event *e = o->sim->instances[instance].module->events;
	uint32_t set = 0;

	for (unsigned i = 0; e && e[i].name && o->reported_by[instance]; i++)
		if (o->reported_by[instance][i].table)
			set |= UINT32_C(1) << (i < 31 ? i : 31);
	return set;
}

static void set_open(struct hd_observer *o, bool open)
{
	struct hd_sim *s = o->sim;

	o->open = open;
	for (size_t i = 0; i < o->npools; i++) {
		o->transactions[i].open = open;
		o->transactions[i].log.watch.log = open ? o->end : NULL;
	}
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		in->ctx.observed = open || s->opt.event != NULL;
		in->ctx.events = s->opt.event ? UINT32_MAX : open ? events_wanted(o, i) : 0;
		/* may start to observe itself, or begin a span again */
		if (in->ctx.observed && in->rank != HD_NO_PROCESS)
			hd_wake(in->ctx.self);
	}
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_chan *c = s->channels[i]->chan;

		if (open && o->watches[i].transactions && o->watches[i].transactions->table)
			c->flags |= HD_CHAN_WATCHED;
		else
			c->flags &= ~(uint32_t)HD_CHAN_WATCHED;
	}
}

bool hd__observe_is_open(const struct hd_sim *s)
{
	return s->observer && s->observer->open;
}

static void observe_next(struct hd_sim *s, bool next)
{
	struct hd_observer *o = s->observer;

	if (!o)
		return;
	o->closing = *o->period + 1;
	o->end->now = next ? &o->closing : o->period;
}

void hd__observe_window(struct hd_sim *s, bool open)
{
	struct hd_observer *o = s->observer;

	if (!o || o->open == open)
		return;
	hd__sim_settle(s);
	if (!open) {
		bool watched = hd__crash_enter(s, __builtin_frame_address(0));

		observe_next(s, true);
		for (size_t i = 0; i < s->ninstances; i++)
			if (s->instances[i].module->end_observation)
				s->instances[i].module->end_observation(s->instances[i].state);
		hd__crash_leave(s, watched);
		if (o->dump)
			log_unfinished(o);
		observe_next(s, false);
	}
	set_open(o, open);
}

static void due(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t next = s->roots[0].period + 1;

	if (o->sample_table.table && o->opt->sample && next >= o->next_sample) {
		sample(o);
		while (o->next_sample <= next)
			o->next_sample += o->opt->sample;
	}
	if (o->window < w->n && o->open && next > w->v[o->window].last) {
		hd__observe_window(s, false);
		o->window++;
	}
	if (o->window < w->n && !o->open && next >= w->v[o->window].first)
		hd__observe_window(s, true);
	set_next(o);
}

/* ---- start and end ---- */

/* The simulation was loaded: what it has counted is not growth, and some windows are over. */
static void begin_loaded(struct hd_observer *o)
{
	const struct hd_range_list *w = &o->opt->filter.cycles;
	uint64_t cycles = hd__sim_cycles(o->sim);

	sample(o);
	while (o->opt->sample && o->next_sample <= cycles)
		o->next_sample += o->opt->sample;
	while (o->window < w->n && w->v[o->window].last < cycles)
		o->window++;
}

void hd__observe_begin(struct hd_sim *s)
{
	struct hd_observer *o = s->observer;
	const struct hd_range_list *cycles = &o->opt->filter.cycles;
	struct hd_def *def;

	next_log(o);
	o->end->now = o->period = &s->roots[0].period;
	o->logged = *o->period - 1; /* nothing */
	while ((def = hd__defs_take(s)) != NULL)
		log_def(o, def);
	if (hd__sim_cycles(s) > 0)
		begin_loaded(o);
	if (cycles->n == 0 || (o->window < cycles->n && cycles->v[o->window].first <= hd__sim_cycles(s)))
		set_open(o, true);
	set_next(o);
}

void hd__observe_end(struct hd_observer *o)
{
	if (o->sample_table.table && o->sim->roots[0].period != UINT64_MAX)
		sample(o);
	hd__observe_window(o->sim, false);
	o->log->n = (uint32_t)(o->end->at - o->log->words);
}

const struct hd_probe hd__record_probe = {
	.put = put, .take = take,
	.mark = mark, .mark_before = mark_before, .transaction_over = transaction_over,
	.transaction_keep = transaction_keep,
	.transaction_mark = transaction_mark, .transaction_end = transaction_end,
	.emit = emit, .stall_cause = hd__observe_cause, .cause = hd__observe_cause_of, .asked = hd__observe_asked,
	.due = due, .next = observe_next,
	.define = define, .release = hd__record_release,
};

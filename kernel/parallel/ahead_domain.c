/* ahead_domain.c - the clocks and processes of a domain, and how it runs the moments of a window
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Domains of one thread share the clocks without gate; a clock with a gate has processes in one domain only.  Where a
 * clock stands at a moment follows from where it stood when the window began, or when it was switched on: so nothing
 * has to be done at moments at which nothing runs.
 */
#include "ahead_plan.h"
#include "kernel/sweep.h"

#include <stdlib.h>

/* ---- what belongs to it ---------------------------------------------------------------------- */

static struct hd_tick *tick_of(struct hd_domain *d, struct hd_clock *c)
{
	for (uint32_t i = 0; i < d->nticks; i++)
		if (d->ticks[i].clock == c)
			return &d->ticks[i];
	d->ticks = hd__xappend(d->ticks, d->nticks, sizeof *d->ticks);
	d->ticks[d->nticks] = (struct hd_tick){ .clock = c };
	return &d->ticks[d->nticks++];
}

/* With those that it derives from: their edges are looked at, too. */
void hd__domain_add_clock(struct hd_domain *d, struct hd_clock *c)
{
	for (; c; c = c->parent)
		tick_of(d, c);
}

void hd__domain_add_process(struct hd_domain *d, const struct hd_instance *in)
{
	uint32_t word = in->rank / 64;
	struct hd_tick *t;

	if (d->nwords == 0 || d->words[d->nwords - 1] != word) {
		d->words = hd__xappend(d->words, d->nwords, sizeof *d->words);
		d->words[d->nwords++] = word;
	}
	hd__domain_add_clock(d, in->clock);
	t = tick_of(d, in->clock);
	if (t->nshares == 0 || t->shares[t->nshares - 1].word != word) {
		t->shares = hd__xappend(t->shares, t->nshares, sizeof *t->shares);
		t->shares[t->nshares++] = (struct hd_share){ .word = word };
	}
	t->shares[t->nshares - 1].bits |= UINT64_C(1) << in->rank % 64;
}

static void find_live(struct hd_domain *d)
{
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		memset(p->live, 0, d->nwords * sizeof *p->live);
		for (const struct hd_tick *t = p->first; t < p->end; t++)
			for (uint32_t k = 0, w = 0; t->on && k < t->nshares; k++) {
				while (d->words[w] != t->shares[k].word)
					w++;
				p->live[w] |= t->shares[k].bits;
			}
	}
}

static void add_pulse(struct hd_domain *d, uint32_t pace)
{
	struct hd_pulse *p = d->pulses;

	while (p < d->silent && p->pace != pace)
		p++;
	if (p == d->silent)
		*d->silent++ = (struct hd_pulse){ .pace = pace, .live = hd__xcalloc(d->nwords + 1, sizeof *p->live) };
}

/* Orders the clocks by pulse. */
static void sort_ticks(struct hd_domain *d)
{
	struct hd_tick *sorted = hd__xcalloc(d->nticks, sizeof *sorted), *end = sorted;

	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		p->first = end;
		for (uint32_t k = 0; k < d->nticks; k++)
			if (d->ticks[k].pace == p->pace)
				*end++ = d->ticks[k];
		p->end = end;
	}
	free(d->ticks);
	d->ticks = sorted;
}

void hd__domain_complete(const struct hd_ahead *a, struct hd_domain *d)
{
	struct hd_sim *s = a->s;

	d->view = hd__xcheck(malloc(sizeof *s));
	*d->view = *s;
	d->view->evals = 0;
	d->view->staged = NULL;
	d->view->nstaged = 0;
	for (uint32_t k = 0; k < d->nticks; k++) {
		struct hd_tick *t = &d->ticks[k];

		t->number = (uint32_t)(t->clock - s->clocks);
		t->pace = a->pace_of[t->number];
		t->on = t->clock->on;
		t->gated = hd__gated(t->clock);
		d->gates |= t->gated ? UINT64_C(1) << (t->clock->root - s->roots) : 0;
		t->clock = hd__shard_clock(s, d->shard, t->clock);
	}
	d->pulses = d->silent = hd__xcalloc(d->nticks + 1, sizeof *d->pulses);
	for (uint32_t k = 0; k < d->nticks; k++)
		if (d->ticks[k].nshares > 0)
			add_pulse(d, d->ticks[k].pace);
	d->running = d->silent;
	for (uint32_t k = 0; k < d->nticks; k++)
		add_pulse(d, d->ticks[k].pace);
	sort_ticks(d);
	find_live(d);
}

void hd__domain_free(struct hd_domain *d)
{
	for (uint32_t k = 0; k < d->nticks; k++)
		free(d->ticks[k].shares);
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++)
		free(p->live);
	if (d->view)
		free(d->view->staged);
	free(d->view);
	free(d->pulses);
	free(d->ticks);
	free(d->words);
	free(d->before);
	free(d->arriving);
	free(d->leaving);
}

/* ---- gates ----------------------------------------------------------------------------------- */

/* Its clocks of the root are gated as the gates are now. */
static void sample_gates(const struct hd_ahead *a, struct hd_domain *d, unsigned root, size_t moment)
{
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_tick *t = &d->ticks[i];
		struct hd_clock *c = t->clock;
		bool on = true;

		if (!t->gated || a->paces[t->pace].root != root)
			continue;
		for (const struct hd_clock *up = c; up; up = up->parent)
			on = on && (!up->gated || up->open);
		if (on == t->on)
			continue;
		if (on)
			t->begin = c->now - hd__ahead_before(a, t->pace, moment);
		else
			c->now = t->begin + hd__ahead_before(a, t->pace, moment);
		t->on = c->on = on;
		d->switched |= UINT64_C(1) << root;
	}
}

/* Of those roots whose gates have moved; looks at those of which a period begins. */
static __attribute__((noinline)) void begin_periods(const struct hd_ahead *a, struct hd_domain *d, uint64_t *moved,
                                                    size_t moment)
{
	for (uint64_t left = *moved & d->gates; left;) {
		unsigned r = hd_bits_pop(&left);

		if (a->paces[hd__ahead_periods(a, r)].next[moment] != moment)
			continue;
		*moved &= ~(UINT64_C(1) << r);
		sample_gates(a, d, r, moment);
	}
	find_live(d);
}

/* ---- time ------------------------------------------------------------------------------------ */

static inline void set_roots(struct hd_sim *s, const struct hd_domain *d, const struct hd_shard_time *t)
{
	if (d->shard != HD_NO_SHARD) {
		memcpy(s->shards[d->shard].times, t, s->nroots * sizeof *t);
		return;
	}
	for (struct hd_root *r = s->roots, *end = r + s->nroots; r < end; r++, t++) {
		r->period = t->period;
		r->passed = t->passed;
	}
}

/* Timers that are due at this edge of the clock wake its processes. */
static inline void expire(struct hd_sim *s, const struct hd_tick *t, uint64_t edge)
{
	for (const struct hd_share *v = t->shares, *end = v + t->nshares; v < end; v++)
		if ((s->noted[v->word].filled >> edge % HD_WHEEL & 1) && (s->noted[v->word].armed & v->bits))
			hd__expire_word(s, v->word, v->bits, edge);
}

/* All that its processes can read of the time is that of the moment.  Timers that are due wake them. */
static inline void set_time(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		uint32_t ticks = p->ticks[moment];

		if (ticks == p->seen)
			continue;
		p->seen = ticks;
		for (const struct hd_tick *t = p->first, *end = p->end; t < end; t++)
			if (t->on) {
				t->clock->now = t->begin + ticks;
				expire(a->s, t, t->begin + ticks);
			}
	}
	set_roots(a->s, d, hd__ahead_times(a, moment));
}

/* The first edge for which a process of the domain on that clock has a timer; UINT64_MAX: none has. */
static uint64_t first_due(const struct hd_sim *s, const struct hd_tick *t)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = 0; i < t->nshares; i++) {
		uint32_t word = t->shares[i].word;

		for (uint64_t left = s->noted[word].armed & t->shares[i].bits; left;) {
			uint64_t other = s->processes[word * 64 + hd_bits_pop(&left)].due;

			due = other < due ? other : due;
		}
	}
	return due;
}

static inline bool any_awake(const struct hd_sim *s, const struct hd_domain *d, const struct hd_pulse *p)
{
	uint64_t some = 0;

	for (uint32_t w = 0; w < d->nwords; w++)
		some |= s->awake[d->words[w]] & p->live[w];
	return some != 0;
}

static inline bool any_armed(const struct hd_sim *s, const struct hd_domain *d, const struct hd_pulse *p)
{
	uint64_t some = 0;

	for (uint32_t w = 0; w < d->nwords; w++)
		some |= s->noted[d->words[w]].armed & p->live[w];
	return some != 0;
}

/* The moment, before `end`, at which the first timer on these clocks is due; or `end`. */
static size_t timer_moment(const struct hd_ahead *a, const struct hd_pulse *p, size_t from, size_t end)
{
	for (const struct hd_tick *t = p->first; t < p->end; t++) {
		uint64_t due = t->on ? first_due(a->s, t) : UINT64_MAX;
		size_t at = due == UINT64_MAX ? end : hd__ahead_reaches(a, p->pace, due - t->begin, from);

		end = at < end ? at : end;
	}
	return end;
}

/* The moment before which nothing runs in the domain unless others wake it.  Mostly it is the next one. */
static inline size_t next_moment(const struct hd_ahead *a, const struct hd_domain *d, uint64_t moved, size_t end)
{
	const struct hd_pulse *p, *last = d->running;
	const size_t at = d->at;

	for (p = d->pulses; p < last; p++) {
		if (p->next[at] >= end || !any_awake(a->s, d, p))
			continue;
		end = p->next[at];
		if (end == at)
			return end;
	}
	for (uint64_t left = moved & d->gates; HD_UNLIKELY(left != 0);) {
		size_t begins = a->paces[hd__ahead_periods(a, hd_bits_pop(&left))].next[at];

		end = begins < end ? begins : end;
	}
	for (p = d->pulses; p < last; p++)
		if (p->next[at] < end && HD_UNLIKELY(any_armed(a->s, d, p)))
			end = timer_moment(a, p, at, end);
	return end;
}

/* ---- a window -------------------------------------------------------------------------------- */

/* The domain has woken the instance that others wait for, and goes on up to the next edge of that, which is evaluated
 * before anything else happens.  Returns the moment behind it, `end` at the latest. */
static size_t hold(const struct hd_ahead *a, struct hd_domain *d, size_t moment, size_t end)
{
	size_t next = a->paces[a->awaited.pace].next[moment] + (size_t)1;

	if (d->held)
		return end;
	d->held = true;
	if (next < d->goal)
		d->goal = next;
	return d->goal < end ? d->goal : end;
}

/* The domain at one moment. */
static inline void run_moment(const struct hd_ahead *a, struct hd_domain *d, uint64_t *moved, size_t moment)
{
	struct hd_sim *s = d->view;

	d->at = moment + 1;
	if (HD_UNLIKELY(*moved & d->gates))
		begin_periods(a, d, moved, moment);
	set_time(a, d, moment);
	for (uint32_t w = 0; w < d->nwords; w++) {
		uint64_t due = 0;

		for (const struct hd_pulse *p = d->pulses; p < d->running; p++)
			due |= p->next[moment] == moment ? p->live[w] : 0;
		if (!(s->awake[d->words[w]] & due))
			continue;
		sweep(s, d->words[w], due);
		d->ran = moment + 1; /* if not, gates were looked at */
	}
	if (HD_UNLIKELY(s->late))
		hd__end_edge(s);
}

void hd__domain_begin(const struct hd_ahead *a, struct hd_domain *d)
{
	bool other = false;

	for (struct hd_pulse *p = d->pulses; p < d->silent; p++) {
		p->next = a->paces[p->pace].next;
		p->ticks = a->paces[p->pace].ticks;
	}
	d->at = d->ran = 0;
	d->goal = a->nmoments;
	d->held = false;
	d->switched = 0;
	d->moved = d->gates & a->s->gates_moved;
	d->seen = (struct hd_seen){ .stop = HD_NO_STOP };
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_tick *t = &d->ticks[i];

		other = other || t->on != t->clock->on; /* by the lock step */
		t->on = t->clock->on;
		t->begin = a->begin[t->number];
	}
	if (other)
		find_live(d);
	d->view->late = a->s->late;
	for (size_t i = 0; i < d->view->nstaged; i++)
		d->view->staged[i]->chan->late_word = &d->view->late;
}

void hd__domain_end(const struct hd_ahead *a, struct hd_domain *d)
{
	a->s->evals += d->view->evals;
	d->view->evals = 0;
	a->s->late |= d->view->late;
	for (size_t i = 0; i < d->view->nstaged; i++)
		d->view->staged[i]->chan->late_word = &a->s->late;
}

void hd__domain_run(const struct hd_ahead *a, struct hd_domain *d, size_t end)
{
	struct hd_shard *shard = d->shard != HD_NO_SHARD ? &a->s->shards[d->shard] : NULL;
	/* that instance, which sleeps until all have come as far */
	uint64_t *woke = shard ? &shard->woke : a->awaited.word, *moved = hd__gates_moved(a->s, d->shard);
	const uint64_t bit = !d->wakes ? 0 : shard ? 1 : a->awaited.bit;

	*moved = d->moved;
	for (struct hd_pulse *p = d->pulses; p < d->silent; p++)
		p->seen = HD_NO_TICKS; /* others have run */
	if (shard)
		shard->runs = true;
	while (d->at < end) {
		size_t moment = next_moment(a, d, *moved, end);

		if (moment == end) {
			d->at = end;
			break;
		}
		run_moment(a, d, moved, moment);
		if (bit != 0 && HD_UNLIKELY(*woke & bit)) {
			*woke &= ~bit;
			end = hold(a, d, moment, end);
		}
	}
	/* its clocks with gates, which it alone has, are where the others are */
	for (uint32_t i = 0; d->gates && i < d->nticks; i++) {
		const struct hd_tick *t = &d->ticks[i];

		if (t->gated && t->on)
			t->clock->now = t->begin + hd__ahead_before(a, t->pace, d->at);
	}
	if (shard)
		shard->runs = false;
	d->moved = *moved;
}

/* ahead_domain.c - runs the moments of a window in one domain
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All domains share the clocks without gate, which are set to a moment's edges when something runs at it; a
 * clock with a gate has processes in one domain only, and counts its edges itself.
 */
#include "ahead_plan.h"
#include "sweep.h"

/* ---- what ticks ------------------------------------------------------------------------------ */

static void make_beat(const struct hd_ahead *a, const struct hd_domain *d, struct hd_beat *b, size_t moment)
{
	if (!b->mask) {
		b->mask = hd__xcalloc(d->nwords + 1, sizeof *b->mask);
		b->timed = hd__xcalloc(d->nticks + 1, sizeof *b->timed);
	}
	memset(b->mask, 0, d->nwords * sizeof *b->mask);
	b->ntimed = 0;
	for (uint32_t i = 0; i < d->nticks; i++) {
		const struct hd_tick *t = &d->ticks[i];

		if (!t->clock->on || a->paces[t->pace].next[moment] != moment)
			continue;
		for (uint32_t k = 0; k < t->nshares; k++)
			b->mask[t->shares[k].word] |= t->shares[k].bits;
		if (t->nshares > 0 || t->column == HD_GATED)
			b->timed[b->ntimed++] = t;
	}
	b->generation = d->generation;
}

/* What ticks in the domain at this moment. */
static const struct hd_beat *beat_of(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	uint32_t kind = a->kind[moment];

	if (HD_UNLIKELY(kind >= d->nbeats)) {
		d->beats = hd__xrealloc(d->beats, (kind + 1) * sizeof *d->beats);
		memset(d->beats + d->nbeats, 0, (kind + 1 - d->nbeats) * sizeof *d->beats);
		d->nbeats = kind + 1;
	}
	if (HD_UNLIKELY(d->beats[kind].generation != d->generation))
		make_beat(a, d, &d->beats[kind], moment);
	return &d->beats[kind];
}

/* Its clocks of the root are gated as the gates are now. */
static void sample_gates(struct hd_sim *s, struct hd_domain *d, unsigned root)
{
	*hd__gates_moved(s, d->lane, root) = false;
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_clock *c = d->ticks[i].clock;
		bool on = true;

		if (d->ticks[i].root != root || d->ticks[i].column != HD_GATED)
			continue;
		for (const struct hd_clock *up = c; up; up = up->parent)
			on = on && (!up->gated || up->open);
		d->generation += on != c->on;
		c->on = on;
	}
}

static void begin_periods(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	const struct hd_moment_kind *k = &a->kinds[a->kind[moment]];

	for (uint64_t left = k->due & d->gates; left;) {
		unsigned r = hd_bits_pop(&left);

		if (HD_UNLIKELY(*hd__gates_moved(a->s, d->lane, r)) && k->phase[r] == 0)
			sample_gates(a->s, d, r);
	}
}

/* ---- time ------------------------------------------------------------------------------------ */

static void step_clocks(const struct hd_ahead *a, const struct hd_domain *d, const struct hd_beat *b, size_t moment)
{
	for (uint32_t i = 0; i < b->ntimed; i++) {
		const struct hd_tick *t = b->timed[i];
		struct hd_clock *c = t->clock;

		c->now = t->column == HD_GATED ? c->now + 1 : hd__ahead_edge(a, t->column, moment);
		for (uint32_t k = 0; k < t->nshares && c->filled >> c->now % HD_WHEEL & 1; k++)
			hd__expire_word(a->s, d->words[t->shares[k].word], t->shares[k].bits, c->now);
	}
}

/* All that its processes can read of the time is that of the moment. */
static void set_time(const struct hd_ahead *a, const struct hd_domain *d, size_t moment)
{
	struct hd_sim *s = a->s;

	for (uint32_t i = 0; i < d->nticks; i++)
		if (d->ticks[i].column != HD_GATED)
			d->ticks[i].clock->now = hd__ahead_edge(a, d->ticks[i].column, moment);
	for (uint32_t i = 0; i < s->nroots; i++) {
		uint64_t period = a->period[moment * s->nroots + i], passed = a->passed[moment * s->nroots + i];

		if (d->lane != HD_NO_LANE) {
			s->lanes[d->lane].times[i].period = period;
			s->lanes[d->lane].times[i].passed = passed;
		} else {
			s->roots[i].period = period;
			s->roots[i].passed = passed;
		}
	}
}

/* The first edge for which a process of the domain on that clock has a timer; UINT64_MAX: none has. */
static uint64_t first_due(const struct hd_sim *s, const struct hd_domain *d, const struct hd_tick *t)
{
	uint64_t due = UINT64_MAX;

	for (uint32_t i = 0; i < t->nshares; i++) {
		uint32_t word = d->words[t->shares[i].word];

		for (uint64_t left = s->noted[word].armed & t->shares[i].bits; left;) {
			uint64_t other = s->processes[word * 64 + hd_bits_pop(&left)].due;

			due = other < due ? other : due;
		}
	}
	return due;
}

static bool any_awake(const struct hd_sim *s, const struct hd_domain *d, const struct hd_tick *t)
{
	for (uint32_t i = 0; i < t->nshares; i++)
		if (s->awake[d->words[t->shares[i].word]] & t->shares[i].bits)
			return true;
	return false;
}

/* The moment before which nothing runs in the domain unless others wake it. */
static size_t next_moment(const struct hd_ahead *a, const struct hd_domain *d, size_t end)
{
	const struct hd_sim *s = a->s;

	for (uint64_t left = d->gates; left;) {
		unsigned r = hd_bits_pop(&left);
		size_t next = a->paces[a->period_begins[r]].next[d->at];

		if (HD_UNLIKELY(*hd__gates_moved(a->s, d->lane, r)) && next < end)
			end = next;
	}
	for (uint32_t i = 0; i < d->nrunning; i++) {
		const struct hd_tick *t = &d->ticks[i];
		size_t next = a->paces[t->pace].next[d->at];

		if (next < end && t->clock->on && any_awake(s, d, t))
			end = next;
	}
	for (uint32_t i = 0; i < d->nrunning && end > d->at; i++) {
		const struct hd_tick *t = &d->ticks[i];
		uint64_t due, base;
		size_t at;

		if (a->paces[t->pace].next[d->at] >= end || !t->clock->on)
			continue;
		due = first_due(s, d, t);
		if (due == UINT64_MAX)
			continue;
		base = t->column == HD_GATED ? t->clock->now - hd__ahead_before(a, t->pace, d->at) : a->begin[t->column];
		at = hd__ahead_reaches(a, t->pace, due - base, d->at);
		end = at < end ? at : end;
	}
	return end;
}

/* Goes on to that moment, with the clocks that count for themselves. */
static void pass(const struct hd_ahead *a, struct hd_domain *d, size_t moment)
{
	for (uint32_t i = 0; d->gates && i < d->nticks; i++) {
		const struct hd_tick *t = &d->ticks[i];

		if (t->column == HD_GATED && t->clock->on)
			t->clock->now += hd__ahead_before(a, t->pace, moment) - hd__ahead_before(a, t->pace, d->at);
	}
	d->at = moment;
}

/* ---- a domain -------------------------------------------------------------------------------- */

static bool woke(const struct hd_ahead *a, const struct hd_domain *d)
{
	const struct hd_instance *in = a->waits.instance;
	uint64_t *word = &a->s->awake[in->rank / 64], bit = UINT64_C(1) << in->rank % 64;
	bool is;

	if (d->lane != HD_NO_LANE) {
		is = a->s->lanes[d->lane].woke;
		a->s->lanes[d->lane].woke = false;
		return is;
	}
	is = *word & bit;
	*word &= ~bit; /* until all have come as far */
	return is;
}

/* Has it woken the instance that others wait for?  Then it goes on up to the next edge of that, which is
 * evaluated before anything else happens.  Returns the moment behind it, `end` at the latest. */
static size_t hold(const struct hd_ahead *a, struct hd_domain *d, size_t moment, size_t end)
{
	size_t next;

	if (!woke(a, d) || d->held)
		return end;
	d->held = true;
	next = hd__ahead_waits_tick(a, moment) + 1;
	if (next < d->goal)
		d->goal = next;
	return d->goal < end ? d->goal : end;
}

static void find_live(struct hd_domain *d)
{
	d->lived = d->generation;
	memset(d->live, 0, d->nwords * sizeof *d->live);
	for (uint32_t i = 0; i < d->nrunning; i++)
		for (uint32_t k = 0; d->ticks[i].clock->on && k < d->ticks[i].nshares; k++)
			d->live[d->ticks[i].shares[k].word] |= d->ticks[i].shares[k].bits;
}

/* Does nothing happen in it unless others wake it? */
static bool is_quiet(const struct hd_ahead *a, struct hd_domain *d)
{
	const struct hd_sim *s = a->s;

	if (d->lived != d->generation)
		find_live(d);
	for (uint32_t w = 0; w < d->nwords; w++)
		if ((s->awake[d->words[w]] | s->noted[d->words[w]].armed) & d->live[w])
			return false;
	return d->gates == 0 || (hd__all_gates_moved(a->s, d->lane) & d->gates) == 0;
}

void hd__ahead_domain(struct hd_ahead *a, uint32_t domain, size_t end)
{
	struct hd_domain *d = &a->domains[domain];
	struct hd_sim *s = d->view;

	if (d->at < end && is_quiet(a, d)) {
		pass(a, d, end);
		return;
	}
	while (d->at < end) {
		size_t k = next_moment(a, d, end);
		const struct hd_beat *b;
		bool ran = false;

		if (k > d->at)
			pass(a, d, k);
		if (k == end)
			break;
		d->at++;

		begin_periods(a, d, k);
		b = beat_of(a, d, k);
		step_clocks(a, d, b, k);
		set_time(a, d, k);
		for (uint32_t w = 0; w < d->nwords; w++) {
			if (!(s->awake[d->words[w]] & b->mask[w]))
				continue;
			sweep(s, d->words[w], b->mask[w]);
			ran = true;
		}
		if (HD_UNLIKELY(s->late))
			hd__end_edge(s);
		if (!ran) /* gates were looked at */
			continue;
		d->ran = k + 1;
		if (d->wakes)
			end = hold(a, d, k, end);
	}
}

void hd__ahead_apart(struct hd_ahead *a, uint32_t domain, size_t end)
{
	struct hd_domain *d = &a->domains[domain];
	struct hd_lane *lane = d->lane != HD_NO_LANE ? &a->s->lanes[d->lane] : NULL;

	for (uint32_t k = 0; k < a->s->nroots; k++)
		*hd__gates_moved(a->s, d->lane, k) = d->moved >> k & 1;
	if (lane)
		lane->runs = true;
	hd__ahead_domain(a, domain, end);
	if (lane)
		lane->runs = false;
	d->moved = hd__all_gates_moved(a->s, d->lane);
}

size_t hd__ahead_own_moment(const struct hd_ahead *a)
{
	const struct hd_instance *in = a->waits.instance;
	const struct hd_process *t = &a->s->processes[in->rank];
	size_t from = a->domains[a->waits.domain].at;

	if (a->s->awake[in->rank / 64] >> in->rank % 64 & 1)
		return hd__ahead_waits_tick(a, from);
	if (!(a->s->noted[in->rank / 64].armed >> in->rank % 64 & 1))
		return a->nmoments;
	return hd__ahead_reaches(a, a->open_pace[a->waits.column], t->due - a->begin[a->waits.column], from);
}

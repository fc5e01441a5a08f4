/* phase.c - the next phase of the clocks: gates, and the earliest of several roots
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "phase.h"

/* Spans end when their clock stops and do not continue when it starts again: for the recorder,
 * time passes in between. */
static void tell_listened(struct hd_sim *s, const struct hd_clock *c, bool on)
{
	bool settled = false;

	if (!s->opt.event && !s->observer) /* no instance is recorded */
		return;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		if (in->clock != c || !in->ctx.events || !in->module->end_observation)
			continue;
		if (!settled)
			hd__sim_settle(s);
		settled = true;
		if (on)
			hd_wake(in->ctx.self);
		else
			in->module->end_observation(in->state);
	}
}

void hd__sample_gates(struct hd_sim *s, struct hd_root *r)
{
	const uint64_t moved = UINT64_C(1) << (r - s->roots);

	if (!(s->gates_moved & moved))
		return;
	s->gates_moved &= ~moved;
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		struct hd_clock *c = hd__any_clock(s, i);
		bool on = true;

		if (c->root != r)
			continue;
		for (const struct hd_clock *up = c; up; up = up->parent)
			on = on && (!up->gated || up->open);
		if (on != c->on) {
			c->on = on;
			r->generation++;
			tell_listened(s, c, on);
		}
	}
}

/* The words of the set up to the last one that is not 0, from the first one on. */
static struct hd_words words_of(const struct hd_sim *s, const uint64_t *set)
{
	struct hd_words w = { 0, s->nwords };

	while (w.end > 0 && !set[w.end - 1])
		w.end--;
	while (w.first < w.end && !set[w.first])
		w.first++;
	return w;
}

static void add_processes(uint64_t *set, const struct hd_clock *c)
{
	for (uint32_t k = 0; k < c->nshares; k++)
		set[c->shares[k].word] |= c->shares[k].bits;
}

void hd__refresh_phase(struct hd_sim *s, const struct hd_root *r, struct hd_phase *p)
{
	struct hd_clock **ticking = p->ticking;
	struct hd_rest *rest = p->rest_of;

	memset(p->mask, 0, s->nwords * sizeof *p->mask);
	for (uint32_t i = 0; i < p->nclocks; i++) {
		if (!p->clocks[i]->on)
			continue;
		*ticking++ = p->clocks[i];
		add_processes(p->mask, p->clocks[i]);
	}
	*ticking = NULL;
	memset(p->rest, 0, s->nwords * sizeof *p->rest);
	for (uint32_t i = 0; i < s->nclocks + s->ncopies; i++) {
		struct hd_clock *c = hd__any_clock(s, i);
		uint64_t later = c->root == r && c->on ? c->phases >> (p - r->phases) : 0;

		if (!later)
			continue;
		*rest++ = (struct hd_rest){ c, hd_bits_count(later) };
		add_processes(p->rest, c);
	}
	rest->clock = NULL;
	p->words = words_of(s, p->mask);
	p->rest_words = words_of(s, p->rest);
	p->generation = r->generation;
}

void hd__skip_rests(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].next_phase == 0)
			continue;
		hd__skip_rest(s, &s->roots[i]);
		if (s->roots[i].next_phase != 0)
			return;
	}
}

/* Time of the root's next phase, in ticks. */
static uint64_t next_tick(const struct hd_root *r)
{
	return r->passed * r->ticks + r->tick[r->next_phase];
}

/* -1, 0, 1: root a's next phase comes before, with, after that of b.  Exact. */
static int compare_roots(const struct hd_root *a, const struct hd_root *b)
{
	unsigned __int128 l = (unsigned __int128)next_tick(a) * b->rate;
	unsigned __int128 r = (unsigned __int128)next_tick(b) * a->rate;

	return l < r ? -1 : l > r;
}

/* Exact times: the roots whose next phase is the earliest, as a set; compared as fractions. */
static uint64_t due_fractions(const struct hd_sim *s)
{
	const struct hd_root *first = &s->roots[0];
	uint64_t due = 0;

	for (uint32_t i = 1; i < s->nroots; i++)
		if (compare_roots(&s->roots[i], first) < 0)
			first = &s->roots[i];
	for (uint32_t i = 0; i < s->nroots; i++)
		if (compare_roots(&s->roots[i], first) == 0)
			due |= UINT64_C(1) << i;
	return due;
}

/* Finds the roots that are due by times in a common unit, modulo 2^64, as the next phases are at most 2^32 periods
 * apart, and mostly one.  Without branches, for which root is the next one changes all the time. */
static uint64_t due_in_units(const struct hd_sim *s)
{
	int64_t after[HD_MAX_ROOTS], least = 0;
	uint64_t base = 0, due = 0;

	for (uint32_t i = 0; i < s->nroots; i++) {
		const struct hd_root *r = &s->roots[i];
		uint64_t time = (r->period + (r->next_phase == 0)) * r->span + r->at_unit[r->next_phase];

		base = i == 0 ? time : base;
		after[i] = (int64_t)(time - base);
		least = after[i] < least ? after[i] : least;
	}
	for (uint32_t i = 0; i < s->nroots; i++)
		due |= (uint64_t)(after[i] == least) << i;
	return due;
}

/* Accumulated times.  All phases of a period lie at one moment: the first ones of the roots that
 * begin a period at the same time come together, the later ones of each root then by themselves. */
static uint64_t due_accumulated(struct hd_sim *s)
{
	double least = s->roots[0].time;
	uint64_t due = 0;

	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].next_phase != 0)
			return UINT64_C(1) << i;
		if (s->roots[i].time < least)
			least = s->roots[i].time;
	}
	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].time != least)
			continue;
		s->roots[i].time += s->roots[i].step;
		due |= UINT64_C(1) << i;
	}
	return due;
}

/* Finds the processes of s->joined, at which the roots `due` tick. */
static void join(struct hd_sim *s, uint64_t due)
{
	struct hd_phase *all = &s->joined;

	s->joined_roots = due;
	memset(all->mask, 0, s->nwords * sizeof *all->mask);
	while (due) {
		const struct hd_phase *p = s->roots[hd_bits_pop(&due)].joined;

		for (uint32_t w = p->words.first; w < p->words.end; w++)
			all->mask[w] |= p->mask[w];
	}
	all->words = words_of(s, all->mask);
}

/* With the roots that begin a period now it is put right. */
static void pass_periods(const struct hd_sim *s)
{
	for (struct hd_root *r = s->roots, *end = r + s->nroots; r < end; r++)
		r->passed = r->period + (r->next_phase == 0);
}

uint64_t hd__due_roots(struct hd_sim *s)
{
	pass_periods(s);
	if (s->roots[0].span != 0)
		return due_in_units(s);
	return s->nroots == 1 ? 1 : s->accumulated ? due_accumulated(s) : due_fractions(s);
}

/* Finds the roots of the moment that comes now, which begins.  Of roots that are compared in units the next moment is
 * found while the processor still evaluates this one. */
static uint64_t take_due_roots(struct hd_sim *s)
{
	uint64_t due = s->due;

	s->due = 0;
	if (due == 0)
		return hd__due_roots(s);
	pass_periods(s);
	return due;
}

const struct hd_phase *hd__open_phases(struct hd_sim *s)
{
	uint64_t due = take_due_roots(s);
	bool same;

	if (HD_LIKELY((due & (due - 1)) == 0)) {
		const struct hd_phase *p = hd__open_phase(s, &s->roots[hd_bits_first(due)]);

		s->due = s->roots[0].span ? due_in_units(s) : 0;
		return p;
	}
	/* before any of them counts an edge that has not been evaluated, as a gate settles what sleeps */
	for (uint64_t left = due; left;) {
		struct hd_root *r = &s->roots[hd_bits_pop(&left)];

		if (r->next_phase == 0)
			hd__begin_period(s, r);
	}
	same = due == s->joined_roots;
	for (uint64_t left = due; left;) {
		struct hd_root *r = &s->roots[hd_bits_pop(&left)];
		const struct hd_phase *p = hd__step_phase(s, r);

		same = same && r->joined == p && r->joined_generation == p->generation;
		r->joined = p;
		r->joined_generation = p->generation;
	}
	if (!same) /* as they mostly are: the same clocks tick together in many periods */
		join(s, due);
	return &s->joined;
}

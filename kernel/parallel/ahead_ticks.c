/* ahead_ticks.c - the clocks of a domain, and the processes on each
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead_plan.h"

#include <stdlib.h>

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
	uint32_t word = in->rank / 64, k = 0, i = 0;
	uint64_t bit = UINT64_C(1) << in->rank % 64;
	struct hd_tick *t;

	while (k < d->nwords && d->words[k] != word)
		k++;
	if (k == d->nwords) {
		d->words = hd__xappend(d->words, k, sizeof *d->words);
		d->member = hd__xappend(d->member, k, sizeof *d->member);
		d->words[k] = word;
		d->member[k] = 0;
		d->nwords++;
	}
	d->member[k] |= bit;
	hd__domain_add_clock(d, in->clock);
	t = tick_of(d, in->clock);
	while (i < t->nshares && t->shares[i].word != word)
		i++;
	if (i == t->nshares) {
		t->shares = hd__xappend(t->shares, i, sizeof *t->shares);
		t->shares[t->nshares++] = (struct hd_share){ .word = word };
	}
	t->shares[i].bits |= bit;
}

static uint32_t pace_of(struct hd_ahead *a, uint32_t root, uint64_t phases)
{
	uint32_t i = 0;

	while (i < a->npaces && (a->paces[i].root != root || a->paces[i].phases != phases))
		i++;
	if (i < a->npaces)
		return i;
	a->paces = hd__xappend(a->paces, a->npaces, sizeof *a->paces);
	a->paces[a->npaces++] = (struct hd_pace){ .root = root, .phases = phases };
	return i;
}

static uint32_t clock_pace(struct hd_ahead *a, const struct hd_clock *c)
{
	return pace_of(a, (uint32_t)(c->root - a->s->roots), c->phases);
}

void hd__ahead_open(struct hd_ahead *a)
{
	a->open = hd__xcalloc(a->s->nclocks + 1, sizeof(struct hd_clock *));
	for (uint32_t i = 0; i < a->s->nclocks; i++)
		if (!hd__gated(&a->s->clocks[i]))
			a->open[a->nopen++] = &a->s->clocks[i];
	a->begin = hd__xcalloc(a->nopen + 1, sizeof *a->begin);
	a->alone = hd__xcalloc((size_t)a->s->nroots * 64, sizeof *a->alone);
	a->open_pace = hd__xcalloc(a->nopen + 1, sizeof *a->open_pace);
	for (uint32_t i = 0; i < a->nopen; i++)
		a->open_pace[i] = clock_pace(a, a->open[i]);
}

static void add_pulse(struct hd_domain *d, uint32_t pace)
{
	struct hd_pulse *p = d->pulses;

	while (p < d->silent && p->pace != pace)
		p++;
	if (p == d->silent)
		*d->silent++ = (struct hd_pulse){ .pace = pace, .live = hd__xcalloc(d->nwords + 1, sizeof *p->live) };
}

/* Orders the clocks by pulse: those of one tick together. */
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

void hd__domain_ticks(struct hd_ahead *a, struct hd_domain *d)
{
	d->generation = 1;
	d->some = hd__xcalloc(d->nwords + 1, sizeof *d->some);
	for (uint32_t k = 0; k < d->nticks; k++) {
		struct hd_tick *t = &d->ticks[k];

		t->root = (uint32_t)(t->clock->root - a->s->roots);
		t->pace = clock_pace(a, t->clock);
		t->on = t->clock->on;
		t->column = 0;
		while (t->column < a->nopen && a->open[t->column] != t->clock)
			t->column++;
		if (t->column < a->nopen) {
			t->clock = hd__shard_clock(a->s, d->shard, t->clock);
			continue;
		}
		t->column = HD_GATED;
		d->gates |= UINT64_C(1) << t->root;
		a->period_begins[t->root] = pace_of(a, t->root, 1);
	}
	d->pulses = d->running = d->silent = hd__xcalloc(d->nticks + 1, sizeof *d->pulses);
	for (uint32_t n = HD_MAX_PHASES; n > 0; n--) /* those that tick more often are asked first when one runs */
		for (uint32_t k = 0; k < d->nticks; k++)
			if (d->ticks[k].nshares > 0 && d->ticks[k].clock->per_period == n)
				add_pulse(d, d->ticks[k].pace);
	d->running = d->silent;
	for (uint32_t k = 0; k < d->nticks; k++)
		add_pulse(d, d->ticks[k].pace);
	sort_ticks(d);
}

/* moments.c - the moments of a window: which roots tick in which phases, and the edges of the clocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead_plan.h"
#include "kernel/phase.h"

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

void hd__ahead_paces(struct hd_ahead *a)
{
	const struct hd_sim *s = a->s;

	a->begin = hd__xcalloc(s->nclocks, sizeof *a->begin);
	a->pace_of = hd__xcalloc(s->nclocks + s->nroots, sizeof *a->pace_of);
	for (uint32_t i = 0; i < s->nclocks; i++)
		a->pace_of[i] = pace_of(a, (uint32_t)(s->clocks[i].root - s->roots), s->clocks[i].phases);
	for (uint32_t i = 0; i < s->nroots; i++)
		a->pace_of[s->nclocks + i] = pace_of(a, i, 1);
}

static void grow(struct hd_ahead *a)
{
	size_t n = a->s->nroots;

	a->capmoments = a->capmoments ? 2 * a->capmoments : 256;
	a->phase = hd__xrealloc(a->phase, a->capmoments * n * sizeof *a->phase);
	a->times = hd__xrealloc(a->times, a->capmoments * n * sizeof *a->times);
	for (uint32_t i = 0; i < a->npaces; i++) {
		struct hd_pace *p = &a->paces[i];

		p->ticks = hd__xrealloc(p->ticks, a->capmoments * sizeof *p->ticks);
		p->next = hd__xrealloc(p->next, (a->capmoments + 1) * sizeof *p->next);
	}
}

/* The roots that tick next.  At accumulated times a period that has begun is finished before all others. */
static uint64_t next_roots(struct hd_sim *s)
{
	for (uint32_t i = 0; s->accumulated && i < s->nroots; i++)
		if (s->roots[i].next_phase != 0)
			return UINT64_C(1) << i;
	return hd__due_roots(s);
}

static void add_moment(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	uint64_t due = next_roots(s);
	size_t at = a->nmoments * s->nroots;

	for (uint32_t i = 0; i < s->nroots; i++, at++) {
		struct hd_root *r = &s->roots[i];

		a->phase[at] = HD_NOT_DUE;
		if (due >> i & 1) {
			a->phase[at] = (uint8_t)r->next_phase;
			r->period += r->next_phase == 0;
			if (++r->next_phase == r->nphases)
				r->next_phase = 0;
		}
		a->times[at] = (struct hd_shard_time){ r->period, r->passed };
	}
	a->nmoments++;
}

static void find_ticks(const struct hd_ahead *a, const struct hd_pace *p)
{
	const uint8_t *phase = a->phase + p->root;
	const uint32_t n = (uint32_t)a->nmoments, step = a->s->nroots;
	uint32_t *ticks = p->ticks, *next = p->next, count = 0, known = 0; /* *next is, of so many */

	for (uint32_t k = 0; k < n; k++, phase += step) {
		if (*phase != HD_NOT_DUE && (p->phases >> *phase & 1)) {
			count++;
			while (known <= k)
				next[known++] = k;
		}
		ticks[k] = count;
	}
	while (known <= n)
		next[known++] = n;
}

void hd__ahead_begin(struct hd_ahead *a, uint64_t periods)
{
	const struct hd_sim *s = a->s;
	const struct hd_root *first = &s->roots[0];
	uint64_t last = first->period + periods;

	for (uint32_t i = 0; i < s->nclocks; i++)
		a->begin[i] = s->clocks[i].now;
	a->nmoments = 0;
	while (first->period != last || first->next_phase != 0 || hd__mid_moment(s)) {
		if (a->nmoments == a->capmoments)
			grow(a);
		add_moment(a);
	}
	for (uint32_t i = 0; i < a->npaces; i++)
		find_ticks(a, &a->paces[i]);
}

void hd__ahead_end(const struct hd_ahead *a)
{
	for (uint32_t i = 0; i < a->s->nclocks; i++)
		if (!hd__gated(&a->s->clocks[i]))
			a->s->clocks[i].now = a->begin[i] + hd__ahead_before(a, a->pace_of[i], a->nmoments);
}

size_t hd__ahead_reaches(const struct hd_ahead *a, uint32_t pace, uint64_t ticks, size_t moment)
{
	const struct hd_pace *p = &a->paces[pace];
	size_t end = a->nmoments;

	while (moment < end) {
		size_t middle = moment + (end - moment) / 2;

		if (p->ticks[middle] < ticks)
			moment = middle + 1;
		else
			end = middle;
	}
	return end;
}

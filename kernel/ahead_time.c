/* ahead_time.c - the moments of a window: which roots tick in which phases, and the edges of the clocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead_plan.h"
#include "phase.h"

static bool is_kind(const struct hd_ahead *a, size_t i, uint64_t due)
{
	const struct hd_moment_kind *k = &a->kinds[i];
	bool same = k->due == due;

	for (uint64_t left = due; same && left;) {
		unsigned r = hd_bits_pop(&left);

		same = k->phase[r] == a->s->roots[r].next_phase;
	}
	return same;
}

/* The kind of a moment at which these roots tick in their next phases. */
static uint32_t kind_of(struct hd_ahead *a, uint64_t due)
{
	const struct hd_root *roots = a->s->roots;
	struct hd_moment_kind *k;

	for (size_t i = 0; i < a->nkinds; i++)
		if (is_kind(a, i, due))
			return (uint32_t)i;
	a->kinds = hd__xappend(a->kinds, a->nkinds, sizeof *a->kinds);
	k = &a->kinds[a->nkinds];
	*k = (struct hd_moment_kind){ .due = due };
	for (uint64_t left = due; left;) {
		unsigned r = hd_bits_pop(&left);

		k->phase[r] = (uint8_t)roots[r].next_phase;
	}
	return (uint32_t)a->nkinds++;
}

static void grow(struct hd_ahead *a)
{
	size_t n = a->s->nroots;

	a->capmoments = a->capmoments ? 2 * a->capmoments : 256;
	a->kind = hd__xrealloc(a->kind, a->capmoments * sizeof *a->kind);
	a->period = hd__xrealloc(a->period, a->capmoments * n * sizeof *a->period);
	a->passed = hd__xrealloc(a->passed, a->capmoments * n * sizeof *a->passed);
	for (uint32_t i = 0; i < a->npaces; i++) {
		struct hd_pace *p = &a->paces[i];

		p->ticks = hd__xrealloc(p->ticks, a->capmoments * sizeof *p->ticks);
		p->next = hd__xrealloc(p->next, (a->capmoments + 1) * sizeof *p->next);
	}
}

static void add_moment(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	size_t k = a->nmoments, n = s->nroots;
	uint64_t due = hd__due_roots(s);

	if (k == a->capmoments)
		grow(a);
	a->kind[k] = k > 0 && is_kind(a, a->kinds[a->kind[k - 1]].then, due) ? a->kinds[a->kind[k - 1]].then
	             : kind_of(a, due);
	if (k > 0)
		a->kinds[a->kind[k - 1]].then = a->kind[k];
	for (uint32_t i = 0; i < n; i++) {
		struct hd_root *r = &s->roots[i];

		if (due >> i & 1) {
			r->period += r->next_phase == 0;
			if (++r->next_phase == r->nphases)
				r->next_phase = 0;
		}
		a->period[k * n + i] = r->period;
		a->passed[k * n + i] = r->passed;
	}
	a->nmoments++;
}

/* Finds at which kinds of moments it ticks that have come since. */
static void find_kinds(const struct hd_ahead *a, struct hd_pace *p)
{
	if (p->nat == a->nkinds)
		return;
	p->at = hd__xrealloc(p->at, a->nkinds * sizeof *p->at);
	for (; p->nat < a->nkinds; p->nat++) {
		const struct hd_moment_kind *kind = &a->kinds[p->nat];

		p->at[p->nat] = kind->due >> p->root & p->phases >> kind->phase[p->root] & 1;
	}
}

static void find_ticks(const struct hd_ahead *a, struct hd_pace *p)
{
	uint32_t ticks = 0, n = (uint32_t)a->nmoments, from = 0;

	find_kinds(a, p);
	for (uint32_t k = 0; k < n; k++) {
		if (p->at[a->kind[k]]) {
			ticks++;
			while (from <= k)
				p->next[from++] = k;
		}
		p->ticks[k] = ticks;
	}
	while (from <= n)
		p->next[from++] = n;
}

void hd__ahead_begin(struct hd_ahead *a)
{
	for (uint32_t j = 0; j < a->nopen; j++)
		a->begin[j] = a->open[j]->now;
}

void hd__ahead_moments(struct hd_ahead *a, uint64_t periods)
{
	const struct hd_root *first = &a->s->roots[0];
	uint64_t last = first->period + periods;

	a->nmoments = 0;
	while (first->period != last || first->next_phase != 0)
		add_moment(a);
	for (uint32_t i = 0; i < a->npaces; i++)
		find_ticks(a, &a->paces[i]);
}

void hd__ahead_end(const struct hd_ahead *a)
{
	for (uint32_t j = 0; j < a->nopen; j++)
		a->open[j]->now = hd__ahead_edge(a, j, a->nmoments - 1);
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

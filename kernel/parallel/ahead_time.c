/* ahead_time.c - the moments of a window: which roots tick in which phases, and the edges of the clocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead_plan.h"
#include "kernel/phase.h"

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
	a->row = hd__xrealloc(a->row, a->capmoments * sizeof *a->row);
	a->times = hd__xrealloc(a->times, a->capmoments * n * sizeof *a->times);
	for (uint32_t i = 0; i < a->npaces; i++) {
		struct hd_pace *p = &a->paces[i];

		p->ticks = hd__xrealloc(p->ticks, a->capmoments * sizeof *p->ticks);
		p->next = hd__xrealloc(p->next, (a->capmoments + 1) * sizeof *p->next);
	}
}

/* The same, with what has mostly followed the moment before tried first. */
static uint32_t kind_after(struct hd_ahead *a, size_t moment, uint64_t due)
{
	uint32_t kind = moment > 0 ? a->kinds[a->kind[moment - 1]].then : 0;

	if (moment == 0)
		return kind_of(a, due);
	if (!is_kind(a, kind, due)) {
		kind = kind_of(a, due);
		a->kinds[a->kind[moment - 1]].then = kind;
	}
	return kind;
}

/* Adds the present times, and returns where they are. */
static uint32_t add_row(struct hd_ahead *a)
{
	uint32_t n = a->s->nroots;
	struct hd_root_time *t = &a->times[(size_t)a->nrows * n];

	for (const struct hd_root *r = a->s->roots, *end = r + n; r < end; r++)
		*t++ = (struct hd_root_time){ r->period, r->passed };
	return a->nrows++;
}

static void add_moment(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	size_t k = a->nmoments;
	uint64_t due = hd__due_roots(s);

	if (k == a->capmoments)
		grow(a);
	a->kind[k] = kind_after(a, k, due);
	while (due) {
		struct hd_root *r = &s->roots[hd_bits_pop(&due)];

		r->period += r->next_phase == 0;
		if (++r->next_phase == r->nphases)
			r->next_phase = 0;
	}
	a->row[k] = add_row(a);
	a->nmoments++;
}

static uint32_t kind_alone(struct hd_ahead *a, uint32_t root, uint32_t phase)
{
	uint32_t *kind = &a->alone[root * 64 + phase];

	if (*kind == 0)
		*kind = kind_of(a, UINT64_C(1) << root) + 1;
	return *kind - 1;
}

/* The rest of a period whose phases are at one time: no other root ticks before it is over. */
static void add_rest(struct hd_ahead *a, uint32_t root)
{
	struct hd_root *roots = a->s->roots, *r = &roots[root];
	uint32_t row;

	for (uint32_t i = 0; i < a->s->nroots; i++)
		roots[i].passed = roots[i].period + (roots[i].next_phase == 0);
	while (a->nmoments + r->nphases > a->capmoments)
		grow(a);
	for (row = add_row(a); r->next_phase != 0; a->nmoments++) {
		a->kind[a->nmoments] = kind_alone(a, root, r->next_phase);
		a->row[a->nmoments] = row;
		if (++r->next_phase == r->nphases)
			r->next_phase = 0;
	}
}

static void add_rests(struct hd_ahead *a)
{
	for (uint32_t i = 0; i < a->s->nroots; i++)
		if (a->s->roots[i].next_phase != 0) {
			add_rest(a, i);
			return;
		}
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
	const uint32_t *kind = a->kind, n = (uint32_t)a->nmoments;
	uint32_t *ticks = p->ticks, *next = p->next, count = 0, known = 0; /* *next is, of so many */
	const bool *at;

	find_kinds(a, p);
	at = p->at;
	for (uint32_t k = 0; k < n; k++) {
		if (at[kind[k]]) {
			count++;
			for (; known < k; known++)
				next[known] = k;
			next[known++] = k;
		}
		ticks[k] = count;
	}
	for (; known <= n; known++)
		next[known] = n;
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

	a->nmoments = a->nrows = 0;
	while (first->period != last || first->next_phase != 0) {
		add_moment(a);
		if (a->s->accumulated)
			add_rests(a);
	}
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

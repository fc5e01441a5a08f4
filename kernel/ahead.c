/* ahead.c - runs a window: its periods in one domain after the other, each with the clocks set back
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All domains begin and end a window at the same period, and nothing passes between them in it but by
 * channels whose payloads have the edge with them from which they may be taken.  So every evaluation
 * sees what it would see in lock step.  A window is made short enough that no producer depends on what the
 * reader has taken in it, and that nothing happens in it that concerns all domains.
 */
#include "ahead_plan.h"
#include "phase.h"
#include "sweep.h"
#include "kernel/base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- gauges of channels between domains ---------------------------------------------------- */

static uint64_t tide_edge(const struct hd_tide *t, bool put, size_t i)
{
	return i < t->n[put] ? t->edge[put][i] : UINT64_MAX;
}

/* Counts puts and takes in the order of their edges, as if they had come so. */
static void settle_tide(struct hd_gauge *g, struct hd_tide *t)
{
	size_t taken = 0, put = 0;

	while (taken < t->n[0] || put < t->n[1]) {
		uint64_t a = tide_edge(t, false, taken), b = tide_edge(t, true, put), edge = a < b ? a : b;

		hd__meter_count(&g->own, edge);
		while (tide_edge(t, false, taken) == edge && taken < t->n[0]) {
			taken++;
			g->own.n--;
		}
		while (tide_edge(t, true, put) == edge && put < t->n[1]) {
			put++;
			g->own.n++;
		}
	}
	t->n[0] = t->n[1] = 0;
}

/* ---- how far --------------------------------------------------------------------------------- */

/* Periods of the first root in which the clock has at most so many edges. */
static uint64_t periods_of(const struct hd_sim *s, const struct hd_clock *c, uint64_t edges, uint64_t most)
{
	while (most > 0 && hd__edges_in(s, c, most) > edges)
		most = c->root == &s->roots[0] ? edges / c->per_period : most - 1;
	return most;
}

/* Payloads that the channel has room for whatever its reader takes. */
static uint32_t certain_room(const struct hd_chan *c)
{
	return c->capacity - (c->tail - c->head);
}

static uint64_t window(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	uint64_t next = s->roots[0].period + 1, n = a->window;

	if (s->observer || s->opt.event || s->part_over || s->roots[0].period == UINT64_MAX)
		return 0;
	if (n > s->limit - 1 - next) /* nor up to the last period */
		n = s->limit - 1 - next;
	if (n > s->observe_at - next)
		n = s->observe_at - next;
	if (n > 1024 - ((next - 1) & 1023)) /* the watchdog looks at every 1024th period */
		n = 1024 - ((next - 1) & 1023);
	for (size_t i = 0; i < a->ncallers && n > 1; i++) {
		const struct hd_instance *in = a->callers[i].instance;
		uint64_t m = periods_of(s, in->clock, in->module->apart(in->state), n);

		a->callers[i].held += m < n;
		n = m;
	}
	for (size_t i = 0; i < a->ncrossings && n > 1; i++) {
		const struct hd_channel *c = a->crossings[i].channel;
		uint64_t m = periods_of(s, c->from[0].instance->clock, certain_room(c->chan) / a->crossings[i].most, n);

		a->crossings[i].held += m < n;
		n = m;
	}
	return n > 1 ? n : 0;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* What passing time changes in a root. */
struct moment {
	uint64_t period, passed;
	double time;
	uint32_t next_phase;
};

static void store(const struct hd_sim *s, struct moment *v)
{
	for (uint32_t i = 0; i < s->nroots; i++)
		v[i] = (struct moment){ s->roots[i].period, s->roots[i].passed, s->roots[i].time,
			                s->roots[i].next_phase };
}

static void restore(struct hd_sim *s, const struct moment *v)
{
	for (uint32_t i = 0; i < s->nroots; i++) {
		s->roots[i].period = v[i].period;
		s->roots[i].passed = v[i].passed;
		s->roots[i].time = v[i].time;
		s->roots[i].next_phase = v[i].next_phase;
	}
}

static void add_moment(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	size_t k = a->nmoments, n = s->nroots;

	if (k == a->capmoments) {
		a->capmoments = k ? 2 * k : 256;
		a->due = hd__xrealloc(a->due, a->capmoments * sizeof *a->due);
		a->phase = hd__xrealloc(a->phase, a->capmoments * n * sizeof *a->phase);
		a->period = hd__xrealloc(a->period, a->capmoments * n * sizeof *a->period);
		a->passed = hd__xrealloc(a->passed, a->capmoments * n * sizeof *a->passed);
		a->ran = hd__xrealloc(a->ran, a->capmoments * sizeof *a->ran);
	}
	a->ran[k] = false;
	a->due[k] = hd__due_roots(s);
	for (uint32_t i = 0; i < n; i++) {
		struct hd_root *r = &s->roots[i];

		a->phase[k * n + i] = (uint8_t)r->next_phase;
		if (a->due[k] >> i & 1) {
			r->period += r->next_phase == 0;
			if (++r->next_phase == r->nphases)
				r->next_phase = 0;
		}
		a->period[k * n + i] = r->period;
		a->passed[k * n + i] = r->passed;
	}
	a->nmoments++;
}

static bool ticks(const struct hd_ahead *a, const struct hd_clock *c, uint32_t root, size_t moment)
{
	return a->due[moment] >> root & 1 && c->phases >> a->phase[moment * a->s->nroots + root] & 1;
}

/* Lists the moments up to the last one of n periods of the first root, but at most so many, and moves the
 * roots and all clocks without gate behind them. */
static void advance(struct hd_ahead *a, uint64_t n, size_t most)
{
	struct hd_sim *s = a->s;
	uint64_t last = s->roots[0].period + n;

	a->nmoments = 0;
	while (a->nmoments < most && (s->roots[0].period != last || s->roots[0].next_phase != 0))
		add_moment(a);
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];
		uint32_t root = (uint32_t)(c->root - s->roots);

		if (hd__gated(c))
			continue;
		a->end[i] = a->begin[i];
		for (size_t k = 0; k < a->nmoments; k++)
			a->end[i] += ticks(a, c, root, k);
	}
}

/* ---- a domain -------------------------------------------------------------------------------- */

/* Wakes its processes whose timers are due. */
static void expire(struct hd_sim *s, const struct hd_ahead *a, uint32_t domain, struct hd_clock *c)
{
	uint32_t next;

	for (uint32_t r = c->bucket[c->now % HD_WHEEL]; r != HD_NO_PROCESS; r = next) {
		struct hd_process *t = &s->processes[r];

		next = t->next;
		if (t->due != c->now || a->of[r] != domain)
			continue;
		hd__disarm(s, t);
		s->awake[r / 64] |= UINT64_C(1) << (r % 64);
	}
}

/* Its clocks of the root are gated as the gates are now. */
static void sample_gates(struct hd_sim *s, const struct hd_domain *d, uint32_t root)
{
	s->roots[root].gates_moved = false;
	for (uint32_t i = 0; i < d->nticks; i++) {
		struct hd_clock *c = d->ticks[i].clock;

		if (d->ticks[i].root != root || !hd__gated(c))
			continue;
		c->on = true;
		for (const struct hd_clock *up = c; up; up = up->parent)
			c->on = c->on && (!up->gated || up->open);
	}
}

static void begin_periods(const struct hd_ahead *a, const struct hd_domain *d, size_t moment)
{
	struct hd_sim *s = a->s;
	size_t n = s->nroots;

	for (uint32_t i = 0; i < n; i++) {
		s->roots[i].period = a->period[moment * n + i];
		s->roots[i].passed = a->passed[moment * n + i];
		if (s->roots[i].gates_moved && a->due[moment] >> i & 1 && a->phase[moment * n + i] == 0)
			sample_gates(s, d, i);
	}
}

/* Runs the window in one domain. */
static void run_domain(struct hd_ahead *a, uint32_t domain)
{
	struct hd_domain *d = &a->domains[domain];
	struct hd_sim *s = a->s;

	for (uint32_t i = 0; i < d->nticks; i++)
		if (!hd__gated(d->ticks[i].clock))
			d->ticks[i].clock->now = a->begin[d->ticks[i].clock - s->clocks];
	for (size_t k = 0; k < a->nmoments; k++) {
		begin_periods(a, d, k);
		for (uint32_t i = 0; i < d->nticks; i++) {
			const struct hd_tick *t = &d->ticks[i];
			struct hd_clock *c = t->clock;

			if (!ticks(a, c, t->root, k) || !c->on)
				continue;
			c->now++;
			if (c->filled >> c->now % HD_WHEEL & 1)
				expire(s, a, domain, c);
			for (uint32_t j = 0; j < t->nshares; j++)
				d->due[t->shares[j].word] |= t->shares[j].bits;
		}
		for (uint32_t w = 0; w < d->nwords; w++) {
			uint64_t todo = d->due[w];

			d->due[w] = 0;
			if (!(s->awake[d->words[w]] & todo))
				continue;
			sweep_word(s, d->words[w], todo, true);
			a->ran[k] = true;
		}
		if (HD_UNLIKELY(s->late))
			hd__end_edge(s);
	}
}

/* ---- a window -------------------------------------------------------------------------------- */

static void set_tides(struct hd_ahead *a, bool on)
{
	for (size_t i = 0; i < a->ncrossings; i++) {
		struct hd_gauge *g = a->crossings[i].channel->chan->gauge;

		if (!g)
			continue;
		g->tide = on ? &a->crossings[i].tide : NULL;
		if (!on)
			settle_tide(g, &a->crossings[i].tide);
	}
}

/* Nothing ran from moment `end` on, and nothing will: the lock step would have ended there. */
static void take_back(struct hd_ahead *a, const struct moment *before, uint64_t n, size_t end)
{
	struct hd_sim *s = a->s;
	size_t all = a->nmoments;

	restore(s, before);
	advance(a, n, end);
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];
		uint32_t root = (uint32_t)(c->root - s->roots);

		for (size_t k = end; hd__gated(c) && c->on && k < all; k++)
			c->now -= ticks(a, c, root, k);
	}
}

static void set_clocks(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;

	for (uint32_t i = 0; i < s->nclocks; i++)
		if (!hd__gated(&s->clocks[i]))
			s->clocks[i].now = a->end[i];
}

/* Between two periods the lock step looks whether anything ran since it looked last.  Returns whether it
 * did at the end of the window; *end: the moment before which it looked in vain and nothing ran
 * after it.  What it found is where the watchdog counts from, as it is after a jump over idle time. */
static bool look_back(struct hd_ahead *a, size_t *end)
{
	const size_t n = a->s->nroots;
	bool busy = false;
	size_t last = a->nmoments;

	while (last > 0 && !a->ran[last - 1])
		last--;
	*end = a->nmoments;
	for (size_t k = 0; k < a->nmoments; k++) {
		if (k > 0 && a->phase[k * n] == 0) {
			if (!busy)
				a->s->move_period = a->period[(k - 1) * n];
			if (!busy && k >= last && *end == a->nmoments)
				*end = k;
			busy = false;
		}
		busy = busy || a->ran[k];
	}
	return busy;
}

static bool awake(const struct hd_sim *s, const struct hd_instance *in)
{
	return s->awake[in->rank / 64] >> in->rank % 64 & 1;
}

/* Runs the window in a domain, which may not wake a caller of another one: that would be the lock step's
 * to evaluate at once. */
static void run_apart(struct hd_ahead *a, uint32_t domain)
{
	for (size_t i = 0; i < a->ncallers; i++)
		a->callers[i].awake = a->callers[i].takes || awake(a->s, a->callers[i].instance)
		                      || a->of[a->callers[i].instance->rank] == domain;
	run_domain(a, domain);
	for (size_t i = 0; i < a->ncallers; i++)
		if (!a->callers[i].awake && awake(a->s, a->callers[i].instance))
			hd_fail(&a->callers[i].instance->ctx, "was woken in an edge that it has not foreseen; expected "
			        "'apart' of module '%s' to return fewer edges; without --ahead it need not foresee",
			        a->callers[i].instance->module->name);
}

uint64_t hd__ahead_run(struct hd_sim *s, bool *busy)
{
	struct hd_ahead *a = s->ahead;
	struct moment before[HD_MAX_ROOTS], after[HD_MAX_ROOTS];
	uint64_t n = window(a), moved = 0;
	size_t end;

	if (n == 0)
		return 0;
	for (uint32_t i = 0; i < s->nclocks; i++)
		a->begin[i] = s->clocks[i].now;
	store(s, before);
	advance(a, n, SIZE_MAX);
	store(s, after);
	set_tides(a, true);
	s->in_window = true;
	for (uint32_t i = 0; i < a->ndomains; i++) {
		for (uint32_t k = 0; k < s->nroots; k++) /* each sees what has moved before */
			s->roots[k].gates_moved = a->domains[i].gated;
		run_apart(a, i);
		for (uint32_t k = 0; k < s->nroots; k++)
			moved |= (uint64_t)s->roots[k].gates_moved << k;
	}
	s->in_window = false;
	for (uint32_t k = 0; k < s->nroots; k++) {
		s->roots[k].gates_moved = moved >> k & 1;
		s->roots[k].generation++; /* the phases find their processes again */
	}
	restore(s, after);
	set_clocks(a);
	set_tides(a, false);
	*busy = look_back(a, &end);
	if (end < a->nmoments && hd__sim_still(s)) {
		take_back(a, before, n, end);
		set_clocks(a);
	}
	a->windows++;
	a->periods += n;
	return n;
}

/* ---- report ---------------------------------------------------------------------------------- */

static void add_held(struct hd_bytes *b, uint64_t held, const char *what, const char *path, const char *port)
{
	char *line;

	if (held == 0)
		return;
	line = hd__format("  %" PRIu64 " made shorter by %s %s%s%s\n", held, what, path, port ? "." : "", port ? port : "");
	hd__bytes_append(b, line, strlen(line));
	free(line);
}

char *hd__ahead_text(const struct hd_ahead *a)
{
	struct hd_bytes b = { 0 };
	char *line = hd__format("%u domains run windows of at most %" PRIu64 " cycles of '%s': %" PRIu64
	                        " windows, %" PRIu64 " cycles in all\n", a->ndomains, a->window,
	                        a->s->roots[0].clock->name, a->windows, a->periods);

	hd__bytes_append(&b, line, strlen(line));
	free(line);
	for (size_t i = 0; i < a->ncallers; i++)
		add_held(&b, a->callers[i].held, "'apart' of", a->callers[i].instance->path, NULL);
	for (size_t i = 0; i < a->ncrossings; i++) {
		const struct hd_link_end *from = &a->crossings[i].channel->from[0];

		add_held(&b, a->crossings[i].held, "the room behind", from->instance->path,
		         from->instance->module->ports[from->port].name);
	}
	hd__bytes_append(&b, "", 1);
	return (char *)b.v;
}

/* ahead.c - runs a window: its periods in one domain after the other, each with the clocks set back
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All domains begin and end a window at the same period, and nothing passes between them in it but by
 * channels whose payloads have the edge with them from which they may be taken.  So every evaluation
 * sees what it would see in lock step.  A window is made short enough that no producer depends on what the
 * reader has taken in it, and that nothing happens in it that concerns all domains.  One instance, such as a
 * dispatcher, may be woken in a window: by a domain that then waits until the others have come as far.
 */
#include "ahead_plan.h"
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

#define LEAST 4u /* periods that are worth a window */
#define REST 16u /* periods of lock step before the next look, at most */

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
	return n >= LEAST ? n : 0;
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

	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];

		for (size_t k = end; hd__gated(c) && c->on && k < all; k++)
			c->now -= hd__ahead_ticks(a, c, k);
	}
	restore(s, before);
	hd__ahead_moments(a, n, end);
	hd__ahead_end(a);
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
		if (k > 0 && a->kinds[a->kind[k]].due & 1 && a->kinds[a->kind[k]].phase[0] == 0) {
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

static uint64_t gates_moved(const struct hd_sim *s)
{
	uint64_t moved = 0;

	for (uint32_t k = 0; k < s->nroots; k++)
		moved |= (uint64_t)s->roots[k].gates_moved << k;
	return moved;
}

/* Runs a domain, which may not wake a caller of another one: that would be the lock step's to
 * evaluate at once. */
static void run_apart(struct hd_ahead *a, uint32_t domain, size_t end)
{
	struct hd_domain *d = &a->domains[domain];
	struct hd_root *roots = a->s->roots;

	for (size_t i = 0; i < a->ncallers; i++)
		a->callers[i].awake = a->callers[i].takes || awake(a->s, a->callers[i].instance)
		                      || a->of[a->callers[i].instance->rank] == domain;
	for (uint32_t k = 0; k < a->s->nroots; k++)
		roots[k].gates_moved = d->moved >> k & 1;
	hd__ahead_domain(a, domain, end);
	d->moved = gates_moved(a->s);
	for (size_t i = 0; i < a->ncallers; i++)
		if (!a->callers[i].awake && awake(a->s, a->callers[i].instance))
			hd_fail(&a->callers[i].instance->ctx, "was woken in an edge that it has not foreseen; expected "
			        "'apart' of module '%s' to return fewer edges; without --ahead it need not foresee",
			        a->callers[i].instance->module->name);
}

/* The moment at which the instance that others wait for is evaluated if none wakes it. */
static size_t own_moment(const struct hd_ahead *a)
{
	const struct hd_instance *in = a->waits.instance;
	const struct hd_process *t = &a->s->processes[in->rank];
	size_t k = hd__ahead_tick_from(a, in->clock, a->domains[a->waits.domain].at);

	if (awake(a->s, in))
		return k;
	if (!(t->flags & HD_PROCESS_ARMED))
		return a->nmoments;
	for (; k < a->nmoments; k = hd__ahead_tick_from(a, in->clock, k + 1))
		if (a->edge[k * a->nopen + a->waits.column] == t->due)
			return k;
	return k;
}

/* It is evaluated at the moment, and wakes no domain that has gone on. */
static void evaluate_waits(struct hd_ahead *a, size_t moment)
{
	const struct hd_instance *in = a->waits.instance;
	struct hd_sim *s = a->s;

	run_apart(a, a->waits.domain, moment);
	for (uint32_t i = 0; i < a->nfirst; i++) {
		struct hd_domain *d = &a->domains[i];

		if (!d->held || d->at != moment + 1)
			continue;
		d->held = false;
		s->awake[in->rank / 64] |= UINT64_C(1) << in->rank % 64;
	}
	memcpy(a->waits.awake, s->awake, s->nwords * sizeof *s->awake);
	run_apart(a, a->waits.domain, moment + 1);
	for (uint32_t i = 0; i < a->ndomains; i++) {
		struct hd_domain *d = &a->domains[i];
		bool woken = false;

		if (d->at <= moment + 1)
			d->moved |= a->domains[a->waits.domain].moved & d->gates;
		for (uint32_t w = 0; w < d->nwords && d->at > moment + 1; w++)
			woken |= (s->awake[d->words[w]] & ~a->waits.awake[d->words[w]] & d->member[w]) != 0;
		if (woken && i != a->waits.domain)
			hd_fail(&in->ctx, "wakes others than those that woke it; expected 'apart' of module '%s' to return "
			        "fewer edges; without --ahead it need not foresee", in->module->name);
	}
	a->domains[a->waits.domain].moved = 0;
}

/* Runs the domains that may wake that instance, and it whenever all have come to where one has woken it. */
static void run_first(struct hd_ahead *a)
{
	const size_t n = a->nmoments;
	size_t own, next = 0;

	while (next < n && !a->s->failed) {
		own = own_moment(a);
		next = own;
		for (uint32_t i = 0; i < a->nfirst; i++) {
			struct hd_domain *d = &a->domains[i];

			if (i == a->waits.domain)
				continue;
			if (!d->held && d->at < n)
				run_apart(a, i, d->wakes && own < n ? own + 1 : n);
			if (d->held && d->at - 1 < next)
				next = d->at - 1;
		}
		if (next < n)
			evaluate_waits(a, next);
	}
}

/* Runs all domains up to the end of the window. */
static void run_domains(struct hd_ahead *a)
{
	uint64_t moved = gates_moved(a->s);

	for (uint32_t i = 0; i < a->ndomains; i++) {
		a->domains[i].generation++; /* the lock step may have switched clocks */
		a->domains[i].at = 0;
		a->domains[i].held = false;
		a->domains[i].moved = a->domains[i].gates & moved;
	}
	if (a->waits.instance)
		run_first(a);
	for (uint32_t i = 0; i < a->ndomains && !a->s->failed; i++)
		run_apart(a, i, a->nmoments);
}

uint64_t hd__ahead_run(struct hd_sim *s, bool *busy)
{
	struct hd_ahead *a = s->ahead;
	struct moment before[HD_MAX_ROOTS], after[HD_MAX_ROOTS];
	uint64_t n, moved = 0;
	size_t end;

	if (a->rest > 0) {
		a->rest--;
		return 0;
	}
	n = window(a);
	if (n == 0) {
		a->looked = a->looked < REST ? 2 * a->looked + 1 : REST;
		a->rest = a->looked;
		return 0;
	}
	a->looked = 0;
	store(s, before);
	hd__ahead_begin(a);
	hd__ahead_moments(a, n, SIZE_MAX);
	store(s, after);
	set_tides(a, true);
	s->in_window = true;
	run_domains(a);
	s->in_window = false;
	for (uint32_t i = 0; i < a->ndomains; i++)
		moved |= a->domains[i].moved;
	for (uint32_t k = 0; k < s->nroots; k++) {
		s->roots[k].gates_moved = moved >> k & 1;
		s->roots[k].generation++; /* the phases find their processes again */
	}
	restore(s, after);
	hd__ahead_end(a);
	set_tides(a, false);
	*busy = look_back(a, &end);
	if (end < a->nmoments && hd__sim_still(s))
		take_back(a, before, n, end);
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

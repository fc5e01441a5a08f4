/* run_ahead.c - runs a window: its periods in one domain after the other, each with the clocks set back
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All domains begin and end a window at the same period, and nothing passes between them in it but by
 * channels whose payloads have the edge with them from which they may be taken.  So every evaluation
 * sees what it would see in lock step.  A window is made short enough that no producer depends on what the
 * reader has taken in it, and that nothing happens in it that concerns all domains.  One instance, such as a
 * dispatcher, may be woken in a window: by a domain that then waits until the others have come as far.
 */
#include "ahead_plan.h"
#include "kernel/phase.h"
#include "kernel/rollback.h"
#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

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

#define REST 16u /* periods of lock step before the next look, at most */

/* The window has at most `most` periods because of what `h` counts. */
static void shorten(uint64_t *n, uint64_t most, struct hd_held *h)
{
	if (most >= *n)
		return;
	h->shorter += most >= HD_LEAST_WINDOW;
	h->prevented += most < HD_LEAST_WINDOW && *n >= HD_LEAST_WINDOW;
	*n = most;
}

/* Periods up to the next one between which and the one before the lock step looks at more than what is awake. */
static uint64_t undisturbed(const struct hd_ahead *a)
{
	const struct hd_sim *s = a->s;
	uint64_t last = s->roots[0].period, n = a->window;

	if (s->observer || s->item_over || s->once || last == UINT64_MAX || last >= s->opt.ahead)
		return 0;
	for (uint32_t i = 1; i < s->nroots; i++) /* whose gates have not been looked at */
		if (s->roots[i].period == UINT64_MAX)
			return 0;
	if (s->nroots > 1 && (last & 1023) == 0) /* it looks at each moment of this period */
		return 0;
	if (n > s->opt.ahead - last)
		n = s->opt.ahead - last;
	if (n > s->limit - 2 - last) /* nor up to the last period */
		n = s->limit - 2 - last;
	if (n > s->observe_at - 1 - last)
		n = s->observe_at - 1 - last;
	if (n > 1024 - (last & 1023)) /* the watchdog looks at every 1024th period */
		n = 1024 - (last & 1023);
	return n;
}

static uint64_t window(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	uint64_t n = undisturbed(a);

	for (size_t i = 0; i < a->ncallers && n >= HD_LEAST_WINDOW; i++) {
		const struct hd_instance *in = a->callers[i].instance;

		shorten(&n, periods_of(s, in->clock, in->module->apart(in->state), n), &a->callers[i].held);
	}
	for (size_t i = 0; i < a->ncrossings && n >= HD_LEAST_WINDOW; i++) {
		struct hd_crossing *x = &a->crossings[i];
		const struct hd_clock *c = x->channel->from[0].instance->clock;
		uint32_t room = certain_room(x->channel->chan);

		x->first = x->channel->chan->tail;
		if (room < x->enough) /* all that it puts leave one place, so a producer that finds none has put more */
			shorten(&n, periods_of(s, c, room > 0 ? (room - 1) / x->most : 0, n), &x->held);
	}
	return n >= HD_LEAST_WINDOW ? n : 0;
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

/* Did a process run since the lock step would have looked last whether any does?  Between two periods of the
 * first root it does. */
static bool ran_at_last(const struct hd_ahead *a)
{
	size_t k = a->nmoments, ran = 0;

	for (uint32_t i = 0; i < a->ndomains; i++)
		ran = a->domains[i].ran > ran ? a->domains[i].ran : ran;
	while (k-- > 0) {
		const struct hd_moment_kind *kind = &a->kinds[a->kind[k]];

		if (ran > k)
			return true;
		if ((kind->due & 1) && kind->phase[0] == 0)
			return false;
	}
	return false;
}

static bool awake(const struct hd_sim *s, const struct hd_instance *in)
{
	return s->awake[in->rank / 64] >> in->rank % 64 & 1;
}

static void note_callers(struct hd_ahead *a, uint32_t domain)
{
	for (size_t i = 0; i < a->ncallers; i++)
		a->callers[i].awake = a->callers[i].takes || awake(a->s, a->callers[i].instance)
		                      || a->of[a->callers[i].instance->rank] == domain
		                      || (a->workers && a->callers[i].instance == a->awaited.instance); /* in turns */
}

static void check_callers(const struct hd_ahead *a)
{
	for (size_t i = 0; i < a->ncallers; i++)
		if (!a->callers[i].awake && awake(a->s, a->callers[i].instance))
			hd__roll_back(a->s, a->callers[i].instance, "was woken in an edge that it had not foreseen");
}

static void run_apart(struct hd_ahead *a, uint32_t domain, size_t end)
{
	note_callers(a, domain);
	a->domains[domain].goal = end;
	hd__take_turn(a->s, a->awaited.instance && domain == a->awaited.domain);
	hd__ahead_apart(a, domain, end);
	hd__take_turn(a->s, false);
	check_callers(a);
}

/* The awaited instance is evaluated at the moment, and wakes no domain that has gone on. */
static void evaluate_awaited(struct hd_ahead *a, size_t moment)
{
	const struct hd_instance *in = a->awaited.instance;
	struct hd_sim *s = a->s;

	run_apart(a, a->awaited.domain, moment);
	for (uint32_t i = 0; i < a->nfirst; i++) {
		struct hd_domain *d = &a->domains[i];

		if (!d->held || d->at != moment + 1)
			continue;
		d->held = false;
		s->awake[in->rank / 64] |= UINT64_C(1) << in->rank % 64;
	}
	memcpy(a->awaited.awake, s->awake, s->nwords * sizeof *s->awake);
	run_apart(a, a->awaited.domain, moment + 1);
	for (uint32_t i = 0; i < a->ndomains; i++) {
		struct hd_domain *d = &a->domains[i];
		bool woken = false;

		if (d->at <= moment + 1)
			d->moved |= (a->domains[a->awaited.domain].moved | *hd__gates_moved(s, d->shard)) & d->gates;
		for (uint32_t w = 0; w < d->nwords && d->at > moment + 1; w++)
			woken |= (s->awake[d->words[w]] & ~a->awaited.awake[d->words[w]] & d->member[w]) != 0;
		if (woken && i != a->awaited.domain)
			hd__roll_back(s, in, "woke others than those that had woken it");
	}
	a->domains[a->awaited.domain].moved = 0;
}

/* Runs domains up to where they are held, or to the end of the window. */
static void run_some(struct hd_ahead *a, uint32_t first, uint32_t end, size_t own)
{
	for (uint32_t i = first; i < end && !a->s->rollback; i++)
		if ((!a->awaited.instance || i != a->awaited.domain) && !a->domains[i].held
		    && a->domains[i].at < a->nmoments)
			run_apart(a, i, a->domains[i].wakes ? own : a->nmoments);
}

/* Runs the domains that may wake that instance, and it whenever all have come to where one has woken it. */
static void run_first(struct hd_ahead *a)
{
	const size_t n = a->nmoments;
	size_t own, next = 0;

	while (next < n && !a->s->rollback) {
		own = hd__ahead_own_moment(a);
		next = own;
		run_some(a, 0, a->nfirst, own < n ? own + 1 : n);
		for (uint32_t i = 0; i < a->nfirst; i++)
			if (i != a->awaited.domain && a->domains[i].held && a->domains[i].at - 1 < next)
				next = a->domains[i].at - 1;
		if (next < n && !a->s->rollback)
			evaluate_awaited(a, next);
	}
}

/* Has a producer put more than it declares?  If it has, it may have depended on what the reader took. */
static void check_puts(const struct hd_ahead *a, uint64_t periods)
{
	struct hd_sim *s = a->s;

	for (size_t i = 0; i < a->ncrossings; i++) {
		const struct hd_crossing *x = &a->crossings[i];
		const struct hd_instance *in = x->channel->from[0].instance;
		uint32_t put = (x->far ? x->far : x->channel->chan)->tail - x->first;
		char *what;

		if (HD_LIKELY(put <= x->most) || put <= x->most * hd__edges_in(s, in->clock, periods) || s->rollback)
			continue;
		what = hd__format("put %u payloads into port '%s' in %" PRIu64 " cycles, more than the %u in an edge "
		                  "that module '%s' declares", put, in->module->ports[x->channel->from[0].port].name,
		                  periods, x->most, in->module->name);
		hd__roll_back(s, in, what);
		free(what);
	}
}

/* Runs all domains up to the end of the window. */
static void run_domains(struct hd_ahead *a)
{
	const uint64_t moved = a->s->gates_moved;

	for (uint32_t i = 0; i < a->ndomains; i++) {
		hd__ahead_window(a, &a->domains[i]);
		a->domains[i].moved = a->domains[i].gates & moved;
	}
	if (a->workers) {
		note_callers(a, UINT32_MAX);
		hd__workers_run(a);
		check_callers(a);
		return;
	}
	if (a->awaited.instance) {
		run_first(a);
		if (!a->s->rollback)
			run_apart(a, a->awaited.domain, a->nmoments);
	}
	if (!a->s->rollback)
		run_some(a, 0, a->ndomains, a->nmoments);
}

uint64_t hd__ahead_run(struct hd_sim *s, bool *busy)
{
	struct hd_ahead *a = s->ahead;
	struct moment after[HD_MAX_ROOTS];
	uint64_t n, moved = 0, switched = 0;

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
	hd__workers_call(a);
	s->began = s->roots[0].period;
	hd__ahead_begin(a);
	hd__ahead_moments(a, n);
	store(s, after);
	hd__ahead_fill(a, true);
	s->in_window = true;
	hd__ahead_part(a);
	run_domains(a);
	check_puts(a, n);
	s->in_window = false;
	for (uint32_t i = 0; i < a->ndomains; i++) {
		moved |= a->domains[i].moved;
		switched |= a->domains[i].switched;
	}
	s->gates_moved = moved;
	for (uint32_t k = 0; k < s->nroots; k++)
		s->roots[k].generation += switched >> k & 1; /* the phases find their processes again */
	restore(s, after);
	hd__ahead_end(a);
	hd__ahead_unpart(a);
	hd__ahead_fill(a, false);
	if (s->accumulated) /* as the lock step does after each moment */
		hd__skip_rests(s);
	*busy = ran_at_last(a);
	a->windows++;
	a->periods += n;
	return a->nmoments;
}

bool hd__ahead_has_run(const struct hd_ahead *a)
{
	return a->windows > 0;
}

/* ---- report ---------------------------------------------------------------------------------- */

static void add_line(struct hd_bytes *b, char *line)
{
	hd__bytes_append(b, line, strlen(line));
	free(line);
}

static void add_held(struct hd_bytes *b, const struct hd_held *h, const char *what, const struct hd_instance *in,
                     const char *port)
{
	if (h->shorter)
		add_line(b, hd__format("  %" PRIu64 " made shorter by %s %s%s%s\n", h->shorter, what, in->path,
		                       port ? "." : "", port ? port : ""));
	if (h->prevented)
		add_line(b, hd__format("  %" PRIu64 " made too short by %s %s%s%s\n", h->prevented, what, in->path,
		                       port ? "." : "", port ? port : ""));
}

char *hd__ahead_text(const struct hd_ahead *a)
{
	struct hd_bytes b = { 0 };

	add_line(&b, hd__format("%u domains run windows of at most %" PRIu64 " cycles of '%s': %" PRIu64
	                        " windows, %" PRIu64 " cycles in all\n", a->ndomains, a->window,
	                        a->s->roots[0].clock->name, a->windows, a->periods));
	if (a->s->one_thread)
		add_line(&b, hd__format("  in one thread: %s\n", a->s->one_thread));
	if (hd__workers_size(a) > 1)
		add_line(&b, hd__format("  in %u threads\n", hd__workers_size(a)));
	for (size_t i = 0; i < a->ncallers; i++)
		add_held(&b, &a->callers[i].held, "'apart' of", a->callers[i].instance, NULL);
	for (size_t i = 0; i < a->ncrossings; i++) {
		const struct hd_link_end *from = &a->crossings[i].channel->from[0];

		add_held(&b, &a->crossings[i].held, "the room behind", from->instance,
		         from->instance->module->ports[from->port].name);
	}
	hd__bytes_append(&b, "", 1);
	return (char *)b.v;
}

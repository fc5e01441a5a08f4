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

/* The window has at most `most` periods because of what `held` counts. */
static void shorten(uint64_t *n, uint64_t most, uint64_t *held)
{
	*held += most < *n;
	*n = most < *n ? most : *n;
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

/* ---- a window -------------------------------------------------------------------------------- */

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

/* The roots are behind the window; so are their gates. */
static void move_roots(const struct hd_ahead *a)
{
	const struct hd_shard_time *t = hd__ahead_times(a, a->nmoments - 1);
	uint64_t switched = 0;
	struct hd_sim *s = a->s;

	s->gates_moved = 0;
	for (uint32_t i = 0; i < a->ndomains; i++) {
		s->gates_moved |= a->domains[i].moved;
		switched |= a->domains[i].switched;
	}
	for (uint32_t k = 0; k < s->nroots; k++) {
		s->roots[k].generation += switched >> k & 1; /* the phases find their processes again */
		s->roots[k].period = t[k].period;
		s->roots[k].passed = t[k].passed;
	}
}

/* Did a process run since the lock step would have looked last whether any does?  Between two periods of the
 * first root it does. */
static bool ran_at_last(const struct hd_ahead *a)
{
	uint32_t pace = hd__ahead_periods(a, 0);
	size_t looked = hd__ahead_reaches(a, pace, hd__ahead_before(a, pace, a->nmoments), 0);
	bool ran = false;

	for (uint32_t i = 0; i < a->ndomains; i++)
		ran = ran || a->domains[i].ran > looked;
	return ran;
}

uint64_t hd__ahead_run(struct hd_sim *s, bool *busy)
{
	struct hd_ahead *a = s->ahead;
	uint64_t n = window(a), before = s->evals;

	if (n == 0)
		return 0;
	s->began = s->roots[0].period;
	hd__ahead_begin(a, n);
	hd__ahead_fill(a, true);
	s->in_window = true;
	hd__mailboxes_open(a);
	hd__workers_run(a);
	check_puts(a, n);
	s->in_window = false;
	move_roots(a);
	hd__ahead_end(a);
	hd__mailboxes_close(a);
	hd__ahead_fill(a, false);
	*busy = ran_at_last(a);
	a->evals = s->evals - before;
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

static void add_held(struct hd_bytes *b, uint64_t held, const char *what, const struct hd_instance *in,
                     const char *port)
{
	if (held)
		add_line(b, hd__format("  %" PRIu64 " made shorter by %s %s%s%s\n", held, what, in->path,
		                       port ? "." : "", port ? port : ""));
}

char *hd__ahead_text(const struct hd_ahead *a)
{
	struct hd_bytes b = { 0 };

	add_line(&b, hd__format("%u domains run windows of at most %" PRIu64 " cycles of '%s': %" PRIu64
	                        " windows, %" PRIu64 " cycles in all\n", a->ndomains, a->window,
	                        a->s->roots[0].clock->name, a->windows, a->periods));
	if (hd__workers_size(a) > 1)
		add_line(&b, hd__format("  in %u threads\n", hd__workers_size(a)));
	for (size_t i = 0; i < a->ncallers; i++)
		add_held(&b, a->callers[i].held, "'apart' of", a->callers[i].instance, NULL);
	for (size_t i = 0; i < a->ncrossings; i++) {
		const struct hd_link_end *from = &a->crossings[i].channel->from[0];

		add_held(&b, a->crossings[i].held, "the room behind", from->instance,
		         from->instance->module->ports[from->port].name);
	}
	hd__bytes_append(&b, "", 1);
	return (char *)b.v;
}

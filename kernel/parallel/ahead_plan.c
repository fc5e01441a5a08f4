/* ahead_plan.c - finds what may run ahead of what, and how far
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A window is a number of periods of the first root clock.  If a channel delays what is put by at least a
 * window, its reader may run the window before its producer does: whatever the producer puts there is
 * seen later.  Otherwise the producer goes first.  So the order of the partitions in a window
 * follows from the channels that are shorter than it, and the longest window is that for which these make
 * no circle.
 */
#include "ahead_plan.h"

#include <stdlib.h>

uint64_t hd__edges_in(const struct hd_sim *s, const struct hd_clock *c, uint64_t periods)
{
	const struct hd_root *first = &s->roots[0];

	if (c->root == first)
		return periods * c->per_period;
	/* the parts of a period at both ends, and one for what adding up times has lost */
	return (uint64_t)(((unsigned __int128)periods * c->root->clock->decl->millihertz
	                   / first->clock->decl->millihertz + 3) * c->per_period);
}

/* ---- which partitions run together -------------------------------------------------------- */

struct plan {
	struct hd_sim *s;
	struct hd_partitions *p;
	uint32_t *up;              /* by partition: another one of its domain, or itself */
	uint32_t *in;              /* by partition that stands for its domain: shorter channels that come in, */
	uint32_t *out, *next;      /* the first of those that go out, and by channel the next one; + 1, 0: none; */
	uint32_t *place;           /* and its place in the order; UINT32_MAX: none yet */
	bool *wakes, *after;       /* it may wake the instance at hd_ahead.awaited; it comes behind one that may */
	uint32_t first;            /* the first of those in the order */
	const struct hd_instance *awaited; /* or NULL */
};

static uint32_t leader(const struct plan *f, uint32_t i)
{
	return hd__leader(f->up, i);
}

static uint32_t source(const struct plan *f, const struct hd_channel *c)
{
	return leader(f, f->p->of[c->from[0].instance->number]);
}

static uint32_t target(const struct plan *f, const struct hd_channel *c)
{
	return leader(f, f->p->of[c->to[0].instance->number]);
}

/* Does the reader see something in a window that was put in it?  When the producer's clock ticks and the
 * reader's does not, latencies count from the edge before. */
static bool shorter(const struct plan *f, const struct hd_channel *c, uint64_t window)
{
	const struct hd_clock *from = c->from[0].instance->clock, *to = c->to[0].instance->clock;
	bool together = from->root == to->root && (from->phases & ~to->phases) == 0;

	return source(f, c) != target(f, c) && c->chan->latency < hd__edges_in(f->s, to, window) + !together;
}

static void place(struct plan *f, uint32_t i, uint32_t *placed)
{
	f->place[i] = (*placed)++;
	for (uint32_t k = f->out[i]; k != 0; k = f->next[k - 1]) {
		uint32_t to = target(f, f->p->apart[k - 1]);

		f->in[to]--;
		f->after[to] |= f->wakes[i] || f->after[i];
	}
}

/* Orders the domains for a window, those behind one that wakes last.  Returns their number; 0: there is a circle. */
static uint32_t order(struct plan *f, uint64_t window)
{
	uint32_t placed = 0, all = 0;
	bool more = true, after = false;

	for (uint32_t i = 0; i < f->p->n; i++) {
		f->in[i] = f->out[i] = 0;
		f->place[i] = UINT32_MAX;
		f->after[i] = false;
		all += leader(f, i) == i;
	}
	for (uint32_t k = 0; k < f->p->napart; k++) {
		const struct hd_channel *c = f->p->apart[k];

		if (!shorter(f, c, window))
			continue;
		f->in[target(f, c)]++;
		f->next[k] = f->out[source(f, c)];
		f->out[source(f, c)] = k + 1;
	}
	while (more) { /* as often as a way has channels */
		more = false;
		for (uint32_t i = 0; i < f->p->n; i++) {
			if (leader(f, i) != i || f->place[i] != UINT32_MAX || f->in[i] > 0 || f->after[i] != after)
				continue;
			place(f, i, &placed);
			more = true;
		}
		if (!more && !after) {
			f->first = placed;
			more = after = true;
		}
	}
	return placed == all ? placed : 0;
}

/* ---- what belongs to a domain -------------------------------------------------------------- */

static int compare_rank(const void *va, const void *vb)
{
	const struct hd_instance *a = *(struct hd_instance *const *)va, *b = *(struct hd_instance *const *)vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Returns why there cannot be several threads, to be freed, or NULL. */
static char *fill_domains(struct hd_ahead *a, const struct plan *f)
{
	struct hd_sim *s = a->s;
	struct hd_instance **v = hd__xcalloc(s->ninstances + 1, sizeof *v);
	size_t n = 0;
	char *why = NULL;

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			v[n++] = &s->instances[i];
	qsort(v, n, sizeof *v, compare_rank); /* so that words are in order */
	for (size_t i = 0; i < n; i++) {
		struct hd_domain *d = &a->domains[f->place[leader(f, f->p->of[v[i]->number])]];

		if (d->nwords > 0 && d->shard != v[i]->shard && !why)
			why = hd__format("instance '%s' belongs to others that more than links join to it, and "
			                 "there are several threads", v[i]->path);
		d->shard = v[i]->shard;
		hd__domain_add_process(d, v[i]);
	}
	free(v);
	for (size_t i = 0; i < f->p->napart; i++) {
		const struct hd_channel *c = f->p->apart[i];

		hd__domain_add_clock(&a->domains[f->place[source(f, c)]], c->to[0].instance->clock);
	}
	for (size_t i = 0; i < s->nuses; i++) { /* a provider has the time of its caller */
		uint32_t p = f->p->of[s->uses[i].user->number];
		struct hd_clock *c = s->uses[i].provider->clock;

		if (p != HD_NO_PARTITION && c && !hd__gated(c))
			hd__domain_add_clock(&a->domains[f->place[leader(f, p)]], c);
	}
	for (uint32_t i = 0; i < a->ndomains; i++)
		hd__domain_complete(a, &a->domains[i]);
	for (size_t i = 0; i < s->nstaged; i++) { /* takes leave something to do, puts between partitions do not */
		uint32_t p = f->p->of[s->staged[i]->to[0].instance->number];
		struct hd_sim *view = p == HD_NO_PARTITION ? NULL : a->domains[f->place[leader(f, p)]].view;

		if (!view)
			continue;
		view->staged = hd__xappend(view->staged, view->nstaged, sizeof(struct hd_channel *));
		view->staged[view->nstaged++] = s->staged[i];
	}
	return why;
}

/* What the producer puts in a window is taken in it: it goes first. */
static void add_before(struct hd_ahead *a, uint32_t from, uint32_t to)
{
	struct hd_domain *d = &a->domains[to];

	for (uint32_t i = 0; i < d->nbefore; i++)
		if (d->before[i] == from)
			return;
	d->before = hd__xappend(d->before, d->nbefore, sizeof *d->before);
	d->before[d->nbefore++] = from;
	a->domains[from].followers++;
}

static void fill_crossings(struct hd_ahead *a, const struct plan *f)
{
	a->crossings = hd__xlines(f->p->napart + (size_t)1, sizeof *a->crossings);
	for (size_t i = 0; i < f->p->napart; i++) {
		const struct hd_channel *c = f->p->apart[i];
		struct hd_crossing *x;

		if (source(f, c) == target(f, c))
			continue;
		x = &a->crossings[a->ncrossings++];
		*x = (struct hd_crossing){ .channel = c, .from = f->place[source(f, c)], .to = f->place[target(f, c)],
			                   .most = hd__most_put(c->from[0].instance, c->from[0].port) };
		x->enough = x->most * hd__edges_in(f->s, c->from[0].instance->clock, a->window) + 1;
		if (shorter(f, c, a->window))
			add_before(a, x->from, x->to);
	}
}

/* Instances that have rare calls to others, or are expected to end the run.  Returns why one of
 * them does not foresee it, to be freed, or NULL. */
static char *fill_callers(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	char *why = NULL;

	a->callers = hd__xcalloc(s->ninstances + 1, sizeof *a->callers);
	for (size_t i = 0; i < s->ninstances && !why; i++) {
		const struct hd_instance *in = &s->instances[i];

		if (!hd__is_woken(in) && !in->working && !in->module->apart)
			continue;
		a->callers[a->ncallers++].instance = in;
		if (!in->module->apart || !in->clock)
			why = hd__format("module '%s' of instance '%s', which ends the run or calls others in "
			                 "few edges only, does not foresee when", in->module->name, in->path);
	}
	return why;
}

/* Gates that no domain looks at. */
static char *check_gates(const struct hd_ahead *a)
{
	for (uint32_t i = 0; i < a->s->nclocks; i++) {
		const struct hd_clock *c = &a->s->clocks[i];
		bool looks = !hd__gated(c);

		for (uint32_t k = 0; k < a->ndomains && !looks; k++)
			for (uint32_t t = 0; t < a->domains[k].nticks && !looks; t++)
				looks = a->domains[k].ticks[t].clock == c;
		if (!looks)
			return hd__format("clock '%s' has a gate, and no instance that is evaluated", c->name);
	}
	return NULL;
}

/* Does an instance end the run?  Else it is over when nothing happens any more, and only the lock step finds when. */
static char *check_end(const struct hd_sim *s)
{
	return s->nworking > 0 || s->opt.max_cycles ? NULL
	       : hd__xstrdup("no instance ends the run: only the lock step finds when nothing happens any more");
}

/* ---- the instance that others wake -------------------------------------------------------- */

/* It, and which partitions wake it. */
static void find_awaited(struct plan *f)
{
	for (size_t i = 0; i < f->s->nuses; i++) {
		const struct hd_use *u = &f->s->uses[i];
		uint32_t p = f->p->of[u->provider->number];

		if (!(u->user->module->ports[u->user_port].flags & HD_WAKES))
			continue;
		f->awaited = f->awaited ? f->awaited : u->user;
		if (u->user == f->awaited && p != HD_NO_PARTITION)
			f->wakes[p] = true;
	}
}

/* Can it be evaluated after those that wake it have come to its edge, and before any other domain has? */
static bool comes_between(const struct plan *f, const struct hd_instance *in)
{
	uint32_t own = leader(f, f->p->of[in->number]);

	for (size_t i = 0; i < f->p->napart; i++)
		if (source(f, f->p->apart[i]) == own || target(f, f->p->apart[i]) == own)
			return false;
	for (uint32_t i = 0; i < f->p->n; i++)
		if (f->wakes[i] && (leader(f, i) == own || f->place[leader(f, i)] >= f->first))
			return false;
	for (size_t i = 0; i < f->s->ninstances; i++) {
		const struct hd_instance *o = &f->s->instances[i];

		if (o->rank != HD_NO_PROCESS && f->wakes[leader(f, f->p->of[o->number])] && o->rank > in->rank
		    && hd__clocks_coincide(o->clock, in->clock))
			return false;
	}
	return in->rank != HD_NO_PROCESS && !hd__gated(in->clock);
}

/* Returns why it cannot be planned, to be freed, or NULL. */
static char *fill_awaited(struct hd_ahead *a, const struct plan *f)
{
	const struct hd_instance *in = f->awaited;

	if (!in)
		return NULL;
	for (size_t i = 0; i < a->s->nuses; i++)
		if ((a->s->uses[i].user->module->ports[a->s->uses[i].user_port].flags & HD_WAKES)
		    && a->s->uses[i].user != in)
			return hd__format("'%s' and '%s' are both woken by others", in->path, a->s->uses[i].user->path);
	if (!comes_between(f, in))
		return hd__format("'%s' cannot be evaluated between those that wake it and all others", in->path);
	a->awaited = (struct hd_awaited){ in, f->place[leader(f, f->p->of[in->number])],
		                          a->pace_of[in->clock - a->s->clocks], in->ctx.self.word, in->ctx.self.bit };
	for (uint32_t i = 0; i < f->p->n; i++)
		if (f->wakes[i])
			a->domains[f->place[leader(f, i)]].wakes = true;
	return NULL;
}

/* Partitions of one instance each, of one array, run together, unless that closes a circle: a domain costs more than
 * one process saves.  Returns the number of domains. */
static uint32_t join_small(struct plan *f, uint64_t window)
{
	uint32_t n;

	hd__partitions_join(f->s, f->p, f->up);
	for (uint32_t i = 0; i < f->p->n; i++)
		f->wakes[leader(f, i)] |= f->wakes[i];
	n = order(f, window);
	if (n > 1)
		return n;
	for (uint32_t i = 0; i < f->p->n; i++)
		f->up[i] = i;
	return order(f, window);
}

/* Are there at most HD_MOMENTS in so many periods? */
static bool short_enough(const struct hd_sim *s, uint64_t periods)
{
	uint64_t moments = 0;

	for (uint32_t i = 0; i < s->nroots; i++)
		moments += hd__edges_in(s, s->roots[i].clock, periods) * s->roots[i].nphases;
	return moments <= HD_MOMENTS;
}

/* What is apart of the simulation, and can a window be planned for it? */
static char *plan(struct hd_ahead *a, struct plan *f)
{
	uint64_t low = 1, high = HD_WINDOW;
	uint32_t n;
	char *why;

	while (high >= HD_LEAST_WINDOW && !short_enough(f->s, high))
		high /= 2;
	if (high < HD_LEAST_WINDOW)
		return hd__format("a cycle of '%s' has very many edges of other clocks", f->s->roots[0].clock->name);
	f->up = hd__xcalloc(f->p->n + 1, sizeof *f->up);
	f->in = hd__xcalloc(f->p->n + 1, sizeof *f->in);
	f->out = hd__xcalloc(f->p->n + 1, sizeof *f->out);
	f->next = hd__xcalloc(f->p->napart + 1, sizeof *f->next);
	f->place = hd__xcalloc(f->p->n + 1, sizeof *f->place);
	f->wakes = hd__xcalloc(f->p->n + 1, sizeof *f->wakes);
	f->after = hd__xcalloc(f->p->n + 1, sizeof *f->after);
	for (uint32_t i = 0; i < f->p->n; i++)
		f->up[i] = i;
	find_awaited(f);
	while (low < high) { /* a longer window has more short channels, so also the circles of this one */
		uint64_t middle = (low + high + 1) / 2;

		if (order(f, middle))
			low = middle;
		else
			high = middle - 1;
	}
	a->window = low;
	n = join_small(f, low);
	if (n < 2 || a->window < HD_LEAST_WINDOW)
		return hd__xstrdup("what its partitions put is seen by others too soon");
	a->ndomains = n;
	a->domains = hd__xlines(a->ndomains, sizeof *a->domains);
	hd__ahead_paces(a);
	why = fill_domains(a, f);
	fill_crossings(a, f);
	if (!why)
		why = check_gates(a);
	if (!why)
		why = fill_awaited(a, f);
	if (!why && f->s->nshards > 0)
		why = hd__mailboxes_make(a);
	if (!why)
		a->workers = hd__workers_new(a);
	return why;
}

struct hd_ahead *hd__ahead_new(struct hd_sim *s, char **why)
{
	struct hd_ahead *a = hd__xcalloc(1, sizeof *a);

	a->s = s;
	*why = fill_callers(a);
	if (!*why)
		*why = check_end(s);
	if (!*why) {
		struct plan f = { .s = s, .p = hd__partitions_find(s) };

		*why = plan(a, &f);
		hd__partitions_free(f.p);
		free(f.up);
		free(f.in);
		free(f.out);
		free(f.next);
		free(f.place);
		free(f.wakes);
		free(f.after);
	}
	if (!*why)
		return a;
	hd__ahead_free(a);
	return NULL;
}

void hd__ahead_free(struct hd_ahead *a)
{
	if (!a)
		return;
	hd__workers_free(a);
	hd__mailboxes_free(a);
	for (uint32_t i = 0; i < a->ndomains; i++)
		hd__domain_free(&a->domains[i]);
	free(a->domains);
	free(a->crossings);
	free(a->callers);
	free(a->phase);
	free(a->times);
	for (uint32_t i = 0; i < a->npaces; i++) {
		free(a->paces[i].ticks);
		free(a->paces[i].next);
	}
	free(a->paces);
	free(a->pace_of);
	free(a->begin);
	free(a);
}

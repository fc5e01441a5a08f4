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

static void fill_domains(struct hd_ahead *a, const struct plan *f)
{
	struct hd_sim *s = a->s;
	struct hd_instance **v = hd__xcalloc(s->ninstances + 1, sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			v[n++] = &s->instances[i];
	qsort(v, n, sizeof *v, compare_rank); /* so that words are in order */
	a->of = hd__xcalloc(s->nprocesses + 1, sizeof *a->of);
	for (size_t i = 0; i < n; i++) {
		a->of[v[i]->rank] = f->place[leader(f, f->p->of[v[i]->number])];
		a->domains[a->of[v[i]->rank]].shard = v[i]->shard;
		hd__domain_add_process(&a->domains[a->of[v[i]->rank]], v[i]);
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
	for (uint32_t i = 0; i < a->ndomains; i++) {
		a->domains[i].view = s;
		hd__domain_ticks(a, &a->domains[i]);
	}
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
		hd__domain_arriving(a, x);
	}
	for (size_t i = 0; i < a->ncrossings; i++)
		hd__ahead_meter(a, &a->crossings[i]);
}

/* Instances that have rare calls to others that are evaluated, or are expected to end the run. */
static char *fill_callers(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;
	bool *calls = hd__xcalloc(s->ninstances + 1, sizeof *calls);
	char *why = NULL;

	for (size_t i = 0; i < s->nuses; i++)
		if ((s->uses[i].user->module->ports[s->uses[i].user_port].flags & HD_RARE)
		    && s->uses[i].provider->rank != HD_NO_PROCESS)
			calls[s->uses[i].user->number] = true;
	a->callers = hd__xcalloc(s->ninstances + 1, sizeof *a->callers);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];

		if (!calls[i] && !in->working && !in->module->apart)
			continue;
		if ((!in->module->apart || !in->clock) && !why)
			why = hd__format("module '%s' of instance '%s', which ends the run or calls others in "
			                 "few edges only, does not foresee when", in->module->name, in->path);
		for (const struct hd_port *p = in->module->ports; p && p->name; p++)
			a->callers[a->ncallers].takes |= p->kind == HD_IN;
		a->callers[a->ncallers++].instance = in;
	}
	free(calls);
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

static char *check_staged(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->nstaged; i++)
		if (s->staged[i]->mixed)
			return hd__format("a staged link joins '%s' and '%s', which have different clocks",
			                  s->staged[i]->from[0].instance->path, s->staged[i]->to[0].instance->path);
	return NULL;
}

/* Does an instance end the run?  Else it is over when nothing happens any more, and only the lock step finds when. */
static char *check_end(const struct hd_sim *s)
{
	return s->nworking > 0 || s->opt.max_cycles ? NULL
	       : hd__xstrdup("no instance ends the run: only the lock step finds when nothing happens any more");
}

/* ---- the instance that others wake -------------------------------------------------------- */

static const struct hd_instance *find_awaited(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->nuses; i++)
		if (s->uses[i].user->module->ports[s->uses[i].user_port].flags & HD_WAKES)
			return s->uses[i].user;
	return NULL;
}

/* Which partitions wake it. */
static void find_wakes(struct plan *f, const struct hd_instance *in)
{
	for (size_t i = 0; i < f->s->nuses; i++) {
		const struct hd_use *u = &f->s->uses[i];
		uint32_t p = f->p->of[u->provider->number];

		if (u->user == in && (in->module->ports[u->user_port].flags & HD_WAKES) && p != HD_NO_PARTITION)
			f->wakes[leader(f, p)] = true;
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
		if (f->wakes[i] && (i == own || f->place[i] >= f->first))
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
	const struct hd_instance *in = find_awaited(a->s);

	a->nfirst = f->first;
	if (!in)
		return NULL;
	for (size_t i = 0; i < a->s->nuses; i++)
		if ((a->s->uses[i].user->module->ports[a->s->uses[i].user_port].flags & HD_WAKES)
		    && a->s->uses[i].user != in)
			return hd__format("'%s' and '%s' are both woken by others", in->path, a->s->uses[i].user->path);
	if (!comes_between(f, in))
		return hd__format("'%s' cannot be evaluated between those that wake it and all others", in->path);
	a->awaited.instance = in;
	a->awaited.domain = f->place[leader(f, f->p->of[in->number])];
	while (a->open[a->awaited.column] != in->clock)
		a->awaited.column++;
	a->awaited.word = &a->s->awake[in->rank / 64];
	a->awaited.bit = UINT64_C(1) << in->rank % 64;
	a->awaited.awake = hd__xcalloc(a->s->nwords, sizeof *a->awaited.awake);
	for (uint32_t i = 0; i < f->p->n; i++)
		if (f->wakes[i])
			a->domains[f->place[i]].wakes = true;
	return NULL;
}

/* If there is an order for what has been joined since then, `up` becomes that; else it is undone. */
static void keep_joined(struct plan *f, uint32_t *up, uint64_t window)
{
	size_t bytes = f->p->n * sizeof *up;

	if (memcmp(up, f->up, bytes) == 0)
		return;
	if (order(f, window) > 1)
		memcpy(up, f->up, bytes);
	else
		memcpy(f->up, up, bytes);
}

#define FEW 8u     /* instances of a partition */
#define JOINED 16u /* instances of a domain: what so many touch stays in a first-level cache of 48 KB */

/* Partitions of one instance each that are alike run together, unless that closes a circle: a domain costs more than
 * one process saves.  With one thread so do those of a few, as long as they stay few.  Returns the number of
 * domains. */
static uint32_t join_small(struct plan *f, uint64_t window)
{
	const struct hd_sim *s = f->s;
	uint32_t *up = hd__xcalloc(f->p->n + 1, sizeof *up);
	const struct hd_instance *first = NULL;
	uint32_t joined = 0;

	memcpy(up, f->up, f->p->n * sizeof *up);
	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		uint32_t p = f->p->of[i];

		if (p == HD_NO_PARTITION || f->p->size[p] > (s->nshards > 0 ? 1 : FEW) || f->up[p] != p || f->wakes[p])
			continue;
		joined += f->p->size[p];
		if (first && first->module == in->module && first->clock == in->clock
		    && (f->p->size[p] == 1 || joined <= JOINED)) {
			f->up[p] = leader(f, f->p->of[first->number]);
			continue;
		}
		keep_joined(f, up, window);
		first = in;
		joined = f->p->size[p];
	}
	keep_joined(f, up, window);
	free(up);
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
	if (find_awaited(f->s))
		find_wakes(f, find_awaited(f->s));
	while (low < high) { /* a longer window has more short channels, so also the circles of this one */
		uint64_t middle = (low + high + 1) / 2;

		if (order(f, middle))
			low = middle;
		else
			high = middle - 1;
	}
	a->window = low;
	a->ndomains = join_small(f, low);
	if (a->ndomains < 2 || a->window < HD_LEAST_WINDOW)
		return hd__xstrdup("what its partitions put is seen by others too soon");
	a->domains = hd__xlines(a->ndomains, sizeof *a->domains);
	hd__ahead_open(a);
	fill_domains(a, f);
	fill_crossings(a, f);
	why = check_gates(a);
	if (!why)
		why = fill_awaited(a, f);
	if (why || f->s->nshards == 0)
		return why;
	why = hd__ahead_shards(a);
	a->workers = why ? NULL : hd__workers_new(a);
	return why;
}

struct hd_ahead *hd__ahead_new(struct hd_sim *s, char **why)
{
	struct hd_ahead *a = hd__xcalloc(1, sizeof *a);

	a->s = s;
	*why = fill_callers(a);
	if (!*why)
		*why = check_staged(s);
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
	hd__ahead_shards_free(a);
	for (uint32_t i = 0; a->domains && i < a->ndomains; i++) {
		struct hd_domain *d = &a->domains[i];

		for (uint32_t k = 0; k < d->nticks; k++)
			free(d->ticks[k].shares);
		for (size_t k = 0; k < d->nby_kind; k++)
			free(d->by_kind[k].shares);
		free(d->by_kind);
		free(d->ticks);
		free(d->words);
		free(d->before);
		free(d->arriving);
		free(d->metered);
		free(d->member);
		free(d->some);
		for (struct hd_pulse *p = d->pulses; p < d->silent; p++)
			free(p->live);
		free(d->pulses);
	}
	free(a->domains);
	free(a->of);
	free(a->crossings);
	free(a->metered);
	free(a->callers);
	free(a->kind);
	free(a->kinds);
	free(a->alone);
	free(a->row);
	free(a->times);
	for (uint32_t i = 0; i < a->npaces; i++) {
		free(a->paces[i].ticks);
		free(a->paces[i].next);
		free(a->paces[i].at);
	}
	free(a->paces);
	free(a->open_pace);
	free(a->open);
	free(a->begin);
	free(a->awaited.awake);
	free(a);
}

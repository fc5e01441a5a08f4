/* clock.c - root clocks, derived clocks, and the phases of the root period at which they tick
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every derived clock ticks at fixed phases of its root's period, so a root needs only a short
 * list of phases; times of different roots are compared exactly, as fractions, unless the
 * netlist requests sums of doubles, as some simulators keep them, with all their rounding.
 */
#include "sim.h"

#include <stdlib.h>

/* Phase of an edge in the root period, num/den; after all others if `end`. */
struct place {
	uint64_t num, den;
	bool end;
};

static struct place reduced(uint64_t num, uint64_t den, bool end)
{
	uint64_t g = hd_gcd(num, den);

	return (struct place){ num / g, den / g, end };
}

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;
	uint64_t l = a->num * b->den, r = b->num * a->den;

	if (a->end != b->end)
		return a->end ? 1 : -1;
	return l < r ? -1 : l > r;
}

/* Phases of a clock.  Returns their number, 0 if there would be more than HD_MAX_PHASES. */
static unsigned clock_places(const struct hd_clock *c, struct place *out)
{
	struct place up[HD_MAX_PHASES];
	const struct hd_clock_decl *d = c->decl;
	unsigned n, k = 0;

	if (!c->parent) {
		out[0] = (struct place){ 0, 1, false };
		return 1;
	}
	n = clock_places(c->parent, up);
	if (n == 0 || (uint64_t)n * d->times > HD_MAX_PHASES)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		for (uint32_t t = 0; t < d->times; t++) {
			/* parent interval is 1/n of the period; phase and times divide it */
			uint64_t den = up[i].den * n * d->times * d->phase_den;
			uint64_t num = up[i].num * (den / up[i].den)
			             + (uint64_t)d->phase_num * d->times + (uint64_t)t * d->phase_den;

			out[k++] = reduced(num % den, den, d->at_end || up[i].end);
		}
	}
	return k;
}

struct hd_clock *hd__clock_find(const struct hd_sim *s, const char *name)
{
	const json_t *i = json_object_get(s->clock_numbers, name);

	return i != NULL ? &s->clocks[json_integer_value(i)] : NULL;
}

bool hd__clocks_coincide(const struct hd_clock *a, const struct hd_clock *b)
{
	return a->root != b->root || (a->phases & b->phases) != 0;
}

/* The different places at which the clocks of a root tick, in order. */
struct places {
	struct place v[HD_MAX_PHASES + HD_MAX_PHASES];
	unsigned n;
};

/* Adds those of a clock.  False after printing an error: there are too many. */
static bool add_places(struct hd_sim *s, const struct hd_clock *c, struct places *all)
{
	struct place mine[HD_MAX_PHASES];
	unsigned k = clock_places(c, mine), n = 0;

	if (k == 0 || all->n + k > HD_MAX_PHASES + HD_MAX_PHASES) {
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, c->decl->at, NULL,
		                 "clock '%s' ticks too often; at most %u edges in a period of "
		                 "its root clock", c->name, HD_MAX_PHASES);
		return false;
	}
	memcpy(all->v + all->n, mine, k * sizeof *mine);
	all->n += k;
	qsort(all->v, all->n, sizeof *all->v, compare_places);
	for (unsigned j = 0; j < all->n; j++)
		if (n == 0 || compare_places(&all->v[n - 1], &all->v[j]) != 0)
			all->v[n++] = all->v[j];
	all->n = n;
	if (n > HD_MAX_PHASES) {
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, c->decl->at, NULL,
		                 "clocks derived from '%s' tick at more than %u different "
		                 "phases of its period", c->root->clock->name, HD_MAX_PHASES);
		return false;
	}
	return true;
}

/* Divides the period into equal ticks, so that each place is at one of them. */
static bool count_ticks(struct hd_sim *s, struct hd_root *r, const struct places *all)
{
	uint64_t ticks = 1;

	for (unsigned j = 0; j < all->n; j++)
		ticks = ticks / hd_gcd(ticks, all->v[j].den) * all->v[j].den;
	ticks *= 2; /* "end" lies half a tick before the next period */
	if (ticks > UINT32_MAX || ticks > INT64_MAX / r->clock->decl->millihertz) {
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, r->clock->decl->at, NULL,
		                 "phases of the clocks derived from '%s' have no common divisor that "
		                 "fits; expected simple fractions", r->clock->name);
		return false;
	}
	r->ticks = (uint32_t)ticks;
	r->rate = r->clock->decl->millihertz * ticks;
	r->nphases = all->n;
	for (unsigned j = 0; j < all->n; j++)
		r->tick[j] = all->v[j].end ? r->ticks - 1
		                           : (uint32_t)(all->v[j].num * (ticks / all->v[j].den));
	return true;
}

/* The phases, as numbers of the places, in which a clock ticks. */
static void number_phases(struct hd_clock *c, const struct places *all)
{
	struct place mine[HD_MAX_PHASES];
	unsigned k = clock_places(c, mine);

	for (unsigned a = 0; a < k; a++)
		for (unsigned b = 0; b < all->n; b++)
			if (compare_places(&mine[a], &all->v[b]) == 0)
				c->phases |= hd_bit(b);
	c->per_period = hd_bits_count(c->phases);
}

/* What the run loop keeps for phase b. */
static void make_phase(struct hd_sim *s, struct hd_root *r, unsigned b)
{
	struct hd_phase *p = &r->phases[b];

	p->clocks = hd__zeroed(s, s->nclocks, sizeof *p->clocks);
	p->ticking = hd__zeroed(s, s->nclocks + (size_t)1, sizeof *p->ticking);
	p->rest_of = hd__zeroed(s, s->nclocks + (size_t)1, sizeof *p->rest_of);
	p->after = (b + 1) % r->nphases;
	p->next = p->after != 0 ? p + 1 : NULL;
	for (uint32_t i = 0; i < s->nclocks; i++)
		if (s->clocks[i].root == r && hd_bits_has(s->clocks[i].phases, b))
			p->clocks[p->nclocks++] = &s->clocks[i];
	p->generation = UINT64_MAX;
}

static bool plan_phases(struct hd_sim *s, struct hd_root *r)
{
	struct places all = { .n = 0 };

	for (uint32_t i = 0; i < s->nclocks; i++)
		if (s->clocks[i].root == r && !add_places(s, &s->clocks[i], &all))
			return false;
	if (!count_ticks(s, r, &all))
		return false;
	for (uint32_t i = 0; i < s->nclocks; i++)
		if (s->clocks[i].root == r)
			number_phases(&s->clocks[i], &all);
	for (unsigned b = 0; b < all.n; b++)
		make_phase(s, r, b);
	return true;
}

/* The largest unit of time that the ticks of all roots are multiples of: the rates' least common multiple of them make
 * 1000 s.  It serves if 2^32 of the longest period are less than half of 2^64 units. */
static void find_unit(struct hd_sim *s)
{
	uint64_t units = 1;
	bool fits = true;

	for (uint32_t i = 0; i < s->nroots && fits; i++) {
		uint64_t rate = s->roots[i].rate, more = rate / hd_gcd(rate, units);

		fits = units <= INT64_MAX / more;
		units *= fits ? more : 1;
	}
	for (uint32_t i = 0; i < s->nroots && fits; i++)
		fits = units / s->roots[i].rate <= INT32_MAX / s->roots[i].ticks;
	for (uint32_t i = 0; i < s->nroots && fits; i++) {
		struct hd_root *r = &s->roots[i];

		r->span = units / r->rate * r->ticks;
		for (uint32_t k = 0; k < r->nphases; k++)
			r->at_unit[k] = units / r->rate * r->tick[k];
	}
}

/* The times of all roots are compared with each other, so they are all of one kind. */
static bool check_edges(struct hd_sim *s)
{
	const struct hd_clock *first = s->roots[0].clock;

	for (uint32_t i = 1; i < s->nroots; i++) {
		const struct hd_clock *c = s->roots[i].clock;
		const struct hd_clock *odd = c->decl->accumulated ? first : c;

		if (c->decl->accumulated == first->decl->accumulated)
			continue;
		hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, odd->decl->at, NULL,
		                 "edges of clock '%s' are exact, those of '%s' accumulated; expected "
		                 "the same \"edges\" for all clocks with a frequency of their own",
		                 odd->name, odd == c ? first->name : c->name);
		return false;
	}
	s->accumulated = s->nroots > 1 && first->decl->accumulated;
	return true;
}

/* Roots of equal frequency tick at the same moments for ever, so later ones join the first: there is
 * less to compare at each moment.  Not two from which clocks derive, which would have to share the
 * phases of a period. */
static void make_root(struct hd_sim *s, struct hd_clock *c)
{
	const struct hd_netlist *n = s->netlist;
	struct hd_root *r;
	bool derived = false;

	for (size_t i = 0; i < n->nclocks; i++)
		derived = derived || (n->clocks[i].of && strcmp(n->clocks[i].of, c->name) == 0);
	for (r = s->roots; r < s->roots + s->nroots; r++)
		if (r->clock->decl->millihertz == c->decl->millihertz && r->clock->decl->hz == c->decl->hz
		    && r->clock->decl->accumulated == c->decl->accumulated && !(derived && r->derived))
			break;
	if (r == s->roots + s->nroots) {
		s->nroots++;
		r->clock = c;
		r->period = UINT64_MAX;
		s->gates_moved |= UINT64_C(1) << (r - s->roots);
		r->step = 1 / c->decl->hz;
	}
	r->derived = r->derived || derived;
	c->root = r;
}

#define MOST_DERIVED 255u /* clocks between one and its root */

bool hd__build_clocks(struct hd_sim *s)
{
	const struct hd_netlist *n = s->netlist;
	const struct hd_clock_decl *odd = NULL; /* the first root that is too many */
	uint32_t roots = 0;
	bool ok = true;

	for (size_t i = 0; i < n->nclocks; i++)
		if (!n->clocks[i].of && ++roots == HD_MAX_ROOTS + 1)
			odd = &n->clocks[i];
	if (odd) {
		hd__netlist_diag(n, s->diags, HD_DIAG_ERROR, odd->at, NULL, "too many clocks with a "
		                 "frequency of their own; expected at most %u, found %u", HD_MAX_ROOTS,
		                 roots);
		return false;
	}
	s->nclocks = (uint32_t)n->nclocks;
	s->clocks = hd__xlines(s->nclocks + (size_t)1, sizeof *s->clocks);
	s->roots = hd__xcalloc(roots, sizeof *s->roots);
	s->clock_numbers = hd__xcheck(json_object());
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];

		c->decl = &n->clocks[i];
		c->name = n->clocks[i].name;
		json_object_set_new(s->clock_numbers, c->name, json_integer(i));
		c->now = UINT64_MAX;
	}
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];

		if (!c->decl->of) {
			make_root(s, c);
		} else if (!(c->parent = hd__clock_find(s, c->decl->of))) {
			return false; /* reported by the reader */
		}
	}
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i], *up = c;
		uint32_t steps = 0;

		while (up->parent && steps++ < MOST_DERIVED)
			up = up->parent;
		if (up->parent) {
			hd__netlist_diag(n, s->diags, HD_DIAG_ERROR, c->decl->at, NULL,
			                 "clock '%s' derives from its root over %u other clocks or more; "
			                 "expected fewer", c->name, MOST_DERIVED);
			return false;
		}
		c->root = up->root;
		c->gated = c->decl->gate != NULL;
		c->on = c->open = false;
	}
	if (s->nclocks == 0 && json_object_size(json_object_get(n->root, "clocks")) == 0)
		hd__netlist_diag(n, s->diags, HD_DIAG_ERROR, "", NULL, "netlist has no clock; expected "
		                 "\"clocks\" with at least one, such as {\"core\": {\"mhz\": 1000}}");
	if (s->nroots == 0)
		return false; /* all others were reported by the reader */
	ok = check_edges(s);
	for (uint32_t i = 0; i < s->nroots; i++)
		ok = plan_phases(s, &s->roots[i]) && ok;
	if (ok && s->nroots > 1 && !s->accumulated)
		find_unit(s);
	return ok;
}

bool hd__gated(const struct hd_clock *c)
{
	while (c && !c->gated)
		c = c->parent;
	return c != NULL;
}

/* sample_estimate.c - what the simulated launches of a plan say about the others, and how far that may be wrong
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A launch that is not simulated has what simulated ones of its group and size have, on average; without one of its
 * size what lies on the line between the next smaller and the next larger one; beyond those what is in proportion to
 * the nearest.  So each is a weighted sum of simulated ones, with the same weights for every counter.
 *
 * The error of such a guess is seen where a simulated launch is guessed from the others of its group.  It is taken to
 * grow with the size, and to be independent from launch to launch.  A group with one simulated launch has the relative
 * error of all other groups together.
 */
#include "sample.h"

#include "base/xalloc.h"

#include <math.h>

#define BENT 0.01 /* share by which guesses from other sizes may all be wrong alike, for curves are not straight */
#define FARTHEST 2.0 /* times the distance of two sizes that the line through them goes on */

/* A weighted sum of simulated launches: of those in [a, a_end) and in [b, b_end), without `but`. */
struct guess {
	size_t a, a_end, b, b_end, but;
	double wa, wb; /* of each of them */
};

/* A simulated launch. */
struct known {
	size_t launch, order; /* in the list; among those that are simulated */
	uint32_t group;
	double size;
	double others;        /* by how much the guesses of all others in the group are larger for each unit of it, */
	double sizes;         /* and those of other sizes than were simulated */
	struct guess guess;   /* from the others of the group; .wa 0: there are none */
	double scale;         /* squared sizes that are in that guess and in itself */
};

struct group {
	size_t first, end;    /* its simulated launches */
	double rest;          /* instructions of the others */
	double scale;         /* squared sizes of the errors that its sum has */
	double fixed;         /* how often what all launches take alike is in the sum, but not in its guesses; 0
	                       * if launches of two sizes were simulated, and tell */
};

struct sample_estimate {
	const struct sample_plan *plan;
	struct known *v;      /* by group, size, and place in the list */
	size_t n;
	struct group *group;
	struct guess *guess;  /* by launch */
};

/* ---- guesses ---- */

static int by_size(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->launch < y->launch ? -1 : x->launch > y->launch;
}

/* Where the launches of the size of v[i] begin and end. */
static size_t begin_of(const struct sample_estimate *e, const struct group *g, size_t i)
{
	while (i > g->first && e->v[i - 1].size == e->v[i].size)
		i--;
	return i;
}

static size_t end_of(const struct sample_estimate *e, const struct group *g, size_t i)
{
	double size = e->v[i].size;

	while (i < g->end && e->v[i].size == size)
		i++;
	return i;
}

static double share(size_t begin, size_t end, double of)
{
	return of / (double)(end - begin);
}

/* Beyond all sizes: x has the launches of the nearest one.  The line through these and others goes on; the others are
 * as far behind as the size is in front, if there are such, since otherwise their differences would be multiplied. */
static void go_on(const struct sample_estimate *e, const struct group *g, double size, size_t but, struct guess *x)
{
	double near = e->v[x->a].size, beyond = fabs(size - near), far = near;

	for (size_t i = g->first; i < g->end; i++) {
		double to = fabs(e->v[i].size - near), now = fabs(far - near);

		if (i != but && (now < beyond ? to > now : to >= beyond && to < now))
			far = e->v[i].size;
	}
	if (beyond > FARTHEST * fabs(far - near)) {
		x->wa = share(x->a, x->a_end, near > 0 ? size / near : 1);
		return;
	}
	for (x->b = g->first; e->v[x->b].size != far;)
		x->b++;
	x->b_end = end_of(e, g, x->b);
	x->but = but >= x->b && but < x->b_end ? but : SIZE_MAX;
	x->wa = share(x->a, x->a_end, (size - far) / (near - far));
	x->wb = 1.0 / (double)(x->b_end - x->b - (x->but != SIZE_MAX)) * (near - size) / (near - far);
}

/* A guess for that size without v[but]; SIZE_MAX: from all. */
static struct guess guess_of(const struct sample_estimate *e, const struct group *g, double size, size_t but)
{
	size_t below = g->first, above;
	struct guess x = { .but = SIZE_MAX };

	while (below < g->end && e->v[below].size < size)
		below++;
	above = below; /* the first that is not smaller */
	while (above < g->end && e->v[above].size == size)
		above++;
	if (above - below > (but >= below && but < above)) { /* some of that size */
		x = (struct guess){ .a = below, .a_end = above, .but = but };
		x.wa = 1 / (double)(above - below - (but >= below && but < above));
		return x;
	}
	if (below > g->first) {
		x.a = begin_of(e, g, below - 1);
		x.a_end = below;
	}
	if (above < g->end) {
		x.b = above;
		x.b_end = end_of(e, g, above);
	}
	if (x.a_end > x.a && x.b_end > x.b) {
		double low = e->v[x.a].size, t = (size - low) / (e->v[x.b].size - low);

		x.wa = share(x.a, x.a_end, 1 - t);
		x.wb = share(x.b, x.b_end, t);
	} else if (x.a_end > x.a) {
		go_on(e, g, size, but, &x);
	} else if (x.b_end > x.b) {
		x.a = x.b;
		x.a_end = x.b_end;
		x.b = x.b_end = 0;
		go_on(e, g, size, but, &x);
	}
	return x;
}

static double sum_in(const struct sample_estimate *e, const struct guess *x, const double *v)
{
	double a = 0, b = 0;

	for (size_t i = x->a; i < x->a_end; i++)
		a += i != x->but ? v[e->v[i].order] : 0;
	for (size_t i = x->b; i < x->b_end; i++)
		b += i != x->but ? v[e->v[i].order] : 0;
	return x->wa * a + x->wb * b;
}

static double squares_in(const struct sample_estimate *e, const struct guess *x)
{
	double sum = 0;

	for (size_t i = x->a; i < x->a_end; i++)
		sum += i != x->but ? pow(x->wa * e->v[i].size, 2) : 0;
	for (size_t i = x->b; i < x->b_end; i++)
		sum += i != x->but ? pow(x->wb * e->v[i].size, 2) : 0;
	return sum;
}

/* Of a group in which one size was simulated: how much of what a launch takes whatever its size the guess lacks. */
static double lacks(const struct sample_estimate *e, const struct group *g, double size)
{
	double only = g->end > g->first ? e->v[g->first].size : 0;

	return g->end > g->first && only > 0 && e->v[g->end - 1].size == only ? 1 - size / only : 0;
}

/* ---- making it ---- */

static void add_guess(struct sample_estimate *e, size_t launch)
{
	struct group *g = &e->group[e->plan->v[launch].group - 1];
	double size = (double)e->plan->v[launch].instructions;
	struct guess x = guess_of(e, g, size, SIZE_MAX);

	e->guess[launch] = x;
	for (size_t i = x.a; i < x.a_end; i++) {
		e->v[i].others += x.wa;
		e->v[i].sizes += e->v[i].size != size ? x.wa : 0;
	}
	for (size_t i = x.b; i < x.b_end; i++) {
		e->v[i].others += x.wb;
		e->v[i].sizes += x.wb;
	}
	g->rest += size;
	g->fixed += lacks(e, g, size);
	g->scale += size * size;
}

struct sample_estimate *hd__estimate_make(const struct sample_plan *p)
{
	struct sample_estimate *e = hd__xcalloc(1, sizeof *e);

	e->plan = p;
	e->v = hd__xcalloc(p->n, sizeof *e->v);
	e->group = hd__xcalloc(p->groups, sizeof *e->group);
	e->guess = hd__xcalloc(p->n, sizeof *e->guess);
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].simulate) {
			e->v[e->n] = (struct known){ .launch = i, .order = e->n, .group = p->v[i].group,
			                             .size = (double)p->v[i].instructions };
			e->n++;
		}
	qsort(e->v, e->n, sizeof *e->v, by_size);
	for (size_t i = e->n; i-- > 0;) {
		struct group *g = &e->group[e->v[i].group - 1];

		g->end = g->end ? g->end : i + 1;
		g->first = i;
	}
	for (size_t i = 0; i < p->n; i++)
		if (!p->v[i].simulate)
			add_guess(e, i);
	for (size_t i = 0; i < e->n; i++) {
		struct known *k = &e->v[i];
		struct group *g = &e->group[k->group - 1];

		k->guess = guess_of(e, g, k->size, i);
		k->scale = k->size * k->size + squares_in(e, &k->guess);
		g->scale += pow(k->others * k->size, 2);
	}
	return e;
}

void hd__estimate_free(struct sample_estimate *e)
{
	free(e->v);
	free(e->group);
	free(e->guess);
	free(e);
}

/* ---- errors ---- */

/* The error of a group's guesses: its variance for each squared unit of size, and of how many it was found. */
struct spread {
	double variance, degrees;
};

static double mean_rate(const struct sample_estimate *e, const struct group *g, const double *v)
{
	double sum = 0, size = 0;

	for (size_t i = g->first; i < g->end; i++) {
		sum += v[e->v[i].order];
		size += e->v[i].size;
	}
	return size > 0 ? sum / size : 0;
}

/* What a launch takes whatever its size: where the lines through launches of other groups begin. */
static double fixed_part(const struct sample_estimate *e, const double *v)
{
	double sum = 0, n = 0;

	for (uint32_t i = 0; i < e->plan->groups; i++) {
		const struct group *g = &e->group[i];
		double count = (double)(g->end - g->first), x = 0, y = 0, xx = 0, xy = 0, least = INFINITY, begin;

		for (size_t k = g->first; k < g->end; k++) {
			x += e->v[k].size / count;
			y += v[e->v[k].order] / count;
			least = fmin(least, v[e->v[k].order]);
		}
		for (size_t k = g->first; k < g->end; k++) {
			xx += pow(e->v[k].size - x, 2);
			xy += (e->v[k].size - x) * (v[e->v[k].order] - y);
		}
		if (xx == 0)
			continue;
		begin = y - xy / xx * x;
		sum += fmin(fmax(begin, 0), least);
		n++;
	}
	return n > 0 ? sum / n : 0;
}

/* That, in a launch of the group. */
static double fixed_of(const struct sample_estimate *e, const struct group *g, const double *v, double fixed)
{
	return g->end > g->first ? fmin(fixed, v[e->v[g->first].order]) : 0;
}

static struct spread own_spread(const struct sample_estimate *e, const struct group *g, const double *v)
{
	size_t n = g->end - g->first;
	struct spread s = { 0, n > 1 ? (double)(n - 1) : 0 };

	for (size_t i = g->first; i < g->end && n > 1; i++) {
		const struct known *k = &e->v[i];

		if (k->scale > 0)
			s.variance += pow(v[k->order] - sum_in(e, &k->guess, v), 2) / k->scale / (double)n;
	}
	return s;
}

/* Finds the spreads of all groups.  Behind them is that of all groups with two or more launches together, relative to
 * their rates.  To be freed. */
static struct spread *spreads_of(const struct sample_estimate *e, const double *v)
{
	uint32_t n = e->plan->groups;
	struct spread *s = hd__xcalloc((size_t)n + 1, sizeof *s), *all = &s[n];

	for (uint32_t i = 0; i < n; i++) {
		double rate = mean_rate(e, &e->group[i], v);

		s[i] = own_spread(e, &e->group[i], v);
		if (s[i].degrees == 0 || rate == 0)
			continue;
		all->variance += s[i].degrees * s[i].variance / (rate * rate);
		all->degrees += s[i].degrees;
	}
	if (all->degrees > 0)
		all->variance /= all->degrees;
	return s;
}

/* That of group i, or what stands for it. */
static struct spread spread_of(const struct sample_estimate *e, const struct spread *s, uint32_t i, const double *v)
{
	const struct spread *all = &s[e->plan->groups];
	double rate = mean_rate(e, &e->group[i], v);

	return s[i].degrees > 0 ? s[i] : (struct spread){ all->variance * rate * rate, all->degrees };
}

/* Student's t: the quantile for 98 % on both sides.  Few launches show less of the differences than there are, so that
 * bounds for 95 % would hold in fewer cases. */
static double quantile(double degrees)
{
	static const double first[] = { 31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764 };
	size_t n = degrees < 1 ? 1 : (size_t)degrees;

	/* else the first terms of its series, within 0.1 % */
	return n <= 10 ? first[n - 1] : 2.32635 + 3.698 / (double)n + 6.716 / (double)(n * n);
}

static double sum_known(const struct sample_estimate *e, const struct group *g, const double *v)
{
	double sum = 0;

	for (size_t i = g->first; i < g->end; i++)
		sum += (1 + e->v[i].others) * v[e->v[i].order];
	return sum;
}

struct sample_value hd__estimate_sum(const struct sample_estimate *e, const double *v, uint32_t group)
{
	struct spread *all = spreads_of(e, v);
	struct sample_value x = { 0, 0 };
	double variance = 0, borrowed = 0, weight = 0, bent = 0, fixed = fixed_part(e, v);
	bool known = true;

	for (uint32_t i = group ? group - 1 : 0; i < (group ? group : e->plan->groups); i++) {
		const struct group *g = &e->group[i];
		struct spread s = spread_of(e, all, i, v);
		double part = s.variance * g->scale;

		for (size_t k = g->first; k < g->end; k++)
			bent += BENT * e->v[k].sizes * v[e->v[k].order];
		x.estimate += sum_known(e, g, v) + g->fixed * fixed_of(e, g, v, fixed);
		if (g->rest == 0)
			continue;
		known = known && (s.degrees > 0 || mean_rate(e, g, v) == 0);
		variance += part;
		if (all[i].degrees > 0)
			weight += part * part / s.degrees;
		else
			borrowed += part; /* all of it from the same errors */
	}
	if (borrowed > 0)
		weight += borrowed * borrowed / all[e->plan->groups].degrees;
	x.margin = !known ? -1 : fabs(bent);
	if (known && variance > 0)
		x.margin += quantile(variance * variance / weight) * sqrt(variance);
	free(all);
	return x;
}

void hd__estimate_each(const struct sample_estimate *e, const double *v, struct sample_value *out)
{
	struct spread *all = spreads_of(e, v);
	double fixed = fixed_part(e, v);

	for (size_t i = 0; i < e->n; i++)
		out[e->v[i].launch] = (struct sample_value){ v[e->v[i].order], 0 };
	for (size_t i = 0; i < e->plan->n; i++) {
		const struct guess *x = &e->guess[i];
		double size = (double)e->plan->v[i].instructions;
		const struct group *g;
		struct spread s;

		if (e->plan->v[i].simulate)
			continue;
		s = spread_of(e, all, e->plan->v[i].group - 1, v);
		g = &e->group[e->plan->v[i].group - 1];
		out[i].estimate = sum_in(e, x, v) + lacks(e, g, size) * fixed_of(e, g, v, fixed);
		out[i].margin = s.degrees > 0
		                ? quantile(s.degrees) * sqrt(s.variance * (size * size + squares_in(e, x))) : -1;
		if (out[i].margin >= 0 && e->v[x->a].size != size)
			out[i].margin += BENT * fabs(out[i].estimate);
	}
	free(all);
}

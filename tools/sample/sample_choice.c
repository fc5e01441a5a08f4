/* sample_choice.c - groups launches that are alike, and chooses those that are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A launch joins the first group whose first launch it is like.  Of each size in a group one launch is chosen; two
 * sizes are the same if their ratio is within the tolerance, or within more if the budget demands it.  What is left
 * goes to the groups in which most is guessed from fewest launches.  A few such launches are chosen in any case, since
 * without them nothing is known of the error.
 */
#include "sample.h"

#include "base/xalloc.h"

#include <math.h>

#define LEAST 4u /* guesses that can be held against a simulation */
#define NEAR 0.02 /* shares by which sizes may differ and be as near to their mean */
#define WIDEST 50.0 /* of a step: the logarithm of more than 64 bits hold */

struct group {
	size_t *v;         /* its launches, as in the list */
	size_t n;
	size_t chosen;
	uint64_t all, rest; /* instructions of all, and of those that are not */
	bool closed;       /* no further one fits into the budget */
};

/* ---- groups ---- */

static bool near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * fmax(a, b);
}

/* Half of what the shares of the classes differ by: the share of the instructions that would have to be others. */
static double other_mix(const struct sample_launch *a, const struct sample_launch *b)
{
	double sum = 0;

	for (size_t i = 0; i < SAMPLE_CLASSES; i++)
		sum += fabs((double)a->mix[i] / (double)a->instructions - (double)b->mix[i] / (double)b->instructions);
	return sum / 2;
}

static bool same_code(const struct sample_launch *a, const struct sample_launch *b)
{
	return a->binary == b->binary && a->nregs == b->nregs && a->shmem == b->shmem
	       && memcmp(a->block, b->block, sizeof a->block) == 0 && strcmp(a->name, b->name) == 0;
}

/* All features are by instruction, so that launches of several sizes can be alike. */
static bool alike(const struct sample_launch *a, const struct sample_launch *b, double tolerance)
{
	double n = (double)a->instructions, m = (double)b->instructions;

	if (!same_code(a, b) || (n == 0) != (m == 0))
		return false;
	return n == 0 || (near((double)a->lanes / n, (double)b->lanes / m, tolerance)
	                  && near((double)a->footprint / n, (double)b->footprint / m, tolerance)
	                  && other_mix(a, b) <= tolerance);
}

static void find_groups(struct sample_plan *p, double tolerance)
{
	size_t *leader = NULL;

	p->groups = 0;
	for (size_t i = 0; i < p->n; i++) {
		uint32_t g = 0;

		while (g < p->groups && !alike(&p->v[leader[g]], &p->v[i], tolerance))
			g++;
		if (g == p->groups) {
			leader = hd__xappend(leader, p->groups++, sizeof *leader);
			leader[g] = i;
		}
		p->v[i].group = g + 1;
	}
	free(leader);
}

static struct group *list_groups(const struct sample_plan *p)
{
	struct group *g = hd__xcalloc(p->groups, sizeof *g);

	for (size_t i = 0; i < p->n; i++) {
		struct group *of = &g[p->v[i].group - 1];

		of->v = hd__xappend(of->v, of->n, sizeof *of->v);
		of->v[of->n++] = i;
		of->all += p->v[i].instructions;
	}
	return g;
}

/* ---- one launch of some ---- */

/* Numbers that look random, the same on every machine. */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static size_t pick(const size_t *v, size_t n, enum sample_policy policy, uint64_t *random)
{
	return v[policy == SAMPLE_FIRST ? 0 : policy == SAMPLE_MIDDLE ? n / 2 : draw(random) % n];
}

static void take(struct sample_plan *p, struct group *g, size_t launch)
{
	p->v[launch].simulate = true;
	g->chosen++;
	g->rest -= p->v[launch].instructions;
}

/* ---- one of each size ---- */

/* The size of a launch in steps from that of the group's first one; a step is a logarithm. */
static long step_of(const struct sample_launch *k, const struct sample_launch *first, double step)
{
	if (k->instructions == first->instructions)
		return 0;
	return lround(log((double)k->instructions / (double)first->instructions) / step);
}

/* Without steps sizes have to be the same. */
static bool same_size(const struct sample_plan *p, const struct group *g, size_t a, size_t b, double step)
{
	const struct sample_launch *first = &p->v[g->v[0]];

	if (step <= 0)
		return p->v[a].instructions == p->v[b].instructions;
	return step_of(&p->v[a], first, step) == step_of(&p->v[b], first, step);
}

static double distance(const struct sample_launch *k, double mean)
{
	return mean > 0 ? fabs((double)k->instructions / mean - 1) : 0;
}

/* Keeps those whose size is nearest to the mean of all, where sizes count as the same that are not: what a launch takes
 * whatever its size is right then in the sum, even if the others are taken to be in proportion to it.  Returns how
 * many. */
static size_t near_mean(const struct sample_plan *p, size_t *v, size_t n)
{
	double mean = 0, least = INFINITY;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		mean += (double)p->v[v[i]].instructions / (double)n;
	for (size_t i = 0; i < n; i++)
		least = fmin(least, distance(&p->v[v[i]], mean));
	for (size_t i = 0; i < n; i++)
		if (distance(&p->v[v[i]], mean) <= least + NEAR)
			v[kept++] = v[i];
	return kept;
}

static void choose_sizes(struct sample_plan *p, struct group *g, enum sample_policy policy, double step,
                         bool wider, uint64_t *random)
{
	size_t *of_size = hd__xcalloc(g->n, sizeof *of_size);
	bool *seen = hd__xcalloc(g->n, sizeof *seen);

	for (size_t i = 0; i < g->n; i++) {
		size_t n = 0;

		if (seen[i])
			continue;
		for (size_t j = i; j < g->n; j++)
			if (!seen[j] && same_size(p, g, g->v[i], g->v[j], step)) {
				seen[j] = true;
				of_size[n++] = g->v[j];
			}
		if (wider)
			n = near_mean(p, of_size, n);
		take(p, g, pick(of_size, n, policy, random));
	}
	free(of_size);
	free(seen);
}

/* One launch of each size in each group.  If they are more than the budget, steps are twice as wide, until a group has
 * one size. */
static void choose_each(struct sample_plan *p, struct group *groups, const struct sample_choice *c, uint64_t *random)
{
	double step = log1p(c->tolerance);
	uint64_t all, spent;

	for (bool fits = false; !fits; step *= 2) {
		*random = c->seed;
		for (size_t i = 0; i < p->n; i++)
			p->v[i].simulate = false;
		for (uint32_t i = 0; i < p->groups; i++) {
			groups[i].chosen = 0;
			groups[i].rest = groups[i].all;
			choose_sizes(p, &groups[i], c->policy, step, step > log1p(c->tolerance), random);
		}
		hd__sample_count(p, &all, &spent);
		fits = (double)spent <= c->budget * (double)all || step <= 0 || step > WIDEST;
	}
}

/* ---- what the budget leaves ---- */

/* A launch that is not chosen yet: the middle one of the longest row of them, so that the choice covers the whole list;
 * or any of them. */
static size_t further(const struct sample_plan *p, const struct group *g, enum sample_policy policy, uint64_t *random)
{
	size_t best = 0, length = 0, begin = 0, left = policy == SAMPLE_RANDOM ? draw(random) % (g->n - g->chosen) : 0;

	for (size_t i = 0; i <= g->n; i++) {
		bool open = i < g->n && !p->v[g->v[i]].simulate;

		if (open && policy == SAMPLE_RANDOM && left-- == 0)
			return g->v[i];
		if (open)
			continue;
		if (i - begin > length) {
			length = i - begin;
			best = begin + length / 2;
		}
		begin = i + 1;
	}
	return g->v[best];
}

/* A group with one chosen launch tells nothing about how much its launches differ, so it comes before others. */
static struct group *neediest(struct group *g, size_t n)
{
	struct group *best = NULL;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double need = (double)g[i].rest / (double)(g[i].chosen * g[i].chosen);

		if (g[i].closed || g[i].chosen == g[i].n || need <= most)
			continue;
		most = need;
		best = &g[i];
	}
	return best;
}

static bool has_size(const struct sample_plan *p, const struct group *g, uint64_t size, double tolerance)
{
	for (size_t i = 0; i < g->n; i++)
		if (p->v[g->v[i]].simulate && near((double)p->v[g->v[i]].instructions, (double)size, tolerance))
			return true;
	return false;
}

/* The smallest that is not chosen yet, of a size that no other has if there is one: it shows how cycles grow. */
static size_t cheap(const struct sample_plan *p, const struct group *g, double tolerance)
{
	size_t best = SIZE_MAX;
	bool known = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct sample_launch *k = &p->v[g->v[i]];
		bool here = has_size(p, g, k->instructions, tolerance);

		if (k->simulate || (best != SIZE_MAX && (here > known || (here == known
		                                         && k->instructions >= p->v[best].instructions))))
			continue;
		best = g->v[i];
		known = here;
	}
	return best;
}

static void spend(struct sample_plan *p, struct group *groups, const struct sample_choice *c, uint64_t *random)
{
	uint64_t all, spent;
	size_t second = hd__sample_count(p, &all, &spent) - p->groups; /* launches of groups that have others */
	struct group *g;

	while ((g = neediest(groups, p->groups))) {
		size_t launch = further(p, g, c->policy, random);
		uint64_t cost = p->v[launch].instructions;
		bool fits = (double)(spent + cost) <= c->budget * (double)all;

		g->closed = second >= LEAST && !fits;
		if (g->closed)
			continue;
		if (!fits) {
			launch = cheap(p, g, c->tolerance);
			cost = p->v[launch].instructions;
		}
		second++;
		take(p, g, launch);
		spent += cost;
	}
}

void hd__sample_choose(struct sample_plan *p, const struct sample_choice *c)
{
	uint64_t random;
	struct group *g;

	find_groups(p, c->tolerance);
	g = list_groups(p);
	choose_each(p, g, c, &random);
	spend(p, g, c, &random);
	for (uint32_t i = 0; i < p->groups; i++)
		free(g[i].v);
	free(g);
}

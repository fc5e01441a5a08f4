/* ring_plain.c - the rings as loops in plain C: the expected checksum, and a bound of the speed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ring.h"

#include <stdlib.h>

static uint32_t fold(const uint32_t *sum, size_t n)
{
	uint32_t checksum = 0;

	for (size_t i = 0; i < n; i++)
		checksum = ring_fold(checksum, sum[i]);
	return checksum;
}

/* Every stage holds a token: two arrays that change places at every edge. */
uint32_t plain_dense(uint32_t stages, uint64_t edges, double *ns)
{
	uint32_t *now = hd__xcalloc(stages, sizeof *now), *next = hd__xcalloc(stages, sizeof *next);
	uint32_t *sum = hd__xcalloc(stages, sizeof *sum), checksum, *t;
	double start = ring_now();

	for (uint32_t i = 0; i < stages; i++) /* the first edge: stages with a token put it */
		now[(i + 1) % stages] = ring_seed(i);
	for (uint64_t e = 1; e < edges; e++) {
		for (uint32_t i = 0; i + 1 < stages; i++)
			sum[i] += next[i + 1] = ring_work(now[i], i);
		sum[stages - 1] += next[0] = ring_work(now[stages - 1], stages - 1);
		t = now;
		now = next;
		next = t;
	}
	*ns = ring_now() - start;
	checksum = fold(sum, stages);
	free(now);
	free(next);
	free(sum);
	return checksum;
}

/* Few tokens: a list of where they are. */
uint32_t plain_sparse(uint32_t stages, uint32_t tokens, uint64_t edges, double *ns)
{
	uint32_t *at = hd__xcalloc(tokens, sizeof *at), *v = hd__xcalloc(tokens, sizeof *v);
	uint32_t *sum = hd__xcalloc(stages, sizeof *sum), checksum, n = 0;
	double start = ring_now();

	for (uint32_t i = 0; i < stages && n < tokens; i++)
		if (ring_seeded(i, stages, tokens)) {
			at[n] = i;
			v[n++] = ring_seed(i);
		}
	for (uint64_t e = 1; e < edges; e++) {
		for (uint32_t k = 0; k < n; k++) {
			at[k] = at[k] + 1 == stages ? 0 : at[k] + 1;
			v[k] = ring_work(v[k], at[k]);
			sum[at[k]] += v[k];
		}
	}
	*ns = ring_now() - start;
	checksum = fold(sum, stages);
	free(at);
	free(v);
	free(sum);
	return checksum;
}

/* ---- clock domains ---- */

struct place {
	uint32_t v;
	bool full;
};

/* The FIFO in front of a domain, ring_domains() makes the last link staged. */
struct crossing {
	uint32_t v[RING_CROSSING], head, count;
	uint64_t visible[RING_CROSSING]; /* staged: edge of the reader from which it is seen */
	uint64_t late_edge;              /* staged: edge of the last take */
	bool staged;
};

struct domain {
	struct place *reg;               /* reg[i] in front of stage i; reg[0] is not used */
	uint32_t *sum;
	struct crossing in;
	uint64_t edge;                   /* next one */
	bool started;
};

static bool can_put(const struct domain *to)
{
	const struct crossing *c = &to->in;
	uint32_t late = c->staged && to->edge > 0 && c->late_edge == to->edge - 1;

	return c->count + late < RING_CROSSING;
}

/* Seen from the reader's next edge on; its present one is over or belongs to this instant. */
static void put(struct domain *to, uint32_t v)
{
	struct crossing *c = &to->in;
	uint32_t place = (c->head + c->count++) % RING_CROSSING;

	c->v[place] = v;
	c->visible[place] = to->edge;
}

static bool can_take(const struct domain *d)
{
	const struct crossing *c = &d->in;

	return c->count > 0 && (!c->staged || c->visible[c->head] <= d->edge - 1);
}

static uint32_t take(struct domain *d)
{
	struct crossing *c = &d->in;
	uint32_t v = c->v[c->head];

	c->head = (c->head + 1) % RING_CROSSING;
	c->count--;
	c->late_edge = d->edge - 1;
	return v;
}

/* The first edge of a domain: stages that start with a token put it. */
static void begin(struct domain *d, struct domain *to, uint32_t stages, uint32_t tokens)
{
	d->started = true;
	for (uint32_t i = stages; i-- > 0;) {
		if (!ring_seeded(i, stages, tokens))
			continue;
		if (i + 1 < stages)
			d->reg[i + 1] = (struct place){ ring_seed(i), true };
		else
			put(to, ring_seed(i));
	}
}

static uint64_t edge(struct domain *d, struct domain *to, uint32_t stages)
{
	uint64_t works = 0;

	for (uint32_t i = stages; i-- > 0;) {
		struct place *out = i + 1 < stages ? &d->reg[i + 1] : NULL;
		uint32_t v;

		if (!(i ? d->reg[i].full : can_take(d)) || (out ? out->full : !can_put(to)))
			continue;
		v = ring_work(i ? d->reg[i].v : take(d), i);
		d->reg[i].full = false;
		if (out)
			*out = (struct place){ v, true };
		else
			put(to, v);
		d->sum[i] += v;
		works++;
	}
	return works;
}

/* -1, 0, 1: the next edge of a comes before, with, after that of b. */
static int compare(const struct domain *d, uint32_t a, uint32_t b)
{
	uint64_t l = d[a].edge * ring_mhz[b], r = d[b].edge * ring_mhz[a];

	return l < r ? -1 : l > r;
}

uint32_t plain_domains(uint32_t stages, uint32_t tokens, uint64_t steps, double *ns,
                       uint64_t *works)
{
	uint32_t *sum = hd__xcalloc((size_t)RING_DOMAINS * stages, sizeof *sum), checksum;
	struct domain d[RING_DOMAINS] = { { .edge = 0 } };
	double start = ring_now();

	for (uint32_t i = 0; i < RING_DOMAINS; i++) {
		d[i].reg = hd__xcalloc(stages, sizeof *d[i].reg);
		d[i].sum = sum + (size_t)i * stages;
		d[i].in.late_edge = UINT64_MAX;
	}
	d[0].in.staged = true;
	*works = 0;
	while (steps-- > 0) {
		bool due[RING_DOMAINS];
		uint32_t first = 0;

		for (uint32_t i = 1; i < RING_DOMAINS; i++)
			if (compare(d, i, first) < 0)
				first = i;
		for (uint32_t i = 0; i < RING_DOMAINS; i++)
			due[i] = compare(d, i, first) == 0;
		for (uint32_t i = 0; i < RING_DOMAINS; i++)
			d[i].edge += due[i];
		for (uint32_t i = RING_DOMAINS; i-- > 0;) { /* consumers first */
			struct domain *to = &d[(i + 1) % RING_DOMAINS];

			if (due[i] && !d[i].started)
				begin(&d[i], to, stages, tokens);
			else if (due[i])
				*works += edge(&d[i], to, stages);
		}
	}
	*ns = ring_now() - start;
	checksum = fold(sum, (size_t)RING_DOMAINS * stages);
	for (uint32_t i = 0; i < RING_DOMAINS; i++)
		free(d[i].reg);
	free(sum);
	return checksum;
}

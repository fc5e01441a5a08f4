/* partition.c - finds the parts of a simulation that only channels join
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances belong together if one calls the other, or if a channel joins them that both have to look at in the same
 * edge, or whose producer does not declare how much it puts.  What is left are partitions, and channels between them:
 * of latency n, what is put now is seen n edges later, so the reader may be evaluated for n edges before its producer
 * is.  How far partitions can be apart follows from the circles that they form.
 */
#include "partition.h"

#include <stdlib.h>

struct finder {
	const struct hd_sim *s;
	uint32_t *up; /* by instance: another one of its partition, or itself */
};

static void join(const struct finder *f, const struct hd_instance *a, const struct hd_instance *b)
{
	uint32_t x = hd__leader(f->up, a->number), y = hd__leader(f->up, b->number);

	f->up[x > y ? x : y] = x > y ? y : x;
}

/* Calls that need not be in the order of the edges. */
static bool free_call(const struct hd_use *u)
{
	if (u->user->module->ports[u->user_port].flags & HD_RARE)
		return !u->user->not_apart;
	return (u->provider->module->ports[u->provider_port].flags & HD_APART) && !u->provider->not_apart;
}

static void join_all(const struct finder *f)
{
	const struct hd_sim *s = f->s;

	for (size_t i = 0; i < s->nuses; i++)
		if (!free_call(&s->uses[i]))
			join(f, s->uses[i].user, s->uses[i].provider);
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		if (hd__may_divide(c))
			continue;
		for (size_t k = 0; k < c->nfrom; k++)
			join(f, c->from[0].instance, c->from[k].instance);
		for (size_t k = 0; k < c->nto; k++)
			join(f, c->from[0].instance, c->to[k].instance);
	}
	for (size_t i = 0; i < s->ninstances; i++)
		for (const struct hd_clock *c = s->instances[i].clock; c; c = c->parent)
			if (c->gatekeeper)
				join(f, c->gatekeeper, &s->instances[i]);
}

/* Numbers partitions in the order of their first instances. */
static void number(const struct finder *f, struct hd_partitions *p)
{
	const struct hd_sim *s = f->s;
	uint32_t *of = hd__xcalloc(s->ninstances + 1, sizeof *of); /* by leader: + 1 */
	bool *runs = hd__xcalloc(s->ninstances + 1, sizeof *runs);

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].module->eval)
			runs[hd__leader(f->up, (uint32_t)i)] = true;
	for (size_t i = 0; i < s->ninstances; i++) {
		uint32_t l = hd__leader(f->up, (uint32_t)i);

		if (runs[l] && of[l] == 0)
			of[l] = ++p->n;
		p->of[i] = runs[l] ? of[l] - 1 : HD_NO_PARTITION;
	}
	p->size = hd__xcalloc(p->n + 1, sizeof *p->size);
	for (size_t i = 0; i < s->ninstances; i++)
		if (p->of[i] != HD_NO_PARTITION)
			p->size[p->of[i]]++;
	free(of);
	free(runs);
}

static uint32_t source(const struct hd_partitions *p, const struct hd_channel *c)
{
	return p->of[c->from[0].instance->number];
}

static uint32_t target(const struct hd_partitions *p, const struct hd_channel *c)
{
	return p->of[c->to[0].instance->number];
}

/* Finds the instances that are joined, without the channels between them. */
static struct hd_partitions *find(const struct hd_sim *s)
{
	struct finder f = { s, hd__xcalloc(s->ninstances + 1, sizeof *f.up) };
	struct hd_partitions *p = hd__xcalloc(1, sizeof *p);

	for (uint32_t i = 0; i < s->ninstances; i++)
		f.up[i] = i;
	join_all(&f);
	p->of = hd__xcalloc(s->ninstances + 1, sizeof *p->of);
	number(&f, p);
	free(f.up);
	return p;
}

struct hd_partitions *hd__partitions_find(const struct hd_sim *s)
{
	struct hd_partitions *p = find(s);

	p->apart = hd__xcalloc(s->nchannels + 1, sizeof(struct hd_channel *));
	for (size_t i = 0; i < s->nchannels; i++) {
		uint32_t from = source(p, s->channels[i]), to = target(p, s->channels[i]);

		if (from != to && from != HD_NO_PARTITION && to != HD_NO_PARTITION)
			p->apart[p->napart++] = s->channels[i];
	}
	return p;
}

bool hd__partitions_divide(const struct hd_sim *s)
{
	struct hd_partitions *p = hd__partitions_find(s);
	bool divide = p->napart > 0;

	hd__partitions_free(p);
	return divide;
}

void hd__partitions_free(struct hd_partitions *p)
{
	free(p->of);
	free(p->size);
	free(p->apart);
	free(p);
}

void hd__partitions_join(const struct hd_sim *s, const struct hd_partitions *p, uint32_t *up)
{
	const struct hd_instance *first = NULL;

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		uint32_t k = p->of[i];

		if (k == HD_NO_PARTITION || p->size[k] != 1)
			continue;
		if (first && first->array == in->array)
			up[k] = hd__leader(up, p->of[first->number]);
		else
			first = in;
	}
}

/* ---- circles ---- */

struct search {
	const struct hd_partitions *p;
	uint32_t *first, *next;           /* by partition, by channel: channels that leave it + 1 */
	uint64_t *far;                    /* by partition: latencies from the start */
	const struct hd_channel **came;   /* by partition: the last channel of the way to it */
	uint32_t *queue;                  /* a ring of partitions from which ways go on, */
	bool *queued;                     /* and which are in it */
};

/* The shortest way from `start` back to it over partitions with larger numbers, if it is shorter
 * than `most`: its last channel; or NULL. */
static const struct hd_channel *back(const struct search *r, uint32_t start, uint64_t *most)
{
	const struct hd_channel *last = NULL;
	uint32_t n = r->p->n, head = 0, count = 1;

	for (uint32_t i = start; i < n; i++)
		r->far[i] = UINT64_MAX;
	r->far[start] = 0;
	r->queue[0] = start;
	while (count > 0) {
		uint32_t at = r->queue[head];

		head = (head + 1) % n;
		count--;
		r->queued[at] = false;
		for (uint32_t k = r->first[at]; k; k = r->next[k - 1]) {
			const struct hd_channel *c = r->p->apart[k - 1];
			uint32_t to = target(r->p, c);
			uint64_t far = r->far[at] + c->latency;

			if (to < start || far >= *most)
				continue;
			if (to == start) {
				*most = far;
				last = c;
			} else if (far < r->far[to]) {
				r->far[to] = far;
				r->came[to] = c;
				if (!r->queued[to])
					r->queue[(head + count++) % n] = to;
				r->queued[to] = true;
			}
		}
	}
	return last;
}

/* Stores the way that ends with `last`, from its beginning on. */
static uint32_t store(const struct search *r, uint32_t start, const struct hd_channel *last,
                      const struct hd_channel **way)
{
	uint32_t n = 1, k;

	for (const struct hd_channel *c = last; source(r->p, c) != start; c = r->came[source(r->p, c)])
		n++;
	k = n;
	way[--k] = last;
	while (k > 0) {
		way[k - 1] = r->came[source(r->p, way[k])];
		k--;
	}
	return n;
}

uint32_t hd__partitions_circle(const struct hd_partitions *p, const struct hd_channel **way,
                               uint64_t *latency)
{
	struct search r = { .p = p };
	uint32_t n = 0;

	r.first = hd__xcalloc(p->n + 1, sizeof *r.first);
	r.next = hd__xcalloc(p->napart + 1, sizeof *r.next);
	r.far = hd__xcalloc(p->n + 1, sizeof *r.far);
	r.came = hd__xcalloc(p->n + 1, sizeof(struct hd_channel *));
	r.queue = hd__xcalloc(p->n + 1, sizeof *r.queue);
	r.queued = hd__xcalloc(p->n + 1, sizeof *r.queued);
	for (size_t i = p->napart; i-- > 0;) {
		r.next[i] = r.first[source(p, p->apart[i])];
		r.first[source(p, p->apart[i])] = (uint32_t)i + 1;
	}
	*latency = UINT64_MAX;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct hd_channel *last = back(&r, i, latency);

		if (last)
			n = store(&r, i, last, way);
	}
	free(r.first);
	free(r.next);
	free(r.far);
	free(r.came);
	free(r.queue);
	free(r.queued);
	return n;
}

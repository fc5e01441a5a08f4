/* partition.c - finds the parts of a simulation that only channels join
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Instances belong together if one calls the other, or if a channel joins them that both have to look at in the same
 * edge, or whose producer does not declare how much it puts.  What is left are partitions, and channels between them:
 * of latency n, what is put now is seen n edges later, so the reader may be evaluated for n edges before its producer
 * is.
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
		return hd__is_woken(u->user) && !u->user->not_apart;
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

struct hd_partitions *hd__partitions_find(const struct hd_sim *s)
{
	struct finder f = { s, hd__xcalloc(s->ninstances + 1, sizeof *f.up) };
	struct hd_partitions *p = hd__xcalloc(1, sizeof *p);

	for (uint32_t i = 0; i < s->ninstances; i++)
		f.up[i] = i;
	join_all(&f);
	p->of = hd__xcalloc(s->ninstances + 1, sizeof *p->of);
	number(&f, p);
	free(f.up);
	p->apart = hd__xcalloc(s->nchannels + 1, sizeof(struct hd_channel *));
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];
		uint32_t from = p->of[c->from[0].instance->number], to = p->of[c->to[0].instance->number];

		if (from != to && from != HD_NO_PARTITION && to != HD_NO_PARTITION)
			p->apart[p->napart++] = c;
	}
	return p;
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

/* mailbox.c - channels between shards, which in a window have two ends
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In a window, the producer of a channel that joins two shards puts into a copy of it that has the same places for
 * payloads.  The reader finds them when it is run the next time; the places that it has emptied are free for the
 * producer from the next window on.
 */
#include "ahead_plan.h"

#include <stdlib.h>

/* ---- planning -------------------------------------------------------------------------------- */

/* The producer's end in its state. */
static struct hd_end *end_of(const struct hd_channel *c)
{
	const struct hd_instance *in = c->from[0].instance;
	const struct hd_port *p = &in->module->ports[c->from[0].port];
	char *place = (char *)in->state + p->offset;
	const struct hd_ends *v = (const void *)place;
	uint32_t i = 0;

	if (!(p->flags & HD_ARRAY))
		return (struct hd_end *)place;
	while (v->v[i].ch != c->chan)
		i++;
	return &v->v[i];
}

static void make_far(struct hd_ahead *a, struct hd_crossing *x)
{
	const struct hd_domain *from = &a->domains[x->from];
	struct hd_clock *c = x->channel->to[0].instance->clock;

	x->far = hd__xcheck(aligned_alloc(64, (sizeof *x->far + 63) / 64 * 64));
	*x->far = *x->channel->chan;
	x->far->now = &hd__shard_clock(a->s, from->shard, c)->now;
	x->far->nreaders = 0; /* they are woken when they look */
	x->end = end_of(x->channel);
}

static void add_crossing(struct hd_crossing ***v, uint32_t *n, struct hd_crossing *x)
{
	*v = hd__xappend(*v, *n, sizeof(struct hd_crossing *));
	(*v)[(*n)++] = x;
}

/* The instance that others wait for sees of those that it calls whether they have gone on by their cycle: so that has
 * to be the later one. */
static char *check_order(const struct hd_ahead *a)
{
	const struct hd_instance *in = a->awaited.instance;

	for (size_t i = 0; i < a->s->nuses; i++) {
		const struct hd_use *u = &a->s->uses[i];
		const struct hd_clock *c = u->provider->clock;

		if (u->user == in && c && (in->module->ports[u->user_port].flags & HD_RARE)
		    && (c->root != in->clock->root || c->phases > UINT64_MAX >> (63 - hd_bits_last(in->clock->phases))))
			return hd__format("'%s' is not the last one in a cycle of those that wake it, and "
			                  "there are several threads", in->path);
	}
	return NULL;
}

char *hd__mailboxes_make(struct hd_ahead *a)
{
	char *why = check_order(a);

	if (why)
		return why;
	for (size_t i = 0; i < a->ncrossings; i++) {
		struct hd_crossing *x = &a->crossings[i];
		struct hd_domain *from = &a->domains[x->from], *to = &a->domains[x->to];

		if (from->shard == to->shard)
			continue;
		make_far(a, x);
		add_crossing(&from->leaving, &from->nleaving, x);
		add_crossing(&to->arriving, &to->narriving, x);
	}
	return NULL;
}

void hd__mailboxes_free(struct hd_ahead *a)
{
	for (size_t i = 0; i < a->ncrossings; i++)
		free(a->crossings[i].far);
}

/* ---- a window -------------------------------------------------------------------------------- */

void hd__mailboxes_open(struct hd_ahead *a)
{
	for (uint32_t i = 0; i < a->s->nshards; i++)
		a->s->shards[i].gates_moved = 0;
	for (size_t i = 0; i < a->ncrossings; i++) {
		struct hd_crossing *x = &a->crossings[i];
		struct hd_chan *c = x->channel->chan;

		if (!x->far)
			continue;
		x->far->head = c->head;
		x->far->tail = x->put = c->tail;
		x->far->flags = c->flags;
		c->flags &= ~(uint32_t)HD_CHAN_STARVED; /* the producer cannot be woken before the end of the window */
		x->end->ch = x->far;
	}
}

/* Payloads that have been put since the reader looked. */
static void come_in(struct hd_crossing *x, uint32_t tail)
{
	struct hd_chan *c = x->channel->chan;
	uint32_t first = c->tail;

	if (tail == first)
		return;
	c->tail = tail;
	hd__wake_readers_for(c, c->visible[first & c->mask]);
}

void hd__mailboxes_close(struct hd_ahead *a)
{
	struct hd_sim *s = a->s;

	for (uint32_t i = 0; i < s->nshards; i++)
		for (uint32_t k = 0; k < s->nclocks; k++)
			s->shards[i].clocks[k]->now = s->clocks[k].now;
	hd__shards_follow(s);
	for (size_t i = 0; i < a->ncrossings; i++) {
		struct hd_crossing *x = &a->crossings[i];

		if (!x->far)
			continue;
		x->end->ch = x->channel->chan;
		come_in(x, x->far->tail);
		if (!(x->far->flags & HD_CHAN_STARVED))
			continue;
		if (x->far->head != x->channel->chan->head)
			hd__wake_writers(x->channel->chan);
		else
			x->channel->chan->flags |= HD_CHAN_STARVED;
	}
	hd__shard_pools(s);
}

void hd__mailboxes_fetch(const struct hd_domain *d)
{
	for (uint32_t i = 0; i < d->narriving; i++)
		come_in(d->arriving[i], __atomic_load_n(&d->arriving[i]->put, __ATOMIC_ACQUIRE));
}

void hd__mailboxes_deliver(const struct hd_domain *d)
{
	for (uint32_t i = 0; i < d->nleaving; i++)
		__atomic_store_n(&d->leaving[i]->put, d->leaving[i]->far->tail, __ATOMIC_RELEASE);
}

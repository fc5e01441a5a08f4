/* bind.c - puts channels and interfaces into the states of the instances that they join
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "shard.h"
#include "timer.h"

#include <stdlib.h>

static uint32_t ring_size(uint32_t capacity)
{
	uint32_t n = 1;

	while (n < capacity)
		n *= 2;
	return n;
}

/* Bytes of a channel with so many places that is checked: payloads of a wrong size must not reach the next one. */
static size_t slack(size_t places, size_t size)
{
	return places * (size > 512 ? size : 512) + 4096;
}

static struct hd_ends *ends_of(struct hd_instance *in, const struct hd_port *p)
{
	return (struct hd_ends *)((char *)in->state + p->offset);
}

/* Writes one end; array ports were counted before and are filled in the order of the links. */
static void bind_end(struct hd_channel *c, const struct hd_link_end *e)
{
	const struct hd_port *p = &e->instance->module->ports[e->port];
	struct hd_end end = { c->chan, e->slots, e->attr };

	if (p->flags & HD_ARRAY) {
		struct hd_ends *v = ends_of(e->instance, p);

		v->v[v->n++] = end;
	} else {
		*(struct hd_end *)((char *)e->instance->state + p->offset) = end;
	}
}

/* Array ports see their links in the order of the netlist, elements of a link in theirs. */
struct pending_end {
	struct hd_channel *channel;
	const struct hd_link_end *end;
};

/* All ends, sorted by counting those of each link.  *n: how many. */
static struct pending_end *pending_ends(const struct hd_sim *s, size_t *n)
{
	size_t nlinks = s->netlist->nlinks, *next = hd__xcalloc(nlinks + 1, sizeof *next), at = 0;
	struct pending_end *v;

	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		for (size_t k = 0; k < c->nfrom + c->nto; k++, at++)
			next[(k < c->nfrom ? &c->from[k] : &c->to[k - c->nfrom])->link + 1]++;
	}
	for (size_t i = 1; i <= nlinks; i++)
		next[i] += next[i - 1];
	v = hd__xcalloc(at, sizeof *v);
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];

		for (size_t k = 0; k < c->nfrom + c->nto; k++) {
			const struct hd_link_end *e = k < c->nfrom ? &c->from[k] : &c->to[k - c->nfrom];

			v[next[e->link]++] = (struct pending_end){ c, e };
		}
	}
	free(next);
	*n = at;
	return v;
}

/* The one end that owns each slot; NULL if some slot has several or none. */
static struct hd_waker *slot_owners(struct hd_sim *s, const struct hd_channel *c, const struct hd_link_end *e, size_t n)
{
	struct hd_waker *v;

	for (uint32_t slot = 0; slot < c->capacity; slot++) {
		size_t owners = 0;

		for (size_t i = 0; i < n; i++)
			owners += e[i].slots >> slot & 1;
		if (owners != 1)
			return NULL;
	}
	v = hd__zeroed(s, c->capacity, sizeof *v); /* those of four slots are one cache line */
	for (size_t i = 0; i < n; i++)
		for (uint64_t own = e[i].slots & hd_bits_below(c->capacity); own;)
			v[hd_bits_pop(&own)] = e[i].instance->ctx.self;
	return v;
}

static uint32_t places_of(const struct hd_channel *c)
{
	return c->slotted ? c->capacity : ring_size(c->capacity);
}

/* Payload storage that does not fit into the struct follows it. */
static size_t bytes_of(const struct hd_sim *s, const struct hd_channel *c)
{
	size_t data = (size_t)places_of(c) * c->type->size;

	if (s->opt.checker)
		data = slack(places_of(c), c->type->size);
	else if (data <= sizeof c->chan->small)
		data = 0;
	return sizeof *c->chan + (data + 63) / 64 * 64;
}

static int compare_channels(const void *va, const void *vb)
{
	const struct hd_channel *a = *(struct hd_channel *const *)va;
	const struct hd_channel *b = *(struct hd_channel *const *)vb;
	uint32_t ra = a->to[0].instance->rank, rb = b->to[0].instance->rank;

	if (ra != rb)
		return ra < rb ? -1 : 1;
	return a->link < b->link ? -1 : a->link > b->link;
}

/* Channels are laid out in memory in the order in which their readers are evaluated. */
static void place_channels(struct hd_sim *s)
{
	struct hd_channel **v = hd__xcalloc(s->nchannels, sizeof *v);
	size_t bytes = 0, at = 0;

	if (s->nchannels > 0)
		memcpy(v, s->channels, s->nchannels * sizeof *v);
	qsort(v, s->nchannels, sizeof *v, compare_channels);
	for (size_t i = 0; i < s->nchannels; i++)
		bytes += bytes_of(s, v[i]);
	s->chans = hd__zeroed(s, 1, bytes + 64);
	for (size_t i = 0; i < s->nchannels; i++) {
		v[i]->chan = (struct hd_chan *)(s->chans + at);
		at += bytes_of(s, v[i]);
	}
	s->chan_of = hd__zeroed(s, s->nchannels, sizeof *s->chan_of);
	for (size_t i = 0; i < s->nchannels; i++)
		s->chan_of[i] = s->channels[i]->chan;
	free(v);
}

/* May a producer with this clock be evaluated between two edges of the reader's? */
static bool has_other_edges(const struct hd_clock *from, const struct hd_clock *to)
{
	if (from == to)
		return false;
	return !from || !to || from->root != to->root || (from->phases & ~to->phases) || hd__gated(to);
}

static void make_storage(struct hd_sim *s, struct hd_channel *c)
{
	struct hd_chan *h = c->chan;
	uint32_t places = places_of(c);
	size_t nw = 0;

	h->size = c->type->size;
	h->capacity = c->capacity;
	h->mask = places - 1;
	h->data = bytes_of(s, c) > sizeof *h ? (unsigned char *)(h + 1) : (unsigned char *)&h->small;
	h->flags = (c->timed ? HD_CHAN_TIMED : 0u) | (c->decl->staged ? HD_CHAN_STAGED : 0u)
	           | (c->nto != 1 ? HD_CHAN_MANY : 0u) | (c->slotted ? HD_CHAN_SLOTS : 0u);
	/* with the payload where the functions for registers look for it */
	h->flags |= c->reg && !s->opt.checker ? HD_CHAN_REG : 0u;
	h->latency = c->latency;
	h->late_edge = UINT64_MAX;
	h->late_word = &s->late;
	h->now = &hd__clock_seen(c->to[0].instance)->now;
	if (c->timed)
		h->visible = hd__zeroed(s, hd__metered(c) ? 2 * (size_t)places : places, sizeof *h->visible);
	c->wakers = hd__xcalloc(c->nfrom + c->nto, sizeof *c->wakers);
	h->readers = c->wakers;
	for (size_t i = 0; i < c->nto; i++)
		c->wakers[nw++] = c->to[i].instance->ctx.self;
	h->nreaders = (uint32_t)nw;
	h->reader = c->wakers[0];
	h->writers = c->wakers + nw;
	for (size_t i = 0; i < c->nfrom; i++) {
		c->wakers[nw++] = c->from[i].instance->ctx.self;
		c->mixed = c->mixed || has_other_edges(c->from[i].instance->clock, c->to[0].instance->clock);
	}
	h->nwriters = (uint32_t)(nw - h->nreaders);
	h->late = c->mixed ? HD_LATE_MIXED : 0u;
	if (c->slotted) {
		h->slot_reader = slot_owners(s, c, c->to, c->nto);
		h->slot_writer = slot_owners(s, c, c->from, c->nfrom);
	}
}

static void note_timed(struct hd_sim *s, struct hd_channel *c)
{
	if (c->decl->staged) {
		s->staged = hd__xappend(s->staged, s->nstaged, sizeof *s->staged);
		s->staged[s->nstaged++] = c;
	}
	c->chan->sim = s;
	if (!s->timed_in)
		s->timed_in = hd__xcalloc(s->nprocesses + 1, sizeof *s->timed_in);
	for (size_t i = 0; i < c->nto; i++) {
		uint32_t rank = c->to[i].instance->rank;
		size_t n = 0;

		if (rank == HD_NO_PROCESS) {
			c->chan->sim = NULL;
			continue;
		}
		while (s->timed_in[rank] && s->timed_in[rank][n])
			n++;
		s->timed_in[rank] = hd__xrealloc(s->timed_in[rank],
		                                 (n + 2) * sizeof **s->timed_in);
		s->timed_in[rank][n] = c->chan;
		s->timed_in[rank][n + 1] = NULL;
		s->processes[rank].flags |= HD_PROCESS_TIMED;
		s->noted[rank / 64].counting |= UINT64_C(1) << (rank % 64);
		hd__routine_changed(s, &s->processes[rank]);
	}
}

#define MANY 64u /* payloads; with room for fewer a producer depends on its reader every few edges */

bool hd__may_divide(const struct hd_channel *c)
{
	const struct hd_instance *from = c->from[0].instance, *to = c->to[0].instance;

	/* latencies are edges of the reader: when a gated clock has them is not known in advance */
	return c->nfrom == 1 && c->nto == 1 && !c->slotted && c->capacity >= MANY && from != to
	       && (c->latency > 1 || !c->decl->staged) && from->clock && to->clock && !hd__gated(to->clock)
	       && from->module->ports[c->from[0].port].most > 0;
}

void hd__bind_ends(struct hd_sim *s)
{
	struct pending_end *v;
	size_t n = 0;

	place_channels(s);
	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];
		bool apart = !c->timed && s->opt.ahead && hd__may_divide(c);

		c->timed = c->timed || apart;
		make_storage(s, c);
		c->chan->flags |= apart ? HD_CHAN_APART : 0u;
		if (c->timed)
			note_timed(s, c);
	}
	v = pending_ends(s, &n);
	for (size_t i = 0; i < n; i++) {
		const struct hd_port *p = &v[i].end->instance->module->ports[v[i].end->port];

		if (p->flags & HD_ARRAY)
			ends_of(v[i].end->instance, p)->n++;
	}
	for (size_t i = 0; i < n; i++) {
		const struct hd_port *p = &v[i].end->instance->module->ports[v[i].end->port];
		struct hd_ends *e = ends_of(v[i].end->instance, p);

		if ((p->flags & HD_ARRAY) && !e->v) {
			e->v = hd__zeroed(s, e->n, sizeof *e->v);
			e->n = 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		bind_end(v[i].channel, v[i].end);
	free(v);
}

static struct hd_users *users_of(const struct hd_use *u)
{
	const struct hd_port *p = &u->provider->module->ports[u->provider_port];

	return p->flags & HD_ARRAY ? (struct hd_users *)((char *)u->provider->state + p->offset)
	                           : NULL;
}

bool hd__provides(const struct hd_use *u, const void *interface)
{
	const struct hd_port *p = &u->provider->module->ports[u->provider_port];
	const struct hd_users *f = users_of(u);
	const char *at = interface;

	if (!f)
		return at == (const char *)u->provider->state + p->offset;
	return at >= (const char *)f->v && at < (const char *)f->v + (size_t)f->n * p->type->size;
}

/* A provider that tells its users apart gets room for one interface struct and one waker for each. */
static void make_users(struct hd_sim *s)
{
	for (size_t i = 0; i < s->nuses; i++) {
		struct hd_users *f = users_of(&s->uses[i]);

		if (f)
			f->n++;
	}
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];
		struct hd_users *f = users_of(u);

		if (!f || f->v)
			continue;
		f->v = hd__zeroed(s, f->n, u->provider->module->ports[u->provider_port].type->size);
		f->waker = hd__zeroed(s, f->n, sizeof *f->waker);
		f->n = 0;
	}
}

/* The interface struct for this use, the next one of a provider that tells its users apart. */
static const void *interface_of(const struct hd_use *u)
{
	const struct hd_port *p = &u->provider->module->ports[u->provider_port];
	struct hd_users *f = users_of(u);

	if (!f)
		return (char *)u->provider->state + p->offset;
	((struct hd_waker *)f->waker)[f->n] = u->user->ctx.self;
	return (char *)f->v + f->n++ * p->type->size;
}

void hd__bind_interfaces(struct hd_sim *s)
{
	make_users(s);
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];
		const struct hd_port *p = &u->user->module->ports[u->user_port];

		if (p->flags & HD_ARRAY)
			((struct hd_ifs *)((char *)u->user->state + p->offset))->n++;
	}
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];
		const struct hd_port *p = &u->user->module->ports[u->user_port];
		void *place = (char *)u->user->state + p->offset;
		const void *interface = interface_of(u);

		if (p->flags & HD_ARRAY) {
			struct hd_ifs *f = place;

			if (!f->v) {
				f->v = hd__zeroed(s, f->n, sizeof *f->v);
				f->n = 0;
			}
			f->v[f->n++] = interface;
		} else {
			*(const void **)place = interface;
		}
	}
}

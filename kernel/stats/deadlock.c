/* deadlock.c - what each buffer holds, and which instances wait for room in one
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "deadlock.h"
#include "base/path.h"

#include <stdlib.h>

#define CHAIN 16 /* most instances in a chain of waiting */

/* A channel, or a queue inside of an instance. */
struct buffer {
	char *name;
	const struct hd_channel *channel; /* or NULL */
	const struct hd_gauge *gauge;     /* or NULL */
};

struct hd_buffers {
	const struct hd_sim *sim;
	struct buffer *v; /* by name and index */
	size_t n;
	const struct hd_channel **by_chan; /* all channels, by the address of their hd_chan */
};

/* ---- ends of channels ---- */

bool hd__end_is_full(const struct hd_channel *c, const struct hd_link_end *e)
{
	if (c->slotted)
		return e->slots != 0 && (c->chan->full & e->slots) == e->slots;
	return c->chan->tail - c->chan->head >= c->capacity;
}

bool hd__end_has_some(const struct hd_channel *c, const struct hd_link_end *e)
{
	return c->slotted ? (c->chan->full & e->slots) != 0 : c->chan->tail != c->chan->head;
}

uint32_t hd__channel_fill(const struct hd_channel *c)
{
	return c->slotted ? hd_bits_count(c->chan->full) : c->chan->tail - c->chan->head;
}

static const struct hd_port *port_of(const struct hd_link_end *e)
{
	return &e->instance->module->ports[e->port];
}

/* Position of the end among those of its array port; 0 for another port. */
static uint32_t end_index(const struct hd_channel *c, const struct hd_link_end *e)
{
	const struct hd_ends *v = (void *)((char *)e->instance->state + port_of(e)->offset);
	uint32_t i = 0;

	if (!(port_of(e)->flags & HD_ARRAY))
		return 0;
	while (i < v->n && v->v[i].ch != c->chan)
		i++;
	return i;
}

/* "collector.in" */
static char *end_name(const struct hd_link_end *e)
{
	return hd__format("%s.%s", e->instance->path, port_of(e)->name);
}

static json_t *end_names(const struct hd_link_end *v, size_t n)
{
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		char *name = end_name(&v[i]);

		json_array_append_new(all, json_string(name));
		free(name);
	}
	return all;
}

/* ---- all buffers ---- */

static char *channel_name(const struct hd_channel *c)
{
	const struct hd_link_end *e = &c->to[0];

	if (port_of(e)->flags & HD_ARRAY)
		return hd__format("%s.%s[%u]", e->instance->path, port_of(e)->name, end_index(c, e));
	return end_name(e);
}

static int by_name(const void *va, const void *vb)
{
	return hd__path_order(((const struct buffer *)va)->name, ((const struct buffer *)vb)->name);
}

static int by_address(const void *va, const void *vb)
{
	const struct hd_channel *a = *(const struct hd_channel *const *)va;
	const struct hd_channel *b = *(const struct hd_channel *const *)vb;

	return a->chan < b->chan ? -1 : a->chan > b->chan;
}

struct hd_buffers *hd__buffers_new(const struct hd_sim *s)
{
	struct hd_buffers *b = hd__xcalloc(1, sizeof *b);

	b->sim = s;
	b->v = hd__xcalloc(s->nchannels + s->ngauges + 1, sizeof *b->v);
	b->by_chan = hd__xcalloc(s->nchannels + 1, sizeof *b->by_chan);
	for (size_t i = 0; i < s->nchannels; i++) {
		b->v[b->n++] = (struct buffer){ channel_name(s->channels[i]), s->channels[i], NULL };
		b->by_chan[i] = s->channels[i];
	}
	for (size_t i = 0; i < s->ngauges; i++)
		if (!s->gauges[i].chan)
			b->v[b->n++] = (struct buffer){ hd__xstrdup(s->gauges[i].name), NULL, &s->gauges[i] };
	qsort(b->v, b->n, sizeof *b->v, by_name);
	qsort(b->by_chan, s->nchannels, sizeof *b->by_chan, by_address);
	return b;
}

void hd__buffers_free(struct hd_buffers *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		free(b->v[i].name);
	free(b->v);
	free(b->by_chan);
	free(b);
}

size_t hd__buffers_count(const struct hd_buffers *b)
{
	return b->n;
}

static uint32_t inside(const struct buffer *v)
{
	return v->channel ? hd__channel_fill(v->channel) : v->gauge->meter->n;
}

static bool any_end_fits(const char *pattern, const struct hd_link_end *v, size_t n)
{
	bool yes = false;

	for (size_t i = 0; i < n && !yes; i++) {
		char *name = end_name(&v[i]);

		yes = hd__path_fits(pattern, name) || hd__path_fits(pattern, v[i].instance->path)
		      || hd__path_fits(pattern, v[i].instance->decl->name);
		free(name);
	}
	return yes;
}

static bool selected(const char *pattern, const struct buffer *v)
{
	const char *dot = strrchr(v->name, '.');

	if (!pattern || hd__path_fits(pattern, v->name))
		return true;
	if (v->channel)
		return any_end_fits(pattern, v->channel->from, v->channel->nfrom)
		       || any_end_fits(pattern, v->channel->to, v->channel->nto);
	if (dot) {
		char *path = hd__xstrndup(v->name, (size_t)(dot - v->name));
		bool yes = hd__path_fits(pattern, path);

		free(path);
		return yes;
	}
	return false;
}

static json_t *buffer_json(const struct buffer *v)
{
	const struct hd_channel *c = v->channel;
	uint32_t capacity = c ? c->capacity : v->gauge->capacity ? *v->gauge->capacity : 0;
	json_t *o = json_pack("{s:s, s:s, s:I}", "name", v->name, "unit",
	                      c ? c->type->name : v->gauge->unit, "n", (json_int_t)inside(v));

	if (capacity)
		json_object_set_new(o, "capacity", json_integer(capacity));
	if (!c)
		return o;
	json_object_set_new(o, "from", end_names(c->from, c->nfrom));
	json_object_set_new(o, "to", end_names(c->to, c->nto));
	json_object_set_new(o, "passed", json_integer(c->chan->tail));
	return o;
}

json_t *hd__buffers_json(const struct hd_buffers *b, const char *pattern, size_t most, size_t *n)
{
	json_t *all = json_array();

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (selected(pattern, &b->v[i]) && (*n)++ < most)
			json_array_append_new(all, buffer_json(&b->v[i]));
	return all;
}

json_t *hd__buffers_inside(const struct hd_buffers *b)
{
	json_t *all = json_array();

	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(all, json_integer(inside(&b->v[i])));
	return all;
}

json_t *hd__buffers_passed(const struct hd_buffers *b)
{
	json_t *all = json_array();

	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(all, json_integer(!b->v[i].channel ? -1
		                      : (json_int_t)b->v[i].channel->chan->tail));
	return all;
}

/* ---- who waits ---- */

static const struct hd_channel *channel_at(const struct hd_buffers *b, const struct hd_chan *chan)
{
	struct hd_channel key = { .chan = (struct hd_chan *)chan };
	const struct hd_channel *p = &key, *const *found;

	found = bsearch(&p, b->by_chan, b->sim->nchannels, sizeof *b->by_chan, by_address);
	return found ? *found : NULL;
}

/* The receiver of a slot; of a FIFO the first. */
static const struct hd_link_end *receiver(const struct hd_channel *c, uint32_t slot)
{
	for (size_t k = 0; k < c->nto && c->slotted; k++)
		if (c->to[k].slots >> slot % 64 & 1)
			return &c->to[k];
	return &c->to[0];
}

/* Follows the answers of receivers, from that of the channel, to the one that gives a reason. */
static void add_reason(const struct hd_buffers *b, const struct hd_channel *c,
                       const struct hd_link_end *e, json_t *o)
{
	for (int i = 0; c && i < CHAIN; i++) {
		const struct hd_module *m = e->instance->module;
		struct hd_answer a;

		if (!m->stall_cause)
			return;
		a = m->stall_cause(e->instance->state, e->port, end_index(c, e));
		if (!a.behind) {
			json_object_set_new(o, "reason", json_string(m->reasons[a.reason].name));
			json_object_set_new(o, "why", json_string(m->reasons[a.reason].doc));
			return;
		}
		c = channel_at(b, a.behind->ch);
		if (!c)
			return;
		e = receiver(c, a.slot);
		json_object_set_new(o, "behind", json_string(e->instance->path));
	}
}

json_t *hd__buffers_full(const struct hd_buffers *b, size_t most, size_t *n)
{
	json_t *all = json_array();

	*n = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct hd_channel *c = b->v[i].channel;

		for (size_t k = 0; c && k < c->nfrom; k++) {
			const struct hd_link_end *to;
			char *from;
			json_t *o;

			if (!hd__end_is_full(c, &c->from[k]) || (*n)++ >= most)
				continue;
			to = receiver(c, c->slotted ? hd_bits_first(c->from[k].slots) : 0);
			from = end_name(&c->from[k]);
			o = json_pack("{s:s, s:s, s:s, s:I}", "from", from, "to", to->instance->path, "buffer",
			              b->v[i].name, "n", (json_int_t)hd__channel_fill(c));
			add_reason(b, c, to, o);
			json_array_append_new(all, o);
			free(from);
		}
	}
	return all;
}

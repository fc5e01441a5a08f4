/* ahead_fill.c - gauges of channels between domains: how full they were at which edge is found after the edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * In a window the ends of a channel are at different edges, so only the edges of puts and takes are noted.  They are
 * counted behind the window.
 */
#include "ahead_plan.h"

/* What is done before the clock's first edge counts as done in it. */
static uint64_t from_first(uint64_t edge)
{
	return edge == UINT64_MAX ? 0 : edge;
}

/* The edge in which a payload was put that is or was at that place. */
static uint64_t put_edge(const struct hd_chan *c, uint32_t place)
{
	return from_first(c->visible[place & c->mask] - c->latency);
}

static uint64_t take_edge(const struct hd_chan *c, uint32_t place)
{
	return from_first(c->visible[c->mask + 1 + (place & c->mask)]);
}

/* Of what has moved since the window began. */
static uint64_t last_edge(const struct hd_crossing *x, const struct hd_chan *c, uint64_t edge)
{
	if (c->tail != x->tail && put_edge(c, c->tail - 1) > edge)
		edge = put_edge(c, c->tail - 1);
	if (c->head != x->head && take_edge(c, c->head - 1) > edge)
		edge = take_edge(c, c->head - 1);
	return edge;
}

/* Is the payload of that place inside at the end of the edge?  One that was taken before the window is not. */
static bool inside(const struct hd_crossing *x, const struct hd_chan *c, uint32_t place, uint64_t edge)
{
	if (place - x->head >= c->head - x->head) /* it is not one of those that were taken in the window */
		return (int32_t)(place - x->head) >= 0;
	return take_edge(c, place) > edge;
}

/* Counts puts and takes as if they had come in the order of their edges: each payload that was put counts from then
 * on, and each that was taken no longer.  In a window no more is put than there was room for before it.  The most are
 * inside at the end of an edge in which some were put, or of the first: more than before if the payload is still
 * inside that was put so many before the last one. */
static void settle(const struct hd_crossing *x, const struct hd_chan *c)
{
	struct hd_meter *m = &c->gauge->own;
	const uint64_t last = last_edge(x, c, m->at);
	uint64_t edge = m->at, sum = last * (c->tail - c->head) - edge * (x->tail - x->head);

	for (uint32_t put = x->tail - 1;; put++, edge = put_edge(c, put), sum -= edge) {
		while (edge < last && inside(x, c, put - m->most, edge))
			m->most++;
		if (put == c->tail - 1)
			break;
	}
	for (uint32_t taken = x->head; taken != c->head; taken++)
		sum += take_edge(c, taken);
	m->sum += sum;
	m->at = last;
	m->n = c->tail - c->head;
}

void hd__ahead_fill(const struct hd_ahead *a, bool on)
{
	for (size_t i = 0; i < a->ncrossings; i++) {
		struct hd_crossing *x = &a->crossings[i];
		struct hd_chan *c = x->channel->chan;

		if (!c->gauge)
			continue;
		if (on) {
			c->flags |= HD_CHAN_LATER;
			x->head = c->head;
			x->tail = c->tail;
			continue;
		}
		c->flags &= ~(uint32_t)HD_CHAN_LATER;
		if (x->head != c->head || x->tail != c->tail)
			settle(x, c);
	}
}

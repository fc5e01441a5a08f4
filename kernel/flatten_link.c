/* flatten_link.c - writes the links of a netlist as they are simulated
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Links of one entry stay one entry, since they may rotate together.  Capacity, slots and latency
 * are written at the first link of a channel, which determines them.
 */
#include "flatten.h"
#include "linker.h"

#include <stdlib.h>

/* ---- ends ---------------------------------------------------------------------------------- */

/* Elements first..last of an array. */
static char *range_text(const struct hd_side_end *p, uint32_t first, uint32_t last)
{
	const struct hd_instance_decl *d = p->array->decl;

	if (!d->array)
		return hd__join(d->name, ".", p->port->name);
	if (first == 0 && last == d->count - 1)
		return hd__format("%s[*].%s", d->name, p->port->name);
	if (first == last)
		return hd__format("%s[%u].%s", d->name, first, p->port->name);
	return hd__format("%s[%u..%u].%s", d->name, first, last, p->port->name);
}

/* "a[*].x, b[0..2].y" */
static json_t *side_value(const struct hd_side *d)
{
	char *text = NULL, *one, *longer;
	json_t *v;

	for (uint32_t i = 0, k; i < d->n; i = k) {
		uint32_t first = d->v[i].instance->index;

		for (k = i + 1; k < d->n && d->v[k].array == d->v[i].array
		                && d->v[k].port == d->v[i].port
		                && d->v[k].instance->index == first + (k - i);)
			k++;
		one = range_text(&d->v[i], first, first + (k - i) - 1);
		longer = text ? hd__format("%s, %s", text, one) : one;
		if (text)
			free(one);
		free(text);
		text = longer;
	}
	v = hd__xcheck(json_string(text ? text : ""));
	free(text);
	return v;
}

/* ---- members ------------------------------------------------------------------------------- */

/* The attributes for one side, except those for which the other side has another default. */
static void add_attrs(const struct hd_sim *s, json_t *o, const struct hd_link_decl *l,
                      const struct hd_side_end *a, const struct hd_side_end *b, const char *folder)
{
	for (const struct hd_param *p = a->port->attrs; p && p->name; p++) {
		const json_t *given = json_object_get(l->attrs, p->name);
		bool differs = false;

		for (const struct hd_param *q = b->port->attrs; q && q->name && !given; q++)
			if (strcmp(p->name, q->name) == 0 && strcmp(p->def, q->def) != 0)
				differs = true;
		if (!differs)
			json_object_set_new(o, p->name, hd__flatten_value(s, p, given, folder));
	}
}

static void add_channel(json_t *o, const struct hd_link_decl *l, const struct hd_channel *made)
{
	bool delayed = made != NULL && (made->to[0].instance->module->ports[made->to[0].port].flags & HD_DELAYED);

	if ((made != NULL || l->has_latency) && !delayed)
		json_object_set_new(o, "latency", json_integer(l->latency));
	if (l->staged)
		json_object_set_new(o, "staged", json_true());
	if (made != NULL)
		json_object_set_new(o, made->slotted ? "slots" : "capacity",
		                    json_integer(made->capacity));
	else if (l->capacity > 0)
		json_object_set_new(o, "capacity", json_integer(l->capacity));
	else if (l->slots > 0)
		json_object_set_new(o, "slots", json_integer(l->slots));
	if (l->shared_slots)
		json_object_set_new(o, "index", json_string("any"));
}

/* By link: the channel that it was the first of, or NULL.  The caller frees it. */
static const struct hd_channel **channels_made(const struct hd_sim *s)
{
	const struct hd_channel **v = hd__xcalloc(s->netlist->nlinks, sizeof *v);

	for (size_t i = 0; i < s->nchannels; i++)
		v[s->channels[i]->link] = s->channels[i];
	return v;
}

static bool has_end(const struct hd_link_end *v, size_t n, const struct hd_side_end *end)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].instance == end->instance && v[i].port == end->port_index)
			return true;
	return false;
}

/* The channel between two ends, which another link may have made. */
static const struct hd_channel *channel_of(const struct hd_sim *s, const struct hd_side_end *from,
                                           const struct hd_side_end *to)
{
	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		if (has_end(c->from, c->nfrom, from) && has_end(c->to, c->nto, to))
			return c;
	}
	return NULL;
}

/* ---- all links ----------------------------------------------------------------------------- */

/* The links of the entry of `first`, as one object. */
static json_t *entry_value(struct hd_linker *l, const struct hd_channel **made, size_t first,
                           size_t last, const char *folder)
{
	const struct hd_link_decl *links = l->s->netlist->links;
	json_t *o = hd__xcheck(json_object()), *from = hd__xcheck(json_array());
	const struct hd_channel *channel = NULL;

	for (size_t i = first; i < last; i++)
		channel = made[i] != NULL ? made[i] : channel;
	for (size_t i = first; i < last; i++) {
		struct hd_side a = { .decl = &links[i].from, .member = "from" };
		struct hd_side b = { .decl = &links[i].to, .member = "to" };

		l->decl = &links[i];
		l->link = i;
		if (hd__side_resolve(l, &a) && hd__side_resolve(l, &b)) {
			json_array_append_new(from, side_value(&a));
			json_object_set(o, "from", from);
			json_object_set_new(o, "to", side_value(&b));
			if (channel == NULL && a.v[0].port->kind == HD_OUT)
				channel = channel_of(l->s, &a.v[0], &b.v[0]);
			if (i == last - 1 && a.v[0].port->kind == HD_OUT)
				add_channel(o, &links[i], channel);
			add_attrs(l->s, o, &links[i], &a.v[0], &b.v[0], folder);
			add_attrs(l->s, o, &links[i], &b.v[0], &a.v[0], folder);
		}
		free(a.v);
		free(b.v);
	}
	if (json_array_size(from) == 1)
		json_object_set(o, "from", json_array_get(from, 0));
	if (links[first].rotate)
		json_object_set_new(o, "rotate", json_true());
	json_decref(from);
	return o;
}

json_t *hd__flatten_links(struct hd_sim *s, const char *folder)
{
	const struct hd_netlist *n = s->netlist;
	const struct hd_channel **made = channels_made(s);
	struct hd_linker l = { .s = s };
	json_t *all = hd__xcheck(json_array());

	hd__link_names(&l);
	for (size_t i = 0, k; i < n->nlinks; i = k) {
		for (k = i + 1; k < n->nlinks && n->links[k].group == n->links[i].group;)
			k++;
		json_array_append_new(all, entry_value(&l, made, i, k, folder));
	}
	json_decref(l.array_by_name);
	free(made);
	return all;
}

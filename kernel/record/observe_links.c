/* observe_links.c - the prologue of a dump: which instances are linked, by channels and by calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Of large netlists there are many links of few kinds: one entry has all between the same ports of the same
 * size, as a list of the numbers of their instances.
 */
#include "observe.h"

struct groups {
	json_t *all, *by_key;
};

/* The ends of the group with this key; if it is new, `fresh` becomes its entry.  Frees key. */
static json_t *ends_of(struct groups *g, char *key, json_t *(*fresh)(const void *of), const void *of)
{
	json_t *ends = json_object_get(g->by_key, key);

	if (!ends) {
		json_t *entry = hd__xcheck(fresh(of));

		ends = hd__xcheck(json_array());
		json_object_set_new(entry, "ends", ends);
		json_array_append_new(g->all, entry);
		json_object_set(g->by_key, key, ends);
	}
	free(key);
	return ends;
}

static void append(json_t *ends, const struct hd_instance *from, const struct hd_instance *to)
{
	json_array_append_new(ends, json_integer(from->number));
	json_array_append_new(ends, json_integer(to->number));
}

/* ---- channels ------------------------------------------------------------------------------- */

struct pair {
	const struct hd_channel *channel;
	const struct hd_port *from, *to;
};

static json_t *new_channel(const void *of)
{
	const struct pair *p = of;
	json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "kind", "channel", "type",
		p->channel->type->name, "from", p->from->name, "to", p->to->name, "capacity",
		(json_int_t)p->channel->capacity, "latency", (json_int_t)p->channel->latency);

	if (entry && (p->from->flags & HD_NO_WORK))
		json_object_set_new(entry, "work", json_string("none"));
	if (entry && p->channel->slotted)
		json_object_set_new(entry, "slots", json_true());
	return entry;
}

static void add_channel(struct groups *g, const struct hd_channel *c)
{
	for (size_t i = 0; i < c->nfrom; i++)
		for (size_t k = 0; k < c->nto; k++) {
			const struct hd_link_end *a = &c->from[i], *b = &c->to[k];
			const struct pair p = { c, &a->instance->module->ports[a->port],
				                &b->instance->module->ports[b->port] };
			char *key = hd__format("%s %s %s %u %u %d", c->type->name, p.from->name, p.to->name,
			                       c->capacity, c->latency, c->slotted);

			append(ends_of(g, key, new_channel, &p), a->instance, b->instance);
		}
}

/* ---- calls ---------------------------------------------------------------------------------- */

static json_t *new_call(const void *of)
{
	const struct hd_use *u = of;
	const struct hd_port *from = &u->user->module->ports[u->user_port];
	const struct hd_port *to = &u->provider->module->ports[u->provider_port];
	json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "kind", "calls", "type", to->type->name, "from",
		from->name, "to", to->name);
	unsigned work = hd__work_of(u);

	if (entry && work)
		json_object_set_new(entry, "work", json_string(work == HD_WORK_OUT ? "out" : "in"));
	if (entry && hd__work_returns(u))
		json_object_set_new(entry, "returns", json_true());
	return entry;
}

static void add_use(struct groups *g, const struct hd_use *u)
{
	const struct hd_port *from = &u->user->module->ports[u->user_port];
	const struct hd_port *to = &u->provider->module->ports[u->provider_port];
	char *key = hd__format("%s %s %s %u", to->type->name, from->name, to->name, hd__work_of(u));

	append(ends_of(g, key, new_call, u), u->user, u->provider);
}

json_t *hd__observe_links(const struct hd_sim *s)
{
	struct groups g = { hd__xcheck(json_array()), hd__xcheck(json_object()) };

	for (size_t i = 0; i < s->nchannels; i++)
		add_channel(&g, s->channels[i]);
	for (size_t i = 0; i < s->nuses; i++)
		add_use(&g, &s->uses[i]);
	json_decref(g.by_key);
	return g.all;
}

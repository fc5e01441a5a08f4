/* recorder_links.c - the prologue of a dump: which instances are linked, by channels and by calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Of large netlists there are many links of few kinds: one entry has all between the same ports of the same
 * size, as a list of the numbers of their instances.
 */
#include "recorder.h"

/* What links of one entry have in common. */
struct kind {
	const char *type, *from, *to;
	uint32_t numbers[4];
	json_t *ends;
};

struct groups {
	json_t *all;
	struct kind *kinds; /* several of an entry if their names are at several addresses */
	size_t n, last;     /* last: found before, and likely again */
};

static bool same_addresses(const struct kind *a, const struct kind *b)
{
	return a->from == b->from && a->to == b->to && a->type == b->type
	       && memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0;
}

static bool same_names(const struct kind *a, const struct kind *b)
{
	return strcmp(a->from, b->from) == 0 && strcmp(a->to, b->to) == 0 && strcmp(a->type, b->type) == 0
	       && memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0;
}

static json_t *known_ends(struct groups *g, const struct kind *k,
                          bool (*same)(const struct kind *, const struct kind *))
{
	for (size_t i = 0; i < g->n; i++)
		if (same(&g->kinds[i], k)) {
			g->last = i;
			return g->kinds[i].ends;
		}
	return NULL;
}

/* The ends of the links of this kind; if it is new, `fresh` becomes its entry. */
static json_t *ends_of(struct groups *g, struct kind k, json_t *(*fresh)(const void *of), const void *of)
{
	json_t *entry;

	if (g->n > 0 && same_addresses(&g->kinds[g->last], &k))
		return g->kinds[g->last].ends;
	k.ends = known_ends(g, &k, same_addresses);
	if (k.ends)
		return k.ends;
	k.ends = known_ends(g, &k, same_names);
	if (!k.ends) {
		entry = hd__xcheck(fresh(of));
		k.ends = hd__xcheck(json_array());
		json_object_set_new(entry, "ends", k.ends);
		json_array_append_new(g->all, entry);
	}
	g->kinds = hd__xappend(g->kinds, g->n, sizeof *g->kinds);
	g->last = g->n;
	g->kinds[g->n++] = k;
	return k.ends;
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
			const struct kind same = { c->type->name, p.from->name, p.to->name,
				{ 0, c->capacity, c->latency, c->slotted }, NULL };

			append(ends_of(g, same, new_channel, &p), a->instance, b->instance);
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
	const struct kind k = { to->type->name, from->name, to->name, { 1, hd__work_of(u) }, NULL };

	append(ends_of(g, k, new_call, u), u->user, u->provider);
}

json_t *hd__observe_links(const struct hd_sim *s)
{
	struct groups g = { .all = hd__xcheck(json_array()) };

	for (size_t i = 0; i < s->nchannels; i++)
		add_channel(&g, s->channels[i]);
	for (size_t i = 0; i < s->nuses; i++)
		add_use(&g, &s->uses[i]);
	free(g.kinds);
	return g.all;
}

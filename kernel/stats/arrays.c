/* arrays.c - the arrays of a netlist in the statistics: how many elements they have, and their place among the links
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The place is a number that does not depend on names and counts: modules and ports at both ends of the links, and
 * members of the links such as "unit".  So an array of another netlist can be found that does the same under another
 * name.
 */
#include "base/path.h"
#include "stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <xxhash.h>

/* Instances that differ only in indices. */
struct group {
	char *name;
	const struct hd_module *module;
	uint64_t count;
	uint32_t turns;  /* of its elements, one of so many works in a cycle; 0: all do */
	uint64_t *links; /* a number for each kind of link, each once */
	size_t n, cap;
};

struct groups {
	struct group *v; /* in order of name and index */
	size_t n, cap;
	uint32_t *of;    /* by instance */
	const struct hd_link_decl *links;
	struct {
		const struct hd_link_decl *link;
		const struct hd_port *port;
		uint64_t hash;
	} last[2];       /* attributes, of ports at the near and the far end */
};

static uint64_t add_text(uint64_t hash, const char *text)
{
	return XXH64(text, strlen(text) + 1, hash);
}

/* v: all instances, sorted. */
static void make_groups(struct groups *g, const struct hd_sim *s, const struct hd_instance *const *v)
{
	json_t *known = json_object();

	g->of = hd__xcalloc(s->ninstances + 1, sizeof *g->of);
	for (size_t i = 0; i < s->ninstances; i++) {
		bool next = i > 0 && v[i]->decl == v[i - 1]->decl;
		char *name = next ? NULL : hd__path_any_index(v[i]->path);
		const json_t *at = next ? NULL : json_object_get(known, name);
		size_t k = next ? g->of[v[i - 1]->number] : at ? (size_t)json_integer_value(at) : g->n;

		if (k == g->n) {
			g->v = hd__xgrow(g->v, g->n, &g->cap, sizeof *g->v);
			json_object_set_new_nocheck(known, name, json_integer((json_int_t)k));
			g->v[g->n++] = (struct group){ .name = name, .module = v[i]->module };
			name = NULL;
		}
		g->v[k].count++;
		g->v[k].turns = v[i]->turns;
		g->of[v[i]->number] = (uint32_t)k;
		free(name);
	}
	json_decref(known);
}

static int add_piece(const char *text, size_t n, void *state)
{
	XXH64_update(state, text, n);
	return 0;
}

/* A number for the attributes that the link has for the port, but for those that are as they would be without it. */
static uint64_t hash_of_attrs(const struct hd_link_decl *l, const struct hd_port *port)
{
	XXH64_state_t *state = hd__xcheck(XXH64_createState());
	uint64_t hash;

	XXH64_reset(state, 0);
	for (const struct hd_param *p = port->attrs; p && p->name; p++) {
		const json_t *v = json_object_get(l->attrs, p->name);
		json_t *def = v && p->def ? json_loads(p->def, JSON_DECODE_ANY, NULL) : NULL;

		if (v && !json_equal(v, def)) {
			XXH64_update(state, p->name, strlen(p->name) + 1);
			json_dump_callback(v, add_piece, state, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
		}
		json_decref(def);
	}
	hash = XXH64_digest(state);
	XXH64_freeState(state);
	return hash;
}

static uint64_t attrs_of(struct groups *g, const struct hd_link_decl *l, const struct hd_link_end *end, unsigned side)
{
	const struct hd_port *port = &end->instance->module->ports[end->port];

	if (!l->attrs || json_object_size(l->attrs) == 0)
		return 0;
	if (g->last[side].link != l || g->last[side].port != port) {
		g->last[side].link = l;
		g->last[side].port = port;
		g->last[side].hash = hash_of_attrs(l, port);
	}
	return g->last[side].hash;
}

/* One end of a link has another one. */
static void add_link(struct groups *g, const struct hd_link_end *end, const struct hd_link_end *other, size_t link)
{
	struct group *group = &g->v[g->of[end->instance->number]];
	const struct hd_module *a = end->instance->module, *b = other->instance->module;
	uint64_t attrs = attrs_of(g, &g->links[link], end, 0) ^ attrs_of(g, &g->links[link], other, 1) << 1;
	uint64_t hash = add_text(add_text(add_text(attrs, a->ports[end->port].name), b->name),
	                         b->ports[other->port].name);

	for (size_t i = group->n; i-- > 0;)
		if (group->links[i] == hash)
			return;
	group->links = hd__xgrow(group->links, group->n, &group->cap, sizeof *group->links);
	group->links[group->n++] = hash;
}

/* Both ends of a channel may have links of their own. */
static void add_channel(struct groups *g, const struct hd_channel *c)
{
	for (size_t i = 0; i < c->nfrom; i++)
		for (size_t k = 0; k < c->nto; k++) {
			add_link(g, &c->from[i], &c->to[k], c->from[i].link);
			add_link(g, &c->to[k], &c->from[i], c->to[k].link);
		}
}

static void add_use(struct groups *g, const struct hd_use *u)
{
	const struct hd_link_end user = { .instance = u->user, .port = u->user_port };
	const struct hd_link_end provider = { .instance = u->provider, .port = u->provider_port };

	add_link(g, &user, &provider, u->link);
	add_link(g, &provider, &user, u->link);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

json_t *hd__stats_arrays(const struct hd_sim *s, const struct hd_instance *const *sorted)
{
	struct groups g = { .links = s->netlist->links };
	json_t *all = json_object();

	make_groups(&g, s, sorted);
	for (size_t i = 0; i < s->nchannels; i++)
		add_channel(&g, s->channels[i]);
	for (size_t i = 0; i < s->nuses; i++)
		add_use(&g, &s->uses[i]);
	for (size_t i = 0; i < g.n; i++) {
		struct group *x = &g.v[i];
		uint64_t hash = add_text(0, x->module->name);
		char place[17];

		if (x->n > 0)
			qsort(x->links, x->n, sizeof *x->links, by_number);
		for (size_t k = 0; k < x->n; k++) {
			XXH64_canonical_t same; /* on every machine */

			XXH64_canonicalFromHash(&same, x->links[k]);
			hash = XXH64(&same, sizeof same, hash);
		}
		snprintf(place, sizeof place, "%016" PRIx64, hash);
		json_object_set_new_nocheck(all, x->name, json_pack("{s:s, s:I, s:s, s:o*}", "module", x->module->name,
			"count", (json_int_t)x->count, "place", place, "turns",
			x->turns > 0 ? json_integer(x->turns) : NULL));
		free(x->name);
		free(x->links);
	}
	free(g.v);
	free(g.of);
	return all;
}

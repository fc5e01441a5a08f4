/* dot_model.c - the nodes and edges of a drawing
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dot_model.h"

#include "dot_fold.h"
#include "base/words.h"

#include <stdlib.h>

static uint32_t node_of(const struct hd_graph *g, const struct hd_instance *in)
{
	uint32_t array = (uint32_t)(in->array - g->s->arrays);

	if (g->home != NULL)
		return g->home[array];
	return g->o->expand ? in->number : array;
}

static void make_nodes(struct hd_graph *g)
{
	const struct hd_sim *s = g->s;

	g->nnodes = g->o->expand ? s->ninstances : s->narrays;
	g->nodes = hd__xcalloc(g->nnodes, sizeof *g->nodes);
	for (size_t i = 0; i < g->nnodes; i++) {
		struct hd_graph_node *n = &g->nodes[i];

		n->array = g->o->expand ? s->instances[i].array : &s->arrays[i];
		n->name = g->o->expand ? s->instances[i].path : n->array->decl->name;
		n->count = g->o->expand ? 1 : n->array->decl->count;
	}
}

/* The edge between these ports; created if there is none. */
static struct hd_graph_edge *edge_between(struct hd_graph *g, const struct hd_graph_edge *e)
{
	uint64_t *first = hd__int_map_at(&g->between, (uint64_t)e->from << 32 | e->to);
	struct hd_graph_edge *new;

	for (uint64_t i = *first; i != 0; i = g->edges[i - 1].next) {
		struct hd_graph_edge *old = &g->edges[i - 1];

		if (old->from_port == e->from_port && old->to_port == e->to_port)
			return old;
	}
	g->edges = hd__xgrow(g->edges, g->nedges, &g->cap, sizeof *g->edges);
	new = &g->edges[g->nedges++];
	*new = *e;
	new->next = (uint32_t)*first;
	*first = g->nedges;
	g->nodes[e->from].drawn = g->nodes[e->to].drawn = true;
	return new;
}

/* Adds the names in a link's attributes. */
static void add_names(struct hd_graph_edge *e, const json_t *attrs)
{
	const char *key, *word;
	json_t *v;
	char *longer;

	json_object_foreach((json_t *)attrs, key, v) {
		word = json_string_value(v);
		if (word == NULL)
			continue;
		longer = e->names ? hd__format("%s %s", e->names, word) : hd__xstrdup(word);
		free(e->names);
		e->names = longer;
	}
}

static void add_channel(struct hd_graph *g, const struct hd_channel *c)
{
	for (size_t i = 0; i < c->nfrom; i++) {
		for (size_t k = 0; k < c->nto; k++) {
			const struct hd_link_end *a = &c->from[i], *b = &c->to[k];
			const struct hd_graph_edge new = { .from = node_of(g, a->instance),
				                  .to = node_of(g, b->instance),
				                  .from_port = &a->instance->module->ports[a->port],
				                  .to_port = &b->instance->module->ports[b->port] };
			struct hd_graph_edge *e = edge_between(g, &new);
			const struct hd_link_decl *d = &g->s->netlist->links[a->link];

			/* the elements of one link are one channel, or one each */
			if (e->channel == NULL
			    || (e->channel != c && e->channel->link != c->link)) {
				e->channels++;
				add_names(e, d->attrs);
			}
			e->channel = c;
		}
	}
}

/* With --fold: is the call one of a box to another, of something that has a box because it is called? */
static bool calls_box(const struct hd_graph *g, const struct hd_use *u)
{
	const struct hd_array *to = u->provider->array;

	return to->module->eval == NULL && node_of(g, u->provider) == to - g->s->arrays
	       && u->user->module->eval != NULL;
}

static void add_use(struct hd_graph *g, const struct hd_use *u)
{
	const struct hd_port *from = &u->user->module->ports[u->user_port];
	const struct hd_port *to = &u->provider->module->ports[u->provider_port];
	struct hd_graph_edge e = { .from = node_of(g, u->user), .to = node_of(g, u->provider),
		          .from_port = from, .to_port = to };
	struct hd_graph_edge *found;

	if (g->home != NULL && !calls_box(g, u))
		return;
	if (g->o->only != NULL && !hd__in_list(g->o->only, to->type->name))
		return;
	if (to->phase < hd__graph_last_phase(u->provider->module)) {
		e.back = true;
		e.from = node_of(g, u->provider);
		e.to = node_of(g, u->user);
		e.from_port = to;
		e.to_port = from;
	}
	found = edge_between(g, &e);
	found->channels++;
}

/* ---- shortcuts ----------------------------------------------------------------------------- */

/* The edges that leave each node. */
struct roads {
	const struct hd_graph *g;
	uint32_t *first;  /* of a node in .edges; the next node's is behind its last */
	uint32_t *edges;
	uint32_t *seen;   /* the search that has come to a node, counted from 1 */
	uint32_t *open;   /* nodes from which it is to go on */
	uint32_t search;
};

static void find_roads(struct roads *r, const struct hd_graph *g)
{
	r->g = g;
	r->first = hd__xcalloc(g->nnodes + 2, sizeof *r->first);
	r->edges = hd__xcalloc(g->nedges, sizeof *r->edges);
	r->seen = hd__xcalloc(g->nnodes, sizeof *r->seen);
	r->open = hd__xcalloc(g->nnodes, sizeof *r->open);
	for (size_t i = 0; i < g->nedges; i++)
		r->first[g->edges[i].from + 2]++;
	for (size_t i = 2; i < g->nnodes + 2; i++)
		r->first[i] += r->first[i - 1];
	for (size_t i = 0; i < g->nedges; i++) /* .first of the next node moves on to its own place */
		r->edges[r->first[g->edges[i].from + 1]++] = (uint32_t)i;
}

/* Can one go from a node to another without this edge? */
static bool leads_round(struct roads *r, const struct hd_graph_edge *without)
{
	size_t n = 0;

	r->search++;
	r->seen[without->from] = r->search;
	r->open[n++] = without->from;
	while (n > 0) {
		uint32_t at = r->open[--n];

		for (uint32_t i = r->first[at]; i < r->first[at + 1]; i++) {
			const struct hd_graph_edge *e = &r->g->edges[r->edges[i]];

			if (e == without || e->round || r->seen[e->to] == r->search)
				continue;
			if (e->to == without->to)
				return true;
			r->seen[e->to] = r->search;
			r->open[n++] = e->to;
		}
	}
	return false;
}

/* Leaves out calls that skip stages: fetch looks at the buffer that decode, behind it, fills. */
static void drop_shortcuts(struct hd_graph *g)
{
	struct roads r = { .search = 0 };

	find_roads(&r, g);
	for (size_t i = 0; i < g->nedges; i++)
		if (g->edges[i].channel == NULL)
			g->edges[i].round = leads_round(&r, &g->edges[i]);
	free(r.first);
	free(r.edges);
	free(r.seen);
	free(r.open);
}

void hd__graph_make(struct hd_graph *g)
{
	const struct hd_sim *s = g->s;

	g->home = g->o->fold ? hd__graph_homes(s) : NULL;
	make_nodes(g);
	for (size_t i = 0; i < s->nchannels; i++)
		add_channel(g, s->channels[i]);
	for (size_t i = 0; i < s->nuses && (g->o->interfaces || g->o->fold); i++)
		add_use(g, &s->uses[i]);
	if (g->o->fold)
		drop_shortcuts(g);
}

void hd__graph_free(struct hd_graph *g)
{
	for (size_t i = 0; i < g->nedges; i++)
		free(g->edges[i].names);
	free(g->edges);
	free(g->nodes);
	free(g->home);
	hd__int_map_free(&g->between);
}

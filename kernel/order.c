/* order.c - the order of evaluation within an edge, derived from the links
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Every link determines which of two instances comes first; the rest is free.  The free choice is
 * made by module and path, so that the order of the file does not matter and instances of a module
 * are neighbours, or at random with --shuffle.
 */
#include "shard.h"

#include <stdlib.h>

/* What must come before what: nodes are instances and rotating groups. */
struct arc {
	uint32_t to, next;   /* next arc of the same node, UINT32_MAX: none */
	size_t link;
	const struct hd_instance *first, *second; /* the instances, of which some are in groups */
	const struct hd_instance *through[2];     /* a list of callers has this order, and they call through these */
};

struct graph {
	struct hd_sim *s;
	uint32_t n;          /* nodes: instances, then groups */
	uint32_t *first;     /* by node: its arcs */
	uint32_t *indegree;
	struct arc *arcs;
	size_t narcs, cap;
	uint32_t *group_of;  /* by instance: group + 1, or 0 */
	struct hd_instance ***members; /* by group */
	uint32_t *nmembers;
	size_t *group_link;
	uint32_t ngroups;
	uint32_t section, shard; /* of the node that has been placed last */
	bool ok;
};

/* ---- groups that rotate: another member is first at each edge ---- */

static void group_error(struct graph *g, size_t link, const char *what)
{
	hd__netlist_diag(g->s->netlist, g->s->diags, HD_DIAG_ERROR, g->s->netlist->links[link].at,
	                 "rotate", "%s", what);
	g->ok = false;
}

/* Does every edge of the clock lie on one of `up`, and the other way round but for gates? */
static bool steps_with(const struct hd_clock *c, const struct hd_clock *up)
{
	while (c != up) {
		if (!c->parent || c->decl->times != 1 || c->decl->phase_num || c->decl->at_end)
			return false;
		c = c->parent;
	}
	return true;
}

/* The nearest clock that all of the instances step with, or NULL. */
static struct hd_clock *common_clock(struct hd_instance **v, uint32_t n)
{
	struct hd_clock *c = v[0]->clock;

	for (uint32_t i = 1; i < n && c; i++) {
		while (c && !steps_with(v[i]->clock, c))
			c = c->parent && steps_with(c, c->parent) ? c->parent : NULL;
	}
	return c;
}

/* Makes the instances one rotating group; the same set may be named by several links. */
static void add_group(struct graph *g, struct hd_instance **v, uint32_t n, size_t link)
{
	uint32_t have = g->group_of[v[0]->number];

	for (uint32_t i = 0; i < n; i++) {
		if (g->group_of[v[i]->number] != have) {
			group_error(g, link, "the ends of this link already rotate with others; an "
			            "instance can rotate in one group only");
			return;
		}
		if (!v[i]->module->eval) {
			group_error(g, link, "only instances with a process can rotate");
			return;
		}
	}
	if (!common_clock(v, n)) {
		group_error(g, link, "instances that rotate need one clock, or clocks that derive edge "
		            "for edge from one");
		return;
	}
	if (have) {
		if (g->nmembers[have - 1] != n)
			group_error(g, link, "the ends of this link already rotate with others; an "
			            "instance can rotate in one group only");
		return;
	}
	if (n > 64) {
		group_error(g, link, "at most 64 instances can rotate");
		return;
	}
	if (n < 2)
		return;
	g->members = hd__xappend(g->members, g->ngroups, sizeof *g->members);
	g->nmembers = hd__xappend(g->nmembers, g->ngroups, sizeof *g->nmembers);
	g->group_link = hd__xappend(g->group_link, g->ngroups, sizeof *g->group_link);
	g->members[g->ngroups] = hd__xcalloc(n, sizeof **g->members);
	memcpy(g->members[g->ngroups], v, n * sizeof *v);
	g->nmembers[g->ngroups] = n;
	g->group_link[g->ngroups] = link;
	g->ngroups++;
	for (uint32_t i = 0; i < n; i++)
		g->group_of[v[i]->number] = g->ngroups;
}

/* Do two links come from the same entry of "links", which may list several ends? */
static bool same_entry(const struct hd_sim *s, size_t a, size_t b)
{
	return s->netlist->links[a].group == s->netlist->links[b].group;
}

/* Finds the groups of instances that rotate; errors clear g->ok. */
static void find_groups(struct graph *g)
{
	struct hd_sim *s = g->s;
	struct hd_instance **v = hd__xcalloc(s->ninstances + 1, sizeof *v);

	for (size_t i = 0; i < s->nchannels; i++) {
		struct hd_channel *c = s->channels[i];
		uint32_t n = 0;

		if (!c->rotate)
			continue;
		for (size_t k = 0; k < c->nfrom; k++)
			if (s->netlist->links[c->from[k].link].rotate)
				v[n++] = c->from[k].instance;
		if (n)
			add_group(g, v, n, c->link);
	}
	for (size_t i = 0; i < s->nuses; i++) {
		uint32_t n = 0;

		if (!s->uses[i].rotate || (i > 0 && same_entry(s, s->uses[i - 1].link, s->uses[i].link)))
			continue;
		for (size_t k = i; k < s->nuses && same_entry(s, s->uses[k].link, s->uses[i].link); k++)
			if (n == 0 || v[n - 1] != s->uses[k].user)
				v[n++] = s->uses[k].user;
		add_group(g, v, n, s->uses[i].link);
	}
	free(v);
}

/* ---- what comes before what ---- */

static uint32_t node_of(const struct graph *g, const struct hd_instance *in)
{
	uint32_t k = g->group_of[in->number];

	return k ? (uint32_t)g->s->ninstances + k - 1 : in->number;
}

/* An instance that calls at an ordered port or uses a channel, and how it gets there. */
struct caller {
	const struct hd_instance *instance, *through; /* the user at the port */
	size_t link;
};

/* a is evaluated before b, because of the link, which is that of b. */
static void caller_before(struct graph *g, const struct caller *first, const struct caller *second)
{
	const struct hd_instance *a = first->instance, *b = second->instance;
	uint32_t u = node_of(g, a), v = node_of(g, b);

	if (!a->module->eval || !b->module->eval || !a->clock || !b->clock
	    || !hd__clocks_coincide(a->clock, b->clock))
		return;
	if (u == v && (a == b || u >= g->s->ninstances))
		return;
	g->arcs = hd__xgrow(g->arcs, g->narcs, &g->cap, sizeof *g->arcs);
	g->arcs[g->narcs] = (struct arc){ v, g->first[u], second->link, a, b, { first->through, second->through } };
	g->first[u] = (uint32_t)g->narcs++;
	g->indegree[v]++;
}

static void before(struct graph *g, const struct hd_instance *a, const struct hd_instance *b, size_t link)
{
	caller_before(g, &(struct caller){ .instance = a }, &(struct caller){ .instance = b, .link = link });
}

/* Is every instance that is ordered behind b also ordered behind a? */
static bool subsumes(const struct hd_instance *b, const struct hd_instance *a)
{
	return b->module->eval && b->clock == a->clock;
}

/* Ends that may use the same place are evaluated in the order of the netlist. */
static void chain_ends(struct graph *g, const struct hd_link_end *e, size_t n, bool slotted)
{
	for (size_t i = 0; i + 1 < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			if (slotted && !(e[i].slots & e[k].slots))
				continue;
			before(g, e[i].instance, e[k].instance, e[k].link);
			if (!slotted && subsumes(e[k].instance, e[i].instance))
				break; /* a chain of neighbours suffices */
		}
	}
}

/* A wire from an instance to itself: it would have to come before itself. */
static void refuse_wire(struct graph *g, const struct hd_link_end *e)
{
	const struct hd_link_decl *d = &g->s->netlist->links[e->link];

	hd__netlist_diag(g->s->netlist, g->s->diags, HD_DIAG_ERROR, d->at, NULL,
	                 "no order of evaluation satisfies these links: %s must follow %s (link %s.%s "
	                 "to %s.%s); expected \"staged\" on one of them", e->instance->path,
	                 e->instance->path, d->from.instance, d->from.port, d->to.instance, d->to.port);
	g->ok = false;
}

static void channel_arcs(struct graph *g)
{
	for (size_t i = 0; i < g->s->nchannels; i++) {
		const struct hd_channel *c = g->s->channels[i];

		for (size_t a = 0; !c->decl->staged && a < c->nfrom; a++) {
			for (size_t b = 0; b < c->nto; b++) {
				if (c->slotted && !(c->from[a].slots & c->to[b].slots))
					continue;
				if (c->latency == 0 && c->from[a].instance == c->to[b].instance)
					refuse_wire(g, &c->from[a]);
				else if (c->latency == 0)
					before(g, c->from[a].instance, c->to[b].instance, c->from[a].link);
				else
					before(g, c->to[b].instance, c->from[a].instance, c->from[a].link);
			}
		}
		chain_ends(g, c->from, c->nfrom, c->slotted);
		chain_ends(g, c->to, c->nto, c->slotted);
	}
}

static int compare_uses(const void *va, const void *vb)
{
	const struct hd_use *a = *(struct hd_use *const *)va, *b = *(struct hd_use *const *)vb;
	int pa = a->provider->module->ports[a->provider_port].phase;
	int pb = b->provider->module->ports[b->provider_port].phase;

	if (a->provider != b->provider)
		return a->provider->number < b->provider->number ? -1 : 1;
	if (pa != pb)
		return pa < pb ? -1 : 1;
	if (a->provider_port != b->provider_port)
		return a->provider_port < b->provider_port ? -1 : 1;
	return a < b ? -1 : a > b; /* as listed */
}

struct interfaces {
	struct graph *g;
	struct hd_use **v;      /* all uses, by provider */
	size_t *first;          /* by number of an instance: the first use of what it provides */
	size_t *met;            /* by number of an instance: .search of the last search that has met it */
	size_t search;
	bool went_on;           /* calls of others go on from one of them */
	struct caller *callers; /* at one port, or at the ends of one side of a channel */
	size_t ncallers, cap;
	const struct hd_instance **left; /* of which callers have to be found */
	size_t nleft, capleft;
	uint32_t *seen;         /* by node: .look of the last look that has come there */
	uint32_t look, *path;
};

static void leave(struct interfaces *f, const struct hd_instance *in)
{
	f->left = hd__xgrow(f->left, f->nleft, &f->capleft, sizeof *f->left);
	f->left[f->nleft++] = in;
}

/* The instance or, if that is evaluated in calls only, those that call it: each once.  `on`: also those whose calls go
 * on from one that is evaluated. */
static void find_callers(struct interfaces *f, const struct hd_instance *from, size_t link, bool on)
{
	leave(f, from);
	while (f->nleft > 0) {
		const struct hd_instance *in = f->left[--f->nleft];
		size_t begin = f->first[in->number], end = f->first[in->number + 1];

		if (f->met[in->number] == f->search)
			continue;
		f->met[in->number] = f->search;
		if (in->module->eval) {
			f->callers = hd__xgrow(f->callers, f->ncallers, &f->cap, sizeof *f->callers);
			f->callers[f->ncallers++] = (struct caller){ in, from, link };
		}
		for (size_t i = end; i > begin; i--) {
			const struct hd_use *u = f->v[i - 1];

			if (in->module->eval && !(on && in->module->ports[u->provider_port].flags & HD_GOES_ON))
				continue;
			f->went_on |= in->module->eval != NULL;
			leave(f, u->user);
		}
	}
}

/* Those at the port of that use, the first one.  Each has the place of its first link. */
static void callers_at(struct interfaces *f, size_t port, bool on)
{
	const struct hd_use *u = f->v[port];

	f->ncallers = 0;
	f->went_on = false;
	f->search++;
	for (size_t i = port; i < f->g->s->nuses && f->v[i]->provider == u->provider
	                      && f->v[i]->provider_port == u->provider_port; i++)
		find_callers(f, f->v[i]->user, f->v[i]->link, on);
}

/* Callers at the port of that use, the first one, come in the order of the netlist. */
static void order_callers(struct interfaces *f, size_t port)
{
	callers_at(f, port, false);
	for (size_t i = 0; i < f->ncallers; i++) {
		for (size_t k = i + 1; k < f->ncallers; k++) {
			caller_before(f->g, &f->callers[i], &f->callers[k]);
			if (subsumes(f->callers[k].instance, f->callers[i].instance))
				break;
		}
	}
}

/* The first of several uses at an ordered port? */
static bool begins_ordered(const struct interfaces *f, size_t i)
{
	const struct hd_use *u = f->v[i], *last = i > 0 ? f->v[i - 1] : NULL;

	return u->provider->module->ports[u->provider_port].flags & HD_ORDERED
	       && (!last || last->provider != u->provider || last->provider_port != u->provider_port);
}

static void use_arcs(struct interfaces *f)
{
	struct graph *g = f->g;
	struct hd_use **v = f->v;
	size_t n = g->s->nuses;

	for (size_t i = 0, end = 0; i < n; i++) {
		const struct hd_port *p = &v[i]->provider->module->ports[v[i]->provider_port];

		/* end: the first use of a higher phase, or of another provider */
		for (end = end > i ? end : i + 1; end < n; end++)
			if (v[end]->provider != v[i]->provider
			    || v[end]->provider->module->ports[v[end]->provider_port].phase != p->phase)
				break;
		if (begins_ordered(f, i))
			order_callers(f, i);
		for (size_t k = end; k < n && v[k]->provider == v[i]->provider; k++)
			before(g, v[i]->user, v[k]->user, v[k]->link);
		if (p->flags & HD_PROVIDER_FIRST)
			before(g, v[i]->provider, v[i]->user, v[i]->link);
	}
}

/* ---- callers whose calls go on from an instance that is evaluated itself ---- */

/* Do arcs lead from one node to the other? */
static bool leads(struct interfaces *f, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	f->look++;
	f->path[n++] = from;
	f->seen[from] = f->look;
	while (n > 0 && f->seen[to] != f->look) {
		for (uint32_t a = f->g->first[f->path[--n]]; a != UINT32_MAX; a = f->g->arcs[a].next) {
			uint32_t next = f->g->arcs[a].to;

			if (f->seen[next] != f->look)
				f->path[n++] = next;
			f->seen[next] = f->look;
		}
	}
	return f->seen[to] == f->look;
}

/* The callers come in the order of the netlist, unless other links determine another one: no one has asked for theirs,
 * as the netlist has a link of the instance from which they go on. */
static void order_if_free(struct interfaces *f)
{
	for (size_t i = 0; i < f->ncallers; i++) {
		for (size_t k = i + 1; k < f->ncallers; k++) {
			const struct hd_instance *a = f->callers[i].instance, *b = f->callers[k].instance;

			if (a != b && !leads(f, node_of(f->g, b), node_of(f->g, a)))
				caller_before(f->g, &f->callers[i], &f->callers[k]);
		}
	}
}

static void order_ends(struct interfaces *f, const struct hd_link_end *e, size_t n)
{
	f->ncallers = 0;
	f->went_on = false;
	f->search++;
	for (size_t i = 0; i < n; i++) {
		find_callers(f, e[i].instance, e[i].link, true);
		f->went_on |= !e[i].instance->module->eval;
	}
	if (f->went_on)
		order_if_free(f);
}

static void arcs_of_callers(struct interfaces *f)
{
	const struct hd_sim *s = f->g->s;

	for (size_t i = 0; i < s->nuses; i++) {
		if (!begins_ordered(f, i))
			continue;
		callers_at(f, i, true);
		if (f->went_on)
			order_if_free(f);
	}
	for (size_t i = 0; i < s->nchannels; i++) {
		order_ends(f, s->channels[i]->from, s->channels[i]->nfrom);
		order_ends(f, s->channels[i]->to, s->channels[i]->nto);
	}
}

static void interface_arcs(struct graph *g)
{
	const struct hd_sim *s = g->s;
	struct interfaces f = { .g = g };

	f.v = hd__xcalloc(s->nuses + 1, sizeof *f.v);
	f.first = hd__xcalloc(s->ninstances + 2, sizeof *f.first);
	f.met = hd__xcalloc(s->ninstances + 1, sizeof *f.met);
	f.seen = hd__xcalloc(g->n + 1, sizeof *f.seen);
	f.path = hd__xcalloc(g->n + 1, sizeof *f.path);
	for (size_t i = 0; i < s->nuses; i++) {
		f.v[i] = &s->uses[i];
		f.first[s->uses[i].provider->number + 1]++;
	}
	for (size_t i = 0; i < s->ninstances; i++)
		f.first[i + 1] += f.first[i];
	qsort(f.v, s->nuses, sizeof *f.v, compare_uses);
	use_arcs(&f);
	arcs_of_callers(&f);
	free(f.v);
	free(f.first);
	free(f.met);
	free(f.callers);
	free(f.left);
	free(f.seen);
	free(f.path);
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static const struct hd_instance *face(const struct graph *g, uint32_t node)
{
	if (node < g->s->ninstances)
		return &g->s->instances[node];
	return g->members[node - g->s->ninstances][0];
}

static int compare_faces(const void *va, const void *vb)
{
	const struct hd_instance *a = *(const struct hd_instance *const *)va;
	const struct hd_instance *b = *(const struct hd_instance *const *)vb;
	int c = a->module != b->module ? strcmp(a->module->name, b->module->name) : 0;

	if (c == 0 && a->decl != b->decl)
		c = strcmp(a->decl->name, b->decl->name);
	return c ? c : a->index < b->index ? -1 : a->index > b->index;
}

/* Sections come one after the other, each in the order that is preferred. */
static void sort_sections(const struct graph *g, const struct hd_instance **v, uint32_t n)
{
	uint32_t nsections = g->s->nsections, *next = hd__xcalloc(nsections + 3, sizeof *next);
	const struct hd_instance **sorted = hd__xcalloc(n + 1, sizeof *sorted);

	for (uint32_t i = 0; i < n; i++) /* HD_NO_SECTION + 1 is 0 */
		next[v[i]->section + 1 + 1]++;
	for (uint32_t i = 1; i <= nsections + 1; i++)
		next[i] += next[i - 1];
	for (uint32_t i = 0; i < n; i++)
		sorted[next[v[i]->section + 1]++] = v[i];
	memcpy(v, sorted, n * sizeof *v);
	free(sorted);
	free(next);
}

/* wish[node]: position in the preferred order, a permutation of the nodes that have a process. */
static uint32_t make_wishes(const struct graph *g, uint64_t shuffle, uint32_t *wish, uint32_t *by_wish)
{
	const struct hd_instance **v = hd__xcalloc(g->n + 1, sizeof *v);
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		if (i >= g->s->ninstances || (!g->group_of[i] && g->s->instances[i].module->eval))
			v[n++] = face(g, i);
	qsort(v, n, sizeof *v, compare_faces);
	if (shuffle) {
		uint64_t state = shuffle;

		for (uint32_t i = n; i > 1; i--) {
			uint32_t k = (uint32_t)(next_random(&state) % i);
			const struct hd_instance *t = v[k];

			v[k] = v[i - 1];
			v[i - 1] = t;
		}
	}
	if (g->s->nsections > 0)
		sort_sections(g, v, n);
	for (uint32_t i = 0; i < n; i++) {
		wish[node_of(g, v[i])] = i;
		by_wish[i] = node_of(g, v[i]);
	}
	free(v);
	return n;
}

static bool joins(const struct hd_link_end *e, size_t n, size_t link)
{
	while (n > 0 && e->link != link)
		n--, e++;
	return n > 0;
}

static bool is_channel(const struct hd_sim *s, size_t link)
{
	for (size_t i = 0; i < s->nchannels; i++)
		if (joins(s->channels[i]->from, s->channels[i]->nfrom, link)
		    || joins(s->channels[i]->to, s->channels[i]->nto, link))
			return true;
	return false;
}

/* How the loop might be opened.  Those that rotate are one behind the other, with nothing in between: one waits for
 * whatever another one waits for. */
static char *ways_out(bool channel, bool list, const struct hd_link_decl *rotates)
{
	const char *first = channel ? "\"staged\" on one of them"
	                            : "one of them removed (all are interfaces, which cannot be \"staged\")";
	const char *second = list ? ", or another order of the list" : "";

	return !rotates ? hd__format("%s%s", first, second)
	                : hd__format("%s%s, or no \"rotate\" on link %s.%s to %s.%s", first, second,
	                             rotates->from.instance, rotates->from.port, rotates->to.instance,
	                             rotates->to.port);
}

/* Why the second instance of the arc must follow the first. */
static char *reason(const struct hd_sim *s, const struct arc *a)
{
	const struct hd_link_decl *d = &s->netlist->links[a->link];
	char *other = a->through[1] && a->through[1] != a->second
	              ? hd__format(", where %s calls through %s", a->second->path, a->through[1]->path)
	              : hd__xstrdup("");
	char *list = a->through[0] && a->through[0] != a->first
	             ? hd__format(", behind %s in its list, through which %s calls", a->through[0]->path,
	                          a->first->path)
	             : hd__xstrdup("");
	char *text = hd__format("%s must follow %s (link %s.%s to %s.%s%s%s)", a->second->path, a->first->path,
	                        d->from.instance, d->from.port, d->to.instance, d->to.port, other, list);

	free(other);
	free(list);
	return text;
}

/* from[node], by[node]: one of the unplaced nodes from which an arc leads to it, and the arc.  Returns a node on a
 * loop: every unplaced one has an unplaced predecessor, so that walking back must close one. */
static uint32_t find_loop(const struct graph *g, const bool *placed, uint32_t *from, size_t *by)
{
	bool *seen = hd__xcalloc(g->n, sizeof *seen);
	uint32_t at = UINT32_MAX;

	for (uint32_t u = 0; u < g->n; u++) {
		for (uint32_t a = placed[u] ? UINT32_MAX : g->first[u]; a != UINT32_MAX;
		     a = g->arcs[a].next) {
			from[g->arcs[a].to] = u;
			by[g->arcs[a].to] = a;
			if (at == UINT32_MAX && !placed[g->arcs[a].to])
				at = g->arcs[a].to;
		}
	}
	while (!seen[at]) {
		seen[at] = true;
		at = from[at];
	}
	free(seen);
	return at;
}

/* Names every link on one loop among the nodes that could not be placed. */
static void report_loop(struct graph *g, const bool *placed)
{
	struct hd_sim *s = g->s;
	uint32_t *from = hd__xcalloc(g->n, sizeof *from), at, start;
	size_t *by = hd__xcalloc(g->n, sizeof *by);
	bool channel = false, list = false;
	const struct hd_link_decl *rotates = NULL;
	char *text = NULL, *out;

	start = at = find_loop(g, placed, from, by);
	do {
		const struct arc *a = &g->arcs[by[at]], *last = &g->arcs[by[from[at]]];
		char *why = reason(s, a), *longer = text ? hd__join(why, "; ", text) : hd__xstrdup(why);

		free(text);
		free(why);
		text = longer;
		channel = channel || is_channel(s, a->link);
		list = list || a->through[1];
		at = from[at];
		if (at >= s->ninstances && last->second != a->first) /* one of the group waits for another one */
			rotates = &s->netlist->links[g->group_link[at - s->ninstances]];
	} while (at != start && strlen(text) < 2000);
	out = ways_out(channel, list, rotates);
	hd__netlist_diag(s->netlist, s->diags, HD_DIAG_ERROR, s->netlist->links[g->arcs[by[start]].link].at, NULL,
	                 "no order of evaluation satisfies these links: %s; expected %s", text, out);
	free(out);
	free(text);
	free(from);
	free(by);
}

/* Sections have no word in common, and shards no cache line of the set of processes, as threads write it at the same
 * time. */
static void begin_section(struct graph *g, const struct hd_instance *first)
{
	const uint32_t unit = g->shard != first->shard ? 512 : 64;

	if (g->section != first->section)
		g->s->nprocesses = (g->s->nprocesses + unit - 1) / unit * unit;
	g->section = first->section;
	g->shard = first->shard;
}

/* Gives the node's members the next ranks; a group does not straddle a word of the bit sets. */
static void place(struct graph *g, uint32_t node)
{
	struct hd_sim *s = g->s;
	const struct hd_instance *first = face(g, node);
	uint32_t k;

	begin_section(g, first);
	if (node < s->ninstances) {
		s->instances[node].rank = s->nprocesses++;
		return;
	}
	k = node - (uint32_t)s->ninstances;
	if (s->nprocesses % 64 + g->nmembers[k] > 64)
		s->nprocesses = (s->nprocesses + 63) / 64 * 64;
	s->groups[k] = (struct hd_group){
		.first = s->nprocesses,
		.n = g->nmembers[k],
		.members = hd_bits_range(s->nprocesses % 64, g->nmembers[k]),
		.lowest = hd_bit(s->nprocesses % 64),
		.clock = hd__shard_clock(s, first->shard, common_clock(g->members[k], g->nmembers[k])),
	};
	for (uint32_t i = 0; i < g->nmembers[k]; i++)
		g->members[k][i]->rank = s->nprocesses++;
}

/* The nodes in an order that the arcs allow; the free choice is made by wish.  Returns how many there are, less than
 * there should be if the arcs make a loop: then `placed`, by node, tells which. */
static uint32_t sort_nodes(const struct graph *g, uint64_t shuffle, uint32_t *order, bool *placed, bool *all)
{
	uint32_t *wish = hd__xcalloc(g->n + 1, sizeof *wish);
	uint32_t *by_wish = hd__xcalloc(g->n + 1, sizeof *by_wish);
	uint32_t *indegree = hd__xcalloc(g->n + 1, sizeof *indegree);
	uint32_t n = make_wishes(g, shuffle, wish, by_wish), done = 0, words = n / 64 + 1;
	uint64_t *ready = hd__xcalloc(words, sizeof *ready);

	memcpy(indegree, g->indegree, g->n * sizeof *indegree);
	for (uint32_t i = 0; i < g->n; i++)
		placed[i] = true;
	for (uint32_t i = 0; i < n; i++) {
		placed[by_wish[i]] = false;
		if (indegree[by_wish[i]] == 0)
			ready[i / 64] |= UINT64_C(1) << (i % 64);
	}
	for (uint32_t w = 0; w < words;) {
		uint32_t node;

		if (!ready[w]) {
			w++;
			continue;
		}
		node = by_wish[w * 64 + hd_bits_first(ready[w])];
		ready[w] &= ready[w] - 1;
		order[done++] = node;
		placed[node] = true;
		for (uint32_t a = g->first[node]; a != UINT32_MAX; a = g->arcs[a].next) {
			uint32_t v = g->arcs[a].to;

			if (--indegree[v] == 0) {
				ready[wish[v] / 64] |= UINT64_C(1) << (wish[v] % 64);
				if (wish[v] / 64 < w)
					w = wish[v] / 64;
			}
		}
	}
	*all = done == n;
	free(wish);
	free(by_wish);
	free(indegree);
	free(ready);
	return done;
}

/* Ranks follow from the first order.  It, and the others that are requested, are kept as lists of ranks. */
static bool find_orders(struct graph *g)
{
	struct hd_sim *s = g->s;
	uint32_t *order = hd__xcalloc(g->n + 1, sizeof *order), n;
	bool *placed = hd__xcalloc(g->n + 1, sizeof *placed), all;

	n = sort_nodes(g, s->opt.shuffle, order, placed, &all);
	for (uint32_t i = 0; i < n; i++)
		place(g, order[i]);
	if (!all)
		report_loop(g, placed);
	s->nplaced = n;
	s->orders = hd__xcalloc((s->opt.others + (size_t)1) * n + 1, sizeof *s->orders);
	for (uint32_t k = 0; k <= s->opt.others && all; k++) {
		if (k > 0)
			sort_nodes(g, s->opt.shuffle + k, order, placed, &all);
		for (uint32_t i = 0; i < n; i++)
			s->orders[(size_t)k * n + i] = face(g, order[i])->rank;
	}
	free(order);
	free(placed);
	return all;
}

bool hd__build_order(struct hd_sim *s)
{
	struct graph g = { .s = s, .ok = true, .section = HD_NO_SECTION, .shard = HD_NO_SHARD };
	bool ok;

	g.group_of = hd__xcalloc(s->ninstances + 1, sizeof *g.group_of);
	find_groups(&g);
	g.n = (uint32_t)s->ninstances + g.ngroups;
	g.first = hd__xcalloc(g.n + 1, sizeof *g.first);
	memset(g.first, 0xff, (g.n + 1) * sizeof *g.first);
	g.indegree = hd__xcalloc(g.n + 1, sizeof *g.indegree);
	s->groups = hd__xcalloc(g.ngroups + 1, sizeof *s->groups);
	s->ngroups = g.ngroups;
	channel_arcs(&g);
	interface_arcs(&g);
	ok = g.ok && find_orders(&g);
	if (ok)
		hd__make_processes(s, g.group_of);
	for (uint32_t i = 0; i < g.ngroups; i++)
		free(g.members[i]);
	free(g.members);
	free(g.nmembers);
	free(g.group_link);
	free(g.group_of);
	free(g.first);
	free(g.indegree);
	free(g.arcs);
	return ok;
}

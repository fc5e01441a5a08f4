/* lint.c - warns of valid netlists that are probably wrong: slow links, dead ends, closed clocks
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "lint.h"

#include <stdlib.h>

/* ---- links with less room than latency ----------------------------------------------------- */

/* Have all ends the same clock?  Else latency and rate count edges of different clocks. */
static bool one_clock(const struct hd_channel *c)
{
	const struct hd_clock *clock = c->to[0].instance->clock;

	for (size_t i = 0; i < c->nfrom; i++)
		if (c->from[i].instance->clock != clock)
			return false;
	for (size_t i = 0; i < c->nto; i++)
		if (c->to[i].instance->clock != clock)
			return false;
	return true;
}

/* Room that a producer can fill: the least of all producers. */
static uint32_t places(const struct hd_channel *c)
{
	uint32_t least = c->capacity, n;

	for (size_t i = 0; i < c->nfrom && c->slotted; i++) {
		n = hd_bits_count(c->from[i].slots);
		least = n < least ? n : least;
	}
	return least;
}

static void check_throughput(const struct hd_sim *s, const struct hd_channel *c)
{
	const struct hd_link_decl *d = c->decl;
	uint32_t wait = (c->latency > 1 ? c->latency : 1) + d->staged, have;
	const char *member = c->slotted ? "slots" : "capacity";

	if (wait == 1 || c->nfrom == 0 || c->nto == 0)
		return;
	have = places(c);
	if (have >= wait || !one_clock(c))
		return;
	hd__netlist_diag(s->netlist, s->diags, HD_DIAG_WARNING, d->entry,
	                 d->capacity > 0 || d->slots > 0 ? member : NULL,
	                 "at most %u payload%s in %u edges can pass from '%s' to '%s', since each "
	                 "occupies one of %u place%s for that long; expected %s of at least %u for "
	                 "one payload at every edge",
	                 have, have == 1 ? "" : "s", wait, c->from[0].instance->array->decl->name,
	                 c->to[0].instance->array->decl->name, have, have == 1 ? "" : "s", member,
	                 wait);
}

/* ---- providers without users --------------------------------------------------------------- */

static bool only_provides(const struct hd_module *m)
{
	bool any = false;

	if (m->eval)
		return false;
	for (const struct hd_port *p = m->ports; p && p->name; p++) {
		if (p->kind != HD_PROVIDES)
			return false;
		any = true;
	}
	return any;
}

static void check_users(const struct hd_sim *s)
{
	bool *used = hd__xcalloc(s->ninstances, sizeof *used);

	for (size_t i = 0; i < s->nuses; i++)
		used[s->uses[i].provider->number] = true;
	for (size_t i = 0; i < s->narrays; i++) {
		const struct hd_array *b = &s->arrays[i];

		for (uint32_t k = 0; only_provides(b->module) && k < b->decl->count; k++) {
			if (used[b->first + k])
				continue;
			hd__netlist_diag(s->netlist, s->diags, HD_DIAG_WARNING, b->decl->at, NULL,
			                 "no instance uses '%s'; it has no effect",
			                 s->instances[b->first + k].path);
			break;
		}
	}
	free(used);
}

/* ---- clocks that never open ------------------------------------------------------------------ */

static bool derives(const struct hd_clock *c, const struct hd_clock *from)
{
	while (c && c != from)
		c = c->parent;
	return c != NULL;
}

/* Who calls an instance; numbers of instances and of uses are + 1, 0: none. */
struct callers {
	const struct hd_sim *s;
	uint32_t *first; /* by provider: a use of it, */
	uint32_t *next;  /* and by use: another one of the same */
	uint32_t *seen;  /* by instance: the last search that came to it */
	uint32_t *queue; /* of instances whose callers are still to be looked at */
	uint32_t searches;
};

static struct callers *callers_find(const struct hd_sim *s)
{
	struct callers *f = hd__xcalloc(1, sizeof *f);

	f->s = s;
	f->first = hd__xcalloc(s->ninstances + 1, sizeof *f->first);
	f->seen = hd__xcalloc(s->ninstances + 1, sizeof *f->seen);
	f->queue = hd__xcalloc(s->ninstances + 1, sizeof *f->queue);
	f->next = hd__xcalloc(s->nuses + 1, sizeof *f->next);
	for (uint32_t i = 0; i < s->nuses; i++) {
		uint32_t *first = &f->first[s->uses[i].provider->number];

		f->next[i] = *first;
		*first = i + 1;
	}
	return f;
}

static void callers_free(struct callers *f)
{
	free(f->first);
	free(f->next);
	free(f->seen);
	free(f->queue);
	free(f);
}

/* Can the instance be evaluated while the clock is closed, or one that calls it, and so on? */
static bool can_call(struct callers *f, const struct hd_instance *in, const struct hd_clock *c)
{
	uint32_t n = 0, search = ++f->searches;

	f->seen[in->number] = search;
	f->queue[n++] = in->number;
	while (n > 0) {
		in = &f->s->instances[f->queue[--n]];
		if (in->module->eval && !derives(in->clock, c))
			return true;
		for (uint32_t i = f->first[in->number]; i; i = f->next[i - 1]) {
			uint32_t user = f->s->uses[i - 1].user->number;

			if (f->seen[user] == search)
				continue;
			f->seen[user] = search;
			f->queue[n++] = user;
		}
	}
	return false;
}

/* A gated clock begins closed.  Its gatekeeper opens it when it is evaluated or called, and neither ever
 * happens if all of that has to wait for this clock. */
static void check_gate(struct callers *f, const struct hd_clock *c)
{
	if (!c->gatekeeper || c->open || can_call(f, c->gatekeeper, c))
		return;
	hd__netlist_diag(f->s->netlist, f->s->diags, HD_DIAG_WARNING, c->decl->at, "gate",
	                 "clock '%s' never opens: '%s' opens it, and is only called by instances "
	                 "whose clock derives from it; expected one of them on another clock",
	                 c->name, c->gatekeeper->path);
}

/* ---- instances that no payload reaches, and routes without a receiver ----
 *
 * Payloads begin at instances without inputs.  Links may carry a name (an attribute of type
 * SYMBOL): a payload that arrives by a link with one name of a kind leaves by links with the same
 * name, or by links without one.  A list of names that a link must carry (SYMBOLS, at least one)
 * selects the payloads that it carries.  An instance with such a list as a required parameter
 * accepts the names in it; all others pass on or accept everything.
 */

enum { MAX_TAGS = 4, MAX_WALK = 1000 }; /* names on one link; length of a chain of links */

struct tags {
	uint32_t n;
	const char *kind[MAX_TAGS], *value[MAX_TAGS];
};

struct out {
	uint32_t channel, end;
};

struct reach {
	const struct hd_sim *s;
	struct tags *tags;       /* by link */
	struct out *outs;        /* of all instances, in order */
	uint32_t *first_out;     /* by instance, and one more */
	bool *has_in, *reached;  /* by instance */
	uint32_t *first_end;     /* by channel: number of its first producer, among those of all */
	bool *seen;              /* by producer */
	uint32_t *walked;        /* by producer: the last walk that visited it */
	uint32_t nwalks;
	size_t *swept;           /* by channel: link + 1 of the last sweep over all consumers */
	struct out *queue;
	size_t nqueue, followed;
	json_t *routed;          /* kind -> names that some link carries in a list */
};

/* ---- names on links ------------------------------------------------------------------------ */

static void add_tags(struct tags *t, const struct hd_link_decl *l, const struct hd_param *attrs)
{
	for (const struct hd_param *p = attrs; p && p->name; p++) {
		const char *v = json_string_value(json_object_get(l->attrs, p->name));

		if (p->type != HD_SYMBOL || v == NULL || t->n == MAX_TAGS)
			continue;
		t->kind[t->n] = p->kind;
		t->value[t->n++] = v;
	}
}

static const struct hd_param *attrs_of(const struct hd_link_end *e)
{
	return e->instance->module->ports[e->port].attrs;
}

static void find_tags(struct reach *r)
{
	const struct hd_netlist *n = r->s->netlist;

	for (size_t i = 0; i < r->s->nchannels; i++) {
		const struct hd_channel *c = r->s->channels[i];

		for (size_t k = 0; k < c->nfrom + c->nto; k++) {
			const struct hd_link_end *e = k < c->nfrom ? &c->from[k] : &c->to[k - c->nfrom];

			if (n->links[e->link].attrs != NULL && r->tags[e->link].n == 0)
				add_tags(&r->tags[e->link], &n->links[e->link], attrs_of(e));
		}
	}
}

/* May a payload that arrived by link a leave by link b? */
static bool agree(const struct reach *r, size_t a, size_t b)
{
	const struct tags *t = &r->tags[a], *u = &r->tags[b];

	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < u->n; k++)
			if (t->value[i] != u->value[k] && (t->kind[i] == u->kind[k] || hd__same(t->kind[i], u->kind[k]))
			    && !hd__same(t->value[i], u->value[k]))
				return false;
	return true;
}

/* ---- the graph ----------------------------------------------------------------------------- */

static void find_outs(struct reach *r)
{
	const struct hd_sim *s = r->s;
	uint32_t *at, n = 0;

	for (size_t i = 0; i < s->nchannels; i++) {
		const struct hd_channel *c = s->channels[i];

		r->first_end[i] = n;
		n += (uint32_t)c->nfrom;
		for (size_t k = 0; k < c->nfrom; k++)
			r->first_out[c->from[k].instance->number + 1]++;
		for (size_t k = 0; k < c->nto; k++)
			r->has_in[c->to[k].instance->number] = true;
	}
	for (size_t i = 0; i < s->ninstances; i++)
		r->first_out[i + 1] += r->first_out[i];
	r->seen = hd__xcalloc(n, sizeof *r->seen);
	r->walked = hd__xcalloc(n, sizeof *r->walked);
	r->outs = hd__xcalloc(r->first_out[s->ninstances], sizeof *r->outs);
	r->queue = hd__xcalloc(r->first_out[s->ninstances], sizeof *r->queue);
	at = hd__xcalloc(s->ninstances, sizeof *at);
	for (size_t i = 0; i < s->nchannels; i++)
		for (size_t k = 0; k < s->channels[i]->nfrom; k++) {
			uint32_t in = s->channels[i]->from[k].instance->number;

			r->outs[r->first_out[in] + at[in]++] = (struct out){ (uint32_t)i, (uint32_t)k };
		}
	free(at);
}

static bool *seen(struct reach *r, struct out o)
{
	return &r->seen[r->first_end[o.channel] + o.end];
}

static void push(struct reach *r, struct out o)
{
	if (*seen(r, o))
		return;
	*seen(r, o) = true;
	r->queue[r->nqueue++] = o;
}

/* Queues all producers by which payloads of `e` may leave its instance. */
static void push_outs(struct reach *r, const struct hd_link_end *e, size_t link)
{
	uint32_t in = e->instance->number;

	for (uint32_t i = r->first_out[in]; i < r->first_out[in + 1]; i++) {
		const struct hd_channel *c = r->s->channels[r->outs[i].channel];

		if (!*seen(r, r->outs[i]) && agree(r, link, c->from[r->outs[i].end].link))
			push(r, r->outs[i]);
	}
}

static void sweep(struct reach *r, struct out o)
{
	const struct hd_channel *c = r->s->channels[o.channel];
	const struct hd_link_end *from = &c->from[o.end];

	if (!c->slotted && r->swept[o.channel] == from->link + 1)
		return; /* another producer of the same link was here */
	r->swept[o.channel] = from->link + 1;
	for (size_t i = 0; i < c->nto; i++) {
		if (c->slotted && !(c->to[i].slots & from->slots))
			continue;
		r->reached[c->to[i].instance->number] = true;
		push_outs(r, &c->to[i], from->link > c->to[i].link ? from->link : c->to[i].link);
	}
}

/* A producer of `in` that is reached but passes nothing on by this end; NULL: no producer of `in`
 * is reached. */
static const struct hd_link_end *stopped_before(const struct reach *r, const struct hd_instance *in)
{
	for (size_t i = 0; i < r->s->nchannels; i++) {
		const struct hd_channel *c = r->s->channels[i];

		for (size_t k = 0; k < c->nto; k++)
			if (c->to[k].instance == in && c->nfrom > 0
			    && r->reached[c->from[0].instance->number])
				return &c->from[0];
	}
	return NULL;
}

static void follow(struct reach *r)
{
	while (r->followed < r->nqueue)
		sweep(r, r->queue[r->followed++]);
}

/* Follows all payloads.  An instance whose producers are not reached, but which is called by one that is, may put
 * first: a cache that fetch calls.  Returns false if no instance is without inputs: then reach is unknown. */
static bool flood(struct reach *r)
{
	const struct hd_sim *s = r->s;

	for (size_t i = 0; i < s->ninstances; i++)
		for (uint32_t k = r->first_out[i]; k < r->first_out[i + 1] && !r->has_in[i]; k++)
			push(r, r->outs[k]);
	follow(r);
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_instance *in = s->uses[i].provider;

		if (r->reached[in->number] || !r->reached[s->uses[i].user->number]
		    || stopped_before(r, in))
			continue;
		r->reached[in->number] = true;
		for (uint32_t k = r->first_out[in->number]; k < r->first_out[in->number + 1]; k++)
			push(r, r->outs[k]);
		follow(r);
	}
	return r->nqueue > 0;
}

/* ---- instances that nothing reaches -------------------------------------------------------- */

static void report_unreached(const struct reach *r, const struct hd_instance *in)
{
	const struct hd_link_end *e = stopped_before(r, in);
	const struct tags *t = e != NULL ? &r->tags[e->link] : NULL;

	if (t != NULL && t->n > 0)
		hd__netlist_diag(r->s->netlist, r->s->diags, HD_DIAG_WARNING, in->decl->at, NULL,
		                 "nothing reaches instance '%s': no link carries %s '%s' to '%s'",
		                 in->path, t->kind[0], t->value[0], e->instance->path);
	else
		hd__netlist_diag(r->s->netlist, r->s->diags, HD_DIAG_WARNING, in->decl->at, NULL,
		                 "nothing reaches instance '%s': nothing reaches its producers",
		                 in->path);
}

static void check_reached(const struct reach *r)
{
	const struct hd_array *last = NULL;

	for (size_t i = 0; i < r->s->ninstances; i++) {
		const struct hd_instance *in = &r->s->instances[i];

		if (r->reached[i] || !r->has_in[i] || in->array == last)
			continue;
		report_unreached(r, in);
		last = in->array;
	}
}

/* ---- names without a receiver -------------------------------------------------------------- */

/* Is the parameter, or a column of it, a list of names of the kind that must be given? */
static bool lists(const struct hd_param *p, const char *kind)
{
	if (p->type == HD_SYMBOLS)
		return p->min > 0 && hd__same(p->kind, kind);
	for (const struct hd_param *c = p->type == HD_TABLE ? p->columns : NULL; c && c->name; c++)
		if (lists(c, kind))
			return true;
	return false;
}

/* Adds the names of one kind in parameters; returns true if there is such a parameter. */
static bool add_names(const struct hd_param *params, const json_t *values, const char *kind,
                      json_t *names)
{
	bool any = false;
	json_t *v, *row;
	size_t i;

	for (const struct hd_param *p = params; p && p->name; p++) {
		if (!lists(p, kind))
			continue;
		v = json_object_get(values, p->name);
		if (p->type == HD_TABLE)
			json_array_foreach(v, i, row)
				any = add_names(p->columns, row, kind, names) || any;
		if (v == NULL || p->type == HD_TABLE)
			continue;
		any = true;
		json_array_foreach(v, i, row)
			json_object_set_new(names, json_string_value(row), json_true());
	}
	return any;
}

struct walk {
	struct reach *r;
	const char *kind;
	json_t *taken;   /* names that some instance accepts */
	bool anything;   /* some instance accepts all names */
	unsigned depth;
};

static const struct hd_type *type_at(const struct hd_link_end *e)
{
	return e->instance->module->ports[e->port].type;
}

/* Follows payloads put at one end; returns true if they reach an instance that accepts names of the
 * kind.  An instance that makes payloads of another type of them accepts everything: what becomes of
 * those does not depend on the name, and following them might lead through all of the netlist. */
static bool walk(struct walk *w, struct out o)
{
	struct reach *r = w->r;
	const struct hd_channel *c = r->s->channels[o.channel];
	const struct hd_link_end *from = &c->from[o.end];
	uint32_t *walked = &r->walked[r->first_end[o.channel] + o.end];
	const struct hd_instance_decl *asked = NULL; /* elements of one array take the same */
	bool any = false, leads = false;

	if (*walked == r->nwalks)
		return false;
	*walked = r->nwalks;
	if (++w->depth > MAX_WALK)
		w->anything = true;
	for (size_t i = 0; i < c->nto && w->depth <= MAX_WALK; i++) {
		const struct hd_instance *in = c->to[i].instance;
		size_t link = from->link > c->to[i].link ? from->link : c->to[i].link;

		if (c->slotted && !(c->to[i].slots & from->slots))
			continue;
		if (in->decl != asked)
			leads = add_names(in->module->params, in->decl->params, w->kind, w->taken);
		asked = in->decl;
		for (uint32_t k = r->first_out[in->number];
		     !leads && k < r->first_out[in->number + 1]; k++) {
			struct out next = r->outs[k];
			const struct hd_link_end *e = &r->s->channels[next.channel]->from[next.end];

			if (type_at(e) != type_at(from) && !hd__same(type_at(e)->name, type_at(from)->name))
				w->anything = true;
			else
				any = (agree(r, link, e->link) && walk(w, next)) || any;
		}
		any = any || leads;
	}
	w->depth--;
	if (!any)
		w->anything = true;
	return any;
}

/* Checks one attribute of a link: the names of the payloads that it carries. */
static void check_route(struct reach *r, struct out o, const struct hd_param *p)
{
	const struct hd_link_end *e = &r->s->channels[o.channel]->from[o.end];
	const struct hd_link_decl *l = &r->s->netlist->links[e->link];
	json_t *names = json_object_get(l->attrs, p->name), *v, *known;
	struct walk w = { r, p->kind, hd__xcheck(json_object()), false, 0 };
	size_t i;

	known = json_object_get(r->routed, p->kind);
	if (known == NULL) {
		known = hd__xcheck(json_object());
		json_object_set_new(r->routed, p->kind, known);
	}
	r->nwalks++;
	walk(&w, o);
	json_array_foreach(names, i, v) {
		const char *name = json_string_value(v);
		char *at;

		json_object_set_new(known, name, json_true());
		if (w.anything || json_object_get(w.taken, name) != NULL)
			continue;
		at = hd__format("%s/%s/%zu", l->entry, p->name, i);
		hd__netlist_diag(r->s->netlist, r->s->diags, HD_DIAG_WARNING, at, NULL,
		                 "no receiver on this route accepts %s '%s'; '%s' will stall on it",
		                 p->kind, name, e->instance->array->decl->name);
		free(at);
	}
	json_decref(w.taken);
}

static void check_routes(struct reach *r)
{
	bool *done = hd__xcalloc(r->s->netlist->nlinks, sizeof *done);

	for (size_t i = 0; i < r->s->nchannels; i++) {
		const struct hd_channel *c = r->s->channels[i];

		for (size_t k = 0; k < c->nfrom; k++) {
			const struct hd_link_end *e = &c->from[k];

			if (done[e->link])
				continue;
			done[e->link] = true;
			for (const struct hd_param *p = attrs_of(e); p && p->name; p++)
				if (p->type == HD_SYMBOLS && p->min > 0)
					check_route(r, (struct out){ (uint32_t)i, (uint32_t)k }, p);
		}
	}
	free(done);
}

/* Reports names that an instance accepts but no link carries, of kinds that links carry. */
static void check_takers(const struct reach *r)
{
	const char *kind, *name;
	json_t *routed, *v;

	json_object_foreach(r->routed, kind, routed) {
		for (size_t i = 0; i < r->s->narrays; i++) {
			const struct hd_array *b = &r->s->arrays[i];
			json_t *names;

			if (b->decl->params == NULL || !r->has_in[b->first] || b->decl->copy_of > 0)
				continue;
			names = hd__xcheck(json_object());
			add_names(b->module->params, b->decl->params, kind, names);
			for (uint32_t k = 0; b->decl->each && k < b->decl->count; k++)
				add_names(b->module->params, b->decl->each[k], kind, names);
			json_object_foreach(names, name, v)
				if (json_object_get(routed, name) == NULL)
					hd__netlist_diag(r->s->netlist, r->s->diags, HD_DIAG_WARNING,
					                 b->decl->at, NULL,
					                 "instance '%s' accepts %s '%s', but no link "
					                 "carries it",
					                 b->decl->name, kind, name);
			json_decref(names);
		}
	}
}

static void check_reach(const struct hd_sim *s)
{
	struct reach r = { .s = s, .routed = hd__xcheck(json_object()) };

	r.tags = hd__xcalloc(s->netlist->nlinks, sizeof *r.tags);
	r.first_out = hd__xcalloc(s->ninstances + 1, sizeof *r.first_out);
	r.has_in = hd__xcalloc(s->ninstances, sizeof *r.has_in);
	r.reached = hd__xcalloc(s->ninstances, sizeof *r.reached);
	r.first_end = hd__xcalloc(s->nchannels, sizeof *r.first_end);
	r.swept = hd__xcalloc(s->nchannels, sizeof *r.swept);
	find_tags(&r);
	find_outs(&r);
	for (size_t i = 0; i < s->ninstances; i++) /* without inputs it need not be reached */
		r.reached[i] = !r.has_in[i];
	if (flood(&r))
		check_reached(&r);
	check_routes(&r);
	check_takers(&r);
	json_decref(r.routed);
	free(r.first_end);
	free(r.seen);
	free(r.walked);
	free(r.tags);
	free(r.first_out);
	free(r.has_in);
	free(r.reached);
	free(r.swept);
	free(r.outs);
	free(r.queue);
}

void hd__lint(const struct hd_sim *s)
{
	struct callers *callers;

	for (size_t i = 0; i < s->nchannels; i++)
		if (i == 0 || s->channels[i]->link != s->channels[i - 1]->link)
			check_throughput(s, s->channels[i]);
	check_users(s);
	callers = callers_find(s);
	for (uint32_t i = 0; i < s->nclocks; i++)
		check_gate(callers, &s->clocks[i]);
	callers_free(callers);
	check_reach(s);
}

/* lint.c - warns of valid netlists that are probably wrong: slow links, unused providers, closed clocks
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
	hd__lint_reach(s);
}

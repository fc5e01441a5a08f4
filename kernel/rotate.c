/* rotate.c - groups of instances that rotate: another member is first at each edge
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "order.h"

#include <stdlib.h>

static void group_error(struct hd_graph *g, size_t link, const char *what)
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

struct hd_clock *hd__common_clock(struct hd_instance **v, uint32_t n)
{
	struct hd_clock *c = v[0]->clock;

	for (uint32_t i = 1; i < n && c; i++) {
		while (c && !steps_with(v[i]->clock, c))
			c = c->parent && steps_with(c, c->parent) ? c->parent : NULL;
	}
	return c;
}

/* Makes the instances one rotating group; the same set may be named by several links. */
static void add_group(struct hd_graph *g, struct hd_instance **v, uint32_t n, size_t link)
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
	if (!hd__common_clock(v, n)) {
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

void hd__order_groups(struct hd_graph *g)
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

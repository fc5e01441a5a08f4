/* dot_fold.c - which instances of a drawing are written into the box of another
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "dot_fold.h"

#include <stdlib.h>

struct pair {
	uint32_t provider, user; /* arrays */
};

int hd__graph_last_phase(const struct hd_module *m)
{
	int last = 0;

	for (const struct hd_port *p = m->ports; p->name != NULL; p++)
		if (p->kind == HD_PROVIDES && p->phase > last)
			last = p->phase;
	return last;
}

static uint32_t array_of(const struct hd_sim *s, const struct hd_instance *in)
{
	return (uint32_t)(in->array - s->arrays);
}

static int compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->provider != y->provider)
		return x->provider < y->provider ? -1 : 1;
	return (x->user > y->user) - (x->user < y->user);
}

/* By array: how many others call it. */
static uint32_t *count_users(const struct hd_sim *s)
{
	uint32_t *users = hd__xcalloc(s->narrays + 1, sizeof *users);
	struct pair *v = hd__xcalloc(s->nuses + 1, sizeof *v);

	for (size_t i = 0; i < s->nuses; i++)
		v[i] = (struct pair){ array_of(s, s->uses[i].provider), array_of(s, s->uses[i].user) };
	if (s->nuses > 1)
		qsort(v, s->nuses, sizeof *v, compare);
	for (size_t i = 0; i < s->nuses; i++)
		users[v[i].provider] += i == 0 || compare(&v[i], &v[i - 1]) != 0;
	free(v);
	return users;
}

uint32_t *hd__graph_homes(const struct hd_sim *s)
{
	uint32_t *home = hd__xcalloc(s->narrays + 1, sizeof *home), *users = count_users(s);
	size_t processes = 0;

	for (size_t i = 0; i < s->narrays; i++) {
		processes += s->arrays[i].module->eval != NULL;
		home[i] = (uint32_t)i;
	}
	for (size_t i = s->nuses; i-- > 0;) { /* the first use counts */
		uint32_t p = array_of(s, s->uses[i].provider);
		const struct hd_module *m = s->arrays[p].module;

		if (m->eval != NULL)
			continue;
		if (users[p] > processes / 2)
			home[p] = HD_GRAPH_SHARED;
		else if (hd__graph_last_phase(m) == 0)
			home[p] = array_of(s, s->uses[i].user);
	}
	for (size_t i = 0; i < s->narrays; i++) {
		uint32_t at = home[i];

		for (size_t n = 0; at != HD_GRAPH_SHARED && home[at] != at; n++) {
			at = home[at];
			if (n == s->narrays) /* they call each other in a circle */
				at = home[i] = (uint32_t)i;
		}
		home[i] = at;
	}
	free(users);
	return home;
}

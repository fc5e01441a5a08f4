/* group.c - instances whose statistics are added up
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "accel.h"

struct hd_accel_group hd__accel_find(const struct hd_sim *s, const char *name)
{
	struct hd_accel_group g = { .n = 0 };

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		const char *last = strrchr(in->decl->name, '.');

		if (strcmp(last ? last + 1 : in->decl->name, name) != 0 || !in->module->stats)
			continue;
		g.v = hd__xappend(g.v, g.n, sizeof *g.v);
		g.v[g.n++] = in;
	}
	return g;
}

uint64_t hd__accel_sum(const struct hd_accel_group *g, const char *stat)
{
	const struct hd_stat *st = g->n > 0 ? g->v[0]->module->stats : NULL;
	uint64_t sum = 0;

	while (st && st->name && strcmp(st->name, stat) != 0)
		st++;
	for (size_t i = 0; st && st->name && i < g->n; i++)
		sum += hd_stat_value(st, g->v[i]->state);
	return sum;
}

/* control_kinds.h - private to issue_control: kinds of instructions, which need the same room
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_ISSUE_CONTROL_CONTROL_KINDS_H
#define MODULES_ISSUE_CONTROL_CONTROL_KINDS_H

#include "control_sets.h"

static int class_groups(struct state *st)
{
	memset(st->group, MAX_GROUPS, sizeof st->group);
	for (uint32_t i = 0; i < st->groups.n; i++) {
		for (uint64_t m = group_of(st, i)->classes; m;) {
			unsigned c = hd_bits_pop(&m);

			if (st->group[c] != MAX_GROUPS)
				return hd_error(st->ctx, "two rows of \"groups\" name class '%s'; expected one",
				                hd_symbol_name(st->ctx, "class", c));
			st->group[c] = (uint8_t)i;
		}
	}
	return 0;
}

static bool same_needs(const struct needs *a, const struct needs *b)
{
	return a->route == b->route && a->group == b->group && a->credits == b->credits && a->takes == b->takes;
}

/* The kind of instructions that need this; a new one, if there is none yet. */
static uint8_t kind_of(struct state *st, const struct needs *needs, uint32_t *kinds)
{
	uint32_t k = 0;

	while (k < *kinds && !same_needs(&st->needs[k], needs))
		k++;
	if (k < *kinds)
		return (uint8_t)k;
	st->needs[(*kinds)++] = *needs;
	if (needs->route != HD_NO_ROUTE)
		st->kinds_of_route[needs->route] |= hd_bit(k);
	if (needs->group != MAX_GROUPS)
		st->kinds_of_group[needs->group] |= hd_bit(k);
	for (uint64_t m = needs->credits; m;)
		st->kinds_of_queue[hd_bits_pop(&m)] |= hd_bit(k);
	return (uint8_t)k;
}

/* In start: the queues have set their classes.  Those that nothing names are kind 0, if there are such. */
static void find_kinds(struct state *st)
{
	struct needs none = { .route = HD_NO_ROUTE, .group = MAX_GROUPS };
	uint32_t kinds = 0;
	uint64_t named = 0;

	for (uint32_t i = 0; i < st->out.n; i++)
		named |= route_of(st, i)->classes;
	for (uint32_t i = 0; i < st->groups.n; i++)
		named |= group_of(st, i)->classes;
	for (uint32_t i = 0; i < st->credits.n; i++)
		named |= ((const struct hd_credits *)st->credits.v[i])->classes;
	if (named != UINT64_MAX)
		kind_of(st, &none, &kinds);
	while (named) {
		unsigned c = hd_bits_pop(&named);
		struct needs needs = { .route = st->route[c], .group = st->group[c] };

		for (uint32_t i = 0; i < st->credits.n; i++) {
			const struct hd_credits *q = st->credits.v[i];

			if (!hd_bits_has(q->classes, c))
				continue;
			needs.credits |= (uint8_t)(1u << i);
			needs.takes |= (uint8_t)(q->taken << i);
		}
		st->kind[c] = kind_of(st, &needs, &kinds);
	}
}

#endif

/* dispatch.h - private to the operand collector: instructions leave their units
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A header, since it is the larger part of each evaluation.
 */
#ifndef HEDDLE_MODULES_COLLECTOR_DISPATCH_H
#define HEDDLE_MODULES_COLLECTOR_DISPATCH_H

#include "collector.h"

/* Finds those of the units that had no room behind them which may have some now.  The others request their wake
 * again: one that several collectors share answers the requests of all. */
static inline void look_behind(struct collector *c)
{
	for (uint64_t m = c->stuck; m;) {
		uint32_t u = hd_bits_pop(&m);
		uint64_t mine = c->place_mask[u];
		const struct hd_end *out = c->behind[c->route_of[u]];

		if ((*hd_slots_word(out) & mine) != mine)
			c->stuck ^= hd_bit(u);
		else
			hd_want_slots(out, mine);
	}
}

/* An instruction leaves its unit if there is room behind it.  If not, the collector is woken when there is. */
static inline bool leave(const struct collector *c, uint32_t u)
{
	const struct hd_end *out = c->behind[c->route_of[u]];
	uint64_t room = hd_slots_among(out, c->place_mask[u]);

	if (!room)
		return false;
	hd_slot_put(out, hd_bits_first(room), &c->inst[u], sizeof(hd_inst_ref));
	return true;
}

/* Each dispatch unit of a set empties one unit, if one of those that are ready has room behind it.  Returns
 * the units emptied.  Those without room stay as they are until the next edge: in this one no more is made. */
static inline __attribute__((always_inline)) uint64_t
dispatch_set(struct collector *c, const struct set *set, uint64_t ready)
{
	struct dispatch *d = set->first;
	uint64_t gone = 0, stuck = 0;

	while (ready) {
		uint64_t ahead = ready & d->ahead, from = ahead ? ahead : ready;
		uint64_t bit = hd_bits_lowest(from);
		uint32_t u = hd_bits_first(from);

		ready ^= bit;
		if (!leave(c, u)) {
			stuck |= bit;
			continue;
		}
		gone |= bit;
		d->ahead = c->ahead[u];
		if (++d == set->end)
			break;
	}
	c->stuck |= stuck;
	return gone;
}

static __attribute__((noinline)) uint64_t dispatch_others(struct collector *c, uint64_t ready)
{
	uint64_t gone = 0;

	for (uint32_t i = 1; i < c->sets.n; i++)
		gone |= dispatch_set(c, &c->set[i], ready & c->set[i].units);
	return gone;
}

static inline __attribute__((always_inline)) uint64_t dispatch(struct collector *c, uint64_t ready)
{
	uint64_t gone = dispatch_set(c, c->set, ready & c->set->units);

	if (HD_UNLIKELY(c->sets.n > 1))
		gone |= dispatch_others(c, ready);
	c->occupied ^= gone;
	c->ready ^= gone;
	return gone;
}

#endif

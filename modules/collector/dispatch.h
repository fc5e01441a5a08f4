/* dispatch.h - private to the operand collector: instructions leave their units
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A header, since it is the larger part of each evaluation.
 */
#ifndef HEDDLE_MODULES_COLLECTOR_DISPATCH_H
#define HEDDLE_MODULES_COLLECTOR_DISPATCH_H

#include "collector_parts.h"

/* An instruction leaves its unit if there is room behind it: for `plain`, in a register set that is neither timed nor
 * staged. */
static inline bool leave(const struct collector *c, uint32_t u, bool plain)
{
	const struct hd_end *out = c->behind[u];
	uint64_t places = c->place_mask[u] & out->slots;
	uint64_t room = plain ? places & ~*hd_slots_word(out) : hd_slots_among(out, places);

	if (!room)
		return false;
	hd_slot_put(out, hd_bits_first(room), &c->inst[u], sizeof(hd_inst_ref));
	return true;
}

/* Each dispatch unit of a set empties one unit, if one of those that are ready has room behind it.  Returns
 * the units emptied.  Those without room go into *stuck and stay as they are until the next edge: in this one no more is
 * made. */
static inline __attribute__((always_inline)) uint64_t
dispatch_set(struct collector *c, const struct set *set, uint64_t ready, uint64_t *stuck, bool plain)
{
	struct dispatch *d = set->first;
	uint64_t gone = 0;

	while (ready) {
		uint64_t ahead = ready & d->ahead, from = ahead ? ahead : ready;
		uint64_t bit = hd_bits_lowest(from);
		uint32_t u = hd_bits_first(from);

		ready ^= bit;
		if (!leave(c, u, plain)) {
			*stuck |= bit;
			continue;
		}
		gone |= bit;
		d->ahead = c->ahead[u];
		if (++d == set->end)
			break;
	}
	return gone;
}

static __attribute__((noinline)) uint64_t dispatch_others(struct collector *c, uint64_t ready, uint64_t *stuck)
{
	uint64_t gone = 0;

	for (uint32_t i = 1; i < c->sets.n; i++)
		gone |= dispatch_set(c, &c->set[i], ready & c->set[i].units, stuck, false);
	return gone;
}

static inline __attribute__((always_inline)) uint64_t
dispatch(struct collector *c, uint64_t ready, uint64_t *stuck, bool plain)
{
	uint64_t without = 0, gone = dispatch_set(c, c->set, ready & c->set->units, &without, plain);

	if (HD_UNLIKELY(c->sets.n > 1)) {
		uint64_t more = 0;

		gone |= dispatch_others(c, ready, &more);
		without |= more;
	}
	*stuck |= without;
	c->occupied ^= gone;
	c->ready ^= gone;
	return gone;
}

/* Nothing moves before there is room behind one of the units that are ready. */
static inline uint64_t wait_for_room(const struct collector *c)
{
	for (uint64_t m = c->ready; m;) {
		uint32_t u = hd_bits_pop(&m);

		hd_want_slots(c->behind[u], c->place_mask[u] & c->behind[u]->slots);
	}
	return HD_SLEEP;
}

#endif

/* timer.h - timers of processes: sets of processes by the edge of their clock, modulo the size of a wheel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline for the run loop.
 */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include "sim.h"

/* The process with this bit of the word, which has no timer, gets one. */
static inline void hd__arm(struct hd_sim *s, size_t word, uint64_t bit, struct hd_process *t, uint64_t due)
{
	t->due = due;
	t->clock->filled |= UINT64_C(1) << due % HD_WHEEL;
	s->noted[word].armed |= bit;
	s->wheels[word * HD_WHEEL + due % HD_WHEEL] |= bit;
}

/* The one that it has is stopped. */
static inline void hd__disarm(struct hd_sim *s, size_t word, uint64_t bit, const struct hd_process *t)
{
	s->noted[word].armed &= ~bit;
	s->wheels[word * HD_WHEEL + t->due % HD_WHEEL] &= ~bit;
}

/* Wakes those of `mine` in the word whose timers are due at that edge of their clock.  Returns those of a later edge in
 * the same bucket. */
static inline uint64_t hd__expire_word(struct hd_sim *s, size_t word, uint64_t mine, uint64_t edge)
{
	uint64_t *bucket = &s->wheels[word * HD_WHEEL + edge % HD_WHEEL], due = *bucket & mine, later = 0;

	for (uint64_t left = due; left; left &= left - 1)
		if (HD_UNLIKELY(s->processes[word * 64 + hd_bits_first(left)].due != edge))
			later |= hd_bits_lowest(left);
	due ^= later;
	*bucket ^= due;
	s->noted[word].armed ^= due;
	s->awake[word] |= due;
	return later;
}

/* Wakes the processes whose timers are due now.  Not inline, so that the loop over clocks of which none are keeps what it
 * needs in registers. */
static __attribute__((noinline, unused)) void hd__expire(struct hd_sim *s, struct hd_clock *c)
{
	uint64_t later = 0;

	for (const struct hd_share *v = c->shares, *end = v + c->nshares; v < end; v++)
		later |= hd__expire_word(s, v->word, v->bits, c->now);
	if (later == 0)
		c->filled &= ~(UINT64_C(1) << c->now % HD_WHEEL);
}

/* Does a process of the clock sleep until its timer is due? */
static inline bool hd__any_armed(const struct hd_sim *s, const struct hd_clock *c)
{
	for (uint32_t i = 0; i < c->nshares; i++)
		if (s->noted[c->shares[i].word].armed & ~s->awake[c->shares[i].word] & c->shares[i].bits)
			return true;
	return false;
}

#endif

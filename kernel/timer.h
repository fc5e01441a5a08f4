/* timer.h - timers of processes: sets of processes by the edge of their clock, modulo the size of a wheel
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline for the run loop.
 */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include "sim.h"

/* The process with this bit of the word gets a timer, instead of the one that it may have. */
static inline void hd__arm(struct hd_sim *s, size_t word, uint64_t bit, struct hd_process *t, uint64_t due)
{
	uint64_t *wheel = &s->wheels[word * HD_WHEEL];
	struct hd_noted *noted = &s->noted[word];
	struct hd_clock *c = t->clock;

	wheel[t->due % HD_WHEEL] &= ~bit;
	wheel[due % HD_WHEEL] |= bit;
	c->filled |= UINT64_C(1) << due % HD_WHEEL;
	noted->filled |= UINT64_C(1) << due % HD_WHEEL;
	noted->armed |= bit;
	if (HD_UNLIKELY(due - c->now >= HD_WHEEL))
		noted->far |= bit;
	t->due = due;
}

/* Stops timers of the word, which stay in their buckets until these come or they get another. */
static inline void hd__disarm(struct hd_sim *s, size_t word, uint64_t bits)
{
	s->noted[word].armed &= ~bits;
}

/* Of some processes in a bucket, those whose timers are not due at that edge: it is for one that is a turn of the
 * wheel, or more, after it. */
static __attribute__((noinline, unused)) uint64_t hd__still_far(struct hd_sim *s, size_t word, uint64_t far,
                                                                uint64_t edge)
{
	uint64_t later = 0;

	for (uint64_t left = far; left; left &= left - 1)
		if (s->processes[word * 64 + hd_bits_first(left)].due != edge)
			later |= hd_bits_lowest(left);
	s->noted[word].far &= ~(far ^ later);
	return later;
}

/* Empties a bucket of those of `due` in the word, and wakes them. */
static inline void hd__expire_near(struct hd_sim *s, size_t word, uint64_t due, uint64_t at)
{
	uint64_t *bucket = &s->wheels[word * HD_WHEEL + at];
	struct hd_noted *noted = &s->noted[word];

	due &= *bucket;
	*bucket ^= due;
	if (*bucket == 0)
		noted->filled &= ~(UINT64_C(1) << at);
	s->awake[word] |= due & noted->armed;
	noted->armed &= ~due;
}

/* Wakes those of `mine` in the word whose timers are due at that edge of their clock.  Returns those of a later edge in
 * the same bucket. */
static inline uint64_t hd__expire_word(struct hd_sim *s, size_t word, uint64_t mine, uint64_t edge)
{
	uint64_t at = edge % HD_WHEEL, later = s->wheels[word * HD_WHEEL + at] & mine & s->noted[word].far;

	if (HD_UNLIKELY(later != 0))
		later = hd__still_far(s, word, later, edge);
	hd__expire_near(s, word, mine & ~later, at);
	return later;
}

/* Wakes the processes whose timers are due now.  Not inline, so that the loop over clocks of which none are keeps
 * what it needs in registers. */
static __attribute__((noinline, unused)) void hd__expire(struct hd_sim *s, struct hd_clock *c)
{
	uint64_t later = 0;

	for (const struct hd_share *v = c->shares, *end = v + c->nshares; v < end; v++)
		if (s->noted[v->word].filled >> c->now % HD_WHEEL & 1) /* of many words most have none */
			later |= hd__expire_word(s, v->word, v->bits, c->now);
	if (later == 0)
		c->filled &= ~(UINT64_C(1) << c->now % HD_WHEEL);
}

/* The same where all processes are in the first word of the set. */
static inline void hd__expire_first(struct hd_sim *s, struct hd_clock *c)
{
	uint64_t at = c->now % HD_WHEEL, mine = c->shares->bits;

	if (HD_UNLIKELY((s->wheels[at] & mine & s->noted->far) != 0)) {
		hd__expire(s, c);
		return;
	}
	hd__expire_near(s, 0, mine, at);
	c->filled ^= UINT64_C(1) << at;
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

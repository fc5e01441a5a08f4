/* timer.h - timers of processes: a hashed wheel for each clock, counted in its edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline for the run loop.
 */
#ifndef KERNEL_TIMER_H
#define KERNEL_TIMER_H

#include "sim.h"

/* The caller brings the process's routine up to date. */
static inline void hd__stop_timer(struct hd_sim *s, struct hd_process *t)
{
	struct hd_clock *c = t->clock;
	size_t rank = (size_t)(t - s->processes);

	if (t->next != HD_NO_PROCESS)
		s->processes[t->next].prev = t->prev;
	if (t->prev != HD_NO_PROCESS)
		s->processes[t->prev].next = t->next;
	else
		c->bucket[t->due % HD_WHEEL] = t->next;
	if (c->bucket[t->due % HD_WHEEL] == HD_NO_PROCESS)
		c->filled &= ~(UINT64_C(1) << (t->due % HD_WHEEL));
	t->flags &= ~HD_PROCESS_ARMED;
	s->armed[rank / 64] &= ~(UINT64_C(1) << rank % 64);
	c->ntimers--;
}

static inline void hd__disarm(struct hd_sim *s, struct hd_process *t)
{
	hd__stop_timer(s, t);
	hd__routine_changed(s, t);
}

static inline void hd__arm(struct hd_sim *s, uint32_t rank, uint64_t due)
{
	struct hd_process *t = &s->processes[rank];
	uint32_t *bucket = &t->clock->bucket[due % HD_WHEEL];

	t->due = due;
	t->flags |= HD_PROCESS_ARMED;
	hd__routine_changed(s, t);
	s->armed[rank / 64] |= UINT64_C(1) << rank % 64;
	t->prev = HD_NO_PROCESS;
	t->next = *bucket;
	if (t->next != HD_NO_PROCESS)
		s->processes[t->next].prev = rank;
	*bucket = rank;
	t->clock->filled |= UINT64_C(1) << (due % HD_WHEEL);
	t->clock->ntimers++;
}

/* Wakes the processes whose timers are due now. */
static inline void hd__expire(struct hd_sim *s, struct hd_clock *c)
{
	uint32_t next;

	for (uint32_t r = c->bucket[c->now % HD_WHEEL]; r != HD_NO_PROCESS; r = next) {
		struct hd_process *t = &s->processes[r];

		next = t->next;
		if (t->due == c->now) {
			hd__disarm(s, t);
			s->awake[r / 64] |= UINT64_C(1) << (r % 64);
		}
	}
}

#endif

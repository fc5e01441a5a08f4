/* sweep.h - evaluates the processes that are awake, in order of rank, and puts them to sleep
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline for the loops that evaluate them.
 */
#ifndef KERNEL_SWEEP_H
#define KERNEL_SWEEP_H

#include "timer.h"

/* The earliest edge at which a payload in flight becomes visible. */
static inline uint64_t first_visible(const struct hd_sim *s, uint32_t rank)
{
	uint64_t best = UINT64_MAX;

	for (struct hd_chan **v = s->timed_in[rank]; *v; v++) {
		const struct hd_chan *c = *v;

		if (!(c->flags & HD_CHAN_SLOTS) && c->tail != c->head
		    && c->visible[c->head & c->mask] < best)
			best = c->visible[c->head & c->mask];
		for (uint64_t m = c->full; m;) {
			uint64_t at = c->visible[hd_bits_pop(&m)];

			if (at < best)
				best = at;
		}
	}
	return best;
}

/* The edge, `due` at the latest, at which the process has a payload to look at. */
static __attribute__((noinline, unused)) uint64_t due_for_inputs(const struct hd_sim *s, uint32_t rank, uint64_t due)
{
	uint64_t now = s->processes[rank].clock->now, seen = first_visible(s, rank);

	if (seen != UINT64_MAX && seen <= now) /* not taken: evaluate again at once */
		seen = now + 1;
	return seen < due ? seen : due;
}

static inline void go_to_sleep(struct hd_sim *s, uint32_t rank, uint64_t edges)
{
	struct hd_process *t = &s->processes[rank];
	uint64_t now = t->clock->now;
	uint64_t due = edges >= UINT64_MAX - now ? UINT64_MAX : now + edges;

	if (t->flags & HD_PROCESS_TIMED)
		due = due_for_inputs(s, rank, due);
	if (due == now + 1)
		s->awake[rank / 64] |= UINT64_C(1) << (rank % 64);
	else if (due != UINT64_MAX)
		hd__arm(s, rank, due);
}

/* Schedules the process with this bit as its eval returned. */
static inline void again(struct hd_sim *s, const struct hd_process *t, uint64_t edges, uint64_t *word,
                         uint64_t bit)
{
	if (edges == HD_SLEEP)
		return;
	if (HD_LIKELY(edges <= HD_NEXT))
		*word |= bit;
	else
		go_to_sleep(s, (uint32_t)(t - s->processes), edges);
}

/* Evaluates a process that counts skipped edges; `skipped` is called only after it slept. */
static inline void run_counting_process(struct hd_sim *s, struct hd_process *t, uint64_t *word,
                                      uint64_t bit)
{
	uint64_t edges = t->eval(t->state);

	if (HD_LIKELY(edges <= HD_NEXT)) {
		*word |= bit;
		return;
	}
	t->last = t->clock->now;
	t->flags |= HD_PROCESS_SLEPT;
	if (edges != HD_SLEEP)
		go_to_sleep(s, (uint32_t)(t - s->processes), edges);
}

/* Evaluates a process with other flags: a timer, a count of skipped edges, inputs that become
 * visible later, others that wait for what it answers. */
static __attribute__((noinline, unused)) void run_slow_process(struct hd_sim *s, struct hd_process *t, uint64_t *word,
                                                              uint64_t bit)
{
	uint64_t now = t->clock->now, edges;

	if (t->flags & HD_PROCESS_SLEPT) {
		t->flags &= ~HD_PROCESS_SLEPT;
		if (now - t->last > 1)
			t->skipped(t->state, now - t->last - 1);
	}
	if (t->flags & HD_PROCESS_ARMED)
		hd__disarm(s, t);
	edges = t->eval(t->state);
	if (t->flags & HD_PROCESS_ASKED)
		s->opt.probe->asked(s, (uint32_t)(t - s->processes));
	if ((t->flags & HD_PROCESS_COUNTS) && edges > HD_NEXT) {
		t->last = now;
		t->flags |= HD_PROCESS_SLEPT;
	}
	if ((t->flags & HD_PROCESS_TIMED) && edges > HD_NEXT)
		go_to_sleep(s, (uint32_t)(t - s->processes), edges);
	else
		again(s, t, edges, word, bit);
}

/* Evaluates those members of a rotating group that are in `due`: the first member moves on by one at
 * each edge of their clock.  Their bits are in *word.  Returns the bits of all members. */
static inline uint64_t run_group(struct hd_sim *s, const struct hd_group *g,
                                 struct hd_process *processes, uint64_t *word, uint64_t due)
{
	uint32_t at = (uint32_t)(g->clock->now % g->n), first = g->first % 64;
	uint64_t members = hd_bits_range(first, g->n);
	uint64_t mine = members & due, now;
	uint64_t todo = mine & UINT64_MAX << (first + at), then = mine & ~todo;

	for (int half = 0; half < 2; half++, todo = then) {
		while ((now = *word & todo) != 0) {
			struct hd_process *t = &processes[hd_bits_first(now)];
			uint64_t bit = now & -now;

			todo &= -(bit + bit); /* later ones only */
			*word ^= bit;
			s->evals++;
			if (HD_LIKELY(t->flags == (HD_PROCESS_GROUP | HD_PROCESS_COUNTS)))
				run_counting_process(s, t, word, bit);
			else
				run_slow_process(s, t, word, bit);
		}
	}
	return members;
}

/* Evaluates all awake processes in word w that have an edge now, in order of rank, including a
 * process woken by one of lower rank.  The bits are cleared in the set all at once, so that the
 * next evaluation does not wait for the store of the last one.  `far`: there are so many processes
 * that their states do not all stay in the nearest cache. */
static inline __attribute__((always_inline)) void sweep_word(struct hd_sim *s, uint32_t w,
                                                             uint64_t todo, bool far)
{
	struct hd_process *processes = &s->processes[(size_t)w * 64];
	uint64_t *word = &s->awake[w], mine = *word & todo, woken;

	*word ^= mine;
	do {
		struct hd_process *t = &processes[hd_bits_first(mine)];
		uint64_t bit = mine & -mine;

		mine ^= bit;
		if (far && (mine & (bit + bit))) /* the next rank is next */
			__builtin_prefetch(t[1].state);
		if (HD_LIKELY(t->flags == 0)) {
			s->evals++;
			again(s, t, t->eval(t->state), word, bit);
		} else if (HD_UNLIKELY(t->flags & HD_PROCESS_GROUP)) {
			uint64_t members;

			*word |= mine | bit;
			members = run_group(s, &s->groups[t->group - 1], processes, word, todo);
			todo &= ~members;
			mine &= ~members;
			*word &= ~mine;
		} else if (t->flags == HD_PROCESS_COUNTS) {
			s->evals++;
			run_counting_process(s, t, word, bit);
		} else {
			s->evals++;
			run_slow_process(s, t, word, bit);
		}
		woken = *word & todo;
		if (HD_UNLIKELY(woken >> 1 >= bit)) { /* some of higher rank */
			woken &= -(bit + bit);
			*word ^= woken;
			mine |= woken;
		}
	} while (mine);
}

#endif

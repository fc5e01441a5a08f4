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

		uint32_t next = c->head;

		while (HD_UNLIKELY(c->flags & HD_CHAN_APART) && next != c->tail && c->visible[next & c->mask] <= *c->now)
			next++; /* no process is woken for what is seen already, as by a channel that is not timed */
		if (!(c->flags & HD_CHAN_SLOTS) && c->tail != next && c->visible[next & c->mask] < best)
			best = c->visible[next & c->mask];
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

	if (t->flags & HD_PROCESS_TIMED) {
		due = due_for_inputs(s, rank, due);
		if (HD_UNLIKELY(t->flags & HD_PROCESS_ARMED)) /* for what was put since, or for an earlier sleep */
			hd__disarm(s, t);
	}
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

/* A process whose routine was called goes to sleep, for this many edges: what is left to do unless it counts no edges,
 * has no inputs that become visible by time and waits to be woken. */
static __attribute__((noinline, unused)) void put_to_sleep(struct hd_sim *s, uint32_t rank, uint64_t edges)
{
	struct hd_process *t = &s->processes[rank];

	if (t->flags & HD_PROCESS_COUNTS) {
		t->last = t->clock->now;
		t->flags |= HD_PROCESS_SLEPT;
		hd__routine_changed(s, t);
	}
	if (edges != HD_SLEEP || (t->flags & HD_PROCESS_TIMED))
		go_to_sleep(s, rank, edges);
}

/* Evaluates a process with other flags: a timer, a count of skipped edges, a group, others that wait for what it
 * answers. */
static inline void run_with_flags(struct hd_sim *s, struct hd_process *t, uint64_t *word, uint64_t bit)
{
	uint64_t now = t->clock->now, edges;

	if (t->flags & HD_PROCESS_SLEPT) {
		t->flags &= ~HD_PROCESS_SLEPT;
		if (now - t->last > 1)
			t->skipped(t->state, now - t->last - 1);
	}
	if (t->flags & HD_PROCESS_ARMED)
		hd__stop_timer(s, t);
	edges = t->eval(t->state);
	if (t->flags & HD_PROCESS_ASKED)
		s->opt.probe->asked(s, (uint32_t)(t - s->processes));
	if ((t->flags & HD_PROCESS_COUNTS) && edges > HD_NEXT) {
		t->last = now;
		t->flags |= HD_PROCESS_SLEPT;
	}
	hd__routine_changed(s, t);
	if ((t->flags & HD_PROCESS_TIMED) && edges > HD_NEXT)
		go_to_sleep(s, (uint32_t)(t - s->processes), edges);
	else
		again(s, t, edges, word, bit);
}

static __attribute__((noinline, unused)) void run_slow_process(struct hd_sim *s, struct hd_process *t, uint64_t *word,
                                                              uint64_t bit)
{
	run_with_flags(s, t, word, bit);
}

/* A member of a group goes to sleep, for this many edges.  Its routine is never called directly, so that nothing has to
 * be kept up to date there. */
static inline void member_sleeps(struct hd_sim *s, struct hd_process *t, uint64_t edges)
{
	if (t->flags & HD_PROCESS_COUNTS) {
		t->last = t->clock->now;
		t->flags |= HD_PROCESS_SLEPT;
	}
	if (edges != HD_SLEEP)
		go_to_sleep(s, (uint32_t)(t - s->processes), edges);
}

/* Evaluates those members of a rotating group that are in `due`: the first member moves on by one at each edge of their
 * clock.  Those in `mine` are awake and have no bit in *word.  Returns the bits of all members.  Not inline, so that all
 * that is needed from member to member stays in registers. */
static __attribute__((noinline, unused)) uint64_t run_group(struct hd_sim *s, const struct hd_group *g, uint64_t *word,
                                                           uint64_t due, uint64_t mine)
{
	uint64_t clock = g->clock->now, n = g->n, members = g->members, now;
	uint64_t at = HD_LIKELY((n & (n - 1)) == 0) ? clock & (n - 1) : clock % n;
	uint64_t later = members & -(g->lowest << at); /* and the one that is first */
	uint64_t todo = due & later, then = due & (members ^ later);
	struct hd_process *processes = &s->processes[g->first & ~63u];

	*word |= mine & members;
	for (;;) {
		struct hd_process *t;
		uint64_t bit, edges;

		now = *word & todo;
		if (now == 0) {
			if (then == 0)
				break;
			todo = then;
			then = 0;
			continue;
		}
		bit = now & -now;
		todo &= -(bit + bit); /* later ones only */
		*word ^= bit;
		s->evals++;
		t = &processes[hd_bits_first(now)];
		if (HD_UNLIKELY(t->flags & (HD_PROCESS_ARMED | HD_PROCESS_TIMED | HD_PROCESS_ASKED))) {
			run_slow_process(s, t, word, bit);
			continue;
		}
		if (t->flags & HD_PROCESS_SLEPT) {
			uint64_t edge = t->clock->now;

			t->flags &= ~HD_PROCESS_SLEPT;
			if (edge - t->last > 1)
				t->skipped(t->state, edge - t->last - 1);
		}
		edges = t->eval(t->state);
		if (edges <= HD_NEXT)
			*word |= bit;
		else
			member_sleeps(s, t, edges);
	}
	return members;
}

/* Two rare parts of the next function, which so keeps what it needs in registers.  Evaluates a process with flags,
 * whose bit is the lowest of `mine`, by itself.  Returns its bit. */
static __attribute__((noinline, unused)) uint64_t run_alone(struct hd_sim *s, uint64_t *word, uint64_t mine)
{
	struct hd_process *t = &s->processes[(size_t)(word - s->awake) * 64 + hd_bits_first(mine)];

	s->evals++;
	run_with_flags(s, t, word, mine & -mine);
	return mine & -mine;
}

static __attribute__((noinline, unused)) void put_to_sleep_in_word(struct hd_sim *s, const uint64_t *word, uint64_t i,
                                                                  uint64_t edges)
{
	put_to_sleep(s, (uint32_t)((size_t)(word - s->awake) * 64 + i), edges);
}

/* Those that sleep until they are woken and count edges, which from now on pass without them, or have inputs that
 * become visible by time. */
static __attribute__((noinline, unused)) void stop_counting(struct hd_sim *s, const uint64_t *word, uint64_t asleep)
{
	while (asleep)
		put_to_sleep_in_word(s, word, hd_bits_pop(&asleep), HD_SLEEP);
}

/* Evaluates all awake processes in a word of the set that have an edge now, in order of rank, including a
 * process woken by one of lower rank.  The bits are cleared in the set all at once, and those for the next
 * edge set all at once, so that no evaluation waits for the store of the last one.  Neighbours need no search
 * for the next bit.  `routines` are those of the word, `counting` its processes of which sleep has to be noted. */
static __attribute__((noinline, unused)) void sweep_word(struct hd_sim *s, uint64_t *word, uint64_t todo,
                                                        const struct hd_routine *routines, uint64_t counting)
{
	uint64_t mine = *word & todo, due = todo, called = mine, next = 0, evals = 0, woken, edges;
	uint64_t bit = hd_bits_lowest(mine);
	const struct hd_routine *r = &routines[hd_bits_first(mine)];

	*word ^= mine;
	for (;;) {
		if (HD_UNLIKELY(r->eval == NULL)) {
			const struct hd_group *g = (const struct hd_group *)r->state;
			uint64_t done = g ? run_group(s, g, word, todo, mine) : run_alone(s, word, mine);

			mine &= ~done;
			called &= ~done;
			due &= ~done;
		} else {
			mine ^= bit;
			evals++;
			edges = r->eval(r->state);
			if (edges <= HD_NEXT) {
				next |= bit;
			} else if (HD_UNLIKELY(edges != HD_SLEEP)) {
				called &= ~bit;
				put_to_sleep_in_word(s, word, hd_bits_first(bit), edges);
			}
		}
		r++;
		bit += bit;
		woken = *word & due;
		if (HD_UNLIKELY(woken >= bit)) { /* some by one of lower rank, unless the word is over: bit is 0 */
			woken &= -bit;
			*word ^= woken;
			mine |= woken;
			called |= woken;
		}
		if (HD_LIKELY(mine & bit))
			continue;
		if (mine == 0)
			break;
		bit = hd_bits_lowest(mine);
		r = &routines[hd_bits_first(mine)];
	}
	*word |= next;
	s->evals += evals;
	called &= counting & ~next;
	if (HD_UNLIKELY(called != 0))
		stop_counting(s, word, called);
}

static inline void sweep(struct hd_sim *s, uint32_t w, uint64_t todo)
{
	sweep_word(s, &s->awake[w], todo, &s->routines[(size_t)w * 64], s->counting[w]);
}

#endif

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

		if (next == c->tail && c->full == 0) /* as mostly, where there are many */
			continue;
		while (HD_UNLIKELY(c->flags & HD_CHAN_APART) && next != c->tail
		       && c->visible[next & c->mask] <= *c->now)
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

/* So many edges do not come: an `eval` that counts back from a time that is over returns a number just below 2^64,
 * and a run that leapt there would come behind the last cycle. */
#define NEVER (UINT64_C(1) << 62)

/* The process with this bit of a word, of which inputs become visible by time, goes to sleep, for this many edges. */
static __attribute__((noinline, unused)) void sleep_for_inputs(struct hd_sim *s, size_t word, uint64_t bit,
                                                              struct hd_process *t, uint64_t edges)
{
	uint64_t now = t->clock->now, seen = first_visible(s, (uint32_t)(t - s->processes));
	uint64_t due = edges >= NEVER || seen < now + edges ? seen : now + edges;

	if (due > now + 1 && due != UINT64_MAX) {
		hd__arm(s, word, bit, t, due);
		return;
	}
	hd__disarm(s, word, bit);
	/* at the next edge, or before: what is visible and was not taken is looked at again at once */
	if (due != UINT64_MAX)
		s->awake[word] |= bit;
}

/* The process with this bit of a word goes to sleep, for this many edges; it may still have the timer of an earlier
 * sleep, or one for what was put since. */
static inline void go_to_sleep(struct hd_sim *s, size_t word, uint64_t bit, struct hd_process *t, uint64_t edges)
{
	uint64_t now = t->clock->now;

	if (t->flags & HD_PROCESS_TIMED)
		sleep_for_inputs(s, word, bit, t, edges);
	else if (edges < NEVER)
		hd__arm(s, word, bit, t, now + edges);
	else
		hd__disarm(s, word, bit);
}

/* A process whose routine was called goes to sleep, for this many edges: what is left to do unless it counts no edges,
 * has no timer and no inputs that become visible by time and waits to be woken. */
static __attribute__((noinline, unused)) void put_to_sleep(struct hd_sim *s, size_t word, uint64_t bit, uint64_t edges)
{
	struct hd_process *t = &s->processes[word * 64 + hd_bits_first(bit)];

	if (t->flags & HD_PROCESS_COUNTS) {
		t->last = t->clock->now;
		t->flags |= HD_PROCESS_SLEPT;
		hd__routine_changed(s, t);
	}
	go_to_sleep(s, word, bit, t, edges);
}

/* Evaluates a process without its routine: a member of a group for whose answer others wait, and any process of which
 * each evaluation is checked. */
static __attribute__((noinline, unused)) void run_slow_process(struct hd_sim *s, struct hd_process *t, uint64_t *word,
                                                              uint64_t bit)
{
	uint64_t now = t->clock->now, edges;

	if (t->flags & HD_PROCESS_SLEPT) {
		t->flags &= ~HD_PROCESS_SLEPT;
		if (now - t->last > 1)
			t->skipped(t->state, now - t->last - 1);
	}
	edges = t->eval(t->state);
	if (t->flags & HD_PROCESS_ASKED)
		s->opt.probe->asked(s, (uint32_t)(t - s->processes));
	if ((t->flags & HD_PROCESS_COUNTS) && edges > HD_NEXT) {
		t->last = now;
		t->flags |= HD_PROCESS_SLEPT;
	}
	hd__routine_changed(s, t);
	if (edges <= HD_NEXT)
		*word |= bit;
	else
		go_to_sleep(s, (size_t)(word - s->awake), bit, t, edges);
}

/* A member of a group goes to sleep with a timer, has one of an earlier sleep, or inputs that become visible by
 * time. */
static __attribute__((noinline, unused)) void member_sleeps(struct hd_sim *s, struct hd_process *t, uint64_t bit,
                                                           uint64_t edges)
{
	go_to_sleep(s, (size_t)(t - s->processes) / 64, bit, t, edges);
}

/* Evaluates those members of a rotating group that are awake and in `due`: the first member moves on by one at each
 * edge of their clock.  Not inline, so that all that is needed from member to member stays in registers. */
static __attribute__((noinline, unused)) void run_group(struct hd_sim *s, const struct hd_group *g, uint64_t *word,
                                                       uint64_t due, const struct hd_noted *noted)
{
	uint64_t clock = g->clock->now, n = g->n;
	uint64_t at = HD_LIKELY((n & (n - 1)) == 0) ? clock & (n - 1) : clock % n;
	uint64_t bit = g->lowest << at, later = g->members & -bit; /* and the one that is first */
	uint64_t todo = due & later, then = due & (g->members ^ later), now, edges;
	struct hd_process *t = g->processes + g->first % 64 + at;

	for (;; bit += bit, t++) {
		now = *word & todo;
		if (!(now & bit)) { /* not the neighbour: the next one, or the first of those that come then */
			now &= -bit;
			while (HD_UNLIKELY(now == 0)) {
				if (then == 0)
					return;
				todo = then;
				then = 0;
				now = *word & todo;
			}
			bit = hd_bits_lowest(now);
			t = &g->processes[hd_bits_first(now)];
		}
		*word ^= bit;
		s->evals++;
		if (HD_UNLIKELY(t->flags & (HD_PROCESS_SLEPT | HD_PROCESS_ASKED))) {
			if (t->flags & HD_PROCESS_ASKED) {
				run_slow_process(s, t, word, bit);
				continue;
			}
			t->flags ^= HD_PROCESS_SLEPT;
			edges = t->clock->now - t->last;
			if (edges > 1)
				t->skipped(t->state, edges - 1);
		}
		edges = t->eval(t->state);
		if (edges <= HD_NEXT) {
			*word |= bit;
			continue;
		}
		/* its routine is not called directly, and need not be kept up to date */
		if (t->flags & HD_PROCESS_COUNTS) {
			t->last = t->clock->now;
			t->flags |= HD_PROCESS_SLEPT;
		}
		if (HD_UNLIKELY(edges != HD_SLEEP || (t->flags & HD_PROCESS_TIMED) || (noted->armed & bit)))
			member_sleeps(s, t, bit, edges);
	}
}

/* Puts to sleep processes that have a timer, count edges, which from now on pass without them, or have
 * inputs that become visible by time. */
static __attribute__((noinline, unused)) void note_sleep(struct hd_sim *s, size_t word, uint64_t asleep)
{
	hd__disarm(s, word, asleep);
	asleep &= s->noted[word].counting;
	for (; asleep; asleep &= asleep - 1)
		put_to_sleep(s, word, hd_bits_lowest(asleep), HD_SLEEP);
}

/* What a process passes on mostly goes to the one before it, which so is evaluated at the next edge: of many
 * processes, of which those awake are not neighbours, its state has to be fetched. */
static inline void expect_reader(const struct hd_routine *r)
{
	__builtin_prefetch((const void *)((uintptr_t)r->state - 64));
}

/* Evaluates all awake processes in a word of the set that are `due`, in order of rank, including a process woken by
 * one of lower rank.  The bits are cleared in the set all at once, and those for the next edge set all at once, so
 * that no evaluation waits for the store of the last one.  Neighbours need no search for the next bit.  `routines`
 * are those of the word, as is `noted`; `many`: it is one of several words. */
static inline __attribute__((always_inline)) void sweep_set(struct hd_sim *s, uint64_t *word, uint64_t due,
                                                           const struct hd_routine *routines,
                                                           const struct hd_noted *noted, bool many)
{
	uint64_t mine = *word & due, called = mine, next = 0, evals = 0, edges, woken;
	uint64_t bit = hd_bits_lowest(mine);
	const struct hd_routine *r = &routines[hd_bits_first(mine)];

	*word ^= mine;
	for (;;) {
		mine ^= bit;
		evals++;
		edges = r->eval(r->state);
		if (edges != HD_SLEEP) { /* tested first: most that are not evaluated at the next edge sleep so */
			if (HD_LIKELY(edges <= HD_NEXT)) {
				next |= bit;
			} else if (edges == HD_GROUP && r->eval == hd__group_turn) {
				const struct hd_group *g = r->state;

				*word |= bit | (mine & g->members);
				s->evals--;
				run_group(s, g, word, due, noted);
				mine &= ~g->members;
				called &= ~g->members;
				due &= ~g->members;
			} else {
				called ^= bit;
				put_to_sleep(s, (size_t)(word - s->awake), bit, edges);
			}
		}
		r++;
		bit += bit;
		if ((mine & bit) && HD_LIKELY(!(*word & bit))) /* whatever else was woken */
			continue;
		woken = *word & due;
		if (HD_UNLIKELY(woken >= bit)) { /* some by one of lower rank, unless the word is over: bit is 0 */
			woken &= -bit;
			*word ^= woken;
			mine |= woken;
			called |= woken;
		}
		if (mine == 0)
			break;
		bit = hd_bits_lowest(mine);
		r = &routines[hd_bits_first(mine)];
		if (many)
			expect_reader(r);
	}
	if (!many || next != 0) /* of many words most have none: no evaluation waits for a store that changes nothing */
		*word |= next;
	s->evals += evals;
	called &= (noted->counting | noted->armed) & ~next;
	if (HD_UNLIKELY(called != 0))
		note_sleep(s, (size_t)(word - s->awake), called);
}

static __attribute__((noinline, unused)) void sweep_word(struct hd_sim *s, uint64_t *word, uint64_t todo,
                                                        const struct hd_routine *routines,
                                                        const struct hd_noted *noted)
{
	sweep_set(s, word, todo, routines, noted, false);
}

static inline void sweep(struct hd_sim *s, uint32_t w, uint64_t todo)
{
	sweep_word(s, &s->awake[w], todo, &s->routines[(size_t)w * 64], &s->noted[w]);
}

#endif

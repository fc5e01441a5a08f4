/* run.c - the run loop: edges, processes, timers, sleep
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sim.h"

#include <stdlib.h>

/* ---- timers: a hashed wheel per clock, counted in that clock's own edges ---- */

static void disarm(struct hd_sim *s, struct hd_process *t)
{
	struct hd_clock *c = t->clock;

	if (t->next != HD_NO_PROCESS)
		s->processes[t->next].prev = t->prev;
	if (t->prev != HD_NO_PROCESS)
		s->processes[t->prev].next = t->next;
	else
		c->bucket[t->due % HD_WHEEL] = t->next;
	if (c->bucket[t->due % HD_WHEEL] == HD_NO_PROCESS)
		c->filled &= ~(UINT64_C(1) << (t->due % HD_WHEEL));
	t->flags &= ~HD_PROCESS_ARMED;
	c->ntimers--;
}

static void arm(struct hd_sim *s, uint32_t rank, uint64_t due)
{
	struct hd_process *t = &s->processes[rank];
	uint32_t *bucket = &t->clock->bucket[due % HD_WHEEL];

	t->due = due;
	t->flags |= HD_PROCESS_ARMED;
	t->prev = HD_NO_PROCESS;
	t->next = *bucket;
	if (t->next != HD_NO_PROCESS)
		s->processes[t->next].prev = rank;
	*bucket = rank;
	t->clock->filled |= UINT64_C(1) << (due % HD_WHEEL);
	t->clock->ntimers++;
}

static void expire(struct hd_sim *s, struct hd_clock *c)
{
	uint32_t next;

	for (uint32_t r = c->bucket[c->now % HD_WHEEL]; r != HD_NO_PROCESS; r = next) {
		struct hd_process *t = &s->processes[r];

		next = t->next;
		if (t->due == c->now) {
			disarm(s, t);
			s->awake[r / 64] |= UINT64_C(1) << (r % 64);
		}
	}
}

/* ---- processes ---- */

/* The earliest edge at which a payload in flight becomes visible. */
static uint64_t first_visible(const struct hd_sim *s, uint32_t rank)
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

static void go_to_sleep(struct hd_sim *s, uint32_t rank, uint64_t edges)
{
	struct hd_process *t = &s->processes[rank];
	uint64_t now = t->clock->now;
	uint64_t due = edges >= UINT64_MAX - now ? UINT64_MAX : now + edges;

	if (t->flags & HD_PROCESS_TIMED) {
		uint64_t seen = first_visible(s, rank);

		if (seen != UINT64_MAX && seen <= now) /* not taken: evaluate again at once */
			seen = now + 1;
		if (seen < due)
			due = seen;
	}
	if (due == now + 1)
		s->awake[rank / 64] |= UINT64_C(1) << (rank % 64);
	else if (due != UINT64_MAX)
		arm(s, rank, due);
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
 * visible later. */
static void run_slow_process(struct hd_sim *s, struct hd_process *t, uint64_t *word, uint64_t bit)
{
	uint64_t now = t->clock->now, edges;

	if (t->flags & HD_PROCESS_SLEPT) {
		t->flags &= ~HD_PROCESS_SLEPT;
		if (now - t->last > 1)
			t->skipped(t->state, now - t->last - 1);
	}
	if (t->flags & HD_PROCESS_ARMED)
		disarm(s, t);
	edges = t->eval(t->state);
	if ((t->flags & HD_PROCESS_COUNTS) && edges > HD_NEXT) {
		t->last = now;
		t->flags |= HD_PROCESS_SLEPT;
	}
	if (t->flags & HD_PROCESS_TIMED)
		go_to_sleep(s, (uint32_t)(t - s->processes), edges ? edges : HD_NEXT);
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

/* A function of its own, so that all of the above stays in registers. */
static __attribute__((noinline)) void sweep(struct hd_sim *s, uint64_t todo)
{
	sweep_word(s, 0, todo, false);
}


static void wake_late(struct hd_sim *s)
{
	s->late = 0;
	for (size_t i = 0; i < s->nstaged; i++) {
		struct hd_chan *c = s->staged[i]->chan;

		if (c->flags & HD_CHAN_SLOTS ? c->full != 0 : c->head != c->tail)
			hd__wake_readers(c);
		if (c->late_edge != *c->now)
			continue;
		if ((c->flags & HD_CHAN_STARVED) || (c->wanted & c->late_full))
			hd__wake_writers(c);
		if (s->staged[i]->mixed) /* the producers may be evaluated before the next edge */
			s->late = 1;
	}
}

/* ---- edges ---- */

/* Spans end when their clock stops and do not continue when it starts again: for the recorder,
 * time passes in between. */
static void tell_listened(struct hd_sim *s, const struct hd_clock *c, bool on)
{
	bool settled = false;

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		if (in->clock != c || !in->ctx.events || !in->module->end_observation)
			continue;
		if (!settled)
			hd__sim_settle(s);
		settled = true;
		if (on)
			hd_wake(in->ctx.self);
		else
			in->module->end_observation(in->state);
	}
}

/* Gates take effect for whole periods of the root. */
static void sample_gates(struct hd_sim *s, struct hd_root *r)
{
	r->gates_moved = false;
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];
		bool on = true;

		if (c->root != r)
			continue;
		for (const struct hd_clock *up = c; up; up = up->parent)
			on = on && (!up->gated || up->open);
		if (on != c->on) {
			c->on = on;
			r->generation++;
			tell_listened(s, c, on);
		}
	}
}

static void add_processes(uint64_t *set, const struct hd_clock *c)
{
	for (uint32_t k = 0; k < c->nshares; k++)
		set[c->shares[k].word] |= c->shares[k].bits;
}

static void refresh_phase(struct hd_sim *s, const struct hd_root *r, struct hd_phase *p)
{
	memset(p->mask, 0, s->nwords * sizeof *p->mask);
	p->nticking = 0;
	for (uint32_t i = 0; i < p->nclocks; i++) {
		if (!p->clocks[i]->on)
			continue;
		p->ticking[p->nticking++] = p->clocks[i];
		add_processes(p->mask, p->clocks[i]);
	}
	memset(p->rest, 0, s->nwords * sizeof *p->rest);
	p->nrest = 0;
	for (uint32_t i = 0; i < s->nclocks; i++) {
		struct hd_clock *c = &s->clocks[i];
		uint64_t later = c->root == r && c->on ? c->phases >> (p - r->phases) : 0;

		if (!later)
			continue;
		p->rest_of[p->nrest] = c;
		p->edges[p->nrest++] = hd_bits_count(later);
		add_processes(p->rest, c);
	}
	p->generation = r->generation;
}

/* Skips the rest of the period if no process runs in it. */
static inline void skip_rest(struct hd_sim *s, struct hd_root *r, uint32_t nwords)
{
	struct hd_phase *p = &r->phases[r->next_phase];
	struct hd_clock **first, **end;
	const uint32_t *edges;

	if (HD_UNLIKELY(p->generation != r->generation))
		refresh_phase(s, r, p);
	for (uint32_t w = 0; w < nwords; w++)
		if (s->awake[w] & p->rest[w])
			return;
	first = p->rest_of;
	end = first + p->nrest;
	for (struct hd_clock **c = first; c < end; c++)
		if ((*c)->ntimers)
			return;
	edges = p->edges;
	for (struct hd_clock **c = first; c < end; c++)
		(*c)->now += *edges++;
	r->next_phase = 0;
}

/* The same for all roots: at accumulated times nothing lies between the phases of a period. */
static void skip_rests(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].next_phase == 0)
			continue;
		skip_rest(s, &s->roots[i], s->nwords);
		if (s->roots[i].next_phase != 0)
			return;
	}
}

/* Starts the root's next phase: its clocks step, timers fire.  Returns its processes. */
static inline const uint64_t *open_phase(struct hd_sim *s, struct hd_root *r)
{
	struct hd_phase *p = &r->phases[r->next_phase];

	if (r->next_phase == 0) {
		r->period++;
		if (HD_UNLIKELY(r->gates_moved))
			sample_gates(s, r);
	}
	if (HD_UNLIKELY(p->generation != r->generation))
		refresh_phase(s, r, p);
	for (struct hd_clock **v = p->ticking, **end = v + p->nticking; v < end; v++) {
		struct hd_clock *c = *v;
		uint64_t now = ++c->now;

		if (c->ntimers && c->bucket[now % HD_WHEEL] != HD_NO_PROCESS)
			expire(s, c);
	}
	if (++r->next_phase == r->nphases)
		r->next_phase = 0;
	return p->mask;
}

/* Time of the root's next phase, in ticks. */
static uint64_t next_tick(const struct hd_root *r)
{
	uint64_t period = r->next_phase == 0 ? r->period + 1 : r->period;

	return period * r->ticks + r->tick[r->next_phase];
}

/* -1, 0, 1: root a's next phase comes before, with, after that of b.  Exact. */
static int compare_roots(const struct hd_root *a, const struct hd_root *b)
{
	unsigned __int128 l = (unsigned __int128)next_tick(a) * b->rate;
	unsigned __int128 r = (unsigned __int128)next_tick(b) * a->rate;

	return l < r ? -1 : l > r;
}

/* Exact times: the roots whose next phase is the earliest, as a set. */
static uint64_t due_roots(const struct hd_sim *s)
{
	const struct hd_root *first = &s->roots[0];
	uint64_t due = 0;

	for (uint32_t i = 1; i < s->nroots; i++)
		if (compare_roots(&s->roots[i], first) < 0)
			first = &s->roots[i];
	for (uint32_t i = 0; i < s->nroots; i++)
		if (compare_roots(&s->roots[i], first) == 0)
			due |= UINT64_C(1) << i;
	return due;
}

/* Accumulated times.  All phases of a period lie at one moment: the first ones of the roots that
 * begin a period at the same time come together, the later ones of each root then by themselves. */
static uint64_t due_accumulated(struct hd_sim *s)
{
	double least = s->roots[0].time;
	uint64_t due = 0;

	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].next_phase != 0)
			return UINT64_C(1) << i;
		if (s->roots[i].time < least)
			least = s->roots[i].time;
	}
	for (uint32_t i = 0; i < s->nroots; i++) {
		if (s->roots[i].time != least)
			continue;
		s->roots[i].time += s->roots[i].step;
		due |= UINT64_C(1) << i;
	}
	return due;
}

/* The earliest phase of several roots, together with those of others that coincide. */
static const uint64_t *open_phases(struct hd_sim *s, uint64_t *mask)
{
	uint64_t due = s->accumulated ? due_accumulated(s) : due_roots(s);

	for (uint32_t i = 0; i < s->nroots; i++) /* with those that begin one now it is put right */
		s->roots[i].passed = s->roots[i].period + (s->roots[i].next_phase == 0);
	if ((due & (due - 1)) == 0)
		return open_phase(s, &s->roots[hd_bits_first(due)]);
	memset(mask, 0, s->nwords * sizeof *mask);
	while (due) {
		const uint64_t *one = open_phase(s, &s->roots[hd_bits_pop(&due)]);

		for (uint32_t w = 0; w < s->nwords; w++)
			mask[w] |= one[w];
	}
	return mask;
}

static enum hd_run_status stopped(struct hd_sim *s)
{
	if (s->bad_input)
		return HD_RUN_BAD_INPUT;
	if (s->failed)
		return HD_RUN_FAILED;
	return HD_RUN_FINISHED;
}

/* `since`: the last period of the first root in which something happened. */
/* `one`: one root, at most 64 processes, which may sleep; the case of most netlists. */
static inline __attribute__((always_inline)) enum hd_run_status run(struct hd_sim *s, uint64_t edges,
                                                                   uint64_t *scratch, bool one)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	const uint32_t nwords = one ? 1 : s->nwords;
	const bool skips = one || (!scratch && !s->opt.no_sleep);
	bool busy = !s->idle;

	while (edges-- > 0) {
		const uint64_t *mask;

		if (r->next_phase == 0) {
			uint64_t next = r->period + 1;

			if (!busy || next >= s->limit || next >= s->observe_at || (next & 1023) == 1) {
				status = hd__between_periods(s, !busy);
				if (status != HD_RUN_MORE)
					break;
			}
			busy = false;
		}
		mask = one || !scratch ? open_phase(s, r) : open_phases(s, scratch);
		if (!one && HD_UNLIKELY(s->opt.no_sleep))
			for (uint32_t w = 0; w < nwords; w++)
				s->awake[w] |= mask[w];
		if (nwords == 1) {
			if (s->awake[0] & mask[0]) {
				sweep(s, mask[0]);
				busy = true;
			}
		} else {
			for (uint32_t w = 0; w < nwords; w++)
				if (s->awake[w] & mask[w]) {
					sweep_word(s, w, mask[w], true);
					busy = true;
				}
		}
		if (HD_UNLIKELY(s->late))
			wake_late(s);
		if (HD_UNLIKELY(s->finished | s->failed | s->bad_input)) {
			status = stopped(s);
			break;
		}
		if (r->next_phase != 0 && skips)
			skip_rest(s, r, nwords);
		else if (!one && HD_UNLIKELY(s->accumulated) && !s->opt.no_sleep)
			skip_rests(s);
	}
	s->idle = !busy;
	return status;
}

enum hd_run_status hd__sim_run(struct hd_sim *s, uint64_t edges)
{
	enum hd_run_status status;

	s->in_run = true;
	if (HD_UNLIKELY(s->crash != NULL))
		hd__crash_watch(s->crash, __builtin_frame_address(0));
	if (!s->edge_mask && s->nwords == 1 && !s->opt.no_sleep)
		status = run(s, edges, NULL, true);
	else
		status = run(s, edges, s->edge_mask, false);
	if (HD_UNLIKELY(s->crash != NULL))
		hd__crash_unwatch(s->crash);
	if (s->part_over && status != HD_RUN_MORE)
		hd__part_keep(s);
	return status;
}

void hd__sim_halt(struct hd_sim *s, uint64_t cycles)
{
	s->limit = s->opt.max_cycles ? s->opt.max_cycles : UINT64_MAX;
	if (cycles < s->limit)
		s->limit = cycles;
}

void hd__sim_settle(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nprocesses; i++) {
		struct hd_process *t = &s->processes[i];

		if ((t->flags & HD_PROCESS_SLEPT) && t->clock->now != t->last) {
			t->skipped(t->state, t->clock->now - t->last);
			t->last = t->clock->now;
		}
	}
	hd__gauges_settle(s);
}

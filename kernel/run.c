/* run.c - the run loop: edges, processes, sleep
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "phase.h"

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

/* The edge, `due` at the latest, at which the process has a payload to look at. */
static __attribute__((noinline)) uint64_t due_for_inputs(const struct hd_sim *s, uint32_t rank, uint64_t due)
{
	uint64_t now = s->processes[rank].clock->now, seen = first_visible(s, rank);

	if (seen != UINT64_MAX && seen <= now) /* not taken: evaluate again at once */
		seen = now + 1;
	return seen < due ? seen : due;
}

static void go_to_sleep(struct hd_sim *s, uint32_t rank, uint64_t edges)
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
		hd__disarm(s, t);
	edges = t->eval(t->state);
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

/* ---- parts for the loop that checks modules ---- */

void hd__run_process(struct hd_sim *s, uint32_t rank)
{
	uint64_t *word = &s->awake[rank / 64], bit = UINT64_C(1) << (rank % 64);

	*word &= ~bit;
	s->evals++;
	run_slow_process(s, &s->processes[rank], word, bit);
}

void hd__end_edge(struct hd_sim *s)
{
	if (s->late)
		wake_late(s);
}

/* ---- the loop ---- */

static enum hd_run_status stopped(struct hd_sim *s)
{
	if (s->bad_input)
		return HD_RUN_BAD_INPUT;
	if (s->failed)
		return HD_RUN_FAILED;
	return HD_RUN_FINISHED;
}

/* `many`: several roots.  `one`: one root, at most 64 processes, which may sleep; the case of most
 * netlists. */
static inline __attribute__((always_inline)) enum hd_run_status run(struct hd_sim *s, uint64_t edges,
                                                                   bool many, bool one)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	const bool all = !one && s->opt.no_sleep;
	const bool skips = one || (!many && !all);
	bool busy = !s->idle;

	while (edges-- > 0) {
		const struct hd_phase *p;
		const uint64_t *mask;
		struct hd_words part;

		if (r->next_phase == 0) {
			uint64_t next = r->period + 1;

			if (!busy || next >= s->limit || next >= s->observe_at || (next & 1023) == 1) {
				status = hd__between_periods(s, !busy);
				if (status != HD_RUN_MORE)
					break;
			}
			busy = false;
		}
		p = many ? hd__open_phases(s) : hd__open_phase(s, r);
		mask = p->mask;
		part = p->words;
		if (HD_UNLIKELY(all))
			for (uint32_t w = part.first; w < part.end; w++) {
				busy = busy || (s->awake[w] & mask[w]); /* as if those asleep slept */
				s->awake[w] |= mask[w];
			}
		if (one || s->nwords == 1) {
			if (s->awake[0] & mask[0]) {
				sweep(s, mask[0]);
				busy = busy || !all;
			}
		} else {
			for (uint32_t w = part.first; w < part.end; w++)
				if (s->awake[w] & mask[w]) {
					sweep_word(s, w, mask[w], true);
					busy = busy || !all;
				}
		}
		if (HD_UNLIKELY(s->late))
			wake_late(s);
		if (HD_UNLIKELY(s->finished | s->failed | s->bad_input)) {
			status = stopped(s);
			break;
		}
		if (r->next_phase != 0 && skips)
			hd__skip_rest(s, r, one);
		else if (!one && HD_UNLIKELY(s->accumulated) && !all)
			hd__skip_rests(s);
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
	if (HD_UNLIKELY(s->contract != NULL))
		status = (enum hd_run_status)s->opt.checker->run(s, edges);
	else if (s->nroots == 1 && s->nwords == 1 && !s->opt.no_sleep)
		status = run(s, edges, false, true);
	else
		status = run(s, edges, s->nroots > 1, false);
	if (HD_UNLIKELY(s->crash != NULL))
		hd__crash_unwatch(s->crash);
	if (status == HD_RUN_FINISHED || status == HD_RUN_DEADLOCK || status == HD_RUN_LIMIT) {
		hd__check_rooms(s);
		status = s->failed ? HD_RUN_FAILED : status;
	}
	if (s->part_over && status != HD_RUN_MORE)
		hd__part_keep(s);
	return status;
}

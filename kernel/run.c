/* run.c - the run loop: phase by phase, and partitions that run ahead
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "phase.h"
#include "sweep.h"

static __attribute__((noinline)) void sweep_one_of_many(struct hd_sim *s, uint64_t *word, uint64_t todo,
                                                       const struct hd_routine *routines,
                                                       const struct hd_noted *noted)
{
	sweep_set(s, word, todo, routines, noted, true);
}

/* The short way where a single process, `mine`, of those in `todo` is awake.  Returns the others if one of them was
 * woken by it and runs in the same edge. */
static inline uint64_t run_alone(struct hd_sim *s, uint64_t *word, uint64_t todo, uint64_t mine,
                                 const struct hd_routine *r,
                                 const struct hd_noted *noted)
{
	uint64_t edges;

	*word ^= mine;
	edges = r->eval(r->state);
	if (edges <= HD_NEXT)
		*word |= mine;
	else if (HD_UNLIKELY(edges != HD_SLEEP) || HD_UNLIKELY((noted->counting | noted->armed) & mine))
		put_to_sleep(s, (size_t)(word - s->awake), mine, edges);
	if (HD_LIKELY((*word & todo) >> 1 < mine)) /* none of higher rank */
		return 0;
	return todo & -(mine + mine);
}

/* Evaluates a phase's processes of several words.  Returns true if some were awake.  Where they are few, a word
 * mostly has but one. */
static __attribute__((noinline)) bool sweep_words(struct hd_sim *s, const uint64_t *mask, struct hd_words part)
{
	const uint64_t *m = mask + part.first, *end = mask + part.end;
	uint64_t *word = s->awake + part.first, alone = 0;
	const struct hd_routine *routines = s->routines + (size_t)part.first * 64;
	const struct hd_noted *noted = s->noted + part.first;
	uint64_t before = s->evals;

	for (; m < end; m++, word++, routines += 64, noted++) {
		uint64_t todo = *m, mine = *word & todo;
		const struct hd_routine *r;

		if (mine == 0)
			continue;
		r = &routines[hd_bits_first(mine)];
		expect_reader(r);
		if (HD_LIKELY((mine & (mine - 1)) == 0 && r->eval != hd__group_turn)) {
			alone++;
			todo = run_alone(s, word, todo, mine, r, noted);
			if (HD_LIKELY(todo == 0))
				continue;
		}
		sweep_one_of_many(s, word, todo, routines, noted);
	}
	s->evals += alone;
	return s->evals != before;
}

/* The next phase of any simulation.  Returns true if some processes were awake, or `busy`. */
static inline bool run_phase(struct hd_sim *s, bool many, bool all, bool busy)
{
	const struct hd_phase *p = many ? hd__open_phases(s) : hd__open_phase(s, &s->roots[0]);
	const uint64_t *mask = p->mask;
	struct hd_words part = p->words;

	if (HD_UNLIKELY(s->nshards > 0))
		hd__hooks.parallel->follow(s);
	if (HD_UNLIKELY(all))
		for (uint32_t w = part.first; w < part.end; w++) {
			busy = busy || (s->awake[w] & mask[w]); /* as if those asleep slept */
			s->awake[w] |= mask[w];
		}
	return sweep_words(s, mask, part) ? busy || !all : busy;
}

/* ---- parts for the loop that checks modules ---- */

void hd__run_process(struct hd_sim *s, uint32_t rank)
{
	uint64_t *word = &s->awake[rank / 64], bit = UINT64_C(1) << (rank % 64);

	*word &= ~bit;
	s->evals++;
	run_slow_process(s, &s->processes[rank], word, bit);
}

/* ---- the loop ---- */

static enum hd_run_status stopped(struct hd_sim *s)
{
	if (s->bad_input)
		return HD_RUN_BAD_INPUT;
	if (s->failed)
		return HD_RUN_FAILED;
	return s->finished ? HD_RUN_FINISHED : HD_RUN_MORE;
}

/* How many edges are left after some, so that the caller's turn comes as soon as if they were evaluated. */
static inline uint64_t less(uint64_t edges, uint64_t some)
{
	return edges - (edges < some ? edges : some);
}

/* What there is to do before a period of the first root begins.  Returns false if it may not begin now: *status tells
 * why, or is HD_RUN_MORE and some moments have passed. */
static inline bool may_begin(struct hd_sim *s, const struct hd_root *r, bool *busy, uint64_t *edges,
                             enum hd_run_status *status)
{
	uint64_t next = r->period + 1, moments;

	if (!*busy || HD_UNLIKELY(next >= s->pause)) {
		*status = hd__between_periods(s, !*busy, *edges + 1);
		if (*status != HD_RUN_MORE)
			return false;
		/* the jump goes on in the next turn: no window may begin where this one ends */
		if (s->jumped > *edges) {
			*edges = 0;
			return false;
		}
		*edges -= s->jumped;
	}
	if (HD_UNLIKELY(s->ahead != NULL) && (moments = hd__hooks.parallel->run(s, busy)) > 0) {
		*edges = less(*edges, moments);
		s->due = 0;
		if (HD_UNLIKELY(s->rollback != NULL))
			*status = HD_RUN_AGAIN;
		else if (HD_UNLIKELY(hd__sim_stopping(s)))
			*edges = 0;
		return false;
	}
	*busy = false;
	return true;
}

/* `many`: several roots. */
static inline __attribute__((always_inline)) enum hd_run_status run(struct hd_sim *s, uint64_t edges, bool many)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	const bool all = s->opt.no_sleep;
	bool busy = !s->idle;

	while (status == HD_RUN_MORE && edges > 0) {
		edges--;
		if (r->next_phase == 0 && !(many && hd__mid_moment(s)) && !may_begin(s, r, &busy, &edges, &status))
			continue;
		busy = run_phase(s, many, all, busy);
		if (HD_UNLIKELY(s->late))
			hd__end_edge(s);
		if (HD_UNLIKELY(s->ends)) {
			status = stopped(s);
			break;
		}
		if (!many && !all && r->next_phase != 0)
			hd__skip_rest(s, r);
		else if (HD_UNLIKELY(s->accumulated) && !all)
			hd__skip_rests(s);
	}
	s->idle = !busy;
	return status;
}

/* run() for one root and at most 64 processes, which may sleep: the case of most netlists.  Not inline: in
 * its caller, a larger function, the loop has fewer registers. */
static __attribute__((noinline)) enum hd_run_status run_one(struct hd_sim *s, uint64_t edges)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	const struct hd_noted *noted = s->noted;
	uint64_t *word = s->awake;
	bool busy = !s->idle;

	while (status == HD_RUN_MORE && edges > 0) {
		struct hd_phase *p = r->at[r->next_phase];

		edges--;
		if (p == r->phases) {
			if (!may_begin(s, r, &busy, &edges, &status))
				continue;
			hd__begin_period(s, r);
		}
		if (HD_UNLIKELY(p->generation != r->generation)) /* and so are those of all phases */
			for (uint32_t i = 0; i < r->nphases; i++)
				hd__refresh_phase(s, r, &r->phases[i]);
		for (;; edges--) { /* the phases of the period */
			struct hd_phase *next = p->next;

			hd__tick(s, p, true);
			r->next_phase = p->after;
			if (*word & p->mask[0]) {
				sweep_set(s, word, p->mask[0], s->routines, noted, false);
				busy = true;
			}
			if (HD_UNLIKELY((s->late | s->ends) != 0)) {
				if (s->late)
					hd__end_edge(s);
				if (s->ends) {
					status = stopped(s);
					edges = 0;
					break;
				}
			}
			if (next == NULL)
				break;
			if (((*word | noted->armed) & next->rest[0]) == 0) {
				hd__pass_rest(r, next);
				break;
			}
			if (edges == 0)
				break;
			p = next;
		}
	}
	s->idle = !busy;
	return status;
}

enum hd_run_status hd__sim_run(struct hd_sim *s, uint64_t edges)
{
	enum hd_run_status status;
	bool watched;

	s->in_run = true;
	s->due = 0;
	watched = hd__crash_enter(s, __builtin_frame_address(0));
	if (HD_UNLIKELY(s->loop != NULL))
		status = (enum hd_run_status)s->loop(s, edges);
	else if (s->nroots == 1 && s->nwords == 1 && !s->opt.no_sleep && s->nshards == 0)
		status = run_one(s, edges);
	else
		status = run(s, edges, s->nroots > 1);
	hd__crash_leave(s, watched);
	if (status == HD_RUN_FINISHED || status == HD_RUN_DEADLOCK || status == HD_RUN_LIMIT) {
		hd__check_rooms(s);
		status = s->failed ? HD_RUN_FAILED : status;
	}
	if (s->item_over && status != HD_RUN_MORE)
		hd__hooks.stats->keep_item(s);
	return status;
}

/* run.c - the run loop: phase by phase, and partitions that run ahead
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "ahead.h"
#include "lane.h"
#include "phase.h"
#include "sweep.h"

/* Evaluates a process that is the only one in its word.  Returns those of `todo` that may have been woken by that. */
static inline uint64_t run_single(struct hd_sim *s, uint32_t w, uint64_t bit, uint64_t todo)
{
	uint32_t rank = w * 64 + hd_bits_first(bit);
	const struct hd_routine *r = &s->routines[rank];
	uint64_t edges;

	if (HD_UNLIKELY(r->eval == NULL))
		return todo;
	s->awake[w] ^= bit;
	s->evals++;
	edges = r->eval(r->state);
	if (HD_LIKELY(edges <= HD_NEXT))
		s->awake[w] |= bit;
	else if (edges != HD_SLEEP || (s->counting[w] & bit))
		put_to_sleep(s, rank, edges);
	return todo & -(bit + bit);
}

/* Evaluates a phase's processes of several words.  Returns true if some were awake. */
static __attribute__((noinline)) bool sweep_words(struct hd_sim *s, const uint64_t *mask, struct hd_words part)
{
	const uint64_t *awake = s->awake;
	bool any = false;

	for (uint32_t w = part.first; w < part.end; w++) {
		uint64_t todo = mask[w], mine = awake[w] & todo;

		if (mine == 0)
			continue;
		any = true;
		if ((mine & (mine - 1)) == 0) {
			todo = run_single(s, w, mine, todo);
			if (HD_LIKELY(!(awake[w] & todo)))
				continue;
		}
		sweep(s, w, todo);
	}
	return any;
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

/* `many`: several roots.  `one`: one root, at most 64 processes, which may sleep; the case of most
 * netlists. */
static inline __attribute__((always_inline)) enum hd_run_status run(struct hd_sim *s, uint64_t edges,
                                                                   bool many, bool one)
{
	struct hd_root *r = &s->roots[0];
	enum hd_run_status status = HD_RUN_MORE;
	const bool all = !one && s->opt.no_sleep;
	const bool skips = one || (!many && !all);
	uint64_t moments;
	bool busy = !s->idle;

	while (edges-- > 0) {
		const struct hd_phase *p;
		const uint64_t *mask;
		struct hd_words part;

		if (r->next_phase == 0 && !(many && hd__mid_moment(s))) {
			uint64_t next = r->period + 1;

			if (!busy || next >= s->limit || next >= s->observe_at || (next & 1023) == 1) {
				status = hd__between_periods(s, !busy, edges);
				if (status != HD_RUN_MORE)
					break;
				edges = less(edges, s->jumped);
			}
			if (HD_UNLIKELY(s->ahead != NULL) && (moments = hd__ahead_run(s, &busy)) > 0) {
				edges = less(edges, moments);
				if (HD_LIKELY(s->doubt == NULL && !hd__sim_stopping(s)))
					continue;
				status = s->doubt ? HD_RUN_AGAIN : HD_RUN_MORE;
				break;
			}
			busy = false;
		}
		p = many ? hd__open_phases(s) : hd__open_phase(s, r);
		if (!one && HD_UNLIKELY(s->nlanes > 0))
			hd__lanes_follow(s);
		mask = p->mask;
		part = p->words;
		if (HD_UNLIKELY(all))
			for (uint32_t w = part.first; w < part.end; w++) {
				busy = busy || (s->awake[w] & mask[w]); /* as if those asleep slept */
				s->awake[w] |= mask[w];
			}
		if (one || s->nwords == 1) {
			if (s->awake[0] & mask[0]) {
				sweep(s, 0, mask[0]);
				busy = busy || !all;
			}
		} else if (sweep_words(s, mask, part)) {
			busy = busy || !all;
		}
		if (HD_UNLIKELY(s->late))
			hd__end_edge(s);
		if (HD_UNLIKELY(s->ends)) {
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
	else if (s->nroots == 1 && s->nwords == 1 && !s->opt.no_sleep && s->nlanes == 0)
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

/* phase.h - the next phase of the clocks: which processes have an edge in it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Inline for the run loop, except for rare cases.
 */
#ifndef KERNEL_PHASE_H
#define KERNEL_PHASE_H

#include "timer.h"

/* phase.c: the clocks of the root are gated as the gates are now, which holds for a whole period.  Nothing if none has
 * moved. */
void hd__sample_gates(struct hd_sim *s, struct hd_root *r);
/* Finds the processes of the phase again. */
void hd__refresh_phase(struct hd_sim *s, const struct hd_root *r, struct hd_phase *p);
/* The roots whose next phase is the earliest, as a set; that they tick now is stored where it must be. */
uint64_t hd__due_roots(struct hd_sim *s);
/* The earliest phase of several roots, together with those of others that coincide, in which case it
 * is s->joined.  Of what is returned the mask and its words hold. */
const struct hd_phase *hd__open_phases(struct hd_sim *s);
/* hd__skip_rest() for all roots: at accumulated times nothing lies between the phases of a period. */
void hd__skip_rests(struct hd_sim *s);

/* Accumulated times: is a period of another root not over?  All of its phases are at one moment with that of the
 * first. */
static inline bool hd__mid_moment(const struct hd_sim *s)
{
	for (uint32_t i = 1; s->accumulated && i < s->nroots; i++)
		if (s->roots[i].next_phase != 0)
			return true;
	return false;
}

/* The processes of phase p are found again if a clock was switched on or off since. */
static inline void hd__know_phase(struct hd_sim *s, const struct hd_root *r, struct hd_phase *p)
{
	if (HD_UNLIKELY(p->generation != r->generation))
		hd__refresh_phase(s, r, p);
}

/* The rest of the period, from phase p on, passes without an evaluation. */
static inline void hd__pass_rest(struct hd_root *r, const struct hd_phase *p)
{
	for (const struct hd_rest *v = p->rest_of; v->clock != NULL; v++)
		v->clock->now += v->edges;
	r->next_phase = 0;
}

/* Skips the rest of the period if no process runs in it. */
static inline void hd__skip_rest(struct hd_sim *s, struct hd_root *r)
{
	struct hd_phase *p = r->at[r->next_phase];

	hd__know_phase(s, r, p);
	for (uint32_t w = p->rest_words.first; w < p->rest_words.end; w++)
		if ((s->awake[w] | s->noted[w].armed) & p->rest[w])
			return;
	hd__pass_rest(r, p);
}

/* The first phase of the next period comes. */
static inline void hd__begin_period(struct hd_sim *s, struct hd_root *r)
{
	r->period++;
	if (HD_UNLIKELY(s->gates_moved != 0))
		hd__sample_gates(s, r);
}

/* The clocks of the phase step, timers fire.  `one`: all processes are in the first word of the set. */
static inline void hd__tick(struct hd_sim *s, const struct hd_phase *p, bool one)
{
	struct hd_clock *c;

	/* no timer runs: what disarmed ones left in the buckets may stay there for another turn of the wheel */
	if (one && HD_LIKELY(s->noted->armed == 0)) {
		for (struct hd_clock *const *v = p->ticking; (c = *v) != NULL; v++)
			c->now++;
		return;
	}
	for (struct hd_clock *const *v = p->ticking; (c = *v) != NULL; v++) {
		uint64_t now = ++c->now;

		if (HD_LIKELY(!(c->filled >> now % HD_WHEEL & 1)))
			continue;
		if (one)
			hd__expire_first(s, c);
		else
			hd__expire(s, c);
	}
}

/* Starts the root's next phase, whose period has begun. */
static inline const struct hd_phase *hd__step_phase(struct hd_sim *s, struct hd_root *r)
{
	struct hd_phase *p = r->at[r->next_phase];

	hd__know_phase(s, r, p);
	hd__tick(s, p, false);
	r->next_phase = p->after;
	return p;
}

/* The same, at the beginning of the period, too. */
static inline const struct hd_phase *hd__open_phase(struct hd_sim *s, struct hd_root *r)
{
	if (r->next_phase == 0)
		hd__begin_period(s, r);
	return hd__step_phase(s, r);
}

#endif

/* process.c - the processes, by rank, and which of them each clock has
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "shard.h"

#include <stdlib.h>

/* Which processes each clock has: those that are evaluated with it, in order of rank. */
static void make_shares(struct hd_sim *s)
{
	struct hd_clock **of = hd__xcalloc(s->nprocesses + 1, sizeof *of); /* by rank */

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			of[s->instances[i].rank] = hd__clock_seen(&s->instances[i]);
	for (uint32_t r = 0; r < s->nprocesses; r++) {
		struct hd_clock *c = of[r];

		if (!c)
			continue;
		if (c->nshares == 0 || c->shares[c->nshares - 1].word != r / 64) {
			c->shares = hd__xappend(c->shares, c->nshares, sizeof *c->shares);
			c->shares[c->nshares++] = (struct hd_share){ .word = r / 64 };
		}
		c->shares[c->nshares - 1].bits |= UINT64_C(1) << (r % 64);
	}
	for (uint32_t i = 0; i < s->ncopies; i++)
		for (uint32_t k = 0; k < s->copies[i].nshares; k++)
			s->copied[s->copies[i].shares[k].word] |= s->copies[i].shares[k].bits;
	free(of);
}

void hd__make_processes(struct hd_sim *s, const uint32_t *group_of)
{
	s->nwords = s->nprocesses / 64 + 1;
	s->processes = hd__zeroed(s, s->nprocesses + (size_t)1, sizeof *s->processes);
	s->routines = hd__zeroed(s, s->nprocesses + (size_t)1, sizeof *s->routines);
	s->awake = hd__zeroed(s, s->nwords, sizeof *s->awake);
	s->noted = hd__zeroed(s, s->nwords, sizeof *s->noted);
	s->wheels = hd__zeroed(s, (size_t)s->nwords * HD_WHEEL, sizeof *s->wheels);
	s->copied = hd__zeroed(s, s->nwords, sizeof *s->copied);
	if (s->nroots > 1)
		s->joined.mask = hd__zeroed(s, s->nwords, sizeof *s->joined.mask);
	make_shares(s);
	for (uint32_t i = 0; i < s->ngroups; i++)
		s->groups[i].processes = &s->processes[s->groups[i].first & ~63u];
	for (uint32_t i = 0; i < s->nroots; i++)
		for (uint32_t k = 0; k < s->roots[i].nphases; k++) {
			struct hd_phase *p = s->roots[i].at[k] = &s->roots[i].phases[k];

			p->mask = hd__zeroed(s, s->nwords, sizeof *p->mask);
			p->rest = hd__zeroed(s, s->nwords, sizeof *p->rest);
		}
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			s->processes[s->instances[i].rank].group = group_of[i];
}

uint64_t hd__group_turn(void *group)
{
	(void)group;
	return HD_GROUP;
}

uint64_t hd__eval_after_sleep(void *process)
{
	struct hd_process *t = process;
	const struct hd_routine *r = &t->sim->routines[t - t->sim->processes];
	uint64_t n = t->clock->now - t->last;

	if (n > 1)
		t->skipped(t->state, n - 1);
	t->flags &= ~(uint32_t)HD_PROCESS_SLEPT;
	hd__routine_changed(t->sim, t);
	return r->eval(r->state);
}

static inline void count(struct hd_process *t)
{
	if ((t->flags & HD_PROCESS_SLEPT) && t->clock->now != t->last) {
		t->skipped(t->state, t->clock->now - t->last);
		t->last = t->clock->now;
	}
}

void hd__instances_count(struct hd_sim *s, const struct hd_instance *const *v, size_t n)
{
	bool watched = hd__crash_enter(s, __builtin_frame_address(0));

	for (size_t i = 0; i < n; i++)
		count(&s->processes[v[i]->rank]);
	hd__crash_leave(s, watched);
}

void hd__sim_settle(struct hd_sim *s)
{
	bool watched = hd__crash_enter(s, __builtin_frame_address(0));

	for (uint32_t w = 0; w < s->nwords; w++)
		for (uint64_t m = s->noted[w].counting; m;)
			count(&s->processes[w * 64 + hd_bits_pop(&m)]);
	hd__crash_leave(s, watched);
	if (hd__hooks.stats)
		hd__hooks.stats->settle(s);
}

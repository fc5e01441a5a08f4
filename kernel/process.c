/* process.c - the processes, by rank, and which of them each clock has
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "order.h"

#include <stdlib.h>

/* Adds a process to those of the clock, which come in order of rank; with .shares NULL only counts
 * the words. */
static void add_share(struct hd_clock *c, uint32_t rank, uint32_t *last)
{
	if (*last != rank / 64) {
		*last = rank / 64;
		if (c->shares)
			c->shares[c->nshares].word = rank / 64;
		c->nshares++;
	}
	if (c->shares)
		c->shares[c->nshares - 1].bits |= UINT64_C(1) << (rank % 64);
}

/* Which processes each clock has. */
static void make_shares(struct hd_sim *s)
{
	struct hd_clock **of = hd__xcalloc(s->nprocesses + 1, sizeof *of); /* by rank */
	uint32_t *last = hd__xcalloc(s->nclocks, sizeof *last);

	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			of[s->instances[i].rank] = s->instances[i].clock;
	for (int pass = 0; pass < 2; pass++) {
		memset(last, 0xff, s->nclocks * sizeof *last);
		for (uint32_t i = 0; i < s->nclocks && pass; i++) {
			struct hd_clock *c = &s->clocks[i];

			c->shares = hd__zeroed(s, c->nshares + 1, sizeof *c->shares);
			c->nshares = 0;
		}
		for (uint32_t r = 0; r < s->nprocesses; r++)
			if (of[r])
				add_share(of[r], r, &last[of[r] - s->clocks]);
	}
	free(of);
	free(last);
}

void hd__make_processes(struct hd_graph *g)
{
	struct hd_sim *s = g->s;

	s->nwords = s->nprocesses / 64 + 1;
	s->processes = hd__xcheck(aligned_alloc(64, (s->nprocesses + 1) * sizeof *s->processes));
	memset(s->processes, 0, (s->nprocesses + 1) * sizeof *s->processes);
	s->routines = hd__xcheck(aligned_alloc(64, ((s->nprocesses + 1) * sizeof *s->routines + 63) / 64 * 64));
	memset(s->routines, 0, (s->nprocesses + 1) * sizeof *s->routines);
	s->awake = hd__xcalloc(s->nwords, sizeof *s->awake);
	s->counting = hd__xcalloc(s->nwords, sizeof *s->counting);
	s->armed = hd__xcalloc(s->nwords, sizeof *s->armed);
	if (s->nroots > 1)
		s->joined.mask = hd__zeroed(s, s->nwords, sizeof *s->joined.mask);
	make_shares(s);
	for (uint32_t i = 0; i < s->nroots; i++)
		for (uint32_t k = 0; k < s->roots[i].nphases; k++) {
			struct hd_phase *p = s->roots[i].at[k] = &s->roots[i].phases[k];

			p->mask = hd__zeroed(s, s->nwords, sizeof *p->mask);
			p->rest = hd__zeroed(s, s->nwords, sizeof *p->rest);
		}
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].rank != HD_NO_PROCESS)
			s->processes[s->instances[i].rank].group = g->group_of[i];
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

/* shards.c - divides what runs ahead into sections, and these among shards if there are several threads
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_ahead.h"
#include "partition.h"

#include <stdlib.h>

#define EACH 4u /* shards for each thread: fewer are not spread evenly, and in lock step the clocks of each tick */
#define MOST_COPIES 4000000u /* of clocks */

/* Numbers the sections, those of a shard one after the other.  An instance that others wake is in the last shard,
 * alone: it is evaluated while the others are.  Returns how many a shard has at most. */
static uint32_t number(struct hd_sim *s, const struct hd_partitions *p, uint32_t *up, uint32_t shards)
{
	uint32_t *section = hd__xcalloc(p->n + 1, sizeof *section), n = 0, each; /* by leader: + 1 */

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];
		uint32_t *of = p->of[i] == HD_NO_PARTITION ? NULL : &section[hd__leader(up, p->of[i])];

		if (of && *of == 0)
			*of = ++n;
		in->section = of ? *of - 1 : HD_NO_SECTION;
	}
	free(section);
	each = n / shards + 1;
	s->nsections = shards * each + 1;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		if (in->section != HD_NO_SECTION)
			in->section = hd__is_woken(in) ? shards * each
			              : in->section % shards * each + in->section / shards;
	}
	return each;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static void make_copies(struct hd_sim *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nclocks; i++)
		n += !hd__gated(&s->clocks[i]);
	s->copies = hd__xlines((size_t)n * s->nshards, sizeof *s->copies);
	for (uint32_t k = 0; k < s->nshards; k++) {
		struct hd_shard *l = &s->shards[k];

		l->times = hd__xlines((s->nroots * sizeof *l->times + 63) / 64, 64);
		l->clocks = hd__xcalloc(s->nclocks, sizeof(struct hd_clock *));
		for (uint32_t i = 0; i < s->nclocks; i++) {
			l->clocks[i] = &s->clocks[i];
			if (hd__gated(&s->clocks[i]))
				continue;
			l->clocks[i] = &s->copies[s->ncopies++];
			*l->clocks[i] = s->clocks[i];
		}
	}
}

/* They tick with the clocks that they are copies of. */
static void extend_phase(struct hd_sim *s, const struct hd_root *r, uint32_t phase)
{
	struct hd_phase *p = (struct hd_phase *)&r->phases[phase];
	size_t n = s->nclocks + s->ncopies;
	struct hd_clock **v = hd__zeroed(s, n, sizeof(struct hd_clock *));

	memcpy(v, p->clocks, p->nclocks * sizeof(struct hd_clock *));
	p->clocks = v;
	p->ticking = hd__zeroed(s, n + (size_t)1, sizeof *p->ticking);
	p->rest_of = hd__zeroed(s, n + (size_t)1, sizeof *p->rest_of);
	for (uint32_t i = 0; i < s->ncopies; i++)
		if (s->copies[i].root == r && hd_bits_has(s->copies[i].phases, phase))
			p->clocks[p->nclocks++] = &s->copies[i];
}

static void make_shards(struct hd_sim *s, uint32_t each)
{
	s->nshards = s->nsections / each + 1;
	for (size_t i = 0; i < s->ninstances; i++)
		if (s->instances[i].section != HD_NO_SECTION)
			s->instances[i].shard = s->instances[i].section / each;
	s->shards = hd__xlines(s->nshards, sizeof *s->shards);
	make_copies(s);
	for (uint32_t i = 0; i < s->nroots; i++)
		for (uint32_t k = 0; k < s->roots[i].nphases; k++)
			extend_phase(s, &s->roots[i], k);
}

bool hd__sections_find(struct hd_sim *s)
{
	struct hd_partitions *p = hd__partitions_find(s);
	uint32_t *up = hd__xcalloc(p->n + 1, sizeof *up), each;
	bool divides = p->napart > 0; /* else there are no sections, so that all processes may share a word */
	bool several = divides && s->opt.threads > 1 && (uint64_t)s->opt.threads * EACH * s->nclocks < MOST_COPIES;

	for (uint32_t i = 0; i < p->n; i++)
		up[i] = i;
	if (divides) {
		hd__partitions_join(s, p, up);
		each = number(s, p, up, several ? EACH * s->opt.threads : 1);
		if (several)
			make_shards(s, each);
	}
	free(up);
	hd__partitions_free(p);
	return divides;
}

void hd__shards_free(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nshards; i++) {
		free(s->shards[i].clocks);
		free(s->shards[i].times);
	}
	free(s->shards);
	for (uint32_t i = 0; i < s->ncopies; i++)
		free(s->copies[i].shares);
	free(s->copies);
}

void hd__shards_follow(struct hd_sim *s)
{
	for (uint32_t i = 0; i < s->nshards; i++)
		for (uint32_t k = 0; k < s->nroots; k++) {
			s->shards[i].times[k].period = s->roots[k].period;
			s->shards[i].times[k].passed = s->roots[k].passed;
		}
}

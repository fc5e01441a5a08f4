/* shards.c - divides what runs ahead into sections; with several threads these are shards with clocks of their own
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "run_ahead.h"
#include "partition.h"

#include <stdlib.h>

#define MOST_SHARDS 4096u       /* each takes whole words of the sets of processes, */
#define MOST_COPIES 4000000u   /* and so many clocks are copied at most */

/* Why one thread has to run what is apart, to be freed, or NULL. */
static char *only_one(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->nchannels; i++)
		if (s->channels[i]->decl->staged)
			return hd__format("a staged link joins '%s' and '%s'", s->channels[i]->from[0].instance->path,
			                  s->channels[i]->to[0].instance->path);
	return NULL;
}

/* The same, of shards: what is not foreseen would be a call while the other is evaluated. */
static char *calls_apart(const struct hd_sim *s)
{
	for (size_t i = 0; i < s->nuses; i++) {
		const struct hd_use *u = &s->uses[i];

		if ((u->user->module->ports[u->user_port].flags & HD_RARE) && u->provider->module->eval
		    && u->user->shard != u->provider->shard && !hd__is_woken(u->user))
			return hd__format("'%s' calls '%s' in few edges", u->user->path, u->provider->path);
	}
	return NULL;
}

/* Numbers the sections in the order of their first instances.  Returns how many there are. */
static uint32_t number(struct hd_sim *s, const struct hd_partitions *p, uint32_t *up)
{
	uint32_t *section = hd__xcalloc(p->n + 1, sizeof *section), n = 0; /* by leader: + 1 */

	for (size_t i = 0; i < s->ninstances; i++) {
		uint32_t k = p->of[i];

		if (k == HD_NO_PARTITION)
			continue;
		k = hd__leader(up, k);
		if (section[k] == 0)
			section[k] = ++n;
		s->instances[i].section = section[k] - 1;
	}
	free(section);
	return n;
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

/* Each section becomes a shard, unless one thread has to run them all. */
static void find_shards(struct hd_sim *s)
{
	uint32_t n = s->nsections;

	s->one_thread = only_one(s);
	if (s->one_thread || n < 2 || n > MOST_SHARDS || (uint64_t)n * s->nclocks > MOST_COPIES)
		return;
	for (size_t i = 0; i < s->ninstances; i++)
		s->instances[i].shard = s->instances[i].section;
	s->one_thread = calls_apart(s);
	if (s->one_thread) {
		for (size_t i = 0; i < s->ninstances; i++)
			s->instances[i].shard = HD_NO_SHARD;
		return;
	}
	s->nshards = n;
	s->shards = hd__xlines(s->nshards + (size_t)1, sizeof *s->shards);
	make_copies(s);
	for (uint32_t i = 0; i < s->nroots; i++)
		for (uint32_t k = 0; k < s->roots[i].nphases; k++)
			extend_phase(s, &s->roots[i], k);
}

void hd__sections_find(struct hd_sim *s)
{
	struct hd_partitions *p = hd__partitions_find(s);
	uint32_t *up = hd__xcalloc(p->n + 1, sizeof *up);

	for (uint32_t i = 0; i < p->n; i++)
		up[i] = i;
	hd__partitions_join(s, p, up);
	s->nsections = number(s, p, up);
	free(up);
	hd__partitions_free(p);
	if (s->opt.threads > 1)
		find_shards(s);
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

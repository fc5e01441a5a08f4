/* parts.c - parts of the run that overlap: what each counter has counted for which of them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * An instance says for which part it counts (hd_for_part()).  When that becomes another one, what its counters have
 * grown by is added to the part before.  At the end of a part the sums of all instances are collected by group.
 */
#include "kernel/saved.h"
#include "per_item.h"
#include "stats.h"

#include <stdlib.h>

/* What the counters of an instance have counted for the parts since they were collected. */
struct hd_part_counts {
	const struct hd_stat **stats; /* that belong to a part, */
	uint32_t *place;              /* their numbers among those of the module, */
	uint64_t *before;             /* and their values when the present part began to count */
	size_t n;
	uint32_t *parts;
	uint64_t *sums;               /* n for each of them */
	size_t nparts, cap;
	size_t now;                   /* the present one, if there is any */
};

static void make_counts(struct hd_instance *in)
{
	struct hd_part_counts *p = in->parts = hd__xcalloc(1, sizeof *p);
	uint32_t n = 0;

	for (const struct hd_stat *st = in->module->stats; st->name; st++)
		n += st->part;
	p->stats = hd__xcalloc(n, sizeof *p->stats);
	p->place = hd__xcalloc(n, sizeof *p->place);
	p->before = hd__xcalloc(n, sizeof *p->before);
	for (const struct hd_stat *st = in->module->stats; st->name; st++) {
		if (!st->part)
			continue;
		p->stats[p->n] = st;
		p->place[p->n++] = (uint32_t)(st - in->module->stats);
	}
}

static bool counts_for_parts(const struct hd_module *m)
{
	const struct hd_stat *st = m->stats;

	while (st && st->name && !st->part)
		st++;
	return st && st->name;
}

void hd__parts_make(struct hd_sim *s)
{
	s->parts = true;
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];

		in->ctx.parts = true;
		if (s->opt.per_item && !in->parts && counts_for_parts(in->module))
			make_counts(in);
	}
}

void hd__parts_free(struct hd_sim *s)
{
	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_part_counts *p = s->instances[i].parts;

		if (!p)
			continue;
		free((void *)p->stats);
		free(p->place);
		free(p->before);
		free(p->parts);
		free(p->sums);
		free(p);
	}
}

/* The growth since then belongs to the present part. */
static void take(const struct hd_instance *in, struct hd_part_counts *p)
{
	uint64_t *sums = p->sums + p->now * p->n;

	for (size_t i = 0; i < p->n; i++) {
		uint64_t v = hd_stat_value(p->stats[i], in->state);

		sums[i] += v - p->before[i];
		p->before[i] = v;
	}
}

static size_t place_of(struct hd_part_counts *p, uint32_t part)
{
	size_t i = 0;

	while (i < p->nparts && p->parts[i] != part)
		i++;
	if (i < p->nparts)
		return i;
	if (p->nparts == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 4;
		p->parts = hd__xrealloc(p->parts, p->cap * sizeof *p->parts);
		p->sums = hd__xrealloc(p->sums, p->cap * p->n * sizeof *p->sums);
	}
	p->parts[i] = part;
	memset(p->sums + i * p->n, 0, p->n * sizeof *p->sums);
	p->nparts++;
	return i;
}

/* What was counted before the first part belongs to it. */
void hd__part_begins(const struct hd_instance *in, uint32_t part)
{
	struct hd_part_counts *p = in->parts;

	if (!p)
		return;
	if (p->nparts > 0)
		take(in, p);
	p->now = place_of(p, part);
}

/* ---- sums of all instances ---- */

static struct hd_part_sum *find(const struct hd_per_item *p, uint32_t part)
{
	for (size_t i = p->nsums; i > 0; i--)
		if (p->sums[i - 1].part == part)
			return &p->sums[i - 1];
	return NULL;
}

const uint64_t *hd__part_sum(const struct hd_per_item *p, uint32_t part)
{
	const struct hd_part_sum *sum = find(p, part);

	return sum ? sum->v : NULL;
}

static struct hd_part_sum *sum_of(struct hd_per_item *p, uint32_t part)
{
	struct hd_part_sum *sum = find(p, part);

	if (sum)
		return sum;
	p->sums = hd__xgrow(p->sums, p->nsums, &p->capsums, sizeof *p->sums);
	sum = &p->sums[p->nsums++];
	*sum = (struct hd_part_sum){ .part = part, .v = hd__xcalloc(p->ncounters, sizeof *sum->v) };
	return sum;
}

void hd__part_rests(struct hd_per_item *p, uint32_t part)
{
	sum_of(p, part)->rests = true;
}

/* Parts that belong to the rest are added to it. */
static void add_to_rest(struct hd_per_item *p)
{
	uint64_t *rest = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->nsums && !rest; i++)
		rest = p->sums[i].rests ? sum_of(p, HD_REST_PARTS)->v : NULL;
	for (size_t i = 0; rest && i < p->nsums; i++) {
		struct hd_part_sum sum = p->sums[i];

		if (!sum.rests) {
			p->sums[n++] = sum;
			continue;
		}
		for (size_t c = 0; c < p->ncounters; c++)
			rest[c] += sum.v[c];
		free(sum.v);
	}
	p->nsums = rest ? n : p->nsums;
}

static void collect(struct hd_per_item *all, const struct hd_instance *in)
{
	struct hd_part_counts *p = in->parts;
	uint32_t now;

	take(in, p);
	now = p->parts[p->now];
	all->groups[all->group_of[in->number]].parts = true;
	for (size_t k = 0; k < p->nparts; k++) {
		uint64_t *sum = sum_of(all, p->parts[k])->v + all->groups[all->group_of[in->number]].first;

		for (size_t c = 0; c < p->n; c++)
			sum[p->place[c]] += p->sums[k * p->n + c];
	}
	p->nparts = 0;
	p->now = place_of(p, now);
}

void hd__parts_collect(struct hd_sim *s)
{
	for (size_t i = 0; s->per_item && i < s->ninstances; i++)
		if (s->instances[i].parts && s->instances[i].parts->nparts > 0)
			collect(s->per_item, &s->instances[i]);
	if (s->per_item)
		add_to_rest(s->per_item);
}

/* ---- checkpoints ---- */

static void counts_saved(struct hd_checkpoint *k, struct hd_instance *in)
{
	struct hd_part_counts *p = in->parts;
	uint64_t n;

	HD_SAVED(k, in->ctx.part);
	hd_saved(k, p->before, p->n * sizeof *p->before);
	n = hd_saved_number(k, p->nparts, UINT32_MAX);
	for (uint64_t i = 0; i < n && !k->why; i++) {
		uint32_t part = (uint32_t)hd_saved_number(k, k->loading ? 0 : p->parts[i], UINT32_MAX);

		if (k->loading && place_of(p, part) != i)
			hd_refuse(k, "a part that an instance counts for twice");
		else
			hd_saved(k, p->sums + i * p->n, p->n * sizeof *p->sums);
	}
	p->now = hd_saved_number(k, p->now, n ? n - 1 : 0);
}

void hd__parts_saved(struct hd_checkpoint *k)
{
	struct hd_sim *s = k->sim;
	struct hd_per_item *all = s->per_item;
	uint64_t n;

	for (size_t i = 0; i < s->ninstances; i++) {
		struct hd_instance *in = &s->instances[i];
		bool counts = hd_saved_number(k, in->parts != NULL, counts_for_parts(in->module));

		if (counts && !in->parts)
			make_counts(in);
		if (counts)
			counts_saved(k, in);
	}
	n = hd_saved_number(k, all ? all->nsums : 0, all ? UINT32_MAX : 0);
	for (uint64_t i = 0; i < n && !k->why; i++) {
		uint32_t part = (uint32_t)hd_saved_number(k, k->loading ? 0 : all->sums[i].part, UINT32_MAX);

		hd_saved(k, sum_of(all, part)->v, all->ncounters * sizeof(uint64_t));
	}
}

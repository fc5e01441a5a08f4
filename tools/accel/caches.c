/* caches.c - prints totals and breakdowns of caches in the format of the reference
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Types of access that no cache here can count are not printed: reads of constants and textures,
 * which no traced instruction makes, and reads that a cache makes for its own allocations.
 */
#include "accel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- instances whose statistics are added up ---- */

struct hd_accel_group hd__accel_find(const struct hd_sim *s, const char *name)
{
	struct hd_accel_group g = { .n = 0 };

	for (size_t i = 0; i < s->ninstances; i++) {
		const struct hd_instance *in = &s->instances[i];
		const char *last = strrchr(in->decl->name, '.');

		if (strcmp(last ? last + 1 : in->decl->name, name) != 0 || !in->module->stats)
			continue;
		g.v = hd__xappend(g.v, g.n, sizeof *g.v);
		g.v[g.n++] = in;
	}
	return g;
}

uint64_t hd__accel_sum(const struct hd_accel_group *g, const char *stat)
{
	const struct hd_stat *st = g->n > 0 ? g->v[0]->module->stats : NULL;
	uint64_t sum = 0;

	while (st && st->name && strcmp(st->name, stat) != 0)
		st++;
	for (size_t i = 0; st && st->name && i < g->n; i++)
		sum += hd_stat_value(st, g->v[i]->state);
	return sum;
}

/* ---- totals and breakdowns ---- */

enum { HIT, PENDING, MISS, REFUSED, SECTOR_MISS, MERGED, OUTCOMES };

/* In the order of the reference. */
static const struct type {
	const char *name, *kind; /* of a statistic: its first word */
	bool inst;               /* of instruction caches */
	bool reads;              /* may merge; a store that fetches its sector merges as another type */
} types[] = {
	{ "GLOBAL_ACC_R", "global_read", false, true }, { "LOCAL_ACC_R", "local_read", false, true },
	{ "GLOBAL_ACC_W", "global_write", false, false }, { "LOCAL_ACC_W", "local_write", false, false },
	{ "L1_WRBK_ACC", "line", false, false }, { "INST_ACC_R", "inst", true, true },
};

static const struct {
	const char *name, *word; /* of a statistic: its last words */
} outcomes[OUTCOMES] = {
	[HIT] = { "HIT", "hits" }, [PENDING] = { "HIT_RESERVED", "reserved_hits" },
	[MISS] = { "MISS", "misses" }, [REFUSED] = { "RESERVATION_FAIL", "refusals" },
	[SECTOR_MISS] = { "SECTOR_MISS", "sector_misses" }, [MERGED] = { "MSHR_HIT", "merged" },
}, causes[] = {
	{ "LINE_ALLOC_FAIL", "fails_ways" }, { "MISS_QUEUE_FULL", "fails_miss_queue" },
	{ "MSHR_ENRTY_FAIL", "fails_mshr_entries" }, { "MSHR_MERGE_ENRTY_FAIL", "fails_mshr_merge" },
};

#define TYPES (sizeof types / sizeof *types)
#define CAUSES (sizeof causes / sizeof *causes)

struct counts {
	uint64_t n[TYPES][OUTCOMES], cause[TYPES][CAUSES];
};

static uint64_t count(const struct hd_accel_group *g, const struct type *t, const char *word)
{
	char *name = hd__format("%s_%s", t->kind, word);
	uint64_t sum = hd__accel_sum(g, name);

	free(name);
	return sum;
}

/* Counts of a group of caches; of instruction caches only fetches, as others make none. */
static void read_counts(const struct hd_accel_group *g, struct counts *c)
{
	for (size_t t = 0; t < TYPES; t++) {
		for (size_t o = 0; o < OUTCOMES; o++)
			if (o != MERGED || types[t].reads)
				c->n[t][o] += count(g, &types[t], outcomes[o].word);
		for (size_t k = 0; k < CAUSES; k++)
			c->cause[t][k] += count(g, &types[t], causes[k].word);
	}
}

static uint64_t accesses(const uint64_t n[OUTCOMES])
{
	return n[HIT] + n[PENDING] + n[MISS] + n[SECTOR_MISS];
}

static void print_totals(const struct counts *c, const char *head)
{
	uint64_t all = 0, misses = 0, pending = 0, refused = 0;

	for (size_t t = 0; t < TYPES; t++) {
		all += accesses(c->n[t]);
		misses += c->n[t][MISS] + c->n[t][SECTOR_MISS];
		pending += c->n[t][PENDING];
		refused += c->n[t][REFUSED];
	}
	printf("%s_total_cache_accesses = %" PRIu64 "\n", head, all);
	printf("%s_total_cache_misses = %" PRIu64 "\n", head, misses);
	if (all > 0)
		printf("%s_total_cache_miss_rate = %.4f\n", head, (double)misses / (double)all);
	printf("%s_total_cache_pending_hits = %" PRIu64 "\n", head, pending);
	printf("%s_total_cache_reservation_fails = %" PRIu64 "\n", head, refused);
}

static void print_outcomes(const struct counts *c, const char *head)
{
	for (size_t t = 0; t < TYPES; t++)
		for (size_t o = 0; o < OUTCOMES; o++)
			printf("\t%s[%s][%s] = %" PRIu64 "\n", head, types[t].name, outcomes[o].name,
			       c->n[t][o]);
	for (size_t t = 0; t < TYPES; t++)
		if (accesses(c->n[t]) > 0)
			printf("\t%s[%s][TOTAL_ACCESS] = %" PRIu64 "\n", head, types[t].name,
			       accesses(c->n[t]));
}

static void print_causes(const struct counts *c, const char *head)
{
	for (size_t t = 0; t < TYPES; t++)
		for (size_t k = 0; k < CAUSES; k++)
			if (c->cause[t][k] > 0)
				printf("\t%s[%s][%s] = %" PRIu64 "\n", head, types[t].name, causes[k].name,
				       c->cause[t][k]);
}

void hd__accel_print_core(const struct hd_accel_group *l1d, const struct hd_accel_group *l1i)
{
	struct counts c = { 0 };

	read_counts(l1d, &c);
	if (l1d->n > 0) {
		puts("L1D_cache:");
		print_totals(&c, "\tL1D");
	}
	read_counts(l1i, &c);
	puts("\nTotal_core_cache_stats:");
	print_outcomes(&c, "Total_core_cache_stats_breakdown");
	puts("\nTotal_core_cache_fail_stats:");
	print_causes(&c, "Total_core_cache_fail_stats_breakdown");
}

void hd__accel_print_l2(const struct hd_accel_group *l2)
{
	struct counts c = { 0 };

	if (l2->n == 0)
		return;
	read_counts(l2, &c);
	puts("\n========= L2 cache stats =========");
	print_totals(&c, "L2");
	puts("L2_total_cache_breakdown:");
	print_outcomes(&c, "L2_cache_stats_breakdown");
	puts("L2_total_cache_reservation_fail_breakdown:");
	print_causes(&c, "L2_cache_stats_fail_breakdown");
}

/* study_compare.h - how runs differ
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_COMPARE_H
#define TOOLS_STUDY_STUDY_COMPARE_H

#include "study_runs.h"

#include <stdio.h>
#include <string.h>

/* A run of the base and the same one of the other side. */
struct study_pair {
	const struct study_run *a, *b;
};

struct study_pairs {
	const struct study_side *base, *other;
	struct study_pair *v;
	size_t n;
	size_t only_a, only_b;     /* runs without a partner */
	bool single;               /* one run is compared with one, as they are */
};

/* Pairs runs: of one trace if the sides are designs, the only two, or those of the same design and trace. */
void study_pairs_make(struct study_pairs *p, const struct study_side *base, const struct study_side *other,
                      bool designs);
void study_pairs_free(struct study_pairs *p);

/* The largest change of a figure of the whole run, |b / a - 1|; of runs that ended in different ways, or without a
 * partner, it is infinite.  *where: the pair, or NULL. */
double study_largest_change(const struct study_pairs *p, uint32_t name, const struct study_pair **where);
/* Pairs of which a run did not finish: the cycles until then say nothing.  Sums and means of several pairs leave those
 * out that ended in different ways, for a run that was cut short has smaller figures. */
size_t study_pairs_unfinished(const struct study_pairs *p);
/* Have both runs results?  One that was refused or crashed has none, and no value of it is 0. */
static inline bool study_pair_has_results(const struct study_pair *p)
{
	return p->a->n > 0 && p->b->n > 0;
}

static inline bool study_pair_ends_alike(const struct study_pair *p)
{
	return strcmp(p->a->status, p->b->status) == 0;
}

/* Is the pair in sums and means? */
static inline bool study_pair_counts(const struct study_pairs *p, const struct study_pair *one)
{
	return study_pair_has_results(one) && (p->single || study_pair_ends_alike(one));
}

/* The geometric mean of b / a over runs where both are positive, *n of them. */
double study_mean_ratio(const struct study_pairs *p, uint32_t name, size_t *n);
/* The geometric mean of the cycles, of runs that finished. */
double study_mean_cycles(const struct study_sides *s, const struct study_pairs *p, size_t *n);

/* Prints how the sides differ: values, figures, statistics, kernels. */
void study_print_pairs(const struct study_sides *s, const struct study_pairs *p, FILE *out);
/* Which arrays have other names or sizes, each kind of difference once. */
void study_print_arrays(const struct study_sides *s, const struct study_pairs *p, FILE *out);
/* One line for the pairs: the geometric mean of the cycles, and where the issue slots went. */
void study_print_line(const struct study_sides *s, const struct study_pairs *p, int width, FILE *out);
/* What each value did where everything else was the same; for the designs of one folder. */
void study_print_effects(const struct study_sides *s, FILE *out);
/* Rows for every value that differs, of runs and kernels, whose files are read again; and the first line.  Returns
 * false after printing an error: they have changed. */
void study_csv_head(FILE *out);
bool study_csv_pairs(const struct study_sides *s, const struct study_pairs *p, FILE *out);

/* Sums of a figure of the whole run over all pairs of which both runs have results. */
struct study_sums {
	double a, b;
};
struct study_sums study_sum(const struct study_pairs *p, uint32_t name);
/* "+1.25 %"; "-" if it was 0.  In buf. */
const char *study_percent(double a, double b, char buf[32]);
/* Where the issue slots went: "HEADstall +3.1 %, idle -1.2 %" for each reason, as shares of the slots of the base.
 * Returns false if there is nothing to print. */
bool study_print_slots(const struct study_sides *s, const struct study_pairs *p, const char *head, FILE *out);

#endif

/* sample.h - which launches of a list are simulated, and what that says about the others
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Launches of one group have the same code and shape, and alike features; they may differ in size, which is the number
 * of warp instructions.  docs/long-runs.md describes how they are chosen, and what is estimated.
 */
#ifndef TOOLS_SAMPLE_SAMPLE_H
#define TOOLS_SAMPLE_SAMPLE_H

#include "traces/hasm/trace_input.h"

#include <jansson.h>

#define SAMPLE_CLASSES 64u /* of opcodes, most that a trace has */

struct sample_launch {
	char *name;
	uint32_t grid[3], block[3];
	uint32_t group; /* from 1 */
	bool simulate;
	uint64_t instructions; /* of warps */
	/* what it was grouped by; all 0 in a plan that was read */
	uint32_t binary, nregs, shmem;
	uint64_t lanes;        /* that were active, sum over the instructions */
	uint64_t footprint;    /* bytes of global memory, in lines of 128 */
	uint64_t mix[SAMPLE_CLASSES]; /* instructions by class */
};

struct sample_plan {
	struct sample_launch *v; /* as in the list */
	size_t n, cap;
	uint32_t groups;
	char *class[SAMPLE_CLASSES]; /* names; NULL: no such class */
};

void hd__sample_free(struct sample_plan *p);
/* The launches that are simulated, and instructions of warps: of all, and of those. */
size_t hd__sample_count(const struct sample_plan *p, uint64_t *all, uint64_t *simulated);

/* ---- sample_features.c ---- */

/* Reads all launches of a trace.  Returns false after an error, which is in t->d. */
bool hd__sample_read(struct sample_plan *p, struct trace_input *t);

/* ---- sample_choice.c ---- */

enum sample_policy { SAMPLE_FIRST, SAMPLE_MIDDLE, SAMPLE_RANDOM };

struct sample_choice {
	enum sample_policy policy;
	double tolerance; /* of features, and of the sizes that one launch stands for: 0.25 is 25 % */
	double budget;    /* share of the instructions that may be simulated beside one launch of each kind */
	uint64_t seed;
};

/* Groups the launches, and chooses. */
void hd__sample_choose(struct sample_plan *p, const struct sample_choice *c);

/* ---- sample_file.c ---- */

/* Writes the plan.  Returns false after a write error. */
bool hd__sample_write(const struct sample_plan *p, const struct sample_choice *c, const char *trace, FILE *out);
/* Reads one.  Returns false after adding messages. */
bool hd__sample_load(struct sample_plan *p, const char *file, struct hd_diags *d);
/* Is it of the launches of this trace?  Returns false after adding a message about the first one that differs. */
bool hd__sample_fits(const struct sample_plan *p, const char *file, struct trace_input *t);

/* ---- sample_estimate.c ---- */

/* A quantity of all launches. */
struct sample_value {
	double estimate;
	double margin; /* half of the interval that has the true value in 19 of 20 cases; < 0: not known */
};

struct sample_estimate;

struct sample_estimate *hd__estimate_make(const struct sample_plan *p);
void hd__estimate_free(struct sample_estimate *e);
/* Of the sum over all launches, or over those of a group (from 1; 0: all).  v: what each simulated launch has, in the
 * order of the list. */
struct sample_value hd__estimate_sum(const struct sample_estimate *e, const double *v, uint32_t group);
/* Of the launches one by one: .margin is 0 where they are simulated.  `out` has plan.n elements. */
void hd__estimate_each(const struct sample_estimate *e, const double *v, struct sample_value *out);

#endif

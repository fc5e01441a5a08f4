/* run_units.h - a list that is simulated in parts: --fresh, --once, --split, --results-cache
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RUN_UNITS_H
#define TOOLS_CLI_RUN_UNITS_H

#include "run_plan.h"
#include "run_record.h"
#include "kernel/registry.h"
#include "kernel/sim.h"

struct hd_units {
	bool fresh;         /* each kernel begins on a machine that has simulated nothing */
	bool once;          /* and of identical ones the first is simulated */
	uint64_t split;     /* parts of the list; 0: it is whole */
	uint64_t piece;     /* only this one, from 1, for the cache; 0: all */
	const char *cache;  /* folder of results, or NULL */
	unsigned jobs;      /* processes at a time; 0: as many as there are processors */
	/* in a process that simulates one part */
	FILE *record;       /* gets what it counts; or NULL */
	bool hush;          /* prints errors, and no warnings: another one has those */
	size_t lead, counted; /* kernels in front of those that count, and these; */
	size_t ended;         /* kernels that have ended */
	struct hd_sim **sim;
	struct hd_record_at *begin, *end; /* of those that count; NULL: of the run */
};

static inline bool hd__units_wanted(const struct hd_units *u)
{
	return u->fresh || u->once || u->split || u->cache;
}

/* What is the same in all parts. */
struct hd_units_run {
	struct hd_units *u;
	const char *trace;
	struct hd_options *options;
	enum hd_warm warm;         /* of a part that does not begin fresh */
	const struct hd_registry *registry;
	bool quiet;
	/* results */
	struct hd_json_rows rows;
	json_t *joined;            /* what the statistics have about the parts, or NULL */
	double seconds;
};

enum hd_units_end { HD_UNITS_JOINED, HD_UNITS_NOT, HD_UNITS_PART };

/* Simulates the parts, and gives `s`, which has not run, their sum.  Returns HD_UNITS_PART in each process that is to
 * simulate one: the options say which.  HD_UNITS_NOT: there is no sum, with the exit status in *status. */
enum hd_units_end hd__units_run(struct hd_units_run *r, struct hd_sim *s, int *status);
/* In a process that simulates a part: it begins again. */
void hd__units_again(struct hd_units *u);
/* Prints that. */
void hd__units_print(const json_t *joined, FILE *out);

#endif

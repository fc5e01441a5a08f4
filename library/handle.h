/* handle.h - the handle of a simulation in libheddle
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef LIBRARY_HANDLE_H
#define LIBRARY_HANDLE_H

#include "kernel/sim.h"
#include "kernel/stats/reasons.h"

#include <heddle/simulate.h>

/* One statistic that has a path. */
struct hd_figure {
	enum { HD_FIGURE_TOTAL, HD_FIGURE_STAT, HD_FIGURE_MEAN, HD_FIGURE_MOST } kind;
	char *path;
	const char *unit, *doc;
	const struct hd_instance *instance; /* of a STAT */
	const struct hd_stat *stat;
	const struct hd_gauge *gauge;       /* of a MEAN or a MOST */
};

struct heddle {
	struct hd_registry registry;
	struct hd_diags diags;
	struct hd_options opt;
	struct hd_sim *sim;       /* NULL: nothing is loaded */
	bool tried;               /* a netlist was loaded, maybe in vain */
	bool lost;                /* memory ran out: nothing of it may be touched */
	struct hd_reasons reasons; /* if they are counted: opt.event */
	int result;               /* of the run; HEDDLE_OK: there is more */
	struct hd_figure *figures; /* in order, made when first asked for */
	const struct hd_figure **by_path;
	size_t nfigures;
	json_t *totals;           /* figures of the run, as of these evaluations and this cycle */
	uint64_t totals_evals, totals_cycle;
	char *text[3];            /* the last ones of enum hd_text */
};

enum hd_text { HD_TEXT_JSON, HD_TEXT_TABLE, HD_TEXT_MESSAGES };

/* A step of a call, which may end early for want of memory. */
typedef int hd_step(struct heddle *h, const void *arg);

/* The result of the step, or HEDDLE_NO_MEMORY. */
int hd__guarded(struct heddle *h, hd_step *step, const void *arg);
/* Adds the message.  Returns HEDDLE_BAD_CALL. */
int hd__bad_call(struct heddle *h, const char *fmt, ...) HD_PRINTF(2, 3);
/* True if a netlist is loaded, whose statistics then are up to date; else there is a message. */
bool hd__has_results(struct heddle *h);

/* handle_values.c */
void hd__figures_free(struct heddle *h);

#endif

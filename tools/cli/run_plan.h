/* run_plan.h - heddle run --plan: some launches of a list are simulated, and the others estimated
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RUN_PLAN_H
#define TOOLS_CLI_RUN_PLAN_H

#include "kernel/run_options.h"
#include "base/json_write.h"
#include "tools/sample/sample.h"

enum hd_warm { HD_WARM_NONE, HD_WARM_LAST, HD_WARM_ALL };

struct hd_run_plan {
	const char *file; /* NULL: there is none */
	enum hd_warm warm;
	double stable; /* a kernel gets no more blocks once the rates of two waves differ by this share; 0: all */
	struct sample_plan plan;
	unsigned char *fates;
};

/* Reads the plan, looks whether it is of the trace, and says in *o what becomes of each kernel.  Returns false after
 * printing an error. */
bool hd__run_plan_open(struct hd_run_plan *p, const char *trace, struct hd_options *o);
/* What the rows of a run that has finished say about all launches; NULL after printing an error.  The caller owns it.
 * reader: path of the instance that reads the trace, whose counters are left out; or NULL. */
json_t *hd__run_plan_estimate(const struct hd_run_plan *p, const struct hd_json_rows *rows, const char *reader);
/* Prints what is known after so many seconds: kernels that have ended, and what that says about all of them. */
void hd__run_plan_progress(const struct hd_run_plan *p, const struct hd_json_rows *rows, double seconds, FILE *out);
/* Prints it. */
void hd__run_plan_print(const json_t *estimate, FILE *out);

#endif

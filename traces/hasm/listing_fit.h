/* listing_fit.h - compares the functions of listings with a kernel of a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_LISTING_FIT_H
#define TRACES_HASM_LISTING_FIT_H

#include "traces/sass/sass.h"
#include "statics.h"

/* A kernel and the function that it may be. */
struct fit {
	const struct statics *kernel;
	const struct sass_function *f; /* NULL: no listing has it */
	bool partial;                  /* instructions may be missing in it */
	size_t covered;                /* instructions of the kernel that are in it, */
	uint64_t executed, all;        /* how often they were executed, and all of the kernel */
	size_t mistakes;
};

/* The function that fits the kernel, or the first of its name and SM version; or none. */
struct fit hd__fit(const struct sass_code *code, const struct statics *kernel, bool partial);
/* Reports what does not fit. */
void hd__fit_report(const struct fit *fit, const struct sass_code *code, struct hd_diags *d);

/* The listing of the kernel; mistakes have been reported.  *unknown: instructions without a known
 * encoding; *differs: how many have other registers than in the trace, *first: pc of the first. */
struct hasm_kernel hd__fit_listing(const struct fit *fit, size_t *unknown, size_t *differs, uint32_t *first);
void hd__fit_listing_free(struct hasm_kernel *k);

#endif

/* study_runs.h - runs to compare: from statistics, points, or folders of results
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_STUDY_RUNS_H
#define TOOLS_STUDY_STUDY_RUNS_H

#include "study_names.h"
#include "study_result.h"

#include <stdint.h>

struct study_entry {
	uint32_t kernel;    /* 0: the whole run */
	uint32_t name;
	double value;
};

struct study_kernel {
	const char *name; /* owned by study_names.kernels */
	json_int_t id;    /* in the trace */
};

struct study_run {
	char *file;         /* where its statistics are, */
	FILE *copy;         /* or here, if that is a pipe; else NULL */
	bool point, inner;  /* it is a result (study_result.h); they are the member "statistics" of the file */
	char *label;        /* "volta_sm matmul", or the file */
	char *trace;
	char *status;
	json_t *set;        /* values that were set, or NULL */
	struct study_entry *v; /* in order of kernel and name, each once; of kernels the cycles only */
	size_t n, cap;
	struct study_kernel *kernels; /* by number - 1, in the order of the rows */
	size_t nkernels, capkernels;
	json_t *arrays;     /* study_arrays.h */
	double schedulers;  /* issue slots of a cycle in which all clocks run; 0: not known */
	bool renamed;       /* some of them have another name than in study_arrays */
};

/* The number of the kernel in `b` that is kernel k of `a`, or 0: kernels may be left out, or end in another order. */
uint32_t study_same_kernel(const struct study_run *a, uint32_t k, const struct study_run *b);

/* What is compared with another: a file, a point, a folder, or one design of a folder. */
struct study_side {
	char *label;
	struct study_run *runs;
	size_t n;
	json_t *set;        /* of a design; else NULL */
	char *netlist;      /* of a design; else NULL */
};

/* The arrays of all netlists, where two are one if they do the same (study_arrays.h). */
struct study_array {
	char *name, *bare;  /* "sm[*].sp[*]", "sm.sp": that of the first run which has it */
	char *module;
	json_int_t count;   /* of elements */
	bool together;      /* runs differ in its name or its count, so its elements are added up */
};

/* The arrays of a run, and what they are; runs with the same ones share it. */
struct study_layout {
	json_t *arrays, *found;
	bool renamed;
};

struct study_arrays {
	struct study_array *v;
	size_t n;
	struct study_layout *layouts;
	size_t nlayouts;
};

struct study_sides {
	struct study_names names;
	struct study_arrays arrays;
	struct study_side *v;
	size_t n;
	bool designs;       /* of one folder */
	bool all;           /* the names of all values of kernels are numbered */
};

/* Reads the arguments: files of statistics, files points/KEY.json, "FOLDER:N", folders.  Of a single folder each
 * design becomes a side.  `all`: study_kernels_open() will be called.  Returns false after printing an error. */
bool study_sides_read(struct study_sides *s, const char *const *arguments, size_t n, bool all);
void study_sides_free(struct study_sides *s);

/* A value of a run; false: it has none. */
bool study_value_of(const struct study_run *r, uint32_t kernel, uint32_t name, double *value);

/* The values of a run, first its own, then those of one kernel after another, which are read again. */
struct study_kernels {
	const struct study_sides *sides;
	const struct study_run *of;
	struct study_run now; /* only .v and .n: the present values */
	uint32_t kernel;      /* whose they are; 0: of the run */
	struct study_result result;
	struct study_rows rows;
	bool changed;
};
/* At the values of the run.  Returns false after printing an error: the file is not what it was. */
bool study_kernels_open(struct study_kernels *k, const struct study_sides *sides, const struct study_run *r);
/* The next kernel.  Returns false if there is none, and .n is 0 then. */
bool study_kernels_next(struct study_kernels *k);
/* Returns false after printing an error. */
bool study_kernels_close(struct study_kernels *k);

#endif

/* runs.h - runs to compare: from statistics, points, or folders of results
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_STUDY_RUNS_H
#define TOOLS_STUDY_RUNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The statistics of all runs, by number. */
struct study_names {
	json_t *meanings;   /* of the folder that is read: its statistics.json (catalogue.h); or NULL */
	json_t *numbers;    /* "KIND PATH" -> number */
	json_t *kernels;    /* names of kernels, each once */
	json_t *units;      /* "KIND PATH" -> unit, where it is known */
	const char **v;     /* "KIND PATH", owned by `numbers` */
	size_t n, cap;
};

struct study_entry {
	uint32_t kernel;    /* 0: the whole run */
	uint32_t name;
	double value;
};

struct study_run {
	char *label;        /* "volta_sm matmul", or the file */
	char *trace;
	char *status;
	json_t *set;        /* values that were set, or NULL */
	struct study_entry *v; /* in order of kernel and name, each once */
	size_t n, cap;
	const char **kernels; /* names, by number - 1, owned by study_names.kernels */
	size_t nkernels, capkernels;
};

/* What is compared with another: a file, a point, a folder, or one design of a folder. */
struct study_side {
	char *label;
	struct study_run *runs;
	size_t n;
	json_t *set;        /* of a design; else NULL */
	char *netlist;      /* of a design; else NULL */
};

struct study_sides {
	struct study_names names;
	struct study_side *v;
	size_t n;
	bool designs;       /* of one folder */
	bool all;           /* values of kernels are kept */
};

/* Reads the arguments: files of statistics, files points/KEY.json, "FOLDER:N", folders.  Of a single folder each
 * design becomes a side.  Of kernels all values are kept only if `all` is true, else their cycles.  Returns false
 * after printing an error. */
bool study_sides_read(struct study_sides *s, const char *const *arguments, size_t n, bool all);
void study_sides_free(struct study_sides *s);

/* The number of a statistic; UINT32_MAX: there is none of that name. */
uint32_t study_name(const struct study_names *names, const char *kind_and_path);
/* A value of a run; false: it has none. */
bool study_value_of(const struct study_run *r, uint32_t kernel, uint32_t name, double *value);

#endif

/* correlate.h - programs held against hardware: a list of points, the traces of their programs, and what comes of them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hardware.md describes the list and the figures.
 */
#ifndef TOOLS_STUDY_CORRELATE_H
#define TOOLS_STUDY_CORRELATE_H

#include "inputs.h"
#include "study.h"
#include "study_folder.h"

enum correlate_launch { CORRELATE_ALL, CORRELATE_MEAN, CORRELATE_ONE };

/* What limits a kernel. */
enum correlate_class { CORRELATE_COMPUTE, CORRELATE_L1, CORRELATE_L2, CORRELATE_DRAM, CORRELATE_LATENCY,
	CORRELATE_LAUNCH, CORRELATE_CLASSES };
extern const char *const correlate_classes[CORRELATE_CLASSES + 1];

/* A grid in blocks, and a block in threads. */
enum correlate_sizes { CORRELATE_GRID, CORRELATE_BLOCK, CORRELATE_SIZES };

struct correlate_size {
	uint32_t v[3];     /* all 0: not known */
};

/* A program that is recorded, or a trace that is there. */
struct correlate_trace {
	char *file;
	json_t *command;   /* texts; NULL: the file is there */
	char *folder;      /* in which the program runs */
	char *record;      /* launches that are recorded, "1-3"; or NULL */
	json_t *inputs;    /* files that it reads, or NULL */
	int status;        /* with which the program ends */
	char *why;         /* it is not there; or NULL */
	char **kernels;    /* names of its launches */
	struct correlate_size (*sizes)[CORRELATE_SIZES]; /* and what they are launched with */
	size_t n;
};

/* What the kernels of a point did, added up; rates are means by cycles. */
struct correlate_sums {
	double cycles, warp_instructions, thread_blocks, slots, issued;
	double launch;     /* cycles of launches, by the parameters of the dispatcher */
	size_t launches;
	json_t *rates;     /* table -> array of instances -> share */
};

struct correlate_point {
	char *name, *program, *arguments, *kernel; /* kernel: NULL: any */
	char *declared;        /* what the launch has to be, as an export has it; NULL: not known */
	struct correlate_size sizes[CORRELATE_SIZES]; /* and how large */
	enum correlate_launch mode;
	uint64_t launch;       /* of CORRELATE_ONE: from 0, among those that `kernel` selects */
	double hardware;       /* cycles; 0: not measured */
	json_t *others;        /* name of a simulator -> cycles */
	int class;             /* -1: not known (yet) */
	bool class_given;
	size_t trace;          /* its number */
	char *why;             /* there are no cycles; or NULL */
	size_t first, last;    /* launches that are simulated, from 0 */
	bool *counts;          /* of these, those of the point */
	size_t run;            /* its number in the study */
	char key[STUDY_KEY];   /* of its result */
	struct correlate_sums sums;
	double cycles;         /* simulated */
	char *page;            /* file of its report, or NULL */
};

struct correlate {
	struct study list;     /* only what messages need, and .name, .doc */
	char *netlist;         /* file */
	char *machine;         /* its name, set by the caller */
	char **sets;           /* "path=value" */
	size_t nsets;
	json_t *set;           /* the same as an object of single values */
	const char *gpu;       /* that programs find, or NULL: one for which they have code, */
	const char *suits;     /* at first the one that suits the netlist, or NULL: any */
	double mhz;            /* of the hardware; 0: not given */
	json_t *others;        /* name of a simulator -> column */
	json_t *found;         /* columns of these that some table has, as keys */
	struct correlate_point *v;
	size_t n;
	struct correlate_trace *traces;
	size_t ntraces;
	json_t *by_trace;      /* what identifies a trace -> its number */
	size_t nruns;
};

/* What the command line says besides the list. */
struct correlate_given {
	const char *netlist;   /* or NULL */
	const char *const *sets; /* "path=value", behind those of the list */
	size_t nsets;
	const char *gpu;
	const char *trace;     /* of a table: the trace of all rows, or */
	char **program;        /* the program, NULL-terminated */
	const char *const *others; /* "NAME=COLUMN" */
	size_t nothers;
	const char *metric;
	double mhz;
};

/* Reads a list, or a table of measurements.  Returns false after reporting errors; free it in any case. */
bool correlate_read(struct correlate *c, const char *file, const struct correlate_given *g, struct hd_diags *d);
void correlate_free(struct correlate *c);

/* ---- correlate_traces.c ---- */

/* Records the programs that have not been, `most` at a time, into the folder.  library: the CUDA library that executes
 * them.  Returns false if it was interrupted.  A program that cannot be recorded has .why. */
bool correlate_record(struct correlate *c, const struct study_folder *f, struct study_cache *cache, const char *library,
                      unsigned most, bool quiet);
/* Reads the names of kernels, and finds the launches of each point. */
void correlate_select(struct correlate *c);

/* ---- correlate_results.c ---- */

/* The study of all runs, for the file of that folder.  NULL: nothing is to run.  The caller owns it. */
json_t *correlate_study(struct correlate *c);
/* Reads the results.  modules: array of instances -> module; kernel_latency, cta_latency: of the dispatcher.  Returns
 * false after printing an error. */
bool correlate_results(struct correlate *c, const struct study_folder *f, const json_t *modules, double kernel_latency,
                       double cta_latency);

/* ---- correlate_reports.c ---- */

/* Plug-ins, as heddle run has them. */
struct correlate_plugins {
	const char **v;
	size_t n;
	bool none;
};

/* Makes the pages of heddle report that are not there, of the `most` points with the largest errors, 0: of all.
 * Returns false after printing an error, or after a signal. */
bool correlate_reports(struct correlate *c, const struct study_folder *f, size_t most,
                       const struct correlate_plugins *plugins, unsigned jobs, bool quiet);

/* ---- correlate_figures.c ---- */

/* Does the point count: measured and simulated? */
static inline bool correlate_counts(const struct correlate_point *p)
{
	return p->why == NULL && p->hardware > 0;
}

/* The result as JSON; the caller owns it.  page: the file that links to reports of points, or NULL. */
json_t *correlate_json(const struct correlate *c, const char *page);
void correlate_print(const struct correlate *c, FILE *out);
/* data: of correlate_json() */
void correlate_csv(const json_t *data, FILE *out);

#endif

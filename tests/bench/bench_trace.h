/* bench_trace.h - the traces of the benchmark: recorded ones, or those of the tree in their place
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TESTS_BENCH_BENCH_TRACE_H
#define TESTS_BENCH_BENCH_TRACE_H

#include "bench.h"

struct trace {
	const char *name;
	bool recorded;         /* limits hold for these only */
	char text[4096];       /* its list of kernels */
	char packed[4096];     /* the same as `heddle trace pack` writes it */
};

/* What a run has done. */
struct work {
	double warp_instructions;
	double sm_cycles; /* in which an SM had a thread block, added up over SMs */
};

/* Calls fn for each trace of a list that ends with NULL; if none is here, for some of the tree.  Names those that are
 * not here. */
void trace_each(struct bench *b, const char *const *recorded, void (*fn)(struct bench *b, const struct trace *t));

/* Runs a trace with a netlist, for at most so many cycles (as text; NULL: to its end).
 * Returns false after a message. */
bool trace_work(struct bench *b, const struct trace *t, const char *netlist, const char *cycles, struct work *work);

/* The file of that name beside the netlist of the command line, in buf. */
const char *trace_netlist(const struct bench *b, const char *name, char buf[4096]);

#endif

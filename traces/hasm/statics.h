/* statics.h - the module that collects the static instructions of each kernel of a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_STATICS_H
#define TRACES_HASM_STATICS_H

#include "trace_run.h"

struct static_inst {
	struct hd_inst inst;  /* as executed first */
	const char *opcode;
	uint64_t executed;    /* by how many warps, each time */
};

/* Reads a thread block in each cycle. */
struct statics {
	struct trace_taker in;
	/* Set before the run; called at the end of each kernel.  Returns false after an error that ends
	 * the run. */
	bool (*done)(void *arg, struct statics *s);
	void *arg;
	uint32_t kernels;        /* so far */
	struct hd_launch launch; /* the present kernel, */
	uint64_t block;          /* and its blocks so far */
	struct static_inst *v;   /* its instructions; in done(): in order of pc */
	size_t n, cap;
	uint32_t *at;            /* by code - first_code: index + 1 */
	size_t nat;
	uint32_t first_code, next_code; /* those of the kernel; not in the order in which warps execute them */
};

extern const struct hd_module hd_module_hasm_statics;

#endif

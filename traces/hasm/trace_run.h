/* trace_run.h - reads a trace with the module that reads it for simulations
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The reading is the run of a netlist of two instances: that module, and one that takes the trace from it
 * through its port `trace`.
 */
#ifndef TRACES_HASM_TRACE_RUN_H
#define TRACES_HASM_TRACE_RUN_H

#include "kernel/sim.h"

#include <heddle/gpu/trace.h>

/* First in the state of a module that takes a trace; with its port, and its init and start. */
struct trace_taker {
	const struct hd_trace_if *trace;
	struct hd_ctx *ctx;
};

extern const struct hd_port hd__trace_taker_ports[];
int hd__trace_taker_init(void *state, struct hd_ctx *ctx);
int hd__trace_taker_start(void *state);

struct trace_run {
	const char *command;            /* for messages */
	const struct hd_module *module; /* the one that takes the trace: its state begins with a taker */
	const char *trace;
	bool strict;                    /* refuse a trace that contradicts itself */
	/* Called when all is ready, with the state of that module; calls hd__trace_run_all(). Returns an
	 * exit status. */
	int (*use)(void *arg, struct hd_sim *s, void *state, struct hd_diags *d);
	void *arg;
};

/* Returns an exit status after printing all messages. */
int hd__trace_run(const struct trace_run *r);
/* Runs to the end.  Returns whether that succeeded. */
bool hd__trace_run_all(struct hd_sim *s, struct hd_diags *d);
/* The same; *to is the file of this name meanwhile, which is whole or not there afterwards.  `option`: see
 * hd__output_open(). */
int hd__trace_run_output(struct hd_sim *s, struct hd_diags *d, const char *name, const char *option, FILE **to);

#endif

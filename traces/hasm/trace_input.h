/* trace_input.h - a trace that a command reads, kernel by kernel
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_INPUT_H
#define TRACES_HASM_TRACE_INPUT_H

#include "traces/trace_read.h"

/* What commands about traces have in common. */
struct trace_command {
	const char *tables; /* folder of the tables of opcodes */
	const char *trace;  /* a list of kernels, the file of one, or a packed trace */
	const char *output; /* NULL: standard output, where that may be */
	bool strict;        /* refuse a trace that contradicts itself; warnings are errors */
};

struct trace_input {
	struct hd_diags d;  /* gets all mistakes */
	struct trace_program_host host;
	struct trace_reader r;
	struct trace_kernel k; /* the present one */
	char *asynchronous;    /* folder of tables that have what only some cores execute, beside the others */
};

/* NULL after printing what is wrong with the list of kernels. */
struct trace_input *hd__trace_input_open(const struct trace_command *c);
/* The copies to the device in front of kernel i; returns how many. */
size_t hd__trace_input_copies(const struct trace_input *t, size_t i, const struct hd_trace_copy **first);
/* Opens kernel i, and calls `block` after loading each of its blocks.  Returns false after an error, or when
 * `block` did. */
bool hd__trace_input_kernel(struct trace_input *t, size_t i, bool (*block)(void *arg, uint64_t number), void *arg);
/* Prints all messages.  Returns the exit status, which is another one if there were mistakes. */
int hd__trace_input_close(struct trace_input *t, int status);

/* Opens the trace and the output, which is whole or not there after `write`; that returns whether it succeeded.
 * option: see hd__output_open().  Returns an exit status after printing all messages. */
int hd__trace_input_write(const struct trace_command *c, const char *option,
                          bool (*write)(struct trace_input *t, FILE *to));

/* ---- static instructions ---- */

struct static_inst {
	struct hd_inst inst; /* as executed first */
	const char *opcode;
	uint64_t executed;   /* by how many warps, each time */
	size_t met;          /* its place in the order in which they were met */
};

/* The static instructions of a kernel that were executed, in order of pc. */
struct statics {
	struct trace_input *in;
	size_t number; /* of the kernel, from 1 */
	const char *file;
	const struct hd_launch *launch;
	struct static_inst *v;
	size_t n;
};

/* Reads kernel i.  Returns false after an error.  The caller frees .v in any case. */
bool hd__statics_read(struct statics *s, struct trace_input *t, size_t i);

#endif

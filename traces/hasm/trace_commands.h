/* trace_commands.h - what commands make of traces; each function returns an exit status after printing all messages
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_TRACE_COMMANDS_H
#define TRACES_HASM_TRACE_COMMANDS_H

#include "trace_input.h"

/* ---- trace_info.c ---- */

/* Prints the kernels and opcodes. */
int hd__trace_info(const struct trace_command *c);
/* Writes the trace as a file that is read without parsing. */
int hd__pack_trace(const struct trace_command *c);

/* ---- hasm_print.c ---- */

/* Prints a trace as a text of kernels. */
int hd__hasm_print(const struct trace_command *c);

/* ---- hasm_assemble.c ---- */

#define HASM_LIMIT (UINT64_C(1) << 22) /* lines of a trace, unless the user sets another limit */

/* Makes a trace, of at most so many lines, of the text c->trace, "-": standard input, in the folder c->output. */
int hd__hasm_assemble(const struct trace_command *c, uint64_t limit);

/* ---- join_control.c ---- */

struct control_args {
	char **listing;       /* cubins, texts of cuobjdump or nvdisasm */
	size_t n;
	struct trace_command trace; /* .output: the folder that gets the trace and the listings of its kernels */
	bool partial;         /* a kernel may lack a listing, a listing an instruction */
};

/* Joins machine code with a trace, and prints how much of each kernel has control fields. */
int hd__control_join(const struct control_args *a);
/* Prints functions as texts, to the file or, if that is NULL, to standard output. */
int hd__control_list(char **listing, size_t n, const char *output);

#endif

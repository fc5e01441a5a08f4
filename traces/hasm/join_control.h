/* join_control.h - joins the control fields and operands of machine code with a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_JOIN_CONTROL_H
#define TRACES_HASM_JOIN_CONTROL_H

#include "trace_input.h"

struct control_args {
	char **listing;       /* cubins, texts of cuobjdump or nvdisasm */
	size_t n;
	struct trace_command trace; /* .output: the folder that gets the trace and the listings of its kernels */
	bool partial;         /* a kernel may lack a listing, a listing an instruction */
};

/* Joins, and prints how much of each kernel has control fields.  Returns an exit status after printing
 * all mistakes. */
int hd__control_join(const struct control_args *a);
/* Prints functions as texts, to the file or, if that is NULL, to standard output.  Returns an exit status
 * after printing all mistakes. */
int hd__control_list(char **listing, size_t n, const char *output);

#endif

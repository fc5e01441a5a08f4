/* join_control.h - joins the control fields and operands of machine code with a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_JOIN_CONTROL_H
#define TRACES_HASM_JOIN_CONTROL_H

#include "traces/sass/sass.h"

#include <stddef.h>

struct control_args {
	char **listing;       /* cubins, texts of cuobjdump or nvdisasm */
	size_t n;
	const char *trace;    /* a list of kernels, or the file of one */
	const char *folder;   /* gets the trace and the listings of its kernels */
	bool strict, partial; /* partial: a kernel may lack a listing, a listing an instruction */
};

/* Joins, and prints how much of each kernel has control fields.  Returns an exit status after printing
 * all mistakes. */
int hd__control_join(const struct control_args *a);
/* Prints functions as texts, to the file or, if that is NULL, to standard output.  The same. */
int hd__control_list(char **listing, size_t n, const char *output);

#endif

/* recording.h - runs a CUDA program with heddle's runtime library, and takes the trace that comes of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RECORDING_H
#define TOOLS_CLI_RECORDING_H

#include "base/output.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct hd_recording {
	char **program;       /* with its arguments, NULL-terminated */
	const char *gpu;      /* that the program finds; NULL: one for which it has code */
	uint64_t first, last; /* launches that are recorded, counted from 1; first 0: all */
	bool check;           /* look for faults of kernels */
	const char *findings; /* a file for them; NULL: none */
	bool text;            /* a folder of texts rather than a packed trace */
};

/* Exits with a usage error unless there is such a GPU. */
void hd__recording_gpu(struct argp_state *st, const char *name);
/* The folder with the library that executes programs.  NULL after printing an error.  The caller frees it. */
char *hd__recording_library(void);
/* Runs the program and writes its trace.  Returns the exit status of heddle trace record. */
int hd__recording_write(const struct hd_recording *r, const char *path);
/* Runs the program for heddle run.  Returns a descriptor of the trace, which has no name any more, or -1 after printing
 * an error.  *status: as hd__recording_write() would return. */
int hd__recording_open(const struct hd_recording *r, int *status);

#endif

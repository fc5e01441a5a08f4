/* recording.h - runs a CUDA program with heddle's runtime library, and takes the trace that comes of it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_CLI_RECORDING_H
#define TOOLS_CLI_RECORDING_H

#include "base/output.h"

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct hd_sim;

/* Warp instructions of a launch, unless the user sets another limit: an hour or so. */
#define HD_RECORDING_LIMIT (UINT64_C(1) << 36)

struct hd_recording {
	char **program;       /* with its arguments, NULL-terminated */
	const char *gpu;      /* that the program finds; NULL: one for which it has code, */
	const char *suits;    /* at first this one; or NULL */
	uint64_t first, last; /* launches that are recorded, counted from 1; first 0: all */
	bool check;           /* look for faults of kernels */
	const char *findings; /* a file for them; NULL: none */
	bool text;            /* a folder of texts rather than a packed trace */
	bool parts;           /* through a socket while it is made, */
	bool simulated_time;  /* and time between events is that of the simulation */
	uint64_t limit;       /* warp instructions of a launch; 0: any number */
};

/* A program that runs while it is simulated; .child 0: none does. */
struct hd_program {
	const struct hd_recording *r;
	char *folder;         /* for its files */
	int child, recorded;  /* pids: what was started; what is recorded, which that may have started */
	int socket;
};

/* Exits with a usage error unless there is such a GPU. */
void hd__recording_gpu(struct argp_state *st, const char *name);
/* The GPU that suits the netlist: by the code that its cores run, and its number of SMs.  NULL: none is known. */
const char *hd__recording_suits(const struct hd_sim *s);
/* The folder with the library that executes programs.  NULL after printing an error.  The caller frees it. */
char *hd__recording_library(void);
/* Runs the program and writes its trace.  Returns the exit status of heddle trace record. */
int hd__recording_write(const struct hd_recording *r, const char *path);
/* Looks for faults of the program's kernels, and keeps no trace.  Returns the exit status, as above. */
int hd__recording_check(const struct hd_recording *r);
/* Starts the program for heddle run.  Returns a socket from which its trace comes (traces/trace_parts.h), once there is
 * something to simulate; or -1 after printing an error, when the program has ended. *status: its exit status then, as
 * hd__recording_write() would return it. */
int hd__recording_start(struct hd_program *p, const struct hd_recording *r, int *status);
/* Waits for the end of the program; or ends it, if it goes on although its simulation does not.  Returns the exit
 * status after printing how it ended. */
int hd__recording_end(struct hd_program *p, bool stop);
/* Passes a signal on to the program that was started; a signal handler may call it. */
void hd__recording_signal(int number);
/* Runs the program to its end for heddle run.  Returns a descriptor of the trace, which has no name any more, or -1
 * after printing an error.  *status: as hd__recording_write() would return. */
int hd__recording_open(const struct hd_recording *r, int *status);

#endif

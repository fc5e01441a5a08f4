/* cudart_record.h - what a program does with the device, recorded for heddle trace record
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The command names in the environment a folder that is there while the program runs, and takes the trace from it when
 * the program has ended.  The first process that uses the device is the one that is recorded.
 */
#ifndef TRACES_RUNTIME_CUDART_RECORD_H
#define TRACES_RUNTIME_CUDART_RECORD_H

#include "traces/exec/exec.h"

#define CUDA_RECORD_FOLDER "HEDDLE_RECORD"          /* the folder; not set: nothing is recorded */
#define CUDA_RECORD_KERNELS "HEDDLE_RECORD_KERNELS" /* "FIRST-LAST", counted from 1 */
#define CUDA_RECORD_TEXT "HEDDLE_RECORD_TEXT"       /* set: a folder of texts rather than a packed trace */
#define CUDA_RECORD_PARTS "HEDDLE_RECORD_PARTS"     /* set: in parts, through a socket in the folder */
#define CUDA_SUITS "HEDDLE_NETLIST_GPU"             /* the GPU that suits the netlist; not set: any */
#define CUDA_LIMIT "HEDDLE_LIMIT"                   /* most warp instructions of a launch; not set: any number */
#define CUDA_SIMULATED_TIME "HEDDLE_SIMULATED_TIME" /* set: time between events is that of the simulation */
#define CUDA_CHECK "HEDDLE_CHECK"                   /* set: faults of kernels are looked for */
#define CUDA_FINDINGS "HEDDLE_FINDINGS"             /* a file for them; not set: none */
/* In the folder: */
#define CUDA_RECORD_CLAIM "process" /* made by the process that is recorded */
#define CUDA_RECORD_TRACE "trace"   /* there once it is complete */
#define CUDA_RECORD_SOCKET "socket" /* the command's, which takes a trace in parts */
#define CUDA_RECORD_FOUND "found"   /* made if there are faults */
#define CUDA_RECORD_COUNT "count"   /* made when the process has ended: "LAUNCHES RECORDED" */

/* Executes a launch, and records it if it is one of those. */
enum hd_exec_status hd__cuda_record_launch(struct hd_exec *x, const struct hd_exec_launch *launch, uint64_t stream,
                                           struct hd_exec_fault *fault);
void hd__cuda_record_copy(uint64_t to, uint64_t bytes);
/* The simulated time, which all launches so far have taken; false: the host's clock is what counts. */
bool hd__cuda_record_time(uint64_t *ns);
/* The process is about to fork; it was forked. */
void hd__cuda_record_fork(void);
void hd__cuda_record_forked(void);
/* What is called when the process ends by exit(); it calls _end(), with the lock under which launches are recorded. */
void hd__cuda_record_at_end(void (*end)(void));
/* What the process does from here on is not recorded. */
void hd__cuda_record_end(void);

/* cudart_check.c: are faults of kernels looked for?  Prints those of a machine that ends. */
bool hd__cuda_checks(void);
void hd__cuda_check_end(const struct hd_exec *x);

#endif

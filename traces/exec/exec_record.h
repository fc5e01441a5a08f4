/* exec_record.h - records what kernels do as a trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_EXEC_EXEC_RECORD_H
#define TRACES_EXEC_EXEC_RECORD_H

#include "exec.h"

struct hd_record;

/* A new trace: a packed one, the file `path`, or with `text` a folder of texts, kernelslist.g and kernel-N.traceg,
 * with kernel-N.sass.json beside them.  It is there when it is complete.  Returns an exit status after printing an
 * error. */
int hd__record_open(struct hd_record **r, const char *path, bool text);
/* One whose parts are handed on while it is made, through the socket `name` in a folder (traces/trace_parts.h). */
int hd__record_open_parts(struct hd_record **r, const char *folder, const char *name);
/* In a process that was forked: the trace is its parent's. */
void hd__record_leave(struct hd_record *r);
/* A copy from the host to the device. */
void hd__record_copy(struct hd_record *r, uint64_t address, uint64_t bytes);
/* The stream of the launches that follow; 0 at first. */
void hd__record_stream(struct hd_record *r, uint64_t stream);
/* Executes a launch as hd__exec_run() does, and records it.  An instruction whose text is not known is
 * HD_EXEC_UNKNOWN.  HD_EXEC_STOPPED: the trace could not be written, which was printed; there will be none. */
enum hd_exec_status hd__record_run(struct hd_record *r, struct hd_exec *x, const struct hd_exec_launch *launch,
                                   struct hd_exec_counts *counts, struct hd_exec_fault *fault);
/* Of a trace in parts: the time that has been simulated when all launches so far have ended, for which this waits.
 * Returns false if it is not simulated. */
bool hd__record_time(struct hd_record *r, uint64_t *ns);
/* Writes what is buffered: before the process forks, for both would write it. */
void hd__record_flush(struct hd_record *r);
/* Completes the trace, or removes what there is of it unless `good`.  Returns an exit status after printing an
 * error. */
int hd__record_close(struct hd_record *r, bool good);

#endif

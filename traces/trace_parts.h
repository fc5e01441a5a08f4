/* trace_parts.h - a trace that comes while it is being made: packed traces in parts, through a socket
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The program that makes the trace (traces/exec/exec_parts.h) writes each kernel as a file without a name, or a large
 * one as several: each is a packed trace with one kernel, whose thread blocks go on where those of the part before it
 * ended, and has all static instructions so far.  Files go through a socket of the kind SOCK_SEQPACKET, in the order of
 * the list.  Each that was taken is acknowledged by a byte; of those that were not, the maker waits for some before it
 * writes more.  The maker may ask what time it is.
 */
#ifndef TRACES_TRACE_PARTS_H
#define TRACES_TRACE_PARTS_H

#include "packed.h"

enum part_kind {
	PART_COPY = 1, /* a copy to the device, in front of the next kernel */
	PART_BLOCKS,   /* a file comes with it */
	PART_FAILED,   /* the kernel whose parts came before this message has failed; no further part of it follows */
	PART_TIME,     /* how much time has been simulated?  The answer is struct part_time */
	PART_END,      /* of the list */
};

struct part_message {
	uint32_t kind;
	bool first, last;     /* BLOCKS: the kernel's first part, or its last one */
	uint64_t addr, bytes; /* COPY */
};

struct part_time {
	uint64_t ns;
};

/* One that was taken. */
struct trace_part {
	struct trace_packed file;
	struct trace_part *next;
};

struct trace_parts {
	const struct trace_host *host;
	const char *input;
	int socket;
	bool on;     /* the input is such a trace */
	bool over;   /* nothing more comes */
	bool failed; /* an error was reported */
	uint64_t ns; /* simulated when the next item is asked for; UINT64_MAX: earlier ones have not ended then */
};

/* Returns whether the input is such a trace, "/dev/fd/N" of a socket.  Takes nothing. */
bool hd__trace_parts_open(struct trace_parts *p, const struct trace_host *host, const char *input);
/* Waits for item i of the list, whose kernel has its first part then; whole: all of them.  Returns 1; 0: there is no
 * such item; -1 after a message. */
int hd__trace_parts_item(struct trace_parts *p, struct trace_list *l, size_t i, bool whole);
/* Gives the kernel what it needs to go on from one part to the next; keeps: earlier ones stay. */
void hd__trace_parts_begin(struct trace_parts *p, struct trace_list *l, size_t i, bool keeps,
                           struct trace_packed_kernel *k);
/* The kernel's parts are needed no longer. */
void hd__trace_parts_drop(struct trace_item *item);
void hd__trace_parts_free(struct trace_parts *p, struct trace_list *l);

#endif

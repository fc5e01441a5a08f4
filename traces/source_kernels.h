/* source_kernels.h - private to the trace source: its state, and the kernels that are being replayed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SOURCE_KERNELS_H
#define TRACES_SOURCE_KERNELS_H

#include "lanes.h"
#include "packed.h"
#include "synthesis.h"

#include <stdio.h>

enum { UNKNOWN_WARN, UNKNOWN_ERROR };
enum { CONTROL_NONE, CONTROL_TRACED, CONTROL_SYNTHESISED, CONTROL_AVAILABLE };

/* A kernel whose file is being read, or of which thread blocks are resident. */
struct kernel {
	struct kernel *next;
	uint32_t number; /* in the order in which they were made, from 0 */
	struct trace_text text;
	struct trace_packed_kernel packed; /* instead of the text, if the trace is packed */
	struct trace_header header;
	struct trace_windows windows;
	struct trace_code code;
	struct trace_controls controls; /* empty unless the parameter `control` requests them */
	struct trace_blocks blocks;
	struct trace_program program; /* empty unless it is claimed */
	bool open;   /* its file may have further blocks */
};

/* A call that moved the source on, from which a loaded run finds its place again: what it has read is
 * read once more. */
struct trace_call {
	enum trace_call_kind { TRACE_CALL_NEXT, TRACE_CALL_OPEN, TRACE_CALL_BLOCK, TRACE_CALL_HOLE } kind;
	uint32_t kernel; /* its .number; not for NEXT */
	uint32_t what;   /* item, first slot, or pc */
};

struct source {
	const char *folder, *own_folder, *latency_file;
	uint32_t unknown, control, local_window, shared_window, xz_memory, block_memory, text_memory;
	uint32_t newest;     /* binary version of the most recent code for the core; 0: any */
	bool told_version;

	struct hd_ctx *ctx;
	struct hd_trace_if face;
	struct hd_paths_if paths;
	struct trace_archs archs;
	struct trace_packed packed; /* the input, if it is one: .map is not NULL */
	struct trace_list list;
	size_t next; /* item of the list that is read next */
	uint64_t first; /* position of its item 0, from 1 */
	struct trace_names names;
	struct trace_reclass reclass;
	struct trace_latencies latencies; /* read when they are first needed */
	char *latency_beside; /* its file if the parameter gives none, or NULL */
	uint32_t slots;                       /* of all SMs */
	bool claimed;                         /* by a dispatcher */
	bool surveys, walks;                  /* programs of kernels are claimed; and lanes */
	uint32_t *near;                       /* by warp slot: node that code() found last */
	struct trace_lanes *lanes;            /* by warp slot; used if they are claimed */
	struct trace_left *left;              /* by warp slot */
	struct trace_tally {                  /* for count() */
		const uint32_t *base;
		struct hd_path_counts *to;
	} *tally;
	size_t tallies, tally_cap;
	struct hd_path_counts uncounted;      /* takes what is not asked for */
	struct kernel *all, *present;         /* present: next_cta() returns its thread blocks */
	struct kernel **of_slot;               /* whose block is on the warp slot; NULL: none */
	struct trace_header *peeked;          /* by item of the list; made by the first peek() */
	uint64_t done, total; /* bytes of it */
	bool saves;                           /* the run may be saved */
	struct trace_call *calls;             /* with it: those so far */
	size_t ncalls, calls_cap;
	uint64_t content;                     /* hash of the packed blocks so far; likewise */

	uint64_t kernels, ctas, lines, bytes, statics, unknowns, copies, copied, ignored, synthetic;
	uint64_t block; /* number of the last one loaded in its grid */
	/* EXITs that lost lanes, for one warning at the end of the run */
	uint64_t mended, mended_kernels, mended_line;
	const char *mended_file;
};

/* Where the readers are. */
struct trace_mark {
	uint64_t lines, bytes, statics, unknowns;
};

struct trace_mark hd__trace_mark(const struct source *s);
/* Adds what they have read since `was` to progress and statistics. */
void hd__trace_count(struct source *s, struct trace_mark was);
/* Prints the warnings about the kernel.  Its instructions are kept: blocks of it may be
 * resident. */
void hd__trace_kernel_close(struct source *s, struct kernel *k);
/* The blocks on its slots are no longer needed. */
void hd__trace_kernel_drop(struct source *s, struct kernel *k);
/* A kernel that may be reused, or NULL after a message. */
struct kernel *hd__trace_kernel_spare(struct source *s);
/* Another one, or NULL after a message. */
struct kernel *hd__trace_kernel_new(struct source *s);
/* Makes item i of the list the present kernel, in the memory of `k`.  Returns 1, or -1. */
int hd__trace_kernel_begin(struct source *s, struct kernel *k, size_t i, struct hd_launch *launch);
/* Frees all of them, after their warnings. */
void hd__trace_kernels_free(struct source *s);

/* ---- left.c ---- */

/* See hd_trace_if.left and .stores. */
uint32_t hd__trace_left_of(void *self, uint32_t warp);
uint32_t hd__trace_stores_of(void *self, uint32_t warp);

/* ---- saved.c ---- */

/* The source was called: remembers it if the run may be saved. */
void hd__trace_called(struct source *s, enum trace_call_kind kind, uint32_t kernel, uint32_t what);
/* A thread block was loaded onto the slots from `first` on. */
void hd__trace_called_block(struct source *s, uint32_t first);
/* Saves or loads the source, see hd_module.checkpoint. */
void hd__trace_saved(struct source *s, struct hd_checkpoint *k);

/* ---- packing.c ---- */

/* See struct hd_trace_if. */
int hd__trace_packing(void *self, FILE *to);

/* ---- paths.c ---- */

void hd__trace_paths_init(struct source *s);

#endif

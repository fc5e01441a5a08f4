/* source_parts.h - the state of the trace source
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef MODULES_TRACE_SOURCE_SOURCE_PARTS_H
#define MODULES_TRACE_SOURCE_SOURCE_PARTS_H

#include "traces/lanes.h"
#include "traces/trace_read.h"

#include <heddle/gpu/trace.h>

/* An address at which the kernel never executes anything, with a number as if it did: for dumps. */
struct source_hole {
	uint32_t pc, code;
};

/* A kernel whose file is being read, or of which thread blocks are resident. */
struct kernel {
	struct trace_kernel k;
	struct kernel *next;
	uint32_t number; /* in the order in which they were made, from 0 */
	struct source_hole *hole; /* by pc */
	size_t holes, holes_cap;
};

/* A row of the parameter "classes". */
struct source_class {
	uint32_t cls;     /* symbol of kind "class" */
	uint64_t opcodes; /* symbols of kind "opcode" */
};

/* A call that moved the source on, from which a loaded run finds its place again: what it has read is
 * read once more. */
struct trace_call {
	enum trace_call_kind { TRACE_CALL_NEXT, TRACE_CALL_OPEN, TRACE_CALL_BLOCK, TRACE_CALL_HOLE } kind;
	uint32_t kernel; /* its .number; not for NEXT */
	uint32_t what;   /* item, first slot, or pc */
};

struct source {
	struct trace_reader reader;
	struct trace_host host;
	struct hd_table classes;

	struct hd_ctx *ctx;
	struct hd_trace_if face;
	struct hd_paths_if paths;
	size_t next; /* item of the list that is read next */
	uint32_t slots;                       /* of all SMs */
	bool claimed;                         /* by a dispatcher */
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
	struct trace_header *peeked;          /* by item of the list, as far as peek() was called */
	size_t npeeked, peeked_cap;
	uint64_t done, total; /* bytes of it */
	bool failed;                          /* an error was reported: it is not asked again */
	bool saves;                           /* the run may be saved */
	bool skipped;                         /* the present kernel is: what its warps do counts nowhere */
	struct trace_call *calls;             /* those so far, of a run that may be saved */
	size_t ncalls, calls_cap;
	uint64_t content;                     /* hash of the packed blocks so far; likewise */

	uint64_t kernels, ctas, lines, bytes, statics, unknowns, copies, copied, ignored, synthetic;
	uint64_t block; /* number of the last one loaded in its grid */
};

/* ---- source_kernels.c: kernels that are read, or of which thread blocks are resident ---- */

/* Where the readers are. */
struct source_mark {
	uint64_t lines, bytes, statics, unknowns;
};

struct source_mark hd__source_mark(const struct source *s);
/* Adds what the readers have read since `was` to progress and statistics. */
void hd__source_count(struct source *s, struct source_mark was);
/* A kernel that may be reused, or NULL after a message. */
struct kernel *hd__source_spare(struct source *s);
/* Another one, or NULL after a message. */
struct kernel *hd__source_new(struct source *s);
/* Makes item i of the list the present kernel, in the memory of `k`.  Returns 1, or -1. */
int hd__source_begin(struct source *s, struct kernel *k, size_t i, struct hd_launch *launch);

/* ---- source_dump.c: what dumps have ---- */

/* Defines the kernel. */
void hd__source_define(const struct source *s, const struct kernel *k);
/* Defines the number `inst->code`: see struct trace_host. */
void hd__source_met(void *self, const struct trace_code *c, const struct hd_inst *inst);
/* hd_inst.code of a pc at which the kernel executes nothing; 0 without memory. */
uint32_t hd__source_hole(struct source *s, struct kernel *k, uint32_t pc);

/* ---- source_saved.c: checkpoints ---- */

/* The source was called: remembers it if the run may be saved. */
void hd__source_called(struct source *s, enum trace_call_kind kind, uint32_t kernel, uint32_t what);
/* A thread block was loaded onto the slots from `first` on. */
void hd__source_called_block(struct source *s, uint32_t first);
/* Saves or loads the source, see hd_module.checkpoint. */
void hd__source_saved(struct source *s, struct hd_checkpoint *k);

/* ---- source_paths.c: programs of kernels, lanes on their ways ---- */

void hd__source_paths_init(struct source *s);

#endif

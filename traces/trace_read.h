/* trace_read.h - reads a trace: its list of kernels, their thread blocks, the instructions of their warps
 * SPDX-License-Identifier: BSD-2-Clause
 *
 *	r.host = ...; r.opt = hd__trace_options("opcodes");
 *	if (hd__trace_open(&r) || hd__trace_open_list(&r, input, 1, UINT64_MAX)) ...
 *	for (i = 0; i < r.list.n; i++) {
 *		if (hd__trace_kernel_open(&r, &k, i)) ...
 *		while (k.blocks.ctas < k.header.launch.ctas)
 *			if (hd__trace_kernel_block(&k, 0)) ...
 *			for (w = 0; w < k.header.launch.warps; w++)
 *				while (trace_kernel_next(&k, w, &inst)) ...
 *		if (hd__trace_kernel_finish(&r, &k)) ...
 *	}
 *	hd__trace_kernel_free(&r, &k);
 *	hd__trace_close(&r);
 */
#ifndef TRACES_TRACE_READ_H
#define TRACES_TRACE_READ_H

#include "trace_parts.h"
#include "synthesis.h"

#include <stdio.h>

enum { UNKNOWN_WARN, UNKNOWN_ERROR };
enum { CONTROL_NONE, CONTROL_TRACED, CONTROL_SYNTHESISED, CONTROL_AVAILABLE };

/* The parameters of the module trace_source have the same names; docs/modules.md explains them. */
struct trace_options {
	const char *opcodes, *own_opcodes, *latencies;
	uint32_t newest, unknown, control, local_window, shared_window, xz_memory, block_memory;
	bool strict; /* refuse a trace that contradicts itself */
	bool late;   /* a file of a kernel that is not there is an error when the kernel is opened */
};

/* The options that the parameters have by default; `opcodes`: the folder with the tables of opcodes. */
struct trace_options hd__trace_options(const char *opcodes);

/* A trace.  Of these members the caller sets those in front of .input, all else is 0. */
struct trace_reader {
	const struct trace_host *host;
	struct trace_options opt;
	struct trace_reclass reclass; /* .v is the caller's */
	bool surveys; /* kernels get a program */
	bool walks;   /* and their warps are taken lane by lane (lanes.h) */
	const char *input;
	struct trace_archs archs;
	struct trace_packed packed; /* the input, if it is one: .map is not NULL */
	struct trace_parts parts;   /* or comes in parts: the list has what has come so far, see hd__trace_item() */
	struct trace_list list;
	uint64_t first;             /* position of its item 0, from 1 */
	struct trace_names names;   /* of opcodes: hd_inst.opcode is a number of them */
	struct trace_latencies latencies; /* read when they are first needed */
	char *latency_file;
	bool told_version;
	/* EXITs that lost lanes, for one warning at the end: programs repeat the same few kernels thousands of times */
	uint64_t mended, mended_kernels, mended_line;
	const char *mended_file;
};

/* Reads the index of the tables of opcodes. */
int hd__trace_open(struct trace_reader *r);
/* Reads the list of kernels; first, last: those to be read, counted from 1.  The caller keeps `input`. */
int hd__trace_open_list(struct trace_reader *r, const char *input, uint64_t first, uint64_t last);
/* Waits for item i, of a trace that comes in parts; whole: for all of its kernel.  Returns 1; 0: the list has no such
 * item, and is complete; -1 after a message. */
int hd__trace_item(struct trace_reader *r, size_t i, bool whole);
/* Prints the warnings about all kernels; they have been freed. */
void hd__trace_close(struct trace_reader *r);

/* A kernel; all zero at first.  One that has been read may be opened again as another one. */
struct trace_kernel {
	struct trace_text text;
	struct trace_packed_kernel packed; /* instead of the text, if the trace is packed */
	struct trace_header header;        /* .launch.file is not set */
	struct trace_windows windows;
	struct trace_code code;            /* its static instructions, as far as they were met */
	struct trace_controls controls;    /* empty unless the option `control` requests them */
	struct trace_controls lines;       /* the listing where only lines of the source are taken from it; or empty */
	struct trace_blocks blocks;
	struct trace_program program;      /* empty unless it is requested */
	bool open;                         /* its file may have further blocks */
};

/* Item i of the list.  After an error the kernel may be opened again or freed. */
int hd__trace_kernel_open(struct trace_reader *r, struct trace_kernel *k, size_t i);
/* Fills the header alone. */
int hd__trace_kernel_header(struct trace_reader *r, struct trace_header *h, size_t i);
/* Loads the next thread block of the grid onto the slots from `first` on.  Returns 0; -1 after a message; 1: the
 * launch has failed while it was made, after a warning, and there are no more. */
int hd__trace_kernel_block(struct trace_kernel *k, uint32_t first);
/* After the last block: looks for what is behind it, and closes the kernel. */
int hd__trace_kernel_finish(struct trace_reader *r, struct trace_kernel *k);
/* Prints the warnings about the kernel and closes its file.  Its instructions are kept, as are blocks on slots. */
void hd__trace_kernel_close(struct trace_reader *r, struct trace_kernel *k);
void hd__trace_kernel_free(struct trace_reader *r, struct trace_kernel *k);

/* Fills *inst with the next instruction of the warp on the slot, all but .uid and .sched; false: it has none. */
static inline bool trace_kernel_next(struct trace_kernel *k, uint32_t slot, struct hd_inst *inst)
{
	inst->warp = (uint8_t)slot;
	return trace_unpack(&k->blocks.slot[slot], k->code.v, &k->windows, inst);
}

/* Does the table of opcodes name it? */
bool hd__trace_kernel_knows(const struct trace_kernel *k, const char *opcode);
/* The listing that was packed with the kernel, *size bytes; NULL: none was. */
const char *hd__trace_kernel_listing(const struct trace_kernel *k, size_t *size);

/* ---- packing.c ---- */

/* Writes the trace, whose list was read, as a packed one into a new file.  The caller looks for errors of writing. */
int hd__trace_packing(struct trace_reader *r, FILE *to);

#endif

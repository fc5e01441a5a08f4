/* synthesis.h - control words for a kernel that has none
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/modern.md, Synthesised control words.  In: the program of a kernel and the order of its lines;
 * out: control words with which no register is read too early on any way through the program.
 */
#ifndef TRACES_SYNTHESIS_H
#define TRACES_SYNTHESIS_H

#include "latency.h"
#include "kernel_program.h"

/* A point is an instruction of the program, whatever its immediate is, in whatever call. */
struct synth_point {
	struct trace_effect effect;
	uint32_t index; /* of a static instruction that is it */
	bool guarded, parts; /* lanes pass it without executing it; they go two ways from it */
	bool late;      /* a source may be overwritten while it waits to be read */
	struct hd_control control;
};

/* Points are in an order in which, but for the ends of loops, each comes behind those that lead to it. */
struct synth {
	const struct trace_latencies *latencies;
	const struct trace_code *code;
	struct synth_point *point;
	uint32_t n;
	uint32_t *of;              /* by static instruction: its point */
	uint32_t *after, *to;      /* points behind point i: to[after[i]] .. to[after[i + 1] - 1] */
	uint32_t *before, *from;   /* points in front of it, likewise */
	uint32_t *block, blocks;   /* points block[b] .. block[b + 1] - 1 follow each other only */
	uint32_t *in_block;        /* by point */
	bool *due;                 /* by block: what leads to it has changed */
};

/* ---- synthesis_graph.c: all return 0, or -1 without memory ---- */

int hd__trace_synth_graph(struct synth *s, const struct trace_program *p,
                          const struct trace_ways *ways);
void hd__trace_synth_free(struct synth *s);
/* Calls pass() for each block, and again for those behind one for which it returned true, until it does so for none. */
void hd__trace_synth_forward(struct synth *s, bool (*pass)(void *arg, uint32_t block), void *arg);

/* ---- synthesis_counters.c: the fields write, read and wait ---- */

int hd__trace_synth_counters(struct synth *s);

/* ---- synthesis_stalls.c: stall and yield; then the reuse bits ---- */

int hd__trace_synth_stalls(struct synth *s);
void hd__trace_synth_reuse(struct synth *s);

/* ---- synthesis.c ---- */

/* Makes *c, and gives all instructions of `code` their words.  Returns 0, or hd__trace_error()'s -1. */
int hd__trace_synthesise(struct trace_controls *c, struct trace_code *code,
                         const struct trace_program *p, const struct trace_ways *ways,
                         const struct trace_latencies *latencies);

#endif

/* lanes.h - lanes of a warp on their ways through its packed lines
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_LANES_H
#define TRACES_LANES_H

#include "kernel_program.h"

/* Lanes that execute the same line next. */
struct trace_cohort {
	struct trace_cursor at; /* in front of that line */
	uint32_t lanes, node;
};

/* The lanes of a warp. */
struct trace_lanes {
	struct trace_cohort *v;
	uint32_t n, cap;
	uint32_t live, waiting; /* hd_path_step */
	bool fresh;             /* its block was loaded, and it has not begun */
};

/* What the functions need of the kernel. */
struct trace_lanes_of {
	struct trace_program *program;
	const struct trace_code *code;
	const struct trace_windows *windows;
	struct trace_cursor *cursor; /* of the warp, at its begin; moves to the end when all have ended */
};

/* Both return false after a message. */
bool hd__trace_lanes_begin(struct trace_lanes *l, const struct trace_lanes_of *of,
                           struct hd_path_warp *w);
bool hd__trace_lanes_execute(struct trace_lanes *l, const struct trace_lanes_of *of, uint32_t node,
                             uint32_t lanes, struct hd_inst *inst, struct hd_path_step *step);

#endif

/* hasm_walk.h - executes a kernel of a .hasm text: which warp executes what, with which lanes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_WALK_H
#define TRACES_HASM_HASM_WALK_H

#include "hasm_lines.h"

struct hasm_walk {
	struct hasm_kernel *k;
	const char *file;
	struct hd_diags *d;
	struct hasm_line *line; /* of each instruction */
	struct hasm_line exit;  /* of the one that is added */
	struct hd_bytes text;   /* of the warp that was walked last, */
	uint64_t lines;         /* how many it has */
};

/* At most so many lines a kernel's trace has; UINT64_MAX: more than that. */
uint64_t hd__hasm_lines(const struct hasm_kernel *k);

/* Reports instructions that a line of a trace cannot hold. */
void hd__hasm_walk_begin(struct hasm_walk *w, const char *file, struct hasm_kernel *k,
                         struct hd_diags *d);
/* The lines of one warp, into w->text; mistakes go to d, each once. */
void hd__hasm_walk_warp(struct hasm_walk *w, uint64_t block, uint32_t warp);
void hd__hasm_walk_end(struct hasm_walk *w);

#endif

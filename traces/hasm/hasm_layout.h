/* hasm_layout.h - private to the parser of texts of kernels: its state, and where code is
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_HASM_HASM_LAYOUT_H
#define TRACES_HASM_HASM_LAYOUT_H

#include "hasm_expr.h"
#include "base/int_map.h"

/* A loop or branch that is not closed yet. */
struct open {
	struct hasm_node *node;
	struct hasm_node **end; /* where the list around it goes on */
	int line, column;
	bool other;
};

struct parser {
	struct hasm_scan s;
	struct hasm *h;
	struct hasm_kernel *k;  /* the present one, or NULL */
	const struct hasm_names *names;
	struct hasm_node **end; /* where the next statement goes */
	uint32_t pc;            /* of the next instruction */
	struct open open[HASM_DEPTH];
	unsigned nopen, too_deep; /* braces opened beyond HASM_DEPTH */
	struct hasm_loops loops;
	uint64_t warps;         /* of the lines that follow */
	size_t labels_here;     /* labels in front of the next instruction */
	struct hd_int_map at_pc; /* the latest instruction of each pc: its index + 1 */
	bool too_long;          /* reported: too much code */
	bool headless;          /* reported: lines in front of the first kernel */
};

/* At the head of a kernel, p->k. */
void hd__layout_begin(struct parser *p);
/* "name:" in front of an instruction, or alone.  Returns whether there was one. */
bool hd__layout_label(struct parser *p);
/* The index of an instruction at the present pc: a new one, unless the text had the same there, as
 * texts that are printed have over and over.  Takes over what *i has. */
uint32_t hd__layout_place(struct parser *p, struct hasm_inst *i);
/* A branch, not placed yet, and its target, when that is the present pc. */
struct hasm_inst hd__layout_branch(struct parser *p, const char *at);
void hd__layout_aim(struct parser *p, uint32_t branch);
/* At the end of a kernel: finds the labels of its branches. */
void hd__layout_end(struct parser *p);

#endif

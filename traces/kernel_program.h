/* kernel_program.h - the program of a kernel, as far as it was executed
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_KERNEL_PROGRAM_H
#define TRACES_KERNEL_PROGRAM_H

#include "blocks.h"

#include <heddle/gpu/paths.h>

#define TRACE_WIDE 70u               /* binary version from which on instructions have 16 bytes */
#define TRACE_CONTEXTS (1u << 16)    /* different stacks of calls in a kernel */
#define TRACE_CALLS 1024u            /* calls in one of them */
#define TRACE_SITES (1u << 22)       /* instructions of all of them */

/* A stack of calls; number 0 is the empty one. */
struct trace_context {
	uint32_t parent, depth;
	uint32_t lo, n, cap; /* static instructions lo .. lo+n-1 have elements in .site */
	uint32_t *site;      /* number + 1 of the instruction here; 0: none.  Of the site during the
	                      * survey, of the node after it */
	uint32_t first, end; /* its nodes */
};

struct trace_program {
	struct hd_path_node *node; /* by context, then by pc */
	struct trace_place {       /* what else is known of each node */
		uint32_t index;    /* of the static instruction */
		uint32_t context;
		bool back; /* lanes whose next line is between .target and here go to it */
		bool passed; /* lanes were switched off there */
	} *place;
	uint32_t n;
	struct trace_context *context;
	size_t contexts, contexts_cap;
	bool wide; /* instructions of 16 bytes, without control words between them */
};

/* Lines of a warp that follow each other: numbers of static instructions. */
struct trace_way {
	uint32_t from, to;
};

struct trace_ways {
	struct trace_way *v;
	size_t n, cap;
};

/* ---- survey.c ---- */

/* During the survey: a static instruction in a context, or where the lanes of a warp begin. */
struct trace_site {
	uint32_t context;
	uint32_t index;   /* NOWHERE: lanes begin at the site .begin */
	uint32_t begin;   /* the site that stands for the begin of lanes that begin here, or NOWHERE */
	uint32_t after;   /* context in which lanes go on that execute it; NOWHERE: not yet known */
	uint32_t back;    /* site to which lanes go back from here without a branch, or NOWHERE */
	uint32_t edges;   /* to where lanes are seen next: number + 1 of the first */
	uint32_t lines;   /* to the next lines of the warp: likewise */
	uint32_t node;    /* of the program */
};

struct trace_edge {
	uint32_t to, next;
};

/* Reads all blocks of the grid, from the end of the header on, and makes the program from them.  Instructions are added
 * to the code of the blocks; what was counted is forgotten.  ways: gets each step from line to line once; or NULL. */
int hd__trace_survey(struct trace_program *p, struct trace_blocks *blocks, struct trace_ways *ways);

/* ---- kernel_program.c ---- */

/* Puts the instructions in order, and finds where lanes go from each. */
int hd__trace_program_make(struct trace_program *p, struct trace_site *site, size_t n,
                           const struct trace_edge *edge, const struct trace_code *code);
void hd__trace_program_free(struct trace_program *p);
/* The node at a pc among those of a context, NOWHERE if there is none. */
uint32_t hd__trace_program_find(const struct trace_program *p, uint32_t context, uint32_t pc);
/* The node at a pc, NOWHERE if there is none.  `near`: any node of the function in which it is looked
 * for first. */
uint32_t hd__trace_program_at(const struct trace_program *p, uint32_t pc, uint32_t near);

/* The node of a static instruction in a context, NOWHERE if there is none. */
static inline uint32_t trace_program_node(struct trace_program *p, const struct trace_code *code,
                                          uint32_t context, uint32_t index)
{
	const struct trace_context *c = &p->context[context];
	uint32_t at = index - c->lo;

	if (HD_LIKELY(at < c->n && c->site[at]))
		return c->site[at] - 1;
	/* The survey does not read immediates: there may be an instruction that differs in it. */
	return hd__trace_program_find(p, context, code->v[index].pc);
}

/* ---- meet.c ---- */

/* Sets .meet of all nodes from .next and .target.  -1 without memory. */
int hd__trace_meet(struct hd_path_node *node, uint32_t n);

#endif

/* hasm.h - a text of kernels written by hand (docs/hasm.md), as parsed
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel has static instructions, each with a pc, and sections: whom the lines that follow are
 * for, and the order in which these warps execute the instructions, as a tree of loops and branches.
 */
#ifndef TRACES_HASM_HASM_H
#define TRACES_HASM_HASM_H

#include "traces/sass/sass_inst.h"

#define HASM_LANES 32u
#define HASM_DEPTH 32u     /* of loops and branches in each other */
#define HASM_THREADS 1024u /* of a block */
#define HASM_CLUSTERS_SM 90u /* the first that has clusters */
#define HASM_CLUSTER 16u   /* blocks of a cluster */

/* ---- execution ---- */

/* An address in bytes: a tree of operators over numbers, lane, warp, block and counters of loops. */
struct hasm_expr {
	enum { HASM_NUMBER, HASM_LANE, HASM_WARP, HASM_BLOCK, HASM_LOOP, HASM_OPERATOR } kind;
	char operator;           /* + - * / % */
	uint64_t value;          /* NUMBER; LOOP: how many loops are around the one that counts */
	struct hasm_expr *left, *right;
};

enum hasm_step { HASM_EXECUTE, HASM_REPEAT, HASM_IF, HASM_WARPS };

/* What may stand behind an instruction besides mask= and addr=: expressions. */
enum hasm_attr { HASM_VALUES, HASM_TX, HASM_COUNT, HASM_PARITY, HASM_BAR, HASM_CTAS, HASM_ATTRS };

#define HASM_DIMENSIONS 5u

/* What a bulk copy moves: `bytes` neighbouring ones, so often in each dimension. */
struct hasm_box {
	uint32_t bytes, dimensions;
	uint32_t count[HASM_DIMENSIONS];
	int64_t stride[HASM_DIMENSIONS];
};

struct hasm_node {
	enum hasm_step step;
	int line, column;
	struct hasm_node *next;
	struct hasm_node *body;  /* of a loop; what the lanes of the mask execute */
	struct hasm_node *other; /* what the others execute */
	uint32_t inst;           /* index: what is executed; IF: the branch over the body; REPEAT: the first */
	uint32_t jump;           /* IF with other lanes: the jump over what those execute */
	bool masked;             /* `mask` is given */
	uint32_t mask;
	uint64_t count;          /* REPEAT */
	uint64_t warps;          /* WARPS: bit w: warp w executes what follows in this block of lines */
	struct hasm_expr **address; /* one for all lanes, or a list: one for each active lane */
	size_t naddress;
	bool list;
	struct hasm_expr *attr[HASM_ATTRS]; /* NULL: it is not given */
	struct hasm_box *box;    /* the same */
	bool reported;           /* a mistake in its execution */
};

/* A range of blocks. */
struct hasm_range {
	uint64_t first, last;
};

/* Lines for the same warps. */
struct hasm_section {
	uint64_t warps; /* bit w: warp w of its block */
	struct hasm_range *blocks;
	size_t nblocks;
	struct hasm_node *first;
};

struct hasm_label {
	char *name;
	uint32_t pc;
	int line;
};

/* A copy from host to device. */
struct hasm_copy {
	uint64_t address, bytes;
};

struct hasm_kernel {
	char *name;
	int line;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* thread blocks that run together; 0: alone */
	bool new_lines;      /* has what only lines of version 6 have */
	uint32_t sm, shared, regs;
	uint64_t id; /* 0: its place in the file, from 1 */
	uint64_t stream, shared_base, local_base;
	bool any_opcode; /* opcodes that no table has are accepted */
	bool exits_written; /* no EXIT is added */
	uint64_t blocks;
	uint32_t threads, warps;
	struct hasm_inst *code;
	size_t n, cap;
	struct hasm_section *section;
	size_t nsections;
	struct hasm_label *label;
	size_t nlabels;
	uint32_t exit_pc; /* of the EXIT that is added, */
	bool exit_added;  /* to some warp */
	struct hasm_copy *copy; /* in front of it */
	size_t ncopies;
};

/* A file.  Zero-initialise. */
struct hasm {
	const char *file;
	struct hasm_kernel *kernel;
	size_t n;
};

/* Names of the opcodes of an SM version; NULL after printing an error.  Freed by the callee. */
struct hasm_names {
	const char *const *(*of)(void *self, uint32_t sm, size_t *n);
	void *self;
};

/* Parses a text; mistakes go to d.  `names` may be NULL: any opcode is accepted. */
void hd__hasm_parse(struct hasm *h, const char *file, const char *text, size_t size,
                    const struct hasm_names *names, struct hd_diags *d);
void hd__hasm_free(struct hasm *h);

#endif

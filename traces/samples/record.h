/* record.h - how a kernel of this folder writes its own trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel is a C function that is called once for every warp and emits, in the order of
 * execution, the instructions of that warp.  The recorder keeps the program counter and the active
 * lanes and writes the lines.  It checks that the function is one program: a pc must have the same
 * instruction in every iteration, path, warp and block.
 */
#ifndef TRACES_SAMPLES_RECORD_H
#define TRACES_SAMPLES_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LANES 32
#define ALL_LANES 0xffffffffu
#define MAX_CODE 512u  /* instructions of a kernel's code */
#define MAX_TEXT 64u   /* bytes of one instruction's text */
#define MAX_KERNELS 2u /* in a bundle */
#define MAX_COPIES 4u

struct warp;

struct kernel {
	const char *name; /* mangled, as the compiler would */
	int grid[2];      /* blocks */
	int block[2];     /* threads, a multiple of LANES together */
	int shmem;        /* bytes per block */
	int nregs;        /* per thread */
	int sm;           /* 70 is Volta, 80 Ampere */
	int version;      /* of the trace format: 4, or 5, which has an immediate in each line */
	bool list;        /* write addresses one by one, not compressed */
	void (*run)(struct warp *w);
};

struct copy {
	uint64_t to; /* device address */
	int bytes;   /* 0: the list of copies ends here */
};

struct bundle {
	const char *name; /* of the folder */
	bool plain;       /* not compressed, for reading */
	struct copy copies[MAX_COPIES]; /* before the first kernel */
	struct kernel kernels[MAX_KERNELS];
};

struct warp {
	const struct kernel *kernel;
	int block[2];
	int id;         /* within the block */
	uint32_t live;  /* lanes that have not exited */
	uint32_t mask;  /* lanes that execute */
	uint32_t guard; /* predicate of the next instruction, see when() */
	unsigned pc;    /* bytes */
	int count;      /* instructions so far */
	FILE *lines;
	char (*code)[MAX_TEXT]; /* by pc / 16: the instruction, "" if none yet */
};

/* One address for each lane; those of inactive lanes do not matter. */
struct lanes {
	uint64_t at[LANES];
};

struct lanes linear(uint64_t first, int64_t stride);

/* The next instruction is executed by these lanes only (@P0).  Returns w: op(when(w, p), …). */
struct warp *when(struct warp *w, uint32_t lanes);

/* One instruction, written as in a trace but without the counts: "R4 FADD R2 R3",
 * destination first, if there is one; "#64" is an immediate, of which the last one counts.  The
 * text is a printf format.  mem() is one that accesses memory, width in bytes per lane. */
void op(struct warp *w, const char *format, ...);
void mem(struct warp *w, int width, struct lanes to, const char *format, ...);

/* A backward branch that all active lanes take or none.  Returns again. */
bool branch(struct warp *w, bool again, unsigned top);

/* EXIT of these lanes, of which there may be none.  Returns false if no lane is left: then the
 * kernel returns. */
bool leave(struct warp *w, uint32_t lanes);

/* Divergence, from BSSY to BSYNC.  The lanes that jump to the BSYNC run first; when the others
 * arrive there, all go on together. */
struct region {
	uint32_t lanes; /* what diverges and meets again */
	unsigned join;  /* pc of the BSYNC */
};

/* BSSY, with length instructions between it and the BSYNC. */
struct region diverge(struct warp *w, unsigned length);
/* BRA of these lanes to the BSYNC.  Returns true if some lanes stay, which then execute alone. */
bool skip(struct warp *w, const struct region *r, uint32_t lanes);
/* BRA of these lanes back to top; those not among them go to the BSYNC, which is the next
 * instruction.  Returns whether there were any. */
bool again(struct warp *w, const struct region *r, uint32_t lanes, unsigned top);
void converge(struct warp *w, const struct region *r);

/* Bit i is set where i, counted from first, is below limit. */
uint32_t lanes_below(int64_t first, int64_t limit);
/* "Random" data: the same value for the same argument, always. */
uint32_t noise(uint32_t index);

/* Records all kernels of b in folder/NAME.  Returns the number of instructions, or -1 after
 * printing an error. */
long record(const struct bundle *b, const char *folder);

#endif

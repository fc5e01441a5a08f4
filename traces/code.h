/* code.h - static instructions of a kernel, and its lines
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_CODE_H
#define TRACES_CODE_H

#include "control_words.h"
#include "kernel_list.h"
#include "opcodes.h"


/* ---- code.c ---- */

#define TRACE_HEAD offsetof(struct hd_inst, base)
#define TRACE_NOWHERE UINT32_MAX

enum trace_odd { /* why a static instruction is counted each time it is met */
	TRACE_ODD_UNKNOWN = 1 << 0,   /* .unknown */
	TRACE_ODD_REGISTERS = 1 << 1, /* registers that hd_inst cannot hold */
};

/* Where lanes go that execute an instruction. */
enum trace_flow {
	TRACE_FLOW_ON,     /* to the next one; also those that only hold lanes */
	TRACE_FLOW_BRANCH,
	TRACE_FLOW_CALL,
	TRACE_FLOW_RETURN,
};

/* One instruction of the program: pc, text up to the width, and immediate identify it. */
struct trace_static {
	unsigned char head[TRACE_HEAD]; /* of struct hd_inst, everything that does not change */
	/* in the second cache line, too: what is looked at whenever it is executed */
	bool access;      /* has addresses that matter */
	bool generic;     /* space is decided by the first of them, */
	uint8_t remote;   /* and the class, if it is shared and there are clusters: 1 + it; 0: it stays */
	bool exits;
	uint8_t value_at; /* 1 + which of the values of registers in a line matters; 0: none does */
	bool more;        /* one of these: .access, .generic, .exits, .value_at */
	bool payload;     /* addresses follow in the line */
	bool tensor;      /* operands of a bulk copy follow */
	bool exact;       /* .len is the whole line: nothing after it changes */
	uint8_t odd;
	uint8_t flow;     /* enum trace_flow */
	uint32_t len;     /* of .text that must be equal: all, or up to the width; */
	uint32_t all;     /* of a bulk copy .text goes on to the end of the line */
	uint32_t rest;    /* offset in it of what follows the mask */
	uint32_t key;     /* offset in it of what follows the width, */
	uint32_t opcode;  /* of the opcode, */
	uint8_t opcode_len, dsts; /* its length; destinations in the line */
	uint32_t piece;   /* trace_fields.piece */
	const char *text; /* the line as first met, from the pc on */
	uint32_t pc;
	int32_t imm;
	uint32_t extra;   /* trace_fields.extra */
	uint32_t unknown; /* see hd__trace_opcode() */
	uint32_t hash;
};

struct trace_chunk;

/* A form of bulk copies, see hd_trace_if.bulk(). */
struct trace_bulk {
	struct hd_bulk form;
	uint32_t hash;
};

/* Texts and forms that are kept once; their numbers stay valid until the end of the run. */
struct trace_names {
	const char **v;
	uint32_t n, cap;
	uint32_t *hash, slots; /* number + 1, open addressing */
	struct trace_chunk *chunks;
	const struct trace_bulk **bulk; /* number of a form: 1 + place */
	uint32_t nbulk, cap_bulk;
	uint32_t codes; /* static instructions of all kernels so far, and holes */
};

/* The parsed fields of a line; registers as in hd_inst. */
struct trace_fields {
	uint32_t pc, mask;
	uint16_t dst, src[HD_MAX_SRC];
	uint8_t nsrc;
	uint32_t operands;      /* as in hd_inst */
	bool dropped;           /* some register was left out */
	bool tail;              /* values or unknown text at the end of the line */
	bool tensor;            /* operands of a bulk copy follow the width */
	bool last;              /* of a group */
	bool shared;            /* its first source is a uniform register */
	uint8_t dsts;           /* destinations in the line */
	uint32_t extra;         /* a bulk copy: number of its form; a barrier: TRACE_NAMED() if the line has it; a
	                         * test of an mbarrier that a program repeats: 1; or 0 */
	uint32_t piece;         /* bytes from each address of a bulk copy */
	const char *values;     /* of registers, if the line has some */
	const char *opcode;
	size_t opcode_len;
	uint32_t width;         /* as printed; 0: no addresses follow */
	int32_t imm;
	const char *line;       /* from the pc on */
	const char *rest, *key; /* after the mask, after the width */
	const char *end;        /* of the line */
};

/* A barrier of a thread block, and the threads that it is for. */
#define TRACE_NAMED(id, threads) (UINT32_C(1) << 31 | (threads) << 4 | (id))
#define TRACE_BARRIERS 16u
#define TRACE_MOST_THREADS 2048u /* of a thread block */

#define TRACE_LATEST 2048u

/* What is counted for one warning each at the end of the kernel: first those that a packed trace has, in its order. */
enum trace_oddity {
	TRACE_DROPPED,   /* instructions with registers that are not tracked */
	TRACE_TAILS,     /* lines that end with unknown words */
	TRACE_TRUNCATED, /* warps whose trace ends before their threads do */
	TRACE_ABSENT,    /* warps that their thread block does not mention */
	TRACE_MENDED,    /* EXITs that lost lanes; first: where a lane went on */
	TRACE_BARE,      /* loads and stores without addresses */
	TRACE_TWICE,     /* thread blocks that stood before */
	TRACE_ODDITIES,
};

struct trace_counted {
	uint64_t n, line; /* line: of the first one */
};

struct trace_code {
	struct trace_text *text;
	const char *file; /* that of .text, which is closed before the last instructions are executed */
	struct trace_opcodes *opcodes;
	struct trace_names *names;
	const struct trace_header *header;
	const struct trace_reclass *reclass;
	uint32_t kernel; /* hd_inst.kernel */
	unsigned ids;   /* numbers before the pc */
	bool strict;    /* an unknown opcode is an error */
	bool wordless;  /* control words are to be made; `met` is called when they are there */
	bool repeats;   /* the lines are those that the warp repeats until its test of an mbarrier succeeds */
	bool surveyed;  /* what is read will be read again: unknown opcodes are counted then */
	struct trace_packed_kernel *packed; /* instead of lines of .text; or NULL */
	const struct trace_controls *controls; /* each instruction needs one of these; NULL: none does */
	const struct trace_controls *lines;    /* their lines of the source; NULL: not known */
	struct trace_static *v;
	uint32_t n, cap;
	uint32_t *hash, slots; /* index + 1, open addressing */
	struct trace_chunk *chunks;
	uint64_t unknown;
	struct trace_counted counted[TRACE_ODDITIES];
	char tail[TRACE_SHOWN]; /* first unknown word */
	uint32_t latest[TRACE_LATEST]; /* by pc: the latest one, index + 1 */
};

/* Counts what is met in the line that was read last. */
static inline void trace_count(struct trace_code *c, enum trace_oddity what)
{
	if (c->counted[what].n++ == 0)
		c->counted[what].line = c->text->line;
}

/* Forgets the previous kernel. */
void hd__trace_code_start(struct trace_code *c, struct trace_text *t, struct trace_opcodes *o,
                          struct trace_names *names, const struct trace_header *h);
/* Index of the static instruction of these fields, created if there is none; or -1. */
int64_t hd__trace_code_get(struct trace_code *c, const struct trace_fields *f);
/* Prints the counted warnings. */
void hd__trace_code_warn(struct trace_code *c);
void hd__trace_code_free(struct trace_code *c);
/* Forgets what was counted; the instructions stay. */
void hd__trace_code_reset(struct trace_code *c);
void hd__trace_names_free(struct trace_names *n);
/* The number of a form, 0 without memory.  Its steps are copied. */
uint32_t hd__trace_bulk(struct trace_names *n, const struct hd_bulk *form);

/* ---- line.c ---- */

enum trace_form {
	TRACE_NONE,
	TRACE_RUN,  /* base, stride: the first unbroken run of active lanes, others get 0 */
	TRACE_EVEN, /* base, stride: all active lanes */
	TRACE_LIST, /* base, differences from active lane to active lane */
};

/* One dynamic instruction. */
struct trace_line {
	uint32_t index;  /* of the static one */
	uint32_t mask;
	enum trace_form form;
	uint32_t ndelta; /* LIST: active lanes - 1 */
	uint64_t base;
	int64_t delta[HD_LANES]; /* [0] is the stride of the other forms */
	uint32_t nvalues;        /* 0, 1: all lanes have it; or one for each active lane */
	uint64_t value[HD_LANES];
};

/* Reads one instruction line.  1: it is none, but the begin or end of what a program repeats, and *out is as before. */
int hd__trace_line(struct trace_code *c, const char *line, size_t len, struct trace_line *out);

/* Index of the static instruction whose text begins with these bytes, which `len` is the length of and a
 * line end follows: all of the line or, up to the width and the gap behind it, what struct trace_static
 * keeps; or -1.  extra: counts unless it is a bulk copy. */
int64_t hd__trace_line_static(struct trace_code *c, const char *text, size_t len, int32_t imm, uint32_t extra,
                              bool tail);

#endif

/* code.h - private to the trace source: static instructions of a kernel, and its lines
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_CODE_H
#define TRACES_CODE_H

#include "control_words.h"
#include "kernel_list.h"
#include "opcodes.h"


/* ---- code.c ---------------------------------------------------------------------------------- */

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

enum { TRACE_SAME = 16 }; /* bytes of addresses that are kept, the line end with them */

/* One instruction of the program: pc, text up to the width, and immediate identify it. */
struct trace_static {
	unsigned char head[TRACE_HEAD]; /* of struct hd_inst, everything that does not change */
	/* in the second cache line, too: what is looked at whenever it is executed */
	bool access;      /* has addresses that matter */
	bool generic;     /* space is decided by the first of them */
	bool exits;
	bool more;        /* one of these: .access, .generic, .exits */
	bool payload;     /* addresses follow in the line */
	bool tensor;      /* operands of a bulk copy follow */
	bool exact;       /* .len is the whole line: nothing after it changes */
	bool plain;       /* the mask of .text has 8 digits, before .rest */
	uint8_t odd;
	uint8_t flow;     /* enum trace_flow */
	/* bytes that are compared behind .text where the line may repeat, the line end among them; 0: it cannot */
	uint8_t again;
	uint8_t after;    /* of .run_text behind its first address, where that is all that is kept; or 0 */
	uint32_t len;     /* of .text that must be equal: all, or up to the width */
	uint32_t rest;    /* offset in it of what follows the mask */
	uint32_t key;     /* offset in it of what follows the width */
	const char *text; /* the line as first met, from the pc on */
	uint32_t mask;    /* in it */
	uint32_t pc;
	int32_t imm;
	uint32_t follow;  /* index of the one that followed last time */
	uint32_t unknown; /* see hd__trace_opcode() */
	uint32_t hash;
	/* behind .text, in one of the latest executions (run.h) */
	char run_text[TRACE_SAME];
	uint64_t run_base;
	int64_t run_stride;
};

struct trace_chunk;

/* Texts that are kept once; their numbers stay valid until the end of the run. */
struct trace_names {
	const char **v;
	uint32_t n, cap;
	uint32_t *hash, slots; /* number + 1, open addressing */
	struct trace_chunk *chunks;
	uint32_t codes; /* static instructions of all kernels so far, and holes */
};

/* The parsed fields of a line; registers as in hd_inst. */
struct trace_fields {
	uint32_t pc, mask;
	uint16_t dst, src[HD_MAX_SRC];
	uint8_t nsrc;
	bool dropped;           /* some register was left out */
	bool tail;              /* values or unknown text at the end of the line */
	bool tensor;            /* operands of a bulk copy follow the width */
	const char *opcode;
	size_t opcode_len;
	uint32_t width;         /* as printed; 0: no addresses follow */
	int32_t imm;
	const char *line;       /* from the pc on */
	const char *rest, *key; /* after the mask, after the width */
	const char *end;        /* of the line */
};

#define TRACE_WAYS 2
#define TRACE_SETS 512u

struct trace_code {
	struct trace_text *text;
	struct trace_opcodes *opcodes;
	struct trace_names *names;
	const struct trace_header *header;
	const struct trace_reclass *reclass;
	uint32_t kernel; /* hd_inst.kernel */
	unsigned ids;   /* numbers before the pc */
	bool strict;    /* an unknown opcode is an error */
	bool ahead;     /* what is read may be read again: unknown opcodes are counted then */
	struct trace_packed_kernel *packed; /* instead of lines of .text; or NULL */
	const struct trace_controls *controls; /* each instruction needs one of these; NULL: none does */
	struct trace_static *v;
	uint32_t n, cap;
	uint32_t *hash, slots; /* index + 1, open addressing */
	uint32_t last;  /* index of the instruction parsed last */
	uint32_t guess; /* and of the predicted one, or NOWHERE */
	uint32_t recent[TRACE_SETS][TRACE_WAYS]; /* by pc: the latest ones, index + 1 */
	struct trace_chunk *chunks;
	/* counted, for one warning each at the end of the kernel */
	uint64_t unknown, tails, tail_line, dropped, dropped_line;
	char tail[TRACE_SHOWN]; /* first unknown word */
};

/* Forgets the previous kernel. */
void hd__trace_code_start(struct trace_code *c, struct trace_text *t, struct trace_opcodes *o,
                          struct trace_names *names, const struct trace_header *h);
/* Index of the static instruction of these fields, created if there is none; or -1. */
int64_t hd__trace_code_get(struct trace_code *c, const struct trace_fields *f);
/* Prints the counted warnings. */
void hd__trace_code_warn(struct trace_code *c);
void hd__trace_code_free(struct trace_code *c);
/* Forgets what was counted, and where in the text it is; the instructions stay. */
void hd__trace_code_reset(struct trace_code *c);
void hd__trace_names_free(struct trace_names *n);

/* ---- line6.c --------------------------------------------------------------------------------- */

/* Opcodes whose lines of version 6 have more words: the last of a group; operands of a bulk copy. */
bool hd__trace_in_groups(const char *opcode, size_t len);
bool hd__trace_copies_tensor(const char *opcode, size_t len);
/* p is behind the width.  Returns the end of the operands, NULL if they are not as they should be. */
const char *hd__trace_skip_tensor(const char *p);
/* p is behind the immediate.  Skips a second one and the values of registers, and returns where unknown words
 * begin, or the end.  *values: true if there are some. */
const char *hd__trace_skip_values(const char *p, const char *end, bool *values);

/* ---- line.c ---------------------------------------------------------------------------------- */

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
};

/* Reads one instruction line. */
int hd__trace_line(struct trace_code *c, const char *line, size_t len, struct trace_line *out);

/* For trace_line_brief(): a line that is not the predicted one. */
int hd__trace_line_brief(struct trace_code *c, const char *line, size_t len,
                         struct trace_line *out);

/* Index of the static instruction whose text begins with these bytes, which `len` is the length of and a
 * line end follows: all of the line or, up to the width and the gap behind it, what struct trace_static
 * keeps; or -1. */
int64_t hd__trace_line_static(struct trace_code *c, const char *text, size_t len, int32_t imm, bool tail);

/* Takes the next line if it repeats, for this warp, that of the previous warp, as most do; its end need not be
 * looked for.  False: it does not, or not all of it is decoded. */
static inline bool trace_repeats(struct trace_code *c, struct trace_line *out)
{
	struct trace_text *t = c->text;
	const struct trace_static *s;

	/* with ids in front, a line that equals the text lacks them */
	if (HD_UNLIKELY(c->guess == TRACE_NOWHERE || c->ids))
		return false;
	s = &c->v[c->guess];
	if (!s->again || (size_t)(t->end - t->pos) < (size_t)s->len + s->again)
		return false;
	out->form = TRACE_NONE;
	if (s->exact) {
		if (t->pos[s->len] != '\n')
			return false;
	} else {
		if (memcmp(t->pos + s->len, s->run_text, s->again) != 0)
			return false;
		out->form = TRACE_RUN;
		out->base = s->run_base;
		out->delta[0] = s->run_stride;
	}
	if (memcmp(t->pos, s->text, s->len) != 0)
		return false;
	t->pos += s->len + s->again;
	t->line++;
	out->index = c->last = c->guess;
	out->mask = s->mask;
	c->guess = s->follow;
	return true;
}

/* 8 hexadecimal digits; false: they are others, or capital ones. */
static inline bool trace_mask(const char *p, uint32_t *mask)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const unsigned char *c = (const unsigned char *)p;
	/* the first one in the lowest byte: one load; a loop is made into many shuffles */
	uint64_t digits = (uint64_t)c[0] | (uint64_t)c[1] << 8 | (uint64_t)c[2] << 16 | (uint64_t)c[3] << 24
		| (uint64_t)c[4] << 32 | (uint64_t)c[5] << 40 | (uint64_t)c[6] << 48 | (uint64_t)c[7] << 56;
	uint64_t v, letters;

	v = (digits & ones * 0x0f) + (digits >> 6 & ones) * 9;
	letters = (v + ones * 6) >> 4 & ones;
	if (v & ones * 0xf0 || v + ones * '0' + letters * ('a' - '0' - 10) != digits)
		return false;
	v = (v << 4 | v >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v << 8 | v >> 16) & UINT64_C(0x0000ffff0000ffff);
	*mask = (uint32_t)(v << 16 | v >> 32);
	return true;
}

/* Is the line the static instruction with this text, but for what follows the width?  Then *mask is set;
 * false may also mean that its mask is written otherwise. */
static inline bool trace_is(const struct trace_static *s, const char *line, size_t len, uint32_t *mask)
{
	const char *digits = line + s->rest - 8, *known = s->text + s->rest - 8;

	if (!s->plain || (s->exact ? len != s->len : len < s->len))
		return false;
	if (memcmp(digits, known, 8) == 0) {
		*mask = s->mask;
		return memcmp(line, s->text, s->len) == 0;
	}
	return memcmp(digits + 8, known + 8, s->len - s->rest) == 0
	       && memcmp(line, s->text, s->rest - 8) == 0 && trace_mask(digits, mask);
}

/* As hd__trace_line(), but sets only .index and .mask of *out, counts nothing, and looks at the line's
 * text no further than where the width stands, unless the instruction is new. */
static inline int trace_line_brief(struct trace_code *c, const char *line, size_t len,
                                   struct trace_line *out)
{
	if (HD_LIKELY(c->guess != TRACE_NOWHERE && !c->ids)
	    && HD_LIKELY(trace_is(&c->v[c->guess], line, len, &out->mask))) {
		out->index = c->last = c->guess;
		c->guess = c->v[c->guess].follow;
		return 0;
	}
	return hd__trace_line_brief(c, line, len, out);
}

#endif

/* trace.h - private to the trace source: its structures and functions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * text.c reads lines, list.c the kernels to replay, header.c the head of a kernel's
 * file, opcodes.c and archs.c the opcode tables, code.c the static
 * instructions of a kernel, line.c one dynamic instruction, pack.c its packed form, exits.c
 * what an EXIT ends, blocks.c thread blocks.  Each builds on those before it only.
 *
 * Every function that returns int returns -1 after calling hd_error().
 */
#ifndef MODULES_TRACE_TRACE_H
#define MODULES_TRACE_TRACE_H

#include <heddle/interface/trace.h>

/* ---- text.c --------------------------------------------------------------------------------- */

struct trace_xz;

/* A file of lines, plain or xz.  The caller that opened it closes it; closing a zeroed one is
 * fine. */
struct trace_text {
	const struct hd_ctx *ctx;
	char *name;           /* for messages */
	uint64_t line;        /* number of the last line, from 1 */
	uint64_t done, total; /* bytes of the file, compressed ones if it is */
	uint64_t bytes;       /* of text, as far as decoded */
	char *buf, *pos, *end; /* pos .. end: decoded and not yet read */
	size_t size;          /* of buf */
	int fd;               /* -1: memory */
	const uint8_t *memory;
	struct trace_xz *xz;  /* NULL: plain */
	bool eof;             /* nothing is left to decode */
};

/* `xz_memory`: bytes that the decoder may take, an absurd dictionary is an error. */
int hd__trace_text_open(struct trace_text *t, const struct hd_ctx *ctx, const char *path,
                        uint64_t xz_memory);
/* The caller keeps the bytes, which must outlive the text. */
int hd__trace_text_memory(struct trace_text *t, const struct hd_ctx *ctx, const char *name,
                          const void *bytes, size_t n, uint64_t xz_memory);
void hd__trace_text_close(struct trace_text *t);

/* For trace_text_line(): the end of the next line after reading further, or NULL. */
char *hd__trace_text_more(struct trace_text *t, bool *failed);

/* 1: *line is the next line without its end, valid until the next call.  The byte after it is
 * always readable and is '\n' or '\r', so that a scanner of numbers needs no bound.  0: no more. */
static inline int trace_text_line(struct trace_text *t, const char **line, size_t *len)
{
	char *end = memchr(t->pos, '\n', (size_t)(t->end - t->pos));

	if (HD_UNLIKELY(!end)) {
		bool failed;

		end = hd__trace_text_more(t, &failed);
		if (!end)
			return failed ? -1 : 0;
	}
	*line = t->pos;
	*len = (size_t)(end - t->pos);
	t->pos = end + 1;
	t->line++;
	if (*len > 0 && end[-1] == '\r')
		--*len;
	return 1;
}

/* ---- scan.c --------------------------------------------------------------------------------- */

static inline const char *trace_skip(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* True at the end of a token. */
static inline bool trace_gap(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool trace_ends(const char *name, const char *tail)
{
	size_t n = strlen(name), m = strlen(tail);

	return n >= m && strcmp(name + n - m, tail) == 0;
}

/* Value of a hexadecimal digit, negative if it is not one. */
static inline int trace_digit(char c)
{
	unsigned d = (unsigned char)c - '0', l = ((unsigned char)c | 0x20u) - 'a';

	return d < 10 ? (int)d : l < 6 ? (int)l + 10 : -1;
}

/* Both return the first byte after the number, NULL if there is none or it does not fit. */
const char *hd__trace_dec(const char *p, uint64_t *v);
const char *hd__trace_hex(const char *p, uint64_t *v); /* with or without 0x */

/* "key = value": the value if the line begins with this key, else NULL. */
const char *hd__trace_value(const char *line, const char *key);

/* The word at p in quotes, shortened and made printable, or "the end of the line". */
#define TRACE_SHOWN 48
const char *hd__trace_show(const char *p, char out[TRACE_SHOWN]);

/* Reports "file:line:column: expected WHAT, found '...'" for the place p in `line`. */
int hd__trace_bad(const struct trace_text *t, const char *line, const char *p, const char *what);

/* ---- list.c --------------------------------------------------------------------------------- */

/* The kernels to replay, in order. */
struct trace_list {
	struct trace_item {
		char *path;
		uint64_t line; /* in the list; 0: the input is the kernel's file itself */
		size_t copies;  /* those of `copy` that stand before it */
	} *v;
	size_t n, cap;
	struct hd_trace_copy *copy;
	size_t ncopy, capcopy;
	uint64_t copies, copied; /* host-to-device copies that the list has, and their bytes */
	uint64_t others;         /* lines that are neither a copy nor a kernel */
};

/* first, last: the kernels to replay, counted from 1.  Others are removed from the list. */
int hd__trace_list_read(struct trace_list *l, const struct hd_ctx *ctx, const char *input,
                        uint64_t first, uint64_t last, uint64_t xz_memory);
void hd__trace_list_free(struct trace_list *l);

/* ---- header.c ------------------------------------------------------------------------------- */

struct trace_header {
	struct hd_launch launch; /* .name belongs to the header */
	uint64_t shmem_base, local_base;
	uint32_t version;        /* of the tracer, whole part */
	bool lineinfo;           /* a source line number precedes each instruction */
	uint64_t unknown;        /* unknown keys */
};

int hd__trace_header_read(struct trace_header *h, struct trace_text *t);
void hd__trace_header_free(struct trace_header *h);

/* ---- opcodes.c ------------------------------------------------------------------------------ */

#define TRACE_OP_TOKENS 4

enum trace_space { TRACE_GENERIC = HD_SPACE_TEXTURE + 1 }; /* decided by the first address */

struct trace_op {
	uint16_t flags; /* enum hd_inst_flag */
	uint8_t cls, space, rate;
	bool no_dst;
	uint8_t ntokens;
	const char *token[TRACE_OP_TOKENS]; /* an opcode with all of them bypasses the L1D */
};

struct trace_op_name {
	const char *name;
	struct trace_op op;
};

/* An opcode that no entry names. */
struct trace_unknown {
	char *name;
	uint8_t cls;
	uint64_t count;
};

struct trace_opcodes {
	const struct hd_ctx *ctx;
	char *file;
	const char *reading; /* file that is being read */
	struct json_t *json, *prefix_json; /* tokens point into them */
	bool prefixes;       /* .prefix has been read */
	struct trace_op_name *v, *prefix; /* v sorted by name, prefixes longest first */
	size_t n, nprefix;
	struct trace_op fallback;
	struct trace_unknown *unknown;
	size_t nunknown;
};

int hd__trace_opcodes_file(struct trace_opcodes *o, const struct hd_ctx *ctx, const char *path);
int hd__trace_opcodes_memory(struct trace_opcodes *o, const struct hd_ctx *ctx, const char *name,
                             const void *json, size_t n);
void hd__trace_opcodes_free(struct trace_opcodes *o);

/* The properties of `text` ("LDG.E.SYS").  *unknown: 0, or 1 + index into o->unknown; the caller
 * counts. */
int hd__trace_opcode(struct trace_opcodes *o, const char *text, size_t len, struct trace_op *op,
                     uint32_t *unknown);
/* Warns about the unknown ones and forgets them. */
void hd__trace_opcodes_warn(struct trace_opcodes *o, const char *where);

/* ---- archs.c -------------------------------------------------------------------------------- */

struct trace_arch {
	char *path;
	uint32_t binary[16], nbinary; /* versions that the table was made for */
	uint32_t from;                /* it is used for unlisted versions from here on */
	bool loaded;
	struct trace_opcodes opcodes;
};

struct trace_archs {
	const struct hd_ctx *ctx;
	char *file;
	struct trace_arch *v;
	size_t n;
	uint32_t warned[16], nwarned; /* unlisted versions with a warning */
};

/* Reads index.json of the folder; the tables themselves are read when first needed. */
int hd__trace_archs_open(struct trace_archs *a, const struct hd_ctx *ctx, const char *folder);
/* The same; appends to what was read before. */
int hd__trace_archs_add(struct trace_archs *a, const struct hd_ctx *ctx, const char *folder);
void hd__trace_archs_free(struct trace_archs *a);
/* The table for a binary version, NULL after an error. */
struct trace_opcodes *hd__trace_archs_get(struct trace_archs *a, uint32_t binary);

/* Shared by the two JSON readers: the file's content, the caller's; NULL with *error (a
 * json_error_t) filled. */
struct json_t *hd__trace_json_file(const char *path, void *error);
/* `root` may be NULL: reports *error (a json_error_t). */
int hd__trace_json_bad(const struct hd_ctx *ctx, const char *file, const void *error);
/* The nearest of the NULL-terminated names to `word`, or NULL. */
const char *hd__trace_nearest(const char *word, const char *const *names);

/* ---- reclass.c ------------------------------------------------------------------------------ */

/* Row of the parameter "classes": opcodes with another class than that of their table. */
struct trace_reclass_row {
	uint32_t cls;     /* symbol of kind "class" */
	uint64_t opcodes; /* symbols of kind "opcode": "MUFU" or, of those only some, "MUFU.RSQ" */
};

struct trace_reclass {
	const struct hd_ctx *ctx;
	struct hd_table table;
};

/* 0, or hd_error()'s -1 if two rows name one opcode. */
int hd__trace_reclass_check(const struct trace_reclass *r);
/* Returns true with *cls set if a row names the opcode; the longest name counts. */
bool hd__trace_reclass(const struct trace_reclass *r, const char *text, size_t len, uint8_t *cls);

/* ---- code.c --------------------------------------------------------------------------------- */

#define TRACE_HEAD offsetof(struct hd_inst, addr)
#define TRACE_NOWHERE UINT32_MAX

enum trace_odd { /* why a static instruction is counted each time it is met */
	TRACE_ODD_UNKNOWN = 1 << 0,   /* .unknown */
	TRACE_ODD_REGISTERS = 1 << 1, /* registers that hd_inst cannot hold */
};

/* One instruction of the program: pc, text up to the width, and immediate identify it. */
struct trace_static {
	unsigned char head[TRACE_HEAD]; /* of struct hd_inst, everything that does not change */
	const char *text; /* the line as first met, from the pc on */
	uint32_t len;     /* of it that must be equal: all, or up to the width */
	uint32_t rest;    /* offset in it of what follows the mask */
	uint32_t key;     /* offset in it of what follows the width */
	uint32_t mask;    /* in it */
	uint32_t pc;
	int32_t imm;
	uint32_t follow;  /* index of the one that followed last time */
	uint32_t unknown; /* see hd__trace_opcode() */
	uint32_t hash;
	bool exact;       /* .len is the whole line: nothing after it changes */
	bool payload;     /* addresses follow in the line */
	bool access;      /* and they matter */
	bool generic;     /* space is decided by the first of them */
	bool exits;
	uint8_t odd;
};

struct trace_chunk;

/* Texts that are kept once; their numbers stay valid until the end of the run. */
struct trace_names {
	const char **v;
	uint32_t n, cap;
	uint32_t *hash, slots; /* number + 1, open addressing */
	struct trace_chunk *chunks;
	uint32_t codes; /* static instructions of all kernels so far */
};

/* The parsed fields of a line; registers as in hd_inst. */
struct trace_fields {
	uint32_t pc, mask;
	uint16_t dst, src[HD_MAX_SRC];
	uint8_t nsrc;
	bool dropped;           /* some register was left out */
	bool tail;              /* unknown text at the end of the line */
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
void hd__trace_names_free(struct trace_names *n);

/* Defines the number `inst->code` for dumps. */
void hd__trace_describe(const struct trace_code *c, const struct hd_inst *inst);

/* ---- line.c --------------------------------------------------------------------------------- */

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

/* For trace_line(): a line that is not the predicted one. */
int hd__trace_line(struct trace_code *c, const char *line, size_t len, struct trace_line *out);

/* Reads one instruction line.  Most repeat, for this warp, a line of the previous warp. */
static inline int trace_line(struct trace_code *c, const char *line, size_t len,
                             struct trace_line *out)
{
	if (HD_LIKELY(c->guess != TRACE_NOWHERE)) {
		const struct trace_static *s = &c->v[c->guess];

		/* with ids in front, a line that equals the text lacks them */
		if (s->exact && s->len == len && !s->odd && !c->ids
		    && memcmp(line, s->text, len) == 0) {
			out->index = c->last = c->guess;
			out->mask = s->mask;
			out->form = TRACE_NONE;
			c->guess = s->follow;
			return 0;
		}
	}
	return hd__trace_line(c, line, len, out);
}

/* ---- pack.c --------------------------------------------------------------------------------- */

#define TRACE_LONGEST 512u /* bytes that one packed instruction may need */

/* One thread block, packed.  Used again once no warp slot refers to it. */
struct trace_cta {
	unsigned char *data;
	size_t n, cap;
	uint32_t users;
	struct trace_cta *next; /* free list */
};

/* Where a warp is in its part of a block.  Packing and unpacking start from index NOWHERE, base 0
 * and the mask of the warp's threads. */
struct trace_cursor {
	struct trace_cta *cta;
	const unsigned char *pos, *end;
	size_t from, to;  /* as offsets, while the block is being read */
	uint64_t base;
	uint32_t index, mask;
	uint32_t tail;    /* lanes that end with the last instruction although it is not an EXIT */
};

/* For trace_pack(): an instruction that needs more than its tag. */
void hd__trace_pack(struct trace_cta *cta, struct trace_cursor *w, const struct trace_line *line,
                    enum trace_form form);

/* Appends an instruction.  The caller provides TRACE_LONGEST bytes of room. */
static inline void trace_pack(struct trace_cta *cta, struct trace_cursor *w,
                              const struct trace_line *line, bool access)
{
	enum trace_form form = access && line->mask ? line->form : TRACE_NONE;

	if (form == TRACE_NONE && line->mask == w->mask && line->index == w->index + 1) {
		cta->data[cta->n++] = 0;
		w->index++;
	} else {
		hd__trace_pack(cta, w, line, form);
	}
}

/* Bytes by which a packed instruction may grow when its mask changes. */
#define TRACE_GROWTH sizeof(uint32_t)

/* Appends a copy of the packed instruction in [from, to) of the same block with another mask.  Of
 * the cursor only the mask counts.  The caller provides to - from + TRACE_GROWTH bytes of room;
 * addresses are copied as they are, so an instruction that has some must keep its mask. */
void hd__trace_repack(struct trace_cta *cta, struct trace_cursor *w, size_t from, size_t to,
                      uint32_t mask);

struct trace_windows { /* of generic addresses */
	uint64_t shmem_base, local_base;
	uint64_t shared, local; /* bytes; shared 0: up to local_base */
};

/* Returns false at the end.  Fills all of *inst except .warp, .uid and .sched. */
bool hd__trace_unpack(struct trace_cursor *w, const struct trace_static *v,
                      const struct trace_windows *windows, struct hd_inst *inst);
/* Static index of the next instruction of unpack(); only before the end. */
uint32_t hd__trace_peek(const struct trace_cursor *w);

/* ---- exits.c -------------------------------------------------------------------------------- */

/* What the lines of a warp contradict in those before them. */
struct trace_exits {
	bool met;             /* the warp has such lines; else all else here is old */
	bool strict;          /* a lane that goes on after its exit is an error */
	uint32_t warp, valid; /* lanes that are threads of the block */
	uint32_t back;        /* lanes that did */
	uint64_t line;        /* where the first of them did */
	uint64_t stray;       /* first of the latest lines without lanes while none is alive; 0: none */
};

/* For a line whose mask has lanes that are not alive, or that comes when none is.  0: lanes that
 * it has are alive unless .strict; or -1. */
int hd__trace_exits_line(struct trace_exits *e, const struct trace_text *t,
                         const struct trace_static *s, uint32_t alive, uint32_t mask);
/* After the last line of a warp: -1 if lines follow its end. */
int hd__trace_exits_end(const struct trace_exits *e, const struct trace_text *t);
/* Takes from each EXIT of the warp packed in [from, cta->n) the lanes that a later line has.
 * Returns how many EXITs lost some.  The caller provides cta->n - from bytes of room, and
 * TRACE_GROWTH for each instruction. */
uint64_t hd__trace_exits_mend(struct trace_cta *cta, size_t from, uint32_t valid,
                              const struct trace_static *v);

/* ---- blocks.c ------------------------------------------------------------------------------- */

#define TRACE_SLOTS HD_TRACE_SM /* hardware warp slots of an SM; hd_inst.warp is one byte */

struct trace_blocks {
	struct trace_code *code;
	const struct trace_header *header;
	struct trace_cta *idle;
	struct trace_cursor *slot;      /* made by the first block */
	uint32_t slots;                 /* of all SMs; 0: TRACE_SLOTS */
	uint64_t ctas;
	bool strict;                    /* lanes that go on after their exit are an error */
	struct trace_exits exits;       /* of the warp that is being read */
	uint64_t mended, mended_line;   /* EXITs that lost lanes; where the first lane went on */
	/* counted, for one warning each at the end of the kernel */
	uint64_t truncated, truncated_line; /* warps whose trace ends before their threads do */
	uint64_t absent, absent_line;       /* warps that their thread block does not mention */
	uint64_t bare, bare_line;           /* loads and stores without addresses */
};

/* Returns 1: loaded onto the slots from `first` on; 0: the file has no more. */
int hd__trace_blocks_load(struct trace_blocks *b, uint32_t first);
/* After the last block of the grid: warns if the file has more.  Reading to its end also makes the
 * xz decoder compare its check sums. */
int hd__trace_blocks_finish(struct trace_blocks *b);
/* Empties all slots; the memory is kept for later blocks until _free. */
void hd__trace_blocks_drop(struct trace_blocks *b);
void hd__trace_blocks_free(struct trace_blocks *b);
/* Prints the counted warnings. */
void hd__trace_blocks_warn(struct trace_blocks *b);

#endif

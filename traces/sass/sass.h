/* sass.h - machine code: control fields, instructions as texts, functions of binaries and listings
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SASS_SASS_H
#define TRACES_SASS_SASS_H

#include "sass_inst.h"

#define SASS_VOLTA 70u          /* from this SM version on an instruction is 128 bits, */
#define SASS_HOPPER 90u         /* from this SM version on distances of branches have low bits of their own */
#define SASS_BLACKWELL 100u /* from this SM version on there are 256 uniform registers */
#define SASS_BYTES 16u          /* below 64 bits, with a word of control fields */
#define SASS_OLD_BYTES 8u       /* in front of every three */
#define SASS_MAX_CODE (1u << 20) /* instructions of a function */

/* ---- sass_decode.c: one instruction ---- */

struct sass_word {
	uint64_t lo, hi;
};

/* Bits first to first + n - 1; n at most 64. */
static inline uint64_t hd__sass_bits(struct sass_word w, unsigned first, unsigned n)
{
	uint64_t v = first >= 64 ? w.hi >> (first - 64)
	             : first == 0 ? w.lo : w.lo >> first | w.hi << (64 - first);

	return n < 64 ? v & ((UINT64_C(1) << n) - 1) : v;
}

/* Of a product of warpgroups (HGMMA and its like): columns of B, and of A. */
struct sass_shape {
	unsigned n, k;
};

struct sass_shape hd__sass_shape(struct sass_word w);

/* Operations of other units all of whose operands are uniform registers, so that the predicate is one, too: S2UR,
 * SYNCS.EXCH, and those of bulk copies and tensor maps. */
static inline bool hd__sass_uniform_guard(unsigned op, uint32_t sm)
{
	return sm >= 90 && (op == 0x1c3 || op == 0x1b2 || (op >= 0x1b4 && op <= 0x1bc));
}

/* Guard, opcode and operands as nvdisasm prints them, for the caller to free; NULL: no encoding that is
 * known.  The pc is for targets of branches. */
char *hd__sass_decode(struct sass_word w, uint32_t sm, uint32_t pc);

/* ---- sass_code.c: what the compiler writes into an instruction for the hardware ---- */

/* The fields of instruction i, 0 to 2, of a word of Maxwell or Pascal.  Returns NULL, or what is
 * impossible in them, for the caller to free. */
char *hd__sass_old_control(uint64_t word, unsigned i, struct hasm_control *c);
/* The fields of an instruction of 128 bits.  Returns as hd__sass_old_control(). */
char *hd__sass_control(struct sass_word w, struct hasm_control *c);
/* "[B01----:R-:W2:Y:S04]", 21 characters. */
void hd__sass_put_control(const struct hasm_control *c, FILE *f);

/* ---- functions ---- */

struct sass_inst {
	uint32_t pc;
	int line;             /* of a text, 0: none */
	struct sass_word word; /* below SASS_VOLTA .lo alone */
	struct hasm_control control;
	char *wrong;          /* what is impossible in its control field; or NULL */
	char *text;           /* guard, opcode, operands; NULL: unknown encoding */
};

struct sass_function {
	char *name;
	const char *file;
	uint32_t sm;          /* SM version, 0: unknown */
	uint32_t regs, shared; /* as far as the binary has them, */
	bool measured;        /* which is then known */
	struct sass_inst *v;  /* pcs ascend */
	size_t n, cap;
};

/* Of all files.  Zero-initialise. */
struct sass_code {
	struct sass_function *v;
	size_t n, cap;
};

/* Adds the functions of a file, a cubin or a text of cuobjdump or nvdisasm, "-": standard input.  The name
 * has to stay.  Mistakes go to d. */
void hd__sass_read(struct sass_code *code, const char *file, struct hd_diags *d);
/* Adds the functions of bytes of such a file; image[size] is '\0'. */
void hd__sass_read_image(struct sass_code *code, const char *file, char *image, size_t size,
                         struct hd_diags *d);
/* As texts of kernels (docs/hasm.md), which lack the addresses of lanes. */
void hd__sass_print(const struct sass_code *code, FILE *out);
void hd__sass_free(struct sass_code *code);

/* sass_code.c, for the two that follow: a new function; its next instruction. */
struct sass_function *hd__sass_function(struct sass_code *code, const char *file, const char *name,
                                        size_t length, uint32_t sm);
struct sass_inst *hd__sass_inst(struct sass_function *f, uint32_t pc);

/* cubin.c, sass_text.c */
void hd__cubin_read(struct sass_code *code, const char *file, char *image, size_t size,
                    struct hd_diags *d);
void hd__sass_text_read(struct sass_code *code, const char *file, const char *text, size_t size,
                        struct hd_diags *d);

#endif

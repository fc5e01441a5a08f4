/* decode.c - the decoder of traces/exec and the one of listings know the same words
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * For each operation and form, with many other bits: what one executes the other prints, and the reverse, but for
 * what is listed here.
 */
#include "traces/exec/exec_ops.h"
#include "traces/sass/sass_table.h"

#define TRIES 4000

/* Printed, and not executed. */
static const struct {
	unsigned op;
	const char *forms, *why;
} printed[] = {
	{ 0x18a, "7", "barriers in global memory" },
	{ 0x1b0, "4", "barriers that wait for copies" },
	{ 0x169, "57", "the level of detail that a texture would be read at" },
	{ 0x16a, "1", "the same" },
	{ 0x19b, "57", "stores that convert to the format of a surface" },
	{ 0x19c, "4", "the same" },
	{ 0x1a4, "4", "multicast loads" },
	{ 0x1b6, "12", "reductions of bulk copies" },
	{ 0x1bb, "1", "the same" },
	{ 0x1bd, "6", "stores and reductions in the shared memory of a cluster" },
	{ 0x1be, "6", "the same" },
	{ 0x1c7, "46", "barriers of a cluster" },
	{ 0x1f2, "46", "products of bits of warpgroups" },
};
static unsigned failures;
static uint64_t state = 1;

static uint64_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static bool in_printed(unsigned op, unsigned form)
{
	for (size_t i = 0; i < sizeof printed / sizeof *printed; i++)
		if (printed[i].op == op && strchr(printed[i].forms, '0' + (int)form))
			return true;
	return false;
}

static bool is_row(unsigned op, unsigned form, uint32_t sm)
{
	for (const struct sass_row *r = hd__sass_rows; *r->forms; r++)
		if (r->op == op && strchr(r->forms, '0' + (int)form) && sm >= r->from && (!r->to || sm <= r->to))
			return true;
	return false;
}

/* The rows of both tables. */
static void compare_rows(uint32_t sm)
{
	for (unsigned op = 0; op < 512; op++)
		for (unsigned form = 1; form < 8; form++) {
			bool prints = is_row(op, form, sm), executes = hd__exec_knows(op | form << 9, sm);

			if (prints && !executes && !in_printed(op, form)) {
				printf("sm_%u: operation 0x%03x, form %u is printed, and not executed\n", sm, op, form);
				failures++;
			}
			if (executes && !prints) {
				printf("sm_%u: operation 0x%03x, form %u is executed, and not printed\n", sm, op, form);
				failures++;
			}
		}
}

/* What is printed and not executed, by the beginning of the text; and the reverse. */
static bool excused(const char *text)
{
	static const char *const known[] = {
		"HMMA.SP",     "IMMA.SP",
		"BAR.SCAN",    "ATOMS.ARRIVE.32",
		"CALL",	       "RET",
		"BRA",	       "BRX",
		"BSSY", /* with distances that no code has */
		"SYNCS.EXCH ", "ARRIVES.LDGSTSBAR.64.ARVCNT.TRANSCNT",
		"HGMMA",       "IGMMA",
		"QGMMA", /* sparse, of shapes and with registers that there are not: hopper.c has the others */
	};

	if (*text == '@')
		text += strcspn(text, " ") + 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(text, known[i], strlen(known[i])) == 0)
			return true;
	/* sums of halves are of products of halves; matrices of 16 by 4 or 16 are not of all types */
	if (strncmp(text, "HMMA", 4) == 0)
		return strstr(text, ".F16.BF16") || strstr(text, ".F16.TF32") || strstr(text, ".16816.F32.TF32")
		       || strstr(text, ".1684");
	/* bulk copies: not for several blocks, not of images, not of reductions, not with UR63 */
	if (strncmp(text, "UTM", 3) == 0)
		return strstr(text, "MULTICAST") || strstr(text, "IM2COL") || strstr(text, "[URZ]")
		       || strstr(text, ".6D") || strstr(text, ".7D") || strstr(text, ".8D");
	if (strncmp(text, "UBLKCP", 6) == 0)
		return strstr(text, "MULTICAST") || strstr(text, ".S.S") || !strstr(text, ".S");
	if (strncmp(text, "REDG", 4) == 0) /* several numbers of a lane at once */
		return strstr(text, "32x");
	if (strncmp(text, "VI", 2) == 0)
		return strstr(text, "RELU") || strstr(text, "16x2");
	/* textures: comparisons, samples, sets of offsets, more than four sources in pairs; surfaces: not in bytes */
	if (strncmp(text, "T", 1) == 0)
		return strstr(text, ".DC") || strstr(text, ".MS") || strstr(text, ".PTP") || strstr(text, ".SCR")
		       || strstr(text, "TEX_HEADER_");
	if (strncmp(text, "SU", 2) == 0)
		return !strstr(text, ".BA.");
	return strstr(text, "cx[") || strncmp(text, "LDC.I", 5) == 0;
}

/* Words: how many are known to one and not to the other. */
static void compare_words(uint32_t sm)
{
	struct exec_code code = { .name = "test" };
	unsigned shown = 0;

	for (unsigned op12 = 512; op12 < 4096; op12++) {
		unsigned op = op12 & 511, form = op12 >> 9;

		if (!is_row(op, form, sm) || in_printed(op, form))
			continue;
		hd__exec_constants(&code);
		for (unsigned i = 0; i < TRIES / 16; i++) {
			/* few bits set beside the usual ones, so that most words are instructions */
			struct sass_word w = { (random_word() & random_word()) | 0x7000,
					       random_word() & random_word() & random_word() };
			struct exec_op o;
			char *text;

			w.lo = (w.lo & ~UINT64_C(4095)) | op12;
			w.hi &= ~(UINT64_C(1) << 27 | UINT64_C(0x7fffe0000000000)); /* not bindless, no control field */
			text = hd__sass_decode(w, sm, 0);
			hd__exec_decode(&o, w, sm, &code, false);
			if (text && o.flow == EXEC_UNKNOWN && !excused(text) && shown++ < 20) {
				printf("sm_%u: 0x%016llx%016llx, '%s', is not executed\n", sm, (unsigned long long)w.hi,
				       (unsigned long long)w.lo, text);
				failures++;
			}
			free(text);
		}
	}
	free(code.constant);
}

/* A word of a kernel: the bank is a number, and what is in bit 91 of other instructions, a bank that a register names,
 * is here that the index is a uniform register. */
static void indexed_constant(void)
{
	struct sass_word w = { UINT64_C(0x00ffc0000c0e7abb), UINT64_C(0x000fe40008000a00) };
	struct exec_code code = { .name = "test" };
	struct exec_op o;
	char *text = hd__sass_decode(w, 86, 0);

	hd__exec_constants(&code);
	hd__exec_decode(&o, w, 86, &code, false);
	if (!text || strcmp(text, "ULDC.64 UR14, c[0x3][UR12+-0x100]") != 0 || o.flow == EXEC_UNKNOWN || o.x != 3
	    || o.imm != -0x100 || o.size != 8 || o.a != (EXEC_UNIFORM + 12) * EXEC_LANES
	    || o.d != (EXEC_UNIFORM + 14) * EXEC_LANES) {
		printf("constant with an index in a uniform register: '%s', bank %u, %d, %u bytes\n", text ? text : "",
		       o.x, o.imm, o.size);
		failures++;
	}
	free(text);
	free(code.constant);
}

int main(void)
{
	static const uint32_t versions[] = { 75, 80, 86, 89, 90, 120 };

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		compare_rows(versions[i]);
		compare_words(versions[i]);
	}
	indexed_constant();
	return failures != 0;
}

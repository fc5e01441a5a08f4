/* program.h - kernels for the core fuzzer: short programs that end early, meet at barriers and use slots again
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The bytes of the input choose a text as in docs/hasm.md, of which the assembler makes a trace.  Any core can finish
 * it: a barrier waits only for warps that have not ended, and all of them end.
 */
#ifndef TESTS_FUZZ_PROGRAM_H
#define TESTS_FUZZ_PROGRAM_H

#include "ways.h"
#include "traces/hasm/trace_commands.h"

#include <dirent.h>

#define MOST_KERNELS 4u
#define MOST_STEPS 40u

struct program {
	struct fuzz_input *in;
	FILE *out;
	uint32_t all, live, whole; /* warps of a block: that have not ended; of which no lanes have */
	bool control;              /* instructions have control fields */
};

static inline void put_instruction(struct program *p, const char *text)
{
	unsigned wait, how;

	fputc('\t', p->out);
	if (p->control) {
		wait = fuzz_take(p->in, 8);
		how = fuzz_take(p->in, 16);
		fprintf(p->out, "[B%c%c----:R%c:W%c:%c:S%02u] ", wait == 1 ? '0' : '-', wait == 2 ? '1' : '-',
		        how == 1 ? '1' : '-', how > 11 ? '0' : '-', how == 2 ? 'Y' : '-', fuzz_take(p->in, 16));
	}
	fprintf(p->out, "%s\n", text);
}

/* What follows is for these warps, of which there are some. */
static inline void put_warps(struct program *p, uint32_t set)
{
	const char *comma = "warps ";

	for (uint32_t w = 0; w < 32; w++)
		if (set >> w & 1) {
			fprintf(p->out, "%s%u", comma, w);
			comma = ",";
		}
	fputc('\n', p->out);
}

static inline uint32_t choose_warps(struct program *p)
{
	switch (fuzz_take(p->in, 6)) {
	case 0: return p->live & 1;
	case 1: return p->live & (p->live - 1); /* all but the first */
	case 2: return p->live & 0x55555555;
	case 3: return p->live & 1u << fuzz_take(p->in, 8);
	default: return p->live;
	}
}

static inline void put_access(struct program *p)
{
	static const char *const texts[] = { "LDG.E R2, [R4.64]", "STG.E [R4.64], R2", "LDS R6, [R7]", "STS [R7], R6",
		"RED.E.ADD.STRONG.GPU [R4.64], R2", "ATOMG.E.ADD.STRONG.GPU PT, R8, [R4.64], R2",
		"LDGSTS.E [R7], [R4.64]" };
	static const char *const lanes[] = { "4*lane", "4*lane+128*warp", "4*lane+128*warp+512*block", "8*lane",
		"128*lane", "16*(lane/4)" };
	unsigned what = fuzz_take(p->in, sizeof texts / sizeof *texts);
	const char *base = what == 2 || what == 3 ? "" : "0x7f0000000000+";
	char *text = hd__format("%s addr=%s%s", texts[what], base,
	                        lanes[fuzz_take(p->in, sizeof lanes / sizeof *lanes)]);

	put_instruction(p, text);
	free(text);
}

static inline void put_step(struct program *p)
{
	static const char *const texts[] = { "IADD3 R2, R2, 0x1, RZ", "FFMA R3, R3, c[0x0][0x160], R5",
		"MUFU.RSQ R1, R1", "S2R R0, SR_TID.X", "CS2R R10, SR_CLOCKLO", "NOP", "IMAD R9, R2.reuse, R3, R9" };
	unsigned what = fuzz_take(p->in, 20);
	uint32_t set = choose_warps(p);

	if (set == 0)
		return;
	put_warps(p, set);
	if (what < 5) {
		put_access(p);
	} else if (what < 8) {
		put_instruction(p, "BAR.SYNC.DEFER_BLOCKING 0x0");
	} else if (what == 8) { /* the end of a reduction: all meet, then some end */
		put_warps(p, p->live);
		put_instruction(p, "BAR.SYNC.DEFER_BLOCKING 0x0");
		put_warps(p, set);
		put_instruction(p, "@P0 EXIT");
		p->live &= ~set;
	} else if (what == 9) {
		put_instruction(p, "EXIT");
		p->live &= ~set;
	} else if (what == 10 && (set & p->whole)) {
		put_warps(p, set & p->whole);
		put_instruction(p, "@P0 EXIT mask=0000ffff");
		p->whole &= ~set;
	} else if (what == 11) {
		put_instruction(p, "MEMBAR.SC.GPU");
	} else if (what == 12) {
		put_instruction(p, "LDGDEPBAR");
	} else if (what == 13) {
		put_instruction(p, fuzz_take(p->in, 2) ? "DEPBAR.LE SB0, 0x1" : "DEPBAR.LE SB0, 0x0");
	} else {
		put_instruction(p, texts[fuzz_take(p->in, sizeof texts / sizeof *texts)]);
	}
}

static inline void put_kernel(struct program *p, unsigned number)
{
	static const unsigned grids[] = { 1, 2, 3, 9, 24 }, blocks[] = { 1, 2, 2, 3, 4, 8 };
	unsigned grid = grids[fuzz_take(p->in, 5)], warps = blocks[fuzz_take(p->in, 6)], how = fuzz_take(p->in, 4);
	unsigned steps = 1 + fuzz_take(p->in, MOST_STEPS);

	p->all = p->live = p->whole = (uint32_t)hd_bits_below(warps);
	p->control = how < 2;
	fprintf(p->out, "kernel k%u grid=%u block=%u shared=%u stream=%u exit=%s\n", number, grid, 32 * warps,
	        fuzz_take(p->in, 3) * 8192, fuzz_take(p->in, 3), how == 2 ? "written" : "added");
	for (unsigned i = 0; i < steps && p->in->left > 0 && p->live; i++)
		put_step(p);
	if (p->control && p->live) {
		put_warps(p, p->live);
		put_instruction(p, "EXIT");
	} else if (p->live == p->all) {
		put_warps(p, 1);
		put_instruction(p, "NOP");
	}
}

/* Makes the folder of a trace.  The caller gives its name to fuzz_program_over(). */
static inline char *fuzz_program(struct fuzz_input *in)
{
	struct program p = { .in = in };
	unsigned kernels = 1 + fuzz_take(in, MOST_KERNELS);
	char *text, *tables = fuzz_source("netlists", "opcodes"), *file;
	char *folder = hd__xstrdup("/tmp/heddle_fuzz_XXXXXX");
	struct trace_command c = { .tables = tables, .output = folder };
	size_t size;
	int fd;

	p.out = open_memstream(&text, &size);
	for (unsigned i = 0; i < kernels; i++)
		put_kernel(&p, i);
	fclose(p.out);
	if (getenv("FUZZ_VERBOSE"))
		fputs(text, stdout);
	file = fuzz_file(text, size, &fd);
	c.trace = file;
	fuzz_must(mkdtemp(folder) != NULL && hd__hasm_assemble(&c, HASM_LIMIT) == 0, "a text with mistakes", text);
	close(fd);
	free(file);
	free(text);
	free(tables);
	return folder;
}

static inline void fuzz_program_over(char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL)
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
	rmdir(folder);
	free(folder);
}

#endif

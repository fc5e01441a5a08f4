/* exits.c - lanes that continue after an EXIT that has them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: exits [folder with the opcode tables]
 *
 * As lines.c: a replay is logged as text, which must be the expected one.  Then traces drawn at
 * random: one that contradicts itself must replay as the one in which this test has taken the lanes
 * from the EXITs, whatever the reader packs and rewrites.
 */
#include "replay.h"

#include <inttypes.h>

#define HEAD "kernel k id=7 ctas=1 threads=40 warps=2 shmem=16 nregs=8 sm=80\n"
#define TB "#BEGIN_TB\nthread block = 0,0,0\n"
#define END "#END_TB\n"
/* The warning for these EXITs, the first lane back in line `line` of the file. */
#define MENDED(line, exits) "warning: k.traceg:" line ": a lane goes on after an EXIT that has it; " \
	exits " in 1 kernel taken without the lanes that appear in later lines\n"
#define NO_END(line) "warning: k.traceg: the trace of 1 warp ends before all threads exit, first in " \
	"line " line "; they end with the last instruction\n"
#define TOO_LATE(line) "error: k.traceg:" line ": an instruction follows although all threads of " \
	"warp 0 have exited\n"

/* The block has 40 threads; line 18 is the first instruction of its first warp. */
static const struct {
	const char *what, *body, *expected, *strict, *shows; /* strict NULL: the same; shows: rules of docs/sm.md */
} cases[] = {
	{ "one lane goes on", TB "warp = 1\ninsts = 3\n0000 000000ff 0 EXIT 0 0 0\n"
	  "0010 00000001 1 R1 MOV 0 0 0\n0020 00000001 0 EXIT 0 0 0\nwarp = 0\ninsts = 1\n"
	  "0020 ffffffff 0 EXIT 0 0 0\n" END,
	  HEAD "warp 0\n0020 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"
	  "warp 1\n0000 000000fe EXIT EXIT exit exits=000000fe d0\n0010 00000001 MOV ALU d2\n"
	  "0020 00000001 EXIT EXIT exit last exits=00000001 d0\nend\n" MENDED("19", "1 EXIT"),
	  HEAD "error: k.traceg:19: an instruction follows although all threads of warp 1 have "
	  "exited\n", .shows = "T8" },
	{ "one lane of each warp goes on", TB "warp = 1\ninsts = 3\n0000 000000ff 0 EXIT 0 0 0\n"
	  "0010 00000001 1 R1 MOV 0 0 0\n0020 00000001 0 EXIT 0 0 0\nwarp = 0\ninsts = 3\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000100 1 R1 MOV 0 0 0\n0020 00000100 0 EXIT 0 0 0\n" END,
	  HEAD "warp 0\n0000 fffffeff EXIT EXIT exit exits=fffffeff d0\n0010 00000100 MOV ALU d2\n"
	  "0020 00000100 EXIT EXIT exit last exits=00000100 d0\n"
	  "warp 1\n0000 000000fe EXIT EXIT exit exits=000000fe d0\n0010 00000001 MOV ALU d2\n"
	  "0020 00000001 EXIT EXIT exit last exits=00000001 d0\nend\n" MENDED("19", "2 EXITs"),
	  HEAD "error: k.traceg:19: an instruction follows although all threads of warp 1 have "
	  "exited\n" },
	{ "all go on: an EXIT without lanes", TB "warp = 0\ninsts = 3\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 ffffffff 1 R1 MOV 0 0 0\n0020 ffffffff 0 EXIT 0 0 0\n"
	  "warp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 00000000 EXIT EXIT exit d0\n0010 ffffffff MOV ALU d2\n"
	  "0020 ffffffff EXIT EXIT exit last exits=ffffffff d0\nwarp 1\nend\n"
	  MENDED("19", "1 EXIT"), HEAD TOO_LATE("19") },
	{ "only the next EXIT has them", TB "warp = 0\ninsts = 2\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 0000ff00 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 ffff00ff EXIT EXIT exit exits=ffff00ff d0\n"
	  "0010 0000ff00 EXIT EXIT exit last exits=0000ff00 d0\nwarp 1\nend\n"
	  MENDED("19", "1 EXIT"), HEAD TOO_LATE("19") },
	{ "back after the first, and after the second EXIT", TB "warp = 0\ninsts = 6\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000001 1 R1 MOV 0 0 0\n"
	  "0020 00000001 0 EXIT 0 0 0\n0030 00000003 1 R1 MOV 0 0 0\n"
	  "0040 00000002 0 EXIT 0 0 0\n0050 00000001 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 fffffffc EXIT EXIT exit exits=fffffffc d0\n"
	  "0010 00000001 MOV ALU d2\n0020 00000000 EXIT EXIT exit d0\n"
	  "0030 00000003 MOV ALU d2\n0040 00000002 EXIT EXIT exit exits=00000002 d0\n"
	  "0050 00000001 EXIT EXIT exit last exits=00000001 d0\nwarp 1\nend\n"
	  MENDED("19", "2 EXITs"), HEAD TOO_LATE("19") },
	{ "back while others are alive", TB "warp = 0\ninsts = 4\n"
	  "0000 0000000f 0 EXIT 0 0 0\n0010 00000ff3 1 R1 MOV 0 0 0\n"
	  "0020 fffffff0 0 EXIT 0 0 0\n0030 00000003 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 0000000c EXIT EXIT exit exits=0000000c d0\n"
	  "0010 00000ff3 MOV ALU d2\n0020 fffffff0 EXIT EXIT exit exits=fffffff0 d0\n"
	  "0030 00000003 EXIT EXIT exit last exits=00000003 d0\nwarp 1\nend\n"
	  MENDED("19", "1 EXIT"), HEAD TOO_LATE("21") },
	{ "back for good: the trace ends before they do", TB "warp = 0\ninsts = 2\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000010 1 R1 MOV 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD NO_END("19") "warp 0\n0000 ffffffef EXIT EXIT exit exits=ffffffef d0\n"
	  "0010 00000010 MOV ALU last exits=00000010 d2\nwarp 1\nend\n" MENDED("19", "1 EXIT"),
	  HEAD TOO_LATE("19") },
	{ "lines without lanes on the way", TB "warp = 0\ninsts = 4\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000000 1 R1 MOV 0 0 0\n"
	  "0020 00000000 0 EXIT 0 0 0\n0030 00000003 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 fffffffc EXIT EXIT exit exits=fffffffc d0\n"
	  "0010 00000000 MOV ALU d2\n0020 00000000 EXIT EXIT exit d0\n"
	  "0030 00000003 EXIT EXIT exit last exits=00000003 d0\nwarp 1\nend\n"
	  MENDED("21", "1 EXIT"), HEAD TOO_LATE("19") },
	{ "lines without lanes, and no lane comes back", TB "warp = 0\ninsts = 3\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000000 1 R1 MOV 0 0 0\n"
	  "0020 00000000 1 R1 MOV 0 0 0\nwarp = 1\ninsts = 0\n" END, HEAD TOO_LATE("19"), NULL },
	{ "lines without lanes after the last that was back", TB "warp = 0\ninsts = 4\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000001 0 EXIT 0 0 0\n"
	  "0020 00000000 1 R1 MOV 0 0 0\n0030 00000000 1 R1 MOV 0 0 0\n" END,
	  HEAD TOO_LATE("20"), HEAD TOO_LATE("19") },
	{ "a second time", TB "warp = 0\ninsts = 3\n0000 0000000f 0 EXIT 0 0 0\n"
	  "0010 00000018 0 EXIT 0 0 0\n0020 ffffffe0 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 00000007 EXIT EXIT exit exits=00000007 d0\n"
	  "0010 00000018 EXIT EXIT exit exits=00000018 d0\n"
	  "0020 ffffffe0 EXIT EXIT exit last exits=ffffffe0 d0\nwarp 1\nend\n"
	  MENDED("19", "1 EXIT"),
	  HEAD "error: k.traceg:19: lanes 00000008 of warp 0 exit a second time\n" },
	{ "an EXIT of lanes beyond the block loses none", TB "warp = 1\ninsts = 2\n"
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000001 0 EXIT 0 0 0\n" END,
	  HEAD "error: k.traceg:18: mask ffffffff has lanes beyond the block; warp 1 has the threads "
	  "000000ff\n", NULL },
	{ "no contradiction: the others go on", TB "warp = 0\ninsts = 4\n"
	  "0000 0000ffff 0 EXIT 0 0 0\n0010 ffff0000 1 R1 MOV 0 0 0\n"
	  "0020 00000000 0 EXIT 0 0 0\n0030 ffff0000 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	  HEAD "warp 0\n0000 0000ffff EXIT EXIT exit exits=0000ffff d0\n"
	  "0010 ffff0000 MOV ALU d2\n0020 00000000 EXIT EXIT exit d0\n"
	  "0030 ffff0000 EXIT EXIT exit last exits=ffff0000 d0\nwarp 1\nend\n", NULL },
};

static void check_body(const char *what, const char *version, const char *body, const char *expected)
{
	write_kernel("k.traceg", version, "40,1,1", body);
	replay_with("k.traceg", NULL, 0);
	expect(what, expected);
}

static void check_cases(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		check_body(cases[i].what, "5", cases[i].body, cases[i].expected);
		strict = true;
		check_body(cases[i].what, "5", cases[i].body,
		           cases[i].strict ? cases[i].strict : cases[i].expected);
		strict = false;
	}
	check_body("block and warp in front of each line", "1.2", TB "warp = 0\ninsts = 2\n"
	           "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n0 0 0 0 0010 00000003 0 EXIT 0 0\n"
	           "warp = 1\ninsts = 0\n" END,
	           HEAD "warp 0\n0000 fffffffc EXIT EXIT exit exits=fffffffc d0\n"
	           "0010 00000003 EXIT EXIT exit last exits=00000003 d0\nwarp 1\nend\n"
	           MENDED("19", "1 EXIT"));
}

/* --strict accepts a lane that continues while others are alive, as always. */
static void check_strict_takes(void)
{
	strict = true;
	check_body("strict, back while others are alive", "5", TB "warp = 0\ninsts = 3\n"
	           "0000 0000000f 0 EXIT 0 0 0\n0010 ffffffff 1 R1 MOV 0 0 0\n"
	           "0020 fffffff0 0 EXIT 0 0 0\nwarp = 1\ninsts = 0\n" END,
	           HEAD "warp 0\n0000 0000000f EXIT EXIT exit exits=0000000f d0\n"
	           "0010 ffffffff MOV ALU d2\n"
	           "0020 fffffff0 EXIT EXIT exit last exits=fffffff0 d0\nwarp 1\nend\n");
	strict = false;
}

/* A list in which one kernel comes twice, and one that is in order between them. */
static void check_list(void)
{
	char text[1 << 12];

	make(text, sizeof text, "5", "", "32,1,1", TB "warp = 0\ninsts = 3\n"
	     "0000 ffffffff 0 EXIT 0 0 0\n0010 0000ffff 0 EXIT 0 0 0\n"
	     "0020 00000001 0 EXIT 0 0 0\n" END);
	write_file("k.traceg", text, strlen(text));
	make(text, sizeof text, "5", "", "32,1,1", TB "warp = 0\ninsts = 1\n"
	     "0000 ffffffff 0 EXIT 0 0 0\n" END);
	write_file("kernel-1.traceg", text, strlen(text));
	write_file("kernel-2.traceg", text, 0);
	rename("k.traceg", "kernel-2.traceg");
	snprintf(text, sizeof text, "kernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n"
	         "kernel-2.traceg\n");
	write_file("kernelslist.g", text, strlen(text));
	replay_with("kernelslist.g", NULL, 0);
	memmove(log_text, strstr(log_text, "end\n"), strlen(strstr(log_text, "end\n")) + 1);
	expect("one warning for all kernels", "end\nwarning: kernel-2.traceg:19: a lane goes on after "
	       "an EXIT that has it; 4 EXITs in 2 kernels taken without the lanes that appear in "
	       "later lines\n");
}

/* ---- drawn at random ------------------------------------------------------------------------ */

#define LINES 24

static uint32_t draw(void)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 32);
}

/* Masks of few kinds, so that they repeat and lanes come back in all ways. */
static uint32_t draw_mask(void)
{
	static const uint32_t masks[] = { 0, UINT32_MAX, 0xff, 1, 0x80000000, 0xffff0000, 0x55555555 };
	uint32_t k = draw() % 9;

	return k < 7 ? masks[k] : k == 7 ? draw() : draw() & draw() & draw();
}

struct drawn {
	uint32_t kind, mask, pc;
	uint64_t base;
};

static size_t print_line(char *out, const struct drawn *d)
{
	size_t n = (size_t)sprintf(out, "%04x %08x ", d->pc, d->mask);

	switch (d->kind) {
	case 0: return n + (size_t)sprintf(out + n, "0 EXIT 0 0 0\n");
	case 1: return n + (size_t)sprintf(out + n, "1 R1 LDG.E 1 R2 4 1 0x%" PRIx64 " 4 0\n",
	                                   d->base);
	case 2:
		n += (size_t)sprintf(out + n, "1 R1 LDG.E 1 R2 4 0");
		for (int i = 0; i < __builtin_popcount(d->mask); i++)
			n += (size_t)sprintf(out + n, " 0x%" PRIx64, d->base + (uint64_t)(i * i));
		return n + (size_t)sprintf(out + n, " 0\n");
	default: return n + (size_t)sprintf(out + n, "1 R1 MOV 0 0 0\n");
	}
}

static void print_trace(char *out, const struct drawn *d, uint32_t n)
{
	out += sprintf(out, TB "warp = 0\ninsts = %u\n", n);
	for (uint32_t i = 0; i < n; i++)
		out += print_line(out, &d[i]);
	strcpy(out, END);
}

/* What the reader must make of the lines: no EXIT has a lane that a later line has. */
static void take_lanes(struct drawn *d, uint32_t n)
{
	uint32_t later = 0;

	while (n-- > 0) {
		if (d[n].kind == 0)
			d[n].mask &= ~later;
		later |= d[n].mask;
	}
}

static void replay_text(const char *body)
{
	write_kernel("k.traceg", "5", "32,1,1", body);
	replay_with("k.traceg", NULL, 0);
}

/* The trace without contradictions is read strictly, which shows that it has none. */
static void check_random(void)
{
	static char body[1 << 13], mended[1 << 13], first[sizeof log_text];
	struct drawn d[LINES];
	unsigned errors = 0;

	for (unsigned round = 0; round < 2000 && !failures; round++) {
		uint32_t n = 1 + draw() % LINES;
		char *end;

		for (uint32_t i = 0; i < n; i++)
			d[i] = (struct drawn){ .kind = draw() % 4, .mask = draw_mask(),
			                       .pc = draw() % 8 * 16, .base = draw() };
		print_trace(body, d, n);
		take_lanes(d, n);
		print_trace(mended, d, n);
		replay_text(body);
		errors += strstr(log_text, "error") != NULL;
		end = strstr(log_text, "end\n");
		if (end)
			end[4] = '\0'; /* the warning */
		memcpy(first, log_text, sizeof first);
		strict = true;
		replay_text(mended);
		strict = false;
		expect(body, first);
	}
	if (errors > 500) {
		printf("FAIL %u of the traces drawn at random are refused\n", errors);
		failures++;
	}
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	check_cases();
	check_strict_takes();
	check_list();
	check_random();
	return finish();
}

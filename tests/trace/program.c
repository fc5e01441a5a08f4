/* program.c - the program of a kernel that follows from its lines: targets, meeting places, calls
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: program [folder with the opcode tables]
 *
 * As lines.c: a log is compared with the expected one.  It has a line for each node: its number,
 * pc, depth of calls, and the nodes where lanes fall through to, branch to, and meet.
 */
#include "replay.h"

#include "modules/trace_source/source_parts.h"

#include <inttypes.h>

#define TB "#BEGIN_TB\nthread block = 0,0,0\n"
#define END "#END_TB\n"
#define WARP(n) "warp = 0\ninsts = " n "\n"

static const struct {
	const char *what, *body, *expected;
	uint32_t binary;
} cases[] = {
	{ "an if, else, and a guarded EXIT in it", TB WARP("7")
	  "0000 0000ffff 0 BRA 0 0 0\n"      /* taken by half of the lanes */
	  "0010 ffff0000 1 R1 MOV 0 0 0\n"
	  "0020 00030000 0 EXIT 0 0 0\n"
	  "0030 fffc0000 0 BRA 0 0 0\n"      /* over the else part */
	  "0040 0000ffff 1 R1 MOV 0 0 0\n"
	  "0050 fffcffff 1 R1 MOV 0 0 0\n"
	  "0060 fffcffff 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 target 4 meet 5\n1 0010 0 next 2 meet 2\n2 0020 0 next 3 meet 3\n"
	  "3 0030 0 target 5 meet 5\n4 0040 0 next 5 meet 5\n5 0050 0 next 6 meet 6\n6 0060 0\n", 80 },
	{ "lanes that are switched off fall through; a line without lanes", TB WARP("4")
	  "0000 00000001 1 R1 MOV 0 0 0\n0010 00000000 1 R1 MOV 0 0 0\n"
	  "0020 00000002 1 R1 MOV 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0010 0 next 2 meet 2\n2 0020 0 next 3 meet 3\n3 0030 0\n", 80 },
	{ "a loop that lanes leave one by one", TB WARP("6")
	  "0000 00000003 1 R1 MOV 0 0 0\n0010 00000001 0 BRA 0 0 0\n"
	  "0000 00000001 1 R1 MOV 0 0 0\n0010 00000000 0 BRA 0 0 0\n"
	  "0020 00000003 1 R1 MOV 0 0 0\n0030 00000003 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0010 0 next 2 target 0 meet 2\n2 0020 0 next 3 meet 3\n"
	  "3 0030 0\n", 80 },
	{ "a loop left by EXITs only, with an if in it", TB WARP("9")
	  "0000 00000003 1 R1 MOV 0 0 0\n0010 00000001 0 BRA 0 0 0\n0020 00000002 1 R1 MOV 0 0 0\n"
	  "0030 00000002 0 EXIT 0 0 0\n0040 00000001 0 BRA 0 0 0\n"
	  "0000 00000001 1 R1 MOV 0 0 0\n0010 00000000 0 BRA 0 0 0\n0020 00000001 1 R1 MOV 0 0 0\n"
	  "0030 00000001 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0010 0 next 2 target 4 meet 2\n2 0020 0 next 3 meet 3\n"
	  "3 0030 0\n4 0040 0 target 0 meet 0\n", 80 },
	{ "a loop that lanes leave in the middle by a guarded EXIT", TB WARP("6")
	  "0000 00000003 1 R1 MOV 0 0 0\n0010 00000002 0 EXIT 0 0 0\n0020 00000001 0 BRA 0 0 0\n"
	  "0000 00000001 1 R1 MOV 0 0 0\n0010 00000001 0 EXIT 0 0 0\n0020 00000000 0 BRA 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0010 0 next 2 meet 2\n2 0020 0 target 0\n", 80 },
	{ "a function called from two places", TB WARP("8")
	  "0000 ffffffff 0 CALL.REL.NOINC 0 0 0\n0000 ffffffff 1 R1 MOV 0 0 0\n"
	  "0010 ffffffff 0 RET.REL 0 0 0\n0010 ffffffff 1 R1 FADD 0 0 0\n"
	  "0020 ffffffff 0 CALL.REL.NOINC 0 0 0\n0000 ffffffff 1 R1 MOV 0 0 0\n"
	  "0010 ffffffff 0 RET.REL 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END,
	  "0 0000 0 target 4 meet 4\n1 0010 0 next 2 meet 2\n2 0020 0 target 6 meet 6\n3 0030 0\n"
	  "4 0000 1 next 5 meet 5\n5 0010 1 target 1 meet 1\n"
	  "6 0000 1 next 7 meet 7\n7 0010 1 target 3 meet 3\n", 80 },
	{ "a return without a call, a line without lanes in a function", TB WARP("5")
	  "0000 ffffffff 0 RET 0 0 0\n0040 ffffffff 0 CALL 0 0 0\n0100 00000000 1 R1 MOV 0 0 0\n"
	  "0108 ffffffff 0 RET 0 0 0\n0048 ffffffff 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0040 0 target 4 meet 4\n2 0048 0\n3 0100 1\n"
	  "4 0108 1 target 2 meet 2\n", 61 },
	{ "EXITs with all lanes, of which some go on", TB WARP("4")
	  "0000 ffffffff 0 EXIT 0 0 0\n0010 00000001 1 R1 MOV 0 0 0\n"
	  "0020 00000001 0 EXIT 0 0 0\n0030 00000001 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0010 0 next 2 meet 2\n2 0020 0 next 3 meet 3\n3 0030 0\n", 80 },
	{ "the same instruction with another immediate", TB WARP("3")
	  "0000 ffffffff 1 R1 MOV 0 0 1\n0010 ffffffff 0 BRA 0 0 0\n0000 ffffffff 1 R1 MOV 0 0 2\n"
	  END, "0 0000 0 next 1 meet 1\n1 0010 0 target 0\n", 80 },
	{ "a branch to the next instruction", TB WARP("3")
	  "0000 0000ffff 0 BRA 0 0 0\n0020 ffffffff 1 R1 MOV 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END,
	  "0 0000 0 next 1 meet 1\n1 0020 0 next 2 meet 2\n2 0030 0\n", 80 },
	{ "back without a branch", TB WARP("3")
	  "0000 ffffffff 1 R1 MOV 0 0 0\n0020 ffffffff 1 R1 MOV 0 0 0\n0010 000000f0 1 R1 MOV 0 0 0\n"
	  END, "0 0000 0 next 1 meet 1\n1 0010 0 next 2 meet 2\n2 0020 0 target 1\n", 80 },
	{ "lanes in front of the first line", TB WARP("2")
	  "0020 0000ffff 0 BRA 0 0 0\n0010 ffff0000 1 R1 MOV 0 0 0\n" END,
	  "error: k.traceg:19: lanes begin at pc 0010, but their warp begins at 0020; expected a pc that "
	  "is not smaller\n", 80 },
	{ "a branch where there is none in another line", TB WARP("3")
	  "0000 ffffffff 1 R1 MOV 0 0 0\n0000 ffffffff 0 BRA 0 0 0\n0010 ffffffff 0 EXIT 0 0 0\n" END,
	  "error: k.traceg: pc 0000 has 'MOV' in one line and 'BRA' in another; expected one instruction at "
	  "a pc of a function\n", 80 },
	{ "no instructions", TB WARP("0") END, "", 80 },
	{ "the end of the file within a block", TB WARP("3") "0000 ffffffff 1 R1 MOV 0 0 0\n",
	  "error: k.traceg:18: the file ends within a thread block; expected '#END_TB'\n", 80 },
};

static void tell_node(const char *name, uint32_t node)
{
	if (node != HD_PATH_NONE)
		log_add(" %s %" PRIu32, name, node);
}

/* The program of the only kernel, and what code() has at its pcs. */
static void tell_program(const struct source *s)
{
	const struct trace_program *p = &s->present->k.program;
	const struct hd_paths_if *paths = s->face.paths;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct hd_path_node *n = &p->node[i];
		struct hd_inst inst;

		log_add("%" PRIu32 " %04" PRIx32 " %" PRIu32, i, n->pc, n->depth);
		tell_node("next", n->next);
		tell_node("target", n->target);
		tell_node("meet", n->meet);
		log_add("\n");
		if (s->of_slot[3] && (!paths->code(paths->self, 3, n->pc, &inst) || inst.pc != n->pc
		                      || inst.mask || hd_inst_addr(&inst, 31) || inst.warp != 3))
			log_add("code() has nothing or another instruction there\n");
		if (s->of_slot[3] && paths->code(paths->self, 3, n->pc + 4, &inst))
			log_add("code() has an instruction where there is none\n");
	}
}

/* The block on slot 3, if it can be loaded, makes no difference to the program. */
static void survey(const char *body, uint32_t binary, bool load)
{
	static char text[1 << 20];
	struct hd_launch l;
	struct source *s;
	size_t n;
	char *at;

	make(text, sizeof text, "5", "", "32,1,1", body);
	at = strstr(text, "-binary version = 80");
	memcpy(at + 18, binary == 61 ? "61" : "80", 2);
	write_file("k.traceg", text, strlen(text));
	s = new_source("k.traceg", NULL, 0);
	start_source(s);
	s->face.paths->claim(s->face.paths->self);
	if (s->face.next_kernel(s, &l) > 0) {
		if (load)
			s->face.next_cta(s, 3);
		clear_log();
		tell_program(s);
	}
	n = log_length;
	hd_module_trace_source.fini(s);
	log_text[n] = '\0'; /* without warnings at the end of the run */
	free(s);
}

/* The last block of a kernel is executed when its file is closed: messages have its name. */
static void lane_astray(void)
{
	static char text[1 << 12];
	const struct hd_module *m = &hd_module_trace_source;
	struct hd_ctx ctx = { 0 };
	struct hd_launch l;
	struct hd_inst inst;
	struct source *s;

	make(text, sizeof text, "5", "", "32,1,1", TB WARP("1") "0000 ffffffff 0 EXIT 0 0 0\n" END);
	write_file("k.traceg", text, strlen(text));
	s = new_source("k.traceg", NULL, 0);
	if (m->init(s, &ctx) || m->start(s))
		log_add("no source\n");
	s->face.paths->claim_lanes(s->face.paths->self);
	log_length = 0;
	if (s->face.next_kernel(s, &l) > 0 && s->face.next_cta(s, 3) > 0)
		s->face.paths->execute(s->face.paths->self, 3, 1, 1, &inst);
	m->fini(s);
	free(s);
	expect("a node that the program does not have", "error: k.traceg: the lanes of a warp are not where its "
	       "program leads; expected a file that does not change while it is read\n");
}

/* A call within a call within a call. */
static void endless(void)
{
	static char body[1 << 17];
	size_t n = (size_t)sprintf(body, TB "warp = 0\ninsts = 1100\n");

	for (int i = 0; i < 1100; i++)
		n += (size_t)sprintf(body + n, "0000 ffffffff 0 CALL 0 0 0\n");
	strcpy(body + n, END);
	survey(body, 80, false);
	expect("calls that do not return", "error: k.traceg:1043: lanes are in more than 1024 calls at a "
	       "time; expected calls that return, by an instruction RET\n");
}

/* An opcode has one number, however many there are: two instructions at one pc may differ in an immediate. */
static void many_opcodes(void)
{
	static char body[1 << 14];
	size_t n = (size_t)sprintf(body, TB "warp = 0\ninsts = 302\n");

	for (int i = 0; i < 300; i++)
		n += (size_t)sprintf(body + n, "%04x ffffffff 1 R1 OP%d 0 0 0\n", i * 16, i);
	strcpy(body + n, "0000 ffffffff 1 R1 OP0 0 0 1\n0640 ffffffff 1 R1 OP100 0 0 1\n" END);
	survey(body, 80, false);
	log_text[strcspn(log_text, "\n")] = '\0';
	expect("300 opcodes", "0 0000 0 next 1 meet 1");
}

/* A text that is read twice, whose warps are in any order, has each warning once. */
static void any_order(void)
{
	static const char *const body =
		TB "warp = 2\ninsts = 3\n0000 ffffffff 1 R1 MOV 0 0 0 odd words\n0010 ffffffff 1 R2 MOV 0 0 0\n"
		"0020 ffffffff 0 EXIT 0 0 0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R1 MOV 0 0 0\n"
		"0020 ffffffff 0 EXIT 0 0 0\nwarp = 1\ninsts = 1\n0020 ffffffff 0 EXIT 0 0 0\n" END
		"#BEGIN_TB\nthread block = 1,0,0\nwarp = 1\ninsts = 1\n0020 ffffffff 0 EXIT 0 0 0 others\n"
		"warp = 0\ninsts = 1\n0020 ffffffff 0 EXIT 0 0 0\nwarp = 2\ninsts = 2\n"
		"0010 ffffffff 1 R2 MOV 0 0 0\n0020 ffffffff 0 EXIT 0 0 0\n" END;
#define EXIT "0020 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"
	static const char *const expected =
		"kernel k id=7 ctas=2 threads=96 warps=3 shmem=16 nregs=8 sm=80\n"
		"warp 0\n0000 ffffffff MOV ALU d2\n" EXIT "warp 1\n" EXIT
		"warp 2\n0000 ffffffff MOV ALU d2\n0010 ffffffff MOV ALU d3\n" EXIT
		"warning: k.traceg: 2 lines end with unknown words, first 'odd' in line 18; they are ignored\n"
		"warp 0\n" EXIT "warp 1\n" EXIT "warp 2\n0010 ffffffff MOV ALU d3\n" EXIT "end\n";
	char text[4096], *grid;
	struct source *s;

	make(text, sizeof text, "5", "", "96,1,1", body);
	grid = strstr(text, "-grid dim = (1,");
	grid[13] = '2';
	write_file("k.traceg", text, strlen(text));
	s = new_source("k.traceg", NULL, 0);
	start_source(s);
	s->face.paths->claim(s->face.paths->self);
	replay_kernels(&s->face, UINT64_MAX);
	hd_module_trace_source.fini(s);
	free(s);
	expect("a text that is read twice", expected);
}

static const struct {
	const char *shows, *expected;
} next_pc_cases[] = {
	{ .shows = "DV7", .expected = "16 24 40 " },
	{ .shows = "DV7", .expected = "24 32 40 " }, /* instructions of 16 bytes */
};

static void next_pcs(void)
{
	for (int wide = 0; wide < 2; wide++) {
		struct kernel k = { .k.program.wide = wide };
		struct kernel *of_slot[1] = { &k };
		struct source s = { .of_slot = of_slot };
		struct source *real = new_source("k.traceg", NULL, 0);
		struct hd_ctx ctx = { 0 };

		if (hd_module_trace_source.init(real, &ctx))
			log_add("no source\n");
		for (int i = 0; i < 3; i++)
			log_add("%" PRIu32 " ", real->paths.next_pc(&s, 0, (uint32_t)(i + 1) * 8));
		hd_module_trace_source.fini(real);
		free(real);
		expect("next pc", next_pc_cases[wide].expected);
	}
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (int load = 0; load < 2; load++) {
			survey(cases[i].body, cases[i].binary, load);
			expect(cases[i].what, cases[i].expected);
		}
	endless();
	lane_astray();
	many_opcodes();
	any_order();
	next_pcs();
	return finish();
}

/* groups.c - what divergence policies make of a few lines of a trace
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: groups [folder with the opcode tables]
 *
 * As lines.c: a log is compared with the expected one.  It has a line for each instruction and each
 * event.  A case names the rules of docs/sm.md that it shows.
 */
#include "policy.h"

#define TB "#BEGIN_TB\nthread block = 0,0,0\n"
#define END "#END_TB\n"
#define WARP(n) "warp = 0\ninsts = " n "\n"

#define NO_END(line) "warning: k.traceg: the trace of 1 warp ends before all threads exit, first in line " \
	line "; they end with the last instruction\n"

enum { FALL_THROUGH, TARGET, MOST_LANES, FEWEST_LANES };

/* The nested if of a lecture: A; if: B, then C and D, or F, met at E; else G; all at H. */
#define NESTED TB WARP("12") \
	"0000 ffffffff 1 R1 MOV 0 0 0\n" \
	"0010 000000ff 0 BRA 0 0 0\n"      /* the else part of eight lanes */ \
	"0020 ffffff00 1 R1 FADD 0 0 0\n"  /* B */ \
	"0030 ffff0000 0 BRA 0 0 0\n" \
	"0040 0000ff00 1 R1 FMUL 0 0 0\n"  /* C */ \
	"0050 0000ff00 0 BRA 0 0 0\n" \
	"0060 ffff0000 1 R1 FFMA 0 0 0\n"  /* D */ \
	"0070 ffffff00 1 R1 IADD3 0 0 0\n" /* E */ \
	"0080 ffffff00 0 BRA 0 0 0\n" \
	"0090 000000ff 1 R1 IMAD 0 0 0\n"  /* F */ \
	"00a0 ffffffff 1 R1 MOV 0 0 0\n" \
	"00b0 ffffffff 0 EXIT 0 0 0\n" END
/* Two lanes go through a loop a different number of times, and leave it at different places. */
#define LOOP TB WARP("8") \
	"0000 00000003 1 R1 MOV 0 0 0\n0010 00000002 0 BRA 0 0 0\n0020 00000001 0 BRA 0 0 0\n" \
	"0000 00000001 1 R1 MOV 0 0 0\n0010 00000000 0 BRA 0 0 0\n0020 00000000 0 BRA 0 0 0\n" \
	"0030 00000003 1 R1 FADD 0 0 0\n0040 00000003 0 EXIT 0 0 0\n" END
/* A barrier in both parts. */
#define BARRIERS TB WARP("5") \
	"0000 0000000f 0 BRA 0 0 0\n0010 fffffff0 0 BAR.SYNC 0 0 0\n0020 fffffff0 0 BRA 0 0 0\n" \
	"0030 0000000f 0 BAR.SYNC 0 0 0\n0040 ffffffff 0 EXIT 0 0 0\n" END

static const struct {
	const char *what, *shows;
	const struct hd_module *module;
	uint32_t first, depth;
	const char *body, *expected;
} cases[] = {
	{ "as_traced", .shows = "DV1 DV19", .module = &hd_module_as_traced, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0020 ffffff00\n0030 ffff0000\n0040 0000ff00\n0050 0000ff00\n"
	  "0060 ffff0000\n0070 ffffff00\n0080 ffffff00\n0090 000000ff\n00a0 ffffffff\n"
	  "00b0 ffffffff exits last\n12 of 12, 232 of 384 lanes, deepest 0, parted 0, met 0\n" },
	{ "simt_stack: an if in an if", .shows = "DV9 DV12 DV13 DV19", .module = &hd_module_simt_stack,
	  .body = NESTED, .expected =
	  "group number=1 of=1 pc=0 until=ffffffff mask=ffffffff\n"
	  "0000 ffffffff\n"
	  "diverge pc=10 target=90 taken=ff next=20 fallen=ffffff00\n"
	  "group number=1 of=3 pc=a0 until=ffffffff mask=ffffffff\n"
	  "group number=2 of=3 pc=90 until=a0 mask=ff\n"
	  "group number=3 of=3 pc=20 until=a0 mask=ffffff00\n"
	  "0010 000000ff\n0020 ffffff00\n"
	  "diverge pc=30 target=60 taken=ffff0000 next=40 fallen=ff00\n"
	  "group number=1 of=5 pc=a0 until=ffffffff mask=ffffffff\n"
	  "group number=2 of=5 pc=90 until=a0 mask=ff\n"
	  "group number=3 of=5 pc=70 until=a0 mask=ffffff00\n"
	  "group number=4 of=5 pc=60 until=70 mask=ffff0000\n"
	  "group number=5 of=5 pc=40 until=70 mask=ff00\n"
	  "0030 ffff0000\n0040 0000ff00\n"
	  "group number=1 of=4 pc=a0 until=ffffffff mask=ffffffff\n"
	  "group number=2 of=4 pc=90 until=a0 mask=ff\n"
	  "group number=3 of=4 pc=70 until=a0 mask=ffffff00\n"
	  "group number=4 of=4 pc=60 until=70 mask=ffff0000\n"
	  "0050 0000ff00\n"
	  "reconverge pc=70 mask=ffffff00\n"
	  "group number=1 of=3 pc=a0 until=ffffffff mask=ffffffff\n"
	  "group number=2 of=3 pc=90 until=a0 mask=ff\n"
	  "group number=3 of=3 pc=70 until=a0 mask=ffffff00\n"
	  "0060 ffff0000\n0070 ffffff00\n"
	  "group number=1 of=2 pc=a0 until=ffffffff mask=ffffffff\n"
	  "group number=2 of=2 pc=90 until=a0 mask=ff\n"
	  "0080 ffffff00\n"
	  "reconverge pc=a0 mask=ffffffff\n"
	  "group number=1 of=1 pc=a0 until=ffffffff mask=ffffffff\n"
	  "0090 000000ff\n00a0 ffffffff\n00b0 ffffffff exits last\n"
	  "12 of 12, 232 of 384 lanes, deepest 5, parted 2, met 2\n" },
	{ "simt_stack: the target first", .shows = "DV14", .module = &hd_module_simt_stack,
	  .first = TARGET, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0090 000000ff\n0020 ffffff00\n0030 ffff0000\n0060 ffff0000\n"
	  "0040 0000ff00\n0050 0000ff00\n0070 ffffff00\n0080 ffffff00\n00a0 ffffffff\n"
	  "00b0 ffffffff exits last\n12 of 12, 232 of 384 lanes, deepest 4, parted 2, met 2\n" },
	{ "simt_stack: most lanes first", .shows = "DV14", .module = &hd_module_simt_stack,
	  .first = MOST_LANES, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0020 ffffff00\n0030 ffff0000\n0060 ffff0000\n0040 0000ff00\n"
	  "0050 0000ff00\n0070 ffffff00\n0080 ffffff00\n0090 000000ff\n00a0 ffffffff\n"
	  "00b0 ffffffff exits last\n12 of 12, 232 of 384 lanes, deepest 5, parted 2, met 2\n" },
	{ "simt_stack: fewest lanes first", .shows = "DV14", .module = &hd_module_simt_stack,
	  .first = FEWEST_LANES, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0090 000000ff\n0020 ffffff00\n0030 ffff0000\n0040 0000ff00\n"
	  "0050 0000ff00\n0060 ffff0000\n0070 ffffff00\n0080 ffffff00\n00a0 ffffffff\n"
	  "00b0 ffffffff exits last\n12 of 12, 232 of 384 lanes, deepest 4, parted 2, met 2\n" },
	{ "simt_stack: four entries are not enough", .shows = "DV15", .module = &hd_module_simt_stack,
	  .depth = 4, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0020 ffffff00\n"
	  "failure: warp 3 needs more than the 4 entries of its stack at pc 0030; expected a 'depth' "
	  "that is enough, or 0 for any\n" },
	{ "simt_stack: four are in another order", .shows = "DV15", .module = &hd_module_simt_stack, .first = TARGET,
	  .depth = 4, .body = NESTED, .expected =
	  "0000 ffffffff\n0010 000000ff\n0090 000000ff\n0020 ffffff00\n0030 ffff0000\n0060 ffff0000\n"
	  "0040 0000ff00\n0050 0000ff00\n0070 ffffff00\n0080 ffffff00\n00a0 ffffffff\n"
	  "00b0 ffffffff exits last\n12 of 12, 232 of 384 lanes, deepest 4, parted 2, met 2\n" },
	{ "simt_stack: a loop", .shows = "DV4 DV5 DV6 DV13", .module = &hd_module_simt_stack, .body = LOOP,
	  .expected =
	  NO_END("25") "0000 00000003\n0010 00000002\n0020 00000001\n0000 00000001\n0010 00000000\n0020 00000000\n"
	  "0030 00000003\n0040 00000003 exits last\n8 of 8, 9 of 256 lanes, deepest 2, parted 1, met 1\n" },
	{ "simt_stack: groups that the trace has one by one become one", .shows = "DV9",
	  .module = &hd_module_simt_stack, .body = TB WARP("6")
	  "0000 0000ffff 1 R1 LDG.E 1 R2 4 1 0x1000 4\n0010 0000ffff 1 R1 MOV 0 0 0\n"
	  "0020 0000ffff 0 EXIT 0 0 0\n0000 ffff0000 1 R1 LDG.E 1 R2 4 1 0x2000 4\n"
	  "0010 00000000 1 R1 MOV 0 0 0\n0020 ffff0000 0 EXIT 0 0 0\n" END, .expected =
	  "0000 ffffffff 0:1000 16:2000\n0010 0000ffff\n0020 ffffffff exits last\n"
	  "3 of 6, 80 of 96 lanes, deepest 1, parted 0, met 0\n" },
	{ "lanes that end without an EXIT, lines without lanes at the end", .shows = "DV10",
	  .module = &hd_module_simt_stack, .body = TB WARP("5")
	  "0000 00000007 1 R1 MOV 0 0 0\n0010 00000001 0 EXIT 0 0 0\n0020 00000002 1 R1 MOV 0 0 0\n"
	  "0030 00000000 1 R1 MOV 0 0 0\n0040 00000000 0 EXIT 0 0 0\n" END, .expected =
	  NO_END("22") "0000 00000007\n0010 00000001 exits\n0020 00000002 exits last\n"
	  "3 of 5, 5 of 96 lanes, deepest 1, parted 0, met 0\n" },
	{ "no lane executes anything", .shows = "DV10", .module = &hd_module_min_pc, .body = TB WARP("2")
	  "0000 00000000 1 R1 MOV 0 0 0\n0010 00000000 0 EXIT 0 0 0\n" END, .expected =
	  NO_END("19") "0 of 2, 0 of 0 lanes, deepest 0, parted 0, met 0\n" },
	{ "calls", .shows = "DV2 DV3", .module = &hd_module_simt_stack, .body = TB WARP("8")
	  "0000 0000ffff 0 CALL.REL.NOINC 0 0 0\n0100 0000ffff 1 R1 MOV 0 0 0\n"
	  "0110 0000ffff 0 RET.REL 0 0 0\n0010 ffffffff 1 R1 FADD 0 0 0\n"
	  "0020 ffff0000 0 CALL.REL.NOINC 0 0 0\n0100 ffff0000 1 R1 MOV 0 0 0\n"
	  "0110 ffff0000 0 RET.REL 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END, .expected =
	  "0000 0000ffff\n0100 0000ffff\n0110 0000ffff\n0010 ffffffff\n0020 ffff0000\n0100 ffff0000\n"
	  "0110 ffff0000\n0030 ffffffff exits last\n8 of 8, 160 of 256 lanes, deepest 2, parted 2, met 2\n" },
	{ "calls of what has other immediates", .shows = "DV2 DV3", .module = &hd_module_simt_stack,
	  .body = TB WARP("8")
	  "0000 0000ffff 0 CALL.REL.NOINC 0 0 0\n0000 0000ffff 1 R1 LDG.E 1 R2 4 1 0x1000 0 1\n"
	  "0020 0000ffff 0 RET.REL 0 0 0\n0010 ffffffff 1 R1 FADD 0 0 1\n"
	  "0020 ffff0000 0 CALL.REL.NOINC 0 0 0\n0000 ffff0000 1 R1 LDG.E 1 R2 4 1 0x2000 0 2\n"
	  "0020 ffff0000 0 RET.REL 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END, .expected =
	  "0000 0000ffff\n0000 0000ffff 0:1000 16:0\n0020 0000ffff\n0010 ffffffff\n0020 ffff0000\n"
	  "0000 ffff0000 0:0 16:2000\n"
	  "0020 ffff0000\n0030 ffffffff exits last\n8 of 8, 160 of 256 lanes, deepest 2, parted 2, met 2\n" },
	{ "back without a branch", .shows = "DV8", .module = &hd_module_simt_stack, .body = TB WARP("6")
	  "0000 00000003 1 R1 MOV 0 0 0\n0010 00000001 1 R1 FADD 0 0 0\n0020 00000002 1 R1 FMUL 0 0 0\n"
	  "0000 00000001 1 R1 MOV 0 0 0\n0010 00000003 1 R1 FADD 0 0 0\n0030 00000003 0 EXIT 0 0 0\n" END,
	  .expected =
	  "warning: k.traceg:21: lanes go back without a branch, first from pc 0020 to 0000; taken as if "
	  "there were one\n" NO_END("23")
	  "0000 00000003\n0010 00000001\n0020 00000002\n0000 00000001\n0010 00000003\n0020 00000000\n"
	  "0030 00000003 exits last\n7 of 6, 9 of 224 lanes, deepest 1, parted 0, met 0\n" },
	{ "lanes in front of the first line", .shows = "DV8", .module = &hd_module_min_pc,
	  .body = TB WARP("2") "0010 0000ffff 0 BRA 0 0 0\n0000 ffff0000 1 R1 MOV 0 0 0\n" END,
	  .expected = "error: k.traceg:19: lanes begin at pc 0000, but their warp begins at 0010; "
	  "expected a pc that is not smaller\n" },
	{ "a barrier with all lanes that are alive", .shows = "DV11", .module = &hd_module_simt_stack,
	  .body = TB WARP("3") "0000 0000000f 0 EXIT 0 0 0\n0010 000000f0 0 BAR.SYNC 0 0 0\n"
	  "0020 fffffff0 0 EXIT 0 0 0\n" END, .expected =
	  "0000 0000000f exits\n0010 000000f0 barrier\n0020 fffffff0 exits last\n"
	  "3 of 3, 36 of 96 lanes, deepest 1, parted 0, met 0\n" },
	{ "simt_stack: a barrier in divergent code", .shows = "DV16", .module = &hd_module_simt_stack,
	  .body = BARRIERS, .expected = "0000 0000000f\n"
	  "failure: warp 3 waits at a barrier at pc 0010 in divergent code, for lanes below it on its "
	  "stack: deadlock.  Its stack, top first: fffffff0 at 0010 until 0040; 0000000f at 0030 until "
	  "0040; ffffffff at 0040 until the end\n" },
	{ "min_pc: the groups of an if", .shows = "DV17", .module = &hd_module_min_pc,
	  .body = TB WARP("4") "0000 000000ff 0 BRA 0 0 0\n0010 ffffff00 0 BRA 0 0 0\n"
	  "0020 000000ff 1 R1 MOV 0 0 0\n0030 ffffffff 0 EXIT 0 0 0\n" END, .expected =
	  "group number=1 of=1 pc=0 until=ffffffff mask=ffffffff\n"
	  "diverge pc=0 target=20 taken=ff next=10 fallen=ffffff00\n"
	  "group number=1 of=2 pc=10 until=ffffffff mask=ffffff00\n"
	  "group number=2 of=2 pc=20 until=ffffffff mask=ff\n"
	  "0000 000000ff\n"
	  "group number=1 of=2 pc=20 until=ffffffff mask=ff\n"
	  "group number=2 of=2 pc=30 until=ffffffff mask=ffffff00\n"
	  "0010 ffffff00\n"
	  "reconverge pc=30 mask=ffffffff\n"
	  "group number=1 of=1 pc=30 until=ffffffff mask=ffffffff\n"
	  "0020 000000ff\n"
	  "0030 ffffffff exits last\n"
	  "4 of 4, 72 of 128 lanes, deepest 2, parted 1, met 1\n" },
	{ "min_pc: a barrier in divergent code", .shows = "DV11 DV17", .module = &hd_module_min_pc,
	  .body = BARRIERS, .expected =
	  "0000 0000000f\n0010 fffffff0\n0030 0000000f barrier\n0020 fffffff0\n0040 ffffffff exits last\n"
	  "5 of 5, 96 of 160 lanes, deepest 2, parted 1, met 1\n" },
	{ "lanes_apart: a barrier in divergent code", .shows = "DV11 DV18",
	  .module = &hd_module_lanes_apart, .body = BARRIERS, .expected =
	  "0000 0000000f\n0010 fffffff0\n0030 0000000f barrier\n0020 fffffff0\n0040 fffffff0 exits\n"
	  "0040 0000000f exits last\n6 of 5, 96 of 192 lanes, deepest 2, parted 1, met 0\n" },
	{ "the last lanes that did not wait end", .shows = "DV11", .module = &hd_module_lanes_apart,
	  .body = TB WARP("4") "0000 0000000f 0 BRA 0 0 0\n0010 fffffff0 0 BAR.SYNC 0 0 0\n"
	  "0020 fffffff0 0 EXIT 0 0 0\n0030 0000000f 0 EXIT 0 0 0\n" END, .expected =
	  "0000 0000000f\n0010 fffffff0\n0030 0000000f barrier exits\n0020 fffffff0 exits last\n"
	  "4 of 4, 64 of 128 lanes, deepest 2, parted 1, met 0\n" },
	{ "min_pc: a loop", .shows = "DV17", .module = &hd_module_min_pc, .body = LOOP, .expected =
	  NO_END("25") "0000 00000003\n0010 00000002\n0020 00000001\n0000 00000001\n0010 00000000\n0020 00000000\n"
	  "0030 00000003\n0040 00000003 exits last\n8 of 8, 9 of 256 lanes, deepest 2, parted 1, met 1\n" },
	{ "lanes_apart: a loop", .shows = "DV18", .module = &hd_module_lanes_apart, .body = LOOP,
	  .expected =
	  NO_END("25") "0000 00000003\n0010 00000002\n0020 00000001\n0000 00000001\n0010 00000000\n0020 00000000\n"
	  "0030 00000001\n0040 00000001 exits\n0030 00000002\n0040 00000002 exits last\n"
	  "10 of 8, 9 of 320 lanes, deepest 2, parted 1, met 0\n" },
};

static void tell(const struct hd_inst *i)
{
	log_add("%04x %08x", i->pc, i->mask);
	if (i->flags & HD_INST_BARRIER)
		log_add(" barrier");
	if (i->exits)
		log_add(" exits");
	if (i->flags & HD_INST_LAST)
		log_add(" last");
	for (unsigned k = 0; i->flags & HD_INST_LOAD && k < HD_LANES; k += 16)
		log_add(" %u:%x", k, (unsigned)hd_inst_addr(i, k));
	log_add("\n");
	if (i->nlanes != hd_bits_count(i->mask) || i->warp != 3)
		log_add("a wrong count of lanes, or a wrong warp\n");
}

static void run(const struct policy *p)
{
	bool failed = false;
	struct hd_inst inst;

	while (!failed) {
		uint32_t pc = p->face->pc(p->face->self, 3);

		if (!p->face->next(p->face->self, 3, &inst))
			break;
		failed = strstr(log_text, "failure:");
		if (inst.pc != pc)
			log_add("pc() has another one\n");
		if (!failed)
			tell(&inst);
	}
	if (!failed)
		log_add("%u of %u, %u of %u lanes, deepest %u, parted %u, met %u\n",
		        (unsigned)p->state->executed.instructions,
		        (unsigned)p->state->traced.instructions, (unsigned)p->state->executed.lanes,
		        (unsigned)p->state->executed.instructions * HD_LANES,
		        (unsigned)p->state->deepest, (unsigned)p->state->divergences,
		        (unsigned)p->state->reconvergences);
}

static void play(size_t i)
{
	const struct hd_module *m = &hd_module_trace_source;
	bool shown = strstr(cases[i].expected, "group number");
	struct hd_ctx ctx = { 0 };
	struct hd_launch launch;
	struct hd_trace_if *t;
	struct policy p;
	size_t n;
	void *s;

	write_kernel("k.traceg", "5", "32,1,1", cases[i].body);
	s = new_source("k.traceg", NULL, 0);
	t = (void *)((char *)s + m->ports[0].offset);
	policy_ctx.events = shown ? UINT32_MAX : 0;
	if (m->init(s, &ctx) || m->start(s)
	    || !policy_start(&p, cases[i].module, t, cases[i].first, cases[i].depth))
		log_add("no source, or no policy\n");
	if (t->next_kernel(t->self, &launch) > 0 && t->next_cta(t->self, 3) > 0)
		run(&p);
	n = log_length;
	policy_end(&p);
	m->fini(s);
	log_text[n] = '\0'; /* without warnings at the end of the run */
	free(s);
	expect(cases[i].what, cases[i].expected);
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		play(i);
	return finish();
}

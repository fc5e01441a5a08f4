/* synthesis.c - the rules by which control words are synthesised (docs/modern.md)
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: synthesis [folder with the opcode tables]
 *
 * As program.c: a log is compared with the expected one.  It has a line for each static instruction in
 * the order of the text: pc, opcode, control word, operand slots that are reused.
 */
#include "replay.h"

#include "modules/trace_source/source_parts.h"

#include <inttypes.h>

#define TB "#BEGIN_TB\nthread block = 0,0,0\n"
#define END "#END_TB\n"
#define WARP(n) "warp = 0\ninsts = " n "\n"
#define ALL " ffffffff "
#define LOAD(reg, base) "1 R" reg " LDG.E.SYS 1 R" base " 4 1 0x7f6a20000000 4 0\n"
#define WIDE(reg) ALL "1 R" reg " LDG.E.128.SYS 1 R2 16 1 0x7f6a20000000 16 0\n"
#define STORE(base, reg) "0 STG.E.SYS 2 R" base " R" reg " 4 1 0x7f6a20000000 4 0\n"

static const struct {
	const char *what, *shows, *body, *expected, *table, *listing;
} cases[] = {
	{ .what = "a chain", .shows = "SY1 SY4", .body = TB WARP("5")
	  "0000" ALL "1 R1 FADD 2 R2 R3 0 0\n0010" ALL "1 R4 FADD 2 R1 R3 0 0\n"
	  "0020" ALL "1 R5 FADD 2 R2 R3 0 0\n0030" ALL "1 R6 FADD 2 R4 R5 0 0\n"
	  "0040" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 FADD [B------:R-:W-:-:S04] 0 1\n"
	  "0010 FADD [B------:R-:W-:-:S01] 1\n"
	  "0020 FADD [B------:R-:W-:-:S04]\n"
	  "0030 FADD [B------:R-:W-:-:S01]\n"
	  "0040 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a kernel with a listing", .shows = "SY1", .body = TB WARP("2")
	  "0000" ALL "1 R1 FADD 2 R2 R3 0 0\n0010" ALL "0 EXIT 0 0 0\n" END,
	  .listing = "{\"heddle_sass\": 1, \"instructions\": ["
	  "{\"pc\": 0, \"opcode\": \"FADD\", \"operands\": [],"
	  " \"control\": {\"wait\": [3], \"yield\": true, \"stall\": 7}},"
	  "{\"pc\": 16, \"opcode\": \"EXIT\", \"operands\": [],"
	  " \"control\": {\"wait\": [], \"yield\": false, \"stall\": 5}}]}",
	  .expected =
	  "0000 FADD [B---3--:R-:W-:Y:S07] not synthetic\n"
	  "0010 EXIT [B------:R-:W-:-:S05] not synthetic\n" },
	{ .what = "a listing without control words", .shows = "SY1", .body = TB WARP("2")
	  "0000" ALL "1 R1 FADD 2 R2 R3 0 0\n0010" ALL "0 EXIT 0 0 0\n" END,
	  .listing = "{\"heddle_sass\": 1, \"instructions\": ["
	  "{\"pc\": 0, \"opcode\": \"FADD\", \"operands\": []},"
	  "{\"pc\": 16, \"opcode\": \"EXIT\", \"operands\": []}]}",
	  .expected =
	  "0000 FADD [B------:R-:W-:-:S01]\n"
	  "0010 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "another table", .shows = "SY3", .body = TB WARP("4")
	  "0000" ALL "1 R1 FADD.FTZ 2 R2 R3 0 0\n0010" ALL "1 R4 FADD 2 R1 R3 0 0\n"
	  "0020" ALL "1 R5 MOV 1 R4 0 0\n0030" ALL "1 R6 MOV 1 R5 0 0\n" END,
	  .table = "{\"heddle_latencies\": 1, \"yield_from\": 9, \"opcodes\": {"
	  "\"FADD\": {\"latency\": 9}, \"FADD.FTZ\": {\"latency\": 7}},"
	  " \"default\": {\"latency\": 2}}",
	  .expected =
	  "0000 FADD.FTZ [B------:R-:W-:-:S07] 1\n"
	  "0010 FADD [B------:R-:W-:Y:S09]\n"
	  "0020 MOV [B------:R-:W-:-:S02]\n"
	  "0030 MOV [B------:R-:W-:-:S01]\n" },
	{ .what = "an address, a half, a longer latency overtaken", .shows = "SY4", .body = TB WARP("5")
	  "0000" ALL "1 R1 MOV 0 0 0\n0010" ALL LOAD("4", "1")
	  "0020" ALL "1 R6 HFMA2.MMA 3 R7 R8 R9 0 0\n0030" ALL "1 R6 FADD 2 R7 R8 0 0\n"
	  "0040" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 MOV [B------:R-:W-:-:S05]\n"
	  "0010 LDG.E.SYS [B------:R-:W0:-:S01]\n"
	  "0020 HFMA2.MMA [B------:R-:W-:-:S02] 0 1\n"
	  "0030 FADD [B------:R-:W-:-:S01]\n"
	  "0040 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "ways that meet, and a loop", .shows = "SY2 SY5", .body = TB WARP("9")
	  "0000" " 0000ffff " "0 BRA 0 0 0\n0010" " ffff0000 " "1 R1 IMAD.WIDE 2 R8 R9 0 0\n"
	  "0020" ALL "1 R3 FADD 2 R1 R4 0 0\n0030" ALL LOAD("4", "6")
	  "0040" ALL "0 BRA 0 0 0\n0020" ALL "1 R3 FADD 2 R1 R4 0 0\n"
	  "0030" ALL LOAD("4", "6") "0040" " 00000000 " "0 BRA 0 0 0\n"
	  "0050" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 BRA [B------:R-:W-:-:S05]\n"
	  "0010 IMAD.WIDE [B------:R-:W-:-:S05]\n"
	  "0020 FADD [B0-----:R-:W-:-:S01]\n"
	  "0030 LDG.E.SYS [B------:R-:W0:-:S01]\n"
	  "0040 BRA [B------:R-:W-:-:S05]\n"
	  "0050 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a result that some lanes still have", .shows = "SY5", .body = TB WARP("5")
	  "0000" ALL "1 R1 MOV 0 0 0\n0010" " 0000ffff " "1 R1 MUFU.RCP 1 R7 0 0\n"
	  "0020" ALL "0 NOP 0 0 0\n0030" ALL "1 R2 FADD 2 R1 R1 0 0\n0040" ALL "0 EXIT 0 0 0\n"
	  END,
	  .expected =
	  "0000 MOV [B------:R-:W-:-:S01]\n"
	  "0010 MUFU.RCP [B------:R-:W0:-:S01]\n"
	  "0020 NOP [B------:R-:W-:-:S02]\n"
	  "0030 FADD [B0-----:R-:W-:-:S01]\n"
	  "0040 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a load, its reader, its address", .shows = "SY6 SY7 SY9", .body = TB WARP("7")
	  "0000" ALL LOAD("4", "2") "0010" ALL "1 R5 FADD 2 R4 R4 0 0\n"
	  "0020" ALL STORE("2", "5") "0030" ALL "1 R2 MOV 0 0 0\n0040" ALL LOAD("6", "2")
	  "0050" ALL "1 R6 MOV 0 0 0\n0060" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDG.E.SYS [B------:R-:W0:-:S02]\n"
	  "0010 FADD [B0-----:R-:W-:-:S05]\n"
	  "0020 STG.E.SYS [B------:R1:W-:-:S02]\n"
	  "0030 MOV [B-1----:R-:W-:-:S05]\n"
	  "0040 LDG.E.SYS [B------:R-:W2:-:S02]\n"
	  "0050 MOV [B--2---:R-:W-:-:S01]\n"
	  "0060 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "seven loads", .shows = "SY8", .body = TB WARP("10")
	  "0000" ALL LOAD("10", "2") "0010" ALL LOAD("11", "2") "0020" ALL LOAD("12", "2")
	  "0030" ALL LOAD("13", "2") "0040" ALL LOAD("14", "2") "0050" ALL LOAD("15", "2")
	  "0060" ALL LOAD("16", "2") "0070" ALL "1 R5 FADD 2 R10 R11 0 0\n"
	  "0080" ALL "1 R6 FADD 2 R15 R5 0 0\n0090" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDG.E.SYS [B------:R-:W0:-:S01]\n"
	  "0010 LDG.E.SYS [B------:R-:W1:-:S01]\n"
	  "0020 LDG.E.SYS [B------:R-:W2:-:S01]\n"
	  "0030 LDG.E.SYS [B------:R-:W3:-:S01]\n"
	  "0040 LDG.E.SYS [B------:R-:W4:-:S01]\n"
	  "0050 LDG.E.SYS [B------:R-:W5:-:S01]\n"
	  "0060 LDG.E.SYS [B------:R-:W5:-:S01]\n"
	  "0070 FADD [B01----:R-:W-:-:S04]\n"
	  "0080 FADD [B-----5:R-:W-:-:S01]\n"
	  "0090 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a counter that covers 48 registers", .shows = "SY8", .body = TB WARP("20")
	  "0000" WIDE("4") "0010" ALL LOAD("8", "2") "0020" ALL LOAD("9", "2") "0030" ALL LOAD("10", "2")
	  "0040" ALL LOAD("11", "2") "0050" WIDE("12") "0060" WIDE("16") "0070" WIDE("20") "0080" WIDE("24")
	  "0090" WIDE("28") "00a0" WIDE("32") "00b0" WIDE("36") "00c0" WIDE("40") "00d0" WIDE("44")
	  "00e0" WIDE("48") "00f0" WIDE("52") "0100" WIDE("56") "0110" ALL LOAD("60", "2")
	  "0120" ALL LOAD("61", "2") "0130" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDG.E.128.SYS [B------:R-:W0:-:S01]\n"
	  "0010 LDG.E.SYS [B------:R-:W1:-:S01]\n"
	  "0020 LDG.E.SYS [B------:R-:W2:-:S01]\n"
	  "0030 LDG.E.SYS [B------:R-:W3:-:S01]\n"
	  "0040 LDG.E.SYS [B------:R-:W4:-:S01]\n"
	  "0050 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0060 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0070 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0080 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0090 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00a0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00b0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00c0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00d0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00e0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "00f0 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0100 LDG.E.128.SYS [B------:R-:W5:-:S01]\n"
	  "0110 LDG.E.SYS [B------:R-:W1:-:S01]\n"
	  "0120 LDG.E.SYS [B------:R-:W1:-:S01]\n"
	  "0130 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "predicates, carries, uniform registers", .shows = "SY10 SY11", .body = TB WARP("10")
	  "0000" ALL "0 ISETP.GE.AND 1 R6 0 0\n0010" ALL "1 R4 MOV 0 0 0\n"
	  "0020" " 0000ffff " "1 R5 FADD 2 R8 R9 0 0\n0030" ALL "1 R4 IADD3 3 R4 R8 R9 0 0\n"
	  "0040" ALL "1 R7 IADD3.X 3 R8 R8 R9 0 0\n0050" ALL "0 UIADD3 0 0 1\n"
	  "0060" ALL "1 R9 FFMA 3 R10 R11 R12 0 0\n0070" ALL "1 R13 FFMA 2 R10 R11 0 0\n"
	  "0080" " 0000000f " "0 BRA 0 0 0\n0090" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 ISETP.GE.AND [B------:R-:W-:-:S01]\n"
	  "0010 MOV [B------:R-:W-:Y:S12]\n"
	  "0020 FADD [B------:R-:W-:-:S01] 1\n"
	  "0030 IADD3 [B------:R-:W-:-:S05]\n"
	  "0040 IADD3.X [B------:R-:W-:-:S01]\n"
	  "0050 UIADD3 [B------:R-:W-:-:S01]\n"
	  "0060 FFMA [B------:R-:W-:-:S05] 0 1\n"
	  "0070 FFMA [B------:R-:W-:-:S01]\n"
	  "0080 BRA [B------:R-:W-:-:S05]\n"
	  "0090 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a call", .shows = "SY11", .body = TB WARP("6")
	  "0000" ALL LOAD("4", "2") "0010" ALL "0 CALL.REL.NOINC 0 0 0\n"
	  "0000" ALL "1 R8 S2R 0 0 0\n0010" ALL "0 RET.REL 0 0 0\n0020" ALL "1 R5 FADD 2 R4 R8 0 0\n"
	  "0030" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDG.E.SYS [B------:R-:W0:-:S02]\n"
	  "0010 CALL.REL.NOINC [B0-----:R-:W-:-:S05]\n"
	  "0000 S2R [B------:R-:W1:-:S02]\n"
	  "0010 RET.REL [B-1----:R-:W-:-:S05]\n"
	  "0020 FADD [B------:R-:W-:-:S01]\n"
	  "0030 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "a barrier, copies", .shows = "SY11", .body = TB WARP("6")
	  "0000" ALL "0 LDGSTS.E.BYPASS.LTC128B.128 2 R24 R2 16 1 0x7e0000100940 0 0\n"
	  "0010" ALL "0 LDGDEPBAR 0 0 0\n0020" ALL "0 DEPBAR.LE 0 0 2\n0030" ALL "0 BAR.SYNC 0 0 0\n"
	  "0040" ALL "1 R3 MOV 0 0 0\n0050" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDGSTS.E.BYPASS.LTC128B.128 [B------:R0:W-:-:S01]\n"
	  "0010 LDGDEPBAR [B------:R-:W-:-:S04]\n"
	  "0020 DEPBAR.LE [B------:R-:W-:-:S04]\n"
	  "0030 BAR.SYNC [B------:R-:W-:-:S06]\n"
	  "0040 MOV [B0-----:R-:W-:-:S01]\n"
	  "0050 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "wide operands", .shows = "SY12", .body = TB WARP("6")
	  "0000" ALL "1 R4 LDG.E.128.SYS 1 R2 16 1 0x7f6a20000000 16 0\n"
	  "0010" ALL "1 R8 IADD3 2 R7 R255 0 0\n0020" ALL "1 R10 DADD 2 R12 R14 0 0\n"
	  "0030" ALL "0 STG.E.64.SYS 2 R2 R10 8 1 0x7f6a20000000 8 0\n"
	  "0040" ALL "1 R11 MOV 0 0 0\n0050" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 LDG.E.128.SYS [B------:R-:W0:-:S02]\n"
	  "0010 IADD3 [B0-----:R-:W-:-:S01]\n"
	  "0020 DADD [B------:R-:W1:-:S02]\n"
	  "0030 STG.E.64.SYS [B-1----:R2:W-:-:S02]\n"
	  "0040 MOV [B--2---:R-:W-:-:S01]\n"
	  "0050 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "reuse", .shows = "SY13", .body = TB WARP("6")
	  "0000" ALL "1 R1 FFMA 3 R2 R3 R4 0 0\n0010" ALL "1 R5 FFMA 3 R2 R7 R8 0 0\n"
	  "0020" ALL "1 R6 FFMA 3 R9 R7 R10 0 0\n0030" ALL "1 R2 FFMA 3 R2 R13 R10 0 0\n"
	  "0040" ALL "1 R11 FFMA 3 R2 R12 R14 0 0\n0050" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 FFMA [B------:R-:W-:-:S01] 0\n"
	  "0010 FFMA [B------:R-:W-:-:S01] 0 1\n"
	  "0020 FFMA [B------:R-:W-:-:S01] 2\n"
	  "0030 FFMA [B------:R-:W-:-:S04]\n"
	  "0040 FFMA [B------:R-:W-:-:S01]\n"
	  "0050 EXIT [B------:R-:W-:-:S05]\n" },
	{ .what = "an opcode that is not in the table", .shows = "SY14", .body = TB WARP("4")
	  "0000" ALL "1 R1 FROBNICATE 1 R2 0 0\n0010" ALL "1 R4 MOV 0 0 0\n"
	  "0020" ALL "1 R2 FADD 2 R4 R4 0 0\n0030" ALL "0 EXIT 0 0 0\n" END,
	  .expected =
	  "0000 FROBNICATE [B------:R-:W0:-:S02]\n"
	  "0010 MOV [B0-----:R-:W-:-:S04]\n"
	  "0020 FADD [B------:R-:W-:-:S01]\n"
	  "0030 EXIT [B------:R-:W-:-:S05]\n" },
};

static const char *latencies;

static char counter(uint8_t k)
{
	return (char)(k < HD_COUNTERS ? '0' + k : '-');
}

static void log_word(const char *opcode, uint32_t pc, const struct hd_control *c)
{
	char wait[HD_COUNTERS + 1] = "------";

	for (unsigned k = 0; k < HD_COUNTERS; k++)
		if (c->wait >> k & 1)
			wait[k] = (char)('0' + k);
	log_add("%04" PRIx32 " %s [B%s:R%c:W%c:%c:S%02u]", pc, opcode, wait, counter(c->read),
	        counter(c->write), c->flags & HD_CONTROL_YIELD ? 'Y' : '-', c->stall);
	for (unsigned k = 0; k < HD_OPERAND_SLOTS; k++)
		if (c->reuse >> k & 1)
			log_add(" %u", k);
	if ((c->flags & (HD_CONTROL_GIVEN | HD_CONTROL_SYNTHETIC | HD_CONTROL_OPERANDS))
	    != (HD_CONTROL_GIVEN | HD_CONTROL_SYNTHETIC))
		log_add(" not synthetic");
	log_add("\n");
}

static void put_kernel(const char *body)
{
	write_kernel("k.traceg", "5", "32,1,1", body);
}

static struct source *open_source(const char *table)
{
	struct source *s = new_source("k.traceg", "control", CONTROL_AVAILABLE);

	s->reader.opt.latencies = table;
	start_source(s);
	return s;
}

static void check(const char *what, const char *table, const char *body, const char *expected)
{
	struct hd_launch l;
	struct source *s;
	size_t n;

	put_kernel(body);
	s = open_source(table);
	s->reader.surveys = true;
	if (s->face.next_kernel(s, &l) > 0)
		for (uint32_t i = 0; i < s->present->k.code.n; i++) {
			struct hd_inst inst;

			memcpy(&inst, s->present->k.code.v[i].head, TRACE_HEAD);
			log_word(s->reader.names.v[inst.opcode], inst.pc, &inst.control);
		}
	if (s->synthetic && s->synthetic != s->statics)
		log_add("synthetic=%" PRIu64 " of %" PRIu64 "\n", s->synthetic, s->statics);
	n = log_length;
	hd_module_trace_source.fini(s);
	log_text[n] = '\0'; /* without warnings at the end of the run */
	free(s);
	expect(what, expected);
}

/* An instruction has one word, whatever its immediate is. */
static void another_immediate(void)
{
#define WORDS "0000 LDG.E.SYS [B------:R-:W0:-:S02]\n0010 MOV [B0-----:R-:W-:-:S01]\n" \
	"0020 BRA [B------:R-:W-:-:S05]\n"
	static const char *const expected = WORDS WORDS "0030 EXIT [B------:R-:W-:-:S05]\n";
	struct hd_inst inst;
	struct hd_launch l;
	struct source *s;

	put_kernel(TB WARP("7") "0000" ALL "1 R1 LDG.E.SYS 1 R2 4 1 0x7f6a20000000 4 5\n0010" ALL "1 R3 MOV 1 R1 0 0\n"
	           "0020" ALL "0 BRA 0 0 0\n0000" ALL "1 R1 LDG.E.SYS 1 R2 4 1 0x7f6a20000000 4 6\n"
	           "0010" ALL "1 R3 MOV 1 R1 0 0\n0020 00000000 0 BRA 0 0 0\n0030" ALL "0 EXIT 0 0 0\n" END);
	s = open_source(latencies);
	if (s->face.next_kernel(s, &l) > 0 && s->face.next_cta(s, 0) > 0)
		while (s->face.next(s, 0, &inst))
			log_word(s->reader.names.v[inst.opcode], inst.pc, &inst.control);
	hd_module_trace_source.fini(s);
	free(s);
	expect("two immediates", expected);
}

int main(int argc, char **argv)
{
	char file[4096 + 32];

	begin(argc, argv);
	snprintf(file, sizeof file, "%s/latencies.json", tables);
	latencies = file;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (cases[i].table)
			write_file("table.json", cases[i].table, strlen(cases[i].table));
		if (cases[i].listing)
			write_file("k.sass.json", cases[i].listing, strlen(cases[i].listing));
		check(cases[i].what, cases[i].table ? "table.json" : latencies, cases[i].body,
		      cases[i].expected);
		unlink("k.sass.json");
	}
	another_immediate();
	return finish();
}

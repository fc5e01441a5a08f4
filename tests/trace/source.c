/* source.c - output of the trace source besides instructions, and several kernels at a time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: source [folder with the opcode tables]
 *
 * Statistics, static instructions as dumps have them, opcodes that a netlist moves to other
 * classes, tables of opcodes and their index.
 */
#include "replay.h"

#include "modules/trace_source/source_parts.h"

#define END "0900 ffffffff 0 EXIT 0 0 0 \n#END_TB\n"
#define BLOCK(n, lines) "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " #n "\n" lines END
#define K1 "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\nwarp 0\n"
#define EXIT "0900 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"

static void put(const char *file, const char *text)
{
	write_file(file, text, strlen(text));
}

static void put_kernel(const char *file, const char *body)
{
	char text[4096];

	make(text, sizeof text, "5", "", "32,1,1", body);
	put(file, text);
}

/* ---- statistics ----------------------------------------------------------------------------- */

static void check_statistics(void)
{
	statistics = true;
	put_kernel("kernel-1.traceg", BLOCK(3, "0000 ffffffff 1 R1 MOV 0 0 0 \n"
	           "0000 ffffffff 1 R1 MOV 0 0 0 \n"));
	put_kernel("kernel-2.traceg", BLOCK(2, "0000 ffffffff 1 R1 ZZZ 0 0 0 \n"));
	put("kernelslist.g", "MemcpyHtoD,0x7fb0fc400000,200000\nMemset\nMemcpyDtoH,0x1,2\nkernel-1.traceg\n"
	    "kernel-2.traceg\nMemcpyHtoD,0x10,24\nkernel\n\n");
	replay_with("kernelslist.g", NULL, 0);
	expect("of a list", K1
	       "0000 ffffffff MOV ALU d2\n0000 ffffffff MOV ALU d2\n" EXIT
	       "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\n"
	       "warning: kernel-2.traceg: opcode 'ZZZ' is not in 'TABLES/ampere.json'; 1 "
	       "instruction taken as class ALU\nwarp 0\n0000 ffffffff ZZZ ALU d2\n" EXIT "end\n"
	       "stats kernels=2 blocks=2 lines=41 bytes=702 static=4 unknown=1 copies=2 "
	       "copied=200024 ignored=3\n");
	statistics = false;
}

/* ---- static instructions -------------------------------------------------------------------- */

static void check_definitions(void)
{
	static const struct {
		const char *line, *expected;
	} v[] = {
		{ "0000 ffffffff 1 R1 MOV 0 0 0 \n",
		  "kernel=1 pc=0 opcode=MOV text=MOV R1 class=ALU dst=1" },
		{ "0010 ffffffff 0 NOP 0 0 0 \n",
		  "kernel=1 pc=16 opcode=NOP text=NOP class=ALU" },
		{ "0020 ffffffff 1 R255 IADD3 2 R255 R7 0 0 \n",
		  "kernel=1 pc=32 opcode=IADD3 text=IADD3 RZ, RZ, R7 class=INTP dst=255" },
		{ "0030 ffffffff 0 STG.E 2 R2 R255 4 1 0x100 4 0 \n",
		  "kernel=1 pc=48 opcode=STG.E text=STG.E R2, RZ class=STORE space=global" },
		{ "0040 ffffffff 1 R4 LD.E 1 R2 4 1 0x100 4 0 \n",
		  "kernel=1 pc=64 opcode=LD.E text=LD.E R4, R2 class=LOAD dst=4 space=generic" },
		{ "0050 ffffffff 1 R4 LDS 1 R2 4 1 0x100 4 0 \n",
		  "kernel=1 pc=80 opcode=LDS text=LDS R4, R2 class=LOAD dst=4 space=shared" },
		{ "0060 ffffffff 1 R4 LDL 1 R2 4 1 0x100 4 0 \n",
		  "kernel=1 pc=96 opcode=LDL text=LDL R4, R2 class=LOAD dst=4 space=local" },
	};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		char body[1000], *at;

		snprintf(body, sizeof body, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
		         "%s" END, v[i].line);
		put_kernel("kernel-1.traceg", body);
		observable = true;
		replay_with("kernel-1.traceg", NULL, 0);
		observable = false;
		at = strstr(log_text, "code "); /* the first, without its number */
		at = at ? strchr(at, ':') + 2 : log_text;
		at[strcspn(at, "\n")] = '\0';
		memmove(log_text, at, strlen(at) + 1);
		expect(v[i].line, v[i].expected);
	}
	observable = true;
	replay_with("kernel-1.traceg", NULL, 0);
	observable = false;
	log_text[strcspn(log_text, "\n")] = '\0';
	expect("the kernel", "kernel 1: launch=7 name=k stream=0 grid_x=1 grid_y=1 grid_z=1 "
	       "block_x=32 block_y=1 block_z=1 shared=16 registers=8 sm=80");
}

/* ---- other classes -------------------------------------------------------------------------- */

static uint64_t opcode(const char *name)
{
	return UINT64_C(1) << hd_symbol(NULL, "opcode", name);
}

static void check_classes(void)
{
	struct source_class rows[] = {
		{ .cls = (uint32_t)hd_symbol(NULL, "class", "A"), .opcodes = opcode("MUFU.RSQ") },
		{ .cls = (uint32_t)hd_symbol(NULL, "class", "B"),
		  .opcodes = opcode("MUFU") | opcode("IADD3.X.Y") },
		{ .cls = (uint32_t)hd_symbol(NULL, "class", "C"), .opcodes = opcode("MUFU.RSQ.F") },
	};

	put_kernel("kernel-1.traceg", BLOCK(8, "0000 ffffffff 1 R1 MUFU 0 0 0 \n"
	           "0010 ffffffff 1 R1 MUFU.RSQ 0 0 0 \n0020 ffffffff 1 R1 MUFU.RSQ.F.G 0 0 0 \n"
	           "0030 ffffffff 1 R1 MUFU.RSQF 0 0 0 \n0040 ffffffff 1 R1 MUFU.COS 0 0 0 \n"
	           "0050 ffffffff 1 R1 IADD3.X 0 0 0 \n0060 ffffffff 1 R1 IADD3.X.Y 0 0 0 \n"));
	classes = (struct hd_table){ .rows = rows, .n = 3 };
	replay_with("kernel-1.traceg", NULL, 0);
	expect("the longest name that fits", K1
	       "0000 ffffffff MUFU B d2\n0010 ffffffff MUFU.RSQ A d2\n"
	       "0020 ffffffff MUFU.RSQ.F.G C d2\n0030 ffffffff MUFU.RSQF B d2\n"
	       "0040 ffffffff MUFU.COS B d2\n0050 ffffffff IADD3.X INTP d2\n"
	       "0060 ffffffff IADD3.X.Y B d2\n" EXIT "end\n");
	rows[2].opcodes |= opcode("IADD3.X.Y");
	replay_with("kernel-1.traceg", NULL, 0);
	expect("an opcode in two rows",
	       "error: two rows of 'classes' name opcode 'IADD3.X.Y'; expected one\n");
	classes = (struct hd_table){ .n = 0 };
}

/* ---- several kernels at a time -------------------------------------------------------------- */

static void tell_next(const struct hd_trace_if *t, uint32_t warp)
{
	struct hd_inst inst;

	log_add("w%u %04x: ", warp, t->pc(t->self, warp));
	if (t->next(t->self, warp, &inst))
		log_add("%04x %s kernel %u%s\n", inst.pc, t->opcode_text(t->self, inst.opcode),
		     inst.kernel, t->ended(t->self, warp) ? " ended" : "");
	else
		log_add("nothing\n");
}

static void check_several(void)
{
	const struct hd_module *m = &hd_module_trace_source;
	const struct hd_trace_if *t;
	struct hd_launch l;
	uint64_t done, total;
	void *state;

	put_kernel("kernel-1.traceg", BLOCK(2, "0000 ffffffff 1 R1 MOV 0 0 0 \n"));
	put_kernel("kernel-2.traceg", BLOCK(2, "0010 ffffffff 1 R1 IADD3 0 0 0 \n"));
	put("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
	state = new_source("kernelslist.g", NULL, 0);
	t = (void *)((char *)state + m->ports[0].offset);
	start_source(state);
	log_add("%u kernels\n", t->kernels(t->self));
	log_add("claimed %d", t->claim(t->self, 1));
	log_add(" %d\n", t->claim(t->self, 1));
	log_add("peek %d", t->peek(t->self, 1, &l));
	log_add(" %u\n", l.number);
	log_add("open %d", t->open(t->self, 1, &l));
	log_add(" %u\n", l.number);
	log_add("block %d\n", t->next_cta(t->self, 4));
	log_add("open %d", t->open(t->self, 0, &l));
	log_add(" %u\n", l.number);
	log_add("block %d\n", t->next_cta(t->self, 2));
	log_add("no more %d\n", t->next_cta(t->self, 2));
	for (uint32_t warp = 2; warp < 6; warp++)
		tell_next(t, warp);
	tell_next(t, 4);
	tell_next(t, 2);
	tell_next(t, 2);
	t->position(t->self, &done, &total);
	log_add("position %s\n", done && done <= total ? "known" : "unknown");
	tell_stats(state);
	m->fini(state);
	free(state);
	expect("several at a time", "2 kernels\nclaimed 1 0\npeek 1 2\nopen 1 2\nblock 1\n"
	       "open 1 1\nblock 1\nno more 0\nw2 0000: 0000 MOV kernel 1\nw3 0000: nothing\n"
	       "w4 0010: 0010 IADD3 kernel 2\nw5 0000: nothing\n"
	       "w4 0900: 0900 EXIT kernel 2 ended\nw2 0900: 0900 EXIT kernel 1 ended\n"
	       "w2 0000: nothing\nposition known\n"
	       "stats kernels=2 blocks=2 lines=40 bytes=674 static=4\n");
}

/* ---- what can be foreseen ------------------------------------------------------------------- */

/* Of four stores to global memory the last one has no address, as the second; others go elsewhere or have no lanes. */
static void check_left(void)
{
	const struct hd_module *m = &hd_module_trace_source;
	struct hd_ctx ctx = { 0 };
	const struct hd_trace_if *t;
	struct hd_launch l;
	struct hd_inst inst;
	void *state;

	put_kernel("kernel-1.traceg", BLOCK(8, "0000 ffffffff 0 STG.E 2 R2 R4 4 1 0x100 4 0 \n"
	           "0010 ffffffff 0 STG.E 2 R2 R4 4 1 0x0 0 0 \n0020 ffffffff 0 ST.E 2 R2 R4 4 1 0x100 4 0 \n"
	           "0030 ffffffff 0 STS 2 R2 R4 4 1 0x100 4 0 \n0040 00000000 0 STG.E 2 R2 R4 4 0 \n"
	           "0050 ffffffff 0 STG.E 2 R2 R4 4 1 0x0 0 0 \n0060 ffffffff 0 NOP 0 0 0 \n"));
	state = new_source("kernel-1.traceg", NULL, 0);
	t = (void *)((char *)state + m->ports[0].offset);
	if (m->init(state, &ctx) || m->start(state) || t->next_kernel(t->self, &l) <= 0 || t->next_cta(t->self, 2) <= 0)
		log_add("not started\n");
	log_add("w3 %u %u\n", t->left(t->self, 3), t->stores(t->self, 3));
	if (!t->next(t->self, 2, &inst))
		log_add("nothing\n");
	log_add("w2 %u %u\n", t->left(t->self, 2), t->stores(t->self, 2));
	while (t->next(t->self, 2, &inst))
		;
	log_add("w2 %u %u\n", t->left(t->self, 2), t->stores(t->self, 2));
	m->fini(state);
	free(state);
	expect("instructions that are left, and stores in all", "w3 0 0\nw2 7 3\nw2 0 3\n");
}

/* ---- copies to the device ------------------------------------------------------------------- */

static void tell_copies(const struct hd_trace_if *t, uint32_t kernel)
{
	const struct hd_trace_copy *v;
	uint32_t n = t->copies(t->self, kernel, &v);

	log_add("kernel %u:", kernel);
	for (uint32_t i = 0; i < n; i++)
		log_add(" %llx+%llu", (unsigned long long)v[i].addr, (unsigned long long)v[i].bytes);
	log_add("\n");
}

static void check_copies(void)
{
	const struct hd_module *m = &hd_module_trace_source;
	const struct hd_trace_if *t;
	void *state;

	put_kernel("kernel-1.traceg", BLOCK(2, "0000 ffffffff 1 R1 MOV 0 0 0 \n"));
	put("kernelslist.g", "MemcpyHtoD,0x00007fb0fc400000,200000\nMemcpyDtoH,0x8,9\n"
	    "MemcpyHtoD,100,1\nkernel-1.traceg\nkernel-1.traceg\nMemcpyHtoD,0xffffffffffffffff,0\n"
	    "kernel-1.traceg\nMemcpyHtoD,5,6\n");
	state = new_source("kernelslist.g", NULL, 0);
	t = (void *)((char *)state + m->ports[0].offset);
	start_source(state);
	for (uint32_t i = 0; i < t->kernels(t->self); i++)
		tell_copies(t, i);
	m->fini(state);
	free(state);
	expect("copies in front of each kernel", "kernel 0: 7fb0fc400000+200000 100+1\nkernel 1:\n"
	       "kernel 2: ffffffffffffffff+0\n");
}

/* ---- the index of opcode tables ------------------------------------------------------------- */

static void check_index(void)
{
#define ENTRY(more) "{ \"heddle_opcode_tables\": 1, \"tables\": [ { " more " } ] }"
#define FILE_A "\"file\": \"a.json\", "
	static const struct {
		const char *json, *expected;
	} v[] = {
		{ "{ \"heddle_opcode_tables\": 1 }", "expected 'tables', a list of objects" },
		{ "{ \"heddle_opcode_tables\": 1, \"tables\": [] }",
		  "expected 'tables', a list of objects" },
		{ "{ \"tables\": [] }", "expected \"heddle_opcode_tables\": 1" },
		{ ENTRY("\"fil\": 1"), "tables[0]: unknown 'fil'; did you mean 'file'?" },
		{ ENTRY("\"ile\": 1"), "tables[0]: unknown 'ile'; did you mean 'file'?" },
		{ ENTRY("\"ffile\": 1"),
		  "tables[0]: unknown 'ffile'; did you mean 'file'?" },
		{ ENTRY("\"bniary\": 1"),
		  "tables[0]: unknown 'bniary'; did you mean 'binary'?" },
		{ ENTRY("\"dock\": 1"),
		  "tables[0]: unknown 'dock'; did you mean 'doc'?" },
		{ ENTRY("\"dcoumentation\": 1"), "tables[0]: unknown 'dcoumentation'" },
		{ ENTRY("\"xyz\": 1"), "tables[0]: unknown 'xyz'" },
		{ ENTRY("\"file\": \"\", \"binary\": [70]"),
		  "tables[0]: expected a 'file', the name of an opcode table" },
		{ ENTRY("\"binary\": [70]"),
		  "tables[0]: expected a 'file', the name of an opcode table" },
		{ ENTRY("\"file\": \"a.json\""),
		  "tables[0]: expected 'binary', a list of at most 16 versions" },
		{ ENTRY(FILE_A "\"binary\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"),
		  "tables[0]: expected 'binary', a list of at most 16 versions" },
		{ ENTRY(FILE_A "\"binary\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"), NULL },
		{ ENTRY(FILE_A "\"binary\": [0]"), "tables[0]: expected numbers in 'binary'" },
		{ ENTRY(FILE_A "\"binary\": [\"70\"]"), "tables[0]: expected numbers in 'binary'" },
		{ ENTRY(FILE_A "\"binary\": [4294967296]"),
		  "tables[0]: expected numbers in 'binary'" },
		{ ENTRY(FILE_A "\"binary\": [4294967295]"), NULL },
		{ ENTRY(FILE_A "\"binary\": [], \"from\": \"70\""),
		  "tables[0]: expected a number for 'from'" },
		{ ENTRY(FILE_A "\"binary\": [], \"from\": 0"),
		  "tables[0]: expected a number for 'from'" },
		{ ENTRY(FILE_A "\"binary\": [], \"from\": 4294967296"),
		  "tables[0]: expected a number for 'from'" },
		{ ENTRY(FILE_A "\"binary\": [], \"from\": 1"), NULL },
		{ ENTRY(FILE_A "\"binary\": [], \"from\": 4294967295"), NULL },
	};
	struct trace_archs a;
	char want[256];

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		clear_log();
		put("index.json", v[i].json);
		if (hd__trace_archs_open(&a, &log_host, ".") == 0)
			log_add("taken\n");
		hd__trace_archs_free(&a);
		snprintf(want, sizeof want, "error: ./index.json: %s\n", v[i].expected);
		expect(v[i].json, v[i].expected ? want : "taken\n");
	}
}

/* A file may be larger than what is read at once. */
static void check_large(void)
{
	static char text[40000];
	struct trace_archs a;

	snprintf(text, sizeof text, "%*s%s", 30000, "", ENTRY(FILE_A "\"binary\": [70]"));
	clear_log();
	put("index.json", text);
	if (hd__trace_archs_open(&a, &log_host, ".") == 0)
		log_add("taken\n");
	hd__trace_archs_free(&a);
	expect("a large index", "taken\n");
}

/* There is one warning about code of a later GPU than the core has, of any kernel. */
static void check_newest(void)
{
	static const char told[] = "warning: kernel-1.traceg has code of binary version 80, and this core runs "
		"code up to version 75; its figures are not those of a GPU that exists\n" K1 EXIT K1 EXIT "end\n";

	put_kernel("kernel-1.traceg", BLOCK(1, ""));
	put_kernel("kernel-2.traceg", BLOCK(1, ""));
	put("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
	for (uint32_t newest = 0; newest < 86; newest += newest ? 5 : 75) {
		replay_with("kernelslist.g", "newest", newest);
		expect("code of another version", newest == 75 ? told : K1 EXIT K1 EXIT "end\n");
	}
}

/* Which table a version gets: that which lists it, else that with the highest `from` below it. */
static void check_versions(void)
{
	static const char table[] = "{ \"heddle_opcodes\": 1, "
		"\"classes\": { \"ALU\": [\"MOV\"] }, \"default\": { \"class\": \"ALU\" } }";
	static const uint32_t versions[] = { 70, 71, 75, 80, 86, 90, 10, 71 };
	struct trace_archs a;

	clear_log();
	put("a.json", table);
	put("b.json", table);
	put("index.json", "{ \"heddle_opcode_tables\": 1, \"tables\": [ { \"file\": \"a.json\", "
	    "\"binary\": [70, 86], \"from\": 70 }, { \"file\": \"b.json\", \"binary\": [75], "
	    "\"from\": 80 } ] }");
	if (hd__trace_archs_open(&a, &log_host, ".") != 0)
		log_add("refused\n");
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		const struct trace_opcodes *o = hd__trace_archs_get(&a, versions[i]);

		log_add("%u %s\n", versions[i], !o ? "none" : o == &a.v[0].opcodes ? "a" : "b");
	}
	hd__trace_archs_free(&a);
#define USES " has no opcode table of its own; using './"
	expect("versions", "70 a\nwarning: binary version 71" USES "a.json'\n71 a\n"
	       "75 b\nwarning: binary version 80" USES "b.json'\n80 b\n"
	       "86 a\nwarning: binary version 90" USES "b.json'\n90 b\n"
	       "error: binary version 10 has no opcode table in './index.json'\n10 none\n71 a\n");
}

int main(int argc, char **argv)
{
	begin(argc, argv);
	check_statistics();
	check_definitions();
	check_classes();
	check_several();
	check_left();
	check_copies();
	check_index();
	check_large();
	check_newest();
	check_versions();
	return finish();
}

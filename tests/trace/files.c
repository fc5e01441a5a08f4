/* files.c - lists of kernels, headers, compressed files and opcode tables
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: files [folder with the opcode tables]
 *
 * As lines.c: a replay is logged as text, which must be the expected one.
 */
#include "replay.h"

#include <lzma.h>
#include <sys/stat.h>

#define BODY "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n" \
	"0000 ffffffff 0 EXIT 0 0 0 \n#END_TB\n"
#define K1 "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 sm=80\nwarp 0\n" \
	"0000 ffffffff EXIT EXIT exit last exits=ffffffff d0\n"

static void put(const char *file, const char *text)
{
	write_file(file, text, strlen(text));
}

static void check(const char *what, const char *file, const char *text)
{
	replay_with(file, NULL, 0);
	expect(what, text);
}

static void expect_begins(const char *what, const char *text)
{
	log_text[strlen(log_text) < strlen(text) ? strlen(log_text) : strlen(text)] = '\0';
	expect(what, text);
}

static void check_begins(const char *what, const char *file, const char *text)
{
	replay_with(file, NULL, 0);
	expect_begins(what, text);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void check_lists(const char *kernel)
{
	put("kernel-1.traceg", kernel);
	put("kernelslist.g", "MemcpyHtoD,0x00007fb0fc400000,200000\n\nkernel-1.traceg.xz\r\n"
	    "MemcpyDtoH,0x1,2\nkernel-1.traceg");
	check("list, one name with a suffix too much", "kernelslist.g", K1 K1 "end\n");
	check("list in another folder", "./kernelslist.g", K1 K1 "end\n");
	range[0] = range[1] = 2;
	check("one kernel of a list", "kernelslist.g", K1 "end\n");
	range[0] = 3;
	range[1] = 9;
	check("beyond the list", "kernelslist.g", "error: kernelslist.g: has 2 kernels; kernels "
	      "3 to 9 were requested\n");
	range[0] = 1;
	range[1] = UINT64_MAX;
	check("a kernel's file", "kernel-1.traceg", K1 "end\n");
	put("kernelslist.g", "kernel-1.traceg\n\nkernel-2.traceg.xz\n");
	check("missing kernel", "kernelslist.g", "error: kernelslist.g:3: no kernel file "
	      "'kernel-2.traceg', neither with nor without '.xz'\n");
	range[1] = 1;
	check("missing, but not requested", "kernelslist.g", K1 "end\n");
	range[1] = UINT64_MAX;
	put("kernelslist.g", "MemcpyHtoD,0x1,2\n");
	check("no kernel", "kernelslist.g", "error: kernelslist.g: names no kernel; expected lines "
	      "that begin with 'kernel'\n");
	put("kernelslist.g", "");
	check("empty list", "kernelslist.g", "error: kernelslist.g: is empty; expected a list of "
	      "kernels or a trace\n");
	check("folder", ".", "error: .: is a folder; expected a file, such as a 'kernelslist.g' in it\n");
	check("missing", "nothing", "error: nothing: cannot open: No such file or directory\n");
	check("a text", "some.hasm", "error: some.hasm: is a text of kernels; expected the kernelslist.g that "
	      "'heddle trace assemble' makes of it\n");
	check("raw trace", "kernel-1.trace", "error: kernel-1.trace: is a raw trace, its warps are "
	      "interleaved; expected the .traceg that the tracer's post-processing makes of it\n");
	check("no input, which the kernel reports", NULL, "");
}

/* ---- headers -------------------------------------------------------------------------------- */

static void check_headers(void)
{
	static const struct {
		const char *text, *expected;
	} v[] = {
		{ "-kernel name = k\n", "k.traceg:1: the file ends within the header; expected a "
		  "line with '#'" },
		{ "-kernel name = a\x1b[31m\n", "k.traceg:1:17: expected a name without control characters, "
		  "found '?[31m'" },
		{ "-kernel name = a\xc2\x9b" "3m\n", "k.traceg:1:17: expected a name without control characters, "
		  "found '??3m'" },
		{ "-grid dim = (1,1,1)\n#\n", "k.traceg:2: the header has no 'block dim'" },
		{ "-grid dim = (1,0,1)\n", "k.traceg:1:16: expected (x,y,z), each from 1, found "
		  "'0'" },
		{ "-grid dim = (1,1)\n", "k.traceg:1:17: expected (x,y,z), each from 1, found "
		  "')'" },
		{ "-shmem = -4\n", "k.traceg:1:10: expected a number of at most 32 bits, found "
		  "'-4'" },
		{ "-shmem base_addr = 0xg\n", "k.traceg:1:20: expected an address, found '0xg'" },
		{ "-enable lineinfo = 2\n", "k.traceg:1:20: expected 0 or 1, found '2'" },
		{ "-kernel name = k\nhello there\n", "k.traceg:2:1: expected '-key = value' or a "
		  "line with '#', found 'hello'" },
		{ "-grid dim = (4294967295,4294967295,4294967295)\n-block dim = (1,1,1)\n"
		  "-binary version = 70\n#\n", "k.traceg: grid "
		  "(4294967295,4294967295,4294967295) is too large" },
		{ "-grid dim = (1,1,1)\n-block dim = (4294967295,4294967295,2)\n-binary "
		  "version = 70\n#\n", "k.traceg: block (4294967295,4294967295,2) is too large; "
		  "expected at most "
		  "2048 threads" },
		{ "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n"
		  "-accelsim tracer version = 7\n#\n", "k.traceg: unsupported tracer version 7; "
		  "expected at most 6" },
		{ "-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 20\n#\n",
		  "binary version 20 has no opcode table in 'TABLES/index.json'" },
	};
	char want[512];

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		put("k.traceg", v[i].text);
		snprintf(want, sizeof want, "error: %s\n", v[i].expected);
		check(v[i].text, "k.traceg", want);
	}
	put("k.traceg", "-kernel name = a b = c \n-cuda stream id = -1\n-grid dim = (2,1,1)\n"
	    "-block dim = ( 1, 2, 3 )\n-binary version = 90\n-new key = 1\n#\n");
	check("defaults, stand-in table, file without blocks", "k.traceg",
	      "warning: binary version 90 has no opcode table of its own; using 'TABLES/ampere.json'\n"
	      "kernel a b = c id=0 ctas=2 threads=6 warps=1 shmem=0 nregs=0 sm=90\n"
	      "error: k.traceg:7: the file ends after 0 of the 2 thread blocks of its grid; "
	      "expected all of them; 0,0,0 is missing\n");
}

/* ---- compressed files ----------------------------------------------------------------------- */

static size_t pack(const char *text, uint8_t *out, size_t size)
{
	size_t n = 0;

	if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, strlen(text),
	                            out, &n, size) != LZMA_OK)
		exit(2);
	return n;
}

static void check_xz(const char *kernel)
{
	uint8_t xz[8192];
	size_t half = strlen(kernel) / 2, n;
	char first[4096], want[512];

	n = pack(kernel, xz, sizeof xz);
	write_file("k.traceg.xz", xz, n);
	check("xz", "k.traceg.xz", K1 "end\n");
	write_file("k.traceg", xz, n);
	check("xz by its magic number", "k.traceg", K1 "end\n");
	snprintf(first, sizeof first, "%.*s", (int)half, kernel);
	n = pack(first, xz, sizeof xz);
	n += pack(kernel + half, xz + n, sizeof xz - n);
	write_file("k.traceg.xz", xz, n);
	check("two xz streams", "k.traceg.xz", K1 "end\n");
	n = pack(kernel, xz, sizeof xz);
	write_file("k.traceg.xz", xz, n - 30); /* only the index and the footer are cut */
	snprintf(want, sizeof want, "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 "
	         "sm=80\n"
	         "error: k.traceg.xz:20: the xz data ends too early at byte %zu of %zu\n", n - 30,
	         n - 30);
	check("truncated xz", "k.traceg.xz", want);
	write_file("k.traceg.xz", xz, 40);
	check("the beginning of an xz", "k.traceg.xz", "error: k.traceg.xz:1: the xz data ends too "
	      "early at byte 40 of 40\n");
	/* Where the decoder notices depends on its version. */
	xz[60] ^= 0x55;
	write_file("k.traceg.xz", xz, n);
	check_begins("corrupt xz", "k.traceg.xz", "error: k.traceg.xz:2: the xz data is corrupt at "
	             "byte ");
	put("k.traceg.xz", kernel);
	check_begins("not xz at all", "k.traceg.xz", "error: k.traceg.xz:1: this is not xz data "
	             "at ");
	n = pack(kernel, xz, sizeof xz);
	write_file("k.traceg.xz", xz, n);
	replay_with("k.traceg.xz", "xz_memory", 1);
	expect_begins("decoder without memory", "error: k.traceg.xz:1: the xz data needs more "
	              "memory than 'xz_memory' allows at byte ");
}

/* ---- long files and lines ------------------------------------------------------------------- */

/* Lines that cross the reader's buffer of 256 KiB, and one that is longer than it. */
static void check_long(const char *kernel)
{
	size_t n = 600000, head = (size_t)(strstr(kernel, "#traces") - kernel);
	char *text = malloc(n + 64 + strlen(kernel));
	struct trace_text t;
	const char *line;
	size_t len, at = 0;

	memcpy(text, kernel, head);
	memset(text + head, '\n', n);
	memcpy(text + head, "#", 1);
	memset(text + head + 1, 'x', n / 3);
	strcpy(text + head + n, strstr(kernel, "#BEGIN_TB"));
	put("k.traceg", text);
	check("a long line", "k.traceg", K1 "end\n");
	memset(text + head + 1, 'x', n / 2);
	put("k.traceg", text);
	check_begins("a line that is too long", "k.traceg", "error: k.traceg:12: the line is longer "
	             "than 256 KiB");

	for (unsigned i = 0; at < n; i++)
		at += (size_t)sprintf(text + at, "%u%s", i, i % 7 ? "\n" : "\r\n");
	if (hd__trace_text_memory(&t, &log_host, "memory", text, at, 1 << 20))
		exit(2);
	for (unsigned i = 0; trace_text_line(&t, &line, &len) > 0; i++) {
		char number[16];

		if (len != (size_t)sprintf(number, "%u", i) || memcmp(line, number, len) ||
		    t.line != i + 1) {
			printf("FAIL line %u of many\n", i);
			failures++;
			break;
		}
	}
	hd__trace_text_close(&t);
	free(text);
}

/* ---- opcode tables -------------------------------------------------------------------------- */

static void check_tables(const char *kernel)
{
	static const struct {
		const char *json, *expected;
	} v[] = {
		{ "{ \"heddle_opcodes\": 1,\n  \"opcodes\": { \"EXIT\": { \"class\" \"EXIT\" } } }",
		  "t.json:2:34: bad JSON: ':' expected near '\"EXIT\"'" },
		{ "{ \"opcodes\": {} }", "t.json: the file: expected \"heddle_opcodes\": 1" },
		{ "{ \"heddle_opcodes\": 1, \"opcode\": {} }",
		  "t.json: the file: unknown 'opcode'; did you mean 'opcodes'?" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"class\": \"L\", "
		  "\"does\": [\"laod\"] } } }",
		  "t.json: opcodes.LD.does: unknown 'laod'; did you mean 'load'?" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"class\": \"L\", "
		  "\"does\": [\"load\"] } } }",
		  "t.json: opcodes.LD: loads or stores, so expected a 'space'" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"class\": \"L\", \"space\": "
		  "\"global\", \"does\": [\"load\", \"exit\"] } } }",
		  "t.json: opcodes.LD.does: an instruction that exits cannot load or store" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"class\": \"L\", \"space\": "
		  "\"everywhere\" } } }",
		  "t.json: opcodes.LD.space: unknown 'everywhere'" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"rate\": 2 } } }",
		  "t.json: opcodes.LD: expected a 'class', the name of a class of units" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": { \"LD\": { \"class\": \"L\", \"rate\": "
		  "0 } } }",
		  "t.json: opcodes.LD.rate: expected a number from 1 to 255" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": {}, \"prefixes\": { \"LD\": 3 } }",
		  "t.json: prefixes.LD: expected an object" },
		{ "{ \"heddle_opcodes\": 1, \"opcodes\": {} }", "t.json: default: expected an "
		  "object" },
	};
	struct trace_opcodes o;
	char want[2048];

	for (size_t i = 0; i < sizeof v / sizeof v[0]; i++) {
		clear_log();
		if (hd__trace_opcodes_memory(&o, &log_host, "t.json", v[i].json, strlen(v[i].json)) == 0)
			log_add("taken\n");
		hd__trace_opcodes_free(&o);
		snprintf(want, sizeof want, "error: %s\n", v[i].expected);
		expect(v[i].json, want);
	}
	snprintf(want, sizeof want, "%s", kernel);
	memcpy(strstr(want, "EXIT"), "EXIX", 4);
	put("k.traceg", want);
	replay_with("k.traceg", "unknown", 1);
	expect("unknown opcode, strict", "kernel k id=7 ctas=1 threads=32 warps=1 shmem=16 nregs=8 "
	       "sm=80\nerror: k.traceg:18: opcode 'EXIX' is not in 'TABLES/ampere.json'\n");
}

int main(int argc, char **argv)
{
	char kernel[1024];

	begin(argc, argv);
	make(kernel, sizeof kernel, "5", "", "32,1,1", BODY);
	check_lists(kernel);
	check_headers();
	check_xz(kernel);
	check_long(kernel);
	check_tables(kernel);
	return finish();
}

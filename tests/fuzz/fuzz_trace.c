/* fuzz_trace.c - feeds bytes to the trace reader as if they were a kernel's file
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  Besides
 * the checks of the sanitizers, these must hold: what the reader accepts satisfies the
 * rules that the SM relies upon; a line means the same whether or not it was recognised as a
 * repetition; each block is one of the grid, and comes once; a message shows a word from its beginning.
 */
#include "traces/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CTAS 64u           /* a broken grid may promise 2^64 */
#define XZ_MEMORY (8u << 20)

static const char table[] =
	"{ \"heddle_opcodes\": 1, \"opcodes\": {"
	"\"EXIT\": { \"class\": \"EXIT\", \"does\": [\"exit\"] },"
	"\"IADD3\": { \"class\": \"INTP\" }, \"HFMA2\": { \"class\": \"SP\", \"rate\": 2 },"
	"\"LDG\": { \"class\": \"LOAD\", \"does\": [\"load\"], \"space\": \"global\","
	"  \"bypass_tokens\": [\"STRONG\", \"GPU\"] },"
	"\"LD\": { \"class\": \"LOAD\", \"does\": [\"load\"], \"space\": \"generic\" },"
	"\"STS\": { \"class\": \"STORE\", \"does\": [\"store\"], \"space\": \"shared\" } },"
	"\"prefixes\": { \"LD\": { \"class\": \"LOAD\", \"does\": [\"load\"], \"space\": "
	"\"local\" } },\"default\": { \"class\": \"ALU\" } }";

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static const uint8_t *input; /* whose lines are read in order; or NULL */
static size_t input_size;

/* "input:LINE:COLUMN: expected ..., found 'WORD'": the word does not begin within another one. */
static void check_place(const char *message)
{
	size_t line, column, at = 0;

	if (sscanf(message, "input:%zu:%zu: expected", &line, &column) != 2 || !strstr(message, ", found '")
	    || !input || (input_size > 0 && input[0] == 0xfd)) /* xz */
		return;
	for (; line > 1 && at < input_size; at++)
		line -= input[at] == '\n';
	at += column - 1;
	must(line == 1 && at <= input_size, "the place of a message");
	if (column == 1 || strchr(" \t,(=/-", input[at - 1]) || strstr(message, "control characters")
	    || (at < input_size && strchr(",)\r", input[at])))
		return;
	fprintf(stderr, "%s\n", message);
	must(false, "a message that shows the end of a word");
}

static void say(void *self, enum hd_severity severity, const char *fmt, va_list ap)
{
	char text[4096];

	(void)self;
	(void)severity;
	vsnprintf(text, sizeof text, fmt, ap);
	check_place(text);
}

static const char *const classes[] = { "EXIT", "INTP", "SP", "LOAD", "STORE", "ALU" };

static uint32_t class_number(void *self, const char *name)
{
	uint32_t i = 0;

	(void)self;
	while (strcmp(classes[i], name) != 0)
		i++;
	return i;
}

static const char *class_name(void *self, uint32_t number)
{
	(void)self;
	return classes[number];
}

static const struct trace_host host = { .say = say, .class_number = class_number, .class_name = class_name };

/* All that a file needs to be read. */
struct reader {
	struct trace_text text;
	struct trace_header header;
	struct trace_opcodes opcodes;
	struct trace_names names;
	struct trace_code code;
};

static int open_reader(struct reader *r, const uint8_t *bytes, size_t n)
{
	*r = (struct reader){ 0 };
	must(hd__trace_opcodes_memory(&r->opcodes, &host, "table", table, sizeof table - 1) == 0,
	     "table");
	if (hd__trace_text_memory(&r->text, &host, "input", bytes, n, XZ_MEMORY) ||
	    hd__trace_header_read(&r->header, &r->text))
		return -1;
	hd__trace_code_start(&r->code, &r->text, &r->opcodes, &r->names, &r->header);
	return 0;
}

static void close_reader(struct reader *r)
{
	if (r->code.text)
		hd__trace_code_warn(&r->code);
	hd__trace_code_free(&r->code);
	hd__trace_names_free(&r->names);
	hd__trace_opcodes_free(&r->opcodes);
	hd__trace_header_free(&r->header);
	hd__trace_text_close(&r->text);
}

static void check_inst(const struct hd_inst *i, uint32_t valid, uint32_t *alive)
{
	must((i->mask & ~valid) == 0, "lanes beyond the block");
	must(*alive != 0, "an instruction after the last exit");
	must((i->mask & ~*alive) == 0, "a lane after its exit");
	must(i->nlanes == __builtin_popcount(i->mask), "nlanes");
	must(i->rate >= 1 && i->nsrc <= HD_MAX_SRC && i->dst <= 256, "rate, registers");
	must(i->space <= HD_SPACE_TEXTURE, "space");
	if (i->flags & (HD_INST_LOAD | HD_INST_STORE)) {
		for (unsigned k = 0; k < HD_LANES; k++)
			must(hd_inst_addr(i, k) == 0 || i->mask >> k & 1, "address of an inactive lane");
	}
	*alive &= ~i->exits;
}

static void walk_block(struct reader *r, struct trace_blocks *b, uint32_t first)
{
	const struct hd_launch *l = &r->header.launch;
	struct trace_windows windows = { .shmem_base = r->header.launch.shared_base,
	                                 .local_base = r->header.launch.local_base, .local = 16384 };
	struct hd_inst inst;

	for (uint32_t w = 0; w < l->warps; w++) {
		struct trace_cursor *at = &b->slot[first + w];
		uint32_t left = l->threads - w * HD_LANES, alive, valid;
		bool any = false, last = false;

		valid = alive = left >= HD_LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
		while (at->pos != at->end) {
			uint32_t index = hd__trace_peek(at);

			must(!last && index < r->code.n, "the end, or an index");
			must(trace_unpack(at, r->code.v, &windows, &inst), "unpack");
			must(inst.pc == r->code.v[index].pc, "peek");
			check_inst(&inst, valid, &alive);
			must(inst.opcode < r->names.n, "opcode");
			last = inst.flags & HD_INST_LAST;
			any = true;
		}
		must(!any || (last && alive == 0), "a warp that does not end");
	}
}

static void read_blocks(const uint8_t *bytes, size_t n)
{
	struct reader r;

	if (open_reader(&r, bytes, n) == 0) {
		struct trace_blocks *b = calloc(1, sizeof *b);
		uint32_t room = TRACE_SLOTS - r.header.launch.warps;
		uint64_t seen[MAX_CTAS];

		b->code = &r.code;
		b->header = &r.header;
		for (uint32_t c = 0; c < MAX_CTAS; c++) {
			uint32_t first = c * 5 % (room + 1);

			if (hd__trace_blocks_load(b, first) <= 0)
				break;
			seen[c] = b->number;
			must(b->number < r.header.launch.ctas, "a block that the grid does not have");
			for (uint32_t i = 0; i < c; i++)
				must(seen[i] != b->number, "a block that comes a second time");
			walk_block(&r, b, first);
		}
		hd__trace_blocks_free(b);
		free(b);
	}
	close_reader(&r);
}

/* Reads every line as an instruction, once as a repetition of the latest one at its pc, and once not. */
static void compare_lines(const uint8_t *bytes, size_t n)
{
	struct reader r, plain;
	struct trace_line a, b;
	const char *line;
	size_t len;

	if (open_reader(&r, bytes, n) || open_reader(&plain, bytes, n)) {
		close_reader(&r);
		return;
	}
	while (trace_text_line(&r.text, &line, &len) > 0) {
		const struct trace_static *x, *y;
		int got = hd__trace_line(&r.code, line, len, &a);

		memset(plain.code.latest, 0, sizeof plain.code.latest);
		must(got == hd__trace_line(&plain.code, line, len, &b), "accepted or not");
		if (got)
			continue;
		x = &r.code.v[a.index];
		y = &plain.code.v[b.index];
		must(a.index == b.index && a.mask == b.mask && a.form == b.form, "index, mask, "
		     "form");
		must(memcmp(x->head, y->head, sizeof x->head) == 0, "static part");
		must(r.code.counted[TRACE_TAILS].n == plain.code.counted[TRACE_TAILS].n, "words at the end");
		if (a.form == TRACE_NONE)
			continue;
		must(a.base == b.base && a.delta[0] == b.delta[0], "addresses");
		for (uint32_t i = 0; a.form == TRACE_LIST && i < a.ndelta; i++)
			must(a.delta[i] == b.delta[i], "differences");
	}
	close_reader(&r);
	close_reader(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	input = bytes;
	input_size = n;
	read_blocks(bytes, n);
	input = NULL;
	compare_lines(bytes, n);
	return 0;
}

#include "files.h"

/* fuzz_hasm.c - feeds bytes to the assembler of traces as if they were a text of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  Besides the
 * checks of the sanitizers, these must hold: a text without mistakes has lines in the form of a trace,
 * not more than were predicted; an instruction in the listing is the same when it is parsed again; and a message
 * about a number shows it from its beginning.
 */
#include "traces/sass/sass_inst.h"
#include "traces/hasm/listing.h"
#include "traces/hasm/hasm_walk.h"

#include <ctype.h>

#define MOST_LINES 4096u /* of a kernel that is executed */
#define MOST_BLOCKS 8u

static const char *const *known(void *self, uint32_t sm, size_t *n)
{
	static const char *const names[] = { "FADD", "FFMA", "IADD3", "MOV", "LDG", "STG", "LDS", "BRA",
	                                     "EXIT", "NOP", "BAR", "ISETP", "LDGSTS", "HMMA" };

	(void)self;
	*n = sizeof names / sizeof *names;
	return sm % 2 ? NULL : names;
}

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* A line of a trace: a pc, a mask, and what follows; no other bytes. */
static uint64_t count_lines(const struct hd_bytes *b)
{
	const char *p = (const char *)b->v, *end = b->n ? p + b->n : p;
	uint64_t n = 0;

	for (; p < end; n++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		unsigned pc, mask;

		must(stop && stop[-1] == ' ', "the end of a line");
		must(sscanf(p, "%x %x %*u", &pc, &mask) == 2, "pc and mask");
		for (; p < stop; p++)
			must(*p >= ' ' && *p < 0x7f, "bytes of a line");
		p++;
	}
	return n;
}

static void execute(struct hasm_kernel *k, struct hd_diags *d)
{
	uint64_t most = hd__hasm_lines(k), lines = 0;
	struct hasm_walk w;

	if (most > MOST_LINES)
		return;
	hd__hasm_walk_begin(&w, "fuzz", k, d);
	for (uint64_t b = 0; b < k->blocks && b < MOST_BLOCKS; b++) {
		for (uint32_t warp = 0; warp < k->warps; warp++) {
			hd__hasm_walk_warp(&w, b, warp);
			must(count_lines(&w.text) == w.lines, "the number of lines");
			lines += w.lines;
		}
	}
	must(lines <= most, "more lines than predicted");
	hd__hasm_walk_end(&w);
}

static void parse_again(const json_t *listed)
{
	const char *text = json_string_value(json_object_get(listed, "text"));
	const char *opcode = json_string_value(json_object_get(listed, "opcode"));
	const json_t *operands = json_object_get(listed, "operands");
	struct hd_diags d = { 0 };
	struct hasm_inst i = { 0 };
	struct hd_scan s = { .file = "listing", .p = text, .end = text + strlen(text), .start = text,
	                       .line = 1, .d = &d };

	must(hd__hasm_inst(&s, &i) && hd__scan_at_end(&s), "an instruction of the listing");
	must(strcmp(i.opcode, opcode) == 0 && i.n == json_array_size(operands), "opcode and operands");
	for (unsigned k = 0; k < i.n; k++)
		must(strcmp(i.operand[k].text, json_string_value(json_object_get(json_array_get(operands, k),
		                                                                "text"))) == 0, "operand");
	hd__hasm_inst_free(&i);
	hd__diags_free(&d);
}

/* "expected a number ..., found 'WORD'": the word does not begin within another one. */
static void check_place(const struct hd_diag *m, const char *text, size_t n)
{
	const char *at = text;

	if (strncmp(m->text, "expected a", 10) != 0 || !strstr(m->text, "number") || !strstr(m->text, ", found '"))
		return;
	for (int line = m->line; line > 1; line--) {
		at = memchr(at, '\n', (size_t)(text + n - at));
		must(at != NULL, "the line of a message");
		at++;
	}
	at += m->column - 1;
	must(m->column >= 1 && at <= text + n, "the column of a message");
	must(at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')
	     || (ispunct((unsigned char)*at) && !strchr("_.", *at)),
	     "a message that shows the end of a number");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = hd__xcalloc(n + 1, 1);
	struct hd_diags d = { 0 };
	struct hasm h = { 0 };

	if (n)
		memcpy(text, bytes, n);
	hd__hasm_parse(&h, "fuzz", text, n, &(struct hasm_names){ .of = known }, &d);
	for (size_t i = 0; i < h.n && d.errors == 0; i++) {
		json_t *listing, *v;
		size_t j;

		execute(&h.kernel[i], &d);
		listing = hd__listing(&h.kernel[i]);
		json_array_foreach(json_object_get(listing, "instructions"), j, v)
			parse_again(v);
		json_decref(listing);
	}
	for (size_t i = 0; i < d.n; i++)
		check_place(&d.v[i], text, n);
	hd__diags_free(&d);
	hd__hasm_free(&h);
	free(text);
	return 0;
}

#include "files.h"

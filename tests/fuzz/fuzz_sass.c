/* fuzz_sass.c - feeds bytes to the reader of machine code as if they were a cubin or a text of one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  Besides the
 * checks of the sanitizers, these must hold: pcs ascend; and what the decoder makes of an instruction is
 * one that the parser of texts accepts.
 */
#include "traces/sass/sass_inst.h"
#include "traces/sass/sass.h"

static void must(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s: %s\n", what, text);
	abort();
}

static void parse_again(const char *text)
{
	struct hd_diags d = { 0 };
	struct hasm_inst i = { 0 };
	struct hd_scan s = { .file = "decoded", .p = text, .end = text + strlen(text), .start = text,
	                       .line = 1, .d = &d };

	must(hd__hasm_inst(&s, &i) && hd__scan_at_end(&s), "an instruction", text);
	hd__hasm_inst_free(&i);
	hd__diags_free(&d);
}

static void check(const struct sass_function *f)
{
	for (size_t k = 0; k < f->n; k++) {
		must(k == 0 || f->v[k].pc > f->v[k - 1].pc, "order of pcs", f->name);
		if (f->v[k].text && f->v[k].line == 0)
			parse_again(f->v[k].text);
		must(f->v[k].wrong || !f->v[k].control.given || f->v[k].control.read < 6
		     || f->v[k].control.read == HASM_NO_COUNTER, "counter", f->name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *image = hd__xcalloc(n + 1, 1), *text;
	struct sass_code code = { 0 };
	struct hd_diags d = { 0 };
	size_t size;
	FILE *f = hd__xcheck(open_memstream(&text, &size));

	if (n)
		memcpy(image, bytes, n);
	hd__sass_read_image(&code, "fuzz", image, n, &d);
	for (size_t k = 0; k < code.n; k++)
		check(&code.v[k]);
	hd__sass_print(&code, f);
	fclose(f);
	free(text);
	hd__diags_free(&d);
	hd__sass_free(&code);
	free(image);
	return 0;
}

#include "files.h"

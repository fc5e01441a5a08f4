/* fuzz_lsp.c - feeds messages to the language server: each line is one, behind a header; the last has none
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  The schema is that of
 * studies, the modules are heddle's.
 */
#include "make.h"
#include "tools/lsp/lsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct hd_registry registry;
	static json_t *schema;
	struct hd_diags d = { .n = 0 };
	char *name = schema ? NULL : fuzz_source("tools/study", "study_schema.json"), *asked, *answers;
	size_t size, length;
	FILE *in = open_memstream(&asked, &size), *out = open_memstream(&answers, &length);
	const uint8_t *end;

	if (name) {
		hd__registry_init(&registry, &d);
		schema = hd__xcheck(json_load_file(name, 0, NULL));
		free(name);
	}
	for (; (end = memchr(bytes, '\n', n)) != NULL; bytes = end + 1) {
		fprintf(in, "Content-Length: %zu\r\n\r\n", (size_t)(end - bytes));
		fwrite(bytes, 1, (size_t)(end - bytes), in);
		n -= (size_t)(end + 1 - bytes);
	}
	fwrite(bytes, 1, n, in);
	fclose(in);
	in = size > 0 ? fmemopen(asked, size, "r") : fopen("/dev/null", "r");
	fuzz_must(lsp_serve(in, out, &registry, schema, schema) <= 1, "an exit status", asked);
	fclose(in);
	fclose(out);
	free(asked);
	free(answers);
	return 0;
}

#include "files.h"

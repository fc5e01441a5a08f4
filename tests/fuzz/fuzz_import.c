/* fuzz_import.c - feeds bytes to the importer of Accel-Sim's configurations
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  A first line of "1"
 * imports one SM.  What is made of the options must be a netlist; one SM must also start, and runs a bundled
 * trace for CYCLES cycles, however that ends.
 * Needs the folder of the source in the environment: srcdir=.. tests/fuzz/fuzz_import.
 */
#include "make.h"
#include "tools/import/import.h"

#define CYCLES 1000

static void check(const char *text, size_t size, bool whole)
{
	static struct hd_registry r;
	char *input = fuzz_source("traces/samples", "tiny/kernelslist.g");
	struct hd_options o = { .input = input, .last = UINT64_MAX, .max_cycles = CYCLES };
	struct hd_diags d = { 0 };
	struct hd_netlist *n = hd__netlist_parse_set("imported.json", text, size, NULL, 0, &d);
	struct hd_sim *s = NULL;

	if (r.n == 0)
		hd__registry_init(&r, &d);
	if (n && !whole)
		s = hd__sim_new(n, &r, &o, false, &d);
	else
		hd__netlist_free(n);
	if (d.errors)
		hd__diags_print(&d, stderr);
	fuzz_must(d.errors == 0, "an imported netlist is refused", text);
	while (s && hd__sim_run(s, 512) == HD_RUN_MORE)
		;
	hd__sim_free(s);
	hd__diags_free(&d);
	free(input);
}

static void make(struct hd_import *im, FILE *null)
{
	json_t *root = hd__import_netlist(im, NULL);

	fuzz_must(root != NULL || im->errors > 0, "refused without a message", "");
	if (root && im->errors == 0) {
		char *text = json_dumps(root, 0);

		check(text, strlen(text), !im->one_sm);
		free(text);
		hd__import_explain(im, root, null);
		hd__import_summary(im, null);
	}
	json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *null;
	char *text = hd__xcalloc(size + 1, 1);
	struct hd_import im;

	if (!null)
		null = fopen("/dev/null", "w");
	if (size)
		memcpy(text, data, size);
	hd__import_init(&im);
	im.one_sm = size > 1 && text[0] == '1' && text[1] == '\n';
	hd__import_parse(&im, "fuzz.config", text + (im.one_sm ? 2 : 0), text + size);
	if (im.errors == 0)
		make(&im, null);
	hd__import_free(&im);
	free(text);
	return 0;
}

#include "files.h"

/* fuzz_exec.c - loads bytes as a cubin or a fatbin, and executes all kernels for a short time
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A libFuzzer target with -DHD_LIBFUZZER, else a program that reads the files it is given.  Besides the checks of the
 * sanitizers this must hold: what goes wrong is an error with words.
 */
#include "traces/exec/exec.h"

#include "base/xalloc.h"

#define MOST_ARGS 4096u
#define MOST_KERNELS 24u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void execute(struct hd_exec *x, const struct hd_exec_kernel *k, uint64_t buffer)
{
	uint64_t args[MOST_ARGS / 8];
	struct hd_exec_launch l = {
		.kernel = k, .grid = { 2, 1, 1 }, .block = { 40, 1, 1 }, .args = args, .nargs = k->args
	};
	struct hd_exec_fault fault = { .status = HD_EXEC_DONE };
	enum hd_exec_status status;

	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		args[i] = buffer;
	if (k->args > MOST_ARGS)
		return;
	status = hd__exec_run(x, &l, NULL, NULL, &fault);
	must(status == HD_EXEC_DONE || (fault.status == status && *fault.words), "a fault has words");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct hd_exec_options o = { .most = 3000 };
	char *why = NULL;
	struct hd_exec *x = hd__exec_new(&o, &why);
	struct hd_exec_image *m = x ? hd__exec_load(x, bytes, n, 0, "fuzz", &why) : NULL;
	const struct hd_exec_kernel *k;

	must(m || why, "a refusal has words");
	for (size_t i = 0; m && i < MOST_KERNELS && (k = hd__exec_kernel_at(m, i)) != NULL; i++)
		execute(x, k, hd__exec_alloc(x, 4096));
	free(why);
	hd__exec_free(x);
	return 0;
}

#include "files.h"

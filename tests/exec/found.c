/* found.c - kernels of found.cu: what programs need that were found not to run
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct hd_exec *x;
static struct hd_exec_image *image;
static unsigned failures;

static void fail(const char *name, const char *why)
{
	printf("FAIL: %s: %s\n", name, why);
	failures++;
}

static void run(const char *name, uint32_t threads, uint32_t rows, const void *args, size_t nargs)
{
	struct hd_exec_launch launch = { .kernel = hd__exec_kernel(image, name), .grid = { 1, 1, 1 },
		.block = { threads, rows, 1 }, .args = args, .nargs = nargs };
	struct hd_exec_fault fault;

	if (!launch.kernel)
		fail(name, "there is no such kernel");
	else if (hd__exec_run(x, &launch, NULL, NULL, &fault) != HD_EXEC_DONE)
		fail(name, fault.words);
}

static void *at(uint64_t address, uint64_t bytes)
{
	return hd__exec_host(x, address, bytes);
}

static void eightfold(void)
{
	struct { uint64_t x, a; int n; } args = { hd__exec_alloc(x, 32 * 4), hd__exec_alloc(x, 256 * 32 * 4), 256 };
	float *to = at(args.x, 32 * 4), *a = at(args.a, 256 * 32 * 4);

	for (int k = 0; k < 256 * 32; k++)
		a[k] = 1;
	run("eightfold", 32, 8, &args, 20);
	for (int i = 0; i < 32; i++)
		if (fabsf(to[i] - 256) > 8)
			fail("eightfold", "a warp went on alone");
}

int main(void)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	struct hd_exec_options options = { .print = stdout };
	char name[4096], *bytes, *why = NULL;
	size_t n;

	snprintf(name, sizeof name, "%s/tests/exec/found.fatbin", folder);
	bytes = hd__read_file(name, &n);
	x = hd__exec_new(&options, &why);
	image = bytes && x ? hd__exec_load(x, bytes, n, 0, name, &why) : NULL;
	if (!image) {
		printf("%s: %s\n", name, why ? why : "cannot be read");
		return 1;
	}
	eightfold();
	hd__exec_free(x);
	free(bytes);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}

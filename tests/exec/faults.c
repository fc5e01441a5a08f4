/* faults.c - executes the kernels of faults.cu, and compares what is found with what was planted
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"

#include <stdlib.h>
#include <string.h>

#define NONE HD_EXEC_KINDS

static unsigned failures;
static uint32_t sm;
static char *source;

static const struct fault {
	const char *kernel;
	enum hd_exec_kind kind; /* NONE: nothing is found */
	int32_t n;
	uint32_t in, out;       /* words */
	bool unwritten;         /* the input */
	uint32_t blocks, shared;
	enum hd_exec_status status;
	uint64_t times;         /* 0: any number */
	const char *words;
} faults[] = {
	{ "behind", HD_EXEC_BOUNDS, 1, 64, 64, false, 1, 0, HD_EXEC_DONE, 1,
	  "right behind the nearest allocation, of 256 bytes at 0x" },
	{ "behind", HD_EXEC_BOUNDS, -1, 64, 64, false, 1, 0, HD_EXEC_DONE, 1,
	  ", 4 bytes before the nearest allocation, " },
	{ "behind", NONE, 0, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "behind_shared", HD_EXEC_BOUNDS, 2, 64, 64, false, 1, 256, HD_EXEC_ADDRESS, 2, "of which the block has" },
	{ "across", HD_EXEC_BOUNDS, 56, 64, 15, false, 1, 0, HD_EXEC_DONE, 64,
	  "4 of them behind the allocation of 60 bytes" },
	{ "across", HD_EXEC_MISALIGNED, 12, 64, 16, false, 1, 0, HD_EXEC_DONE, 64, "which 8 does not divide" },
	{ "misaligned", HD_EXEC_MISALIGNED, 2, 65, 64, false, 1, 0, HD_EXEC_DONE, 64, "which 4 does not divide" },
	{ "unwritten", HD_EXEC_UNWRITTEN, 0, 64, 64, true, 1, 0, HD_EXEC_DONE, 64, "stored to global memory" },
	{ "unwritten", NONE, 0, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "unwritten_shared", HD_EXEC_UNWRITTEN, 60, 64, 64, false, 1, 0, HD_EXEC_DONE, 4,
	  "from shared memory at 0x" },
	{ "unwritten_shared", NONE, 64, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "unwritten_local", HD_EXEC_UNWRITTEN, 7, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "from local memory at 0x" },
	{ "unwritten_local", NONE, 8, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "unwritten_index", HD_EXEC_UNWRITTEN, 0, 64, 64, true, 1, 0, HD_EXEC_DONE, 2, "a part of an address" },
	{ "unwritten_condition", HD_EXEC_UNWRITTEN, 3, 128, 192, true, 1, 0, HD_EXEC_DONE, 2, "a condition" },
	{ "unset", HD_EXEC_UNSET, 3, 64, 64, false, 1, 0, HD_EXEC_DONE, 64, "stored to global memory" },
	{ "race_shared", HD_EXEC_RACE, 0, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "nothing orders the two" },
	{ "race_write", HD_EXEC_RACE, 0, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "has read; nothing orders the two" },
	{ "race_lanes", HD_EXEC_RACE, 0, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "writes in the same instruction" },
	{ "race_apart", HD_EXEC_RACE, 5, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "nothing orders the two" },
	{ "race_blocks", HD_EXEC_RACE, 0, 64, 64, false, 3, 0, HD_EXEC_DONE, 0, "of block (0,0,0)" },
	{ "race_read", HD_EXEC_RACE, 0, 64, 192, false, 2, 0, HD_EXEC_DONE, 0, "nothing orders the two" },
	{ "race_fence", HD_EXEC_RACE, 0, 64, 64, false, 3, 0, HD_EXEC_DONE, 2, "wrote; nothing orders the two" },
	{ "race_histogram", HD_EXEC_RACE, 3, 64, 64, false, 1, 0, HD_EXEC_DONE, 0,
	  "has read; nothing orders the two" },
	{ "divergent", HD_EXEC_BARRIER_ERROR, 1, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, "without lanes" },
	{ "missing", HD_EXEC_BARRIER_ERROR, 0, 64, 64, false, 1, 0, HD_EXEC_DEADLOCK, 1, "waits for ever" },
	{ "clean_last", NONE, 0, 64, 64, false, 3, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_flag", NONE, 0, 64, 64, false, 3, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_same", NONE, 7, 64, 64, false, 3, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_warp", NONE, 7, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_predicated", NONE, 40, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_byte", NONE, 3, 64, 64, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_parts", NONE, 0, 64, 192, false, 1, 0, HD_EXEC_DONE, 0, NULL },
	{ "clean_histogram", NONE, 3, 64, 64, false, 3, 0, HD_EXEC_DONE, 0, NULL },
};

static void fail(const struct fault *f, const char *what)
{
	printf("sm_%u %s, n = %d: %s\n", sm, f->kernel, f->n, what);
	failures++;
}

/* The line that names the kernel in a comment. */
static uint32_t line_of(const char *kernel)
{
	uint32_t line = 1;
	char comment[64], *at;

	snprintf(comment, sizeof comment, "/* %s */", kernel);
	at = strstr(source, comment);
	for (const char *p = source; at && p < at; p++)
		line += *p == '\n';
	return at ? line : 0;
}

static void print(const struct hd_exec_finding *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("    %s, %s:%u, pc 0x%x, %s, %llu times: %s\n", hd__exec_kind(v[i].kind),
		       v[i].at.file ? v[i].at.file : "?", v[i].at.line, v[i].at.pc, v[i].at.text,
		       (unsigned long long)v[i].times, v[i].words);
}

static bool is_there(const struct hd_exec_place *p, const struct fault *f)
{
	size_t from = p->file && strlen(p->file) > 9 ? strlen(p->file) - 9 : 0;

	return p->file && strcmp(p->file + from, "faults.cu") == 0 && p->line == line_of(f->kernel);
}

/* One of the findings is the planted one; others are of its kind. */
static void compare(const struct fault *f, const struct hd_exec_finding *v, size_t n)
{
	uint64_t times = 0;
	bool good = f->kind != NONE || n == 0;

	for (size_t i = 0; i < n; i++) {
		good &= v[i].kind == f->kind;
		if ((is_there(&v[i].at, f) || (f->kind == HD_EXEC_RACE && is_there(&v[i].other, f)))
		    && strstr(v[i].words, f->words))
			times += v[i].times;
	}
	if (f->kind != NONE && (times == 0 || (f->times && times != f->times)))
		good = false;
	if (good)
		return;
	fail(f, f->kind == NONE ? "something was found" : "the planted fault was not found as it should be");
	printf("    expected %s at line %u, '%s'\n", f->kind == NONE ? "nothing" : hd__exec_kind(f->kind),
	       line_of(f->kernel), f->words ? f->words : "");
	print(v, n);
}

static void run(struct hd_exec *x, struct hd_exec_image *m, const struct fault *f)
{
	struct {
		uint64_t in, out;
		int32_t n;
	} args = { hd__exec_alloc(x, 4 * f->in), hd__exec_alloc(x, 4 * f->out), f->n };
	struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, f->kernel),
				    .grid = { f->blocks, 1, 1 },
				    .block = { 64, 1, 1 },
				    .shared = f->shared,
				    .args = &args,
				    .nargs = 20 };
	const struct hd_exec_finding *v;
	struct hd_exec_fault fault;
	uint32_t *in = hd__exec_host(x, args.in, 4 * f->in);
	enum hd_exec_status status;
	size_t n;

	for (uint32_t i = 0; i < f->in; i++)
		in[i] = i + 1;
	if (!f->unwritten)
		hd__exec_written(x, args.in, 4 * f->in);
	hd__exec_written(x, args.out,
			 strncmp(f->kernel, "race", 4) == 0 || strstr(f->kernel, "histogram") ? 4 * f->out : 0);
	if (!l.kernel) {
		fail(f, "is not there");
		return;
	}
	status = hd__exec_run(x, &l, NULL, NULL, &fault);
	v = hd__exec_findings(x, &n);
	if (status != f->status)
		fail(f, status == HD_EXEC_DONE ? "ended well" : fault.words);
	compare(f, v, n);
}

/* Memory that was freed, by a launch of its own. */
static void run_freed(struct hd_exec *x, struct hd_exec_image *m)
{
	static const struct fault f = { .kernel = "behind",
					.kind = HD_EXEC_FREED,
					.words = "0 bytes into an allocation of 256 bytes at 0x",
					.times = 64 };
	struct { uint64_t in, out; int32_t n; } args = { hd__exec_alloc(x, 256), hd__exec_alloc(x, 256), 0 };
	struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, "behind"), .grid = { 1, 1, 1 }, .block = { 64, 1, 1 },
	                            .args = &args, .nargs = 20 };
	const struct hd_exec_finding *v;
	struct hd_exec_fault fault;
	size_t n;

	hd__exec_release(x, args.in);
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_DONE)
		fail(&f, fault.words);
	v = hd__exec_findings(x, &n);
	compare(&f, v, n);
}

/* Each kernel has a machine of its own: addresses are those of the table. */
static void each(const char *bytes, size_t n, const struct fault *f)
{
	struct hd_exec_options o = { .check = true, .most = 1 << 24 };
	char *why = NULL;
	struct hd_exec *x = hd__exec_new(&o, &why);
	uint64_t first = x ? hd__exec_alloc(x, 1) : 0;
	struct hd_exec_image *m;

	/* variables lie behind what kernels get */
	m = x ? hd__exec_load(x, bytes, n, sm, "faults.fatbin", &why) : NULL;
	hd__exec_release(x, first);
	if (!m)
		printf("%s\n", why);
	failures += !m;
	if (m && f)
		run(x, m, f);
	else if (m)
		run_freed(x, m);
	free(why);
	hd__exec_free(x);
}

static char *read_beside(const char *name, size_t *n)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char path[4096], *bytes;

	snprintf(path, sizeof path, "%s/tests/exec/%s", folder, name);
	bytes = hd__read_file(path, n);
	if (!bytes) {
		perror(path);
		exit(1);
	}
	return bytes;
}

int main(void)
{
	static const uint32_t versions[] = { 75, 80, 90, 120 };
	size_t n, length;
	char *bytes = read_beside("faults.fatbin", &n), *text = read_beside("faults.cu", &length);

	source = calloc(length + 1, 1);
	if (!source)
		return 1;
	memcpy(source, text, length);
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		sm = versions[i];
		for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
			each(bytes, n, &faults[k]);
		each(bytes, n, NULL);
	}
	free(source);
	free(text);
	free(bytes);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}

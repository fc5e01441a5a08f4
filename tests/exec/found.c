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

static void grid(const char *name, uint32_t blocks, uint32_t threads, uint32_t rows, const void *args, size_t nargs)
{
	struct hd_exec_launch launch = { .kernel = hd__exec_kernel(image, name), .grid = { blocks, 1, 1 },
		.block = { threads, rows, 1 }, .args = args, .nargs = nargs };
	struct hd_exec_fault fault;

	if (!launch.kernel)
		fail(name, "there is no such kernel");
	else if (hd__exec_run(x, &launch, NULL, NULL, &fault) != HD_EXEC_DONE)
		fail(name, fault.words);
}

static void run(const char *name, uint32_t threads, uint32_t rows, const void *args, size_t nargs)
{
	grid(name, 1, threads, rows, args, nargs);
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

static void buckets(void)
{
	struct { uint64_t bucket, v, most; } args = { hd__exec_alloc(x, 128), hd__exec_alloc(x, 128),
		                                      hd__exec_alloc(x, 128) };
	int *bucket = at(args.bucket, 128), *v = at(args.v, 128), *most = at(args.most, 128);

	for (int i = 0; i < 32; i++) {
		bucket[i] = i * i % 5;
		v[i] = 37 * i % 32 - 10;
	}
	run("buckets", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int want = v[i];

		for (int k = 0; k < 32; k++)
			if (bucket[k] == bucket[i] && v[k] > want)
				want = v[k];
		if (most[i] != want)
			fail("buckets", "lanes of another mask took part");
	}
}

static void arguments(void)
{
	static struct { int v[8000]; int n, gap; uint64_t to; } args = { .n = 7999 };

	const struct hd_exec_kernel *k = hd__exec_kernel(image, "arguments");

	args.v[7999] = 12345;
	args.to = hd__exec_alloc(x, 4);
	run("arguments", 1, 1, &args, 32016);
	if (*(int *)at(args.to, 4) != 12345)
		fail("arguments", "not those behind 4 KiB");
	if (k->params != 3 || k->param[2].bytes != 8)
		fail("arguments", "not where they are");
}

static int least(int a, int b) { return a < b ? a : b; }
static unsigned unsigned_least(unsigned a, unsigned b) { return a < b ? a : b; }

static void threes(void)
{
	struct { uint64_t v, to; } args = { hd__exec_alloc(x, 96 * 4), hd__exec_alloc(x, 160 * 4) };
	int *v = at(args.v, 96 * 4), *to = at(args.to, 160 * 4);

	for (int i = 0; i < 96; i++)
		v[i] = (i * 61 % 29 - 14) * (i % 4 ? 1 : 100000000);
	run("threes", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int a = v[i], b = v[i + 32], c = v[i + 64];
		unsigned low = unsigned_least(unsigned_least((unsigned)a, (unsigned)b), (unsigned)c);

		if (to[i] != least(least(a, b), c) || to[i + 32] != ~least(least(~a, ~b), ~c)
		    || to[i + 64] != (int)low || to[i + 128] != least(least(a, b), 5)
		    || to[i + 96] != (int)~unsigned_least(unsigned_least(~(unsigned)a, ~(unsigned)b), ~(unsigned)c))
			fail("threes", "another number");
	}
}

static int most(int a, int b) { return a > b ? a : b; }

static void bounds(void)
{
	struct { uint64_t v, to; } args = { hd__exec_alloc(x, 96 * 4), hd__exec_alloc(x, 256 * 4) };
	int *v = at(args.v, 96 * 4), *to = at(args.to, 256 * 4);

	for (int i = 0; i < 96; i++)
		v[i] = i * 61 % 89 - 34;
	run("bounds", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int a = v[i], b = v[i + 32], c = v[i + 64];
		int want[] = { least(a + b, c), most(a - b, c), least(a + 5, b), most(a - 7, 0), least(a, b - c),
			       least(a + b, 32), most(a + b, -c),
			       (int)unsigned_least((unsigned)(a + b), (unsigned)c) };

		for (int k = 0; k < 8; k++)
			if (to[i + 32 * k] != want[k])
				fail("bounds", "another number");
	}
}

static void counts(void)
{
	struct { uint64_t v, to; } args = { hd__exec_alloc(x, 256 * 4), hd__exec_alloc(x, 8 * 4) };
	int *v = at(args.v, 256 * 4), *to = at(args.to, 8 * 4), n[8] = { 0 };

	for (int i = 0; i < 256; i++)
		n[(v[i] = i * i % 13) & 7]++;
	run("counts", 256, 1, &args, sizeof args);
	if (memcmp(n, to, sizeof n) != 0)
		fail("counts", "other numbers");
}

static void dependent(void)
{
	uint64_t args = hd__exec_alloc(x, 32 * 4);

	run("dependent", 32, 1, &args, sizeof args);
	if (((int *)at(args, 32 * 4))[31] != 32)
		fail("dependent", "nothing is stored");
}

static void uniform(void)
{
	struct { float a, b, c; int gap; uint64_t to; } args = { 1.7f, -2.3f, 0.4f, 0, hd__exec_alloc(x, 32) };
	float a = args.a, b = args.b, c = args.c, *to = at(args.to, 32);
	const float want[] = { fmaf(a, b, c), fmaf(-a, b, c), a / 3.7f, a / b, fmaf(b, 5.25f, a), a + b };

	run("uniform", 32, 1, &args, sizeof args);
	if (memcmp(to, want, sizeof want) != 0)
		fail("uniform", "other numbers");
}

static void steps(void)
{
	struct { uint64_t v, to; float b; int n; } args = {
		hd__exec_alloc(x, 128), hd__exec_alloc(x, 16 * 128), 0.5f, 9 };
	float *v = at(args.v, 128), *to = at(args.to, 16 * 128);

	for (int i = 0; i < 32; i++)
		v[i] = (float)(i % 7 - 3);
	run("steps", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++)
		for (int k = 0; k < 9; k++) { /* all of it is exact */
			float f = (float)k + 0.25f, sum = 0;

			for (int j = 0; j <= k; j++)
				sum += v[i] * (((float)j + 0.25f) * 0.5f - 1.5f);
			if (to[(int)(f * 1.5f) * 32 + i] != sum)
				fail("steps", "other numbers");
		}
}

static void scalars(void)
{
	struct { uint64_t v, sums, counts; int64_t a; uint64_t b; int n, most; } args = {
		hd__exec_alloc(x, 32 * 4), hd__exec_alloc(x, 32 * 4), hd__exec_alloc(x, 96 * 8), 7, 5, 4, 3 };
	float *v = at(args.v, 32 * 4), *sums = at(args.sums, 32 * 4);
	int64_t *counts = at(args.counts, 96 * 8);

	for (int i = 0; i < 32; i++)
		v[i] = (float)(i % 5 - 1);
	run("scalars", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++)
		if (sums[i] != v[i] * (3 + 4 + 5 + 6 + 7 + 8) || counts[i] != 1 + 2 + 3 + 4
		    || counts[i + 32] != (v[i] > 0 ? INT64_MAX : 0) || counts[i + 64] != (v[i] > 2 ? INT64_MAX : 0))
			fail("scalars", "other numbers");
}

/* Of both halves the smallest of three, or as unsigned ones the largest. */
static int least_halves(int a, int b, int c, bool most)
{
	unsigned v = 0;

	for (int k = 0; k < 32; k += 16) {
		int p[3] = { (int16_t)(a >> k), (int16_t)(b >> k), (int16_t)(c >> k) };

		for (int j = 0; j < 3; j++)
			p[j] = most ? ~(p[j] & 0xffff) : p[j];
		p[0] = least(least(p[0], p[1]), p[2]);
		v |= ((unsigned)(most ? ~p[0] : p[0]) & 0xffff) << k;
	}
	return (int)v;
}

static void differences(void)
{
	struct { uint64_t v, to; int a, n; } args = {
		hd__exec_alloc(x, 33 * 4), hd__exec_alloc(x, 128 * 4), 0x1234fff0, 3 };
	int *v = at(args.v, 33 * 4), *to = at(args.to, 128 * 4);

	for (int i = 0; i < 33; i++)
		v[i] = i * 0x3579bdf % 0x40000000 - 0x20000000;
	run("differences", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int s = v[i];

		for (int k = 0; k < 3; k++)
			s = (int)((unsigned)(s > v[k] ? (int64_t)s - v[k] : (int64_t)v[k] - s) + (unsigned)args.a);
		if (to[i] != s || to[i + 96] != least(least(s, args.a), 3)
		    || to[i + 32] != least_halves(v[i], args.a, v[i + 1], false)
		    || to[i + 64] != least_halves(v[i], args.a, v[i + 1], true))
			fail("differences", "other numbers");
	}
}

/* Each round of tries one of the warps that are left succeeds. */
static void meetings(void)
{
	struct { uint64_t sum, tries; } args = { hd__exec_alloc(x, 32 * 4), hd__exec_alloc(x, 256 * 4) };
	int *sum = at(args.sum, 32 * 4), *tries = at(args.tries, 256 * 4);

	run("meetings", 32, 8, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int n = 0;

		for (int k = 0; k < 8; k++)
			n += tries[k * 32 + i];
		if (sum[i] != 8 || n != 8 * 9 / 2)
			fail("meetings", "warps did not meet at their compare-and-swaps");
	}
}

static void own_barrier(void)
{
	enum { BLOCKS = 700 };
	struct { uint64_t count, seen; } args = { hd__exec_alloc(x, 4), hd__exec_alloc(x, BLOCKS * 128) };
	int *seen = at(args.seen, BLOCKS * 128), n = 0;

	grid("own_barrier", BLOCKS, 32, 1, &args, sizeof args);
	for (int i = 0; i < BLOCKS * 32; i++)
		n += seen[i];
	if (n != BLOCKS * 32)
		fail("own_barrier", "not all blocks have met");
}

static void later(void)
{
	enum { BLOCKS = 100 };
	struct { uint64_t v, to; int n, gap; } args = {
		hd__exec_alloc(x, BLOCKS * 128), hd__exec_alloc(x, 256), 2000, 0 };
	int *to = at(args.to, 256);

	grid("later", BLOCKS, 32, 1, &args, 20);
	if (to[5] != 41)
		fail("later", "blocks are not executed side by side");
}

static void anywhere(void)
{
	struct { uint64_t sum, old, wide, number; } args = { hd__exec_alloc(x, 128), hd__exec_alloc(x, 128),
		                                             hd__exec_alloc(x, 256), hd__exec_alloc(x, 256) };
	float *sum = at(args.sum, 128), *old = at(args.old, 128);
	double *wide = at(args.wide, 256);
	uint64_t *number = at(args.number, 256);

	for (int i = 0; i < 32; i++)
		sum[i] = (float)(wide[i] = (double)(number[i] = (uint64_t)i));
	run("anywhere", 32, 1, &args, sizeof args);
	for (int i = 0; i < 32; i++) {
		int was = i & 1 ? 100 : i;

		if (old[i] != (float)was || sum[i] != (float)(was + 2) || wide[i] != was + 2
		    || number[i] != (uint64_t)was + 2)
			fail("anywhere", "a sum is wrong where some addresses are in shared memory");
	}
}

/* A small number as float (type 0), half (1), or bfloat (2). */
static uint32_t small(int type, unsigned n)
{
	static const uint16_t halves[] = { 0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600 };
	float f = (float)n;
	uint32_t v;

	memcpy(&v, &f, 4);
	return type == 0 ? v : type == 1 ? halves[n] : v >> 16;
}

/* Elements are 2 and meet 1, 2, 3, 4, and so on. */
static void several(void)
{
	static const struct { int type, words; char how; bool tells; } forms[] = {
		{ 1, 1, '+', true }, { 1, 2, '+', true }, { 1, 4, '+', true }, { 1, 4, '<', true }, { 1, 4, '>', true },
		{ 2, 1, '+', true }, { 2, 2, '+', true }, { 2, 4, '+', true }, { 2, 4, '<', true }, { 2, 2, '>', true },
		{ 2, 4, '+', false }, { 1, 2, '>', false }, { 0, 4, '+', true }, { 0, 2, '+', true },
		{ 0, 4, '+', false },
		{ 0, 2, '+', false }, { 0, 1, '+', true },
	};
	enum { FORMS = sizeof forms / sizeof *forms };
	struct { uint64_t m, v, old; } args = { hd__exec_alloc(x, FORMS * 512), hd__exec_alloc(x, 16),
		                                hd__exec_alloc(x, FORMS * 512) };
	uint32_t *m = at(args.m, FORMS * 512), *v = at(args.v, 16), *old = at(args.old, FORMS * 512);

	for (int type = 0; type < 3; type++) {
		unsigned each = type ? 2 : 1, width = type ? 16 : 32;

		for (unsigned k = 0; k < 4; k++) {
			v[k] = 0;
			for (unsigned e = 0; e < each; e++)
				v[k] |= small(type, (k * each + e) % 4 + 1) << e * width;
		}
		for (int f = 0; f < FORMS; f++)
			for (unsigned k = 0; k < 128; k++)
				m[f * 128 + k] = small(forms[f].type, 2) * (forms[f].type ? 0x10001 : 1);
		run("several", 32, 1, &args, sizeof args);
		for (int f = 0; f < FORMS; f++)
			for (unsigned k = 0; k < 128 && forms[f].type == type; k++) {
				uint32_t want = 0, was = small(type, 2) * (type ? 0x10001 : 1);

				for (unsigned e = 0; e < each; e++) {
					unsigned n = (k % 4 * each + e) % 4 + 1;

					want |= small(type, forms[f].how == '+'   ? 2 + n
					                    : forms[f].how == '<' ? n < 2 ? n : 2
					                                          : n > 2 ? n : 2) << e * width;
				}
				if (k % 4 >= (unsigned)forms[f].words)
					want = was;
				if (m[f * 128 + k] != want)
					fail("several", "a result is wrong");
				if (forms[f].tells && k % 4 < (unsigned)forms[f].words && old[f * 128 + k] != was)
					fail("several", "what was there before is wrong");
			}
	}
}

static void version(const void *bytes, size_t n, uint32_t sm)
{
	struct hd_exec_options options = { .print = stdout };
	char *why = NULL;

	x = hd__exec_new(&options, &why);
	image = x ? hd__exec_load(x, bytes, n, sm, "found.fatbin", &why) : NULL;
	if (!image) {
		fail("found.fatbin", why);
		return;
	}
	eightfold();
	buckets();
	arguments();
	threes();
	bounds();
	counts();
	dependent();
	uniform();
	steps();
	scalars();
	differences();
	meetings();
	own_barrier();
	later();
	anywhere();
	if (sm >= 90)
		several();
	hd__exec_free(x);
}

int main(void)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char name[4096], *bytes;
	size_t n;

	snprintf(name, sizeof name, "%s/tests/exec/found.fatbin", folder);
	bytes = hd__read_file(name, &n);
	if (!bytes) {
		perror(name);
		return 1;
	}
	version(bytes, n, 80);
	version(bytes, n, 90);
	version(bytes, n, 120);
	free(bytes);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}

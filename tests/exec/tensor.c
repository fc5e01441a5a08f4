/* tensor.c - kernels of tensor.cu: a product of matrices, and an attention, against plain loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"
#include "base/xalloc.h"
#include "tests/exec/matrices.h"

#include <stdio.h>

static struct hd_exec *x;
static uint32_t noise = 1;
static unsigned failures;

static uint32_t draw(uint32_t below)
{
	noise = noise * 1664525 + 1013904223;
	return (noise >> 8) % below;
}

static void run(struct hd_exec_image *m, const char *name, const uint32_t grid[2], const void *args, size_t nargs)
{
	struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, name), .grid = { grid[0], grid[1], 1 },
	                            .block = { 128, 1, 1 }, .args = args, .nargs = nargs };
	struct hd_exec_fault fault;

	if (hd__exec_run(x, &l, NULL, NULL, &fault) == HD_EXEC_DONE)
		return;
	printf("FAIL: %s: %s\n", name, fault.words);
	failures++;
}

/* Small integers: their sums are exact. */
static void gemm(struct hd_exec_image *m)
{
	enum { M = 128, N = 192, K = 96 };
	struct { uint64_t a, b, c; int32_t n, k; } args = {
		hd__exec_alloc(x, M * K * 2), hd__exec_alloc(x, K * N * 2), hd__exec_alloc(x, M * N * 4), N, K };
	uint16_t *a = hd__exec_host(x, args.a, M * K * 2), *b = hd__exec_host(x, args.b, K * N * 2);
	const float *c = hd__exec_host(x, args.c, M * N * 4);
	unsigned wrong = 0;

	for (int i = 0; i < M * K; i++)
		a[i] = (uint16_t)half_bits((int)draw(33) - 16, 0);
	for (int i = 0; i < K * N; i++)
		b[i] = (uint16_t)half_bits((int)draw(33) - 16, 0);
	run(m, "gemm", (uint32_t[]){ N / 64, M / 64 }, &args, 32);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			long double sum = 0;

			for (int k = 0; k < K; k++)
				sum += half_of(a[i * K + k]) * half_of(b[k * N + j]);
			wrong += c[i * N + j] != (float)sum;
		}
	if (wrong) {
		printf("FAIL: gemm: %u of %d elements are wrong\n", wrong, M * N);
		failures++;
	}
}

/* One row of an attention. */
static void attend(double *to, const uint16_t *q, const uint16_t *k, const uint16_t *v, int length)
{
	double total = 0;

	memset(to, 0, 64 * sizeof *to);
	for (int j = 0; j < length; j++) {
		double s = 0;

		for (int i = 0; i < 64; i++)
			s += (double)(half_of(q[i]) * half_of(k[j * 64 + i]));
		s = exp(s / 8);
		total += s;
		for (int i = 0; i < 64; i++)
			to[i] += s * (double)half_of(v[j * 64 + i]);
	}
	for (int i = 0; i < 64; i++)
		to[i] /= total;
}

static void attention(struct hd_exec_image *m)
{
	enum { HEADS = 2, LENGTH = 128, N = HEADS * LENGTH * 64 };
	struct { uint64_t q, k, v, out; int32_t length; } args = {
		hd__exec_alloc(x, N * 2), hd__exec_alloc(x, N * 2), hd__exec_alloc(x, N * 2), hd__exec_alloc(x, N * 4),
		LENGTH };
	uint16_t *in[3] = { hd__exec_host(x, args.q, N * 2), hd__exec_host(x, args.k, N * 2),
		            hd__exec_host(x, args.v, N * 2) };
	const float *out = hd__exec_host(x, args.out, N * 4);
	double worst = 0, row[64];

	for (int i = 0; i < 3 * N; i++)
		in[i / N][i % N] = (uint16_t)half_bits(((int)draw(4097) - 2048) / 1024.0L, 0);
	run(m, "attention", (uint32_t[]){ LENGTH / 64, HEADS }, &args, 36);
	for (int i = 0; i < HEADS * LENGTH; i++) {
		int head = i / LENGTH * LENGTH * 64;

		attend(row, in[0] + i * 64, in[1] + head, in[2] + head, LENGTH);
		for (int j = 0; j < 64; j++)
			worst = fmax(worst, fabs(row[j] - (double)out[i * 64 + j]));
	}
	/* weights are halves: 2^-11 of values up to 2 */
	if (!(worst < 0x1p-10)) {
		printf("FAIL: attention: wrong by %g\n", worst);
		failures++;
	}
}

int main(void)
{
	static const uint32_t versions[] = { 80, 90, 120 };
	char *name = hd__format("%s/tests/exec/tensor.fatbin", getenv("srcdir") ? getenv("srcdir") : "."), *why, *bytes;
	size_t n;

	bytes = hd__xcheck(hd__read_file(name, &n));
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct hd_exec_options o = { .most = 1 << 24 };
		struct hd_exec_image *m;

		x = hd__xcheck(hd__exec_new(&o, &why));
		m = hd__xcheck(hd__exec_load(x, bytes, n, versions[i], name, &why));
		gemm(m);
		attention(m);
		hd__exec_free(x);
	}
	free(bytes);
	free(name);
	return failures != 0;
}

/* hopper.c - kernels of hopper.cu, and the sample of a product of matrices, against plain loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"
#include "base/xalloc.h"
#include "tests/exec/matrices.h"

#include <stdio.h>

static struct hd_exec *x;
static struct hd_exec_image *image;
static uint32_t noise = 1;
static unsigned failures;

static uint32_t draw(uint32_t below)
{
	noise = noise * 1664525 + 1013904223;
	return (noise >> 8) % below;
}

static void failed(const char *name, const char *what)
{
	printf("FAIL: %s: %s\n", name, what);
	failures++;
}

/* Arguments follow one another in `args`, and are where the kernel has them.  Returns what ended it. */
static enum hd_exec_status launch(const char *name, uint32_t block, uint32_t shared, const void *args,
                                  struct hd_exec_fault *fault)
{
	const struct hd_exec_kernel *k = hd__exec_kernel(image, name);
	unsigned char there[1024] = { 0 };
	struct hd_exec_launch l = { .kernel = k, .grid = { 1, 1, 1 }, .block = { block, 1, 1 }, .shared = shared,
	                            .args = there, .nargs = k->args };
	const unsigned char *from = args;

	for (uint32_t i = 0; i < k->params; from += k->param[i++].bytes)
		memcpy(there + k->param[i].offset, from, k->param[i].bytes);
	return hd__exec_run(x, &l, NULL, NULL, fault);
}

static void run(const char *name, uint32_t block, uint32_t shared, const void *args)
{
	struct hd_exec_fault fault;

	if (launch(name, block, shared, args, &fault) != HD_EXEC_DONE)
		failed(name, fault.words);
}

/* ---- products ---- */

enum { HALVES, BFLOATS, FLOATS, E4M3, E5M2, SIGNED, UNSIGNED };
static const unsigned sizes[] = { 2, 2, 4, 1, 1, 1, 1 };

/* A small number of a type, and how it is coded. */
static double number(int type, uint32_t *code)
{
	int v = (int)draw(15) - 7;
	float f = (float)v;
	uint32_t bits, sign = v < 0, n = (uint32_t)abs(v), e = n >= 4 ? 2 : n >= 2;

	memcpy(&bits, &f, sizeof bits);
	switch (type) {
	case HALVES: *code = half_bits(v, 0); break;
	case BFLOATS: *code = bits >> 16; break;
	case FLOATS: *code = bits | draw(0x2000); break; /* bits that TF32 does not have */
	case E4M3: *code = n ? sign << 7 | (7 + e) << 3 | (n << (3 - e) & 7) : 0; break;
	case E5M2: /* two bits behind the first */
		n = n == 7 ? 6 : n == 5 ? 4 : n;
		v = sign ? -(int)n : (int)n;
		*code = n ? sign << 7 | (15 + e) << 2 | (n << 2 >> e & 3) : 0;
		break;
	case UNSIGNED:
		v = (int)draw(256);
		*code = (uint32_t)v;
		break;
	default: *code = (uint8_t)v; break;
	}
	return v;
}

/* Where element k of row n is: matrices of 8 rows of 16 bytes, two of them side by side; or, with columns side by side,
 * of 8 columns; or in rows of 128 bytes. */
static uint32_t place(unsigned n, unsigned k, unsigned size, bool columns, bool swizzled)
{
	uint32_t at;

	if (!columns)
		return n / 8 * 256 + k * size / 16 * 128 + n % 8 * 16 + k * size % 16;
	if (!swizzled)
		return n / 8 * 256 + k / 8 * 128 + k % 8 * 16 + n % 8 * 2;
	at = n / 8 * 16 + n % 8 * 2 + k % 8 * 128 + k / 8 * 1024;
	return at ^ (at >> 3 & 0x70);
}

static void product(const char *name, int a_type, int b_type, bool columns, bool swizzled, int sign)
{
	enum { ROWS = 64, COLUMNS = 16, B = 4096 };
	struct { uint64_t from, d, a, b; } args = { hd__exec_alloc(x, 8192), hd__exec_alloc(x, 4096), 0, 0 };
	unsigned char *m = hd__exec_host(x, args.from, 8192);
	const uint32_t *d = hd__exec_host(x, args.d, 4096);
	unsigned size = sizes[a_type], deep = 32 / size, wrong = 0;
	double a[ROWS][32], b[COLUMNS][32];
	uint64_t plain = UINT64_C(8) << 16 | UINT64_C(16) << 32;

	for (unsigned i = 0; i < ROWS + COLUMNS; i++)
		for (unsigned k = 0; k < deep; k++) {
			bool is_a = i < ROWS;
			unsigned n = is_a ? i : i - ROWS;
			uint32_t code, at = place(n, k, size, columns, swizzled && is_a) + (is_a ? 0 : B);

			*(is_a ? &a[n][k] : &b[n][k]) = number(is_a ? a_type : b_type, &code);
			memcpy(m + at, &code, size);
		}
	args.a = swizzled ? UINT64_C(64) << 32 | UINT64_C(1) << 62 : plain;
	args.b = plain + B / 16;
	run(name, 128, 0, &args);
	for (unsigned i = 0; i < ROWS; i++)
		for (unsigned j = 0; j < COLUMNS; j++) {
			double sum = 1;
			float f;
			int32_t v;

			for (unsigned k = 0; k < deep; k++)
				sum += sign * a[i][k] * b[j][k];
			memcpy(&f, &d[i * COLUMNS + j], 4);
			memcpy(&v, &d[i * COLUMNS + j], 4);
			wrong += (a_type >= SIGNED ? v : (double)f) != sum;
		}
	if (wrong)
		failed(name, "elements are wrong");
}

/* A in registers: m is A with rows of 16, in the order of registers, then B. */
static void registers(int adds)
{
	struct { uint64_t from, d, b; int32_t adds; } args = { hd__exec_alloc(x, 8192), hd__exec_alloc(x, 2048),
		(UINT64_C(8) << 16 | UINT64_C(16) << 32) + 4096 / 16, adds };
	unsigned char *m = hd__exec_host(x, args.from, 8192);
	const uint16_t *d = hd__exec_host(x, args.d, 2048);
	double a[64][16], b[16][16];
	unsigned wrong = 0;
	uint32_t code;

	for (unsigned n = 0; n < 64; n++)
		for (unsigned k = 0; k < 16; k++) {
			unsigned word = n / 16 * 128 + k / 8 * 64 + n % 16 / 8 * 32 + n % 8 * 4 + k % 8 / 2;

			a[n][k] = number(HALVES, &code);
			memcpy(m + word * 4 + k % 2 * 2, &code, 2);
		}
	for (unsigned n = 0; n < 16; n++)
		for (unsigned k = 0; k < 16; k++) {
			b[n][k] = number(HALVES, &code);
			memcpy(m + 4096 + place(n, k, 2, false, false), &code, 2);
		}
	run("registers", 128, 0, &args);
	for (unsigned i = 0; i < 64; i++)
		for (unsigned j = 0; j < 16; j++) {
			double sum = adds;

			for (unsigned k = 0; k < 16; k++)
				sum += a[i][k] * b[j][k];
			wrong += (double)half_of(d[i * 16 + j]) != sum;
		}
	if (wrong)
		failed("registers", "elements are wrong");
}

/* ---- copies ---- */

/* A box of 16 by 8 by 4 floats of a tensor of 40 by 20 by 6, at these coordinates; what is outside is zero, and not
 * written. */
static void boxes(int bx, int by, int bz, uint32_t swizzle)
{
	enum { X = 40, Y = 20, Z = 6, N = X * Y * Z };
	struct {
		unsigned char in[128], out[128];
		uint64_t from, to;
		int32_t x, y, z;
	} args = { .x = bx, .y = by, .z = bz };
	struct hd_exec_tensor t = { .rank = 3, .bytes = 4, .size = { X, Y, Z }, .stride = { X * 4, X * Y * 4 },
		.box = { 16, 8, 4 }, .step = { 1, 1, 1 }, .swizzle = swizzle };
	uint32_t *in, *out, *from, *to, wrong = 0;

	t.base = hd__exec_alloc(x, N * 4);
	in = hd__exec_host(x, t.base, N * 4);
	hd__exec_tensor_encode(&t, args.in);
	t.base = hd__exec_alloc(x, N * 4);
	out = hd__exec_host(x, t.base, N * 4);
	hd__exec_tensor_encode(&t, args.out);
	args.from = hd__exec_alloc(x, 512);
	args.to = hd__exec_alloc(x, 512);
	from = hd__exec_host(x, args.from, 512);
	to = hd__exec_host(x, args.to, 512);
	for (uint32_t i = 0; i < N; i++)
		in[i] = i + 1;
	for (uint32_t i = 0; i < 128; i++)
		from[i] = ~i;
	run("boxes", 64, 0, &args);
	for (int i = 0; i < N; i++) {
		int cx = i % X - bx, cy = i / X % Y - by, cz = i / X / Y - bz;
		bool inside = cx >= 0 && cx < 16 && cy >= 0 && cy < 8 && cz >= 0 && cz < 4;

		wrong += out[i] != (inside ? in[i] : 0);
	}
	if (wrong || memcmp(from, to, 512) != 0)
		failed("boxes", wrong ? "elements are wrong" : "neighbouring bytes are wrong");
}

static void barriers(void)
{
	struct { uint64_t out; int32_t rounds; } args = { hd__exec_alloc(x, 256), 5 };
	const int32_t *out = hd__exec_host(x, args.out, 256);

	run("barriers", 64, 0, &args);
	for (int i = 1; i < 64; i++)
		if (out[i] != out[0])
			failed("barriers", "a thread did not wait for all");
	if (out[0] < 32 * args.rounds)
		failed("barriers", "a round is missing");
}

static void fails(const char *name, uint32_t block, enum hd_exec_status status, const char *words)
{
	struct hd_exec_fault fault;

	if (launch(name, block, 0, NULL, &fault) != status || !strstr(fault.words, words))
		failed(name, fault.words);
}

/* ---- the sample ---- */

static void gemm(int stages)
{
	enum { M = 128, N = 256, K = 512 };
	struct {
		unsigned char a[128], b[128];
		uint64_t c;
		int32_t n, k, stages;
	} args = { .n = N, .k = K, .stages = stages };
	struct hd_exec_tensor t = { .rank = 2, .bytes = 2, .size = { K, M }, .stride = { K * 2 }, .box = { 64, M },
		.step = { 1, 1 }, .swizzle = 128 };
	uint32_t shared = (uint32_t)stages * (49152 + 16) + 1024, wrong = 0;
	struct hd_exec_fault fault;
	uint16_t *a, *b;
	const float *c;

	t.base = hd__exec_alloc(x, M * K * 2);
	a = hd__exec_host(x, t.base, M * K * 2);
	hd__exec_tensor_encode(&t, args.a);
	t.base = hd__exec_alloc(x, N * K * 2);
	b = hd__exec_host(x, t.base, N * K * 2);
	t.size[1] = t.box[1] = N;
	hd__exec_tensor_encode(&t, args.b);
	args.c = hd__exec_alloc(x, M * N * 4);
	c = hd__exec_host(x, args.c, M * N * 4);
	for (int i = 0; i < M * K; i++)
		a[i] = (uint16_t)half_bits((int)draw(33) - 16, 0);
	for (int i = 0; i < N * K; i++)
		b[i] = (uint16_t)half_bits((int)draw(33) - 16, 0);
	if (stages == 1) { /* a stage is given back when the next one has been multiplied */
		if (launch("gemm", 384, shared, &args, &fault) != HD_EXEC_DEADLOCK
		    || !strstr(fault.words, "the barrier at 0x"))
			failed("gemm of one stage", fault.words);
		return;
	}
	run("gemm", 384, shared, &args);
	for (int i = 0; i < M; i += 7)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += (double)half_of(a[i * K + k]) * (double)half_of(b[j * K + k]);
			wrong += (double)c[i * N + j] != sum;
		}
	if (wrong)
		failed("gemm", "elements are wrong");
}

static bool load(const char *file)
{
	char *name = hd__format("%s/%s", getenv("srcdir") ? getenv("srcdir") : ".", file), *why = NULL;
	size_t n;
	char *bytes = hd__xcheck(hd__read_file(name, &n));

	image = hd__exec_load(x, bytes, n, 90, name, &why);
	if (!image)
		failed(file, why);
	free(why);
	free(bytes);
	free(name);
	return image != NULL;
}

static void gives_up(void)
{
	uint64_t out = hd__exec_alloc(x, 4);
	const uint32_t *passed = hd__exec_host(x, out, 4);

	run("gives_up", 1, 0, &out);
	if (*passed != 4)
		failed("gives_up", "of three tests not only the last one passed");
}

int main(void)
{
	for (int any = 0; any < 2; any++) {
		struct hd_exec_options o = { .most = 1 << 24, .any_cpu = any };
		char *why;

		x = hd__xcheck(hd__exec_new(&o, &why));
		if (load("tests/exec/hopper.fatbin")) {
			product("halves", HALVES, HALVES, false, false, 1);
			product("negated", HALVES, HALVES, false, false, -1);
			product("transposed", HALVES, HALVES, true, false, 1);
			product("transposed", HALVES, HALVES, true, true, 1);
			product("bfloats", BFLOATS, BFLOATS, false, false, 1);
			product("tf32", FLOATS, FLOATS, false, false, 1);
			product("e4m3", E4M3, E4M3, false, false, 1);
			product("e5m2", E5M2, E4M3, false, false, 1);
			product("s8", SIGNED, SIGNED, false, false, 1);
			product("u8s8", UNSIGNED, SIGNED, false, false, 1);
			registers(0);
			registers(1);
			for (uint32_t swizzle = 0; swizzle <= 64; swizzle += 64) {
				boxes(0, 0, 0, swizzle);
				boxes(28, -3, 4, swizzle);
				boxes(-8, 15, -2, swizzle);
			}
			barriers();
			gives_up();
			fails("never", 64, HD_EXEC_DEADLOCK,
			      "of shared memory, whose phase lacks 1 of 1 arrivals and 0 bytes");
			fails("cluster", 32, HD_EXEC_LAUNCH,
			      "clusters of (2,1,1) blocks do not divide a grid of (1,1,1)");
		}
		if (load("traces/samples/cuda/gemm.cubin"))
			for (int stages = 1; stages <= 4; stages++)
				gemm(stages);
		hd__exec_free(x);
	}
	return failures != 0;
}

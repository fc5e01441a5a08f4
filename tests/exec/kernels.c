/* kernels.c - executes the kernels of kernels.cu, compiled for each version, and compares with what C computes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"
#include "tests/exec/matrices.h"

#include "base/read_file.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 256        /* threads */
#define RESULTS 16   /* words of each */
#define OUT 8192     /* words */

static unsigned failures;
static uint32_t in[2 * N], out[OUT], want[OUT];
static uint32_t sm;

/* ---- numbers ---- */

static float f(uint32_t v) { float x; memcpy(&x, &v, 4); return x; }
static uint32_t u(float x) { uint32_t v; memcpy(&v, &x, 4); return x != x ? 0x7fffffff : v; }
static double d(uint64_t v) { double x; memcpy(&x, &v, 8); return x; }
static uint64_t w(double x) { uint64_t v; memcpy(&v, &x, 8); return x != x ? UINT64_C(0xfff8000000000000) : v; }

static void put(uint32_t *o, int k, uint64_t v)
{
	o[2 * k] = (uint32_t)v;
	o[2 * k + 1] = (uint32_t)(v >> 32);
}

static uint32_t clz(uint32_t v) { return v ? (uint32_t)__builtin_clz(v) : 32; }

/* ---- kernels: the results of thread i ---- */

static void integers(uint32_t a, uint32_t b, uint32_t *o)
{
	int32_t s = (int32_t)a, t = (int32_t)b;
	uint64_t both = (uint64_t)a << 32 | b, all = (uint64_t)b << 32 | a;
	uint32_t rev = 0, perm = 0;

	o[0] = a * b + 12345;
	o[1] = (uint32_t)((uint64_t)a * b >> 32);
	o[2] = (uint32_t)((int64_t)s * t >> 32);
	o[3] = b ? a / b : 0;
	o[4] = b ? a % b : 0;
	o[5] = t && t != -1 ? (uint32_t)(s / t) : 0;
	o[6] = t && t != -1 ? (uint32_t)(s % t) : 0;
	o[7] = (uint32_t)(s < t ? s : t) ^ (a > b ? a : b);
	o[8] = (a << (b & 31)) ^ (a >> (b & 31)) ^ (uint32_t)(s >> (b & 31));
	o[9] = clz(a) | (uint32_t)__builtin_popcount(b) << 8 | (uint32_t)__builtin_ffs(s) << 16;
	for (int k = 0; k < 32; k++)
		rev |= (a >> k & 1) << (31 - k);
	o[10] = rev + (uint32_t)abs(t == INT32_MIN ? 0 : t);
	for (int k = 0; k < 4; k++)
		perm |= (uint32_t)(all >> 8 * ((a >> 3 & 0x7777) >> 4 * k & 7) & 255) << 8 * k;
	o[11] = perm;
	o[12] = (uint32_t)((all << (a & 31)) >> 32) ^ (uint32_t)(all >> (b & 31));
	o[13] = (a > b ? a - b : b - a) + 7 + (uint32_t)(s > t ? a - b : b - a) + 9;
	o[14] = (a & b) ^ (~a | (b & 0x0f0f0f0f)) ^ (a > b ? 3 : 5);
	o[15] = (uint32_t)(int8_t)a + (uint32_t)(int16_t)b + (uint8_t)(a >> 8) + (uint32_t)((int32_t)(a << 20) >> 25);
	(void)both;
}

static void wides(uint32_t a, uint32_t b, uint32_t *o)
{
	uint64_t x = (uint64_t)a << 32 | b, y = (uint64_t)b << 29 ^ a;
	int64_t p = (int64_t)x, q = (int64_t)y;

	put(o, 0, x * y + 17);
	put(o, 1, y ? x / y : 0);
	put(o, 2, q && q != -1 ? (uint64_t)(p % q) : 0);
	put(o, 3, (x << (a & 63)) ^ (x >> (b & 63)) ^ (uint64_t)(p >> (a & 63)));
	put(o, 4, x - y + (p < q ? 1 : 0) + (x <= y ? 2 : 0));
	put(o, 5, (uint64_t)((unsigned __int128)x * y >> 64));
	put(o, 6, (uint64_t)((int64_t)(int32_t)a * (int32_t)b) - y);
	put(o, 7, (uint64_t)__builtin_popcountll(x) + ((uint64_t)(x ? __builtin_clzll(x) : 64) << 8)
	    + ((uint64_t)(p < q ? p : q) ^ (x > y ? x : y)));
}

/* With another rounding. */
static float rounded(int how, char op, float x, float y, float z)
{
	volatile float p = x, q = y, r = z, v;

	fesetround(how);
	v = op == '+' ? p + q : op == '*' ? p * q : fmaf(p, q, r);
	fesetround(FE_TONEAREST);
	return v;
}

static int32_t to_int(double x)
{
	return x != x ? 0 : x >= 0x1p31 ? INT32_MAX : x < -0x1p31 ? INT32_MIN : (int32_t)x;
}

static uint32_t to_unsigned(double x)
{
	x = nearbyint(x);
	return x != x || x < 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x;
}

static float least(float x, float y)
{
	return x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}

static void floats(uint32_t a, uint32_t b, uint32_t *o)
{
	float x = f(a), y = f(b);
	volatile float from;

	o[0] = u(x + y);
	o[1] = u(x * y);
	o[2] = u(fmaf(x, y, 1.5f));
	o[3] = u(x / y);
	o[4] = u(sqrtf(fabsf(x)));
	o[5] = u(rounded(FE_DOWNWARD, '+', x, y, 0));
	o[6] = u(rounded(FE_UPWARD, '*', x, y, 0));
	o[7] = u(rounded(FE_TOWARDZERO, 'f', x, y, x));
	o[8] = u(least(x, y));
	o[9] = u(-least(-x, y));
	o[10] = (uint32_t)((x < y) | (x == y) << 1 | (x >= y) << 2 | (x != y) << 3 | (x != x) << 4);
	o[11] = (uint32_t)to_int((double)x) ^ to_unsigned((double)y);
	fesetround(FE_DOWNWARD);
	from = (float)*(volatile uint32_t *)&b;
	fesetround(FE_TONEAREST);
	o[12] = u((float)(int32_t)a + from);
	o[13] = u(floorf(x) - truncf(y));
	o[14] = u(rintf(x) + ceilf(y));
	o[15] = u((x > 0 ? x < 1 ? x : 1 : 0) - 2 * y);
}

static void doubles(uint32_t a, uint32_t b, uint32_t *o)
{
	double x = d((uint64_t)a << 32 | b), y = d((uint64_t)(b ^ 0x1234) << 32 | a);
	volatile double p = x, q = y, r = 0.75, v;
	volatile float low;

	put(o, 0, w(x + y));
	put(o, 1, w(x * y));
	put(o, 2, w(x / y));
	put(o, 3, w(sqrt(fabs(x))));
	fesetround(FE_TOWARDZERO);
	v = fma(p, q, r);
	fesetround(FE_DOWNWARD);
	low = (float)q;
	fesetround(FE_TONEAREST);
	put(o, 4, w(v));
	{
		double z = x * 0 + b;
		/* a number that is none becomes the least one */
		int64_t i = z != z ? INT64_MIN : (int64_t)z;

		put(o, 5, w((double)(int32_t)a + (double)i));
	}
	o[12] = (uint32_t)((x < y) | (x >= y) << 1 | (fmin(x, y) == x) << 2 | (x != y) << 3);
	o[13] = x != x ? 0x80000000 : (uint32_t)to_int(x);
	o[14] = u((float)x);
	o[15] = u(low);
}

static void halves(uint32_t a, uint32_t b, uint32_t *o)
{
	uint32_t c = a ^ 0x12341234;

	o[0] = o[1] = o[2] = o[3] = 0;
	for (int k = 0; k < 32; k += 16) {
		long double x = half_of(a >> k), y = half_of(b >> k), z = half_of(c >> k);

		o[0] |= half_bits(x * y + z, 0) << k;
		o[1] |= half_bits(x + y, 0) << k;
		o[2] |= half_bits(x * y, 0) << k;
		o[3] |= half_bits(x - y, 0) << k;
	}
	o[4] = half_bits((long double)f(a), 0);
	o[5] = half_bits((long double)f(b), 3);
	o[6] = u((float)half_of(a));
	o[7] = half_of(a) < half_of(b);
}

static uint32_t sum_of(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < (a & 15); k++) {
		if (k * b & 1)
			for (uint32_t j = k; j < (b & 7); j++) {
				if ((j ^ a) % 3 == 0)
					continue;
				sum += j * k + 1;
				if (sum % 11 == 10)
					break;
			}
		else
			sum ^= k << (b & 3);
		switch ((a >> k) & 7) {
		case 0: sum += 3; break;
		case 1: sum *= 5; break;
		case 2: sum ^= 0x55; break;
		case 3: sum -= a; break;
		case 4: sum = sum << 1 | sum >> 31; break;
		case 5: sum += b >> 3; break;
		default: break;
		}
	}
	return sum;
}

static void diverge(uint32_t a, uint32_t b, uint32_t *o)
{
	o[0] = sum_of(a, b);
}

static uint32_t tree(uint32_t v, uint32_t depth)
{
	if (depth == 0 || v < 2)
		return v + 1;
	return (v & 1 ? tree(v >> 1, depth - 1) * 3 : 7) + tree(v - 2, depth - 1);
}

static void recursion(uint32_t a, uint32_t b, uint32_t *o)
{
	o[0] = tree(a & 31, b % 6);
}

static void locals(uint32_t a, uint32_t b, uint32_t *o)
{
	uint32_t v[24], sum = 0;
	uint8_t c[16];

	for (uint32_t k = 0; k < 24; k++)
		v[k] = a + k * b;
	for (uint32_t k = 0; k < 16; k++)
		c[(k * 7 + a) & 15] = (uint8_t)(k + b);
	for (uint32_t k = 0; k < 40; k++) {
		uint32_t x = (v[k % 24] ^ k) % 24, y = (b + k * 5) % 24, t = v[x];

		v[x] = v[y] + c[k & 15];
		v[y] = t;
	}
	for (int k = 0; k < 24; k++)
		sum = sum * 31 + v[k];
	o[0] = sum;
}

static void symbols(uint32_t a, uint32_t b, uint32_t *o)
{
	static const uint32_t table[16] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53 };

	o[0] = table[a & 15] + 7;
	o[1] = b % 3 == 0 ? a * 3 + b : b % 3 == 1 ? a ^ b >> 1 : a - b * 7;
}

static void heap(uint32_t a, uint32_t b, uint32_t *o)
{
	o[0] = a + (a & 15) * b;
}

static void no_results(uint32_t a, uint32_t b, uint32_t *o)
{
	(void)a, (void)b, (void)o;
}

/* ---- kernels whose threads work together: all results ---- */

static void all_lanes(void)
{
	for (int i = 0; i < N; i++) {
		const uint32_t *a = in + 2 * (i & ~31);
		uint32_t *o = want + RESULTS * i, lane = (uint32_t)i & 31, yes = 0, odd = 0, any = 0, all = 1,
			 same = 0, top = 0;
		uint32_t four = 0, four_odd = 0, sum = 0, largest = 0, xors = 0;
		int32_t smallest = INT32_MAX;

		for (uint32_t j = 0; j < 32; j++) {
			uint32_t x = a[2 * j], y = a[2 * j + 1];

			yes |= (x & 1) << j;
			odd |= (y & 1) << j;
			any |= (x & 63) == 5;
			all &= y != 77;
			same |= (uint32_t)((x & 3) == (a[2 * lane] & 3)) << j;
			top |= (uint32_t)(y >> 31 == a[2 * lane + 1] >> 31) << j;
			four |= (x >> 2 & 1) << j;
			sum += x;
			largest = y > largest ? y : largest;
			smallest = (int32_t)x < smallest ? (int32_t)x : smallest;
			xors ^= y;
		}
		four_odd = four & odd;
		o[0] = a[2 * (a[2 * lane + 1] & 31)];
		o[1] = a[2 * (lane >= 3 ? lane - 3 : lane)];
		o[2] = a[2 * ((lane & 15) + 5 < 16 ? lane + 5 : lane)];
		o[3] = a[2 * (lane ^ 9)];
		o[4] = yes;
		o[5] = any | all << 1;
		o[6] = same;
		o[7] = top == ~0u ? ~0u : 0;
		o[8] = top == ~0u;
		o[9] = four >> lane & 1 ? four_odd : ~four;
		o[10] = (1u << lane) - 1 + lane;
		o[11] = sm >= 80 ? sum + largest + (uint32_t)smallest + xors : 0;
	}
}

static void all_reduction(void)
{
	for (int k = 0; k < N; k += 128) {
		uint32_t sum[128], largest = 0, count = 0;

		for (int t = 0; t < 128; t++) {
			sum[t] = in[2 * (k + t)];
			largest = in[2 * (k + t) + 1] > largest ? in[2 * (k + t) + 1] : largest;
		}
		for (int s = 64; s > 0; s >>= 1)
			for (int t = 0; t < s; t++)
				sum[t] += sum[t + s];
		for (int t = 0; t < 128; t++)
			count += sum[t] & 1;
		for (int t = 0; t < 128; t++) {
			want[RESULTS * (k + t)] = sum[0] + count;
			want[RESULTS * (k + t) + 1] = largest;
		}
	}
}

static void all_atomics(void)
{
	float sum = 0;
	uint64_t wide = 0, shifted = 0;
	uint32_t *o = want;

	for (int i = 0; i < N; i++) {
		uint32_t a = in[2 * i];

		o[16 + (a & 7)] += a >> 8;
		wide += a;
		o[0] += a;
		o[1] = a < o[1] ? a : o[1];
		o[2] = (int32_t)a > (int32_t)o[2] ? a : o[2];
		o[3] &= a | 0xff;
		o[4] |= a & 0xff00;
		o[5] ^= a;
		o[6] = o[6] >= 99 ? 0 : o[6] + 1;
		sum += (float)(a & 15);
		shifted += (uint64_t)a << 16;
		o[10] += a & 255;
		o[64 + i] = i >= 4;
		o[12 + (i & 3)] = a;
	}
	o[7] = u(sum);
	put(o, 4, shifted);
	put(o, 12, wide);
}

static void all_memory(void)
{
	const uint8_t *bytes = (const uint8_t *)in;
	const int16_t *shorts = (const int16_t *)in;

	for (int i = 0; i < N; i++) {
		uint32_t *o = want + RESULTS * i;
		int t = i & 127, first = i - t;

		for (int k = 0; k < 4; k++)
			o[k] = in[i / 2 * 4 + 3 - k];
		o[4] = in[2 * i] ^ in[2 * i + 1];
		o[5] = (uint32_t)bytes[5 * i] + (uint32_t)(int8_t)bytes[3 * i + 1];
		o[6] = (uint32_t)shorts[3 * i];
		o[7] = bytes[i] | (uint32_t)(uint16_t)shorts[i] << 16;
		o[8] = i & 1 ? in[2 * (first + (t ^ 1))] : in[2 * i];
		o[9] = in[2 * (first + 64 + t / 2) + (t & 1)];
		o[10] = in[i * 7 % (2 * N)];
	}
}

static void all_parted(void)
{
	uint32_t box[32], before[32];

	for (int t = 0; t < 32; t++)
		box[t] = in[2 * t];
	for (int k = 0; k < 31; k++) {
		memcpy(before, box, sizeof box);
		for (int t = k + 1; t < 32; t++)
			box[t] = before[k + 32 - t] * 3 + box[k];
	}
	for (int t = 0; t < 32; t++)
		want[RESULTS * t] = box[t];
}

static void leaving(uint32_t a, uint32_t b, uint32_t *o)
{
	o[0] = b;
	o[1] = a < 20 || a >= 80;
}

static void all_barriers(void)
{
	for (int k = 0; k < N; k += 128) {
		uint32_t count = 0, any = 0, all = 1;

		for (int t = 0; t < 128; t++) {
			count += in[2 * (k + t)] & 1;
			any |= in[2 * (k + t)] == 5;
			all &= in[2 * (k + t) + 1] != 5;
		}
		for (int t = 0; t < 128; t++) {
			uint32_t *o = want + RESULTS * (k + t);

			o[0] = in[2 * (k + (t ^ 33))];
			o[1] = count;
			o[2] = any | all << 1;
		}
	}
}

static void all_waits(void)
{
	want[4094] = 2 * 128 * 127 / 2;
	want[4096] = 1;
}

static void all_matrices(void)
{
	matrices(in, want, sm);
}

static void all_copies(void)
{
	const uint16_t *box = (const uint16_t *)in;

	for (int i = 0; i < 32; i++)
		for (int k = 0; k < 4; k++) {
			const uint16_t *first = box + 64 * k;

			want[k * 32 + i] =
				first[i / 4 * 8 + i % 4 * 2] | (uint32_t)first[i / 4 * 8 + i % 4 * 2 + 1] << 16;
			if (k < 2)
				want[(4 + k) * 32 + i] =
					first[i % 4 * 16 + i / 4] | (uint32_t)first[i % 4 * 16 + 8 + i / 4] << 16;
		}
}

/* ---- running them ---- */

/* A file beside this one. */
static char *read_here(const char *file, size_t *n)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char name[4096], *bytes;

	snprintf(name, sizeof name, "%s/tests/exec/%s", folder, file);
	bytes = hd__read_file(name, n);
	if (!bytes)
		perror(name);
	return bytes;
}

enum { RANDOM, SMALL, FLOATS }; /* what the input is */

static const struct kernel {
	const char *name;
	void (*each)(uint32_t a, uint32_t b, uint32_t *o);
	void (*all)(void);
	int input;
	uint32_t blocks, threads, shared;
} kernels[] = {
	{ "integers", integers, NULL, RANDOM, 2, 128, 0 },
	{ "wides", wides, NULL, RANDOM, 2, 128, 0 },
	{ "floats", floats, NULL, FLOATS, 2, 128, 0 },
	{ "floats", floats, NULL, RANDOM, 2, 128, 0 },
	{ "doubles", doubles, NULL, RANDOM, 2, 128, 0 },
	{ "doubles", doubles, NULL, FLOATS, 2, 128, 0 },
	{ "halves", halves, NULL, RANDOM, 2, 128, 0 },
	{ "lanes", NULL, all_lanes, RANDOM, 2, 128, 0 },
	{ "lanes", NULL, all_lanes, SMALL, 2, 128, 0 },
	{ "diverge", diverge, NULL, RANDOM, 2, 128, 0 },
	{ "diverge", diverge, NULL, SMALL, 4, 61, 0 },
	{ "recursion", recursion, NULL, RANDOM, 2, 128, 0 },
	{ "reduction", NULL, all_reduction, RANDOM, 2, 128, 512 },
	{ "atomics", NULL, all_atomics, RANDOM, 2, 128, 0 },
	{ "locals", locals, NULL, RANDOM, 2, 128, 0 },
	{ "memory", NULL, all_memory, RANDOM, 2, 128, 0 },
	{ "symbols", symbols, NULL, RANDOM, 2, 128, 0 },
	{ "barriers", NULL, all_barriers, SMALL, 2, 128, 0 },
	{ "parted", NULL, all_parted, RANDOM, 1, 32, 0 },
	{ "leaving", leaving, NULL, SMALL, 2, 128, 0 },
	{ "waits", NULL, all_waits, RANDOM, 2, 128, 0 },
	{ "prints", no_results, NULL, SMALL, 2, 128, 0 },
	{ "heap", heap, NULL, RANDOM, 2, 128, 0 },
	{ "matrices", NULL, all_matrices, RANDOM, 1, 32, 0 },
	{ "matrices", NULL, all_matrices, SMALL, 1, 32, 0 },
	{ "copies", NULL, all_copies, RANDOM, 1, 32, 0 },
};

static uint64_t state = 88172645463325252u;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Numbers that are special, and others. */
static void fill(int kind)
{
	static const uint32_t special[] = { 0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000,
					    0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000, 0x00800000, 0x80000001,
					    0x007fffff, 5,          77,         0x4b800000, 0x4f000000, 0xcf000000 };

	for (int i = 0; i < 2 * N; i++) {
		uint32_t v = random_word();

		if (kind == SMALL) {
			in[i] = v % 97;
		} else if (kind == FLOATS) {
			in[i] = (v & 0x807fffff) | (120 + v % 17) << 23;
		} else {
			in[i] = v % 7 == 0 ? special[v / 7 % (sizeof special / sizeof *special)] : v;
		}
	}
}

static void fail(const char *kernel, const char *what)
{
	printf("sm_%u %s: %s\n", sm, kernel, what);
	failures++;
}

/* What is not defined: the last one of several exchanges; what number a double that is none has. */
static void excuse(const struct kernel *k)
{
	if (strcmp(k->name, "atomics") == 0) {
		memcpy(out + 12, want + 12, 16);
		memcpy(out + 64, want + 64, 4 * N);
	}
	if (strcmp(k->name, "waits") == 0)
		out[4097] = 0; /* the flag of the last block */
	if (strcmp(k->name, "doubles") == 0)
		for (int i = 0; i < RESULTS * N; i++)
			if (i % RESULTS < 12 && i % 2 == 0) {
				uint64_t v = w(d((uint64_t)out[i + 1] << 32 | out[i]));

				put(out + i, 0, v);
			}
}

static void compare(const struct kernel *k)
{
	unsigned bad = 0;

	for (int i = 0; i < OUT && bad < 3; i++) {
		if (out[i] == want[i])
			continue;
		bad++;
		printf("sm_%u %s, input %d: thread %d, result %d (inputs %08x %08x): %08x, expected %08x\n", sm,
		       k->name, k->input, i / RESULTS, i % RESULTS, in[2 * (i / RESULTS % N)],
		       in[2 * (i / RESULTS % N) + 1], out[i], want[i]);
	}
	failures += bad;
}

static void run(struct hd_exec *x, struct hd_exec_image *m, const struct kernel *k)
{
	const struct hd_exec_kernel *kernel = hd__exec_kernel(m, k->name);
	struct {
		uint64_t in, out;
		int32_t n;
	} args = { hd__exec_alloc(x, sizeof in + 4096), hd__exec_alloc(x, sizeof out), N };
	struct hd_exec_launch l = { .kernel = kernel, .grid = { k->blocks, 1, 1 }, .block = { k->threads, 1, 1 },
	                            .shared = k->shared, .args = &args, .nargs = 20 };
	struct hd_exec_fault fault;

	memset(want, 0, sizeof want);
	if (!kernel || kernel->sm != sm || kernel->params != 3) {
		fail(k->name, "is not in the image as it should be");
		return;
	}
	fill(k->input);
	memcpy(hd__exec_host(x, args.in, sizeof in), in, sizeof in);
	hd__exec_written(x, args.in, sizeof in);
	hd__exec_written(x, args.out, sizeof out);
	for (uint32_t i = 0; k->each && i < k->blocks * k->threads && i < N; i++)
		k->each(in[2 * i], in[2 * i + 1], want + RESULTS * i);
	if (k->all)
		k->all();
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_DONE) {
		fail(k->name, fault.words);
	} else {
		memcpy(out, hd__exec_host(x, args.out, sizeof out), sizeof out);
		excuse(k);
		compare(k);
	}
	hd__exec_release(x, args.in);
	hd__exec_release(x, args.out);
}

/* What launches end with that may not end well. */
static void faults(struct hd_exec *x, struct hd_exec_image *m)
{
	static const enum hd_exec_status expected[] = { HD_EXEC_DONE, HD_EXEC_TRAP, HD_EXEC_ADDRESS, HD_EXEC_DEADLOCK };
	struct { uint64_t in, out; int32_t n; } args = { hd__exec_alloc(x, 4), hd__exec_alloc(x, 4), N };
	struct hd_exec_launch l = { .kernel = hd__exec_kernel(m, "traps"), .grid = { 1, 1, 1 }, .block = { 64, 1, 1 },
	                            .args = &args, .nargs = 20 };
	struct hd_exec_fault fault;
	uint32_t *which = hd__exec_host(x, args.in, 4);

	for (*which = 0; *which < 4; ++*which) {
		enum hd_exec_status got = hd__exec_run(x, &l, NULL, NULL, &fault);

		if (got != expected[*which])
			fail("traps", hd__exec_status(got));
		if ((*which == 1 && fault.thread[0] != 37)
		    || (*which == 2 && (fault.thread[0] != 38 || strcmp(fault.kernel, "traps"))))
			fail("traps", fault.words);
	}
	l.nargs = 19;
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_LAUNCH)
		fail("traps", "too few bytes of arguments");
	l.nargs = 20;
	l.block[0] = 1025;
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_LAUNCH)
		fail("traps", "too many threads");
	l.block[0] = 32;
	l.shared = 1 << 20;
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_RESOURCES)
		fail("traps", "too much shared memory");
}

static void check_symbols(struct hd_exec *x, struct hd_exec_image *m)
{
	uint64_t at, bytes;

	if (!hd__exec_symbol(m, "counter", &at, &bytes) || bytes != 4
	    || *(uint32_t *)hd__exec_host(x, at, bytes) != 100 + N)
		fail("symbols", "counter");
	if (!hd__exec_symbol(m, "table", &at, &bytes) || bytes != 64 || *(uint32_t *)hd__exec_host(x, at, bytes) != 2)
		fail("symbols", "table");
	if (hd__exec_symbol(m, "nothing", &at, &bytes))
		fail("symbols", "nothing");
}

static int32_t twice(int32_t v)
{
	return v > 100 ? twice(v / 2) + 1 : v * 2 + (v & 3) + 1;
}

/* A function of another file, which is called by its address. */
static void linked(struct hd_exec *x, const char *file)
{
	char *bytes, *why = NULL;
	struct { uint64_t in, out; int32_t n; } args = { hd__exec_alloc(x, 4 * N), hd__exec_alloc(x, 4 * N), N };
	struct hd_exec_launch l = { .grid = { 2, 1, 1 }, .block = { 128, 1, 1 }, .args = &args, .nargs = 20 };
	int32_t *numbers = hd__exec_host(x, args.in, 4 * N), *results = hd__exec_host(x, args.out, 4 * N);
	struct hd_exec_image *m;
	struct hd_exec_fault fault;
	size_t n;

	bytes = read_here(file, &n);
	m = bytes ? hd__exec_load(x, bytes, n, sm, file, &why) : NULL;
	free(bytes);
	if (!m) {
		fail("linked", why);
		free(why);
		return;
	}
	l.kernel = hd__exec_kernel(m, "linked");
	for (int32_t i = 0; i < N; i++)
		numbers[i] = i * 37 % 5000;
	if (hd__exec_run(x, &l, NULL, NULL, &fault) != HD_EXEC_DONE)
		fail("linked", fault.words);
	for (int32_t i = 0; i < N; i++)
		if (results[i] != twice(numbers[i]) + (i & 3) + 1) {
			fail("linked", "results");
			break;
		}
	hd__exec_unload(m);
}

/* The kernels have two faults: two threads of `memory` write one place, barriers of `parted`. */
static void nothing_found(struct hd_exec *x, size_t expected)
{
	const struct hd_exec_finding *v;
	size_t n;

	v = hd__exec_findings(x, &n);
	if (n < expected)
		fail("memory", "its race was not found");
	for (size_t i = 0; i < n; i++) {
		if (strcmp(v[i].kernel, "memory") == 0 && v[i].kind == HD_EXEC_RACE && i < expected)
			continue;
		if (strcmp(v[i].kernel, "parted") == 0 && v[i].kind == HD_EXEC_BARRIER_ERROR)
			continue;
		fail(v[i].kernel, v[i].words);
		printf("    %s: pc 0x%x %s, pc 0x%x %s\n", hd__exec_kind(v[i].kind), v[i].at.pc, v[i].at.text,
		       v[i].other.pc, v[i].other.text ? v[i].other.text : "");
	}
}

static void version(const char *bytes, size_t n, bool check, char **printed)
{
	size_t size;
	FILE *f = open_memstream(printed, &size);
	struct hd_exec_options o = { .print = f, .most = 1 << 24, .any_cpu = sm == 80 || sm == 90,
		.check = check };
	char *why = NULL;
	struct hd_exec *x = hd__exec_new(&o, &why);
	struct hd_exec_image *m = x ? hd__exec_load(x, bytes, n, sm, "kernels.fatbin", &why) : NULL;

	if (!m) {
		fail("all kernels", why);
		free(why);
	} else {
		for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
			run(x, m, &kernels[i]);
		check_symbols(x, m);
		nothing_found(x, check);
		faults(x, m);
		if (sm == 80 || sm >= 90)
			linked(x, sm == 80 ? "linked_lz4.fatbin" : "linked.fatbin");
	}
	hd__exec_free(x);
	fclose(f);
}

int main(void)
{
	static const uint32_t versions[] = { 75, 80, 86, 89, 90, 120 };
	char *bytes;
	size_t n;

	bytes = read_here("kernels.fatbin", &n);
	if (!bytes)
		return 1;
	for (size_t i = 0; i < 2 * (sizeof versions / sizeof *versions); i++) {
		char *printed, expected[256];

		sm = versions[i / 2];
		state = 88172645463325252u;
		version(bytes, n, i % 2, &printed);
		/* the input of `prints` follows from the numbers before it */
		snprintf(expected, sizeof expected, "thread 0: ");
		if (strncmp(printed, expected, strlen(expected)) != 0 || !strstr(printed, " even  0.00 ")
		    || !strstr(printed, " odd  1.50 ") || !strstr(printed, "00000000 x%\n"))
			fail("prints", printed);
		free(printed);
	}
	free(bytes);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}

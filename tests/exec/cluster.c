/* cluster.c - kernels of cluster.cu, whose blocks run in clusters, against plain loops
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"
#include "base/xalloc.h"
#include "tests/exec/matrices.h"

#include <stdio.h>

static struct hd_exec *x;
static struct hd_exec_image *image;
static unsigned failures;

static void failed(const char *name, const char *what)
{
	printf("FAIL: %s: %s\n", name, what);
	failures++;
}

static void expect(const char *name, uint32_t place, uint32_t got, uint32_t want)
{
	if (got != want) {
		printf("FAIL: %s: word %u is %u, not %u\n", name, place, got, want);
		failures++;
	}
}

struct shape {
	uint32_t grid[3], block, cluster[3];
};

/* Arguments follow one another in `args`, and are where the kernel has them.  Returns what ended it. */
static enum hd_exec_status launch(const char *name, struct shape s, const void *args, struct hd_exec_fault *fault)
{
	const struct hd_exec_kernel *k = hd__exec_kernel(image, name);
	unsigned char there[1024] = { 0 };
	struct hd_exec_launch l = { .kernel = k, .block = { s.block, 1, 1 }, .args = there, .nargs = k->args };
	const unsigned char *from = args;

	memcpy(l.grid, s.grid, sizeof l.grid);
	memcpy(l.cluster, s.cluster, sizeof l.cluster);
	for (uint32_t i = 0; i < k->params; from += k->param[i++].bytes)
		memcpy(there + k->param[i].offset, from, k->param[i].bytes);
	return hd__exec_run(x, &l, NULL, NULL, fault);
}

static void run(const char *name, struct shape s, const void *args)
{
	struct hd_exec_fault fault;

	if (launch(name, s, args, &fault) != HD_EXEC_DONE)
		failed(name, fault.words);
}

static void fails(const char *name, struct shape s, const void *args, enum hd_exec_status status, const char *words)
{
	struct hd_exec_fault fault = { .words = "it ended well" };

	if (launch(name, s, args, &fault) != status || !strstr(fault.words, words)) {
		printf("FAIL: %s: '%s', not '%s'\n", name, fault.words, words);
		failures++;
	}
}

static uint32_t *words(uint32_t n, uint64_t *address)
{
	*address = hd__exec_alloc(x, n * 4);
	return hd__exec_host(x, *address, n * 4);
}

/* ---- places ---- */

static void places(struct shape s)
{
	uint64_t out;
	uint32_t n = s.grid[0] * s.grid[1], *v = words(16 * n, &out), cx = s.cluster[0] ? s.cluster[0] : 1,
		 cy = s.cluster[1] ? s.cluster[1] : 1;

	run("places", s, &out);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t bx = i % s.grid[0], by = i / s.grid[0];
		const uint32_t want[] = { bx % cx + by % cy * cx, cx * cy, bx % cx, by % cy, cx, cy, bx / cx, by / cy,
			s.grid[0] / cx, s.grid[1] / cy, s.cluster[0] != 0 };

		for (uint32_t k = 0; k < sizeof want / sizeof *want; k++)
			expect("places", i * 16 + k, v[i * 16 + k], want[k]);
	}
}

/* ---- shared memory of other blocks ---- */

static void neighbours(void)
{
	uint64_t out;
	uint32_t *v = words(8 * 128, &out);

	run("neighbours", (struct shape){ { 8, 1, 1 }, 64, { 0 } }, &out);
	for (uint32_t b = 0; b < 8; b++)
		for (uint32_t t = 0; t < 64; t++) {
			uint32_t rank = b % 4, by = (rank + 2) % 4, of = b - rank + (by + 1) % 4;

			expect("neighbours", b * 128 + 2 * t, v[b * 128 + 2 * t], of * 1000 + t + 1);
			expect("neighbours", b * 128 + 2 * t + 1, v[b * 128 + 2 * t + 1],
			       (rank == 0 ? 4 * 63 * 64 / 2 : 0) + 10000 * ((rank + 3) % 4)
				       + 100000 * (rank == 0 ? 3 : 1));
		}
}

static void ring(uint32_t rounds)
{
	struct {
		uint64_t out;
		uint32_t rounds;
	} args = { 0, rounds };
	uint32_t *v = words(16, &args.out);

	run("ring", (struct shape){ { 16, 1, 1 }, 64, { 0 } }, &args);
	for (uint32_t b = 0; b < 16; b++) { /* what the block before has put there */
		uint32_t before = (b + 7) % 8, sum = (b % 8 ? rounds - 1 : rounds) * 36;

		for (uint32_t i = 0; b % 8 && i <= before; i++)
			sum += i + 1;
		expect("ring", b, v[b], sum);
	}
}

/* ---- copies to several blocks, and from block to block ---- */

static struct hd_exec_tensor tensor(uint64_t base, uint32_t columns, uint32_t rows, uint32_t box_x, uint32_t box_y,
				    enum hd_exec_type type)
{
	return (struct hd_exec_tensor){ .base = base, .rank = 2, .bytes = 4, .size = { columns, rows },
		.stride = { columns * 4 }, .box = { box_x, box_y }, .step = { 1, 1 }, .type = type };
}

static void multicast(uint32_t set, uint32_t linear)
{
	struct {
		unsigned char map[HD_EXEC_TENSOR];
		uint64_t from, out;
		uint32_t set, linear;
	} args = { .set = set, .linear = linear };
	uint32_t *in = words(64 * 32, &args.from), *v = words(4 * 256, &args.out);
	struct hd_exec_tensor t = tensor(args.from, 64, 32, 16, 16, HD_EXEC_U32);

	hd__exec_tensor_encode(&t, args.map);
	for (uint32_t i = 0; i < 64 * 32; i++)
		in[i] = i + 1;
	run("multicast", (struct shape){ { 4, 1, 1 }, 64, { 4, 1, 1 } }, &args);
	for (uint32_t b = 0; b < 4; b++)
		for (uint32_t i = 0; i < 256; i++)
			expect("multicast", b * 256 + i, v[b * 256 + i],
			       !(set >> b & 1) ? 0 : linear ? i + 1 : (i / 16 + 4) * 64 + i % 16 + 8 + 1);
}

static void moves(uint32_t n)
{
	uint64_t out;
	uint32_t *v = words(256 * n, &out);

	run("moves", (struct shape){ { n, 1, 1 }, 64, { n, 1, 1 } }, &out);
	for (uint32_t b = 0; b < n; b++) {
		uint32_t before = (b + n - 1) % n, two = (b + n - 2) % n;

		for (uint32_t t = 0; t < 64; t++)
			expect("moves", b * 256 + t, v[b * 256 + t], 2 * (before * 100 + t));
		for (uint32_t t = 0; t < 32; t++) {
			expect("moves", b * 256 + 64 + t, v[b * 256 + 64 + t], t > 17 ? t - 10 : 7);
			expect("moves", b * 256 + 128 + t, v[b * 256 + 128 + t], t % 2 ? 32 + t / 4 : two);
		}
	}
}

/* ---- reductions ---- */

static uint32_t bits_of(float f)
{
	uint32_t v;

	memcpy(&v, &f, sizeof v);
	return v;
}

/* The words of 16 by 4 at these coordinates. */
static uint32_t boxed(uint32_t column, uint32_t row, int at_x, int at_y, uint32_t *i)
{
	int dx = (int)column - at_x, dy = (int)row - at_y;

	*i = (uint32_t)(dy * 16 + dx);
	return dx >= 0 && dx < 16 && dy >= 0 && dy < 4;
}

static void reductions(void)
{
	struct {
		unsigned char floats[HD_EXEC_TENSOR], numbers[HD_EXEC_TENSOR];
		uint64_t from, out;
	} args;
	uint64_t fp, np;
	uint32_t *in = words(64, &args.from), *out = words(640, &args.out), *f = words(24 * 8, &fp),
		 *n = words(24 * 8, &np), was[640], i;
	struct hd_exec_tensor t = tensor(fp, 24, 8, 16, 4, HD_EXEC_F32);

	hd__exec_tensor_encode(&t, args.floats);
	t = tensor(np, 24, 8, 16, 4, HD_EXEC_S32);
	hd__exec_tensor_encode(&t, args.numbers);
	for (i = 0; i < 64; i++) /* floats, and pairs of halves and bfloats, that are exact */
		in[i] = bits_of((float)(i * 4));
	for (i = 0; i < 640; i++)
		was[i] = out[i] = i / 64 == 5   ? bits_of(1.5f)
				  : i / 64 == 6 ? 0x3c004000
						: 0x42000000 + i % 64 * 0x10001;
	for (i = 0; i < 24 * 8; i++) {
		f[i] = bits_of((float)i);
		n[i] = 0x42800000 - i;
	}
	run("reductions", (struct shape){ { 1, 1, 1 }, 64, { 0 } }, &args);
	for (i = 0; i < 640; i++) {
		uint32_t v = in[i % 64], w = was[i], k = i % 64 & ~1u;
		uint64_t pair = in[k] | (uint64_t)in[k + 1] << 32, old = was[i & ~1u] | (uint64_t)was[i | 1] << 32;
		uint64_t sum = pair + old, low = (int64_t)pair < (int64_t)old ? pair : old;

		switch (i / 64) {
		case 0: w += v; break;
		case 1: w = (int32_t)v < (int32_t)w ? v : w; break;
		case 2: w = v > w ? v : w; break;
		case 3: w = (uint32_t)(i % 2 ? sum >> 32 : sum); break;
		case 4: w &= v; break;
		case 5: w = bits_of((float)(i % 64 * 4) + 1.5f); break;
		case 6:
			w = half_bits(half_of(w >> 16) + half_of(v >> 16), 0) << 16
			    | half_bits(half_of(w) + half_of(v), 0);
			break;
		case 7: /* bfloats without a sign are as their bits */
			w = (v >> 16 > w >> 16 ? v >> 16 : w >> 16) << 16
			    | ((v & 0xffff) > (w & 0xffff) ? v & 0xffff : w & 0xffff);
			break;
		case 8: w = w >= v ? 0 : w + 1; break;
		default: w = (uint32_t)(i % 2 ? low >> 32 : low); break;
		}
		expect("reductions", i, out[i], w);
	}
	for (uint32_t y = 0; y < 8; y++)
		for (uint32_t c = 0; c < 24; c++) {
			uint32_t at = y * 24 + c, w = 0x42800000 - at;

			expect("floats", at, f[at],
			       boxed(c, y, 4, -2, &i) ? bits_of((float)at + (float)(i * 4)) : bits_of((float)at));
			expect("numbers", at, n[at], boxed(c, y, 12, 3, &i) && in[i] > w ? in[i] : w);
		}
}

/* ---- minima and maxima ---- */

static int32_t part(uint32_t v, unsigned k, bool is_signed)
{
	return is_signed ? (int16_t)(v >> 16 * k) : (int32_t)(v >> 16 * k & 0xffff);
}

/* Of a, b and, if `three`, c, halves of words; 0 if the result is less and `relu`. */
static uint32_t halves(const uint32_t *v, unsigned n, bool adds, bool least, bool is_signed, bool relu)
{
	uint32_t all = 0;

	for (unsigned k = 0; k < 2; k++) {
		uint32_t sum = (uint32_t)(part(v[0], k, is_signed) + part(v[1], k, is_signed));
		int32_t best = adds ? part(sum, 0, is_signed) : part(v[0], k, is_signed);

		for (unsigned i = adds ? 2 : 1; i < n; i++) {
			int32_t next = part(v[i], k, is_signed);

			best = (next < best) == least ? next : best;
		}
		all |= (uint32_t)((relu && best < 0 ? 0 : best) & 0xffff) << 16 * k;
	}
	return all;
}

static uint32_t better(const uint32_t *v, bool least, bool is_signed)
{
	uint32_t of = 0;

	for (unsigned k = 0; k < 2; k++) {
		int32_t p = part(v[0], k, is_signed), q = part(v[1], k, is_signed);

		of |= (uint32_t)(least ? p <= q : p >= q) << (1 - k);
	}
	return of;
}

static int32_t not_below_0(int32_t v)
{
	return v < 0 ? 0 : v;
}

static void least(void)
{
	struct {
		uint64_t in, out;
	} args;
	uint32_t *in = words(3 * 64, &args.in), *out = words(16 * 64, &args.out), noise = 1;

	for (uint32_t i = 0; i < 3 * 64; i++) {
		noise = noise * 1664525 + 1013904223;
		in[i] = i % 9 == 1 ? in[i - 1] : noise;
	}
	run("least", (struct shape){ { 1, 1, 1 }, 64, { 0 } }, &args);
	for (uint32_t t = 0; t < 64; t++) {
		const uint32_t *v = &in[3 * t];
		int32_t a = (int32_t)v[0], b = (int32_t)v[1], c = (int32_t)v[2], sum = (int32_t)(v[0] + v[1]);
		const uint32_t want[] = { halves(v, 2, false, false, true, false), better(v, false, true),
			halves(v, 2, false, true, false, false), better(v, true, false),
			halves(v, 2, false, false, true, true), (uint32_t)not_below_0(a < b ? a : b),
			halves(v, 3, true, true, true, true), halves(v, 3, true, false, false, false),
			(uint32_t)not_below_0(sum > c ? sum : c), halves(v, 3, false, true, true, true),
			(uint32_t)not_below_0(a > b ? a > c ? a : c : b > c ? b : c),
			halves(v, 3, false, false, false, false) };

		for (uint32_t k = 0; k < sizeof want / sizeof *want; k++)
			expect("least", t * 16 + k, out[t * 16 + k], want[k]);
	}
}

/* ---- the barrier ---- */

static void leavers(void)
{
	uint64_t out;
	/* of 128 threads of three blocks: without a warp each, 26 threads, and then the last warp of each */
	const uint32_t come = 3 * 96 - 26, rest = come - 2 * 32;
	uint32_t *v = words(32, &out);

	run("leavers", (struct shape){ { 4, 1, 1 }, 128, { 0 } }, &out);
	expect("leavers", 1, v[1], come);
	for (uint32_t rank = 0; rank < 3; rank++)
		for (uint32_t i = 0; i < 3; i++)
			expect("leavers", 4 + rank * 3 + i, v[4 + rank * 3 + i], i ? rest : come);
}

/* Lanes of one warp that come one part after the other. */
static void parted(void)
{
	uint64_t out;
	uint32_t *v = words(4, &out);

	run("parted", (struct shape){ { 2, 1, 1 }, 64, { 0 } }, &out);
	expect("parted", 3, v[3], 1);
}

/* ---- faults ---- */

static void faults(void)
{
	const struct shape two = { { 2, 1, 1 }, 32, { 0 } }, one = { { 1, 1, 1 }, 32, { 0 } };
	struct {
		uint64_t out;
		uint32_t rank;
	} beyond = { hd__exec_alloc(x, 256), 2 };
	struct {
		unsigned char map[HD_EXEC_TENSOR];
		uint32_t which;
	} broken = { .which = 0 };
	struct {
		uint64_t from;
		uint32_t which;
	} astray = { .from = hd__exec_alloc(x, 256) };
	struct {
		uint64_t out;
		uint32_t which;
	} crooked = { .out = hd__exec_alloc(x, 256) };
	static const char *const wrongs[] = {
		"a store to 0x400, of rank 0 in the cluster, whose bytes arrive at the barrier at 0x1000",
		"which 8 does not divide", "which 4 does not divide", "which 4 does not divide",
		"initialised with arrivals of which no phase", "initialised with arrivals of which no phase",
		"initialised with arrivals of which no phase" };
	struct hd_exec_tensor t = tensor(hd__exec_alloc(x, 4096), 32, 32, 8, 8, HD_EXEC_U32);

	fails("beyond", two, &beyond, HD_EXEC_ADDRESS, "of rank 2 in a cluster of 2");
	fails("late", two, &beyond, HD_EXEC_ADDRESS, "of rank 0 in a cluster of 2, whose block has ended");
	fails("twice", two, NULL, HD_EXEC_DEADLOCK, "arrives at the barrier of the cluster again");
	fails("unarrived", two, NULL, HD_EXEC_DEADLOCK, "without having arrived");
	fails("alone", two, NULL, HD_EXEC_DEADLOCK,
	      "block (1,0,0), thread (0,0,0): a deadlock: no warp of the cluster can go on; "
	      "lanes 0xffffffff of warp 0 wait for the barrier at");
	for (crooked.which = 0; crooked.which < 7; crooked.which++)
		fails("crooked", two, &crooked, HD_EXEC_ADDRESS, wrongs[crooked.which]);
	fails("own_only", two, &beyond, HD_EXEC_ADDRESS, "which is of rank 1 in the cluster; the block has rank 0");
	fails("broken", one, &broken, HD_EXEC_ADDRESS, "no tensor map of 2 dimensions");
	hd__exec_tensor_encode(&t, broken.map);
	broken.which = 1;
	fails("broken", one, &broken, HD_EXEC_ADDRESS, "expected a multiple of 128");
	broken.which = 2;
	fails("broken", one, &broken, HD_EXEC_ADDRESS, "no barrier, or one that was not initialised");
	for (astray.which = 0; astray.which < 3; astray.which++)
		fails("astray", one, &astray, HD_EXEC_ADDRESS, astray.which == 1
		      ? "not a multiple of 16, at 0x" : "a bulk copy whose address is not a multiple of 16");
	fails("astray", one, &astray, HD_EXEC_ADDRESS, "no barrier, or one that was not initialised");
	fails("neighbours", (struct shape){ { 6, 1, 1 }, 64, { 0 } }, &beyond, HD_EXEC_LAUNCH,
	      "clusters of (4,1,1) blocks do not divide a grid of (6,1,1)");
	fails("neighbours", (struct shape){ { 8, 1, 1 }, 64, { 2, 1, 1 } }, &beyond, HD_EXEC_LAUNCH,
	      "clusters of (2,1,1) blocks; the kernel was compiled for (4,1,1)");
	fails("places", (struct shape){ { 32, 1, 1 }, 64, { 32, 1, 1 } }, &beyond, HD_EXEC_LAUNCH,
	      "clusters of (32,1,1) blocks; expected at most 16 blocks");
}

int main(void)
{
	char *name = hd__format("%s/tests/exec/cluster.fatbin", getenv("srcdir") ? getenv("srcdir") : "."), *why = NULL;
	size_t n;
	char *bytes = hd__xcheck(hd__read_file(name, &n));

	for (int any = 0; any < 2; any++) {
		struct hd_exec_options o = { .most = 1 << 24, .any_cpu = any };

		x = hd__xcheck(hd__exec_new(&o, &why));
		image = hd__exec_load(x, bytes, n, 90, name, &why);
		if (!image) {
			failed(name, why);
			return 1;
		}
		places((struct shape){ { 12, 9, 1 }, 32, { 0 } });
		places((struct shape){ { 12, 9, 1 }, 32, { 1, 1, 1 } });
		places((struct shape){ { 12, 9, 1 }, 32, { 3, 1, 1 } });
		places((struct shape){ { 12, 9, 1 }, 32, { 4, 3, 1 } });
		places((struct shape){ { 49, 2, 1 }, 32, { 7, 2, 1 } });
		neighbours();
		ring(1);
		ring(5);
		for (uint32_t set = 2; set <= 15; set += 4) {
			multicast(set, 0);
			multicast(set, 1);
		}
		moves(2);
		moves(5);
		reductions();
		least();
		leavers();
		parted();
		faults();
		hd__exec_free(x);
	}
	free(bytes);
	free(name);
	return failures != 0;
}

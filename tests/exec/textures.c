/* textures.c - executes the kernels of textures.cu, compiled for each version, and compares with what C computes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "traces/exec/exec.h"

#include "base/read_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N 64         /* threads */
#define WORDS 32     /* results of each */

enum { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES, LINEAR, OBJECTS };

static const struct { uint32_t size[3], layers; } shapes[OBJECTS] = {
	{ { 13 }, 0 }, { { 9, 7 }, 0 }, { { 5, 4, 3 }, 0 }, { { 11 }, 4 }, { { 6, 5 }, 3 }, { { 8, 8 }, 6 },
	{ { 4, 4 }, 12 }, { { 40 }, 0 },
};

static unsigned failures;
static uint32_t sm;
static uint64_t state = 88172645463325252u;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static float f(uint32_t v) { float x; memcpy(&x, &v, 4); return x; }
static uint32_t u(float x) { uint32_t v; memcpy(&v, &x, 4); return v; }

/* ---- what textures are ---- */

static const struct setting {
	uint8_t channels, bits;
	enum hd_exec_elements kind;
	bool fractions, linear, normalised;
	enum hd_exec_edge edge;
} settings[] = {
	{ 4, 8, HD_EXEC_UNSIGNED, true, true, true, HD_EXEC_WRAP },
	{ 1, 8, HD_EXEC_UNSIGNED, false, false, false, HD_EXEC_CLAMP },
	{ 2, 16, HD_EXEC_SIGNED, false, false, true, HD_EXEC_MIRROR },
	{ 4, 8, HD_EXEC_SIGNED, true, false, false, HD_EXEC_BORDER },
	{ 1, 16, HD_EXEC_UNSIGNED, true, true, false, HD_EXEC_BORDER },
	{ 1, 32, HD_EXEC_FLOAT, false, true, true, HD_EXEC_CLAMP },
	{ 1, 32, HD_EXEC_FLOAT, false, true, true, HD_EXEC_MIRROR },
	{ 4, 32, HD_EXEC_FLOAT, false, true, false, HD_EXEC_WRAP }, /* clamped: coordinates are of elements */
	{ 2, 16, HD_EXEC_FLOAT, false, true, true, HD_EXEC_BORDER },
	{ 4, 32, HD_EXEC_SIGNED, false, false, true, HD_EXEC_WRAP },
	{ 1, 32, HD_EXEC_UNSIGNED, false, true, true, HD_EXEC_BORDER }, /* not filtered: integers */
};

static struct hd_exec_texture texture(struct hd_exec *x, const struct setting *s, unsigned which)
{
	struct hd_exec_texture t = { .layers = shapes[which].layers, .channels = s->channels, .bits = s->bits,
		.kind = s->kind, .edge = { s->edge, s->edge, s->edge },
		.cube = which == CUBE || which == CUBES, .linear = s->linear,
		.normalised = s->normalised || which == CUBE || which == CUBES, .fractions = s->fractions,
		.border = { 0.25, 3, -1, 0.5 } };
	uint32_t rows = shapes[which].size[1] ? shapes[which].size[1] : 1, slices = shapes[which].size[2] + t.layers;
	uint64_t n;
	uint8_t *bytes;

	memcpy(t.size, shapes[which].size, sizeof t.size);
	t.row = t.size[0] * t.channels * t.bits / 8u + 32;
	t.slice = t.row * rows + 64;
	n = t.slice * (slices ? slices : 1);
	t.base = hd__exec_alloc(x, n);
	bytes = hd__exec_host(x, t.base, n);
	for (uint64_t i = 0; i < n; i += 4) {
		uint32_t v = random_word();

		if (t.kind == HD_EXEC_FLOAT && t.bits == 32) /* numbers of sizes that are not too far apart */
			v = (v & 0x807fffff) | (120 + v % 15) << 23;
		else if (t.kind == HD_EXEC_FLOAT)
			v = (v & 0x83ff83ff) | (10 + v % 9) << 10 | (8 + v % 13) << 26;
		memcpy(bytes + i, &v, 4);
	}
	return t;
}

/* ---- what kernels should get ---- */

static double half(uint16_t v)
{
	return ldexp((v & 1023) + 1024, (v >> 10 & 31) - 25) * (v >> 15 ? -1 : 1);
}

static uint32_t channel(const struct hd_exec_texture *t, const uint8_t *p)
{
	switch (t->bits << 2 | t->kind) {
	case 8 << 2 | HD_EXEC_UNSIGNED: return t->fractions ? u((float)(p[0] / 255.0)) : p[0];
	case 8 << 2 | HD_EXEC_SIGNED: return u((float)fmax((int8_t)p[0] / 127.0, -1));
	case 16 << 2 | HD_EXEC_UNSIGNED: return u((float)((p[0] | p[1] << 8) / 65535.0));
	case 16 << 2 | HD_EXEC_SIGNED: return (uint32_t)(int16_t)(p[0] | p[1] << 8);
	case 16 << 2 | HD_EXEC_FLOAT: return u((float)half((uint16_t)(p[0] | p[1] << 8)));
	default: return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
	}
}

static bool as_floats(const struct hd_exec_texture *t)
{
	return t->kind == HD_EXEC_FLOAT || t->fractions;
}

static int64_t inside(enum hd_exec_edge edge, int64_t i, int64_t n)
{
	while (i < 0 || i >= n)
		switch (edge) {
		case HD_EXEC_WRAP: i += i < 0 ? n : -n; break;
		case HD_EXEC_MIRROR: i = i < 0 ? -1 - i : 2 * n - 1 - i; break;
		case HD_EXEC_CLAMP: i = i < 0 ? 0 : n - 1; break;
		default: return -1;
		}
	return i;
}

static void element(const struct hd_exec_texture *t, const int64_t i[3], uint32_t layer, uint32_t v[4])
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)t->base;
	int64_t at[3] = { 0 };

	for (unsigned k = 0; k < 3 && t->size[k]; k++) {
		bool clamps = t->cube || (!t->normalised && t->edge[k] != HD_EXEC_BORDER);

		at[k] = inside(clamps ? HD_EXEC_CLAMP : t->edge[k], i[k], t->size[k]);
		if (at[k] >= 0)
			continue;
		for (unsigned c = 0; c < 4; c++)
			v[c] = c >= t->channels ? 0 : as_floats(t) ? u(t->border[c]) : (uint32_t)(int32_t)t->border[c];
		return;
	}
	if (layer >= t->layers)
		layer = t->layers ? t->layers - 1 : 0;
	p += at[0] * t->channels * t->bits / 8 + at[1] * (int64_t)t->row + (at[2] + layer) * (int64_t)t->slice;
	for (unsigned c = 0; c < 4; c++)
		v[c] = c < t->channels ? channel(t, p + c * t->bits / 8) : 0;
}

/* Interpolates in dimension k and those before it. */
static void interpolate(const struct hd_exec_texture *t, int k, int64_t low[3], const double weight[3], uint32_t layer,
                        double v[4])
{
	double upper[4];
	uint32_t e[4];

	if (k < 0) {
		element(t, low, layer, e);
		for (unsigned c = 0; c < 4; c++)
			v[c] = f(e[c]);
		return;
	}
	interpolate(t, k - 1, low, weight, layer, v);
	low[k]++;
	interpolate(t, k - 1, low, weight, layer, upper);
	low[k]--;
	for (unsigned c = 0; c < 4; c++)
		v[c] = (1 - weight[k]) * v[c] + weight[k] * upper[c];
}

static double scaled(const struct hd_exec_texture *t, float x, unsigned k)
{
	return t->normalised ? x * (float)t->size[k] : x;
}

/* Element and weight of the next one, of 8 bits. */
static int64_t split(double x, double *weight)
{
	double steps = floor((x - 0.5) * 256 + 0.5), low = floor(steps / 256);

	*weight = (steps - low * 256) / 256;
	return (int64_t)low;
}

static void sample(const struct hd_exec_texture *t, const float *x, uint32_t layer, const int offset[2], uint32_t v[4])
{
	double weight[3], sum[4];
	int64_t i[3] = { 0 };
	int dimensions = 0;

	for (; dimensions < 3 && t->size[dimensions]; dimensions++) {
		double at = scaled(t, x[dimensions], (unsigned)dimensions);

		i[dimensions] = t->linear && as_floats(t) ? split(at, &weight[dimensions]) : (int64_t)floor(at);
		i[dimensions] += offset && dimensions < 2 ? offset[dimensions] : 0;
	}
	if (!t->linear || !as_floats(t)) {
		element(t, i, layer, v);
		return;
	}
	interpolate(t, dimensions - 1, i, weight, layer, sum);
	for (unsigned c = 0; c < 4; c++)
		v[c] = u((float)sum[c]);
}

/* ---- inputs ---- */

struct input {
	float x[4];
	int32_t layer;
	float direction[3];
};

static struct input in[N];
static float on_face[N][2];

/* A point of a face, and a direction to it; the numbers are such that nothing is rounded. */
static void direction(unsigned i)
{
	unsigned face = i % 6;
	float s = (float)(random_word() % 127 + 1) / 128, t = (float)(random_word() % 127 + 1) / 128;
	float a = 2 * s - 1, b = 2 * t - 1, m = (float)(1 << i % 3) / 2;
	const float to[6][3] = { { 1, -b, -a }, { -1, -b, a }, { a, 1, b }, { a, -1, -b }, { a, -b, 1 },
		{ -a, -b, -1 } };

	on_face[i][0] = s;
	on_face[i][1] = t;
	for (unsigned k = 0; k < 3; k++)
		in[i].direction[k] = to[face][k] * m;
}

static void fill(const struct setting *s)
{
	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < 4; k++)
			in[i].x[k] = ((float)(random_word() % 4096) / 1024 - 1.5f) * (s->normalised ? 1 : 8);
		if (i % 5 == 0)
			in[i].x[i % 3] = s->normalised ? 0.5f : 3;
		in[i].layer = (int32_t)(random_word() % 5);
		direction(i);
	}
}

/* ---- what kernels compute ---- */

static uint32_t want[N][WORDS];

static void expect(const struct hd_exec_texture *t, unsigned i, uint32_t v[WORDS])
{
	uint32_t layer = (uint32_t)in[i].layer;

	for (unsigned k = LINE; k <= PLANES; k++)
		sample(&t[k], in[i].x, layer, NULL, v + 4 * k);
	sample(&t[CUBE], on_face[i], i % 6, NULL, v + 4 * CUBE);
	sample(&t[CUBES], on_face[i], 6 * layer + i % 6 < 12 ? 6 * layer + i % 6 : 11, NULL, v + 4 * CUBES);
	element(&t[LINEAR], (const int64_t[]){ layer, 0, 0 }, 0, v + 4 * LINEAR);
}

static void expect_gathers(const struct hd_exec_texture *t, unsigned i, uint32_t *v)
{
	static const int corner[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
	int offset[2] = { (in[i].layer & 15) < 8 ? in[i].layer & 15 : in[i].layer - 16, -1 };
	const struct hd_exec_texture *plane = &t[PLANE];
	double weight;
	uint32_t e[4];

	for (unsigned k = 0; k < 4; k++) {
		element(plane, (const int64_t[]){ split(scaled(plane, in[i].x[0], 0), &weight) + corner[k][0],
		        split(scaled(plane, in[i].x[1], 1), &weight) + corner[k][1], 0 }, 0, e);
		v[k] = e[0];
		v[4 + k] = e[3];
	}
	sample(plane, in[i].x, 0, NULL, e);
	v[8] = e[1];
	v[9] = e[3];
	v[10] = 1;
	v[11] = e[2];
	sample(plane, in[i].x, 0, offset, v + 12);
	memcpy(v + 16, t[VOLUME].size, 12);
}

static void fail(const char *kernel, const char *what)
{
	printf("sm_%u %s: %s\n", sm, kernel, what);
	failures++;
}

static void launch(struct hd_exec *x, struct hd_exec_image *m, const char *name, void *args,
                   enum hd_exec_status expected)
{
	const struct hd_exec_kernel *k = hd__exec_kernel(m, name);
	struct hd_exec_launch l = { .kernel = k, .grid = { 1, 1, 1 }, .block = { N, 1, 1 }, .args = args };
	struct hd_exec_fault fault;

	l.nargs = k ? k->args : 0;
	if (!k || k->sm != sm)
		fail(name, "is not in the image as it should be");
	else if (hd__exec_run(x, &l, NULL, NULL, &fault) != expected)
		fail(name, fault.words);
}

static void compare(const char *name, unsigned setting, const uint32_t *out)
{
	for (unsigned i = 0, bad = 0; i < N * WORDS && bad < 3; i++) {
		if (out[i] == want[i / WORDS][i % WORDS])
			continue;
		bad++;
		failures++;
		printf("sm_%u %s, setting %u: thread %u, result %u: %08x (%g), expected %08x (%g)\n", sm, name, setting,
		       i / WORDS, i % WORDS, out[i], f(out[i]), want[i / WORDS][i % WORDS],
		       f(want[i / WORDS][i % WORDS]));
	}
}

static void textures(struct hd_exec *x, struct hd_exec_image *m, unsigned number)
{
	const struct setting *s = &settings[number];
	struct hd_exec_texture t[2][OBJECTS];
	uint64_t handles[2][OBJECTS], input = hd__exec_alloc(x, sizeof in), output = hd__exec_alloc(x, sizeof want);
	uint64_t all = hd__exec_alloc(x, sizeof handles);
	struct { uint64_t handle[OBJECTS], in, out; } args = { .in = input, .out = output };
	uint32_t *out = hd__exec_host(x, output, sizeof want);

	fill(s);
	memcpy(hd__exec_host(x, input, sizeof in), in, sizeof in);
	for (unsigned k = 0; k < 2 * OBJECTS; k++) {
		t[k / OBJECTS][k % OBJECTS] = texture(x, s, k % OBJECTS);
		handles[k / OBJECTS][k % OBJECTS] = hd__exec_texture_add(x, &t[k / OBJECTS][k % OBJECTS]);
	}
	memcpy(args.handle, handles[0], sizeof args.handle);
	memcpy(hd__exec_host(x, all, sizeof handles), handles, sizeof handles);

	for (unsigned i = 0; i < N; i++)
		expect(t[0], i, want[i]);
	launch(x, m, "samples", &args, HD_EXEC_DONE);
	compare("samples", number, out);
	memset(out, 0, sizeof want);
	launch(x, m, "levels", &args, HD_EXEC_DONE);
	compare("levels", number, out);
	memset(out, 0, sizeof want);
	for (unsigned i = 0; i < N; i++)
		expect(t[i % 3 == 1], i, want[i]);
	launch(x, m, "choices", &(struct { uint64_t all, in, out; }){ all, input, output }, HD_EXEC_DONE);
	compare("choices", number, out);
	memset(want, 0, sizeof want);
	memset(out, 0, sizeof want);
	for (unsigned i = 0; i < N; i++)
		expect_gathers(t[0], i, want[i]);
	launch(x, m, "gathers", &args, HD_EXEC_DONE);
	compare("gathers", number, out);

	for (unsigned k = 0; k < 2 * OBJECTS; k++) {
		if (!hd__exec_texture_remove(x, handles[k / OBJECTS][k % OBJECTS]))
			fail("samples", "an object is not there");
		hd__exec_release(x, t[k / OBJECTS][k % OBJECTS].base);
	}
	if (hd__exec_texture_remove(x, handles[0][0]))
		fail("samples", "an object is there after it was removed");
	launch(x, m, "samples", &args, HD_EXEC_ADDRESS);
	hd__exec_release(x, input);
	hd__exec_release(x, output);
	hd__exec_release(x, all);
}

/* ---- surfaces ---- */

static const struct setting elements[OBJECTS] = {
	[LINE] = { .channels = 1, .bits = 8 }, [PLANE] = { .channels = 1, .bits = 32 },
	[VOLUME] = { .channels = 4, .bits = 32 }, [LINES] = { .channels = 1, .bits = 32 },
	[PLANES] = { .channels = 2, .bits = 32 }, [LINEAR] = { .channels = 1, .bits = 32 },
};

static uint8_t *surface_at(const struct hd_exec_texture *t, uint8_t *base, int x, int y, int z, int bytes, bool clamp)
{
	int row = (int)t->size[0] * t->channels * t->bits / 8 - bytes, rows = t->size[1] ? (int)t->size[1] - 1 : 0;
	int slices = t->layers ? (int)t->layers - 1 : t->size[2] ? (int)t->size[2] - 1 : 0;
	static uint8_t none[16];

	if (!clamp && (x < 0 || y < 0 || z < 0 || x > row || y > rows || z > slices)) {
		memset(none, 0, sizeof none);
		return none;
	}
	x = x < 0 ? 0 : x > row ? row : x;
	y = y < 0 ? 0 : y > rows ? rows : y;
	z = z < 0 ? 0 : z > slices ? slices : z;
	return base + x + (int64_t)y * (int64_t)t->row + (int64_t)z * (int64_t)t->slice;
}

static int at[N][8];

static void expect_loads(const struct hd_exec_texture *t, unsigned i, uint32_t *v)
{
	int x = at[i][0], y = at[i][1], z = at[i][2];
	int16_t s;
#define FROM(k, x, y, z, bytes, clamp) surface_at(&t[k], (uint8_t *)(uintptr_t)t[k].base, x, y, z, bytes, clamp)

	v[0] = *FROM(LINE, x, 0, 0, 1, false);
	memcpy(&s, FROM(LINE, 2 * x, 0, 0, 2, true), 2);
	v[1] = (uint32_t)s;
	memcpy(v + 2, FROM(PLANE, 4 * x, y, 0, 4, false), 4);
	memcpy(v + 3, FROM(LINES, 4 * x, 0, z, 4, true), 4);
	memcpy(v + 4, FROM(PLANES, 8 * x, y, z, 8, false), 8);
	memcpy(v + 8, FROM(VOLUME, 16 * x, y, z, 16, true), 16);
}

static uint64_t bytes_of(const struct hd_exec_texture *t)
{
	return t->slice * (t->layers + t->size[2] ? t->layers + t->size[2] : 1);
}

static void expect_stores(const struct hd_exec_texture *t, uint8_t *copy[OBJECTS])
{
	for (unsigned i = 0; i < N; i++) {
		int x = at[i][0], y = at[i][1], z = at[i][2];
		uint32_t v = i * 0x01010101u, four[4] = { v, v + 1, v + 2, v + 3 }, *word;

		memcpy(surface_at(&t[PLANE], copy[PLANE], 4 * x, y, 0, 4, false), &v, 4);
		memcpy(surface_at(&t[VOLUME], copy[VOLUME], 16 * x, y, z, 16, false), four, 16);
		memcpy(surface_at(&t[PLANES], copy[PLANES], 2 * x, y, z, 2, false), &v, 2);
		word = (uint32_t *)(void *)surface_at(&t[LINEAR], copy[LINEAR], 4 * x, 0, 0, 4, false);
		*word += v;
		word = (uint32_t *)(void *)surface_at(&t[LINEAR], copy[LINEAR], 4 * x + 64, 0, 0, 4, false);
		*word = (int32_t)v < (int32_t)*word ? v : *word;
		word = (uint32_t *)(void *)surface_at(&t[LINEAR], copy[LINEAR], 4 * x + 128, 0, 0, 4, false);
		*word |= v;
	}
}

static void surfaces(struct hd_exec *x, struct hd_exec_image *m)
{
	struct hd_exec_texture t[OBJECTS];
	uint64_t input = hd__exec_alloc(x, sizeof at), output = hd__exec_alloc(x, sizeof want);
	struct { uint64_t handle[OBJECTS], in, out; } args = { .in = input, .out = output };
	uint32_t *out = hd__exec_host(x, output, sizeof want);
	uint8_t *copy[OBJECTS] = { NULL };

	for (int i = 0; i < N; i++) { /* inside and outside, no element twice */
		at[i][0] = i % 12 - 1;
		at[i][1] = i / 12 - 1 + i % 2;
		at[i][2] = i % 5 - 1;
	}
	memcpy(hd__exec_host(x, input, sizeof at), at, sizeof at);
	memset(want, 0, sizeof want);
	for (unsigned k = 0; k < OBJECTS; k++)
		if (elements[k].channels) {
			t[k] = texture(x, &elements[k], k);
			args.handle[k] = hd__exec_texture_add(x, &t[k]);
			copy[k] = malloc(bytes_of(&t[k]));
			memcpy(copy[k], hd__exec_host(x, t[k].base, bytes_of(&t[k])), bytes_of(&t[k]));
		}
	for (unsigned i = 0; i < N; i++)
		expect_loads(t, i, want[i]);
	launch(x, m, "loads", &args, HD_EXEC_DONE);
	compare("loads", 0, out);
	expect_stores(t, copy);
	launch(x, m, "stores", &args, HD_EXEC_DONE);
	for (unsigned k = 0; k < OBJECTS; k++)
		if (copy[k] && memcmp(copy[k], hd__exec_host(x, t[k].base, bytes_of(&t[k])), bytes_of(&t[k])))
			fail("stores", (const char *[]){ "1D", "2D", "3D", "1D[]", "2D[]", "", "", "linear" }[k]);
	launch(x, m, "outside", &args, HD_EXEC_ADDRESS);
	for (unsigned k = 0; k < OBJECTS; k++)
		free(copy[k]);
}

int main(void)
{
	static const uint32_t versions[] = { 75, 80, 86, 89, 90, 120 };
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	char name[4096], *bytes;
	size_t n;

	snprintf(name, sizeof name, "%s/tests/exec/textures.fatbin", folder);
	bytes = hd__read_file(name, &n);
	if (!bytes) {
		perror(name);
		return 1;
	}
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct hd_exec_options o = { .most = 1 << 24 };
		char *why = NULL;
		struct hd_exec *x = hd__exec_new(&o, &why);
		struct hd_exec_image *m;

		sm = versions[i];
		m = x ? hd__exec_load(x, bytes, n, sm, "textures.fatbin", &why) : NULL;
		if (!m) {
			fail("all kernels", why);
			free(why);
		}
		for (unsigned s = 0; m && s < sizeof settings / sizeof *settings; s++)
			textures(x, m, s);
		if (m)
			surfaces(x, m);
		hd__exec_free(x);
	}
	free(bytes);
	printf("%u failure%s\n", failures, failures == 1 ? "" : "s");
	return failures != 0;
}

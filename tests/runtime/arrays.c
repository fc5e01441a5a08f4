/* arrays.c - arrays, copies to and from them, texture and surface objects, as programs use them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The kernel is `samples` of tests/exec/textures.cu.
 */
#include "traces/runtime/cudart_api.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(x) ((x) ? (void)0 : failed(#x, __LINE__))
#define DONE(call) is((call), CUDA_SUCCESS, #call, __LINE__)
#define GIVES(error, call) is((call), (error), #call, __LINE__)

_Static_assert(sizeof(struct cuda_resource) == 144 && sizeof(struct cuda_texture_desc) == 72, "as nvcc 13 has it");
_Static_assert(offsetof(struct cuda_resource, res.pitch.pitch) == 56, "as nvcc 13 has it");

struct cuda_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
int cudaMallocArray(void **to, const struct cuda_channels *c, size_t width, size_t height, unsigned flags);
int cudaMalloc3DArray(void **to, const struct cuda_channels *c, struct cuda_extent e, unsigned flags);
int cudaFreeArray(void *array);
int cudaArrayGetInfo(struct cuda_channels *c, struct cuda_extent *e, unsigned *flags, void *array);
int cudaGetChannelDesc(struct cuda_channels *c, const void *array);
int cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from, size_t bytes, int direction);
int cudaMemcpyFromArray(void *to, const void *from, size_t x, size_t y, size_t bytes, int direction);
int cudaMemcpy2DToArray(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
                        int direction);
int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width, size_t height,
                          int direction);
int cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, const void *from, size_t x, size_t y, size_t width,
                             size_t height, int direction);
int cudaCreateTextureObject(uint64_t *to, const struct cuda_resource *r, const struct cuda_texture_desc *d,
                            const void *view);
int cudaDestroyTextureObject(uint64_t handle);
int cudaGetTextureObjectResourceDesc(struct cuda_resource *to, uint64_t handle);
int cudaGetTextureObjectTextureDesc(struct cuda_texture_desc *to, uint64_t handle);
int cudaCreateSurfaceObject(uint64_t *to, const struct cuda_resource *r);
int cudaDestroySurfaceObject(uint64_t handle);
int cudaGetSurfaceObjectResourceDesc(struct cuda_resource *to, uint64_t handle);

static char samples; /* its address is the name of the kernel */
static int failures;

static void failed(const char *what, int line)
{
	printf("line %d: %s\n", line, what);
	failures++;
}

static void is(int got, int expected, const char *what, int line)
{
	if (got == expected)
		return;
	printf("line %d: %s is %s, expected %s\n", line, what, cudaGetErrorName(got), cudaGetErrorName(expected));
	failures++;
}

static const struct cuda_channels one_float = { 32, 0, 0, 0, 2 }, four_bytes = { 8, 8, 8, 8, 1 };

/* ---- arrays ---- */

static void descriptions(void)
{
	struct cuda_channels c = cudaCreateChannelDesc(16, 16, 0, 0, 0), wrong = { 16, 8, 0, 0, 0 };
	struct cuda_extent e;
	unsigned flags;
	void *a;

	DONE(cudaMalloc3DArray(&a, &c, (struct cuda_extent){ 5, 0, 3 }, CUDA_ARRAY_LAYERED));
	memset(&c, 0, sizeof c);
	DONE(cudaArrayGetInfo(&c, &e, &flags, a));
	CHECK(c.x == 16 && c.y == 16 && c.z == 0 && c.kind == 0 && flags == CUDA_ARRAY_LAYERED);
	CHECK(e.width == 5 && e.height == 0 && e.depth == 3);
	memset(&c, 0, sizeof c);
	DONE(cudaGetChannelDesc(&c, a));
	CHECK(c.y == 16);
	DONE(cudaFreeArray(a));
	DONE(cudaFreeArray(NULL));
	GIVES(CUDA_INVALID_HANDLE, cudaFreeArray(a));
	GIVES(CUDA_INVALID_HANDLE, cudaGetChannelDesc(&c, a));
	GIVES(CUDA_INVALID_CHANNELS, cudaMallocArray(&a, &wrong, 4, 4, 0));
	GIVES(CUDA_INVALID_CHANNELS, cudaMallocArray(&a, &(struct cuda_channels){ 8, 8, 8, 0, 1 }, 4, 4, 0));
	GIVES(CUDA_INVALID_CHANNELS, cudaMallocArray(&a, &(struct cuda_channels){ 8, 0, 0, 0, 2 }, 4, 4, 0));
	GIVES(CUDA_INVALID_VALUE, cudaMallocArray(&a, &one_float, 0, 4, 0));
	GIVES(CUDA_INVALID_VALUE, cudaMallocArray(&a, &one_float, 4, 4, 64));
	GIVES(CUDA_INVALID_VALUE, cudaMalloc3DArray(&a, &one_float, (struct cuda_extent){ 4, 5, 6 }, CUDA_ARRAY_CUBE));
	GIVES(CUDA_MEMORY_ALLOCATION, cudaMallocArray(&a, &one_float, 1 << 28, 1 << 28, 0));
}

static void copies(void)
{
	uint8_t from[16 * 10], to[16 * 10] = { 0 }, part[3 * 8];
	void *a, *b;

	for (unsigned i = 0; i < sizeof from; i++)
		from[i] = (uint8_t)(i * 7 + 1);
	DONE(cudaMallocArray(&a, &four_bytes, 4, 10, 0));
	DONE(cudaMallocArray(&b, &four_bytes, 4, 10, CUDA_ARRAY_SURFACE));
	/* the rest of a row, rows, and a part of one */
	DONE(cudaMemcpyToArray(a, 0, 0, from, 12, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemcpyToArray(a, 12, 0, from + 12, sizeof from - 12 - 5, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemcpyToArray(a, 11, 9, from + sizeof from - 5, 5, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemcpyFromArray(to, a, 0, 0, sizeof to, CUDA_DEVICE_TO_HOST));
	CHECK(memcmp(from, to, sizeof to) == 0);
	GIVES(CUDA_INVALID_VALUE, cudaMemcpyToArray(a, 12, 9, from, 5, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_HANDLE, cudaMemcpyToArray(from, 0, 0, from, 5, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 16, 10, CUDA_DEVICE_TO_DEVICE));
	DONE(cudaMemcpy2DFromArray(part, 8, b, 4, 5, 8, 3, CUDA_DEVICE_TO_HOST));
	for (unsigned i = 0; i < sizeof part; i++)
		CHECK(part[i] == from[16 * (5 + i / 8) + 4 + i % 8]);
	DONE(cudaMemcpy2DToArray(b, 8, 0, part, 8, 8, 3, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemcpy2DFromArray(to, 16, b, 0, 0, 16, 10, CUDA_DEVICE_TO_HOST));
	CHECK(memcmp(to + 16 + 8, part + 8, 8) == 0 && memcmp(to, from, 8) == 0);
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy2DToArray(b, 8, 8, part, 8, 8, 3, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy2DToArray(NULL, 8, 0, part, 8, 8, 3, CUDA_HOST_TO_DEVICE));
	DONE(cudaFreeArray(a));
	DONE(cudaFreeArray(b));
}

static void volumes(void)
{
	float from[3 * 4 * 5], to[2 * 2 * 2];
	struct cuda_extent e = { 5, 4, 3 };
	struct cuda_copy_3d c = { .src = { from, 20, 5, 4 }, .extent = e, .kind = CUDA_HOST_TO_DEVICE };
	struct cuda_copy_3d back = { .src_pos = { 2, 1, 1 }, .dst = { to, 8, 2, 2 }, .extent = { 2, 2, 2 },
		                     .kind = CUDA_DEVICE_TO_HOST };

	for (unsigned i = 0; i < 60; i++)
		from[i] = (float)i;
	DONE(cudaMalloc3DArray(&c.dst_array, &one_float, e, 0));
	DONE(cudaMemcpy3D(&c));
	back.src_array = c.dst_array;
	DONE(cudaMemcpy3D(&back));
	for (unsigned i = 0; i < 8; i++)
		CHECK(to[i] == (float)(20 * (1 + i / 4) + 5 * (1 + i / 2 % 2) + 2 + i % 2));
	back.src_pos.x = 4;
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy3D(&back));
	back.src_array = from;
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy3D(&back));
	DONE(cudaFreeArray(c.dst_array));
}

/* ---- objects ---- */

enum { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES, LINEAR, OBJECTS };

static const struct { struct cuda_extent e; unsigned flags; } shapes[] = {
	[LINE] = { { 11, 0, 0 }, 0 }, [PLANE] = { { 7, 6, 0 }, 0 }, [VOLUME] = { { 5, 4, 3 }, 0 },
	[LINES] = { { 9, 0, 4 }, CUDA_ARRAY_LAYERED }, [PLANES] = { { 6, 5, 3 }, CUDA_ARRAY_LAYERED },
	[CUBE] = { { 4, 4, 6 }, CUDA_ARRAY_CUBE }, [CUBES] = { { 2, 2, 12 }, CUDA_ARRAY_CUBE | CUDA_ARRAY_LAYERED },
};

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

/* An array whose elements are their numbers. */
static struct cuda_resource numbers(int which)
{
	struct cuda_extent e = shapes[which].e, all = { e.width, at_least_one(e.height), at_least_one(e.depth) };
	float *v = malloc(all.width * all.height * all.depth * sizeof *v);
	struct cuda_resource r = { .type = CUDA_RESOURCE_ARRAY };
	struct cuda_copy_3d c = { .src = { v, 4 * e.width, e.width, all.height }, .kind = CUDA_HOST_TO_DEVICE,
		                  .extent = all };

	for (size_t i = 0; i < all.width * all.height * all.depth; i++)
		v[i] = (float)i;
	DONE(cudaMalloc3DArray(&r.res.array, &one_float, e, shapes[which].flags));
	c.dst_array = r.res.array;
	DONE(cudaMemcpy3D(&c));
	free(v);
	return r;
}

/* The middle of an element; beyond the last one it is the last one. */
static float number(int which, const float *x, size_t layer)
{
	struct cuda_extent e = shapes[which].e;
	size_t i = (size_t)x[0], j = (size_t)x[1], k = (size_t)x[2];

	i = i < e.width ? i : e.width - 1;
	j = e.height == 0 ? 0 : j < e.height ? j : e.height - 1;
	k = shapes[which].flags ? layer : k;
	k = e.depth == 0 ? 0 : k < e.depth ? k : e.depth - 1;
	return (float)(i + e.width * (j + at_least_one(e.height) * k));
}

static void read_all(void)
{
	static struct { float x[4]; int layer; float direction[3]; } in[64];
	static float out[64][OBJECTS][4];
	struct cuda_texture_desc d = { .edge = { 1, 1, 1 } }, told;
	struct { uint64_t object[OBJECTS]; } objects;
	struct cuda_resource r[OBJECTS], other;
	void *p, *in_device, *out_device;

	DONE(cudaMalloc(&p, 40));
	for (int i = 0; i < 10; i++)
		DONE(cudaMemcpy((char *)p + 4 * i, &(float){ (float)(100 + i) }, 4, CUDA_HOST_TO_DEVICE));
	r[LINEAR] = (struct cuda_resource){ .type = CUDA_RESOURCE_LINEAR, .res.linear = { p, one_float, 40 } };
	for (int k = 0; k < OBJECTS; k++) {
		if (k != LINEAR)
			r[k] = numbers(k);
		d.normalised = k == CUBE || k == CUBES;
		DONE(cudaCreateTextureObject(&objects.object[k], &r[k], &d, NULL));
	}
	DONE(cudaGetTextureObjectResourceDesc(&other, objects.object[LINEAR]));
	DONE(cudaGetTextureObjectTextureDesc(&told, objects.object[CUBE]));
	CHECK(memcmp(&other, &r[LINEAR], sizeof other) == 0 && told.edge[2] == 1 && told.normalised == 1);

	for (int i = 0; i < 64; i++) {
		for (int k = 0; k < 3; k++)
			in[i].x[k] = (float)(i / (1 + 3 * k) % 12) + 0.5f;
		in[i].layer = i % 13;
		in[i].direction[i % 3] = i / 3 % 2 ? -1 : 1; /* the middle of a face, which is the element after it */
	}
	DONE(cudaMalloc(&in_device, sizeof in));
	DONE(cudaMalloc(&out_device, sizeof out));
	DONE(cudaMemcpy(in_device, in, sizeof in, CUDA_HOST_TO_DEVICE));
	DONE(cudaLaunchKernel(&samples, (struct cuda_dim3){ 1, 1, 1 }, (struct cuda_dim3){ 64, 1, 1 },
	                      (void *[]){ &objects, &in_device, &out_device }, 0, NULL));
	DONE(cudaMemcpy(out, out_device, sizeof out, CUDA_DEVICE_TO_HOST));
	for (int i = 0; i < 64; i++) {
		size_t face = (size_t)(2 * (i % 3) + i / 3 % 2), cubes = 6 * (size_t)in[i].layer + face;

		for (int k = LINE; k <= PLANES; k++)
			CHECK(out[i][k][0] == number(k, in[i].x, (size_t)in[i].layer));
		CHECK(out[i][CUBE][0] == (float)(16 * face + 10));
		CHECK(out[i][CUBES][0] == (float)(4 * (cubes < 12 ? cubes : 11) + 3));
		CHECK(out[i][LINEAR][0] == (float)(in[i].layer < 10 ? 100 + in[i].layer : 0));
	}
	for (int k = 0; k < OBJECTS; k++)
		DONE(cudaDestroyTextureObject(objects.object[k]));
	GIVES(CUDA_INVALID_VALUE, cudaDestroyTextureObject(objects.object[0]));
	GIVES(CUDA_INVALID_VALUE, cudaGetTextureObjectResourceDesc(&other, objects.object[0]));
}

static void mistakes(void)
{
	struct cuda_texture_desc d = { .edge = { 1, 1, 1 }, .filter = 1 };
	struct cuda_resource r = { .type = CUDA_RESOURCE_LINEAR }, s = { .type = CUDA_RESOURCE_ARRAY }, told;
	uint64_t object;
	void *p;

	DONE(cudaMalloc(&p, 1024));
	r.res.linear.p = p;
	r.res.linear.channels = four_bytes;
	r.res.linear.bytes = 1024;
	GIVES(CUDA_INVALID_FILTER, cudaCreateTextureObject(&object, &r, &d, NULL));
	d.read = 1;
	DONE(cudaCreateTextureObject(&object, &r, &d, NULL));
	DONE(cudaDestroyTextureObject(object));
	r.res.linear.channels.x = r.res.linear.channels.y = r.res.linear.channels.z = r.res.linear.channels.w = 32;
	GIVES(CUDA_INVALID_NORM, cudaCreateTextureObject(&object, &r, &d, NULL));
	r.res.linear.bytes = 1040;
	r.res.linear.channels = one_float;
	GIVES(CUDA_INVALID_VALUE, cudaCreateTextureObject(&object, &r, &d, NULL));
	d.edge[1] = 4;
	GIVES(CUDA_INVALID_VALUE, cudaCreateTextureObject(&object, &r, &d, NULL));
	d.edge[1] = 0;
	r = (struct cuda_resource){ .type = CUDA_RESOURCE_PITCH, .res.pitch = { p, one_float, 16, 4, 32 } };
	GIVES(CUDA_INVALID_PITCH, cudaCreateTextureObject(&object, &r, &d, NULL));
	r.res.pitch.pitch = 256;
	DONE(cudaCreateTextureObject(&object, &r, &d, NULL));
	GIVES(CUDA_INVALID_VALUE, cudaDestroySurfaceObject(object));
	DONE(cudaDestroyTextureObject(object));
	GIVES(CUDA_INVALID_HANDLE, cudaCreateTextureObject(&object, &s, &d, NULL));
	GIVES(CUDA_INVALID_VALUE, cudaCreateSurfaceObject(&object, &r));
	DONE(cudaMallocArray(&s.res.array, &one_float, 4, 4, CUDA_ARRAY_SURFACE));
	DONE(cudaCreateSurfaceObject(&object, &s));
	DONE(cudaGetSurfaceObjectResourceDesc(&told, object));
	CHECK(told.res.array == s.res.array);
	DONE(cudaDestroySurfaceObject(object));
}

int main(void)
{
	const char *folder = getenv("srcdir") ? getenv("srcdir") : ".";
	struct cuda_fatbin_wrapper w = { .magic = CUDA_FATBIN_WRAPPER, .version = 1 };
	static char bytes[1 << 16];
	char name[4096];
	void **module;
	FILE *f;

	snprintf(name, sizeof name, "%s/tests/exec/textures.fatbin", folder);
	f = fopen(name, "rb");
	if (!f || fread(bytes, 1, sizeof bytes, f) < 1000) {
		perror(name);
		return 1;
	}
	fclose(f);
	w.data = bytes;
	module = __cudaRegisterFatBinary(&w);
	__cudaRegisterFunction(module, &samples, NULL, "samples", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	descriptions();
	copies();
	volumes();
	read_all();
	mistakes();
	__cudaUnregisterFatBinary(module);
	return failures != 0;
}

/* older.c - a program of CUDA 12, which versions.sh builds: what it calls is as that version has it
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: older FATBIN
 */
#include "traces/runtime/cudart_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct cuda_device_prop_12) == 1032, "as nvcc 12 has it");
_Static_assert(offsetof(struct cuda_device_prop_12, major) == 360, "as nvcc 12 has it");
_Static_assert(offsetof(struct cuda_device_prop_12, textures_and_surfaces) == 408, "as nvcc 12 has it");
_Static_assert(offsetof(struct cuda_device_prop_12, surface_alignment) == 568, "as nvcc 12 has it");
_Static_assert(offsetof(struct cuda_device_prop_12, l2_cache_size) == 616, "as nvcc 12 has it");
_Static_assert(offsetof(struct cuda_device_prop_12, unified_function_pointers) == 776, "as nvcc 12 has it");

void **__cudaRegisterFatBinary(const struct cuda_fatbin_wrapper *w);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid,
                            void *bid, void *block, void *grid, int *warp);
int cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **args, size_t shared,
                     void *stream);
int cudaMalloc(void **to, size_t bytes);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int direction);
int cudaMemAdvise(const void *p, size_t bytes, int advice, int device);
int cudaMemAdvise_v2(const void *p, size_t bytes, int advice, struct cuda_location where);
int cudaMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream);
int cudaGetDeviceProperties_v2(struct cuda_device_prop_12 *p, int device);
int cudaDeviceGetAttribute(int *to, int attribute, int device);
int cudaPointerGetAttributes(struct cuda_pointer_attributes_12 *to, const void *p);
int cudaRuntimeGetVersion(int *to);
int cudaDriverGetVersion(int *to);
int cudaCreateTextureObject(uint64_t *to, const void *resource, const struct cuda_texture_desc *d, const void *view);
int cudaGetTextureObjectResourceDesc(void *to, uint64_t handle);
int cudaGraphCreate(void **to, unsigned flags);
int cudaGraphAddEmptyNode(void **to, void *graph, void *const *after, size_t n);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t n);
int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                                const void **dependencies, size_t *n);
int cudaThreadSynchronize(void);
int cuInit(unsigned flags);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);

#define CHECK(x) ((x) ? (void)0 : (void)(failures++, printf("FAIL: line %d: %s\n", __LINE__, #x)))
#define GUARD 0x5a

static int failures;
static char add;

/* Have the bytes behind what was written stayed? */
static int is_guarded(const void *p, size_t from, size_t n)
{
	const char *bytes = p;

	while (from < n && bytes[from] == GUARD)
		from++;
	return from == n;
}

static void launch(const char *path, int *p)
{
	static char bytes[1 << 16];
	static struct cuda_fatbin_wrapper wrapper = { .magic = CUDA_FATBIN_WRAPPER, .version = 1, .data = bytes };
	struct cuda_dim3 one = { 1, 1, 1 }, threads = { 64, 1, 1 };
	int n = 64, v = 7;
	FILE *f = fopen(path, "rb");
	void **module;

	if (!f || !fread(bytes, 1, sizeof bytes, f))
		exit(99);
	fclose(f);
	module = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(module, &add, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(module);
	CHECK(cudaLaunchKernel(&add, one, threads, (void *[]){ &p, &n, &v }, 0, NULL) == CUDA_SUCCESS);
}

static void properties(void)
{
	static struct {
		struct cuda_device_prop_12 p;
		char guard[64];
	} all;
	struct cuda_device_prop_12 *p = &all.p;
	int clock, memory, l2;

	memset(&all, GUARD, sizeof all);
	CHECK(cudaGetDeviceProperties_v2(p, 0) == CUDA_SUCCESS && is_guarded(&all, sizeof *p, sizeof all));
	CHECK(cudaDeviceGetAttribute(&clock, 13, 0) == CUDA_SUCCESS);
	CHECK(cudaDeviceGetAttribute(&memory, 36, 0) == CUDA_SUCCESS);
	CHECK(cudaDeviceGetAttribute(&l2, 38, 0) == CUDA_SUCCESS);
	CHECK(p->clock_rate == clock && clock > 1000000 && p->memory_clock_rate == memory && p->l2_cache_size == l2);
	CHECK(strcmp(p->name, "NVIDIA A100-SXM4-40GB") == 0 && p->major == 8 && p->minor == 0 && p->warp_size == 32);
	CHECK(p->max_threads_dim[2] == 64 && p->max_grid_size[1] == 65535 && p->multi_processor_count == 108);
	CHECK(p->textures_and_surfaces[1] == 32768 && p->textures_and_surfaces[3] == 131072
	      && p->textures_and_surfaces[39] == 2046);
	CHECK(cudaGetDeviceProperties_v2(p, 1) == CUDA_INVALID_DEVICE);
}

static void memory(const char *fatbin)
{
	struct {
		struct cuda_pointer_attributes_12 a;
		char guard[64];
	} all;
	int *p, v[64], version, driver;

	CHECK(cudaMalloc((void **)&p, sizeof v) == CUDA_SUCCESS && cudaMemset(p, 0, sizeof v) == CUDA_SUCCESS);
	launch(fatbin, p);
	CHECK(cudaThreadSynchronize() == CUDA_SUCCESS);
	CHECK(cudaMemcpy(v, p, sizeof v, CUDA_DEVICE_TO_HOST) == CUDA_SUCCESS && v[63] == 7);
	memset(&all, GUARD, sizeof all);
	CHECK(cudaPointerGetAttributes(&all.a, p) == CUDA_SUCCESS && is_guarded(&all, sizeof all.a, sizeof all));
	CHECK(all.a.type == CUDA_MEMORY_DEVICE && all.a.device_pointer == p && all.a.host_pointer == NULL);
	CHECK(cudaMemAdvise(p, sizeof v, 1, 0) == CUDA_SUCCESS);
	CHECK(cudaMemPrefetchAsync(p, sizeof v, 0, NULL) == CUDA_SUCCESS);
	CHECK(cudaMemAdvise_v2(p, sizeof v, 1, (struct cuda_location){ 1, 0 }) == CUDA_SUCCESS);
	CHECK(cudaRuntimeGetVersion(&version) == CUDA_SUCCESS && version / 1000 == 12);
	CHECK(cudaDriverGetVersion(&driver) == CUDA_SUCCESS && driver >= version);
	v[63] = 0;
	CHECK(cuInit(0) == 0 && cuMemcpyDtoH_v2(v, (uintptr_t)p, sizeof v) == 0 && v[63] == 7);
}

static void textures(void)
{
	struct {
		int type, gap;
		void *p;
		struct cuda_channels channels;
		size_t bytes;
		char rest[64 - 44];
	} r = { CUDA_RESOURCE_LINEAR, 0, NULL, { 32, 0, 0, 0, 2 }, 256, { 0 } };
	struct cuda_texture_desc d = { .normalised = 0 };
	unsigned char got[160];
	uint64_t handle;

	CHECK(cudaMalloc(&r.p, r.bytes) == CUDA_SUCCESS);
	CHECK(cudaCreateTextureObject(&handle, &r, &d, NULL) == CUDA_SUCCESS);
	memset(got, GUARD, sizeof got);
	CHECK(cudaGetTextureObjectResourceDesc(got, handle) == CUDA_SUCCESS && is_guarded(got, 64, sizeof got));
	CHECK(memcmp(got, &r, 40) == 0);
}

static void graphs(void)
{
	void *graph, *node[2], *captured = &graph;
	unsigned long long id;
	int status = 9;
	size_t n;

	CHECK(cudaGraphCreate(&graph, 0) == CUDA_SUCCESS);
	CHECK(cudaGraphAddEmptyNode(&node[0], graph, NULL, 0) == CUDA_SUCCESS);
	CHECK(cudaGraphAddEmptyNode(&node[1], graph, NULL, 0) == CUDA_SUCCESS);
	CHECK(cudaGraphAddDependencies(graph, &node[0], &node[1], 1) == CUDA_SUCCESS);
	CHECK(cudaGraphAddDependencies(graph, &node[0], &graph, 1) == CUDA_INVALID_VALUE);
	CHECK(cudaStreamGetCaptureInfo_v2(NULL, &status, &id, &captured, NULL, &n) == CUDA_SUCCESS && status == 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 99;
	properties();
	memory(argv[1]);
	textures();
	graphs();
	return failures != 0;
}

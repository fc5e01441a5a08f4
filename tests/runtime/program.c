/* program.c - a CUDA program as nvcc makes one, written by hand: its kernels are in kernels.fatbin
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: program FATBIN COMMAND...
 *
 * Commands are done one after the other; `all` tests every chapter of the runtime library, others are what tests of
 * heddle trace record need.
 */
#include "traces/runtime/cudart_api.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 1000
#define CHECK(x) ((x) ? (void)0 : failed(#x, __LINE__))
#define DONE(call) is((call), CUDA_SUCCESS, #call, __LINE__)
#define GIVES(error, call) is((call), (error), #call, __LINE__)

_Static_assert(sizeof(struct cuda_device_prop) == 1008, "as nvcc 13 has it");
_Static_assert(offsetof(struct cuda_device_prop, major) == 360, "as nvcc 13 has it");
_Static_assert(offsetof(struct cuda_device_prop, surface_alignment) == 552, "as nvcc 13 has it");
_Static_assert(offsetof(struct cuda_device_prop, reserved_shared_mem_per_block) == 696, "as nvcc 13 has it");
_Static_assert(offsetof(struct cuda_device_prop, host_numa_multinode_ipc_supported) == 780, "as nvcc 13 has it");
_Static_assert(sizeof(struct cuda_func_attributes) == 144 && sizeof(struct cuda_pointer_attributes) == 88,
               "as nvcc 13 has it");
_Static_assert(sizeof(struct cuda_copy_3d) == 160 && sizeof(struct cuda_launch_config) == 56, "as nvcc 13 has it");
_Static_assert(sizeof(struct cuda_launch_attribute) == 72 && sizeof(struct cuda_kernel_node) == 56,
               "as nvcc 13 has it");

/* Their addresses are the names of kernels and variables. */
static char add, count, turn, sum, check, hello, wide, nothing;
static char counter[4], table[64];
static int *total;

static void **module;
static struct cuda_fatbin_wrapper wrapper = { .magic = CUDA_FATBIN_WRAPPER, .version = 1 };
static int failures;

static void failed(const char *what, int line)
{
	printf("FAIL: line %d: %s\n", line, what);
	failures++;
}

static void is(int got, int expected, const char *what, int line)
{
	if (got == expected)
		return;
	printf("FAIL: line %d: %s is %s, expected %s\n", line, what, cudaGetErrorName(got), cudaGetErrorName(expected));
	failures++;
}

/* ---- what nvcc writes ---- */

static void unregister(void)
{
	__cudaUnregisterFatBinary(module);
}

static void register_all(const char *path)
{
	static char bytes[1 << 16];
	FILE *f = fopen(path, "rb");

	if (!f || !fread(bytes, 1, sizeof bytes, f))
		exit(99);
	fclose(f);
	wrapper.data = bytes;
	module = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(module, &add, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &count, NULL, "count", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &turn, NULL, "turn", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &sum, NULL, "sum", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &check, NULL, "check", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &hello, NULL, "hello", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &wide, NULL, "wide", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(module, &nothing, NULL, "nothing", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(module, counter, NULL, "counter", 0, sizeof counter, 0, 0);
	__cudaRegisterVar(module, table, NULL, "table", 0, sizeof table, 1, 0);
	__cudaRegisterManagedVar(module, (void **)&total, NULL, "total", 0, sizeof *total, 0, 0);
	__cudaRegisterFatBinaryEnd(module);
	atexit(unregister);
}

/* kernel<<<grid, block, shared, stream>>>(...) and the stub that it calls */
static void launch(const void *kernel, unsigned grid, unsigned block, size_t shared, void *stream, void **args)
{
	struct cuda_dim3 g = { grid, 1, 1 }, b = { block, 1, 1 };
	void *handle = NULL;

	if (__cudaPushCallConfiguration(g, b, shared, stream))
		return;
	__cudaGetKernel(&handle, kernel);
	if (__cudaPopCallConfiguration(&g, &b, &shared, &stream) == CUDA_SUCCESS)
		__cudaLaunchKernel(handle, g, b, args, shared, stream);
}

static void launch_add(int *p, int n, int v, void *stream)
{
	launch(&add, (unsigned)(n + 127) / 128, 128, 0, stream, (void *[]){ &p, &n, &v });
}

/* ---- chapters ---- */

static void launches(void)
{
	int host[N], *p;
	size_t unused = 0, all = 0;

	DONE(cudaMalloc((void **)&p, sizeof host));
	CHECK((uintptr_t)p % 512 == 0);
	DONE(cudaMemset(p, 0, sizeof host));
	launch_add(p, N, 3, NULL);
	launch_add(p, N - 1, 4, NULL);
	DONE(cudaGetLastError());
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 7 && host[N - 2] == 7 && host[N - 1] == 3);
	DONE(cudaMemGetInfo(&unused, &all));
	CHECK(unused > 0 && unused < all);
	launch(&add, 1, 2000, 0, NULL, (void *[]){ &p, &p, &p });
	GIVES(CUDA_INVALID_CONFIGURATION, cudaPeekAtLastError());
	GIVES(CUDA_INVALID_CONFIGURATION, cudaGetLastError());
	DONE(cudaGetLastError());
	launch(&nothing, 1, 1, 0, NULL, NULL);
	GIVES(CUDA_INVALID_DEVICE_FUNCTION, cudaGetLastError());
	GIVES(CUDA_INVALID_DEVICE_FUNCTION, cudaLaunchKernel(host, (struct cuda_dim3){ 1, 1, 1 },
	                                                     (struct cuda_dim3){ 1, 1, 1 }, NULL, 0, NULL));
	GIVES(CUDA_MISSING_CONFIGURATION, __cudaPopCallConfiguration(NULL, NULL, NULL, NULL));
	DONE(cudaFree(p));
	GIVES(CUDA_INVALID_VALUE, cudaFree(p));
	DONE(cudaFree(NULL));
}

static void functions(void)
{
	struct cuda_func_attributes a;
	struct cuda_launch_attribute cooperative = { .id = CUDA_LAUNCH_COOPERATIVE, .value.number = 1 };
	struct cuda_launch_config c = { { 8, 1, 1 }, { 32, 1, 1 }, 0, NULL, &cooperative, 1 };
	int host[1024], *p, *parts, blocks = 0;
	long long base = 1000;
	char flag = 7;

	DONE(cudaMalloc((void **)&p, sizeof host));
	DONE(cudaMalloc((void **)&parts, sizeof host));
	for (int i = 0; i < 1024; i++)
		host[i] = i;
	DONE(cudaMemcpy(p, host, sizeof host, CUDA_ANY_DIRECTION));
	launch(&turn, 1, 1024, 60000, NULL, (void *[]){ &p });
	GIVES(CUDA_INVALID_VALUE, cudaGetLastError());
	DONE(cudaFuncSetAttribute(&turn, CUDA_FUNC_MAX_DYNAMIC_SHARED, 60000));
	GIVES(CUDA_INVALID_VALUE, cudaFuncSetAttribute(&turn, CUDA_FUNC_MAX_DYNAMIC_SHARED, 200000));
	launch(&turn, 1, 1024, 60000, NULL, (void *[]){ &p });
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 1023 && host[1000] == 23);
	DONE(cudaFuncGetAttributes(&a, &turn));
	CHECK(a.max_threads == 1024 && a.registers > 0 && a.binary_version == 80 && a.max_dynamic_shared == 60000);
	DONE(cudaFuncGetAttributes(&a, &wide));
	CHECK(a.registers > 64 && a.max_threads < 1024 && a.max_threads * a.registers <= 65536);
	DONE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &wide, a.max_threads, 0));
	CHECK(blocks == 1);
	DONE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &turn, 1024, 60000));
	CHECK(blocks == 2);
	DONE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &turn, 32, 0));
	CHECK(blocks == 32);

	DONE(cudaLaunchCooperativeKernel(&sum, c.grid, c.block, (void *[]){ &p, &parts, &flag, &base }, 0, NULL));
	DONE(cudaMemcpy(host, parts, 4, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 8 * 1023 - 28 + 1007);
	flag = 8;
	DONE(cudaLaunchKernelExC(&c, &sum, (void *[]){ &p, &parts, &flag, &base }));
	DONE(cudaMemcpy(host, parts, 4, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 8 * 1023 - 28 + 1008);
	c.grid.x = 5000;
	GIVES(CUDA_COOPERATIVE_TOO_LARGE, cudaLaunchKernelExC(&c, &sum, (void *[]){ &p, &parts, &flag, &base }));
	DONE(cudaFree(p));
	DONE(cudaFree(parts));
	cudaGetLastError();
}

static void variables(void)
{
	int values[16], host[N], *p, v = 0, n = N;
	void *at;
	size_t size = 0;

	for (int i = 0; i < 16; i++)
		values[i] = i;
	CHECK(__cudaInitModule(module));
	CHECK(total != NULL);
	*total = 1;
	DONE(cudaMemcpyToSymbol(table, values, sizeof values, 0, CUDA_HOST_TO_DEVICE));
	for (int i = 0; i < N; i++)
		host[i] = i;
	DONE(cudaMallocManaged((void **)&p, sizeof host, 1));
	memcpy(p, host, sizeof host);
	launch(&count, 4, 256, 0, NULL, (void *[]){ &p, &n });
	DONE(cudaDeviceSynchronize());
	CHECK(*total == 1 + N * (N - 1) / 2);
	DONE(cudaMemcpyFromSymbol(&v, counter, sizeof v, 0, CUDA_DEVICE_TO_HOST));
	CHECK(v == 5 + N / 16 * 120 + 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7);
	DONE(cudaGetSymbolAddress(&at, counter));
	DONE(cudaGetSymbolSize(&size, table));
	CHECK(size == sizeof table);
	DONE(cudaMemset(at, 0, 4));
	DONE(cudaMemcpyFromSymbol(&v, counter, sizeof v, 0, CUDA_DEVICE_TO_HOST));
	CHECK(v == 0);
	GIVES(CUDA_INVALID_VALUE, cudaMemcpyToSymbol(table, values, sizeof values, 4, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_SYMBOL, cudaMemcpyToSymbol(values, values, 4, 0, CUDA_HOST_TO_DEVICE));
	DONE(cudaFree(p));
	cudaGetLastError();
}

static void copies(void)
{
	enum { W = 100, H = 20 };
	unsigned char from[W * H], to[W * H];
	struct cuda_extent e = { 25, 8, 10 };
	struct cuda_pitched box;
	struct cuda_copy_3d c = { .src = { from, 25, 25, 8 }, .extent = e, .kind = CUDA_HOST_TO_DEVICE };
	size_t pitch = 0;
	void *p;

	for (int i = 0; i < W * H; i++)
		from[i] = (unsigned char)(i * 7);
	DONE(cudaMallocPitch(&p, &pitch, W, H));
	CHECK(pitch == 512);
	DONE(cudaMemcpy2D(p, pitch, from, W, W, H, CUDA_HOST_TO_DEVICE));
	DONE(cudaMemset2D((char *)p + pitch + 10, pitch, 9, 20, 2));
	DONE(cudaMemcpy2D(to, W, p, pitch, W, H, CUDA_DEVICE_TO_HOST));
	memset(from + W + 10, 9, 20);
	memset(from + 2 * W + 10, 9, 20);
	CHECK(memcmp(from, to, sizeof from) == 0);
	GIVES(CUDA_INVALID_PITCH, cudaMemcpy2D(p, W - 1, from, W, W, H, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy2D(p, pitch, from, W, W, H + 1000, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_VALUE, cudaMemcpy(from, to, 4, CUDA_HOST_TO_DEVICE));
	GIVES(CUDA_INVALID_MEMCPY_DIRECTION, cudaMemcpy(from, to, 4, 9));
	DONE(cudaFree(p));
	DONE(cudaMalloc3D(&box, e));
	c.dst = box;
	DONE(cudaMemcpy3D(&c));
	c = (struct cuda_copy_3d){ .src = box, .dst = { to, 25, 25, 8 }, .extent = e, .kind = CUDA_DEVICE_TO_HOST };
	DONE(cudaMemcpy3D(&c));
	CHECK(memcmp(from, to, 25 * 8 * 10) == 0);
	DONE(cudaFree(box.ptr));
	cudaGetLastError();
}

static void host_memory(void)
{
	struct cuda_pointer_attributes a;
	int *own = aligned_alloc(4096, 4096), *pinned, n = N;

	for (int i = 0; i < N; i++)
		own[i] = i;
	DONE(cudaHostRegister(own, 4096, 0));
	GIVES(CUDA_HOST_ALREADY_REGISTERED, cudaHostRegister(own, 4096, 0));
	launch_add(own, n, 1, NULL);
	DONE(cudaDeviceSynchronize());
	CHECK(own[0] == 1 && own[N - 1] == N);
	DONE(cudaHostUnregister(own));
	GIVES(CUDA_HOST_NOT_REGISTERED, cudaHostUnregister(own));
	DONE(cudaPointerGetAttributes(&a, own));
	CHECK(a.type == CUDA_MEMORY_UNREGISTERED);
	DONE(cudaMallocHost((void **)&pinned, sizeof *pinned * N));
	memcpy(pinned, own, sizeof *pinned * N);
	launch_add(pinned, n, 1, NULL);
	CHECK(pinned[5] == 7);
	DONE(cudaPointerGetAttributes(&a, pinned + 3));
	CHECK(a.type == CUDA_MEMORY_HOST && a.device_pointer == pinned + 3);
	DONE(cudaFree(pinned));
	free(own);
	cudaGetLastError();
}

static void call(void *arg)
{
	++*(int *)arg;
}

static void streams(void)
{
	int host[N], *p, called = 0;
	void *s, *from, *to;
	float ms = -1;

	DONE(cudaMalloc((void **)&p, sizeof host));
	DONE(cudaStreamCreate(&s));
	DONE(cudaEventCreate(&from));
	DONE(cudaEventCreate(&to));
	GIVES(CUDA_INVALID_HANDLE, cudaEventElapsedTime(&ms, from, to));
	DONE(cudaEventRecord(from, s));
	memset(host, 0, sizeof host);
	DONE(cudaMemcpyAsync(p, host, sizeof host, CUDA_HOST_TO_DEVICE, s));
	launch_add(p, N, 2, s);
	DONE(cudaLaunchHostFunc(s, call, &called));
	DONE(cudaEventRecord(to, s));
	DONE(cudaStreamWaitEvent(NULL, to, 0));
	DONE(cudaStreamSynchronize(s));
	DONE(cudaEventElapsedTime(&ms, from, to));
	CHECK(called == 1 && ms >= 0);
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[N - 1] == 2);
	DONE(cudaEventDestroy(from));
	DONE(cudaEventDestroy(to));
	DONE(cudaStreamDestroy(s));
	GIVES(CUDA_INVALID_HANDLE, cudaStreamDestroy(s));
	GIVES(CUDA_INVALID_HANDLE, cudaStreamSynchronize(host));
	DONE(cudaFree(p));
	cudaGetLastError();
}

static void captured(int *p)
{
	void *s, *other, *event, *graph, *exec;
	size_t nodes = 0;
	int host[N];

	DONE(cudaStreamCreate(&s));
	DONE(cudaStreamCreate(&other));
	DONE(cudaEventCreate(&event));
	DONE(cudaStreamBeginCapture(s, 0));
	launch_add(p, N, 1, s);
	DONE(cudaEventRecord(event, s));
	DONE(cudaStreamWaitEvent(other, event, 0));
	launch_add(p, N, 10, other);
	GIVES(CUDA_CAPTURE_UNSUPPORTED, cudaStreamSynchronize(s));
	GIVES(CUDA_CAPTURE_IMPLICIT, cudaMemcpy(host, p, 4, CUDA_DEVICE_TO_HOST));
	DONE(cudaStreamEndCapture(s, &graph));
	DONE(cudaStreamSynchronize(other));
	DONE(cudaGraphGetNodes(graph, NULL, &nodes));
	CHECK(nodes == 2);
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 0);
	DONE(cudaGraphInstantiate(&exec, graph, 0));
	DONE(cudaGraphDestroy(graph));
	for (int i = 0; i < 3; i++)
		DONE(cudaGraphLaunch(exec, s));
	DONE(cudaGraphExecDestroy(exec));
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 33 && host[N - 1] == 33);
	DONE(cudaEventDestroy(event));
	DONE(cudaStreamDestroy(other));
	DONE(cudaStreamDestroy(s));
}

/* What a captured stream allocates and frees is allocated and freed by launches; the program frees what they leave. */
static void memory_of_graphs(void)
{
	void *s, *graph, *exec, *node, *kept, *mine;
	struct cuda_alloc_node a = { .bytes = N * sizeof(int) };
	uint64_t bytes = 1;
	int *p, host[N];

	DONE(cudaStreamCreate(&s));
	DONE(cudaStreamBeginCapture(s, 0));
	DONE(cudaMallocAsync((void **)&p, sizeof host, s));
	DONE(cudaMemcpyAsync(p, host, sizeof host, CUDA_HOST_TO_DEVICE, s));
	launch_add(p, N, 1, s);
	DONE(cudaMemcpyAsync(host, p, sizeof host, CUDA_DEVICE_TO_HOST, s));
	DONE(cudaFreeAsync(p, s));
	GIVES(CUDA_INVALID_VALUE, cudaFreeAsync(host, s));
	DONE(cudaStreamEndCapture(s, &graph));
	DONE(cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &a));
	kept = a.at;
	DONE(cudaGraphInstantiate(&exec, graph, 0));
	DONE(cudaGraphDestroy(graph));
	DONE(cudaMalloc(&mine, sizeof host));
	CHECK(mine != p && mine != kept && kept != p);
	memset(host, 0, sizeof host);
	for (int i = 0; i < 3; i++)
		DONE(cudaGraphLaunch(exec, s));
	CHECK(host[0] == 3 && host[N - 1] == 3);
	DONE(cudaDeviceGetGraphMemAttribute(0, 0, &bytes));
	CHECK(bytes == sizeof host);
	DONE(cudaDeviceGetGraphMemAttribute(0, 2, &bytes));
	CHECK(bytes == 2 * sizeof host);
	DONE(cudaGraphExecDestroy(exec));
	DONE(cudaMemset(kept, 0, sizeof host));
	DONE(cudaFree(kept));
	GIVES(CUDA_INVALID_VALUE, cudaFree(kept));
	GIVES(CUDA_INVALID_VALUE, cudaFree(p));
	DONE(cudaDeviceGetGraphMemAttribute(0, 2, &bytes));
	CHECK(bytes == 0);
	DONE(cudaFree(mine));
	DONE(cudaStreamDestroy(s));
	cudaGetLastError();
}

/* Nodes that are added before those that they depend on. */
static void graphs(void)
{
	int host[N], *p, n = N, v = 5;
	void *graph, *kernel, *copy, *set, *exec, *args[] = { &p, &n, &v };
	struct cuda_kernel_node k = { &add, { 8, 1, 1 }, { 128, 1, 1 }, 0, args, NULL };
	struct cuda_memset_node m;

	DONE(cudaMalloc((void **)&p, sizeof host));
	DONE(cudaMemset(p, 0, sizeof host));
	captured(p);
	memory_of_graphs();
	m = (struct cuda_memset_node){ p, 0, 100, 4, N, 1 };
	DONE(cudaGraphCreate(&graph, 0));
	DONE(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	DONE(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &k));
	DONE(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &m));
	DONE(cudaGraphAddDependencies(graph, (void *[]){ set, kernel }, (void *[]){ kernel, copy }, NULL, 2));
	DONE(cudaGraphInstantiate(&exec, graph, 0));
	DONE(cudaGraphLaunch(exec, NULL));
	CHECK(host[0] == 105 && host[N - 1] == 105);
	v = 6;
	DONE(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
	DONE(cudaGraphLaunch(exec, NULL));
	CHECK(host[0] == 106);
	DONE(cudaGraphAddDependencies(graph, &copy, &set, NULL, 1));
	GIVES(CUDA_INVALID_VALUE, cudaGraphInstantiate(&exec, graph, 0));
	DONE(cudaGraphExecDestroy(exec));
	DONE(cudaGraphDestroy(graph));
	GIVES(CUDA_INVALID_VALUE, cudaGraphDestroy(graph));
	DONE(cudaFree(p));
	cudaGetLastError();
}

static void devices(void)
{
	struct cuda_device_prop p;
	int v = 0;

	DONE(cudaGetDeviceCount(&v));
	CHECK(v == 1);
	GIVES(CUDA_INVALID_DEVICE, cudaSetDevice(1));
	DONE(cudaGetDeviceProperties(&p, 0));
	CHECK(strcmp(p.name, "NVIDIA A100-SXM4-40GB") == 0 && p.major == 8 && p.minor == 0
	      && p.multi_processor_count == 108);
	DONE(cudaDeviceGetAttribute(&v, 97, 0));
	CHECK(v == 163 << 10);
	DONE(cudaDeviceGetAttribute(&v, 13, 0));
	CHECK(v == 1410000);
	GIVES(CUDA_INVALID_VALUE, cudaDeviceGetAttribute(&v, 0, 0));
	CHECK(strcmp(cudaGetErrorString(CUDA_INVALID_VALUE), "invalid argument") == 0);
	CHECK(strcmp(cudaGetErrorName(12345), "unrecognized error code") == 0);
	for (int i = 0; i < 2; i++)
		GIVES(CUDA_NOT_SUPPORTED, cudaMallocMipmappedArray(NULL, NULL, (struct cuda_extent){ 1, 1, 1 }, 1, 0));
	cudaGetLastError();
}

static void *one_thread(void *arg)
{
	int host[N], *p, v = (int)(intptr_t)arg;

	DONE(cudaMalloc((void **)&p, sizeof host));
	DONE(cudaMemset(p, 0, sizeof host));
	for (int i = 0; i < 10; i++)
		launch_add(p, N, v, NULL);
	DONE(cudaMemcpy(host, p, sizeof host, CUDA_DEVICE_TO_HOST));
	CHECK(host[0] == 10 * v && host[N - 1] == 10 * v);
	DONE(cudaFree(p));
	GIVES(CUDA_INVALID_DEVICE, cudaSetDevice(v));
	GIVES(CUDA_INVALID_DEVICE, cudaGetLastError()); /* of this thread */
	return NULL;
}

static void threads(void)
{
	pthread_t t[8];

	for (intptr_t i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, one_thread, (void *)(i + 1));
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	DONE(cudaGetLastError());
}

/* A failed kernel is an error of all calls, until a reset. */
static void faults(void)
{
	int n = 60;
	void *p;

	/* a little before and behind an allocation is memory of the device, too: programs read it */
	DONE(cudaMalloc(&p, 4));
	launch_add((int *)(((uintptr_t)p & ~(uintptr_t)0x1fffff) - N * sizeof(int)), N, 1, NULL);
	launch_add((int *)p + 1, N, 1, NULL);
	DONE(cudaDeviceSynchronize());
	launch_add((int *)0x1000, N, 1, NULL);
	GIVES(CUDA_ILLEGAL_ADDRESS, cudaDeviceSynchronize());
	GIVES(CUDA_ILLEGAL_ADDRESS, cudaMalloc(&p, 4));
	GIVES(CUDA_ILLEGAL_ADDRESS, cudaGetLastError());
	DONE(cudaDeviceReset());
	cudaGetLastError();
	DONE(cudaMalloc(&p, 4));
	launch(&check, 1, 64, 0, NULL, (void *[]){ &n });
	GIVES(CUDA_ASSERT, cudaDeviceSynchronize());
	DONE(cudaDeviceReset());
	cudaGetLastError();
}

/* The device is the parent's. */
static void forks(void)
{
	int status = 0;
	void *p;
	pid_t child;

	DONE(cudaMalloc(&p, 4));
	fflush(stdout);
	child = fork();
	if (child == 0)
		exit(cudaMalloc(&p, 4) == CUDA_INITIALIZATION && cudaDeviceReset() == CUDA_INITIALIZATION ? 0 : 1);
	waitpid(child, &status, 0);
	CHECK(status == 0);
	DONE(cudaFree(p));
}

static void all(void)
{
	launches();
	functions();
	variables();
	copies();
	host_memory();
	streams();
	graphs();
	devices();
	threads();
	forks();
	faults();
	launches();
}

/* ---- commands for tests of recording ---- */

static void launch_some(int n)
{
	int *p, host[N] = { 0 };

	DONE(cudaMalloc((void **)&p, sizeof host));
	DONE(cudaMemcpy(p, host, sizeof host, CUDA_HOST_TO_DEVICE));
	for (int i = 0; i < n; i++)
		launch_add(p, N - i, 1, NULL);
	DONE(cudaFree(p));
}

/* A launch whose trace takes more than one part; fails: its last blocks have no memory. */
static void launch_many(bool fails)
{
	int n = 25000 * 128, *p;

	cudaMalloc((void **)&p, (size_t)n * sizeof *p);
	launch_add(p, fails ? n + n / 4 : n, 1, NULL);
	cudaFree(p);
}

/* The time of two launches, one of which is twice as long. */
static void take_times(void)
{
	void *event[3];
	float ms[2];
	int *p;

	cudaMalloc((void **)&p, 1 << 20);
	for (int i = 0; i < 3; i++)
		cudaEventCreate(&event[i]);
	cudaEventRecord(event[0], NULL);
	launch_add(p, 1 << 13, 1, NULL);
	cudaEventRecord(event[1], NULL);
	launch_add(p, 1 << 14, 1, NULL);
	cudaEventRecord(event[2], NULL);
	cudaEventElapsedTime(&ms[0], event[0], event[1]);
	cudaEventElapsedTime(&ms[1], event[1], event[2]);
	printf("%.0f %.0f\n", ms[0] * 1e6, ms[1] * 1e6);
}

static void say_gpu(void)
{
	struct cuda_device_prop p;

	DONE(cudaGetDeviceProperties(&p, 0));
	puts(p.name);
}

static int command(const char *word)
{
	int n = atoi(word);

	if (n > 0)
		launch_some(n);
	else if (strcmp(word, "all") == 0)
		all();
	else if (strcmp(word, "gpu") == 0)
		say_gpu();
	else if (strcmp(word, "hello") == 0)
		launch(&hello, 1, 1, 0, NULL, (void *[]){ &n });
	else if (strcmp(word, "forks") == 0)
		forks();
	else if (strcmp(word, "fault") == 0)
		launch_add((int *)0x1000, N, 1, NULL);
	else if (strcmp(word, "time") == 0)
		take_times();
	else if (strcmp(word, "many") == 0)
		launch_many(false);
	else if (strcmp(word, "too_many") == 0)
		launch_many(true);
	else if (strcmp(word, "exit3") == 0)
		exit(3);
	else if (strcmp(word, "_exit") == 0)
		_exit(0);
	else if (strcmp(word, "quick_exit") == 0)
		quick_exit(0);
	else if (strcmp(word, "abort") == 0)
		abort();
	else if (strcmp(word, "kill") == 0)
		raise(SIGKILL);
	else if (strcmp(word, "sleep") == 0)
		sleep(600);
	else
		return 99;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 99;
	register_all(argv[1]);
	for (int i = 2; i < argc; i++)
		if (command(argv[i]))
			return 99;
	return failures != 0;
}

/* driver.c - a program that calls CUDA's driver library: devices, modules, memory, launches
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: driver FATBIN
 *        driver tensor CUBIN: traces/samples/cuda/gemm.cubin
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000
#define CHECK(x) ((x) ? (void)0 : failed(#x, __LINE__))
#define DONE(call) CHECK((call) == 0)

typedef uint64_t address;

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **name);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status);
int cuDeviceGet(int *device, int number);
int cuDeviceGetName(char *to, int n, int device);
int cuDeviceGetAttribute(int *to, int attribute, int device);
int cuCtxCreate_v4(void **context, const void *how, unsigned flags, int device);
int cuCtxGetCurrent(void **context);
int cuCtxDestroy_v2(void *context);
int cuCtxSynchronize(void);
int cuModuleLoad(void **module, const char *path);
int cuModuleLoadData(void **module, const void *code);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(address *to, size_t *bytes, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncGetAttribute(int *to, int attribute, void *function);
int cuMemAlloc_v2(address *to, size_t bytes);
int cuMemFree_v2(address a);
int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, address from, size_t bytes);
int cuMemsetD32_v2(address to, unsigned value, size_t n);
int cuStreamCreate(void **to, unsigned flags);
int cuStreamSynchronize(void *stream);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra);

int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                     int *status);

static int failures;

static void failed(const char *what, int line)
{
	printf("FAIL: line %d: %s\n", line, what);
	failures++;
}

static void launches(void *module)
{
	struct {
		address p;
		int n, v;
	} packed = { .n = N, .v = 4 };
	size_t size = sizeof packed;
	int host[N], n = N, v = 3, registers = 0;
	void *add, *stream, *extra[] = { (void *)1, &packed, (void *)2, &size, NULL };
	address p;

	DONE(cuModuleGetFunction(&add, module, "add"));
	DONE(cuFuncGetAttribute(&registers, 4, add));
	CHECK(registers > 0);
	DONE(cuStreamCreate(&stream, 0));
	DONE(cuMemAlloc_v2(&p, sizeof host));
	DONE(cuMemsetD32_v2(p, 0x01020304, N));
	DONE(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, stream, (void *[]){ &p, &n, &v }, NULL));
	packed.p = p;
	DONE(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
	DONE(cuStreamSynchronize(stream));
	DONE(cuMemcpyDtoH_v2(host, p, sizeof host));
	CHECK(host[0] == 0x01020304 + 7 && host[N - 1] == 0x01020304 + 7);
	size = 12;
	CHECK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra) == 1);
	DONE(cuMemFree_v2(p));
	CHECK(cuMemFree_v2(p) == 1);
}

static void modules(const char *path)
{
	void *module, *none;
	address at;
	size_t size = 0;
	int v = 0;

	DONE(cuModuleLoad(&module, path));
	CHECK(cuModuleLoad(&none, "missing") == 301);
	CHECK(cuModuleLoadData(&none, ".version 8.0") == 209);
	CHECK(cuModuleGetFunction(&none, module, "missing") == 500);
	DONE(cuModuleGetGlobal_v2(&at, &size, module, "counter"));
	CHECK(size == 4);
	DONE(cuMemcpyDtoH_v2(&v, at, 4));
	CHECK(v == 5);
	launches(module);
	DONE(cuCtxSynchronize());
	DONE(cuModuleUnload(module));
	CHECK(cuModuleUnload(module) == 400);
}

/* A product of matrices whose elements are all 1, through tensor maps. */
static void tensors(const char *cubin)
{
	enum { M = 128, ROWS = 256, K = 128, HALF = 6, SWIZZLE_128 = 3 };
	typedef int encode(void *map, int type, uint32_t rank, void *base, const uint64_t *size,
			   const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
			   int swizzle, int promotion, int fill);
	_Alignas(128) unsigned char a[128], b[128];
	uint64_t size[2] = { K, M }, stride = K * 2;
	uint32_t box[2] = { 64, M }, step[2] = { 1, 1 };
	int n = ROWS, k = K, stages = 2, status = 1;
	address from, c;
	void *args[] = { a, b, &c, &n, &k, &stages }, *module, *gemm, *found;
	static float host[M * ROWS];
	encode *tiled;

	DONE(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, 0, &status));
	CHECK(status == 0 && found);
	if (!found)
		return;
	memcpy(&tiled, &found, sizeof tiled);
	DONE(cuMemAlloc_v2(&from, ROWS * K * 2));
	DONE(cuMemAlloc_v2(&c, sizeof host));
	DONE(cuMemsetD32_v2(from, 0x3c003c00, ROWS * K / 2));
	DONE(tiled(a, HALF, 2, (void *)(uintptr_t)from, size, &stride, box, step, 0, SWIZZLE_128, 0, 0));
	size[1] = box[1] = ROWS;
	DONE(tiled(b, HALF, 2, (void *)(uintptr_t)from, size, &stride, box, step, 0, SWIZZLE_128, 0, 0));
	box[0] = 65;
	CHECK(tiled(b, HALF, 2, (void *)(uintptr_t)from, size, &stride, box, step, 0, SWIZZLE_128, 0, 0) == 1);
	DONE(cuModuleLoad(&module, cubin));
	DONE(cuModuleGetFunction(&gemm, module, "gemm"));
	DONE(cuFuncSetAttribute(gemm, 8, 100000));
	DONE(cuLaunchKernel(gemm, 1, 1, 1, 384, 1, 1, 100000, NULL, args, NULL));
	DONE(cuMemcpyDtoH_v2(host, c, sizeof host));
	for (int i = 0; i < M * ROWS; i++)
		if (host[i] != K) {
			CHECK(host[i] == K);
			break;
		}
}

int main(int argc, char **argv)
{
	void *context, *current, *function;
	const char *name;
	char text[100];
	int device, v = 0;

	if (argc == 3 && strcmp(argv[1], "tensor") == 0) {
		DONE(cuInit(0));
		tensors(argv[2]);
		return failures != 0;
	}
	if (argc != 2)
		return 99;
	DONE(cuInit(0));
	DONE(cuDeviceGet(&device, 0));
	CHECK(cuDeviceGet(&v, 1) == 101);
	DONE(cuDeviceGetName(text, sizeof text, device));
	CHECK(strstr(text, "A100") != NULL);
	DONE(cuDeviceGetAttribute(&v, 75, device));
	CHECK(v == 8);
	DONE(cuCtxCreate_v4(&context, NULL, 0, device));
	DONE(cuCtxGetCurrent(&current));
	CHECK(current == context);
	DONE(cuGetProcAddress_v2("cuMemAlloc", &function, 13000, 0, NULL));
	CHECK(function == (void *)cuMemAlloc_v2);
	CHECK(cuGetProcAddress_v2("cuMissing", &function, 13000, 0, NULL) == 500);
	DONE(cuGetErrorName(700, &name));
	CHECK(strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
	modules(argv[1]);
	DONE(cuCtxDestroy_v2(context));
	return failures != 0;
}

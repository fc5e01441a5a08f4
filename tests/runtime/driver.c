/* driver.c - a program that calls CUDA's driver library: devices, modules, memory, launches
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: driver FATBIN
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

int main(int argc, char **argv)
{
	void *context, *current, *function;
	const char *name;
	char text[100];
	int device, v = 0;

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

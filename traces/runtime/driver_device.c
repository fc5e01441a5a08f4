/* driver_device.c - CUDA's driver library: devices, contexts, errors
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The documented functions of libcuda.so.1, by those of the runtime library.  Its errors have the same numbers, and its
 * handles of streams, events and kernels are the same.
 */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* ---- the library ---- */

CUDA_API int cuInit(unsigned flags)
{
	int n;

	return flags ? CUDA_INVALID_VALUE : cudaGetDeviceCount(&n);
}

CUDA_API int cuDriverGetVersion(int *version)
{
	*version = CUDART_VERSION_HERE;
	return CUDA_SUCCESS;
}

CUDA_API int cuGetErrorString(int error, const char **text)
{
	*text = cudaGetErrorString(error);
	return CUDA_SUCCESS;
}

CUDA_API int cuGetErrorName(int error, const char **name)
{
	static const struct {
		int number;
		const char *name;
	} names[] = {
		{ CUDA_SUCCESS, "CUDA_SUCCESS" },
		{ CUDA_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE" },
		{ CUDA_MEMORY_ALLOCATION, "CUDA_ERROR_OUT_OF_MEMORY" },
		{ CUDA_INITIALIZATION, "CUDA_ERROR_NOT_INITIALIZED" },
		{ CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE" },
		{ CUDA_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE" },
		{ CUDA_INVALID_KERNEL_IMAGE, "CUDA_ERROR_INVALID_IMAGE" },
		{ CUDA_NO_KERNEL_IMAGE, "CUDA_ERROR_NO_BINARY_FOR_GPU" },
		{ CUDA_FILE_NOT_FOUND, "CUDA_ERROR_FILE_NOT_FOUND" },
		{ CUDA_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE" },
		{ CUDA_SYMBOL_NOT_FOUND, "CUDA_ERROR_NOT_FOUND" },
		{ CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS" },
		{ CUDA_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" },
		{ CUDA_ASSERT, "CUDA_ERROR_ASSERT" },
		{ CUDA_LAUNCH_FAILURE, "CUDA_ERROR_LAUNCH_FAILED" },
		{ CUDA_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].number == error) {
			*name = names[i].name;
			return CUDA_SUCCESS;
		}
	*name = "CUDA_ERROR_UNKNOWN";
	return CUDA_SUCCESS;
}

/* The function of the latest version that is there: "cuMemAlloc" is cuMemAlloc_v2. */
CUDA_API int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
	static const char *const versions[] = { "_v4", "_v2", "" };
	char full[256];

	(void)version, (void)flags;
	*function = NULL;
	for (size_t i = 0; i < sizeof versions / sizeof *versions && !*function; i++)
		if ((size_t)snprintf(full, sizeof full, "%s%s", name, versions[i]) < sizeof full)
			*function = dlsym(RTLD_DEFAULT, full);
	if (status)
		*status = *function ? 0 : 1;
	return *function ? CUDA_SUCCESS : CUDA_SYMBOL_NOT_FOUND;
}

/* ---- devices ---- */

CUDA_API int cuDeviceGetCount(int *n)
{
	return cudaGetDeviceCount(n);
}

CUDA_API int cuDeviceGet(int *device, int number)
{
	*device = number;
	return cudaSetDevice(number);
}

CUDA_API int cuDeviceGetName(char *to, int n, int device)
{
	struct cuda_device_prop p;
	int error = cudaGetDeviceProperties(&p, device);

	if (!error && n > 0)
		snprintf(to, (size_t)n, "%s", p.name);
	return error;
}

CUDA_API int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	struct cuda_device_prop p;
	int error = cudaGetDeviceProperties(&p, device);

	if (!error)
		*bytes = p.total_global_mem;
	return error;
}

CUDA_API int cuDeviceGetUuid_v2(unsigned char uuid[16], int device)
{
	struct cuda_device_prop p;
	int error = cudaGetDeviceProperties(&p, device);

	if (!error)
		memcpy(uuid, p.uuid, sizeof p.uuid);
	return error;
}

CUDA_API int cuDeviceGetAttribute(int *to, int attribute, int device)
{
	return cudaDeviceGetAttribute(to, attribute, device);
}

CUDA_API int cuDeviceComputeCapability(int *major, int *minor, int device)
{
	struct cuda_device_prop p;
	int error = cudaGetDeviceProperties(&p, device);

	if (!error)
		*major = p.major, *minor = p.minor;
	return error;
}

CUDA_API int cuDeviceGetPCIBusId(char *to, int n, int device)
{
	return cudaDeviceGetPCIBusId(to, n, device);
}

CUDA_API int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
	return cudaDeviceCanAccessPeer(can, device, peer);
}

/* ---- contexts: any number of names for the one that there is ---- */

#define MOST_CONTEXTS 64

static _Thread_local struct {
	void *v[MOST_CONTEXTS];
	int n;
} stack;

static char contexts[MOST_CONTEXTS]; /* their addresses are the handles; the first is the primary one */
static int newest;

CUDA_API int cuCtxPushCurrent_v2(void *context)
{
	if (stack.n == MOST_CONTEXTS)
		return CUDA_INVALID_VALUE;
	stack.v[stack.n++] = context;
	return CUDA_SUCCESS;
}

CUDA_API int cuCtxPopCurrent_v2(void **context)
{
	if (stack.n == 0)
		return CUDA_INVALID_CONTEXT;
	stack.n--;
	if (context)
		*context = stack.v[stack.n];
	return CUDA_SUCCESS;
}

CUDA_API int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
	int error = cudaSetDevice(device);

	(void)flags;
	if (error)
		return error;
	newest = newest % (MOST_CONTEXTS - 1) + 1;
	*context = &contexts[newest];
	return cuCtxPushCurrent_v2(*context);
}

CUDA_API int cuCtxCreate_v4(void **context, const void *how, unsigned flags, int device)
{
	(void)how;
	return cuCtxCreate_v2(context, flags, device);
}

CUDA_API int cuCtxDestroy_v2(void *context)
{
	if (stack.n > 0 && stack.v[stack.n - 1] == context)
		stack.n--;
	return CUDA_SUCCESS;
}

CUDA_API int cuCtxSetCurrent(void *context)
{
	if (stack.n > 0)
		stack.n--;
	return context ? cuCtxPushCurrent_v2(context) : CUDA_SUCCESS;
}

CUDA_API int cuCtxGetCurrent(void **context)
{
	*context = stack.n > 0 ? stack.v[stack.n - 1] : NULL;
	return CUDA_SUCCESS;
}

CUDA_API int cuCtxGetDevice(int *device)
{
	*device = 0;
	return stack.n > 0 ? CUDA_SUCCESS : CUDA_INVALID_CONTEXT;
}

CUDA_API int cuCtxGetApiVersion(void *context, unsigned *version)
{
	(void)context;
	*version = CUDART_VERSION_HERE;
	return CUDA_SUCCESS;
}

CUDA_API int cuCtxSynchronize(void)
{
	return cudaDeviceSynchronize();
}

CUDA_API int cuCtxSetLimit(int limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

CUDA_API int cuCtxGetLimit(size_t *value, int limit)
{
	return cudaDeviceGetLimit(value, limit);
}

CUDA_API int cuCtxSetCacheConfig(int preference)
{
	(void)preference;
	return CUDA_SUCCESS;
}

CUDA_API int cuDevicePrimaryCtxRetain(void **context, int device)
{
	*context = &contexts[0];
	return cudaSetDevice(device);
}

CUDA_API int cuDevicePrimaryCtxRelease_v2(int device)
{
	return cudaSetDevice(device);
}

CUDA_API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
	(void)flags;
	return cudaSetDevice(device);
}

CUDA_API int cuDevicePrimaryCtxReset_v2(int device)
{
	int error = cudaSetDevice(device);

	return error ? error : cudaDeviceReset();
}

CUDA_API int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
	*flags = 0;
	*active = 1;
	return cudaSetDevice(device);
}

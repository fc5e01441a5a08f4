/* driver_memory.c - CUDA's driver library: memory, streams, events
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "driver.h"

static void *at(cuda_address a)
{
	return (void *)(uintptr_t)a;
}

/* ---- memory ---- */

CUDA_API int cuMemAlloc_v2(cuda_address *to, size_t bytes)
{
	void *p = NULL;
	int error = bytes ? cudaMalloc(&p, bytes) : CUDA_INVALID_VALUE;

	*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuMemAllocManaged(cuda_address *to, size_t bytes, unsigned flags)
{
	void *p = NULL;
	int error = cudaMallocManaged(&p, bytes, flags);

	*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuMemAllocPitch_v2(cuda_address *to, size_t *pitch, size_t width, size_t height, unsigned element)
{
	void *p = NULL;
	int error = cudaMallocPitch(&p, pitch, width, height);

	(void)element;
	*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuMemAllocAsync(cuda_address *to, size_t bytes, void *stream)
{
	void *p = NULL;
	int error = cudaMallocAsync(&p, bytes, stream);

	*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuMemFree_v2(cuda_address a)
{
	return cudaFree(at(a));
}

CUDA_API int cuMemFreeAsync(cuda_address a, void *stream)
{
	(void)stream;
	return cudaFree(at(a));
}

CUDA_API int cuMemAllocHost_v2(void **to, size_t bytes)
{
	return cudaMallocHost(to, bytes);
}

CUDA_API int cuMemHostAlloc(void **to, size_t bytes, unsigned flags)
{
	return cudaHostAlloc(to, bytes, flags);
}

CUDA_API int cuMemFreeHost(void *p)
{
	return cudaFree(p);
}

CUDA_API int cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
	return cudaHostRegister(p, bytes, flags);
}

CUDA_API int cuMemHostUnregister(void *p)
{
	return cudaHostUnregister(p);
}

CUDA_API int cuMemHostGetDevicePointer_v2(cuda_address *to, void *host, unsigned flags)
{
	void *p = NULL;
	int error = cudaHostGetDevicePointer(&p, host, flags);

	*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuMemGetInfo_v2(size_t *unused, size_t *total)
{
	return cudaMemGetInfo(unused, total);
}

/* ---- copies ---- */

CUDA_API int cuMemcpyHtoD_v2(cuda_address to, const void *from, size_t bytes)
{
	return cudaMemcpy(at(to), from, bytes, CUDA_HOST_TO_DEVICE);
}

CUDA_API int cuMemcpyDtoH_v2(void *to, cuda_address from, size_t bytes)
{
	return cudaMemcpy(to, at(from), bytes, CUDA_DEVICE_TO_HOST);
}

CUDA_API int cuMemcpyDtoD_v2(cuda_address to, cuda_address from, size_t bytes)
{
	return cudaMemcpy(at(to), at(from), bytes, CUDA_DEVICE_TO_DEVICE);
}

CUDA_API int cuMemcpy(cuda_address to, cuda_address from, size_t bytes)
{
	return cudaMemcpy(at(to), at(from), bytes, CUDA_ANY_DIRECTION);
}

CUDA_API int cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes, void *stream)
{
	return cudaMemcpyAsync(at(to), from, bytes, CUDA_HOST_TO_DEVICE, stream);
}

CUDA_API int cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, void *stream)
{
	return cudaMemcpyAsync(to, at(from), bytes, CUDA_DEVICE_TO_HOST, stream);
}

CUDA_API int cuMemcpyDtoDAsync_v2(cuda_address to, cuda_address from, size_t bytes, void *stream)
{
	return cudaMemcpyAsync(at(to), at(from), bytes, CUDA_DEVICE_TO_DEVICE, stream);
}

CUDA_API int cuMemcpyAsync(cuda_address to, cuda_address from, size_t bytes, void *stream)
{
	return cudaMemcpyAsync(at(to), at(from), bytes, CUDA_ANY_DIRECTION, stream);
}

/* A value of several bytes is set byte by byte, each a column of its own. */
static int set(cuda_address to, unsigned value, unsigned size, size_t n, void *stream)
{
	int error = CUDA_SUCCESS;

	for (unsigned i = 0; i < size && !error; i++)
		error = cudaMemset2DAsync(at(to + i), size, (int)(value >> 8 * i & 0xff), 1, n, stream);
	return error;
}

CUDA_API int cuMemsetD8_v2(cuda_address to, unsigned char value, size_t n)
{
	return cudaMemset(at(to), value, n);
}

CUDA_API int cuMemsetD16_v2(cuda_address to, unsigned short value, size_t n)
{
	return set(to, value, 2, n, NULL);
}

CUDA_API int cuMemsetD32_v2(cuda_address to, unsigned value, size_t n)
{
	return set(to, value, 4, n, NULL);
}

CUDA_API int cuMemsetD8Async(cuda_address to, unsigned char value, size_t n, void *stream)
{
	return set(to, value, 1, n, stream);
}

CUDA_API int cuMemsetD16Async(cuda_address to, unsigned short value, size_t n, void *stream)
{
	return set(to, value, 2, n, stream);
}

CUDA_API int cuMemsetD32Async(cuda_address to, unsigned value, size_t n, void *stream)
{
	return set(to, value, 4, n, stream);
}

/* ---- streams and events ---- */

CUDA_API int cuStreamCreate(void **to, unsigned flags)
{
	return cudaStreamCreateWithPriority(to, flags, 0);
}

CUDA_API int cuStreamCreateWithPriority(void **to, unsigned flags, int priority)
{
	return cudaStreamCreateWithPriority(to, flags, priority);
}

CUDA_API int cuStreamDestroy_v2(void *stream)
{
	return cudaStreamDestroy(stream);
}

CUDA_API int cuStreamSynchronize(void *stream)
{
	return cudaStreamSynchronize(stream);
}

CUDA_API int cuStreamQuery(void *stream)
{
	return cudaStreamQuery(stream);
}

CUDA_API int cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
	return cudaStreamWaitEvent(stream, event, flags);
}

CUDA_API int cuLaunchHostFunc(void *stream, void (*call)(void *), void *arg)
{
	return cudaLaunchHostFunc(stream, call, arg);
}

CUDA_API int cuEventCreate(void **to, unsigned flags)
{
	return cudaEventCreateWithFlags(to, flags);
}

CUDA_API int cuEventDestroy_v2(void *event)
{
	return cudaEventDestroy(event);
}

CUDA_API int cuEventRecord(void *event, void *stream)
{
	return cudaEventRecord(event, stream);
}

CUDA_API int cuEventSynchronize(void *event)
{
	return cudaEventQuery(event);
}

CUDA_API int cuEventQuery(void *event)
{
	return cudaEventQuery(event);
}

CUDA_API int cuEventElapsedTime_v2(float *ms, void *from, void *to)
{
	return cudaEventElapsedTime(ms, from, to);
}

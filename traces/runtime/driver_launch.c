/* driver_launch.c - CUDA's driver library: modules, functions, launches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAMS 1024

/* ---- modules ---- */

/* Cubins and fatbins are loaded; anything else is taken for PTX. */
CUDA_API int cuModuleLoadData(void **module, const void *code)
{
	static const uint32_t known[] = { 0x464c457f, 0xba55ed50, CUDA_FATBIN_WRAPPER };
	uint32_t first;

	memcpy(&first, code, sizeof first);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (first == known[i])
			return cudaLibraryLoadData(module, code, NULL, NULL, 0, NULL, NULL, 0);
	fprintf(stderr, "heddle: PTX is not compiled here; expected a cubin or a fatbin with one\n");
	return CUDA_NO_KERNEL_IMAGE;
}

CUDA_API int cuModuleLoadDataEx(void **module, const void *code, unsigned n, int *options, void **values)
{
	(void)n, (void)options, (void)values;
	return cuModuleLoadData(module, code);
}

CUDA_API int cuModuleLoadFatBinary(void **module, const void *code)
{
	return cuModuleLoadData(module, code);
}

CUDA_API int cuModuleLoad(void **module, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	long n = -1;
	int error = CUDA_FILE_NOT_FOUND;

	if (f && fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n >= 64 && fseek(f, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)n);
	if (bytes && fread(bytes, 1, (size_t)n, f) == (size_t)n)
		error = cuModuleLoadData(module, bytes);
	else if (f && n < 64)
		error = CUDA_INVALID_KERNEL_IMAGE;
	if (f)
		fclose(f);
	free(bytes);
	return error;
}

CUDA_API int cuModuleUnload(void *module)
{
	return cudaLibraryUnload(module);
}

CUDA_API int cuModuleGetFunction(void **function, void *module, const char *name)
{
	return cudaLibraryGetKernel(function, module, name);
}

CUDA_API int cuModuleGetGlobal_v2(cuda_address *to, size_t *bytes, void *module, const char *name)
{
	void *p = NULL;
	int error = cudaLibraryGetGlobal(&p, bytes, module, name);

	if (to)
		*to = (uintptr_t)p;
	return error;
}

CUDA_API int cuLibraryLoadData(void **library, const void *code, int *jit, void **jit_values, unsigned njit,
                               int *options, void **values, unsigned n)
{
	(void)jit, (void)jit_values, (void)njit, (void)options, (void)values, (void)n;
	return cuModuleLoadData(library, code);
}

CUDA_API int cuLibraryUnload(void *library)
{
	return cudaLibraryUnload(library);
}

CUDA_API int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
	return cudaLibraryGetKernel(kernel, library, name);
}

CUDA_API int cuKernelGetFunction(void **function, void *kernel)
{
	*function = kernel;
	return CUDA_SUCCESS;
}

/* ---- functions ---- */

CUDA_API int cuFuncGetAttribute(int *to, int attribute, void *function)
{
	struct cuda_func_attributes a = { .shared = 0 };
	int error = cudaFuncGetAttributes(&a, function);
	const int values[] = { a.max_threads, (int)a.shared, (int)a.constant, (int)a.local, a.registers, a.ptx_version,
	                       a.binary_version, a.cache_ca, a.max_dynamic_shared, a.carveout,
	                       a.cluster_must_be_set, a.cluster[0], a.cluster[1], a.cluster[2],
	                       a.cluster_not_portable, a.cluster_policy };

	if (error)
		return error;
	if (attribute < 0 || attribute >= (int)(sizeof values / sizeof *values))
		return CUDA_INVALID_VALUE;
	*to = values[attribute];
	return CUDA_SUCCESS;
}

CUDA_API int cuFuncSetAttribute(void *function, int attribute, int value)
{
	return cudaFuncSetAttribute(function, attribute, value);
}

CUDA_API int cuFuncSetCacheConfig(void *function, int preference)
{
	struct cuda_func_attributes a;

	(void)preference;
	return cudaFuncGetAttributes(&a, function);
}

CUDA_API int cuFuncGetName(const char **name, void *function)
{
	return cudaFuncGetName(name, function);
}

CUDA_API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t dynamic)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic);
}

/* ---- launches ---- */

/* `extra` is a list of what and value: the arguments in one piece, and their size.  Their places in it are those of
 * the kernel's parameters. */
static int unpack(void *function, void **extra, void *args[MOST_PARAMS])
{
	enum { END, POINTER, SIZE };
	char *buffer = NULL;
	size_t size = 0, offset, bytes;

	for (; (uintptr_t)extra[0] != END; extra += 2) {
		if ((uintptr_t)extra[0] == POINTER)
			buffer = extra[1];
		else if ((uintptr_t)extra[0] == SIZE)
			size = *(size_t *)extra[1];
		else
			return CUDA_INVALID_VALUE;
	}
	for (size_t i = 0; cudaFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS; i++) {
		if (i == MOST_PARAMS || !buffer || offset + bytes > size)
			return CUDA_INVALID_VALUE;
		args[i] = buffer + offset;
	}
	cudaGetLastError(); /* there is always a parameter that is not there */
	return CUDA_SUCCESS;
}

/* The parameters, unless the caller has them: those packed in `extra`. */
static int find_args(void *function, void ***args, void **extra, void *unpacked[MOST_PARAMS])
{
	int error = extra && !*args ? unpack(function, extra, unpacked) : CUDA_SUCCESS;

	if (extra && !*args)
		*args = unpacked;
	return error;
}

CUDA_API int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                            unsigned bz, unsigned shared, void *stream, void **args, void **extra)
{
	void *unpacked[MOST_PARAMS];
	int error = find_args(function, &args, extra, unpacked);

	return error ? error : cudaLaunchKernel(function, (struct cuda_dim3){ gx, gy, gz },
	                                        (struct cuda_dim3){ bx, by, bz }, args, shared, stream);
}

/* CUlaunchConfig */
struct driver_config {
	struct cuda_dim3 grid, block;
	uint32_t shared;
	void *stream;
	const struct cuda_launch_attribute *attribute;
	uint32_t attributes;
};

static struct cuda_launch_config config_of(const struct driver_config *c)
{
	return (struct cuda_launch_config){ c->grid, c->block, c->shared, c->stream, c->attribute, c->attributes };
}

CUDA_API int cuLaunchKernelEx(const struct driver_config *from, void *function, void **args, void **extra)
{
	const struct cuda_launch_config c = config_of(from);
	void *unpacked[MOST_PARAMS];
	int error = find_args(function, &args, extra, unpacked);

	return error ? error : cudaLaunchKernelExC(&c, function, args);
}

CUDA_API int cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct driver_config *from)
{
	const struct cuda_launch_config c = config_of(from);

	return cudaOccupancyMaxActiveClusters(clusters, function, &c);
}

CUDA_API int cuOccupancyMaxPotentialClusterSize(int *size, void *function, const struct driver_config *from)
{
	const struct cuda_launch_config c = config_of(from);

	return cudaOccupancyMaxPotentialClusterSize(size, function, &c);
}

CUDA_API int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                       unsigned bz, unsigned shared, void *stream, void **args)
{
	return cudaLaunchCooperativeKernel(function, (struct cuda_dim3){ gx, gy, gz }, (struct cuda_dim3){ bx, by, bz },
	                                   args, shared, stream);
}

/* cudart_library.c - code that a program loads itself (cudaLibrary...)
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart.h"
#include "base/xalloc.h"

#include <dlfcn.h>

struct library {
	struct hd_exec_image *image;
	struct cuda_function **v;
	size_t n;
};

CUDA_API int cudaLibraryLoadData(void **to, const void *code, void *jit, void **jit_values, unsigned njit,
                                 void *options, void **values, unsigned noptions)
{
	struct hd_exec_image *image;
	struct library *l;
	int error = hd__cuda_enter();

	(void)jit, (void)jit_values, (void)njit, (void)options, (void)values, (void)noptions;
	image = error ? NULL : hd__cuda_image(code, &error);
	if (!image)
		return hd__cuda_leave(error);
	l = hd__cuda_handle(CUDA_LIBRARY, sizeof *l);
	l->image = image;
	*to = l;
	return hd__cuda_leave(CUDA_SUCCESS);
}

static void forget(void *library, void *arg)
{
	struct library *l = library;

	(void)arg;
	for (size_t i = 0; i < l->n; i++)
		hd__cuda_release(l->v[i]);
	free((void *)l->v);
	hd__cuda_release(l);
}

void hd__cuda_forget_libraries(void)
{
	hd__cuda_each(CUDA_LIBRARY, forget, NULL);
}

CUDA_API int cudaLibraryUnload(void *library)
{
	int error = hd__cuda_enter();
	struct library *l = hd__cuda_check(library, CUDA_LIBRARY);

	if (!l)
		return hd__cuda_leave(CUDA_INVALID_HANDLE);
	hd__exec_unload(l->image);
	forget(l, NULL);
	return hd__cuda_leave(error);
}

/* The handle of a kernel, which is the same each time. */
static struct cuda_function *function_of(struct library *l, const struct hd_exec_kernel *k)
{
	struct cuda_function *f;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i]->kernel == k)
			return l->v[i];
	f = hd__cuda_handle(CUDA_KERNEL, sizeof *f);
	*f = (struct cuda_function){ .name = k->name, .kernel = k, .carveout = -1 };
	l->v = hd__xappend((void *)l->v, l->n, sizeof *l->v);
	return l->v[l->n++] = f;
}

CUDA_API int cudaLibraryGetKernel(void **kernel, void *library, const char *name)
{
	int error = hd__cuda_enter();
	struct library *l = hd__cuda_check(library, CUDA_LIBRARY);
	const struct hd_exec_kernel *k = l ? hd__exec_kernel(l->image, name) : NULL;

	if (!error && !k)
		error = l ? CUDA_SYMBOL_NOT_FOUND : CUDA_INVALID_HANDLE;
	if (!error)
		*kernel = function_of(l, k);
	return hd__cuda_leave(error);
}

CUDA_API int cudaLibraryGetKernelCount(unsigned *n, void *library)
{
	int error = hd__cuda_enter();
	struct library *l = hd__cuda_check(library, CUDA_LIBRARY);

	if (!error && !l)
		error = CUDA_INVALID_HANDLE;
	for (*n = 0; !error && hd__exec_kernel_at(l->image, *n);)
		++*n;
	return hd__cuda_leave(error);
}

CUDA_API int cudaLibraryEnumerateKernels(void **kernels, unsigned n, void *library)
{
	const struct hd_exec_kernel *k;
	int error = hd__cuda_enter();
	struct library *l = hd__cuda_check(library, CUDA_LIBRARY);

	if (!error && !l)
		error = CUDA_INVALID_HANDLE;
	for (unsigned i = 0; !error && i < n && (k = hd__exec_kernel_at(l->image, i)); i++)
		kernels[i] = function_of(l, k);
	return hd__cuda_leave(error);
}

CUDA_API int cudaLibraryGetGlobal(void **to, size_t *bytes, void *library, const char *name)
{
	uint64_t at, n;
	int error = hd__cuda_enter();
	struct library *l = hd__cuda_check(library, CUDA_LIBRARY);

	if (!error && (!l || !hd__exec_symbol(l->image, name, &at, &n)))
		error = l ? CUDA_SYMBOL_NOT_FOUND : CUDA_INVALID_HANDLE;
	if (!error && to)
		*to = (void *)(uintptr_t)at;
	if (!error && bytes)
		*bytes = n;
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaLibraryGetGlobal, cudaLibraryGetManaged);

/* ---- functions of the driver library, by name ---- */

/* The driver library is beside this one. */
CUDA_API int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
					      unsigned long long flags, int *status)
{
	typedef int finder(const char *name, void **function, int version, uint64_t flags, int *status);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	void *found = driver ? dlsym(driver, "cuGetProcAddress_v2") : NULL;
	finder *find;
	int missing = 1;

	*function = NULL;
	if (found) {
		memcpy(&find, &found, sizeof find);
		find(name, function, (int)version, flags, &missing);
	}
	if (status)
		*status = missing;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, function, 0, flags, status);
}

CUDA_API int cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, function, 0, flags, status);
}

CUDA_API int cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
						   unsigned long long flags, int *status)
{
	return cudaGetDriverEntryPointByVersion(name, function, version, flags, status);
}

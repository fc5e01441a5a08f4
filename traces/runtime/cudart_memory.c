/* cudart_memory.c - memory of the device, of the host for the device, and of both
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * All of it is in one arena, whose addresses are the host's as well.
 */
#include "cudart.h"
#include "base/int_map.h"
#include "base/xalloc.h"

#define PITCH 512u /* rows begin at multiples of it */

/* Kinds of allocations, by address: enum CUDA_MEMORY_*, and in the higher half the flags of the host's. */
static struct hd_int_map kinds;
static struct hd_int_map of_graphs; /* struct cuda_graph_memory, by address; 0: there was one */

/* Nodes may still name memory of graphs. */
static void forget_memory_of_graphs(void)
{
	uint64_t key, value;
	size_t at = 0;

	while (hd__int_map_next(&of_graphs, &at, &key, &value)) {
		struct cuda_graph_memory *m = (void *)(uintptr_t)value;

		if (!m)
			continue;
		m->at = NULL;
		m->live = false;
		if (!m->nodes)
			free(m);
	}
	hd__int_map_free(&of_graphs);
	of_graphs = (struct hd_int_map){ .n = 0 };
}

void hd__cuda_forget_memory(void)
{
	forget_memory_of_graphs();
	hd__int_map_free(&kinds);
	kinds = (struct hd_int_map){ .n = 0 };
}

void *hd__cuda_allocate(size_t bytes, int *error)
{
	struct hd_exec *x = hd__cuda_machine();
	uint64_t at = x ? hd__exec_alloc(x, bytes ? bytes : 1) : 0;

	*error = at ? CUDA_SUCCESS : x ? CUDA_MEMORY_ALLOCATION : CUDA_INITIALIZATION;
	if (at)
		*hd__int_map_at(&kinds, at) = CUDA_MEMORY_DEVICE;
	return (void *)(uintptr_t)at;
}

static int allocate(void **to, size_t bytes, int kind, uint32_t flags)
{
	int error = hd__cuda_enter();

	if (!error && !to)
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	*to = NULL;
	if (bytes || kind != CUDA_MEMORY_DEVICE)
		*to = hd__cuda_allocate(bytes, &error);
	if (*to)
		*hd__int_map_at(&kinds, (uintptr_t)*to) = (uint64_t)flags << 32 | (uint64_t)kind;
	if (*to && kind != CUDA_MEMORY_DEVICE) /* the program writes it itself */
		hd__exec_written(hd__cuda_machine(), (uintptr_t)*to, bytes);
	return hd__cuda_leave(error);
}

static int give_back(void *p)
{
	struct hd_exec *x = hd__cuda_machine();

	if (!x || !hd__exec_release(x, (uintptr_t)p))
		return CUDA_INVALID_VALUE;
	*hd__int_map_at(&kinds, (uintptr_t)p) = 0;
	return CUDA_SUCCESS;
}

int hd__cuda_free(void *p)
{
	struct cuda_graph_memory *m = hd__cuda_graph_memory_at(p);

	if (!p)
		return CUDA_SUCCESS;
	if (!m)
		return give_back(p);
	hd__cuda_graph_memory_set(m, false);
	return CUDA_SUCCESS;
}

static int release(void *p)
{
	int error = hd__cuda_enter();

	return hd__cuda_leave(error ? error : hd__cuda_free(p));
}

/* ---- memory of graphs ---- */

struct cuda_graph_memory *hd__cuda_graph_memory(size_t bytes, int *error)
{
	void *at = hd__cuda_allocate(bytes, error);
	struct cuda_graph_memory *m;

	if (!at)
		return NULL;
	m = hd__xcalloc(1, sizeof *m);
	*m = (struct cuda_graph_memory){ .at = at, .bytes = bytes, .nodes = 1 };
	*hd__int_map_at(&of_graphs, (uintptr_t)at) = (uintptr_t)m;
	return m;
}

struct cuda_graph_memory *hd__cuda_graph_memory_at(const void *p)
{
	return (struct cuda_graph_memory *)(uintptr_t)hd__int_map_get(&of_graphs, (uintptr_t)p);
}

static void forget_unused(struct cuda_graph_memory *m)
{
	if (m->nodes || m->live)
		return;
	if (m->at) {
		*hd__int_map_at(&of_graphs, (uintptr_t)m->at) = 0;
		give_back(m->at);
	}
	free(m);
}

void hd__cuda_graph_memory_hold(struct cuda_graph_memory *m)
{
	if (m)
		m->nodes++;
}

void hd__cuda_graph_memory_drop(struct cuda_graph_memory *m)
{
	if (!m)
		return;
	m->nodes--;
	forget_unused(m);
}

void hd__cuda_graph_memory_set(struct cuda_graph_memory *m, bool live)
{
	m->live = live && m->at;
	forget_unused(m);
}

size_t hd__cuda_graph_memory_bytes(bool live)
{
	uint64_t key, value;
	size_t at = 0, all = 0;

	while (hd__int_map_next(&of_graphs, &at, &key, &value)) {
		const struct cuda_graph_memory *m = (const void *)(uintptr_t)value;

		if (m && (m->live || !live))
			all += m->bytes;
	}
	return all;
}

/* ---- allocations ---- */

CUDA_API int cudaMalloc(void **to, size_t bytes)
{
	return allocate(to, bytes, CUDA_MEMORY_DEVICE, 0);
}

CUDA_API int cudaMallocManaged(void **to, size_t bytes, unsigned flags)
{
	if (bytes == 0)
		return hd__cuda_enter(), hd__cuda_leave(CUDA_INVALID_VALUE);
	return allocate(to, bytes, CUDA_MEMORY_MANAGED, flags);
}

CUDA_API int cudaHostAlloc(void **to, size_t bytes, unsigned flags)
{
	return allocate(to, bytes, CUDA_MEMORY_HOST, flags);
}

CUDA_API int cudaMallocHost(void **to, size_t bytes)
{
	return allocate(to, bytes, CUDA_MEMORY_HOST, 0);
}

static int allocate_rows(struct cuda_pitched *to, struct cuda_extent e)
{
	to->pitch = (e.width + PITCH - 1) / PITCH * PITCH;
	to->xsize = e.width;
	to->ysize = e.height;
	if (e.width > SIZE_MAX / 2 || (e.height && e.depth && to->pitch > SIZE_MAX / e.height / e.depth))
		return hd__cuda_enter(), hd__cuda_leave(CUDA_MEMORY_ALLOCATION);
	return allocate(&to->ptr, to->pitch * e.height * e.depth, CUDA_MEMORY_DEVICE, 0);
}

CUDA_API int cudaMallocPitch(void **to, size_t *pitch, size_t width, size_t height)
{
	struct cuda_pitched rows = { .ptr = NULL };
	int error = allocate_rows(&rows, (struct cuda_extent){ width, height, 1 });

	if (error)
		return error;
	*to = rows.ptr;
	*pitch = rows.pitch;
	return CUDA_SUCCESS;
}

CUDA_API int cudaMalloc3D(struct cuda_pitched *to, struct cuda_extent e)
{
	return allocate_rows(to, e);
}

CUDA_API int cudaFree(void *p)
{
	return release(p);
}

CUDA_API int cudaFreeHost(void *p)
{
	return release(p);
}

/* ---- the host's own memory ---- */

CUDA_API int cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
	struct hd_exec *x;
	int error = hd__cuda_enter();

	x = error ? NULL : hd__cuda_machine();
	if (!error && (!x || !p || !bytes))
		error = CUDA_INVALID_VALUE;
	if (!error && hd__int_map_get(&kinds, (uintptr_t)p))
		error = CUDA_HOST_ALREADY_REGISTERED;
	if (!error) {
		hd__exec_map(x, p, bytes);
		*hd__int_map_at(&kinds, (uintptr_t)p) = (uint64_t)flags << 32 | CUDA_MEMORY_HOST;
	}
	return hd__cuda_leave(error);
}

CUDA_API int cudaHostUnregister(void *p)
{
	struct hd_exec *x;
	int error = hd__cuda_enter();

	x = error ? NULL : hd__cuda_machine();
	if (!error && (!x || !hd__exec_unmap(x, p)))
		error = CUDA_HOST_NOT_REGISTERED;
	if (!error)
		*hd__int_map_at(&kinds, (uintptr_t)p) = 0;
	return hd__cuda_leave(error);
}

CUDA_API int cudaHostGetDevicePointer(void **to, void *p, unsigned flags)
{
	struct hd_exec *x;
	int error = hd__cuda_enter();

	(void)flags;
	x = error ? NULL : hd__cuda_machine();
	if (!error && (!x || !hd__exec_host(x, (uintptr_t)p, 1)))
		error = CUDA_INVALID_VALUE;
	if (!error)
		*to = p;
	return hd__cuda_leave(error);
}

CUDA_API int cudaHostGetFlags(unsigned *flags, void *p)
{
	uint64_t kind;
	int error = hd__cuda_enter();

	kind = hd__int_map_get(&kinds, (uintptr_t)p);
	if (!error && (uint32_t)kind != CUDA_MEMORY_HOST)
		error = CUDA_INVALID_VALUE;
	if (!error)
		*flags = (uint32_t)(kind >> 32);
	return hd__cuda_leave(error);
}

/* ---- questions ---- */

CUDA_API int cudaPointerGetAttributes(struct cuda_pointer_attributes *to, const void *p)
{
	struct hd_exec *x;
	uint64_t start = (uintptr_t)p, bytes;
	int error = hd__cuda_enter();

	if (error)
		return hd__cuda_leave(error);
	*to = (struct cuda_pointer_attributes){ .type = CUDA_MEMORY_UNREGISTERED, .device = -2,
		.host_pointer = (void *)p };
	x = hd__cuda_machine();
	if (x && hd__exec_host(x, (uintptr_t)p, 1)) {
		hd__exec_allocation(x, (uintptr_t)p, &start, &bytes);
		to->type = (uint8_t)hd__int_map_get(&kinds, start);
		if (to->type == CUDA_MEMORY_UNREGISTERED)
			to->type = CUDA_MEMORY_DEVICE; /* a variable of the program */
		to->device = 0;
		to->device_pointer = (void *)p;
		to->host_pointer = to->type == CUDA_MEMORY_DEVICE ? NULL : (void *)p;
	}
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaMemGetInfo(size_t *unused, size_t *total)
{
	struct hd_exec *x;
	uint64_t used = 0, all = 0;
	int error = hd__cuda_enter();

	x = error ? NULL : hd__cuda_machine();
	if (!x)
		return hd__cuda_leave(error ? error : CUDA_INITIALIZATION);
	hd__exec_memory(x, &used, &all);
	*total = (size_t)hd__cuda_gpu()->memory << 20;
	if (*total > all)
		*total = all;
	*unused = used < *total ? *total - used : 0;
	return hd__cuda_leave(CUDA_SUCCESS);
}

/* ---- advice, which nothing depends on ---- */

static int nothing(void)
{
	return hd__cuda_leave(hd__cuda_enter());
}

CUDA_API int cudaMemPrefetchAsync(const void *p, size_t bytes, struct cuda_location to, unsigned flags, void *stream)
{
	(void)p, (void)bytes, (void)to, (void)flags, (void)stream;
	return nothing();
}
CUDA_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz);
/* Version 12, where the functions without _v2 have a device in place of the location, and no flags. */
CUDA_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_v2);
CUDA_ALSO(cudaMemPrefetchAsync, cudaMemPrefetchAsync_v2_ptsz);

CUDA_API int cudaMemAdvise(const void *p, size_t bytes, int advice, struct cuda_location where)
{
	(void)p, (void)bytes, (void)advice, (void)where;
	return nothing();
}
CUDA_ALSO(cudaMemAdvise, cudaMemAdvise_v2);

CUDA_API int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags)
{
	(void)stream, (void)p, (void)bytes, (void)flags;
	return nothing();
}
CUDA_ALSO(cudaStreamAttachMemAsync, cudaStreamAttachMemAsync_ptsz);

/* ---- pools: all have the same memory ---- */

static struct pool {
	uint64_t threshold;
} *pool;

static int the_pool(void **to)
{
	int error = hd__cuda_enter();

	if (!error && !pool)
		pool = hd__cuda_handle(CUDA_POOL, sizeof *pool);
	if (!error)
		*to = pool;
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceGetDefaultMemPool(void **to, int device)
{
	(void)device;
	return the_pool(to);
}

CUDA_API int cudaDeviceGetMemPool(void **to, int device)
{
	(void)device;
	return the_pool(to);
}

CUDA_API int cudaMemPoolCreate(void **to, const void *properties)
{
	int error = hd__cuda_enter();

	(void)properties;
	if (!error)
		*to = hd__cuda_handle(CUDA_POOL, sizeof *pool);
	return hd__cuda_leave(error);
}

static int is_pool(const void *which)
{
	int error = hd__cuda_enter();

	if (!error && !hd__cuda_check(which, CUDA_POOL))
		error = CUDA_INVALID_VALUE;
	return hd__cuda_leave(error);
}

CUDA_API int cudaMemPoolDestroy(void *which)
{
	int error = which == pool ? CUDA_INVALID_VALUE : is_pool(which);

	hd__cuda_enter();
	if (!error)
		hd__cuda_release(which);
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceSetMemPool(int device, void *which)
{
	(void)device;
	return is_pool(which);
}

CUDA_API int cudaMemPoolSetAccess(void *which, const void *accesses, size_t n)
{
	(void)accesses, (void)n;
	return is_pool(which);
}

CUDA_API int cudaMemPoolTrimTo(void *which, size_t bytes)
{
	(void)which, (void)bytes;
	return nothing();
}

enum { POOL_THRESHOLD = 4, POOL_RESERVED = 5, POOL_USED_HIGH = 8 };

CUDA_API int cudaMemPoolSetAttribute(void *which, int attribute, void *value)
{
	int error = hd__cuda_enter();

	if (!error && !hd__cuda_check(which, CUDA_POOL))
		error = CUDA_INVALID_VALUE;
	if (!error && attribute == POOL_THRESHOLD)
		((struct pool *)which)->threshold = *(uint64_t *)value;
	return hd__cuda_leave(error);
}

CUDA_API int cudaMemPoolGetAttribute(void *which, int attribute, void *value)
{
	uint64_t used = 0, all;
	int error = hd__cuda_enter();

	if (!error && (!hd__cuda_check(which, CUDA_POOL) || attribute < 1 || attribute > POOL_USED_HIGH))
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	if (hd__cuda_machine())
		hd__exec_memory(hd__cuda_machine(), &used, &all);
	if (attribute < POOL_THRESHOLD)
		*(int *)value = 1; /* memory may be used again at once */
	else
		*(uint64_t *)value = attribute == POOL_THRESHOLD ? ((struct pool *)which)->threshold : used;
	return hd__cuda_leave(CUDA_SUCCESS);
}

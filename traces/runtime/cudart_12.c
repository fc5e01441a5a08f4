/* cudart_12.c - what programs of CUDA 12 call that version 13 has not, or with other parameters
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Their library is this one by another name.  A function that both versions have by one name, and that is not the same,
 * is there twice: the dynamic linker takes that of the version for which the program was built.  All others fit both.
 */
#include "cudart.h"
#include "cudart_api.h"

#include <string.h>

#ifdef PIC /* a static archive has no versions */
#define VERSION_12(name, own) __asm__(".symver " #own ", " #name "@libcudart.so.12")
#else
#define VERSION_12(name, own) _Static_assert(1, "")
#endif

/* ---- properties ---- */

static void set_properties(struct cuda_device_prop_12 *p, const struct cuda_device_prop *q)
{
	const struct cuda_gpu *g = hd__cuda_gpu();

#define SAME(member) .member = q->member
	*p = (struct cuda_device_prop_12){
		SAME(luid_node_mask), SAME(total_global_mem), SAME(shared_mem_per_block), SAME(regs_per_block),
		SAME(warp_size), SAME(mem_pitch), SAME(max_threads_per_block), SAME(total_const_mem), SAME(major),
		SAME(minor), SAME(texture_alignment), SAME(texture_pitch_alignment), SAME(multi_processor_count),
		SAME(integrated), SAME(can_map_host_memory), SAME(surface_alignment), SAME(concurrent_kernels),
		SAME(ecc_enabled), SAME(pci_bus_id), SAME(pci_device_id), SAME(pci_domain_id), SAME(tcc_driver),
		SAME(async_engine_count), SAME(unified_addressing), SAME(memory_bus_width), SAME(l2_cache_size),
		SAME(persisting_l2_cache_max_size), SAME(max_threads_per_multi_processor),
		SAME(stream_priorities_supported), SAME(global_l1_cache_supported), SAME(local_l1_cache_supported),
		SAME(shared_mem_per_multiprocessor), SAME(regs_per_multiprocessor), SAME(managed_memory),
		SAME(is_multi_gpu_board), SAME(multi_gpu_board_group_id), SAME(host_native_atomic_supported),
		SAME(pageable_memory_access), SAME(concurrent_managed_access), SAME(compute_preemption_supported),
		SAME(can_use_host_pointer_for_registered_mem), SAME(cooperative_launch),
		SAME(shared_mem_per_block_optin), SAME(pageable_memory_access_uses_host_page_tables),
		SAME(direct_managed_mem_access_from_host), SAME(max_blocks_per_multi_processor),
		SAME(access_policy_max_window_size), SAME(reserved_shared_mem_per_block), SAME(host_register_supported),
		SAME(sparse_cuda_array_supported), SAME(host_register_read_only_supported),
		SAME(timeline_semaphore_interop_supported), SAME(memory_pools_supported),
		SAME(gpu_direct_rdma_supported), SAME(gpu_direct_rdma_flush_writes_options),
		SAME(gpu_direct_rdma_writes_ordering), SAME(memory_pool_supported_handle_types),
		SAME(deferred_mapping_cuda_array_supported), SAME(ipc_event_supported), SAME(cluster_launch),
		SAME(unified_function_pointers),
		.clock_rate = (int)g->clock, .memory_clock_rate = (int)g->memory_clock, .device_overlap = 1,
		.single_to_double_precision_perf_ratio = (int)g->double_ratio,
	};
#undef SAME
	memcpy(p->name, q->name, sizeof p->name);
	memcpy(p->uuid, q->uuid, sizeof p->uuid);
	memcpy(p->max_threads_dim, q->max_threads_dim, sizeof p->max_threads_dim);
	memcpy(p->max_grid_size, q->max_grid_size, sizeof p->max_grid_size);
	memcpy(p->textures_and_surfaces, q->textures_and_surfaces, 2 * sizeof(int));
	p->textures_and_surfaces[2] = 1 << 28;
	memcpy(p->textures_and_surfaces + 3, q->textures_and_surfaces + 2,
	       sizeof q->textures_and_surfaces - 2 * sizeof(int));
}

CUDA_API int cudaGetDeviceProperties_v2(struct cuda_device_prop_12 *p, int device)
{
	struct cuda_device_prop q;
	int error = cudaGetDeviceProperties(&q, device);

	if (error)
		return error;
	error = hd__cuda_enter();
	if (!error)
		set_properties(p, &q);
	return hd__cuda_leave(error);
}

CUDA_API int runtime_version_12(int *to)
{
	int error = cudaRuntimeGetVersion(to);

	*to = CUDART_VERSION_12;
	return error;
}
VERSION_12(cudaRuntimeGetVersion, runtime_version_12);

/* ---- structures that have become longer ---- */

CUDA_API int pointer_attributes_12(struct cuda_pointer_attributes_12 *to, const void *p)
{
	struct cuda_pointer_attributes a;
	int error = cudaPointerGetAttributes(&a, p);

	if (!error)
		*to = (struct cuda_pointer_attributes_12){ a.type, a.device, a.device_pointer, a.host_pointer };
	return error;
}
VERSION_12(cudaPointerGetAttributes, pointer_attributes_12);

static struct cuda_resource resource_of(const void *r)
{
	struct cuda_resource all = { .flags = 0 };

	memcpy(&all, r, CUDA_RESOURCE_12);
	return all;
}

CUDA_API int texture_object_12(uint64_t *to, const void *r, const struct cuda_texture_desc *d, const void *view)
{
	struct cuda_resource all = r ? resource_of(r) : (struct cuda_resource){ .flags = 0 };

	return cudaCreateTextureObject(to, r ? &all : NULL, d, view);
}
VERSION_12(cudaCreateTextureObject, texture_object_12);

CUDA_API int surface_object_12(uint64_t *to, const void *r)
{
	struct cuda_resource all = r ? resource_of(r) : (struct cuda_resource){ .flags = 0 };

	return cudaCreateSurfaceObject(to, r ? &all : NULL);
}
VERSION_12(cudaCreateSurfaceObject, surface_object_12);

CUDA_API int texture_resource_12(void *to, uint64_t handle)
{
	struct cuda_resource all;
	int error = cudaGetTextureObjectResourceDesc(&all, handle);

	if (!error)
		memcpy(to, &all, CUDA_RESOURCE_12);
	return error;
}
VERSION_12(cudaGetTextureObjectResourceDesc, texture_resource_12);

CUDA_API int surface_resource_12(void *to, uint64_t handle)
{
	struct cuda_resource all;
	int error = cudaGetSurfaceObjectResourceDesc(&all, handle);

	if (!error)
		memcpy(to, &all, CUDA_RESOURCE_12);
	return error;
}
VERSION_12(cudaGetSurfaceObjectResourceDesc, surface_resource_12);

/* ---- graphs and captures: edges without data ---- */

CUDA_API int graph_dependencies_12(void *graph, void *const *from, void *const *to, size_t n)
{
	return cudaGraphAddDependencies(graph, from, to, NULL, n);
}
VERSION_12(cudaGraphAddDependencies, graph_dependencies_12);

CUDA_API int cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges, size_t n)
{
	return cudaGraphAddDependencies(graph, from, to, edges, n);
}

CUDA_API int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                                         const void **dependencies, size_t *n)
{
	return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, NULL, n);
}
CUDA_ALSO(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz);

CUDA_API int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id, void **graph,
                                         const void **dependencies, const void **edges, size_t *n)
{
	return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, edges, n);
}
CUDA_ALSO(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz);

CUDA_API int cudaEventElapsedTime_v2(float *ms, void *from, void *to)
{
	return cudaEventElapsedTime(ms, from, to);
}

/* ---- old names ---- */

CUDA_API int cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

CUDA_API int cudaThreadExit(void)
{
	return cudaDeviceReset();
}

CUDA_API int cudaThreadSetLimit(int limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

CUDA_API int cudaThreadGetLimit(size_t *value, int limit)
{
	return cudaDeviceGetLimit(value, limit);
}

CUDA_API int cudaThreadSetCacheConfig(int value)
{
	return cudaDeviceSetCacheConfig(value);
}

CUDA_API int cudaThreadGetCacheConfig(int *value)
{
	return cudaDeviceGetCacheConfig(value);
}

/* Doubles are doubles on every GPU since compute capability 1.3. */
CUDA_API int cudaSetDoubleForDevice(double *d)
{
	(void)d;
	return hd__cuda_leave(hd__cuda_enter());
}
CUDA_ALSO(cudaSetDoubleForDevice, cudaSetDoubleForHost);

/* cudart_device.c - the device: what it is, its properties and limits
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * There is one device: the GPU that HEDDLE_GPU names, else the one that suits the netlist, if the program has code for
 * it, else the first in gpus.c for which it has.
 */
#include "cudart.h"

#include <string.h>

/* ---- properties ---- */

static void set_properties(struct cuda_device_prop *p, const struct cuda_gpu *g)
{
	*p = (struct cuda_device_prop){
		.uuid = "heddle", .shared_mem_per_block = 48 << 10, .regs_per_block = 65536, .warp_size = 32,
		.mem_pitch = INT32_MAX, .max_threads_per_block = 1024, .max_threads_dim = { 1024, 1024, 64 },
		.max_grid_size = { INT32_MAX, 65535, 65535 }, .total_const_mem = 65536, .texture_alignment = 512,
		.texture_pitch_alignment = 32, .can_map_host_memory = 1, .surface_alignment = 512,
		.textures_and_surfaces = { 131072, 32768, 131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768,
			32768, 16384, 16384, 16384, 8192, 8192, 32768, 32768, 32768, 2048, 32768, 32768, 2048, 32768,
			2046, 32768, 131072, 65536, 16384, 16384, 16384, 32768, 2048, 32768, 32768, 2048, 32768,
			32768, 2046 },
		.concurrent_kernels = 1,
		.async_engine_count = 3, .unified_addressing = 1, .stream_priorities_supported = 1,
		.global_l1_cache_supported = 1, .local_l1_cache_supported = 1, .regs_per_multiprocessor = 65536,
		.managed_memory = 1, .concurrent_managed_access = 1, .compute_preemption_supported = 1,
		.can_use_host_pointer_for_registered_mem = 1, .cooperative_launch = 1, .host_register_supported = 1,
		.memory_pools_supported = 1, .device_numa_id = -1, .host_numa_id = -1,
	};
	snprintf(p->name, sizeof p->name, "%s", g->full_name);
	p->total_global_mem = (size_t)g->memory << 20;
	p->major = (int)(g->sm / 10);
	p->minor = (int)(g->sm % 10);
	p->multi_processor_count = (int)g->sms;
	p->memory_bus_width = (int)g->bus;
	p->l2_cache_size = (int)(g->l2 << 10);
	p->max_threads_per_multi_processor = (int)g->threads_sm;
	p->max_blocks_per_multi_processor = (int)g->blocks_sm;
	p->shared_mem_per_multiprocessor = (size_t)g->shared_sm << 10;
	p->shared_mem_per_block_optin = (size_t)g->shared_block << 10;
	p->reserved_shared_mem_per_block = g->shared_reserved;
	p->cluster_launch = g->gpcs > 0;
}

/* Is there a device of this number?  Else an error. */
static int enter(int device)
{
	int error = hd__cuda_enter();

	return error ? error : device == 0 ? CUDA_SUCCESS : CUDA_INVALID_DEVICE;
}

CUDA_API int cudaGetDeviceProperties(struct cuda_device_prop *p, int device)
{
	int error = enter(device);

	if (!error)
		set_properties(p, hd__cuda_gpu());
	return hd__cuda_leave(error);
}

/* Attributes that are a member of the properties. */
#define MEMBER(number, member) [number] = offsetof(struct cuda_device_prop, member) + 1

static const uint16_t members[] = {
	MEMBER(1, max_threads_per_block), MEMBER(2, max_threads_dim[0]), MEMBER(3, max_threads_dim[1]),
	MEMBER(4, max_threads_dim[2]), MEMBER(5, max_grid_size[0]), MEMBER(6, max_grid_size[1]),
	MEMBER(7, max_grid_size[2]), MEMBER(8, shared_mem_per_block), MEMBER(9, total_const_mem),
	MEMBER(10, warp_size), MEMBER(11, mem_pitch), MEMBER(12, regs_per_block),
	MEMBER(14, texture_alignment), MEMBER(16, multi_processor_count), MEMBER(18, integrated),
	MEMBER(19, can_map_host_memory), MEMBER(30, surface_alignment), MEMBER(31, concurrent_kernels),
	MEMBER(32, ecc_enabled), MEMBER(33, pci_bus_id), MEMBER(34, pci_device_id),
	MEMBER(37, memory_bus_width), MEMBER(38, l2_cache_size), MEMBER(39, max_threads_per_multi_processor),
	MEMBER(40, async_engine_count), MEMBER(41, unified_addressing), MEMBER(50, pci_domain_id),
	MEMBER(51, texture_pitch_alignment), MEMBER(75, major), MEMBER(76, minor),
	MEMBER(78, stream_priorities_supported), MEMBER(79, global_l1_cache_supported),
	MEMBER(80, local_l1_cache_supported), MEMBER(81, shared_mem_per_multiprocessor),
	MEMBER(82, regs_per_multiprocessor), MEMBER(83, managed_memory), MEMBER(89, concurrent_managed_access),
	MEMBER(90, compute_preemption_supported), MEMBER(91, can_use_host_pointer_for_registered_mem),
	MEMBER(95, cooperative_launch), MEMBER(97, shared_mem_per_block_optin),
	MEMBER(99, host_register_supported), MEMBER(106, max_blocks_per_multi_processor),
	MEMBER(111, reserved_shared_mem_per_block), MEMBER(115, memory_pools_supported),
	MEMBER(120, cluster_launch), MEMBER(131, device_numa_id), MEMBER(134, host_numa_id),
};

enum {
	ATTRIBUTE_CLOCK = 13, ATTRIBUTE_OVERLAP = 15, ATTRIBUTE_MEMORY_CLOCK = 36, ATTRIBUTE_DOUBLE = 87,
	ATTRIBUTES = 148,
};

CUDA_API int cudaDeviceGetAttribute(int *to, int attribute, int device)
{
	struct cuda_device_prop p;
	const struct cuda_gpu *g;
	int error = enter(device);

	if (!error && (!to || attribute < 1 || attribute >= ATTRIBUTES))
		error = CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	g = hd__cuda_gpu();
	set_properties(&p, g);
	*to = attribute == ATTRIBUTE_CLOCK ? (int)g->clock : attribute == ATTRIBUTE_MEMORY_CLOCK ? (int)g->memory_clock
	      : attribute == ATTRIBUTE_DOUBLE ? (int)g->double_ratio : attribute == ATTRIBUTE_OVERLAP;
	if ((size_t)attribute < sizeof members / sizeof *members && members[attribute])
		memcpy(to, (const char *)&p + members[attribute] - 1, sizeof *to); /* or its low half */
	return hd__cuda_leave(CUDA_SUCCESS);
}

/* ---- which device ---- */

CUDA_API int cudaGetDeviceCount(int *n)
{
	int error = hd__cuda_enter();

	*n = 1;
	return hd__cuda_leave(error);
}

CUDA_API int cudaGetDevice(int *device)
{
	int error = hd__cuda_enter();

	*device = 0;
	return hd__cuda_leave(error);
}

CUDA_API int cudaSetDevice(int device)
{
	return hd__cuda_leave(enter(device));
}

CUDA_API int cudaInitDevice(int device, unsigned flags, unsigned how)
{
	(void)flags, (void)how;
	return hd__cuda_leave(enter(device));
}

CUDA_API int cudaSetValidDevices(int *devices, int n)
{
	return hd__cuda_leave(enter(n > 0 ? devices[0] : 0));
}

CUDA_API int cudaChooseDevice(int *device, const struct cuda_device_prop *p)
{
	(void)p;
	return cudaGetDevice(device);
}

CUDA_API int cudaDeviceGetPCIBusId(char *to, int n, int device)
{
	int error = enter(device);

	if (!error && n < 13)
		error = CUDA_INVALID_VALUE;
	if (!error)
		snprintf(to, (size_t)n, "0000:00:00.0");
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceGetByPCIBusId(int *device, const char *text)
{
	(void)text;
	return cudaGetDevice(device);
}

static unsigned flags_of_device;

CUDA_API int cudaSetDeviceFlags(unsigned flags)
{
	int error = hd__cuda_enter();

	flags_of_device = flags;
	return hd__cuda_leave(error);
}

CUDA_API int cudaGetDeviceFlags(unsigned *flags)
{
	int error = hd__cuda_enter();

	*flags = flags_of_device;
	return hd__cuda_leave(error);
}

/* ---- one device has no peers ---- */

CUDA_API int cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	int error = enter(device);

	(void)peer;
	if (!error)
		*can = 0;
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)flags;
	hd__cuda_enter();
	return hd__cuda_leave(peer ? CUDA_INVALID_DEVICE : CUDA_PEER_ACCESS_UNSUPPORTED);
}

CUDA_API int cudaDeviceDisablePeerAccess(int peer)
{
	hd__cuda_enter();
	return hd__cuda_leave(peer ? CUDA_INVALID_DEVICE : CUDA_PEER_ACCESS_NOT_ENABLED);
}

/* ---- limits and preferences ---- */

enum { LIMIT_STACK, LIMIT_PRINT, LIMIT_HEAP, LIMITS = 7 };

static size_t limits[LIMITS] = { 1024, 1 << 20, 0, 2, 2048, 64, 0 };

CUDA_API int cudaDeviceSetLimit(int limit, size_t value)
{
	int error = hd__cuda_enter();

	if (!error && (limit < 0 || limit >= LIMITS))
		error = CUDA_UNSUPPORTED_LIMIT;
	if (!error && limit == LIMIT_HEAP)
		hd__cuda_set_heap(value);
	else if (!error)
		limits[limit] = value;
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceGetLimit(size_t *value, int limit)
{
	int error = hd__cuda_enter();

	if (!error && (limit < 0 || limit >= LIMITS))
		error = CUDA_UNSUPPORTED_LIMIT;
	if (!error)
		*value = limit == LIMIT_HEAP ? hd__cuda_heap() : limits[limit];
	return hd__cuda_leave(error);
}

static int preference[2]; /* of caches, of banks */

static int prefer(int which, int value)
{
	int error = hd__cuda_enter();

	preference[which] = value;
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceSetCacheConfig(int value)
{
	return prefer(0, value);
}

CUDA_API int cudaDeviceGetCacheConfig(int *value)
{
	int error = hd__cuda_enter();

	*value = preference[0];
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceSetSharedMemConfig(int value)
{
	return prefer(1, value);
}

CUDA_API int cudaDeviceGetSharedMemConfig(int *value)
{
	int error = hd__cuda_enter();

	*value = preference[1];
	return hd__cuda_leave(error);
}

CUDA_API int cudaCtxResetPersistingL2Cache(void)
{
	return hd__cuda_leave(hd__cuda_enter());
}

/* ---- the whole device ---- */

CUDA_API int cudaDeviceSynchronize(void)
{
	int error = hd__cuda_enter();

	if (!error && hd__cuda_capturing())
		error = CUDA_CAPTURE_UNSUPPORTED;
	return hd__cuda_leave(error);
}

CUDA_API int cudaDeviceReset(void)
{
	int error = hd__cuda_enter();

	if (error == CUDA_INITIALIZATION)
		return hd__cuda_leave(error);
	hd__cuda_forget_images();
	hd__cuda_forget_memory();
	hd__cuda_forget_arrays();
	hd__cuda_forget_textures();
	hd__cuda_forget_libraries();
	hd__cuda_reset();
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaDriverGetVersion(int *to)
{
	int error = hd__cuda_enter();

	*to = CUDART_VERSION_HERE;
	return hd__cuda_leave(error);
}

CUDA_API int cudaRuntimeGetVersion(int *to)
{
	return cudaDriverGetVersion(to);
}

CUDA_API int cudaProfilerStart(void)
{
	return hd__cuda_leave(hd__cuda_enter());
}

CUDA_API int cudaProfilerStop(void)
{
	return hd__cuda_leave(hd__cuda_enter());
}

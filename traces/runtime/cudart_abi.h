/* cudart_abi.h - what programs pass to CUDA's runtime library, versions 13 and 12: numbers and layouts
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Declared here, so that the tree builds where CUDA is not installed.  Names follow those of CUDA's documentation.
 */
#ifndef TRACES_RUNTIME_CUDART_ABI_H
#define TRACES_RUNTIME_CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

#define CUDART_VERSION_HERE 13000 /* of the runtime, and of the driver that there would be */
#define CUDART_VERSION_12 12090   /* of the runtime, for programs of CUDA 12 */

enum cuda_error {
	CUDA_SUCCESS = 0,
	CUDA_INVALID_VALUE = 1,
	CUDA_MEMORY_ALLOCATION = 2,
	CUDA_INITIALIZATION = 3,
	CUDA_INVALID_CONFIGURATION = 9,
	CUDA_INVALID_PITCH = 12,
	CUDA_INVALID_SYMBOL = 13,
	CUDA_INVALID_CHANNELS = 20,
	CUDA_INVALID_MEMCPY_DIRECTION = 21,
	CUDA_INVALID_FILTER = 26,
	CUDA_INVALID_NORM = 27,
	CUDA_MISSING_CONFIGURATION = 52,
	CUDA_INVALID_DEVICE_FUNCTION = 98,
	CUDA_NO_DEVICE = 100,
	CUDA_INVALID_DEVICE = 101,
	CUDA_INVALID_KERNEL_IMAGE = 200,
	CUDA_NO_KERNEL_IMAGE = 209,
	CUDA_UNSUPPORTED_LIMIT = 215,
	CUDA_PEER_ACCESS_UNSUPPORTED = 217,
	CUDA_FILE_NOT_FOUND = 301,
	CUDA_INVALID_HANDLE = 400,
	CUDA_ILLEGAL_STATE = 401,
	CUDA_SYMBOL_NOT_FOUND = 500,
	CUDA_ILLEGAL_ADDRESS = 700,
	CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
	CUDA_LAUNCH_TIMEOUT = 702,
	CUDA_PEER_ACCESS_NOT_ENABLED = 705,
	CUDA_ASSERT = 710,
	CUDA_HOST_ALREADY_REGISTERED = 712,
	CUDA_HOST_NOT_REGISTERED = 713,
	CUDA_INVALID_PC = 718,
	CUDA_LAUNCH_FAILURE = 719,
	CUDA_COOPERATIVE_TOO_LARGE = 720,
	CUDA_NOT_SUPPORTED = 801,
	CUDA_CAPTURE_UNSUPPORTED = 900,
	CUDA_CAPTURE_INVALIDATED = 901,
	CUDA_INVALID_CLUSTER = 912,
	CUDA_CAPTURE_UNMATCHED = 903,
	CUDA_CAPTURE_IMPLICIT = 906,
	CUDA_GRAPH_UPDATE_FAILURE = 910,
	CUDA_UNKNOWN = 999,
};

enum { CUDA_HOST_TO_HOST, CUDA_HOST_TO_DEVICE, CUDA_DEVICE_TO_HOST, CUDA_DEVICE_TO_DEVICE, CUDA_ANY_DIRECTION };

struct cuda_dim3 {
	uint32_t x, y, z;
};

struct cuda_fatbin_wrapper {
	uint32_t magic, version;
	const void *data;
	const void *names;
};
#define CUDA_FATBIN_WRAPPER UINT32_C(0x466243b1)

/* ---- memory ---- */

struct cuda_pitched {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct cuda_extent {
	size_t width, height, depth;
};

struct cuda_pos {
	size_t x, y, z;
};

struct cuda_copy_3d {
	void *src_array;
	struct cuda_pos src_pos;
	struct cuda_pitched src;
	void *dst_array;
	struct cuda_pos dst_pos;
	struct cuda_pitched dst;
	struct cuda_extent extent;
	int kind;
};

struct cuda_location {
	int type, id;
};

enum { CUDA_MEMORY_UNREGISTERED, CUDA_MEMORY_HOST, CUDA_MEMORY_DEVICE, CUDA_MEMORY_MANAGED };

struct cuda_pointer_attributes {
	int type, device;
	void *device_pointer, *host_pointer;
	long reserved[8];
};

/* ---- arrays, textures, surfaces ---- */

struct cuda_channels {
	int x, y, z, w; /* bits */
	int kind;       /* signed, unsigned, float */
};

enum { CUDA_ARRAY_LAYERED = 1, CUDA_ARRAY_SURFACE = 2, CUDA_ARRAY_CUBE = 4, CUDA_ARRAY_GATHER = 8 };
#define CUDA_ARRAY_UNKNOWN (~15u) /* flags that no array has here */

enum { CUDA_RESOURCE_ARRAY, CUDA_RESOURCE_MIPMAPPED, CUDA_RESOURCE_LINEAR, CUDA_RESOURCE_PITCH };

struct cuda_resource {
	int type;
	union {
		void *array;
		struct {
			void *p;
			struct cuda_channels channels;
			size_t bytes;
		} linear;
		struct {
			void *p;
			struct cuda_channels channels;
			size_t width, height, pitch;
		} pitch;
		int reserved[32];
	} res;
	uint32_t flags;
};

struct cuda_texture_desc {
	int edge[3]; /* wrap, clamp, mirror, border */
	int filter, read, srgb;
	float border[4];
	int normalised;
	uint32_t anisotropy;
	int mipmap_filter;
	float mipmap_bias, mipmap_lowest, mipmap_highest;
	int trilinear, seamless;
};

/* ---- functions and launches ---- */

struct cuda_func_attributes {
	size_t shared, constant, local;
	int max_threads, registers, ptx_version, binary_version, cache_ca, max_dynamic_shared, carveout;
	int cluster_must_be_set, cluster[3], cluster_policy, cluster_not_portable;
	int reserved[16];
};

enum {
	CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
	CUDA_FUNC_CARVEOUT,
	CUDA_FUNC_CLUSTER_MUST_BE_SET,
	CUDA_FUNC_CLUSTER_X,
	CUDA_FUNC_CLUSTER_Y,
	CUDA_FUNC_CLUSTER_Z,
	CUDA_FUNC_CLUSTER_NOT_PORTABLE,
	CUDA_FUNC_CLUSTER_POLICY,
};
#define CUDA_PORTABLE_CLUSTER 8 /* blocks that a cluster has at most unless the kernel says so */

enum { CUDA_LAUNCH_COOPERATIVE = 2, CUDA_LAUNCH_CLUSTER = 4 };

struct cuda_launch_attribute {
	int id, gap;
	union {
		char room[64];
		int number;
		struct cuda_dim3 cluster;
	} value;
};

struct cuda_launch_config {
	struct cuda_dim3 grid, block;
	size_t shared;
	void *stream;
	const struct cuda_launch_attribute *attribute;
	uint32_t attributes;
};

/* ---- graphs ---- */

struct cuda_kernel_node {
	void *function;
	struct cuda_dim3 grid, block;
	uint32_t shared;
	void **args, **extra;
};

struct cuda_memset_node {
	void *to;
	size_t pitch;
	uint32_t value, element;
	size_t width, height;
};

struct cuda_alloc_node {
	char properties[88];   /* of the pool */
	const void *access;
	size_t accesses, bytes;
	void *at;
};

struct cuda_host_node {
	void (*function)(void *);
	void *data;
};

/* ---- devices ---- */

struct cuda_device_prop {
	char name[256];
	unsigned char uuid[16];
	char luid[8];
	uint32_t luid_node_mask;
	size_t total_global_mem, shared_mem_per_block;
	int regs_per_block, warp_size;
	size_t mem_pitch;
	int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
	size_t total_const_mem;
	int major, minor;
	size_t texture_alignment, texture_pitch_alignment;
	int multi_processor_count, integrated, can_map_host_memory;
	int textures_and_surfaces[39]; /* their largest sizes */
	size_t surface_alignment;
	int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver, async_engine_count;
	int unified_addressing, memory_bus_width, l2_cache_size, persisting_l2_cache_max_size;
	int max_threads_per_multi_processor, stream_priorities_supported, global_l1_cache_supported;
	int local_l1_cache_supported;
	size_t shared_mem_per_multiprocessor;
	int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id;
	int host_native_atomic_supported, pageable_memory_access, concurrent_managed_access;
	int compute_preemption_supported, can_use_host_pointer_for_registered_mem, cooperative_launch;
	size_t shared_mem_per_block_optin;
	int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host;
	int max_blocks_per_multi_processor, access_policy_max_window_size;
	size_t reserved_shared_mem_per_block;
	int host_register_supported, sparse_cuda_array_supported, host_register_read_only_supported;
	int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
	uint32_t gpu_direct_rdma_flush_writes_options;
	int gpu_direct_rdma_writes_ordering;
	uint32_t memory_pool_supported_handle_types;
	int deferred_mapping_cuda_array_supported, ipc_event_supported, cluster_launch, unified_function_pointers;
	int device_numa_config, device_numa_id, mps_enabled, host_numa_id;
	uint32_t gpu_pci_device_id, gpu_pci_subsystem_id;
	int host_numa_multinode_ipc_supported;
	int reserved[56];
};

/* ---- what is other in version 12 ---- */

struct cuda_pointer_attributes_12 {
	int type, device;
	void *device_pointer, *host_pointer;
};

#define CUDA_RESOURCE_12 64 /* bytes of cuda_resource; there are no flags */

struct cuda_device_prop_12 {
	char name[256];
	unsigned char uuid[16];
	char luid[8];
	uint32_t luid_node_mask;
	size_t total_global_mem, shared_mem_per_block;
	int regs_per_block, warp_size;
	size_t mem_pitch;
	int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_rate;
	size_t total_const_mem;
	int major, minor;
	size_t texture_alignment, texture_pitch_alignment;
	int device_overlap, multi_processor_count, kernel_exec_timeout_enabled, integrated, can_map_host_memory;
	int compute_mode;
	int textures_and_surfaces[40]; /* after the second one that of linear memory, which version 13 has not */
	size_t surface_alignment;
	int concurrent_kernels, ecc_enabled, pci_bus_id, pci_device_id, pci_domain_id, tcc_driver, async_engine_count;
	int unified_addressing, memory_clock_rate, memory_bus_width, l2_cache_size, persisting_l2_cache_max_size;
	int max_threads_per_multi_processor, stream_priorities_supported, global_l1_cache_supported;
	int local_l1_cache_supported;
	size_t shared_mem_per_multiprocessor;
	int regs_per_multiprocessor, managed_memory, is_multi_gpu_board, multi_gpu_board_group_id;
	int host_native_atomic_supported, single_to_double_precision_perf_ratio, pageable_memory_access;
	int concurrent_managed_access, compute_preemption_supported, can_use_host_pointer_for_registered_mem;
	int cooperative_launch, cooperative_multi_device_launch;
	size_t shared_mem_per_block_optin;
	int pageable_memory_access_uses_host_page_tables, direct_managed_mem_access_from_host;
	int max_blocks_per_multi_processor, access_policy_max_window_size;
	size_t reserved_shared_mem_per_block;
	int host_register_supported, sparse_cuda_array_supported, host_register_read_only_supported;
	int timeline_semaphore_interop_supported, memory_pools_supported, gpu_direct_rdma_supported;
	uint32_t gpu_direct_rdma_flush_writes_options;
	int gpu_direct_rdma_writes_ordering;
	uint32_t memory_pool_supported_handle_types;
	int deferred_mapping_cuda_array_supported, ipc_event_supported, cluster_launch, unified_function_pointers;
	int reserved[63];
};

#endif

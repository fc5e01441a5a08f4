/* cudart_occupancy.c - how many blocks an SM holds
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The rules are those of CUDA's occupancy calculator.
 */
#include "cudart.h"

#define SM_REGISTERS 65536u
#define SHARED_UNASKED (48u << 10) /* bytes that a block may have without asking for more */
#define REGISTER_UNIT 256u /* registers are given to warps in such portions; the register file has four parts */

/* From sm_90 on what the section of a kernel has begins with the bytes that are the system's. */
uint32_t hd__cuda_static_shared(const struct cuda_function *f)
{
	uint32_t reserved = f->kernel->sm >= 90 ? hd__cuda_gpu()->shared_reserved : 0;

	return f->kernel->shared > reserved ? f->kernel->shared - reserved : 0;
}

uint32_t hd__cuda_dynamic_shared(const struct cuda_function *f)
{
	uint32_t own = hd__cuda_static_shared(f), all = f->dynamic_shared + own;

	if (all < SHARED_UNASKED)
		all = SHARED_UNASKED;
	return all > own ? all - own : 0;
}

static uint32_t up(uint32_t v, uint32_t unit)
{
	return (v + unit - 1) / unit * unit;
}

static uint32_t blocks_by_registers(const struct cuda_function *f, uint32_t warps)
{
	uint32_t of_warp = up(f->kernel->registers * 32, REGISTER_UNIT);
	uint32_t most = of_warp ? SM_REGISTERS / 4 / of_warp * 4 : UINT32_MAX;

	return most / warps;
}

uint32_t hd__cuda_most_threads(const struct cuda_function *f)
{
	uint32_t n = f->kernel->most_threads ? f->kernel->most_threads : 1024;

	while (n > 32 && blocks_by_registers(f, (n + 31) / 32) == 0)
		n = (n - 1) / 32 * 32;
	return n;
}

static uint32_t blocks_by_shared(const struct cuda_gpu *g, size_t bytes)
{
	size_t unit = g->sm >= 80 ? 128 : 256, of_block = (bytes + g->shared_reserved + unit - 1) / unit * unit;

	if (bytes > (size_t)g->shared_block << 10)
		return 0;
	return of_block ? (uint32_t)(((size_t)g->shared_sm << 10) / of_block) : UINT32_MAX;
}

int hd__cuda_occupancy(const struct cuda_function *f, uint32_t threads, size_t dynamic)
{
	const struct cuda_gpu *g = hd__cuda_gpu();
	uint32_t warps = threads > 32 ? (threads + 31) / 32 : 1, n = g->blocks_sm;
	uint32_t limits[] = { g->threads_sm / 32 / warps, blocks_by_registers(f, warps),
	                      blocks_by_shared(g, hd__cuda_static_shared(f) + dynamic) };

	if (threads == 0 || threads > 1024)
		return 0;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i] < n)
			n = limits[i];
	return (int)n;
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                    size_t dynamic, unsigned flags)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	(void)flags;
	if (f && threads <= 0)
		error = CUDA_INVALID_VALUE;
	if (f && !error)
		*blocks = hd__cuda_occupancy(f, (uint32_t)threads, dynamic);
	return hd__cuda_leave(error);
}

CUDA_API int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                           size_t dynamic)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic, 0);
}

/* ---- clusters ---- */

bool hd__cuda_cluster_fits(const struct cuda_function *f, struct cuda_dim3 c)
{
	uint32_t most = f->cluster_not_portable ? HD_EXEC_CLUSTER : CUDA_PORTABLE_CLUSTER;

	return hd__cuda_gpu()->gpcs && c.x && c.y && c.z && c.x <= most && c.y <= most && c.z <= most
	       && c.x * c.y * c.z <= most;
}

/* How many clusters of so many blocks the GPU holds at a time, each of them in one GPC. */
static int active_clusters(const struct cuda_function *f, const struct cuda_launch_config *c, uint32_t blocks)
{
	const struct cuda_gpu *g = hd__cuda_gpu();
	uint32_t threads = c->block.x * c->block.y * c->block.z;

	return (int)(g->gpcs * (g->sms / g->gpcs * (uint32_t)hd__cuda_occupancy(f, threads, c->shared) / blocks));
}

CUDA_API int cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const struct cuda_launch_config *c)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);
	struct cuda_dim3 size = { 1, 1, 1 };

	if (f && f->kernel->cluster[0])
		size = (struct cuda_dim3){ f->kernel->cluster[0], f->kernel->cluster[1], f->kernel->cluster[2] };
	for (uint32_t i = 0; f && i < c->attributes; i++)
		if (c->attribute[i].id == CUDA_LAUNCH_CLUSTER)
			size = c->attribute[i].value.cluster;
	if (f && !hd__cuda_cluster_fits(f, size))
		error = CUDA_INVALID_CLUSTER;
	if (f && !error)
		*clusters = active_clusters(f, c, size.x * size.y * size.z);
	return hd__cuda_leave(error);
}

CUDA_API int cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const struct cuda_launch_config *c)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);
	uint32_t n = f && f->cluster_not_portable ? HD_EXEC_CLUSTER : CUDA_PORTABLE_CLUSTER;

	if (f && !hd__cuda_gpu()->gpcs)
		error = CUDA_INVALID_CLUSTER;
	while (f && !error && n > 1 && active_clusters(f, c, n) == 0)
		n /= 2;
	if (f && !error)
		*size = (int)n;
	return hd__cuda_leave(error);
}

CUDA_API int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	if (f && (blocks <= 0 || threads <= 0))
		error = CUDA_INVALID_VALUE;
	if (f && !error) {
		const struct cuda_gpu *g = hd__cuda_gpu();
		size_t each = ((size_t)g->shared_sm << 10) / (size_t)blocks / 128 * 128;
		size_t own = hd__cuda_static_shared(f) + g->shared_reserved, most = hd__cuda_dynamic_shared(f);

		*bytes = each < own ? 0 : each - own < most ? each - own : most;
	}
	return hd__cuda_leave(error);
}

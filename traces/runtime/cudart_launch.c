/* cudart_launch.c - launches of kernels, and attributes of kernels
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_op.h"
#include "base/xalloc.h"

#define NESTED 64 /* most launches in the arguments of others */

/* ---- kernel<<<grid, block, shared, stream>>>(...) ---- */

struct configuration {
	struct cuda_dim3 grid, block;
	size_t shared;
	void *stream;
};

static _Thread_local struct {
	struct configuration v[NESTED];
	int n;
} pushed;

CUDA_API unsigned __cudaPushCallConfiguration(struct cuda_dim3 grid, struct cuda_dim3 block, size_t shared,
                                              void *stream)
{
	if (pushed.n == NESTED)
		return CUDA_INVALID_CONFIGURATION; /* the launch is left out */
	pushed.v[pushed.n++] = (struct configuration){ grid, block, shared, stream };
	return 0;
}

CUDA_API int __cudaPopCallConfiguration(struct cuda_dim3 *grid, struct cuda_dim3 *block, size_t *shared, void **stream)
{
	const struct configuration *c;

	if (pushed.n == 0)
		return hd__cuda_enter(), hd__cuda_leave(CUDA_MISSING_CONFIGURATION);
	c = &pushed.v[--pushed.n];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared;
	*stream = c->stream;
	return CUDA_SUCCESS;
}

CUDA_API int __cudaGetKernel(void **kernel, const void *host)
{
	int error = hd__cuda_enter();

	if (!error)
		*kernel = hd__cuda_function(host, &error);
	if (error == CUDA_NO_KERNEL_IMAGE) {
		*kernel = (void *)host; /* the launch says so, whose error it is */
		error = CUDA_SUCCESS;
	}
	return hd__cuda_leave(error);
}

CUDA_API int cudaGetKernel(void **kernel, const void *host)
{
	return __cudaGetKernel(kernel, host);
}

CUDA_API int cudaGetFuncBySymbol(void **function, const void *host)
{
	return __cudaGetKernel(function, host);
}

/* ---- launches ---- */

/* Clusters of a launch: those that the kernel was compiled for, or others if it was for none. */
static int check_cluster(const struct cuda_op *op)
{
	const uint32_t *own = op->function->kernel->cluster;
	struct cuda_dim3 c = own[0] ? (struct cuda_dim3){ own[0], own[1], own[2] } : op->cluster;

	if (own[0] && op->cluster.x && memcmp(&op->cluster, own, sizeof c) != 0)
		return CUDA_INVALID_CONFIGURATION;
	if (!hd__cuda_cluster_fits(op->function, c))
		return CUDA_INVALID_CLUSTER;
	return op->grid.x % c.x || op->grid.y % c.y || op->grid.z % c.z ? CUDA_INVALID_CONFIGURATION : CUDA_SUCCESS;
}

/* What a device refuses before it begins. */
static int check_launch(const struct cuda_op *op)
{
	const struct cuda_gpu *g = hd__cuda_gpu();
	const struct cuda_function *f = op->function;
	uint64_t threads = (uint64_t)op->block.x * op->block.y * op->block.z, blocks;
	int resident;

	if (!op->grid.x || !op->grid.y || !op->grid.z || op->grid.x > INT32_MAX || op->grid.y > 65535
	    || op->grid.z > 65535)
		return CUDA_INVALID_CONFIGURATION;
	if (!threads || op->block.x > 1024 || op->block.y > 1024 || op->block.z > 64 || threads > 1024)
		return CUDA_INVALID_CONFIGURATION;
	if (op->shared > hd__cuda_dynamic_shared(f))
		return CUDA_INVALID_VALUE;
	resident = hd__cuda_occupancy(f, (uint32_t)threads, op->shared);
	if ((f->kernel->most_threads && threads > f->kernel->most_threads) || resident == 0)
		return CUDA_LAUNCH_OUT_OF_RESOURCES;
	if (op->cluster.x || f->kernel->cluster[0]) {
		int error = check_cluster(op);

		if (error)
			return error;
	}
	blocks = (uint64_t)op->grid.x * op->grid.y * op->grid.z;
	if (op->cooperative && blocks > (uint64_t)g->sms * (uint32_t)resident)
		return CUDA_COOPERATIVE_TOO_LARGE;
	return CUDA_SUCCESS;
}

static int run_kernel(const struct cuda_op *op, const struct cuda_stream *stream)
{
	const struct hd_exec_kernel *k = op->function->kernel;
	struct hd_exec_launch l = {
		.kernel = k, .grid = { op->grid.x, op->grid.y, op->grid.z },
		.block = { op->block.x, op->block.y, op->block.z }, .shared = op->shared, .args = op->args,
		.nargs = k->args, .cooperative = op->cooperative,
		.cluster = { op->cluster.x, op->cluster.y, op->cluster.z },
	};

	return hd__cuda_execute(&l, stream->id);
}

int hd__cuda_launch_op(struct cuda_op *op, const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                       size_t shared, void **args)
{
	const struct hd_exec_kernel *k;
	int error;

	*op = (struct cuda_op){ .kind = CUDA_OP_KERNEL, .run = run_kernel, .grid = grid, .block = block };
	op->function = hd__cuda_function(function, &error);
	if (error)
		return error;
	op->shared = shared < UINT32_MAX ? (uint32_t)shared : UINT32_MAX;
	k = op->function->kernel;
	if (k->params && !args)
		return CUDA_INVALID_VALUE;
	op->args = hd__xcalloc(1, k->args);
	for (uint32_t i = 0; i < k->params; i++)
		memcpy(op->args + k->param[i].offset, args[i], k->param[i].bytes);
	return CUDA_SUCCESS;
}

static int launch(const void *function, const struct configuration *c, void **args, bool cooperative,
		  struct cuda_dim3 cluster)
{
	int error = hd__cuda_enter();
	struct cuda_op op = { .args = NULL };

	if (!error)
		error = hd__cuda_launch_op(&op, function, c->grid, c->block, c->shared, args);
	op.cooperative = cooperative;
	op.cluster = cluster;
	if (!error)
		error = check_launch(&op);
	if (!error)
		error = hd__cuda_put(c->stream, &op);
	else
		hd__cuda_op_free(&op);
	return hd__cuda_leave(error);
}

CUDA_API int cudaLaunchKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block, void **args,
                              size_t shared, void *stream)
{
	return launch(function, &(struct configuration){ grid, block, shared, stream }, args, false,
		      (struct cuda_dim3){ 0, 0, 0 });
}
CUDA_ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz);
CUDA_ALSO(cudaLaunchKernel, __cudaLaunchKernel);
CUDA_ALSO(cudaLaunchKernel, __cudaLaunchKernel_ptsz);

CUDA_API int cudaLaunchCooperativeKernel(const void *function, struct cuda_dim3 grid, struct cuda_dim3 block,
                                         void **args, size_t shared, void *stream)
{
	return launch(function, &(struct configuration){ grid, block, shared, stream }, args, true,
		      (struct cuda_dim3){ 0, 0, 0 });
}
CUDA_ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz);

CUDA_API int cudaLaunchKernelExC(const struct cuda_launch_config *c, const void *function, void **args)
{
	struct cuda_dim3 cluster = { 0, 0, 0 };
	bool cooperative = false;

	for (uint32_t i = 0; i < c->attributes; i++) {
		const struct cuda_launch_attribute *a = &c->attribute[i];

		if (a->id == CUDA_LAUNCH_COOPERATIVE)
			cooperative = a->value.number != 0;
		if (a->id == CUDA_LAUNCH_CLUSTER)
			cluster = a->value.cluster;
	}
	return launch(function, &(struct configuration){ c->grid, c->block, c->shared, c->stream }, args, cooperative,
		      cluster);
}
CUDA_ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);

/* ---- attributes of kernels ---- */

CUDA_API int cudaFuncGetAttributes(struct cuda_func_attributes *a, const void *function)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	if (f)
		*a = (struct cuda_func_attributes){
			.shared = hd__cuda_static_shared(f), .constant = f->kernel->constant, .local = f->kernel->local,
			.max_threads = (int)hd__cuda_most_threads(f),
			.registers = (int)f->kernel->registers, .ptx_version = (int)f->kernel->sm,
			.binary_version = (int)f->kernel->sm, .max_dynamic_shared = (int)hd__cuda_dynamic_shared(f),
			.carveout = f->carveout, .cluster_must_be_set = f->kernel->cluster[0] != 0,
			.cluster = { (int)f->kernel->cluster[0], (int)f->kernel->cluster[1],
				     (int)f->kernel->cluster[2] },
			.cluster_policy = f->cluster_policy, .cluster_not_portable = f->cluster_not_portable,
		};
	return hd__cuda_leave(error);
}

static int set_dynamic_shared(struct cuda_function *f, int bytes)
{
	if (bytes < 0 || (uint32_t)bytes + hd__cuda_static_shared(f) > hd__cuda_gpu()->shared_block << 10)
		return CUDA_INVALID_VALUE;
	f->dynamic_shared = (uint32_t)bytes;
	return CUDA_SUCCESS;
}

CUDA_API int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
	int error = hd__cuda_enter();
	struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	if (f && attribute == CUDA_FUNC_MAX_DYNAMIC_SHARED)
		error = set_dynamic_shared(f, value);
	else if (f && attribute == CUDA_FUNC_CARVEOUT)
		f->carveout = value;
	else if (f && attribute == CUDA_FUNC_CLUSTER_NOT_PORTABLE)
		f->cluster_not_portable = value != 0;
	else if (f && attribute == CUDA_FUNC_CLUSTER_POLICY)
		f->cluster_policy = value;
	return hd__cuda_leave(error);
}

static int is_function(const void *function)
{
	int error = hd__cuda_enter();

	if (!error)
		hd__cuda_function(function, &error);
	return hd__cuda_leave(error);
}

CUDA_API int cudaFuncSetCacheConfig(const void *function, int preference)
{
	(void)preference;
	return is_function(function);
}

CUDA_API int cudaFuncSetSharedMemConfig(const void *function, int preference)
{
	(void)preference;
	return is_function(function);
}

CUDA_API int cudaFuncGetName(const char **name, const void *function)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	if (f)
		*name = f->name;
	return hd__cuda_leave(error);
}

CUDA_API int cudaFuncGetParamInfo(const void *function, size_t i, size_t *offset, size_t *bytes)
{
	int error = hd__cuda_enter();
	const struct cuda_function *f = error ? NULL : hd__cuda_function(function, &error);

	if (f && i >= f->kernel->params)
		error = CUDA_INVALID_VALUE;
	if (f && !error) {
		*offset = f->kernel->param[i].offset;
		if (bytes)
			*bytes = f->kernel->param[i].bytes;
	}
	return hd__cuda_leave(error);
}

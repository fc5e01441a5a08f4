/* cudart_async.c - memory that a stream or a graph allocates and frees
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_op.h"

/* ---- operations ---- */

static int do_allocate(const struct cuda_op *op, const struct cuda_stream *s)
{
	(void)s;
	hd__cuda_graph_memory_set(op->memory, true);
	return op->memory->at ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

static int do_free(const struct cuda_op *op, const struct cuda_stream *s)
{
	(void)s;
	hd__cuda_graph_memory_set(op->memory, false);
	return CUDA_SUCCESS;
}

int hd__cuda_allocate_op(struct cuda_op *op, size_t bytes)
{
	int error;

	*op = (struct cuda_op){ .kind = CUDA_OP_ALLOCATE, .run = do_allocate };
	op->memory = hd__cuda_graph_memory(bytes, &error);
	return error;
}

int hd__cuda_free_op(struct cuda_op *op, const void *p)
{
	*op = (struct cuda_op){ .kind = CUDA_OP_FREE, .run = do_free, .memory = hd__cuda_graph_memory_at(p) };
	hd__cuda_graph_memory_hold(op->memory);
	return op->memory ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ---- streams ---- */

/* In a captured stream the graph has the memory. */
CUDA_API int cudaMallocAsync(void **to, size_t bytes, void *stream)
{
	int error = hd__cuda_enter();
	const struct cuda_stream *s = hd__cuda_stream(stream);
	struct cuda_op op;

	if (!error && (!to || !s))
		error = to ? CUDA_INVALID_HANDLE : CUDA_INVALID_VALUE;
	if (error)
		return hd__cuda_leave(error);
	*to = NULL;
	if (bytes && !s->capture) {
		*to = hd__cuda_allocate(bytes, &error);
	} else if (bytes) {
		error = hd__cuda_allocate_op(&op, bytes);
		if (!error) {
			*to = op.memory->at;
			error = hd__cuda_put(stream, &op);
		}
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaMallocAsync, cudaMallocAsync_ptsz);

CUDA_API int cudaMallocFromPoolAsync(void **to, size_t bytes, void *pool, void *stream)
{
	(void)pool;
	return cudaMallocAsync(to, bytes, stream);
}
CUDA_ALSO(cudaMallocFromPoolAsync, cudaMallocFromPoolAsync_ptsz);

CUDA_API int cudaFreeAsync(void *p, void *stream)
{
	int error = hd__cuda_enter();
	const struct cuda_stream *s = hd__cuda_stream(stream);
	struct cuda_op op;

	if (!error && !s)
		error = CUDA_INVALID_HANDLE;
	if (!error && !s->capture) {
		error = hd__cuda_free(p);
	} else if (!error) {
		error = hd__cuda_free_op(&op, p);
		if (!error)
			error = hd__cuda_put(stream, &op);
	}
	return hd__cuda_leave(error);
}
CUDA_ALSO(cudaFreeAsync, cudaFreeAsync_ptsz);

/* ---- what graphs have ---- */

/* Graphs have what nodes name: nothing is kept beside that. */
CUDA_API int cudaDeviceGraphMemTrim(int device)
{
	int error = hd__cuda_enter();

	return hd__cuda_leave(error ? error : device == 0 ? CUDA_SUCCESS : CUDA_INVALID_DEVICE);
}

CUDA_API int cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value)
{
	enum { USED, USED_HIGH, RESERVED, RESERVED_HIGH };
	int error = hd__cuda_enter();

	if (!error && (device != 0 || attribute < 0 || attribute > RESERVED_HIGH || !value))
		error = device ? CUDA_INVALID_DEVICE : CUDA_INVALID_VALUE;
	if (!error)
		*value = hd__cuda_graph_memory_bytes(attribute < RESERVED);
	return hd__cuda_leave(error);
}

/* The highest values are not kept, so there is nothing to set back. */
CUDA_API int cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value)
{
	(void)attribute, (void)value;
	return cudaDeviceGraphMemTrim(device);
}

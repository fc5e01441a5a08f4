/* cudart_copy.c - copies, and memory that is set to a value
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_array.h"

#include <string.h>

/* ---- checks ---- */

/* From the first byte of the rows to their last. */
static size_t span(const struct cuda_rows *r, size_t width, size_t height, size_t depth)
{
	return width && height && depth ? (depth - 1) * r->slice + (height - 1) * r->pitch + width : 0;
}

/* Does an allocation of the device begin before this address? */
static bool on_device(const void *p)
{
	uint64_t start, bytes;

	return hd__exec_allocation(hd__cuda_machine(), (uintptr_t)p, &start, &bytes);
}

/* Are these rows where the direction says they are?  The host's memory cannot be checked. */
static bool side_fits(const struct cuda_rows *r, size_t bytes, bool device)
{
	if (!device && !on_device(r->at))
		return true;
	return hd__exec_host(hd__cuda_machine(), (uintptr_t)r->at, bytes) != NULL;
}

static int check_copy(const struct cuda_op *op)
{
	bool to = op->direction == CUDA_HOST_TO_DEVICE || op->direction == CUDA_DEVICE_TO_DEVICE;
	bool from = op->direction == CUDA_DEVICE_TO_HOST || op->direction == CUDA_DEVICE_TO_DEVICE;

	if (op->direction < CUDA_HOST_TO_HOST || op->direction > CUDA_ANY_DIRECTION)
		return CUDA_INVALID_MEMCPY_DIRECTION;
	if (op->height > 1 && (op->to.pitch < op->width || op->from.pitch < op->width))
		return CUDA_INVALID_PITCH;
	if (!hd__cuda_machine())
		return CUDA_INITIALIZATION;
	if (!op->to.at || !op->from.at)
		return CUDA_INVALID_VALUE;
	if (!side_fits(&op->to, span(&op->to, op->width, op->height, op->depth), to)
	    || !side_fits(&op->from, span(&op->from, op->width, op->height, op->depth), from))
		return CUDA_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* ---- what is done ---- */

static int copy(const struct cuda_op *op, const struct cuda_stream *s)
{
	size_t bytes = span(&op->to, op->width, op->height, op->depth);
	int error = bytes ? check_copy(op) : CUDA_SUCCESS;

	(void)s;
	if (error || bytes == 0)
		return error;
	for (size_t z = 0; z < op->depth; z++)
		for (size_t y = 0; y < op->height; y++)
			memmove(op->to.at + z * op->to.slice + y * op->to.pitch,
			        op->from.at + z * op->from.slice + y * op->from.pitch, op->width);
	hd__exec_written(hd__cuda_machine(), (uintptr_t)op->to.at, bytes);
	if (op->direction == CUDA_HOST_TO_DEVICE
	    || (op->direction == CUDA_ANY_DIRECTION && on_device(op->to.at) && !on_device(op->from.at)))
		hd__cuda_copied((uintptr_t)op->to.at, bytes);
	return CUDA_SUCCESS;
}

static int set(const struct cuda_op *op, const struct cuda_stream *s)
{
	size_t width = op->width * op->element, bytes = span(&op->to, width, op->height, op->depth);

	(void)s;
	if (bytes == 0)
		return CUDA_SUCCESS;
	if (op->height > 1 && op->to.pitch < width)
		return CUDA_INVALID_PITCH;
	if (!hd__cuda_machine())
		return CUDA_INITIALIZATION;
	if (!side_fits(&op->to, bytes, true))
		return CUDA_INVALID_VALUE;
	hd__exec_written(hd__cuda_machine(), (uintptr_t)op->to.at, bytes);
	for (size_t z = 0; z < op->depth; z++)
		for (size_t y = 0; y < op->height; y++) {
			char *row = op->to.at + z * op->to.slice + y * op->to.pitch;

			if (op->element == 1)
				memset(row, (int)op->value, width);
			else
				for (size_t i = 0; i < width; i += op->element)
					memcpy(row + i, &op->value, op->element); /* its low bytes come first */
		}
	return CUDA_SUCCESS;
}

/* ---- operations ---- */

struct cuda_op hd__cuda_copy_op(void *to, const void *from, size_t bytes, int direction)
{
	return (struct cuda_op){
		.kind = CUDA_OP_COPY, .run = copy, .to.at = to, .from.at = (char *)from, .width = bytes, .height = 1,
		.depth = 1, .direction = direction,
	};
}

static struct cuda_op copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, int direction)
{
	struct cuda_op op = hd__cuda_copy_op(to, from, width, direction);

	op.to.pitch = to_pitch;
	op.from.pitch = from_pitch;
	op.height = height;
	return op;
}

static struct cuda_rows rows_3d(const struct cuda_pitched *p, const struct cuda_pos *at)
{
	size_t slice = p->pitch * p->ysize;

	return (struct cuda_rows){ (char *)p->ptr + at->z * slice + at->y * p->pitch + at->x, p->pitch, slice };
}

static int refuse(const struct cuda_op *op, const struct cuda_stream *s)
{
	(void)op, (void)s;
	return CUDA_INVALID_VALUE;
}

/* One side of it.  x and the width of an array are in elements. */
static bool side_3d(const void *array, const struct cuda_pitched *p, struct cuda_pos at, struct cuda_extent e,
                    struct cuda_rows *rows)
{
	const struct cuda_array *a = hd__cuda_check(array, CUDA_ARRAY);

	if (a)
		at.x *= hd__cuda_element_bytes(&a->elements);
	else
		*rows = rows_3d(p, &at);
	return array ? hd__cuda_array_rows(array, &at, e, rows) : true;
}

struct cuda_op hd__cuda_copy_3d_op(const struct cuda_copy_3d *c)
{
	const struct cuda_array *a = hd__cuda_check(c->dst_array ? c->dst_array : c->src_array, CUDA_ARRAY);
	size_t element = a ? hd__cuda_element_bytes(&a->elements) : 1;
	struct cuda_op op = { .kind = CUDA_OP_COPY, .run = copy, .width = c->extent.width * element,
		              .height = c->extent.height, .depth = c->extent.depth, .direction = c->kind };
	struct cuda_extent e = { op.width, op.height, op.depth };

	if (c->extent.width > SIZE_MAX / element || !side_3d(c->dst_array, &c->dst, c->dst_pos, e, &op.to)
	    || !side_3d(c->src_array, &c->src, c->src_pos, e, &op.from))
		op.run = refuse;
	return op;
}

static int put(void *stream, struct cuda_op op)
{
	int error = hd__cuda_enter();

	if (!error)
		error = hd__cuda_put(stream, &op);
	return hd__cuda_leave(error);
}

/* A call that waits: not while a stream is captured, into whose graph it would not come. */
static int put_and_wait(struct cuda_op op)
{
	int error = hd__cuda_enter();

	if (!error && hd__cuda_capturing())
		error = CUDA_CAPTURE_IMPLICIT;
	if (!error)
		error = hd__cuda_put(NULL, &op);
	return hd__cuda_leave(error);
}

/* ---- copies ---- */

CUDA_API int cudaMemcpy(void *to, const void *from, size_t bytes, int direction)
{
	return put_and_wait(hd__cuda_copy_op(to, from, bytes, direction));
}
CUDA_ALSO(cudaMemcpy, cudaMemcpy_ptds);

CUDA_API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int direction, void *stream)
{
	return put(stream, hd__cuda_copy_op(to, from, bytes, direction));
}
CUDA_ALSO(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

CUDA_API int cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
	if (to_device || from_device)
		return hd__cuda_enter(), hd__cuda_leave(CUDA_INVALID_DEVICE);
	return put_and_wait(hd__cuda_copy_op(to, from, bytes, CUDA_DEVICE_TO_DEVICE));
}

CUDA_API int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream)
{
	if (to_device || from_device)
		return hd__cuda_enter(), hd__cuda_leave(CUDA_INVALID_DEVICE);
	return put(stream, hd__cuda_copy_op(to, from, bytes, CUDA_DEVICE_TO_DEVICE));
}

CUDA_API int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                          int direction)
{
	return put_and_wait(copy_2d(to, to_pitch, from, from_pitch, width, height, direction));
}
CUDA_ALSO(cudaMemcpy2D, cudaMemcpy2D_ptds);

CUDA_API int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                               size_t height, int direction, void *stream)
{
	return put(stream, copy_2d(to, to_pitch, from, from_pitch, width, height, direction));
}
CUDA_ALSO(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

CUDA_API int cudaMemcpy3D(const struct cuda_copy_3d *c)
{
	return put_and_wait(hd__cuda_copy_3d_op(c));
}
CUDA_ALSO(cudaMemcpy3D, cudaMemcpy3D_ptds);

CUDA_API int cudaMemcpy3DAsync(const struct cuda_copy_3d *c, void *stream)
{
	return put(stream, hd__cuda_copy_3d_op(c));
}
CUDA_ALSO(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz);

/* ---- values ---- */

struct cuda_op hd__cuda_set_op(struct cuda_rows to, uint32_t value, uint32_t element, struct cuda_extent e)
{
	return (struct cuda_op){ .kind = CUDA_OP_SET, .run = set, .to = to, .value = value, .element = element,
		                 .width = e.width, .height = e.height, .depth = e.depth };
}

static struct cuda_op set_2d(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return hd__cuda_set_op((struct cuda_rows){ to, pitch, 0 }, (uint8_t)value, 1,
	                       (struct cuda_extent){ width, height, 1 });
}

static struct cuda_op set_3d(const struct cuda_pitched *to, int value, const struct cuda_extent *e)
{
	return hd__cuda_set_op((struct cuda_rows){ to->ptr, to->pitch, to->pitch * to->ysize }, (uint8_t)value, 1, *e);
}

CUDA_API int cudaMemset(void *to, int value, size_t bytes)
{
	return put_and_wait(set_2d(to, 0, value, bytes, 1));
}
CUDA_ALSO(cudaMemset, cudaMemset_ptds);

CUDA_API int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
	return put(stream, set_2d(to, 0, value, bytes, 1));
}
CUDA_ALSO(cudaMemsetAsync, cudaMemsetAsync_ptsz);

CUDA_API int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	return put_and_wait(set_2d(to, pitch, value, width, height));
}
CUDA_ALSO(cudaMemset2D, cudaMemset2D_ptds);

CUDA_API int cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, void *stream)
{
	return put(stream, set_2d(to, pitch, value, width, height));
}
CUDA_ALSO(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);

CUDA_API int cudaMemset3D(struct cuda_pitched to, int value, struct cuda_extent e)
{
	return put_and_wait(set_3d(&to, value, &e));
}
CUDA_ALSO(cudaMemset3D, cudaMemset3D_ptds);

CUDA_API int cudaMemset3DAsync(struct cuda_pitched to, int value, struct cuda_extent e, void *stream)
{
	return put(stream, set_3d(&to, value, &e));
}
CUDA_ALSO(cudaMemset3DAsync, cudaMemset3DAsync_ptsz);

/* ---- variables ---- */

/* Where the bytes of a variable are; NULL: they are not in it. */
static int part_of(const void *symbol, size_t offset, size_t bytes, char **at)
{
	uint64_t address, size;
	int error = hd__cuda_variable(symbol, &address, &size);

	if (error)
		return error;
	*at = (char *)(uintptr_t)address + offset;
	return offset <= size && bytes <= size - offset ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

static int copy_symbol(const void *symbol, void *host, size_t bytes, size_t offset, int direction, bool to,
                       void *stream)
{
	int error = hd__cuda_enter();
	struct cuda_op op;
	char *at;

	if (!error)
		error = part_of(symbol, offset, bytes, &at);
	if (!error) {
		op = to ? hd__cuda_copy_op(at, host, bytes, direction) : hd__cuda_copy_op(host, at, bytes, direction);
		error = hd__cuda_put(stream, &op);
	}
	return hd__cuda_leave(error);
}

CUDA_API int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int direction)
{
	return copy_symbol(symbol, (void *)from, bytes, offset, direction, true, NULL);
}
CUDA_ALSO(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

CUDA_API int cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int direction,
                                     void *stream)
{
	return copy_symbol(symbol, (void *)from, bytes, offset, direction, true, stream);
}
CUDA_ALSO(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

CUDA_API int cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int direction)
{
	return copy_symbol(symbol, to, bytes, offset, direction, false, NULL);
}
CUDA_ALSO(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

CUDA_API int cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int direction,
                                       void *stream)
{
	return copy_symbol(symbol, to, bytes, offset, direction, false, stream);
}
CUDA_ALSO(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

CUDA_API int cudaGetSymbolAddress(void **to, const void *symbol)
{
	uint64_t address, bytes;
	int error = hd__cuda_enter();

	if (!error)
		error = hd__cuda_variable(symbol, &address, &bytes);
	if (!error)
		*to = (void *)(uintptr_t)address;
	return hd__cuda_leave(error);
}

CUDA_API int cudaGetSymbolSize(size_t *to, const void *symbol)
{
	uint64_t address, bytes;
	int error = hd__cuda_enter();

	if (!error)
		error = hd__cuda_variable(symbol, &address, &bytes);
	if (!error)
		*to = bytes;
	return hd__cuda_leave(error);
}

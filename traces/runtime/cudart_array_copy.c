/* cudart_array_copy.c - copies to and from arrays
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Offsets and widths of these functions are in bytes.
 */
#include "cudart_array.h"

/* What is not in an array is the other side: rows of memory. */
struct side {
	const void *array;
	struct cuda_pos at;
	struct cuda_rows rows;
};

static struct side memory(const void *p, size_t pitch)
{
	return (struct side){ .rows = { (char *)p, pitch, 0 } };
}

static struct side array(const void *handle, size_t x, size_t y)
{
	return (struct side){ .array = handle ? handle : "", .at = { x, y, 0 } };
}

/* An operation; false: a part is not in its array. */
static bool operation(struct cuda_op *op, const struct side *to, const struct side *from, struct cuda_extent e,
                      int direction)
{
	*op = hd__cuda_copy_op(to->rows.at, from->rows.at, e.width, direction);
	op->to = to->rows;
	op->from = from->rows;
	op->height = e.height;
	return (!to->array || hd__cuda_array_rows(to->array, &to->at, e, &op->to))
	       && (!from->array || hd__cuda_array_rows(from->array, &from->at, e, &op->from));
}

static int copy(struct side to, struct side from, size_t width, size_t height, int direction, bool waits, void *stream)
{
	struct cuda_op op;
	int error = hd__cuda_enter();

	if (!error && waits && hd__cuda_capturing())
		error = CUDA_CAPTURE_IMPLICIT;
	if (!error && !operation(&op, &to, &from, (struct cuda_extent){ width, height, 1 }, direction))
		error = CUDA_INVALID_VALUE;
	if (!error)
		error = hd__cuda_put(stream, &op);
	return hd__cuda_leave(error);
}

CUDA_API int cudaMemcpy2DToArray(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                 size_t height, int direction)
{
	return copy(array(to, x, y), memory(from, pitch), width, height, direction, true, NULL);
}
CUDA_ALSO(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds);

CUDA_API int cudaMemcpy2DToArrayAsync(void *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                      size_t height, int direction, void *stream)
{
	return copy(array(to, x, y), memory(from, pitch), width, height, direction, false, stream);
}
CUDA_ALSO(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz);

CUDA_API int cudaMemcpy2DFromArray(void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
                                   size_t height, int direction)
{
	return copy(memory(to, pitch), array(from, x, y), width, height, direction, true, NULL);
}
CUDA_ALSO(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds);

CUDA_API int cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const void *from, size_t x, size_t y, size_t width,
                                        size_t height, int direction, void *stream)
{
	return copy(memory(to, pitch), array(from, x, y), width, height, direction, false, stream);
}
CUDA_ALSO(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz);

CUDA_API int cudaMemcpy2DArrayToArray(void *to, size_t to_x, size_t to_y, const void *from, size_t x, size_t y,
                                      size_t width, size_t height, int direction)
{
	return copy(array(to, to_x, to_y), array(from, x, y), width, height, direction, true, NULL);
}
CUDA_ALSO(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

/* ---- bytes that go on from row to row ---- */

/* Bytes of a row; 0: it is not an array. */
static size_t row_bytes(const void *handle)
{
	const struct cuda_array *a;
	size_t bytes;

	hd__cuda_enter();
	a = hd__cuda_check(handle, CUDA_ARRAY);
	bytes = a ? a->extent.width * hd__cuda_element_bytes(&a->elements) : 0;
	hd__cuda_leave(CUDA_SUCCESS);
	return bytes;
}

/* The rest of a row, rows, and the beginning of one. */
static int copy_bytes(void *handle, size_t x, size_t y, char *p, size_t bytes, int direction, bool to, bool waits,
                      void *stream)
{
	size_t row = row_bytes(handle);
	int error = CUDA_SUCCESS;

	if (row == 0 || x >= row)
		return hd__cuda_enter(), hd__cuda_leave(row ? CUDA_INVALID_VALUE : CUDA_INVALID_HANDLE);
	while (bytes && !error) {
		size_t height = x == 0 && bytes >= row ? bytes / row : 1;
		size_t width = height > 1 ? row : bytes < row - x ? bytes : row - x;

		error = to ? copy(array(handle, x, y), memory(p, row), width, height, direction, waits, stream)
		        : copy(memory(p, row), array(handle, x, y), width, height, direction, waits, stream);
		p += width * height;
		bytes -= width * height;
		x = 0;
		y += height;
	}
	return error;
}

CUDA_API int cudaMemcpyToArray(void *to, size_t x, size_t y, const void *from, size_t bytes, int direction)
{
	return copy_bytes(to, x, y, (char *)from, bytes, direction, true, true, NULL);
}
CUDA_ALSO(cudaMemcpyToArray, cudaMemcpyToArray_ptds);

CUDA_API int cudaMemcpyToArrayAsync(void *to, size_t x, size_t y, const void *from, size_t bytes, int direction,
                                    void *stream)
{
	return copy_bytes(to, x, y, (char *)from, bytes, direction, true, false, stream);
}
CUDA_ALSO(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz);

CUDA_API int cudaMemcpyFromArray(void *to, const void *from, size_t x, size_t y, size_t bytes, int direction)
{
	return copy_bytes((void *)from, x, y, to, bytes, direction, false, true, NULL);
}
CUDA_ALSO(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds);

CUDA_API int cudaMemcpyFromArrayAsync(void *to, const void *from, size_t x, size_t y, size_t bytes, int direction,
                                      void *stream)
{
	return copy_bytes((void *)from, x, y, to, bytes, direction, false, false, stream);
}
CUDA_ALSO(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz);

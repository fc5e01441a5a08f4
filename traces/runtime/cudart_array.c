/* cudart_array.c - arrays, from which textures are read: their elements, memory and handles
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Rows, slices and layers follow each other: what order GPUs keep elements in is not known.
 */
#include "cudart_array.h"

#define ROW 64u /* rows begin at multiples of it */
#define MOST_ELEMENTS (1u << 28) /* in each dimension */

CUDA_API struct cuda_channels cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
	return (struct cuda_channels){ x, y, z, w, kind };
}

/* Kinds of numbers have the same order here and there. */
bool hd__cuda_elements(const struct cuda_channels *c, struct hd_exec_texture *t)
{
	const int bits[4] = { c->x, c->y, c->z, c->w };
	unsigned n = 0;

	while (n < 4 && bits[n])
		n++;
	for (unsigned k = 0; k < 4; k++)
		if (bits[k] != (k < n ? c->x : 0))
			return false;
	t->channels = (uint8_t)n;
	t->bits = (uint8_t)c->x;
	t->kind = (enum hd_exec_elements)c->kind;
	return (n == 1 || n == 2 || n == 4) && (c->x == 8 || c->x == 16 || c->x == 32) && c->kind >= 0
	       && c->kind <= HD_EXEC_FLOAT && (c->kind != HD_EXEC_FLOAT || c->x > 8);
}

size_t hd__cuda_element_bytes(const struct hd_exec_texture *t)
{
	return t->channels * t->bits / 8u;
}

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

/* The shape of an array; false: there are no such arrays. */
static bool shape(struct cuda_array *a)
{
	struct hd_exec_texture *t = &a->elements;
	bool layers = a->flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBE);
	size_t w = a->extent.width, h = a->extent.height, d = a->extent.depth;

	t->cube = a->flags & CUDA_ARRAY_CUBE;
	if (w == 0 || w > MOST_ELEMENTS || h > MOST_ELEMENTS || d > MOST_ELEMENTS || (d && !h && !layers)
	    || (layers && !d) || (t->cube && (w != h || d % 6 || (!(a->flags & CUDA_ARRAY_LAYERED) && d != 6))))
		return false;
	t->size[0] = (uint32_t)w;
	t->size[1] = (uint32_t)h;
	t->size[2] = layers ? 0 : (uint32_t)d;
	t->layers = layers ? (uint32_t)d : 0;
	t->row = (w * hd__cuda_element_bytes(t) + ROW - 1) / ROW * ROW;
	t->slice = t->row * at_least_one(h);
	return true;
}

static int new_array(void **to, const struct cuda_channels *c, struct cuda_extent e, unsigned flags)
{
	struct cuda_array a = { .extent = e, .flags = flags }, *kept;
	struct hd_exec *x;
	int error = hd__cuda_enter();

	if (!error && (!to || !c))
		error = CUDA_INVALID_VALUE;
	if (!error && !hd__cuda_elements(c, &a.elements))
		error = CUDA_INVALID_CHANNELS;
	if (!error && (flags & CUDA_ARRAY_UNKNOWN || !shape(&a)))
		error = CUDA_INVALID_VALUE;
	x = error ? NULL : hd__cuda_machine();
	if (!error && !x)
		error = CUDA_INITIALIZATION;
	if (error)
		return hd__cuda_leave(error);
	if (a.elements.slice <= UINT64_MAX / at_least_one(e.depth))
		a.elements.base = hd__exec_alloc(x, a.elements.slice * at_least_one(e.depth));
	if (!a.elements.base)
		return hd__cuda_leave(CUDA_MEMORY_ALLOCATION);
	a.channels = *c;
	kept = hd__cuda_handle(CUDA_ARRAY, sizeof *kept);
	*kept = a;
	*to = kept;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaMallocArray(void **to, const struct cuda_channels *c, size_t width, size_t height, unsigned flags)
{
	if (flags & (CUDA_ARRAY_LAYERED | CUDA_ARRAY_CUBE))
		return hd__cuda_enter(), hd__cuda_leave(CUDA_INVALID_VALUE);
	return new_array(to, c, (struct cuda_extent){ width, height, 0 }, flags);
}

CUDA_API int cudaMalloc3DArray(void **to, const struct cuda_channels *c, struct cuda_extent e, unsigned flags)
{
	return new_array(to, c, e, flags);
}

CUDA_API int cudaFreeArray(void *array)
{
	int error = hd__cuda_enter();
	struct cuda_array *a = hd__cuda_check(array, CUDA_ARRAY);

	if (!error && array && !a)
		error = CUDA_INVALID_HANDLE;
	if (!error && a) {
		hd__exec_release(hd__cuda_machine(), a->elements.base);
		hd__cuda_release(a);
	}
	return hd__cuda_leave(error);
}

static void forget(void *array, void *arg)
{
	(void)arg;
	hd__cuda_release(array);
}

void hd__cuda_forget_arrays(void)
{
	hd__cuda_each(CUDA_ARRAY, forget, NULL);
}

CUDA_API int cudaArrayGetInfo(struct cuda_channels *c, struct cuda_extent *e, unsigned *flags, void *array)
{
	int error = hd__cuda_enter();
	const struct cuda_array *a = hd__cuda_check(array, CUDA_ARRAY);

	if (!error && !a)
		error = CUDA_INVALID_HANDLE;
	if (error)
		return hd__cuda_leave(error);
	if (c)
		*c = a->channels;
	if (e)
		*e = a->extent;
	if (flags)
		*flags = a->flags;
	return hd__cuda_leave(CUDA_SUCCESS);
}

CUDA_API int cudaGetChannelDesc(struct cuda_channels *c, const void *array)
{
	return cudaArrayGetInfo(c, NULL, NULL, (void *)array);
}

/* ---- parts of arrays, for copies ---- */

bool hd__cuda_array_rows(const void *array, const struct cuda_pos *at, struct cuda_extent e, struct cuda_rows *rows)
{
	const struct cuda_array *a = hd__cuda_check(array, CUDA_ARRAY);
	size_t width, height, depth;

	if (!a)
		return false;
	width = a->extent.width * hd__cuda_element_bytes(&a->elements);
	height = at_least_one(a->extent.height);
	depth = at_least_one(a->extent.depth);
	if (at->x > width || e.width > width - at->x || at->y > height || e.height > height - at->y || at->z > depth
	    || e.depth > depth - at->z)
		return false;
	*rows = (struct cuda_rows){ (char *)(uintptr_t)a->elements.base + at->z * a->elements.slice
	                            + at->y * a->elements.row + at->x, a->elements.row, a->elements.slice };
	return true;
}

/* cudart_texture.c - texture and surface objects
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "cudart_array.h"
#include "base/xalloc.h"

#include <string.h>

/* What an object was made of, by handle - 1: handles are small numbers. */
static struct object {
	bool used, surface;
	struct cuda_resource resource;
	struct cuda_texture_desc desc;
} *objects;
static size_t nobjects, cap;

void hd__cuda_forget_textures(void)
{
	free(objects);
	objects = NULL;
	nobjects = cap = 0;
}

static struct object *object(uint64_t handle, bool surface)
{
	struct object *o = handle > 0 && handle <= nobjects ? &objects[handle - 1] : NULL;

	return o && o->used && o->surface == surface ? o : NULL;
}

/* ---- what it is of ---- */

static int from_array(struct hd_exec_texture *t, const struct cuda_resource *r)
{
	const struct cuda_array *a = hd__cuda_check(r->res.array, CUDA_ARRAY);

	if (!a)
		return CUDA_INVALID_HANDLE;
	*t = a->elements;
	return CUDA_SUCCESS;
}

/* Memory as rows of elements, if all of it is there. */
static int from_memory(struct hd_exec_texture *t, void *p, const struct cuda_channels *c, size_t width, size_t height,
                       size_t pitch)
{
	size_t bytes;

	if (!hd__cuda_elements(c, t))
		return CUDA_INVALID_CHANNELS;
	if (width == 0 || width > UINT32_MAX || height > UINT32_MAX)
		return CUDA_INVALID_VALUE;
	bytes = width * hd__cuda_element_bytes(t);
	if (height && (pitch < bytes || pitch > SIZE_MAX / 2 / height))
		return CUDA_INVALID_PITCH;
	t->base = (uintptr_t)p;
	t->size[0] = (uint32_t)width;
	t->size[1] = (uint32_t)height;
	t->row = pitch;
	return hd__exec_host(hd__cuda_machine(), t->base, height ? (height - 1) * pitch + bytes : bytes) ? CUDA_SUCCESS
	       : CUDA_INVALID_VALUE;
}

static int resource(struct hd_exec_texture *t, const struct cuda_resource *r)
{
	struct hd_exec_texture element;

	switch (r->type) {
	case CUDA_RESOURCE_ARRAY: return from_array(t, r);
	case CUDA_RESOURCE_LINEAR:
		if (!hd__cuda_elements(&r->res.linear.channels, &element))
			return CUDA_INVALID_CHANNELS;
		return from_memory(t, r->res.linear.p, &r->res.linear.channels,
		                   r->res.linear.bytes / hd__cuda_element_bytes(&element), 0, 0);
	case CUDA_RESOURCE_PITCH:
		if (r->res.pitch.height == 0)
			return CUDA_INVALID_VALUE;
		return from_memory(t, r->res.pitch.p, &r->res.pitch.channels, r->res.pitch.width, r->res.pitch.height,
		                   r->res.pitch.pitch);
	case CUDA_RESOURCE_MIPMAPPED: return hd__cuda_absent("an object of a mipmapped array");
	default: return CUDA_INVALID_VALUE;
	}
}

/* ---- how it is read ---- */

static int reading(struct hd_exec_texture *t, const struct cuda_texture_desc *d, int type)
{
	for (unsigned k = 0; k < 3; k++) {
		if (d->edge[k] < HD_EXEC_WRAP || d->edge[k] > HD_EXEC_BORDER)
			return CUDA_INVALID_VALUE;
		t->edge[k] = (enum hd_exec_edge)d->edge[k];
	}
	if (d->filter < 0 || d->filter > 1 || d->read < 0 || d->read > 1)
		return CUDA_INVALID_VALUE;
	if (d->srgb)
		return hd__cuda_absent("a texture object with sRGB");
	t->linear = d->filter;
	t->fractions = d->read && t->kind != HD_EXEC_FLOAT;
	t->normalised = d->normalised;
	if (t->fractions && t->bits == 32)
		return CUDA_INVALID_NORM;
	if (t->linear && t->kind != HD_EXEC_FLOAT && !t->fractions)
		return CUDA_INVALID_FILTER;
	memcpy(t->border, d->border, sizeof t->border);
	if (type == CUDA_RESOURCE_LINEAR) { /* outside are zeros in any case */
		t->edge[0] = HD_EXEC_BORDER;
		memset(t->border, 0, sizeof t->border);
	}
	return CUDA_SUCCESS;
}

/* ---- objects ---- */

static int make(uint64_t *to, const struct hd_exec_texture *t, const struct object *o)
{
	uint64_t handle = hd__exec_texture_add(hd__cuda_machine(), t);

	if (!handle)
		return CUDA_MEMORY_ALLOCATION;
	if (handle > nobjects) { /* the lowest one that is not used */
		objects = hd__xgrow(objects, nobjects, &cap, sizeof *objects);
		nobjects++;
	}
	objects[handle - 1] = *o;
	*to = handle;
	return CUDA_SUCCESS;
}

static int destroy(uint64_t handle, bool surface)
{
	int error = hd__cuda_enter();
	struct object *o = object(handle, surface);

	if (!error && handle && !o)
		error = CUDA_INVALID_VALUE;
	if (!error && o) {
		hd__exec_texture_remove(hd__cuda_machine(), handle);
		o->used = false;
	}
	return hd__cuda_leave(error);
}

CUDA_API int cudaCreateTextureObject(uint64_t *to, const struct cuda_resource *r, const struct cuda_texture_desc *d,
                                     const void *view)
{
	struct hd_exec_texture t = { .base = 0 };
	int error = hd__cuda_enter();

	if (!error && (!to || !r || !d))
		error = CUDA_INVALID_VALUE;
	if (!error && !hd__cuda_machine())
		error = CUDA_INITIALIZATION;
	if (!error && view)
		error = hd__cuda_absent("a texture object with a view");
	if (!error)
		error = resource(&t, r);
	if (!error)
		error = reading(&t, d, r->type);
	if (!error)
		error = make(to, &t, &(struct object){ true, false, *r, *d });
	return hd__cuda_leave(error);
}

CUDA_API int cudaDestroyTextureObject(uint64_t handle)
{
	return destroy(handle, false);
}

CUDA_API int cudaCreateSurfaceObject(uint64_t *to, const struct cuda_resource *r)
{
	struct hd_exec_texture t = { .base = 0 };
	int error = hd__cuda_enter();

	if (!error && (!to || !r || r->type != CUDA_RESOURCE_ARRAY))
		error = CUDA_INVALID_VALUE;
	if (!error && !hd__cuda_machine())
		error = CUDA_INITIALIZATION;
	if (!error)
		error = resource(&t, r);
	if (!error)
		error = make(to, &t, &(struct object){ .used = true, .surface = true, .resource = *r });
	return hd__cuda_leave(error);
}

CUDA_API int cudaDestroySurfaceObject(uint64_t handle)
{
	return destroy(handle, true);
}

static int tell(struct cuda_resource *r, struct cuda_texture_desc *d, uint64_t handle, bool surface)
{
	int error = hd__cuda_enter();
	const struct object *o = object(handle, surface);

	if (!error && (!o || (!r && !d)))
		error = CUDA_INVALID_VALUE;
	if (!error && r)
		*r = o->resource;
	if (!error && d)
		*d = o->desc;
	return hd__cuda_leave(error);
}

CUDA_API int cudaGetTextureObjectResourceDesc(struct cuda_resource *to, uint64_t handle)
{
	return tell(to, NULL, handle, false);
}

CUDA_API int cudaGetTextureObjectTextureDesc(struct cuda_texture_desc *to, uint64_t handle)
{
	return tell(NULL, to, handle, false);
}

CUDA_API int cudaGetSurfaceObjectResourceDesc(struct cuda_resource *to, uint64_t handle)
{
	return tell(to, NULL, handle, true);
}

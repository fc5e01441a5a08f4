/* exec_texture.c - texture and surface objects: their elements, filters, edges
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Filters weigh with 8 bits of fraction, as the CUDA programming guide says of GPUs ("Texture Fetching"); sums are
 * rounded once.  There is one level of detail.  Edges of the faces of cubes are clamped.
 */
#include "exec_ops.h"

#include <math.h>

#define HANDLE_BITS 20u /* of a handle that name the object */
#define MOST_COORDINATE 1099511627776.0 /* 2^40: more is outside of everything */

/* ---- objects ---- */

uint64_t hd__exec_texture_add(struct hd_exec *x, const struct hd_exec_texture *t)
{
	size_t i = 0;

	while (i < x->textures && x->texture[i])
		i++;
	if (i + 1 >= UINT64_C(1) << HANDLE_BITS)
		return 0;
	if (i == x->textures) {
		x->texture = hd__xgrow(x->texture, x->textures, &x->cap_textures, sizeof *x->texture);
		x->textures++;
	}
	x->texture[i] = hd__xcalloc(1, sizeof *t);
	*x->texture[i] = *t;
	return i + 1;
}

bool hd__exec_texture_remove(struct hd_exec *x, uint64_t handle)
{
	if (handle == 0 || handle > x->textures || !x->texture[handle - 1])
		return false;
	free(x->texture[handle - 1]);
	x->texture[handle - 1] = NULL;
	return true;
}

static uint32_t one_at_least(uint32_t n)
{
	return n ? n : 1;
}

static uint32_t element_bytes(const struct hd_exec_texture *t)
{
	return t->channels * t->bits / 8u;
}

const struct hd_exec_texture *hd__exec_texture(struct exec_warp *w, uint32_t pc, uint32_t handle, unsigned lane)
{
	const struct hd_exec *x = w->run->x;
	uint32_t n = handle & ((1u << HANDLE_BITS) - 1);
	const struct hd_exec_texture *t = n > 0 && n <= x->textures ? x->texture[n - 1] : NULL;
	uint64_t bytes;

	if (!t) {
		hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, handle,
		              "handle 0x%x is not one of a texture or surface", handle);
		return NULL;
	}
	bytes = (one_at_least(t->size[1]) - 1) * t->row + (uint64_t)t->size[0] * element_bytes(t)
	        + (one_at_least(t->size[2]) * (uint64_t)one_at_least(t->layers) - 1) * t->slice;
	if ((t->base < EXEC_ARENA || t->base + bytes > x->top) && !hd__exec_mapped(x, t->base, bytes)) {
		hd__exec_fail(w, pc, UINT32_C(1) << lane, HD_EXEC_ADDRESS, t->base,
		              "object 0x%x is of %llu bytes at 0x%llx, where no memory is", handle,
		              (unsigned long long)bytes, (unsigned long long)t->base);
		return NULL;
	}
	return t;
}

/* ---- elements ---- */

/* The bits of a channel as what a kernel gets. */
static uint32_t channel(const struct hd_exec_texture *t, const unsigned char *p)
{
	uint32_t v = *p, all = t->bits == 32 ? UINT32_MAX : (UINT32_C(1) << t->bits) - 1, top = all / 2 + 1;
	double fraction;

	if (t->bits == 16)
		v |= (uint32_t)p[1] << 8;
	else if (t->bits == 32)
		memcpy(&v, p, sizeof v);
	if (t->kind == HD_EXEC_FLOAT)
		return t->bits == 32 ? v : from_float((float)hd__exec_half((uint16_t)v));
	if (t->kind == HD_EXEC_SIGNED)
		v = (v ^ top) - top;
	if (!t->fractions)
		return v;
	fraction = t->kind == HD_EXEC_SIGNED ? (double)(int32_t)v / (top - 1) : (double)v / all;
	return from_float((float)(fraction < -1 ? -1 : fraction));
}

static void border(const struct hd_exec_texture *t, uint32_t v[4])
{
	for (unsigned k = 0; k < 4; k++)
		v[k] = k >= t->channels ? 0 : t->kind == HD_EXEC_FLOAT || t->fractions ? from_float(t->border[k])
		       : (uint32_t)(int32_t)t->border[k];
}

/* Element numbers at an edge; false: it is the border. */
static bool at_edge(enum hd_exec_edge edge, int64_t *i, int64_t n)
{
	int64_t m;

	if (*i >= 0 && *i < n)
		return true;
	switch (edge) {
	case HD_EXEC_BORDER: return false;
	case HD_EXEC_CLAMP: *i = *i < 0 ? 0 : n - 1; return true;
	case HD_EXEC_WRAP: *i = (*i % n + n) % n; return true;
	default:
		m = (*i % (2 * n) + 2 * n) % (2 * n);
		*i = m < n ? m : 2 * n - 1 - m;
		return true;
	}
}

static enum hd_exec_edge edge_of(const struct hd_exec_texture *t, unsigned k)
{
	bool repeats = t->edge[k] == HD_EXEC_WRAP || t->edge[k] == HD_EXEC_MIRROR;

	return t->cube || (repeats && !t->normalised) ? HD_EXEC_CLAMP : t->edge[k];
}

static const unsigned char *place(const struct hd_exec_texture *t, const int64_t i[3], uint32_t layer)
{
	uint32_t last = one_at_least(t->layers) - 1;

	return (const unsigned char *)(uintptr_t)(t->base + (uint64_t)i[0] * element_bytes(t) + (uint64_t)i[1] * t->row
	                                          + ((uint64_t)i[2] + (layer < last ? layer : last)) * t->slice);
}

static void read_element(const struct hd_exec_texture *t, const int64_t i[3], uint32_t layer, uint32_t v[4])
{
	const unsigned char *p = place(t, i, layer);

	for (unsigned k = 0; k < 4; k++)
		v[k] = k < t->channels ? channel(t, p + k * t->bits / 8u) : 0;
}

/* An element by numbers that may be outside. */
static void element(const struct hd_exec_texture *t, const int64_t i[3], uint32_t layer, uint32_t v[4])
{
	int64_t at[3] = { i[0], i[1], i[2] };

	for (unsigned k = 0; k < 3 && t->size[k]; k++)
		if (!at_edge(edge_of(t, k), &at[k], t->size[k])) {
			border(t, v);
			return;
		}
	read_element(t, at, layer, v);
}

void hd__exec_element(const struct hd_exec_texture *t, const struct exec_point *p, uint32_t v[4])
{
	int64_t at[3] = { 0 };
	bool inside = true;

	for (unsigned k = 0; k < 3 && t->size[k]; k++) {
		at[k] = (int64_t)(int32_t)p->at[k] + p->offset[k];
		inside = inside && at[k] >= 0 && at[k] < t->size[k];
	}
	memset(v, 0, 4 * sizeof *v);
	if (inside)
		read_element(t, at, p->layer, v);
}

/* ---- filters ---- */

static int64_t round_down(double v)
{
	int64_t i = (int64_t)v;

	return i - (v < (double)i);
}

/* In elements; NaN is 0. */
static double coordinate(const struct hd_exec_texture *t, const struct exec_point *p, unsigned k)
{
	float v = to_float(p->at[k]);

	if (t->normalised)
		v *= (float)t->size[k];
	return v != v ? 0 : v > MOST_COORDINATE ? MOST_COORDINATE : v < -MOST_COORDINATE ? -MOST_COORDINATE : (double)v;
}

/* The lower ones of the elements around a point, and the weights of the upper ones, in 1/256. */
static void around(const struct hd_exec_texture *t, const struct exec_point *p, int64_t low[3], uint32_t weight[3])
{
	for (unsigned k = 0; k < 3; k++) {
		int64_t v = t->size[k] ? round_down((coordinate(t, p, k) - 0.5) * 256 + 0.5) : 0;

		low[k] = (v >> 8) + p->offset[k];
		weight[k] = (uint32_t)v & 255;
	}
}

static void filtered(const struct hd_exec_texture *t, const struct exec_point *p, uint32_t v[4])
{
	unsigned dimensions = t->size[2] ? 3 : t->size[1] ? 2 : 1;
	int64_t low[3], i[3] = { 0 };
	uint32_t weight[3], e[4];
	double sum[4] = { 0 };

	around(t, p, low, weight);
	for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
		uint32_t share = 1;

		for (unsigned k = 0; k < dimensions; k++) {
			bool upper = corner >> k & 1;

			i[k] = low[k] + upper;
			share *= upper ? weight[k] : 256 - weight[k];
		}
		if (share == 0)
			continue;
		element(t, i, p->layer, e);
		for (unsigned k = 0; k < t->channels; k++)
			sum[k] += share * (double)to_float(e[k]);
	}
	for (unsigned k = 0; k < 4; k++)
		v[k] = from_float((float)(sum[k] / (1u << 8 * dimensions)));
}

void hd__exec_sample(const struct hd_exec_texture *t, const struct exec_point *p, uint32_t v[4])
{
	int64_t i[3] = { 0 };

	if (t->linear && (t->kind == HD_EXEC_FLOAT || t->fractions)) {
		filtered(t, p, v);
		return;
	}
	for (unsigned k = 0; k < 3 && t->size[k]; k++)
		i[k] = round_down(coordinate(t, p, k)) + p->offset[k];
	element(t, i, p->layer, v);
}

void hd__exec_gather(const struct hd_exec_texture *t, const struct exec_point *p, unsigned channel, uint32_t v[4])
{
	static const uint8_t right[4] = { 0, 1, 1, 0 }, below[4] = { 1, 1, 0, 0 };
	uint32_t weight[3], e[4];
	int64_t low[3];

	around(t, p, low, weight);
	for (unsigned k = 0; k < 4; k++) {
		element(t, (const int64_t[]){ low[0] + right[k], low[1] + below[k], 0 }, p->layer, e);
		v[k] = e[channel];
	}
}

/* ---- cubes ---- */

void hd__exec_cube(struct exec_point *p)
{
	float x = to_float(p->at[0]), y = to_float(p->at[1]), z = to_float(p->at[2]), m, s, t;
	uint32_t face;

	if (fabsf(x) >= fabsf(y) && fabsf(x) >= fabsf(z)) {
		face = x < 0;
		m = fabsf(x);
		s = x < 0 ? z : -z;
		t = -y;
	} else if (fabsf(y) >= fabsf(z)) {
		face = 2 + (y < 0);
		m = fabsf(y);
		s = x;
		t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		m = fabsf(z);
		s = z < 0 ? -x : x;
		t = -y;
	}
	p->at[0] = from_float((s / m + 1) / 2);
	p->at[1] = from_float((t / m + 1) / 2);
	p->at[2] = 0;
	p->layer = 6 * p->layer + face;
}

/* ---- surfaces ---- */

/* By the dimensions as instructions number them: how many coordinates, and which one is a layer. */
static const uint8_t coordinates[8] = { 1, 1, 2, 2, 3, 3, 0, 0 };
#define NO_LAYER 3u
static const uint8_t layer_at[8] = { NO_LAYER, NO_LAYER, 1, NO_LAYER, 2, NO_LAYER, NO_LAYER, NO_LAYER };

unsigned char *hd__exec_surface(struct exec_warp *w, const struct exec_op *o, const uint32_t *at, uint32_t handle,
                                unsigned lane)
{
	const struct hd_exec_texture *t = hd__exec_texture(w, exec_pc(w, o), handle, lane);
	int64_t i[3] = { 0 };
	uint64_t offset;

	w->address[lane] = at[0];
	if (!t)
		return NULL;
	for (unsigned k = 0; k < coordinates[o->bm]; k++) {
		bool layer = k == layer_at[o->bm];
		int64_t n = k == 0 ? (int64_t)t->size[0] * element_bytes(t) - o->size + 1
		            : one_at_least(layer ? t->layers : t->size[k]);

		i[layer ? 2 : k] = (int32_t)at[k * EXEC_LANES];
		if ((o->am != EXEC_CLAMP_BOUND || n < 1) && (i[layer ? 2 : k] < 0 || i[layer ? 2 : k] >= n)) {
			if (o->am != EXEC_IGNORE)
				hd__exec_fail(w, exec_pc(w, o), UINT32_C(1) << lane, HD_EXEC_ADDRESS, at[0],
				              "coordinate %u, which is %lld, is outside of a surface", k,
				              (long long)i[layer ? 2 : k]);
			return NULL;
		}
		at_edge(HD_EXEC_CLAMP, &i[layer ? 2 : k], n);
	}
	offset = (uint64_t)i[0] + (uint64_t)i[1] * t->row + (uint64_t)i[2] * t->slice;
	return (unsigned char *)(uintptr_t)(t->base + offset);
}

/* exec_tensor.c - tensor maps: what a program gets for one, and whether it is one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Programs take a map for 128 bytes of which they know nothing, so these have a form of our own.
 */
#include "exec.h"

#include <string.h>

#define MAGIC UINT32_C(0x54736e54)

struct words {
	uint32_t magic, rank;
	uint64_t base;
	uint64_t stride[4];
	uint32_t size[5];
	uint16_t box[5];
	uint8_t step[5];
	uint8_t bytes, swizzle, type, nan;
};
_Static_assert(sizeof(struct words) <= HD_EXEC_TENSOR, "a tensor map is too large");

void hd__exec_tensor_encode(const struct hd_exec_tensor *t, unsigned char to[HD_EXEC_TENSOR])
{
	struct words v;

	memset(&v, 0, sizeof v);
	v.magic = MAGIC;
	v.rank = t->rank;
	v.base = t->base;
	v.bytes = (uint8_t)t->bytes;
	v.swizzle = (uint8_t)t->swizzle;
	v.type = (uint8_t)t->type;
	v.nan = t->nan;
	memcpy(v.stride, t->stride, sizeof v.stride);
	for (unsigned i = 0; i < t->rank; i++) {
		v.size[i] = (uint32_t)(t->size[i] - 1);
		v.box[i] = (uint16_t)t->box[i];
		v.step[i] = (uint8_t)t->step[i];
	}
	memset(to, 0, HD_EXEC_TENSOR);
	memcpy(to, &v, sizeof v);
}

bool hd__exec_tensor_decode(struct hd_exec_tensor *t, const unsigned char from[HD_EXEC_TENSOR])
{
	struct words v;

	memcpy(&v, from, sizeof v);
	*t = (struct hd_exec_tensor){ .base = v.base, .rank = v.rank, .bytes = v.bytes, .swizzle = v.swizzle,
		                      .type = (enum hd_exec_type)v.type, .nan = v.nan };
	if (v.magic != MAGIC || v.rank < 1 || v.rank > 5 || v.type > HD_EXEC_NO_TYPE)
		return false;
	memcpy(t->stride, v.stride, sizeof v.stride);
	for (unsigned i = 0; i < v.rank; i++) {
		t->size[i] = (uint64_t)v.size[i] + 1;
		t->box[i] = v.box[i];
		t->step[i] = v.step[i];
	}
	return hd__exec_tensor_wrong(t) == NULL;
}

const char *hd__exec_tensor_wrong(const struct hd_exec_tensor *t)
{
	uint64_t inner = (uint64_t)t->box[0] * t->bytes;

	if (t->rank < 1 || t->rank > 5 || !t->base || t->base % 16)
		return "1 to 5 dimensions, and an address that is a multiple of 16";
	if (t->bytes != 1 && t->bytes != 2 && t->bytes != 4 && t->bytes != 8)
		return "elements of 1, 2, 4 or 8 bytes";
	if (t->swizzle != 0 && t->swizzle != 32 && t->swizzle != 64 && t->swizzle != 128)
		return "a swizzle of 32, 64 or 128 bytes, or none";
	for (unsigned i = 0; i < t->rank; i++) {
		if (t->size[i] < 1 || t->size[i] > UINT64_C(1) << 32)
			return "sizes from 1 to 2^32";
		if (t->box[i] < 1 || t->box[i] > 256)
			return "a box of 1 to 256 elements in each dimension";
		if (t->step[i] < 1 || t->step[i] > 8)
			return "strides of elements from 1 to 8";
		if (i > 0 && (t->stride[i - 1] % 16 || t->stride[i - 1] >= UINT64_C(1) << 40))
			return "strides in bytes that are multiples of 16 below 2^40";
	}
	if (inner % 16 || (t->swizzle && inner > t->swizzle))
		return "rows of the box of a multiple of 16 bytes, no longer than the swizzle";
	return NULL;
}

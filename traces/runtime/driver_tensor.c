/* driver_tensor.c - CUDA's driver library: tensor maps
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "driver.h"
#include "traces/exec/exec.h"

#include <stdio.h>

/* By CUtensorMapDataType: bytes of an element. */
static const uint8_t sizes[] = { 1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 };
static const uint8_t types[] = { HD_EXEC_NO_TYPE, HD_EXEC_NO_TYPE, HD_EXEC_U32, HD_EXEC_S32, HD_EXEC_U64, HD_EXEC_S64,
	HD_EXEC_F16, HD_EXEC_F32, HD_EXEC_F64, HD_EXEC_BF16, HD_EXEC_F32, HD_EXEC_F32, HD_EXEC_F32 };

/* Says what a map is expected to have instead. */
static int refuse(const char *what)
{
	fprintf(stderr, "heddle: a tensor map has another form; expected %s\n", what);
	return CUDA_INVALID_VALUE;
}

CUDA_API int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *base, const uint64_t *size,
				    const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
				    int swizzle, int promotion, int fill)
{
	static const uint8_t swizzles[] = { 0, 32, 64, 128 };
	struct hd_exec_tensor t = { .base = (uintptr_t)base, .rank = rank };
	const char *wrong;

	(void)promotion;
	if (!map || !size || !box || !step || rank < 1 || rank > 5 || (rank > 1 && !stride))
		return CUDA_INVALID_VALUE;
	if (type < 0 || (size_t)type >= sizeof sizes)
		return refuse("whole elements of 1 to 8 bytes");
	if (interleave != 0 || fill < 0 || fill > 1 || (fill && type < 6) || swizzle < 0 || swizzle > 3)
		return refuse("no interleaved channels, zeros, or of floats NaNs, outside, and a swizzle of whole 16 "
		              "bytes");
	t.bytes = sizes[type];
	t.type = (enum hd_exec_type)types[type];
	t.nan = fill != 0;
	t.swizzle = swizzles[swizzle];
	for (uint32_t i = 0; i < rank; i++) {
		t.size[i] = size[i];
		t.box[i] = box[i];
		t.step[i] = step[i];
		if (i > 0)
			t.stride[i - 1] = stride[i - 1];
	}
	wrong = hd__exec_tensor_wrong(&t);
	if (wrong)
		return refuse(wrong);
	hd__exec_tensor_encode(&t, map);
	return 0;
}

/* Another address, and all else as it was. */
CUDA_API int cuTensorMapReplaceAddress(void *map, void *base)
{
	struct hd_exec_tensor t;

	if (!map || !hd__exec_tensor_decode(&t, map))
		return CUDA_INVALID_VALUE;
	t.base = (uintptr_t)base;
	if (hd__exec_tensor_wrong(&t))
		return CUDA_INVALID_VALUE;
	hd__exec_tensor_encode(&t, map);
	return 0;
}

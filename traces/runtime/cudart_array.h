/* cudart_array.h - arrays, from which textures are read
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_RUNTIME_CUDART_ARRAY_H
#define TRACES_RUNTIME_CUDART_ARRAY_H

#include "cudart.h"

/* A handle of CUDA_ARRAY. */
struct cuda_array {
	struct cuda_channels channels;
	struct cuda_extent extent;       /* as it was asked for */
	unsigned flags;
	struct hd_exec_texture elements; /* and where they are; not what belongs to textures only */
};

/* Sets what elements are.  Returns false if there are no such elements. */
bool hd__cuda_elements(const struct cuda_channels *c, struct hd_exec_texture *t);
size_t hd__cuda_element_bytes(const struct hd_exec_texture *t);
/* The rows of a part of an array: x and the width in bytes.  False: it is not an array, or the part is not in it. */
bool hd__cuda_array_rows(const void *array, const struct cuda_pos *at, struct cuda_extent e, struct cuda_rows *rows);

#endif

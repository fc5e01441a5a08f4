/* sample_kernels.h - the bundled traces, each in the C file of its name
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_SAMPLES_SAMPLE_KERNELS_H
#define TRACES_SAMPLES_SAMPLE_KERNELS_H

#include "record.h"

extern const struct bundle tiny, vecadd, saxpy_xz, matmul, reduce, hist, gather, softcopy;

/* Where the arrays lie on the device: one for each argument of a kernel. */
#define ARRAY(n) (UINT64_C(0x7f6a20000000) + (uint64_t)(n) * UINT64_C(0x400000))

#endif

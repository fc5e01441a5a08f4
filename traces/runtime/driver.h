/* driver.h - what the chapters of CUDA's driver library have in common
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_RUNTIME_DRIVER_H
#define TRACES_RUNTIME_DRIVER_H

#include "cudart_api.h"

#define CUDA_API __attribute__((visibility("default")))
#define CUDA_INVALID_CONTEXT 201

typedef uint64_t cuda_address; /* of the device */

#endif

/* gpus.h - the GPUs that a program can find, and their properties
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_RUNTIME_GPUS_H
#define TRACES_RUNTIME_GPUS_H

#include <stdint.h>

struct cuda_gpu {
	const char *name;      /* in HEDDLE_GPU */
	const char *full_name;
	uint32_t sm;           /* 80: compute capability 8.0 */
	uint32_t sms;
	uint32_t clock, memory_clock; /* kHz */
	uint32_t bus;          /* bits */
	uint32_t memory;       /* MiB */
	uint32_t l2;           /* KiB */
	uint32_t shared_sm;    /* KiB of an SM */
	uint32_t shared_block; /* KiB that a block may have if it asks for more than 48 */
	uint32_t shared_reserved; /* bytes of each block */
	uint32_t threads_sm, blocks_sm;
	uint32_t double_ratio; /* single to double precision throughput */
	uint32_t gpcs;         /* a cluster is in one of them; 0: there are no clusters */
};

/* In the order in which they are tried, the last one has no name. */
extern const struct cuda_gpu hd__gpus[];

/* NULL: there is none of that name. */
const struct cuda_gpu *hd__gpu_by_name(const char *name);
/* One of that compute capability, with as many SMs and of that name if there is such a one, else with as many SMs, else
 * the first; NULL: there is none. */
const struct cuda_gpu *hd__gpu_like(uint32_t sm, uint32_t sms, const char *name);
/* "a100, h100": to be freed. */
char *hd__gpu_names(void);

#endif

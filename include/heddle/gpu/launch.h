/* launch.h - one kernel launch, from the header of its trace
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_LAUNCH_H
#define HEDDLE_GPU_LAUNCH_H

#include <heddle/module.h>

/* A copy from host to device. */
struct hd_trace_copy {
	uint64_t addr, bytes;
};

struct hd_launch {
	const char *name;     /* mangled; valid until the next launch is read */
	uint64_t id;
	uint64_t ctas;        /* thread blocks in the grid */
	uint32_t grid[3], block[3];
	uint32_t cluster[3];  /* blocks that run together; 0: the trace does not say */
	uint32_t threads;     /* per block */
	uint32_t warps;       /* per block, the last one may be partial */
	uint32_t shmem;       /* bytes per block */
	uint32_t nregs;       /* per thread */
	uint32_t binary;      /* SM version of the code: 70, 75, 80 ... */
	uint64_t stream;
	uint32_t number;      /* position in the list of kernels, from 1 */
	uint64_t shared_base, local_base; /* where generic addresses become shared, local; 0: unknown */
	const char *file;     /* that it is read from; valid to the end of the run */
};

/* Saves or loads a launch, which may be zero. */
static inline void hd_launch_saved(struct hd_checkpoint *k, struct hd_launch *l)
{
	hd_saved_text(k, &l->name);
	HD_SAVED_FROM(k, l, id, local_base);
	hd_saved_text(k, &l->file);
}

#endif

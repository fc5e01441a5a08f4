/* matrix.h - interfaces of units that work besides the warps, and of the port of shared memory that they share
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/hopper.md.
 */
#ifndef HEDDLE_GPU_MATRIX_H
#define HEDDLE_GPU_MATRIX_H

#include <heddle/gpu/inst.h>

struct hd_async_if {
	void *self;
	/* An instruction with HD_INST_ASYNC is issued; the unit may hold its warp.  Each unit looks whether it is its
	 * own. */
	void (*issued)(void *self, const struct hd_inst *inst);
};

static const struct hd_type hd_type_async_if = {
	.name = "async", .size = sizeof(struct hd_async_if), .version = 1,
};

/* Who uses the port of shared memory, or of an L1D; BULK are all copies. */
enum hd_smem_client { HD_SMEM_MMA, HD_SMEM_LOAD_STORE, HD_SMEM_BULK, HD_SMEM_REMOTE, HD_SMEM_CLIENTS };

struct hd_smem_port_if {
	void *self;
	uint32_t width; /* bytes in a cycle */
	/* Matrices are read from now on, `cycles` of the next `interval` cycles, evenly spread. */
	void (*stream)(void *self, uint32_t cycles, uint32_t interval);
	/* Takes the present cycle, unless it is taken.  Users are evaluated in the order of their links. */
	bool (*take)(void *self, enum hd_smem_client client);
};

static const struct hd_type hd_type_smem_port_if = {
	.name = "smem_port", .size = sizeof(struct hd_smem_port_if), .version = 1,
};

#endif

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
	uint32_t ops; /* of which it is notified: bits of enum hd_async_op */
	/* An instruction of these is issued; the unit may hold its warp. */
	void (*issued)(void *self, const struct hd_inst *inst);
	/* Lanes of a warp have ended with the instruction that is issued.  NULL: the unit need not know. */
	void (*ended)(void *self, uint32_t warp);
};

/* What takes effect at issue alone: a unit has to be notified of it. */
#define HD_ASYNC_MMA_OPS (1u << HD_ASYNC_MMA | 1u << HD_ASYNC_MMA_FENCE | 1u << HD_ASYNC_MMA_WAIT)
#define HD_ASYNC_CLUSTER_OPS (1u << HD_ASYNC_CLUSTER_ARRIVE | 1u << HD_ASYNC_CLUSTER_WAIT)
#define HD_ASYNC_REGISTERS_OPS (1u << HD_ASYNC_REGISTERS_GIVE | 1u << HD_ASYNC_REGISTERS_TAKE)

static const struct hd_type hd_type_async_if = {
	.name = "async", .size = sizeof(struct hd_async_if), .version = 3,
};

/* What calculates products of warpgroups. */
struct hd_products_if {
	void *self;
	/* Cycles, at least 1, until the next one may begin; the shape is in inst->async. */
	uint32_t (*cycles)(void *self, const struct hd_inst *inst);
};

static const struct hd_type hd_type_products_if = {
	.name = "products", .size = sizeof(struct hd_products_if), .version = 1,
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

/* divergence.h - interface of a divergence policy: which lanes of a warp run next
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A policy groups the lanes of each warp.  What a lane executes, and with which addresses, is the
 * same under every policy; which lanes execute it together is not.  Warps have the numbers that they
 * have in the trace source (trace.h).
 */
#ifndef HEDDLE_GPU_DIVERGENCE_H
#define HEDDLE_GPU_DIVERGENCE_H

#include <heddle/gpu/paths.h>
#include <heddle/gpu/warp_set.h>
#include <heddle/gpu/inst.h>

struct hd_divergence_if {
	void *self;
	/* Fills *inst with the instruction that the warp executes next, and the lanes that do:
	 * everything but uid and sched.  Returns false at the end of the warp. */
	bool (*next)(void *self, uint32_t warp, struct hd_inst *inst);
	/* pc of the instruction that next() will return, 0 if there is none. */
	uint32_t (*pc)(void *self, uint32_t warp);
	/* The programs of the kernels, for a fetch that does not follow the policy; NULL: the trace
	 * source has none. */
	const struct hd_paths_if *paths;
	/* Statistics of the policy: the instance that detects control hazards counts them here.  NULL:
	 * they are not counted. */
	uint64_t *control_hazards;
};

static const struct hd_type hd_type_divergence_if = {
	.name = "divergence", .size = sizeof(struct hd_divergence_if), .version = 2,
	.work = HD_WORK_OUT,
};

#endif

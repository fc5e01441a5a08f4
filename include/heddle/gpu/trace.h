/* trace.h - interface of a trace source: kernels, thread blocks, instructions of a warp
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef HEDDLE_GPU_TRACE_H
#define HEDDLE_GPU_TRACE_H

#include <heddle/gpu/paths.h>
#include <heddle/gpu/warp_set.h>
#include <heddle/gpu/inst.h>
#include <heddle/gpu/launch.h>

/* A source may serve several SMs.  Their warps have numbers in a row: slot + HD_TRACE_SM times the
 * number of the SM. */
#define HD_TRACE_SM 256u

struct hd_trace_if {
	void *self;
	/* Called in `start` by the instance that advances through the kernels.  Returns false if
	 * another instance does.  `sms`: number of SMs whose warps are served. */
	bool (*claim)(void *self, uint32_t sms);
	/* Before next_kernel() is called: all that was launched has ended, after so many nanoseconds of simulated time.
	 * NULL: the source does not ask. */
	void (*ended_at)(void *self, uint64_t ns);
	/* Advances to the next kernel and fills *launch.  Returns 1; 0: no more; -1 after an
	 * error. */
	int (*next_kernel)(void *self, struct hd_launch *launch);
	/* Loads the next thread block in file order (docs/sm.md, K5) onto the
	 * hardware warps first .. first+warps-1, where warps is that of the present launch.
	 * Returns 1; 0: the file has no more; -1 after an error.  Earlier blocks on these slots are
	 * freed. */
	int (*next_cta)(void *self, uint32_t first);
	/* Linear number of that block in its grid: x + grid.x * (y + grid.y * z). */
	uint64_t (*block)(void *self);
	/* Fills *inst with the warp's next instruction: everything but uid and sched.  Returns
	 * false at the end of the warp's trace. */
	bool (*next)(void *self, uint32_t warp, struct hd_inst *inst);
	/* pc of the instruction that next() will return, 0 if there is none. */
	uint32_t (*pc)(void *self, uint32_t warp);
	/* True if the warp has no instruction left. */
	bool (*ended)(void *self, uint32_t warp);
	/* Opcode as in the trace, "LDG.E.SYS". */
	const char *(*opcode_text)(void *self, uint32_t opcode);
	/* Read part and total of the input, for progress; any unit. */
	void (*position)(void *self, uint64_t *done, uint64_t *total);

	/* For kernels that run at the same time: how many are known, which are all after peek() has returned 0; the
	 * launch of kernel i, from 0, without moving to it; moving to kernel i while others still have blocks on the
	 * SM.  Returns 1; 0: there is no kernel i, which only peek() may be asked for; or -1 after a message. */
	uint32_t (*kernels)(void *self);
	int (*peek)(void *self, uint32_t i, struct hd_launch *launch);
	int (*open)(void *self, uint32_t i, struct hd_launch *launch);
	/* Copies to the device that precede kernel i in the list, after the one before it; of kernels(): those behind
	 * the last one. */
	uint32_t (*copies)(void *self, uint32_t i, const struct hd_trace_copy **v);
	/* Programs of the kernels and paths of lanes, for those that claim them; NULL: the source has
	 * none. */
	const struct hd_paths_if *paths;
	/* For what can be foreseen: instructions that next() has still to give, up to the last one that lanes
	 * execute; and stores to global memory that the warp has in all, up to the last one that is certain to access
	 * it.  NULL: the source does not count them; 0 where the lanes of a warp go their own ways. */
	uint32_t (*left)(void *self, uint32_t warp);
	uint32_t (*stores)(void *self, uint32_t warp);
	/* The form of a bulk copy, hd_async.more; NULL: there is none of that number.  It stays where it is. */
	const struct hd_bulk *(*bulk)(void *self, uint32_t number);
};

static const struct hd_type hd_type_trace_if = {
	.name = "trace", .size = sizeof(struct hd_trace_if), .version = 14,
	.work = HD_WORK_OUT,
};

#endif

/* sm.h - private to the dispatchers: the SM that one fills, and the reports of kernels that end
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * K1 to K11 are rules of docs/sm.md.
 */
#ifndef HEDDLE_MODULES_DISPATCHER_SM_H
#define HEDDLE_MODULES_DISPATCHER_SM_H

#include <heddle/gpu/cache.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

/* The first member of a dispatcher's state, as hd__sm_stats has its offsets. */
struct sm {
	struct hd_ctx *ctx;
	const struct hd_trace_if *trace;
	struct hd_warps *warps;
	const struct hd_barrier_if *barrier; /* or NULL */
	const struct hd_cache_if *l1d;       /* or NULL */
	uint32_t shared_bytes, registers, max_ctas, kernel_latency, cta_latency;
	bool flush_l1d, flushed;
	uint64_t began; /* first cycle that counts for the kernel that ends next */
	uint64_t uid;   /* instructions issued before it */
	uint64_t cycles, kernels;
};

extern const struct hd_stat hd__sm_stats[];
extern const struct hd_event hd__sm_events[];

/* ---- for a GPU of several SMs as well, see grid.h ---- */

/* Edge from which CTAs of a kernel may be placed that is launched at `first`.  Returns 0, or -1 after
 * a message. */
int hd__kernel_opens(const struct hd_ctx *c, const struct hd_launch *k, uint32_t kernel_latency,
                     uint32_t cta_latency, uint64_t first, uint64_t *opens);
/* Loads the next CTA onto the trace's warps first .. of which `placed` came before it.  Returns 1; 0 if
 * the trace has no more, with a warning, and k->ctas is then `placed`; -1 after a message. */
int hd__kernel_load(const struct hd_ctx *c, const struct hd_trace_if *trace, struct hd_launch *k,
                    uint64_t placed, uint32_t first);
/* Starts the CTA that was loaded onto these warps of the SM, on CTA slot `slot`. */
void hd__cta_start(const struct hd_trace_if *trace, struct hd_warps *w,
                   const struct hd_barrier_if *barrier, const struct hd_launch *k, uint32_t slot,
                   uint32_t first);
/* The row of the statistics of a kernel that has ended. */
void hd__kernel_row(const struct hd_ctx *c, const struct hd_launch *k, uint64_t cycles,
                    uint64_t instructions, uint64_t placed);

/* Reads a kernel that is not simulated: calls `use` for the sectors of global memory that its
 * instructions address, warp by warp, with the number of the CTA.  Returns -1 after a message. */
int hd__kernel_skip(const struct hd_ctx *c, const struct hd_trace_if *trace, struct hd_launch *k,
                    void (*use)(void *arg, uint64_t addr, uint64_t cta), void *arg);
/* Dispatchers of several kernels at a time do not skip any.  Returns 0, or -1 after a message. */
int hd__kernel_never_skips(const struct hd_ctx *c);

/* ---- one SM ---- */

/* From start: no other dispatcher may fill this SM or use this trace.  Returns 0, or -1 after a
 * message. */
int hd__sm_claim(struct sm *s);
/* Registers that a CTA takes: those of a thread in steps of four, of whole warps. */
uint64_t hd__sm_cta_registers(const struct hd_launch *k);
/* Reports that not one CTA fits on the SM.  Returns -1. */
int hd__sm_too_large(const struct sm *s, const struct hd_launch *k);
/* Edge from which CTAs of a kernel may be placed that is launched at `first`.  Returns 0, or -1 after
 * a message. */
int hd__sm_opens(const struct sm *s, const struct hd_launch *k, uint64_t first, uint64_t *opens);
/* Loads the next CTA onto warps first .. of which `placed` came before it.  Returns 1; 0 if the trace
 * has no more, with a warning, and k->ctas is then `placed`; -1 after a message. */
int hd__sm_load(const struct sm *s, struct hd_launch *k, uint64_t placed, uint32_t first);
/* Starts the CTA that was loaded, on CTA slot `slot`. */
void hd__sm_start(struct sm *s, const struct hd_launch *k, uint32_t slot, uint32_t first);
/* Advances to the next kernel that is simulated.  Returns as hd_trace_if.next_kernel. */
int hd__sm_next_kernel(struct sm *s, struct hd_launch *k);
/* Drops the L1D if it is to be dropped whenever the SM is empty, and the SM is. */
void hd__sm_flush(struct sm *s);
/* A kernel has ended with cycle `now`; the next one counts from there. */
void hd__sm_end_kernel(struct sm *s, const struct hd_launch *k, uint64_t placed, uint64_t now);
/* Reports a kernel of whose CTAs `resident` have not ended. */
void hd__sm_report_pending(struct hd_pending *h, const struct hd_launch *k, uint64_t placed,
                           uint32_t resident);

/* Saves or loads what changes, and the launch that the warps have. */
void hd__sm_saved(struct hd_checkpoint *k, struct sm *s, const struct hd_launch *launch);

#endif

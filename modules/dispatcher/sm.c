/* sm.c - private to the dispatchers: claims an SM, starts CTAs on it, reports kernels that end
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "sm.h"

#include <inttypes.h>

#define SECTOR 32u
#define MAX_CYCLES (UINT64_C(1) << 48) /* to wait for a kernel's first CTA */

enum { EVENT_KERNEL };

const struct hd_stat hd__sm_stats[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "core cycles up to the end of its last kernel",
	  .offset = offsetof(struct sm, cycles) },
	{ .name = "kernels", .unit = "kernels", .doc = "kernels that ended",
	  .offset = offsetof(struct sm, kernels) },
	{ .name = NULL },
};

const struct hd_event hd__sm_events[] = {
	[EVENT_KERNEL] = { .name = "kernel", .doc = "a kernel has ended; its cycles are the last ones, up "
	                   "to this one", .fields = {
		{ "kernel", "", "position in the list of kernels", "kernel" },
		{ "cycles", "cycles", "that it took" },
		{ "instructions", "warp instructions", "issued in them" },
		{ "ctas", "CTAs", "that it placed" },
	} },
	{ .name = NULL },
};

int hd__sm_claim(struct sm *s)
{
	if (!hd_warps_claim(s->warps, &s->warps->dispatch, s->ctx->self))
		return hd_error(s->ctx, "another dispatcher places CTAs on the same warps; expected one");
	if (!s->trace->claim(s->trace->self, 1))
		return hd_error(s->ctx, "another dispatcher takes kernels from the same trace; expected "
		                "a trace source for each");
	hd_expect_finish(s->ctx);
	return 0;
}

uint64_t hd__sm_cta_registers(const struct hd_launch *k)
{
	return (uint64_t)k->warps * HD_LANES * ((k->nregs + UINT64_C(3)) / 4 * 4);
}

int hd__sm_too_large(const struct sm *s, const struct hd_launch *k)
{
	return hd_error(s->ctx, "kernel %" PRIu64 " '%s' does not fit on this SM: a block has %u "
	                "threads with %u registers each and %u bytes of shared memory; the SM has "
	                "%u threads, %u registers and %u bytes", k->id, k->name, k->threads,
	                k->nregs, k->shmem, s->warps->count * HD_LANES, s->registers,
	                s->shared_bytes);
}

int hd__kernel_opens(const struct hd_ctx *c, const struct hd_launch *k, uint32_t kernel_latency,
                     uint32_t cta_latency, uint64_t first, uint64_t *opens)
{
	if (cta_latency && k->ctas > MAX_CYCLES / cta_latency)
		return hd_error(c, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks of %u cycles "
		                "'cta_latency' each; expected at most %" PRIu64 " cycles in all", k->id,
		                k->name, k->ctas, cta_latency, MAX_CYCLES);
	*opens = first + kernel_latency + k->ctas * cta_latency;
	return 0;
}

int hd__kernel_load(const struct hd_ctx *c, const struct hd_trace_if *trace, struct hd_launch *k,
                    uint64_t placed, uint32_t first)
{
	int got = trace->next_cta(trace->self, first);

	if (got == 0) {
		hd_warn(c, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks in the trace and %"
		        PRIu64 " in its grid", k->id, k->name, placed, k->ctas);
		k->ctas = placed;
	}
	return got;
}

/* The sectors that the lanes address, without repeating that of the lane before. */
static void use_sectors(const struct hd_inst *inst, uint64_t cta,
                        void (*use)(void *arg, uint64_t addr, uint64_t cta), void *arg)
{
	uint64_t last = UINT64_MAX;

	for (uint64_t m = inst->mask; m;) {
		uint64_t addr = hd_inst_addr(inst, hd_bits_pop(&m)), first = addr - addr % SECTOR;
		uint64_t bytes = addr - first + (inst->width ? inst->width : 1u); /* which may end with the highest address */

		for (uint64_t i = 0; addr != 0 && i < bytes; i += SECTOR) {
			if (first + i != last)
				use(arg, first + i, cta);
			last = first + i;
		}
	}
}

int hd__kernel_skip(const struct hd_ctx *c, const struct hd_trace_if *trace, struct hd_launch *k,
                    void (*use)(void *arg, uint64_t addr, uint64_t cta), void *arg)
{
	struct hd_inst inst;

	for (uint64_t cta = 0; cta < k->ctas; cta++) {
		if (hd__kernel_load(c, trace, k, cta, 0) < 0)
			return -1;
		for (uint32_t warp = 0; cta < k->ctas && warp < k->warps; warp++)
			while (trace->next(trace->self, warp, &inst))
				if ((inst.flags & (HD_INST_LOAD | HD_INST_STORE | HD_INST_ATOMIC | HD_INST_COPY))
				    && inst.space == HD_SPACE_GLOBAL)
					use_sectors(&inst, cta, use, arg);
	}
	return 0;
}

int hd__kernel_never_skips(const struct hd_ctx *c)
{
	uint64_t first, last;

	hd_input_range(c, &first, &last);
	if (!hd_skips(c, first))
		return 0;
	return hd_error(c, "--skip-kernels expects kernels that run one after another; this netlist's "
	                "dispatcher runs several at a time");
}

void hd__cta_start(const struct hd_trace_if *trace, struct hd_warps *w,
                   const struct hd_barrier_if *barrier, const struct hd_launch *k, uint32_t slot,
                   uint32_t first)
{
	hd_warps_set_block(w, slot, trace->block(trace->self));
	w->launch_cta(w->self, slot, first);
	for (uint32_t i = first; i < first + k->warps; i++) {
		hd_warp_set_npc(w, i, trace->pc(trace->self, w->traced + i));
		/* warps that never ran count as ended */
		if (trace->ended(trace->self, w->traced + i) && hd_warp_exit_lanes(w, i, w->lanes[i])
		    && barrier)
			barrier->leave(barrier->self, i);
	}
}

void hd__kernel_row(const struct hd_ctx *c, const struct hd_launch *k, uint64_t cycles,
                    uint64_t instructions, uint64_t placed)
{
	const struct hd_cell row[] = {
		{ "id", NULL, k->id },
		{ "name", k->name, 0 },
		{ "cycles", NULL, cycles },
		{ "warp_instructions", NULL, instructions },
		{ "thread_blocks", NULL, placed },
	};

	hd_row_part(c, "kernels", row, sizeof row / sizeof *row);
}

int hd__sm_opens(const struct sm *s, const struct hd_launch *k, uint64_t first, uint64_t *opens)
{
	return hd__kernel_opens(s->ctx, k, s->kernel_latency, s->cta_latency, first, opens);
}

int hd__sm_load(const struct sm *s, struct hd_launch *k, uint64_t placed, uint32_t first)
{
	return hd__kernel_load(s->ctx, s->trace, k, placed, first);
}

/* The L1D of an SM that drops it when it is empty has nothing left of another kernel. */
static void use_l1d(void *arg, uint64_t addr, uint64_t cta)
{
	const struct sm *s = arg;

	(void)cta;
	if (s->l1d && !s->flush_l1d)
		s->l1d->preset(s->l1d->self, addr, 0, 1);
}

int hd__sm_next_kernel(struct sm *s, struct hd_launch *k)
{
	int got = s->trace->next_kernel(s->trace->self, k);

	while (got > 0 && hd_skips(s->ctx, k->number)) {
		if (hd__kernel_skip(s->ctx, s->trace, k, use_l1d, s) != 0)
			return -1;
		got = s->trace->next_kernel(s->trace->self, k);
	}
	return got;
}

void hd__sm_start(struct sm *s, const struct hd_launch *k, uint32_t slot, uint32_t first)
{
	hd__cta_start(s->trace, s->warps, s->barrier, k, slot, first);
	s->flushed = false;
}

void hd__sm_flush(struct sm *s)
{
	if (s->warps->cta_count != 0 || !s->flush_l1d || !s->l1d || s->flushed)
		return;
	s->l1d->invalidate(s->l1d->self);
	s->flushed = true;
}

void hd__sm_end_kernel(struct sm *s, const struct hd_launch *k, uint64_t placed, uint64_t now)
{
	uint64_t cycles = now + 1 - s->began, instructions = s->warps->uid - s->uid;

	hd__kernel_row(s->ctx, k, cycles, instructions, placed);
	hd_emit(s->ctx, EVENT_KERNEL, k->number, (int64_t)cycles, (int64_t)instructions,
	        (int64_t)placed);
	s->kernels++;
	s->began = now + 1;
	s->uid = s->warps->uid;
}

void hd__sm_report_pending(struct hd_pending *h, const struct hd_launch *k, uint64_t placed,
                           uint32_t resident)
{
	hd_report_pending(h, "kernel %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64 " CTAs placed, %u not "
	                  "ended", k->id, k->name, placed, k->ctas, resident);
}

void hd__sm_saved(struct hd_checkpoint *k, struct sm *s, const struct hd_launch *launch)
{
	HD_SAVED_FROM(k, s, flushed, uid);
	hd_warps_launch_saved(k, s->warps, launch);
}

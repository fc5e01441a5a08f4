/* dispatcher.c - launches kernels one after another and places their CTAs on an SM
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Kernels and thread blocks.  One edge is the end of one core cycle: at most one CTA
 * is placed.
 */
#include "dispatcher/sm.h"

#include <inttypes.h>

struct state {
	struct sm sm;
	uint32_t unified_kb;
	struct hd_list shared_options;
	bool ignore_limits;

	struct hd_launch launch;
	bool running, sized; /* sized: occupancy of the present kernel is known */
	bool done;           /* the last kernel has ended */
	uint64_t opens;      /* edge from which CTAs may be placed */
	uint64_t placed;     /* CTAs of the present kernel */
};

_Static_assert(offsetof(struct state, sm) == 0, "hd__sm_stats has offsets in it");

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* CTAs of the present kernel that fit on the SM at once. */
static uint64_t occupancy(const struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t padded = (uint64_t)k->warps * HD_LANES, sms = st->sm.warps->sms;
	uint64_t n = (uint64_t)st->sm.warps->count * HD_LANES / padded;

	if (k->shmem)
		n = least(n, st->sm.shared_bytes / k->shmem);
	if (k->nregs)
		n = least(n, st->sm.registers / hd__sm_cta_registers(k));
	n = least(n, st->sm.max_ctas);
	if (n == 0 && st->ignore_limits && padded <= (uint64_t)st->sm.warps->count * HD_LANES)
		n = 1;
	if (k->ctas < n * sms)
		n = (k->ctas + sms - 1) / sms;
	return n;
}

/* Divides the unified memory: the smallest sufficient shared part, the rest is L1D. */
static int split_memory(struct state *st)
{
	uint64_t need = (uint64_t)st->launch.shmem * st->sm.warps->max_cta, ways;
	uint32_t best = UINT32_MAX;

	if (!st->shared_options.n || !st->sm.l1d)
		return 0;
	for (uint32_t i = 0; i < st->shared_options.n; i++) {
		uint32_t kb = st->shared_options.v[i];

		if ((uint64_t)kb * 1024 >= need && kb < best)
			best = kb;
	}
	if (best == UINT32_MAX)
		return hd_error(st->sm.ctx, "kernel %" PRIu64 " needs %" PRIu64 " bytes of shared memory "
		                "for %u CTAs; expected one of 'shared_options' to hold them",
		                st->launch.id, need, st->sm.warps->max_cta);
	/* rounded to the nearest */
	ways = (2 * (uint64_t)st->sm.l1d->max_ways * (st->unified_kb - best) + st->unified_kb)
	     / (2 * (uint64_t)st->unified_kb);
	if (ways == 0)
		return hd_error(st->sm.ctx, "%u KB of shared memory leave no L1D; expected "
		                "'shared_options' below 'unified'", best);
	st->sm.l1d->set_ways(st->sm.l1d->self, (uint32_t)ways);
	return 0;
}

static int size_kernel(struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t n;

	if (k->warps == 0 || k->warps > st->sm.warps->count)
		return hd_error(st->sm.ctx, "kernel %" PRIu64 " '%s' has %u warps per block; expected at "
		                "most the SM's %u", k->id, k->name, k->warps, st->sm.warps->count);
	n = occupancy(st);
	if (n == 0)
		return hd__sm_too_large(&st->sm, k);
	hd_warps_set_launch(st->sm.warps, &st->launch, (uint32_t)n);
	st->sized = true;
	return split_memory(st);
}

/* Starts the next kernel with the next cycle.  Returns false if there is none, or after an
 * error. */
static bool next_kernel(struct state *st, uint64_t first_cycle)
{
	int got = hd__sm_next_kernel(&st->sm, &st->launch);

	if (got <= 0) {
		if (got == 0) {
			st->done = true;
			hd_finish(st->sm.ctx);
		}
		return false;
	}
	st->running = true;
	st->sized = false;
	st->sm.began = first_cycle;
	if (hd__sm_opens(&st->sm, &st->launch, first_cycle, &st->opens) != 0)
		return false;
	st->placed = 0;
	return true;
}

static void report_progress(struct state *st)
{
	uint64_t done = 0, total = 0;

	st->sm.trace->position(st->sm.trace->self, &done, &total);
	hd_progress(st->sm.ctx, (double)done, (double)total);
}

/* Places the next CTA on the lowest free slot.  Returns false if the trace has no more, or after an
 * error. */
static bool place_cta(struct state *st)
{
	struct hd_warps *w = st->sm.warps;
	uint32_t slot = 0, first;

	while (w->cta_warps[slot])
		slot++;
	first = slot * st->launch.warps;
	if (hd__sm_load(&st->sm, &st->launch, st->placed, first) <= 0)
		return false;
	hd__sm_start(&st->sm, &st->launch, slot, first);
	st->placed++;
	report_progress(st);
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	struct hd_warps *w = st->sm.warps;
	uint64_t now = hd_now(st->sm.ctx), next = HD_SLEEP;

	if (st->done)
		return HD_SLEEP;
	st->sm.cycles++;
	if (!st->running && st->sm.kernels == 0 && !next_kernel(st, now))
		return HD_SLEEP;
	if (now >= st->opens && st->placed < st->launch.ctas) {
		if (!st->sized && size_kernel(st) != 0)
			return HD_SLEEP;
		if (w->cta_count < w->max_cta && place_cta(st) && w->cta_count < w->max_cta
		    && st->placed < st->launch.ctas)
			next = HD_NEXT;
	} else if (now < st->opens) {
		next = st->opens - now;
	}
	hd__sm_flush(&st->sm);
	if (w->cta_count == 0 && st->placed == st->launch.ctas && now >= st->opens) {
		hd__sm_end_kernel(&st->sm, &st->launch, st->placed, now);
		st->running = false;
		if (!next_kernel(st, now + 1))
			return HD_SLEEP;
		next = HD_NEXT;
	}
	return next;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (!st->done)
		st->sm.cycles += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->sm.ctx = ctx;
	for (uint32_t i = 0; i < st->shared_options.n; i++)
		if (st->shared_options.v[i] > st->unified_kb)
			return hd_error(ctx, "'shared_options' has %u KB and 'unified' is %u KB; expected "
			                "no more than that", st->shared_options.v[i], st->unified_kb);
	return 0;
}

static int start(void *state)
{
	return hd__sm_claim(&((struct state *)state)->sm);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->running)
		hd__sm_report_pending(h, &st->launch, st->placed, st->sm.warps->cta_count);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd_launch_saved(k, &st->launch);
	HD_SAVED_FROM(k, st, running, placed);
	hd__sm_saved(k, &st->sm, &st->launch);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of the SM", .type = HD_U32,
	  .offset = P(sm.shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX },
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of the SM",
	  .type = HD_U32, .offset = P(sm.registers), .def = "65536", .min = 1, .max = UINT32_MAX },
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on the SM at once",
	  .type = HD_U32, .offset = P(sm.max_ctas), .def = "32", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "ignore_limits", .unit = "", .doc = "place one CTA even if it exceeds registers or "
	  "shared memory", .type = HD_BOOL, .offset = P(ignore_limits), .def = "false" },
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its "
	  "first CTA", .type = HD_U32, .offset = P(sm.kernel_latency), .def = "0", .min = 0,
	  .max = UINT32_MAX },
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid",
	  .type = HD_U32, .offset = P(sm.cta_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = "flush_l1d", .unit = "", .doc = "flush the L1D whenever the SM is empty",
	  .type = HD_BOOL, .offset = P(sm.flush_l1d), .def = "true" },
	{ .name = "shared_options", .unit = "KB", .doc = "sizes that shared memory can occupy of "
	  "the unified memory; the L1D gets the rest; none: they are separate", .type = HD_U32S,
	  .offset = P(shared_options), .def = "[]", .min = 0, .max = 65536 },
	{ .name = "unified", .unit = "KB", .doc = "unified memory of L1D and shared memory",
	  .type = HD_U32, .offset = P(unified_kb), .def = "128", .min = 1, .max = 65536 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_TRACE] = { .name = "trace", .doc = "kernels and thread blocks", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(sm.trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "the SM's slots", .kind = HD_USES, .flags = HD_WORK_IN,
	                 .type = &hd_type_warps, .offset = P(sm.warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "is notified of warps that never run",
	                   .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_barrier_if,
	                   .offset = P(sm.barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "resized and flushed; open: neither", .kind = HD_USES,
	               .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_cache_if, .offset = P(sm.l1d) },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher",
	.doc = "launches kernels one after another and places their CTAs on the SM",
	.params = params,
	.ports = ports,
	.stats = hd__sm_stats,
	.events = hd__sm_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.checkpoint = checkpoint,
};

/* dispatcher.c - launches kernels one after another and places their CTAs on an SM
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Kernels and thread blocks.  One edge is the end of one core cycle: at most one CTA
 * is placed.
 */
#include <heddle/interface/cache.h>
#include <heddle/interface/sync.h>
#include <heddle/interface/trace.h>
#include <heddle/interface/warps.h>

#include <inttypes.h>

#define MAX_CYCLES (UINT64_C(1) << 48) /* to wait for a kernel's first CTA */

struct state {
	struct hd_ctx *ctx;
	const struct hd_trace_if *trace;
	struct hd_warps *warps;
	const struct hd_barrier_if *barrier;
	const struct hd_cache_if *l1d;
	uint32_t shared_bytes, registers, max_ctas, kernel_latency, cta_latency, unified_kb;
	struct hd_list shared_options;
	bool flush_l1d, ignore_limits;

	struct hd_launch launch;
	bool running, sized; /* sized: occupancy of the present kernel is known */
	bool done;           /* the trace has no more kernels */
	bool flushed;
	uint64_t began;      /* cycle 0 of the present kernel, in edges */
	uint64_t opens;      /* edge from which CTAs may be placed */
	uint64_t placed;     /* CTAs of the present kernel */
	uint64_t uid;        /* instructions issued before it */
	uint64_t cycles, kernels;
};

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D };
enum { EVENT_KERNEL };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* CTAs of the present kernel that fit on the SM at once. */
static uint64_t occupancy(const struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t padded = (uint64_t)k->warps * HD_LANES, sms = st->warps->sms;
	uint64_t n = (uint64_t)st->warps->count * HD_LANES / padded;

	if (k->shmem)
		n = least(n, st->shared_bytes / k->shmem);
	if (k->nregs)
		n = least(n, st->registers / (padded * ((k->nregs + UINT64_C(3)) / 4 * 4)));
	n = least(n, st->max_ctas);
	if (n == 0 && st->ignore_limits && padded <= (uint64_t)st->warps->count * HD_LANES)
		n = 1;
	if (k->ctas < n * sms)
		n = (k->ctas + sms - 1) / sms;
	return n;
}

/* Divides the unified memory: the smallest shared part that will do, the rest is L1D. */
static int split_memory(struct state *st)
{
	uint64_t need = (uint64_t)st->launch.shmem * st->warps->max_cta, ways;
	uint32_t best = UINT32_MAX;

	if (!st->shared_options.n || !st->l1d)
		return 0;
	for (uint32_t i = 0; i < st->shared_options.n; i++) {
		uint32_t kb = st->shared_options.v[i];

		if ((uint64_t)kb * 1024 >= need && kb < best)
			best = kb;
	}
	if (best == UINT32_MAX)
		return hd_error(st->ctx, "kernel %" PRIu64 " needs %" PRIu64 " bytes of shared memory "
		                "for %u CTAs; expected one of 'shared_options' to hold them",
		                st->launch.id, need, st->warps->max_cta);
	/* rounded to the nearest */
	ways = (2 * (uint64_t)st->l1d->max_ways * (st->unified_kb - best) + st->unified_kb)
	     / (2 * (uint64_t)st->unified_kb);
	if (ways == 0)
		return hd_error(st->ctx, "%u KB of shared memory leave no L1D; expected "
		                "'shared_options' below 'unified'", best);
	st->l1d->set_ways(st->l1d->self, (uint32_t)ways);
	return 0;
}

static int size_kernel(struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t n;

	if (k->warps == 0 || k->warps > st->warps->count)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' has %u warps per block; expected at "
		                "most the SM's %u", k->id, k->name, k->warps, st->warps->count);
	n = occupancy(st);
	if (n == 0)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' does not fit on this SM: a block has "
		                "%u threads with %u registers each and %u bytes of shared memory; the "
		                "SM has %u threads, %u registers and %u bytes", k->id, k->name,
		                k->threads, k->nregs, k->shmem, st->warps->count * HD_LANES,
		                st->registers, st->shared_bytes);
	hd_warps_set_launch(st->warps, &st->launch, (uint32_t)n);
	st->sized = true;
	return split_memory(st);
}

/* The next kernel begins with the next cycle.  False: there is none, or it cannot be read. */
static bool next_kernel(struct state *st, uint64_t first_cycle)
{
	int got = st->trace->next_kernel(st->trace->self, &st->launch);

	if (got <= 0) {
		if (got == 0) {
			st->done = true;
			hd_finish(st->ctx);
		}
		return false;
	}
	st->running = true;
	st->sized = false;
	st->began = first_cycle;
	if (st->cta_latency && st->launch.ctas > MAX_CYCLES / st->cta_latency) {
		hd_error(st->ctx, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks of %u cycles "
		         "'cta_latency' each; expected at most %" PRIu64 " cycles in all",
		         st->launch.id, st->launch.name, st->launch.ctas, st->cta_latency, MAX_CYCLES);
		return false;
	}
	st->opens = first_cycle + st->kernel_latency + st->launch.ctas * st->cta_latency;
	st->placed = 0;
	st->uid = st->warps->uid;
	return true;
}

static void end_kernel(struct state *st, uint64_t now)
{
	const struct hd_cell row[] = {
		{ "id", NULL, st->launch.id },
		{ "name", st->launch.name, 0 },
		{ "cycles", NULL, now + 1 - st->began },
		{ "warp_instructions", NULL, st->warps->uid - st->uid },
		{ "thread_blocks", NULL, st->placed },
	};

	hd_row(st->ctx, "kernels", row, sizeof row / sizeof *row);
	hd_emit(st->ctx, EVENT_KERNEL, st->launch.number, (int64_t)(now + 1 - st->began),
	        (int64_t)(st->warps->uid - st->uid), (int64_t)st->placed);
	st->kernels++;
	st->running = false;
}

static void report_progress(struct state *st)
{
	uint64_t done = 0, total = 0;

	st->trace->position(st->trace->self, &done, &total);
	hd_progress(st->ctx, (double)done, (double)total);
}

/* Places the next CTA on the lowest free slot.  False: the trace has no more, or is bad. */
static bool place_cta(struct state *st)
{
	struct hd_warps *w = st->warps;
	uint32_t slot = 0, first;
	int got;

	while (w->cta_warps[slot])
		slot++;
	first = slot * st->launch.warps;
	got = st->trace->next_cta(st->trace->self, first);
	if (got <= 0) {
		if (got == 0) {
			hd_warn(st->ctx, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks in the "
			        "trace and %" PRIu64 " in its grid", st->launch.id, st->launch.name,
			        st->placed, st->launch.ctas);
			st->launch.ctas = st->placed;
		}
		return false;
	}
	w->launch_cta(w->self, slot, first);
	for (uint32_t i = first; i < first + st->launch.warps; i++) {
		hd_warp_set_npc(w, i, st->trace->pc(st->trace->self, i));
		/* warps that never ran count as ended */
		if (st->trace->ended(st->trace->self, i)
		    && hd_warp_exit_lanes(w, i, w->lanes[i]) && st->barrier)
			st->barrier->leave(st->barrier->self, i);
	}
	st->placed++;
	st->flushed = false;
	report_progress(st);
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	struct hd_warps *w = st->warps;
	uint64_t now = hd_now(st->ctx), next = HD_SLEEP;

	if (st->done)
		return HD_SLEEP;
	st->cycles++;
	if (!st->running && st->kernels == 0 && !next_kernel(st, now))
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
	if (w->cta_count == 0 && st->flush_l1d && st->l1d && !st->flushed) {
		st->l1d->invalidate(st->l1d->self);
		st->flushed = true;
	}
	if (w->cta_count == 0 && st->placed == st->launch.ctas && now >= st->opens) {
		end_kernel(st, now);
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
		st->cycles += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	for (uint32_t i = 0; i < st->shared_options.n; i++)
		if (st->shared_options.v[i] > st->unified_kb)
			return hd_error(ctx, "'shared_options' has %u KB and 'unified' is %u KB; expected "
			                "no more than that", st->shared_options.v[i], st->unified_kb);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!hd_warps_claim(st->warps, &st->warps->dispatch, st->ctx->self))
		return hd_error(st->ctx, "another dispatcher places CTAs on the same warps; expected one");
	if (!st->trace->claim(st->trace->self))
		return hd_error(st->ctx, "another dispatcher takes kernels from the same trace; expected "
		                "a trace source for each");
	hd_expect_finish(st->ctx);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	if (st->running)
		hd_report_pending(h, "kernel %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64 " CTAs placed, %u not "
		         "ended", st->launch.id, st->launch.name, st->placed, st->launch.ctas,
		         st->warps->cta_count);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of the SM", .type = HD_U32,
	  .offset = P(shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX },
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of the SM",
	  .type = HD_U32, .offset = P(registers), .def = "65536", .min = 1, .max = UINT32_MAX },
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on the SM at once",
	  .type = HD_U32, .offset = P(max_ctas), .def = "32", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "ignore_limits", .unit = "", .doc = "place one CTA even if it exceeds registers or "
	  "shared memory", .type = HD_BOOL, .offset = P(ignore_limits), .def = "false" },
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its "
	  "first CTA", .type = HD_U32, .offset = P(kernel_latency), .def = "0", .min = 0,
	  .max = UINT32_MAX },
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid",
	  .type = HD_U32, .offset = P(cta_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = "flush_l1d", .unit = "", .doc = "drop the L1D whenever the SM is empty",
	  .type = HD_BOOL, .offset = P(flush_l1d), .def = "true" },
	{ .name = "shared_options", .unit = "KB", .doc = "sizes that shared memory can take out of "
	  "the unified memory; the L1D gets the rest; none: they are separate", .type = HD_U32S,
	  .offset = P(shared_options), .def = "[]", .min = 0, .max = 65536 },
	{ .name = "unified", .unit = "KB", .doc = "unified memory of L1D and shared memory",
	  .type = HD_U32, .offset = P(unified_kb), .def = "128", .min = 1, .max = 65536 },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_TRACE] = { .name = "trace", .doc = "kernels and thread blocks", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "the SM's slots", .kind = HD_USES,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "told of warps that never ran; open: nobody is",
	                   .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_barrier_if,
	                   .offset = P(barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "sized and dropped; open: neither", .kind = HD_USES,
	               .flags = HD_OPTIONAL, .type = &hd_type_cache_if, .offset = P(l1d) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "core cycles up to the end of its last kernel",
	  .offset = P(cycles) },
	{ .name = "kernels", .unit = "kernels", .doc = "kernels that ended", .offset = P(kernels) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_KERNEL] = { .name = "kernel", .doc = "a kernel has ended; its cycles are the last ones, up "
	                   "to this one", .fields = {
		{ "kernel", "", "position in the list of kernels", "kernel" },
		{ "cycles", "cycles", "that it took" },
		{ "instructions", "warp instructions", "issued in them" },
		{ "ctas", "CTAs", "that it placed" },
	} },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher",
	.doc = "launches kernels one after another and places their CTAs on the SM",
	.params = params,
	.ports = ports,
	.stats = stats,
	.events = events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
};

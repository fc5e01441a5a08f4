/* dispatcher_grid.c - launches kernels one after another and places their CTAs on all SMs of a GPU
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One edge is the end of one core cycle.  Clusters are considered in a ring after the one that
 * was served last, SMs of a cluster likewise; each cluster takes at most one CTA a cycle.  Copies
 * to the device that precede a kernel in the list take no time; their lines are put into the
 * second-level cache.
 */
#include <heddle/interface/cache.h>
#include <heddle/interface/cluster.h>
#include <heddle/interface/map.h>
#include <heddle/interface/sync.h>
#include <heddle/interface/trace.h>
#include <heddle/interface/warps.h>

#include <inttypes.h>
#include <stdlib.h>

#define MAX_CYCLES (UINT64_C(1) << 48) /* to wait for a kernel's first CTA */
#define SECTOR 32u

struct state {
	struct hd_ctx *ctx;
	const struct hd_trace_if *trace;
	struct hd_ifs warps, barrier, l1d, l2, work;
	const struct hd_map_if *map;
	uint32_t shared_bytes, registers, max_ctas, kernel_latency, cta_latency, unified_kb, cores;
	struct hd_list shared_options;
	bool flush_l1d, flush_l2, ignore_limits, copies;

	uint32_t sms, clusters;
	uint32_t last_cluster;
	uint32_t *last_core; /* by cluster */
	bool done;           /* the trace has no more kernels */
	bool *works;         /* by cluster: its clock runs */
	bool *flushed;       /* by cluster: nothing was placed since its L1Ds were dropped */
	struct hd_launch launch;
	bool running, sized; /* sized: occupancy of the present kernel is known */
	uint32_t max_cta;
	uint64_t began;      /* cycle 0 of the present kernel, in edges */
	uint64_t opens;      /* edge from which CTAs may be placed */
	uint64_t placed;     /* CTAs of the present kernel */
	uint64_t uid;        /* instructions issued before it */
	uint64_t cycles, kernels, copied;
};

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D, PORT_L2, PORT_MAP, PORT_WORK };
enum { EVENT_KERNEL };

static struct hd_warps *sm(const struct state *st, uint32_t i)
{
	return (struct hd_warps *)st->warps.v[i];
}

static const struct hd_cache_if *l1d(const struct state *st, uint32_t i)
{
	return st->l1d.v[i];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* CTAs of the present kernel that fit on one SM at once. */
static uint64_t occupancy(const struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t padded = (uint64_t)k->warps * HD_LANES, threads = (uint64_t)sm(st, 0)->count * HD_LANES;
	uint64_t n = threads / padded;

	if (k->shmem)
		n = least(n, st->shared_bytes / k->shmem);
	if (k->nregs)
		n = least(n, st->registers / (padded * ((k->nregs + UINT64_C(3)) / 4 * 4)));
	n = least(n, st->max_ctas);
	if (n == 0 && st->ignore_limits && padded <= threads)
		n = 1;
	if (k->ctas < n * st->sms)
		n = (k->ctas + st->sms - 1) / st->sms;
	return n;
}

/* Divides the unified memory: the smallest shared part that will do, the rest is L1D. */
static int split_memory(struct state *st)
{
	uint64_t need = (uint64_t)st->launch.shmem * st->max_cta, ways;
	uint32_t best = UINT32_MAX;

	if (!st->shared_options.n || !st->l1d.n)
		return 0;
	for (uint32_t i = 0; i < st->shared_options.n; i++) {
		uint32_t kb = st->shared_options.v[i];

		if ((uint64_t)kb * 1024 >= need && kb < best)
			best = kb;
	}
	if (best == UINT32_MAX)
		return hd_error(st->ctx, "kernel %" PRIu64 " needs %" PRIu64 " bytes of shared memory "
		                "for %u CTAs; expected one of 'shared_options' to hold them",
		                st->launch.id, need, st->max_cta);
	/* rounded to the nearest */
	ways = (2 * (uint64_t)l1d(st, 0)->max_ways * (st->unified_kb - best) + st->unified_kb)
	     / (2 * (uint64_t)st->unified_kb);
	if (ways == 0)
		return hd_error(st->ctx, "%u KB of shared memory leave no L1D; expected "
		                "'shared_options' below 'unified'", best);
	for (uint32_t i = 0; i < st->l1d.n; i++)
		l1d(st, i)->set_ways(l1d(st, i)->self, (uint32_t)ways);
	return 0;
}

static int size_kernel(struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint32_t slots = sm(st, 0)->count;

	if (k->warps == 0 || k->warps > slots)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' has %u warps per block; expected at "
		                "most the SM's %u", k->id, k->name, k->warps, slots);
	st->max_cta = (uint32_t)occupancy(st);
	if (st->max_cta == 0)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' does not fit on an SM: a block has "
		                "%u threads with %u registers each and %u bytes of shared memory; the "
		                "SM has %u threads, %u registers and %u bytes", k->id, k->name,
		                k->threads, k->nregs, k->shmem, slots * HD_LANES, st->registers,
		                st->shared_bytes);
	for (uint32_t i = 0; i < st->sms; i++)
		hd_warps_set_launch(sm(st, i), &st->launch, st->max_cta);
	st->sized = true;
	return split_memory(st);
}

static uint64_t issued(const struct state *st)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < st->sms; i++)
		n += sm(st, i)->uid;
	return n;
}

/* ---- copies ---- */

/* The reference keeps 32 bits of the address; and each sector makes all later accesses of its
 * slice one cycle younger in the order of replacement. */
static void copy(struct state *st, const struct hd_trace_copy *c, uint32_t ahead)
{
	for (uint64_t i = 0; i < c->bytes; i += SECTOR) {
		uint64_t addr = (c->addr + i) & UINT32_MAX;
		const struct hd_cache_if *l2 = st->l2.v[st->map->slice(st->map->self, addr)];

		l2->preset(l2->self, addr, ahead, 1);
	}
	st->copied += c->bytes;
}

static void copy_all(struct state *st, uint32_t ahead)
{
	const struct hd_trace_copy *v;
	uint32_t n;

	if (!st->copies || !st->map || !st->l2.n)
		return;
	n = st->trace->copies(st->trace->self, &v);
	for (uint32_t i = 0; i < n; i++)
		copy(st, &v[i], ahead);
}

/* ---- kernels ---- */

/* The next kernel begins with cycle `first_cycle`.  Returns false if there is none, or after an
 * error. */
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
	copy_all(st, first_cycle != hd_now(st->ctx));
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
	st->uid = issued(st);
	return true;
}

static void end_kernel(struct state *st, uint64_t now)
{
	uint64_t instructions = issued(st) - st->uid;
	const struct hd_cell row[] = {
		{ "id", NULL, st->launch.id },
		{ "name", st->launch.name, 0 },
		{ "cycles", NULL, now + 1 - st->began },
		{ "warp_instructions", NULL, instructions },
		{ "thread_blocks", NULL, st->placed },
	};

	hd_row_part(st->ctx, "kernels", row, sizeof row / sizeof *row);
	hd_emit(st->ctx, EVENT_KERNEL, st->launch.number, (int64_t)(now + 1 - st->began),
	        (int64_t)instructions, (int64_t)st->placed);
	st->kernels++;
	st->running = false;
}

static void report_progress(struct state *st)
{
	uint64_t done = 0, total = 0;

	st->trace->position(st->trace->self, &done, &total);
	hd_progress(st->ctx, (double)done, (double)total);
}

/* ---- CTAs ---- */

/* Places the next CTA on the lowest free slot.  Returns false if the trace has no more, or after
 * an error. */
static bool place_cta(struct state *st, uint32_t i)
{
	struct hd_warps *w = sm(st, i);
	const struct hd_barrier_if *barrier = st->barrier.n ? st->barrier.v[i] : NULL;
	uint32_t slot = 0, first, base = i * HD_TRACE_SM;
	int got;

	while (w->cta_warps[slot] != 0)
		slot++;
	first = slot * st->launch.warps;
	got = st->trace->next_cta(st->trace->self, base + first);
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
	for (uint32_t k = first; k < first + st->launch.warps; k++) {
		hd_warp_set_npc(w, k, st->trace->pc(st->trace->self, base + k));
		/* warps that never ran count as ended */
		if (st->trace->ended(st->trace->self, base + k)
		    && hd_warp_exit_lanes(w, k, w->lanes[k]) && barrier)
			barrier->leave(barrier->self, k);
	}
	st->placed++;
	report_progress(st);
	return true;
}

/* Places a CTA on the cluster's next SM with room. */
static bool serve_cluster(struct state *st, uint32_t x)
{
	for (uint32_t j = 0; j < st->cores; j++) {
		uint32_t core = (j + st->last_core[x] + 1) % st->cores, i = x * st->cores + core;

		if (sm(st, i)->cta_count >= st->max_cta)
			continue;
		if (!place_cta(st, i))
			return false;
		st->last_core[x] = core;
		st->last_cluster = x;
		st->flushed[x] = false;
		return true;
	}
	return false;
}

static void place_ctas(struct state *st)
{
	uint32_t last = st->last_cluster;

	for (uint32_t i = 0; i < st->clusters && st->placed < st->launch.ctas; i++)
		serve_cluster(st, (i + last + 1) % st->clusters);
}

static bool room_left(const struct state *st)
{
	for (uint32_t i = 0; i < st->sms; i++)
		if (sm(st, i)->cta_count < st->max_cta)
			return true;
	return false;
}

static bool cluster_empty(const struct state *st, uint32_t x)
{
	for (uint32_t j = 0; j < st->cores; j++)
		if (sm(st, x * st->cores + j)->cta_count)
			return false;
	return true;
}

/* A cluster has cycles as long as there are CTAs to place or one of its own has not ended. */
static void run_clusters(struct state *st)
{
	bool left = st->running && st->placed < st->launch.ctas;

	for (uint32_t x = 0; x < st->work.n; x++) {
		const struct hd_cluster_if *c = st->work.v[x];
		bool works = left || !cluster_empty(st, x);

		if (works != st->works[x])
			c->work(c->self, works);
		st->works[x] = works;
	}
}

/* Drops the caches of empty SMs and clusters.  Returns true if the whole GPU is empty. */
static bool flush(struct state *st)
{
	bool empty = true;

	for (uint32_t x = 0; x < st->clusters; x++) {
		if (!cluster_empty(st, x)) {
			empty = false;
			continue;
		}
		for (uint32_t j = 0; st->flush_l1d && st->l1d.n && !st->flushed[x] && j < st->cores; j++)
			l1d(st, x * st->cores + j)->invalidate(l1d(st, x * st->cores + j)->self);
		st->flushed[x] = true;
	}
	/* the reference uses the number of channels as the number of slices */
	for (uint32_t i = 0; empty && st->flush_l2 && st->map && i < st->map->channels; i++)
		((const struct hd_cache_if *)st->l2.v[i])->flush(
			((const struct hd_cache_if *)st->l2.v[i])->self);
	return empty;
}

static uint64_t step(struct state *st)
{
	uint64_t now = hd_now(st->ctx), next = HD_SLEEP;
	bool empty;

	if (st->done)
		return HD_SLEEP;
	st->cycles++;
	if (!st->running && st->kernels == 0 && !next_kernel(st, now))
		return HD_SLEEP;
	if (now >= st->opens && st->placed < st->launch.ctas) {
		if (!st->sized && size_kernel(st) != 0)
			return HD_SLEEP;
		place_ctas(st);
		if (st->placed < st->launch.ctas && room_left(st))
			next = HD_NEXT;
	} else if (now < st->opens) {
		next = st->opens - now;
	}
	empty = flush(st);
	if (empty && st->placed == st->launch.ctas && now >= st->opens) {
		end_kernel(st, now);
		if (!next_kernel(st, now + 1))
			return HD_SLEEP;
		next = HD_NEXT;
	}
	return empty && st->flush_l2 ? HD_NEXT : next; /* requests under way may still use the cache */
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next = step(st);

	run_clusters(st);
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

static int check_ports(const struct state *st)
{
	if (st->warps.n == 0 || st->warps.n % st->cores)
		return hd_error(st->ctx, "there are %u SMs at port 'warps' and %u in a cluster; expected "
		                "whole clusters", st->warps.n, st->cores);
	if (st->barrier.n && st->barrier.n != st->warps.n)
		return hd_error(st->ctx, "there are %u barriers for %u SMs; expected as many",
		                st->barrier.n, st->warps.n);
	if (st->l1d.n && st->l1d.n != st->warps.n)
		return hd_error(st->ctx, "there are %u L1Ds for %u SMs; expected as many", st->l1d.n,
		                st->warps.n);
	if (st->work.n && st->work.n != st->warps.n / st->cores)
		return hd_error(st->ctx, "%u clusters at port 'work' and %u SMs of %u in a cluster; "
		                "expected as many", st->work.n, st->warps.n, st->cores);
	if (st->map && st->l2.n && st->l2.n != st->map->channels * st->map->slices)
		return hd_error(st->ctx, "there are %u caches at port 'l2', and the address map has %u "
		                "slices; expected as many", st->l2.n, st->map->channels * st->map->slices);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (check_ports(st) != 0)
		return -1;
	st->sms = st->warps.n;
	st->clusters = st->sms / st->cores;
	st->last_cluster = st->clusters - 1;
	st->last_core = calloc(st->clusters, sizeof *st->last_core);
	st->flushed = calloc(st->clusters, sizeof *st->flushed);
	st->works = calloc(st->clusters, sizeof *st->works);
	if (!st->last_core || !st->flushed || !st->works)
		return hd_error(st->ctx, "out of memory");
	for (uint32_t x = 0; x < st->clusters; x++)
		st->last_core[x] = st->cores - 1;
	for (uint32_t x = 0; x < st->work.n; x++) {
		const struct hd_cluster_if *c = st->work.v[x];

		c->place(c->self, x * st->cores);
	}
	st->running = true; /* there is a kernel, which begins with the first cycle */
	st->launch.ctas = 1;
	run_clusters(st);
	st->running = false;
	for (uint32_t i = 0; i < st->sms; i++) {
		hd_warps_set_place(sm(st, i), i, st->sms, i * HD_TRACE_SM);
		if (!hd_warps_claim(sm(st, i), &sm(st, i)->dispatch, st->ctx->self))
			return hd_error(st->ctx, "another dispatcher places CTAs on the same warps; expected "
			                "one");
	}
	if (!st->trace->claim(st->trace->self, st->sms))
		return hd_error(st->ctx, "another dispatcher takes kernels from the same trace; expected "
		                "a trace source for each");
	hd_expect_finish(st->ctx);
	return 0;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	uint32_t left = 0;

	for (uint32_t i = 0; i < st->sms; i++)
		left += sm(st, i)->cta_count;
	if (st->running)
		hd_report_pending(h, "kernel %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64 " CTAs placed, "
		                  "%u not ended", st->launch.id, st->launch.name, st->placed,
		                  st->launch.ctas, left);
}

static void fini(void *state)
{
	struct state *st = state;

	free(st->last_core);
	free(st->flushed);
	free(st->works);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "cores", .unit = "SMs", .doc = "SMs in a cluster: each cluster takes one CTA a cycle",
	  .type = HD_U32, .offset = P(cores), .def = "1", .min = 1, .max = 64 },
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of an SM", .type = HD_U32,
	  .offset = P(shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX },
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of an SM",
	  .type = HD_U32, .offset = P(registers), .def = "65536", .min = 1, .max = UINT32_MAX },
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on an SM at once",
	  .type = HD_U32, .offset = P(max_ctas), .def = "32", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "ignore_limits", .unit = "", .doc = "place one CTA even if it exceeds registers or "
	  "shared memory", .type = HD_BOOL, .offset = P(ignore_limits), .def = "false" },
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its "
	  "first CTA", .type = HD_U32, .offset = P(kernel_latency), .def = "0", .min = 0,
	  .max = UINT32_MAX },
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid",
	  .type = HD_U32, .offset = P(cta_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = "flush_l1d", .unit = "", .doc = "drop the L1Ds of a cluster whenever it is empty",
	  .type = HD_BOOL, .offset = P(flush_l1d), .def = "true" },
	{ .name = "flush_l2", .unit = "", .doc = "drop modified lines of the second-level cache whenever "
	  "the GPU is empty, in as many slices as there are channels", .type = HD_BOOL,
	  .offset = P(flush_l2), .def = "false" },
	{ .name = "copies", .unit = "", .doc = "copies to the device come into the second-level cache",
	  .type = HD_BOOL, .offset = P(copies), .def = "true" },
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
	[PORT_WARPS] = { .name = "warps", .doc = "the slots of each SM, in the order of their numbers",
	                 .kind = HD_USES, .flags = HD_ARRAY, .type = &hd_type_warps,
	                 .offset = P(warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "by SM: is notified of warps that never ran; "
		"open: nothing is notified", .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL,
	                   .type = &hd_type_barrier_if, .offset = P(barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "by SM: sized and dropped; open: neither",
	               .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL, .type = &hd_type_cache_if,
	               .offset = P(l1d) },
	[PORT_L2] = { .name = "l2", .doc = "by slice: gets what is copied to the device, and is flushed; "
	              "open: neither", .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL,
	              .type = &hd_type_cache_if, .offset = P(l2) },
	[PORT_MAP] = { .name = "map", .doc = "gives the slice of an address", .kind = HD_USES,
	               .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	[PORT_WORK] = { .name = "work", .doc = "by cluster: is notified whether it has work",
	                .kind = HD_USES, .flags = HD_ARRAY | HD_OPTIONAL,
	                .type = &hd_type_cluster_if, .offset = P(work) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "core cycles, of all kernels",
	  .offset = P(cycles) },
	{ .name = "kernels", .unit = "kernels", .doc = "kernels that ended", .offset = P(kernels) },
	{ .name = "copied", .unit = "bytes", .doc = "copied to the device", .offset = P(copied) },
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

const struct hd_module hd_module_dispatcher_grid = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher_grid",
	.doc = "launches kernels one after another and places their CTAs on all SMs of a GPU",
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
	.fini = fini,
};

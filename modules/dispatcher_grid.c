/* dispatcher_grid.c - launches kernels one after another and places their CTAs on all SMs of a GPU
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * One edge is the end of one core cycle.  Clusters are considered in a ring after the one that
 * was served last, SMs of a cluster likewise; each cluster takes at most one CTA a cycle.  Copies
 * to the device that precede a kernel in the list take no time; their lines are put into the
 * second-level cache.
 */
#include "dispatcher/grid.h"
#include "dispatcher/sm.h"

#include <inttypes.h>

struct state {
	struct grid grid;
	uint32_t unified_kb;
	struct hd_list shared_options;
	bool ignore_limits;

	bool done;           /* the trace has no more kernels */
	struct hd_launch launch;
	uint32_t begun;      /* kernels */
	bool running, sized; /* sized: occupancy of the present kernel is known */
	uint32_t max_cta;
	uint64_t opens;      /* edge from which CTAs may be placed */
	uint64_t placed;     /* CTAs of the present kernel */
};

_Static_assert(offsetof(struct state, grid) == 0, "the tables of grid.h have offsets in it");

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* CTAs of the present kernel that the slots of all SMs hold, of each SM `n` at most. */
static uint64_t held(const struct state *st, uint64_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < st->grid.sms; i++)
		all += least(n, grid_sm(&st->grid, i)->count / st->launch.warps);
	return all;
}

/* CTAs of the present kernel that fit on one SM at once, on the one with most slots. */
static uint64_t occupancy(const struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint64_t threads = (uint64_t)hd__grid_slots(&st->grid) * HD_LANES;
	uint64_t padded = (uint64_t)k->warps * HD_LANES;
	uint64_t n = threads / padded;

	if (k->shmem)
		n = least(n, st->grid.shared_bytes / k->shmem);
	if (k->nregs)
		n = least(n, st->grid.registers / (padded * ((k->nregs + UINT64_C(3)) / 4 * 4)));
	n = least(n, st->grid.max_ctas);
	if (n == 0 && st->ignore_limits && padded <= threads)
		n = 1;
	while (n > 1 && held(st, n - 1) >= k->ctas)
		n--;
	return n;
}

/* Divides the unified memory: the smallest shared part that will do, the rest is L1D. */
static int split_memory(struct state *st)
{
	uint64_t need = (uint64_t)st->launch.shmem * st->max_cta;
	uint32_t best = UINT32_MAX;

	if (!st->shared_options.n || !st->grid.l1d.n)
		return 0;
	for (uint32_t i = 0; i < st->shared_options.n; i++) {
		uint32_t kb = st->shared_options.v[i];

		if ((uint64_t)kb * 1024 >= need && kb < best)
			best = kb;
	}
	if (best == UINT32_MAX)
		return hd_error(st->grid.ctx, "kernel %" PRIu64 " needs %" PRIu64 " bytes of shared memory "
		                "for %u CTAs; expected one of 'shared_options' to hold them",
		                st->launch.id, need, st->max_cta);
	for (uint32_t i = 0; i < st->grid.l1d.n; i++) {
		const struct hd_cache_if *l1d = grid_l1d(&st->grid, i);
		/* rounded to the nearest */
		uint64_t ways = (2 * (uint64_t)l1d->max_ways * (st->unified_kb - best) + st->unified_kb)
		              / (2 * (uint64_t)st->unified_kb);

		if (ways == 0)
			return hd_error(st->grid.ctx, "%u KB of shared memory leave no L1D; expected "
			                "'shared_options' below 'unified'", best);
		l1d->set_ways(l1d->self, (uint32_t)ways);
	}
	return 0;
}

static int size_kernel(struct state *st)
{
	const struct hd_launch *k = &st->launch;
	uint32_t slots = hd__grid_slots(&st->grid);

	if (k->warps == 0 || k->warps > slots)
		return hd_error(st->grid.ctx, "kernel %" PRIu64 " '%s' has %u warps per block; expected at "
		                "most the SM's %u", k->id, k->name, k->warps, slots);
	st->max_cta = (uint32_t)occupancy(st);
	if (st->max_cta == 0)
		return hd__grid_too_large(&st->grid, k);
	for (uint32_t i = 0; i < st->grid.sms; i++)
		hd_warps_set_launch(grid_sm(&st->grid, i), &st->launch, st->max_cta);
	st->sized = true;
	return split_memory(st);
}

/* ---- kernels ---- */

static void use_caches(void *arg, uint64_t addr, uint64_t cta)
{
	hd__grid_use(arg, addr, (uint32_t)(cta % ((struct grid *)arg)->sms));
}

/* Advances to the next kernel that is simulated, with the copies in front of it. */
static int advance(struct state *st, uint32_t ahead)
{
	const struct hd_trace_if *t = st->grid.trace;
	int got;

	while ((got = t->next_kernel(t->self, &st->launch)) > 0) {
		hd__grid_copy(&st->grid, st->begun++, ahead);
		if (!hd_skips(st->grid.ctx, st->launch.number))
			break;
		if (hd__kernel_skip(st->grid.ctx, t, &st->launch, use_caches, &st->grid) != 0)
			return -1;
	}
	return got;
}

/* The next kernel begins with cycle `first_cycle`.  Returns false if there is none, or after an
 * error. */
static bool next_kernel(struct state *st, uint64_t first_cycle)
{
	int got = advance(st, first_cycle != hd_now(st->grid.ctx));

	if (got <= 0) {
		if (got == 0) {
			st->done = true;
			hd_finish(st->grid.ctx);
		}
		return false;
	}
	st->running = true;
	st->sized = false;
	st->placed = 0;
	return hd__grid_opens(&st->grid, &st->launch, first_cycle, &st->opens) == 0;
}

static void report_progress(struct state *st)
{
	uint64_t done = 0, total = 0;

	st->grid.trace->position(st->grid.trace->self, &done, &total);
	hd_progress(st->grid.ctx, (double)done, (double)total);
}

/* ---- CTAs ---- */

/* Places the next CTA on the lowest free slot.  Returns false if the trace has no more, or after
 * an error. */
static bool place_cta(struct state *st, uint32_t i)
{
	uint32_t slot = 0, first;

	while (grid_sm(&st->grid, i)->cta_warps[slot] != 0)
		slot++;
	first = slot * st->launch.warps;
	if (hd__grid_load(&st->grid, &st->launch, st->placed, i, first) <= 0)
		return false;
	hd__grid_start_cta(&st->grid, &st->launch, i, slot, first);
	st->placed++;
	report_progress(st);
	return true;
}

static bool room_on(const struct state *st, uint32_t i)
{
	uint32_t n = grid_resident(&st->grid, i);

	return n < st->max_cta && (n + 1) * st->launch.warps <= grid_sm(&st->grid, i)->count;
}

/* Places a CTA on the cluster's next SM with room. */
static bool serve_cluster(struct state *st, uint32_t x)
{
	for (uint32_t j = 0; j < st->grid.cores; j++) {
		uint32_t core = (j + st->grid.last_core[x] + 1) % st->grid.cores;
		uint32_t i = x * st->grid.cores + core;

		if (!room_on(st, i))
			continue;
		if (!place_cta(st, i))
			return false;
		st->grid.last_core[x] = core;
		st->grid.last_cluster = x;
		return true;
	}
	return false;
}

static void place_ctas(struct state *st)
{
	uint32_t last = st->grid.last_cluster;

	for (uint32_t i = 0; i < st->grid.clusters && st->placed < st->launch.ctas; i++)
		serve_cluster(st, (i + last + 1) % st->grid.clusters);
}

static bool room_left(const struct state *st)
{
	for (uint32_t i = 0; i < st->grid.sms; i++)
		if (room_on(st, i))
			return true;
	return false;
}

static uint64_t step(struct state *st)
{
	uint64_t now = hd_now(st->grid.ctx), next = HD_SLEEP;
	bool empty;

	if (st->done)
		return HD_SLEEP;
	st->grid.cycles++;
	if (!st->running && st->grid.kernels == 0 && !next_kernel(st, now))
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
	empty = hd__grid_flush(&st->grid);
	if (empty && st->placed == st->launch.ctas && now >= st->opens) {
		hd__grid_end_kernel(&st->grid, &st->launch, st->placed, now);
		st->running = false;
		if (!next_kernel(st, now + 1))
			return HD_SLEEP;
		next = HD_NEXT;
	}
	/* requests in flight may still use the cache */
	return empty && st->grid.flush_l2 ? HD_NEXT : next;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next = step(st);

	hd__grid_run(&st->grid, st->running && st->placed < st->launch.ctas);
	return next;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (!st->done)
		st->grid.cycles += n;
}

/* When a CTA ends, another one is placed on that SM.  A kernel ends with the last one. */
static uint64_t apart(const void *state)
{
	const struct state *st = state;
	uint64_t now = hd_now(st->grid.ctx);

	if (st->done || !st->running || st->grid.flush_l2)
		return 0;
	if (now + 1 < st->opens)
		return st->opens - now - 1;
	if (!st->sized || (st->placed < st->launch.ctas && room_left(st)))
		return 0;
	return hd__grid_lasts(&st->grid, (st->launch.ctas - st->placed) * st->launch.warps);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->grid.ctx = ctx;
	for (uint32_t i = 0; i < st->shared_options.n; i++)
		if (st->shared_options.v[i] > st->unified_kb)
			return hd_error(ctx, "'shared_options' has %u KB and 'unified' is %u KB; expected "
			                "no more than that", st->shared_options.v[i], st->unified_kb);
	return 0;
}

static int start(void *state)
{
	return hd__grid_start(&((struct state *)state)->grid);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;
	uint32_t left = 0;

	for (uint32_t i = 0; i < st->grid.sms; i++)
		left += grid_sm(&st->grid, i)->cta_count;
	if (st->running)
		hd_report_pending(h, "kernel %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64 " CTAs placed, "
		                  "%u not ended", st->launch.id, st->launch.name, st->placed,
		                  st->launch.ctas, left);
}

static void fini(void *state)
{
	hd__grid_fini(&((struct state *)state)->grid);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	HD_SAVED(k, st->done);
	hd_launch_saved(k, &st->launch);
	HD_SAVED_FROM(k, st, begun, placed);
	hd__grid_saved(k, &st->grid);
	for (uint32_t i = 0; i < st->grid.sms; i++)
		hd_warps_launch_saved(k, grid_sm(&st->grid, i), &st->launch);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	GRID_PARAMS(struct state),
	{ .name = "ignore_limits", .unit = "", .doc = "place one CTA even if it exceeds registers or "
	  "shared memory", .type = HD_BOOL, .offset = P(ignore_limits), .def = "false" },
	{ .name = "shared_options", .unit = "KB", .doc = "sizes that shared memory can take out of "
	  "the unified memory; the L1D gets the rest; none: they are separate", .type = HD_U32S,
	  .offset = P(shared_options), .def = "[]", .min = 0, .max = 65536 },
	{ .name = "unified", .unit = "KB", .doc = "unified memory of L1D and shared memory",
	  .type = HD_U32, .offset = P(unified_kb), .def = "128", .min = 1, .max = 65536 },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher_grid = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher_grid",
	.doc = "launches kernels one after another and places their CTAs on all SMs of a GPU",
	.params = params,
	.ports = hd__grid_ports,
	.stats = hd__grid_stats,
	.events = hd__grid_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.skipped = skipped,
	.report_pending = report_pending,
	.fini = fini,
	.checkpoint = checkpoint,
	.apart = apart,
};

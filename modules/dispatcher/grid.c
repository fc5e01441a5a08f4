/* grid.c - private to the dispatchers of a whole GPU: its SMs, clusters and caches
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "grid.h"
#include "sm.h"

#include <heddle/ahead.h>

#include <inttypes.h>
#include <stdlib.h>

#define SECTOR 32u
#define ENOUGH 64u /* cycles that are foreseen: more are not looked for in all warps */

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D, PORT_L2, PORT_MAP, PORT_WORK };
enum { EVENT_KERNEL };

uint64_t hd__grid_issued(const struct grid *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->sms; i++)
		n += grid_sm(g, i)->uid;
	return n;
}

/* ---- copies ---- */

/* The reference keeps 32 bits of the address; and each sector makes all later accesses of its
 * slice one cycle younger in the order of replacement. */
static void copy(struct grid *g, const struct hd_trace_copy *c, uint32_t ahead)
{
	for (uint64_t i = 0; i < c->bytes; i += SECTOR) {
		uint64_t addr = (c->addr + i) & UINT32_MAX;
		const struct hd_cache_if *l2 = g->l2.v[g->map->slice(g->map->self, addr)];

		l2->preset(l2->self, addr, ahead, 1);
	}
	g->copied += c->bytes;
}

void hd__grid_copy(struct grid *g, uint32_t item, uint32_t ahead)
{
	const struct hd_trace_copy *v;
	uint32_t n;

	if (!g->copies || !g->map || !g->l2.n)
		return;
	n = g->trace->copies(g->trace->self, item, &v);
	for (uint32_t i = 0; i < n; i++)
		copy(g, &v[i], ahead);
}

void hd__grid_use(struct grid *g, uint64_t addr, uint32_t i)
{
	if (g->l1d.n && !g->flush_l1d)
		grid_l1d(g, i)->preset(grid_l1d(g, i)->self, addr, 0, 1);
	if (g->map && g->l2.n) {
		const struct hd_cache_if *l2 = g->l2.v[g->map->slice(g->map->self, addr)];

		l2->preset(l2->self, addr, 0, 1);
	}
}

/* ---- CTAs ---- */

int hd__grid_opens(const struct grid *g, const struct hd_launch *k, uint64_t first, uint64_t *opens)
{
	return hd__kernel_opens(g->ctx, k, g->kernel_latency, g->cta_latency, first, opens);
}

uint32_t hd__grid_slots(const struct grid *g)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < g->sms; i++)
		most = grid_sm(g, i)->count > most ? grid_sm(g, i)->count : most;
	return most;
}

int hd__grid_too_large(const struct grid *g, const struct hd_launch *k)
{
	return hd_error(g->ctx, "kernel %" PRIu64 " '%s' does not fit on an SM: a block has "
	                "%u threads with %u registers each and %u bytes of shared memory; the "
	                "SM has %u threads, %u registers and %u bytes", k->id, k->name,
	                k->threads, k->nregs, k->shmem, hd__grid_slots(g) * HD_LANES,
	                g->registers, g->shared_bytes);
}

int hd__grid_load(const struct grid *g, struct hd_launch *k, uint64_t placed, uint32_t i,
                  uint32_t first)
{
	return hd__kernel_load(g->ctx, g->trace, k, placed, i * HD_TRACE_SM + first);
}

void hd__grid_start_cta(struct grid *g, const struct hd_launch *k, uint32_t i, uint32_t slot,
                        uint32_t first)
{
	hd__cta_start(g->trace, grid_sm(g, i), g->barrier.n ? g->barrier.v[i] : NULL, k, slot, first);
	g->flushed[i / g->cores] = false;
	*g->watch = (struct grid_watch){ .until = g->watch->until, .sm = i, .warp = first };
}

static bool stores(const struct grid *g, uint32_t i, uint32_t warp)
{
	const struct hd_warps *w = grid_sm(g, i);

	return w->stored[warp] < g->trace->stores(g->trace->self, w->traced + warp);
}

/* Has some warp still to store?  The same one is looked at first as long as it has. */
static bool any_stores(const struct grid *g)
{
	struct grid_watch *w = g->watch;

	if (w->none || stores(g, w->sm, w->warp))
		return !w->none;
	for (uint32_t n = 0; n < g->sms; n++) {
		uint32_t i = (w->sm + n) % g->sms;

		for (hd_warp_set m = ~grid_sm(g, i)->retired; m;) {
			uint32_t warp = hd_warp_pop(&m);

			if (!stores(g, i, warp))
				continue;
			w->sm = i;
			w->warp = warp;
			return true;
		}
	}
	w->none = true;
	return false;
}

/* Instructions that the resident warps of SM i have still to take, those of the longest warp in *most. */
static uint64_t left_on(const struct grid *g, uint32_t i, uint64_t *most)
{
	uint64_t all = 0;

	for (hd_warp_set m = ~grid_sm(g, i)->exited; m;) {
		uint32_t left = g->trace->left(g->trace->self, grid_sm(g, i)->traced + hd_warp_pop(&m));

		all += left;
		*most = left > *most ? left : *most;
	}
	return all;
}

/* Cycles that the warps need to take all their instructions. */
static uint64_t takes(const struct grid *g, uint64_t warps)
{
	uint64_t most = 0, busiest = 0, all = warps, cycles;

	for (uint32_t i = 0; i < g->sms; i++) {
		uint64_t here = left_on(g, i, &most);

		all += here;
		busiest = here > busiest ? here : busiest;
	}
	all = (all + g->sms - 1) / g->sms; /* on one SM at least */
	busiest = all > busiest ? all : busiest;
	cycles = busiest / g->sm_rate;
	return most / g->warp_rate > cycles ? most / g->warp_rate : cycles;
}

static void foresee(struct grid_watch *w, uint64_t edge)
{
	w->until = edge > w->until ? edge : w->until;
}

uint64_t hd__grid_lasts(const struct grid *g, uint64_t warps)
{
	struct grid_watch *w = g->watch;
	uint64_t now = hd_now(g->ctx);

	if (!g->trace->left)
		return 0;
	if (g->store_latency && any_stores(g))
		foresee(w, now + g->store_latency);
	if (w->until < now + ENOUGH)
		foresee(w, now + takes(g, warps));
	return w->until > now ? w->until - now : 0;
}

static bool cluster_empty(const struct grid *g, uint32_t x)
{
	for (uint32_t j = 0; j < g->cores; j++)
		if (grid_resident(g, x * g->cores + j) != 0)
			return false;
	return true;
}

void hd__grid_run(struct grid *g, bool left)
{
	for (uint32_t x = 0; x < g->work.n; x++) {
		const struct hd_cluster_if *c = g->work.v[x];
		bool works = left || !cluster_empty(g, x);

		if (works != g->works[x])
			c->work(c->self, works);
		g->works[x] = works;
	}
}

bool hd__grid_flush(struct grid *g)
{
	bool empty = true;

	for (uint32_t x = 0; x < g->clusters; x++) {
		if (!cluster_empty(g, x)) {
			empty = false;
			continue;
		}
		for (uint32_t i = x * g->cores; g->flush_l1d && g->l1d.n && !g->flushed[x]
		                                && i < (x + 1) * g->cores; i++)
			grid_l1d(g, i)->invalidate(grid_l1d(g, i)->self);
		g->flushed[x] = true;
	}
	/* the reference uses the number of channels as the number of slices */
	for (uint32_t i = 0; empty && g->flush_l2 && g->map && i < g->map->channels; i++)
		((const struct hd_cache_if *)g->l2.v[i])->flush(
			((const struct hd_cache_if *)g->l2.v[i])->self);
	return empty;
}

void hd__grid_end_kernel(struct grid *g, const struct hd_launch *k, uint64_t placed, uint64_t now)
{
	uint64_t issued = hd__grid_issued(g), cycles = now + 1 - g->began;

	hd__kernel_row(g->ctx, k, cycles, issued - g->uid, placed);
	hd_emit(g->ctx, EVENT_KERNEL, k->number, (int64_t)cycles, (int64_t)(issued - g->uid),
	        (int64_t)placed);
	g->kernels++;
	g->began = now + 1;
	g->uid = issued;
}

/* ---- start and end ---- */

static int check_ports(const struct grid *g)
{
	if (g->warps.n == 0 || g->warps.n % g->cores)
		return hd_error(g->ctx, "there are %u SMs at port 'warps' and %u in a cluster; expected "
		                "whole clusters", g->warps.n, g->cores);
	if (g->barrier.n && g->barrier.n != g->warps.n)
		return hd_error(g->ctx, "there are %u barriers for %u SMs; expected as many",
		                g->barrier.n, g->warps.n);
	if (g->l1d.n && g->l1d.n != g->warps.n)
		return hd_error(g->ctx, "there are %u L1Ds for %u SMs; expected as many", g->l1d.n,
		                g->warps.n);
	if (g->work.n && g->work.n != g->warps.n / g->cores)
		return hd_error(g->ctx, "%u clusters at port 'work' and %u SMs of %u in a cluster; "
		                "expected as many", g->work.n, g->warps.n, g->cores);
	if (g->map && g->l2.n && g->l2.n != g->map->channels * g->map->slices)
		return hd_error(g->ctx, "there are %u caches at port 'l2', and the address map has %u "
		                "slices; expected as many", g->l2.n, g->map->channels * g->map->slices);
	return 0;
}

static int claim(struct grid *g)
{
	for (uint32_t i = 0; i < g->sms; i++) {
		hd_warps_set_place(grid_sm(g, i), i, g->sms, i * HD_TRACE_SM);
		if (!hd_warps_claim(grid_sm(g, i), &grid_sm(g, i)->dispatch, g->ctx->self))
			return hd_error(g->ctx, "another dispatcher places CTAs on the same warps; expected "
			                "one");
	}
	if (!g->trace->claim(g->trace->self, g->sms))
		return hd_error(g->ctx, "another dispatcher takes kernels from the same trace; expected "
		                "a trace source for each");
	hd_expect_finish(g->ctx);
	return 0;
}

int hd__grid_start(struct grid *g)
{
	if (check_ports(g) != 0)
		return -1;
	g->sms = g->warps.n;
	g->clusters = g->sms / g->cores;
	g->last_cluster = g->clusters - 1;
	g->last_core = calloc(g->clusters, sizeof *g->last_core);
	g->flushed = calloc(g->clusters, sizeof *g->flushed);
	g->works = calloc(g->clusters, sizeof *g->works);
	g->cycle = calloc(g->sms, sizeof(const uint64_t *));
	g->watch = calloc(1, sizeof *g->watch);
	if (!g->last_core || !g->flushed || !g->works || !g->cycle || !g->watch)
		return hd_error(g->ctx, "out of memory");
	hd_cycles_of(g->ctx, PORT_WARPS, g->cycle, g->sms);
	for (uint32_t x = 0; x < g->clusters; x++)
		g->last_core[x] = g->cores - 1;
	for (uint32_t x = 0; x < g->work.n; x++) {
		const struct hd_cluster_if *c = g->work.v[x];

		c->place(c->self, x * g->cores);
	}
	hd__grid_run(g, true); /* there is a kernel, which begins with the first cycle */
	return claim(g);
}

void hd__grid_fini(struct grid *g)
{
	free(g->last_core);
	free(g->flushed);
	free(g->works);
	free(g->cycle);
	free(g->watch);
}

void hd__grid_saved(struct hd_checkpoint *k, struct grid *g)
{
	HD_SAVED(k, g->last_cluster);
	hd_saved(k, g->last_core, g->clusters * sizeof *g->last_core);
	hd_saved(k, g->works, g->clusters * sizeof *g->works);
	hd_saved(k, g->flushed, g->clusters * sizeof *g->flushed);
	HD_SAVED_FROM(k, g, began, uid);
}

/* ---- shared by their descriptors ---- */

#define P(f) offsetof(struct grid, f)

const struct hd_port hd__grid_ports[] = {
	[PORT_TRACE] = { .name = "trace", .doc = "kernels and thread blocks", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "the slots of each SM, in the order of their numbers",
	                 .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_WAKES | HD_WORK_IN,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "by SM: is notified of warps that never ran; "
		"open: nothing is notified", .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL,
	                   .type = &hd_type_barrier_if, .offset = P(barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "by SM: sized and dropped; open: neither",
	               .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL | HD_NO_WORK,
	               .type = &hd_type_cache_if, .offset = P(l1d) },
	[PORT_L2] = { .name = "l2", .doc = "by slice: gets what is copied to the device, and is flushed; "
	              "open: neither", .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL | HD_NO_WORK,
	              .type = &hd_type_cache_if, .offset = P(l2) },
	[PORT_MAP] = { .name = "map", .doc = "gives the slice of an address", .kind = HD_USES,
	               .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	[PORT_WORK] = { .name = "work", .doc = "by cluster: is notified whether it has work",
	                .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL,
	                .type = &hd_type_cluster_if, .offset = P(work) },
	{ .name = NULL },
};

const struct hd_stat hd__grid_stats[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "core cycles, of all kernels",
	  .offset = P(cycles) },
	{ .name = "kernels", .unit = "kernels", .doc = "kernels that ended", .offset = P(kernels) },
	{ .name = "copied", .unit = "bytes", .doc = "copied to the device", .offset = P(copied) },
	{ .name = NULL },
};

const struct hd_event hd__grid_events[] = {
	[EVENT_KERNEL] = { .name = "kernel", .doc = "a kernel has ended; its cycles are the last ones, up "
	                   "to this one", .fields = {
		{ "kernel", "", "position in the list of kernels", "kernel" },
		{ "cycles", "cycles", "that it took" },
		{ "instructions", "warp instructions", "issued in them" },
		{ "ctas", "CTAs", "that it placed" },
	} },
	{ .name = NULL },
};


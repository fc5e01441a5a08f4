/* dispatcher_grid_concurrent.c - places CTAs of kernels of several streams on all SMs of a GPU
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/gpu.md, Several kernels at a time.  Which kernels run, and which of them places CTAs, is
 * decided as by dispatcher_concurrent; which SM takes one, as by dispatcher_grid.  This is
 * decided again for each SM, so that the last CTA of one kernel and the first of the next may be
 * placed in one cycle.
 */
#include "dispatcher/grid.h"
#include "dispatcher/sm.h"
#include "dispatcher/window.h"

#include <stdlib.h>

/* Resources of an SM that are taken. */
struct use {
	struct hd_launch launch;      /* of the CTA that came last, for the other stages */
	uint32_t owner[HD_MAX_WARPS]; /* by CTA slot: item + 1 of its kernel, or 0 */
	uint64_t shared, registers;
	hd_warp_set warps;
	uint32_t ctas;
};

struct state {
	struct grid grid;
	struct window window;
	struct use *use;         /* by SM */
	bool started, done;
};

_Static_assert(offsetof(struct state, grid) == 0, "the tables of grid.h have offsets in it");

/* ---- kernels ---- */

/* Fills the window and launches the kernels that may run.  `first`: first cycle that counts for them. */
static int launch_kernels(struct state *st, uint64_t first)
{
	const struct hd_trace_if *t = st->grid.trace;
	struct window_kernel *k;

	while (hd__window_grows(&st->window, t)) {
		/* copies take effect when the kernel after them enters the window, not when it is launched */
		hd__grid_copy(&st->grid, st->window.next, first != hd_now(st->grid.ctx));
		if (hd__window_grow(&st->window, t) != 0)
			return -1;
	}
	while ((k = hd__window_launch(&st->window)) != NULL)
		if (hd__grid_opens(&st->grid, &k->launch, first, &k->opens) != 0)
			return -1;
	return 0;
}

/* One kernel that has ended leaves the window; its row counts the cycles since the last one. */
static bool end_kernel(struct state *st, uint64_t now)
{
	struct window_kernel *k = hd__window_ended(&st->window);

	if (!k)
		return false;
	hd__grid_end_kernel(&st->grid, &k->launch, k->placed, now);
	hd__window_drop(&st->window, k);
	return true;
}

/* ---- CTAs ---- */

/* First free range of the CTA's size, or the number of slots if there is none. */
static uint32_t find_room(const struct state *st, uint32_t i, uint32_t n)
{
	uint32_t count = grid_sm(&st->grid, i)->count;

	for (uint32_t first = 0; first + n <= count; first += n)
		if (!(st->use[i].warps & hd_warp_range(first, n)))
			return first;
	return count;
}

static bool fits(const struct state *st, uint32_t i, const struct hd_launch *k)
{
	const struct use *u = &st->use[i];

	return u->ctas < st->grid.max_ctas && u->shared + k->shmem <= st->grid.shared_bytes
	       && u->registers + hd__sm_cta_registers(k) <= st->grid.registers
	       && find_room(st, i, k->warps) < grid_sm(&st->grid, i)->count;
}

/* A CTA that does not fit on an empty SM would wait forever. */
static int check(struct state *st, struct window_kernel *k)
{
	const struct hd_launch *l = &k->launch;

	k->checked = true;
	if (l->warps && l->warps <= hd__grid_slots(&st->grid) && l->shmem <= st->grid.shared_bytes
	    && hd__sm_cta_registers(l) <= st->grid.registers)
		return 0;
	return hd__grid_too_large(&st->grid, l);
}

/* Returns 1; 0 if the trace has no more; -1 after a message. */
static int place_cta(struct state *st, struct window_kernel *k, uint32_t i)
{
	struct use *u = &st->use[i];
	uint32_t n = k->launch.warps, first = find_room(st, i, n), slot = 0;
	struct hd_launch launch;
	int got;

	if (hd__window_open(&st->window, st->grid.trace, k, &launch) != 0)
		return -1;
	got = hd__grid_load(&st->grid, &k->launch, k->placed, i, first);
	if (got <= 0)
		return got;
	while (u->owner[slot])
		slot++;
	u->owner[slot] = k->item + 1;
	u->warps |= hd_warp_range(first, n);
	u->shared += k->launch.shmem;
	u->registers += hd__sm_cta_registers(&k->launch);
	u->ctas++;
	u->launch = k->launch;
	hd_warps_set_launch(grid_sm(&st->grid, i), &u->launch, st->grid.max_ctas);
	hd__grid_start_cta(&st->grid, &k->launch, i, slot, first);
	k->placed++;
	k->resident++;
	return 1;
}

/* The cluster's next SM on which a CTA of the selected kernel fits takes it.  Returns -1 after a
 * message. */
static int serve_cluster(struct state *st, uint32_t x, uint64_t now)
{
	struct grid *g = &st->grid;

	for (uint32_t j = 0; j < g->cores; j++) {
		uint32_t core = (j + g->last_core[x] + 1) % g->cores, i = x * g->cores + core;
		struct window_kernel *k = hd__window_select(&st->window, now);
		int got;

		if (!k)
			return 0;
		if (!k->checked && check(st, k) != 0)
			return -1;
		if (!fits(st, i, &k->launch))
			continue;
		got = place_cta(st, k, i);
		if (got > 0) {
			g->last_core[x] = core;
			g->last_cluster = x;
			return 0;
		}
		if (got < 0)
			return -1;
		if (k->resident == 0)
			hd__window_done(&st->window, k); /* its trace was shorter than its grid */
	}
	return 0;
}

static int place_ctas(struct state *st, uint64_t now)
{
	uint32_t last = st->grid.last_cluster;

	for (uint32_t i = 0; i < st->grid.clusters; i++)
		if (serve_cluster(st, (i + last + 1) % st->grid.clusters, now) != 0)
			return -1;
	return 0;
}

/* Frees the resources of CTAs that have retired since the last edge. */
static void collect_ctas(struct state *st, uint32_t i)
{
	const struct hd_warps *w = grid_sm(&st->grid, i);
	struct use *u = &st->use[i];

	u->warps = 0;
	for (uint32_t slot = 0; slot < st->grid.max_ctas; slot++) {
		struct window_kernel *k;

		u->warps |= w->cta_warps[slot];
		if (!u->owner[slot] || w->cta_warps[slot])
			continue;
		k = hd__window_of(&st->window, u->owner[slot] - 1);
		u->owner[slot] = 0;
		u->ctas--;
		u->shared -= k->launch.shmem;
		u->registers -= hd__sm_cta_registers(&k->launch);
		if (--k->resident == 0 && k->placed == k->launch.ctas)
			hd__window_done(&st->window, k);
	}
}

/* ---- a cycle ---- */

static bool can_place(struct state *st, uint64_t now)
{
	const struct window_kernel *k = hd__window_select(&st->window, now);

	for (uint32_t i = 0; k && i < st->grid.sms; i++)
		if (fits(st, i, &k->launch))
			return true;
	return false;
}

/* Edges until there may be work, unless a CTA retires before. */
static uint64_t rest(struct state *st, uint64_t now)
{
	uint64_t next = HD_SLEEP;

	if (can_place(st, now + 1))
		return HD_NEXT;
	for (uint32_t i = 0; i < st->window.n; i++) {
		const struct window_kernel *k = &st->window.v[i];

		if (k->phase == WINDOW_ENDED)
			return HD_NEXT;
		if (k->phase == WINDOW_RUNS && k->opens > now && k->opens - now < next)
			next = k->opens - now;
	}
	return next;
}

static bool ctas_left(const struct state *st)
{
	for (uint32_t i = 0; i < st->window.n; i++)
		if (st->window.v[i].phase == WINDOW_RUNS && st->window.v[i].placed < st->window.v[i].launch.ctas)
			return true;
	return false;
}

static uint64_t step(struct state *st)
{
	struct grid *g = &st->grid;
	uint64_t now = hd_now(g->ctx);
	bool empty;

	if (!st->started && launch_kernels(st, now) != 0)
		return HD_SLEEP;
	st->started = true;
	for (uint32_t i = 0; i < g->sms; i++)
		if (st->use[i].ctas != grid_sm(g, i)->cta_count)
			collect_ctas(st, i);
	if (place_ctas(st, now) != 0)
		return HD_SLEEP;
	empty = hd__grid_flush(g);
	if (end_kernel(st, now) && launch_kernels(st, now + 1) != 0)
		return HD_SLEEP;
	hd_progress(g->ctx, (double)g->kernels, (double)g->trace->kernels(g->trace->self));
	if (st->window.n == 0) {
		st->done = true;
		hd_finish(g->ctx);
		return HD_SLEEP;
	}
	/* requests in flight may still use the cache */
	return empty && g->flush_l2 ? HD_NEXT : rest(st, now);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next;

	if (st->done)
		return HD_SLEEP;
	st->grid.cycles++;
	next = step(st);
	hd__grid_run(&st->grid, ctas_left(st));
	return next;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (!st->done)
		st->grid.cycles += n;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->grid.ctx = ctx;
	return hd__window_init(&st->window, ctx);
}

static int start(void *state)
{
	struct state *st = state;

	if (hd__kernel_never_skips(st->grid.ctx) != 0 || hd__grid_start(&st->grid) != 0)
		return -1;
	st->use = calloc(st->grid.sms, sizeof *st->use);
	return st->use ? 0 : hd_error(st->grid.ctx, "out of memory");
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	hd__window_report_pending(h, &st->window);
}

static void fini(void *state)
{
	struct state *st = state;

	hd__grid_fini(&st->grid);
	hd__window_fini(&st->window);
	free(st->use);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd__window_saved(k, &st->window);
	HD_SAVED_FROM(k, st, started, done);
	hd__grid_saved(k, &st->grid);
	for (uint32_t i = 0; i < st->grid.sms; i++) {
		hd_launch_saved(k, &st->use[i].launch);
		HD_SAVED_FROM(k, &st->use[i], owner, ctas);
		hd_warps_launch_saved(k, grid_sm(&st->grid, i), &st->use[i].launch);
	}
}

static const struct hd_param params[] = {
	GRID_PARAMS(struct state),
	{ .name = "window", .unit = "kernels", .doc = "kernels of the list that are considered, and that "
	  "may run, at a time", .type = HD_U32, .offset = offsetof(struct state, window.size),
	  .def = "32", .min = 1, .max = 1024 },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher_grid_concurrent = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher_grid_concurrent",
	.doc = "launches kernels of several streams and places their CTAs on all SMs of a GPU side by side",
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
};

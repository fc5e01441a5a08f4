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

#include <stdlib.h>

enum phase { WAITS, RUNS, ENDED };

/* A kernel of the window. */
struct kernel {
	struct hd_launch launch;
	uint64_t opens;    /* edge from which its CTAs may be placed */
	uint64_t placed;
	uint32_t item;     /* in the trace's list */
	uint32_t resident; /* CTAs on all SMs */
	enum phase phase;
	bool checked;      /* a CTA of it fits on an empty SM */
};

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
	uint32_t window;

	struct kernel *kernel;   /* in the order of the list */
	uint32_t nkernels, next; /* in the window; next item of the list */
	uint32_t *table;         /* running ones by place: item + 1, or 0 */
	uint32_t last_place;     /* of the kernel that was considered last */
	uint32_t open_item;      /* item + 1 whose blocks the trace gives, or 0 */
	struct use *use;         /* by SM */
	bool started, done;
};

_Static_assert(offsetof(struct state, grid) == 0, "the tables of grid.h have offsets in it");

static struct kernel *of_item(struct state *st, uint32_t item)
{
	for (uint32_t i = 0; i < st->nkernels; i++)
		if (st->kernel[i].item == item)
			return &st->kernel[i];
	return NULL;
}

/* ---- kernels ---- */

static bool stream_busy(const struct state *st, uint64_t stream)
{
	for (uint32_t i = 0; i < st->nkernels; i++)
		if (st->kernel[i].phase == RUNS && st->kernel[i].launch.stream == stream)
			return true;
	return false;
}

static bool take_place(struct state *st, uint32_t item)
{
	for (uint32_t i = 0; i < st->window; i++) {
		if (st->table[i] == 0) {
			st->table[i] = item + 1;
			return true;
		}
	}
	return false;
}

/* Copies take effect when the kernel after them enters the window, not when it is launched. */
static int fill_window(struct state *st, uint64_t first)
{
	const struct hd_trace_if *t = st->grid.trace;

	for (; st->nkernels < st->window && st->next < t->kernels(t->self); st->next++) {
		struct kernel *k = &st->kernel[st->nkernels];

		*k = (struct kernel){ .item = st->next };
		hd__grid_copy(&st->grid, st->next, first != hd_now(st->grid.ctx));
		if (t->peek(t->self, st->next, &k->launch) < 0)
			return -1;
		st->nkernels++;
	}
	return 0;
}

/* Launches the kernels that may run.  `first`: first cycle that counts for them. */
static int launch_kernels(struct state *st, uint64_t first)
{
	if (fill_window(st, first) != 0)
		return -1;
	for (uint32_t i = 0; i < st->nkernels; i++) {
		struct kernel *k = &st->kernel[i];

		if (k->phase != WAITS || stream_busy(st, k->launch.stream)
		    || !take_place(st, k->item))
			continue;
		k->phase = RUNS;
		if (hd__grid_opens(&st->grid, &k->launch, first, &k->opens) != 0)
			return -1;
	}
	return 0;
}

/* The kernel that may place a CTA now, or NULL. */
static struct kernel *select_kernel(struct state *st, uint64_t now)
{
	for (uint32_t i = 0; i < st->window; i++) {
		uint32_t place = (st->last_place + i) % st->window;
		struct kernel *k = st->table[place] ? of_item(st, st->table[place] - 1) : NULL;

		if (k && k->placed < k->launch.ctas && now >= k->opens) {
			st->last_place = place;
			return k;
		}
	}
	return NULL;
}

static void kernel_done(struct state *st, struct kernel *k)
{
	k->phase = ENDED;
	for (uint32_t i = 0; i < st->window; i++)
		if (st->table[i] == k->item + 1)
			st->table[i] = 0;
}

/* One kernel that has ended leaves the window; its row counts the cycles since the last one. */
static bool end_kernel(struct state *st, uint64_t now)
{
	uint32_t i = 0;

	while (i < st->nkernels && st->kernel[i].phase != ENDED)
		i++;
	if (i == st->nkernels)
		return false;
	hd__grid_end_kernel(&st->grid, &st->kernel[i].launch, st->kernel[i].placed, now);
	for (st->nkernels--; i < st->nkernels; i++)
		st->kernel[i] = st->kernel[i + 1];
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
static int check(struct state *st, struct kernel *k)
{
	const struct hd_launch *l = &k->launch;

	k->checked = true;
	if (l->warps && l->warps <= grid_sm(&st->grid, 0)->count && l->shmem <= st->grid.shared_bytes
	    && hd__sm_cta_registers(l) <= st->grid.registers)
		return 0;
	return hd__grid_too_large(&st->grid, l);
}

static int open_kernel(struct state *st, const struct kernel *k)
{
	struct hd_launch launch;

	if (st->open_item == k->item + 1)
		return 0;
	st->open_item = k->item + 1;
	return st->grid.trace->open(st->grid.trace->self, k->item, &launch) > 0 ? 0 : -1;
}

/* Returns 1; 0 if the trace has no more; -1 after a message. */
static int place_cta(struct state *st, struct kernel *k, uint32_t i)
{
	struct use *u = &st->use[i];
	uint32_t n = k->launch.warps, first = find_room(st, i, n), slot = 0;
	int got;

	if (open_kernel(st, k) != 0)
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
		struct kernel *k = select_kernel(st, now);
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
			kernel_done(st, k); /* its trace was shorter than its grid */
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
		struct kernel *k;

		u->warps |= w->cta_warps[slot];
		if (!u->owner[slot] || w->cta_warps[slot])
			continue;
		k = of_item(st, u->owner[slot] - 1);
		u->owner[slot] = 0;
		u->ctas--;
		u->shared -= k->launch.shmem;
		u->registers -= hd__sm_cta_registers(&k->launch);
		if (--k->resident == 0 && k->placed == k->launch.ctas)
			kernel_done(st, k);
	}
}

/* ---- a cycle ---- */

static bool can_place(struct state *st, uint64_t now)
{
	const struct kernel *k = select_kernel(st, now);

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
	for (uint32_t i = 0; i < st->nkernels; i++) {
		const struct kernel *k = &st->kernel[i];

		if (k->phase == ENDED)
			return HD_NEXT;
		if (k->phase == RUNS && k->opens > now && k->opens - now < next)
			next = k->opens - now;
	}
	return next;
}

static bool ctas_left(const struct state *st)
{
	for (uint32_t i = 0; i < st->nkernels; i++)
		if (st->kernel[i].phase == RUNS && st->kernel[i].placed < st->kernel[i].launch.ctas)
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
	if (st->nkernels == 0) {
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
	st->kernel = calloc(st->window, sizeof *st->kernel);
	st->table = calloc(st->window, sizeof *st->table);
	return st->kernel && st->table ? 0 : hd_error(ctx, "out of memory");
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

	for (uint32_t i = 0; i < st->nkernels; i++) {
		const struct kernel *k = &st->kernel[i];

		hd__sm_report_pending(h, &k->launch, k->placed, k->resident);
	}
}

static void fini(void *state)
{
	struct state *st = state;

	hd__grid_fini(&st->grid);
	free(st->kernel);
	free(st->table);
	free(st->use);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	for (uint32_t i = 0; i < st->window; i++) {
		hd_launch_saved(k, &st->kernel[i].launch);
		HD_SAVED_FROM(k, &st->kernel[i], opens, checked);
	}
	st->nkernels = (uint32_t)hd_saved_number(k, st->nkernels, st->window);
	HD_SAVED(k, st->next);
	hd_saved(k, st->table, st->window * sizeof *st->table);
	HD_SAVED_FROM(k, st, last_place, open_item);
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
	  "may run, at a time", .type = HD_U32, .offset = offsetof(struct state, window),
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

/* dispatcher_concurrent.c - launches kernels of several streams and places their CTAs side by side
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, K9 to K11.  Of the next `window` kernels those run whose stream is
 * free.  One of them at a time places its CTAs, as long as it has any: the one that did so last,
 * else the next of the table.  A CTA goes to the first warp slots that are a multiple of its size
 * and free.  One edge is the end of one core cycle: at most one CTA is placed, one kernel ends.
 */
#include "dispatcher/sm.h"
#include "dispatcher/window.h"

struct state {
	struct sm sm;
	struct window window;
	struct hd_launch present;  /* of that item, for the other stages */
	uint32_t owner[HD_MAX_WARPS]; /* by CTA slot: item + 1 of its kernel, or 0 */
	uint64_t used_shared, used_registers;
	hd_warp_set used_warps;
	uint32_t used_ctas;
	bool started, done;
};

_Static_assert(offsetof(struct state, sm) == 0, "hd__sm_stats has offsets in it");

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D };

/* First free range of the CTA's size, or the number of slots if there is none. */
static uint32_t find_room(const struct state *st, uint32_t n)
{
	uint32_t first = 0;

	for (; first + n <= st->sm.warps->count; first += n)
		if (!(st->used_warps & hd_warp_range(first, n)))
			return first;
	return st->sm.warps->count;
}

static bool fits(const struct state *st, const struct hd_launch *k)
{
	return find_room(st, k->warps) < st->sm.warps->count
	       && st->used_shared + k->shmem <= st->sm.shared_bytes
	       && st->used_registers + hd__sm_cta_registers(k) <= st->sm.registers
	       && st->used_ctas < st->sm.max_ctas;
}

/* A CTA that does not fit on an empty SM would wait forever. */
static int check(struct state *st, struct window_kernel *k)
{
	const struct hd_launch *l = &k->launch;

	k->checked = true;
	if (l->warps && l->warps <= st->sm.warps->count && l->shmem <= st->sm.shared_bytes
	    && hd__sm_cta_registers(l) <= st->sm.registers)
		return 0;
	return hd__sm_too_large(&st->sm, l);
}

/* Fills the window and launches the kernels that may run.  `now`: first cycle that counts for
 * it. */
static int launch_kernels(struct state *st, uint64_t now)
{
	struct window_kernel *k;

	while (hd__window_grows(&st->window, st->sm.trace))
		if (hd__window_grow(&st->window, st->sm.trace) != 0)
			return -1;
	while ((k = hd__window_launch(&st->window)) != NULL)
		if (hd__sm_opens(&st->sm, &k->launch, now, &k->opens) != 0)
			return -1;
	return 0;
}

static int place_cta(struct state *st, struct window_kernel *k)
{
	uint32_t n = k->launch.warps, first = find_room(st, n), slot = 0;
	int got = hd__window_open(&st->window, st->sm.trace, k, &st->present);

	if (got == 0)
		got = hd__sm_load(&st->sm, &k->launch, k->placed, first);
	if (got <= 0)
		return got;
	while (st->owner[slot])
		slot++;
	st->owner[slot] = k->item + 1;
	st->used_warps |= hd_warp_range(first, n);
	st->used_shared += k->launch.shmem;
	st->used_registers += hd__sm_cta_registers(&k->launch);
	st->used_ctas++;
	hd_warps_set_launch(st->sm.warps, &st->present, st->sm.max_ctas);
	hd__sm_start(&st->sm, &k->launch, slot, first);
	k->placed++;
	k->resident++;
	return 0;
}

/* Frees the resources of CTAs that have retired since the last edge. */
static void collect_ctas(struct state *st)
{
	hd_warp_set used = 0;

	for (uint32_t slot = 0; slot < st->sm.max_ctas; slot++) {
		struct window_kernel *k;

		used |= st->sm.warps->cta_warps[slot];
		if (!st->owner[slot] || st->sm.warps->cta_warps[slot])
			continue;
		k = hd__window_of(&st->window, st->owner[slot] - 1);
		st->owner[slot] = 0;
		st->used_ctas--;
		st->used_shared -= k->launch.shmem;
		st->used_registers -= hd__sm_cta_registers(&k->launch);
		if (--k->resident == 0 && k->placed == k->launch.ctas)
			hd__window_done(&st->window, k);
	}
	st->used_warps = used;
}

/* One kernel that has ended leaves the window; its row counts the cycles since the last one. */
static bool end_kernel(struct state *st, uint64_t now)
{
	struct window_kernel *k = hd__window_ended(&st->window);

	if (!k)
		return false;
	hd__sm_end_kernel(&st->sm, &k->launch, k->placed, now);
	hd__window_drop(&st->window, k);
	return true;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t now = hd_now(st->sm.ctx);
	struct window_kernel *k;

	if (st->done)
		return HD_SLEEP;
	st->sm.cycles++;
	if (!st->started) {
		st->started = true;
		if (launch_kernels(st, now) != 0)
			return HD_SLEEP;
	}
	collect_ctas(st);
	k = hd__window_select(&st->window, now);
	if (k && !k->checked && check(st, k) != 0)
		return HD_SLEEP;
	if (k && fits(st, &k->launch) && place_cta(st, k) != 0)
		return HD_SLEEP;
	if (k && k->placed == k->launch.ctas && k->resident == 0)
		hd__window_done(&st->window, k); /* its trace was shorter than its grid */
	hd__sm_flush(&st->sm);
	if (end_kernel(st, now) && launch_kernels(st, now + 1) != 0)
		return HD_SLEEP;
	hd_progress(st->sm.ctx, (double)st->sm.kernels, (double)st->sm.trace->kernels(st->sm.trace->self));
	if (st->window.n == 0) {
		st->done = true;
		hd_finish(st->sm.ctx);
		return HD_SLEEP;
	}
	return HD_NEXT;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->sm.ctx = ctx;
	return hd__window_init(&st->window, ctx);
}

static int start(void *state)
{
	struct state *st = state;

	return hd__kernel_never_skips(st->sm.ctx) != 0 ? -1 : hd__sm_claim(&st->sm);
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	hd__window_report_pending(h, &st->window);
}

static void fini(void *state)
{
	struct state *st = state;

	hd__window_fini(&st->window);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	hd__window_saved(k, &st->window);
	hd_launch_saved(k, &st->present);
	HD_SAVED_FROM(k, st, owner, done);
	hd__sm_saved(k, &st->sm, &st->present);
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of the SM", .type = HD_U32,
	  .offset = P(sm.shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX },
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of the SM",
	  .type = HD_U32, .offset = P(sm.registers), .def = "65536", .min = 1, .max = UINT32_MAX },
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on the SM at once",
	  .type = HD_U32, .offset = P(sm.max_ctas), .def = "32", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its "
	  "first CTA", .type = HD_U32, .offset = P(sm.kernel_latency), .def = "0", .min = 0,
	  .max = UINT32_MAX },
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid",
	  .type = HD_U32, .offset = P(sm.cta_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = "window", .unit = "kernels", .doc = "kernels of the list that are "
	  "considered, and that may run, at a time", .type = HD_U32, .offset = P(window.size),
	  .def = "32", .min = 1,
	  .max = 1024 },
	{ .name = "flush_l1d", .unit = "", .doc = "flush the L1D whenever the SM is empty",
	  .type = HD_BOOL, .offset = P(sm.flush_l1d), .def = "true" },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_TRACE] = { .name = "trace", .doc = "kernels and thread blocks", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(sm.trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "the SM's slots", .kind = HD_USES, .flags = HD_WORK_IN,
	                 .type = &hd_type_warps, .offset = P(sm.warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "is notified of warps that never "
		"run", .kind = HD_USES,
	                   .type = &hd_type_barrier_if, .offset = P(sm.barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "dropped; open: never", .kind = HD_USES,
	               .flags = HD_OPTIONAL | HD_NO_WORK, .type = &hd_type_cache_if, .offset = P(sm.l1d) },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher_concurrent = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher_concurrent",
	.doc = "launches kernels of several streams and places their CTAs on the SM side by side",
	.params = params,
	.ports = ports,
	.stats = hd__sm_stats,
	.events = hd__sm_events,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.report_pending = report_pending,
	.fini = fini,
	.checkpoint = checkpoint,
};

/* dispatcher.c - launches kernels and places their CTAs on the SMs of a GPU, or on a single one
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, K1 to K11, and docs/gpu.md, GK1 to GK13.  One edge is the end of one core cycle.
 * The window holds the next kernels of the list that have not ended: one, or with 'concurrent'
 * several, of which those run whose stream is free.  One of them at a time places its CTAs: the one
 * that did so last as long as it has any, else the next of the table.
 */
#include <heddle/ahead.h>
#include <heddle/gpu/cache.h>
#include <heddle/gpu/cluster.h>
#include <heddle/gpu/map.h>
#include <heddle/gpu/sync.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

#include <inttypes.h>
#include <math.h>

#define SECTOR 32u
#define ACCESSES (HD_INST_LOAD | HD_INST_STORE | HD_INST_ATOMIC | HD_INST_COPY)
#define MAX_CYCLES (UINT64_C(1) << 48) /* to wait for a kernel's first CTA */
#define ENOUGH 64u /* cycles that are foreseen: more are not looked for in all warps */
#define FEW 4u     /* with fewer nothing runs ahead: warps have only less to take, so they are not looked at again */

enum phase { WAITS, RUNS, ENDED };

/* A kernel of the window. */
struct kernel {
	struct hd_launch launch;
	uint64_t opens;    /* edge from which its CTAs may be placed */
	uint64_t placed;   /* CTAs */
	uint64_t launched; /* first edge that counts for it */
	uint64_t issued;   /* instructions of its CTAs that have ended, with 'concurrent' */
	uint64_t ended;    /* CTAs that have retired */
	uint64_t wave[2];  /* edges at which the last two waves of them had, the latest first; 0: not yet */
	uint64_t left;     /* CTAs that are not simulated, since the rate was stable */
	uint64_t saved;    /* cycles that they would take at that rate */
	uint32_t item;     /* in the trace's list */
	uint32_t resident; /* CTAs that have not retired */
	uint32_t max_cta;  /* CTAs of it that fit on an SM; 0: not known yet */
	uint32_t cluster;  /* CTAs that are placed at once */
	enum phase phase;
};

/* What is taken of an SM. */
struct use {
	struct hd_launch launch;      /* of the CTA that came last, without texts; for the stages */
	uint32_t owner[HD_MAX_WARPS]; /* by CTA slot: item + 1 of its kernel, or 0 */
	uint64_t shared, registers;
	hd_warp_set warps;
	uint32_t ctas;
};

/* How far the end of the present kernel has been foreseen.  Whatever is found holds until then. */
struct watch {
	uint64_t until;    /* the kernel ends in this edge at the earliest */
	uint32_t sm, warp; /* where a store was left, or a CTA came last; */
	bool none;         /* and since then no store has been left anywhere, */
	bool few;          /* and what warps have to take may be over in FEW cycles */
};

struct state {
	struct hd_ctx *ctx;
	const struct hd_trace_if *trace;
	struct hd_ifs warps, barrier, l1d, l2, work;
	const struct hd_map_if *map;
	uint32_t size, shared_bytes, registers, max_ctas, kernel_latency, cta_latency, cores,
	         warp_rate, sm_rate, store_latency, unified_kb;
	struct hd_list shared_options, gpcs;
	bool concurrent, ignore_limits, flush_l1d, flush_l2, flush_launch, copies;

	struct kernel *window;   /* in the order of the list */
	uint32_t n;              /* kernels in it */
	uint32_t *table;         /* running ones by place: item + 1, or 0 */
	uint32_t next;           /* item of the list */
	uint32_t last_place;     /* of the kernel that was selected last */
	uint32_t open_item;      /* item + 1 whose blocks the trace gives, or 0 */
	uint32_t last_cluster;   /* that got a CTA */
	uint32_t last_gpc;       /* that got a cluster of CTAs */
	uint32_t placed_clusters;
	uint64_t began;          /* first edge behind the end of the kernel before */
	uint64_t uid;            /* instructions issued until then */
	bool started, done;

	uint32_t sms, clusters;
	uint32_t *last_core;     /* by cluster */
	const uint64_t **cycle;  /* by SM: the present one; NULL: it has no clock */
	bool *works;             /* by cluster: its clock runs */
	bool *flushed;           /* by cluster: nothing was placed since its L1Ds were dropped */
	struct use *use;         /* by SM */
	struct watch *watch;     /* one */
	uint64_t cycles, kernels, copied;
	double stable;           /* hd_stable() */
};

enum { PORT_TRACE, PORT_WARPS, PORT_BARRIER, PORT_L1D, PORT_L2, PORT_MAP, PORT_WORK };
enum { EVENT_KERNEL };

static struct hd_warps *sm(const struct state *st, uint32_t i)
{
	return (struct hd_warps *)st->warps.v[i];
}

/* Warp slots of the SM that has most. */
static uint32_t slots(const struct state *st)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < st->sms; i++)
		most = sm(st, i)->count > most ? sm(st, i)->count : most;
	return most;
}

/* CTAs on SM i, if it is over with none but those of which the present cycle tells; else
 * UINT32_MAX.  Where partitions run ahead the SM may have run on to the next end, or does so at the
 * same time, and then waits for the dispatcher. */
static uint32_t resident(const struct state *st, uint32_t i)
{
	uint64_t ended;
	uint32_t n = hd_warps_resident(sm(st, i), &ended);

	return st->cycle[i] && ended > *st->cycle[i] ? UINT32_MAX : n;
}

static bool cluster_empty(const struct state *st, uint32_t x)
{
	for (uint32_t j = 0; j < st->cores; j++)
		if (resident(st, x * st->cores + j) != 0)
			return false;
	return true;
}

/* ---- caches ---------------------------------------------------------------------------------- */

static const struct hd_cache_if *slice(const struct state *st, uint64_t addr)
{
	return st->l2.v[st->map->slice(st->map->self, addr)];
}

/* The copies to the device in front of that kernel of the list take effect, `ahead` cycles from
 * now.  The reference keeps 32 bits of an address; and each sector makes all later accesses of its
 * slice one cycle younger in the order of replacement. */
static void bring_copies(struct state *st, uint32_t item, uint32_t ahead)
{
	const struct hd_trace_copy *v;
	uint32_t n;

	if (!st->copies || !st->map || !st->l2.n)
		return;
	n = st->trace->copies(st->trace->self, item, &v);
	for (uint32_t k = 0; k < n; k++) {
		for (uint64_t i = 0; i < v[k].bytes; i += SECTOR) {
			uint64_t addr = (v[k].addr + i) & UINT32_MAX;
			const struct hd_cache_if *l2 = slice(st, addr);

			l2->preset(l2->self, addr, ahead, 1);
		}
		st->copied += v[k].bytes;
	}
}

/* A sector that a skipped kernel uses on SM i comes into the caches that outlive a kernel. */
static void use_sector(struct state *st, uint64_t addr, uint32_t i)
{
	const struct hd_cache_if *l1d = st->l1d.n ? st->l1d.v[i] : NULL;

	if (l1d && !st->flush_l1d)
		l1d->preset(l1d->self, addr, 0, 1);
	if (st->map && st->l2.n) {
		const struct hd_cache_if *l2 = slice(st, addr);

		l2->preset(l2->self, addr, 0, 1);
	}
}

/* The sectors that the lanes address, without repeating that of the lane before. */
static void use_sectors(struct state *st, const struct hd_inst *inst, uint32_t i)
{
	uint64_t last = UINT64_MAX;

	for (uint64_t m = inst->mask; m;) {
		uint64_t addr = hd_inst_addr(inst, hd_bits_pop(&m)), first = addr - addr % SECTOR;
		uint64_t bytes = addr - first + (inst->width ? inst->width
		                                 : 1u); /* which may end with the highest address */

		for (uint64_t k = 0; addr != 0 && k < bytes; k += SECTOR) {
			if (first + k != last)
				use_sector(st, first + k, i);
			last = first + k;
		}
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
		for (uint32_t j = 0; st->flush_l1d && st->l1d.n && !st->flushed[x]
		     && j < st->cores; j++) {
			const struct hd_cache_if *l1d = st->l1d.v[x * st->cores + j];

			l1d->invalidate(l1d->self);
		}
		st->flushed[x] = true;
	}
	/* the reference uses the number of channels as the number of slices */
	for (uint32_t i = 0; empty && st->flush_l2 && st->map && i < st->map->channels; i++) {
		const struct hd_cache_if *l2 = st->l2.v[i];

		l2->flush(l2->self);
	}
	return empty;
}

/* Empties all caches in front of a kernel, as a profiler does.  What is in flight still comes. */
static void empty_caches(const struct state *st)
{
	for (uint32_t i = 0; i < st->l1d.n + st->l2.n; i++) {
		const struct hd_cache_if *c = i < st->l1d.n ? st->l1d.v[i] : st->l2.v[i - st->l1d.n];

		c->invalidate(c->self);
	}
}

/* Divides the unified memory: the smallest sufficient shared part, the rest is L1D. */
static int split_memory(const struct state *st, const struct kernel *k)
{
	uint64_t need = (uint64_t)k->launch.shmem * k->max_cta;
	uint32_t best = UINT32_MAX;

	if (!st->shared_options.n || !st->l1d.n)
		return 0;
	for (uint32_t i = 0; i < st->shared_options.n; i++) {
		uint32_t kb = st->shared_options.v[i];

		if ((uint64_t)kb * 1024 >= need && kb < best)
			best = kb;
	}
	if (best == UINT32_MAX)
		return hd_error(st->ctx, "kernel %" PRIu64 " needs %" PRIu64 " bytes of shared "
		                "memory for %u CTAs; expected one of 'shared_options' to hold them",
		                k->launch.id, need, k->max_cta);
	for (uint32_t i = 0; i < st->l1d.n; i++) {
		const struct hd_cache_if *l1d = st->l1d.v[i];
		/* the share of its ways, rounded to the nearest */
		uint64_t twice = 2 * (uint64_t)l1d->max_ways * (st->unified_kb - best);
		uint64_t ways = (twice + st->unified_kb) / (2 * (uint64_t)st->unified_kb);

		if (ways == 0)
			return hd_error(st->ctx, "%u KB of shared memory leave no L1D; expected "
			                "'shared_options' below 'unified'", best);
		l1d->set_ways(l1d->self, (uint32_t)ways, need > 0);
	}
	return 0;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Loads the next CTA onto the trace's warps from `first` on.  Returns 1; 0 if the trace has no
 * more, with a warning, and the kernel then has as many as it had placed; -1 after a message. */
static int load_cta(const struct state *st, struct hd_launch *k, uint64_t placed, uint32_t first)
{
	int got = st->trace->next_cta(st->trace->self, first);

	if (got == 0) {
		hd_warn(st->ctx, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks in the "
		        "trace and %" PRIu64 " in its grid", k->id, k->name, placed, k->ctas);
		k->ctas = placed;
	}
	return got;
}

/* Reads a kernel that is not simulated, whose CTAs are on the SMs in turn.  Returns -1 after a
 * message. */
static int skip(struct state *st, struct hd_launch *k)
{
	const struct hd_trace_if *t = st->trace;
	struct hd_inst inst;

	for (uint64_t cta = 0; cta < k->ctas; cta++) {
		if (load_cta(st, k, cta, 0) < 0)
			return -1;
		for (uint32_t warp = 0; cta < k->ctas && warp < k->warps; warp++)
			while (t->next(t->self, warp, &inst))
				if ((inst.flags & ACCESSES) && inst.space == HD_SPACE_GLOBAL)
					use_sectors(st, &inst, (uint32_t)(cta % st->sms));
	}
	return 0;
}

static int refuse_skipping(const struct state *st)
{
	return hd_error(st->ctx, "--skip-kernels and --plan expect kernels that run one after another; this netlist's "
	                "dispatcher runs several at a time");
}

/* The next kernel, which may begin `ahead` cycles from now. */
static int next_kernel(const struct state *st, struct kernel *k, uint32_t ahead)
{
	const struct hd_trace_if *t = st->trace;

	*k = (struct kernel){ .item = st->next };
	if (!st->concurrent && t->ended_at && st->ctx->rate)
		t->ended_at(t->self, (uint64_t)((double)(hd_now(st->ctx) + ahead) * 1e12 / (double)st->ctx->rate));
	if (!st->concurrent)
		return t->next_kernel(t->self, &k->launch);
	return t->peek(t->self, st->next, &k->launch);
}

/* Puts the next kernel that is simulated into the window.  Returns 1; 0: there is none; -1 after a
 * message. */
static int grow(struct state *st, uint32_t ahead)
{
	struct kernel *k = &st->window[st->n];
	int got;

	while ((got = next_kernel(st, k, ahead)) > 0) {
		bring_copies(st, st->next++, ahead);
		if (!hd_skips(st->ctx, k->launch.number)) {
			st->n++;
			return 1;
		}
		if (st->concurrent)
			return refuse_skipping(st);
		if (hd_warms(st->ctx, k->launch.number) && skip(st, &k->launch) != 0)
			return -1;
	}
	/* those behind the last kernel are read while it runs */
	if (got == 0 && st->concurrent && st->next == st->trace->kernels(st->trace->self))
		bring_copies(st, st->next++, ahead);
	return got;
}

static bool stream_busy(const struct state *st, uint64_t stream)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (st->window[i].phase == RUNS && st->window[i].launch.stream == stream)
			return true;
	return false;
}

static void take_place(struct state *st, uint32_t item)
{
	uint32_t place = 0;

	while (st->table[place] != 0)
		place++;
	st->table[place] = item + 1;
}

static int launch(struct state *st, struct kernel *k, uint64_t first)
{
	const struct hd_launch *l = &k->launch;

	if (st->cta_latency && l->ctas > MAX_CYCLES / st->cta_latency)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' has %" PRIu64 " thread blocks of "
		                "%u cycles 'cta_latency' each; expected at most %" PRIu64
		                " cycles in all", l->id, l->name, l->ctas, st->cta_latency,
		                MAX_CYCLES);
	take_place(st, k->item);
	k->phase = RUNS;
	k->launched = first;
	for (uint32_t i = 0; i < st->sms; i++)
		sm(st, i)->launch_kernel(sm(st, i)->self, l->number);
	k->opens = first + st->kernel_latency + l->ctas * st->cta_latency;
	return 0;
}

/* Fills the window and launches the kernels that may run, from cycle `first` on; without any the
 * dispatcher is done. Returns false then, and after a message. */
static bool launch_kernels(struct state *st, uint64_t first)
{
	int got = 1;

	while (got > 0 && st->n < st->size)
		got = grow(st, first != hd_now(st->ctx));
	if (got < 0)
		return false;
	for (uint32_t i = 0; i < st->n; i++)
		if (st->window[i].phase == WAITS && !stream_busy(st, st->window[i].launch.stream)
		    && launch(st, &st->window[i], first) != 0)
			return false;
	if (st->n > 0)
		return true;
	st->done = true;
	hd_finish(st->ctx);
	return false;
}

static struct kernel *kernel_of(struct state *st, uint32_t item)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (st->window[i].item == item)
			return &st->window[i];
	return NULL;
}

/* The kernel that may place a CTA in that cycle, or NULL. */
static struct kernel *select_kernel(struct state *st, uint64_t now)
{
	for (uint32_t i = 0; i < st->size; i++) {
		uint32_t place = (st->last_place + i) % st->size;
		struct kernel *k = st->table[place] ? kernel_of(st, st->table[place] - 1) : NULL;

		if (k && k->placed < k->launch.ctas && now >= k->opens) {
			st->last_place = place;
			return k;
		}
	}
	return NULL;
}

/* The last CTA of the kernel has retired: its place is free. */
static void leave_place(struct state *st, struct kernel *k)
{
	k->phase = ENDED;
	for (uint32_t i = 0; i < st->size; i++)
		if (st->table[i] == k->item + 1)
			st->table[i] = 0;
}

static void report_kernel(struct state *st, const struct kernel *k, uint64_t now)
{
	uint64_t cycles = now + 1 - k->launched, uid = 0, issued;

	for (uint32_t i = 0; i < st->sms; i++)
		uid += sm(st, i)->uid;
	issued = st->concurrent ? k->issued : uid - st->uid;
	hd_row_part(st->ctx, "kernels", k->launch.number, (const struct hd_cell[]){
		{ "id", NULL, k->launch.id },
		{ "name", k->launch.name, 0 },
		{ "cycles", NULL, cycles },
		{ "warp_instructions", NULL, issued },
		{ "thread_blocks", NULL, k->placed },
		{ st->concurrent ? "stream" : "thread_blocks_left", NULL, st->concurrent ? k->launch.stream : k->left },
		{ st->concurrent ? "first_cycle" : "cycles_left", NULL, st->concurrent ? k->launched : k->saved },
		{ "interval_cycles", NULL, now + 1 - st->began },
	}, st->concurrent ? 8 : st->stable > 0 ? 7 : 5);
	hd_emit(st->ctx, EVENT_KERNEL, k->launch.number, (int64_t)cycles, (int64_t)issued, (int64_t)k->placed);
	st->kernels++;
	st->began = now + 1;
	st->uid = uid;
}

/* One kernel that has ended leaves the window. */
static bool end_kernel(struct state *st, uint64_t now)
{
	struct kernel *k = st->window, *end = st->window + st->n;

	while (k < end && k->phase != ENDED)
		k++;
	if (k == end)
		return false;
	report_kernel(st, k, now);
	memmove(k, k + 1, (size_t)(end - k - 1) * sizeof *k);
	st->n--;
	return true;
}

/* ---- room ------------------------------------------------------------------------------------ */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Registers that a CTA takes: those of a thread in steps of four, of whole warps. */
static uint64_t cta_registers(const struct hd_launch *k)
{
	return (uint64_t)k->warps * HD_LANES * ((k->nregs + UINT64_C(3)) / 4 * 4);
}

/* CTAs that the slots of all SMs of the GPU hold, of each SM `n` at most. */
static uint64_t held(const struct state *st, const struct hd_launch *k, uint64_t n)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < st->sms; i++)
		all += least(n, sm(st, i)->count / k->warps);
	return all * (sm(st, 0)->sms / st->sms); /* a single SM may stand for several */
}

/* ---- GPCs: KL1 ---- */

static uint32_t gpcs(const struct state *st)
{
	return st->gpcs.n ? st->gpcs.n : 1;
}

static uint32_t gpc_sms(const struct state *st, uint32_t g)
{
	return st->gpcs.n ? st->gpcs.v[g] : st->sms < UINT8_MAX ? st->sms : UINT8_MAX;
}

static uint32_t gpc_first(const struct state *st, uint32_t g)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < g; i++)
		first += gpc_sms(st, i);
	return first;
}

/* CTAs that an empty GPC holds, the one that holds most, of each SM `n` at most. */
static uint64_t gpc_held(const struct state *st, const struct hd_launch *k, uint64_t n)
{
	uint64_t most = 0;

	for (uint32_t g = 0, i = 0; g < gpcs(st); g++) {
		uint64_t all = 0;

		for (uint32_t end = i + gpc_sms(st, g); i < end; i++)
			all += least(n, sm(st, i)->count / k->warps);
		most = all > most ? all : most;
	}
	return most;
}

static uint64_t cluster_of(const struct hd_launch *k)
{
	return k->cluster[0] ? (uint64_t)k->cluster[0] * k->cluster[1] * k->cluster[2] : 1;
}

/* CTAs of the kernel that fit on one SM at once, on the one with most slots. */
static uint64_t occupancy(const struct state *st, const struct hd_launch *k)
{
	uint64_t n = least(slots(st) / k->warps, st->max_ctas);

	if (k->shmem)
		n = least(n, st->shared_bytes / k->shmem);
	if (k->nregs)
		n = least(n, st->registers / cta_registers(k));
	if (n == 0 && st->ignore_limits && !st->concurrent)
		n = 1;
	while (!st->concurrent && n > 1 && held(st, k, n - 1) >= k->ctas && gpc_held(st, k, n - 1) >= cluster_of(k))
		n--;
	return n;
}

/* Finds how many CTAs of the kernel fit on an SM; with other kernels beside it there are fewer. */
static int size_kernel(const struct state *st, struct kernel *k)
{
	const struct hd_launch *l = &k->launch;
	uint32_t most = slots(st);

	if (l->warps == 0 || l->warps > most)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' has %u warps per block; expected "
		                "at most the SM's %u", l->id, l->name, l->warps, most);
	k->max_cta = (uint32_t)occupancy(st, l);
	if (k->max_cta == 0)
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' does not fit on %s SM: a block "
		                "has %u threads with %u registers each and %u bytes of shared "
		                "memory; the SM has %u threads, %u registers and %u bytes", l->id,
		                l->name, st->sms == 1 ? "this" : "an", l->threads, l->nregs,
		                l->shmem, most * HD_LANES, st->registers, st->shared_bytes);
	if (cluster_of(l) > HD_MOST_CLUSTER || cluster_of(l) > gpc_held(st, l, k->max_cta))
		return hd_error(st->ctx, "kernel %" PRIu64 " '%s' has clusters of %" PRIu64 " thread blocks; expected "
		                "at most %" PRIu64 ", which a GPC of this netlist holds at once", l->id, l->name,
		                cluster_of(l), least(HD_MOST_CLUSTER, gpc_held(st, l, k->max_cta)));
	k->cluster = (uint32_t)cluster_of(l);
	if (st->flush_launch)
		empty_caches(st);
	return st->concurrent ? 0 : split_memory(st, k);
}

/* First free range of the CTA's size, or the number of slots if there is none. */
static uint32_t find_room(const struct state *st, uint32_t i, uint32_t n)
{
	uint32_t count = sm(st, i)->count;

	for (uint32_t first = 0; first + n <= count; first += n)
		if (!(st->use[i].warps & hd_warp_range(first, n)))
			return first;
	return count;
}

static bool fits(const struct state *st, uint32_t i, const struct kernel *k)
{
	const struct use *u = &st->use[i];
	uint32_t n = resident(st, i);

	if (!st->concurrent)
		return n < k->max_cta && (n + 1) * k->launch.warps <= sm(st, i)->count;
	return n < st->max_ctas && u->shared + k->launch.shmem <= st->shared_bytes
	       && u->registers + cta_registers(&k->launch) <= st->registers
	       && find_room(st, i, k->launch.warps) < sm(st, i)->count;
}

/* CTAs for which an SM has room, of a kernel whose CTAs come in clusters. */
static uint32_t room_on(const struct state *st, uint32_t i, const struct kernel *k)
{
	uint32_t n = resident(st, i), most = sm(st, i)->count / k->launch.warps;

	if (!fits(st, i, k))
		return 0;
	return st->concurrent ? 1 : (most < k->max_cta ? most : k->max_cta) - n;
}

static uint32_t room_in(const struct state *st, uint32_t g, const struct kernel *k)
{
	uint32_t n = 0, i = gpc_first(st, g);

	for (uint32_t end = i + gpc_sms(st, g); i < end; i++)
		n += room_on(st, i, k);
	return n;
}

static bool fits_anywhere(const struct state *st, const struct kernel *k)
{
	if (HD_UNLIKELY(k->cluster > 1)) {
		for (uint32_t g = 0; g < gpcs(st); g++)
			if (room_in(st, g, k) >= k->cluster)
				return true;
		return false;
	}
	for (uint32_t i = 0; i < st->sms; i++)
		if (fits(st, i, k))
			return true;
	return false;
}

/* ---- CTAs ------------------------------------------------------------------------------------ */

/* Has the trace give the blocks of the kernel from now on.  Returns 0, or -1 after a message. */
static int open_kernel(struct state *st, const struct kernel *k)
{
	struct hd_launch same;

	if (!st->concurrent || st->open_item == k->item + 1)
		return 0;
	st->open_item = k->item + 1;
	return st->trace->open(st->trace->self, k->item, &same) > 0 ? 0 : -1;
}

/* Starts the CTA that was loaded onto these warps of SM i. */
static void start_cta(struct state *st, const struct hd_launch *k, uint32_t i, uint32_t slot,
                      uint32_t first)
{
	const struct hd_trace_if *t = st->trace;
	const struct hd_barrier_if *barrier = st->barrier.n ? st->barrier.v[i] : NULL;
	struct hd_warps *w = sm(st, i);

	hd_warps_set_block(w, slot, t->block(t->self));
	w->launch_cta(w->self, slot, first);
	for (uint32_t warp = first; warp < first + k->warps; warp++) {
		hd_warp_set_npc(w, warp, t->pc(t->self, w->traced + warp));
		/* warps that never ran count as ended */
		if (t->ended(t->self, w->traced + warp)
		    && hd_warp_exit_lanes(w, warp, w->lanes[warp]) && barrier)
			barrier->leave(barrier->self, warp);
	}
	st->flushed[i / st->cores] = false;
	*st->watch = (struct watch){ .until = st->watch->until, .sm = i, .warp = first };
}

/* The CTA slot that the next CTA on SM i has. */
static uint32_t next_slot(const struct state *st, uint32_t i)
{
	uint32_t slot = 0;

	while (st->use[i].owner[slot])
		slot++;
	return slot;
}

/* c: its cluster; NULL: it is one alone.  Returns 1; 0 if the trace has no more; -1 after a message. */
static int place_cta(struct state *st, struct kernel *k, uint32_t i, const struct hd_cta_cluster *c)
{
	struct use *u = &st->use[i];
	uint32_t n = k->launch.warps, first = find_room(st, i, n), slot = next_slot(st, i);
	struct hd_cta_cluster alone = { .size = 1, .slot = { (uint8_t)slot } };
	uint32_t in_gpc = i;
	int got;

	if (open_kernel(st, k) != 0)
		return -1;
	got = load_cta(st, &k->launch, k->placed, i * HD_TRACE_SM + first);
	if (got <= 0)
		return got;
	if (!c) {
		for (uint32_t g = 0; in_gpc >= gpc_sms(st, g); g++)
			in_gpc -= gpc_sms(st, g);
		alone.sm[0] = (uint8_t)in_gpc;
		alone.serial = ++st->placed_clusters;
		c = &alone;
	}
	hd_warps_set_cluster(sm(st, i), slot, c);
	u->owner[slot] = k->item + 1;
	u->warps |= hd_warp_range(first, n);
	u->shared += k->launch.shmem;
	u->registers += cta_registers(&k->launch);
	u->ctas++;
	u->launch = k->launch;
	u->launch.name = u->launch.file = NULL; /* they are gone before it is */
	hd_warps_set_launch(sm(st, i), &u->launch, st->concurrent ? st->max_ctas : k->max_cta);
	start_cta(st, &k->launch, i, slot, first);
	k->placed++;
	k->resident++;
	return 1;
}

/* The cluster's next SM on which a CTA of the selected kernel fits takes it.  Returns -1 after a
 * message. */
static int serve_cluster(struct state *st, uint32_t x, uint64_t now)
{
	for (uint32_t j = 0; j < st->cores; j++) {
		uint32_t core = (j + st->last_core[x] + 1) % st->cores, i = x * st->cores + core;
		struct kernel *k = select_kernel(st, now);
		int got;

		if (!k)
			return 0;
		if (k->max_cta == 0 && size_kernel(st, k) != 0)
			return -1;
		if (!fits(st, i, k))
			continue;
		got = place_cta(st, k, i, NULL);
		if (got > 0) {
			st->last_core[x] = core;
			st->last_cluster = x;
			return 0;
		}
		if (got < 0)
			return -1;
		if (k->resident == 0)
			leave_place(st, k); /* its trace was shorter than its grid */
	}
	return 0;
}

/* KL3: each CTA comes on the SM that has the fewest, those with lower numbers first. */
static void plan_cluster(const struct state *st, const struct kernel *k, uint32_t g, struct hd_cta_cluster *c)
{
	uint32_t first = gpc_first(st, g), n = gpc_sms(st, g);
	uint8_t planned[UINT8_MAX + 1] = { 0 };

	*c = (struct hd_cta_cluster){ .size = (uint8_t)k->cluster, .serial = st->placed_clusters };
	for (uint32_t rank = 0; rank < k->cluster; rank++) {
		uint32_t best = n, ctas = UINT32_MAX;

		for (uint32_t i = 0; i < n; i++)
			if (planned[i] < room_on(st, first + i, k) && st->use[first + i].ctas + planned[i] < ctas) {
				ctas = st->use[first + i].ctas + planned[i];
				best = i;
			}
		c->sm[rank] = (uint8_t)best;
		planned[best]++;
	}
	for (uint32_t rank = 0; rank < k->cluster; rank++) { /* in the order in which they are placed */
		const struct use *u = &st->use[first + c->sm[rank]];
		uint32_t before = 0, slot = 0;

		for (uint32_t other = 0; other < rank; other++)
			before += c->sm[other] == c->sm[rank];
		while (u->owner[slot] || before--)
			slot++;
		c->slot[rank] = (uint8_t)slot;
	}
}

/* KL2: is the block that was loaded last that of this rank, in the cluster of the block `lead`? */
static int check_rank(const struct state *st, const struct kernel *k, uint32_t rank, uint64_t *lead)
{
	const uint32_t *grid = k->launch.grid, *c = k->launch.cluster;
	uint64_t block = st->trace->block(st->trace->self), number, stride = 1;
	uint64_t in[3] = { rank % c[0], rank / c[0] % c[1], rank / c[0] / c[1] };

	if (rank == 0) {
		uint64_t at[3] = { block % grid[0], block / grid[0] % grid[1], block / grid[0] / grid[1] };

		*lead = block;
		if (at[0] % c[0] == 0 && at[1] % c[1] == 0 && at[2] % c[2] == 0)
			return 0;
	}
	number = *lead;
	for (int i = 0; i < 3; i++) {
		number += in[i] * stride;
		stride *= grid[i];
	}
	if (rank > 0 && number == block)
		return 0;
	return hd_error(st->ctx, "kernel %" PRIu64 " '%s': block %" PRIu64 " has come in the place of rank %u of a "
	                "cluster; expected the blocks of a cluster one after another, by their ranks", k->launch.id,
	                k->launch.name, block, rank);
}

static int place_cluster(struct state *st, struct kernel *k, uint32_t g)
{
	struct hd_cta_cluster c;
	uint64_t lead = 0;

	st->placed_clusters++;
	plan_cluster(st, k, g, &c);
	for (uint32_t rank = 0; rank < k->cluster; rank++) {
		int got;

		c.rank = (uint8_t)rank;
		got = place_cta(st, k, gpc_first(st, g) + c.sm[rank], &c);
		if (got <= 0)
			return got;
		if (check_rank(st, k, rank, &lead) != 0)
			return -1;
	}
	st->last_gpc = g;
	return 1;
}

/* Each GPC may get a cluster of the kernel, the one with most room first, of equal ones the next behind the last. */
static int place_clusters(struct state *st, struct kernel *k)
{
	hd_warp_set served = 0; /* GPCs */

	while (k->placed < k->launch.ctas) {
		uint32_t best = gpcs(st), most = k->cluster - 1;
		int got;

		for (uint32_t j = 1; j <= gpcs(st); j++) {
			uint32_t g = (st->last_gpc + j) % gpcs(st), room = hd_warp_in(served, g) ? 0 : room_in(st, g,
			  k);

			if (room > most) {
				most = room;
				best = g;
			}
		}
		if (best == gpcs(st))
			return 0;
		served |= hd_warp_bit(best);
		got = place_cluster(st, k, best);
		if (got < 0)
			return -1;
		if (got == 0 && k->resident == 0)
			leave_place(st, k); /* its trace was shorter than its grid */
	}
	return 0;
}

static int place_ctas(struct state *st, uint64_t now)
{
	uint32_t last = st->last_cluster;
	struct kernel *k = select_kernel(st, now);

	if (!k)
		return 0;
	if (k->max_cta == 0 && k->launch.cluster[0] && size_kernel(st, k) != 0)
		return -1;
	if (k->cluster > 1)
		return place_clusters(st, k);
	for (uint32_t i = 0; i < st->clusters; i++)
		if (serve_cluster(st, (i + last + 1) % st->clusters, now) != 0)
			return -1;
	return 0;
}

/* CTAs that the GPU holds at once make a wave.  Once two waves, one after the other, have taken the same time, all
 * others of the kernel do: no further CTA is placed. */
static void look_at_rate(struct state *st, struct kernel *k, uint64_t now)
{
	uint64_t n = held(st, &k->launch, k->max_cta), took, before;

	if (n == 0 || k->ended % n != 0 || k->left)
		return;
	took = now - k->wave[0];
	before = k->wave[0] - k->wave[1];
	if (k->wave[1] && fabs((double)took - (double)before) <= st->stable * (double)took) {
		k->left = k->launch.ctas - k->placed;
		k->saved = (uint64_t)((double)k->left * (double)(took + before) / (2 * (double)n) + 0.5);
		k->launch.ctas = k->placed;
	}
	k->wave[1] = k->wave[0];
	k->wave[0] = now;
}

/* Frees what CTAs had that have retired since the last edge. */
static void collect_ctas(struct state *st, uint32_t i)
{
	const struct hd_warps *w = sm(st, i);
	struct use *u = &st->use[i];

	u->warps = 0;
	for (uint32_t slot = 0, n = u->ctas; n > 0; slot++) {
		struct kernel *k;

		if (!u->owner[slot])
			continue;
		n--;
		u->warps |= w->cta_warps[slot];
		if (w->cta_warps[slot])
			continue;
		k = kernel_of(st, u->owner[slot] - 1);
		u->owner[slot] = 0;
		k->issued += w->cta_issued[slot];
		u->ctas--;
		u->shared -= k->launch.shmem;
		u->registers -= cta_registers(&k->launch);
		k->ended++;
		if (st->stable > 0 && k->placed < k->launch.ctas)
			look_at_rate(st, k, hd_now(st->ctx));
		if (--k->resident == 0 && k->placed == k->launch.ctas)
			leave_place(st, k);
	}
}

static bool ctas_left(const struct state *st)
{
	for (uint32_t i = 0; i < st->n; i++)
		if (st->window[i].phase == RUNS && st->window[i].placed < st->window[i].launch.ctas)
			return true;
	return false;
}

/* ---- a cycle --------------------------------------------------------------------------------- */

/* Clusters have cycles as long as there are CTAs to place or one of their own has not ended. */
static void run_clusters(struct state *st, bool left)
{
	for (uint32_t x = 0; x < st->work.n; x++) {
		const struct hd_cluster_if *c = st->work.v[x];
		bool works = left || !cluster_empty(st, x);

		if (works != st->works[x])
			c->work(c->self, works);
		st->works[x] = works;
	}
}

static void report_progress(const struct state *st)
{
	uint64_t done = st->kernels, total;

	if (st->concurrent)
		total = st->trace->kernels(st->trace->self);
	else
		st->trace->position(st->trace->self, &done, &total);
	hd_progress(st->ctx, (double)done, (double)total);
}

/* Edges until there may be work, unless a CTA retires before. */
static uint64_t rest(struct state *st, uint64_t now)
{
	const struct kernel *k = select_kernel(st, now + 1);
	uint64_t next = HD_SLEEP;

	if (k && (k->max_cta == 0 || fits_anywhere(st, k)))
		return HD_NEXT;
	for (uint32_t i = 0; i < st->n; i++) {
		k = &st->window[i];
		if (k->phase == ENDED)
			return HD_NEXT;
		if (k->phase == RUNS && k->opens > now)
			next = least(next, k->opens - now);
	}
	return next;
}

static uint64_t step(struct state *st)
{
	uint64_t now = hd_now(st->ctx);
	bool empty;

	if (!st->started && !launch_kernels(st, now))
		return HD_SLEEP;
	st->started = true;
	for (uint32_t i = 0; i < st->sms; i++)
		if (resident(st, i) < st->use[i].ctas)
			collect_ctas(st, i);
	if (place_ctas(st, now) != 0)
		return HD_SLEEP;
	report_progress(st);
	empty = flush(st);
	if (end_kernel(st, now) && !launch_kernels(st, now + 1))
		return HD_SLEEP;
	/* requests in flight may still use the cache */
	return empty && st->flush_l2 ? HD_NEXT : rest(st, now);
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	uint64_t next;

	if (st->done)
		return HD_SLEEP;
	st->cycles++;
	next = step(st);
	run_clusters(st, ctas_left(st));
	return next;
}

static void skipped(void *state, uint64_t n)
{
	struct state *st = state;

	if (!st->done)
		st->cycles += n;
}

static void report_pending(const void *state, struct hd_pending *h)
{
	const struct state *st = state;

	for (uint32_t i = 0; i < st->n; i++) {
		const struct kernel *k = &st->window[i];

		hd_report_pending(h, "kernel %" PRIu64 " '%s': %" PRIu64 " of %" PRIu64
		                  " CTAs placed, %u not ended", k->launch.id, k->launch.name,
		                  k->placed, k->launch.ctas, k->resident);
	}
}

/* ---- how long nothing is placed and no kernel ends ------------------------------------------- */

static bool stores(const struct state *st, uint32_t i, uint32_t warp)
{
	const struct hd_warps *w = sm(st, i);

	return w->stored[warp] < st->trace->stores(st->trace->self, w->traced + warp);
}

/* Has some warp still to store?  The same one is looked at first as long as it has. */
static bool any_stores(const struct state *st)
{
	struct watch *at = st->watch;

	if (at->none || stores(st, at->sm, at->warp))
		return !at->none;
	for (uint32_t n = 0; n < st->sms; n++) {
		uint32_t i = (at->sm + n) % st->sms;

		for (hd_warp_set m = ~sm(st, i)->retired; m;) {
			uint32_t warp = hd_warp_pop(&m);

			if (!stores(st, i, warp))
				continue;
			at->sm = i;
			at->warp = warp;
			return true;
		}
	}
	at->none = true;
	return false;
}

/* Instructions that the resident warps of SM i have still to take, those of the longest warp in
 * *most. */
static uint64_t left_on(const struct state *st, uint32_t i, uint64_t *most)
{
	uint64_t all = 0;

	for (hd_warp_set m = ~sm(st, i)->exited; m;) {
		uint32_t warp = sm(st, i)->traced + hd_warp_pop(&m);
		uint32_t left = st->trace->left(st->trace->self, warp);

		all += left;
		*most = left > *most ? left : *most;
	}
	return all;
}

/* Cycles that the warps need to take all their instructions; `warps` of them are still to be
 * placed. */
static uint64_t takes(const struct state *st, uint64_t warps)
{
	uint64_t most = 0, busiest = 0, all = warps, cycles;

	for (uint32_t i = 0; i < st->sms; i++) {
		uint64_t here = left_on(st, i, &most);

		all += here;
		busiest = here > busiest ? here : busiest;
	}
	all = (all + st->sms - 1) / st->sms; /* on one SM at least */
	busiest = all > busiest ? all : busiest;
	cycles = busiest / st->sm_rate;
	return most / st->warp_rate > cycles ? most / st->warp_rate : cycles;
}

static void foresee(struct watch *w, uint64_t edge)
{
	w->until = edge > w->until ? edge : w->until;
}

/* When a CTA ends, another one is placed on that SM.  A kernel ends with the last one.  Called
 * between two edges, at which all SMs are as far. */
static uint64_t apart(const void *state)
{
	const struct state *st = state;
	const struct kernel *k = st->window;
	struct watch *w = st->watch;
	uint64_t now = hd_now(st->ctx), left;

	if (st->concurrent || st->n == 0 || st->flush_l2)
		return 0;
	if (now + 1 < k->opens)
		return k->opens - now - 1;
	left = k->launch.ctas - k->placed;
	if (k->max_cta == 0 || (left > 0 && fits_anywhere(st, k)) || !st->trace->left)
		return 0;
	if (st->store_latency && any_stores(st))
		foresee(w, now + st->store_latency);
	if (!w->few && w->until < now + ENOUGH) {
		uint64_t more = takes(st, st->stable > 0 ? 0 : left * k->launch.warps); /* which may be left out */

		w->few = more < FEW;
		foresee(w, now + more);
	}
	return w->until > now ? w->until - now : 0;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->stable = hd_stable(ctx);
	if (st->concurrent && st->stable > 0)
		return hd_error(ctx, "--stable expects kernels that run one after another; 'concurrent' is true");
	if (st->concurrent)
		hd_parts_overlap(ctx);
	if (st->concurrent || (st->warps.n == 1 && !st->l2.n && !st->work.n))
		hd_not_apart(ctx); /* it has nothing to foresee, or nothing else to run ahead of */
	if (st->concurrent && st->flush_launch)
		return hd_error(ctx, "'flush_launch' expects kernels that run one after another; "
		                "'concurrent' is true");
	for (uint32_t i = 0; i < st->shared_options.n; i++)
		if (st->shared_options.v[i] > st->unified_kb)
			return hd_error(ctx, "'shared_options' has %u KB and 'unified' is %u KB; "
			                "expected no more than that", st->shared_options.v[i],
			                st->unified_kb);
	st->size = st->concurrent ? st->size : 1;
	st->window = hd_memory(ctx, st->size, sizeof *st->window);
	st->table = hd_memory(ctx, st->size, sizeof *st->table);
	return st->window && st->table ? 0 : hd_error(ctx, "out of memory");
}

static int check_ports(const struct state *st)
{
	uint32_t sms = st->warps.n, in_gpcs = 0;

	if (sms == 0 || sms % st->cores)
		return hd_error(st->ctx, "there are %u SMs at port 'warps' and %u in a cluster; "
		                "expected whole clusters", sms, st->cores);
	if (st->barrier.n && st->barrier.n != sms)
		return hd_error(st->ctx, "there are %u barriers for %u SMs; expected as many",
		                st->barrier.n, sms);
	if (st->l1d.n && st->l1d.n != sms)
		return hd_error(st->ctx, "there are %u L1Ds for %u SMs; expected as many: one that two SMs share is "
		                "linked twice, as by \"l1d\": \"l1d.cache, l1d.cache\" in \"exports\"", st->l1d.n, sms);
	if (st->work.n && st->work.n != sms / st->cores)
		return hd_error(st->ctx, "%u clusters at port 'work' and %u SMs of %u in a "
		                "cluster; expected as many", st->work.n, sms, st->cores);
	for (uint32_t g = 0; g < st->gpcs.n; g++)
		in_gpcs += st->gpcs.v[g];
	if (st->gpcs.n && (in_gpcs != sms || st->gpcs.n > HD_MAX_WARPS))
		return hd_error(st->ctx, "'gpcs' has %u SMs in %u GPCs, and there are %u; expected each SM in one of "
		        "at most %u", in_gpcs, st->gpcs.n, sms, HD_MAX_WARPS);
	if (st->map && st->l2.n && st->l2.n != st->map->channels * st->map->slices)
		return hd_error(st->ctx, "there are %u caches at port 'l2', and the address map "
		                "has %u slices; expected as many", st->l2.n,
		                st->map->channels * st->map->slices);
	return 0;
}

static int claim(const struct state *st)
{
	for (uint32_t i = 0; i < st->sms; i++) {
		if (st->sms > 1) /* else its parameters say which one it is */
			hd_warps_set_place(sm(st, i), i, st->sms, i * HD_TRACE_SM);
		if (!hd_warps_claim(sm(st, i), &sm(st, i)->dispatch, st->ctx->self))
			return hd_error(st->ctx, "another dispatcher places CTAs on the same "
			                "warps; expected one");
	}
	if (!st->trace->claim(st->trace->self, st->sms))
		return hd_error(st->ctx, "another dispatcher takes kernels from the same trace; "
		                "expected a trace source for each");
	hd_expect_finish(st->ctx);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;
	uint64_t first, last;

	hd_input_range(st->ctx, &first, &last);
	if (st->concurrent && hd_skips(st->ctx, first))
		return refuse_skipping(st);
	if (check_ports(st) != 0)
		return -1;
	st->sms = st->warps.n;
	st->clusters = st->sms / st->cores;
	st->last_cluster = st->clusters - 1;
	st->last_gpc = gpcs(st) - 1;
	st->last_core = hd_memory(st->ctx, st->clusters, sizeof *st->last_core);
	st->flushed = hd_memory(st->ctx, st->clusters, sizeof *st->flushed);
	st->works = hd_memory(st->ctx, st->clusters, sizeof *st->works);
	st->cycle = hd_memory(st->ctx, st->sms, sizeof(const uint64_t *));
	st->use = hd_memory(st->ctx, st->sms, sizeof *st->use);
	st->watch = hd_memory(st->ctx, 1, sizeof *st->watch);
	if (!st->last_core || !st->flushed || !st->works || !st->cycle || !st->use || !st->watch)
		return hd_error(st->ctx, "out of memory");
	hd_cycles_of(st->ctx, PORT_WARPS, st->cycle, st->sms);
	for (uint32_t x = 0; x < st->clusters; x++)
		st->last_core[x] = st->cores - 1;
	for (uint32_t x = 0; x < st->work.n; x++) {
		const struct hd_cluster_if *c = st->work.v[x];

		c->place(c->self, x * st->cores);
	}
	run_clusters(st, true); /* there is a kernel, which begins with the first cycle */
	return claim(st);
}

static void checkpoint(void *state, struct hd_checkpoint *k)
{
	struct state *st = state;

	st->n = (uint32_t)hd_saved_number(k, st->n, st->size);
	for (uint32_t i = 0; i < st->size; i++) {
		hd_launch_saved(k, &st->window[i].launch);
		HD_SAVED_FROM(k, &st->window[i], opens, phase);
	}
	hd_saved(k, st->table, st->size * sizeof *st->table);
	HD_SAVED_FROM(k, st, next, done);
	hd_saved(k, st->last_core, st->clusters * sizeof *st->last_core);
	hd_saved(k, st->works, st->clusters * sizeof *st->works);
	hd_saved(k, st->flushed, st->clusters * sizeof *st->flushed);
	for (uint32_t i = 0; i < st->sms; i++) {
		hd_launch_saved(k, &st->use[i].launch);
		HD_SAVED_FROM(k, &st->use[i], owner, ctas);
		hd_warps_launch_saved(k, sm(st, i), &st->use[i].launch);
	}
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "concurrent", .unit = "", .doc = "kernels of several streams run side by side; "
	  "unified memory is not divided then", .type = HD_BOOL, .offset = P(concurrent),
	  .def = "false" },
	{ .name = "window", .unit = "kernels", .doc = "with 'concurrent': kernels of the list that "
	  "are considered, and that may run, at a time", .type = HD_U32, .offset = P(size),
	  .def = "32", .min = 1, .max = 1024 },
	{ .name = "cores", .unit = "SMs", .doc = "SMs in a cluster: each cluster takes one CTA a "
	  "cycle", .type = HD_U32, .offset = P(cores), .def = "1", .min = 1, .max = 64 },
	{ .name = "gpcs", .unit = "SMs", .doc = "SMs of each GPC, in their order: CTAs of a cluster are placed on "
	        "those of one, all at once; none: all SMs are one", .type = HD_U32S, .offset = P(gpcs), .def = "[]",
	        .min = 1,
	  .max = 255 },
	{ .name = "shared_bytes", .unit = "bytes", .doc = "shared memory of an SM", .type = HD_U32,
	  .offset = P(shared_bytes), .def = "98304", .min = 0, .max = UINT32_MAX },
	{ .name = "registers", .unit = "registers", .doc = "32-bit registers of an SM",
	  .type = HD_U32, .offset = P(registers), .def = "65536", .min = 1, .max = UINT32_MAX },
	{ .name = "max_ctas", .unit = "CTAs", .doc = "CTAs that may be on an SM at once",
	  .type = HD_U32, .offset = P(max_ctas), .def = "32", .min = 1, .max = HD_MAX_WARPS },
	{ .name = "ignore_limits", .unit = "", .doc = "place one CTA even if it exceeds registers "
	  "or shared memory; not with 'concurrent'", .type = HD_BOOL, .offset = P(ignore_limits),
	  .def = "false" },
	{ .name = "kernel_latency", .unit = "cycles", .doc = "from the launch of a kernel to its "
	  "first CTA", .type = HD_U32, .offset = P(kernel_latency), .def = "0", .min = 0,
	  .max = UINT32_MAX },
	{ .name = "cta_latency", .unit = "cycles", .doc = "added to that for every CTA of the grid",
	  .type = HD_U32, .offset = P(cta_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = "shared_options", .unit = "KB", .doc = "sizes that shared memory can occupy of "
	  "the unified memory; the L1D gets the rest; none: they are separate", .type = HD_U32S,
	  .offset = P(shared_options), .def = "[]", .min = 0, .max = 65536 },
	{ .name = "unified", .unit = "KB", .doc = "unified memory of L1D and shared memory",
	  .type = HD_U32, .offset = P(unified_kb), .def = "128", .min = 1, .max = 65536 },
	{ .name = "flush_l1d", .unit = "", .doc = "drop the L1Ds of a cluster whenever it is empty",
	  .type = HD_BOOL, .offset = P(flush_l1d), .def = "true" },
	{ .name = "flush_l2", .unit = "", .doc = "drop modified lines of the second-level cache "
	  "whenever the GPU is empty, in as many slices as there are channels", .type = HD_BOOL,
	  .offset = P(flush_l2), .def = "false" },
	{ .name = "flush_launch", .unit = "", .doc = "drop all L1Ds and second-level caches when the "
	  "first CTA of a kernel may be placed, as profilers do", .type = HD_BOOL,
	  .offset = P(flush_launch), .def = "false" },
	{ .name = "copies", .unit = "", .doc = "copies to the device come into the second-level "
	  "cache", .type = HD_BOOL, .offset = P(copies), .def = "true" },
	{ .name = "warp_rate", .unit = "instructions", .doc = "that a warp takes from the trace in "
	  "a cycle, at most: what is foreseen where partitions run ahead", .type = HD_U32,
	  .offset = P(warp_rate), .def = "2", .min = 1, .max = 64 },
	{ .name = "sm_rate", .unit = "instructions", .doc = "the same of all warps of an SM "
	  "together", .type = HD_U32, .offset = P(sm_rate), .def = "64", .min = 1, .max = 8192 },
	{ .name = "store_latency", .unit = "cycles", .doc = "from where a store to global memory "
	  "is sent until its warp may end, at least: what is foreseen", .type = HD_U32,
	  .offset = P(store_latency), .def = "0", .min = 0, .max = UINT32_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	[PORT_TRACE] = { .name = "trace", .doc = "kernels and thread blocks", .kind = HD_USES,
	                 .type = &hd_type_trace_if, .offset = P(trace) },
	[PORT_WARPS] = { .name = "warps", .doc = "the slots of each SM, in the order of their "
	                 "numbers", .kind = HD_USES,
	                 .flags = HD_ARRAY | HD_RARE | HD_WAKES | HD_WORK_IN,
	                 .type = &hd_type_warps, .offset = P(warps) },
	[PORT_BARRIER] = { .name = "barrier", .doc = "by SM: is notified of warps that never ran; "
	                   "open: nothing is notified", .kind = HD_USES,
	                   .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL, .type = &hd_type_barrier_if,
	                   .offset = P(barrier) },
	[PORT_L1D] = { .name = "l1d", .doc = "by SM: sized and dropped; open: neither",
	               .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL | HD_NO_WORK,
	               .type = &hd_type_cache_if, .offset = P(l1d) },
	[PORT_L2] = { .name = "l2", .doc = "by slice: gets what is copied to the device, and is "
	              "flushed; open: neither", .kind = HD_USES,
	              .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL | HD_NO_WORK,
	              .type = &hd_type_cache_if, .offset = P(l2) },
	[PORT_MAP] = { .name = "map", .doc = "gives the slice of an address", .kind = HD_USES,
	               .flags = HD_OPTIONAL, .type = &hd_type_map_if, .offset = P(map) },
	[PORT_WORK] = { .name = "work", .doc = "by cluster: is notified whether it has work",
	                .kind = HD_USES, .flags = HD_ARRAY | HD_RARE | HD_OPTIONAL,
	                .type = &hd_type_cluster_if, .offset = P(work) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "cycles", .unit = "cycles", .doc = "core cycles up to the end of the last kernel",
	  .offset = P(cycles) },
	{ .name = "kernels", .unit = "kernels", .doc = "kernels that ended", .offset = P(kernels) },
	{ .name = "copied", .unit = "bytes", .doc = "copied to the second-level cache",
	  .offset = P(copied) },
	{ .name = NULL },
};

static const struct hd_event events[] = {
	[EVENT_KERNEL] = { .name = "kernel", .doc =
	                   "a kernel has ended; its cycles, from its launch on, are the last ones, up "
	                   "to this one", .fields = {
		{ "kernel", "", "position in the list of kernels", "kernel" },
		{ "cycles", "cycles", "that it took" },
		{ "instructions", "warp instructions", "that it issued" },
		{ "ctas", "CTAs", "that it placed" },
	} },
	{ .name = NULL },
};

const struct hd_module hd_module_dispatcher = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "dispatcher",
	.doc = "launches kernels and places their CTAs on the SMs of a GPU, or on a single one",
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
	.checkpoint = checkpoint,
	.apart = apart,
};

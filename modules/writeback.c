/* writeback.c - completes the finished instructions of the function units
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Writeback: all of them in each cycle, the oldest first; a register write that finds
 * its bank's port taken is neither delayed nor repeated (W2).
 */
#include <heddle/gpu/control.h>
#include <heddle/gpu/regfile.h>
#include <heddle/gpu/scoreboard.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_warps *warps;
	struct hd_scoreboard *scoreboard;
	struct hd_ifs regfile;
	struct hd_banks *banks; /* of the only register file, if it has such; else NULL */
	struct hd_counters *counters;
	struct hd_pool *pool;
	uint64_t completed;
};

#define BATCH 64u

struct done {
	struct hd_inst *inst;
	hd_inst_ref ref;
};

static __attribute__((noinline)) void complete_counted(struct state *st, struct hd_inst *inst)
{
	bool last = hd_counters_completed(st->counters, inst);

	/* counters protect no results of fixed latency: it would be another's release */
	if (inst->dst && (inst->flags & HD_INST_VARIABLE) && last)
		hd_scoreboard_complete(st->scoreboard, inst);
}

static inline void complete(struct state *st, const struct done *d)
{
	struct hd_inst *inst = d->inst;

	if (inst->dst) {
		if (HD_LIKELY(st->banks != NULL))
			hd_banks_write(st->banks, inst->warp, inst->dst);
		else if (st->regfile.n)
			hd_regfile_write(&st->regfile, inst->warp, inst->dst);
		if (HD_LIKELY(!st->counters))
			hd_scoreboard_complete(st->scoreboard, inst);
	}
	if (HD_UNLIKELY(st->counters != NULL))
		complete_counted(st, inst);
	/* an atomic that comes here has no responses that a load/store unit would count */
	if (HD_UNLIKELY(inst->flags & HD_INST_ATOMIC) && inst->nlanes)
		hd_warp_atomics_done(st->warps, inst->warp, inst->nlanes);
	hd_warp_left_pipeline(st->warps, inst->warp);
	hd_release(st->pool, d->ref);
}

/* Counts instructions of several kernels, each for its own. */
static __attribute__((noinline)) void count_by_kernel(struct state *st, const struct done *v, uint32_t n)
{
	for (const struct done *d = v; d < v + n; d++) {
		hd_warps_complete(st->warps, d->inst->warp, d->inst->nlanes);
		hd_for_part(st->ctx, d->inst->kernel);
		st->completed++;
	}
}

/* The next few, sorted by age, and their lanes.  Returns how many. */
static inline uint32_t gather(struct state *st, struct done *v, uint32_t *lanes)
{
	const hd_inst_ref *front;
	uint32_t n = 0;

	while (n < BATCH && (front = hd_front(&st->in)) != NULL) {
		struct done d = { hd_inst(st->pool, *front), *front };
		struct done *at = v + n++;

		hd_take(&st->in);
		*lanes += d.inst->nlanes;
		for (; at > v && at[-1].inst->uid > d.inst->uid; at--)
			*at = at[-1];
		*at = d;
	}
	return n;
}

static uint64_t eval(void *state)
{
	struct state *st = state;
	struct done v[BATCH];
	uint32_t lanes = 0, n = gather(st, v, &lanes);

	if (HD_UNLIKELY(st->ctx->parts)) {
		count_by_kernel(st, v, n);
	} else {
		hd_warps_complete_all(st->warps, lanes);
		st->completed += n;
	}
	for (const struct done *d = v; d < v + n; d++)
		complete(st, d);
	return n == BATCH ? HD_NEXT : HD_SLEEP;
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (st->regfile.n == 1)
		st->banks = hd_regfile_of(&st->regfile, 0)->banks;
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_port ports[] = {
	{ .name = "in", .doc = "finished instructions", .kind = HD_IN, .type = &hd_type_inst,
	  .offset = P(in) },
	{ .name = "warps", .doc = "counts instructions in flight", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "scoreboard", .doc = "registers are released here", .kind = HD_USES,
	  .type = &hd_type_scoreboard, .offset = P(scoreboard) },
	{ .name = "regfile", .doc = "results are written here, of several in that of the warp's "
	  "sub-core; open: they were written before", .kind = HD_USES,
	  .flags = HD_OPTIONAL | HD_ARRAY, .type = &hd_type_regfile_if, .offset = P(regfile) },
	{ .name = "counters", .doc = "lowered by instructions that write no register; open: there "
	  "are none", .kind = HD_USES, .flags = HD_OPTIONAL | HD_WORK_IN, .type = &hd_type_counters,
	  .offset = P(counters) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "completed", .unit = "warp instructions", .doc = "instructions completed",
	  .offset = P(completed), .part = true },
	{ .name = NULL },
};

const struct hd_module hd_module_writeback = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "writeback",
	.doc = "completes instructions: writes their results and releases their registers",
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.checkpoint = hd_nothing_saved,
};

/* decode.c - takes a fetched warp's next instructions into its buffer
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode and Sequential fetch.  With a fetch that follows the trace these are always the
 * next ones of the divergence policy, whatever their addresses.
 */
#include <heddle/gpu/divergence.h>
#include <heddle/gpu/ibuffer.h>
#include <heddle/gpu/trace.h>
#include <heddle/gpu/warps.h>

struct state {
	struct hd_ctx *ctx;
	struct hd_end in;
	struct hd_warps *warps;
	struct hd_ibuffer *ibuffer;
	const struct hd_divergence_if *divergence;
	const struct hd_trace_if *trace;
	struct hd_divergence_if own; /* without a policy: the trace itself */
	struct hd_pool *pool;
	uint32_t width;
	bool room; /* the buffer is refilled when it has room */
	uint64_t decoded, wrong, unscheduled;
};

enum { MARK_BUFFERED };

static inline void buffer(struct state *st, uint32_t warp, hd_inst_ref ref)
{
	hd_mark(st->ctx, st->pool, ref, MARK_BUFFERED, 0);
	hd_ibuffer_push(st->ibuffer, warp, ref);
}

/* Buffers the next instruction of the policy, which becomes *taken.  Returns false at the end of the warp. */
static inline __attribute__((always_inline)) bool take_next(struct state *st, uint32_t warp, uint32_t number,
                                                            hd_inst_ref *taken)
{
	hd_inst_ref ref = hd_alloc(st->ctx, st->pool);

	if (!st->divergence->next(st->divergence->self, number, hd_inst(st->pool, ref))) {
		hd_release(st->pool, ref);
		return false;
	}
	buffer(st, warp, ref);
	hd_warp_enter_pipeline(st->warps, warp);
	st->decoded++;
	*taken = ref;
	return true;
}

/* Buffers what the kernel has at pc, or, where nothing was ever executed, an empty entry.  It waits
 * for no register and does nothing: it is flushed. */
static void take_wrong(struct state *st, uint32_t warp, uint32_t number, uint32_t pc)
{
	const struct hd_paths_if *p = st->divergence->paths;
	hd_inst_ref ref = hd_alloc(st->ctx, st->pool);
	struct hd_inst *inst = hd_inst(st->pool, ref);

	memset(inst, 0, sizeof *inst);
	p->code(p->self, number, pc, inst);
	inst->uid = 0;
	inst->pc = pc;
	inst->mask = inst->exits = inst->nlanes = 0;
	inst->dst = inst->nsrc = 0;
	inst->operands = 0;
	inst->regs = 0;
	inst->flags = HD_INST_WRONG_PATH;
	inst->warp = (uint8_t)warp;
	st->ibuffer->wrong |= hd_warp_bit(warp);
	buffer(st, warp, ref);
	st->wrong++;
}

/* What a fetch has brought that follows the trace.  Returns false at the end of the warp. */
static inline __attribute__((always_inline)) bool decode_next(struct state *st, uint32_t warp, bool active)
{
	uint32_t number = st->warps->traced + warp;
	hd_inst_ref ref;
	bool leads = false;

	for (uint32_t i = 0; i < st->width; i++) {
		if (!take_next(st, warp, number, &ref))
			return false;
		if (active) { /* the second of a pair */
			if (HD_UNLIKELY(leads) && i & 1 && !hd_inst(st->pool, ref)->leads)
				st->unscheduled++;
			leads = hd_inst(st->pool, ref)->leads;
		}
	}
	return true;
}

/* What a fetch has brought that does not know the path.  Behind a first wrong instruction all are,
 * until they are flushed. */
static void decode_line(struct state *st, const struct hd_fetched *f)
{
	const struct hd_divergence_if *d = st->divergence;
	uint32_t warp = f->warp, pc = f->pc, number = st->warps->traced + warp;
	hd_inst_ref ref;

	if (!d->paths) {
		hd_error(st->ctx, "the fetch stage does not follow the trace, whose source has no "
		         "programs of kernels; expected a link of port 'divergence' to the policy that "
		         "fetch has");
		return;
	}
	if (hd_warp_in(st->warps->flushed | st->warps->exited, warp)) {
		hd_warp_fetchable(st->warps); /* again, or it can be retired */
		return;
	}
	for (uint32_t i = 0; i < f->n; i++) {
		if (hd_warp_in(st->ibuffer->wrong, warp) || d->pc(d->self, number) != pc
		    || !take_next(st, warp, number, &ref))
			take_wrong(st, warp, number, pc);
		pc = d->paths->next_pc(d->paths->self, number, pc);
	}
}

/* A fetch has been appended: may the warp be fetched for again? */
static inline void refill(struct state *st, uint32_t warp, bool more)
{
	struct hd_ibuffer *b = st->ibuffer;

	if (!more && b->count[warp])
		b->full |= hd_warp_bit(warp); /* nothing follows: no more fetches, until one issues */
	else if (hd_ibuffer_has_room(b, warp))
		hd_warp_fetchable(st->warps);
}


/* A fetch that does not follow the trace. */
static __attribute__((noinline, cold)) void decode_other(struct state *st, const struct hd_fetched *f)
{
	hd_ibuffer_close_up(st->ibuffer, f->warp);
	decode_line(st, f);
	if (st->room)
		refill(st, f->warp, true);
}

/* All of them, into buffers that are refilled before they are empty. */
static inline __attribute__((always_inline)) void decode_behind(struct state *st, bool active)
{
	const struct hd_fetched *f;

	while ((f = hd_front(&st->in)) != NULL) {
		uint32_t warp = f->warp;
		bool behind = st->ibuffer->count[warp] != 0;

		if (HD_UNLIKELY(f->n)) {
			decode_other(st, f);
		} else {
			hd_ibuffer_close_up(st->ibuffer, warp);
			refill(st, warp, decode_next(st, warp, active));
		}
		hd_take(&st->in);
		if (behind)
			hd_warp_append(st->warps, warp, hd_now(st->ctx));
		else
			hd_warp_touch(st->warps, warp);
	}
}

static __attribute__((noinline)) void decode_refilled(struct state *st)
{
	decode_behind(st, false);
}

static inline __attribute__((always_inline)) uint64_t decode(struct state *st, bool active)
{
	const struct hd_fetched *f;

	if (HD_UNLIKELY(st->room)) {
		if (active)
			decode_behind(st, true);
		else
			decode_refilled(st);
		return HD_SLEEP;
	}
	while ((f = hd_front(&st->in)) != NULL) {
		uint32_t warp = f->warp;

		if (HD_UNLIKELY(f->n))
			decode_other(st, f);
		else
			decode_next(st, warp, active);
		hd_take(&st->in);
		hd_warp_touch(st->warps, warp);
	}
	return HD_SLEEP;
}

static uint64_t eval(void *state)
{
	return decode(state, false);
}

static uint64_t eval_active(void *state)
{
	return decode(state, true);
}

static int init(void *state, struct hd_ctx *ctx)
{
	struct state *st = state;

	st->ctx = ctx;
	st->pool = hd_pool(ctx, &hd_type_inst);
	hd_warps_on_clock(st->warps, ctx);
	return 0;
}

static int start(void *state)
{
	struct state *st = state;

	if (!st->divergence == !st->trace)
		return hd_error(st->ctx, "ports 'divergence' and 'trace' are both %s; expected a link at "
		                "one of them", st->trace ? "linked" : "open");
	if (st->trace) {
		st->own = (struct hd_divergence_if){ .self = st->trace->self,
			.next = st->trace->next, .pc = st->trace->pc,
			.paths = st->trace->paths };
		st->divergence = &st->own;
	}
	if (st->width > st->ibuffer->entries)
		return hd_error(st->ctx, "'width' is %u and the instruction buffer has %u entries per "
		                "warp; expected at most as many", st->width, st->ibuffer->entries);
	st->ibuffer->width = st->width;
	st->ibuffer->refill_at = st->ibuffer->entries - st->width;
	st->room = st->ibuffer->refill_room;
	return 0;
}

#define P(f) offsetof(struct state, f)

static const struct hd_param params[] = {
	{ .name = "width", .unit = "instructions", .doc = "instructions decoded per fetch",
	  .type = HD_U32, .offset = P(width), .def = "2", .min = 1, .max = HD_FETCH_MAX },
	{ .name = NULL },
};

static const struct hd_port ports[] = {
	{ .name = "fetched", .doc = "warps whose instructions arrived", .kind = HD_IN,
	  .type = &hd_type_fetched, .offset = P(in) },
	{ .name = "warps", .doc = "counts instructions in flight", .kind = HD_USES,
	  .type = &hd_type_warps, .offset = P(warps) },
	{ .name = "ibuffer", .doc = "receives the instructions", .kind = HD_USES,
	  .type = &hd_type_ibuffer, .offset = P(ibuffer) },
	{ .name = "divergence", .doc = "source of instructions: the policy that groups lanes",
	  .kind = HD_USES, .flags = HD_OPTIONAL, .type = &hd_type_divergence_if,
	  .offset = P(divergence) },
	{ .name = "trace", .doc = "or, without a policy, the trace as it is", .kind = HD_USES,
	  .flags = HD_OPTIONAL, .type = &hd_type_trace_if, .offset = P(trace) },
	{ .name = NULL },
};

static const struct hd_stat stats[] = {
	{ .name = "decoded", .unit = "warp instructions", .doc = "instructions decoded",
	  .offset = P(decoded) },
	{ .name = "wrong_path", .unit = "instructions", .doc = "and besides, those of a wrong path, which "
	  "are flushed", .offset = P(wrong) },
	{ .name = NULL },
};

static const struct hd_activity activity[] = {
	{ .name = "unscheduled", .unit = "warp instructions", .doc = "decoded second ones of a fetch whose first one "
	  "leads a pair, which they do not; the opcode tables say which do", .offset = P(unscheduled) },
	{ .name = NULL },
};

static const struct hd_mark marks[] = {
	[MARK_BUFFERED] = { "buffered", "in the instruction buffer", NULL, NULL },
	{ 0 },
};

const struct hd_module hd_module_decode = {
	.abi = HD_ABI,
	.size = sizeof(struct hd_module),
	.name = "decode",
	.doc = "decodes a fetched warp's next instructions into its instruction buffer",
	.params = params,
	.ports = ports,
	.stats = stats,
	.state_size = sizeof(struct state),
	.init = init,
	.start = start,
	.eval = eval,
	.marks = marks,
	.checkpoint = hd_nothing_saved,
	.activity = activity,
	.eval_active = eval_active,
};

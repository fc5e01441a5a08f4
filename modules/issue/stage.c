/* stage.c - what all issue stages have in common
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "stage.h"

#include <inttypes.h>

_Static_assert(HD_ASYNC_OPS <= 32, "hd_async_if.ops has a bit for each");

int hd__stage_init(struct stage *s, struct hd_ctx *ctx, unsigned slot_event, unsigned flushed)
{
	s->ctx = ctx;
	s->pool = hd_pool(ctx, &hd_type_inst);
	s->slot_event = slot_event;
	s->flushed = flushed;
	return hd_routes(ctx, &s->out, s->route);
}

int hd__stage_start(struct stage *s)
{
	for (uint32_t w = s->ctx->index; w < s->warps->count; w += s->ctx->count) {
		s->mine |= hd_warp_bit(w);
		if (!hd_warps_claim(s->warps, &s->warps->scheduler[w], s->ctx->self))
			return hd_error(s->ctx, "another array of issue stages has warp %u; expected "
			                "one array, whose elements share the warps", w);
	}
	if (s->policy->bind)
		s->policy->bind(s->policy->self, s->mine);
	return 0;
}

/* Units are notified of what the instruction asks for. */
static void tell_units(const struct stage *s, const struct hd_inst *inst)
{
	uint32_t op = 1u << inst->async.op, told = ~(HD_ASYNC_MMA_OPS | HD_ASYNC_CLUSTER_OPS | HD_ASYNC_REGISTERS_OPS);

	for (uint32_t i = 0; i < s->async.n; i++) {
		const struct hd_async_if *unit = s->async.v[i];

		told |= unit->ops;
		if (unit->ops & op)
			unit->issued(unit->self, inst);
	}
	if (told & op)
		return;
	hd_error(s->ctx, "kernel %" PRIu32 ", block %" PRIu64 ", warp %" PRIu32 ", pc 0x%" PRIx32
	         ": no unit is notified of %s; expected a link of port 'async' to one",
	         inst->kernel, s->warps->block[s->warps->cta[inst->warp]], hd_warp_in_cta(s->warps, inst->warp),
	         inst->pc, op & HD_ASYNC_MMA_OPS ? "products of a warpgroup, as module warpgroup_mma is"
	         : op & HD_ASYNC_CLUSTER_OPS ? "the barrier of a cluster, as module cluster_barrier is"
	         : "registers that warps give and take, as module register_pool is");
}

void hd__stage_synchronise(struct stage *s, hd_inst_ref ref, const struct hd_inst *inst)
{
	uint32_t flags = inst->flags;

	if (s->copy) {
		if (flags & HD_INST_COPY)
			s->copy->add(s->copy->self, ref, inst);
		else if (flags & HD_INST_COPY_COMMIT)
			s->copy->commit(s->copy->self, ref, inst);
		else if (flags & HD_INST_COPY_WAIT)
			s->copy->wait(s->copy->self, ref, inst);
	}
	if (flags & HD_INST_ASYNC)
		tell_units(s, inst);
	if (flags & HD_INST_BARRIER)
		s->barrier->join(s->barrier->self, ref, inst);
	else if ((flags & HD_INST_FENCE) && s->fence)
		s->fence->set(s->fence->self, ref, inst);
}

bool hd__stage_exit(struct stage *s, const struct hd_inst *inst)
{
	bool over = hd_warp_exit_lanes(s->warps, inst->warp, inst->exits);

	if (over && (inst->flags & HD_INST_LAST))
		s->barrier->leave(s->barrier->self, inst->warp);
	for (uint32_t i = 0; i < s->async.n; i++) {
		const struct hd_async_if *unit = s->async.v[i];

		if (unit->ended)
			unit->ended(unit->self, inst->warp);
	}
	if (!over || !hd_warp_in(s->ibuffer->wrong, inst->warp))
		return false;
	hd__stage_empty(s, inst->warp);
	return true;
}

void hd__stage_empty(struct stage *s, uint32_t warp)
{
	while (hd_warp_in(s->ibuffer->filled, warp)) {
		hd_inst_ref ref = hd_ibuffer_head(s->ibuffer, warp);

		hd_mark(s->ctx, s->pool, ref, s->flushed, 0);
		hd_release(s->pool, ref);
		hd_ibuffer_pop(s->ibuffer, warp);
	}
	s->ibuffer->wrong &= ~hd_warp_bit(warp);
	s->ibuffer->full &= ~hd_warp_bit(warp);
	hd_warp_touch(s->warps, warp);
}

void hd__stage_lacks_unit(const struct stage *s, uint32_t warp)
{
	hd_error(s->ctx, "no unit accepts class '%s'; expected a link of port 'out' whose "
	         "\"classes\" name it", hd_symbol_name(s->ctx, "class", stage_next(s, warp)->cls));
}

/* ---- issue slots ---- */

/* A newly launched warp is the youngest, so the oldest of a set stays the oldest of its subsets. */
uint32_t hd__slots_oldest(struct stage *s, hd_warp_set set)
{
	const struct hd_warps *w = s->warps;
	struct slots *t = &s->slots;

	if (!(set & ~t->among) && hd_warp_in(set, t->oldest) && w->age[t->oldest] == t->age)
		return t->oldest;
	t->among = set;
	t->oldest = hd_warps_oldest(w, set);
	t->age = w->age[t->oldest];
	return t->oldest;
}

void hd__stage_lost(struct stage *s, hd_warp_set waiting)
{
	const struct hd_warps *w = s->warps;

	if (!waiting)
		waiting = s->mine & ~w->exited;
	if (!waiting)
		waiting = s->mine & ~w->retired;
	hd_for_part(s->ctx, waiting ? w->kernel[hd__slots_oldest(s, waiting)] : w->oldest_kernel);
}

void hd__slots_name(const struct stage *s, uint32_t warp, struct slot_row *row)
{
	const struct hd_inst *inst;

	row->warp = warp;
	if (!hd_warp_in(s->ibuffer->filled, warp))
		return;
	inst = stage_next(s, warp);
	row->code = inst->code;
	row->pc = inst->pc;
}

int64_t hd__slots_idle(struct stage *s, struct slot_row *row)
{
	const struct hd_warps *w = s->warps;
	hd_warp_set live = s->mine & ~w->exited, ended = s->mine & ~w->retired;
	uint32_t warp;

	if (!(live | ended))
		return IDLE_EMPTY;
	warp = hd__slots_oldest(s, live ? live : ended);
	row->warp = warp;
	if (!live)
		return IDLE_EXIT;
	for (uint32_t b = 0; b < w->holds; b++)
		if (hd_warp_in(w->blocked_by[b], warp))
			return b < HD_BLOCKS ? IDLE_BLOCKED + b : IDLE_NAMED + w->hold[b - HD_BLOCKS];
	if (hd_warp_in(s->ibuffer->filled, warp))
		return s->policy->hold ? IDLE_NAMED + s->policy->hold - 1 : IDLE_POLICY;
	return hd_warp_in(w->missing, warp) ? IDLE_ICACHE : IDLE_FETCH;
}

void hd__slots_count(struct stage *s, const struct slot_row *row)
{
	struct slot_row fresh = *row, *now = &fresh;
	const struct slot_row *r = &s->slots.row;

	fresh.kernel = s->ctx->part;
	if (r->reason != now->reason || r->warp != now->warp || r->unit != now->unit || r->cause != now->cause
	    || r->reg != now->reg || r->code != now->code || r->pc != now->pc || r->kernel != now->kernel) {
		hd__slots_report(s);
		s->slots.row = *now;
	}
	s->slots.n++;
}

/* Edges before the first block came belong to its kernel. */
void hd__slots_report(struct stage *s)
{
	if (s->slots.row.kernel == 0)
		s->slots.row.kernel = s->ctx->part;
	if (s->slots.n && HD_LIKELY(s->ctx->events >> s->slot_event & 1))
		hd__emit(s->ctx, s->slot_event, &s->slots.n);
	s->slots.n = 0;
}

void hd__slots_flush(struct stage *s)
{
	hd__slots_report(s);
	memset(s->slots.waits_for, 0, sizeof s->slots.waits_for);
}

void hd__slots_wait(struct stage *s, unsigned wait, hd_warp_set now, const uint32_t *arg)
{
	hd_warp_set fresh = now & ~s->slots.waits_for[wait];

	s->slots.waits_for[wait] = now;
	while (fresh) {
		uint32_t warp = hd_warp_pop(&fresh);

		hd_mark(s->ctx, s->pool, hd_ibuffer_head(s->ibuffer, warp), wait, arg ? arg[warp] : 0);
	}
}

/* source_paths.c - the interface of the trace source for policies that group lanes: programs, ways of lanes
 * SPDX-License-Identifier: BSD-2-Clause
 */
#include "source_parts.h"

static void claim_paths(void *self)
{
	((struct source *)self)->reader.surveys = true;
}

static void claim_lanes(void *self)
{
	struct source *s = self;

	s->reader.surveys = s->reader.walks = true;
}

static void count(void *self, const uint32_t *base, struct hd_path_counts *counts)
{
	struct source *s = self;
	struct trace_tally *v = trace_reserve(s->tally, s->tallies + 1, &s->tally_cap, sizeof *v);

	if (!v) {
		hd_error(s->ctx, "out of memory");
		return;
	}
	s->tally = v;
	v[s->tallies++] = (struct trace_tally){ .base = base, .to = counts };
}

static bool code(void *self, uint32_t warp, uint32_t pc, struct hd_inst *inst)
{
	struct source *s = self;
	struct kernel *k = s->of_slot[warp];
	uint32_t at;

	if (!k)
		return false;
	at = hd__trace_program_at(&k->k.program, pc, s->near[warp]);
	if (at == TRACE_NOWHERE) {
		uint32_t codes = s->reader.names.codes;

		inst->kernel = k->k.code.kernel;
		inst->code = s->ctx->observable ? hd__source_hole(s, k, pc) : 0;
		if (s->reader.names.codes != codes)
			hd__source_called(s, TRACE_CALL_HOLE, k->number, pc);
		return false;
	}
	s->near[warp] = at;
	memcpy(inst, k->k.code.v[k->k.program.place[at].index].head, TRACE_HEAD);
	inst->base = 0;
	inst->warp = (uint8_t)warp;
	return true;
}

static uint32_t next_pc(void *self, uint32_t warp, uint32_t pc)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	if (k && k->k.program.wide)
		return pc + 16;
	pc += 8;
	return pc % 32 ? pc : pc + 8; /* control words begin the groups of four */
}

static struct trace_lanes_of lanes_of(struct source *s, uint32_t warp)
{
	struct kernel *k = s->of_slot[warp];

	return (struct trace_lanes_of){ .program = &k->k.program, .code = &k->k.code,
		                        .windows = &k->k.windows, .cursor = &k->k.blocks.slot[warp] };
}

static bool begin(void *self, uint32_t warp, struct hd_path_warp *w)
{
	struct source *s = self;
	struct trace_lanes *l = &s->lanes[warp];
	struct trace_lanes_of of;

	if (!l->fresh || !s->of_slot[warp])
		return false;
	of = lanes_of(s, warp);
	if (of.cursor->pos == of.cursor->end)
		return false;
	l->fresh = false;
	return hd__trace_lanes_begin(l, &of, w);
}

static const struct hd_path_node *nodes(void *self, uint32_t warp)
{
	const struct kernel *k = ((const struct source *)self)->of_slot[warp];

	return k ? k->k.program.node : NULL;
}

static struct hd_path_step execute(void *self, uint32_t warp, uint32_t node, uint32_t lanes,
                                   struct hd_inst *inst)
{
	struct source *s = self;
	struct hd_path_step step = { .ended = UINT32_MAX }; /* after an error */
	struct trace_lanes_of of = lanes_of(s, warp);

	if (hd__trace_lanes_execute(&s->lanes[warp], &of, node, lanes, inst, &step))
		inst->warp = (uint8_t)warp;
	return step;
}

void hd__source_paths_init(struct source *s)
{
	s->paths = (struct hd_paths_if){ .self = s, .claim = claim_paths,
		.claim_lanes = claim_lanes, .count = count, .code = code, .next_pc = next_pc,
		.begin = begin, .execute = execute, .nodes = nodes };
}

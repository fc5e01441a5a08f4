/* lanes.c - lanes of a warp on their ways through its packed lines
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Lanes that execute the same line next are a cohort, with a cursor in front of that line.  When it
 * has executed the line, its lanes are looked for in the lines behind, and form new cohorts or join
 * others.  A warp whose lanes stay together has one cohort and is unpacked as if it were replayed.
 */
#include "lanes.h"

#include <inttypes.h>
#include <stdlib.h>

static bool changed(const struct trace_lanes_of *of)
{
	hd__trace_error(of->code->opcodes->host, "%s: the lanes of a warp are not where its program leads; "
	                "expected a file that does not change while it is read", of->code->file);
	return false;
}

static bool add(struct trace_lanes *l, const struct trace_lanes_of *of, struct trace_cohort c)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i].at.pos == c.at.pos && l->v[i].node == c.node) {
			l->v[i].lanes |= c.lanes;
			return true;
		}
	if (l->n == l->cap) {
		size_t cap = l->cap;
		struct trace_cohort *v = trace_reserve(l->v, l->n + 1, &cap, sizeof *v);

		if (!v) {
			hd__trace_error(of->code->opcodes->host, "%s: out of memory for the lanes of a warp",
			                of->code->file);
			return false;
		}
		l->v = v;
		l->cap = (uint32_t)cap;
	}
	l->v[l->n++] = c;
	return true;
}

/* Finds the next lines of these lanes, which go on in the context behind the cursor.  Those that have
 * none have ended. */
static bool seek(struct trace_lanes *l, const struct trace_lanes_of *of, struct trace_cursor at,
                 uint32_t context, uint32_t lanes)
{
	while (lanes) {
		struct trace_cursor before = at;
		uint32_t here, node;

		if (at.pos == at.end) {
			l->live &= ~lanes;
			return true;
		}
		trace_pass(&at);
		here = at.mask & lanes;
		if (!here)
			continue;
		node = trace_program_node(of->program, of->code, context, at.index);
		if (node == TRACE_NOWHERE)
			return changed(of);
		if (!add(l, of, (struct trace_cohort){ .at = before, .lanes = here, .node = node }))
			return false;
		lanes &= ~here;
	}
	return true;
}

bool hd__trace_lanes_begin(struct trace_lanes *l, const struct trace_lanes_of *of,
                           struct hd_path_warp *w)
{
	uint32_t at = trace_program_node(of->program, of->code, 0, hd__trace_peek(of->cursor));

	l->n = 0;
	l->waiting = 0;
	l->live = of->cursor->mask;
	if (at == TRACE_NOWHERE)
		return changed(of);
	if (!seek(l, of, *of->cursor, 0, l->live))
		return false;
	*w = (struct hd_path_warp){ .node = of->program->node, .at = at, .lanes = l->live };
	return true;
}

static bool has_addresses(const struct trace_static *s)
{
	return s->access || s->generic;
}

/* Takes the lanes of the instruction that are not in `lanes` from it. */
static void keep_only(struct hd_inst *inst, const struct trace_lanes_of *of,
                      const struct trace_static *s, uint32_t lanes)
{
	uint64_t v[HD_LANES];
	const uint64_t *addr = has_addresses(s) ? hd_inst_addrs(inst, v) : NULL;

	inst->mask &= lanes;
	if (addr)
		hd_inst_set_addrs(inst, addr);
	inst->nlanes = (uint8_t)hd_bits_count32(inst->mask);
	if (s->generic)
		hd__trace_place(of->windows, s, inst);
}

/* Adds the lanes of another execution of it. */
static void unite(struct hd_inst *inst, const struct trace_lanes_of *of,
                  const struct trace_static *s, const struct hd_inst *other)
{
	uint64_t addr[HD_LANES];

	for (unsigned i = 0; has_addresses(s) && i < HD_LANES; i++)
		addr[i] = hd_inst_addr(other->mask >> i & 1 ? other : inst, i);
	inst->mask |= other->mask;
	inst->nlanes = (uint8_t)hd_bits_count32(inst->mask);
	if (has_addresses(s))
		hd_inst_set_addrs(inst, addr);
	if (s->generic)
		hd__trace_place(of->windows, s, inst);
}

/* The instruction without lanes. */
static const struct trace_static *blank(const struct trace_lanes_of *of, uint32_t node,
                                        struct hd_inst *inst)
{
	const struct trace_static *s = &of->code->v[of->program->place[node].index];

	memcpy(inst, s->head, sizeof s->head);
	inst->base = 0;
	if (s->generic)
		inst->space = HD_SPACE_NONE;
	return s;
}

/* The lanes of a cohort that are in `lanes` execute its line and leave it.  Adds them to *inst, `met`:
 * which has others. */
static const struct trace_static *unpack(struct trace_cohort *c, const struct trace_lanes_of *of,
                                         uint32_t lanes, bool met, struct hd_inst *inst,
                                         struct trace_cursor *behind)
{
	const struct trace_static *s;
	struct hd_inst other, *to = met ? &other : inst;

	*behind = c->at;
	trace_unpack(behind, of->code->v, of->windows, to);
	s = &of->code->v[behind->index];
	lanes &= c->lanes;
	if (to->mask != lanes)
		keep_only(to, of, s, lanes);
	if (met)
		unite(inst, of, s, to);
	c->lanes &= ~lanes;
	return s;
}

/* Flags that depend on what other lanes of the warp do. */
static void settle(struct trace_lanes *l, const struct trace_lanes_of *of,
                   const struct trace_static *s, uint32_t was, uint32_t lanes,
                   struct hd_inst *inst)
{
	inst->flags &= (uint16_t)~HD_INST_LAST;
	inst->exits = s->exits ? inst->mask : 0;
	if (HD_UNLIKELY(inst->flags & HD_INST_BARRIER) && lanes != was) {
		l->waiting |= inst->mask;
		inst->flags &= (uint16_t)~HD_INST_BARRIER;
	}
	l->waiting &= l->live;
	if (HD_UNLIKELY(l->waiting) && l->waiting == l->live) {
		l->waiting = 0;
		inst->flags |= HD_INST_BARRIER;
	}
	if (l->live == 0) {
		inst->flags |= HD_INST_LAST;
		inst->exits |= of->cursor->tail;
		of->cursor->pos = of->cursor->end;
	}
}

/* Lanes whose next line is where the way back from the node leads, or behind. */
static uint32_t back(const struct trace_lanes *l, const struct trace_program *p, uint32_t node)
{
	uint32_t lanes = 0;

	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i].node >= p->node[node].target && l->v[i].node <= node)
			lanes |= l->v[i].lanes;
	return lanes;
}

bool hd__trace_lanes_execute(struct trace_lanes *l, const struct trace_lanes_of *of, uint32_t node,
                             uint32_t lanes, struct hd_inst *inst, struct hd_path_step *step)
{
	const struct trace_program *p = of->program;
	const struct trace_static *s = NULL;
	uint32_t was = l->live, n = l->n, kept = 0, context;
	struct trace_cursor behind[HD_LANES];
	uint32_t gone[HD_LANES], done = 0;

	if (HD_UNLIKELY(node >= p->n))
		return changed(of);
	for (uint32_t i = 0; i < n; i++) {
		struct trace_cohort *c = &l->v[i];

		if (c->node == node && (c->lanes & lanes)) {
			gone[done] = c->lanes & lanes;
			s = unpack(c, of, lanes, s != NULL, inst, &behind[done]);
			done++;
		}
		if (c->lanes) {
			if (kept != i)
				l->v[kept] = *c;
			kept++;
		}
	}
	l->n = kept;
	if (!s)
		s = blank(of, node, inst);
	context = p->node[node].target == HD_PATH_NONE ? p->place[node].context
	          : p->place[p->node[node].target].context;
	for (uint32_t i = 0; i < done; i++) {
		if (s->exits)
			l->live &= ~gone[i];
		else if (!seek(l, of, behind[i], context, gone[i]))
			return false;
	}
	settle(l, of, s, was, lanes, inst);
	*step = (struct hd_path_step){ .ended = lanes & ~l->live, .live = l->live,
		                       .waiting = l->waiting };
	if (p->node[node].target != HD_PATH_NONE)
		step->taken = lanes & (HD_UNLIKELY(p->place[node].back) ? back(l, p, node)
		                                                        : inst->mask & l->live);
	return true;
}

/* exits.c - lanes that go on after an EXIT that has them
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Tracers record some EXITs that a predicate guards with all lanes of the warp.  A lane that a
 * later line of the warp has did not exit, so that EXIT loses it: a lane exits where it appears
 * last, if that is an EXIT.  Since this is known only at the end of the warp, its packed form is
 * rewritten then; warps without a contradiction, nearly all, cost nothing.
 */
#include "warp_pack.h"

#include <inttypes.h>

static int too_late(const struct trace_exits *e, const struct trace_text *t, uint64_t line)
{
	return hd__trace_error(t->host, "%s:%" PRIu64 ": an instruction follows although all threads of "
	                       "warp %" PRIu32 " have exited", t->name, line, e->warp);
}

int hd__trace_exits_line(struct trace_exits *e, const struct trace_text *t,
                         const struct trace_static *s, uint32_t alive, uint32_t mask)
{
	if (mask & ~e->valid)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": mask %08" PRIx32 " has lanes beyond the "
		                       "block; warp %" PRIu32 " has the threads %08" PRIx32, t->name,
		                       t->line, mask, e->warp, e->valid);
	if (e->strict && !alive)
		return too_late(e, t, t->line);
	if (e->strict && s->exits)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": lanes %08" PRIx32 " of warp %" PRIu32
		                       " exit a second time", t->name, t->line, mask & ~alive, e->warp);
	if (e->strict)
		return 0;
	/* Without lanes it may still stand between an EXIT and those that go on. */
	if (mask)
		e->stray = 0;
	else if (!e->stray)
		e->stray = t->line;
	if (!e->back && mask)
		e->line = t->line;
	e->back |= mask & ~alive;
	return 0;
}

int hd__trace_exits_end(const struct trace_exits *e, const struct trace_text *t)
{
	return e->stray ? too_late(e, t, e->stray) : 0;
}

/* The next instruction of a packed warp: its static index, or NOWHERE at the end.  Where generic
 * accesses go makes no difference here. */
static uint32_t step(struct trace_cursor *at, const struct trace_static *v, uint32_t *mask)
{
	static const struct trace_windows windows;
	struct hd_inst inst;

	if (!trace_unpack(at, v, &windows, &inst))
		return TRACE_NOWHERE;
	*mask = inst.mask;
	return at->index;
}

/* Lanes of the instruction that appear in no later one. */
static uint32_t leaving(const uint64_t last[HD_LANES], uint64_t number, uint32_t mask)
{
	uint32_t gone = 0;

	for (uint64_t m = mask; m;) {
		unsigned lane = hd_bits_pop(&m);

		if (last[lane] == number)
			gone |= UINT32_C(1) << lane;
	}
	return gone;
}

uint64_t hd__trace_exits_mend(struct trace_cta *cta, size_t from, uint32_t valid,
                              const struct trace_static *v)
{
	const struct trace_cursor start = { .pos = cta->data + from, .end = cta->data + cta->n,
	                                    .index = TRACE_NOWHERE, .mask = valid };
	struct trace_cursor at = start, copy = start;
	uint64_t last[HD_LANES] = { 0 }, number = 0, mended = 0;
	size_t to = cta->n, begin = from;
	uint32_t index, mask;

	while (step(&at, v, &mask) != TRACE_NOWHERE) {
		number++;
		for (uint64_t m = mask; m;)
			last[hd_bits_pop(&m)] = number;
	}
	at = start;
	number = 0;
	while ((index = step(&at, v, &mask)) != TRACE_NOWHERE) {
		size_t end = (size_t)(at.pos - cta->data);
		uint32_t left = mask;

		number++;
		if (v[index].exits)
			left = leaving(last, number, mask);
		mended += left != mask;
		hd__trace_repack(cta, &copy, begin, end, left);
		begin = end;
	}
	memmove(cta->data + from, cta->data + to, cta->n - to);
	cta->n -= to - from;
	return mended;
}

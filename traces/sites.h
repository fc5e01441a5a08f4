/* sites.h - private to survey.c: its state; stacks of calls, and the instructions in each
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A context is a stack of calls, a site an instruction in a context.  Both get their numbers when they are
 * first seen.
 */
#ifndef TRACES_SITES_H
#define TRACES_SITES_H

#include "packed.h"
#include "kernel_program.h"

#include <inttypes.h>

#define NOWHERE TRACE_NOWHERE

/* Lanes that were seen last at one instruction. */
struct cohort {
	uint32_t lanes;
	uint32_t last; /* site; EXITs do not count, for lanes may go on after one (exits.c) */
	uint32_t exit; /* site of the EXIT at which they were seen after it, or NOWHERE */
};

#define SURVEY_STEPS 65536u /* a warp of more is not compared with the next */

struct survey {
	struct trace_program *program;
	struct trace_code *code;
	const struct hd_launch *launch;
	struct trace_site *site;
	size_t sites, site_cap;
	struct trace_edge *edge;
	size_t edges, edge_cap;
	struct cohort v[HD_LANES]; /* of the present warp, none without lanes */
	uint32_t n;
	uint32_t last;             /* site of the last line with lanes; NOWHERE: there was none */
	uint32_t line;             /* and of the last line, */
	uint32_t pc;               /* its pc */
	uint32_t before;           /* site of the line before, NOWHERE at the begin of a warp */
	bool lines;                /* steps from line to line are noted */
	uint32_t turn;             /* site of the last line behind which pcs went back */
	struct survey_step {       /* of the warp that was looked at last, */
		uint32_t index, mask;
	} *step;
	size_t steps, step_cap;    /* 0: it has too many, or there was none; */
	uint32_t threads;          /* and its lanes */
	uint64_t backs;            /* ways back without a branch */
	uint64_t back_line;        /* where the first of them ends, */
	uint32_t back_from, back_to; /* its pcs */
};

static int no_memory(const struct survey *s)
{
	return hd__trace_error(s->code->text->host, "%s:%" PRIu64 ": out of memory for the program of the "
	                       "kernel", s->code->text->name, s->code->text->line);
}

static uint32_t pc_of(const struct survey *s, uint32_t site)
{
	return s->code->v[s->site[site].index].pc;
}

/* ---- numbers of new contexts and sites, NOWHERE after a message ------------------------------ */

static uint32_t add_context(struct survey *s, uint32_t parent)
{
	struct trace_program *p = s->program;
	uint32_t depth = p->contexts ? p->context[parent].depth + 1 : 0;
	struct trace_context *v;

	if (p->contexts == TRACE_CONTEXTS || depth > TRACE_CALLS) {
		hd__trace_error(s->code->text->host, "%s:%" PRIu64 ": %s; expected calls that return, by an "
		                "instruction RET", s->code->text->name, s->code->text->line,
		                depth > TRACE_CALLS ? "lanes are in more than 1024 calls at a time"
		                : "the kernel has more than 65536 different stacks of calls");
		return NOWHERE;
	}
	v = trace_reserve(p->context, p->contexts + 1, &p->contexts_cap, sizeof *v);
	if (!v) {
		no_memory(s);
		return NOWHERE;
	}
	p->context = v;
	v[p->contexts] = (struct trace_context){ .parent = parent, .depth = depth };
	return (uint32_t)p->contexts++;
}

static uint32_t add_site(struct survey *s, uint32_t context, uint32_t index)
{
	struct trace_site *v;

	if (s->sites == TRACE_SITES) {
		hd__trace_error(s->code->text->host, "%s:%" PRIu64 ": the kernel has more than %u instructions, "
		                "counted for each stack of calls", s->code->text->name,
		                s->code->text->line, TRACE_SITES);
		return NOWHERE;
	}
	v = trace_reserve(s->site, s->sites + 1, &s->site_cap, sizeof *v);
	if (!v) {
		no_memory(s);
		return NOWHERE;
	}
	s->site = v;
	v[s->sites] = (struct trace_site){ .context = context, .index = index, .begin = NOWHERE,
		                           .back = NOWHERE, .after = context };
	if (index != NOWHERE && s->code->v[index].flow == TRACE_FLOW_CALL)
		v[s->sites].after = NOWHERE;
	if (index != NOWHERE && s->code->v[index].flow == TRACE_FLOW_RETURN)
		v[s->sites].after = s->program->context[context].parent;
	return (uint32_t)s->sites++;
}

/* Makes an element for the static instruction in the context.  Returns false after a message. */
static bool widen(struct survey *s, struct trace_context *c, uint32_t index)
{
	uint32_t before = c->n && index < c->lo ? c->lo - index : 0;
	size_t n = c->n ? (index < c->lo ? c->n + before : index - c->lo + 1) : 1, cap = c->cap;
	uint32_t *v = trace_reserve(c->site, n, &cap, sizeof *v);

	if (!v || cap > UINT32_MAX) {
		no_memory(s);
		return false;
	}
	memmove(v + before, v, c->n * sizeof *v);
	memset(v, 0, before * sizeof *v);
	if (!before)
		memset(v + c->n, 0, (n - c->n) * sizeof *v);
	if (before || !c->n)
		c->lo = index;
	c->site = v;
	c->cap = (uint32_t)cap;
	c->n = (uint32_t)n;
	return true;
}

static uint32_t new_site(struct survey *s, uint32_t context, uint32_t index)
{
	struct trace_context *c = &s->program->context[context];
	uint32_t site;

	if (index - c->lo >= c->n && !widen(s, c, index))
		return NOWHERE;
	site = add_site(s, context, index);
	if (site != NOWHERE)
		c->site[index - c->lo] = site + 1;
	return site;
}

static inline uint32_t site_of(struct survey *s, uint32_t context, uint32_t index)
{
	const struct trace_context *c = &s->program->context[context];
	uint32_t at = index - c->lo;

	if (HD_LIKELY(at < c->n && c->site[at]))
		return c->site[at] - 1;
	return new_site(s, context, index);
}

/* The context in which lanes go on that execute the instruction. */
static uint32_t context_after(struct survey *s, uint32_t site)
{
	uint32_t *after = &s->site[site].after;

	if (HD_UNLIKELY(*after == NOWHERE))
		*after = add_context(s, s->site[site].context);
	return *after;
}

#endif

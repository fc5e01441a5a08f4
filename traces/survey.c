/* survey.c - goes through the blocks of a kernel once, for where lanes go from each instruction
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A context is a stack of calls, a site an instruction in a context.  Both get their numbers when they are
 * first seen.  For each warp it has the lanes that were last seen at the same instruction, and notes from
 * which one to which one they go, each pair once.  A text is read as for a run, and block by block; the run
 * reads it again.
 */
#include "kernel_program.h"

#include <inttypes.h>
#include <stdlib.h>

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
	uint32_t line;             /* site of the last line, */
	uint32_t pc;               /* its pc */
	uint32_t before;           /* site of the line before, NOWHERE at the begin of a warp */
	bool lines;                /* steps from line to line are noted */
	uint32_t turn;             /* site of the last line behind which pcs went back */
	struct survey_step {       /* of the warp that was looked at last, */
		uint32_t index, mask;
	} *step;
	size_t steps, step_cap;    /* 0: it has too many, or there was none; */
	uint32_t threads;          /* the lanes of that warp */
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

/* ---- where lanes go ------------------------------------------------------------------------- */

/* Lanes are seen behind where they stand, so the trace lacks a branch back.  It is taken to be where
 * the lines of the warp went back last, or else where the lanes were. */
static void go_back(struct survey *s, uint32_t from, uint32_t to)
{
	const struct trace_site *line = &s->site[s->turn];
	uint32_t *back;

	if (line->context != s->site[from].context || s->code->v[line->index].flow != TRACE_FLOW_ON
	    || pc_of(s, s->turn) < pc_of(s, from))
		line = &s->site[from];
	back = &s->site[line - s->site].back;
	if (*back == NOWHERE || pc_of(s, to) < pc_of(s, *back))
		*back = to;
	if (s->backs++ == 0) {
		s->back_line = s->code->text->line;
		s->back_from = s->code->v[line->index].pc;
		s->back_to = pc_of(s, to);
	}
}

/* A way that was not met before. */
static int check_order(struct survey *s, uint32_t from, uint32_t to)
{
	const struct trace_text *t = s->code->text;
	const struct trace_site *f = &s->site[from];

	if (f->index == NOWHERE && pc_of(s, to) < pc_of(s, f->begin))
		return hd__trace_error(t->host, "%s:%" PRIu64 ": lanes begin at pc %04" PRIx32 ", but their "
		                       "warp begins at %04" PRIx32 "; expected a pc that is not smaller",
		                       t->name, t->line, pc_of(s, to), pc_of(s, f->begin));
	if (f->index != NOWHERE && s->code->v[f->index].flow == TRACE_FLOW_ON
	    && pc_of(s, to) <= pc_of(s, from))
		go_back(s, from, to);
	return 0;
}

/* Makes an edge the first of a list; false: it is not in it. */
static bool move_up(const struct survey *s, uint32_t *list, uint32_t to)
{
	for (uint32_t *link = list; *link; link = &s->edge[*link - 1].next) {
		uint32_t e = *link;

		if (s->edge[e - 1].to != to)
			continue;
		*link = s->edge[e - 1].next;
		s->edge[e - 1].next = *list;
		*list = e;
		return true;
	}
	return false;
}

static int add_to(struct survey *s, uint32_t *list, uint32_t to)
{
	struct trace_edge *v = trace_reserve(s->edge, s->edges + 1, &s->edge_cap, sizeof *v);

	if (!v || s->edges >= UINT32_MAX - 1)
		return no_memory(s);
	s->edge = v;
	v[s->edges++] = (struct trace_edge){ .to = to, .next = *list };
	*list = (uint32_t)s->edges;
	return 0;
}

static int add_edge(struct survey *s, uint32_t from, uint32_t to)
{
	if (move_up(s, &s->site[from].edges, to))
		return 0;
	return check_order(s, from, to) ? -1 : add_to(s, &s->site[from].edges, to);
}

static __attribute__((noinline)) int add_line(struct survey *s, uint32_t from)
{
	return move_up(s, &s->site[from].lines, s->line) ? 0 : add_to(s, &s->site[from].lines, s->line);
}

/* The step from the line before to this one. */
static inline int note_line(struct survey *s)
{
	uint32_t from = s->before, e;

	s->before = s->line;
	if (from == NOWHERE)
		return 0;
	e = s->site[from].lines;
	return HD_LIKELY(e && s->edge[e - 1].to == s->line) ? 0 : add_line(s, from);
}

static inline int go(struct survey *s, uint32_t from, uint32_t to)
{
	uint32_t e = s->site[from].edges;

	if (HD_LIKELY(e && s->edge[e - 1].to == to))
		return 0;
	return add_edge(s, from, to);
}

/* Lanes that stood at `from` are seen at the static instruction: their site, NOWHERE after a message.
 * Most go where others went before them; a site has one way to an instruction. */
static inline uint32_t move(struct survey *s, uint32_t from, uint32_t index)
{
	uint32_t e = s->site[from].edges, context, to;

	if (HD_LIKELY(e && s->site[s->edge[e - 1].to].index == index))
		return s->edge[e - 1].to;
	context = context_after(s, from);
	to = context == NOWHERE ? NOWHERE : site_of(s, context, index);
	return to == NOWHERE || go(s, from, to) ? NOWHERE : to;
}

static void join(struct survey *s, uint32_t begin, struct cohort c)
{
	for (uint32_t i = begin; i < s->n; i++)
		if (s->v[i].last == c.last && s->v[i].exit == c.exit) {
			s->v[i].lanes |= c.lanes;
			return;
		}
	s->v[s->n++] = c;
}

/* The lanes of the line leave their cohorts for new ones. */
static int regroup(struct survey *s, uint32_t index, uint32_t mask)
{
	bool exit = s->code->v[index].exits;
	struct cohort old[HD_LANES];
	uint32_t olds = 0, kept = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct cohort c = s->v[i];

		s->v[i].lanes &= ~mask;
		c.lanes &= mask;
		if (c.lanes)
			old[olds++] = c;
		if (s->v[i].lanes)
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
	for (uint32_t i = 0; i < olds; i++) {
		uint32_t last = old[i].last, context = context_after(s, last), to;

		to = context == NOWHERE ? NOWHERE : site_of(s, context, index);
		if (to == NOWHERE || (!exit && go(s, last, to)))
			return -1;
		s->last = to;
		join(s, kept, (struct cohort){ .lanes = old[i].lanes, .last = exit ? last : to,
		                               .exit = exit ? to : NOWHERE });
	}
	s->line = s->last;
	return 0;
}

/* The lanes of the line are all those of one cohort, and no others.  Returns false if they are not, or go
 * to an EXIT. */
static inline bool move_cohort(struct survey *s, uint32_t index, uint32_t mask, int *bad)
{
	struct cohort c;
	uint32_t i = 0;

	while (i < s->n && s->v[i].lanes != mask)
		i++;
	if (i == s->n || s->v[i].exit != NOWHERE || s->code->v[index].exits)
		return false;
	c = s->v[i];
	c.last = s->last = s->line = move(s, c.last, index);
	for (; i + 1 < s->n; i++) /* to the end, as after regroup() */
		s->v[i] = s->v[i + 1];
	s->v[i] = c;
	*bad = c.last == NOWHERE ? -1 : 0;
	return true;
}

/* A line without lanes is where those of the line before it went. */
static int pass(struct survey *s, uint32_t index)
{
	uint32_t context = s->last == NOWHERE ? 0 : context_after(s, s->last);

	s->line = context == NOWHERE ? NOWHERE : site_of(s, context, index);
	return s->line == NOWHERE ? -1 : 0;
}

static inline void note_pc(struct survey *s, uint32_t pc)
{
	if (HD_UNLIKELY(pc <= s->pc))
		s->turn = s->line;
	s->pc = pc;
}

/* The lanes that moved last are those of the line, and go where others went before them.  Returns false if they do not,
 * or go to an EXIT. */
static inline bool follow(struct survey *s, uint32_t index, uint32_t mask)
{
	const struct trace_static *code = &s->code->v[index];
	struct cohort *c;
	uint32_t e, to;

	if (s->n == 0)
		return false;
	c = &s->v[s->n - 1];
	if (c->lanes != mask || c->exit != NOWHERE || code->exits)
		return false;
	e = s->site[c->last].edges;
	if (e == 0)
		return false;
	to = s->edge[e - 1].to;
	if (s->site[to].index != index)
		return false;
	note_pc(s, code->pc);
	c->last = s->last = s->line = to;
	return true;
}

static __attribute__((noinline)) int step_anywhere(struct survey *s, uint32_t index, uint32_t mask)
{
	int bad;

	note_pc(s, s->code->v[index].pc);
	if (HD_LIKELY(move_cohort(s, index, mask, &bad)))
		return bad;
	return mask ? regroup(s, index, mask) : pass(s, index);
}

static inline int step(struct survey *s, uint32_t index, uint32_t mask)
{
	return HD_LIKELY(follow(s, index, mask)) ? 0 : step_anywhere(s, index, mask);
}

/* ---- warps ---------------------------------------------------------------------------------- */

/* All lanes stand at the first line. */
static int begin_warp(struct survey *s, uint32_t warp, uint32_t index)
{
	uint32_t site = site_of(s, 0, index), begin;

	if (site == NOWHERE)
		return -1;
	begin = s->site[site].begin;
	if (begin == NOWHERE) {
		begin = add_site(s, 0, NOWHERE);
		if (begin == NOWHERE)
			return -1;
		s->site[begin].begin = site;
		s->site[site].begin = begin;
	}
	s->last = s->before = NOWHERE;
	s->line = s->turn = site;
	s->pc = 0;
	s->n = 1;
	s->v[0] = (struct cohort){ .lanes = trace_threads(s->launch, warp), .last = begin,
	                           .exit = NOWHERE };
	return 0;
}

static int end_warp(struct survey *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->v[i].exit != NOWHERE && go(s, s->v[i].last, s->v[i].exit))
			return -1;
	return 0;
}

/* Is the warp the same, but for addresses, as the one that was looked at last?  Then nothing in it is new. */
static bool repeats(const struct survey *s, struct trace_cursor at)
{
	size_t i = 0;

	if (at.mask != s->threads)
		return false;
	for (; at.pos != at.end && i < s->steps; i++) {
		trace_pass(&at);
		if (at.index != s->step[i].index || at.mask != s->step[i].mask)
			return false;
	}
	return at.pos == at.end && i == s->steps && i > 0;
}

/* Room for the steps of a warp that has so many bytes, and no more instructions. */
static int reserve_steps(struct survey *s, size_t bytes)
{
	size_t n = bytes < SURVEY_STEPS ? bytes : SURVEY_STEPS;
	struct survey_step *v = trace_reserve(s->step, n, &s->step_cap, sizeof *v);

	if (n && !v)
		return no_memory(s);
	s->step = v;
	return 0;
}

/* line: that of the first instruction. */
static int read_warp(struct survey *s, uint32_t warp, const unsigned char *from, const unsigned char *to, uint64_t line)
{
	struct trace_cursor at = { .pos = from, .end = to, .mask = trace_threads(s->launch, warp),
		                   .index = NOWHERE };
	size_t n = 0;

	if (repeats(s, at))
		return 0;
	if (reserve_steps(s, (size_t)(to - from)))
		return -1;
	s->threads = at.mask;
	s->code->text->line = line;
	for (; at.pos != at.end; s->code->text->line++, n++) {
		trace_pass(&at);
		if (HD_LIKELY(n < SURVEY_STEPS))
			s->step[n] = (struct survey_step){ at.index, at.mask };
		if ((n == 0 && begin_warp(s, warp, at.index)) || step(s, at.index, at.mask)
		    || (s->lines && note_line(s)))
			return -1;
	}
	s->steps = n <= SURVEY_STEPS ? n : 0;
	return n ? end_warp(s) : 0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* The warps of a block in the order of the text. */
static int read_warps(struct survey *s, const struct trace_cursor *slot)
{
	const unsigned char *data = slot[0].cta->data;
	uint64_t line = 0, end = s->code->text->line;

	for (;;) {
		const struct trace_cursor *w = NULL;

		for (uint32_t i = 0; i < s->launch->warps; i++)
			if (slot[i].line > line && (!w || slot[i].line < w->line))
				w = &slot[i];
		if (!w)
			break;
		line = w->line;
		if (read_warp(s, (uint32_t)(w - slot), data + w->from, data + w->to, line + 1))
			return -1;
	}
	s->code->text->line = end;
	return 0;
}

static int read_blocks(struct survey *s, struct trace_blocks *b)
{
	struct trace_cursor slot[TRACE_WARPS];
	bool trims = b->trims;
	int got = 1;

	b->trims = false; /* all lines count */
	s->code->surveyed = true;
	for (uint64_t i = 0; i < s->launch->ctas && got > 0; i++) {
		got = hd__trace_blocks_read(b, slot);
		if (got <= 0)
			break;
		if (read_warps(s, slot))
			got = -1;
		hd__trace_blocks_leave(b, slot[0].cta);
	}
	b->trims = trims;
	hd__trace_blocks_reset(b);
	return got < 0 ? -1 : 0;
}

static void warn(const struct survey *s)
{
	if (s->backs)
		hd__trace_warn(s->code->text->host, "%s:%" PRIu64 ": lanes go back without a branch, first from pc "
		               "%04" PRIx32 " to %04" PRIx32 "; taken as if there were one",
		               s->code->text->name, s->back_line, s->back_from, s->back_to);
}

static int list_ways(const struct survey *s, struct trace_ways *ways)
{
	struct trace_way *v;

	for (size_t i = 0; i < s->sites; i++)
		for (uint32_t e = s->site[i].lines; e; e = s->edge[e - 1].next) {
			v = trace_reserve(ways->v, ways->n + 1, &ways->cap, sizeof *v);
			if (!v)
				return no_memory(s);
			ways->v = v;
			v[ways->n++] = (struct trace_way){ s->site[i].index,
				                           s->site[s->edge[e - 1].to].index };
		}
	return 0;
}

int hd__trace_survey(struct trace_program *p, struct trace_blocks *blocks, struct trace_ways *ways)
{
	struct trace_code *code = blocks->code;
	struct survey s = { .program = p, .code = code, .launch = &blocks->header->launch, .lines = ways };
	struct trace_text at = *code->text;
	struct trace_packed_at first = blocks->at;
	int bad;

	hd__trace_program_free(p);
	p->wide = s.launch->binary >= TRACE_WIDE;
	bad = add_context(&s, 0) == NOWHERE || read_blocks(&s, blocks)
	      || hd__trace_program_make(p, s.site, s.sites, s.edge, code)
	      || (ways && list_ways(&s, ways));
	if (!bad)
		warn(&s);
	if (code->packed) { /* a text is opened again */
		*code->text = at;
		blocks->at = first;
	}
	free(s.site);
	free(s.edge);
	free(s.step);
	return bad ? -1 : 0;
}

/* blocks_ahead.c - thread blocks that are read before their launch
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A kernel that is surveyed is needed twice: for its program, then block by block.  If its text is not too
 * long it is read once, and the packed blocks are kept.  Each has what reading it has counted, so that a
 * run counts a block when it is launched.  A text with anything that a survey of packed blocks would see
 * otherwise, or whose blocks take too much memory, is read again.  An error in it ends the run before the
 * kernel begins.
 */
#include "packed.h"

#include <stdlib.h>

/* Adds the warp where it stands in the text. */
static void add_part(struct trace_ahead *a, const struct trace_cursor *w, uint32_t warp)
{
	uint32_t at = a->parts++;

	for (; at > 0 && a->part[at - 1].line > w->line; at--)
		a->part[at] = a->part[at - 1];
	a->part[at] = (struct trace_part){ .from = w->from, .to = w->to, .line = w->line, .warp = warp,
		                           .tail = w->tail };
}

/* A copy of the block on these slots; NULL if it takes more than `*room` bytes, or without memory. */
static struct trace_ahead *copy(const struct trace_cursor *slot, uint32_t warps, size_t *room)
{
	const struct trace_cta *cta = slot[0].cta;
	size_t head = sizeof(struct trace_ahead) + warps * sizeof(struct trace_part);
	struct trace_ahead *a = head + cta->n <= *room ? malloc(head + cta->n) : NULL;

	if (!a)
		return NULL;
	*room -= head + cta->n;
	*a = (struct trace_ahead){ .cta = { .data = (unsigned char *)a + head, .n = cta->n,
	                                    .ahead = true } };
	memcpy(a->cta.data, cta->data, cta->n);
	for (uint32_t i = 0; i < warps; i++)
		if (slot[i].line)
			add_part(a, &slot[i], i);
	return a;
}

/* Reads a block, with counters that begin at 0; *to = NULL: it cannot be kept. */
static int read_one(struct trace_blocks *b, struct trace_cursor *slot, size_t most, size_t *room,
                    struct trace_ahead **to)
{
	struct trace_code *c = b->code;
	uint32_t warps = b->header->launch.warps;
	struct trace_ahead *a;
	int got;

	*to = NULL;
	b->instructions = b->truncated = b->absent = b->bare = 0;
	c->dropped = c->tails = 0;
	got = hd__trace_blocks_read(b, slot);
	if (got <= 0)
		return got;
	*to = a = b->mended || b->uneven || c->unknown || c->text->bytes > most ? NULL
	          : copy(slot, warps, room);
	hd__trace_blocks_leave(b, slot[0].cta);
	if (!a)
		return 0;
	a->number = b->number;
	a->line = c->text->line;
	a->text = c->text->bytes;
	a->done = c->text->done;
	a->instructions = b->instructions;
	a->dropped = c->dropped;
	a->tails = c->tails;
	a->truncated = b->truncated;
	a->absent = b->absent;
	a->bare = b->bare;
	return 1;
}

/* Lines of what is met first: those of the first block that has it. */
struct firsts {
	uint64_t dropped, tail, truncated, absent, bare;
	char word[TRACE_SHOWN];
};

static void note_firsts(struct firsts *f, const struct trace_blocks *b, const struct trace_ahead *a)
{
	if (a->dropped && !f->dropped)
		f->dropped = b->code->dropped_line;
	if (a->tails && !f->tail) {
		f->tail = b->code->tail_line;
		memcpy(f->word, b->code->tail, sizeof f->word);
	}
	if (a->truncated && !f->truncated)
		f->truncated = b->truncated_line;
	if (a->absent && !f->absent)
		f->absent = b->absent_line;
	if (a->bare && !f->bare)
		f->bare = b->bare_line;
}

static void set_firsts(const struct firsts *f, struct trace_blocks *b)
{
	b->code->dropped_line = f->dropped;
	b->code->tail_line = f->tail;
	memcpy(b->code->tail, f->word, sizeof f->word);
	b->truncated_line = f->truncated;
	b->absent_line = f->absent;
	b->bare_line = f->bare;
}

int hd__trace_ahead_read(struct trace_blocks *b, size_t most)
{
	struct trace_cursor slot[TRACE_WARPS];
	struct firsts firsts = { 0 };
	struct trace_ahead **end = &b->ahead;
	size_t room = most;
	bool trims = b->trims;
	int got = 1;

	b->trims = b->uneven = false; /* the survey has all lines */
	b->code->ahead = true;
	for (uint64_t i = 0; i < b->header->launch.ctas && got > 0; i++) {
		got = read_one(b, slot, most, &room, end);
		if (got > 0) {
			note_firsts(&firsts, b, *end);
			end = &(*end)->next;
		}
	}
	b->trims = trims;
	set_firsts(&firsts, b);
	b->instructions = b->truncated = b->absent = b->bare = b->mended = 0;
	b->exits.met = false;
	hd__trace_code_reset(b->code);
	if (got <= 0)
		hd__trace_ahead_drop(b);
	return got;
}

/* Moves the warps together, without those lines. */
static void trim(struct trace_ahead *a, const struct hd_launch *l)
{
	a->cta.n = 0;
	for (uint32_t i = 0; i < a->parts; i++) {
		struct trace_part *p = &a->part[i];
		unsigned char *data = a->cta.data;
		struct trace_cursor at = { .pos = data + p->from, .end = data + p->to,
			                   .mask = trace_threads(l, p->warp), .index = TRACE_NOWHERE };
		size_t kept = 0;

		while (at.pos != at.end) {
			trace_pass(&at);
			if (at.mask)
				kept = (size_t)(at.pos - data) - p->from;
		}
		memmove(data + a->cta.n, data + p->from, kept);
		p->from = a->cta.n;
		p->to = a->cta.n += kept;
	}
}

void hd__trace_ahead_ready(struct trace_blocks *b)
{
	for (struct trace_ahead *a = b->ahead; a && b->trims; a = a->next)
		trim(a, &b->header->launch);
}

void hd__trace_ahead_take(struct trace_blocks *b, struct trace_cursor *slot)
{
	struct trace_ahead *a = b->ahead;
	struct trace_code *c = b->code;

	b->ahead = a->next;
	for (uint32_t i = 0; i < b->header->launch.warps; i++)
		slot[i] = (struct trace_cursor){ .cta = &a->cta };
	for (uint32_t i = 0; i < a->parts; i++) {
		struct trace_cursor *w = &slot[a->part[i].warp];

		w->from = a->part[i].from;
		w->to = a->part[i].to;
		w->tail = a->part[i].tail;
	}
	c->text->line = a->line;
	c->text->bytes = a->text;
	c->text->done = a->done;
	c->dropped += a->dropped;
	c->tails += a->tails;
	b->number = a->number;
	b->instructions += a->instructions;
	b->truncated += a->truncated;
	b->absent += a->absent;
	b->bare += a->bare;
}

void hd__trace_ahead_drop(struct trace_blocks *b)
{
	while (b->ahead) {
		struct trace_ahead *a = b->ahead;

		b->ahead = a->next;
		free(a);
	}
}

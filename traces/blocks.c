/* blocks.c - thread blocks: read as a whole, checked, assigned to warp slots
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A block is read from the file when it is launched and kept until the last of its slots is
 * launched again, so memory is bounded by what is resident, not by the file.
 */
#include "packed.h"

#include <inttypes.h>
#include <stdlib.h>

static int ended(struct trace_blocks *b)
{
	return hd__trace_error(b->code->text->host, "%s:%" PRIu64 ": the file ends within a thread block; "
	                       "expected '#END_TB'", b->code->text->name, b->code->text->line);
}

/* The next line that is not blank. */
static inline int next_line(struct trace_blocks *b, const char **line, size_t *len)
{
	return trace_text_next(b->code->text, line, len);
}

static bool is_word(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && memcmp(line, word, n) == 0 && trace_gap(line[n]);
}

/* Makes room for `bytes` more. */
static int reserve(struct trace_blocks *b, struct trace_cta *cta, size_t bytes)
{
	const struct trace_text *t = b->code->text;
	unsigned char *data;

	if (b->most && cta->n + bytes > b->most)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": the thread block takes more than the %zu MiB that "
		                       "'block_memory' allows; expected a smaller one, or a larger "
		                       "'block_memory'", t->name, t->line, b->most >> 20);
	data = trace_reserve(cta->data, cta->n + bytes, &cta->cap, 1);
	if (!data)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": out of memory for a thread block", t->name,
		                       t->line);
	cta->data = data;
	return 0;
}

/* The line count of "insts" against what is there. */
static int too_few(struct trace_blocks *b, uint32_t warp, uint64_t have, uint64_t insts)
{
	return hd__trace_error(b->code->text->host, "%s:%" PRIu64 ": warp %" PRIu32 " has %" PRIu64
	                       " instruction%s, but 'insts' is %" PRIu64, b->code->text->name,
	                       b->code->text->line, warp, have, have == 1 ? "" : "s", insts);
}

/* A line whose mask has lanes that have exited or never were, or that comes when all have. */
static int contradicts(struct trace_blocks *b, uint32_t warp, const struct trace_static *s,
                       uint32_t alive, uint32_t mask)
{
	if (!b->exits.met)
		b->exits = (struct trace_exits){ .met = true, .strict = b->strict, .warp = warp,
		                                 .valid = trace_threads(&b->header->launch, warp) };
	return hd__trace_exits_line(&b->exits, b->code->text, s, alive, mask);
}

/* The end of a warp that has such lines. */
static int mend(struct trace_blocks *b, struct trace_cta *cta, const struct trace_cursor *w,
                uint64_t insts)
{
	struct trace_counted *mended = &b->code->counted[TRACE_MENDED];
	struct trace_exits e = b->exits;
	size_t bytes = cta->n - w->from + insts * TRACE_GROWTH;

	b->exits.met = false;
	if (hd__trace_exits_end(&e, b->code->text))
		return -1;
	if (!e.back)
		return 0;
	if (cta->cap - cta->n < bytes && reserve(b, cta, bytes))
		return -1;
	if (mended->n == 0)
		mended->line = e.line;
	mended->n += hd__trace_exits_mend(cta, w->from, e.valid, b->code->v);
	return 0;
}

/* Takes the lines without lanes from the end of a warp. */
static void trim(const struct trace_blocks *b, struct trace_cta *cta, const struct trace_cursor *w,
                 uint32_t warp)
{
	struct trace_cursor at = { .pos = cta->data + w->from, .end = cta->data + cta->n,
		                   .mask = trace_threads(&b->header->launch, warp),
		                   .index = TRACE_NOWHERE };

	cta->n = w->from;
	while (at.pos < at.end) {
		trace_pass(&at);
		if (at.mask)
			cta->n = (size_t)(at.pos - cta->data);
	}
}

/* The next line, which is an instruction of the warp after i others.  Returns -1 after an error, 1 if it is none. */
static inline int read_inst(struct trace_blocks *b, uint32_t warp, uint64_t i, uint64_t insts, struct trace_line *inst)
{
	const char *line;
	size_t len;
	int got;

	got = next_line(b, &line, &len);
	if (got <= 0)
		return got < 0 ? -1 : ended(b);
	if (HD_UNLIKELY(*line == '#' || *line == 'w'))
		return too_few(b, warp, i, insts);
	return hd__trace_line(b->code, line, len, inst);
}

/* `insts` instruction lines into the cursor. */
static int read_insts(struct trace_blocks *b, struct trace_cta *cta, struct trace_cursor *w,
                      uint32_t warp, uint64_t insts)
{
	struct trace_code *code = b->code;
	uint32_t alive = trace_threads(&b->header->launch, warp);
	struct trace_line inst = { .mask = UINT32_MAX };

	code->repeats = false;
	for (uint64_t i = 0; i < insts; i++) {
		const struct trace_static *s;

		int got = read_inst(b, warp, i, insts, &inst);

		if (got < 0)
			return -1;
		if (HD_UNLIKELY(got > 0))
			continue;
		s = &code->v[inst.index];
		if (HD_UNLIKELY((inst.mask & ~alive) || !alive)) {
			if (contradicts(b, warp, s, alive, inst.mask))
				return -1;
			alive |= b->exits.back & inst.mask;
		}
		if (s->more) {
			if (s->exits)
				alive &= ~inst.mask;
			if (s->access && !s->payload && inst.mask)
				trace_count(code, TRACE_BARE);
		}
		if (HD_UNLIKELY(cta->cap - cta->n < TRACE_LONGEST)
		    && reserve(b, cta, TRACE_LONGEST))
			return -1;
		trace_pack(cta, w, &inst, s->access || HD_UNLIKELY(b->lines && !s->exits));
	}
	b->instructions += insts;
	if (HD_UNLIKELY(b->exits.met) && mend(b, cta, w, insts))
		return -1;
	if (b->trims && insts > 0 && !inst.mask)
		trim(b, cta, w, warp);
	if (insts > 0 && alive) {
		w->tail = alive;
		trace_count(code, TRACE_TRUNCATED);
	}
	return 0;
}

/* "key = number" */
static int number_line(const struct trace_blocks *b, const char *line, const char *key, const char *what, uint64_t *out)
{
	const char *value = hd__trace_value(line, key), *end = value ? hd__trace_dec(value, out) : NULL;

	return end && trace_gap(*end) ? 0 : hd__trace_bad(b->code->text, line, value ? value : line, what);
}

/* "warp = W", "insts = N", N instructions. */
static int read_warp(struct trace_blocks *b, struct trace_cta *cta, struct trace_cursor *slot,
                     const char *line, uint64_t *seen)
{
	const struct trace_text *t = b->code->text;
	const struct hd_launch *l = &b->header->launch;
	struct trace_cursor *w;
	uint64_t warp, insts;
	size_t len;
	int got;

	if (number_line(b, line, "warp", "'warp = number' or '#END_TB'", &warp))
		return -1;
	if (warp >= l->warps)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": no warp %" PRIu64 "; the block "
		                       "has %" PRIu32 " threads in %" PRIu32 " warp%s", t->name, t->line,
		                       warp, l->threads, l->warps, l->warps == 1 ? "" : "s");
	if (*seen >> warp & 1)
		return hd__trace_error(t->host, "%s:%" PRIu64 ": warp %" PRIu64 " appears twice",
		                       t->name, t->line, warp);
	*seen |= UINT64_C(1) << warp;
	got = next_line(b, &line, &len);
	if (got <= 0)
		return got < 0 ? -1 : ended(b);
	if (number_line(b, line, "insts", "'insts = number'", &insts))
		return -1;
	w = &slot[warp];
	w->from = cta->n;
	w->line = t->line;
	if (b->lines)
		b->lines[warp] = t->line;
	if (read_insts(b, cta, w, (uint32_t)warp, insts))
		return -1;
	w->to = cta->n;
	return 0;
}

/* "thread block = x,y,z". */
static int read_head(struct trace_blocks *b, const char *line)
{
	const char *p = hd__trace_value(line, "thread block"), *at;
	uint64_t v, stride = 1;
	char below[40];

	if (!p)
		return hd__trace_bad(b->code->text, line, line, "'thread block = x,y,z'");
	b->number = 0;
	for (int i = 0; i < 3; i++) {
		at = p = trace_skip(p);
		p = hd__trace_dec(p, &v);
		if (!p || (*p != ',' && !trace_gap(*p)))
			return hd__trace_bad(b->code->text, line, at, "the thread block's x,y,z");
		if (v >= b->header->launch.grid[i]) {
			snprintf(below, sizeof below, "a number below the grid's %" PRIu32, b->header->launch.grid[i]);
			return hd__trace_bad(b->code->text, line, at, below);
		}
		b->number += v * stride;
		stride *= b->header->launch.grid[i];
		at = p = trace_skip(p);
		if (i < 2 && *p++ != ',')
			return hd__trace_bad(b->code->text, line, at, "',' and x,y,z of the thread block");
	}
	if (!trace_gap(*p) && *p != '\n' && *p != '\r')
		return hd__trace_bad(b->code->text, line, p, "the end of the line");
	return 0;
}

/* "x,y,z", as it has to be. */
static bool is_place(const char *p, const uint64_t v[3])
{
	uint64_t n;

	for (int i = 0; p && i < 3; i++) {
		p = hd__trace_dec(trace_skip(p), &n);
		if (!p || n != v[i] || (i < 2 && *p++ != ','))
			return false;
	}
	return p && trace_gap(*p);
}

/* "cluster id = x,y,z", "cluster cta = x,y,z", "cluster rank = n": where the block is, once more (docs/hopper.md, KL2),
 * if the kernel has clusters.  *seen: bits of those that there were. */
static int check_cluster(const struct trace_blocks *b, const char *line, uint32_t *seen)
{
	static const char *const keys[] = { "cluster id", "cluster cta", "cluster rank" };
	const struct hd_launch *l = &b->header->launch;
	uint64_t left = b->number, v[3][3] = { 0 }, stride = 1;
	const char *p = NULL;
	char what[100];
	int k = 0;

	if (!l->cluster[0])
		return 0;
	for (int i = 0; i < 3; i++) {
		uint32_t c = l->cluster[i];
		uint64_t at = left % l->grid[i];

		left /= l->grid[i];
		v[0][i] = at / c;
		v[1][i] = at % c;
		v[2][0] += at % c * stride;
		stride *= c;
	}
	while (k < 3 && !(p = hd__trace_value(line, keys[k])))
		k++;
	if (k == 3)
		return 0; /* another one, of a later tracer */
	*seen |= 1u << k;
	if (k < 2 && is_place(p, v[k]))
		return 0;
	if (k == 2) {
		uint64_t n;
		const char *end = hd__trace_dec(p, &n);

		if (end && trace_gap(*end) && n == v[2][0])
			return 0;
		snprintf(what, sizeof what, "%s %" PRIu64 " of this thread block", keys[k], v[2][0]);
	} else {
		snprintf(what, sizeof what, "%s %" PRIu64 ",%" PRIu64 ",%" PRIu64 " of this thread block", keys[k],
		         v[k][0], v[k][1], v[k][2]);
	}
	return hd__trace_bad(b->code->text, line, p, what);
}

/* From #BEGIN_TB, exclusive, to #END_TB. */
static int read_block(struct trace_blocks *b, struct trace_cta *cta, struct trace_cursor *slot)
{
	uint64_t seen = 0;
	uint32_t cluster = 0;
	const char *line;
	size_t len;
	int got = next_line(b, &line, &len);

	if (got > 0 && read_head(b, line))
		return -1;
	while (got > 0) {
		got = next_line(b, &line, &len);
		if (got <= 0)
			break;
		if (is_word(line, len, "#END_TB"))
			goto complete;
		if (len > 8 && memcmp(line, "cluster ", 8) == 0) {
			if (check_cluster(b, line, &cluster))
				return -1;
			continue;
		}
		if (trace_digit(*line) >= 0)
			return hd__trace_error(b->code->text->host, "%s:%" PRIu64 ": an instruction "
			                       "follows the last one that 'insts' announced",
			                       b->code->text->name, b->code->text->line);
		if (read_warp(b, cta, slot, line, &seen))
			return -1;
	}
	return got < 0 ? -1 : ended(b);
complete:
	if (cluster && cluster != 7)
		return hd__trace_error(b->code->text->host, "%s:%" PRIu64 ": the thread block ends without 'cluster "
		                       "%s'; expected its place, as other blocks of the kernel have it",
		                       b->code->text->name, b->code->text->line,
		                       cluster & 1 ? cluster & 2 ? "rank" : "cta" : "id");
	for (uint32_t i = 0; i < b->header->launch.warps; i++)
		if (!(seen >> i & 1))
			trace_count(b->code, TRACE_ABSENT);
	return 0;
}

/* ---- slots ---------------------------------------------------------------------------------- */

void hd__trace_blocks_leave(struct trace_blocks *b, struct trace_cta *cta)
{
	cta->next = b->idle;
	b->idle = cta;
}

static void vacate(struct trace_blocks *b, struct trace_cursor *w)
{
	if (w->cta && --w->cta->users == 0)
		hd__trace_blocks_leave(b, w->cta);
	*w = (struct trace_cursor){ 0 };
}

static struct trace_cta *take(struct trace_blocks *b)
{
	struct trace_cta *cta = b->idle;

	if (cta) {
		b->idle = cta->next;
	} else {
		cta = calloc(1, sizeof *cta);
		if (!cta || (!b->code->packed && reserve(b, cta, TRACE_LONGEST))) {
			free(cta);
			return NULL;
		}
	}
	cta->n = 0;
	cta->users = 0;
	return cta;
}

/* What is counted in the kernel, and where it was first. */
static void count_packed(struct trace_blocks *b, const struct trace_packed_block *from)
{
	const struct trace_packed_kernel *k = b->code->packed;
	const struct packed_block *h = from->head;
	struct trace_code *c = b->code;
	struct trace_counted *bare = &c->counted[TRACE_BARE];

	c->text->line = h->line;
	c->text->bytes = h->text;
	c->text->done = b->at.offset;
	b->number = h->number;
	b->instructions += h->instructions;
	for (int i = 0; i < PACKED_ODDITIES; i++) {
		c->counted[i].n += h->counted[i];
		c->counted[i].line = k->head->first_line[i];
	}
	memcpy(c->tail, k->head->tail, sizeof c->tail);
	if (bare->n == 0 && from->bare)
		bare->line = hd__trace_packed_bare_line(k, c);
	bare->n += from->bare;
}

static int out_of_memory(const struct trace_blocks *b)
{
	return hd__trace_error(b->code->text->host, "%s: out of memory for a thread block", b->code->text->name);
}

/* The next block of a packed trace: the instructions stay where they are, unless it comes in parts. */
static int take_packed(struct trace_blocks *b, struct trace_cursor *slot)
{
	struct trace_packed_kernel *k = b->code->packed;
	struct trace_packed_block from;
	struct trace_cta *cta;
	int got = hd__trace_packed_next(k, &b->at, b->code, &from);

	if (got <= 0)
		return got;
	if (b->strict && from.head->counted[TRACE_MENDED])
		return hd__trace_error(b->code->text->host, "%s:%" PRIu64 ": a lane goes on after an EXIT that has "
		                       "it", b->code->text->name, k->head->first_line[TRACE_MENDED]);
	if (from.head->number >= b->header->launch.ctas)
		return hd__trace_packed_bad(k->file, from.head, "a thread block that the grid does not have");
	cta = take(b);
	if (!cta)
		return out_of_memory(b);
	cta->n = from.head->data;
	if (k->more) { /* its part may be gone before it is */
		unsigned char *data = trace_reserve(cta->data, cta->n + TRACE_LONGEST, &cta->cap, 1);

		if (!data) {
			hd__trace_blocks_leave(b, cta);
			return out_of_memory(b);
		}
		cta->data = memcpy(data, from.data, cta->n);
	} else {
		cta->data = from.data;
	}
	for (uint32_t i = 0; i < b->header->launch.warps; i++)
		slot[i] = (struct trace_cursor){
			.cta = cta, .from = from.warp[i].from,
			.to = b->trims ? from.warp[i].kept : from.warp[i].to, .tail = from.tail[i],
			.line = from.warp[i].line ? from.warp[i].line - 1 : 0,
		};
	count_packed(b, &from);
	return 1;
}

/* The next one in the file. */
static int read_any(struct trace_blocks *b, struct trace_cursor *slot)
{
	const struct hd_launch *l = &b->header->launch;
	struct trace_cta *cta;
	const char *line;
	size_t len;
	int got;

	if (b->code->packed)
		return take_packed(b, slot);
	got = next_line(b, &line, &len);
	if (got <= 0)
		return got;
	if (!is_word(line, len, "#BEGIN_TB"))
		return hd__trace_bad(b->code->text, line, line, "'#BEGIN_TB'");
	cta = take(b);
	if (!cta)
		return out_of_memory(b);
	for (uint32_t i = 0; i < l->warps; i++)
		slot[i] = (struct trace_cursor){ .mask = trace_threads(l, i), .index = TRACE_NOWHERE };
	if (read_block(b, cta, slot)) {
		for (uint32_t i = 0; i < l->warps; i++)
			slot[i] = (struct trace_cursor){ 0 };
		hd__trace_blocks_leave(b, cta);
		return -1;
	}
	for (uint32_t i = 0; i < l->warps; i++)
		slot[i].cta = cta;
	return 1;
}

/* Notes the number of the block that was read.  Returns false if it has been read before. */
static bool note(struct trace_blocks *b)
{
	if (b->number < b->met || hd__int_map_get(&b->beyond, b->number))
		return false;
	if (b->number != b->met) {
		*hd__int_map_at(&b->beyond, b->number) = 1;
		return true;
	}
	do
		b->met++;
	while (b->beyond.n && hd__int_map_get(&b->beyond, b->met));
	return true;
}

static void forget_met(struct trace_blocks *b)
{
	hd__int_map_free(&b->beyond);
	b->met = 0;
}

int hd__trace_blocks_read(struct trace_blocks *b, struct trace_cursor *slot)
{
	int got;

	for (;;) {
		uint64_t instructions = b->instructions;

		got = read_any(b, slot);
		if (got <= 0 || note(b))
			return got;
		trace_count(b->code, TRACE_TWICE);
		b->instructions = instructions;
		hd__trace_blocks_leave(b, slot[0].cta);
		for (uint32_t i = 0; i < b->header->launch.warps; i++)
			slot[i] = (struct trace_cursor){ 0 };
	}
}

int hd__trace_blocks_load(struct trace_blocks *b, uint32_t first)
{
	const struct hd_launch *l = &b->header->launch;
	const struct trace_host *host = b->code->text->host;
	struct trace_cursor *slot;
	struct trace_cta *cta;
	int got;

	if (!b->slots)
		b->slots = TRACE_SLOTS;
	if (!b->slot && !(b->memory = calloc(b->slots + (size_t)1, sizeof *b->slot)))
		return hd__trace_error(host, "out of memory for %" PRIu32 " warp slots", b->slots);
	b->slot = trace_first_line(b->memory);
	if (first >= b->slots || l->warps > TRACE_SLOTS - first % TRACE_SLOTS)
		return hd__trace_error(host, "warps %" PRIu32 " to %" PRIu32 " do not fit %u warp "
		                       "slots", first,
		                       first + (l->warps - 1), b->slots);
	slot = &b->slot[first];
	b->used = first + l->warps > b->used ? first + l->warps : b->used;
	for (uint32_t i = 0; i < l->warps; i++)
		vacate(b, &slot[i]);
	got = hd__trace_blocks_read(b, slot);
	if (got <= 0)
		return got;
	cta = slot[0].cta;
	for (uint32_t i = 0; i < l->warps; i++) {
		struct trace_cursor *w = &slot[i];

		/* Unpacking starts as packing did; the memory does not move any more. */
		*w = (struct trace_cursor){
			.cta = cta, .pos = cta->data + w->from, .end = cta->data + w->to,
			.mask = trace_threads(l, i), .nlanes = hd_bits_count32(trace_threads(l, i)),
			.start = cta->data + w->from, .index = TRACE_NOWHERE, .tail = w->tail,
			.counts = b->counts,
		};
	}
	cta->users = l->warps;
	b->ctas++;
	return 1;
}

int hd__trace_blocks_finish(struct trace_blocks *b)
{
	const char *line;
	size_t len;
	int got;

	if (b->code->packed) {
		got = b->code->packed->head->more;
		b->code->text->line = b->code->packed->head->end_line;
		b->code->text->bytes = b->code->packed->head->end_text;
	} else {
		got = next_line(b, &line, &len);
	}
	b->more = got > 0;
	if (b->more)
		hd__trace_warn(b->code->text->host, "%s:%" PRIu64 ": the grid has %" PRIu64 " thread "
		               "block%s, but the file goes on; the rest is not read", b->code->text->name,
		               b->code->text->line, b->header->launch.ctas,
		               b->header->launch.ctas == 1 ? "" : "s");
	return got < 0 ? -1 : 0;
}

void hd__trace_blocks_drop(struct trace_blocks *b)
{
	for (uint32_t i = 0; b->slot && i < b->used; i++)
		vacate(b, &b->slot[i]);
	b->used = 0;
	forget_met(b);
}

void hd__trace_blocks_free(struct trace_blocks *b)
{
	hd__trace_blocks_drop(b);
	free(b->memory);
	b->slot = b->memory = NULL;
	while (b->idle) {
		struct trace_cta *cta = b->idle;

		b->idle = cta->next;
		if (cta->cap) /* else it is in a packed trace */
			free(cta->data);
		free(cta);
	}
}

void hd__trace_blocks_reset(struct trace_blocks *b)
{
	b->instructions = 0;
	b->exits.met = false;
	forget_met(b);
	hd__trace_code_reset(b->code);
}

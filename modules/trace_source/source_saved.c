/* source_saved.c - checkpoints of the trace source
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Nothing that was read is saved.  A loaded source repeats the calls that read it, so that numbers of
 * static instructions and opcodes are the same again, and then moves each warp to its place.
 */
#include "source_parts.h"

#include <inttypes.h>
#include <stdlib.h>

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* ---- what was called ---- */

void hd__source_called(struct source *s, enum trace_call_kind kind, uint32_t kernel, uint32_t what)
{
	struct trace_call *v;

	if (!s->saves)
		return;
	v = trace_reserve(s->calls, s->ncalls + 1, &s->calls_cap, sizeof *v);
	if (!v) {
		hd_error(s->ctx, "out of memory for %zu calls", s->ncalls);
		return;
	}
	s->calls = v;
	v[s->ncalls++] = (struct trace_call){ kind, kernel, what };
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ p[i]) * FNV_PRIME;
	return hash;
}

/* The hash of the blocks so far takes in another one. */
static void add_content(struct source *s, uint32_t first)
{
	const struct trace_cta *cta = s->present->k.blocks.slot[first].cta;

	if (cta)
		s->content = add_bytes(s->content ? s->content : FNV_BASIS, cta->data, cta->n);
}

/* A hash of the instructions of the kernels that are there. */
static uint64_t programs(const struct source *s)
{
	uint64_t hash = FNV_BASIS;

	for (const struct kernel *k = s->all; k; k = k->next)
		for (uint32_t i = 0; i < k->k.code.n; i++)
			hash = add_bytes(add_bytes(hash, k->k.code.v[i].text, k->k.code.v[i].len),
			                 k->k.code.v[i].head, sizeof k->k.code.v[i].head);
	return hash;
}

void hd__source_called_block(struct source *s, uint32_t first)
{
	hd__source_called(s, TRACE_CALL_BLOCK, s->present->number, first);
	add_content(s, first);
}

/* ---- repeating it ---- */

/* The kernel that had this number; NULL after a message. */
static struct kernel *numbered(struct source *s, struct hd_checkpoint *k, uint32_t number)
{
	struct kernel *at = s->all;

	while (at && at->number != number)
		at = at->next;
	if (!at && s->all && number == s->all->number + 1)
		at = hd__source_new(s);
	if (!at)
		hd_refuse(k, "a call of kernel place %" PRIu32 ", which does not exist", number);
	return at;
}

static bool repeat(struct source *s, struct hd_checkpoint *k, struct trace_call c)
{
	struct hd_launch launch;
	struct kernel *at = c.kind == TRACE_CALL_NEXT ? s->all : numbered(s, k, c.kernel);

	if (!at)
		return false;
	switch (c.kind) {
	case TRACE_CALL_NEXT:
		return s->face.next_kernel(s, &launch) >= 0;
	case TRACE_CALL_OPEN:
		hd__source_called(s, c.kind, c.kernel, c.what);
		return c.what < s->reader.list.n && hd__source_begin(s, at, c.what, &launch) > 0;
	case TRACE_CALL_BLOCK:
		if (at != s->present || s->face.next_cta(s, c.what) <= 0)
			return false;
		if (!s->saves)
			add_content(s, c.what);
		return true;
	case TRACE_CALL_HOLE:
		hd__source_called(s, c.kind, c.kernel, c.what);
		hd__source_hole(s, at, c.what); /* in a run without a dump too: its number is taken */
		return true;
	}
	return false;
}

/* The sum of what was read, and of what is read again. */
static void calls_saved(struct source *s, struct hd_checkpoint *k)
{
	uint64_t n = hd_saved_number(k, s->ncalls, UINT32_MAX);
	uint64_t read[] = { s->content, programs(s), s->lines, s->bytes };
	bool good = true;

	for (uint64_t i = 0; i < n && good; i++) {
		struct trace_call c = hd_loads(k) ? (struct trace_call){ .kernel = 0 } : s->calls[i];

		c.kind = (enum trace_call_kind)hd_saved_number(k, c.kind, TRACE_CALL_HOLE);
		HD_SAVED(k, c.kernel);
		HD_SAVED(k, c.what);
		good = !hd_loads(k) || repeat(s, k, c);
	}
	HD_SAVED(k, read);
	if (hd_loads(k) && (!good || read[0] != s->content || read[1] != programs(s) || read[2] != s->lines
	                    || read[3] != s->bytes))
		hd_refuse(k, "the trace is not the one with which it was saved");
}

/* ---- where warps are ---- */

/* A cursor of the block on the slot: *w has one, which may be elsewhere in it. */
static void cursor_saved(struct hd_checkpoint *k, struct trace_cursor *w)
{
	uint64_t most = w->cta ? (uint64_t)(w->end - w->cta->data) : 0;
	uint64_t at = hd_saved_number(k, w->cta ? (uint64_t)(w->pos - w->cta->data) : 0, most);

	if (w->cta)
		w->pos = w->cta->data + at;
	HD_SAVED_FROM(k, w, base, mask);
	w->nlanes = hd_bits_count32(w->mask);
}

static void lanes_saved(struct hd_checkpoint *k, struct trace_lanes *l, const struct trace_cursor *slot)
{
	uint32_t n = (uint32_t)hd_saved_number(k, l->n, slot ? HD_LANES : 0);

	HD_SAVED_FROM(k, l, live, waiting);
	l->fresh = hd_saved_number(k, l->fresh, 1);
	if (n > l->cap) {
		struct trace_cohort *v = realloc(l->v, n * sizeof *v);

		if (!v) {
			hd_refuse(k, "out of memory for the lanes of a warp");
			return;
		}
		l->v = v;
		l->cap = n;
	}
	l->n = n;
	for (uint32_t i = 0; i < n; i++) {
		if (hd_loads(k))
			l->v[i] = (struct trace_cohort){ .at = *slot };
		cursor_saved(k, &l->v[i].at);
		HD_SAVED_FROM(k, &l->v[i], lanes, node);
	}
}

void hd__source_saved(struct source *s, struct hd_checkpoint *k)
{
	calls_saved(s, k);
	for (uint32_t i = 0; i < s->slots; i++) {
		struct kernel *of = s->of_slot[i];
		struct trace_cursor *w = of && of->k.blocks.slot ? &of->k.blocks.slot[i] : NULL;

		if (hd_saved_number(k, w != NULL, 1) != (w != NULL)) {
			hd_refuse(k, "warp slot %" PRIu32 " has another thread block", i);
			return;
		}
		if (w)
			cursor_saved(k, w);
		lanes_saved(k, &s->lanes[i], w && w->cta ? w : NULL);
		HD_SAVED(k, s->near[i]);
	}
}

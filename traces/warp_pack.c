/* warp_pack.c - the packed form of a warp's instructions
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A tag byte for each instruction, then the parts that the tag announces: the mask if it is not
 * that of the previous instruction, the static index if it is not the successor of the previous
 * one, addresses.  Numbers have 7 bits per byte, signed ones are zigzag-coded.  An ordinary
 * arithmetic instruction takes one byte.
 */
#include "warp_pack.h"

static inline unsigned char *put(unsigned char *p, int64_t v)
{
	return hd__put_varint(p, hd__zigzag(v));
}

void hd__trace_pack(struct trace_cta *cta, struct trace_cursor *w, const struct trace_line *line,
                    enum trace_form form)
{
	unsigned char *start = cta->data + cta->n, *p = start + 1;
	unsigned tag = (unsigned)form << TRACE_TAG_FORM;

	if (line->mask != w->mask) {
		tag |= TRACE_TAG_MASK;
		memcpy(p, &line->mask, sizeof line->mask);
		p += sizeof line->mask;
	}
	if (line->index != w->index + 1) {
		tag |= TRACE_TAG_INDEX;
		p = put(p, (int64_t)line->index - w->index);
	}
	if (form != TRACE_NONE) {
		uint32_t n = form == TRACE_LIST ? line->ndelta : 1;

		p = put(p, (int64_t)(line->base - w->base));
		w->base = line->base;
		for (uint32_t i = 0; i < n; i++)
			p = put(p, line->delta[i]);
	}
	if (line->nvalues && line->mask) {
		tag |= line->nvalues == 1 ? TRACE_TAG_VALUE : TRACE_TAG_VALUES;
		for (uint32_t i = 0; i < line->nvalues; i++)
			p = put(p, (int64_t)line->value[i]);
	}
	*start = (unsigned char)tag;
	w->mask = line->mask;
	w->index = line->index;
	cta->n += (size_t)(p - start);
}

void hd__trace_repack(struct trace_cta *cta, struct trace_cursor *w, size_t from, size_t to,
                      uint32_t mask)
{
	const unsigned char *in = cta->data + from, *end = cta->data + to;
	unsigned char *start = cta->data + cta->n, *p = start + 1;
	unsigned tag = *in++;

	if (tag & TRACE_TAG_MASK)
		in += sizeof mask;
	tag &= ~TRACE_TAG_MASK;
	if (mask != w->mask) {
		tag |= TRACE_TAG_MASK;
		memcpy(p, &mask, sizeof mask);
		p += sizeof mask;
	}
	memcpy(p, in, (size_t)(end - in));
	*start = (unsigned char)tag;
	w->mask = mask;
	cta->n += (size_t)(p - start) + (size_t)(end - in);
}

uint32_t hd__trace_peek(const struct trace_cursor *w)
{
	uint32_t index = w->index;

	trace_get_index(w->pos + 1 + (*w->pos & TRACE_TAG_MASK ? sizeof w->mask : 0), *w->pos, &index);
	return index;
}

/* Notes the address of the nth active lane where they are not a row, `first`: that of the first one.  Returns 0
 * if it is near that. */
static inline uint64_t place(struct hd_inst *inst, uint64_t v[HD_LANES], unsigned n, uint64_t first, uint64_t a)
{
	uint64_t behind = a - first;

	v[n] = a;
	inst->near[n] = (uint32_t)behind;
	return behind ^ (uint64_t)(int32_t)behind;
}

/* Unpacks addresses of some lanes, from that of the first on.  Neighbours are a row.  A run (mode 1 of the trace)
 * ends at the first inactive lane: active ones after the gap get 0 (docs/sm.md, T6). */
static __attribute__((noinline)) const unsigned char *addresses_of_some(const unsigned char *p, enum trace_form form,
                                                                        uint64_t a, struct hd_inst *inst)
{
	uint64_t m = inst->mask, v[HD_LANES], start = a, far = 0;
	unsigned first = hd_bits_first(m), n = 0;
	uint64_t step;

	inst->base = a;
	if (form == TRACE_LIST) {
		for (far = place(inst, v, 0, start, a); m &= m - 1; far |= place(inst, v, ++n, start, a))
			a += trace_get(&p);
	} else {
		step = trace_get(&p);
		if (!(m >> first & ((m >> first) + 1))) {
			inst->flags |= HD_INST_ROW;
			inst->step = step;
			inst->base = a - first * step;
			return p;
		}
		for (; m; n++, a += step) {
			bool met = hd_bits_pop(&m) == first + n || form == TRACE_EVEN;

			far |= place(inst, v, n, start, met ? a : 0);
		}
	}
	if (HD_UNLIKELY(far != 0))
		hd_inst_set_packed(inst, v);
	return p;
}

const unsigned char *hd__trace_addresses(const unsigned char *p, enum trace_form form, uint64_t *base,
                                         struct hd_inst *inst)
{
	*base += trace_get(&p);
	if (inst->mask != UINT32_MAX || form == TRACE_LIST)
		return addresses_of_some(p, form, *base, inst);
	inst->flags |= HD_INST_ROW;
	inst->step = trace_get(&p);
	inst->base = *base;
	return p;
}

const unsigned char *hd__trace_values(const unsigned char *p, unsigned tag, struct hd_inst *inst)
{
	inst->flags &= (uint16_t)~HD_INST_FAR; /* the value is where .far was */
	inst->value = 0;
	if (tag & TRACE_TAG_VALUES) {
		inst->async.how |= HD_ASYNC_BY_LANE;
		for (unsigned i = 0; i < inst->nlanes; i++)
			inst->far[i] = (uint32_t)trace_get(&p);
	} else if (tag & TRACE_TAG_VALUE) {
		inst->value = trace_get(&p);
	} else {
		inst->async.how |= HD_ASYNC_BARE;
	}
	return p;
}

void hd__trace_bare(struct hd_inst *inst)
{
	inst->base = 0;
	memset(inst->near, 0, sizeof inst->near);
}

static uint8_t space_at(const struct trace_windows *w, uint64_t a)
{
	if (w->shared ? a - w->shmem_base < w->shared : a >= w->shmem_base && a < w->local_base)
		return HD_SPACE_SHARED;
	return a - w->local_base < w->local ? HD_SPACE_LOCAL : HD_SPACE_GLOBAL;
}

/* A generic access goes where the first active lane's address points (docs/sm.md, T7).  No
 * active lane: nowhere. */
void hd__trace_place(const struct trace_windows *w, const struct trace_static *s, struct hd_inst *inst)
{
	inst->space = inst->mask ? space_at(w, hd_inst_addr(inst, hd_bits_first(inst->mask))) : HD_SPACE_NONE;
	if (HD_UNLIKELY(w->clusters) && inst->space == HD_SPACE_SHARED && s->remote)
		inst->cls = s->remote - 1;
}

void hd__trace_pass(struct trace_cursor *w)
{
	const unsigned char *p = w->pos;
	unsigned tag = *p++, numbers = 0;

	if (tag & TRACE_TAG_MASK)
		p = trace_get_mask(p, w);
	p = trace_get_index(p, tag, &w->index);
	if (tag >> TRACE_TAG_FORM) {
		numbers = trace_tag_numbers(tag, w->mask);
		if (trace_tag_form(tag)) {
			w->base += trace_get(&p);
			numbers--;
		}
	}
	for (; numbers > 0; numbers--)
		while (*p++ & 0x80)
			;
	w->pos = p;
}

/* Does the instruction in front of the cursor, behind whose tag this was, store to global memory? */
static bool stores_globally(const struct trace_cursor *w, unsigned tag, const struct trace_static *v,
                            const struct trace_windows *windows)
{
	struct hd_inst inst;

	memcpy(&inst, v[w->index].head, sizeof v->head);
	if (v[w->index].generic)
		inst.space = space_at(windows, trace_tag_form(tag) ? w->base : 0);
	return (inst.flags & HD_INST_STORE) && inst.space == HD_SPACE_GLOBAL;
}

void hd__trace_left_count(struct trace_left *l, const struct trace_static *v, const struct trace_windows *windows)
{
	struct trace_cursor at = l->at;
	uint32_t n = 0, stores = 0;

	l->n = l->stores = 0;
	while (at.pos != at.end) {
		unsigned tag = *at.pos;

		trace_pass(&at);
		n++;
		if (!at.mask)
			continue;
		l->n = n;
		if (!stores_globally(&at, tag, v, windows))
			continue;
		stores++;
		if (trace_tag_form(tag) && at.base) /* nothing is accessed at address 0 */
			l->stores = stores;
	}
}

uint32_t hd__trace_left(struct trace_left *l, const struct trace_cursor *w)
{
	while (l->at.pos != w->pos) {
		trace_pass(&l->at);
		l->n -= l->n > 0;
	}
	return l->n;
}

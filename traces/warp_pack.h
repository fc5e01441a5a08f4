/* warp_pack.h - instructions of thread blocks in a packed form
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TRACES_WARP_PACK_H
#define TRACES_WARP_PACK_H

#include "code.h"
#include "base/bytes.h"

#include <heddle/gpu/paths.h>

/* ---- warp_pack.c ---- */

#define TRACE_LONGEST 1024u /* bytes that one packed instruction may need */

/* The tag byte of an instruction: what differs from the one before, and its addresses. */
#define TRACE_TAG_MASK 0x01u
#define TRACE_TAG_INDEX 0x02u
#define TRACE_TAG_FORM 2u /* shift of enum trace_form, and of what follows */
#define TRACE_TAG_VALUE 0x10u  /* a value of all lanes is behind the addresses, */
#define TRACE_TAG_VALUES 0x20u /* or one for each active lane */
#define TRACE_TAG_END 0x40u

static inline unsigned trace_tag_form(unsigned tag)
{
	return tag >> TRACE_TAG_FORM & 3;
}

/* Numbers behind mask and index, of an instruction with these active lanes. */
static inline unsigned trace_tag_numbers(unsigned tag, uint32_t mask)
{
	unsigned form = trace_tag_form(tag), lanes;

	if (HD_LIKELY(tag >> TRACE_TAG_FORM == form && form != TRACE_LIST)) /* no values, nor a number for each lane */
		return form == TRACE_NONE ? 0 : 2;
	lanes = hd_bits_count32(mask);
	return (tag & TRACE_TAG_VALUES ? lanes : (tag & TRACE_TAG_VALUE) != 0)
	       + (form == TRACE_LIST ? lanes : form == TRACE_NONE ? 0 : 2);
}

/* One thread block, packed.  Used again once no warp slot refers to it. */
struct trace_cta {
	unsigned char *data;
	size_t n, cap;
	uint32_t users;
	uint32_t first;  /* slot of its first warp */
	uint64_t serial; /* of all blocks that were loaded, from 1 */
	struct trace_cta *next; /* free list */
};

/* Where a warp is in its part of a block.  Packing and unpacking start from index NOWHERE, base 0
 * and the mask of the warp's threads. */
struct trace_cursor {
	struct trace_cta *cta;
	union {
		struct { const unsigned char *pos, *end; };
		struct { size_t from, to; }; /* as offsets, while the block is being read */
	};
	union {
		uint64_t line; /* while it is read: the one in front of the first instruction; 0: it has none */
		const unsigned char *start; /* first of the positions */
	};
	uint64_t base;
	uint32_t index, mask;
	uint32_t nlanes;  /* lanes of the mask; not while the block is being read */
	uint32_t tail;    /* lanes that end with the last instruction although it is not an EXIT */
	struct hd_path_counts *counts; /* .lanes are those of instructions taken */
};

/* Appends an instruction that needs more than its tag; trace_pack() calls it. */
void hd__trace_pack(struct trace_cta *cta, struct trace_cursor *w, const struct trace_line *line,
                    enum trace_form form);

/* Appends an instruction.  The caller provides TRACE_LONGEST bytes of room. */
static inline void trace_pack(struct trace_cta *cta, struct trace_cursor *w,
                              const struct trace_line *line, bool access)
{
	enum trace_form form = access && line->mask ? line->form : TRACE_NONE;

	if (form == TRACE_NONE && !line->nvalues && line->mask == w->mask && line->index == w->index + 1) {
		cta->data[cta->n++] = 0;
		w->index++;
	} else {
		hd__trace_pack(cta, w, line, form);
	}
}

/* Bytes by which a packed instruction may grow when its mask changes. */
#define TRACE_GROWTH sizeof(uint32_t)

/* Appends a copy of the packed instruction in [from, to) of the same block with another mask.  Of
 * the cursor only the mask counts.  The caller provides to - from + TRACE_GROWTH bytes of room;
 * addresses are copied as they are, so an instruction that has some must keep its mask. */
void hd__trace_repack(struct trace_cta *cta, struct trace_cursor *w, size_t from, size_t to,
                      uint32_t mask);

struct trace_windows { /* of generic addresses */
	uint64_t shmem_base, local_base;
	uint64_t shared, local; /* bytes; shared 0: up to local_base */
	bool clusters; /* shared memory may be that of another block */
};

/* What a warp has still to take, and to store: counted when it is first asked for. */
struct trace_left {
	struct trace_cursor at; /* in front of the first of them */
	uint32_t n, stores;     /* as hd_trace_if.left and .stores return them */
	uint64_t serial;        /* of the block for which that was counted; 0: none */
};

/* l->at is in front of the warp's first instruction. */
void hd__trace_left_count(struct trace_left *l, const struct trace_static *v, const struct trace_windows *windows);
/* Goes on to where the warp is.  Returns .n. */
uint32_t hd__trace_left(struct trace_left *l, const struct trace_cursor *w);

/* Behind a tag that announces a mask. */
static inline const unsigned char *trace_get_mask(const unsigned char *p, struct trace_cursor *w)
{
	memcpy(&w->mask, p, sizeof w->mask);
	w->nlanes = hd_bits_count32(w->mask);
	return p + sizeof w->mask;
}

/* The number at *p, which then is behind it; differences of unsigned numbers wrap. */
static inline uint64_t trace_get(const unsigned char **p)
{
	return (uint64_t)hd__unzigzag(hd__get_varint(p));
}

/* Goes on behind what the tag says of the static index. */
static inline const unsigned char *trace_get_index(const unsigned char *p, unsigned tag, uint32_t *index)
{
	*index += tag & TRACE_TAG_INDEX ? (uint32_t)trace_get(&p) : 1;
	return p;
}

/* Goes on behind addresses. */
const unsigned char *hd__trace_addresses(const unsigned char *p, enum trace_form form, uint64_t *base,
                                         struct hd_inst *inst);
/* Goes on behind values, or notes that there are none. */
const unsigned char *hd__trace_values(const unsigned char *p, unsigned tag, struct hd_inst *inst);
/* The instruction has lanes and no addresses: they are all 0. */
void hd__trace_bare(struct hd_inst *inst);
/* Gives a generic access its space, and its class in a kernel with clusters. */
void hd__trace_place(const struct trace_windows *windows, const struct trace_static *s, struct hd_inst *inst);

/* Returns false at the end.  Fills all of *inst except .warp, .uid and .sched. */
static inline bool trace_unpack(struct trace_cursor *w, const struct trace_static *v,
                                const struct trace_windows *windows, struct hd_inst *inst)
{
	const unsigned char *p = w->pos;
	const struct trace_static *s;
	unsigned tag;

	if (p == w->end)
		return false;
	tag = *p++;
	if (tag & TRACE_TAG_MASK)
		p = trace_get_mask(p, w);
	p = trace_get_index(p, tag, &w->index);
	s = &v[w->index];
	memcpy(inst, s->head, sizeof s->head);
	inst->mask = w->mask;
	inst->nlanes = (uint8_t)w->nlanes;
	inst->exits = s->exits ? w->mask : 0;
	if (trace_tag_form(tag))
		p = hd__trace_addresses(p, (enum trace_form)trace_tag_form(tag), &w->base, inst);
	else if (s->access && w->mask)
		hd__trace_bare(inst);
	if (HD_UNLIKELY(s->value_at))
		p = hd__trace_values(p, tag, inst);
	if (s->generic)
		hd__trace_place(windows, s, inst);
	w->pos = p;
	if (p == w->end) {
		inst->flags |= HD_INST_LAST;
		inst->exits |= w->tail;
	}
	return true;
}

/* Unpacks an instruction that is its tag alone, as most are, without an address, that end no lane and are not the
 * last of the warp.  Returns false of others, with nothing done. */
static inline bool trace_unpack_plain(struct trace_cursor *w, const struct trace_static *v, struct hd_inst *inst)
{
	const unsigned char *p = w->pos;
	const struct trace_static *s;

	if (w->end - p < 2 || *p != 0)
		return false;
	s = &v[w->index + 1];
	if (s->more)
		return false;
	w->pos = p + 1;
	w->index++;
	memcpy(inst, s->head, sizeof s->head);
	inst->mask = w->mask;
	inst->nlanes = (uint8_t)w->nlanes;
	return true;
}

/* Static index of the next instruction of unpack(); only before the end. */
uint32_t hd__trace_peek(const struct trace_cursor *w);

static inline uint32_t trace_peek(const struct trace_cursor *w)
{
	return HD_LIKELY(*w->pos == 0) ? w->index + 1 : hd__trace_peek(w);
}

/* Moves behind the next instruction, without unpacking it; only before the end. */
void hd__trace_pass(struct trace_cursor *w);

static inline void trace_pass(struct trace_cursor *w)
{
	if (HD_LIKELY(*w->pos == 0)) {
		w->pos++;
		w->index++;
	} else {
		hd__trace_pass(w);
	}
}

/* ---- exits.c ---- */

/* What the lines of a warp contradict in those before them. */
struct trace_exits {
	bool met;             /* the warp has such lines; else all else here is old */
	bool strict;          /* a lane that goes on after its exit is an error */
	uint32_t warp, valid; /* lanes that are threads of the block */
	uint32_t back;        /* lanes that did */
	uint64_t line;        /* where the first of them did */
	uint64_t stray;       /* first of the latest lines without lanes while none is alive; 0: none */
};

/* For a line whose mask has lanes that are not alive, or that comes when none is.  0: lanes that
 * it has are alive unless .strict; or -1. */
int hd__trace_exits_line(struct trace_exits *e, const struct trace_text *t,
                         const struct trace_static *s, uint32_t alive, uint32_t mask);
/* After the last line of a warp: -1 if lines follow its end. */
int hd__trace_exits_end(const struct trace_exits *e, const struct trace_text *t);
/* Takes from each EXIT of the warp packed in [from, cta->n) the lanes that a later line has.
 * Returns how many EXITs lost some.  The caller provides cta->n - from bytes of room, and
 * TRACE_GROWTH for each instruction. */
uint64_t hd__trace_exits_mend(struct trace_cta *cta, size_t from, uint32_t valid,
                              const struct trace_static *v);

#endif

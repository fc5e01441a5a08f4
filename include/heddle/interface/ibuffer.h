/* ibuffer.h - the instruction buffer between decode and the schedulers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode: per warp a few entries in order, refilled when all are gone, or when there is
 * room for a whole fetch.  An entry is valid from decode on; the issue stages determine whether it
 * is ready.
 */
#ifndef HEDDLE_INTERFACE_IBUFFER_H
#define HEDDLE_INTERFACE_IBUFFER_H

#include <heddle/interface/warp_set.h>
#include <heddle/payload/inst.h>

#define HD_IBUFFER_MAX 8u

struct hd_ibuffer {
	hd_warp_set filled; /* warps with at least one instruction */
	hd_warp_set wrong;  /* of them: the last instructions are of a wrong path.  Decode, and issue,
	                     * which flushes them */
	hd_warp_set full;   /* of them: without room for a fetch; kept only with refill_room */
	uint32_t entries;   /* per warp */
	uint32_t width;     /* instructions of a fetch, at most.  Set by decode in start */
	bool refill_room;   /* a warp is fetched for when there is room for a fetch, else when it has
	                     * no instruction left */
	uint32_t refill_at; /* with so many instructions there is room.  Set by decode in start */
	uint8_t next[HD_MAX_WARPS], count[HD_MAX_WARPS];
	hd_inst_ref entry[HD_MAX_WARPS][HD_IBUFFER_MAX];
};

static const struct hd_type hd_type_ibuffer = {
	.name = "ibuffer", .size = sizeof(struct hd_ibuffer), .version = 2,
	.work = HD_WORK_OUT,
};

/* The instruction that the warp issues next; only if the warp is in `filled`. */
static inline hd_inst_ref hd_ibuffer_head(const struct hd_ibuffer *b, uint32_t warp)
{
	return b->entry[warp][b->next[warp]];
}

/* Drops the head; the caller owns its record now. */
static inline void hd_ibuffer_pop(struct hd_ibuffer *b, uint32_t warp)
{
	b->next[warp]++;
	if (--b->count[warp] == 0)
		b->filled &= ~hd_warp_bit(warp);
}

/* Appends an instruction to an empty or partly filled buffer. */
static inline void hd_ibuffer_push(struct hd_ibuffer *b, uint32_t warp, hd_inst_ref ref)
{
	if (b->count[warp] == 0)
		b->next[warp] = 0;
	b->entry[warp][b->next[warp] + b->count[warp]++] = ref;
	b->filled |= hd_warp_bit(warp);
}

/* Before a fetch is appended: makes place behind what is left of those before. */
static inline void hd_ibuffer_close_up(struct hd_ibuffer *b, uint32_t warp)
{
	hd_inst_ref *entry = b->entry[warp];

	if (b->next[warp] + b->count[warp] + b->width <= HD_IBUFFER_MAX)
		return;
	for (uint32_t i = 0; i < b->count[warp]; i++)
		entry[i] = entry[b->next[warp] + i];
	b->next[warp] = 0;
}

/* After a change of the warp's buffer, with refill_room: may the warp be fetched for? */
static inline bool hd_ibuffer_has_room(struct hd_ibuffer *b, uint32_t warp)
{
	bool room = b->count[warp] <= b->refill_at;

	b->full = room ? b->full & ~hd_warp_bit(warp) : b->full | hd_warp_bit(warp);
	return room;
}

#endif

/* ibuffer.h - the instruction buffer between decode and the schedulers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode: per warp a few entries in order, refilled when all are gone, or when there is
 * room for a whole fetch.  An entry is valid from decode on; the issue stages determine whether it
 * is ready.
 */
#ifndef HEDDLE_GPU_IBUFFER_H
#define HEDDLE_GPU_IBUFFER_H

#include <heddle/gpu/warp_set.h>
#include <heddle/gpu/inst.h>

#define HD_IBUFFER_MAX 64u /* entries of a warp */
#define HD_FETCH_MAX 8u    /* instructions of a fetch */

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
	/* By warp: where in .entry its head is, and how many it has.  Entries are ordered by place, then by warp: most
	 * buffers use few places, so that those of all warps are in few cache lines. */
	uint16_t next[HD_MAX_WARPS];
	uint8_t count[HD_MAX_WARPS];
	hd_inst_ref entry[HD_IBUFFER_MAX * HD_MAX_WARPS];
};

static const struct hd_type hd_type_ibuffer = {
	.name = "ibuffer", .size = sizeof(struct hd_ibuffer), .version = 4,
	.work = HD_WORK_OUT, .build = HD_WARP_BUILD,
};

/* The instruction that the warp issues next; only if the warp is in `filled`. */
static inline hd_inst_ref hd_ibuffer_head(const struct hd_ibuffer *b, uint32_t warp)
{
	return b->entry[b->next[warp]];
}

/* Drops the head; the caller owns its record now. */
static inline void hd_ibuffer_pop(struct hd_ibuffer *b, uint32_t warp)
{
	b->next[warp] += HD_MAX_WARPS;
	if (--b->count[warp] == 0)
		b->filled &= ~hd_warp_bit(warp);
}

/* Appends an instruction to an empty or partly filled buffer. */
static inline void hd_ibuffer_push(struct hd_ibuffer *b, uint32_t warp, hd_inst_ref ref)
{
	if (b->count[warp] == 0)
		b->next[warp] = (uint16_t)warp;
	b->entry[b->next[warp] + b->count[warp]++ * HD_MAX_WARPS] = ref;
	b->filled |= hd_warp_bit(warp);
}

/* Before a fetch is appended: makes place behind what is left of those before. */
static inline void hd_ibuffer_close_up(struct hd_ibuffer *b, uint32_t warp)
{
	uint32_t used = b->count[warp] * HD_MAX_WARPS, places = b->entries > HD_FETCH_MAX ? b->entries : HD_FETCH_MAX;

	/* a buffer of few entries stays in few cache lines */
	if (b->next[warp] + used + b->width * HD_MAX_WARPS < (places + 1) * HD_MAX_WARPS)
		return;
	for (uint32_t i = 0; i < used; i += HD_MAX_WARPS)
		b->entry[warp + i] = b->entry[b->next[warp] + i];
	b->next[warp] = (uint16_t)warp;
}

/* After a change of the warp's buffer, with refill_room: may the warp be fetched for? */
static inline bool hd_ibuffer_has_room(struct hd_ibuffer *b, uint32_t warp)
{
	bool room = b->count[warp] <= b->refill_at;

	b->full = room ? b->full & ~hd_warp_bit(warp) : b->full | hd_warp_bit(warp);
	return room;
}

/* What fetch hands to decode: the warp whose next instructions arrived. */
struct hd_fetched {
	uint32_t pc;   /* address of the first instruction */
	uint16_t warp; /* hardware warp slot */
	uint16_t n;    /* instructions from pc on; 0: the next ones of the warp, wherever they are */
};

static const struct hd_type hd_type_fetched = {
	.name = "fetched", .size = sizeof(struct hd_fetched), .version = 2,
};

#endif

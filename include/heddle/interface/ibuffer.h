/* ibuffer.h - the instruction buffer between decode and the schedulers
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/sm.md, Decode: per warp a few entries, refilled only when all are gone.
 */
#ifndef HEDDLE_INTERFACE_IBUFFER_H
#define HEDDLE_INTERFACE_IBUFFER_H

#include <heddle/interface/warp_set.h>
#include <heddle/payload/inst.h>

#define HD_IBUFFER_MAX 8u

struct hd_ibuffer {
	hd_warp_set filled; /* warps with at least one instruction */
	uint32_t entries; /* per warp */
	uint8_t next[HD_MAX_WARPS], count[HD_MAX_WARPS];
	hd_inst_ref entry[HD_MAX_WARPS][HD_IBUFFER_MAX];
};

static const struct hd_type hd_type_ibuffer = {
	.name = "ibuffer", .size = sizeof(struct hd_ibuffer), .version = 1,
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

#endif

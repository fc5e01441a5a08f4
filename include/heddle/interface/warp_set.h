/* warp_set.h - sets of hardware warp slots
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets are combined with & | ^ ~ and compared with 0; all that depends on how wide they are stands
 * here.  Members in ascending order: while (set) { uint32_t warp = hd_warp_pop(&set); ... }
 */
#ifndef HEDDLE_INTERFACE_WARP_SET_H
#define HEDDLE_INTERFACE_WARP_SET_H

#include <heddle/bits.h>

#define HD_MAX_WARPS 64u /* hardware warp slots of one SM */

typedef uint64_t hd_warp_set; /* bit = hardware warp slot */

#define HD_ALL_WARPS (~(hd_warp_set)0)

static inline hd_warp_set hd_warp_bit(uint32_t warp)
{
	return hd_bit(warp);
}

static inline bool hd_warp_in(hd_warp_set set, uint32_t warp)
{
	return hd_bits_has(set, warp);
}

/* The lowest slot of a set that is not empty. */
static inline uint32_t hd_warp_first(hd_warp_set set)
{
	return hd_bits_first(set);
}

/* Takes the lowest slot out of *set, which is not empty. */
static inline uint32_t hd_warp_pop(hd_warp_set *set)
{
	return hd_bits_pop(set);
}

/* The set of the lowest slot; empty for the empty set. */
static inline hd_warp_set hd_warp_lowest(hd_warp_set set)
{
	return hd_bits_lowest(set);
}

static inline uint32_t hd_warp_count(hd_warp_set set)
{
	return hd_bits_count(set);
}

/* Slots first .. first+n-1. */
static inline hd_warp_set hd_warp_range(uint32_t first, uint32_t n)
{
	return hd_bits_range(first, n);
}

/* Slots in front of the warp's. */
static inline hd_warp_set hd_warp_before(uint32_t warp)
{
	return hd_warp_bit(warp) - 1;
}

/* Slots behind the warp's. */
static inline hd_warp_set hd_warp_above(uint32_t warp)
{
	return hd_bits_above(warp);
}

#endif

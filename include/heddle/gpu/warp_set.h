/* warp_set.h - sets of hardware warp slots
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Sets are combined with & | ^ ~ and compared with 0; everything that depends on their width is in
 * this file.  Members in ascending order: while (set) { uint32_t warp = hd_warp_pop(&set); ... }
 */
#ifndef HEDDLE_GPU_WARP_SET_H
#define HEDDLE_GPU_WARP_SET_H

#include <heddle/bits.h>

/* Hardware warp slots of one SM.  What handles sets of warps is built for 64, and the modules of
 * the program for 128 as well: the kernel takes those when a parameter needs more.  All modules
 * of an SM must be built for the same number. */
#ifndef HD_MAX_WARPS
#define HD_MAX_WARPS 64u
#endif

#if HD_MAX_WARPS <= 64

typedef uint64_t hd_warp_set; /* bit = hardware warp slot */
#define HD_WARP_BUILD "HD_MAX_WARPS=64u" /* hd_type.build of what has such sets */

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

static inline uint32_t hd_warp_count(hd_warp_set set)
{
	return hd_bits_count(set);
}

/* Slots first .. first+n-1. */
static inline hd_warp_set hd_warp_range(uint32_t first, uint32_t n)
{
	return hd_bits_range(first, n);
}

#else

__extension__ typedef unsigned __int128 hd_warp_set;
#define HD_WARP_BUILD "HD_MAX_WARPS=128u"

static inline hd_warp_set hd_warp_bit(uint32_t warp)
{
	return (hd_warp_set)1 << warp;
}

static inline bool hd_warp_in(hd_warp_set set, uint32_t warp)
{
	return (set & hd_warp_bit(warp)) != 0;
}

static inline uint32_t hd_warp_first(hd_warp_set set)
{
	uint64_t low = (uint64_t)set;

	return low != 0 ? hd_bits_first(low) : 64 + hd_bits_first((uint64_t)(set >> 64));
}

static inline uint32_t hd_warp_count(hd_warp_set set)
{
	return hd_bits_count((uint64_t)set) + hd_bits_count((uint64_t)(set >> 64));
}

static inline hd_warp_set hd_warp_range(uint32_t first, uint32_t n)
{
	return (n >= HD_MAX_WARPS ? ~(hd_warp_set)0 : hd_warp_bit(n) - 1) << first;
}

#endif

#define HD_ALL_WARPS (~(hd_warp_set)0)

/* Takes the lowest slot out of *set, which is not empty. */
static inline uint32_t hd_warp_pop(hd_warp_set *set)
{
	uint32_t warp = hd_warp_first(*set);

	*set &= *set - 1;
	return warp;
}

/* The set of the lowest slot; empty for the empty set. */
static inline hd_warp_set hd_warp_lowest(hd_warp_set set)
{
	return set & -set;
}

/* Slots below the warp's. */
static inline hd_warp_set hd_warp_before(uint32_t warp)
{
	return hd_warp_bit(warp) - 1;
}

/* Slots above the warp's. */
static inline hd_warp_set hd_warp_above(uint32_t warp)
{
	return HD_ALL_WARPS << 1 << warp;
}

#endif

/* bits.h - sets of small numbers as words: slots, classes, units; bit i = member i; hints to the compiler
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * Members in ascending order:
 *
 *	while (set) {
 *		unsigned i = hd_bits_pop(&set);
 *		...
 *	}
 */
#ifndef HEDDLE_BITS_H
#define HEDDLE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Around declarations: functions that plug-ins call must be exported. */
#ifdef __cplusplus
#define HD_BEGIN _Pragma("GCC visibility push(default)") extern "C" {
#define HD_END } _Pragma("GCC visibility pop")
#else
#define HD_BEGIN _Pragma("GCC visibility push(default)")
#define HD_END _Pragma("GCC visibility pop")
#endif

#if defined(__GNUC__)
#define HD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define HD_LIKELY(x) __builtin_expect(!!(x), 1)
#define HD_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define HD_PRINTF(f, a)
#define HD_LIKELY(x) (x)
#define HD_UNLIKELY(x) (x)
#endif

/* The set of member n alone; n is below 64. */
static inline uint64_t hd_bit(unsigned n)
{
	return UINT64_C(1) << n;
}

static inline bool hd_bits_has(uint64_t set, unsigned n)
{
	return set >> n & 1;
}

/* The lowest member of a set that is not empty. */
static inline unsigned hd_bits_first(uint64_t set)
{
	return (unsigned)__builtin_ctzll(set);
}

/* The highest one. */
static inline unsigned hd_bits_last(uint64_t set)
{
	return 63u - (unsigned)__builtin_clzll(set);
}

/* Takes the lowest member out of *set, which is not empty. */
static inline unsigned hd_bits_pop(uint64_t *set)
{
	unsigned n = hd_bits_first(*set);

	*set &= *set - 1;
	return n;
}

/* The set of the lowest member; empty for the empty set. */
static inline uint64_t hd_bits_lowest(uint64_t set)
{
	return set & -set;
}

static inline unsigned hd_bits_count(uint64_t set)
{
	return (unsigned)__builtin_popcountll(set);
}

/* The number of members of a set of numbers below 32.  Inline also where the processor has no instruction for it. */
static inline unsigned hd_bits_count32(uint32_t set)
{
#ifdef __POPCNT__
	return (unsigned)__builtin_popcount(set);
#else
	set -= set >> 1 & 0x55555555u;
	set = (set & 0x33333333u) + (set >> 2 & 0x33333333u);
	return ((set + (set >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
#endif
}

/* Members 0 .. n-1; n is at most 64. */
static inline uint64_t hd_bits_below(unsigned n)
{
	return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Members n+1 .. 63; n is below 64. */
static inline uint64_t hd_bits_above(unsigned n)
{
	return UINT64_MAX << 1 << n;
}

/* Members first .. first+n-1; first is below 64. */
static inline uint64_t hd_bits_range(unsigned first, unsigned n)
{
	return hd_bits_below(n) << first;
}

/* Member i becomes (i - n) modulo 64. */
static inline uint64_t hd_bits_rotate(uint64_t set, unsigned n)
{
	return set >> n % 64 | set << -n % 64;
}

/* Is n a power of two, or 0? */
static inline bool hd_is_power_of_two(uint64_t n)
{
	return (n & (n - 1)) == 0;
}

/* The greatest common divisor; of 0 and n it is n. */
static inline uint64_t hd_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif

/* set.h - private to cache: the set of an address
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * docs/memory.md, CA5.
 */
#ifndef HEDDLE_MODULES_CACHE_SET_H
#define HEDDLE_MODULES_CACHE_SET_H

#include "cache_parts.h"

static inline uint32_t parity(uint32_t x)
{
	x ^= x >> 16;
	x ^= x >> 8;
	x ^= x >> 4;
	return 0x6996u >> (x & 15) & 1;
}

/* Bit i of the result is bit i of b, xored with the bits of a that are set in taps[i]. */
static inline uint32_t ipoly(uint64_t a, uint32_t b, uint32_t n)
{
	static const uint32_t taps16[] = { 0x00f59, 0x011eb, 0x003d6, 0x007ac };
	static const uint32_t taps32[] = { 0x03e69, 0x07cd2, 0x047cd, 0x00f9a, 0x01f34 };
	static const uint32_t taps64[] = { 0x79461, 0x0bca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30 };
	const uint32_t *taps = n == 16 ? taps16 : n == 32 ? taps32 : taps64;
	unsigned i;

	for (i = 0; 1u << i < n; i++)
		b ^= parity((uint32_t)a & taps[i]) << i;
	return b;
}

static inline uint32_t set_at(const struct cache *c, uint64_t addr)
{
	uint32_t low = (uint32_t)(addr >> c->line_log2) & (c->sets - 1);
	uint64_t high = addr >> (c->line_log2 + c->sets_log2);

	switch (c->set_index) {
	case INDEX_XOR:
		return low ^ ((uint32_t)high & (c->sets - 1));
	case INDEX_IPOLY:
		return ipoly(high, low, c->sets);
	default:
		return low;
	}
}

/* A separate function, so that others do not pay for the call. */
static __attribute__((noinline)) uint32_t set_of_mapped(const struct cache *c, uint64_t addr)
{
	return set_at(c, c->map->local(c->map->self, addr));
}

static inline uint32_t set_of(const struct cache *c, uint64_t addr)
{
	if (HD_UNLIKELY(c->map != NULL))
		return set_of_mapped(c, addr);
	return set_at(c, addr);
}

#endif

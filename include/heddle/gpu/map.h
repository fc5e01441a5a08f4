/* map.h - interface of an address map: which slice of the memory an address belongs to, and where
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory is a number of channels, each with some slices (of the second-level cache) in front.
 * Slices are numbered channel by channel.
 */
#ifndef HEDDLE_GPU_MAP_H
#define HEDDLE_GPU_MAP_H

#include <heddle/gpu/mem.h>

struct hd_map_if {
	void *self;
	uint32_t channels, slices; /* slices: of each channel */
	uint32_t banks;            /* of each channel: place() gives lower numbers */
	/* Slice of an address, from 0 over all channels. */
	uint32_t (*slice)(void *self, uint64_t addr);
	/* The address without the bits that chose the slice: from which the cache of a slice takes
	 * its set. */
	uint64_t (*local)(void *self, uint64_t addr);
	/* Bank and row in the memory behind the slice. */
	void (*place)(void *self, uint64_t addr, uint32_t *bank, uint32_t *row);
};

static const struct hd_type hd_type_map_if = {
	.name = "map", .size = sizeof(struct hd_map_if), .version = 3,
};

/* The output of a network for a request: the slice that it goes to, which is noted in it; or, if there are so many SMs
 * behind each output, the one for the SM that it came from.  cores: 0: outputs lead to slices. */
static inline uint32_t hd_map_output(const struct hd_map_if *map, struct hd_mem *m, uint32_t cores)
{
	const struct hd_mem_req *r = &m->line.req;

	if (cores)
		return r->core / cores;
	return m->slice = (uint16_t)map->slice(map->self, r->flags & HD_MEM_LINE ? m->line.via : r->addr);
}

/* For maps that depend on the order in which addresses are first used.  Within a cycle that is the
 * order of the users' numbers, then that of the calls; so it does not matter which user is
 * evaluated first. */
struct hd_touch_if {
	void *self;
	/* User number `user` uses the address in `cycle`, which is *hd_ctx.cycle of the user: all
	 * users of a port have one root clock.  NULL: the map does not depend on it. */
	void (*touch)(void *self, uint64_t addr, uint32_t user, uint64_t cycle);
};

static const struct hd_type hd_type_touch = {
	.name = "touch", .size = sizeof(struct hd_touch_if), .version = 1,
};

/* `t` may be NULL: a port that is open. */
static inline void hd_touch(const struct hd_touch_if *t, uint64_t addr, uint32_t user,
                            uint64_t cycle)
{
	if (HD_UNLIKELY(t != NULL) && t->touch)
		t->touch(t->self, addr, user, cycle);
}

/* n: 16, 32 or 64.  Bit i of the result is bit i of b, xored with the bits of a that are set in taps[i]. */
static inline uint32_t hd_ipoly(uint64_t a, uint32_t b, uint32_t n)
{
	static const uint32_t taps16[] = { 0x00f59, 0x011eb, 0x003d6, 0x007ac };
	static const uint32_t taps32[] = { 0x03e69, 0x07cd2, 0x047cd, 0x00f9a, 0x01f34 };
	static const uint32_t taps64[] = { 0x79461, 0x0bca3, 0x17946, 0x2f28c, 0x5e518, 0x3ca30 };
	const uint32_t *taps = n == 16 ? taps16 : n == 32 ? taps32 : taps64;

	for (uint32_t i = 0; 1u << i < n; i++)
		b ^= (uint32_t)__builtin_parity((uint32_t)a & taps[i]) << i;
	return b;
}

#endif

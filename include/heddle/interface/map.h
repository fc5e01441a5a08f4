/* map.h - interface of an address map: which slice of the memory an address belongs to, and where
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * The memory is a number of channels, each with some slices (of the second-level cache) in front.
 * Slices are numbered channel by channel.
 */
#ifndef HEDDLE_INTERFACE_MAP_H
#define HEDDLE_INTERFACE_MAP_H

#include <heddle/module.h>

struct hd_map_if {
	void *self;
	uint32_t channels, slices; /* slices: of each channel */
	/* Slice of an address, from 0 over all channels. */
	uint32_t (*slice)(void *self, uint64_t addr);
	/* The address without the bits that chose the slice: from which the cache of a slice takes
	 * its set. */
	uint64_t (*local)(void *self, uint64_t addr);
	/* Bank and row in the memory behind the slice. */
	void (*place)(void *self, uint64_t addr, uint32_t *bank, uint32_t *row);
	/* NULL, or for maps that depend on the order in which addresses are first used: an SM uses
	 * this address now.  Its slice is fixed at the end of the cycle. */
	void (*touch)(void *self, uint64_t addr, uint32_t core);
};

static const struct hd_type hd_type_map_if = {
	.name = "map", .size = sizeof(struct hd_map_if), .version = 1,
};

#endif

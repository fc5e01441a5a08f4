/* priority.h - interface of a scheduling policy: which of its warps may go first
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * SM_SEMANTICS 6.  One policy instance serves one issue stage.  Sets of warps are one word, bit =
 * hardware warp slot, as in warps.h; a policy only ever sees the slots of its own scheduler.
 */
#ifndef HEDDLE_INTERFACE_PRIORITY_H
#define HEDDLE_INTERFACE_PRIORITY_H

#include <heddle/module.h>

struct hd_priority_if {
	void *self;
	/* Tells the policy, before the first edge, which slots are this scheduler's.  May be NULL. */
	void (*bind)(void *self, uint64_t mine);
	/* Once per edge: `live` are the warps that are neither ended nor held.  Returns the warps
	 * that the walk may look at.  NULL: all of them. */
	uint64_t (*begin)(void *self, uint64_t live);
	/* The one of `set` (not empty) that comes first. */
	uint32_t (*first)(void *self, uint64_t set);
	/* Warp issued an instruction, the nth (from 0) of this edge. */
	void (*issued)(void *self, uint32_t warp, uint32_t nth);
	/* begin() looks at every warp, so fences are looked at before the walk (gto, oldest). */
	bool looks_at_all;
	/* begin() changes something even when no warp did: the issue stage must not sleep. */
	bool restless;
};

static const struct hd_type hd_type_priority_if = {
	.name = "priority", .size = sizeof(struct hd_priority_if), .version = 1,
};

#endif

/* by_slot.h - what modules keep for each slot of another instance; included by module.h
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A slot is used again: what is kept for it must not outlive what it was kept for.
 */
#ifndef HEDDLE_BY_SLOT_H
#define HEDDLE_BY_SLOT_H

#include <heddle/module.h>

HD_BEGIN

/* A member of the state.  It is 0 for a slot into which something new comes, or the new would be held for the old. */
struct hd_by_slot {
	const char *name; /* of the member, for messages */
	size_t offset, size; /* of a set, whose bit i is slot i; or of the first element, */
	bool array;       /* of an array in which element i is slot i */
};

/* By an instance that has slots, before something new comes into this one.  With --check-modules the run fails if
 * anything is left there: of the instance itself, of its users, or of an instance that only these use. */
void hd_slot_taken(const struct hd_ctx *c, uint32_t slot);

HD_END

#endif

/* producers.h - finds the earlier instruction that writes a register, or releases a dependence counter
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump records that an instruction waited for register 4; here the instruction that writes it is
 * found: the instructions of a warp are issued in order, so it is the last earlier one that has the
 * register as its destination.  So it is with a dependence counter (DUMP_COUNTER): the last that had
 * raised it is the one waited for.  Warps are those of a core (dump_warps.h).
 *
 * Memory is needed for the registers of the warps found, and for instructions not yet issued.
 */
#ifndef TOOLS_DUMP_PRODUCERS_H
#define TOOLS_DUMP_PRODUCERS_H

#include "known.h"
#include "stages.h"

struct dump_producer {
	uint64_t number;  /* in the order in which instructions were added, from 1; 0: not known */
	uint64_t uid, end;
	uint32_t code;
};

struct dump_producers;
struct dump_producers *dump_producers_new(const struct dump_known *k);
void dump_producers_free(struct dump_producers *p);
/* Adds the next instruction, in the order of dump_in_order().  Query its producers before.  Returns
 * its number. */
uint64_t dump_producers_add(struct dump_producers *p, const struct dump_item *inst);
/* Something else takes the next number. */
void dump_producers_skip(struct dump_producers *p);
/* The writer of register `reg` for the instruction to be added next, which waits from cycle `since`
 * on. */
struct dump_producer dump_producer_of_wait(const struct dump_producers *p,
                                           const struct dump_item *inst, int64_t reg,
                                           uint64_t since);
/* The writer of the register for which a slot was lost.  Slots come in the same order, after the
 * instructions that begin in the same cycle. */
struct dump_producer dump_producer_of_slot(struct dump_producers *p, const struct dump_item *slot);

/* Adds the next instruction, in the order in which they begin.  In each end of a wait for a
 * register `other` becomes the number of the instruction that writes it (dump_producer.number), if
 * that is known.  Returns the instruction's own. */
uint64_t dump_add_arrows(struct dump_producers *p, const struct dump_stage_view *s,
                         const struct dump_item *inst, struct dump_changes *c);
/* Has the instruction a destination, for which others may wait? */
bool dump_has_result(const struct dump_known *k, const struct dump_item *inst);

#endif

/* producers.h - which earlier instruction writes a register
 * SPDX-License-Identifier: BSD-2-Clause
 *
 * A dump says that an instruction waited for register 4; that it is the load two lines above which
 * writes it is found here: the instructions of a warp are issued in order, so it is the last one
 * before that has the register as its destination.  Warps are those of a core (cores.h).
 *
 * Memory is taken for the registers of warps that were met, and for what is not issued yet.
 */
#ifndef TOOLS_DUMP_PRODUCERS_H
#define TOOLS_DUMP_PRODUCERS_H

#include "known.h"

struct dump_producer {
	uint64_t number;  /* in the order in which instructions were added, from 1; 0: not known */
	uint64_t uid, end;
	uint32_t code;
};

struct dump_producers;
struct dump_producers *dump_producers_new(const struct dump_known *k);
void dump_producers_free(struct dump_producers *p);
/* The next instruction, as dump_in_order() gives them.  What it waits for has to be asked before.
 * Returns its number. */
uint64_t dump_producers_add(struct dump_producers *p, const struct dump_item *inst);
/* Who writes register `reg` for an instruction that is next to be added; it waits from cycle `since`
 * on. */
struct dump_producer dump_producer_of_wait(const struct dump_producers *p,
                                           const struct dump_item *inst, int64_t reg,
                                           uint64_t since);
/* Who writes the register that a slot was lost for.  Slots come in the same order, after the
 * instructions that begin with them. */
struct dump_producer dump_producer_of_slot(struct dump_producers *p, const struct dump_item *slot);

#endif

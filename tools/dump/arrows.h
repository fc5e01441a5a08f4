/* arrows.h - arrows from the instruction that writes a register to the one that waits for it
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_ARROWS_H
#define TOOLS_DUMP_ARROWS_H

#include "producers.h"
#include "stages.h"

/* Adds the next instruction, in the order in which they begin.  In each end of a wait for a
 * register `other` becomes the number of the instruction that writes it (dump_producer.number), if
 * that is known.  Returns the instruction's own. */
uint64_t dump_add_arrows(struct dump_producers *p, const struct dump_stage_view *s,
                         const struct dump_item *inst, struct dump_changes *c);
/* Has the instruction a destination, for which others may wait? */
bool dump_has_result(const struct dump_known *k, const struct dump_item *inst);

#endif

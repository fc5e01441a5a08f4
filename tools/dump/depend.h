/* depend.h - which instruction writes the register that another one waits for
 * SPDX-License-Identifier: BSD-2-Clause
 */
#ifndef TOOLS_DUMP_DEPEND_H
#define TOOLS_DUMP_DEPEND_H

#include "order.h"
#include "stages.h"

#define DUMP_WARPS 64u /* in a core */

struct dump_depend;

/* partial: rows may be missing, so that only somebody who is still under way can be the one. */
struct dump_depend *dump_depend_new(const struct dump_stage_view *s, bool partial);
void dump_depend_free(struct dump_depend *w);

/* Instructions in the order in which they begin.  In each end of a wait for a register `other`
 * becomes the number of the last instruction of the warp that has it as destination, + 1, unless
 * none is known. */
void dump_depend(struct dump_depend *w, const struct dump_item *i, uint64_t number,
                 struct dump_changes *c);
/* Has the instruction a destination, so that others may wait for it? */
bool dump_has_result(const struct dump *d, const struct dump_item *i);

/* Is it asked for everything, or may rows be missing that others refer to? */
bool dump_query_partial(const struct dump_query *q);

#endif
